// What the report says.
const data = JSON.parse($('data').textContent);
const engineer = data.for === 'engineer';
const groups = data.groups.map((g, index) => ({...g, index, code: data.codes[g.code], problems: []}));

const absent = {line: 0, action: '', status: '', reason: '', name: '', start: null, end: null, zone: '', calendar: '', key: '', id: '', url: '', cells: null, changes: null};
const rows = data.rows.map(r => ({...absent, ...r, problems: []}));
const rowAt = new Map(rows.map(r => [r.source + ':' + r.number, r]));

const problems = [];
function addProblem(p, row) {
  const group = groups[p.group], shown = row && row.cells && row.cells[group.column];
  const problem = {
    hint: '', instead: '', index: problems.length, ...p, group, row, value: p.value || shown || '',
    number: row ? row.number : p.number || 0, line: row ? row.line : p.line || 0,
  };
  problems.push(problem);
  group.problems.push(problem);
  if (row) row.problems.push(problem);
}
for (const p of data.problems) addProblem(p, rowAt.get(groups[p.group].source + ':' + p.number) || null);
data.rows.forEach((r, i) => { for (const p of r.problems || []) addProblem(p, rows[i]); });

// place names a cell as a spreadsheet does: Events!F19.
const severalFiles = new Set(data.sources.map(s => s.file)).size > 1;
function place(source, number, column) {
  const s = data.sources[source];
  const where = !s || !engineer && data.sources.length === 1 ? '' : s.sheet ? (severalFiles ? s.file + ':' : '') + s.sheet + '!' : severalFiles ? s.file + ' ' : '';
  if (!number) return where.replace(/[! ]$/, '');
  return where + (column >= 0 ? letters(column) + number : (where.endsWith('!') ? '' : 'row ') + number);
}

const placeOf = p => place(p.group.source, p.number, p.group.column) || p.group.place || (data.sources[p.group.source] || {}).file || 'whole file';
const header = (source, column) => ((data.sources[source] || {}).header || [])[column] || '';
const columnName = g => g.column < 0 ? '' : header(g.source, g.column) || g.header || g.field;
const plain = word => Object.hasOwn(data.words, word) ? data.words[word] : word.replaceAll('_', ' ');

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const two = n => String(n).padStart(2, '0');
const weekday = day => ((day + 3) % 7 + 7) % 7; // 1 January 1970 was a Thursday

function date(day) {
  const d = new Date(day * 864e5);
  return `${weekdays[weekday(day)]} ${d.getUTCDate()} ${months[d.getUTCMonth()].slice(0, 3)} ${d.getUTCFullYear()}`;
}
const clock = minutes => two(Math.floor(minutes / 60) % 24) + ':' + two(minutes % 60);
const dayOf = r => r.start === null ? null : Math.floor(r.start / 1440);

function span(r) {
  if (r.start === null) return '';
  const day = dayOf(r), words = date(day) + ', ' + clock(r.start - day * 1440);
  if (r.end === null) return words;
  const last = Math.floor((r.start + r.end) / 1440);
  return words + '–' + (last === day ? '' : date(last) + ', ') + clock(r.start + r.end - last * 1440);
}

const chip = word => word ? el('span', {class: 'chip', 'data-word': word}, plain(word)) : null;

function svg(tag, props, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(props || {})) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// link leads to an event's page if the address is one of the web.
function link(address, words) {
  if (!/^https?:\/\//i.test(address)) return words;
  return el('a', {href: address, rel: 'noopener noreferrer', target: '_blank'}, words);
}
