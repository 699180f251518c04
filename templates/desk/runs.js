// The runs, each as it ended, and the nights of a month.
import {open} from './main.js';
import {$, ask, bar, capital, copied, count, does, el, empty, failure, field, fill, here, keep, link, number, post, quiet, same, section, small, state, table} from './parts.js';
import {fields} from './plan.js';

const base = path => path.split(/[\\/]/).pop();
const word = w => (state.words[w] || w).replaceAll('_', ' ');
const when = at => new Date(at).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'short'});
const planned = ['create', 'update', 'cancel', 'skip'];

const sum = (rows, of) => Object.entries(rows || {}).filter(([w, n]) => n && of(w)).map(([w, n]) => `${number(n)} ${word(w)}`);
const source = r => r.files.map(base).join(', ') || r.command;
const done = w => !['read', 'missing', ...planned].includes(w);

// draw lists the runs, or shows how one has ended.
export async function draw(box, focus, ended) {
	same('eventbatch runs');
	const doc = await ask('/api/runs');
	if (!doc.runs) return fill(box, failure(doc.exit || {}));
	const at = new Map(doc.runs.map(r => [r.run, when(r.created)])), names = ids => ids.map(id => at.get(id) || id).join(', ');
	if (ended) return show(box, doc.runs.find(r => r.run === focus), ended.refusal, 'sent');
	const row = r => [
		link(at.get(r.run), () => show(box, r), {'data-run': r.run}),
		[source(r), r.reverts && el('div.small', `takes back ${names([r.parent])}`)],
		sum(r.rows, w => planned.includes(w) && w !== 'skip').join(' · ') || 'nothing',
		r.failed ? el('b.doubt', number(r.failed)) : '0',
		r.host || '',
		[capital(r.state), r.undone_by && el('div.small', `undone by ${names(r.undone_by)}`)]];
	fill(box, section('h-runs', ['Runs', el('span.n', number(doc.runs.length))], doc.runs.length ?
		table('h-runs', ['When', 'Source', 'Made and changed', 'Failed', 'Machine', 'How it stands'], doc.runs.map(row)) :
		empty('Nothing was sent from this folder yet.')));
	if (focus) box.querySelector(`[data-run="${focus}"]`).focus();
	const month = await ask('/api/nights'), slept = (month.sources || []).filter(s => s.totals.nights);
	if (slept.length) box.append(section('h-nights', ['Nights', el('span.n', 'of 30 days')],
		table('h-nights', ['Source', 'Nights', 'How they ended', 'Rows', 'Last good one'], slept.map(s => [
			base(s.source), number(s.totals.nights), sum(s.totals.outcomes, w => w).join(' · '), sum(s.totals.rows, done).join(' · '),
			s.last_success ? when(s.last_success) : 'none'])),
		copied('eventbatch report --since 30d')));
}

// show tells of a run what needs attention, with rows also what was sent of it, or all.
async function show(box, of, refusal, rows = '') {
	const {run} = of, {document: doc, told, more, mend, again} = await ask(`/api/run?id=${run}&rows=${rows}`), mine = [state.file, state.edits?.copy].filter(Boolean).map(base);
	const ours = of.files.some(f => mine.includes(base(f)));
	same(`eventbatch show ${run}${rows && ' --all'}`);
	const plan = (path, words, more) => quiet(words, async () => {
		await post('/api/' + path, {run, ...more?.()});
		open('plan', true);
	}, {id: !more && path});
	const see = (words, filter) => quiet(words, () => void open('rows', true, filter), {id: filter ? 'mend' : 'rows'});
	const settle = ({sheet, row}) => {
		const id = field('its id', {'aria-label': `Event of row ${row}`}), as = event_id => ({generation: state.generation, doubt: {sheet, row, event_id}});
		return bar(id, plan('plan', 'It is this event', () => as(id.value.trim() || '?')), plan('plan', 'It was not made', () => as('')));
	};
	const place = o => ours && o.cell ? link(o.place, () => void open('rows', true, {view: 'failed', id: run}, o.sheet, o.place)) : el('span.place', o.place);
	fill(box, section('h-run', `${source(of)}, ${when(of.created)}`, ...doc.rows ? [
		el('p.lead', {id: 'became'}, el('b', number((doc.rows.read || 0) + (doc.rows.missing || 0))), ' = ', sum(doc.rows, done).join(' + '), '. ',
			capital(doc.state), '.', doc.workers && ' ' + doc.workers),
		refusal && failure(refusal),
		bar(state.sends && [doc.state.startsWith('unfinished') && does(`Go on with ${count(of.open, 'row')}`, () => void open('plan', true)), ours && mend && see(`Mend ${count(mend, 'row')}`, {view: 'failed', id: run}),
			again && plan('retry', `Send ${count(again, 'row')} again as before`), !doc.state.startsWith('planned') && plan('undo', 'Take it back…')],
		rows !== 'all' && quiet('What became of each row', () => show(box, of, refusal, 'all'), {id: 'each'}), ours && see('Back to the rows'), quiet('All runs', () => void open('runs', true, run), {id: 'back'})),
		doc.rows.created && state.undo && [small(state.undo.words), copied(state.undo.command)],
		bar(keep('Keep the results', 'results', `results-${run}.csv`, run), keep('Keep the report', 'report', `report-${run}.html`, run),
			copied(`eventbatch report ${run} -o report-${run}.html`)),
		told.length ? table('h-run', ['Row', 'Name', 'What became of it', 'Why'], told.map(o => [place(o), o.name, o.words,
			[here(o.why), fields(o), o.status === 'in_doubt' && state.sends && settle(o)]])) : !of.open && empty('No row needs attention.'), more && small(`and ${number(more)} more`)] : [failure(doc.exit || {})]));
	$('h-run').focus();
}
