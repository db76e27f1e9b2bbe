/* node planted.mjs TRACEPRESS DATA WORK PACKAGES: tests acceptance.mjs with hand-made pages. Each page has one planted
 * fault, and exactly its rows must fail. Prints `ok - name` or `not ok - name` per case. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [tracepress, data, work, packages] = process.argv.slice(2);
const script = join(dirname(fileURLToPath(import.meta.url)), 'acceptance.mjs');
const folder = join(work, 'planted');
mkdirSync(folder, { recursive: true });

/* A page that meets every target. The faults below are replacements in its text. */
const GOOD = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>good</title>
<style>
body { margin: 0; background: #FFFFFF; color: #14181D; font: 14px/20px sans-serif; }
h1, h2, p, dl, dd, ol, figure { margin: 0; padding: 0; }
.head { font-size: 28px; line-height: 36px; }
h1 { font-size: 14px; }
h2 { font-size: 20px; }
h3 { font-size: 16px; }
small { font-size: 12px; }
svg text { font-size: 12px; fill: #FFFFFF; }
.f-host { fill: #B92B27; }
.f-gpu { fill: #2160B8; }
@media (prefers-color-scheme: dark) { body { background: #0F1216; color: #E8EBEF; } }
@page { size: A4; }
</style></head><body>
<main id="main">
<h1>good</h1>
<p class="head">The GPU waits <em class="c-host" data-cause="host">218 of 383 ms</em> for the CPU: use workers.</p>
<dl class="figs"><div><dt>Step</dt><dd>383 <small>ms</small></dd></div></dl>
<figure class="bar"><svg width="100%" height="28" role="img" aria-label="By cause">
<g data-cause="host" data-ns="218000000" data-avoidable="1"><rect width="57%" height="28" class="f-host"/><text x="8" y="18">Python</text></g>
<g data-cause="gpu" data-ns="300000000"><rect x="57%" width="43%" height="28" class="f-gpu"/><svg x="57%" width="43%" height="28"><text x="8" y="18">GPU</text></svg></g>
<g data-cause="launch" data-ns="20000000" data-avoidable="1"></g>
</svg></figure>
<h2>Changes</h2>
<ol class="acts"><li><h3>One</h3></li><li><h3>Two</h3></li><li><h3>Three</h3></li><li><h3>Four</h3></li></ol>
<table><caption>Kernels</caption><thead><tr><th scope="col">Name</th><th scope="col">Time</th></tr></thead>
<tbody><tr><th scope="row">gemm</th><td>1.5</td></tr><tr><th scope="row">copy</th><td></td></tr></tbody></table>
</main></body></html>
`;
const before = (mark, text) => (page) => page.replace(mark, text + mark);
const swap = (from, to) => (page) => {
  if (!page.includes(from)) throw new Error('the page has no ' + from);
  return page.replace(from, to);
};
const end = (text) => before('</main>', text), style = (text) => before('</style>', text);

/* name, change of the page, keys of the rows that must fail */
const FAULTS = [
  ['long', end('<div class="tall"></div>'), ['screens_1440', 'screens_390', 'sheets'], style('.tall { height: 7000px; }')],
  ['findings_below', before('<ol class="acts">', '<div class="gap"></div>'), ['findings'], style('.gap { height: 700px; }')],
  ['wordy', end('<p>' + 'word '.repeat(400) + '</p>'), ['words']],
  ['long_headline', swap('use workers.', 'use workers, ' + 'more '.repeat(20) + '.'), ['headline_words']],
  ['sixth_size', end('<p class="odd">odd</p>'), ['fonts_1440', 'fonts_390'], style('.odd { font-size: 13px; }')],
  ['sixth_size_on_a_phone', end('<p class="odd">odd</p>'), ['fonts_390'], style('@media (max-width: 700px) { .odd { font-size: 13px; } }')],
  ['dash_cell', swap('<td></td>', '<td>–</td>'), ['dash_cells']],
  ['hyphen_cell_in_details', end('<details><summary>More</summary><table><caption>More kernels</caption><tbody><tr><th scope="row">x</th><td> - </td></tr></tbody></table></details>'), ['dash_cells']],
  ['empty_tile', swap('383 <small>ms</small>', ''), ['empty_tiles']],
  ['dash_tile', swap('383 <small>ms</small>', '—'), ['empty_tiles']],
  ['wide', end('<div class="wide">wide</div>'), ['wide_1440', 'wide_390'], style('.wide { width: 1500px; }')],
  ['wide_on_a_phone', end('<div class="wide">wide</div>'), ['wide_390'], style('.wide { width: 600px; }')],
  ['cut_off_on_a_phone', end('<div class="cut"><div class="wide">wide</div></div>'), ['wide_390'], style('.wide { width: 600px; } .cut { overflow: hidden; }')],
  ['pale_label', style('.f-gpu { fill: #A9C6EF; }'), ['svg_contrast']],
  ['pale_label_in_the_dark', style('@media (prefers-color-scheme: dark) { .f-host { fill: #F28C28; } }'), ['svg_contrast']],
  ['transparent_label', style('svg text { fill-opacity: .5; }'), ['svg_contrast']],
  ['label_on_the_page', end('<svg width="200" height="20" role="img" aria-label="x"><text x="8" y="14">lost</text></svg>'), ['svg_contrast']],
  ['message', before('</body>', '<script>console.log("hello");</script>'), ['messages']],
  ['exception', before('</body>', '<script>throw new Error("broken");</script>'), ['messages']],
  ['request', before('</head>', '<link rel="stylesheet" href="missing.css">'), ['messages', 'requests']],
  ['style_attribute', swap('<p class="head">', '<p class="head" style="color: inherit">'), ['style_attributes']],
  ['handler', swap('<h2>', '<h2 onclick="void 0">'), ['handlers']],
  ['five_sheets', end('<p class="sheet">1</p><p class="sheet">2</p><p class="sheet">3</p><p class="sheet">4</p>'), ['sheets'], style('@media print { .sheet { break-before: page; } }')],
  ['large', before('</body>', '<script type="application/json">"' + 'x'.repeat(500000) + '"</script>'), ['kb']],
  ['much_code', style('/*' + 'x'.repeat(91000) + '*/'), ['code_kb']],
  ['other_cause', swap('class="c-host" data-cause="host"', 'class="c-launch" data-cause="launch"'), ['cause']],
  ['other_class', swap('class="c-host" data-cause="host"', 'class="c-gpu"'), ['cause']],
  ['no_mark', swap(/<em.*<\/em>/.exec(GOOD)[0], '218 ms'), ['cause']],
  ['no_bar', (page) => page.replaceAll('data-cause="host" data-ns', 'data-ns').replaceAll('data-cause="gpu" ', '').replaceAll('data-cause="launch" ', ''), ['cause']],
];
/* Faults that only axe or html-validate can find. */
const PALE = ['pale_text', style('h3 { color: #BBBBBB; } @media (prefers-color-scheme: dark) { h3 { color: #444444; } }'), ['axe_light', 'axe_dark', 'axe_390_light', 'axe_390_dark', 'text_contrast']];
const WRONG = ['wrong_html', end('<p id="twice"></p><p id="twice"></p>'), ['html']];
/* Pages that must pass: a name first that is 1.5 times smaller than the largest, a bar without avoidable segments. */
const FINE = [
  ['second_cause', (page) => swap('</em>', '</em> and <em class="c-launch">launches</em>')(swap('data-ns="20000000"', 'data-ns="300000000"')(page))],
  ['nothing_avoidable', (page) => page.replaceAll(' data-avoidable="1"', '')],
  ['shortened_name', (page) => style('th { max-width: 120px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }')(swap('gemm', '<span>' + 'gemm'.repeat(200) + '</span>')(page))],
  ['two_findings', swap('<li><h3>Three</h3></li><li><h3>Four</h3></li>', '')],
];

function write(name, ...changes) {
  const file = join(folder, name + '.html');
  writeFileSync(file, changes.filter(Boolean).reduce((page, change) => change(page), GOOD));
  return file;
}
function measure(files, ...options) {
  const json = join(folder, 'result.json');
  const done = spawnSync(process.execPath, [script, '--tracepress', tracepress, '--work', join(folder, 'work'), '--json', json, ...options, ...files], { encoding: 'utf8' });
  if (![0, 1].includes(done.status)) throw new Error(`exit ${done.status}: ${done.stderr.trim().split('\n')[0]}`);
  return { ...JSON.parse(readFileSync(json, 'utf8')), exit: done.status, text: done.stdout };
}
const same = (a, b) => { if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error(`${JSON.stringify(a)} is not ${JSON.stringify(b)}`); };
const rows = (page, verdict) => Object.entries(page.verdicts).filter(([, v]) => v === verdict).map(([key]) => key).sort();
const row = (result, key) => result.summary.find((r) => r.key === key);
const AXE = ['axe_390_dark', 'axe_390_light', 'axe_dark', 'axe_light', 'text_contrast'];
let failed = 0;
function test(name, body) {
  if (!name.includes(process.env.T ?? '')) return;
  try { body(); console.log(`ok - measure_${name}`); } catch (error) { failed++; console.log(`not ok - measure_${name}\n    ${error.message.split('\n')[0]}`); }
}
/* Measures the good page and all given faults with one browser, then reports a case for each page. */
function testFaults(faults, ...options) {
  if (!faults.some(([name]) => name.includes(process.env.T ?? ''))) return;
  const result = measure(faults.map(([name, change, , more]) => write(name, change, more)), ...options);
  for (const [name, , keys] of faults)
    test(name, () => {
      const page = result.pages.find((p) => p.name === name);
      if (!page) throw new Error(`not measured: ${JSON.stringify(result.failed)}`);
      same(rows(page, 'fail'), [...keys].sort());
      for (const key of keys) {
        same(row(result, key).verdict, 'fail');
        same(row(result, key).failed.includes(name), true);
      }
    });
  test('faults_give_exit_code_1', () => same(result.exit, 1));
}

const none = ['--packages', join(folder, 'no_packages')];
test('good_page_passes', () => {
  const result = measure([write('good')], ...none);
  same([result.exit, rows(result.pages[0], 'fail'), row(result, 'cause').worst, result.pages[0].views.light.svg.count], [0, [], '1 same of 1', 2]);
  same([result.pages[0].sheets, result.pages[0].views.light.findings_shown, Object.keys(result.pages[0].views.light.fonts).length], [1, 4, 5]);
});
test('missing_packages_are_skipped_and_do_not_pass', () => {
  const result = measure([write('good')], ...none);
  same(rows(result.pages[0], 'skipped'), [...AXE, 'html'].sort());
  same([...AXE, 'html'].map((key) => row(result, key).verdict), Array(6).fill('skipped'));
  same(/6 skipped/.test(result.text) && /axe: not run/.test(result.text), true);
});
test('fine_variants_pass', () => {
  const result = measure(FINE.map(([name, change]) => write(name, change)), ...none);
  same(result.pages.map((page) => [page.name, rows(page, 'fail')]), FINE.map(([name]) => [name, []]));
  same(row(result, 'cause').counts, { same: 3, 'nothing avoidable': 1 });
});
test('bar_without_a_match_does_not_pass', () => {
  const result = measure([write('nothing_avoidable', FINE[1][1])], ...none);
  same(row(result, 'cause').verdict, 'skipped');
});
testFaults(FAULTS, ...none);
test('page_that_is_missing_is_named', () => {
  const result = measure([join(folder, 'gone.html'), write('good')], ...none);
  same([result.exit, result.failed.map((page) => page.name), result.pages.map((page) => page.name)], [1, ['gone'], ['good']]);
});
test('page_that_hangs_is_named', () => {
  const result = measure([write('hangs', before('</body>', '<script>for (;;);</script>')), write('good')], ...none, '--timeout', '6');
  same([result.exit, result.failed.map((page) => page.name), result.pages.map((page) => page.name)], [1, ['hangs'], ['good']]);
});
test('trace_becomes_a_page_and_pictures', () => {
  const shots = join(folder, 'shots'), result = measure([join(data, 'traces/case_cpu_loop.pt.trace.json.gz')], ...none, '--shots', shots, '--all');
  same(result.pages.map((page) => [page.name, page.kind]), [['case_cpu_loop', 'trace']]);
  same(['first', '1440', '390', 'dark', 'nojs'].filter((kind) => !readdirSync(shots).includes(`case_cpu_loop-${kind}.png`)), []);
  same(/case_cpu_loop \(trace\)\n +screens at 1440x900/.test(result.text), true);
});
/* A stand-in for axe shows that its violations reach the table. */
test('violations_of_axe_fail_in_each_view', () => {
  const fake = join(folder, 'fake');
  mkdirSync(join(fake, 'node_modules/axe-core'), { recursive: true });
  writeFileSync(join(fake, 'node_modules/axe-core/axe.min.js'), `window.axe = { run: async (root, { runOnly }) => {
    const rule = (id, contrastRatio) => ({ id, nodes: [{ html: '<p>', any: [{ data: { contrastRatio } }] }] });
    return { violations: innerWidth > 600 || runOnly.length !== 4 ? [] : [rule('planted')], passes: [rule('color-contrast', matchMedia('(prefers-color-scheme: dark)').matches ? 4 : 9)], incomplete: [] };
  } };`);
  const result = measure([write('good')], '--packages', fake);
  same(rows(result.pages[0], 'fail'), ['axe_390_dark', 'axe_390_light', 'text_contrast']);
  same([row(result, 'axe_light').verdict, row(result, 'text_contrast').worst, row(result, 'html').verdict], ['pass', '4.00', 'skipped']);
});
const has = (name) => existsSync(join(packages, 'node_modules', name));
if (has('axe-core') && has('html-validate')) testFaults([['good', null, []], PALE, WRONG], '--packages', resolve(packages));
else console.log('ok - measure_pale_text # SKIP no axe-core and html-validate in ACCEPTANCE_PACKAGES');
process.exit(failed ? 1 : 0);
