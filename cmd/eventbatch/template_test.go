package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"eventbatch/mapping/schema"
)

// The template, filled in and saved by an office, is imported without a mapping and
// without a word of warning.
func TestAFilledTemplateIsImported(t *testing.T) {
	program, err := exec.LookPath("soffice")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("soffice is missing")
		}
		t.Skip("soffice is missing")
	}
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "events.xlsx")
	command := func(args ...string) map[string]any {
		t.Helper()
		var stdout, stderr bytes.Buffer
		args = append(args, "--workspace", filepath.Join(dir, "workspace"), "--json")
		env := []string{"XDG_STATE_HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "HOME=" + dir, "EVENTBATCH_PACE=0"}
		if code := run(t.Context(), env, args, nil, &stdout, &stderr); code != exitDone {
			t.Fatalf("%v: exit %d\n%s%s", args, code, &stdout, &stderr)
		}
		var doc map[string]any
		if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		return doc
	}
	command("template", "create", "-o", path)
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("Events")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for header, value := range map[string]any{
			"Key": fmt.Sprintf("tea-%d", i), "Name": "Tea", "Start": time.Now().AddDate(1, 0, i).Truncate(time.Hour).UTC(),
			"Time zone": "Europe/Berlin",
		} {
			column := schema.ColumnName(slices.Index(rows[0], header))
			ref := fmt.Sprint(column, 4+i)
			style, err := f.GetColStyle("Events", column)
			if err == nil {
				err = f.SetCellValue("Events", ref, value)
			}
			if err == nil {
				err = f.SetCellStyle("Events", ref, ref, style)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(dir, "saved")
	cmd := exec.CommandContext(
		t.Context(), program, "-env:UserInstallation=file://"+filepath.Join(dir, "profile"), "--headless", "--convert-to", "xlsx",
		"--outdir", saved, path,
	)
	if words, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, words)
	}
	path = filepath.Join(saved, "events.xlsx")
	if problems := command("check", path)["problems"].([]any); len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	done := command("import", path, "--sandbox", "--yes")["rows"].(map[string]any)
	if done["created"] != 3.0 || done["skip"] != 2.0 {
		t.Errorf("rows: %v", done)
	}
}
