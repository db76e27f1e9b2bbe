/* node timeline.mjs BROWSER BUILD WORK: measures, moves, searches and compares in the timeline with real keys, mouse and
 * fingers. Prints `ok - name` or `not ok - name` per case. TIMELINE_EVENTS=10000000 measures the speed with ten million
 * events. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { click, comes, drag, key, mouse, near, run, same, wait } from './cases.mjs';
import { start } from './chrome.mjs';
import { hostileTrace } from './hostile.mjs';

const [browser, build, work] = process.argv.slice(2);
const events = Number(process.env.TIMELINE_EVENTS ?? 1200000);
const report = (name, trace) => {
  const out = join(work, name + '.html');
  execFileSync(join(build, 'tracepress'), ['report', '--quiet', '-o', out, trace], { stdio: 'pipe' });
  return 'file://' + out;
};
const made = (name, text) => {
  const path = join(work, name + '.pt.trace.json');
  writeFileSync(path, text);
  return report(name, path);
};

/* Times of a step in µs. Loading takes 2 ms, in step 1 4 ms. The four kernels of a step take 1 ms each without a gap.
 * The last one starts 1.81 ms after its launch. */
const STEPS = [{ at: 0, load: 2000 }, { at: 10000, load: 4000 }, { at: 22000, load: 2000 }];
const work0 = (step) => step.at + step.load + 200; /* start of the model */
const kernelAt = (step, i) => work0(step) + 170 + i * 1000;
const launchAt = (step, i) => work0(step) + 150 + i * 400;

function threeSteps() {
  const all = [];
  let id = 0;
  const add = (cat, name, ts, dur, args = {}, device = false) => all.push({ ph: 'X', cat, name, pid: device ? 0 : 1, tid: device ? 7 : 1, ts, dur, args });
  const frame = (name, ts, dur) => add('python_function', name, ts, dur, { 'Python id': ++id, 'Python thread': 0 });
  STEPS.forEach((step, n) => {
    const o = work0(step);
    add('user_annotation', 'ProfilerStep#' + n, step.at, 8000 + step.load);
    frame('run.py(1): run', step.at + 10, 7900 + step.load);
    frame('train.py(5): step', step.at + 20, 7800 + step.load);
    frame('data.py(9): load', step.at + 100, step.load);
    frame('torch/nn/modules/module.py(1): _wrapped_call_impl', o, 2000);
    frame('torch/nn/modules/module.py(2): _call_impl', o + 1, 1990);
    frame('nn.Module: Net_0', o + 2, 1980);
    frame('net.py(3): forward', o + 3, 1970);
    for (let i = 0; i < 4; i++) {
      const correlation = 100 * n + i + 1;
      add('cpu_op', 'aten::mm', launchAt(step, i) - 50, 300, { 'External id': correlation, 'Input Dims': [[64, 32], [32, 8 + i]] });
      add('cuda_runtime', 'cudaLaunchKernel', launchAt(step, i), 10, { correlation });
      add('kernel', 'void gemm_tile<float, 128, 64>(float*)', kernelAt(step, i), 1000, { device: 0, stream: 7, correlation }, true);
    }
    frame('train.py(20): wait', o + 2100, 2200);
    add('cuda_runtime', 'cudaStreamSynchronize', o + 2100, 2100);
  });
  return JSON.stringify({ schemaVersion: 1, traceEvents: all });
}
const urls = { steps: made('timeline_steps', threeSteps()), hostile: made('timeline_hostile', hostileTrace()) };
/* The page with two actions instead of its own: the first is about the loading in step 0, the second about a kernel. */
urls.actions = join(work, 'timeline_actions.html');
writeFileSync(urls.actions, readFileSync(join(work, 'timeline_steps.html'), 'utf8').replace(/<li class="c-[^>]* data-f=[\s\S]*?<\/li>/g, '').replace(/(<\/section>\s*<section id="what_if")/,
  '<ol class="acts"><li data-f="1" data-marks="100,2000" tabindex="0"><h3>Load in a worker</h3></li><li data-f="2" data-marks="2370,1000;5630,100"><h3>Fuse</h3></li></ol>$1'));
urls.actions = 'file://' + urls.actions;

