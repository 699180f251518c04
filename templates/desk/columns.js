// Which column feeds which field: the document of map.
import {count, el, letters, number} from './dom.js';
import {columns} from './net.js';
import {openOf} from './readings.js';
import {failure, fill, friendly, readBy, rowsOf, table, visible} from './words.js';

export async function draw(box, state) {
  const doc = await columns(state.generation);
  if (!doc.lines) return fill(box, failure(doc.exit));
  const sheet = state.sheets.find(s => s.name === doc.sheet), feeds = new Map(), left = new Map(doc.ignored.map(i => [i.header, i.reason]));
  const header = sheet ? sheet.header : [...new Set([...doc.lines.flatMap(l => l.columns), ...doc.questions.flatMap(q => q.columns), ...left.keys()])];
  for (const line of doc.lines) for (const c of line.columns) feeds.set(c, [...feeds.get(c) || [], line]);
  const open = openOf(doc).length;
  fill(box, 
    el('p', {class: 'lead'}, `${rowsOf(doc.rows)} below the header in row ${doc.header_row}`,
      doc.sheet ? [' of the sheet ', el('b', {}, visible(doc.sheet))] : null,
      doc.source ? `. The columns are those that the preset ${doc.source} reads.` : '.'),
    readBy(state), state.by ? el('p', {class: 'lead'}, 'Here is what map would have the columns feed by itself.') :
      open ? el('p', {class: 'alert mild'}, `${count(open, 'question')} open: see Readings.`) : null,
    el('section', {'aria-labelledby': 'h-columns'},
      el('h2', {id: 'h-columns'}, 'Columns'),
      table('h-columns', ['Column', 'Feeds', 'Why', 'Examples, and what they become'],
        header.map((name, i) => row(name, sheet ? letters(i) : '', feeds.get(name), left.get(name), doc.shapes)))),
    settings(doc));
}

function row(name, letter, lines, reason, shapes) {
  const own = shapes.filter(s => s.column === name), fed = lines && lines.length;
  return [[el('span', {class: 'letter'}, letter), name ? visible(name) : el('i', {}, 'no header')],
    fed ? lines.map(l => el('span', {class: 'field', title: l.at}, friendly(l.at))) : el('span', {class: 'why'}, 'left behind'),
    el('div', {class: 'why'}, fed ? [...new Set(lines.map(l => l.reason))].map(r => el('div', {}, visible(r))) : visible(reason || 'no field of an event'),
      fed ? lines.filter(l => l.doubt).map(l => el('div', {class: 'doubt'}, visible(l.doubt))) : null),
    own.length ? el('ul', {class: 'shapes'}, ...own.slice(0, 4).map(shape),
      own.length > 4 ? el('li', {class: 'small'}, `and ${number(own.length - 4)} more`) : null) : null];
}

const shape = s => el('li', {class: s.asked || s.refused ? 'asks' : null},
  el('q', {}, visible(s.example)), s.becomes && s.becomes !== s.example ? [' becomes ', el('b', {}, visible(s.becomes))] : null,
  s.asked ? ' has more than one reading' : s.refused ? ' cannot be read' : null,
  el('span', {class: 'n'}, `${number(s.count)}×`));

function settings(doc) {
  const lines = doc.lines.filter(l => !l.columns.length);
  if (!lines.length) return null;
  return el('section', {}, el('h2', {}, 'Of the whole file'),
    el('dl', {class: 'facts'}, ...lines.map(l => el('div', {}, el('dt', {}, friendly(l.at)), el('dd', {}, visible(l.reason))))));
}
