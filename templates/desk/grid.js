// The rows, a window at a time: what is seen is in the document, with some rows around it, and nothing else.
import {el, fill, letters, visible} from './dom.js';
import {rows} from './net.js';
import {capital, copy} from './words.js';

const height = 30, page = 100, around = 6; // px a row; rows asked for at once; rows drawn beyond those that are seen
const most = 600000; // rows that a browser can scroll as they are

const events = {header: ['', 'Day', 'Start', 'End', 'Time zone', 'Event', 'Place', 'Seats', 'Who may see it']};
const words = {'left-out': 'left out', skipped: 'left out', invalid: 'has mistakes', valid: 'is right'};

const nth = column => [...column].reduce((n, l) => n * 26 + l.charCodeAt(0) - 64, 0);

export class Grid {
	constructor(state, say) {
		this.state = state;
		this.say = say;
		this.total = 0;
		this.held = new Map(); // pages, by their number
		this.at = {row: 0, column: 0};
		this.header = el('div.gr.gh', {role: 'row', 'aria-rowindex': '1'});
		this.body = el('div.gb', {role: 'rowgroup'});
		this.space = el('div.gs', {role: 'rowgroup'}, this.body);
		this.box = el('div.grid', {role: 'grid', 'aria-label': 'Rows of the file', 'aria-readonly': 'true', tabindex: '-1'},
			el('div', {role: 'rowgroup', class: 'gt'}, this.header), this.space);
		this.detail = el('div.detail', {id: 'detail'});
		this.box.addEventListener('scroll', () => this.draw(), {passive: true});
		this.box.addEventListener('keydown', e => this.key(e));
		this.detail.addEventListener('keydown', e => e.key === 'Escape' && this.move(this.at.row, this.at.column));
		this.box.addEventListener('focusin', e => {
			const cell = e.target.closest('[role=gridcell]');
			if (cell) this.mark(Number(cell.parentNode.dataset.i), Number(cell.dataset.c));
		});
		new ResizeObserver(() => this.draw()).observe(this.box);
	}

	// show turns to other rows, and returns how many they are.
	async show(sheet, view) {
		if (this.asked) this.asked.abort();
		this.asked = new AbortController();
		this.sheet = view.view === 'events' ? events : this.state.sheets[sheet];
		this.view = {...view, sheet, g: this.state.generation};
		this.held = new Map();
		this.at = {row: 0, column: 0};
		this.from = 0;
		this.columns = this.sheet.header.length;
		this.header.replaceChildren(
			el('div.gc.gn', {role: 'columnheader', 'aria-colindex': '1'}, this.sheet === events ? 'Row' : '#'),
			...this.sheet.header.map((name, i) => el('div.gc', {role: 'columnheader', 'aria-colindex': i + 2, title: visible(name)},
				this.sheet === events ? null : el('span.letter', letters(i)), name)));
		this.body.replaceChildren();
		this.lines = []; // of the row i the one at i modulo their number
		this.body.style.removeProperty('transform');
		this.box.setAttribute('aria-colcount', this.columns + 1);
		this.box.style.setProperty('--columns', this.columns);
		await this.load(0);
		this.size();
		this.box.scrollTop = 0;
		this.draw(true);
		if (this.total) this.mark(0, 0);
		else this.detail.replaceChildren(el('p.small', 'There are no such rows.'));
		return this.total;
	}

	size() {
		this.box.setAttribute('aria-rowcount', this.total + 1);
		this.scale = Math.max(1, this.total / most);
		this.space.style.setProperty('height', Math.max(1, this.total / this.scale * height) + 'px');
		this.box.style.setProperty('--rows', Math.min(this.total, 100));
	}

	async grow() {
		this.held = new Map();
		await this.load(Math.floor(this.from / page));
		this.size();
		this.draw(true);
	}

	async load(n) {
		if (this.held.has(n)) return;
		this.held.set(n, null);
		const view = this.view;
		try {
			const w = await rows(view, n * page, page, this.asked.signal);
			if (view !== this.view) return;
			this.held.set(n, w.rows);
			this.total = w.total;
			if (this.held.size > 12) this.held.delete([...this.held.keys()].find(k => Math.abs(k - n) > 3));
		} catch (e) {
			this.held.delete(n);
			if (e.name !== 'AbortError') throw e;
		}
	}

	row(i) {
		const p = this.held.get(Math.floor(i / page));
		return p ? p[i % page] : undefined;
	}

