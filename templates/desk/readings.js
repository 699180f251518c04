// What is open about the file, and what its cells become: questions of map, answered by the shape of cells.
import {$, button, count, el, fill, number, visible} from './dom.js';
import {answer, columns, forecast, save} from './net.js';
import {capital, copied, failure, friendly, readBy} from './words.js';

const texts = new Map(); // of the questions that were asked, by their ids

export const openOf = doc => (doc.questions || []).filter(q => !q.optional && !q.after);

// draw shows the questions, each beside the cells that it is about. act does something, and draws anew.
export async function draw(box, state, say, act, show) {
	const doc = await columns(state.generation);
	if (!doc.lines) return fill(box, failure(doc.exit));
	const may = state.by ? null : state.mapping, open = openOf(doc), ready = open.filter(q => q.default), asked = [...open, ...doc.questions.filter(q => q.optional && !q.after)];
	for (const q of [...doc.questions, ...doc.settled]) texts.set(q.id, q.text);
	const failed = el('div', {role: 'alert'}), give = giver(state, act, failed);
	const card = (q, settled) => question(q, may && (value => give({answers: [{id: q.id, value}]})), settled);
	const of = new Map(); // shapes, by their columns
	for (const s of doc.shapes) of.set(s.column, [...of.get(s.column) || [], s]);
	const about = (q, column) => q.columns.length === 1 && q.columns[0] === column && of.has(column);
	const whole = asked.filter(q => !q.columns.some(c => about(q, c)));
	const block = ([column, shapes]) => {
		const own = asked.filter(q => about(q, column));
		return {own, node: el('section.reading',
			el('h2', column, ' → ', [...new Set(shapes.map(s => friendly(s.field)))].join(', ')),
			cells(shapes, s => may && s.settled ? card(doc.settled.find(q => q.id === s.settled) || {id: s.settled, text: s.example, choices: [{value: 'blank'}], free: 'what it is'}, true) : [], show, state.sheets.find(s => s.header.includes(column))),
			own.length && el('ul.asked', ...own.map(q => card(q))),
			own.length && may && el('p.small', 'For this column, also next time. Only these cells? Show them.'))};
	};
	const blocks = [...of].map(block), named = asked.length - open.length;
	fill(box,
		el('div.lead.bar',
			el('p', el('b', open.length ? `${count(open.length, 'question')} open` : 'Nothing is open'), '. ', state.by ? '' : !may ? 'Here it is only shown: eventbatch map takes answers.' :
				open.length ? 'Nothing is guessed: the rows are read by the answers once all are given.' :
				may.reads ? 'The rows are read by this mapping.' : doc.needless ? 'The headers say it all by themselves: no mapping is needed.' :
				'The rows are read as they are, until you say so.'),
			may && ready.length && button({class: 'do', id: 'take-all', click: () => give({answers: ready.map(q => ({id: q.id, value: q.default}))})},
				ready.length < open.length ? `Take the ${number(ready.length)} that ${ready.length > 1 ? 'are' : 'is'} proposed` : open.length > 1 ? `Take all ${number(open.length)}` : 'Take it'),
			el('p', {id: 'forecast', class: 'small', role: 'status'}),
			may && !open.length && !may.reads && !doc.needless && button({class: 'do', id: 'take-all', click: () => give({answers: []})}, 'Read the rows by it')),
		failed, readBy(state), state.by && state.mapping && el('p.lead.bar', button({class: 'do', id: 'anew', click: async () => { await answer(state.generation, {answers: []}); await act('Begun anew'); }}, 'Answer anew'), 'The mapping stays as it is until you save another.'),
		may && end(state, open.length, act, failed, say),
		whole.length && el('section.reading', el('h2', 'Of the whole file'), el('ul.asked', ...whole.map(q => card(q)))),
		...blocks.filter(b => b.own.length).map(b => b.node),
		state.answers.length && el('section.reading', el('h2', 'Answered', el('span.n', number(state.answers.length))),
			el('ul.answered', ...state.answers.map(a => el('li',
				el('span', capital(texts.get(a.id) || friendly(a.id)), ' ', el('b', a.value)),
				button({class: 'quiet', 'aria-label': 'Take back: ' + visible(a.id), click: () => give({back: a.id})}, 'Take back'))))),
		el('div.blocks', ...blocks.filter(b => !b.own.length).map(b => b.node)),
		!of.size && !named && !open.length && el('p.empty', 'No cell has more than one reading.'));
	if (may && open.length && ready.length) foresee($('forecast'), state);
}

