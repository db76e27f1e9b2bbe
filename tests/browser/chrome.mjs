/* Controls a headless Chromium through its debugging pipe. Needs only node and the browser, no packages.
 *
 * const chrome = await start(binary); const page = await chrome.open(url, {width, dark, noScript, print}); ... chrome.close() */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/* Sends commands and passes events to listeners. Messages are JSON texts that end with NUL. */
class Pipe {
  constructor(child) {
    this.out = child.stdio[3];
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    let rest = Buffer.alloc(0);
    child.stdio[4].on('data', (bytes) => {
      rest = Buffer.concat([rest, bytes]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) this.take(JSON.parse(rest.subarray(0, end)));
    });
  }
  take(message) {
    const waiter = this.waiting.get(message.id);
    if (!waiter) { this.listeners.forEach((listener) => listener(message)); return; }
    this.waiting.delete(message.id);
    if (message.error) waiter.reject(new Error(message.error.message)); else waiter.resolve(message.result);
  }
  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.out.write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }
}

/* An open page, with its messages and requests, and functions to inspect it. */
class Page {
  constructor(pipe, session) {
    this.pipe = pipe;
    this.session = session;
    this.messages = []; /* console texts, exceptions, violations of the policy */
    this.requests = []; /* requested addresses, other than that of the page and data: addresses */
    this.dialogs = 0;
    pipe.listeners.push((message) => { if (message.sessionId === session) this.hear(message); });
  }
  send(method, params) { return this.pipe.send(method, params, this.session); }
  hear({ method, params }) {
    if (method === 'Runtime.consoleAPICalled') this.messages.push(params.args.map((a) => a.value ?? a.description).join(' '));
    else if (method === 'Runtime.exceptionThrown') this.messages.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    else if (method === 'Log.entryAdded') this.messages.push(params.entry.text + ' ' + (params.entry.url ?? ''));
    else if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    else if (method === 'Page.javascriptDialogOpening') { this.dialogs++; this.send('Page.handleJavaScriptDialog', { accept: false }); }
    else if (method === 'Page.loadEventFired') this.loaded?.();
  }
  /* Returns the value of an expression in the page, even if the page may not run scripts. */
  async ask(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  async screenshot(clip = undefined) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true, ...(clip && { clip: { ...clip, scale: 1 } }) });
    return Buffer.from(data, 'base64');
  }
  async pdf() {
    const { data } = await this.send('Page.printToPDF', { printBackground: true, preferCSSPageSize: true });
    return Buffer.from(data, 'base64');
  }
}

export async function start(binary) {
  const folder = mkdtempSync(join(tmpdir(), 'tracepress-browser-'));
  const child = spawn(binary, ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--hide-scrollbars', '--disable-extensions',
    '--disable-background-networking', '--remote-debugging-pipe', '--user-data-dir=' + folder, 'about:blank'],
  { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const pipe = new Pipe(child);
  const gone = new Promise((resolve) => child.on('exit', resolve));
  child.on('error', () => {});
  return {
    async open(url, { width = 1440, height = 900, dark = false, noScript = false, print = false, bypassPolicy = false,
      mobile = width < 600 } = {}) {
      const { targetId } = await pipe.send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
      const page = new Page(pipe, sessionId);
      for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(domain + '.enable');
      await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile });
      await page.send('Emulation.setEmulatedMedia', { media: print ? 'print' : '', features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
      await page.send('Emulation.setScriptExecutionDisabled', { value: noScript });
      await page.send('Page.setBypassCSP', { enabled: bypassPolicy });
      const loaded = new Promise((resolve) => { page.loaded = resolve; });
      await page.send('Page.navigate', { url });
      await loaded;
      await new Promise((resolve) => setTimeout(resolve, 150));
      page.requests = page.requests.filter((address) => address !== url && !address.startsWith('data:'));
      page.close = () => pipe.send('Target.closeTarget', { targetId });
      return page;
    },
    async close() {
      child.kill();
      await gone;
      /* processes of the browser may still write files for a short time */
      for (let tries = 0; tries < 50; tries++) {
        try {
          rmSync(folder, { recursive: true, force: true });
          return;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
    },
  };
}
