/* node acceptance.mjs [--tracepress FILE] [--work DIR] [--packages DIR] [--all] [--json FILE] [--shots DIR] [--timeout S]
 * [INPUT...]: measures pages of tracepress in headless Chromium and compares each figure with its target.
 *
 * INPUT is a trace, a folder of traces, a .tps file, or a page that is ready (.html). Without INPUT, it measures the pages
 * of the traces in ../shared/data/traces (or tests/data/traces) and one page of each other kind. DIR of --packages has
 * node_modules with axe-core and html-validate; rows of a package that is missing are skipped. --all prints a table per
 * page, --json writes all values, --shots writes pictures. A page that takes more than S seconds (300) fails.
 * BROWSER_BINARY names Chromium.
 *
 * Exit codes: 0 no row fails, 1 a row fails or a page could not be measured, 2 wrong usage. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pages } from './acceptance_inputs.mjs';
import { axeRules, cause, layout, markup, svgContrast } from './acceptance_page.mjs';
import { ROWS, show, summarize, verdict } from './acceptance_rows.mjs';
import { start } from './chrome.mjs';

const VIEWS = { light: { width: 1440, height: 900 }, dark: { width: 1440, height: 900, dark: true },
  '390 light': { width: 390, height: 844 }, '390 dark': { width: 390, height: 844, dark: true } };
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'];
const tests = resolve(dirname(fileURLToPath(import.meta.url)), '..'), top = dirname(tests);
const call = (body, ...args) => `(${body})(${args.map((a) => JSON.stringify(a)).join(', ')})`;

function usage(text) {
  console.error(`acceptance: ${text}`);
  process.exit(2);
}

function readArguments(words) {
  const options = { tracepress: join(top, 'build/release/tracepress'), work: join(top, 'build/acceptance'), packages: join(top, 'build/npm'), timeout: 300, inputs: [] };
  for (let i = 0; i < words.length; i++) {
    const name = words[i].replace(/^--/, '');
    if (words[i] === '--all') options.all = true;
    else if (['tracepress', 'work', 'packages', 'json', 'shots', 'timeout'].includes(name) && words[i] !== name) {
      if (words[i + 1] === undefined) usage(`${words[i]} needs a value`);
      options[name] = words[++i];
    } else if (words[i].startsWith('--')) usage(`unknown option ${words[i]}`);
    else options.inputs.push(words[i]);
  }
  if (!(Number(options.timeout) > 0)) usage('--timeout needs a number of seconds');
  for (const input of options.inputs) if (!existsSync(input) && !/\.html$/.test(input)) usage(`no such file: ${input}`);
  return options;
}

/* Returns the text of axe and a function that returns the errors of a file in html-validate; null for what is missing. */
function loadPackages(folder) {
  const require = createRequire(join(resolve(folder), 'package.json'));
  const load = (what, body) => { try { return body(); } catch (error) { console.log(`${what}: not run (${error.message.split('\n')[0]})`); return null; } };
  const axe = load('axe', () => readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const validator = load('html-validate', () => {
    const { HtmlValidate, StaticConfigLoader } = require('html-validate');
    /* The list of search results is a listbox with several columns, which a select cannot show. */
    return new HtmlValidate(new StaticConfigLoader({ root: true, extends: ['html-validate:recommended'], rules: { 'prefer-native-element': 'off' } }));
  });
  const validate = validator && (async (file) => (await validator.validateFile(file)).results.flatMap((result) => result.messages)
    .filter((message) => message.severity === 2).map((message) => `${message.ruleId}, line ${message.line}: ${message.message}`));
  return { axe, validate };
}

const countSheets = (pdf) => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;

/* Opens a page, calls body with it and closes it. */
async function opened(chrome, url, options, body) {
  const page = await chrome.open(url, options);
  try { return await body(page); } finally { await page.close(); }
}

/* Writes pictures of a page: the first screen at 1440, the whole page at 1440, 390, in the dark theme and without
 * JavaScript, and the first printed sheet if pdftoppm is installed. */
async function takePictures(chrome, url, name, folder) {
  const kinds = { first: { width: 1440 }, 1440: { width: 1440 }, 390: { width: 390, height: 844 }, dark: { width: 1440, dark: true }, nojs: { width: 1440, noScript: true } };
  for (const [kind, options] of Object.entries(kinds))
    await opened(chrome, url, options, async (page) => {
      const whole = Math.min(await page.ask('document.documentElement.scrollHeight'), 16000);
      const clip = { x: 0, y: 0, width: options.width, height: kind === 'first' ? 900 : whole };
      writeFileSync(join(folder, `${name}-${kind}.png`), await page.screenshot(clip));
    });
  const pdf = await opened(chrome, url, { width: 718, print: true }, (page) => page.pdf());
  writeFileSync(join(folder, `${name}.pdf`), pdf);
  try {
    execFileSync('pdftoppm', ['-png', '-r', '90', '-f', '1', '-l', '1', '-singlefile', join(folder, `${name}.pdf`), join(folder, `${name}-print`)]);
    rmSync(join(folder, `${name}.pdf`));
  } catch { /* without pdftoppm, the PDF is the picture */ }
}

async function measure(chrome, { name, kind, file }, packages) {
  const url = 'file://' + resolve(file), seen = { name, kind, bytes: statSync(file).size, views: {}, messages: [], requests: [] };
  for (const [theme, options] of Object.entries(VIEWS))
    await opened(chrome, url, options, async (page) => {
      const view = { ...await page.ask(call(layout, options.width, options.height)), svg: await page.ask(call(svgContrast)) };
      if (theme === 'light') seen.cause = await page.ask(call(cause));
      seen.messages.push(...page.messages.map((text) => `${theme}: ${text}`));
      seen.requests.push(...page.requests.filter((address) => address !== url && !address.startsWith('data:')));
      if (packages.axe) {
        await page.ask(packages.axe + ';0');
        view.axe = await page.ask(call(axeRules, AXE_TAGS));
      }
      seen.views[theme] = view;
    });
  seen.markup = await opened(chrome, url, { noScript: true }, (page) => page.ask(call(markup)));
  seen.sheets = await opened(chrome, url, { width: 718, print: true }, async (page) => countSheets(await page.pdf()));
  if (packages.validate) seen.html = await packages.validate(resolve(file));
  return seen;
}

/* Returns the result of work, or fails after the time. */
function within(ms, work) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`took more than ${ms / 1000} s`)), ms); });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/* Measures all pages, one after another. A page that fails gets a new browser for the next page. */
async function measureAll({ list, failed }, packages, { shots, timeout }) {
  const browser = process.env.BROWSER_BINARY || '/usr/bin/chromium', measured = [];
  let chrome = await start(browser);
  for (const page of list) {
    try {
      if (!existsSync(page.file)) throw new Error('no such file');
      measured.push(await within(timeout * 1000, measure(chrome, page, packages)));
      if (shots) await within(timeout * 1000, takePictures(chrome, 'file://' + resolve(page.file), page.name, shots));
    } catch (error) {
      failed.push({ name: page.name, kind: page.kind, why: error.message.split('\n')[0] });
      await chrome.close();
      chrome = await start(browser);
    }
  }
  await chrome.close();
  return measured;
}

