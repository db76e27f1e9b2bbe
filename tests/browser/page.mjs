/* node page.mjs BROWSER TRACEPRESS DATA WORK: tests the report in a real browser. Prints `ok - name` or `not ok - name`
 * per case. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './chrome.mjs';
import { hostileTrace } from './hostile.mjs';

const [browser, tracepress, data, work] = process.argv.slice(2);
const report = (name, ...args) => {
  const out = join(work, name + '.html');
  execFileSync(tracepress, ['report', '--quiet', '-o', out, ...args], { stdio: 'pipe' });
  return 'file://' + out;
};
const diff = (name, ...args) => {
  const out = join(work, name + '.html');
  execFileSync(tracepress, ['diff', '--quiet', '--exit-zero', '-o', out, ...args], { stdio: 'pipe' });
  return 'file://' + out;
};
const traces = readdirSync(join(data, 'traces')).filter((name) => /\.json(\.gz)?$/.test(name)).sort();
const find = (part) => join(data, 'traces', traces.find((name) => name.includes(part)) ?? traces[0]);
writeFileSync(join(work, 'hostile.pt.trace.json'), hostileTrace());

const urls = {
  gpu: report('gpu', find('gpu')),
  cpu: report('cpu', find('torch')),
  many: report('many', ...traces.slice(0, 4).map((name) => join(data, 'traces', name))),
  hostile: report('hostile', join(work, 'hostile.pt.trace.json')),
  diff: diff('diff', join(data, 'diff', 'base.pt.trace.json.gz'), join(data, 'diff', 'new.pt.trace.json.gz')),
  diff_hostile: diff('diff_hostile', join(data, 'diff', 'base.pt.trace.json.gz'), join(work, 'hostile.pt.trace.json')),
  baseline: report('baseline', join(data, 'diff', 'new.pt.trace.json.gz'), '--baseline', join(data, 'diff', 'base.pt.trace.json.gz')),
  linked: report('linked', '--source-url=https://host/blob/{path}#L{line}', join(work, 'hostile.pt.trace.json')),
};
const chrome = await start(browser);
const same = (a, b) => { if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${JSON.stringify(a)} is not ${JSON.stringify(b)}`); };
const cases = [];
const test = (name, body) => cases.push([name, body]);

/* Counts elements that the markup must never contain. The test evaluates this in the page. */
const AUDIT = `(() => {
  const all = [...document.querySelectorAll('*')], ids = all.map((e) => e.id).filter(Boolean);
  return {
    handlers: all.filter((e) => [...e.attributes].some((a) => /^on/i.test(a.name))).length,
    styled: document.documentElement.outerHTML.match(/<[a-z]+ [^>]*\\sstyle="/g)?.filter((t) => !/id="tip"|<canvas/.test(t)).length ?? 0,
    foreign: [...new Set(all.map((e) => e.localName))].filter((n) => ['img', 'iframe', 'base', 'object', 'embed', 'form', 'textarea'].includes(n)),
    links: [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((h) => !/^(#|https:)/.test(h)),
    twice: ids.filter((id, i) => ids.indexOf(id) !== i), dead: [...document.querySelectorAll('a[href^="#"]')].map((a) => a.hash.slice(1)).filter((h) => !/^(sel|t)=/.test(h) && !document.getElementById(h)),
    /* for screen readers: landmarks must have different names, headings must not skip a level, rows must have names */
    landmarks: [...document.querySelectorAll('main,nav,section[aria-labelledby],[role=region]')].filter((e) => e.checkVisibility()).map((e) => e.localName + ' ' + (e.getAttribute('aria-label') ?? (e.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id)?.textContent).join(' '))).filter((n, i, all) => all.indexOf(n) !== i),
    headings: [...document.querySelectorAll('h1,h2,h3,h4')].map((e) => +e.localName[1]).filter((level, i, all) => level - (all[i - 1] ?? 0) > 1),
    nameless: [...document.querySelectorAll('[role=rowheader],th')].filter((e) => !e.textContent.trim()).length,
    stray: (document.body.innerText.match(/\\{\\{|undefined|\\[object|NaN/g) ?? []).length,
  };
})()`;
const CLEAN = { handlers: 0, styled: 0, foreign: [], links: [], twice: [], dead: [], landmarks: [], headings: [], nameless: 0, stray: 0 };

for (const name of ['gpu', 'cpu', 'many', 'diff', 'baseline'])
  test(`page_${name}_is_silent_and_asks_for_nothing`, async () => {
    const page = await chrome.open(urls[name]);
    same(page.messages, []);
    same(page.requests, []);
    same(await page.ask(AUDIT), CLEAN);
  });

