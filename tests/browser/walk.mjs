/* node walk.mjs BROWSER TRACEPRESS DATA WORK: navigates in the page with clicks, keys and fingers in a real browser.
 * Prints `ok - name` or `not ok - name` per case. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { click, comes, key, near, run, same, wait } from './cases.mjs';
import { start } from './chrome.mjs';
import { hostileTrace } from './hostile.mjs';

const [browser, tracepress, data, work] = process.argv.slice(2);
const report = (name, ...args) => {
  const out = join(work, name + '.html');
  execFileSync(tracepress, ['report', '--quiet', '-o', out, ...args], { stdio: 'pipe' });
  return 'file://' + out;
};
const traces = readdirSync(join(data, 'traces')).filter((name) => /\.json(\.gz)?$/.test(name)).sort();
const find = (part) => join(data, 'traces', traces.find((name) => name.includes(part)));

/* Returns sixty steps of 1 ms with one operator each. Every second step is slow. */
function manySteps() {
  const events = [];
  for (let i = 0; i < 60; i++) {
    events.push({ ph: 'X', cat: 'user_annotation', name: `ProfilerStep#${i}`, pid: 1, tid: 1, ts: i * 1000, dur: 1000, args: {} });
    events.push({ ph: 'X', cat: 'cpu_op', name: i % 2 ? 'aten::mm' : 'aten::relu', pid: 1, tid: 1, ts: i * 1000 + 100, dur: i % 2 ? 700 : 20, args: { 'External id': i + 1 } });
  }
  return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}
writeFileSync(join(work, 'steps.pt.trace.json'), manySteps());
/* Returns two products with the same name and different shapes, each with the kernel that it launches. */
function twoShapes() {
  const events = [];
  [[[64, 32], [32, 8]], [[640, 320], [320, 80]]].forEach((dims, i) => {
    const ts = 100 + i * 1000, correlation = 11 + i;
    events.push({ ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 1, tid: 1, ts, dur: 100, args: { 'External id': i + 1, 'Input Dims': dims, 'Input type': ['float', 'float'] } });
    events.push({ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts: ts + 10, dur: 5, args: { correlation } });
    events.push({ ph: 'X', cat: 'kernel', name: 'sgemm', pid: 0, tid: 7, ts: ts + 50, dur: 300, args: { device: 0, stream: 7, correlation } });
  });
  return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}
writeFileSync(join(work, 'shapes.pt.trace.json'), twoShapes());
writeFileSync(join(work, 'hostile_walk.pt.trace.json'), hostileTrace());
const urls = {
  gpu: report('walk_gpu', find('gpu_2026')),
  cpu: report('walk_cpu', find('mlp_train.full')),
  shapes: report('walk_shapes', join(work, 'shapes.pt.trace.json')),
  steps: report('walk_steps', join(work, 'steps.pt.trace.json')),
  many: report('walk_many', find('gpu_2024'), find('gpu_2026')),
  hostile: report('walk_hostile', join(work, 'hostile_walk.pt.trace.json')),
};
const chrome = await start(browser);
const READY = `document.querySelector('.timeline[data-ready-ms]')`, PANEL = `document.querySelector('.walk:not([hidden])')`;
async function open(url, options) {
  const page = await chrome.open(url, options);
  await comes(page, READY);
  return page;
}
const cases = [];
const test = (name, body) => cases.push([name, body]);

for (const name of ['gpu', 'cpu', 'hostile', 'many'])
  test(`every_name_of_${name}_leads_to_the_timeline`, async () => {
    const page = await chrome.open(urls[name]);
    if (name === 'many') {
      await page.ask(`document.querySelectorAll('details.profile').forEach((d) => { d.open = true; })`);
      for (const card of [0, 1]) {
        await page.ask(`document.querySelectorAll('.timeline')[${card}].scrollIntoView({ behavior: 'instant' })`);
        await comes(page, `document.querySelectorAll('.timeline')[${card}].dataset.readyMs`);
      }
    } else await comes(page, READY);
    const links = await page.ask(`[...new Set([...document.querySelectorAll('a[href^="#sel="]')].map((a) => a.getAttribute('href')))]`);
    same(links.length > (name === 'hostile' ? 3 : 20), true);
    for (const link of links) {
      await page.ask(`location.hash = ${JSON.stringify(link)}`);
      await comes(page, `[...document.querySelectorAll('.walk:not([hidden])')].some((p) => p.dataset.of === ${JSON.stringify(link)})`);
      const said = await page.ask(`[...document.querySelectorAll('.walk')].find((p) => p.dataset.of === ${JSON.stringify(link)}).textContent`);
      if (/^\w+ ?No |is in the timeline/.test(said)) throw new Error(link + ': ' + said);
    }
    same(page.messages, []);
  });

