// The few ways to draw, for the report page and the local page. Texts of cells reach a page as text nodes only.
export const $ = id => document.getElementById(id);

export function letters(column) {
  let s = '';
  for (; column >= 0; column = Math.floor(column / 26) - 1) s = String.fromCharCode(65 + column % 26) + s;
  return s;
}

export const number = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
export const count = (n, word) => number(n) + ' ' + word + (n === 1 ? '' : 's');

// el makes an element. Children are elements, or texts that stay texts.
export function el(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (name === 'on') for (const [event, listener] of Object.entries(value)) e.addEventListener(event, listener);
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(name, value === true ? '' : value);
  }
  e.append(...children.flat().filter(c => c !== null && c !== undefined && c !== ''));
  return e;
}

export const button = (props, ...children) => el('button', {type: 'button', ...props}, ...children);
