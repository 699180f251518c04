// The problems: rules, in each its columns, in each its problems with the row's cells.
const first = 6, next = 50, printed = 100;
const narrow = matchMedia('(max-width: 46rem)');
const opened = new Set(), limits = new Map();
let rules = [], order = [];

function arrange() {
  const byCode = new Map();
  for (const g of groups) {
    const hits = g.problems.filter(p => found.problems.has(p));
    if (!hits.length && (filtered() || g.problems.length)) continue;
    const key = g.severity + g.code.code;
    if (!byCode.has(key)) byCode.set(key, {key, code: g.code, severity: g.severity, parts: [], n: 0, total: 0});
    const rule = byCode.get(key);
    rule.parts.push({group: g, hits});
    rule.n += filtered() ? hits.length : g.total;
    rule.total += g.total;
  }
  // What is wrong with a whole file comes before what is wrong with its rows.
  const whole = rule => rule.severity === 0 && rule.parts.every(part => part.hits.every(p => !p.row));
  rules = [...byCode.values()].sort((a, b) => a.severity - b.severity || whole(b) - whole(a) || b.n - a.n || a.code.code.localeCompare(b.code.code));
  for (const rule of rules) {
    // A rule with one problem a column is one list: a heading for each would say it twice.
    if (rule.parts.every(p => p.hits.length <= 1) && rule.parts.length > 1) {
      rule.parts = [{group: null, hits: rule.parts.flatMap(p => p.hits)}];
    }
    rule.parts.sort((a, b) => a.group.source - b.group.source || a.group.column - b.group.column);
    const hint = rule.parts[0].hits[0] ? rule.parts[0].hits[0].hint : '';
    rule.hint = rule.n > 1 && rule.parts.every(p => p.hits.every(h => h.hint === hint)) ? hint : '';
    for (const part of rule.parts) {
      part.key = rule.key + ':' + (part.group ? part.group.index : '');
      part.hits = byHint(part.hits);
    }
  }
  order = rules.flatMap(rule => rule.parts.flatMap(part => part.hits.map(problem => ({problem, rule, part}))));
}

// byHint puts problems with one hint together, which is said once above them.
function byHint(hits) {
  const seen = new Map();
  for (const p of hits) {
    if (!seen.has(p.hint)) seen.set(p.hint, []);
    seen.get(p.hint).push(p);
  }
  return [...seen.values()].flat();
}

function drawProblems() {
  arrange();
  const body = $('problems').querySelector('.body');
  if (!rules.length) {
    body.replaceChildren(el('p', {class: 'empty'}, filtered() && problems.length ? 'No problem fits the filters.' : 'Nothing was found that is wrong.'));
    return;
  }
  body.replaceChildren(...(engineer ? rules.map(drawRule) : drawCards()));
  if (!engineer) drawDone();
}

function drawRule(rule) {
  const open = found.printing || opened.has(rule.key);
  const columns = [...new Set(rule.parts.flatMap(p => p.group ? [p.group] : p.hits.map(h => h.group)).map(g => columnName(g)).filter(Boolean))];
  const inside = el('div', {class: 'inside', id: 'in-' + rule.key, hidden: !open});
  const toggle = button({class: 'head', 'aria-expanded': String(open), 'aria-controls': 'in-' + rule.key, click: () => {
    if (opened.delete(rule.key)) { inside.hidden = true; } else { opened.add(rule.key); fill(); inside.hidden = false; }
    toggle.setAttribute('aria-expanded', String(!inside.hidden));
  }},
  el('span', {class: 'mark', 'aria-hidden': 'true'}), el('span', {class: 'what'},
    el('span', {class: 'title'}, rule.code.title || rule.code.code), el('span', {class: 'columns'}, columns.slice(0, 6).join(', ') + (columns.length > 6 ? ` and ${columns.length - 6} more` : ''))),
  el('code', {}, rule.code.code), el('span', {class: 'badge'}, el('span', {class: 'sr'}, rule.severity ? 'warnings: ' : 'errors: '), number(rule.n)));
  const fill = () => inside.replaceChildren(
    ...(rule.code.explain ? [el('p', {class: 'explain'}, rule.code.explain)] : []),
    ...(rule.code.example ? [el('p', {class: 'example'}, el('b', {}, 'Such as'), ' ', rule.code.example)] : []),
    ...(rule.hint ? [el('p', {class: 'hint'}, rule.hint)] : []),
    ...rule.parts.map(part => drawPart(rule, part)));
  rule.show = () => { if (inside.hidden) toggle.click(); };
  if (open) fill();
  return el('article', {class: 'rule ' + (rule.severity ? 'warning' : 'error'), 'data-code': rule.code.code}, el('h3', {}, toggle), inside);
}