const chrome = await start(browser);
const CANVAS = `document.querySelector('.tl canvas')`, VIEWER = `document.querySelector('.timeline').viewer`;
const panel = (page) => page.ask(`document.querySelector('.tp').innerText`);
async function open(url, options) {
  const page = await chrome.open(url, options);
  await comes(page, `document.querySelector('.timeline[data-ready-ms]')`);
  await page.ask(`${CANVAS}.scrollIntoView({ block: 'center', behavior: 'instant' })`);
  return page;
}
/* Returns the visible part in µs. */
const view = async (page) => {
  const part = await page.ask(`${VIEWER}.view()`);
  return part.map((ns) => ns / 1000);
};
const gutter = async (page) => (await page.ask('innerWidth')) < 600 ? 76 : 118;
/* Returns the position of a time (µs) on the screen. */
async function xOf(page, time) {
  const [from, to] = await view(page), box = await page.ask(`(() => { const b = ${CANVAS}.getBoundingClientRect(); return { left: b.left, width: b.width }; })()`);
  const left = await gutter(page);
  return box.left + left + (time - from) / (to - from) * (box.width - left);
}
const top = (page) => page.ask(`${CANVAS}.getBoundingClientRect().top`);
/* Shows a part of the time (µs). */
const show = async (page, from, to) => {
  await wait(250); /* the address has the last view after this time */
  await page.ask(`location.hash = '#t=${from / 1000}ms-${to / 1000}ms'`);
  await comes(page, `Math.abs(${VIEWER}.view()[0] - ${from * 1000}) < 2`);
  await page.ask(`${CANVAS}.scrollIntoView({ block: 'center', behavior: 'instant' })`);
  await wait(60);
};
/* Returns the text of the tooltip and the height of each row at a time, by moving the mouse down. */
async function tipsAt(page, time) {
  const x = await xOf(page, time), y = await top(page), high = await page.ask(`${CANVAS}.clientHeight`), found = [];
  for (let at = 24; at < high - 4; at += 6) {
    await mouse(page, 'mouseMoved', x, y + at);
    const text = await page.ask(`${CANVAS}.getAttribute('data-tip')`);
    if (text && (!found.length || found[found.length - 1].text !== text)) found.push({ text, x, y: y + at + 2 });
  }
  return found;
}
const tipOf = async (page, time, pattern) => {
  const found = (await tipsAt(page, time)).find((tip) => pattern.test(tip.text));
  if (!found) throw new Error('no tooltip ' + pattern);
  return found;
};
const button = (page, text) => page.ask(`[...document.querySelectorAll('.tl button')].find((b) => b.textContent.startsWith(${JSON.stringify(text)})).click()`);
const focus = (page) => page.ask(`${CANVAS}.focus({ preventScroll: true })`);
const kernel = (page, step, i) => page.ask(`location.hash = '#sel=kernel:' + encodeURIComponent(${VIEWER}.data.names.find((n) => n.includes('gemm_tile'))) + '&t=${kernelAt(step, i) / 1000}ms'`);
const pixel = async (page, x, y) => page.ask(`(() => { const c = ${CANVAS}, b = c.getBoundingClientRect(), k = c.width / b.width;
  return [...c.getContext('2d').getImageData((${x} - b.left) * k, (${y} - b.top) * k, 1, 1).data].slice(0, 3); })()`);
const color = (page, name) => page.ask(`(() => { const t = getComputedStyle(document.documentElement).getPropertyValue('--${name}').trim();
  const full = t.length === 4 ? '#' + [...t.slice(1)].map((c) => c + c).join('') : t; return [1, 3, 5].map((i) => parseInt(full.slice(i, i + 2), 16)); })()`);

const cases = [], only = process.env.T ?? '';
const test = (name, body, url = urls.steps, options = {}) => cases.push([name, async () => {
  const page = await open(url, options);
  await body(page);
  /* reading pixels makes the browser give advice */
  same(page.messages.filter((text) => !/willReadFrequently/.test(text)), []);
  same(page.dialogs, 0);
  await page.close();
}]);

test('a_drag_measures_length_busy_time_launches_and_names', async (page) => {
  await show(page, 0, 10000);
  const y = (await top(page)) + 60, a = { x: await xOf(page, kernelAt(STEPS[0], 0)), y }, z = { x: await xOf(page, kernelAt(STEPS[0], 2)), y };
  await drag(page, a, z);
  await comes(page, `/^Selected: /.test(document.querySelector('.tp h3').textContent)`);
  await wait(200);
  const text = await panel(page);
  near(parseFloat(/Selected: ([\d.]+) ms/.exec(text)[1]), 2, 0.02);
  near(parseFloat(/GPU busy ([\d.]+) ms/.exec(text)[1]), 2, 0.02);
  near(parseFloat(/\(([\d.]+) %\)/.exec(text)[1]), 100, 1);
  same(/\b3 launches/.test(text), true);
  const rows = await page.ask(`[...document.querySelectorAll('.tp tbody tr')].map((r) => [...r.cells].map((c) => c.textContent.trim()))`);
  same(rows[0][0].includes('gemm_tile'), true);
  near(parseFloat(rows[0][2]), 2, 0.02);
  same(rows.some((row) => /Net/.test(row[0])), true);
  await button(page, 'Zoom in');
  const [from, to] = await view(page);
  near(to - from, 2000, 20);
});

