// The runs of the workspace, each as it ended, and the nights of a month: the documents of runs, show and report.
import {button, el, fill, number, visible} from './dom.js';
import {file, nights, post, run, runs} from './net.js';
import {quiet, refused} from './plan.js';
import {base, capital, copied, failure, same, table, word} from './words.js';

const when = at => new Date(at).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'short'});
const planned = ['create', 'update', 'cancel', 'skip'];

// sum counts rows in words: those that were planned of the list, those that came to something of a run.
const sum = (rows, of) => Object.entries(rows || {}).filter(([w, n]) => n && of(w)).map(([w, n]) => `${number(n)} ${word(w)}`);
const done = w => !['read', 'missing', ...planned].includes(w);

export async function draw(box, state, say, act, turn, focus) {
	same('eventbatch runs');
	const doc = await runs();
	if (!doc.runs) return fill(box, failure(doc.exit || {}));
	const at = new Map(doc.runs.map(r => [r.run, when(r.created)])), names = ids => ids.map(id => at.get(id) || id).join(', ');
	const line = r => [
		button({class: 'link', 'data-run': r.run, click: () => open(box, r, state, say, turn, () => draw(box, state, say, act, turn, r.run))}, at.get(r.run)),
		[visible(r.files.map(base).join(', ') || r.command), r.reverts ? el('div.small', `takes back ${names([r.parent])}`) : null],
		sum(r.rows, w => planned.includes(w) && w !== 'skip').join(' · ') || 'nothing',
		r.failed ? el('b.doubt', number(r.failed)) : '0',
		visible(r.host || ''),
		[visible(capital(r.state)), r.undone_by ? el('div.small', `undone by ${names(r.undone_by)}`) : null]];
	fill(box, el('section', el('h2', {id: 'h-runs'}, 'Runs', el('span.n', number(doc.runs.length))),
		doc.runs.length ? table('h-runs', ['When', 'Source', 'Made and changed', 'Failed', 'Machine', 'How it stands'], doc.runs.map(line)) :
			el('p.empty', 'Nothing was sent from this folder yet.')));
	if (focus) box.querySelector(`[data-run="${focus}"]`).focus();
	const month = await nights(), slept = (month.sources || []).filter(s => s.totals.nights);
	if (slept.length) box.append(el('section', el('h2', {id: 'h-nights'}, 'Nights', el('span.n', 'of 30 days')),
		table('h-nights', ['Source', 'Nights', 'How they ended', 'Rows', 'Last good one'], slept.map(s => [
			visible(base(s.source)), number(s.totals.nights), sum(s.totals.outcomes, () => true).join(' · '), sum(s.totals.rows, done).join(' · '),
			s.last_success ? when(s.last_success) : 'none'])), copied('eventbatch report --since 30d', say)));
}

// open shows a run as it ended, in the place of the list.
async function open(box, of, state, say, turn, back) {
	const doc = await run(of.run), failed = el('div', {role: 'alert'});
	same('eventbatch show ' + of.run);
	const does = (id, words, work) => quiet(words, () => { fill(failed); work().catch(e => refused(failed, e)); }, {id});
	const keep = (kind, ending, words) => does(kind, words, () => file(kind, `${kind}-${of.run}${ending}`, of.run));
	const plan = (command, words) => does(command, words, () => post('/api/' + command, {run: of.run}).then(() => turn('plan', true)));
	const bad = doc.lines ? doc.lines.filter(l => l.status === 'failed').length : 0, here = state.file && of.files.some(f => base(f) === base(state.file));
	const head = el('h2', {id: 'h-run', tabindex: '-1'}, `${visible(of.files.map(base).join(', ') || of.command)}, ${when(of.created)}`);
	fill(box, el('p', quiet('All runs', back, {id: 'back'})), el('section.run', head, ...doc.rows ? [
		el('p.lead', {id: 'became'}, el('b', number((doc.rows.read || 0) + (doc.rows.missing || 0))), ' = ', sum(doc.rows, done).join(' + '), '. ',
			capital(doc.state), '.', doc.workers ? ' ' + visible(doc.workers) : ''),
		failed,
		el('p.bar', keep('report', '.html', 'Keep the report'), keep('results', '.csv', 'Keep the results')),
		copied(`eventbatch report ${of.run} -o report-${of.run}.html`, say),
		state.sends ? el('p.bar', plan('undo', 'Take it back…'),
			bad && here && does('mend', `Mend the ${number(bad)} and send them`, async () => turn('rows', true, {view: 'failed', id: of.run})),
			bad && plan('retry', `Send the ${number(bad)} again`)) : null,
		doc.lines.length ? table('h-run', ['Row', 'Key', 'What became of it', 'Why'], doc.lines.map(l => [place(l, doc.problems), visible(l.key),
			visible(word(l.status)), visible(l.error || l.reason)])) : el('p.empty', 'No row needs attention.')] : [failure(doc.exit || {})]));
	head.focus();
}

// place names the cell that a row has failed at, or the row.
function place(line, problems) {
	const p = problems.find(p => p.row === line.row && p.sheet === line.sheet && p.file === line.file && p.column);
	return el('span.place', p ? p.column + p.row : line.row ? 'row ' + line.row : '–');
}