test('the panel has the shapes of the call that is selected, and of the one that launched a kernel', async () => {
  const of = `(${PANEL} && document.querySelector('.walk .shapes') || {}).textContent`;
  const page = await open(urls.shapes + '#sel=op:' + encodeURIComponent('aten::mm') + '&at=1');
  await comes(page, PANEL);
  same(await page.ask(of), 'Shapes 64×32, 32×8');
  await page.ask(`[...document.querySelectorAll('.walk button')].find((b) => b.textContent === 'Next →').click()`);
  await comes(page, `${of} === 'Shapes 640×320, 320×80'`);
  const other = await open(urls.shapes + '#sel=kernel:sgemm');
  await comes(other, PANEL);
  same(await other.ask(of), 'Shapes of aten::mm 64×32, 32×8');
});

test('a_stream_leads_to_its_operations_and_ranges_of_times_lead_nowhere', async () => {
  const page = await open(urls.gpu + '#sel=stream:' + encodeURIComponent('GPU 0 · stream 7'));
  await comes(page, PANEL);
  const links = (name) => `[...document.querySelectorAll('table[data-name="${name}"] tbody tr')].map((row) => (row.querySelector('a') || { hash: '' }).hash)`;
  const text = await page.ask(`document.querySelector('.walk').textContent`), streams = await page.ask(links('streams'));
  same(/1 of \d\d+/.test(text) && /GPU 0 · stream 7/.test(text), true);
  same(streams.length > 0 && streams.every((link) => link.startsWith('#sel=stream:')), true);
  for (const name of ['kernels by duration', 'launch delays', 'launch delay decades']) {
    const seen = await page.ask(links(name));
    same(seen.length > 0 && seen.every((link) => !link), true);
  }
});

test('an_address_opens_what_it_names', async () => {
  const page = await open(urls.gpu + '#sel=kernel:ampere_sgemm_128x64_tn');
  await comes(page, PANEL);
  const seen = await page.ask(`(() => { const box = document.querySelector('.tl canvas').getBoundingClientRect(); return {
    rows: [...document.querySelectorAll('tr.sel')].map((r) => r.closest('section').id), isThere: box.top < innerHeight && box.bottom > 0,
    text: document.querySelector('.walk').textContent }; })()`);
  same(seen.rows.includes('kernels'), true);
  same(seen.isThere, true);
  same(/1 of 50/.test(seen.text) && /GPU 0 · stream 7/.test(seen.text), true);
});

