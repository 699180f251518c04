// Which problems and rows are asked for.
const facets = ['severity', 'code', 'column', 'status', 'action'];
const filter = {text: '', severity: '', code: '', column: '', status: '', action: '', day: null};
const found = {problems: new Set(), rows: [], printing: false};

const columnKey = g => g.source + ':' + g.column;
for (const r of rows) {
  r.hay = [r.name, r.key, r.id, r.calendar, r.reason, span(r), place(r.source, r.number, -1), r.zone, ...(r.cells || []),
    ...(r.changes || []).flatMap(c => [c.field, c.before, c.after])].join('\n').toLowerCase();
}
for (const p of problems) {
  p.hay = [p.message, p.hint, p.value, placeOf(p), p.group.code.code, p.group.code.title, columnName(p.group), p.group.field].join('\n').toLowerCase();
}

function select() {
  const terms = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const narrow = filter.severity !== '' || filter.code || filter.column;
  const ofRow = filter.status || filter.action || filter.day !== null;
  const groupFits = groups.map(g => (filter.severity === '' || String(g.severity) === filter.severity) &&
    (!filter.code || g.code.code === filter.code) && (!filter.column || columnKey(g) === filter.column));
  for (const r of rows) {
    r.fits = (!filter.status || r.status === filter.status) && (!filter.action || r.action === filter.action) &&
      (filter.day === null || dayOf(r) === filter.day);
    r.says = r.fits && terms.every(t => r.hay.includes(t));
    r.hit = !narrow && r.says;
  }
  found.problems = new Set();
  for (const p of problems) {
    const r = p.row;
    if (!groupFits[p.group.index] || (r ? !r.fits : ofRow)) continue;
    if (r && r.says || terms.every(t => p.hay.includes(t) || r && r.hay.includes(t))) {
      found.problems.add(p);
      if (r) r.hit = true;
    }
  }
  found.rows = rows.filter(r => r.hit);
}

const filtered = () => filter.text.trim() !== '' || filter.day !== null || facets.some(f => filter[f] !== '');

// choices fills the menus with what there is, each with its number of problems or rows.
function choices() {
  const tally = (list, key, label, n) => {
    const seen = new Map();
    for (const item of list) {
      const k = key(item);
      if (k === '') continue;
      if (!seen.has(k)) seen.set(k, {label: label(item), n: 0});
      seen.get(k).n += n(item);
    }
    return seen;
  };
  const sheet = g => data.sources.length > 1 && data.sources[g.source] ? ' · ' + place(g.source, 0, -1) : '';
  const one = () => 1, total = g => g.total;
  const lists = {
    severity: tally(groups, g => String(g.severity), g => engineer ? g.severity ? 'Warnings' : 'Errors' : g.severity ? 'Worth a look' : 'To mend', total),
    code: tally(groups, g => g.code.code, g => g.code.code, total),
    column: tally(groups, columnKey, g => g.column < 0 ? 'No one column' + sheet(g) : letters(g.column) + ' ' + columnName(g).slice(0, 40) + sheet(g), total),
    status: tally(rows, r => r.status, r => plain(r.status), one),
    action: tally(rows, r => r.action, r => plain(r.action), one),
  };
  for (const [name, seen] of Object.entries(lists)) {
    const menu = $('by-' + name);
    menu.append(el('option', {value: ''}, 'All'));
    const sorted = name === 'column' ? [...seen].sort((a, b) => a[0].localeCompare(b[0], 'en', {numeric: true})) : [...seen].sort((a, b) => b[1].n - a[1].n);
    for (const [value, c] of sorted) menu.append(el('option', {value}, `${c.label} (${number(c.n)})`));
    menu.parentElement.hidden = seen.size < 2 || !engineer && (name === 'code' || name === 'action');
    menu.addEventListener('change', () => { filter[name] = menu.value; apply(); });
  }
}

function answer() {
  const n = found.problems.size, all = data.severity[0] + data.severity[1];
  let words = all === 0 ? 'No problems' : filtered() ? `${number(n)} of ${count(problems.length, 'problem')}` : count(all, 'problem');
  if (rows.length) words += ' · ' + (filtered() ? `${number(found.rows.length)} of ${count(rows.length, 'row')}` : count(data.read, 'row'));
  if (filter.day !== null) words += ' · ' + date(filter.day);
  $('answer').textContent = words;
  $('asked').textContent = filtered() ? 'Only what fits a filter is printed: ' + words : '';
  $('clear').hidden = !filtered();
}
