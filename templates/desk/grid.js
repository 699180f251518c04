// The rows, a window at a time: what is seen is in the document, with some rows around it, and nothing else.
import {el, letters} from './dom.js';
import {rows} from './net.js';
import {capital, copy, fill, visible} from './words.js';

const height = 30, page = 200, most = 600000; // px a row; rows asked for at once; rows that a browser can scroll as they are

const words = {'left-out': 'left out', skipped: 'left out', invalid: 'has mistakes', valid: 'is right'};

export class Grid {
  constructor(state, say) {
    this.state = state;
    this.say = say;
    this.total = 0;
    this.held = new Map(); // pages, by their number
    this.at = {row: 0, column: 0};
    this.header = el('div', {class: 'gr gh', role: 'row', 'aria-rowindex': '1'});
    this.body = el('div', {class: 'gb', role: 'rowgroup'});
    this.space = el('div', {class: 'gs', role: 'rowgroup'}, this.body);
    this.box = el('div', {class: 'grid', role: 'grid', 'aria-label': 'Rows of the file', 'aria-readonly': 'true'},
      el('div', {role: 'rowgroup', class: 'gt'}, this.header), this.space);
    this.detail = el('div', {class: 'detail', id: 'detail'});
    this.box.addEventListener('scroll', () => this.draw(), {passive: true});
    this.box.addEventListener('keydown', e => this.key(e));
    this.box.addEventListener('focusin', e => {
      const cell = e.target.closest('[role=gridcell]');
      if (cell) this.mark(Number(cell.parentNode.dataset.i), Number(cell.dataset.c));
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  // show turns to other rows, and returns how many they are.
  async show(sheet, view, first) {
    if (this.asked) this.asked.abort();
    this.asked = new AbortController();
    this.sheet = this.state.sheets[sheet];
    this.view = {...view, sheet, g: this.state.generation};
    this.held = new Map();
    this.at = {row: 0, column: 0};
    this.columns = this.sheet.header.length;
    this.header.replaceChildren(
      el('div', {class: 'gc gn', role: 'columnheader', 'aria-colindex': '1'}, '#'),
      ...this.sheet.header.map((name, i) => el('div', {class: 'gc', role: 'columnheader', 'aria-colindex': i + 2, title: visible(name)},
        el('span', {class: 'letter'}, letters(i)), visible(name))));
    this.box.setAttribute('aria-colcount', this.columns + 1);
    this.box.style.setProperty('--columns', this.columns);
    await this.load(0);
    this.box.setAttribute('aria-rowcount', this.total + 1);
    this.scale = Math.max(1, this.total / most);
    this.space.style.setProperty('height', Math.max(1, this.total / this.scale * height) + 'px');
    this.box.style.setProperty('--rows', Math.min(this.total, 100));
    this.box.scrollTop = 0;
    this.draw(true);
    if (this.total) this.mark(0, 0);
    else this.detail.replaceChildren(el('p', {class: 'small'}, 'There are no such rows.'));
    return this.total;
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
      if (this.held.size > 8) this.held.delete([...this.held.keys()].find(k => Math.abs(k - n) > 2));
    } catch (e) {
      this.held.delete(n);
      if (e.name !== 'AbortError') throw e;
    }
  }

  row(i) {
    const p = this.held.get(Math.floor(i / page));
    return p ? p[i % page] : undefined;
  }

  // draw puts the rows that are seen into the document, with some above and below. The row of the focus stays.
  draw(again) {
    if (!this.view) return;
    const first = Math.floor(this.box.scrollTop * this.scale / height), n = Math.ceil(this.box.clientHeight / height);
    const from = Math.max(0, Math.min(first, this.total - n) - 6), to = Math.min(this.total, from + n + 12);
    if (!again && from === this.from && to === this.to) return;
    this.from = from;
    this.to = to;
    const missing = new Set();
    for (const i of [from, to - 1]) if (i >= 0 && !this.held.get(Math.floor(i / page))) missing.add(Math.floor(i / page));
    for (const p of missing) if (!this.held.has(p)) this.load(p).then(() => { if (this.from < (p + 1) * page && this.to > p * page) this.draw(true); });
    const focused = this.body.contains(document.activeElement);
    this.body.style.setProperty('transform', `translateY(${this.scale === 1 ? from * height : this.box.scrollTop - Math.min(6, from) * height}px)`);
    this.body.replaceChildren(...Array.from({length: Math.max(0, to - from)}, (_, k) => this.line(from + k)));
    const cell = this.cell(this.at.row, this.at.column);
    if (cell) cell.tabIndex = 0;
    else if (this.body.firstChild) this.body.firstChild.children[0].tabIndex = 0;
    if (focused) (cell || this.box).focus({preventScroll: true});
  }

  line(i) {
    const r = this.row(i), odd = {class: 'gr', role: 'row', 'aria-rowindex': i + 2, 'data-i': i};
    if (!r) return el('div', odd, ...Array.from({length: this.columns + 1}, (_, c) => el('div', {class: 'gc', role: 'gridcell', 'data-c': c, 'aria-colindex': c + 1, tabindex: '-1'}, c ? '' : '…')));
    const bad = this.bad(r);
    return el('div', {...odd, 'data-state': r.state},
      el('div', {class: 'gc gn', role: 'gridcell', 'data-c': 0, 'aria-colindex': '1', tabindex: '-1'},
        r.row, r.state === 'invalid' ? el('span', {class: 'sign'}, ' ✗', el('span', {class: 'sr'}, ' has mistakes')) : null),
      ...Array.from({length: this.columns}, (_, c) => el('div', {
        class: 'gc' + (bad.has(c) ? ' ' + bad.get(c) : ''), role: 'gridcell', 'data-c': c + 1, 'aria-colindex': c + 2, tabindex: '-1',
        'aria-invalid': bad.get(c) === 'error' ? 'true' : null,
      }, bad.has(c) ? el('span', {class: 'sign', 'aria-hidden': 'true'}, bad.get(c) === 'error' ? '✗ ' : '! ') : null, visible(r.cells[c] ?? ''))));
  }

  bad(r) {
    const bad = new Map();
    for (const p of r.problems) {
      if (!p.column) continue;
      const c = [...p.column].reduce((n, l) => n * 26 + l.charCodeAt(0) - 64, 0) - 1;
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
      el('h3', {}, c > 0 ? [el('span', {class: 'place'}, letters(c - 1) + r.row), ' ', visible(this.sheet.header[c - 1] ?? '')] : ['Row ' + r.row, ' ', words[r.state]]),
      c > 0 ? el('p', {class: 'value'}, visible(r.cells[c - 1] ?? '') || el('i', {}, 'blank')) : null,
      r.reason ? el('p', {class: 'small'}, visible(capital(r.reason))) : null,
      ...[...own, ...rest].map(p => el('div', {class: 'rule said ' + p.severity},
        el('p', {class: 'message'}, own.includes(p) || !p.column ? null : el('span', {class: 'place'}, p.column + p.row), visible(capital(p.message))),
        p.hint ? el('p', {class: 'hint'}, visible(p.hint)) : null,
        p.proposal ? el('p', {class: 'small'}, 'Proposed: ', el('b', {}, visible(p.proposal))) : null)),
      ...r.events.slice(0, 5).map(e => el('p', {class: 'read'}, 'Read as ', el('b', {}, visible(e.name) || 'an event without a name'),
        e.day ? `, ${e.day}, ${e.start}${e.end ? '–' + e.end : ''}` : ', without a start')),
      r.events.length > 5 ? el('p', {class: 'small'}, `and ${r.events.length - 5} more events`) : null);
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

  // go finds a place, such as B19, among the rows of the view.
  async go(place) {
    const [, column, row] = /^([A-Z]*)(\d+)$/.exec(place) || [];
    for (let i = 0; i < this.total; i += page) {
      await this.load(Math.floor(i / page));
      const k = (this.held.get(Math.floor(i / page)) || []).findIndex(r => r.row === Number(row));
      if (k >= 0) return this.move(i + k, column ? [...column].reduce((n, l) => n * 26 + l.charCodeAt(0) - 64, 0) : 0);
      if (i > 20 * page) return null;
    }
    return null;
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
    else if (to) this.move(...to);
    else return;
    e.preventDefault();
  }

  copy() {
    const r = this.row(this.at.row);
    if (r) copy(this.at.column ? r.cells[this.at.column - 1] ?? '' : r.cells.join('\t'), this.say);
  }
}
