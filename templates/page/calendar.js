// The calendar: how many events begin each day, by what happens to them.
const days = new Map(), byMonth = new Map(), muted = new Set();
{
  let at = 0;
  data.days.at.forEach((distance, i) => {
    at += distance;
    const n = data.days.n.map(list => list[i]);
    let month = at;
    if (data.days.unit === 'day') {
      const d = new Date(at * 864e5);
      month = d.getUTCFullYear() * 12 + d.getUTCMonth();
      days.set(at, n);
    }
    const sum = byMonth.get(month);
    byMonth.set(month, sum ? sum.map((v, w) => v + n[w]) : n);
  });
}
const grids = 6, fewMonths = 18, fewYears = 20;
let everyMonth = false, chosenMonth = null;

const visibleSum = n => n.reduce((sum, v, w) => muted.has(w) ? sum : sum + v, 0);
const parts = n => n.map((v, w) => [v, w]).filter(([v, w]) => v && !muted.has(w)).sort((a, b) => b[0] - a[0]);
const breakdown = n => parts(n).map(([v, w]) => `${number(v)} ${plain(data.days.words[w])}`).join(', ');

// heat gives a day or month its colour: that of what happens most, the stronger the more.
function heat(e, n, most) {
  const sum = visibleSum(n), list = parts(n);
  if (!sum) return e;
  e.dataset.word = data.days.words[list[0][1]];
  e.dataset.heat = Math.max(1, Math.ceil(5 * Math.sqrt(sum / most)));
  if (list.length > 1) {
    const bar = el('span', {class: 'mix', 'aria-hidden': 'true'});
    for (const [v, w] of list) {
      const piece = el('span', {'data-word': data.days.words[w]});
      piece.style.setProperty('flex-grow', v);
      bar.append(piece);
    }
    e.append(bar);
  }
  return e;
}

function monthGrid(month, most) {
  const year = Math.floor(month / 12), m = month % 12;
  const from = Date.UTC(2000, m, 1), start = new Date(from);
  start.setUTCFullYear(year);
  const day = start.getTime() / 864e5, length = new Date(Date.UTC(year < 100 ? year + 400 : year, m + 1, 0)).getUTCDate();
  const cells = Array.from({length: weekday(day)}, () => el('span', {class: 'pad'}));
  for (let d = 0; d < length; d++) {
    const n = days.get(day + d), sum = n ? visibleSum(n) : 0;
    const label = el('span', {class: 'd'}, d + 1);
    if (!sum) { cells.push(el('span', {class: 'day'}, label)); continue; }
    const tip = `${date(day + d)}\n${count(sum, 'event')}: ${breakdown(n)}`;
    cells.push(heat(button({class: 'day', tabindex: '-1', 'data-day': day + d, 'data-tip': tip, 'aria-label': tip.replace('\n', ': ')}, label, el('span', {class: 'c'}, number(sum))), n, most));
  }
  return el('div', {class: 'month'}, el('h3', {}, `${months[m]} ${year}`, el('span', {class: 'n'}, number(visibleSum(byMonth.get(month))))),
    el('div', {class: 'week', 'aria-hidden': 'true'}, weekdays.map(w => el('span', {}, w.slice(0, 2)))), el('div', {class: 'grid'}, cells));
}

function yearTable(most) {
  const years = [...new Set([...byMonth.keys()].map(m => Math.floor(m / 12)))];
  const shown = everyMonth || found.printing ? years : years.slice(0, fewYears);
  const lines = shown.map(year => el('tr', {}, el('th', {scope: 'row'}, year), months.map((name, m) => {
    const n = byMonth.get(year * 12 + m), sum = n ? visibleSum(n) : 0;
    if (!sum) return el('td');
    const tip = `${name} ${year}\n${count(sum, 'event')}: ${breakdown(n)}`;
    return el('td', {}, heat(button({class: 'day', tabindex: '-1', 'data-month': year * 12 + m, 'data-tip': tip, 'aria-label': tip.replace('\n', ': ')}, el('span', {class: 'c'}, number(sum))), n, most));
  })));
  return [el('div', {class: 'scroll'}, el('table', {class: 'years'}, el('thead', {}, el('tr', {}, el('td'), months.map(m => el('th', {scope: 'col'}, m.slice(0, 3))))), el('tbody', {}, lines))),
    shown.length < years.length ? button({class: 'quiet screen', click: () => { everyMonth = true; drawCalendar(); }}, `Show all ${years.length} years`) : null];
}

