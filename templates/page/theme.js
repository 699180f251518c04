// The colours of a page: those that the system prefers, until the person has chosen.
import {$} from './dom.js';

export function colours(kept, keep) {
  const prefers = matchMedia('(prefers-color-scheme: dark)'), root = document.documentElement;
  const show = () => {
    const dark = (kept() || (prefers.matches ? 'dark' : 'light')) === 'dark';
    root.dataset.theme = dark ? 'dark' : 'light';
    $('theme').textContent = dark ? 'Light' : 'Dark';
    $('theme').ariaLabel = `Switch to ${dark ? 'light' : 'dark'} colours`;
  };
  show();
  prefers.addEventListener('change', show);
  $('theme').addEventListener('click', () => {
    keep(root.dataset.theme === 'dark' ? 'light' : 'dark');
    show();
  });
}
