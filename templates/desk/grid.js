// The rows: in the document are those that are seen, with some around.
import {$, about, capital, copy, el, fill, here, hint, letters, note, refused, say, set, small, state} from './parts.js';

export const page = 100; // rows asked for at once
const height = 30, around = 6; // px a row; rows drawn beyond those seen
const most = 6e5; // rows that a browser can scroll as they are
const still = {preventScroll: true};
const pageOf = i => Math.floor(i / page);
const within = (n, most) => Math.max(0, Math.min(most, n));
const nth = column => [...column].reduce((n, l) => n * 26 + parseInt(l, 36) - 9, 0);

export class Grid {
	constructor() {
		this.total = 0;
		this.lines = new Map(); // that are drawn, by their place in the view
		this.at = {row: 0, column: 0}; // the marked cell; column 0 has the rows’ numbers
		this.typing = {}; // where a person began to type in the row
		[this.box, this.header, this.space, this.body, this.detail] = note('grid').querySelectorAll('[class]');
		set(this.box, {
			scroll: () => this.draw(), keydown: e => this.key(e), dblclick: () => this.edit(),
			paste: e => this.paste(e.clipboardData.getData('text/plain')).catch(refused),
			focusin: e => {
				const cell = e.target.closest('[role=gridcell]');
				if (cell) this.mark(+cell.parentNode.dataset.i, +cell.dataset.c);
			},
		});
		set(this.detail, {
			keydown: e => {
				const {row, column} = this.at;
				if (e.key === 'Escape') this.typed(), this.move();
				else if (e.key === 'Tab' && this.opened && e.target.matches('input')) {
					e.preventDefault();
					this.edits.give(this.typed(), row, column + (e.shiftKey ? -1 : 1));
				}
			},
			focusout: e => document.hasFocus() && !this.detail.contains(e.relatedTarget) && this.own?.give(this.typed()),
		});
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	async show(sheet, view) {
		this.asked?.abort();
		this.asked = new AbortController();
		this.view = {...view, sheet};
		this.changed = new Set(); // the rows that were: they stay where a mended one would go
		this.held = new Map(); // pages, by their number
		this.to = 0;
		await this.load(0);
		this.lines.clear();
		fill(this.body);
		this.body.style.transform = '';
		this.widths = null;
		this.heads();
		this.size();
		this.box.scrollTo(0, 0);
		this.at = {row: 0, column: 0};
		this.renew();
	}

	// heads draws the headers: an edit may have made another one.
	heads() {
		const calendar = this.view.view === 'events';
		this.sheet = calendar ? state.calendar : state.sheets[this.view.sheet];
		this.own = calendar ? null : this.edits;
		this.columns = this.sheet.header.length;
		const names = ['', ...this.sheet.header], cell = (c, props, ...inside) => el('div.gc' + (!c ? '.gn' : c === this.sheet.title ? '.gk' : ''), {'aria-colindex': c + 1, ...props}, ...inside);
		fill(this.header, names.map((name, c) => cell(c, {role: 'columnheader', title: name === 'key' ? note('key').textContent : name}, c ? !calendar && el('span.letter', letters(c - 1)) : calendar ? 'Row' : '#', name)));
		this.blank = el('div.gr', {role: 'row'}, names.map((_, c) => cell(c, {role: 'gridcell', 'data-c': c, tabindex: '-1'})));
		this.box.ariaReadOnly = !this.own;
		this.box.ariaColCount = this.columns + 1;
		if (this.widths?.length !== this.columns) this.measure(this.held.get(0) || []);
	}

	// measure has columns be as wide as headers and some rows want it.
	measure(rows) {
		const {style} = this.box, wide = (name, c) => Math.ceil(2 + .55 * Math.max(name.length + 2, ...rows.map(r => r.cells[c]?.length || 0)));
		this.widths = this.sheet.header.map((name, c) => Math.max(5, within(wide(name, c), 18)));
		const least = this.widths.map(w => `min(${w}rem, var(--most))`);
		style.setProperty('--tracks', 'var(--n) ' + this.widths.map((w, c) => `minmax(${least[c]}, ${w}fr)`).join(' '));
		style.setProperty('--w', `calc(${['var(--n)', ...least].join(' + ')})`);
		style.setProperty('--k', least[this.sheet.title - 1] || '0px');
	}

	size() {
		this.box.ariaRowCount = this.total + 1;
		const {box, total} = this, seen = box.clientHeight / height - 1;
		this.scale = Math.max(1, (total - seen) / (most - seen));
		this.space.style.height = within(total, most) * height + 'px';
		box.style.setProperty('--rows', within(total, 100));
		box.style.setProperty('--d', `${state.read}`.length);
	}

	// grow asks for the rows anew, and holds the old ones until then.
	async grow() {
		const held = new Map();
		this.heads();
		await Promise.all([this.from, this.to, this.at.row].map(i => this.load(pageOf(i), held)));
		const was = this.row(this.at.row)?.row;
		this.held = held;
		this.size();
		const [n, rows] = [...this.held].find(([, rows]) => rows?.some(r => r.row >= was)) || [];
		this.at.row = within(rows ? n * page + rows.findIndex(r => r.row >= was) : this.at.row, this.total - 1);
		this.renew();
	}

	take({rows, sheets}) {
		const now = new Map(rows.filter((r, k) => sheets[k] === this.sheet.name).map(r => [r.row, r]));
		for (const [n, held] of this.held) this.held.set(n, held?.map(r => now.has(r.row) && this.changed.add(r.row) ? now.get(r.row) : r));
		this.renew(i => now.has(this.row(i)?.row));
	}

	// renew draws what is held, and the marked row unless a person is at work there.
	renew(anew = () => true) {
		const focused = this.body.contains(document.activeElement);
		this.draw(anew);
		if (focused) this.cell()?.focus(still);
		if (!this.total) fill(this.detail, note('rowless'));
		else if (!this.detail.contains(document.activeElement)) this.mark();
	}

	ask(more) {
		return about('/api/rows', {...this.view, also: [...this.changed].slice(-500), ...more}, this.asked.signal);
	}

	async load(n, held = this.held) {
		if (held.has(n)) return;
		const {view} = this;
		held.set(n, null);
		try {
			let w, rows = [];
			do {
				w = await this.ask({from: n * page + rows.length, n: page - rows.length});
				rows.push(...w.rows);
			} while (rows.length < page && w.rows.length < w.total - w.from);
			if (view !== this.view) return;
			held.set(n, rows);
			this.total = w.total;
			if (held.size > 12) held.delete([...held.keys()].find(k => Math.abs(k - n) > 3));
			if (held === this.held && n * page < this.to && (n + 1) * page > this.from) this.draw(i => pageOf(i) === n);
		} catch (e) {
			held.delete(n);
			if (e.name !== 'AbortError') throw e;
		}
	}

	row(i) {
		return this.held.get(pageOf(i))?.[i % page];
	}

	// draw puts the rows that are seen into the document, again where anew says so.
	draw(anew) {
		if (!this.view) return;
		const {box, body, lines, total} = this, first = Math.ceil(box.scrollTop * this.scale / height - .1), seen = Math.ceil(box.clientHeight / height);
		const from = within(first - around, total - seen + 2 - around), to = Math.min(total, from + seen + 2 * around), down = from >= this.from;
		if (!anew && from === this.from && to === this.to) return;
		const had = box.contains(document.activeElement);
		Object.assign(this, {from, to});
		for (const i of [from, to - 1, down ? to + page : from - page]) {
			const n = pageOf(i);
			if (i >= 0 && i < total) this.load(n);
		}
		if (this.scale > 1) body.style.transform = `translateY(${box.scrollTop - (Math.min(around, from) + from) * height}px)`;
		if (had && document.activeElement !== box) box.focus(still);
		for (const [i, line] of lines) {
			if (i < from || i >= to || anew?.(i)) {
				line.remove();
				lines.delete(i);
			}
		}
		for (let i = to - 1; i >= from; i--) {
			if (lines.has(i)) continue;
			lines.set(i, this.line(i));
			body.insertBefore(lines.get(i), lines.get(i + 1) || null);
		}
		const cell = this.cell();
		this.stop(cell || body.firstChild?.firstChild);
		if (had && cell) cell.focus(still);
	}

	line(i) {
		const r = this.row(i), line = this.blank.cloneNode(true);
		Object.assign(line.dataset, {i, state: !r ? 'waits' : r.state === 'valid' && this.view.view === 'wrong' ? 'mended' : r.state});
		line.ariaRowIndex = i + 2;
		line.style.top = i * height + 'px';
		fill(line.firstChild, r?.row ?? '…');
		const bad = r && this.bad(r);
		if (r) [...line.children].slice(1).forEach((cell, c) => {
			const how = bad.get(c + 1);
			if (how) cell.classList.add(how);
			if (how === 'error') cell.ariaInvalid = true;
			fill(cell, r.cells[c]);
		});
		return line;
	}

	bad(r) {
		const bad = new Map();
		for (const p of r.problems) if (p.column && bad.get(nth(p.column)) !== 'error') bad.set(nth(p.column), p.severity);
		return bad;
	}

	cell(i = this.at.row, c = this.at.column) {
		return this.lines.get(i)?.children[c];
	}

	// stop makes a cell that of the Tab key.
	stop(cell) {
		if (this.tab) this.tab.tabIndex = -1;
		this.tab = cell;
		if (cell) cell.tabIndex = 0;
	}

	mark(i = this.at.row, c = this.at.column) {
		this.at = {row: i, column: c};
		this.opened = false;
		const cell = this.cell(i, c), r = this.row(i);
		this.stop(cell);
		if (!r) return;
		const letter = c && letters(c - 1), own = r.problems.filter(p => p.column === letter);
		if (own.length && cell) cell.setAttribute('aria-describedby', 'detail');
		fill(this.detail,
			el('h3', c ? [el('span.place', (this.sheet.name === undefined ? 'Row ' : letter) + r.row), ' ', this.sheet.header[c - 1]] : `Row ${r.row}`),
			c && el('p.value', r.cells[c - 1] || el('i', 'blank')),
			r.reason && small(capital(r.reason)),
			[...own, ...r.problems.filter(p => !own.includes(p))].map(p => el('div', {class: 'rule said ' + p.severity},
				el('p.message', !own.includes(p) && p.column && el('span.place', p.column + p.row), capital(here(p.message))),
				hint(p),
				p.proposal && small('Proposed: ', el('b', p.proposal)))),
			r.read.map(words => el('p.read', words)),
			this.own && this.own.cell(r, c && letter + r.row, r.cells[c - 1] ?? '', own));
	}

	edit(text) {
		const input = this.detail.querySelector('input');
		if (!input) return;
		if (this.typing.row !== this.at.row) this.typing = this.at;
		if (text !== undefined) input.value = text;
		this.opened = true;
		input.select();
	}

	// typed returns the field’s text, and resets it.
	typed() {
		const input = this.detail.querySelector('input'), value = input?.value;
		input?.form.reset();
		return value;
	}

	// below returns where Enter leads.
	below() {
		const {row} = this.at, {column} = this.typing.row === row ? this.typing : this.at;
		this.typing = {};
		return [row + 1, column];
	}

	async move(i = this.at.row, c = this.at.column) {
		i = within(i, this.total - 1);
		c = within(c, this.columns);
		const {box} = this, step = height / this.scale, first = box.scrollTop / step, fit = box.clientHeight / height - 3;
		if (i < first) box.scrollTop = i * step;
		else if (i > first + fit) box.scrollTop = (i - fit) * step;
		await this.load(pageOf(i));
		this.at = {row: i, column: c};
		this.draw();
		const cell = this.cell(i, c);
		cell?.focus(still);
		cell?.scrollIntoView({block: 'nearest', inline: 'nearest'});
	}

	async go(place) {
		const [, column, row] = /^([A-Z]*)(\d+)$/.exec(place) || [];
		for (let n = 0; n < 20 && n * page < this.total; n++) {
			await this.load(n);
			const k = (this.held.get(n) || []).findIndex(r => r.row === +row);
			if (k >= 0) return this.move(n * page + k, nth(column));
		}
	}

	// mistake goes to the next mistake or the last one, round the ends.
	async mistake(step) {
		const {row, column} = this.at, wrong = r => {
			const all = [...this.bad(r)].filter(([, s]) => s === 'error').map(([c]) => c).sort((a, b) => step * (a - b));
			return all.length || r.state !== 'invalid' ? all : [0];
		};
		for (let i = row, r; (r = this.row(i)); i += step) {
			const at = wrong(r).find(c => i !== row || step * (c - column) > 0);
			if (at !== undefined) return this.move(i, at);
		}
		await this.own?.last;
		const w = await this.ask({from: row, n: 1, mistake: step > 0 ? 'next' : 'last'}), [r] = w.rows, [c] = r ? wrong(r) : [];
		if (c === undefined || w.from === row && c === column) say('No other mistake');
		else await this.move(w.from, c);
	}

	key(e) {
		const {row, column} = this.at, seen = Math.max(1, Math.floor(this.box.clientHeight / height) - 2), ctrl = e.ctrlKey || e.metaKey;
		if (e.altKey) return;
		const to = {
			ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
			Home: [ctrl ? 0 : row, 0], End: [ctrl ? this.total - 1 : row, this.columns], PageDown: [row + seen, column], PageUp: [row - seen, column],
		}[e.key];
		const r = this.row(row), edits = r && this.own, letter = e.key.toLowerCase();
		if (to) this.move(...to);
		else if (e.key === 'F8') this.mistake(e.shiftKey ? -1 : 1);
		else if (e.key === '?') $('keys').click();
		else if (ctrl && letter === 'f') $('search').select();
		else if (ctrl && letter === 'c' && r) copy(column ? r.cells[column - 1] ?? '' : r.cells.join('\t'));
		else if (ctrl && 'zy'.includes(letter) && edits) edits.put({forth: letter === 'y' || e.shiftKey}, '/api/edits/undo').catch(refused);
		else if (ctrl || !edits) return;
		else if (e.key === 'F2' || e.key === 'Enter') this.edit();
		else if (letter === 's' && !column) r.may && edits.rows(r.may, [r.row]).catch(refused);
		else if (e.key.length === 1) return this.edit(); // the letter goes there
		else return;
		e.preventDefault();
	}

	async paste(value) {
		const {row, column} = this.at, rows = [], end = Math.min(this.total, row + value.split(/\r\n?|\n/).length);
		if (!this.own || !column) return;
		for (let i = row; i < end; i++) {
			await this.load(pageOf(i));
			rows.push(this.row(i).row);
		}
		await this.edits.rows('paste', rows, {column: column - 1, value});
	}
}