	draw(again) {
		if (!this.view) return;
		const first = Math.floor(this.box.scrollTop * this.scale / height), n = Math.ceil(this.box.clientHeight / height);
		const from = Math.max(0, Math.min(first, this.total - n) - around), to = Math.min(this.total, from + n + 2 * around), down = from >= this.from;
		if (!again && from === this.from && to === this.to) return;
		this.from = from;
		this.to = to;
		for (const i of [from, to - 1, down ? to + page : from - page]) {
			const p = Math.floor(i / page);
			if (i >= 0 && i < this.total && !this.held.has(p)) this.load(p).then(() => this.paint(p * page, (p + 1) * page));
		}
		if (this.scale > 1) this.body.style.setProperty('transform', `translateY(${this.box.scrollTop - (Math.min(around, from) + from) * height}px)`);
		const lines = this.lines, within = this.box.contains(document.activeElement);
		while (lines.length > to - from) lines.pop().remove();
		while (lines.length < to - from) this.body.append(lines[lines.length] = this.line());
		for (let i = from; i < to; i++) {
			const e = lines[i % lines.length];
			if (e.dataset.i === String(i)) continue;
			if (e === document.activeElement.parentNode) this.box.focus({preventScroll: true});
			e.dataset.i = i;
			e.style.setProperty('top', i * height + 'px');
			e.filled = false;
		}
		clearTimeout(this.idle);
		this.idle = setTimeout(() => this.body.contains(document.activeElement) || this.body.append(...lines.toSorted((x, y) => x.dataset.i - y.dataset.i)), 200);
		this.paint(from, to, again);
		const cell = this.cell(this.at.row, this.at.column), old = this.body.querySelector('[tabindex="0"]');
		if (old && old !== cell) old.tabIndex = -1;
		if (cell) cell.tabIndex = 0;
		else if (this.body.firstChild) this.body.firstChild.children[0].tabIndex = 0;
		if (within && cell && document.activeElement === this.box) cell.focus({preventScroll: true});
	}

	line() {
		return el('div.gr', {role: 'row'}, ...Array.from({length: this.columns + 1}, (_, c) => el('div', {
			class: c ? 'gc' : 'gc gn', role: 'gridcell', 'data-c': c, 'aria-colindex': c + 1, tabindex: '-1',
		})));
	}

	paint(from, to, again) {
		for (const e of this.body.children) {
			const i = Number(e.dataset.i), r = this.row(i);
			if (i < from || i >= to || e.filled && !again) continue;
			e.filled = Boolean(r);
			e.setAttribute('aria-rowindex', i + 2);
			e.dataset.state = r ? r.state : 'waits';
			const bad = r ? this.bad(r) : new Map();
			[...e.children].forEach((cell, c) => {
				const how = bad.get(c - 1) || '', sign = c ? how && (how === 'error' ? '✗ ' : '! ') : r && r.state === 'invalid' ? ' ✗' : '';
				const text = !r ? c ? '' : '…' : c ? visible(r.cells[c - 1] ?? '') : String(r.row);
				if (cell.how !== how) {
					cell.className = c ? 'gc ' + how : 'gc gn';
					if (how === 'error') cell.setAttribute('aria-invalid', 'true');
					else cell.removeAttribute('aria-invalid');
					cell.how = how;
				}
				if (!sign) cell.textContent = text;
				else fill(cell, c ? el('span.sign', {'aria-hidden': 'true'}, sign) : text, c ? text : el('span.sign', sign, el('span.sr', ' has mistakes')));
			});
		}
	}

	bad(r) {
		const bad = new Map();
		for (const p of r.problems) {
			if (!p.column) continue;
			const c = nth(p.column) - 1;
			if (bad.get(c) !== 'error') bad.set(c, p.severity);
		}
		return bad;
	}

	cell(i, c) {
		const line = this.body.querySelector(`[data-i="${i}"]`);
		return line && line.children[c];
	}