test('shift_and_drag_moves', async (page) => {
  await show(page, 4000, 8000);
  const y = (await top(page)) + 60, x = await xOf(page, 6000);
  await drag(page, { x, y }, { x: await xOf(page, 5000), y }, 8);
  await comes(page, `${VIEWER}.view()[0] > 4900000`);
  const [from, to] = await view(page);
  near(from, 5000, 20);
  near(to - from, 4000, 1);
});

test('keys_move_and_zoom_at_the_pointer', async (page) => {
  await show(page, 4000, 8000);
  await focus(page);
  await key(page, 'd');
  same((await view(page)).map(Math.round), [4800, 8800]);
  await key(page, 'a');
  same((await view(page)).map(Math.round), [4000, 8000]);
  await mouse(page, 'mouseMoved', await xOf(page, 5000), (await top(page)) + 60, { button: 'none' });
  await key(page, 'w');
  let [from, to] = await view(page);
  near(to - from, 2800, 2);
  near((5000 - from) / (to - from), 0.25, 0.01);
  await key(page, 's');
  [from, to] = await view(page);
  near(from, 4000, 10);
  near(to, 8000, 10);
});

test('ctrl_and_wheel_zoom_and_the_plain_wheel_scrolls', async (page) => {
  await show(page, 4000, 8000);
  const x = await xOf(page, 7000), y = (await top(page)) + 60, before = await page.ask('scrollY');
  await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY: 120 });
  await comes(page, `scrollY !== ${before}`);
  same((await view(page)).map(Math.round), [4000, 8000]);
  const high = (await top(page)) + 60;
  await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y: high, deltaX: 0, deltaY: -200, modifiers: 2 });
  await comes(page, `${VIEWER}.view()[0] > 4100000`);
  const [from, to] = await view(page);
  near((7000 - from) / (to - from), 0.75, 0.01);
  same(to - from < 3000, true);
});

test('0_shows_the_recording_and_then_the_step', async (page) => {
  await focus(page);
  await key(page, '0');
  const all = await page.ask(`${VIEWER}.data.range / 1000`);
  same((await view(page)).map(Math.round), [0, Math.round(all)]);
  await key(page, '0');
  const [from, to] = await view(page), step = STEPS[await page.ask(`+${VIEWER}.data.steps[${VIEWER}.data.typical].name`)];
  near(from, Math.max(0, step.at - 200), 250);
  near(to - from, (8000 + step.load) * 1.04, 250);
});

test('search_lists_names_by_time_with_lane_number_and_total', async (page) => {
  await key(page, '/');
  same(await page.ask(`document.activeElement === document.querySelector('.tb .find input')`), true);
  await page.send('Input.insertText', { text: 'm' });
  await comes(page, `document.querySelectorAll('#hits [id^=hit]').length > 1`);
  const rows = await page.ask(`[...document.querySelectorAll('#hits [id^=hit]')].map((li) => [...li.children].map((c) => c.textContent))`);
  const timed = rows.filter((row) => row.length === 4), size = (text) => parseFloat(text) * (/ ms/.test(text) ? 1000 : / s/.test(text) ? 1e6 : 1);
  same(timed.map((row) => size(row[3])), timed.map((row) => size(row[3])).sort((a, b) => b - a));
  const mm = timed.find((row) => row[0] === 'aten::mm'), gemm = timed.find((row) => /gemm_tile/.test(row[0]));
  same([mm[1], mm[2], mm[3]], ['Operators', '12×', '3.60 ms']);
  same([gemm[1], gemm[2], gemm[3]], ['GPU 0', '12×', '12.00 ms']);
  await key(page, 'ArrowDown');
  const chosen = await page.ask(`document.querySelector('#hits [aria-selected] code').textContent`);
  same(chosen, rows[1][0]);
  await key(page, 'Enter');
  await comes(page, `${VIEWER}.state().name === ${JSON.stringify(chosen)}`);
  same(await page.ask(`document.querySelector('#hits').hidden && document.activeElement === ${CANVAS}`), true);
});