function drawPart(rule, part) {
  const list = el('div', {class: 'list'}), more = el('p', {class: 'rest'});
  part.show = upTo => {
    let limit = Math.min(part.hits.length, Math.max(upTo, list.childElementCount));
    if (part.hits.length - limit < 4) limit = part.hits.length; // a button for so few is no help
    for (let i = list.childElementCount; i < limit; i++) {
      const p = part.hits[i], same = j => part.hits[j] && part.hits[j].hint === p.hint;
      list.append(drawProblem(p, !engineer || rule.hint || same(i - 1) ? '' : same(i + 1) ? 'above' : 'beside'));
    }
    limits.set(part.key, limit);
    const left = part.hits.length - limit;
    more.replaceChildren();
    if (left > 0) more.append(el('span', {class: 'screen'}, button({class: 'quiet', click: () => part.show(limit + next)}, `Show ${number(Math.min(left, next))} more`)), el('span', {}, `${number(left)} of ${number(part.hits.length)} not shown`));
    else if (part.group && !filtered() && part.group.total > part.hits.length) more.append(`${number(part.group.total - part.hits.length)} more of this kind are not in this page.`);
    more.hidden = !more.hasChildNodes();
  };
  part.show(found.printing ? printed : Math.max(first, limits.get(part.key) || 0));
  const g = part.group;
  const heading = engineer && rule.parts.length > 1 && g ? el('h4', {}, g.column >= 0 ? el('b', {class: 'letter'}, letters(g.column)) : null,
    columnName(g) || g.field || place(g.source, 0, -1) || g.place || 'no one column',
    data.sources.length > 1 && (columnName(g) || g.field) ? el('span', {class: 'n'}, place(g.source, 0, -1)) : null, el('span', {class: 'n'}, number(filtered() ? part.hits.length : g.total))) : null;
  return el('section', {class: 'part'}, heading, list, more);
}

// drawProblem draws a problem, its hint beside its message, above it and those after
// it, or not at all.
function drawProblem(p, hint) {
  const where = placeOf(p), file = (data.sources[p.group.source] || {}).file || '';
  const cells = el('div', {class: 'beside'});
  const card = el('div', {class: 'problem', id: 'p' + p.index, tabindex: '-1', role: 'group', 'aria-label': `${p.group.severity ? 'warning' : 'error'} at ${where}: ${p.message}`},
    p.hint && hint === 'above' ? el('p', {class: 'hint'}, p.hint) : null,
    el('div', {class: 'said'},
      el('p', {class: 'where'}, el('span', {class: 'place', title: file && file !== where ? file + ': ' + where : null}, where),
        p.line > 0 && p.line !== p.number ? el('span', {class: 'line'}, 'line ' + number(p.line)) : null,
        p.row && p.row.name ? el('bdi', {class: 'name'}, p.row.name) : null, p.row && data.run ? chip(p.row.status) : null),
      el('p', {class: 'message'}, p.message), p.hint && hint === 'beside' ? el('p', {class: 'hint'}, p.hint) : null,
      p.instead && !p.hint.includes(p.instead) ? el('p', {class: 'hint'}, el('code', {}, el('bdi', {}, p.instead))) : null),
    cells);
  let whole = false;
  const draw = () => cells.replaceChildren(...(whole ? wholeRow(p) : cellsBeside(p)));
  card.toggle = () => { whole = !whole; draw(); };
  cells.addEventListener('click', e => { if (e.target.closest('.whole')) { card.toggle(); card.focus({preventScroll: true}); } });
  draw();
  return card;
}

