/* node speedscope.mjs BROWSER TRACEPRESS DATA WORK FOLDER: opens folded stacks and traces in speedscope, as its own
 * command does. FOLDER has its index.html and scripts. Compares speedscope's export with the file that it has read.
 * Prints a line per case. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { start } from './chrome.mjs';
import { hostileTrace } from './hostile.mjs';

const [browser, tracepress, data, work, folder] = process.argv.slice(2);
const trace = (name) => join(data, 'traces', name + '.pt.trace.json.gz');
const hostile = join(work, 'speedscope.pt.trace.json');
writeFileSync(hostile, hostileTrace());
const exported = (name, input, ...args) => {
  const out = join(work, 'speedscope_' + name);
  execFileSync(tracepress, ['export', '--quiet', '-o', out, input, ...args], { stdio: 'pipe' });
  return join(out, readdirSync(out)[0]);
};
const chrome = await start(browser);

/* Returns the profiles that speedscope makes of a file, in its own format. */
async function imported(file) {
  const script = join(work, 'speedscope.js');
  writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(file.split('/').pop())}, '${readFileSync(file).toString('base64')}')`);
  const page = await chrome.open(`file://${join(folder, 'index.html')}#localProfilePath=${script}`);
  const text = await page.ask(`(async () => {
    for (let left = 200; left && !document.title.endsWith(' - speedscope'); left--) await new Promise((r) => setTimeout(r, 50));
    let blob = null;
    URL.createObjectURL = (b) => { blob = b; return 'data:,'; };
    window.dispatchEvent(new KeyboardEvent('keydown', { key: 's', ctrlKey: true }));
    for (let left = 100; left && !blob; left--) await new Promise((r) => setTimeout(r, 50));
    return blob ? blob.text() : ''; })()`);
  if (!text) throw new Error('speedscope shows nothing: ' + page.messages.join(' | '));
  await page.close();
  return JSON.parse(text);
}

function same(ours, theirs) {
  const odd = [...new Set([...ours.keys(), ...theirs.keys()])].filter((key) => Math.abs((ours.get(key) ?? NaN) - (theirs.get(key) ?? NaN)) > 1e-6 || ours.has(key) !== theirs.has(key));
  if (odd.length || !ours.size) throw new Error(`${odd.length} of ${ours.size} differ: ${odd.slice(0, 3).map((key) => `${key}: ${ours.get(key)}, speedscope ${theirs.get(key)}`).join(' | ')}`);
}
const add = (map, key, value) => map.set(key, (map.get(key) ?? 0) + value);

/* Returns stack and number of each line. */
async function folded(file) {
  const ours = new Map(), theirs = new Map(), document = await imported(file), frames = document.shared.frames;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) add(ours, line.slice(0, line.lastIndexOf(' ')), +line.slice(line.lastIndexOf(' ') + 1));
  for (const profile of document.profiles) {
    const stack = [];
    let at = profile.startValue;
    for (const event of profile.events) {
      if (event.at > at) add(theirs, stack.join(';'), event.at - at);
      at = event.at;
      if (event.type === 'O') stack.push(frames[event.frame].name); else stack.pop();
    }
  }
  same(ours, theirs);
}

/* Each slice with a duration must be a frame in a row. Speedscope leaves out some slices without a duration. */
async function trace_events(file) {
  const stored = readFileSync(file), text = stored[0] === 0x1f ? gunzipSync(stored) : stored;
  const slices = JSON.parse(text).traceEvents.filter((event) => event.ph === 'X');
  const document = await imported(file);
  const opened = document.profiles.reduce((sum, profile) => sum + profile.events.filter((event) => event.type === 'O').length, 0);
  const rows = new Set(slices.map((slice) => `${slice.pid} ${slice.tid}`));
  const lasting = slices.filter((slice) => slice.dur > 0).length;
  if (!lasting || opened < lasting || opened > slices.length || document.profiles.length !== rows.size)
    throw new Error(`${opened} of ${slices.length} slices, ${document.profiles.length} of ${rows.size} rows`);
}
/* Samples must be grouped by thread, and the states of each thread must be a separate row. A value of a device trace has
 * a row for each device or thread. */