/* Prints rows of texts in columns. */
function printTable(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  for (const row of rows) console.log('  ' + row.map((cell, i) => cell.padEnd(widths[i])).join('  ').trimEnd());
}

function printPage(page) {
  console.log(`\n${page.name} (${page.kind})`);
  printTable(ROWS.map((row) => {
    const value = row.value(page), judged = verdict(row, page);
    return [row.name, value === undefined ? 'not run' : show(row, value), row.target ?? '', judged.toUpperCase(), (row.detail?.(page) ?? '').replace(/\s+/g, ' ').slice(0, 160)];
  }));
}

function printSummary(summary, pages, failed, skipped) {
  console.log('');
  printTable([['measure', 'target', 'worst', 'median', 'verdict', 'worst page'], ...summary.map((row) => [row.name, row.target, row.worst ?? 'not run', row.median ?? '',
    row.verdict.toUpperCase() + (row.failed.length ? ` ${row.failed.length} of ${row.pages}` : ''), row.worst_page ?? ''])]);
  const count = (name) => summary.filter((row) => row.verdict === name).length;
  for (const line of skipped) console.log(`  no page: ${line}`);
  for (const page of failed) console.log(`  not measured: ${page.name}: ${page.why}`);
  console.log(`${pages.length} pages; rows: ${count('pass')} pass, ${count('fail')} fail, ${count('skipped')} skipped, ${count('noted')} without a target; ${failed.length} pages not measured`);
}

const options = readArguments(process.argv.slice(2));
const packages = loadPackages(options.packages);
const pages = new Pages(options.tracepress, options.work);
options.inputs.forEach((input) => pages.input(input));
if (!options.inputs.length) {
  const shared = join(top, '../shared'), traces = join(shared, 'data/traces');
  pages.input(existsSync(traces) ? traces : join(tests, 'data/traces'));
  pages.fixtures(join(tests, 'data'), dirname(resolve(options.tracepress)), shared);
}
if (options.shots) mkdirSync(options.shots, { recursive: true });
const measured = await measureAll(pages, packages, options);
const summary = ROWS.map((row) => summarize(row, measured));
if (options.all) measured.forEach(printPage);
printSummary(summary, measured, pages.failed, pages.skipped);
if (options.json) {
  const verdicts = (page) => Object.fromEntries(ROWS.map((row) => [row.key, verdict(row, page)]));
  const all = { summary, pages: measured.map((page) => ({ ...page, verdicts: verdicts(page) })), failed: pages.failed, skipped: pages.skipped };
  writeFileSync(options.json, JSON.stringify(all, null, 1) + '\n');
}
process.exit(summary.some((row) => row.verdict === 'fail') || pages.failed.length || !measured.length ? 1 : 0);
