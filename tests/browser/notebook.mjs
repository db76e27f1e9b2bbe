/* node notebook.mjs BROWSER PAGE WANTED: a notebook that nbconvert made a page of, looked at as a person does.
 * WANTED is JSON: for each frame, in the order of its cells, words that stand in it. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { start } from './chrome.mjs';

const [browser, file, list] = process.argv.slice(2);
const wanted = JSON.parse(readFileSync(list, 'utf8'));
const PATIENCE = Number(process.env.PATIENCE ?? 300); /* looks, five a second */
const chrome = await start(browser);
let failed = false;
const said = (name, isGood, seen) => {
  failed ||= !isGood;
  console.log(isGood ? `ok - notebook: browser: ${name}` : `not ok - notebook: browser: ${name}\n    ${JSON.stringify(seen)}`);
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const page = await chrome.open(pathToFileURL(resolve(file)).href, { width: 1200, height: 900 });

/* A frame of an origin of its own is a target of its own, which Chromium makes while the page loads. */
const targets = new Map();
const found = new Set();
const attach = async () => {
  const { targetInfos } = await page.pipe.send('Target.getTargets', { filter: [{}] });
  for (const each of targetInfos.filter((each) => each.type === 'iframe' && each.url === 'about:srcdoc' && !targets.has(each.targetId))) {
    const { sessionId } = await page.pipe.send('Target.attachToTarget', { targetId: each.targetId, flatten: true });
    targets.set(each.targetId, sessionId);
  }
};
/* The value of an expression in the frame of a session; undefined where it does not answer. */
const ask = async (session, expression) => {
  const asked = page.pipe.send('Runtime.evaluate', { expression, returnByValue: true }, session).then(({ result }) => result.value);
  return Promise.race([asked.catch(() => undefined), sleep(3000)]);
};
/* The session of a frame that has all these words, and was not found before. */
const frameWith = async (words) => {
  for (let tries = 0; tries < PATIENCE; tries++) {
    await attach();
    for (const session of [...targets.values()].filter((each) => !found.has(each))) {
      const text = (await ask(session, 'document.body?.innerText'))?.replace(/\s+/g, ' ') ?? '';
      if (words.every((word) => text.includes(word))) {
        found.add(session);
        return session;
      }
    }
    await sleep(200);
  }
  return undefined;
};
const PARENT = '(() => { try { return parent.document.title; } catch (error) { return error.name; } })()';
/* What a person sees of the frame with this number: an empty one is a picture of few bytes. */
const weight = async (index) => {
  await page.ask(`document.querySelectorAll('iframe')[${index}].scrollIntoView({ block: 'start' })`);
  await sleep(300);
  const { data } = await page.send('Page.captureScreenshot', { format: 'png' });
  return data.length;
};

said('the page has a frame for each report, and no other', await page.ask("document.querySelectorAll('iframe').length") === wanted.length,
  await page.ask("document.querySelectorAll('iframe').length"));
for (const [index, words] of wanted.entries()) {
  const session = await frameWith(words);
  said(`frame ${index + 1} shows its page`, session !== undefined, words);
  if (session === undefined) continue;
  said(`frame ${index + 1} has an origin of its own and does not reach the notebook`,
    await ask(session, 'window.origin') === 'null' && await ask(session, PARENT) === 'SecurityError',
    [await ask(session, 'window.origin'), await ask(session, PARENT)]);
  const shown = await weight(index);
  await page.ask(`document.querySelectorAll('iframe')[${index}].style.visibility = 'hidden'`);
  const hidden = await weight(index);
  await page.ask(`document.querySelectorAll('iframe')[${index}].style.visibility = ''`);
  said(`frame ${index + 1} is seen where it is scrolled to`, shown > 2 * hidden, [shown, hidden]);
  const theme = () => ask(session, "document.documentElement.getAttribute('data-theme') ?? 'auto'");
  const before = await theme();
  await ask(session, "[...document.querySelectorAll('button')].find((each) => each.title.startsWith('Theme'))?.click()");
  said(`frame ${index + 1}: the page's own script runs`, before === 'auto' && await theme() === 'dark', [before, await theme()]);
  said(`frame ${index + 1} asked for nothing`, await ask(session, "performance.getEntriesByType('resource').filter((e) => !e.name.startsWith('data:')).length") === 0,
    await ask(session, "performance.getEntriesByType('resource').map((e) => e.name)"));
}
said('nothing of a trace ran', page.dialogs === 0, page.dialogs);
await chrome.close();
process.exit(failed ? 1 : 0);
