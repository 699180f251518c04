class Eventbatch < Formula
  desc "Imports events in bulk"
  homepage "https://@MODULE@"
  version "@VERSION@"
  license "@LICENSE@"

  on_macos do
    on_arm do
      url "@ADDRESS@/eventbatch_@VERSION@_darwin_arm64.tar.gz"
      sha256 "@SHA256 darwin_arm64.tar.gz@"
    end
    on_intel do
      url "@ADDRESS@/eventbatch_@VERSION@_darwin_amd64.tar.gz"
      sha256 "@SHA256 darwin_amd64.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "@ADDRESS@/eventbatch_@VERSION@_linux_arm64.tar.gz"
      sha256 "@SHA256 linux_arm64.tar.gz@"
    end
    on_intel do
      url "@ADDRESS@/eventbatch_@VERSION@_linux_amd64.tar.gz"
      sha256 "@SHA256 linux_amd64.tar.gz@"
    end
  end

  def install
    bin.install "eventbatch"
    man1.install Dir["man/*.1"]
    man7.install Dir["man/*.7"]
    bash_completion.install "completions/eventbatch.bash" => "eventbatch"
    zsh_completion.install "completions/_eventbatch"
    fish_completion.install "completions/eventbatch.fish"
    doc.install "README.md", "manual.html", "copyright", "examples"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/eventbatch version")
  end
end
