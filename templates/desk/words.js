// The words of the page, and how texts of files are shown.
import {$, button, el, visible} from './dom.js';

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
export const copied = (command, say, id) => el('p.small.same', el('code', {id}, command), button({class: 'quiet', click: () => copy(command, say)}, 'Copy'));

// table draws rows of cells, the first of each its head.
export const table = (name, heads, rows) => el('div.wide', {tabindex: '0', role: 'region', 'aria-labelledby': name}, el('table.plain',
	el('thead', el('tr', ...heads.map(h => el('th', {scope: 'col'}, h)))),
	el('tbody', ...rows.map(([head, ...cells]) => el('tr', el('th', {scope: 'row'}, head), ...cells.map(c => el('td', c)))))));

// readBy says by which mapping the rows are read that the page did not make, or why not by the one beside the file.
export const readBy = ({by, unread}) => by || unread ? el('p.alert.mild', ...by ? ['The rows are read by ', el('b', by), ', which was there.'] :
	['A mapping lies beside the file, and the rows are not read by it: ', visible(unread)]) : null;

// failure shows why something cannot be shown.
export function failure(exit) {
	return el('div.alert', {role: 'alert'},
		el('p.message', exit.error || 'It cannot be shown.'),
		exit.hint && el('p.hint', el('b', 'What to do: '), exit.hint));
}
