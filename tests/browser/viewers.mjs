/* node viewers.mjs BROWSER TRACEPRESS DATA WORK: tests timeline and call tree with mouse and keys. Prints a line per
 * case. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { comes, same } from './cases.mjs';
import { start } from './chrome.mjs';

const [browser, tracepress, data, work] = process.argv.slice(2);
const traces = readdirSync(join(data, 'traces')).filter((name) => /\.json(\.gz)?$/.test(name)).sort();
const report = (name, ...args) => {
  const out = join(work, name + '.html');
  execFileSync(tracepress, ['report', '--quiet', '-o', out, ...args], { stdio: 'pipe' });
  return 'file://' + out;
};
const gpu = join(data, 'traces', traces.find((name) => name.includes('gpu')) ?? traces[0]);
const url = report('viewer', gpu);
const many = report('viewers', ...traces.slice(0, 4).map((name) => join(data, 'traces', name)));
const chrome = await start(browser);
const cases = [];
const test = (name, body) => cases.push([name, body]);

/* Helper functions that run in the page: wait for the viewer, compute a digest of the canvas, send keys and pointer
 * events. */
const TOOLS = `
  window.card = document.querySelector('.timeline');
  window.ready = (card) => new Promise((resolve, reject) => {
    let left = 100;
    const look = () => card.hasAttribute('data-ready-ms') ? resolve(true) : left-- ? setTimeout(look, 50) : reject(new Error('never ready'));
    look();
  });
  window.canvas = () => card.querySelector('canvas');
  window.digest = () => {
    const c = canvas(), bytes = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let sum = 0, colours = new Set();
    for (let i = 0; i < bytes.length; i += 4) {
      const colour = bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16;
      sum = (sum * 31 + colour) | 0;
      if (i % 64 === 0) colours.add(colour);
    }
    return { sum, colours: colours.size };
  };
  /* the timeline draws before the next frame, at most once per frame */
  window.drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(digest()))));
  window.key = (name) => canvas().dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
  window.point = (kind, x, y) => { const b = canvas().getBoundingClientRect();
    canvas().dispatchEvent(new PointerEvent(kind, { clientX: b.left + x, clientY: b.top + y, pointerId: 1, bubbles: true })); };
  1`;
const open = async (address = url, options = {}) => {
  const page = await chrome.open(address, options);
  await page.ask(TOOLS);
  return page;
};

test('timeline_takes_the_place_of_the_drawing', async () => {
  const page = await open();
  await page.ask('ready(card)');
  same(await page.ask(`({ box: card.querySelector('.tl').hidden, drawing: getComputedStyle(card.querySelector('.tlstatic')).display })`), { box: false, drawing: 'none' });
  same((await page.ask('drawn()')).colours > 5, true);
  same(page.messages, []);
  const print = await open(url, { print: true });
  await print.ask('ready(card)');
  same(await print.ask(`getComputedStyle(card.querySelector('.tlstatic')).display !== 'none'`), true);
});

test('timeline_zooms_and_comes_back_by_keys', async () => {
  const page = await open();
  await page.ask('ready(card)');
  const seen = await page.ask(`(async () => { key('0'); const all = await drawn(); key('+'); key('+'); key('+'); const near = await drawn();
    key('ArrowRight'); const moved = await drawn(); for (let i = 0; i < 60; i++) key('+'); key('0'); return [all, near, moved, await drawn()].map((d) => d.sum); })()`);
  same(new Set(seen).size, 3);
  same(seen[0], seen[3]);
});

test('timeline_marks_a_found_name_and_tells_names', async () => {
  const page = await open();
  await page.ask('ready(card)');
  const before = await page.ask('drawn()');
  await page.ask(`(() => { const input = document.querySelector('.find input'); input.focus(); input.value = 'aten::'; input.dispatchEvent(new Event('input'));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })); })()`);
  await comes(page, `/^operator aten::/.test(card.querySelector('.tp h3').textContent)`);
  same(/[\d.]+ (ns|µs|ms|s) at [\d.,]+ m?s/.test(await page.ask(`card.querySelector('.tp').textContent`)), true);
  same((await page.ask('drawn()')).sum !== before.sum, true);
  await page.ask(`key('Escape')`);
  await comes(page, `/^In view/.test(card.querySelector('.tp h3').textContent)`);
  same(await page.ask(`document.querySelector('.find input').value`), '');
  const tips = await page.ask(`(() => { const tips = new Set();
    for (let y = 20; y < canvas().clientHeight; y += 5) for (let x = 5; x < 1200; x += 40) { point('pointermove', x, y); tips.add(canvas().getAttribute('data-tip')); }
    return [...tips].filter(Boolean); })()`);
  /* slices tell name, length and start, curves their level, and names of lanes what a click does */
  same(tips.filter((tip) => !/\n[\d.]+ (ns|µs|ms|s) at [\d.,]+ |^busy \d+ %|^\d+ operations? launched|\nClick to pin$/.test(tip)), []);
  same(tips.filter((tip) => / at /.test(tip)).length > 5, true);
});

