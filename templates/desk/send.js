// A sending until its end. The process sends; this page looks.
import {to} from './main.js';
import {ask, does, el, fill, framed, note, post, same, say, trying, watch} from './parts.js';
import {line} from './plan.js';
import {draw as ended} from './runs.js';

export async function draw(box) {
	let s = await ask('/api/send');
	if (!s.run) return fill(box, el('div.empty', note('here'), does('See Plan', to('plan', true))));
	same(s.command);
	if (s.under_way) s = await look(box, s);
	if (!box.isConnected) return;
	say(s.sum);
	await ended(box, s.run, s);
}

// look shows the last rows that are sent, and returns the end.
async function look(box, s) {
	const part = framed(box, 'sending'), far = part('progress'), list = part('.ops');
	let after = 0, told = 0;
	part('#stop').onclick = e => {
		e.target.disabled = true;
		trying(() => post('/api/stop', {run: s.run}));
	};
	while (s.under_way && box.isConnected) {
		await watch(after, ({n, event, title, row, msg, level, more}) => {
			after = n;
			if (event === 'progress') {
				far.max = more.total || 1;
				far.value = more.settled || 0;
				part('#progress').textContent = msg;
				if (Date.now() > told + 9e3) {
					told = Date.now();
					say(msg);
				}
			} else if (event === 'row') {
				list.prepend(line({row, ...level === 'ERROR' ? {sign: '✗'} : {sign: '✓', action: 'create'}, title, words: msg}));
				if (list.children.length > 20) list.lastChild.remove();
			}
			return box.isConnected;
		});
		s = await ask('/api/send');
	}
	return s;
}
