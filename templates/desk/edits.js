// What is changed in the file, each step to be taken back by itself.
import {counted} from './main.js';
import {$, about, asks, change, copied, does, el, field, fill, form, learn, quiet, refused, say, state, takeBack, typed} from './parts.js';

const own = ['key', 'event_id', 'slug']; // fields of which each row has a value of its own

export class Edits {
	constructor(grid, refresh) {
		Object.assign(this, {grid, refresh, last: Promise.resolve(), summary: el('summary'), list: el('div')});
		this.box = el('details.rule.history', {toggle: () => this.draw()}, this.summary, this.list);
		grid.edits = this;
		this.draw();
	}

	// put changes something, once what is under way is done. What goes with it is asked about first.
	put(what, path = '/api/edits') {
		const done = this.last.then(async () => {
			const a = await change(path, what).catch(async e => {
				if (e.status || !what.cells) throw e;
				await learn(); // another tab has answered
				return change(path, what);
			});
			if (a.with.length) return asks(a.words, 'Take all back', () => this.put({...what, with: a.with}, path).then(() => this.summary.focus()));
			state.generation = a.generation;
			fill($('failed'));
			this.grid.take(a);
			this.settle(a.words);
		});
		this.last = done.catch(() => {});
		return done;
	}

	// settle has all counts be right again, once for the changes that come meanwhile.
	async settle(words) {
		this.words = words;
		say(words);
		if (this.settling) return;
		this.settling = true;
		await counted();
		this.settling = false;
		say(`${this.words}. ${$('sum').textContent}`);
		if (this.box.isConnected) await this.refresh();
		await this.draw();
	}

	// give has the marked cell hold a text, and goes on. What is refused stays to be mended.
	async give(after, ...to) {
		const {grid, place, before} = this, {view, at: {row, column}} = grid, {row: n} = grid.row(row);
		grid.typed(); // it holds this instead
		if (to.length) await grid.move(...to);
		if ((after ?? before) === before) return;
		try {
			await this.put({cells: [{sheet: grid.sheet.name, cell: place, before, after}]});
		} catch (e) {
			this.settle(e.message);
			if (view !== grid.view || !grid.box.isConnected) return refused(e);
			grid.changed.add(n); // which stays, wherever it is
			grid.at.row = row;
			await grid.grow();
			await grid.move(grid.at.row, column);
			grid.edit(after);
			refused(e, grid.detail.lastChild);
		}
	}

	rows(rule, rows, more) {
		return this.put({rule, sheet: this.grid.sheet.name, rows, ...more});
	}

	async draw() {
		const e = state.edits;
		fill(this.summary, e.history);
		if (!this.box.open) return;
		const doc = await about('/api/edits');
		fill(this.list, doc.unfit && el('p', doc.unfit),
			e.cells && !e.written && does(['Write ', e.copy], async () => {
				await change('/api/mended');
				await counted();
				await this.draw();
				this.summary.focus();
				say('Written');
			}, {id: 'mended'}),
			e.cells && copied(e.command), el('ol', doc.steps.map(s => el('li', {'data-step': s.step}, s.text, el('span.n', s.rule, ' · ', s.time),
				s.good && takeBack(s.text, () => this.put({step: s.step}, '/api/edits/undo'))))));
	}

	// kind mends all cells of one kind, rarely by one value.
	kind(g, proposed) {
		if (g.code === 'no-key') return null; // said once
		const one = g.count === 1, input = field(one ? 'Another value' : 'One value for all', {name: g.kind}), by = rule => this.put({rule, group: g.index, kind: g.kind, value: input.value});
		return form({class: 'bar'}, () => by('value').then(() => typed.delete(g.kind)), proposed && quiet('Take what is proposed', () => by('proposals')),
			quiet(`Leave the row${one ? '' : 's'} out`, () => by('skip')),
			g.column && !own.includes(g.field) && el('details', {open: typed.has(g.kind)}, el('summary', input.placeholder), input, taken()));
	}

	cell({row, may}, place, before, own) {
		const proposed = new Set(own.map(p => p.proposal).filter(Boolean)), input = field(place, {value: before});
		Object.assign(this, {place, before});
		const give = text => void this.give(text, ...this.grid.below());
		return form({class: 'bar'}, () => give(this.grid.typed()), place && [input, taken()], [...proposed].map(p => quiet(p, () => give(p))),
			may && quiet(may === 'in' ? `Take row ${row} in again` : `Leave row ${row} out`, () => this.rows(may, [row]).then(() => this.grid.move())));
	}
}

const taken = () => el('button.quiet', 'Change');