test('timeline_unfolds_a_lane', async () => {
  const page = await open();
  await page.ask('ready(card)');
  const seen = await page.ask(`(() => { const heights = [canvas().clientHeight];
    for (let y = 20; y < heights[0]; y += 6) { point('pointerdown', 20, y); point('pointerup', 20, y); heights.push(canvas().clientHeight); }
    return [Math.min(...heights), Math.max(...heights)]; })()`);
  same(seen[1] >= seen[0] && seen[0] > 50, true);
  same(page.messages.filter((text) => !/setPointerCapture/.test(text)), []);
});

test('timelines_of_several_profiles_start_when_seen', async () => {
  const page = await open(many);
  const seen = await page.ask(`(async () => {
    document.querySelectorAll('details').forEach((d) => { d.open = true; });
    const cards = [...document.querySelectorAll('.timeline')].filter((c) => c.querySelector('.tldata'));
    for (const card of cards) { card.scrollIntoView(); await ready(card); }
    return [cards.length, cards.filter((c) => c.querySelector('canvas')).length]; })()`);
  same(seen[0] > 1, true);
  same(seen[0], seen[1]);
  same(page.messages, []);
});

/* A trace whose ranges have all arguments. Each range lasts 10 ms, one after the other. */
const EVIL = '<script>alert(1)</script>';
const ranges = [
  ['plain', {}],
  ['read', { file: '/home/alice/shard-7', rows: 1007, ratio: 0.125, ids: [1, 2], 'Ev Idx': 3, 'External id': 9 }],
  ['red', { color: '#FF0000', count: 3 }],
  ['argb', { color: '#8000ff00' }],
  ['white', { color: '#ffffff' }],
  ['odd', { color: 'red; } body { display: none', kind: 'compute' }],
  ['evil', { [EVIL]: EVIL, lines: 'one\ntwo', turned: 'a\u202eb', long: 'x'.repeat(400) }],
  ['many', Object.fromEntries([...Array(20)].map((_, i) => ['k' + i, i]))],
];
const told = [
  null, 'file: /home/alice/shard-7\nrows: 1007\nratio: 0.125\nids: [1,2]', 'count: 3', null, null, 'color: red; } body { display: none',
  EVIL + ': ' + EVIL + '\nlines: one two\nturned: a\\u202eb\nlong: ' + 'x'.repeat(256) + '…', [...Array(16)].map((_, i) => `k${i}: ${i}`).join('\n'),
];
const toldTrace = (extra = []) => {
  const slices = ranges.map(([name, args], i) => ({ ph: 'X', cat: 'user_annotation', name, pid: 1, tid: 1, ts: i * 10000, dur: 9999.5, args }));
  const moments = [15000, 15000.25, 62000].map((ts, i) => ({ ph: 'i', s: 't', cat: 'user_annotation', name: 'saved', pid: 1, tid: 1, ts, args: i ? { text: 'm' + i } : {} }));
  const alone = { ph: 'i', s: 't', cat: 'user_annotation', name: 'alone', pid: 1, tid: 2, ts: 79999, args: { text: 'on a thread without ranges', color: '#123456' } };
  return JSON.stringify({ schemaVersion: 1, traceEvents: [...slices, ...moments, alone, ...extra] });
};
writeFileSync(join(work, 'told.pt.trace.json'), toldTrace());
const TELLING = `
  window.tips = () => { const all = [];
    for (let y = 20; y < canvas().clientHeight - 20; y += 3) for (let x = 0; x <= canvas().clientWidth; x += 2) {
      point('pointermove', x, y); const tip = canvas().getAttribute('data-tip'); if (tip && !all.includes(tip)) all.push(tip); }
    return all; };
  window.colourOf = (x, y) => { const c = canvas(), r = c.width / c.clientWidth; return [...c.getContext('2d').getImageData(Math.round(x * r), Math.round(y * r), 1, 1).data].slice(0, 3); };
  1`;
const openTold = async (name, options, ...args) => {
  const page = await open(report(name, join(work, 'told.pt.trace.json'), ...args), options);
  await page.ask('ready(card)');
  await page.ask(TELLING);
  return page;
};

