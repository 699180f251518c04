// What a plan would do: how much, to whom, what is in conflict, and row by row. What is sent is that plan and no other.
import {$, button, count, el, fill, number, visible} from './dom.js';
import {ask, post} from './net.js';
import {failure, friendly} from './words.js';

const sides = {mine: 'The file', theirs: 'The platform', leave: 'Leave for now'};
const bar = (...inside) => el('p.bar', ...inside), small = (...inside) => el('p.small', ...inside);
const card = (title, ...inside) => el('section.reading', el('h2', title), ...inside);
export const does = (words, click, props) => button({class: 'do', click, ...props}, words);
export const quiet = (words, click, props) => does(words, click, {class: 'quiet', ...props});

// refused shows why something was not done; what does not come from the process is the frame's to tell.
export function refused(box, e) {
	if (!e.status) throw e;
	fill(box, failure({error: e.message}));
	box.scrollIntoView({block: 'nearest'});
}

export async function draw(box, state, say, act, open) {
	const failed = el('div', {role: 'alert'}), all = selector => [...box.querySelectorAll(selector)];
	let p = await ask('/api/plan');
	const trying = work => {
		box.inert = true; // a second click is no second answer
		fill(failed);
		return work().catch(e => refused(failed, e)).finally(() => { box.inert = false; });
	};
	const again = more => trying(async () => {
		p = await post('/api/plan', {generation: state.generation, ...more});
		await show();
		say(p.refusal ? p.refusal.error : p.totals);
	}).then(() => (all('.do:enabled')[0] || $('tab-plan')).focus());

	async function show() {
		const doc = p.plan, waits = p.unfinished, at = {}; // of each box and choice, what it is about
		$('command').textContent = visible(p.command || state.command);
		if (waits && (!doc || doc.run !== waits.run)) return fill(box, failed, card(`A run is not finished: ${count(waits.open, 'row')} left`, small('What was sent is not sent again.'), does('Go on', () => again({run: waits.run}))));
		if (!doc && !state.file) return fill(box, el('p.empty', 'Under Runs a run can be taken back, or its failed rows be sent again: what that would do is shown here.'));
		if (!doc) return fill(box, failed, card('Nothing is sent by a plan', small('The platform is asked what it has, and you see what would become of each row. Answers are saved first.'), does('Make the plan', () => again())));
		const tick = (id, of, props) => (at[id] = of, el('input', {type: 'checkbox', id, change: () => ready(), ...props}));
		const out = () => all('.ops input:not(:checked)').map(i => at[i.id]), said = () => all('.contest input:checked').map(i => ({...at[i.name], decision: i.value})), allow = () => all('[data-effect] input:checked').map(i => at[i.id]);
		const typed = el('input', {id: 'typed', autocomplete: 'off', input: () => ready()}), list = el('ul.ops');
		const anew = quiet('Plan again', () => again({decisions: said(), leave: [...p.leave, ...out()]}), {id: 'again'}), more = quiet('Show more', () => load());
		const send = does(`Send ${count(p.changes, 'change')}`, () => trying(async () => {
			await post('/api/apply', {generation: state.generation, run: doc.run, checksum: doc.checksum, allow: allow(), typed: typed.value.trim()});
			open('send', true);
		}), {id: 'send'});
		const ready = () => { // what was ticked or chosen since is of another plan
			const left = out().length, chosen = said().length;
			anew.className = left + chosen ? 'do' : 'quiet';
			anew.textContent = 'Plan again' + (left ? ` without ${count(left, 'row')}` : '') + (chosen ? ` with ${count(chosen, 'decision')}` : '');
			send.disabled = left + chosen || p.reach.some(r => r.needs && !allow().includes(r.effect)) || p.cancels && typed.value.trim() !== String(p.cancels);
			if (p.apply) $('command').textContent = visible([p.apply, ...allow()].join(' --allow '));
		};
		let drawn = 0, head = '';
		const load = async () => {
			const w = await ask(`/api/plan/ops?n=100&from=${drawn}`);
			for (const o of w.rows) {
				if (o.head !== head) list.append(el('li.under', head = o.head));
				list.append(line(o, p.of_file && p.apply && o.row ? tick(`row-${o.sheet}-${o.row}`, {sheet: o.sheet, row: o.row}, {checked: true, 'aria-label': 'Send row ' + o.row}) : null));
			}
			more.hidden = (drawn += w.rows.length) >= w.total;
		};
		const contest = p.conflicts.map((c, i) => (at['c' + i] = {key: c.key, event_id: c.event_id, field: c.field}, el('fieldset.contest', {'data-field': c.field}, el('legend', c.field ? friendly(c.field) + ' of ' : 'Cancelled on the platform: ', el('b', c.title)),
			...Object.keys(sides).map(who => el('label', el('input', {type: 'radio', name: 'c' + i, value: who, change: () => ready()}), ` ${sides[who]} `, c.field && c[who] !== undefined && el('q', visible(c[who])))),
			c.was === null ? null : small('last agreed ', el('q', visible(c.was))))));
		fill(box, failed, p.refusal && failure(p.refusal),
			p.of_file && doc.exit.reason === 'invalid' && bar(does('Leave the rows with mistakes out', () => again({skip_invalid: true}))),
			bar(el('b', {id: 'totals'}, p.totals), p.of_file && anew, p.leave.length && quiet(`Take ${count(p.leave.length, 'row')} back in`, () => again({leave: []}))),
			p.heads.length && bar(...p.heads.map(h => el('span.chip', {'data-head': h.words}, `${count(h.rows, 'row')}: ${h.words}`))),
			bar(...p.guards.map(g => el('label.small', el('meter', {max: Math.max(g.limit, g.rows), value: g.rows}), ' ' + g.words))),
			el('p.shares.small', ...p.fields.map(f => el('span', {class: f.doubt ? 'doubt' : null}, el('b', friendly(f.field)), ` changes in ${number(f.changes)} of ${number(f.of)}`, f.doubt ? ': is a column out of step?' : ''))),
			...(doc.notes || []).map(words => el('p.alert.mild', words)),
			p.reach.length && card('What it does to people', ...p.reach.map(r => el('div', {'data-effect': r.effect}, el('label', r.needs && tick(r.effect, r.effect, {disabled: !r.may}), ' ' + r.words),
				r.needs && !r.may ? small('It may not be ticked here: open the file with ', el('code', '--allow ' + r.effect)) : r.effect === 'cancel' && p.cancels ? bar(el('label', 'To cancel, type the number of events ', typed)) : null))),
			p.contested + p.decided.length && card(`In conflict: ${number(p.contested)}`,
				...[...Map.groupBy(p.conflicts, c => c.field)].filter(([f, of]) => f && of.length > 1).map(([f, of]) => bar(`All ${of.length} of ${friendly(f)}:`, ...Object.keys(sides).map(who => quiet(sides[who], () => all(`[data-field="${f}"] [value=${who}]`).forEach(r => r.click()), {'data-all': f + ':' + who})))), ...contest,
				...p.decided.map(d => bar(`${friendly(d.field || 'cancelled')} of ${visible(d.key)}: ${sides[d.decision]}`, quiet('Take back', () => again({decisions: [{...d, decision: ''}]}))))),
			list, bar(more), p.apply && el('p.bar.sends', send));
		ready();
		await load();
	}
	await show();
}

// line is what becomes of a row, or became of it, behind what else stands on it.
export const line = (o, ...before) => el('li', {'data-action': o.action, 'data-row': o.row}, ...before,
	el('b.sign', o.sign, el('span.sr', o.does)), ' ', el('b', o.title), el('span.small', ' ', o.words),
	...(o.fields || []).map(f => el('div.change', friendly(f.field), ' ', f.before === null ? null : [el('q', visible(f.before)), f.after && ' → '], f.after && el('q', visible(f.after)), f.note)));
