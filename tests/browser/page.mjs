/* node page.mjs BROWSER TRACEPRESS DATA WORK: tests the report in a real browser. Prints `ok - name` or `not ok - name`
 * per case. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  ranks: report('ranks', join(data, 'ddp')),
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
  const COUNT = `({ sections: document.querySelectorAll('section').length, rows: document.querySelectorAll('tbody tr:not(.tp tr)').length, charts: document.querySelectorAll('svg rect, svg path').length })`;
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

/* Tests that sorting and filtering work over the shown rows and those behind "All ..", and that the shown rows are the
 * first ones. */
test('tables_sort_and_filter', async () => {
  const page = await chrome.open(urls.cpu);
  const seen = await page.ask(`(() => {
    const table = document.querySelector('#operators table[data-name=operators]'), box = table.closest('.tab'), rest = box.querySelector('table.rest');
    const rows = () => [...table.tBodies[0].rows, ...rest.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells], at = heads.findIndex((h) => h.textContent === 'Calls'), open = table.tBodies[0].rows.length;
    const calls = () => rows().map((r) => Number(r.cells[at].textContent.replace(/,/g, '')));
    heads[at].querySelector('button').click();
    const down = calls();
    heads[at].querySelector('button').click();
    const up = calls(), input = box.querySelector('input');
    const filter = (text) => { input.value = text; input.dispatchEvent(new Event('input')); return [...table.tBodies[0].rows].filter((r) => !r.hidden).length; };
    const found = filter('add'), names = [...table.tBodies[0].rows].filter((r) => !r.hidden).map((r) => r.cells[0].textContent);
    return { down: down.every((v, i) => !i || down[i - 1] >= v), up: up.every((v, i) => !i || up[i - 1] <= v), open,
      found: found > 0 && names.every((n) => /add/i.test(n)), left: filter('no such operator'), all: filter('') };
  })()`);
  same(seen, { down: true, up: true, open: 8, found: true, left: 0, all: 8 });
});

test('eight_rows_are_shown_and_a_click_shows_all', async () => {
  for (const [noScript, url] of [[false, urls.gpu], [false, urls.cpu], [true, urls.cpu]]) {
    const page = await chrome.open(url, { noScript });
    const seen = await page.ask(`[...document.querySelectorAll('details.all')].filter((d) => d.parentElement.checkVisibility()).map((d) => {
      const rows = () => [...d.closest('.tab').querySelectorAll('tbody tr')].filter((r) => r.checkVisibility({ contentVisibilityAuto: true })).length, before = rows();
      d.open = true;
      const counted = Number(/(\\d[\\d,]*) (?!longest|largest)\\w/.exec(d.querySelector('summary').textContent)[1]);
      return [before, rows() === counted, /^(All|The) /.test(d.querySelector('summary').textContent), !/ rows$/.test(d.querySelector('summary').textContent)]; })`);
    same(seen.length > 0, true);
    same(seen.filter((table) => JSON.stringify(table) !== '[8,true,true,true]'), []);
  }
});

