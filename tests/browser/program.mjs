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
  same(await page.ask(texts('nav a')), ['Overview', 'Processes', 'Threads', 'Flame', 'Functions', 'Waits', 'Memory and I/O', 'Recording', 'About']);
  same(await page.ask(texts('.vtext .tag')), ['CPU-bound']);
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
    same(await page.ask(`document.querySelectorAll('.lane path').length > 2 && document.querySelectorAll('.icicle svg').length > 3`), true);
    same(await page.ask(`document.querySelectorAll('#functions tbody tr').length`), 3);
    same(await page.ask(`document.documentElement.scrollWidth <= innerWidth`), true);
    truth((await page.ask(texts('#processes .nm'))).length === 2, 'two processes');
    truth((await page.ask(`document.querySelector('.split rect, .bd rect').getBoundingClientRect().width`)) > 20, 'the bar is drawn');
  });
test('program_span_makes_flame_functions_and_waits_anew', async () => {
  const page = await chrome.open(url);
  const choose = (from, to) => page.ask(`(() => {
    const box = document.querySelectorAll('.lane .when')[0].getBoundingClientRect(), y = box.top + 5;
    const fire = (type, share, on) => on.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, clientX: box.left + box.width * share, clientY: y }));
    fire('pointerdown', ${from}, document.querySelectorAll('.lane .when')[0]);
    fire('pointermove', ${to}, document);
    fire('pointerup', ${to}, document);
  })()`);
  await choose(0, 0.5);
  same(await page.ask(texts('#functions .ofspan tbody tr:first-child td')), [NAME, '500.0 ms', '500.0 ms', '100.0 %', '50']);
  same(await page.ask(texts('#waits .ofspan tbody tr')), []);
  await choose(0.5, 1);
  same(await page.ask(texts('#functions .ofspan tbody tr:first-child td')), ['second', '200.0 ms', '200.0 ms', '100.0 %', '20']);
  same(await page.ask(texts('#waits .ofspan tbody tr:first-child td')), ['take ← main', 'lock', '<i>w', '1', '300.0 ms']);
  truth(!(await page.ask(texts('#flame .icicle text'))).some((text) => text.includes('first')), 'the flame is of the span');
  same(await page.ask(`document.querySelector('#functions .card').hidden`), true);
  await page.ask(`[...document.querySelectorAll('#threads button')].find((b) => b.textContent === 'Whole time').click()`);
  same(await page.ask(`document.querySelector('#functions .card').hidden + ' ' + document.querySelectorAll('.ofspan').length`), 'false 0');
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