test('l_finds_the_longest_and_arrows_the_next_of_a_name', async (page) => {
  await page.ask(`location.hash = '#sel=line:' + encodeURIComponent('data.py(9): load')`);
  await comes(page, `${VIEWER}.state().name === 'data.py(9): load'`);
  await focus(page);
  await key(page, 'l');
  near(await page.ask(`${VIEWER}.state().from / 1000`), STEPS[1].at + 100, 1);
  await key(page, 'ArrowRight');
  near(await page.ask(`${VIEWER}.state().from / 1000`), STEPS[2].at + 100, 1);
  await key(page, 'ArrowLeft');
  near(await page.ask(`${VIEWER}.state().from / 1000`), STEPS[1].at + 100, 1);
  await comes(page, `/2 of 3, 8\\.00 ms in all/.test(document.querySelector('.tp').textContent)`);
});

test('f_follows_from_kernel_to_launch_and_back', async (page) => {
  await kernel(page, STEPS[0], 3);
  await comes(page, `${VIEWER}.state().kind === 'kernel'`);
  near(await page.ask(`${VIEWER}.state().from / 1000`), kernelAt(STEPS[0], 3), 1);
  await focus(page);
  await key(page, 'f');
  await comes(page, `${VIEWER}.state().name === 'cudaLaunchKernel'`);
  const isInView = `${VIEWER}.view()[0] <= ${launchAt(STEPS[0], 3) * 1000} && ${VIEWER}.view()[1] >= ${(kernelAt(STEPS[0], 3) + 1000) * 1000}`;
  await comes(page, isInView);
  await comes(page, `${VIEWER}.delay === 'starts 1.81 ms after the launch'`);
  await key(page, 'f');
  await comes(page, `${VIEWER}.state().kind === 'kernel'`);
  near(await page.ask(`${VIEWER}.state().from / 1000`), kernelAt(STEPS[0], 3), 1);
  await comes(page, `/starts 1\\.81 ms after the launch/.test(document.querySelector('.tp').innerText)`);
});

test('escape_clears_selection_and_range', async (page) => {
  await kernel(page, STEPS[0], 3);
  await comes(page, `${VIEWER}.state().kind === 'kernel'`);
  await focus(page);
  await key(page, 'Escape');
  await comes(page, `/^In view/.test(document.querySelector('.tp h3').textContent)`);
  await show(page, 0, 10000);
  const y = (await top(page)) + 60;
  await drag(page, { x: await xOf(page, 1000), y }, { x: await xOf(page, 2000), y });
  await comes(page, `/^Selected/.test(document.querySelector('.tp h3').textContent)`);
  await key(page, 'Escape');
  await comes(page, `/^In view/.test(document.querySelector('.tp h3').textContent)`);
  same(await page.ask(`${VIEWER}.state().range`), null);
});

test('a_click_on_a_name_pins_its_lane', async (page) => {
  await show(page, 0, 10000);
  const before = (await tipsAt(page, 1000)).map((tip) => tip.text.split('\n')[0]), tip = await tipOf(page, 1000, /^data\.py\(9\): load/);
  const left = await page.ask(`${CANVAS}.getBoundingClientRect().left`), first = (await tipOf(page, 1000, /^train\.py\(5\): step/)).y;
  await click(page, left + 20, first);
  await wait(250);
  const after = await tipOf(page, 1000, /^data\.py\(9\): load/);
  same(after.y < tip.y - 60, true);
  same(before.length > 1, true);
  await mouse(page, 'mouseMoved', left + 20, after.y);
  await click(page, left + 20, after.y - 17);
  await wait(250);
  same((await tipOf(page, 1000, /^data\.py\(9\): load/)).y, tip.y);
});

test('the_queue_depth_counts_what_is_launched_and_not_started', async (page) => {
  await show(page, 0, 10000);
  const at = work0(STEPS[0]);
  await tipOf(page, at + 1100, /^2 operations launched and not yet started/);
  await tipOf(page, at + 1250, /^1 operation launched/);
  await tipOf(page, at + 5000, /^0 operations launched/);
  const most = await page.ask(`${VIEWER}.queues()[0].most`);
  same(most, 2);
});