let foreseeing = new AbortController();
async function foresee(box, state) {
	foreseeing.abort();
	foreseeing = new AbortController();
	const f = await forecast(state.generation, foreseeing.signal);
	if (f.open || !box.isConnected) return;
	box.textContent = `With all taken: ${number(state.rows.invalid || 0)} → ${count(f.invalid, 'row')} with mistakes`;
}

// giver gives answers, and shows why one is refused.
export function giver(state, act, failed) {
	let busy = false; // a second click is no second answer
	return async given => {
		if (busy) return;
		busy = true;
		const said = await answer(state.generation, given);
		busy = Boolean(said.lines);
		if (!said.lines) return fill(failed, failure(said.exit)), failed.scrollIntoView({block: 'nearest'});
		const left = openOf(said).length;
		await act(left ? `${count(left, 'question')} open` : 'Nothing is open');
	};
}

function cells(shapes, other, show, sheet) {
	const most = 8, line = s => el('li', {class: s.asked || s.refused ? 'asks' : null},
		el('q', [s.example, ...s.also || []].join(', ') || 'blank'), ' ',
		el('span', s.refused ? 'cannot be read' : s.asked ? 'has more than one reading' : s.becomes && s.becomes !== s.example ? ['becomes ', el('b', s.becomes)] : 'as it is'),
		el('span.n', count(s.count, 'cell')), ...other(s),
		sheet && s.example && button({class: 'link', 'data-show': s.example, click: () => show('rows', true, {view: 'shape', in: s.column, q: s.example}, sheet.name)}, 'Show cells'));
	const told = [...shapes.filter(s => s.asked || s.refused || s.reading), ...shapes.filter(s => !s.asked && !s.refused && !s.reading)];
	return el('ul.shapes', ...told.slice(0, most).map(line),
		told.length > most && el('li.small', `and ${count(told.slice(most).reduce((n, s) => n + s.count, 0), 'cell')} more`));
}

// question is a card with what is likeliest, and the others behind a button; of what is settled, that alone. Without give it
// says what to write.
export function question(q, give, settled) {
	const others = q.choices.filter(c => c.value !== q.default), words = c => c.text ? visible(c.text) : null;
	const name = visible(capital(q.text)), likeliest = q.choices.find(c => c.value === q.default);
	const card = el('li', {'data-question': q.id},
		el('p', el('b', name), q.optional && el('span.n', 'may stay open')),
		q.why && el('p.small', q.why));
	if (!give) {
		card.append(el('p.small', 'Answer it by ', el('code', `--answer '${visible(q.id)}=${q.default ? visible(q.default) : '…'}'`), ' of eventbatch map'));
		return card;
	}
	const input = el('input', {'aria-label': `${name} ${visible(q.free || '')}`, placeholder: visible(q.free || ''), autocomplete: 'off', spellcheck: 'false'});
	const more = el('form.other', {hidden: Boolean(q.default || settled), submit: e => { e.preventDefault(); if (input.value.trim()) give(input.value.trim()); }},
		...others.map(c => button({class: 'quiet', 'data-value': c.value, click: () => give(c.value)}, el('b', c.value), c.text && [' ', el('span.small', words(c))])),
		q.free && [input, el('button.quiet', 'Answer')]);
	const toggle = button({class: settled ? 'link' : 'quiet', 'data-other': q.id, 'aria-expanded': 'false', click: () => {
		more.hidden = !more.hidden;
		toggle.setAttribute('aria-expanded', String(!more.hidden));
		if (!more.hidden) more.querySelector('button, input').focus();
	}}, 'Other…');
	if (settled) return [toggle, more];
	card.append(el('p.bar',
		q.default && button({class: 'do take', click: () => give(q.default)}, 'Take ', el('b', q.default)),
		q.default && (others.length || q.free) && toggle,
		likeliest && likeliest.text && el('span.small', words(likeliest))), more);
	return card;
}

// end is where the mapping is saved, with the command that makes it.
function end(state, open, act, failed, say) {
	const m = state.mapping;
	if (!m.reads && !state.answers.length) return null;
	return el('section.reading.saves',
		el('div.bar',
			m.saved ? el('p', {id: 'saved'}, 'Saved as ', el('b', m.file)) : button({class: 'do', id: 'save', click: async () => {
				try {
					await save(state.generation);
					await act('Saved');
				} catch (e) {
					if (e.status !== 409 && e.status !== 507) throw e;
					fill(failed, failure({error: e.message}));
				}
			}}, 'Save as ', el('b', m.file)),
			el('span.small', open ? 'Other commands take it once nothing is open.' : m.saved ? 'Every command takes it by --mapping.' : 'So that the next file is read in the same way.')),
		copied(m.command, say, 'making'));
}