	// mark makes a cell the one of the Tab key, and says beside the grid what its row is.
	mark(i, c) {
		const old = this.body.querySelector('[tabindex="0"]');
		if (old) old.tabIndex = -1;
		this.at = {row: i, column: c};
		const cell = this.cell(i, c), r = this.row(i);
		if (cell) cell.tabIndex = 0;
		if (!r) return;
		const own = r.problems.filter(p => c > 0 && p.column === letters(c - 1)), rest = r.problems.filter(p => !own.includes(p));
		if (own.length && cell) cell.setAttribute('aria-describedby', 'detail');
		fill(this.detail,
			el('h3', c > 0 ? [el('span.place', (this.sheet === events ? 'Row ' : letters(c - 1)) + r.row), ' ', visible(this.sheet.header[c - 1] ?? '')] : ['Row ' + r.row, ' ', words[r.state]]),
			c > 0 && el('p.value', r.cells[c - 1] || el('i', 'blank')),
			r.reason && el('p.small', capital(r.reason)),
			...[...own, ...rest].map(p => el('div', {class: 'rule said ' + p.severity},
				el('p.message', own.includes(p) || !p.column ? null : el('span.place', p.column + p.row), capital(p.message)),
				p.hint && el('p.hint', p.hint),
				p.proposal && el('p.small', 'Proposed: ', el('b', p.proposal)))),
			...r.events.slice(0, 5).map(e => el('p.read', 'Read as ', el('b', e.name || 'an event without a name'),
				e.day ? `, ${e.day}, ${e.start}${e.end ? '–' + e.end : ''}` : ', without a start')),
			r.events.length > 5 && el('p.small', `and ${r.events.length - 5} more events`),
			this.edits && c > 0 && this.sheet !== events && [this.edits.cell(this.sheet.name, letters(c - 1) + r.row, r.cells[c - 1] ?? '',
				letters(c - 1) + (this.row(i + 1) || r).row, [...new Set(own.map(p => p.proposal).filter(Boolean))]), this.edits.failed]);
	}

	// move goes to a cell, has it seen, and gives it the focus.
	async move(i, c) {
		i = Math.max(0, Math.min(this.total - 1, i));
		c = Math.max(0, Math.min(this.columns, c));
		const top = i * height / this.scale, view = this.box.clientHeight - height * 2;
		if (this.scale === 1 ? top < this.box.scrollTop : i < this.from + 6) this.box.scrollTop = top;
		else if (this.scale === 1 ? top > this.box.scrollTop + view - height : i > this.to - 10) this.box.scrollTop = Math.max(0, top - view + height / this.scale);
		await this.load(Math.floor(i / page));
		this.draw(true);
		const cell = this.cell(i, c);
		if (cell) {
			cell.focus({preventScroll: true});
			cell.scrollIntoView({block: 'nearest', inline: 'nearest'});
		}
	}

	// go finds a place, such as B19.
	async go(place) {
		const [, column, row] = /^([A-Z]*)(\d+)$/.exec(place) || [];
		for (let i = 0; i < this.total; i += page) {
			await this.load(Math.floor(i / page));
			const k = (this.held.get(Math.floor(i / page)) || []).findIndex(r => r.row === Number(row));
			if (k >= 0) return !await this.move(i + k, nth(column));
			if (i > 20 * page) return false;
		}
		return false;
	}

	// mistake goes to the next wrong cell, or the one before.
	async mistake(step) {
		for (let i = this.at.row, n = 0; i >= 0 && i < this.total && n < 20 * page; i += step, n++) {
			await this.load(Math.floor(i / page));
			const r = this.row(i);
			if (!r) return;
			const wrong = [...this.bad(r)].filter(([, s]) => s === 'error').map(([c]) => c + 1).sort((a, b) => step * (a - b));
			if (!wrong.length && r.state === 'invalid') wrong.push(0);
			const c = wrong.find(c => i !== this.at.row || step * (c - this.at.column) > 0);
			if (c !== undefined) return this.move(i, c);
		}
		this.say(step > 0 ? 'No further mistake' : 'No mistake before');
	}

	key(e) {
		const {row, column} = this.at, rowsSeen = Math.max(1, Math.floor(this.box.clientHeight / height) - 2), ctrl = e.ctrlKey || e.metaKey;
		if (e.altKey) return;
		const to = {
			ArrowDown: [row + 1, column], ArrowUp: [row - 1, column], ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
			Home: [ctrl ? 0 : row, 0], End: [ctrl ? this.total - 1 : row, this.columns], PageDown: [row + rowsSeen, column], PageUp: [row - rowsSeen, column],
		}[e.key];
		if (e.key === 'F8') this.mistake(e.shiftKey ? -1 : 1);
		else if (ctrl && e.key.toLowerCase() === 'c') this.copy();
		else if (e.key === 'F2') this.detail.querySelector('input')?.select();
		else if (to) this.move(...to);
		else return;
		e.preventDefault();
	}

	copy() {
		const r = this.row(this.at.row);
		if (r) copy(this.at.column ? r.cells[this.at.column - 1] ?? '' : r.cells.join('\t'), this.say);
	}
}
