// What the reader does, and what is drawn then.
function apply() {
  select();
  pageOf = 0;
  changesShown = changesFirst;
  cursor = -1;
  for (const f of facets) $('by-' + f).value = filter[f];
  limits.clear();
  drawProblems();
  drawChanges();
  drawRows();
  answer();
}

function reset() {
  for (const f of facets) filter[f] = '';
  filter.text = $('search').value = '';
  filter.day = null;
  apply();
}

function tip(words, x, y) {
  const box = $('tip');
  box.hidden = !words;
  if (!words) return;
  box.textContent = words;
  const width = box.offsetWidth, height = box.offsetHeight;
  box.style.setProperty('left', Math.max(8, Math.min(innerWidth - width - 8, x - width / 2)) + 'px');
  box.style.setProperty('top', (y - height - 8 < 0 ? y + 24 : y - height - 8) + 'px');
}

function point(e) {
  const owner = e.target.closest && e.target.closest('[data-tip]');
  if (!owner) return tip(null);
  const box = owner.getBoundingClientRect();
  tip(owner.dataset.tip, box.left + box.width / 2, box.top);
}
for (const event of ['mouseover', 'focusin']) $('calendar').addEventListener(event, point);
for (const event of ['mouseleave', 'focusout']) $('calendar').addEventListener(event, () => tip(null));
addEventListener('scroll', () => tip(null), {passive: true});

// A private window keeps nothing: the choice is good for the page then.
let chosen = null;
colours(() => { try { return localStorage.getItem('report-theme'); } catch { return chosen; } }, choice => {
  chosen = choice;
  try { localStorage.setItem('report-theme', choice); } catch { /* it is kept here */ }
});

$('search').addEventListener('input', () => { filter.text = $('search').value; apply(); });
$('filters').addEventListener('submit', e => { e.preventDefault(); if (order.length) move(1); });
$('clear').addEventListener('click', () => { reset(); $('search').focus(); });
$('more').addEventListener('click', () => $('more').setAttribute('aria-expanded', String($('facets').classList.toggle('open'))));

document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const writing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName), card = e.target.classList.contains('problem') ? e.target : null;
  if (e.key === 'Escape') {
    if (filtered()) reset();
    else if (writing) e.target.blur();
    tip(null);
  } else if (writing) return;
  else if (e.key === '/') $('search').focus();
  else if (e.key === 'j' || card && e.key === 'ArrowDown') move(1);
  else if (e.key === 'k' || card && e.key === 'ArrowUp') move(-1);
  else if (card && e.key === 'Enter') card.toggle();
  else return;
  e.preventDefault();
});

// A total that is a status or an action of rows asks for them.
for (const total of document.querySelectorAll('#totals li[data-word]')) {
  const word = total.dataset.word, facet = ['status', 'action'].find(f => rows.some(r => r[f] === word));
  if (facet) total.replaceChildren(button({click: () => { filter[facet] = filter[facet] === word ? '' : word; apply(); }, title: `Show the rows that are ${plain(word)}`}, ...total.childNodes));
}

function printing(on) {
  found.printing = on;
  limits.clear();
  drawProblems();
  drawCalendar();
  drawChanges();
  drawRequests();
  drawRows();
}
addEventListener('beforeprint', () => printing(true));
addEventListener('afterprint', () => printing(false));

// Parts that are long are folded where the window is narrow.
function fold(id, on) {
  $(id).classList.toggle('folded', on);
  $('h-' + id).firstChild.setAttribute('aria-expanded', String(!on));
}
for (const id of ['calendar', 'changes', 'requests', 'rows']) {
  const head = $('h-' + id);
  head.replaceChildren(button({class: 'fold', click: () => fold(id, !$(id).classList.contains('folded'))}, el('span', {class: 'mark', 'aria-hidden': 'true'}), head.textContent));
  fold(id, narrow.matches && !(id === 'changes' && $('ahead')));
}
$('parts').addEventListener('click', e => { const a = e.target.closest('a'); if (a && a.hash !== '#problems') fold(a.hash.slice(1), false); });

choices();
if (problems.length <= 8) for (const g of groups) opened.add(g.severity + g.code.code);
for (const id of ['tools', 'theme', 'keys']) $(id).hidden = false;
select();
arrange();
if (rules.length) opened.add(rules[0].key);
apply();
drawCalendar();
drawRequests();
new ResizeObserver(() => { if (!found.printing) drawRequests(); }).observe($('requests'));
const sizes = {problems: engineer ? data.severity[0] + data.severity[1] : cardsOf().length, changes: rows.filter(r => r.changes).length, rows: data.read};
$('parts').append(...['problems', 'calendar', 'changes', 'requests', 'rows'].filter(id => !$(id).hidden).map(id =>
  el('a', {href: '#' + id}, $('h-' + id).textContent, sizes[id] === undefined ? null : el('span', {class: 'n'}, number(sizes[id])))));
