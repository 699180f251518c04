// The problems as things to do, for who has the file open: a card for each rule and column,
// in it the cells by what they say.
const cellsFirst = 16, cellsPrinted = 200, linesFirst = 6, valuesFirst = 5;
const done = new Set(), keptUnder = 'report-done ' + document.body.dataset.kept;
try { for (const key of JSON.parse(localStorage.getItem(keptUnder)) || []) done.add(key); } catch { /* a private window keeps nothing */ }

function tick(key, on) {
  if (on) done.add(key); else done.delete(key);
  try { localStorage.setItem(keptUnder, JSON.stringify([...done])); } catch { /* likewise */ }
  drawDone();
}

const cardsOf = () => rules.flatMap(rule => rule.parts.map(part => part.key));

function drawDone() {
  const all = cardsOf(), n = all.filter(key => done.has(key)).length, note = $('done');
  if (note) note.textContent = n === 0 ? 'Tick what is done: this browser keeps it.' : n === all.length ? 'All done: have the file checked again.' : `${n} of ${all.length} done`;
}

// shape is what values have in common that are mended alike: 14h and 17h.
const shape = value => value.toLowerCase().replace(/\d+/g, '0').replace(/\s+/g, ' ').trim();

// said is what a message says of its value, and whole whether it says the value too.
function said(p) {
  const quoted = `"${p.value}" `;
  return p.value && p.message.startsWith(quoted) ? p.message.slice(quoted.length) : p.message;
}

const sentence = text => text.charAt(0).toUpperCase() + text.slice(1);

function drawCards() {
  const kinds = [rules.filter(r => r.severity === 0), rules.filter(r => r.severity === 1)];
  return [el('p', {class: 'small screen', id: 'done'}), ...kinds.flatMap((list, severity) => [
    list.length && kinds[0].length && severity ? el('h3', {class: 'kinds'}, 'Worth a look') : null,
    ...list.flatMap(rule => rule.parts.map(part => drawCard(rule, part)))].filter(Boolean))];
}

function drawCard(rule, part) {
  const g = part.group || rule.parts[0].hits[0].group, key = part.key, hits = part.hits, total = part.group && !filtered() ? part.group.total : hits.length;
  const messages = new Set(hits.map(said)), usual = messages.size < 3 && hits.length ? said(hits[0]) : '';
  const title = !usual ? rule.code.title || rule.code.code : usual === hits[0].message || new Set(hits.map(p => p.value)).size === 1 ? hits[0].message : 'the value ' + usual;
  const column = part.group && g.column >= 0 ? ['Column ' + letters(g.column), columnName(g) ? ': ' : null, el('bdi', {}, columnName(g))] : [];
  const sheet = data.sources.length > 1 && part.group ? [column.length ? ' · ' : '', place(g.source, 0, -1)] : [];
  const name = 'card' + key.replace(/\W/g, '-');
  const box = el('input', {type: 'checkbox', id: name, checked: done.has(key), change: () => { card.classList.toggle('done', box.checked); tick(key, box.checked); }});
  const rowsOf = el('div', {class: 'inside', hidden: true});
  const toggle = button({class: 'link screen', 'aria-expanded': 'false', click: () => unfold(rowsOf.hidden)});
  const unfold = on => {
    rowsOf.hidden = !on;
    if (!found.printing) opened[on ? 'add' : 'delete'](key);
    if (on && !rowsOf.hasChildNodes()) rowsOf.append(drawPart(rule, part));
    toggle.setAttribute('aria-expanded', String(on));
    toggle.replaceChildren(on ? 'Hide the rows' : hits.length === 1 ? 'Show the row' : 'Show the rows');
  };
  part.unfold = () => unfold(true);
  unfold(opened.has(key) && !found.printing);
  const card = el('article', {class: `card ${rule.severity ? 'warning' : 'error'}${done.has(key) ? ' done' : ''}`, 'data-code': rule.code.code},
    el('h3', {}, box, el('label', {for: name}, el('span', {class: 'title'}, sentence(title)), el('span', {class: 'columns'}, column, sheet)),
      hits.some(p => p.number) ? el('span', {class: 'badge'}, count(total, hits.some(p => p.group.column >= 0) ? 'cell' : 'row')) : null),
    el('div', {class: 'do'}, advices(hits, usual),
      total > hits.length ? el('p', {class: 'small'}, `${number(total - hits.length)} more are not in this page.`) : null,
      hits.some(p => p.row) ? toggle : null), rowsOf);
  return card;
}