function drawCalendar() {
  $('calendar').hidden = byMonth.size === 0;
  if (!byMonth.size) return;
  const largest = map => Math.max(4, ...[...map.values()].map(visibleSum));
  const legend = el('div', {class: 'legend', role: 'group', 'aria-label': 'What is counted'}, data.days.words.map((word, w) => {
    const sum = data.days.n[w].reduce((a, b) => a + b, 0);
    return button({'aria-pressed': String(!muted.has(w)), 'data-word': word, click: () => { if (!muted.delete(w)) muted.add(w); drawCalendar(); $('calendar').querySelectorAll('.legend button')[w].focus(); }},
      el('span', {class: 'swatch'}), plain(word), el('span', {class: 'n'}, number(sum)));
  }));
  const notes = ['Each event is counted on the day on which it begins, in its own time zone.'];
  const keys = [...byMonth.keys()].sort((a, b) => a - b), content = [];
  if (data.days.unit === 'day' && keys.length <= fewMonths) {
    const shown = everyMonth || found.printing ? keys : keys.slice(0, grids), most = largest(days);
    if (keys.at(-1) - keys[0] >= keys.length) notes.push('Months without events are left out.');
    content.push(el('div', {class: 'months'}, shown.map(m => monthGrid(m, most))));
    if (shown.length < keys.length) content.push(button({class: 'quiet screen', click: () => { everyMonth = true; drawCalendar(); }}, `Show all ${keys.length} months`));
  } else {
    content.push(...yearTable(largest(byMonth)));
    if (chosenMonth !== null && days.size) content.push(el('div', {class: 'months'}, monthGrid(chosenMonth, largest(days))));
  }
  if (data.days.none) notes.push(`${count(data.days.none, 'row')} ${data.days.none === 1 ? 'gives' : 'give'} no start.`);
  if (data.days.left) notes.push(`${count(data.days.left, 'event')} in later months ${data.days.left === 1 ? 'is' : 'are'} not drawn.`);
  $('calendar').querySelector('.body').replaceChildren(legend, ...content.filter(Boolean), el('p', {class: 'small'}, notes.join(' ')));
  const stop = $('calendar').querySelector('.day[data-tip]');
  if (stop) stop.tabIndex = 0;
}

$('calendar').addEventListener('click', e => {
  const cell = e.target.closest('button.day');
  if (!cell) return;
  if (cell.dataset.month) { chosenMonth = Number(cell.dataset.month); drawCalendar(); return; }
  const day = Number(cell.dataset.day);
  filter.day = filter.day === day ? null : day;
  apply();
  if (filter.day === null) return;
  fold('rows', false);
  $('rows').scrollIntoView();
});

$('calendar').addEventListener('keydown', e => {
  const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7}[e.key], cell = e.target.closest('button.day');
  if (!by || !cell) return;
  e.preventDefault();
  const all = [...$('calendar').querySelectorAll('button.day')], i = all.indexOf(cell);
  const key = b => Number(b.dataset.day || b.dataset.month) - Number(cell.dataset.day || cell.dataset.month);
  const to = Math.abs(by) === 1 ? all[i + by] : by > 0 ? all.find(b => key(b) >= (cell.dataset.month ? 12 : 7)) : all.findLast(b => key(b) <= -(cell.dataset.month ? 12 : 7));
  if (to) { cell.tabIndex = -1; to.tabIndex = 0; to.focus(); }
});