async function program(file) {
  const given = JSON.parse(readFileSync(file, 'utf8')), theirs = new Map(), ours = new Map(), document = await imported(file);
  const walk = (sums, frames, name, events, start) => {
    const stack = [];
    let at = start;
    for (const event of events) {
      if (event.at > at && stack.length) add(sums, name + ': ' + stack.join(';'), event.at - at);
      at = event.at;
      if (event.type === 'O') stack.push(frames[event.frame].name); else stack.pop();
    }
  };
  for (const profile of given.profiles) {
    if (profile.type === 'evented') walk(ours, given.shared.frames, profile.name, profile.events, profile.startValue);
    else profile.samples.forEach((stack, i) => add(ours, profile.name + ': ' + stack.map((frame) => given.shared.frames[frame].name).join(';'), profile.weights[i]));
  }
  for (const profile of document.profiles) walk(theirs, document.shared.frames, profile.name, profile.events, profile.startValue);
  same(ours, theirs);
}
const outside = () => {
  const out = join(work, 'outside.pt.trace.json'), events = [];
  const x = (cat, name, pid, tid, ts, dur, args) => events.push({ ph: 'X', cat, name, pid, tid, ts, dur, args });
  const p = (pid, tid, ts, stack) => events.push({ ph: 'P', cat: 'cpu_sample', name: stack, pid, tid, ts, args: { 'cpu ns': 1, 'Call stack': stack } });
  for (const pid of [7, 8]) {
    x('process', 'sort', pid, pid, 10, 900, { execs: ['sort <b>'], ppid: pid - 1, exit: 0 });
    for (const tid of [pid, pid + 10]) {
      x('thread_state', 'running', pid, tid, 10, 300.123, {});
      x('thread_state', 'blocked', pid, tid, 310.123, 100, { cause: 'pipe', stack: 'read [libc.so.6];main [sort];' });
      x('thread_state', 'ready', pid, tid, 410.123, 50, {});
      p(pid, tid, 100, 'compare [sort];main [sort];');
      p(pid, tid, 200, 'a.c(7): g;a.c(9): f;main [sort];');
    }
  }
  writeFileSync(out, JSON.stringify({ traceEvents: events }));
  return out;
};
const recovered = () => {
  const out = join(work, 'recovered.trace.json');
  execFileSync(tracepress, ['recover', join(data, 'spools/every_call.tpspool'), '-o', out, '--quiet'], { stdio: 'pipe' });
  return out;
};

const cases = {
  'slim_traces': () => trace_events(exported('slim', trace('gpu_2026'), '--to', 'chrome', '--slim')),
  'recorded_traces': () => trace_events(recovered()),
  'program': () => program(exported('program', outside(), '--to', 'speedscope')),
  'values_of_a_device_trace': () => program(exported('values', trace('gpu_2026'), '--to', 'speedscope')),
  'values_of_two_devices': () => program(exported('devices', trace('case_two_devices'), '--to', 'speedscope')),
  'values_with_memory': () => program(exported('memory', trace('torch_2.13_memory_heavy.shapes'), '--to', 'speedscope')),
  'values_of_hostile_names': () => program(exported('hostile_values', hostile, '--to', 'speedscope')),
  'torch_stacks': () => folded(exported('torch', join(data, 'tables/2.13/memory_heavy.full/trace.pt.trace.json.gz'), '--to', 'folded')),
  'host_time': () => folded(exported('cpu', trace('torch_2.13_mlp_train.full'), '--to', 'folded', '--metric', 'cpu')),
  'device_time': () => folded(exported('device', trace('gpu_2026'), '--to', 'folded', '--metric', 'device')),
  'calls_of_hostile_names': () => folded(exported('hostile', hostile, '--to', 'folded', '--metric', 'calls')),
};
for (const [name, body] of Object.entries(cases)) {
  try {
    await body();
    console.log('ok - speedscope_reads_' + name);
  } catch (error) {
    console.log(`not ok - speedscope_reads_${name}\n    ${String(error.message).slice(0, 600)}`);
  }
}
await chrome.close();