// advices are what to do, each once, with the cells that it is for.
function advices(hits, usual) {
  const hints = new Map();
  for (const p of hits) {
    const hint = p.instead ? 'write what the arrow points to' : p.hint, lines = hints.get(hint) || new Map(), key = shape(p.value) + '\n' + said(p);
    hints.set(hint, lines);
    lines.set(key, [...lines.get(key) || [], p]);
  }
  return [...hints].map(([hint, lines]) => {
    const sorted = [...lines.values()].sort((a, b) => b.length - a.length), list = el('ul', {class: 'shapes'});
    const more = button({class: 'link screen', click: () => { show(sorted.length); }});
    const show = upTo => {
      list.append(...sorted.slice(list.childElementCount, upTo).map(l => shapeLine(l, usual)));
      more.hidden = list.childElementCount === sorted.length;
      more.textContent = `${number(sorted.length - list.childElementCount)} more like these`;
    };
    show(found.printing ? cellsPrinted : sorted.length <= linesFirst + 2 ? sorted.length : linesFirst);
    return el('div', {class: 'advice'}, hint ? el('p', {class: 'hint'}, sentence(hint)) : null, list, more);
  });
}

// shapeLine lists what cells say that are mended alike, and where they are; a message that
// is not the usual one of the card as well.
function shapeLine(hits, usual) {
  const values = [...new Map(hits.map(p => [p.value, p.instead]))], left = values.length - valuesFirst, code = text => el('code', {}, el('bdi', {}, text));
  const shown = (left > 1 ? values.slice(0, valuesFirst) : values).flatMap(([v, instead], i) => [i ? ', ' : null, v ? code(v) : null, instead ? [' → ', code(instead)] : null].flat());
  const at = cellsOf(hits), message = said(hits[0]) === usual ? '' : said(hits[0]);
  return el('li', {hidden: !values.some(([v]) => v) && !at && !message}, shown, left > 1 ? ` and ${number(left)} more` : null, message ? [' ', el('span', {}, message)] : null, ' ', at);
}

// cellsOf lists cells as a person writes them down: G2–G4, G7.
function cellsOf(hits) {
  const runs = [];
  for (const p of hits) {
    const last = runs.at(-1);
    if (last && p.number && last.group === p.group && last.to + 1 === p.number) last.to = p.number;
    else runs.push({group: p.group, from: p.number, to: p.number, p});
  }
  if (data.sources.length < 2 && !hits.some(p => p.number)) return null;
  const name = (g, n) => g.column >= 0 ? letters(g.column) + n : 'row ' + n;
  const words = r => !r.from ? placeOf(r.p) : r.from === r.to ? name(r.group, r.from) : name(r.group, r.from) + '–' + (r.group.column >= 0 ? name(r.group, r.to) : r.to);
  const box = el('span', {class: 'at'}), most = found.printing ? cellsPrinted : cellsFirst;
  const show = upTo => box.replaceChildren(runs.slice(0, upTo).map(words).join(', '), ...(runs.length > upTo ? [' ', el('span', {class: found.printing ? '' : 'screen'},
    button({class: 'link', click: () => show(runs.length)}, `and ${number(runs.length - upTo)} more`))] : []));
  show(runs.length > most + 3 ? most : runs.length);
  return box;
}
