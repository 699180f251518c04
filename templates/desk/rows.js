// The mistakes by kind, and the rows beside them.
import {Edits} from './edits.js';
import {Grid, page} from './grid.js';
import {openOf, to} from './main.js';
import {$, about, aboutKey, bar, button, capital, columns, count, does, el, failure, fill, framed, here, hint, lines, note, number, pick, say, state} from './parts.js';

const sheetOf = name => Math.max(0, state.sheets.findIndex(s => s.name === name));

// draw shows rows that are wanted of a sheet, at a place, else those with mistakes.
export async function draw(box, wanted, name, at) {
	if (!state.sheets.length) {
		const doc = await about('/api/problems'), asked = state.mapping && openOf(await columns()).length;
		return fill(box, asked ? [el('p.empty', state.sum), bar(does('See Questions', to('readings', true)))] : failure(doc.exit));
	}
	const part = framed(box, 'rows'), grid = now = new Grid(), list = part('.groups'), search = $('search');
	let sheet = sheetOf(name), view, waiting;
	part('.right').append(grid.box, grid.detail);
	for (const b of box.querySelectorAll('.facet')) b.onclick = () => show({view: b.dataset.view});
	if (state.sheets.length > 1) search.after(pick({'aria-label': 'Sheet'}, sheet, state.sheets.map((s, i) => [i, s.name]), i => { sheet = +i; return show({view: 'all'}); }));
	$('print').onclick = printed;
	search.oninput = () => {
		const q = search.value, of = view.view === 'events' ? 'events' : q ? 'search' : 'all';
		clearTimeout(waiting);
		waiting = setTimeout(() => show({view: of, ...q && {q}}), 120);
	};

	async function show(next) {
		view = next;
		if (!view.q) search.value = '';
		pressed();
		await grid.show(sheet, view);
		counts();
		say($('shown').textContent);
	}
	const counts = () => fill($('shown'), count(grid.total, view.view === 'events' ? 'event' : 'row'), grid.scale > 1 && note('coarse'));
	const pressed = () => {
		for (const b of box.querySelectorAll('[aria-pressed]')) b.ariaPressed = b.dataset.view === view.view && (!b.dataset.of || b.dataset.of === view.in);
	};

	async function kinds() {
		const doc = await about('/api/problems'), groups = (doc.groups || []).map((g, i) => ({...g, index: i, kind: `${g.code} ${g.column}`}));
		const all = (title, severity) => {
			const of = groups.filter(g => g.severity === severity).sort((a, b) => b.count - a.count);
			return of.length && [el('h2', title, el('span.n', number(of.reduce((n, g) => n + g.count, 0)))), of.map(g => card(g, async at => {
				sheet = sheetOf(g.sheet);
				await show({view: 'group', group: g.index, in: g.kind});
				if (at) await grid.go(at);
			}, edits?.kind(g, (doc.problems || []).some(p => p.proposal && p.code === g.code && p.column === g.column))))];
		};
		fill(list, all('Mistakes', 'error'), all('Warnings', 'warning'), !groups.length && note('right'), edits?.box);
		pressed();
	}

	const edits = state.edits && !state.edits.why ? new Edits(grid, box.grow = async () => {
		await grid.grow();
		counts();
		const within = list.contains(document.activeElement);
		await kinds();
		if (within) (list.querySelector('.head') || $('tab-rows')).focus();
	}) : null;
	await show(wanted || {view: state.rows.invalid ? 'wrong' : 'all'});
	await kinds();
	if (at) await grid.go(at);
}

// What is printed: all rows; of many by the button alone.
let now, rows;
async function printed() {
	for (rows = []; rows.length < Math.min(now.total, 3000);) rows.push(...(await about('/api/rows', {...now.view, from: rows.length, n: 500})).rows);
	print();
	rows = null;
}
addEventListener('beforeprint', () => {
	const all = rows || now.total <= page && now.held.get(0);
	if (now.box.isConnected) document.body.append(el('div.paper', all ? lines(['Row', ...now.sheet.header], all.map(r => [r.row, ...r.cells])) : 'Click on Print'));
});
addEventListener('afterprint', () => document.querySelector('.paper')?.remove());

function card(g, show, form) {
	const cells = g.messages.flatMap(m => m.cells), header = state.sheets[sheetOf(g.sheet)].row;
	const below = cells.some(c => c.replace(/^[A-Z]+/, '') > header);
	const head = [el('span.badge', number(g.count)), el('span.title', g.header || g.column || g.sheet || 'whole file')];
	return el('article', {class: 'rule ' + g.severity},
		el('div.rulehead', below ? button({class: 'head', 'data-view': 'group', 'data-of': g.kind, 'aria-pressed': 'false', click: () => show()}, head) :
			el('div.head', head)),
		g.messages.map(m => el('div.said',
			el('p.message', capital(here(m.message)), m.count > 1 && g.messages.length > 1 && el('span.n', number(m.count), '×')),
			hint(m),
			el('p.cells', m.cells.map(c => below ? button({class: 'place', click: () => show(c)}, c) : el('span.place', c)),
				m.cells[0] && m.count > m.cells.length && el('span.small', 'and ', number(m.count - m.cells.length), ' more')))),
		aboutKey(g.code), below && form);
}
