/* node program.mjs BROWSER TRACEPRESS WORK: tests the page about a program recorded from outside. Prints `ok - name` or
 * `not ok - name` per case. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './chrome.mjs';

const [browser, tracepress, work] = process.argv.slice(2);

/* A shell with a child process. In the first half of the time the function `first` runs. In the second half the thread
 * waits for a lock, then `second` runs. */
const NAME = '<b onclick=hit(1)>&"first';
function trace() {
  const events = [{ ph: 'X', cat: 'Trace', name: 't', pid: 0, tid: 0, ts: 0, dur: 1 }];
  const process = (pid, ppid, dur, words) => events.push({ ph: 'X', cat: 'process', name: words, pid, tid: pid, ts: 0, dur, args: { execs: [words], ppid, exit: 0, 'peak resident bytes': 1e6 * pid } });
  const state = (pid, name, ts, dur, args) => events.push({ ph: 'X', cat: 'thread_state', name, pid, tid: pid, ts, dur, ...(args && { args }) });
  process(1, 0, 1000000, 'sh -c "<script>hit(2)</script>"');
  process(2, 1, 1000000, 'work');
  events.push({ ph: 'M', name: 'thread_name', pid: 2, tid: 2, args: { name: 'thread 2 (<i>w)' } });
  state(1, 'blocked', 0, 1000000, { cause: 'child' });
  state(2, 'running', 0, 500000);
  state(2, 'blocked', 500000, 300000, { cause: 'lock', stack: 'take [work];main [work];' });
  state(2, 'running', 800000, 200000);
  for (let i = 0; i < 70; i++) {
    const at = i < 50 ? i * 10000 : 800000 + (i - 50) * 10000;
    events.push({ ph: 'P', cat: 'cpu_sample', name: 'x', pid: 2, tid: 2, ts: at, args: { 'cpu ns': 1, 'Call stack': `${i < 50 ? NAME : 'second'} [work];main [work];` } });
    events.push({ ph: 'C', name: 'process memory', pid: 2, tid: 0, ts: at, args: { 'resident bytes': 1e6 + i * 1e4 } });
  }
  return JSON.stringify({ tracepress_recorder: 'outside', tracepress_seen: { mode: 'inherited' }, traceEvents: events });
}
writeFileSync(join(work, 'program.pt.trace.json'), trace());
const out = join(work, 'program.html'), url = 'file://' + out;
execFileSync(tracepress, ['report', '--quiet', '-o', out, join(work, 'program.pt.trace.json')], { stdio: 'pipe' });

/* A thread that runs for 300 ms, and then is ready without a CPU for 700 ms. */
writeFileSync(join(work, 'ready.pt.trace.json'), JSON.stringify({
  tracepress_recorder: 'outside', tracepress_seen: { mode: 'inherited' }, traceEvents: [
    { ph: 'X', cat: 'process', name: 'wait', pid: 1, tid: 1, ts: 0, dur: 1000000, args: { execs: ['wait'], ppid: 0, exit: 0 } },
    { ph: 'X', cat: 'thread_state', name: 'running', pid: 1, tid: 1, ts: 0, dur: 300000 },
    { ph: 'X', cat: 'thread_state', name: 'ready', pid: 1, tid: 1, ts: 300000, dur: 700000 }],
}));
execFileSync(tracepress, ['report', '--quiet', '-o', join(work, 'ready.html'), join(work, 'ready.pt.trace.json')], { stdio: 'pipe' });

