// What a plan would do: how much, to whom, row by row. That plan is sent, and no other.
import {counted, open} from './main.js';
import {$, ask, bar, bounds, card, change, copied, count, does, el, failure, fill, framed, friendly, here, note, number, quiet, same, say, small, state, takeBack, trying} from './parts.js';

const sides = {mine: 'The file', theirs: 'The platform', leave: 'Leave for now'};
const about = d => d.field ? friendly(d.field) + ' of ' : 'Cancelled there, made again by the file: ';

let left = {}; // the plan, as left

export async function draw(box) {
	let p = await ask('/api/plan');
	if (left.plan === JSON.stringify(p)) {
		box.replaceWith(left.box);
		return left.ready();
	}
	const again = async more => {
		p = await change('/api/plan', more);
		await counted();
		say(p.refusal ? p.refusal.error : p.totals);
		if (!box.isConnected) return;
		await show();
		(box.querySelector('.do:not(.sends *)') || $('tab-plan')).focus();
	};

	function show() {
		const waits = p.unfinished;
		same(p.command || state.command);
		if (p.plan && (!waits || waits.run === p.plan.run)) return planned(box, p, again);
		if (waits || p.refusal) return fill(box, p.refusal && failure(p.refusal), waits && card(waits.words, does('Go on', () => again({run: waits.run}))));
		const go = framed(box, state.file ? 'plan' : 'no-plan')('.do');
		if (go) go.onclick = () => trying(again, go);
		box.querySelector('.reading')?.append(...bounds());
	}
	await show();
	say(p.totals);
}

async function planned(box, p, again) {
	const doc = p.plan, all = selector => [...box.querySelectorAll(selector)], out = () => all('.ops input:not(:checked)').map(i => i.of);
	const said = () => all('.contest input:checked').map(i => ({...i.of, decision: i.value}));
	const allow = () => all('[data-effect] input:checked').map(i => i.of), typed = () => $('typed')?.value.trim();
	const tick = (of, props) => Object.assign(el('input', {type: 'checkbox', ...props}), {of});

	const on = ({decisions = [], leave = p.leave, ...more} = {}) => again({...more, decisions: [...said(), ...decisions], leave: [...leave, ...out()]});
	const anew = quiet('Plan again', () => on(), {id: 'again'});
	const send = does(p.send, async () => {
		try {
			await change('/api/apply', {run: doc.run, checksum: doc.checksum, allow: allow(), typed: typed()});
			open('send', true);
		} catch (e) {
			if (e.status !== 428) throw e;
			await again({since: doc.checksum});
		}
	}, {id: 'send'});

	// ready says what may be sent: what was chosen since is of another plan.
	function ready() {
		const left = out().length, chosen = said().length;
		anew.className = left + chosen ? 'do' : 'quiet';
		anew.textContent = 'Plan again' + (left ? ` without ${count(left, 'row')}` : '') + (chosen ? ` with ${count(chosen, 'decision')}` : '');
		$('sum').textContent = state.sum + (left ? `, and ${count(left, 'row')} not ticked` : '');
		send.disabled = left + chosen || p.reach.some(r => r.needs && !allow().includes(r.effect)) || p.cancels && typed() !== String(p.cancels);
		if (left + chosen) send.after(anew), say(anew.textContent);
		same(left + chosen || !p.apply ? p.command : [p.apply, ...allow().filter(a => a !== 'push')].join(' --allow '));
	}

	const reach = r => el('div', {'data-effect': r.effect}, el('label', r.needs && tick(r.effect, {disabled: !r.may}), r.words),
		r.note ? [small(r.note), copied(r.open)] : r.effect === 'cancel' && p.cancels && bar(note('cancel')));

	const conflict = (c, i) => el('fieldset.contest', {'data-field': c.field},
		el('legend', about(c), el('b', c.title)),
		Object.keys(sides).map(who => el('label', tick({key: c.key, event_id: c.event_id, field: c.field}, {type: 'radio', name: 'c' + i, value: who}), ` ${sides[who]} `, c.field && c[who] !== undefined && el('q', c[who]))),
		c.was !== null && small('last agreed ', el('q', c.was)));
	const alike = ([field, of]) => field && of.length > 1 && bar(`${friendly(field)} of all ${of.length}:`, Object.keys(sides).map(who =>
		quiet(sides[who], () => all(`[data-field="${field}"] [value=${who}]`).forEach(r => r.click()), {'data-all': field + ':' + who})));
	const decided = ({title, ...d}) => bar(`${title = about(d) + title}: ${sides[d.decision]}`, takeBack(title, () => on({decisions: [{...d, decision: ''}]})));

	const list = el('ul.ops'), more = quiet('Show more', load);
	let drawn = 0, head = '';
	async function load() {
		const w = await ask(`/api/plan/ops?n=100&from=${drawn}`);
		for (const o of w.rows) {
			if (o.head !== head) list.append(el('li.under', head = o.head));
			const li = line(o, p.ticks && o.sends && tick({sheet: o.sheet, row: o.row}, {checked: true, 'aria-label': 'Send row ' + o.row}));
			if (p.of_file && o.asks.length) li.append(bar(o.asks.map(a => quiet(a !== 'none' ? 'The same event' : p.new, () => on({rename: a}), {'data-rename': a}))));
			list.append(li);
		}
		more.hidden = (drawn += w.rows.length) >= w.total;
	}

	fill(box, p.refusal && failure(p.refusal), p.needs.map(o => bar(does(o.words, () => on(o.asks)))),
		p.moved && el('div.alert.mild', {id: 'moved'}, el('p', p.moved.words), el('ul.ops', p.moved.rows.map(o => line(o)))),
		bar(el('b', {id: 'totals'}, p.totals), p.of_file ? anew : state.file && quiet('Plan the file instead', () => again(), {id: 'again'}), p.offers.map(o => quiet(o.words, () => on(o.asks)))),
		bar(p.heads.map(h => el('span.chip', h.words, ': ', number(h.rows)))),
		el('p.shares.small', p.fields.map(f => el('span', {class: f.doubt && 'doubt'}, el('b', friendly(f.field)), ' ' + f.words))),
		p.told.map(words => el('p.alert.mild', here(words))),
		card('What it does to people', p.reach.map(reach)),
		p.contested + p.decided.length && card(p.contested ? `In conflict: ${number(p.contested)}` : 'Decided',
			[...Map.groupBy(p.conflicts, c => c.field)].map(alike), p.conflicts.map(conflict), p.decided.map(decided)),
		p.fixed && small(p.fixed), p.apply && [el('div.sends', bar(send)), doc.rows.create > 0 && bounds()], copied(p.command), list, bar(more));
	box.oninput = ready;
	ready();
	await load();
	if (box.isConnected) left = {plan: JSON.stringify(p), box, ready};
}

// line is what becomes of a row, or became.
export const line = (o, ...before) => el('li', {'data-action': o.action, 'data-row': o.row}, ...before,
	el('b.sign', o.sign, el('span.sr', o.does)), ' ', el('b', o.title), el('span.small', ' ', here(o.words)),
	fields(o));
export const fields = o => (o.fields || []).map(f => el('div.change', friendly(f.field), ' ', f.before !== null && [el('q', f.before), f.after && ' → '], f.after && el('q', f.after), f.note));