test('the_critical_path_is_the_first_lane_and_names_what_waits', async (page) => {
  await show(page, 0, 10000);
  const tips = await tipsAt(page, kernelAt(STEPS[0], 2) + 500), host = await tipsAt(page, 1000);
  same(tips[0].text, 'Compute: gemm_tile, directly after gemm_tile\n1.00 ms at 4.37 ms');
  same(/^Host.*: data.py\(9\): load/.test(host[0].text), true);
  same(await pixel(page, tips[0].x, tips[0].y), await color(page, 'gpu'));
  same(await pixel(page, host[0].x, host[0].y), await color(page, 'launch'));
});
test('launches_operators_and_frames_have_rows_of_their_own', async (page) => {
  await show(page, work0(STEPS[0]), work0(STEPS[0]) + 2000);
  const tips = await tipsAt(page, launchAt(STEPS[0], 1) + 5), row = (pattern) => tips.find((tip) => pattern.test(tip.text));
  const [launch, operator, module] = [row(/^cudaLaunchKernel/), row(/^aten::mm/), row(/^nn\.Module: Net_0/)].map((tip) => tip.y);
  same(launch < operator && operator < module, true);
});

test('frames_that_only_pass_on_are_folded', async (page) => {
  const texts = async () => (await tipsAt(page, work0(STEPS[0]) + 1000)).map((tip) => tip.text.split('\n')[0]);
  await show(page, 0, 10000);
  const folded = await texts();
  same(folded.some((text) => /_call_impl|run\.py|forward/.test(text)), false);
  same(folded.includes('train.py(5): step') && folded.includes('nn.Module: Net_0'), true);
  await button(page, 'Unfold Python');
  await wait(250);
  const unfolded = await texts();
  for (const name of ['run.py(1): run', 'torch/nn/modules/module.py(2): _call_impl', 'net.py(3): forward']) same(unfolded.includes(name), true);
  await button(page, 'Fold Python');
  await wait(250);
  same(await texts(), folded);
  await page.ask(`location.hash = '#sel=line:' + encodeURIComponent('run.py(1): run')`);
  await comes(page, `${VIEWER}.state().name === 'run.py(1): run'`);
  await tipOf(page, work0(STEPS[0]) + 1000, /^run\.py/);
});

test('the_selected_slice_shows_shapes_and_full_name', async (page) => {
  await page.ask(`location.hash = '#sel=operator:aten%3A%3Amm&t=${(launchAt(STEPS[0], 2) - 50) / 1000}ms'`);
  await comes(page, `/Shapes 64×32, 32×10/.test(document.querySelector('.tp').textContent)`);
  await kernel(page, STEPS[0], 1);
  await comes(page, `/Shapes of aten::mm 64×32, 32×9/.test(document.querySelector('.tp').textContent)`);
  same(/void gemm_tile<float, 128, 64>\(float\*\)/.test(await panel(page)), true);
});

test('c_compares_two_steps_on_one_axis', async (page) => {
  await focus(page);
  await key(page, 'c');
  for (let i = 0; i < 2 && !(await page.ask(`${VIEWER}.state().step === '1'`)); i++) await key(page, 'c');
  await comes(page, `/Change ms/.test(document.querySelector('.tp').textContent)`);
  const [from, to] = await view(page);
  near(from, 0, 0);
  near(to, 12000, 1);
  const rows = await page.ask(`[...document.querySelectorAll('.tp tbody tr')].map((r) => [...r.cells].map((c) => c.textContent.trim()))`);
  const load = rows.find((row) => row[0] === 'load');
  same(load.slice(1), ['2.00', '4.00', '+2.00']);
  /* both steps are drawn, the first above the second */
  const tips = (await tipsAt(page, 1000)).filter((tip) => /load/.test(tip.text));
  same(tips.map((tip) => tip.text.split('\n')[1].split(' at ')[0]), ['2.00 ms', '4.00 ms']);
  await comes(page, `/with=1/.test(location.hash)`);
  await key(page, 'Escape');
  await comes(page, `!/with=/.test(location.hash)`);
});

test('the_address_has_view_selection_and_range', async (page) => {
  await show(page, 1000, 9000);
  const y = (await top(page)) + 60;
  await drag(page, { x: await xOf(page, 3000), y }, { x: await xOf(page, 5000), y });
  await comes(page, `/r=3ms-5ms/.test(location.hash)`);
  const hash = await page.ask('location.hash'), state = await page.ask(`JSON.stringify(${VIEWER}.state())`);
  const other = await open(urls.steps + hash);
  await comes(other, `JSON.stringify(${VIEWER}.state()) === ${JSON.stringify(state)}`);
  const spot = await tipOf(page, launchAt(STEPS[0], 1) + 100, /^aten::mm/);
  await click(page, spot.x, spot.y);
  await comes(page, `/sel=operator:aten.*v=/.test(location.hash)`);
  const second = await page.ask('location.hash'), selected = await page.ask(`JSON.stringify(${VIEWER}.state())`);
  const third = await open(urls.steps + second);
  await comes(third, `JSON.stringify(${VIEWER}.state()) === ${JSON.stringify(selected)}`);
  same(third.messages, []);
});

