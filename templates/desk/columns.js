// Which column feeds which field: the document of map. Each choice is one of its answers.
import {count, el, fill, visible} from './dom.js';
import {columns} from './net.js';
import {giver, openOf} from './readings.js';
import {failure, friendly, readBy, table} from './words.js';

export async function draw(box, state, say, act) {
	const doc = await columns(state.generation);
	if (!doc.lines) return fill(box, failure(doc.exit));
	const failed = el('div', {role: 'alert'}), open = openOf(doc).length, give = giver(state, act, failed);
	const choose = !state.by && state.mapping && ((id, value) => give({answers: [{id, value}]}));
	fill(box, readBy(state),
		el('div.lead.bar', el('p', el('b', count(doc.rows, 'row'))),
			doc.sheet && sheets(doc, choose), heads(doc, choose),
			doc.source && el('p', `The columns are those that the preset ${doc.source} reads.`)),
		failed,
		open && el('p.alert.mild', `${count(open, 'question')} open: see Readings.`),
		el('section', {'aria-labelledby': 'h-columns'},
			el('h2', {id: 'h-columns'}, 'Columns'),
			table('h-columns', ['Column', 'Filled', 'Examples', 'Feeds', 'Why'], doc.columns.map(c => row(c, doc, choose)))),
		settings(doc));
}

// pick has one of some values chosen.
const pick = (props, value, options, choose) => el('select', {...props, change: e => choose(e.target.value)},
	...options.map(([v, words]) => el('option', {value: v, selected: v === value}, words)));

// sheets names what is read, or has another sheet chosen; heads does so with the row of the headers.
function sheets(doc, choose) {
	const more = doc.sheets.filter(s => s.joined || s.read && s.name !== doc.sheet).map(s => visible(s.name)).join(', ');
	return el('p', ' of the sheet ', choose && doc.sheets.length > 1 ? pick({id: 'sheet', 'aria-label': 'Sheet'}, doc.sheet, doc.sheets.map(s => [s.name, s.name]), v => choose('sheet', v)) : el('b', doc.sheet), more && ' with ' + more);
}

const heads = (doc, choose) => el('label', 'header in row ', choose ? pick({id: 'header-row'}, String(doc.header_row),
	doc.top.map(t => [String(t.row), `${t.row}: ${t.cells.filter(c => c).slice(0, 5).join(' · ')}`]), v => choose('header_row', v)) : doc.header_row);

function row(c, doc, choose) {
	const name = c.header ? visible(c.header) : el('i', 'no header'), fields = c.feeds.map(at => el('span.field', {title: at}, friendly(at)));
	const at = doc.fields.find(f => c.feeds.includes(f.value)), now = at ? at.value : c.feeds.length ? '' : 'none';
	const options = [...now ? [] : [['', friendly(c.feeds[0])]], ...doc.fields.map(f => [f.value, f.value === 'none' ? 'left behind' : f.text])];
	return [[el('span.letter', c.letter), name], doc.rows ? `${Math.round(100 * c.filled / doc.rows)} %` : '',
		c.examples.length ? el('ul.shapes', ...c.examples.map(e => el('li', el('q', e)))) : null,
		choose && c.question ? [pick({'aria-label': `What ${visible(c.header)} feeds`, 'data-column': c.header}, now, options, v => choose(c.question, v)), ...fields.slice(1)] : fields.length ? fields : 'left behind',
		el('div.why', c.why, c.doubt && el('div.doubt', c.doubt))];
}

function settings(doc) {
	const lines = doc.lines.filter(l => !l.columns.length);
	return lines.length ? el('section', el('h2', 'Of the whole file'),
		el('dl.facts', ...lines.map(l => el('div', el('dt', friendly(l.at)), el('dd', l.reason))))) : null;
}
