// The rows: what changes in them, and all of them in pages.
const inPage = 50, changesFirst = 10, changesPrinted = 40, rowsPrinted = 100;
let pageOf = 0, changesShown = changesFirst;

// differ marks what of a text is not in the other one.
function differ(one, other, tag) {
  let a = 0, b = 0;
  const short = Math.min(one.length, other.length);
  while (a < short && one[a] === other[a]) a++;
  while (b < short - a && one[one.length - 1 - b] === other[other.length - 1 - b]) b++;
  // Half a word or number marked would be read wrong.
  const letter = c => c !== undefined && /[\p{L}\p{N}]/u.test(c);
  const inside = (at, back) => letter(one[at]) && (letter(one[at + back]) || letter(other[at + back + (back < 0 ? other.length - one.length : 0)]));
  while (a > 0 && inside(a - 1, 1)) a--;
  while (b > 0 && inside(one.length - b, -1)) b--;
  const middle = one.slice(a, one.length - b);
  if (!middle || a + b < one.length / 4) return [el('bdi', {}, one)];
  return [el('bdi', {}, one.slice(0, a), el(tag, {}, middle), one.slice(one.length - b))];
}

const blank = (text, drawn) => text === '' ? el('i', {}, 'blank') : drawn || el('bdi', {}, text);

const sent = c => [
  el('td', {class: 'before'}, c.known ? blank(c.before, differ(c.before, c.after, 'del')) : el('i', {}, 'not known')),
  el('td', {class: 'after'}, blank(c.after, c.known ? differ(c.after, c.before, 'ins') : null))];

// held draws a field that is not sent: what is there, and what the file has instead.
const held = c => [
  el('td', {class: 'before'}, c.fate === 'stays' ? 'stays ' : 'there: ', c.known ? blank(c.before) : el('i', {}, 'not known')),
  el('td', {class: 'after'}, c.fate === 'stays' && c.after === '' ? null : [c.fate === 'stays' ? 'not ' : 'in the file: ', blank(c.after)], el('small', {}, c.note))];

function drawChanges() {
  const any = rows.some(r => r.changes), list = found.rows.filter(r => r.changes);
  $('changes').hidden = !any;
  if (!any) return;
  const shown = list.slice(0, found.printing ? changesPrinted : changesShown), left = list.length - shown.length;
  const cards = shown.map(r => el('article', {class: 'change'},
    el('h3', {}, el('span', {class: 'place'}, place(r.source, r.number, -1)), el('bdi', {}, link(r.url, r.name || r.key || r.id || 'event')), data.run ? chip(r.status) : chip(r.action)),
    el('table', {class: 'diff'}, el('thead', {class: 'sr'}, el('tr', {}, ['Field', 'Before', 'After'].map(w => el('th', {scope: 'col'}, w)))),
      el('tbody', {}, r.changes.map(c => el('tr', {class: c.fate || null}, el('th', {scope: 'row'}, c.field), ...c.fate ? held(c) : sent(c)))))));
  const rest = left > 0 ? el('p', {class: 'rest'}, el('span', {class: 'screen'}, button({class: 'quiet', click: () => { changesShown += next; drawChanges(); }}, `Show ${number(Math.min(left, next))} more`)), `${number(left)} of ${number(list.length)} not shown`) : null;
  $('changes').querySelector('.body').replaceChildren(...(cards.length ? cards : [el('p', {class: 'empty'}, 'No changed row fits the filters.')]), ...(rest ? [rest] : []));
}

// A status that says what was done leaves the action nothing to say.
const outcomes = {create: 'created', update: 'updated', cancel: 'cancelled', skip: 'skipped'};
const told = r => !r.status || r.action === r.status || outcomes[r.action] === r.status;

// state is a row's status. A row of a sheet of events that says neither what its event is called
// nor when it is can but change one that is there.
const events = new Set(rows.filter(r => r.start !== null).map(r => r.source)), dated = events.size > 0;
const named = rows.every(r => events.has(r.source)) ? 'Event' : 'Name';
const state = r => events.has(r.source) && r.status === 'valid' && !r.name && r.start === null ? el('span', {class: 'chip'}, 'change only') : chip(!engineer && r.status === 'pending' ? r.action : r.status || r.action);

// faults counts a row's problems in words.
function faults(r) {
  const of = (severity, word, words) => { const n = r.problems.filter(p => p.group.severity === severity).length; return !n ? '' : engineer ? count(n, word) : number(n) + words; };
  return [of(0, 'error', ' to mend'), of(1, 'warning', ' to look at')].filter(Boolean).join(', ');
}

function drawRows() {
  $('rows').hidden = rows.length === 0;
  if (!rows.length) return;
  const size = found.printing ? rowsPrinted : inPage, pages = Math.max(1, Math.ceil(found.rows.length / size));
  pageOf = Math.min(pageOf, pages - 1);
  const from = found.printing ? 0 : pageOf * size, list = found.rows.slice(from, from + size);
  const line = r => {
    const why = r.problems.length ? button({class: 'link', click: () => { const i = order.findIndex(o => o.problem.row === r); if (i >= 0) reveal(cursor = i); }}, faults(r)) : null;
    const reason = why && r.status === 'invalid' ? '' : r.reason; // that there are errors is said already
    return el('tr', {}, el('th', {scope: 'row', 'data-name': 'Row'}, el('span', {class: 'place'}, place(r.source, r.number, -1))),
      el('td', {'data-name': named, class: 'event'}, el('bdi', {}, link(r.url, r.name || '–')), r.key && r.key !== r.name || engineer && (r.id || r.calendar) ? el('small', {}, [r.key === r.name ? '' : r.key, engineer && r.id !== r.key ? r.id : '', engineer ? r.calendar : ''].filter(Boolean).join(' · ')) : null),
      dated ? el('td', {'data-name': 'When', class: r.start === null ? 'when none' : 'when', title: r.zone || null}, span(r) || '–', r.zone ? el('small', {}, r.zone) : null) : null,
      el('td', {'data-name': 'Status'}, state(r), !engineer || told(r) ? null : el('small', {}, plain(r.action))),
      el('td', {'data-name': 'Why'}, why, why && reason ? ': ' : '', reason));
  };
  const table = el('table', {class: 'rows'}, el('thead', {}, el('tr', {}, ['Row', ...dated ? [named, 'When'] : ['Name'], 'Status', 'Why'].map(w => el('th', {scope: 'col'}, w)))), el('tbody', {}, list.map(line)));
  const turn = (by, words) => button({class: 'quiet', disabled: by < 0 ? pageOf === 0 : pageOf >= pages - 1, click: () => { pageOf += by; drawRows(); $('rows').scrollIntoView(); $('rows').focus({preventScroll: true}); }}, words);
  const pager = pages > 1 ? el('p', {class: 'pager'}, el('span', {class: 'screen'}, turn(-1, 'Previous')), el('span', {}, `Rows ${number(from + 1)}–${number(from + list.length)} of ${number(found.rows.length)}`), el('span', {class: 'screen'}, turn(1, 'Next'))) : null;
  $('rows').querySelector('.body').replaceChildren(...(list.length ? [table] : [el('p', {class: 'empty'}, 'No row fits the filters.')]), ...(pager ? [pager] : []));
}
