// What is open about the file, and what its cells become: questions of map.
import {act, openOf, to} from './main.js';
import {$, about, aboutKey, bar, button, capital, card, change, columns, copied, count, does, el, failure, field, fill, form, friendly, here, learn, link, note, quiet, small, state, takeBack, typed, visible} from './parts.js';

const ours = {'<clear>': 'No value', skip: 'Leave out', read: 'Read', dmy: 'day.month.year', mdy: 'month.day.year'};
const word = value => ours[value] || value;
const pair = (text, value, ...more) => el('li', el('span', capital(text), ' ', el('b', word(value))), ...more);

export async function draw(box) {
	const doc = await columns();
	await learn(); // which answers fit the cells as they are now
	if (!doc.lines) return fill(box, failure(doc.exit));
	const may = !state.by && state.mapping, must = openOf(doc), ready = must.filter(q => q.default), asked = [...must, ...doc.questions.filter(q => q.optional && !q.after)];
	const unsent = doc.columns.filter(c => c.filled && !c.feeds.length), of = Map.groupBy(doc.shapes, s => s.column);
	const home = ({columns: [one, ...more]}) => !more.length && of.has(one) && one, whole = asked.filter(q => home(q) === false);
	const blocks = [...of].map(([column, shapes]) => {
		const own = asked.filter(q => home(q) === column);
		return {own, node: card([column, ' → ', [...new Set(shapes.map(s => friendly(s.field)))].join(', ')],
			cells(shapes, may && doc.settled, state.sheets.find(s => s.header.includes(column))),
			el('ul.asked', own.map(q => question(q, may))),
			own.length && may && note('column'))};
	});
	fill(box, lead(doc, may, must, ready),
		unsent.length && small('Not sent: ', unsent.map(c => c.header || c.letter).join(', '), ' · ', link('See Columns', to('columns', true))), state.kept && el('p.alert.mild', state.kept),
		state.by && state.mapping && el('p.lead.bar', does('Answer all anew', () => give({answers: []}, 'Begun anew'), {id: 'anew'})),
		may && end(),
		whole.length && card('Of the whole file', el('ul.asked', whole.map(q => question(q, may)))),
		blocks.filter(b => b.own.length).map(b => b.node),
		state.answers.length && card(['Answered', el('span.n', state.answers.length)],
			el('ul.answered', state.answers.map(a => pair(a.text, a.said, takeBack(a.text, () => give({back: a.id})))))),
		el('div.blocks', blocks.filter(b => !b.own.length).map(b => b.node)),
		!of.size && !asked.length && note('plain'));
	const told = box.querySelector('#forecast');
	if (may && ready.length) about('/api/forecast').then(f => fill(told, f.words));
}

function lead(doc, may, open, ready) {
	const take = (words, of) => does(words, () => give({answers: of.map(q => ({id: q.id, value: q.default}))}), {id: 'take-all'});
	const refused = open.find(q => !q.free && !q.choices.length);
	return el('div.lead.bar',
		el('p', el('b', refused ? capital(refused.text) : left(open)), '. ', refused || state.by ? '' : !may ? note('only') :
			note(may.reads ? 'by' : open.length ? 'once' : doc.needless ? 'needless' : 'as')),
		may && ready.length && [take(`Take what is proposed: ${ready.length}`, ready), el('details', el('summary', 'What is taken'), el('ul.choices', ready.map(q => pair(q.text, q.default))))],
		el('p.small', {id: 'forecast', role: 'status'}),
		may && !open.length && !may.reads && !doc.needless && take('Read the rows by it', []));
}

async function give(given, words) {
	const said = await change('/api/mapping', given);
	if (!said.lines) throw {...said.exit, status: 200};
	given.answers?.forEach(a => typed.delete(a.id));
	await act(words || left(openOf(said)));
}
export const answer = (id, value) => give({answers: [{id, value}]});
export const left = open => open.length ? `${count(open.length, 'question')} open` : 'Nothing is open';

// cells lists shapes, those first that are asked about.
function cells(shapes, settled, sheet) {
	const most = 8, all = s => [s.example, ...s.also || []];
	const view = s => ({view: s.count > all(s).length ? 'shape' : 'cells', in: s.column, q: all(s).join('\0'), but: shapes.filter(o => o !== s).flatMap(all).join('\0')});
	const line = s => el('li', {class: (s.asked || s.refused) && 'asks'},
		el('q', s.example || 'blank'), ' ',
		el('span', s.refused ? 'cannot be read' : s.asked ? 'is asked about' : s.becomes && s.becomes !== s.example ? ['becomes ', el('b', s.becomes)] : 'as it is'),
		s.also && el('span.small', ' likewise ', s.also.join(', ')), el('span.n', count(s.count, 'cell')), sheet && s.example && link('Show cells', to('rows', true, view(s), sheet.name)),
		settled && s.settled && question(settled.find(q => q.id === s.settled) || {id: s.settled, text: s.example, choices: [{value: 'blank'}], free: `what ${s.example} is`}, true, true));
	const first = s => s.asked || s.refused || s.reading, told = shapes.toSorted((a, b) => !first(a) - !first(b));
	return el('ul.shapes', told.slice(0, most).map(line),
		told.length > most && el('li.small', `and ${told.length - most} more`));
}

// question has what is likeliest, and what has a word of ours; the others are behind a button.
export function question(q, may, settled) {
	const likeliest = q.choices.find(c => c.value === q.default), rest = q.choices.filter(c => c !== likeliest), near = rest.filter(c => likeliest && !settled && ours[c.value]), others = rest.filter(c => !near.includes(c));
	const name = visible(capital(q.text)), takes = value => answer(q.id, value), free = visible(q.free || '');
	const input = field(free, {'aria-label': `${name} ${free}`, name: q.id}), shut = (q.default || settled) && !typed.has(q.id);
	const choice = c => quiet([el('b', word(c.value)), c.text && el('span.small', ' ', c.text)], () => takes(c.value), {'data-value': c.value});
	const more = form({class: 'other', hidden: shut}, () => input.value.trim() && takes(input.value.trim()),
		others.map(choice),
		q.free && [input, el('button.quiet', 'Answer')]);
	const toggle = button({class: settled ? 'link' : 'quiet', 'data-other': q.id, 'aria-label': 'Other: ' + name, 'aria-expanded': String(!shut), click: () => {
		more.hidden = !more.hidden;
		toggle.ariaExpanded = !more.hidden;
		if (more.hidden) return typed.delete(q.id);
		typed.set(q.id, input.value);
		more.querySelector('button, input').focus();
	}}, 'Other…');
	if (settled) return [toggle, more];
	return el('li', {'data-question': q.id, class: !q.optional && 'must'},
		el('p', el('b', name), q.optional && el('span.n', 'may stay open')),
		q.why && small(capital(here(q.why))), aboutKey([q.why, q.default]),
		may ? [bar(q.default && does([ours[q.default] ? '' : 'Take ', el('b', word(q.default))], () => takes(q.default), {class: 'do take', 'data-value': q.default}),
			likeliest?.text && el('span.small', likeliest.text), near.map(choice), q.default && (others.length || q.free) && toggle), more] : null);
}

function end() {
	const m = state.mapping;
	return (m.reads || state.answers.length) && el('section.reading.saves',
		m.saved ? el('p', {id: 'saved'}, 'Saved as ', el('b', m.file)) : does(['Save as ', el('b', m.file)], () => change('/api/mapping/save').then(() => act('Saved')), {id: 'save'}),
		copied(m.command, 'making'));
}
