// The frame: tabs, the sum, the command that says the same.
import {$, button, count, el, fill, number, visible} from './dom.js';
import * as columns from './columns.js';
import {Grid} from './grid.js';
import * as ask from './net.js';
import * as plan from './plan.js';
import * as readings from './readings.js';
import * as rows from './rows.js';
import * as runs from './runs.js';
import * as send from './send.js';
import {colours} from './theme.js';
import {base, copy, failure, learnWords, same} from './words.js';

let state, shown; // what the page is about, and the tab that is shown
const tabs = {
	columns: {name: 'Columns', draw: columns.draw, file: true},
	readings: {name: 'Readings', draw: readings.draw, file: true},
	rows: {name: 'Rows', draw: rows.draw, file: true},
	plan: {name: 'Plan', draw: plan.draw, sends: true},
	send: {name: 'Send', draw: send.draw, sends: true},
	runs: {name: 'Runs', draw: runs.draw},
};

let spoken = 0;
function say(words) {
	clearTimeout(spoken);
	spoken = setTimeout(() => { $('live').textContent = words; }, 300);
}

let chosen = '';
colours(() => chosen, choice => { chosen = choice; });
$('copy').addEventListener('click', () => copy($('command').textContent, say));

async function open(name, focus, ...more) {
	shown = name;
	same(state.command);
	for (const tab of $('tabs').children) {
		const on = tab.dataset.tab === name;
		tab.setAttribute('aria-selected', String(on));
		tab.tabIndex = on ? 0 : -1;
		if (on && focus) tab.focus();
	}
	const box = el('div', {class: 'panel ' + name, role: 'tabpanel', 'aria-labelledby': 'tab-' + name, 'aria-busy': 'true'}, el('p.small', 'Reading…'));
	$('main').replaceChildren(box);
	try {
		await tabs[name].draw(box, state, say, act, open, ...more);
	} catch (e) {
		if (e.name === 'AbortError') return;
		lost(e);
	}
	box.removeAttribute('aria-busy');
}

// act draws the file anew after something was done, and says what.
async function act(words, ...where) {
	await learn();
	frame();
	await open(shown, false, ...where);
	questions();
	if (!where.length) (document.querySelector('.panel .do') || $('tab-' + shown)).focus();
	say(`${words}. ${$('sum').textContent}`);
}
document.addEventListener('moved', () => act('Another tab has answered'));

// learn asks what the page is about until the file is read, and shows the rows so far.
async function learn() {
	let grid = null;
	for (state = await ask.state(); state.file && !state.done; state = await ask.state()) {
		if (grid) await grid.grow();
		else if (state.sheets.length) {
			grid = new Grid(state, say);
			$('main').replaceChildren(el('div.panel.rows', grid.box));
			await grid.show(0, {view: 'all'});
		}
		fill($('sum'), `Reading: ${count(state.read, 'row')} so far`);
		$('foot').hidden = false;
		await new Promise(done => setTimeout(done, grid ? 100 : 10));
	}
}

// questions marks the tab of readings with how many questions are open. A large file is asked about when its tab is opened.
async function questions() {
	if (!state.mapping || state.by || state.read > 20000) return;
	const open = readings.openOf(await ask.columns(state.generation)).length;
	if (open) $('tab-readings').append(el('span.bad.open', `${number(open)} ?`));
}

addEventListener('unhandledrejection', e => {
	e.preventDefault();
	if (e.reason.name !== 'AbortError') lost(e.reason);
});

// lost says that nothing can be asked any more.
function lost(e) {
	const gone = e.status === undefined;
	$('main').replaceChildren(failure(gone ?
		{error: 'The page has lost its program.', hint: 'see in the terminal whether eventbatch open still runs'} :
		{error: e.message, hint: e.status === 401 || e.status === 403 ? 'press Enter in the terminal, where eventbatch open runs, and open the link that it prints' : ''}));
}

function frame() {
	const left = state.left_out || 0, read = state.rows.read || 0, invalid = state.rows.invalid || 0;
	$('file').textContent = state.file ? visible(base(state.file)) : 'Runs';
	$('file').title = visible(state.file);
	document.title = $('file').textContent + ' – eventbatch';
	learnWords(state.words);
	if (!read && state.exit && state.exit.code) $('sum').textContent = visible(state.exit.error);
	else if (state.file) {
		const parts = [[read - invalid, 'valid'], [invalid, 'with mistakes']];
		fill($('sum'), el('b', number(read)), ' read = ', ...parts.flatMap(([n, words], i) => [i ? ' + ' : '', el('b', number(n)), ' ' + words]),
			left && el('span.small', ` (and ${count(left, 'row')} left out that ${left === 1 ? 'is no event' : 'are no events'})`));
	}
	$('foot').hidden = false;
	$('tabs').replaceChildren(...Object.entries(tabs).filter(([, t]) => (!t.file || state.file) && (!t.sends || state.sends)).map(([id, t]) => button({
		role: 'tab', id: 'tab-' + id, 'data-tab': id, click: () => open(id),
	}, t.name + ' ', id === 'rows' && invalid && el('span.bad', `${number(invalid)} ✗`))));
}

$('tabs').addEventListener('keydown', e => {
	const all = [...$('tabs').children], at = all.indexOf(document.activeElement), to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1}[e.key];
	if (to === undefined || at < 0) return;
	e.preventDefault();
	open(all.at(to % all.length).dataset.tab, true);
});

async function begin() {
	try {
		await ask.enter();
		await learn();
		frame();
		await open(!state.file ? 'runs' : state.mapping && !state.sheets.length ? 'readings' : state.rows.invalid ? 'rows' : 'columns');
		await questions();
	} catch (e) {
		$('file').textContent = 'eventbatch';
		lost(e);
	}
}
begin();
