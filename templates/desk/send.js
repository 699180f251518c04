// How a sending comes on, and what became of it. The process sends; this page looks, and may be closed.
import {$, count, el, fill, visible} from './dom.js';
import {ask, post, watch} from './net.js';
import {does, line, quiet, refused} from './plan.js';
import {failure} from './words.js';

export async function draw(box, state, say, act, open) {
	let s = await ask('/api/send'), after = 0;
	if (!s.run) return fill(box, el('p.empty', 'Nothing was sent from here. Make a plan first.'));
	const list = el('ul.ops'), failed = el('div', {role: 'alert'});
	$('command').textContent = visible(s.command);
	if (s.under_way) {
		const far = el('progress', {'aria-label': 'Rows', value: 0}), words = el('p', {id: 'progress'}, 'It begins…');
		fill(box, far, el('div.lead.bar', words, quiet('Stop after these', e => { e.target.disabled = true; post('/api/stop', {run: s.run}); }, {id: 'stop'})),
			el('p.small', 'You may close this page: the program in the terminal goes on sending.'), list);
		while (s.under_way && box.isConnected) {
			await watch(after, ({n, event, key, row, msg, level, more}) => {
				after = n;
				if (event === 'progress') {
					far.max = more.total || 1;
					far.value = more.settled || 0;
					words.textContent = msg;
				} else if (event === 'row') {
					list.prepend(line({row, ...level === 'ERROR' ? {sign: '✗'} : {sign: '✓', action: 'create'}, title: `${key} (row ${row})`, words: msg}));
					if (list.children.length > 20) list.lastChild.remove();
				}
				return box.isConnected;
			});
			s = await ask('/api/send');
		}
		if (!box.isConnected) return;
	}
	const settle = (o, event_id) => post('/api/plan', {generation: state.generation, run: s.run, doubt: {sheet: o.sheet, row: o.row, event_id}}).then(() => open('plan', true), e => refused(failed, e));
	say(s.sum);
	fill(box, failed, el('p.lead', {id: 'done'}, el('b', s.sum)), s.refusal && failure(s.refusal), s.open && does(`Go on with ${count(s.open, 'row')}`, () => open('plan', true)), list);
	fill(list, s.rows.map(o => {
		const id = el('input', {'aria-label': `Event of row ${o.row}`, placeholder: 'its id'}), at = line(o);
		if (o.doubt) at.append(el('p.bar', id, quiet('It is this event', () => id.value.trim() && settle(o, id.value.trim())), quiet('It was not made', () => settle(o, ''))));
		return at;
	}));
}
