// The few ways to draw, for both pages. Texts of cells reach a page as text nodes only.
export const $ = id => document.getElementById(id);

export function letters(column) {
  let s = '';
  for (; column >= 0; column = Math.floor(column / 26) - 1) s = String.fromCharCode(65 + column % 26) + s;
  return s;
}

export const number = n => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
export const count = (n, word) => `${number(n)} ${word}${n === 1 ? '' : 's'}`;

// visible writes out what a reader would not see or be misled by: characters that control, or turn a line's direction.
const unseen = /[\0-\x08\v-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
export const visible = text => String(text).replace(unseen, c => '‹U+' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '›');
export const fill = (box, ...children) => box.replaceChildren(...children.flat(9).filter(Boolean).map(c => c instanceof Node ? c : visible(c)));

// el makes an element, such as p.small. Children are elements, or texts that stay texts.
export function el(tag, ...children) {
  const [name, ...classes] = tag.split('.'), e = document.createElement(name);
  if (classes.length) e.className = classes.join(' ');
  if (children[0]?.constructor === Object) set(e, children.shift());
  fill(e, ...children);
  return e;
}

// set gives an element attributes, and functions for its events.
export function set(e, props) {
  for (const [of, value] of Object.entries(props)) {
    if (typeof value === 'function') e.addEventListener(of, value);
    else if ((value ?? false) !== false) e.setAttribute(of, value === true ? '' : value);
  }
}

export const button = (props, ...children) => el('button', {type: 'button', ...props}, ...children);
