// The mistakes by kind, and the rows beside them: the groups do everything that the grid does but show its neighbours.
import {$, button, count, el, fill, number, visible} from './dom.js';
import {problems, rows} from './net.js';
import {Edits} from './edits.js';
import {Grid} from './grid.js';
import {capital, failure, table} from './words.js';

export async function draw(box, state, say, act, open, wanted, name, at) {
	if (!state.sheets.length) {
		const doc = await problems(state.generation);
		return fill(box, failure(doc.exit), doc.map && el('p.small', capital(doc.map.knows), ' – ', el('code', doc.map.command)));
	}
	let sheet = Math.max(0, state.sheets.findIndex(s => s.name === name)), view = {view: 'all'};
	const grid = new Grid(state, say), edits = grid.edits = state.edits && !state.edits.why &&
		new Edits(state, say, (words, next) => act(words, view.view === 'group' ? {view: 'wrong'} : view, state.sheets[sheet].name, next));
	const wrong = state.rows.invalid || 0;
	const facets = [['all', 'All'], ['wrong', 'With mistakes'], ['left', 'Left out'], ['events', 'Events']];
	const search = el('input', {type: 'search', id: 'search', placeholder: 'Search', 'aria-label': 'Search in the cells'});
	const print = button({class: 'quiet', id: 'print', hidden: true, click: () => printed(grid)}, 'Print');
	const bar = el('div.bar', {role: 'group', 'aria-label': 'Which rows'},
		...facets.map(([of, words]) => button({class: 'facet', 'data-view': of, click: () => show({view: of})}, words)), search,
		state.sheets.length > 1 && el('select', {'aria-label': 'Sheet', change: e => { sheet = Number(e.target.value); show({view: 'all'}); }},
			...state.sheets.map((s, i) => el('option', {value: i}, s.name))),
		el('span.n', {id: 'shown'}), print);
	let waiting = 0;
	search.addEventListener('input', () => {
		clearTimeout(waiting);
		waiting = setTimeout(() => show(view.view === 'events' ? {view: 'events', q: search.value} : search.value ? {view: 'search', q: search.value} : {view: 'all'}), 120);
	});
	const list = el('div.groups', {role: 'region', 'aria-label': 'Mistakes by kind'}, el('p.small', 'Counting…'));

	async function show(next, first) {
		view = next;
		for (const b of box.querySelectorAll('.facet')) b.setAttribute('aria-pressed', String(b.dataset.view === view.view));
		for (const b of list.querySelectorAll('.head')) b.setAttribute('aria-pressed', String(view.view === 'group' && b.dataset.group === String(view.group)));
		if (view.view !== 'search' && !view.q) search.value = '';
		const events = view.view === 'events';
		print.hidden = !events;
		const total = await grid.show(sheet, view), words = count(total, events ? 'event' : 'row');
		$('shown').textContent = words;
		if (!first) say(words);
	}

	fill(box, el('div.split', list, el('div.right', bar, grid.box, grid.detail)));
	await show(wanted || {view: wrong ? 'wrong' : 'all'}, true);
	const doc = await problems(state.generation), groups = (doc.groups || []).map((g, index) => ({...g, index}));
	const like = g => (doc.problems || []).some(p => p.proposal && p.code === g.code && p.column === g.column);
	const kinds = severity => groups.filter(g => g.severity === severity).sort((a, b) => b.count - a.count);
	const part = (title, of) => of.length ? [el('h2', title, el('span.n', number(of.reduce((n, g) => n + g.count, 0)))), ...of.map(g => card(g, state, at => {
		sheet = Math.max(0, state.sheets.findIndex(s => s.name === g.sheet));
		return show({view: 'group', group: g.index}).then(() => at && grid.go(at));
	}, edits && edits.kind(g, like(g))))] : [];
	fill(list, ...part('Mistakes', kinds('error')), ...part('Warnings', kinds('warning')));
	if (!groups.length) list.append(el('p.empty', 'Nothing is wrong with these rows.'));
	if (edits) list.append(edits.box);
	if (at !== undefined && !(at && await grid.go(at))) await grid.move(0, 0);
}

async function printed(grid) {
	const lines = [];
	while (lines.length < Math.min(grid.total, 3000)) lines.push(...(await rows(grid.view, lines.length, 500)).rows);
	document.body.append(el('div.paper', table('', grid.sheet.header, lines.map(r => r.cells.map(visible)))));
	print();
	document.body.lastChild.remove();
}

// card is one kind of mistake, with its first cells.
function card(g, state, show, form) {
	const cells = [...new Set(g.messages.flatMap(m => m.cells))], atRows = (state.sheets.find(s => s.name === g.sheet) || state.sheets[0]);
	const below = cells.some(c => Number(c.replace(/^[A-Z]+/, '')) > atRows.row);
	const where = g.header ? visible(g.header) : g.column || (g.sheet ? visible(g.sheet) : 'whole file');
	return el('article', {class: 'rule ' + g.severity},
		el('div.rulehead',
			(below ? button : el.bind(null, 'div'))(below ? {class: 'head', 'data-group': g.index, 'aria-pressed': 'false', title: 'Show these rows', click: () => show()} : {class: 'head'},
				el('span.badge', number(g.count)), el('span.title', where))),
		...g.messages.map(m => el('div.said',
			el('p.message', capital(m.message), m.count > 1 && g.messages.length > 1 && el('span.n', `${number(m.count)}×`)),
			m.hint && el('p.hint', m.hint),
			el('p.cells', ...m.cells.map(c => below ? button({class: 'place', click: () => show(c)}, c) : el('span.place', c)),
				m.count > m.cells.length && el('span.small', `and ${number(m.count - m.cells.length)} more`)))),
		g.count > g.messages.reduce((n, m) => n + m.count, 0) && el('p.small', 'and others like it'),
		below && form, el('p.small.code', el('code', g.code)));
}
