/* node svg.mjs BROWSER TRACEPRESS DATA WORK: tests the pictures of `export` in a real browser. Prints `ok - name` or
 * `not ok - name` per case. */
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './chrome.mjs';
import { hostileTrace } from './hostile.mjs';

const [browser, tracepress, data, work] = process.argv.slice(2);
const trace = (name) => join(data, 'traces', name + '.pt.trace.json.gz');
const picture = (name, ...args) => {
  const folder = join(work, 'svg_' + name);
  execFileSync(tracepress, ['export', '--quiet', '-o', folder, ...args], { stdio: 'pipe' });
  return 'file://' + join(folder, readdirSync(folder).sort().pop());
};
writeFileSync(join(work, 'hostile.pt.trace.json'), hostileTrace());
const urls = {
  flame: picture('flame', trace('torch_2.13_mlp_train.full'), '--to', 'flamegraph'),
  diff: picture('diff', trace('gpu_2026'), '--to', 'flamegraph', '--baseline', trace('gpu_2024')),
  hostile: picture('hostile', join(work, 'hostile.pt.trace.json'), '--to', 'flamegraph'),
};
urls.memory = picture('memory', trace('torch_2.13_mlp_train.full'), '--to', 'memory-flow', '--color-by', 'module');
const placeless = Array.from({ length: 40 }, (_, i) => ({ ph: 'i', name: '[memory]', pid: 1, tid: 1, ts: 10 + i * 20,
  args: { Bytes: i % 3 ? 1 << 20 : -(1 << 19), 'Device Type': 0, 'Device Id': -1 } }));
