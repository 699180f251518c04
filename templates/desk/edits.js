// What is changed in the file. After each change its rows are drawn anew.
import {button, count, el, fill} from './dom.js';
import {ask, post} from './net.js';
import {copied, failure} from './words.js';

const quiet = (words, click) => button({class: 'quiet', click}, words);

export class Edits {
	// done is told in words what was changed, and which cell comes next.
	constructor(state, say, done) {
		Object.assign(this, {state, say, done, failed: el('div', {role: 'alert'}), list: el('div')});
		this.box = el('details.rule.history', {toggle: () => this.draw()}, el('summary', `History: ${count(state.edits.cells, 'cell')} changed`), this.list);
	}

	// put changes something. What has to be asked first comes back.
	async put(what, at = '', path = 'edits') {
		fill(this.failed);
		try {
			const a = await post('/api/' + path, {...what, generation: this.state.generation});
			return a.with?.length ? a : this.done(path === 'mended' ? 'Written' : a.words, at);
		} catch (e) {
			if (!e.status || e.status === 401) throw e;
			fill(this.failed, failure({error: e.message}));
		}
	}

	async draw() {
		const e = this.state.edits, doc = await ask('/api/edits?g=' + this.state.generation);
		fill(this.list, doc.misfits.length && el('p', 'No longer fit: ', doc.misfits.map(m => `${m.cell}: ${m.reason}`).join('; ')),
			e.cells && !e.written && button({class: 'do', id: 'mended', click: () => this.put({}, '', 'mended')}, 'Write ', e.copy),
			e.cells && copied(e.command, this.say), el('ol', ...doc.steps.map(s => this.step(s))));
	}

	// step is taken back by itself. Later ones that go with it are named first.
	step(s) {
		const line = el('li', {'data-step': s.step}, s.text, el('span.n', `${s.rule} · ${s.time}`)), back = also => async () => {
			const a = await this.put({step: s.step, with: also}, '', 'edits/undo');
			if (a) line.append(el('p', {role: 'alert'}, a.words), quiet('Take all back', back(a.with)));
		};
		if (s.good) line.append(quiet('Take back', back([])));
		return line;
	}

	// kind mends the cells of a kind of mistakes, and cell one of them.
	kind(g, proposed) {
		const by = (rule, value = '') => this.put({rule, group: g.index, value});
		return this.form(g.column && '', 'One value for all', value => by('value', value), proposed && quiet('Take what is proposed', () => by('proposals')),
			quiet('Leave the rows out', () => by('skip')));
	}

	cell(sheet, cell, before, next, proposals) {
		const give = after => this.put({cells: [{sheet, cell, before, after}]}, next);
		return this.form(before, cell, give, ...proposals.map(p => quiet(p, () => give(p))));
	}

	form(value, label, give, ...more) {
		const input = el('input', {value, 'aria-label': label, placeholder: label});
		return el('form.bar', {submit: e => { e.preventDefault(); give(input.value); }}, typeof value === 'string' && [input, el('button.quiet', 'Change')], ...more);
	}
}