const chrome = await start(browser);
const same = (a, b) => { if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${JSON.stringify(a)} is not ${JSON.stringify(b)}`); };
const truth = (value, what) => { if (!value) throw new Error(what); };
const cases = [];
const test = (name, body) => cases.push([name, body]);
const texts = (selector) => `[...document.querySelectorAll(${JSON.stringify(selector)})].map((e) => e.textContent.trim())`;

test('program_page_is_silent_and_asks_for_nothing', async () => {
  const page = await chrome.open(url);
  same(page.messages, []);
  same(page.requests, []);
  same(page.dialogs, 0);
});
test('program_page_has_its_sections_in_order', async () => {
  const page = await chrome.open(url);
  same(await page.ask(texts('nav > ul a')), ['Overview', 'CPU time', 'Functions', 'Waits', 'Processes', 'Memory and I/O', 'About']);
  const tops = await page.ask(`['flame', 'functions', 'waits', 'processes', 'usage', 'about'].map((id) => document.getElementById(id).getBoundingClientRect().top)`);
  truth(tops.every((top, i) => i === 0 || top >= tops[i - 1]), 'sections are in the order of the navigation');
  same(tops[1], tops[2]);
});
test('program_headline_names_the_cause_of_the_bar', async () => {
  const page = await chrome.open(url);
  same(await page.ask(texts('.head')), ['sh runs for 70\u00a0% of the time, 71\u00a0% of it in work: make it cheaper, or call it less often.']);
  same(await page.ask(`[...document.querySelectorAll('.head em')].map((e) => e.dataset.cause + ' ' + e.textContent)`), ['gpu 70\u00a0% of the time']);
  const segments = await page.ask(`[...document.querySelectorAll('.bar g[data-cause]')].map((g) => [g.dataset.cause, +g.dataset.ns, g.dataset.avoidable ?? ''])`);
  same(segments, [['gpu', 700000000, '1'], ['comm', 300000000, '1']]);
  same(await page.ask(`[...document.querySelectorAll('.lanes:not([hidden]) .ll span')].map((e) => e.textContent)`), ['(no name)', '<i>w']);
  same(await page.ask(texts('.key > span')), ['running', 'waiting for a lock', 'waiting for a child process']);
});
test('program_actions_have_savings', async () => {
  const page = await chrome.open(url);
  same(await page.ask(texts('.acts > li .sv b')), ['saves up to 500.0 ms']);
});
test('program_action_marks_its_times_in_the_lanes', async () => {
  const page = await chrome.open('file://' + join(work, 'ready.html'));
  same(await page.ask(texts('.acts > li .sv')), ['saves up to 700.0 msup to 70 %']);
  const marked = () => page.ask(`[...document.querySelectorAll('.lanes .mk')].map((e) => [e.getAttribute('class'), e.getAttribute('d')])`);
  same(await marked(), [['mk mk1', 'M0 20h3000']]); /* dims the first 30 % */
  await page.ask(`document.querySelector('.acts > li').dispatchEvent(new MouseEvent('mouseenter'))`);
  same(await marked(), [['mk mk1 on', 'M0 20h3000']]);
  same(await page.ask(`[...document.querySelectorAll('.head em')].map((e) => e.dataset.cause)`), ['launch']);
});
test('program_page_speaks_of_no_framework', async () => {
  for (const noScript of [false, true]) {
    const page = await chrome.open(url, { noScript });
    same(await page.ask(`(document.querySelector('main').innerText.match(/\\b(operators?|steps?|GPUs?|models?|Python|PyTorch|kernels)\\b/gi) ?? [])`), []);
  }
});
for (const [name, options] of [['wide', {}], ['narrow', { width: 390 }], ['dark', { dark: true }], ['print', { print: true }], ['noscript', { noScript: true }]])
  test(`program_page_is_complete_${name}`, async () => {
    const page = await chrome.open(url, options);
    same(await page.ask(`document.querySelectorAll('.lanes .area path').length > 2 && document.querySelectorAll('.icicle svg').length > 3`), true);
    same(await page.ask(`document.querySelectorAll('#functions tbody tr').length`), 3);
    same(await page.ask(`document.documentElement.scrollWidth <= innerWidth`), true);
    truth((await page.ask(texts('#processes .nm'))).length === 2, 'two processes');
    truth((await page.ask(`document.querySelector('.bar rect').getBoundingClientRect().width`)) > 20, 'the bar is drawn');
  });
test('program_span_makes_flame_functions_and_waits_anew', async () => {
  const page = await chrome.open(url);
  const choose = (from, to) => page.ask(`(() => {
    const lane = document.querySelector('figure.lanes > svg'), box = lane.getBoundingClientRect(), y = box.top + 5;
    const fire = (type, share, on) => on.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, clientX: box.left + box.width * share, clientY: y }));
    fire('pointerdown', ${from}, lane);
    fire('pointermove', ${to}, document);
    fire('pointerup', ${to}, document);
  })()`);
  await choose(0, 0.5);
  same(await page.ask(texts('#functions .ofspan tbody tr:first-child td')), [NAME, '500.0', '100.0', '500.0', '50']);
  same(await page.ask(texts('#waits .ofspan tbody tr')), []);
  await choose(0.5, 1);
  same(await page.ask(texts('#functions .ofspan tbody tr:first-child td')), ['second', '200.0', '100.0', '200.0', '20']);
  same(await page.ask(texts('#waits .ofspan tbody tr:first-child td')), ['lock in take ← main', '<i>w', '1', '300.0']);
  truth(!(await page.ask(texts('#flame .icicle text'))).some((text) => text.includes('first')), 'the flame is of the span');
  same(await page.ask(`document.querySelector('#functions .tab').hidden`), true);
  same(await page.ask(`[document.querySelector('.chosen').getAttribute('x'), document.querySelector('.chosen').getAttribute('width')]`), ['50%', '50%']);
  await page.ask(`[...document.querySelectorAll('.span button')].find((b) => b.textContent === 'Whole time').click()`);
  same(await page.ask(`document.querySelector('#functions .tab').hidden + ' ' + document.querySelectorAll('.ofspan').length`), 'false 0');
  truth((await page.ask(texts('#flame .icicle text'))).some((text) => text.includes('first')), 'the flame is of all again');
  same(page.messages, []);
  same(page.dialogs, 0);
});

for (const [name, body] of cases) {
  try {
    await body();
    console.log('ok - ' + name);
  } catch (error) {
    console.log('not ok - ' + name + '\n    ' + error.message);
  }
}
await chrome.close();
