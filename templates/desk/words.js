// The words of the page, and how texts of files are shown.
import {$, button, el, number} from './dom.js';

// visible writes out what a reader would not see or be misled by: characters that control, or turn a line's direction.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
export const visible = text => String(text).replace(unseen, c => '‹U+' + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '›');

// capital begins a sentence, unless by the name of a field or another word of ours.
export const capital = text => /^[a-z]+([ ,:]|$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
export const friendly = path => capital(path.replaceAll('_', ' ').replace(/ (at|md|id)$/, ''));

// copy puts a text where it can be pasted from.
export const copy = (text, say) => navigator.clipboard && navigator.clipboard.writeText(text).then(() => say('Copied'), () => {});

// word is how a person says what became of rows.
export const word = w => visible((words[w] || w).replaceAll('_', ' '));
let words = {};
export const learnWords = known => { words = known; };
export const base = path => path.split(/[\\/]/).pop();

// same names the command that says the same as the screen. copied shows one that does the same as a button beside it.
export const same = command => { $('command').textContent = visible(command); };
export const copied = (command, say, id) => el('p', {class: 'small same'}, el('code', {id}, visible(command)), button({class: 'quiet', on: {click: () => copy(command, say)}}, 'Copy'));

// table draws rows of cells, the first of each its head.
export const table = (name, heads, rows) => el('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-labelledby': name}, el('table', {class: 'plain'},
  el('thead', {}, el('tr', {}, ...heads.map(h => el('th', {scope: 'col'}, h)))),
  el('tbody', {}, ...rows.map(([head, ...cells]) => el('tr', {}, el('th', {scope: 'row'}, head), ...cells.map(c => el('td', {}, c)))))));

// readBy says by which mapping the rows are read that the page did not make, or why not by the one beside the file.
export const readBy = ({by, unread}) => by || unread ? el('p', {class: 'alert mild'}, ...by ? ['The rows are read by ', el('b', {}, visible(by)), ', which was there.'] :
  ['A mapping lies beside the file, and the rows are not read by it: ', visible(unread)]) : null;

// fill has a box hold these, and nothing else.
export const fill = (box, ...children) => box.replaceChildren(...children.flat().filter(c => c !== null && c !== undefined));

// failure shows why something cannot be shown.
export function failure(exit) {
  return el('div', {class: 'alert', role: 'alert'},
    el('p', {class: 'message'}, visible(exit.error || 'It cannot be shown.')),
    exit.hint ? el('p', {class: 'hint'}, el('b', {}, 'What to do: '), visible(exit.hint)) : null);
}