test('the_tooltip_goes_with_keys_zoom_and_scroll', async (page) => {
  await show(page, 0, 10000);
  const spot = await tipOf(page, 1000, /load/), isShown = `!document.querySelector('#tip').hidden`;
  const hover = async () => {
    await mouse(page, 'mouseMoved', spot.x + 1, spot.y, { button: 'none' });
    await mouse(page, 'mouseMoved', spot.x, spot.y, { button: 'none' });
    await comes(page, isShown);
  };
  await hover();
  await focus(page);
  await key(page, 'x');
  await comes(page, `document.querySelector('#tip').hidden`);
  await hover();
  await page.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x: spot.x, y: spot.y, deltaX: 0, deltaY: -20, modifiers: 2 });
  await comes(page, `document.querySelector('#tip').hidden`);
  await show(page, 0, 10000);
  await hover();
  await page.ask('scrollBy({ top: 40, behavior: "instant" })');
  await comes(page, `document.querySelector('#tip').hidden`);
});

test('one_finger_moves_and_two_fingers_zoom', async (page) => {
  await page.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  await show(page, 4000, 8000);
  const y = (await top(page)) + 60, touch = (type, ...xs) => page.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x, y, id })) });
  const a = await xOf(page, 7000), z = await xOf(page, 6000);
  await touch('touchStart', a);
  for (let i = 1; i <= 5; i++) await touch('touchMove', a + (z - a) * i / 5);
  await touch('touchEnd');
  await comes(page, `${VIEWER}.view()[0] > 4700000`);
  same(await page.ask(`${VIEWER}.state().range`), null);
  const before = await view(page), middle = (a + z) / 2 - 30;
  await touch('touchStart', middle - 30, middle + 30);
  for (const apart of [40, 50, 60]) await touch('touchMove', middle - apart, middle + apart);
  await touch('touchEnd');
  await wait(200);
  const after = await view(page);
  near((before[1] - before[0]) / (after[1] - after[0]), 2, 0.3);
}, urls.steps, { width: 390 });

test('buttons_show_recording_step_and_longest_gap', async (page) => {
  await button(page, 'Longest gap');
  await comes(page, `/^Selected/.test(document.querySelector('.tp h3').textContent)`);
  const gap = kernelAt(STEPS[1], 0) - kernelAt(STEPS[0], 3) - 1000;
  near(parseFloat(/Selected: ([\d.]+) ms/.exec(await panel(page))[1]), gap / 1000, 0.01);
  same(/GPU busy 0 \(0\.0 %\)/.test(await panel(page)), true);
  await button(page, 'Whole recording');
  near((await view(page))[1], await page.ask(`${VIEWER}.data.range / 1000`), 1);
  const name = await page.ask(`${VIEWER}.data.steps[${VIEWER}.data.typical].name`);
  await button(page, 'Step ' + name);
  near((await view(page))[0], Math.max(0, STEPS[+name].at - 200), 250);
});

test('a_click_in_the_ribbon_shows_that_step', async (page) => {
  await page.ask(`document.querySelectorAll('.ribbon [data-step]')[1].dispatchEvent(new MouseEvent('click', { bubbles: true }))`);
  await comes(page, `Math.abs(${VIEWER}.view()[0] - ${STEPS[1].at * 1000}) < 500000`);
  near((await view(page))[1], 22000, 500);
});