// cellsBeside shows the offending cell with its neighbours, as the spreadsheet does.
function cellsBeside(p) {
  const r = p.row, c = p.group.column, cells = r && r.cells;
  if (!cells && c < 0) return [];
  const names = (data.sources[p.group.source] || {}).header || [];
  const headerRow = !r && data.sources[p.group.source] && p.number === data.sources[p.group.source].row;
  const value = i => i === c && !cells ? (headerRow ? names[c] : p.value) || '' : cells ? cells[i] || (i === c ? p.value : '') : names[i] || '';
  const width = cells ? Math.max(cells.length, Math.min(names.length, 64)) : headerRow ? names.length : 0;
  let shown = new Set(c >= 0 ? [c] : []);
  for (const i of [c - 1, c + 1, 0, c - 2, c + 2, 1, 2, 3, 4]) if (i >= 0 && i < width && shown.size < (narrow.matches ? 3 : 4)) shown.add(i);
  shown = [...shown].sort((a, b) => a - b);
  const faults = new Set(r ? r.problems.map(q => q.group.column) : []);
  const head = [el('td')], line = [el('th', {scope: 'row'}, p.number || '')];
  shown.forEach((i, n) => {
    const gap = n > 0 && shown[n - 1] !== i - 1 ? ' gap' : '';
    head.push(el('th', {scope: 'col', class: (i === c ? 'bad' : '') + gap}, el('b', {}, letters(i)), el('bdi', {}, headerRow ? '' : names[i] || '')));
    const cell = value(i);
    line.push(el('td', {class: (i === c ? 'bad' : faults.has(i) ? 'also' : '') + gap}, cell === '' ? el('i', {}, 'blank') : el('bdi', {}, cell)));
  });
  const out = [el('div', {class: 'scroll'}, el('table', {class: 'cells' + (c < 0 ? ' bad-row' : '')}, el('caption', {class: 'sr'}, `Cells of row ${p.number}`), el('thead', {}, el('tr', {}, head)), el('tbody', {}, el('tr', {}, line))))];
  if (cells && width > shown.length) out.push(button({class: 'link whole screen', tabindex: '-1'}, `All ${width} cells`));
  return out;
}

function wholeRow(p) {
  const r = p.row, faults = new Set(r ? r.problems.map(q => q.group.column) : []);
  if (!r || !r.cells) return cellsBeside(p);
  const names = (data.sources[r.source] || {}).header || [], width = Math.max(r.cells.length, Math.min(names.length, 64));
  const lines = Array.from({length: width}, (_, i) => el('tr', {class: i === p.group.column ? 'bad' : faults.has(i) ? 'also' : null},
    el('th', {scope: 'row'}, el('b', {}, letters(i)), el('bdi', {}, names[i] || '')), el('td', {}, r.cells[i] ? el('bdi', {}, r.cells[i]) : el('i', {}, 'blank'))));
  return [el('table', {class: 'cells tall'}, el('caption', {class: 'sr'}, `All cells of row ${r.number}`), el('tbody', {}, lines)),
    button({class: 'link whole screen', tabindex: '-1'}, 'Fewer cells')];
}

// reveal opens what hides a problem, and goes to it.
function reveal(i) {
  const {problem, rule, part} = order[i];
  (part.unfold || rule.show)();
  part.show(part.hits.indexOf(problem) + 1);
  const card = $('p' + problem.index);
  card.focus({preventScroll: true});
  const box = card.getBoundingClientRect(), top = $('tools').getBoundingClientRect().bottom + 8;
  if (box.top < top || box.bottom > innerHeight - 8) scrollBy({top: box.top - Math.max(top, (innerHeight - box.height) / 3)});
}

let cursor = -1;
function move(by) {
  if (!order.length) return;
  const here = document.activeElement.closest ? document.activeElement.closest('.problem') : null;
  const i = here ? order.findIndex(o => 'p' + o.problem.index === here.id) : cursor;
  cursor = Math.min(order.length - 1, Math.max(0, i + by));
  reveal(cursor);
}
