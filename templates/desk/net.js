// What is asked of the process. The token is in a header and in this tab, nowhere else.
const kept = 'desk-token';

export let state = {generation: 0, clicks: []}; // as last asked for

export async function learn(again = '') { // '?again' waits for more
	const now = await ask('/api/state' + again);
	state = {...now, generation: Math.max(now.generation, state.generation)}; // an edit may have overtaken the answer
}

export async function get(path, options = {}) {
	const answer = await fetch(path, {
		...options, cache: 'no-store', credentials: 'omit', redirect: 'error',
		headers: {...options.headers, 'X-Desk-Token': sessionStorage[kept] || ''},
	});
	if (answer.status === 412) { // another tab has answered meanwhile, or an answer is on its way
		dispatchEvent(new CustomEvent('moved', {detail: options.method}));
		throw new DOMException('', 'AbortError');
	}
	if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), {status: answer.status});
	return answer;
}
export const ask = async (...of) => (await get(...of)).json();

export const post = (path, body) => ask(path, {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)});

export const change = (path, body) => post(path, {generation: state.generation, ...body});

export const about = (path, query, signal) => ask(`${path}?${new URLSearchParams({g: state.generation, ...query})}`, {signal});

// enter takes the code of the link out of the address, and the token for it.
export async function enter() {
	const code = location.hash.slice(1);
	if (code.length < 40) return;
	history.replaceState(null, '', '/');
	const {token} = await post('/api/session', {code});
	sessionStorage[kept] = token;
}

let known = {};
export const columns = () => (known.g === state.generation ? known : known = {g: state.generation, doc: about('/api/columns')}).doc;

// watch tells lines of what is sent, behind a number, until the end or until each is false.
export async function watch(after, each) {
	const lines = (await get('/api/watch?after=' + after)).body.pipeThrough(new TextDecoderStream()).getReader();
	for (let held = ''; ;) {
		const {done, value} = await lines.read(), parts = (held + value).split('\n');
		if (done || (held = parts.pop(), !parts.map(line => each(JSON.parse(line))).every(Boolean))) return lines.cancel();
	}
}
