/* node tab.mjs BROWSER ADDRESS LOGDIR TRACE PROGRAM: uses the tab in a TensorBoard as a person does. LOGDIR has the
 * runs base, new and bad, exp/ddp with two ranks, and a run with a hostile name. TRACE is copied there during the
 * test. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './chrome.mjs';

const [browser, address, logdir, trace, program] = process.argv.slice(2);
const HOSTILE = '<img src=x onerror="alert(1)">';
const chrome = await start(browser);
const PATIENCE = Number(process.env.PATIENCE ?? 1200); /* number of polls, ten per second */
let failed = false;
const said = (name, isGood, seen) => {
  failed ||= !isGood;
  console.log(isGood ? `ok - tab: browser: ${name}` : `not ok - tab: browser: ${name}\n    ${JSON.stringify(seen)}`);
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/* Opens the tab in a window of the browser. */
const open = async (hash, options = {}) => {
  const page = await chrome.open(`${address}/${hash}`, options);
  await page.send('Emulation.setFocusEmulationEnabled', { enabled: true }); /* a hidden window would request nothing */
  const ask = (expression) => page.ask(`(() => { const d = document.querySelector('iframe')?.contentDocument; return ${expression}; })()`);
  const until = async (expression) => {
    for (let tries = 0; tries < PATIENCE; tries++) {
      if (await ask(expression).catch(() => false)) return true;
      await sleep(100);
    }
    return false;
  };
  const choose = (id, text) => ask(`(() => { const s = d.getElementById('${id}'); const o = [...s.options].find((o) => o.text === ${JSON.stringify(text)});
    if (!o) return [...s.options].map((o) => o.text); s.value = o.value; s.dispatchEvent(new Event('change')); return ''; })()`);
  /* The frame of the report has another origin, so it is a separate target. */
  const askReport = async (expression) => {
    const src = await ask("d.querySelector('.main iframe')?.src");
    const { targetInfos } = await page.pipe.send('Target.getTargets', { filter: [{}] });
    const target = targetInfos.find((each) => each.type === 'iframe' && each.url === src);
    if (!target) return undefined;
    const { sessionId } = await page.pipe.send('Target.attachToTarget', { targetId: target.targetId, flatten: true });
    const { result } = await page.pipe.send('Runtime.evaluate', { expression, returnByValue: true }, sessionId);
    page.pipe.send('Target.detachFromTarget', { sessionId }).catch(() => {});
    return result.value;
  };
  /* A frame that is replaced in the meantime never answers, hence the time limit. */
  const inReport = (expression) => Promise.race([askReport(expression).catch(() => undefined), sleep(3000)]);
  /* Waits until the text of the report has these words. */
  const reports = async (words) => {
    let seen;
    for (let tries = 0; tries < PATIENCE; tries++) {
      seen = (await inReport('document.body?.innerText'))?.replace(/\s+/g, ' ');
      if (seen && words.every((word) => seen.includes(word))) return '';
      await sleep(200);
    }
    return seen?.slice(0, 300) ?? 'no report';
  };
  return { page, ask, until, choose, inReport, reports };
};
const headline = (...words) => {
  const json = JSON.parse(execFileSync(program, ['report', ...words, '--json', '-', '-q'], { cwd: logdir, encoding: 'utf8', maxBuffer: 1 << 28 }));
  /* the page has each sentence of the headline in its own line */
  return json.runs[0].profiles[0].verdict.headline.split('. ')[0].replace(/\s+/g, ' ');
};

const tab = await open('#tracepress&run=new');
said('a link chooses the run; its report stands there', await tab.reports([headline('new')]) === '', await tab.reports([headline('new')]));
said('the report has no origin of TensorBoard, and its own script runs',
  (await tab.inReport('window.origin')) === 'null' && (await tab.inReport("document.querySelectorAll('button').length > 0")),
  await tab.inReport('window.origin'));
const names = await tab.ask("[...d.getElementById('run').options].map((o) => o.text)");
said('the picker has all runs, names as text', ['bad', 'base', 'exp/ddp', 'new', HOSTILE].every((name) => names.includes(name)), names);

await tab.choose('run', 'exp/ddp');
said('a run of two ranks: all of them', await tab.reports(['2 profiles', 'worker0', 'worker1']) === '', await tab.ask('d.body.innerText'));
await tab.choose('trace', 'worker1.1700000000001');
const rank = headline('exp/ddp/worker1.1700000000001.pt.trace.json.gz');
said('one rank', await tab.reports([rank, 'worker1']) === '', rank);
said('the choice stands in the address', (await tab.ask('location.hash')) === '#tracepress&run=exp%2Fddp&trace=worker1.1700000000001', await tab.ask('location.hash'));
await tab.choose('base', 'worker0.1700000000000');
said('two ranks compared', await tab.reports(['against']) === '', await tab.ask('d.body.innerText'));
await tab.choose('run', 'new');
await tab.choose('base', 'base');
said('two runs compared', await tab.reports(['new against base']) === '', await tab.ask('d.body.innerText'));
await tab.choose('base', 'nothing');
await tab.ask("d.getElementById('history').click()");
said('history over the other runs, with a note on what is left out',
  await tab.reports(['History']) === '' && await tab.until("d.querySelector('.note').textContent.includes('left out of the history: bad')"),
  [await tab.ask("d.querySelector('.note').textContent"), (await tab.inReport('document.body.innerText'))?.slice(0, 400)]);
await tab.ask("d.getElementById('history').click()");

await tab.choose('run', 'bad');
said('a file that is no trace: the program\'s own line, as text, and no frame',
  await tab.until("d.querySelector('pre')?.textContent.includes('bad/x.pt.trace.json: not a trace') && !d.querySelector('iframe')"), await tab.ask('d.body.innerText'));
await tab.choose('run', HOSTILE);
said('a run with a hostile name', await tab.until("d.querySelector('iframe')") && await tab.reports([HOSTILE]) === '', await tab.ask('d.body.innerText'));
await tab.choose('run', 'base');
said('a run with event files has a way to its scalars', await tab.until("[...d.querySelectorAll('a')].some((a) => a.textContent === 'Scalars' && !a.hidden)"));

const second = await open('#tracepress&run=base', { width: 390, dark: true, mobile: false });
await second.until("d.querySelector('iframe')");
await second.ask("d.getElementById('follow').checked || d.getElementById('follow').click()");
await tab.until("d.querySelector('iframe')");
const place = join(logdir, 'late', 'w.9.pt.trace.json.gz');
mkdirSync(join(logdir, 'late'));
copyFileSync(trace, place);
utimesSync(place, 1, 1);
said('a trace that comes is offered where one reads', await tab.until("!d.getElementById('fresh').hidden && d.getElementById('fresh').textContent.includes('late')")
  && (await tab.ask("d.getElementById('run').selectedOptions[0].text")) === 'base', await tab.ask('d.body.innerText'));
await tab.ask("d.getElementById('fresh').click()");
said('.. and shown when asked for', await tab.reports([headline('late')]) === '', await tab.ask('d.body.innerText'));
said('.. and shown at once in the window that follows',
  await second.until("d.getElementById('run').selectedOptions[0].text === 'late'") && await second.reports([headline('late')]) === '', await second.ask('d.body.innerText'));
copyFileSync(join(logdir, 'new', 'w.2.pt.trace.json.gz'), place);
utimesSync(place, 2, 2);
said('a trace that is written anew is shown where it is followed', await second.reports([headline('late')]) === '', await second.ask('d.body.innerText'));
said('the bar is not wider than a narrow window', await second.ask('d.documentElement.scrollWidth <= 390 && d.documentElement.clientWidth === 390'),
  await second.ask('d.documentElement.scrollWidth'));

for (const [name, { page }] of [['first', tab], ['second', second]]) {
  /* TensorBoard requests its own fonts above its prefix */
  const outside = page.requests.filter((request) => !request.startsWith(`${address}/`) && !request.startsWith(`${new URL(address).origin}/font-roboto/`)
    && !/^(blob|data):/.test(request));
  said(`the ${name} window asked no other host`, outside.length === 0, outside);
  /* ignores messages of TensorBoard about its fonts, a library of its projector, and the missing graphics card */
  const messages = page.messages.filter((text) => !/Three\.js|WebGL|\/font-roboto\//.test(text));
  said(`the ${name} window's console is clean, nothing ran`, messages.length === 0 && page.dialogs === 0, messages);
}
await chrome.close();
process.exit(failed ? 1 : 0);