test('a_part_of_the_time_says_what_runs_in_it', async () => {
  const page = await open(urls.gpu + '#t=2ms-3ms');
  await comes(page, PANEL);
  const text = await page.ask(`document.querySelector('.walk').textContent`);
  same(/^In view: 1\.00 ms/.test(text) && /from 2 ms to 3 ms/.test(text) && !/No slice/.test(text), true);
  const links = await page.ask(`[...document.querySelectorAll('.walk a')].map((a) => a.getAttribute('href'))`);
  same(links.some((link) => /^#sel=kernel:/.test(link)) && links.some((link) => /^#sel=(line|range|input):/.test(link)), true);
});

test('names_in_trees_and_of_memory_lead_to_their_other_places', async () => {
  for (const [url, tables] of [[urls.gpu, ['time', 'memory']], [urls.cpu, ['memory', 'Alive at the peak, by operator']]]) {
    const page = await open(url);
    const without = await page.ask(`[...document.querySelectorAll('table[data-name]')].filter((t) => ${JSON.stringify(tables)}.includes(t.dataset.name)).flatMap((t) => [...t.tBodies[0].rows].filter((r) => (t.dataset.name !== 'time' || r.querySelector('.d4')) && !r.querySelector('a[href^="#sel"]')).map((r) => t.dataset.name + ': ' + r.cells[0].textContent))`);
    same(without, []);
    same(await page.ask(`document.querySelectorAll('td.t > a[href^="#sel="]').length > 0`), true);
  }
});

test('evidence_of_a_finding_opens_that_event', async () => {
  const page = await open(urls.gpu);
  const wanted = await page.ask(`(() => { const item = document.querySelector('.rest li[data-t]'); item.closest('details').open = true;
    item.querySelector('a').click(); return [+item.dataset.t, item.querySelector('code').textContent]; })()`);
  await comes(page, `document.querySelector('.walk').textContent.includes(${JSON.stringify(wanted[1])})`);
  const text = await page.ask(`document.querySelector('.walk').textContent`);
  near(parseFloat(/ at ([\d.]+) ms/.exec(text)[1]), wanted[0] / 1e6, 0.01);
});

test('a_kernel_names_its_launch_and_the_launch_its_kernel', async () => {
  const page = await open(urls.gpu + '#sel=kernel:ampere_sgemm_128x64_tn&t=2.21ms');
  await comes(page, PANEL);
  const links = (words) => `[...document.querySelectorAll('.walk p')].filter((p) => p.textContent.startsWith(${JSON.stringify(words)})).map((p) => [...p.querySelectorAll('a')].map((a) => a.textContent))`;
  same(await page.ask(links('Launched by')), [['cudaLaunchKernel']]);
  same((await page.ask(links('inside')))[0].slice(-1), ['aten::mm']);
  await page.ask(`[...document.querySelectorAll('.walk a')].find((a) => a.textContent === 'cudaLaunchKernel').click()`);
  await comes(page, `/^call /.test(document.querySelector('.walk h3').textContent)`);
  same(await page.ask(links('Launches')), [['GEMM fp32 128×64']]);
});

test('step_50_of_60_is_two_keys_away', async () => {
  const page = await open(urls.steps + '#sel=step:50');
  await comes(page, PANEL);
  same(/Step 50/.test(await page.ask(`document.querySelector('.walk').textContent`)), true);
  same(await page.ask(`document.querySelector('.tl select').options.length`), 61);
  await page.ask(`(() => { const list = document.querySelector('.tl select'); list.value = 40; list.dispatchEvent(new Event('change')); })()`);
  await comes(page, `/^#.*v=39\\.\\d+ms-41\\.\\d+ms/.test(location.hash)`);
});

test('a_slice_that_is_clicked_is_selected_everywhere', async () => {
  const page = await open(urls.steps + '#sel=step:7');
  await comes(page, PANEL);
  const at = await page.ask(`(() => { const c = document.querySelector('.tl canvas'); c.scrollIntoView({ block: 'center', behavior: 'instant' });
    const b = c.getBoundingClientRect(); return { x: b.left + b.width / 2, y: b.top + 48 }; })()`);
  await click(page, at.x, at.y);
  await comes(page, `location.hash.includes('aten%3A%3Amm')`);
  same(await page.ask(`[...document.querySelectorAll('tr.sel code')].every((c) => c.textContent === 'aten::mm') && document.querySelectorAll('tr.sel').length > 0`), true);
  await comes(page, `/of 30, 21\\.00 ms in all/.test(document.querySelector('.walk').textContent)`);
  const before = await page.ask('location.hash');
  await page.ask(`[...document.querySelectorAll('.walk button')].find((b) => b.textContent === 'Next →').click()`);
  await comes(page, `location.hash !== ${JSON.stringify(before)}`);
  same(before !== await page.ask('location.hash'), true);
});

test('search_by_keys', async () => {
  const page = await open(urls.gpu);
  await key(page, '/');
  same(await page.ask(`document.activeElement === document.querySelector('.find input')`), true);
  await page.send('Input.insertText', { text: 'relu' });
  await comes(page, `document.querySelectorAll('#hits [id^=hit]').length > 1`);
  const names = await page.ask(`[...document.querySelectorAll('#hits [id^=hit] code')].map((c) => c.textContent)`);
  /* the full name of a kernel, its tooltip, can have the text too; a name is listed once for each lane */
  const rows = await page.ask(`[...document.querySelectorAll('#hits [id^=hit] code')].map((c) => c.textContent + ' ' + (c.dataset.tip ?? '') + ' ' + c.nextSibling.textContent)`);
  same([rows.filter((row) => !/relu/i.test(row)), new Set(rows).size === rows.length], [[], true]);
  await key(page, 'ArrowDown');
  const chosen = await page.ask(`document.querySelector('#hits [aria-selected] code').textContent`);
  same(chosen, names[1]);
  await key(page, 'Enter');
  await comes(page, `document.querySelector('.walk').textContent.includes(${JSON.stringify(chosen)})`);
  await key(page, '/');
  await page.send('Input.insertText', { text: await page.ask(`document.querySelector('.acts h3').textContent`) });
  await comes(page, `document.querySelector('#hits [id=hit0]')`);
  await key(page, 'Enter');
  same(await page.ask(`document.activeElement.localName + ' ' + !!document.activeElement.closest('.acts')`), 'li true');
  await key(page, '/');
  await page.send('Input.insertText', { text: 'no such thing' });
  same(await page.ask(`document.querySelector('#hits').innerText`), 'No matches');
  await key(page, 'Escape');
  same(await page.ask(`document.querySelector('#hits').hidden`), true);
});

test('search_and_panel_fit_390_pixels', async () => {
  const page = await open(urls.gpu + '#sel=kernel:ampere_sgemm_128x64_tn', { width: 390 });
  await comes(page, PANEL);
  await page.ask(`document.querySelector('.find input').focus()`);
  await page.send('Input.insertText', { text: 'a' });
  const box = await page.ask(`(() => { const b = document.querySelector('#hits').getBoundingClientRect(); return [b.left >= 0, b.right <= 390, document.scrollingElement.scrollWidth]; })()`);
  same(box, [true, true, 390]);
});

test('two_fingers_zoom', async () => {
  const page = await open(urls.gpu, { width: 390 });
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  const at = await page.ask(`(() => { const c = document.querySelector('.tl canvas'); c.scrollIntoView({ block: 'center', behavior: 'instant' });
    const b = c.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()`);
  const touch = (type, apart) => page.send('Input.dispatchTouchEvent', { type, touchPoints: apart ? [{ x: at[0] - apart, y: at[1], id: 1 }, { x: at[0] + apart, y: at[1], id: 2 }] : [] });
  await touch('touchStart', 30);
  for (const apart of [40, 60, 90, 120]) await touch('touchMove', apart);
  await touch('touchEnd', 0);
  await comes(page, `/^#t=/.test(location.hash)`);
  const [from, to] = (await page.ask('location.hash')).slice(3).split('-').map(parseFloat);
  const range = await page.ask(`+document.querySelector('.timeline .lead, #timeline .lead').textContent.match(/over ([\\d.]+)\\sms/)[1]`);
  if (!(to - from < range / 2)) throw new Error(`${to - from} of ${range} ms`);
});

test('addresses_that_nobody_wrote', async () => {
  const page = await open(urls.gpu);
  for (const hash of ['#%', '#sel=', '#sel=:', '#sel=kernel:%E0%A4%A', '#t=', '#t=5ms-1ms', '#t=1e9s-2e9s', '#t=-5ms', '#sel=step:nothing&t=99999s', '#sel=kernel:x&in=%22%3E%3Cb%3E', '#in=p3-', '#sel=event:__proto__&t=0ms'])
    await page.ask(`location.hash = ${JSON.stringify(hash)}, new Promise((r) => setTimeout(r, 30))`);
  same(page.messages, []);
});

test('a_view_is_in_the_address', async () => {
  const page = await open(urls.gpu + '#t=2ms-3ms');
  await wait(100);
  await page.ask(`document.querySelector('.tl canvas').focus()`);
  await key(page, '+');
  await comes(page, `/^#t=2\\.25ms-2\\.75ms/.test(location.hash)`);
});

test('short_tables_and_trees_sort', async () => {
  const page = await open(urls.gpu);
  const tables = await page.ask(`[...document.querySelectorAll('table.data[data-name]:not(.rest)')].filter((t) => t.tBodies[0].rows.length > 1 && !t.tHead.querySelector('button')).length`);
  same(tables, 0);
  const short = await page.ask(`(() => { const table = [...document.querySelectorAll('.data:not([data-tree])')].find((t) => t.tBodies[0].rows.length > 1); table.tHead.rows[0].cells[0].querySelector('button').click(); return [...table.tBodies[0].rows].map((r) => r.cells[0].textContent.toLowerCase()); })()`);
  same(short, [...short].sort());
  const order = await page.ask(`(() => {
    const table = document.querySelector('#modules table[data-tree]'), depth = (r) => +(/d(\\d+)/.exec(r.cells[0].firstElementChild.className) ?? [0, 0])[1];
    const rows = () => [...table.tBodies[0].rows].map((r) => [depth(r), r.cells[0].textContent.trim()]);
    const before = rows(); table.tHead.rows[0].cells[0].querySelector('button').click(); const up = rows();
    table.tHead.rows[0].cells[0].querySelector('button').click(); return { before, up, down: rows() }; })()`);
  same(order.up.map((r) => r[0]), order.before.map((r) => r[0]));
  same(order.up[0], order.before[0]);
  same(order.down.slice(1).map((r) => r[1]), order.up.slice(1).map((r) => r[1]).reverse());
});

test('without_scripts_nothing_is_offered_that_does_nothing', async () => {
  const page = await chrome.open(urls.gpu, { noScript: true });
  same(await page.ask(`document.querySelectorAll('.find, .walk, a[href^="#sel="], a[href^="#t="]').length`), 0);
});

await run('walk', cases);
await chrome.close();
process.exit(0); /* All cases were printed. Another exit status would mean that this program failed. */
