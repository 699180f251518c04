// What a plan would do: how much, to whom, what is in conflict, and row by row. What is sent is that plan and no other.
import {$, button, count, el, number} from './dom.js';
import {apply, makePlan, ops, plan} from './net.js';
import {capital, failure, fill, friendly, visible} from './words.js';

const sides = Object.entries({mine: 'The file', theirs: 'The platform', leave: 'Leave for now'});
const card = (title, ...inside) => el('section', {class: 'reading'}, el('h2', {}, title), ...inside);
const bar = (...inside) => el('p', {class: 'bar'}, ...inside);
const act = (words, click, props) => button({class: 'do', on: {click}, ...props}, words);

export async function draw(box, state, say, _, open) {
  const failed = el('div', {role: 'alert'});
  let p = await plan(), busy = false;
  const trying = async work => { // a second click is no second answer
    if (busy) return;
    busy = true;
    box.setAttribute('aria-busy', 'true');
    fill(failed);
    try { await work(); } catch (e) {
      if (!(e.status > 401 && e.status < 500 || e.status === 400)) throw e;
      fill(failed, failure({error: e.message}));
      failed.scrollIntoView({block: 'nearest'});
    } finally {
      busy = false;
      box.removeAttribute('aria-busy');
    }
  };
  const again = more => trying(async () => {
    p = await makePlan({generation: state.generation, ...more});
    await show();
    say(p.refusal ? p.refusal.error : p.totals);
    (box.querySelector('.do') || $('tab-plan')).focus();
  });

  async function show() {
    const doc = p.plan, waits = p.unfinished;
    $('command').textContent = visible(p.command || state.command);
    if (waits && (!doc || doc.run !== waits.run)) {
      return fill(box, failed, card('A run is not finished', el('p', {}, `${count(waits.open, 'row')} of it left. What was sent is not sent again.`), bar(act('Go on', () => again({run: waits.run})))));
    }
    if (!doc) {
      return fill(box, failed, el('p', {class: 'lead'}, 'The platform is asked what it has, and you see what would become of each row. Nothing is sent by that.',
        state.mapping && state.mapping.reads && !state.mapping.saved ? ` The answers are saved first, as ${visible(state.mapping.file)}.` : ''), act('Make the plan', () => again({})));
    }
    const allow = new Set(), typed = el('input', {id: 'typed', inputmode: 'numeric', autocomplete: 'off', on: {input: () => ready()}});
    const send = act(`Send ${count(p.changes, 'change')}`, () => trying(async () => {
      await apply({generation: state.generation, run: doc.run, checksum: doc.checksum, allow: [...allow], typed: typed.value.trim()});
      await open('send', true);
    }), {id: 'send'});
    const ready = () => {
      send.disabled = p.reach.some(r => r.needs && !allow.has(r.effect)) || p.cancels > 0 && typed.value.trim() !== String(p.cancels);
      if (p.apply) $('command').textContent = visible(p.apply + (allow.size ? ' --allow ' + [...allow].join(',') : ''));
    };
    const list = el('ul', {class: 'ops'}), out = new Map(), quiet = (words, click, props) => act(words, click, {class: 'quiet', ...props});
    const less = quiet('', () => again({leave: [...p.leave, ...out.values()]}), {id: 'less', hidden: true}), more = quiet('Show more', () => load());
    const load = async () => {
      const w = await ops(list.children.length, 100);
      list.append(...w.rows.map(o => line(o, p.of_file && p.apply && (on => {
        on ? out.delete(o.sheet + o.row) : out.set(o.sheet + o.row, {sheet: o.sheet, row: o.row});
        less.hidden = !out.size;
        less.textContent = `Plan again without ${count(out.size, 'row')}`;
      }))));
      more.hidden = list.children.length >= w.total;
    };
    fill(box, failed, p.refusal ? failure(p.refusal) : null,
      p.of_file && doc.exit.reason === 'invalid' ? bar(act('Leave the rows with mistakes out', () => again({skip_invalid: true}))) : null,
      el('div', {class: 'lead bar'}, el('b', {id: 'totals'}, capital(p.totals)), p.of_file ? quiet('Plan again', () => again({})) : null, p.leave.length ? quiet(`Take ${count(p.leave.length, 'row')} back in`, () => again({leave: []})) : null),
      p.guards.length ? bar(...p.guards.map(g => el('label', {class: 'small'}, el('meter', {max: Math.max(g.limit, g.rows), value: g.rows}), ' ' + g.words))) : null,
      p.fields.length ? el('p', {class: 'shares small'}, ...p.fields.map(f => el('span', {class: f.doubt ? 'doubt' : null}, el('b', {}, friendly(f.field)), ` changes in ${number(f.changes)} of ${number(f.of)}`, f.doubt ? ': is a column out of step?' : ''))) : null,
      ...(doc.notes || []).map(words => el('p', {class: 'alert mild'}, visible(words))),
      p.reach.length ? card('What it does to people', ...p.reach.map(r => el('div', {'data-effect': r.effect}, el('label', {},
        r.needs ? [el('input', {type: 'checkbox', disabled: !r.may, on: {change: e => { allow[e.target.checked ? 'add' : 'delete'](r.effect); ready(); }}}), ' '] : null, capital(r.words)),
      r.effect === 'cancel' && p.cancels ? el('label', {class: 'bar'}, 'To cancel, type the number of events ', typed) : null,
      r.needs && !r.may ? el('p', {class: 'small'}, 'It may not be ticked here: open the file with ', el('code', {}, '--allow ' + r.effect)) : null))) : null,
      conflicts(quiet), list, bar(more, less), p.apply ? el('p', {class: 'bar sends'}, send) : null);
    ready();
    await load();
  }

  function conflicts(quiet) {
    if (!p.contested && !p.decided.length) return null;
    const said = new Map(), go = act('Plan by these decisions', () => again({decisions: [...said.values()]}), {id: 'decide', hidden: true});
    const choose = (c, decision) => {
      said.set(c, {key: c.key, event_id: c.event_id, field: c.field, decision});
      go.hidden = false;
    };
    const of = f => p.conflicts.filter(c => c.field === f), lines = p.conflicts.map((c, i) => el('fieldset', {class: 'conflict'},
      el('legend', {}, c.field ? friendly(c.field) + ' of ' : 'Cancelled on the platform: ', el('b', {}, visible(c.title))),
      ...sides.map(([who, words]) => el('label', {}, el('input', {type: 'radio', name: 'c' + i, value: who, on: {change: () => choose(c, who)}}), ` ${words} `, c.field && who !== 'leave' ? el('q', {}, visible(who === 'mine' ? c.ours : c.theirs)) : null)),
      c.was === null ? null : el('span', {class: 'small'}, 'last agreed ', el('q', {}, visible(c.was)))));
    return card(`In conflict: ${number(p.contested)}`,
      ...[...new Set(p.conflicts.map(c => c.field))].filter(f => f && of(f).length > 1).map(f => bar(`All ${of(f).length} of ${friendly(f)}:`, ...sides.map(([who, words]) => quiet(words, () => of(f).forEach(c => {
        lines[p.conflicts.indexOf(c)].querySelector(`[value=${who}]`).checked = true;
        choose(c, who);
      }), {'data-all': f + ':' + who})))), ...lines, go,
      ...p.decided.map(({key, event_id, field, decision}) => bar(`${friendly(field) || 'What is cancelled'} of ${visible(key)}: ${Object.fromEntries(sides)[decision]}`,
        quiet('Take back', () => again({decisions: [{key, event_id, field, decision: ''}]})))));
  }
  await show();
}

// line is what becomes of a row, or became of it; with a tick that takes it out.
export function line(o, tick) {
  return el('li', {class: o.action, 'data-row': o.row}, tick && o.row ? el('input', {type: 'checkbox', checked: true, 'aria-label': `Send row ${o.row}`, on: {change: e => tick(e.target.checked)}}) : null,
    el('b', {class: 'sign'}, o.sign, el('span', {class: 'sr'}, o.does)), ' ', el('b', {}, visible(o.title)), el('span', {class: 'small'}, ' ', visible(o.words)),
    ...(o.fields || []).map(f => el('div', {class: 'change'}, friendly(f.field), ' ', f.before === null ? null : [el('q', {}, visible(f.before)), ' → '], el('q', {}, visible(f.after)), f.note ? ` (${visible(f.note)})` : '')));
}
