// What is asked of the process that serves the page. The token is in a header and in this tab, nowhere else.
const kept = 'desk-token';

async function ask(path, options = {}) {
  const answer = await fetch(path, {
    ...options, cache: 'no-store', credentials: 'omit', redirect: 'error',
    headers: {...options.headers, 'X-Desk-Token': sessionStorage.getItem(kept) || ''},
  });
  if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), {status: answer.status});
  return answer.json();
}

// enter takes the code of the link out of the address, and the token for it.
export async function enter() {
  const code = location.hash.slice(1);
  if (code.length < 40) return;
  history.replaceState(null, '', '/');
  const {token} = await ask('/api/session', {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({code}),
  });
  sessionStorage.setItem(kept, token);
}

export const state = () => ask('/api/state');
export const columns = () => ask('/api/columns');
export const problems = () => ask('/api/problems');
export const runs = () => ask('/api/runs');
export const run = id => ask('/api/run?id=' + encodeURIComponent(id));
export const rows = (view, from, n, signal) => ask('/api/rows?' + new URLSearchParams({...view, from, n}), {signal});
