// The runs of the workspace: the documents of runs and show.
import {button, el, number} from './dom.js';
import {run, runs} from './net.js';
import {capital, failure, fill, visible} from './words.js';

export async function draw(box) {
  const doc = await runs();
  if (!doc.runs) return fill(box, failure(doc.exit || {}));
  const one = el('div', {class: 'run'});
  fill(box, el('section', {}, el('h2', {id: 'h-runs'}, 'Runs', el('span', {class: 'n'}, number(doc.runs.length))),
    doc.runs.length ? el('div', {class: 'wide', tabindex: '0', role: 'region', 'aria-labelledby': 'h-runs'}, el('table', {class: 'plain'},
      el('thead', {}, el('tr', {}, ...['Run', 'When', 'Command', 'Files', 'State', 'Rows'].map(h => el('th', {scope: 'col'}, h)))),
      el('tbody', {}, ...doc.runs.map(r => el('tr', {},
        el('th', {scope: 'row'}, button({class: 'link', on: {click: () => open(one, r.run)}}, visible(r.run))),
        el('td', {}, when(r.created)), el('td', {}, visible(r.command)), el('td', {}, visible(r.files.map(f => f.split(/[\\/]/).pop()).join(', '))),
        el('td', {}, visible(r.state)),
        el('td', {}, totals(r.rows))))))) : el('p', {class: 'empty'}, 'Nothing was sent from this folder yet.')), one);
}

const when = at => new Date(at).toLocaleString('en-GB', {dateStyle: 'medium', timeStyle: 'short'});
const totals = rows => rows ? Object.entries(rows).filter(([word, n]) => n && word !== 'resources').map(([word, n]) => `${number(n)} ${visible(word.replaceAll('_', ' '))}`).join(' · ') : '';

async function open(box, id) {
  const doc = await run(id);
  if (!doc.rows) return fill(box, failure(doc.exit || {}));
  fill(box, el('h2', {}, visible(id)), el('p', {}, totals(doc.rows)),
    el('p', {class: 'small'}, 'Each row: ', el('code', {}, 'eventbatch show ' + visible(id))));
  box.scrollIntoView({block: 'nearest'});
}
