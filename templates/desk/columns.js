// Which column feeds which field: the document of map.
import {openOf} from './main.js';
import {aboutKey, bar, columns, count, el, failure, fill, friendly, keep, learn, note, pick, quiet, section, state, table, visible} from './parts.js';
import {answer, left, question} from './readings.js';

export async function draw(box) {
	await learn();
	const doc = await columns(), open = openOf(doc), zone = open.find(q => q.id === 'timezone');
	await learn(); // of sheets
	if (!doc.lines) return fill(box, failure(doc.exit));
	const settled = doc.lines.filter(l => !l.columns.length);
	const choose = !state.by && state.mapping && answer;
	fill(box, state.kept && el('p.alert.mild', state.kept),
		el('div.lead.bar', el('p', el('b', count(doc.rows, 'row'))),
			doc.sheet && sheets(doc, choose), !choose && `header in row ${doc.header_row}`,
			doc.source && el('p', 'As ', doc.source, note('source'))),
		open.length && el('p.alert.mild', left(open) + ': see Questions.'),
		zone && el('ul.asked.reading', question(zone, choose)),
		choose && heads(doc, choose),
		section('h-columns', 'Columns', table('h-columns', ['Column', 'Filled', 'Examples', 'Becomes', 'Why'], doc.columns.map(c => row(c, doc, choose)))),
		settled.length && el('section', el('h2', 'Of the whole file'), el('dl.facts', settled.map(l => el('div', el('dt', friendly(l.at)), el('dd', l.reason))))),
		bar(keep('Keep the marked copy', 'marked', state.marked), state.mapping && keep('Keep the answers', 'mapping', state.mapping.file)));
}

function sheets(doc, choose) {
	const more = doc.sheets.filter(s => s.joined || s.read && s.name !== doc.sheet).map(s => s.name).join(', ');
	return el('p', ' of the sheet ', choose && doc.sheets.length > 1 ? pick({id: 'sheet', 'aria-label': 'Sheet'}, doc.sheet, doc.sheets.map(s => [s.name, s.name]), v => choose('sheet', v)) : el('b', doc.sheet), more && ' with ' + more);
}

const heads = (doc, choose) => el('details.heads', el('summary', 'Header in row ', doc.header_row), doc.top.map(t => el('p',
	quiet(`Row ${t.row}`, () => choose('header_row', String(t.row)), {'aria-pressed': String(t.row === doc.header_row)}), t.cells.filter(c => c).join(' · '))));

function row(c, doc, choose) {
	const name = c.header || el('i', 'no header'), fields = c.feeds.map(at => el('span.field', {title: at}, friendly(at)));
	const at = doc.fields.find(f => c.feeds.includes(f.value)), now = at ? at.value : c.feeds.length ? '' : 'none';
	const options = [...now ? [] : [['', friendly(c.feeds[0])]], ...doc.fields.map(f => [f.value, f.value === 'none' ? 'left behind' : f.text])];
	return [[el('span.letter', c.letter), name], doc.rows ? `${Math.round(100 * c.filled / doc.rows)} %` : '',
		c.examples.length ? el('ul.shapes', c.examples.map(e => el('li', el('q', e)))) : null,
		choose && c.question ? [pick({'aria-label': `What ${visible(c.header)} becomes`, name: c.header}, now, options, v => choose(c.question, v)), ...fields.slice(1)] : fields.length ? fields : 'left behind',
		el('div.why', c.why, c.doubt && el('div.doubt', c.doubt), aboutKey([c.feeds, c.why]))];
}