for (const bypassPolicy of [false, true])
  for (const name of ['hostile', 'linked', 'diff_hostile'])
    test(`page_${name}_runs_no_text${bypassPolicy ? '_without_policy' : ''}`, async () => {
      const page = await chrome.open('about:blank', { bypassPolicy });
      await page.send('Page.addScriptToEvaluateOnNewDocument', { source: 'window.hits = []; window.hit = (n) => hits.push(n);' });
      const loaded = new Promise((resolve) => { page.loaded = resolve; });
      await page.send('Page.navigate', { url: urls[name] });
      await loaded;
      /* opens, sorts, filters and hovers over everything */
      await page.ask(`document.querySelectorAll('details').forEach((d) => { d.open = true; });
        document.querySelectorAll('.data thead button').forEach((b) => b.click());
        document.querySelectorAll('input').forEach((i) => { i.value = '<'; i.dispatchEvent(new Event('input')); });
        document.querySelectorAll('[data-tip], tr, canvas').forEach((e) => e.dispatchEvent(new MouseEvent('mousemove', { bubbles: true })));`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      same(await page.ask('window.hits'), []);
      same(page.dialogs, 0);
      same(page.requests.filter((address) => address !== urls[name] && !address.startsWith('data:')), []);
      const audit = await page.ask(AUDIT);
      audit.stray = 0; /* the payloads hold braces themselves */
      same(audit, CLEAN);
    });

test('page_is_complete_without_scripts', async () => {
  const COUNT = `({ sections: document.querySelectorAll('section').length, rows: document.querySelectorAll('tbody tr').length, charts: document.querySelectorAll('svg rect, svg path').length })`;
  const plain = await (await chrome.open(urls.gpu, { noScript: true })).ask(COUNT);
  const full = await (await chrome.open(urls.gpu)).ask(COUNT);
  same([plain.sections, plain.rows], [full.sections, full.rows]);
  same(plain.sections >= 6 && plain.rows > 20 && plain.charts > 20, true);
  const page = await chrome.open(urls.gpu, { noScript: true });
  same(await page.ask(`[...document.querySelectorAll('tbody tr')].filter((r) => getComputedStyle(r).display === 'none').length`), 0);
  same(await page.ask(`getComputedStyle(document.querySelector('.tlstatic') ?? document.body).display !== 'none'`), true);
});

for (const width of [390, 768, 1440])
  test(`page_does_not_overflow_at_${width}`, async () => {
    for (const name of ['gpu', 'many', 'hostile']) {
      const page = await chrome.open(urls[name], { width });
      const seen = await page.ask('document.scrollingElement.scrollWidth');
      if (seen > width) throw new Error(`${name}: ${seen} pixels`);
    }
  });

test('tables_sort_and_filter', async () => {
  const page = await chrome.open(urls.gpu);
  const seen = await page.ask(`(() => {
    const table = document.querySelector('#operators table'), rows = () => [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells], at = heads.findIndex((h) => h.textContent === 'Calls');
    const calls = () => rows().map((r) => Number(r.cells[at].textContent.replace(/,/g, '')));
    heads[at].querySelector('button').click();
    const down = calls();
    heads[at].querySelector('button').click();
    const up = calls(), input = table.closest('.card').querySelector('input');
    input.value = 'no such operator'; input.dispatchEvent(new Event('input'));
    return { down: down.every((v, i) => !i || down[i - 1] >= v), up: up.every((v, i) => !i || up[i - 1] <= v), left: rows().filter((r) => !r.hidden).length };
  })()`);
  same(seen, { down: true, up: true, left: 0 });
});

for (const noScript of [false, true])
  test(`link_into_a_closed_profile_opens_it${noScript ? '_without_scripts' : ''}`, async () => {
    const page = await chrome.open(urls.many, { noScript });
    const links = await page.ask(`[...document.querySelectorAll('#index tbody a')].map((a) => a.getAttribute('href'))`);
    same(links.length > 1, true);
    const target = await chrome.open(urls.many + links[1], { noScript });
    same(await target.ask(`document.querySelector('${links[1]}').closest('details').open`), true);
  });

/* The landmarks of several open profiles differ only by the name of the profile. */
test('open_profiles_keep_their_landmarks_apart', async () => {
  const page = await chrome.open(urls.many);
  await page.ask(`document.querySelectorAll('details.profile').forEach((d) => { d.open = true; })`);
  same((await page.ask(AUDIT)).landmarks, []);
});

test('copied_csv_holds_no_formula', async () => {
  const page = await chrome.open(urls.hostile);
  const csv = await page.ask(`new Promise((resolve) => {
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: (t) => { resolve(t); return Promise.resolve(); } } });
    [...document.querySelectorAll('#operators button')].find((b) => b.textContent === 'Copy CSV').click(); })`);
  const cells = csv.split('\r\n').slice(1).map((line) => line.split('","')[0].replace(/^"/, ''));
  same(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell)), []);
  same(csv.includes("'=cmd"), true);
});

test('theme_switch_changes_colours_and_system_is_followed', async () => {
  const COLOUR = `getComputedStyle(document.body).backgroundColor`;
  const page = await chrome.open(urls.gpu);
  const light = await page.ask(COLOUR);
  await page.ask(`document.querySelector('#tools button').click()`);
  const dark = await page.ask(COLOUR);
  await page.ask(`localStorage.clear()`).catch(() => {});
  same(light !== dark, true);
  same(await (await chrome.open(urls.gpu, { dark: true, noScript: true })).ask(COLOUR), dark);
  same(await (await chrome.open(urls.gpu, { dark: true, noScript: true, print: true })).ask(COLOUR), 'rgb(255, 255, 255)');
});

test('separate_assets_keep_look_and_function', async () => {
  const url = report('separate', '--assets=separate', find('gpu'));
  const html = readFileSync(join(work, 'separate.html'), 'utf8');
  same(/<style|<script>/.test(html), false);
  const page = await chrome.open(url);
  same(page.messages, []);
  same(page.requests.map((address) => address.replace(/.*\//, '')).sort(), ['report.css', 'report.js']);
  same(await page.ask(`getComputedStyle(document.querySelector('.card')).borderRadius`), '8px');
});

test('printed_page_has_a_few_sheets', async () => {
  const page = await chrome.open(urls.gpu);
  const sheets = (await page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  if (sheets < 2 || sheets > 7) throw new Error(sheets + ' sheets');
});

/* Compares the page of a trace with the design picture in ../shared, which shows the same trace. */
const shared = process.env.SHARED ?? '', mock = join(shared, 'mock/mock.html'), sample = join(shared, 'data/traces/kineto/resnet50_num_workers_0');
if (existsSync(mock) && existsSync(sample))
  test('printed_page_has_no_more_sheets_than_its_picture', async () => {
    const sheets = async (url) => (await (await chrome.open(url, { width: 718, print: true })).pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g).length;
    const most = await sheets('file://' + mock), seen = await sheets(report('sample', join(sample, readdirSync(sample)[0])));
    if (seen > most) throw new Error(`${seen} sheets, not ${most}`);
  });

test('printed_tables_keep_their_columns_and_low_rows', async () => {
  for (const name of ['gpu', 'cpu', 'diff', 'hostile']) {
    const page = await chrome.open(urls[name], { width: 718, print: true }); /* width of A4 without margins, pixels */
    const seen = await page.ask(`(() => { const rows = [...document.querySelectorAll('.data tbody tr')].filter((r) => r.checkVisibility());
      return { high: Math.max(0, ...rows.filter((r) => !r.querySelector('details[open], td.t')).map((r) => r.offsetHeight)), width: Math.max(...[...document.querySelectorAll('.data')].map((t) => t.scrollWidth)) }; })()`);
    if (seen.width > 718 || (name !== 'hostile' && seen.high > 80)) throw new Error(name + ': ' + JSON.stringify(seen));
  }
});

/* Makes a trace with one operator whose file has a long path. The page must truncate the folder, not the file. */
test('the_end_of_a_path_is_seen', async () => {
  const folder = '/srv/projects/recommenders/' + 'a_folder_with_a_long_name/'.repeat(4);
  const frame = (name, ts, dur) => ({ ph: 'X', cat: 'python_function', name, pid: 1, tid: 1, ts, dur, args: { 'Python id': ts + 1 } });
  const kernel = (ts, id) => [{ ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts, dur: 2, args: { correlation: id } },
    { ph: 'X', cat: 'kernel', name: 'k', pid: 0, tid: 7, ts: ts + 3, dur: 5, args: { device: 0, stream: 7, correlation: id } }];
  const path = join(work, 'folders.pt.trace.json');
  writeFileSync(path, JSON.stringify({ traceEvents: [...kernel(0, 1), frame(folder + 'train.py(7): first', 10, 100), ...kernel(120, 2), frame(folder + 'train.py(9): second', 130, 100), ...kernel(240, 3)] }));
  for (const width of [390, 1440]) {
    const page = await chrome.open(report('folders', path), { width });
    const seen = await page.ask(`[...document.querySelectorAll('#idle table[data-name] .nm code')].filter((c) => /train/.test(c.textContent)).map((c) => {
      const range = document.createRange(), text = (c.querySelector('a') ?? c).lastChild; range.selectNodeContents(text);
      const box = range.getBoundingClientRect(), cell = c.closest('td').getBoundingClientRect(); return [text.textContent.split('(')[0], box.left >= cell.left && box.right <= cell.right + 1]; })`);
    same(seen.length >= 2, true);
    same(seen.filter(([name, isSeen]) => name !== 'train.py' || !isSeen), []);
  }
});

test('text_off_the_screen_makes_no_row_higher', async () => {
  const page = await chrome.open(urls.gpu, { width: 390 });
  const high = await page.ask(`[...document.querySelectorAll('.data tbody tr')].filter((r) => r.querySelector('td.t') && !r.querySelector('details[open], .nm > div') && r.offsetHeight > 32).map((r) => r.textContent.trim().slice(0, 40) + ' ' + r.offsetHeight)`);
  same(high, []);
});

test('rows_are_ordered_by_the_column_that_stands_first', async () => {
  const page = await chrome.open(urls.gpu, { width: 390 });
  const late = await page.ask(`[...document.querySelectorAll('.data thead tr')].filter((r) => { const at = [...r.cells].findIndex((c) => c.hasAttribute('aria-sort')); return at > 1; }).length`);
  same(late, 0);
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