/* Tests that no table is wider than its place, at any width, and that no cell is a dash or a zero. */
for (const width of [390, 700, 1000, 1440])
  test(`tables_fit_their_place_at_${width}`, async () => {
    for (const name of ['gpu', 'cpu', 'many', 'hostile', 'diff']) {
      const page = await chrome.open(urls[name], { width });
      const seen = await page.ask(`(() => { document.querySelectorAll('details').forEach((d) => { d.open = true; });
        const tables = [...document.querySelectorAll('.data')].filter((t) => t.checkVisibility());
        return { wide: tables.filter((t) => t.scrollWidth > t.clientWidth + 1 || t.clientWidth > t.parentElement.clientWidth + 1).map((t) => t.dataset.name),
          narrow: tables.filter((t) => t.tBodies[0].rows[0].cells[0].offsetWidth < 90).map((t) => t.dataset.name),
          sorted: tables.flatMap((t) => [...t.tHead.rows[0].cells].filter((h) => h.hasAttribute('aria-sort') && !h.checkVisibility())).length,
          dashes: [...document.querySelectorAll('.data td')].filter((c) => /^[–—-]$|^0\\.0+$/.test(c.textContent.trim())).length }; })()`);
      if (name === 'diff') seen.dashes = 0; /* a change of zero is a result */
      same([name, seen], [name, { wide: [], narrow: [], sorted: 0, dashes: 0 }]);
    }
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

/* Sections about several profiles or runs precede the section about the report, in the page and in its navigation. */
test('section_about_the_report_is_last', async () => {
  const page = await chrome.open(urls.baseline);
  const [link, section] = await page.ask(`[[...document.querySelectorAll('nav > ul a')].pop().hash, [...document.querySelectorAll('main section')].pop().id]`);
  same([link, section], ['#about', 'about']);
});

test('first_screen_of_ranks_has_actions_on_one_axis', async () => {
  const page = await chrome.open(urls.ranks);
  const seen = await page.ask(`(() => {
    const part = document.querySelector('#distributed'), left = (css) => Math.round(part.querySelector(css).getBoundingClientRect().left);
    const actions = [...part.querySelectorAll('.do .acts > li')].filter((li) => li.getBoundingClientRect().bottom <= 900);
    return { actions: actions.length > 0, note: /the slowest rank/.test(part.querySelector('.do .cap').textContent), axis: left('.bar svg') === left('.lanes svg') }; })()`);
  same(seen, { actions: true, note: true, axis: true });
});

/* The first screen of a phone has no labels that cover each other, and the lanes keep their names. */
test('labels_of_charts_do_not_overlap_on_a_phone', async () => {
  const page = await chrome.open(urls.gpu, { width: 390 });
  const seen = await page.ask(`(() => {
    const texts = [...document.querySelectorAll('.bar text, .ribbon text, .lanes text')].filter((t) => t.checkVisibility() && t.getBoundingClientRect().width > 0).map((t) => [t.textContent, t.getBoundingClientRect()]);
    const cross = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
    return { names: document.querySelector('.lanes .ll span').getBoundingClientRect().width > 0, texts: texts.length > 2,
      crossed: texts.flatMap(([a, x], i) => texts.slice(i + 1).filter(([b, y]) => cross(x, y)).map(([b]) => a + ' / ' + b)) }; })()`);
  same(seen, { names: true, texts: true, crossed: [] });
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
  same(await page.ask(`getComputedStyle(document.querySelector('.brand')).fontWeight`), '650');
});

/* The page shortens the names in scripts, but not those that the browser declares (KEPT in short_names.c). Tests every word
 * of templates/*.js that the browser declares, or may declare for a local name. */
test('scripts_keep_the_names_of_the_browser', async () => {
  const templates = join(data, '../../templates');
  const source = readdirSync(templates).filter((name) => name.endsWith('.js')).map((name) => readFileSync(join(templates, name), 'utf8')).join('\n');
  const words = (text) => new Set([...text.replace(/\/\*[^]*?\*\//g, '').replace(/'(\\.|[^'\\\n])*'/g, "''").matchAll(/(?<![\w$]|(?<!\.\.)\.)[A-Za-z_$][\w$]*/g)].map((found) => found[0]));
  const folder = join(work, 'kept');
  mkdirSync(folder, { recursive: true });
  execFileSync(tracepress, ['report', '--quiet', '--assets=separate', '-o', join(folder, 'page.html'), find('gpu')], { stdio: 'pipe' });
  const page = await chrome.open('about:blank'), kept = words(readFileSync(join(folder, 'report.js'), 'utf8'));
  const declared = await page.ask(`${JSON.stringify([...words(source)])}.filter((name) => name in window)`);
  same([declared.length > 30, kept.size > declared.length, declared.filter((name) => !kept.has(name))], [true, true, []]);
});

test('printed_page_has_a_few_sheets', async () => {
  const page = await chrome.open(urls.gpu);
  const sheets = (await page.pdf()).toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  if (sheets < 2 || sheets > 7) throw new Error(sheets + ' sheets');
});

test('printed_page_has_the_what_ifs', async () => {
  const page = await chrome.open(urls.gpu, { width: 718, print: true });
  const seen = await page.ask(`[...document.querySelectorAll('#what_if > details')].map((d) => [...d.querySelectorAll('tbody tr')].some((r) => r.checkVisibility()))`);
  same(seen, [true, false]);
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
    if (seen.width > 719 || (name !== 'hostile' && seen.high > 80)) throw new Error(name + ': ' + JSON.stringify(seen));
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
    const seen = await page.ask(`[...document.querySelectorAll('#idle table[data-name] .nm small')].map((c) => {
      const box = c.getBoundingClientRect(), cell = c.closest('td').getBoundingClientRect();
      return [c.textContent, c.previousElementSibling.textContent, box.left >= cell.left && box.right <= cell.right + 1]; })`);
    same(seen.sort(), [['train.py:7', 'first', true], ['train.py:9', 'second', true]]);
  }
});

/* Only names wrap on a phone. */
test('cells_have_one_line', async () => {
  const page = await chrome.open(urls.gpu, { width: 390 });
  const high = await page.ask(`[...document.querySelectorAll('.data tbody td:not(.nm)')].filter((c) => c.checkVisibility()).filter((c) => {
    const range = document.createRange(); range.selectNodeContents(c); return range.getBoundingClientRect().height > 24; }).map((c) => c.textContent.slice(0, 40))`);
  same(high, []);
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
