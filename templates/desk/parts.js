// What every tab is drawn of.
import {$, button, el, fill, visible} from './dom.js';
import {get, state} from './net.js';

export * from './dom.js';
export * from './net.js';

// capital begins a sentence, also where that begins with a field.
export const capital = text => text.replace(/^[a-z]+(_[a-z_]+)?(?=[ ,:]|$)/, (word, more) => more ? friendly(word) : word[0].toUpperCase() + word.slice(1));
export const friendly = path => capital(path.replaceAll('_', ' ').replace(/^geo |\.(column|default)| (at|md|id|json)$/g, '').replace('max capacity', 'seats'));

// say has a screen reader told, once for what comes together.
let spoken;
export function say(words) {
	clearTimeout(spoken);
	spoken = setTimeout(() => { $('live').textContent = words; }, 300);
}

// trying says what is refused. Of clicks meanwhile only answers and texts count.
let told, due;
export async function trying(...one) {
	const main = $('main');
	if (main.ariaBusy) return one[1]?.closest('[data-question],form') && due.push(one);
	let bad;
	main.ariaBusy = true;
	fill($('failed'));
	told?.remove();
	for (due = [one]; due[0]; due.shift()) try {
		await due[0][0]();
	} catch (e) {
		bad = [e, due[1] ? null : due[0][1]];
	}
	main.ariaBusy = null;
	if (bad) refused(...bad);
}

// refused says so below what was typed or chosen, else at the top.
export function refused(e, at) {
	if (!e.status || e.status === 401) throw e; // which is the frame's to tell
	if (e.status === 409) dispatchEvent(new Event('focus')); // the file may be saved anew
	const of = at?.closest('form, .bar, select');
	told = failure(e);
	of ? of.after(told) : fill($('failed'), told);
	told.scrollIntoView({block: 'nearest'});
}

// Buttons: what is next, others, elsewhere.
const doing = of => (words, work, props) => button({class: of, click: e => trying(() => work(e), e.target), ...props}, words);
export const does = doing('do'), quiet = doing('quiet'), link = doing('link');

export const takeBack = (what, work) => quiet('Take back', work, {'aria-label': 'Take back: ' + visible(what)});

// note is what the page says of something; framed fills a box with it, and returns its parts.
export const note = id => $(id + '-frame').content.cloneNode(true);
export const framed = (box, id) => {
	fill(box, note(id));
	return selector => box.querySelector(selector);
};
export const aboutKey = text => /\bkey\b/.test(text) && note('key');
export const bar = (...inside) => el('p.bar', inside);
export const small = (...inside) => el('p.small', inside);
export const card = (title, ...inside) => el('section.reading', el('h2', title), inside);

export const keep = (words, kind, name, id = '') => button({class: 'quiet', id: kind, click: () => get(`/api/files/${kind}?id=${id}`).then(async answer => {
	const href = URL.createObjectURL(await answer.blob());
	el('a', {href, download: name}).click();
	setTimeout(() => URL.revokeObjectURL(href), 6e4);
}).catch(refused)}, words);

// form has something typed that work is done with, pick one of some values chosen.
export const form = (props, work, ...inside) => el('form', {...props, submit: e => { e.preventDefault(); trying(work, e.target); }}, ...inside);
export const pick = (props, value, options, choose) => {
	let keys; // were used: Enter takes it
	const take = ({target}) => target.value != value && trying(() => choose(value = target.value), target);
	return el('select', {...props, change: e => keys || take(e), blur: take, keydown: e => (keys = e.key !== 'Enter') || take(e)},
		options.map(([v, words]) => el('option', {value: v, selected: v === value}, words)));
};

// field has a text typed. One with a name keeps it while the page is drawn anew, until it is taken.
export const typed = new Map();
export const field = (words, props) => {
	const input = el('input', {'aria-label': words, placeholder: words, autocomplete: 'off', spellcheck: 'false', input: () => input.name && typed.set(input.name, input.value), ...props});
	input.value = typed.get(input.name) ?? input.value;
	return input;
};

// section has a title, whose id names a table.
export const section = (id, title, ...inside) => el('section', el('h2', {id, tabindex: '-1'}, title), inside);
export const table = (id, heads, rows) => el('div.wide', {tabindex: '0', role: 'region', 'aria-labelledby': id}, lines(heads, rows));
export const lines = (heads, rows) => el('table.plain', el('thead', el('tr', heads.map(h => el('th', {scope: 'col'}, h)))),
	el('tbody', rows.map(([head, ...cells]) => el('tr', el('th', {scope: 'row'}, head), cells.map((c, i) => el('td', {'data-head': heads[i + 1]}, c))))));

export const copy = text => navigator.clipboard?.writeText(text).then(() => say('Copied'), () => {});

// same names the command of the screen, copied that of what it is beside.
export const same = command => fill($('command'), command);
export const copied = (command, id) => el('p.small.same', el('code', {id}, command), quiet('Copy', () => copy(command)));

// bounds says what this page may not do, and how one is opened that may.
export const bounds = () => state.undo ? [small(state.undo.words), copied(state.undo.command)] : [];

export const failure = exit => el('div.alert', {role: 'alert'},
	el('p.message', capital(here(exit.error || exit.message || 'It cannot be shown.'))), hint(exit, el('b', 'What to do: ')));

// here says what is clicked in place of what is typed.
export const here = text => state.clicks.reduce((said, c) => said.replace(new RegExp(c.typed, 'g'), c.click), text);
export const hint = (of, ...before) => of.hint && el('p.hint', ...before, here(of.hint));

export const asks = (words, label, work) => fill($('failed'), el('div.alert', el('p.message', words), quiet(label, work)));
