// What a plan would do: how much, to whom, what is in conflict, and row by row. What is sent is that plan and no other.
import {$, button, count, el, number} from './dom.js';
import {apply, makePlan, ops, plan} from './net.js';
import {failure, fill, friendly, visible} from './words.js';

const sides = Object.entries({mine: 'The file', theirs: 'The platform', leave: 'Leave for now'});
const bar = (...inside) => el('p', {class: 'bar'}, ...inside);
const small = (...inside) => el('p', {class: 'small'}, ...inside);
const card = (title, ...inside) => el('section', {class: 'reading'}, el('h2', {}, title), ...inside);
export const does = (words, click, props) => button({class: 'do', on: {click}, ...props}, words);
export const quiet = (words, click, props) => does(words, click, {class: 'quiet', ...props});

// refused shows why something was not done; other errors are the frame's to tell.
export function refused(box, e) {
  if (!(e.status >= 400 && e.status < 500) || e.status === 401) throw e;
  fill(box, failure({error: e.message}));
  box.scrollIntoView({block: 'nearest'});
}

export async function draw(box, state, say, act, open) {
  const failed = el('div', {role: 'alert'});
  let p = await plan(), busy = false; // a second click is no second answer
  const trying = async work => {
    if (busy) return;
    box.ariaBusy = busy = true;
    fill(failed);
    await work().catch(e => refused(failed, e)).finally(() => { busy = false; box.ariaBusy = null; });
  };
  const again = more => trying(async () => {
    p = await makePlan({generation: state.generation, ...more});
    await show();
    say(p.refusal ? p.refusal.error : p.totals);
    (box.querySelector('.do') || $('tab-plan')).focus();
  });

  async function show() {
    const doc = p.plan, waits = p.unfinished, allow = new Set(), out = new Map();
    $('command').textContent = visible(p.command || state.command);
    if (waits && (!doc || doc.run !== waits.run)) return fill(box, failed, card(`A run is not finished: ${count(waits.open, 'row')} left`, small('What was sent is not sent again.'), does('Go on', () => again({run: waits.run}))));
    if (!doc) return fill(box, failed, card('Nothing is sent by a plan', small('The platform is asked what it has, and you see what would become of each row. Answers are saved first.'), does('Make the plan', () => again({}))));
    const typed = el('input', {id: 'typed', autocomplete: 'off', on: {input: () => ready()}});
    const send = does(`Send ${count(p.changes, 'change')}`, () => trying(async () => {
      await apply({generation: state.generation, run: doc.run, checksum: doc.checksum, allow: [...allow], typed: typed.value.trim()});
      open('send', true);
    }), {id: 'send'});
    const ready = () => {
      send.disabled = p.reach.some(r => r.needs && !allow.has(r.effect)) || p.cancels && typed.value.trim() !== String(p.cancels);
      if (p.apply) $('command').textContent = visible(p.apply + (allow.size ? ' --allow ' + [...allow].join(',') : ''));
    };
    const less = quiet('', () => again({leave: [...p.leave, ...out.values()]}), {id: 'less', hidden: true}), more = quiet('Show more', () => load());
    const list = el('ul', {class: 'ops'}), tick = o => p.of_file && p.apply && o.row ? el('input', {type: 'checkbox', checked: true, 'aria-label': 'Send row ' + o.row, on: {change: e => {
      e.target.checked ? out.delete(o) : out.set(o, {sheet: o.sheet, row: o.row});
      less.hidden = !out.size;
      less.textContent = `Plan again without ${count(out.size, 'row')}`;
    }}}) : null;
    const load = async () => {
      const w = await ops(list.children.length, 100);
      list.append(...w.rows.map(o => line(o, tick(o))));
      more.hidden = list.children.length >= w.total;
    };
    fill(box, failed, p.refusal ? failure(p.refusal) : null,
      p.of_file && doc.exit.reason === 'invalid' ? bar(does('Leave the rows with mistakes out', () => again({skip_invalid: true}))) : null,
      bar(el('b', {id: 'totals'}, p.totals), p.of_file ? quiet('Plan again', () => again({})) : null, p.leave.length ? quiet(`Take ${count(p.leave.length, 'row')} back in`, () => again({leave: []})) : null),
      p.guards.length ? bar(...p.guards.map(g => el('label', {class: 'small'}, el('meter', {max: Math.max(g.limit, g.rows), value: g.rows}), ' ' + g.words))) : null,
      el('p', {class: 'shares small'}, ...p.fields.map(f => el('span', {class: f.doubt ? 'doubt' : null}, el('b', {}, friendly(f.field)), ` changes in ${number(f.changes)} of ${number(f.of)}`, f.doubt ? ': is a column out of step?' : ''))),
      ...(doc.notes || []).map(words => el('p', {class: 'alert mild'}, visible(words))),
      p.reach.length ? card('What it does to people', ...p.reach.map(r => el('div', {'data-effect': r.effect}, el('label', {},
        r.needs ? el('input', {type: 'checkbox', disabled: !r.may, on: {change: e => { allow[e.target.checked ? 'add' : 'delete'](r.effect); ready(); }}}) : null, ' ' + r.words),
      r.needs && !r.may ? small('It may not be ticked here: open the file with ', el('code', {}, '--allow ' + r.effect)) : r.effect === 'cancel' && p.cancels ? el('label', {class: 'bar'}, 'To cancel, type the number of events ', typed) : null))) : null,
      p.contested + p.decided.length ? conflicts() : null, list, bar(more, less), p.apply ? el('p', {class: 'bar sends'}, send) : null);
    ready();
    await load();
  }

  function conflicts() {
    const said = new Map(), go = does('Plan by these decisions', () => again({decisions: [...said.values()]}), {id: 'decide', hidden: true}), all = Map.groupBy(p.conflicts, c => c.field);
    const choose = ({key, event_id, field}, decision, i) => {
      said.set(i, {key, event_id, field, decision});
      go.hidden = false;
    };
    const lines = p.conflicts.map((c, i) => el('fieldset', {class: 'contest'}, el('legend', {}, c.field ? friendly(c.field) + ' of ' : 'Cancelled on the platform: ', el('b', {}, visible(c.title))),
      ...sides.map(([who, words]) => el('label', {}, el('input', {type: 'radio', name: 'c' + i, value: who, on: {change: () => choose(c, who, i)}}), ` ${words} `, c.field && c[who] !== undefined ? el('q', {}, visible(c[who])) : null)),
      c.was === null ? null : el('span', {class: 'small'}, 'last agreed ', el('q', {}, visible(c.was)))));
    return card(`In conflict: ${number(p.contested)}`,
      ...[...all].filter(([f, of]) => f && of.length > 1).map(([f, of]) => bar(`All ${of.length} of ${friendly(f)}:`, ...sides.map(([who, words]) => quiet(words, () => of.forEach(c => lines[p.conflicts.indexOf(c)].querySelector(`[value=${who}]`).click()), {'data-all': f + ':' + who})))),
      ...lines, go,
      ...p.decided.map(({key, event_id, field, decision}) => bar(`${friendly(field) || 'What is cancelled'} of ${visible(key)}: ${Object.fromEntries(sides)[decision]}`, quiet('Take back', () => again({decisions: [{key, event_id, field, decision: ''}]})))));
  }
  await show();
}

// line is what becomes of a row, or became of it, behind what else stands on it.
export const line = (o, ...before) => el('li', {'data-action': o.action, 'data-row': o.row}, ...before,
  el('b', {class: 'sign'}, o.sign, el('span', {class: 'sr'}, o.does)), ' ', el('b', {}, visible(o.title)), el('span', {class: 'small'}, ' ', visible(o.words)),
  ...(o.fields || []).map(f => el('div', {class: 'change'}, friendly(f.field), ' ', f.before === null ? null : [el('q', {}, visible(f.before)), f.after && ' → '], f.after && el('q', {}, visible(f.after)), visible(f.note))));