test('a_what_if_dims_all_times_but_those_that_it_changes', async (page) => {
  await show(page, 0, 10000);
  const colors = (time) => page.ask(`(() => { const c = ${CANVAS}, k = c.width / c.clientWidth, d = c.getContext('2d'), x = 118 + ${time} / 10000 * (c.clientWidth - 118), rows = [];
    for (let y = 30; y < c.clientHeight; y += 4) rows.push([...d.getImageData(x * k, y * k, 1, 1).data].slice(0, 3).join()); return rows.join(' '); })()`);
  /* the row whose first times are long enough to be seen, one moment in them, and one moment between them */
  const row = await page.ask(`(() => { const rows = [...document.querySelectorAll('#what_if tr[data-marks]')];
    for (let i = 0; i < rows.length; i++) {
      let end = 0;
      const parts = rows[i].dataset.marks.split(';').map((part) => { const [gap, length] = part.split(',').map(Number), start = end + gap; end = start + length; return [start, end]; });
      const inside = parts.find(([a, z]) => z - a > 300 && z < 9500), n = parts.indexOf(inside), next = inside && parts[n + 1];
      if (next && next[0] - inside[1] > 300 && next[0] < 9800) return { i, inside: (inside[0] + inside[1]) / 2, outside: (inside[1] + next[0]) / 2 };
    }
    return null; })()`);
  const before = [await colors(row.inside), await colors(row.outside)];
  await page.ask(`(() => { const r = document.querySelectorAll('#what_if tr[data-marks]')[${row.i}]; r.closest('details')?.setAttribute('open', ''); r.focus({ preventScroll: true }); })()`);
  await wait(300);
  const during = [await colors(row.inside), await colors(row.outside)];
  same([during[0] === before[0], during[1] === before[1]], [true, false]);
  await page.ask(`document.activeElement.blur()`);
  await wait(300);
  same(await colors(row.outside), before[1]);
});

test('an_action_dims_everything_else', async (page) => {
  await show(page, 0, 10000);
  const full = (await color(page, 'gpu3')).join(), white = (await color(page, 'bg')).join();
  /* reads the colours of all rows at a time */
  const colors = (time) => page.ask(`(() => { const c = ${CANVAS}, k = c.width / c.clientWidth, d = c.getContext('2d'), x = 118 + ${time} / 10000 * (c.clientWidth - 118), rows = [];
    for (let y = 30; y < c.clientHeight; y += 4) rows.push([...d.getImageData(x * k, y * k, 1, 1).data].slice(0, 3).join()); return rows; })()`);
  await page.ask(`document.querySelector('.acts').scrollIntoView({ block: 'center', behavior: 'instant' })`);
  const item = await page.ask(`(() => { const b = document.querySelector('.acts li').getBoundingClientRect(); return { x: b.left + 30, y: b.top + 10 }; })()`);
  await mouse(page, 'mouseMoved', item.x, item.y, { button: 'none' });
  await wait(300);
  same((await colors(1500)).includes(full), true);
  const dimmed = await colors(6500);
  same([dimmed.includes(full), dimmed.some((color) => color !== white)], [false, true]);
  await mouse(page, 'mouseMoved', item.x, 2, { button: 'none' });
  await wait(300);
  same((await colors(6500)).includes(full), true);
  await page.ask(`document.querySelector('.acts li').focus()`);
  await wait(300);
  same((await colors(6500)).includes(full), false);
  await page.ask(`document.activeElement.blur()`);
  await button(page, 'Action 2');
  const [from, to] = await view(page);
  near(from, 2370 - 337, 10);
  near(to, 9100 + 337, 10);
}, urls.actions);

for (const [name, options] of [['print', { print: true }], ['a_page_without_scripts', { noScript: true }]])
  cases.push([`${name}_shows_a_close_up`, async () => {
    const page = await chrome.open(urls.steps, options);
    const seen = await page.ask(`({ tools: document.querySelector('.tl').checkVisibility(), rows: [...document.querySelectorAll('.tlstatic .ll span')].map((s) => s.textContent),
      names: [...document.querySelectorAll('.tlstatic svg svg text')].map((t) => t.textContent), causes: [...new Set([...document.querySelectorAll('.tlstatic rect')].map((r) => r.getAttribute('class')))].sort(),
      title: document.querySelector('.tlstatic .cap').textContent, isSeen: document.querySelector('.tlstatic').checkVisibility() })`);
    same([seen.tools, seen.isSeen, /^Close-up of 625\.0 µs of step \d/.test(seen.title)], [false, true, true]);
    same(seen.rows.filter(Boolean), ['Critical path', 'GPU 0', 'Launches', 'Operators', 'Python']);
    same(seen.names.filter((text) => /_call_impl/.test(text)), []);
    same([seen.names.some((text) => /gemm/i.test(text)), seen.names.includes('aten::mm'), seen.causes.includes('f-gpu') && seen.causes.includes('f-launch')], [true, true, true]);
    same(page.messages, []);
  }]);