test('timeline_tells_arguments_and_moments', async () => {
  const page = await openTold('told');
  const tips = await page.ask('tips()');
  ranges.forEach(([name], i) => {
    const tip = tips.find((text) => text.startsWith(name + '\n')) ?? '';
    same(tip.split('\n').slice(2).join('\n'), told[i] ?? '');
  });
  const moments = tips.filter((tip) => /^(saved|alone)\n/.test(tip)).sort();
  /* if two moments are in one pixel, the tooltip may show either of them */
  const near = moments.filter((tip) => tip.startsWith('saved\nat 15.00 ms'));
  same(near.length > 0 && near.every((tip) => /^saved\nat 15\.00 ms(\ntext: m1)?$/.test(tip)), true);
  same(moments.filter((tip) => !near.includes(tip)), ['alone\nat 80.00 ms\ntext: on a thread without ranges', 'saved\nat 62.00 ms\ntext: m2']);
  await page.ask(`(() => { for (let y = 20; y < canvas().clientHeight; y += 3) for (let x = 0; x < canvas().clientWidth; x += 4) {
      point('pointermove', x, y);
      if ((canvas().getAttribute('data-tip') ?? '').startsWith('evil\\n')) { point('pointerdown', x, y); point('pointerup', x, y); return; } } })()`);
  await comes(page, `card.querySelector('.tp .caption')`);
  const info = await page.ask(`[card.querySelector('.tp .caption').textContent, card.querySelectorAll('.tp script').length]`);
  same(info, [told[6], 0]);
  same(page.messages.filter((text) => !/setPointerCapture/.test(text)), []);
});

test('timeline_paints_slices_as_they_say', async () => {
  for (const dark of [false, true]) {
    const page = await openTold('told', { dark });
    const seen = await page.ask(`(() => { const found = {};
      for (let y = 20; y < canvas().clientHeight; y += 3) for (let x = 2; x < canvas().clientWidth; x += 4) {
        point('pointermove', x, y); const tip = canvas().getAttribute('data-tip') ?? '', name = tip.split('\\n')[0];
        if (/^(red|argb|white)$/.test(name)) (found[name] ??= []).push(colourOf(x, y).join()); }
      return Object.fromEntries(Object.entries(found).map(([name, all]) => [name, all.filter((c, i) => all.indexOf(c) === i)])); })()`);
    for (const [name, colour] of [['red', '255,0,0'], ['argb', '0,255,0'], ['white', '255,255,255']]) same([name, seen[name].includes(colour)], [name, true]);
    same(seen.white.length > 1 || dark, true); /* white has an edge on the light page */
  }
});

test('timeline_hides_what_is_private_in_arguments', async () => {
  const page = await openTold('told_redacted', {}, '--redact');
  const tips = await page.ask('tips()');
  same(tips.some((tip) => tip.includes('alice')), false);
  same(tips.some((tip) => tip.includes('file: …/shard-7\nrows: 1007')), true);
});

test('call_tree_zooms_and_measures', async () => {
  const page = await open();
  const seen = await page.ask(`(() => {
    const card = document.querySelector('.calltree'), boxes = () => [...card.querySelectorAll('svg[data-call]')];
    const wide = () => boxes().filter((b) => b.getAttribute('width') === '100.000%').length, first = boxes().length, top = wide();
    const child = boxes().find((b) => parseFloat(b.getAttribute('width')) < 90 && b.querySelector('text'));
    child.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const reset = [...card.querySelectorAll('button')].find((b) => b.textContent === 'Reset zoom');
    const zoomed = { wide: wide(), reset: !reset.hidden };
    reset.click();
    const back = boxes().length;
    const cpu = [...card.querySelectorAll('button')].find((b) => b.textContent === 'CPU time');
    cpu.click();
    const input = card.querySelector('input');
    input.value = 'a'; input.dispatchEvent(new Event('input'));
    return { first: first > 5, wider: zoomed.wide > top || zoomed.wide > 1, reset: zoomed.reset, back: back === first, pressed: cpu.getAttribute('aria-pressed'), dimmed: card.querySelectorAll('.dimmed').length > 0, label: card.querySelector('svg.icicle text').textContent };
  })()`);
  same(seen, { first: true, wider: true, reset: true, back: true, pressed: 'true', dimmed: true, label: 'All CPU time' });
  same(page.messages, []);
});

for (const [name, body] of cases) {
  try {
    await body();
    console.log('ok - ' + name);
  } catch (error) {
    console.log('not ok - ' + name + '\n    ' + String(error.message).slice(0, 600));
  }
}
await chrome.close();
process.exit(0); /* All cases were printed. Another exit status would mean that this program failed. */
