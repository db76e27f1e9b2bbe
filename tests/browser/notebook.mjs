/* node notebook.mjs BROWSER PAGE WANTED: opens a notebook that nbconvert has converted to a page, and checks its
 * frames. WANTED is a JSON list with the words that each frame must show, in the order of the cells. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { start } from './chrome.mjs';

const [browser, file, list] = process.argv.slice(2);
const wanted = JSON.parse(readFileSync(list, 'utf8'));
const PATIENCE = Number(process.env.PATIENCE ?? 300); /* number of polls, five per second */
const chrome = await start(browser);
let failed = false;
const said = (name, isGood, seen) => {
  failed ||= !isGood;
  console.log(isGood ? `ok - notebook: browser: ${name}` : `not ok - notebook: browser: ${name}\n    ${JSON.stringify(seen)}`);
};
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const page = await chrome.open(pathToFileURL(resolve(file)).href, { width: 1200, height: 900 });

/* A frame with another origin is a separate target, which Chromium creates while the page loads. */
const targets = new Map();
const found = new Set();
const attach = async () => {
  const { targetInfos } = await page.pipe.send('Target.getTargets', { filter: [{}] });
  for (const each of targetInfos.filter((each) => each.type === 'iframe' && each.url === 'about:srcdoc' && !targets.has(each.targetId))) {
    const { sessionId } = await page.pipe.send('Target.attachToTarget', { targetId: each.targetId, flatten: true });
    targets.set(each.targetId, sessionId);
  }
};
/* Returns the value of an expression in the frame of a session, or undefined if the frame does not answer. */
const ask = async (session, expression) => {
  const asked = page.pipe.send('Runtime.evaluate', { expression, returnByValue: true }, session).then(({ result }) => result.value);
  return Promise.race([asked.catch(() => undefined), sleep(3000)]);
};
/* Returns the session of a new frame that has all these words. */
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
/* Returns the size of a picture of the frame with this number, in bytes. A picture of an empty frame is small. */
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
