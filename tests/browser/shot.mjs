/* node shot.mjs page.html out.png [width=1440] [dark] [noscript] [print] [full] [#id]: writes a picture of a page for a
 * person to look at. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { start } from './chrome.mjs';

const [file, out, ...words] = process.argv.slice(2);
const has = (word) => words.includes(word);
const width = Number(words.find((word) => /^\d+$/.test(word)) ?? 1440);
const anchor = words.find((word) => word.startsWith('#'));
const chrome = await start(process.env.CHROMIUM ?? '/usr/bin/chromium');
const page = await chrome.open('file://' + resolve(file), { width, dark: has('dark'), noScript: has('noscript'), print: has('print') });
let clip = { x: 0, y: 0, width, height: 900 };
if (has('full')) clip.height = await page.ask('document.documentElement.scrollHeight');
if (anchor) {
  clip = await page.ask(`(() => { const b = document.querySelector(${JSON.stringify(anchor)}).getBoundingClientRect();
    return { x: 0, y: b.top + scrollY, width: ${width}, height: Math.min(b.height + 20, 2400) }; })()`);
}
writeFileSync(out, await page.screenshot(clip));
console.log(page.messages.join('\n') || 'console clean', page.requests);
await chrome.close();
