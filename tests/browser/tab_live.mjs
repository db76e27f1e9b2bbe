/* node tab_live.mjs BROWSER ADDRESS RUN: opens the scalars of a running program from the tab, and checks what they
 * show. */
import { start } from './chrome.mjs';

const [browser, address, run] = process.argv.slice(2);
const PATIENCE = Number(process.env.PATIENCE ?? 1200); /* number of polls, ten per second */
const chrome = await start(browser);
let failed = false;
const said = (name, isGood, seen) => {
  failed ||= !isGood;
  console.log(isGood ? `ok - tab: browser: ${name}` : `not ok - tab: browser: ${name}\n    ${JSON.stringify(seen)}`);
};
const page = await chrome.open(`${address}/#tracepress&run=${encodeURIComponent(run)}`);
await page.send('Emulation.setFocusEmulationEnabled', { enabled: true }); /* a hidden window would request nothing */
const until = async (expression) => {
  for (let tries = 0; tries < PATIENCE; tries++) {
    if (await page.ask(expression).catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
};
const link = "[...document.querySelector('iframe').contentDocument.querySelectorAll('a')].find((a) => a.textContent === 'Scalars' && !a.hidden)";
said('a program that goes on: the way to its scalars', await until(`!!${link}`), await page.ask('document.body.innerText'));
await page.ask(`${link}.click()`);
said('.. leads to them, and they are there', (await until("['profile_step', '/loss'].every((word) => document.body.innerText.includes(word))"))
  && (await page.ask('location.hash')).startsWith('#timeseries'), [await page.ask('location.hash'), await page.ask('document.body.innerText')]);
await chrome.close();
process.exit(failed ? 1 : 0);
