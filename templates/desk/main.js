// The frame: tabs, sum, and the command that says the same.
import {Grid} from './grid.js';
import {$, ask, asks, change, columns, copy, el, enter, failure, fill, learn, note, number, same, say, set, state} from './parts.js';
import {colours} from './theme.js';

let shown, asked; // the tab, and how many questions are open

// open draws a tab, by the module of its name.
export async function open(name, focus, ...more) {
	document.activeElement.blur();
	if (name !== history.state) history[shown ? 'pushState' : 'replaceState'](name, '');
	shown = name;
	same(state.command);
	fill($('failed'));
	frame();
	if (focus) $('tab-' + name).focus();
	const box = el('div.panel.' + name, {role: 'tabpanel', 'aria-labelledby': 'tab-' + name, 'aria-busy': 'true'}, el('p.small', 'Reading…'));
	fill($('main'), box);
	try {
		const of = await import(`./${name === 'send' ? 'runs' : name}.js`);
		await (of[name] || of.draw)(box, ...more);
	} catch (e) {
		if (box.isConnected) lost(e);
	}
	box.ariaBusy = null;
	saved();
}

// to opens on a click.
export const to = (...at) => () => void open(...at);

const typing = () => document.activeElement.closest('.detail, #search');

// act draws the file anew, around a cell that is typed into, and says what was done. The focus stays, or goes to what is open next.
export async function act(words) {
	const at = document.activeElement.name, first = selector => document.querySelector(selector);
	await watched();
	if (typing()) return counted().then($('main').firstChild.grow);
	await open(shown);
	await questions();
	if (!first(':focus')) (first(`[name="${CSS.escape(at)}"]:not([hidden] *)`) || first('.asked input:not(:placeholder-shown)') || first('.must:not(:has(.take)) input, .must .take') || first('.panel .do') || $('tab-' + shown)).focus();
	say(`${words}. ${$('sum').textContent}`);
}

set(window, {
	beforeunload: e => [...document.querySelectorAll('input')].some(i => i.checked !== i.defaultChecked || i.type === 'text' && i.value !== i.defaultValue) && e.preventDefault(),
	popstate: e => e.state && open(e.state),
	moved: async e => {
		await act('Read again');
		if (e.detail) fill($('failed'), note('moved'));
	},
	focus: saved,
	hashchange: () => location.hash[40] && location.reload(), // another link
	unhandledrejection: e => {
		e.preventDefault();
		lost(e.reason);
	},
});

export async function counted() {
	await read();
	same(state.command);
	frame();
	questions();
	saved();
}

async function read(each) {
	for (await learn(); state.file && !state.done; await learn('?again')) await each?.();
}

function watched() {
	let grid;
	return read(async () => {
		if (!grid && state.sheets.length && !typing()) {
			grid = new Grid();
			fill($('main'), el('div.panel.rows', grid.box));
			await grid.show(0, {view: 'all'});
		}
		frame();
	});
}

// questions counts those that are open. A large file is asked about when its tab is opened.
async function questions() {
	if (!state.mapping || state.by || state.read > 20000) return;
	asked = openOf(await columns()).length;
	frame();
}

// openOf returns the questions without whose answers there is no mapping.
export const openOf = doc => (doc.questions || []).filter(q => !q.optional && !q.after);

function lost(e) {
	if (e.name !== 'AbortError') fill($('main'), e.status ? failure(e) : note('lost'));
}

function frame() {
	const invalid = state.rows.invalid;
	fill($('file'), state.title);
	document.title = state.title + ' – eventbatch';
	fill($('sum'), state.sum);
	$('foot').hidden = $('tabs').hidden = false;
	for (const tab of [...$('tabs').children]) {
		const id = tab.id.slice(4), on = id === shown, {needs} = tab.dataset;
		if (needs && !state[needs]) tab.remove();
		tab.ariaSelected = on;
		tab.tabIndex = on ? 0 : -1;
		tab.onclick = () => open(id, true);
		fill(tab, tab.firstChild, id === 'rows' && invalid && el('span.bad', number(invalid), ' ✗'), id === 'readings' && asked && el('span.bad.open', number(asked), ' ?'));
	}
}

$('tabs').onkeydown = e => {
	const all = [...$('tabs').children], at = all.indexOf(document.activeElement), to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1}[e.key];
	if (to === undefined || at < 0) return;
	e.preventDefault();
	open(all.at(to % all.length).id.slice(4), true);
};

let chosen = '';
colours(() => chosen, choice => { chosen = choice; });
$('copy').onclick = () => copy($('command').textContent);

async function saved() {
	const {changed, words} = state.edits ? await ask('/api/saved') : {};
	if (changed) asks(words, 'Read it again', () => change('/api/reread').then(() => act('Read again')));
}

async function begin() {
	await enter();
	await watched();
	frame();
	const was = history.state, first = $('tab-' + was) ? was : state.first;
	if (!shown) await open(first);
	const {tab} = state.sends && !was ? await ask('/api/plan') : {};
	if (tab && shown === first) await open(tab);
	await questions();
}
begin().catch(e => {
	fill($('file'), 'eventbatch');
	lost(e);
});