writeFileSync(join(work, 'placeless.pt.trace.json'), JSON.stringify({ traceEvents: [{ ph: 'X', cat: 'cpu_op', name: 'op', pid: 1, tid: 1, ts: 0, dur: 900 }, ...placeless] }));
urls.curve = picture('curve', join(work, 'placeless.pt.trace.json'), '--to', 'memory-flow');
const chrome = await start(browser);
const same = (a, b) => { if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${JSON.stringify(a)} is not ${JSON.stringify(b)}`); };
const cases = [];
const test = (name, body) => cases.push([name, body]);

for (const name of Object.keys(urls))
  test(`picture_${name}_is_silent_and_runs_no_text`, async () => {
    const page = await chrome.open('about:blank');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: 'window.hits = []; window.hit = (n) => hits.push(n);' });
    const loaded = new Promise((resolve) => { page.loaded = resolve; });
    await page.send('Page.navigate', { url: urls[name] });
    await loaded;
    await page.ask(`document.querySelectorAll('#frames > g').forEach((g) => {
      g.dispatchEvent(new MouseEvent('mouseenter')); g.dispatchEvent(new MouseEvent('click', {bubbles: true})); })`);
    const seen = await page.ask(`({ hits: window.hits, scripts: document.querySelectorAll('script').length, frames: document.querySelectorAll('title').length > (document.getElementById('curve') ? 1 : 3),
      handlers: [...document.querySelectorAll('*')].filter((e) => [...e.attributes].some((a) => /^on/i.test(a.name))).length,
      links: document.querySelectorAll('a, image, use, iframe, [href]').length })`);
    same(seen, { hits: [], scripts: name === 'memory' || name === 'curve' ? 0 : 1, frames: true, handlers: 0, links: 0 });
    same([page.dialogs, page.messages, page.requests.filter((address) => !address.startsWith('file://'))], [0, [], []]);
  });

const SHOWN = `[...document.querySelectorAll('#frames > g')].filter((g) => g.style.display !== 'none').map((g) => ({
  name: g.querySelector('title').textContent.split('\\n')[0], text: g.querySelector('text').textContent, width: +g.querySelector('rect').getAttribute('width') }))`;
const click = (name) => `[...document.querySelectorAll('#frames > g')].find((g) => g.querySelector('title').textContent.startsWith(${JSON.stringify(name)}))
  .dispatchEvent(new MouseEvent('click', {bubbles: true}))`;

test('flame_zooms_and_comes_back', async () => {
  const page = await chrome.open(urls.flame);
  const before = await page.ask(SHOWN);
  await page.ask(click('nn.Module: MLP_0'));
  const after = await page.ask(SHOWN);
  if (after.length >= before.length) throw new Error('nothing is hidden');
  const box = after.find((f) => f.name === 'nn.Module: MLP_0');
  same([box.text, box.width], ['nn.Module: MLP_0', 1180]);
  await page.ask(`document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}))`);
  same(await page.ask(SHOWN), before);
});

test('flame_search_says_the_share', async () => {
  const page = await chrome.open(urls.flame);
  const search = (text) => page.ask(`(() => { const i = document.querySelector('input'); i.value = ${JSON.stringify(text)};
    i.dispatchEvent(new Event('input')); return [document.getElementById('said').textContent, document.querySelectorAll('.found').length]; })()`);
  const all = await search('<MODULE>');
  same(all, ['1 box found: 100.00 % of all', 1]);
  const some = await search('aten::');
  if (some[1] < 10 || !/^\d+ boxes found: \d+\.\d\d % of all$/.test(some[0])) throw new Error(JSON.stringify(some));
  same(await search(''), [' ', 0]);
});

test('flame_is_readable_without_script', async () => {
  const page = await chrome.open(urls.flame, { noScript: true });
  const texts = await page.ask(`[...document.querySelectorAll('#frames text')].map((t) => t.textContent).filter(Boolean)`);
  if (!texts.includes('nn.Module: MLP_0') || !texts.some((t) => t.endsWith('…'))) throw new Error(texts.join(' | '));
  const out = await page.ask(`[...document.querySelectorAll('#frames > g')].filter((g) => {
    const t = g.querySelector('text').getBBox(), r = g.querySelector('rect').getBBox(); return t.width > 0 && t.x + t.width > r.x + r.width + 3; }).length`);
  same(out, 0);
});

test('flame_texts_stay_in_their_boxes_when_zoomed', async () => {
  const page = await chrome.open(urls.hostile);
  const out = await page.ask(`[...document.querySelectorAll('#frames > g')].reduce((sum, g) => {
    g.dispatchEvent(new MouseEvent('click', {bubbles: true}));
    const t = g.querySelector('text').getBBox(), r = g.querySelector('rect').getBBox(); return sum + (t.width > 0 && t.x + t.width > r.x + r.width + 40); }, 0)`);
  same(out, 0);
});

test('memory_flow_stays_in_its_axes', async () => {
  const page = await chrome.open(urls.memory);
  const out = await page.ask(`[...document.querySelectorAll('#blocks rect, #small path, #peak')].filter((e) => {
    const b = e.getBBox(); return b.x < 130 || b.y < 68 || b.x + b.width > 1170.1 || b.y + b.height > 714.1 || b.width < 0; }).length`);
  same([out, await page.ask(`document.querySelectorAll('#blocks title').length > 20`)], [0, true]);
});

test('memory_curve_stays_in_its_axes', async () => {
  const page = await chrome.open(urls.curve);
  same(await page.ask(`(() => { const b = document.getElementById('curve').getBBox();
    return [b.x >= 130, b.y >= 74, b.x + b.width <= 1170, b.y + b.height <= 714.1, b.width > 1000, b.height > 300, document.querySelectorAll('#blocks').length]; })()`),
  [true, true, true, true, true, true, 0]);
});

for (const name of ['flame', 'diff', 'memory', 'curve'])
  test(`picture_${name}_follows_a_dark_theme`, async () => {
    /* returns the brightness of the page, and the smallest contrast between a text and its background */
    const look = async (dark) => (await chrome.open(urls[name], { dark })).ask(`(() => {
      const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
      const light = (rgb) => rgb.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const page = parse(getComputedStyle(document.querySelector('.b')).fill);
      const contrasts = [...document.querySelectorAll('text')].filter((t) => t.textContent.trim()).map((t) => {
        const rect = t.closest('g.f')?.querySelector('rect'), style = rect && getComputedStyle(rect);
        const alpha = rect ? +style.fillOpacity : 0, fill = rect ? parse(style.fill) : page;
        const back = light(page.map((v, i) => v * (1 - alpha) + fill[i] * alpha)), ink = light(parse(getComputedStyle(t).fill));
        return (Math.max(back, ink) + 0.05) / (Math.min(back, ink) + 0.05); });
      return [light(page), Math.min(...contrasts), contrasts.length]; })()`);
    const day = await look(false), night = await look(true);
    same([day[0] > 0.9, night[0] < 0.02, day[2] === night[2] && day[2] > 5], [true, true, true]);
    if (!(day[1] >= 4.5 && night[1] >= 4.5)) throw new Error(`contrast ${day[1]} by day, ${night[1]} by night`);
  });

for (const [name, body] of cases) {
  try { await body(); console.log('ok - ' + name); } catch (error) { console.log(`not ok - ${name}\n    ${error.message}`); }
}
await chrome.close();
