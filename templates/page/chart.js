// The run's requests: how many lay within the quota's window, at each moment.
function elapsed(ms) {
  const s = Math.round(ms / 1000);
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

const ticks = (span, most) => {
  const units = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map(s => s * 1000);
  const step = units.find(u => span / u <= most) || Math.ceil(span / most / 864e5) * 864e5;
  return Array.from({length: Math.floor(span / step) + 1}, (_, i) => i * step);
};

function drawChart(u, width) {
  const height = 220, left = 44, right = 12, top = 22, bottom = 34;
  const span = u.peak.length * u.step, most = Math.max(u.limit, u.highest) * 1.08 || 1;
  const x = ms => left + (width - left - right) * ms / span, y = n => top + (height - top - bottom) * (1 - n / most);
  let line = `M${x(0)} ${y(0)}`;
  u.peak.forEach((n, i) => { line += `V${y(n).toFixed(1)}H${x((i + 1) * u.step).toFixed(1)}`; });
  const power = 10 ** Math.floor(Math.log10(most / 4)), scale = Math.max(1, [1, 2, 5, 10].map(n => n * power).find(n => n >= most / 5)), marks = [];
  for (let n = 0; n < most; n += scale) if (Math.abs(n - u.limit) > most / 12) marks.push(n);
  const seconds = number(u.window / 1000), words = `${number(u.requests)} requests; at most ${number(u.highest)} of ${number(u.limit)} within ${seconds} s`;
  const cross = svg('line', {class: 'cross', y1: top, y2: height - bottom, visibility: 'hidden'});
  const art = svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': words, class: u.highest > u.limit ? 'chart over' : 'chart'},
    ...marks.map(n => svg('g', {}, svg('line', {class: 'rule-line', x1: left, x2: width - right, y1: y(n), y2: y(n)}), svg('text', {x: left - 6, y: y(n) + 4, 'text-anchor': 'end'}, number(n)))),
    svg('path', {class: 'area', d: line + `V${y(0)}Z`}), svg('path', {class: 'stroke', d: line}),
    svg('line', {class: 'limit', x1: left, x2: width - right, y1: y(u.limit), y2: y(u.limit)}),
    svg('text', {class: 'limit-word', x: width - right, y: y(u.limit) - 6, 'text-anchor': 'end'}, `limit ${number(u.limit)} in ${seconds} s`),
    svg('text', {class: 'limit-word', x: left - 6, y: y(u.limit) + 4, 'text-anchor': 'end'}, number(u.limit)),
    ...ticks(span, Math.max(3, Math.floor(width / 90))).map(t => svg('text', {x: x(t), y: height - bottom + 18, 'text-anchor': 'middle'}, elapsed(t))),
    svg('text', {x: width - right, y: height - 2, 'text-anchor': 'end', class: 'axis'}, 'time since the first request'), cross);
  art.addEventListener('mousemove', e => {
    const box = art.getBoundingClientRect(), i = Math.floor(((e.clientX - box.left) / box.width * width - left) / (width - left - right) * u.peak.length);
    cross.setAttribute('visibility', u.peak[i] === undefined ? 'hidden' : 'visible');
    if (u.peak[i] === undefined) return tip(null);
    cross.setAttribute('x1', x(i * u.step));
    cross.setAttribute('x2', x(i * u.step));
    tip(`${elapsed(i * u.step)} after the start\n${number(u.peak[i])} of ${number(u.limit)} within ${seconds} s`, e.clientX, box.top + 30);
  });
  art.addEventListener('mouseleave', () => { cross.setAttribute('visibility', 'hidden'); tip(null); });
  return el('figure', {}, el('figcaption', {}, el('b', {}, u.owner || 'quota'), ' ', words), art);
}

let drawn = 0;
function drawRequests() {
  $('requests').hidden = !engineer || data.usage.length === 0;
  const body = $('requests').querySelector('.body'), width = found.printing ? 680 : Math.max(260, body.clientWidth - 34);
  if (!data.usage.length || width === drawn && !found.printing) return;
  drawn = found.printing ? 0 : width;
  body.replaceChildren(...data.usage.map(u => drawChart(u, width)));
}
