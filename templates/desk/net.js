// What is asked of the process that serves the page. The token is in a header and in this tab, nowhere else.
import {el} from './dom.js';

const kept = 'desk-token';

async function get(path, options = {}) {
	const answer = await fetch(path, {
		...options, cache: 'no-store', credentials: 'omit', redirect: 'error',
		headers: {...options.headers, 'X-Desk-Token': sessionStorage.getItem(kept) || ''},
	});
	if (answer.status === 412) { // another tab has answered: what this one shows is of an earlier reading
		document.dispatchEvent(new Event('moved'));
		throw Object.assign(new Error('moved'), {name: 'AbortError'});
	}
	if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), {status: answer.status});
	return answer;
}
export const ask = async (...of) => (await get(...of)).json();

export const post = (path, body) => ask(path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});

// enter takes the code of the link out of the address, and the token for it.
export async function enter() {
	const code = location.hash.slice(1);
	if (code.length < 40) return;
	history.replaceState(null, '', '/');
	const {token} = await post('/api/session', {code});
	sessionStorage.setItem(kept, token);
}

export const state = () => ask('/api/state');
let known = {};
export const columns = g => (known.g === g ? known : known = {g, doc: ask('/api/columns?g=' + g)}).doc;
export const answer = (generation, given) => post('/api/mapping', {generation, ...given});
export const save = generation => post('/api/mapping/save', {generation});
export const forecast = (g, signal) => ask('/api/forecast?g=' + g, {signal});
export const problems = g => ask('/api/problems?g=' + g);
export const runs = () => ask('/api/runs');
export const nights = () => ask('/api/nights');
export const run = id => ask('/api/run?id=' + encodeURIComponent(id));

// watch has each told the lines of what is sent, behind a number, until that has ended or nobody listens.
export async function watch(after, each) {
	const lines = (await get('/api/watch?after=' + after)).body.pipeThrough(new TextDecoderStream()).getReader();
	for (let held = ''; ;) {
		const {done, value} = await lines.read(), parts = (held + value).split('\n');
		if (done || (held = parts.pop(), !parts.map(line => each(JSON.parse(line))).every(Boolean))) return lines.cancel();
	}
}

// file has the browser keep a file that the page is handed, under this name.
export async function file(kind, name, id = '') {
	const href = URL.createObjectURL(await (await get(`/api/files/${kind}?id=${encodeURIComponent(id)}`)).blob());
	el('a', {href, download: name}).click();
	setTimeout(() => URL.revokeObjectURL(href), 6e4);
}

export const rows = (view, from, n, signal) => ask('/api/rows?' + new URLSearchParams({...view, from, n}), {signal});
