// The runs, each as it is sent or has ended, and the nights of a month.
import {open, to} from './main.js';
import {$, ask, bar, bounds, copied, does, el, failure, field, fill, framed, here, keep, link, note, post, quiet, same, say, section, small, state, table, trying, watch} from './parts.js';
import {fields, line} from './plan.js';

const source = r => [r.source, r.back && small(r.back)];

// draw lists the runs, or shows one that has ended.
export async function draw(box, focus, ended) {
	same('eventbatch runs');
	const {heads, sent, rest, document: doc} = await ask('/api/runs'), at = r => r.run === focus;
	if (doc.exit.error) return fill(box, failure(doc.exit));
	if (ended) return show(box, [...sent, ...rest].find(at), ended.refusal, 'sent');
	const list = of => table('h-runs', heads, of.map(r => [
		link(r.when, () => show(box, r), {'data-run': r.run}),
		source(r), r.made, r.failed && el('b.doubt', r.failed), r.host, r.stands]));
	fill(box, section('h-runs', ['Runs', el('span.n', sent.length)], sent.length ? list(sent) : note('unsent'),
		rest.length && el('details', {open: rest.some(at)}, el('summary', rest.length + ' by which nothing was sent'), list(rest))));
	if (focus) box.querySelector(`[data-run="${focus}"]`).focus();
	const nights = await ask('/api/nights');
	if (nights.rows.length) box.append(section('h-nights', ['Nights', el('span.n', 'of 30 days')],
		table('h-nights', nights.heads, nights.rows), copied('eventbatch report --since 30d')));
}

// show tells of a run what needs attention, with rows also what was sent of it, or all.
async function show(box, of, refusal, rows = '') {
	const {run, ours} = of, end = await ask(`/api/run?id=${run}&rows=${rows}`), {document: doc, told, more, mend, again, heads} = end;
	same(end.command);
	const plan = (path, words, more) => quiet(words, async () => {
		await post('/api/' + path, {run, ...more?.()});
		if (box.isConnected) open('plan', true);
	}, {id: !more && path});
	const settle = ({sheet, row}) => {
		const id = field('its id', {'aria-label': `Event of row ${row}`}), as = event_id => ({generation: state.generation, doubt: {sheet, row, event_id}});
		return bar(id, plan('plan', 'It is this event', () => as(id.value.trim() || '?')), plan('plan', 'It was not made', () => as('')));
	};
	const place = o => ours && o.cell ? link(o.place, to('rows', true, {view: 'failed', id: run}, o.sheet, o.place)) : el('span.place', o.place);
	fill(box, section('h-run', [of.when, ' ', source(of)], ...doc.rows ? [
		el('p.lead', {id: 'became'}, end.sum, '. ', of.taken || end.state, '.', doc.workers && ' ' + doc.workers),
		refusal && failure(refusal),
		bar(state.sends && [doc.state.startsWith('unfinished') && does(of.open, to('plan', true)), ours && mend && quiet(mend, to('rows', true, {view: 'failed', id: run}), {id: 'mend'}),
			again && plan('retry', again), of.undo && plan('undo', of.undo)],
		rows !== 'all' && quiet('What became of each row', () => show(box, of, refusal, 'all'), {id: 'each'}), ours && quiet('Back to the rows', to('rows', true), {id: 'rows'}), quiet('All runs', to('runs', true, run), {id: 'back'})),
		doc.rows.created && bounds(),
		bar(keep('Keep the results', 'results', `results-${run}.csv`, run), keep('Keep the report', 'report', `report-${run}.html`, run),
			copied(end.report)),
		told.length ? table('h-run', heads, told.map(o => [place(o), o.name, o.words,
			[here(o.why), fields(o), o.status === 'in_doubt' && state.sends && settle(o)]])) : !of.open && note('done'), more && small(more)] : [failure(doc.exit || {})]));
	$('h-run').focus();
}

// send shows a sending until its end. The process sends; this page looks.
export async function send(box) {
	let s = await ask('/api/send');
	if (!s.run) return fill(box, el('div.empty', note('here'), does('See Plan', to('plan', true))));
	same(s.command);
	if (s.under_way) s = await look(box, s);
	if (!box.isConnected) return;
	say(s.sum);
	await draw(box, s.run, s);
}

// look shows the last rows sent, and returns the end.
async function look(box, s) {
	const part = framed(box, 'sending'), far = part('progress'), list = part('.ops');
	let after = 0, told = 0;
	part('#stop').onclick = e => {
		e.target.disabled = true;
		trying(() => post('/api/stop', {run: s.run}));
	};
	while (s.under_way && box.isConnected) {
		await watch(after, ({n, event, title, row, msg, level, more}) => {
			after = n;
			if (event === 'progress') {
				far.max = more.total || 1;
				far.value = more.settled || 0;
				part('#progress').textContent = msg;
				if (Date.now() > told + 9e3) {
					told = Date.now();
					say(msg);
				}
			} else if (event === 'row') {
				list.prepend(line({row, ...level === 'ERROR' ? {sign: '✗'} : {sign: '✓', action: 'create'}, title, words: msg}));
				if (list.children.length > 20) list.lastChild.remove();
			}
			return box.isConnected;
		});
		s = await ask('/api/send');
	}
	return s;
}