for (const dark of [false, true])
  test(`colours_mean_causes_${dark ? 'dark' : 'light'}`, async (page) => {
    await show(page, 0, 10000);
    const o = work0(STEPS[0]);
    for (const [time, pattern, name] of [[kernelAt(STEPS[0], 1) + 900, /gemm/, 'gpu'], [o + 4000, /^cudaStreamSynchronize/, 'none'], [launchAt(STEPS[0], 1) + 200, /^aten::mm/, 'launch'], [7000, /^train\.py\(5\)/, 'gpu3']]) {
      const spot = await tipOf(page, time, pattern);
      same([name, await pixel(page, spot.x, spot.y + 5)], [name, await color(page, name)]);
    }
    await page.ask(`[...document.querySelectorAll('#tools button')].find((b) => /Theme/.test(b.title)).click()`);
    if (!dark) await comes(page, `getComputedStyle(document.documentElement).colorScheme === 'dark'`);
    await wait(200);
    const spot = await tipOf(page, kernelAt(STEPS[0], 1) + 900, /gemm/);
    same(await pixel(page, spot.x, spot.y + 5), await color(page, 'gpu'));
  }, urls.steps, { dark });

test('hostile_names_stay_text', async (page) => {
  await page.ask('window.hits = []; window.hit = (n) => hits.push(n)');
  await focus(page);
  for (const name of ['l', 'f', 'ArrowRight', 'c', 'Escape', '0']) await key(page, name);
  await key(page, '/');
  await page.send('Input.insertText', { text: '<' });
  await comes(page, `document.querySelector('#hits [id=hit0]')`);
  await key(page, 'ArrowDown');
  await key(page, 'Enter');
  await comes(page, `${VIEWER}.state().kind`);
  await tipsAt(page, 20000);
  await wait(300);
  same(await page.ask('window.hits'), []);
  same(await page.ask(`document.querySelectorAll('.tl script, .tl img, .tl iframe, .tl svg, #hits img').length`), 0);
}, urls.hostile);

test('panel_and_toolbar_fit_390_pixels', async (page) => {
  await kernel(page, STEPS[0], 3);
  await comes(page, `${VIEWER}.state().kind === 'kernel'`);
  await wait(200);
  same(await page.ask('document.scrollingElement.scrollWidth'), 390);
}, urls.steps, { width: 390 });

test(`${events}_events_stay_fluent`, async () => {
  const trace = join(work, 'timeline_many.pt.trace.json.gz');
  execFileSync(join(build, 'gen_trace'), ['--events', String(events), '--era', '2026', '-o', trace]);
  const url = report('timeline_many', trace), bytes = statSync(join(work, 'timeline_many.html')).size;
  const page = await open(url);
  const paint = await page.ask(`performance.getEntriesByName('first-contentful-paint')[0].startTime`), ready = await page.ask(`+document.querySelector('.timeline').dataset.readyMs`);
  await focus(page);
  /* pans with real keys while every frame is counted and its drawing time is read */
  const measure = async (steps) => {
    await page.ask(`window.seen = []; window.times = []; (function tick(t) { seen.push(t); times.push(${VIEWER}.drawMilliseconds); if (seen.length < 5000 && !window.done) requestAnimationFrame(tick); })(performance.now())`);
    for (let i = 0; i < steps; i++) {
      await key(page, i % 2 ? 'd' : 'a');
      await page.ask('new Promise((resolve) => requestAnimationFrame(() => resolve(1)))');
    }
    return page.ask(`(() => { window.done = true; const middle = (l) => l.sort((a, b) => a - b)[l.length >> 1]; return { frame: middle(seen.slice(1).map((t, i) => t - seen[i])), draw: middle(times) }; })()`);
  };
  await key(page, '0');
  await wait(400);
  const whole = await measure(60);
  await page.ask('window.done = false');
  for (let i = 0; i < 8; i++) await key(page, 'w');
  const near8 = await measure(60);
  console.log(`# ${events} events: page ${bytes} bytes, first paint ${Math.round(paint)} ms, ready ${ready} ms, whole ${JSON.stringify(whole)}, zoomed ${JSON.stringify(near8)}`);
  same([bytes <= 5e6, ready < 2000, whole.draw < 16, near8.draw < 16], [true, true, true, true]);
  same(/drawn? only as a share|draws [\d,]+ slices shorter/.test(await page.ask(`document.querySelector('#timeline').textContent`)), true);
  same(page.messages, []);
});

await run('timeline', cases.filter(([name]) => name.includes(only)));
await chrome.close();
process.exit(0); /* All cases were printed. Another exit status would mean that this program failed. */
