/* The timeline viewer: unpacks the slices of a trace (format: templates/README.md) and draws them on a canvas. It
 * measures parts of the time, zooms, moves, searches, follows launches and compares two steps. Without this file, or
 * without DecompressionStream, the page shows a static drawing. */
(function () {
  'use strict';
  /* For each class of slices (enum tp_slice_class): colour, kind in addresses, and group of lanes. A group is a set of
   * slices of a thread that is drawn in rows of its own. */
  const CLASSES = [
    ['launch', 'operator', 1], ['gpu', 'kernel', 1], ['comm', 'kernel', 1], ['copy', 'copy', 1], ['copy', 'copy', 1], ['launch', 'call', 0],
    ['host', 'input', 2], ['gpu3', 'line', 2], ['none', 'range', 2], ['none', 'range', 2], ['none', 'call', 0]
  ];
  const PATH = ['launch', 'host', 'gpu', 'comm', 'copy', 'none', 'hatch']; /* colours of the groups of the critical path */
  const COLORS = ['hatch', 'gpu', 'gpu3', 'comm', 'copy', 'host', 'launch', 'none'];
  const CALL = 5, FRAME = 7, STEP = 8, LAUNCHES = 0, OPERATORS = 1, PYTHON = 2;
  const ROW = 17, MOMENT = 12, CURVE = 32, MAX_BUCKETS = 32768, MIN_BUCKETS = 512, DIRECT = 4000, FEW_THREADS = 4, SHADES = 16;
  const WRAPPER = /(^|: )(_?(wrapped_)?call_impl|wrapper|_?wrapped|inner|decorate_\w+|_fn|_wrapper)$/;
  const DEVICE = 'device', HELP = 'drag measures · W A S D · L longest · F follow · C compare';

  /* Returns an element. `children` are elements and texts; texts never become markup. */
  function make(name, attributes, ...children) {
    const element = document.createElement(name);
    Object.keys(attributes).forEach((key) => element.setAttribute(key, attributes[key]));
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
  }
  function button(text, act, attributes) {
    const element = make('button', { type: 'button', ...attributes }, text);
    element.addEventListener('click', act);
    return element;
  }

  /* ---- unpacking ---- */

  function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  }

  async function inflate(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /* Returns a function that reads the next LEB128 number at each call. */
  function numbersAt(bytes, at) {
    return () => {
      let byte = bytes[at++], value = byte & 127, scale = 128;
      while (byte & 128) {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      }
      return value;
    };
  }

  /* Makes invisible characters that change the reading direction visible, and replaces control characters, as in the
   * rest of the page. */
  function plain(text) {
    return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/g, '\ufffd').replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => '\\u' + ('000' + c.charCodeAt(0).toString(16)).slice(-4));
  }

  /* Reads the texts of a section of LEB128 lengths and of the section of bytes after it. `at`: starts of the sections. */
  function readTexts(bytes, at, section, texts) {
    const decoder = new TextDecoder();
    let from = at[section + 1], length = 0, scale = 1;
    bytes.subarray(at[section], from).forEach((byte) => {
      length += (byte & 127) * scale;
      scale *= 128;
      if (byte > 127) return;
      texts.push(plain(decoder.decode(bytes.subarray(from, from += length))));
      length = 0;
      scale = 1;
    });
    return texts;
  }

  /* Reads a caption: a text and its colour in CSS; null: no colour. */
  function readCaption(number, texts) {
    const text = texts[number()], color = number();
    return { text, color: color ? '#' + (0x1000000 + color - 1).toString(16).slice(1) : null };
  }

  /* Returns a function that is called for each slice in order, and returns the slice's caption, or null. `count` is the
   * number of slices that have a caption. */
  function captionReader(number, count, texts) {
    let place = 0, next = count ? number() : -1;
    return () => {
      if (place++ !== next) return null;
      const caption = readCaption(number, texts);
      next = --count ? next + number() : -1;
      return caption;
    };
  }

  function readMoments(count, unit, number, names, texts) {
    const moments = [];
    for (let i = 0, time = 0; i < count; i++) {
      time += number();
      const name = names[number()];
      moments.push({ time: time * unit, name, ...readCaption(number, texts) });
    }
    return moments;
  }

  /* Returns the slices of a thread or stream in order of start: arrays of starts, ends (ns) and names. */
  function readSlices(lane, unit, read) {
    const n = lane.slices, start = new Float64Array(n), end = new Float64Array(n), name = new Uint32Array(n), captions = new Map();
    const launch = lane.device && read.launch ? new Float64Array(n) : null, shape = !lane.device && read.shape ? new Uint32Array(n) : null;
    for (let i = 0, time = 0; i < n; i++) {
      time += read.start();
      start[i] = time * unit;
      end[i] = (time + read.duration()) * unit;
      name[i] = read.name();
      const caption = read.caption(), before = launch ? read.launch() : 0;
      if (launch) launch[i] = before ? (time - before + 1) * unit : -1;
      if (caption) captions.set(i, caption);
      if (shape) shape[i] = read.shape();
    }
    return { title: lane.title, isDevice: lane.device, rank: lane.rank, start, end, name, captions, launch, shape, row: new Uint8Array(n), cover: [], groups: [] };
  }

  function unpack(bytes) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), unit = header.unit_ns, at = [4 + length];
    header.sections.forEach((size, i) => at.push(at[i] + size));
    const names = readTexts(bytes, at, 4, []), full = readTexts(bytes, at, 16, []);
    const texts = readTexts(bytes, at, 9, ['']), moment = numbersAt(bytes, at[11]);
    const some = (section) => header.sections[section] ? numbersAt(bytes, at[section]) : null;
    const read = {
      start: numbersAt(bytes, at[0]), duration: numbersAt(bytes, at[1]), name: numbersAt(bytes, at[2]),
      caption: captionReader(numbersAt(bytes, at[8]), header.captions, texts), launch: some(12), shape: some(13)
    };
    let coverAt = at[7], loadAt = at[18], pathEnd = 0;
    const take = (size, from) => bytes.subarray(from, from + size);
    const threads = header.lanes.map((lane) => {
      const thread = readSlices(lane, unit, read);
      for (let group = 0; group < lane.covers; group++, coverAt += header.cover_buckets) {
        const cover = take(header.cover_buckets, coverAt);
        thread.cover.push(cover.some((share) => share > 0) ? cover : null);
      }
      thread.moments = readMoments(lane.moments, unit, moment, names, texts);
      return thread;
    }).sort((a, b) => a.rank - b.rank);
    const gpus = header.gpus.map((gpu) => {
      const next = () => take(header.load_buckets, (loadAt += header.load_buckets) - header.load_buckets);
      return { title: gpu.title, busy: next(), sm: gpu.sm ? next() : null, queue: gpu.queue ? next() : null, most: gpu.queue };
    });
    return {
      names, full: full.map((text, i) => text || names[i]), classes: bytes.subarray(at[6], at[7]), threads, gpus, unit, first: header.first,
      shapes: read.shape && readTexts(bytes, at, 14, ['']), range: Math.max(1, header.range * unit),
      end: Math.max(1, header.end * unit, header.range * unit), coverWidth: header.cover_width,
      loadWidth: Math.floor(header.range * unit / header.load_buckets) + 1, typical: header.typical_step,
      path: header.path.map(([gap, size, group, text]) => ({ start: pathEnd += gap * unit, end: pathEnd += size * unit, group, text: plain(text) })),
      steps: header.steps.map((s) => ({ name: s[0], start: s[1] * unit, end: (s[1] + s[2]) * unit, isUsed: s[3] }))
    };
  }

  /* ---- rows ---- */

  /* Returns the name that fits into a slice: a frame's function, a module's class, a kernel without namespaces. */
  function shortName(name, kind) {
    const module = /^nn\.Module: (.+?)(?:_(\d+))?$/.exec(name), inside = /^<?built-in (?:method|function) ([^\s>]+)/.exec(name);
    if (module) return module[1] + (module[2] && module[2] !== '0' ? ' ' + module[2] : '');
    if (inside) return inside[1];
    if (CLASSES[kind][1] === 'line') return name.replace(/^.*\(-?\d+\): /, '');
    if (CLASSES[kind][1] === 'kernel') return name.replace(/^void /, '').replace(/^([\w:]+)<.*$/, '$1').replace(/^(\w+::)+(?=\w+::\w+$)/, '');
    return name.replace(/^(Optimizer\.\w+)#.*/, '$1').replace(/^enumerate\((\w+)\)#.*/, '$1');
  }

  /* Finds frames that only pass on: wrappers, frames with one frame inside that has 90 % of their time, and `forward`
   * directly in its module. Returns one byte per slice. */
  function passedOn(thread, data) {
    const n = thread.start.length, folded = new Uint8Array(n), open = [];
    for (let i = 0; i < n; i++) {
      if (data.classes[thread.name[i]] === STEP) folded[i] = 2; /* the axis has the names of steps */
      if (data.classes[thread.name[i]] !== FRAME) continue;
      const length = thread.end[i] - thread.start[i], middle = thread.start[i] + length / 2;
      while (open.length && thread.end[open[open.length - 1]] <= middle) open.pop();
      folded[i] = data.isWrapper[thread.name[i]];
      let above = open.length - 1;
      while (above >= 0 && data.isWrapper[thread.name[open[above]]]) above--;
      const outer = above >= 0 ? open[above] : -1;
      if (outer >= 0 && length >= 0.9 * (thread.end[outer] - thread.start[outer]) && !folded[i]) {
        if (!data.isModule[thread.name[outer]]) folded[outer] = 1;
        else if (data.short[thread.name[i]] === 'forward') folded[i] = 1;
      }
      open.push(i);
    }
    return folded;
  }

  /* Fills the rows of each group of a thread. A slice is inside another one that lasts beyond its middle. */
  function fillRows(thread, data, isFolding) {
    const folded = isFolding && !thread.isDevice ? passedOn(thread, data) : null, open = [[], [], []], n = thread.start.length;
    const group = thread.isDevice ? () => 0 : (i) => CLASSES[data.classes[thread.name[i]]][2], counts = [[], [], []];
    thread.foldedCount = 0;
    for (let i = 0; i < n; i++) {
      thread.row[i] = 255;
      if (folded && folded[i]) {
        thread.foldedCount += folded[i] === 1;
        continue;
      }
      const ends = open[group(i)], middle = (thread.start[i] + thread.end[i]) / 2;
      while (ends.length && ends[ends.length - 1] <= middle) ends.pop();
      const row = thread.row[i] = Math.min(254, ends.length);
      ends.push(thread.end[i]);
      counts[group(i)][row] = (counts[group(i)][row] || 0) + 1;
    }
    thread.groups = counts.map((sizes, g) => sizes.map((size) => ({ thread, ids: new Uint32Array(size), group: g, pyramid: null })));
    const filled = counts.map((sizes) => sizes.map(() => 0));
    for (let i = 0; i < n; i++) {
      const g = group(i), row = thread.row[i];
      if (row < 255) thread.groups[g][row].ids[filled[g][row]++] = i;
    }
  }

  /* Returns the position in the row of its first slice that ends after `time`. */
  function firstAfter(row, time) {
    const end = row.thread.end, ids = row.ids;
    let low = 0, high = ids.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[ids[middle]] <= time) low = middle + 1; else high = middle;
    }
    return low;
  }
  /* Returns the index of the first number of a sorted array that is at least `wanted`. */
  function firstAtLeast(numbers, wanted) {
    let low = 0, high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[middle] < wanted) low = middle + 1; else high = middle;
    }
    return low;
  }

  /* Returns levels of buckets, each of which has half as many buckets as the previous level. A bucket has the share of
   * time and the name of the longest slice. A bucket no wider than a pixel is drawn. Slices are never merged by their
   * number, because idle gaps would then look busy. */
  function pyramid(row, end) {
    let count = MAX_BUCKETS, share = new Float32Array(count), longest = new Float32Array(count), name = new Uint32Array(count);
    const width = end / count, thread = row.thread;
    row.ids.forEach((id) => {
      let a = thread.start[id];
      const z = Math.max(thread.end[id], a + width / 1000);
      for (let k = Math.min(count - 1, Math.floor(a / width)); a < z && k < count; k++) {
        const until = Math.min(z, (k + 1) * width), part = until - a;
        share[k] += part / width;
        if (part > longest[k]) { longest[k] = part; name[k] = thread.name[id]; }
        a = until;
      }
    });
    const levels = [{ share, longest, name, width }];
    while (count > MIN_BUCKETS) {
      const below = levels[levels.length - 1];
      count /= 2;
      share = new Float32Array(count); longest = new Float32Array(count); name = new Uint32Array(count);
      for (let i = 0; i < count; i++) {
        const k = below.longest[2 * i] >= below.longest[2 * i + 1] ? 2 * i : 2 * i + 1;
        share[i] = (below.share[2 * i] + below.share[2 * i + 1]) / 2;
        longest[i] = below.longest[k];
        name[i] = below.name[k];
      }
      levels.push({ share, longest, name, width: below.width * 2 });
    }
    return levels;
  }

  /* Returns the operations of a device that are launched and not yet started: times at which their number changes, and
   * the number from then on. Returns null if the launches are unknown. */
  function queueOf(threads) {
    const begin = [], leave = [];
    threads.forEach((thread) => thread.launch && thread.launch.forEach((time, i) => {
      if (time < 0 || thread.start[i] < time) return;
      begin.push(time);
      leave.push(thread.start[i]);
    }));
    if (!begin.length) return null;
    const a = Float64Array.from(begin).sort(), z = Float64Array.from(leave).sort(), n = a.length;
    const times = new Float64Array(2 * n), depths = new Uint32Array(2 * n);
    for (let i = 0, k = 0, at = 0, most = 0; at < 2 * n; at++) {
      times[at] = i < n && a[i] < z[k] ? a[i++] : z[k++];
      depths[at] = i - k;
      most = Math.max(most, i - k);
      if (at === 2 * n - 1) return { times, depths, most };
    }
    return null;
  }

  /* Returns the same from the numbers at the ends of buckets. */
  function sampledQueue(gpu, step) {
    return { times: Float64Array.from(gpu.queue, (_, i) => i * step), depths: Uint32Array.from(gpu.queue, (share) => Math.floor(share * gpu.most / 255)), most: gpu.most, isSampled: true };
  }

  /* Returns the length of the union of intervals [start, end]. */
  function unionOf(parts) {
    let sum = 0, last = -1;
    parts.sort((a, b) => a[0] - b[0]).forEach(([a, z]) => {
      if (z > last) sum += z - Math.max(a, last);
      last = Math.max(last, z);
    });
    return sum;
  }

  /* Returns red, green and blue of "#rrggbb" or "#rgb". */
  function channels(color) {
    const size = color.length > 4 ? 2 : 1;
    return [0, 1, 2].map((i) => parseInt(color.slice(1 + i * size, 1 + (i + 1) * size).repeat(3 - size), 16));
  }
  function mixed(color, paper, share) {
    const below = channels(paper);
    return 'rgb(' + channels(color).map((part, i) => Math.round(part * share + below[i] * (1 - share))).join() + ')';
  }
  /* luminance returns the relative luminance of a colour; contrast compares two luminances. Both follow WCAG 2. */
  function luminance(color) {
    const [r, g, b] = channels(color).map((channel) => {
      const part = channel / 255;
      return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function contrast(a, b) { return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }

  function stepName(name) { return /^\d/.test(name) ? 'step ' + name : name; }
  function stepTitle(step) {
    const name = stepName(step.name), title = name.charAt(0).toUpperCase() + name.slice(1);
    return title.length > 24 ? title.slice(0, 23) + '…' : title;
  }
  function timeText(ns) {
    if (!ns) return '0';
    if (ns >= 1e9) return (ns / 1e9).toFixed(ns >= 1e10 ? 1 : 2) + ' s';
    if (ns >= 1e6) return (ns / 1e6).toFixed(ns >= 1e8 ? 1 : 2) + ' ms';
    if (ns >= 1e3) return (ns / 1e3).toFixed(ns >= 1e5 ? 0 : 1) + ' µs';
    return Math.round(ns) + ' ns';
  }
  /* Returns a point in time with digits that suit a part of this length. */
  function pointText(ns, size) {
    return size >= 1e8 && ns >= 1e9 ? (ns / 1e9).toFixed(2) + ' s' : (ns / 1e6).toLocaleString('en', { maximumFractionDigits: size < 1e5 ? 4 : size < 1e7 ? 2 : 1 }) + ' ms';
  }
  function whenText({ start, end }) { return timeText(end - start) + ' at ' + pointText(start, end - start); }
  function cut(text, most) { return text.length > most ? text.slice(0, most - 1) + '…' : text; }
  function counted(count, one, many) { return count.toLocaleString('en') + ' ' + (count === 1 ? one : many); }

  /* ---- the viewer of one card ---- */

  function makeViewer(card, box, data) {
    const viewer = { card, data, hits: [], at: 0, selected: null };
    const { names, classes, threads, steps } = data, count = names.length;
    data.short = names.map((name, i) => shortName(name, classes[i]));
    data.isWrapper = Uint8Array.from(names, (name, i) => classes[i] === FRAME && WRAPPER.test(name));
    data.isModule = Uint8Array.from(names, (name) => /^nn\.Module: /.test(name));
    /* A name of two classes, such as a copy that waits in some calls only, is one name for the reader. */
    const firstOf = new Map(), base = Uint32Array.from(names, (name, i) => {
      const key = CLASSES[classes[i]][1] + name;
      if (!firstOf.has(key)) firstOf.set(key, i);
      return firstOf.get(key);
    });
    const devices = threads.filter((thread) => thread.isDevice), hosts = threads.filter((thread) => !thread.isDevice);
    const isApproximate = devices.some((thread) => thread.cover.length);
    const typical = steps[data.typical] || null;

    let from = 0, to = data.range, width = 0, height = 0, gutter = 118, scale = 1, shift = 0, frame = 0, later = 0;
    let isFolding = true, isAll = false, range = null, marks = null, outlined = null, compared = null, pointer = null, colors = null;
    let lanes = [], items = [], pen = null, drag = null, fillNow = '';
    const pins = new Set(), opened = new Set(), fingers = new Map();

    const canvas = make('canvas', { tabindex: '0', role: 'application', 'aria-label': 'Timeline. Keys: W and S zoom, A and D move, 0 shows all, left and right arrow go to the previous and next slice of the selected name, L to the longest one, F to its launch or kernel, C compares two steps, Escape clears.' });
    const panel = viewer.panel = make('div', { 'class': 'walk tp', 'aria-live': 'polite' });
    const bar = viewer.bar = make('div', { 'class': 'tb' });

    /* ---- lanes ---- */

    function addLane(id, name, sub, kind, rows, limit, more) { lanes.push({ id, name, sub, kind, rows, limit, ...more }); }
    function makeLanes() {
      lanes = [];
      const isOne = hosts.length === 1, byDevice = new Map();
      if (data.path.length) addLane('path', 'Critical path', '', 'path', [], 0, { path: data.path });
      devices.forEach((thread) => {
        const [device, stream] = thread.title.split(' · ');
        byDevice.set(device, (byDevice.get(device) || []).concat(thread));
        thread.device = device;
        thread.stream = stream || '';
      });
      byDevice.forEach((of, device) => {
        of.forEach((thread) => addLane(thread.title, device, of.length > 1 ? thread.stream : '', DEVICE, thread.groups[0], 4, { thread, cover: thread.cover[0] }));
        const gpu = data.gpus.find((other) => other.title === device);
        if (of[0].queue === undefined) of[0].queue = queueOf(of) || (gpu && gpu.queue ? sampledQueue(gpu, data.loadWidth) : null);
        const queue = of[0].queue;
        if (queue) addLane('queue ' + device, 'Queue depth', (queue.isSampled ? 'up to ' : 'at most ') + queue.most.toLocaleString('en'), 'queue', [], 0, { queue });
      });
      hosts.forEach((thread, i) => {
        if (i >= FEW_THREADS && !isAll) return;
        const sub = isOne ? '' : thread.title.split(' · ')[1] || thread.title, main = i === 0, add = (group, name, limit) => {
          const rows = thread.groups[group], cover = thread.cover[group], moments = group === PYTHON && thread.moments.length ? thread.moments : null;
          if (rows.length || cover || moments) addLane(name + ' ' + thread.title, name, sub, group, rows, limit, { thread, cover, moments });
        };
        const hasFrames = thread.name.some((number) => classes[number] === FRAME);
        add(LAUNCHES, 'Launches', 2);
        add(OPERATORS, 'Operators', main ? 3 : 2);
        add(PYTHON, hasFrames ? 'Python' : 'Ranges', main ? 6 : 2);
      });
      data.gpus.forEach((gpu) => {
        if (gpu.sm || byDevice.size && byDevice.get(gpu.title) && byDevice.get(gpu.title).length > 1)
          addLane('load ' + gpu.title, gpu.title + ' busy', gpu.sm ? 'SM efficiency' : '', 'load', [], 0, { load: gpu });
      });
    }

    /* Places the lanes from top to bottom; in a comparison, the first step is above the second. */
    function layout() {
      let y = compared || steps.length > 1 ? 40 : 24;
      items = [];
      const place = (lane, offset) => {
        const top = y, shown = compared ? lane.rows.slice(0, lane.kind === PYTHON ? 4 : 2) : opened.has(lane.id) || (lane.kind === PYTHON && !isFolding) ? lane.rows : lane.rows.slice(0, lane.limit);
        const add = (high, more) => { items.push({ y, height: high, lane, shift: offset, ...more }); y += high + 1; };
        if (lane.moments && !compared) add(MOMENT, { moments: lane.moments });
        if (lane.queue || lane.load) add(CURVE, { curve: true });
        if (lane.path) add(ROW - 1, { path: lane.path });
        shown.forEach((row, i) => add(lane.kind === DEVICE && i === 0 ? 22 : ROW - 1, { row, cover: lane.kind === DEVICE && i === 0 ? lane.cover : null }));
        if (lane.cover && (lane.kind !== DEVICE || !shown.length)) add(ROW - 1, { cover: lane.cover });
        const head = { y: top, height: y - top, lane, head: true, hidden: compared ? 0 : lane.rows.length - shown.length };
        items.push(head);
        y = Math.max(y, top + ((lane.sub || head.hidden) && gutter > 100 ? 2 * ROW - 2 : 0)) + 8;
      };
      const sorted = lanes.slice().sort((a, b) => pins.has(b.id) - pins.has(a.id));
      if (compared) {
        compared.forEach((step) => {
          items.push({ y, height: ROW, title: stepTitle(step) + ', ' + timeText(step.end - step.start) });
          y += ROW + 4;
          sorted.forEach((lane) => { if (lane.kind === DEVICE || lane.thread === hosts[0]) place(lane, step.start); });
        });
      } else sorted.forEach((lane) => place(lane, 0));
      height = y + 4;
    }
    function rebuild() {
      threads.forEach((thread) => fillRows(thread, data, isFolding));
      makeLanes();
      layout();
    }

    /* ---- view ---- */

    function update() {
      if (!frame) frame = requestAnimationFrame(draw);
      if (later) return;
      later = setTimeout(() => {
        later = 0;
        fillPanel();
        if (viewer.onchange) viewer.onchange();
      }, drag ? 60 : 150);
    }
    function hideTip() {
      const tip = document.getElementById('tip');
      canvas.removeAttribute('data-tip');
      if (tip) tip.hidden = true;
    }
    function lengthOfAll() { return compared ? Math.max(...compared.map((step) => step.end - step.start)) : data.end; }
    function show(a, z) {
      const all = lengthOfAll(), size = Math.max(20, Math.min(all, z - a));
      from = Math.max(0, Math.min(all - size, a));
      to = from + size;
      hideTip();
      update();
    }
    function zoom(factor, at) {
      const center = at === undefined ? (pointer === null ? (from + to) / 2 : timeAt(pointer)) : at;
      show(center - (center - from) * factor, center + (to - center) * factor);
    }
    function pan(part) { show(from + (to - from) * part, to + (to - from) * part); }
    function showStep(step) {
      const margin = (step.end - step.start) * 0.02;
      show(step.start - margin, step.end + margin);
    }
    function showAll() {
      const isWhole = from === 0 && to >= data.range;
      if (compared) show(0, lengthOfAll());
      else if (isWhole && typical) showStep(typical);
      else show(0, data.range);
    }
    function x(time) { return gutter + (time - shift - from) * scale; }
    function timeAt(px) { return from + Math.max(0, px - gutter) / Math.max(1, width - gutter) * (to - from); }

    /* Shows the longest time in which no device works, between the first and the last step. */
    function showGap() {
      const starts = [], ends = [], low = steps.length ? steps[0].start : 0, high = steps.length ? steps[steps.length - 1].end : data.end;
      let best = null;
      if (isApproximate) {
        let since = -1;
        for (let i = 0; i <= data.gpus[0].busy.length; i++) {
          const isIdle = i < data.gpus[0].busy.length && data.gpus.every((gpu) => !gpu.busy[i]);
          if (isIdle && since < 0) since = i;
          if (!isIdle && since >= 0) {
            if (!best || i - since > (best[1] - best[0]) / data.loadWidth) best = [since * data.loadWidth, i * data.loadWidth];
            since = -1;
          }
        }
      } else {
        devices.forEach((thread) => thread.start.forEach((start, i) => {
          if (thread.end[i] <= low || start >= high) return;
          starts.push(start);
          ends.push(thread.end[i]);
        }));
        const a = Float64Array.from(starts).sort(), z = Float64Array.from(ends).sort();
        /* as many slices have ended as have started: no slice runs */
        for (let i = 1; i < a.length; i++) if (a[i] > z[i - 1] && (!best || a[i] - z[i - 1] > best[1] - best[0])) best = [z[i - 1], a[i]];
      }
      if (!best) return;
      stopComparing();
      range = best;
      select(null);
      show(best[0] - (best[1] - best[0]) * 0.1, best[1] + (best[1] - best[0]) * 0.1);
    }

    /* ---- drawing ---- */

    /* Returns the colour of a class. Without a device, operators are the work, and Python is the code around them. */
    function colorOf(kind) {
      return data.gpus.length || !['operator', 'line'].includes(CLASSES[kind][1]) ? CLASSES[kind][0] : CLASSES[kind][1] === 'line' ? 'launch' : 'gpu';
    }
    function readColors() {
      const style = getComputedStyle(document.documentElement), read = (name) => style.getPropertyValue('--' + name).trim();
      colors = { fg: read('fg'), mut: read('mut'), line: read('line'), bg: read('bg'), soft: read('soft'), acc: read('acc'), font: '12px ' + read('sans') };
      COLORS.forEach((name) => { colors[name] = read(name); colors['on-' + name] = read('on-' + name); });
      colors.fill = CLASSES.map((c, kind) => colors[colorOf(kind)]);
      /* each colour on the page at SHADES strengths */
      colors.shades = colors.fill.flatMap((fill) => Array.from({ length: SHADES }, (_, i) => mixed(fill, colors.bg, 0.2 + 0.8 * (i + 1) / SHADES)));
      colors.ink = CLASSES.map((c, kind) => colors['on-' + colorOf(kind)]);
      colors.paper = luminance(colors.bg);
    }

    function prepare() {
      width = canvas.clientWidth;
      if (!width) return false;
      const wasWide = gutter;
      gutter = width < 600 ? 76 : 118;
      if (wasWide !== gutter) layout();
      const ratio = Math.min(window.devicePixelRatio || 1, 16000 / height);
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
        canvas.style.height = height + 'px';
      }
      if (!colors) readColors();
      scale = (width - gutter) / (to - from);
      pen = canvas.getContext('2d');
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.globalAlpha = 1;
      pen.fillStyle = colors.bg;
      pen.fillRect(0, 0, width, height);
      pen.font = colors.font;
      pen.textBaseline = 'middle';
      return true;
    }

    function drawAxis() {
      const raw = (to - from) * 96 / (width - gutter), power = Math.pow(10, Math.floor(Math.log10(raw)));
      const size = raw / power > 5 ? 10 * power : raw / power > 2 ? 5 * power : raw / power > 1 ? 2 * power : power;
      const unit = to >= 1e9 && size >= 1e7 ? [1e9, ' s'] : size >= 1e4 ? [1e6, ' ms'] : [1e3, ' µs'];
      const digits = Math.max(0, Math.min(3, -Math.floor(Math.log10(size / unit[0]) + 1e-9)));
      const middle = range ? x((range[0] + range[1]) / 2) : -1e9;
      if (!compared) {
        steps.forEach((step) => {
          const a = Math.max(gutter, x(step.start)), z = Math.min(width, x(step.end));
          if (steps.length < 2 || z - a < 3) return;
          pen.fillStyle = colors.soft;
          pen.fillRect(a, 20, z - a - 1, 16);
          pen.fillStyle = colors.mut;
          if (z - a > 46) pen.fillText(cut(stepName(step.name), Math.floor((z - a) / 7)), a + 4, 28);
        });
      }
      for (let i = Math.ceil(from / size), last = Math.floor(to / size); i <= last; i++) {
        const at = x(i * size);
        pen.fillStyle = colors.line;
        pen.fillRect(Math.round(at), 18, 1, height);
        pen.fillStyle = colors.mut;
        if (at < width - 50 && Math.abs(at + 24 - middle) > 64) pen.fillText((i * size / unit[0]).toFixed(digits) + unit[1], at + 4, 10);
      }
    }

    /* Draws a box of a class, with the name in it if there is room. */
    function boxOf(kind, at, size, y, high, name, shade, color) {
      const fill = color || shade || colors.fill[kind];
      if (fill !== fillNow) pen.fillStyle = fillNow = fill;
      pen.fillRect(at, y, size, high);
      if (size < 36 || name === null) return;
      const left = Math.max(at, gutter), right = Math.min(at + size, width), room = right - left - 6;
      if (room < 26) return;
      const light = color ? luminance(color) : 0;
      fillNow = '';
      if (color && contrast(light, colors.paper) < 1.6) {
        pen.strokeStyle = colors.mut;
        pen.lineWidth = 1;
        pen.strokeRect(at + 0.5, y + 0.5, size - 1, high - 1);
      }
      pen.save();
      pen.beginPath();
      pen.rect(left, y, right - left - 2, high);
      pen.clip();
      pen.fillStyle = color ? (contrast(light, 0) > contrast(light, 1) ? '#000000' : '#ffffff') : colors.ink[kind];
      const text = data.short[name];
      pen.fillText(text.length > room / 3 ? text.slice(0, Math.ceil(room / 3)) : text, left + 4, y + high / 2 + 0.5);
      pen.restore();
    }

    /* Draws the share of time and the class of the busiest slice for each pixel, and joins equal pixels. */
    function drawBuckets(level, y, high) {
      const { share, name, width: step } = level, last = share.length - 1;
      let begin = gutter, drawn = -1, label = 0;
      for (let px = gutter; px <= width; px++) {
        let best = -1, key = -1;
        const first = Math.floor((from + shift + (px - gutter) / scale) / step), until = Math.min(last, Math.max(first, Math.ceil((from + shift + (px + 1 - gutter) / scale) / step) - 1));
        for (let i = Math.max(0, first); i <= until && px < width; i++) if (share[i] >= 0.002 && (best < 0 || share[i] > share[best])) best = i;
        if (best >= 0) key = classes[name[best]] * SHADES + Math.min(SHADES - 1, Math.floor(share[best] * SHADES));
        if (key === drawn && (key % SHADES < SHADES - 1 || name[best] === label)) continue;
        if (drawn >= 0) boxOf(Math.floor(drawn / SHADES), begin, px - begin, y, high, drawn % SHADES === SHADES - 1 ? label : null, colors.shades[drawn]);
        begin = px;
        drawn = key;
        label = best < 0 ? 0 : name[best];
      }
    }

    function drawCover(cover, y, high, kind) {
      const step = data.coverWidth, last = Math.min(cover.length - 1, Math.floor((to + shift) / step));
      for (let i = Math.max(0, Math.floor((from + shift) / step)); i <= last; i++)
        if (cover[i]) boxOf(kind, x(i * step), Math.max(0.6, step * scale), y, high, null, colors.shades[kind * SHADES + Math.floor(cover[i] / 255 * SHADES * 0.6)]);
    }

    function drawRow(row, y, high) {
      const { thread, ids } = row, first = firstAfter(row, from + shift), limit = to + shift;
      let end = first, level = null, drawn = -1;
      if (ids.length - first > DIRECT) {
        end = firstAfter(row, limit);
        if (end - first > DIRECT) {
          row.pyramid = row.pyramid || pyramid(row, data.end);
          level = row.pyramid.filter((l) => l.width * scale <= 1).pop();
        }
      }
      if (level) {
        drawBuckets(level, y, high);
        return;
      }
      for (let k = first; k < ids.length; k++) {
        const id = ids[k], start = thread.start[id];
        if (start >= limit) break;
        const a = x(start), size = (thread.end[id] - start) * scale, z = a + Math.max(size - (size > 3 ? 0.8 : 0), 0.7);
        if (z <= drawn) continue; /* another slice already fills this pixel */
        const caption = thread.captions.size && thread.captions.get(id), left = Math.max(a, gutter - 2);
        boxOf(classes[thread.name[id]], left, Math.min(z, width + 2) - left, y, high, thread.name[id], null, caption && caption.color);
        if (size < 0.7) drawn = a + 0.7;
      }
    }

    /* Draws moments as small diamonds. */
    function drawMoments(moments, y) {
      const half = MOMENT / 2 - 1, middle = y + MOMENT / 2;
      let last = -MOMENT;
      for (const moment of moments) {
        const at = x(moment.time);
        if (at < gutter || at > width || (at - last < 1 && !moment.color)) continue;
        last = at;
        pen.fillStyle = moment.color || colors.fg;
        pen.beginPath();
        pen.moveTo(at, middle - half);
        pen.lineTo(at + half, middle);
        pen.lineTo(at, middle + half);
        pen.lineTo(at - half, middle);
        pen.fill();
      }
    }

    function drawQueue(queue, y) {
      const { times, depths, most } = queue, base = y + CURVE, level = (depth) => base - depth / most * CURVE;
      let i = firstAtLeast(times, from + shift), depth = i ? depths[i - 1] : 0, pixel = gutter, peak = depth;
      pen.beginPath();
      pen.moveTo(gutter, base);
      const flush = (until) => {
        pen.lineTo(pixel, level(peak));
        pen.lineTo(until, level(peak));
        pixel = until;
        peak = depth;
      };
      for (; i < times.length && times[i] < to + shift; i++) {
        const at = Math.floor(x(times[i]));
        if (at > pixel) flush(at);
        depth = depths[i];
        peak = Math.max(peak, depth);
      }
      flush(Math.min(width, i < times.length ? width : Math.max(pixel + 1, gutter)));
      pen.lineTo(pixel, base);
      pen.fillStyle = colors.gpu3;
      pen.fill();
    }

    /* Returns the means of `load` over groups of buckets that are at least a pixel wide: [start of group, mean]. */
    function loadMeans(load, group) {
      const step = data.loadWidth, last = Math.min(load.length - 1, Math.floor((to + shift) / step)), means = [];
      for (let i = Math.floor(Math.max(0, Math.floor((from + shift) / step)) / group) * group; i <= last; i += group) {
        let sum = 0;
        const end = Math.min(load.length, i + group);
        for (let k = i; k < end; k++) sum += load[k];
        means.push([i * step, sum / (end - i) / 255]);
      }
      return means;
    }

    function drawLoad(gpu, y) {
      const group = Math.max(1, Math.ceil(1 / (data.loadWidth * scale))), size = data.loadWidth * group * scale, busy = loadMeans(gpu.busy, group);
      let wasBusy = false;
      pen.fillStyle = colors.gpu3;
      busy.forEach(([time, mean]) => { if (mean) pen.fillRect(x(time), y + CURVE * (1 - mean), size + 0.3, CURVE * mean); });
      if (!gpu.sm) return;
      pen.strokeStyle = colors.gpu;
      pen.lineWidth = 1;
      pen.beginPath();
      loadMeans(gpu.sm, group).forEach(([time, mean], i) => {
        const at = x(time), level = y + CURVE * (1 - mean);
        if (wasBusy) pen.lineTo(at, level); else pen.moveTo(at, level);
        wasBusy = busy[i][1] > 0;
        if (wasBusy) pen.lineTo(at + size, level);
      });
      pen.stroke();
    }

    /* Draws the critical path. Unexplained parts are striped. */
    function drawPath({ path, y, height: high }) {
      path.forEach(({ start, end, group }) => {
        const z = Math.min(width, Math.round(x(end))), size = group > 5 ? 8 : Infinity;
        pen.fillStyle = colors[PATH[group]];
        for (let at = Math.max(gutter, Math.round(x(start))); at < z; at += size) pen.fillRect(at, y, Math.min(size / 2, z - at), high);
      });
    }

    function drawHead(item) {
      const lane = item.lane, isNarrow = gutter < 100, most = isNarrow ? 11 : 16;
      pen.fillStyle = colors.bg;
      pen.fillRect(0, item.y - 2, gutter - 2, item.height + 12);
      pen.fillStyle = colors.fg;
      pen.fillText(cut((pins.has(lane.id) ? '▲ ' : '') + lane.name, most), 4, item.y + 9);
      pen.fillStyle = colors.mut;
      const below = item.hidden ? '+ ' + counted(item.hidden, 'row', 'rows') : lane.sub;
      if (below && (!isNarrow || item.height > 2 * ROW - 4)) pen.fillText(cut(below, most), 4, item.y + 24);
    }

    function itemOf(slice) {
      return items.find((item) => item.row && item.row === rowOf(slice) && (!compared || (slice.start >= item.shift && slice.start <= item.shift + lengthOfAll())));
    }
    function rowOf(slice) {
      const { thread, id } = slice, row = thread.row[id], group = thread.isDevice ? 0 : CLASSES[classes[thread.name[id]]][2];
      return row < 255 ? thread.groups[group][row] : null;
    }

    function outline(slice) {
      const item = itemOf(slice);
      if (!item) return null;
      shift = item.shift;
      const a = Math.max(gutter - 2, x(slice.start)), z = Math.min(width + 2, x(slice.end));
      pen.strokeStyle = colors.fg;
      pen.lineWidth = 2;
      if (z >= gutter && a <= width) pen.strokeRect(a - 1, item.y - 1, Math.max(3, z - a) + 1, item.height + 2);
      return { x: x(slice.start), top: item.y, bottom: item.y + item.height };
    }

    /* Draws a line from a launch to the slice that it started, and says how much later the slice starts. */
    function drawFollow() {
      const partner = outlined && (outlined.partner || null), slice = outlined;
      const here = slice && outline(slice), there = here && partner && outline(partner);
      if (!there) return;
      const launch = slice.thread.isDevice ? partner : slice, kernel = slice.thread.isDevice ? slice : partner;
      const [p, q] = slice.thread.isDevice ? [there, here] : [here, there], isUp = q.top < p.top;
      const y1 = isUp ? p.top : p.bottom, y2 = isUp ? q.bottom : q.top, middle = (y1 + y2) / 2;
      pen.lineWidth = 1.5;
      pen.beginPath();
      pen.moveTo(p.x, y1);
      pen.bezierCurveTo(p.x, middle, q.x, middle, q.x, y2);
      pen.stroke();
      const text = viewer.delay = 'starts ' + timeText(Math.max(0, kernel.start - launch.end)) + ' after the launch', size = pen.measureText(text).width;
      const at = Math.max(gutter + 4, Math.min(width - size - 8, (p.x + q.x) / 2 + 6));
      pen.fillStyle = colors.bg;
      pen.fillRect(at - 4, middle - 9, size + 8, 18);
      pen.fillStyle = colors.fg;
      pen.fillText(text, at, middle);
    }

    function drawRange() {
      if (!range) return;
      const a = x(range[0]), z = x(range[1]), text = timeText(range[1] - range[0]), size = pen.measureText(text).width + 12, middle = Math.max(gutter + size / 2, Math.min(width - size / 2, (a + z) / 2));
      pen.fillStyle = colors.acc;
      pen.globalAlpha = 0.12;
      pen.fillRect(a, 0, z - a, height);
      pen.globalAlpha = 1;
      pen.fillRect(a, 0, 1, height);
      pen.fillRect(z, 0, 1, height);
      pen.fillRect(middle - size / 2, 1, size, 18);
      pen.fillStyle = colors.bg;
      pen.fillText(text, middle - size / 2 + 6, 10);
    }

    /* Covers everything outside of the marked parts. */
    function drawMarks() {
      let at = gutter;
      pen.fillStyle = colors.bg;
      pen.globalAlpha = 0.76;
      marks.concat([[Infinity, Infinity]]).forEach(([a, z]) => {
        const start = Math.max(at, Math.min(width, a === Infinity ? width : x(a + data.first)));
        if (start > at) pen.fillRect(at, 20, start - at, height);
        at = Math.max(at, Math.min(width, x(z + data.first)), start + (a === Infinity || start >= width ? 0 : 2));
      });
      pen.globalAlpha = 1;
    }

    function draw() {
      frame = 0;
      if (!prepare()) return;
      const began = performance.now();
      shift = 0;
      pen.save();
      pen.beginPath();
      pen.rect(gutter, 0, width - gutter, height);
      pen.clip();
      drawAxis();
      items.forEach((item) => {
        shift = item.shift || 0;
        fillNow = '';
        if (item.moments) drawMoments(item.moments, item.y);
        if (item.curve && item.lane.queue) drawQueue(item.lane.queue, item.y);
        if (item.curve && item.lane.load) drawLoad(item.lane.load, item.y);
        if (item.path) drawPath(item);
        if (item.cover) drawCover(item.cover, item.y, item.height, item.lane.kind === DEVICE ? 1 : item.lane.kind === PYTHON ? FRAME : CALL);
        if (item.row) drawRow(item.row, item.y, item.height);
      });
      shift = 0;
      if (marks && !compared) drawMarks();
      drawFollow();
      shift = 0;
      drawRange();
      pen.restore();
      items.forEach((item) => {
        if (item.head) drawHead(item);
        pen.fillStyle = colors.fg;
        if (item.title) pen.fillText(item.title, 4, item.y + ROW / 2);
      });
      viewer.drawMilliseconds = performance.now() - began;
    }

    /* ---- sums ---- */

    /* Returns the names of slices from a to z with their times and numbers of calls, longest first. */
    function sums(rows, a, z) {
      const time = new Map(), calls = new Map();
      rows.forEach((row) => {
        const { thread, ids } = row;
        for (let k = firstAfter(row, a); k < ids.length && thread.start[ids[k]] < z; k++) {
          const id = ids[k], name = base[thread.name[id]];
          time.set(name, (time.get(name) || 0) + Math.min(thread.end[id], z) - Math.max(thread.start[id], a));
          calls.set(name, (calls.get(name) || 0) + 1);
        }
      });
      return [...time].map(([name, ns]) => ({ name, ns, calls: calls.get(name) })).sort((p, q) => q.ns - p.ns);
    }
    function rowsOf(isWanted) { return threads.filter(isWanted).flatMap((thread) => thread.groups.flat()); }
    const isDevice = (thread) => thread.isDevice;
    /* Rows whose names say what the host does: the Python frames, or else the operators of all threads. Frames that last
     * for the whole recording say nothing. */
    function hostRows() {
      const frames = hosts.flatMap((thread) => thread.groups[PYTHON]), useful = frames.filter((row) => row.ids.length > 2 || frames.length < 3);
      return useful.length ? useful : hosts.flatMap((thread) => thread.groups[OPERATORS].slice(0, 1));
    }

    /* Returns the time from a to z in which a device works, mean over the devices, ns. Many slices are counted in the
     * buckets of the load. */
    function busyTime(a, z) {
      const rows = rowsOf(isDevice), most = rows.reduce((sum, row) => sum + firstAfter(row, z) - firstAfter(row, a), 0);
      if (!isApproximate && most < 50000) {
        const by = new Map();
        rows.forEach((row) => {
          const { thread, ids } = row, parts = by.get(thread.device) || [];
          for (let k = firstAfter(row, a); k < ids.length && thread.start[ids[k]] < z; k++) parts.push([Math.max(a, thread.start[ids[k]]), Math.min(z, thread.end[ids[k]])]);
          by.set(thread.device, parts);
        });
        return [...by.values()].reduce((sum, parts) => sum + unionOf(parts), 0) / Math.max(1, by.size);
      }
      let sum = 0;
      data.gpus.forEach(({ busy }) => {
        for (let i = Math.floor(a / data.loadWidth); i < busy.length && i * data.loadWidth < z; i++)
          sum += busy[i] / 255 * (Math.min(z, (i + 1) * data.loadWidth) - Math.max(a, i * data.loadWidth));
      });
      return sum / Math.max(1, data.gpus.length);
    }
    /* Returns the number of launches from a to z; null if they are unknown. A launch can start several operations. */
    function launchCount(a, z) {
      const times = new Set(), known = devices.filter((thread) => thread.launch);
      known.forEach((thread) => thread.launch.forEach((time) => { if (time >= a && time < z) times.add(time); }));
      return known.length ? times.size : null;
    }

    /* ---- selection ---- */

    function kindOf(name) { return CLASSES[classes[name]][1]; }
    function sliceOf(thread, id) {
      const name = thread.name[id];
      return { thread, id, number: base[name], name: names[name], kind: kindOf(name), start: thread.start[id], end: thread.end[id] };
    }
    /* Returns the slices whose names have a mark in `numbers`. If `near` is given, they must begin at this time. */
    function slicesOf(numbers, near) {
      const hits = [];
      threads.forEach((thread) => {
        let i = near === undefined ? 0 : firstAtLeast(thread.start, near - 1.5 * data.unit);
        for (; i < thread.start.length && (near === undefined || thread.start[i] <= near + data.unit); i++)
          if (numbers[thread.name[i]]) hits.push(sliceOf(thread, i));
      });
      return hits.sort((a, b) => a.start - b.start || b.end - a.end);
    }
    function numbersOf(isWanted) { return names.map((name, i) => i > 0 && isWanted(name, i)); }
    function sameName(slice) { return slicesOf(numbersOf((name, i) => base[i] === slice.number)); }

    /* Returns the call that launched a slice of a device, or null if the timeline lacks it. */
    function launchOf(slice) {
      const at = slice.thread.launch ? slice.thread.launch[slice.id] : -1;
      let found = null;
      if (at < 0) return null;
      hosts.forEach((thread) => {
        for (let i = firstAtLeast(thread.start, at - data.unit / 2); i < thread.start.length && thread.start[i] <= at + data.unit / 2; i++)
          if (kindOf(thread.name[i]) === 'call') found = sliceOf(thread, i);
      });
      return found;
    }
    /* Returns the first slices that a call launched. */
    function launchedBy(slice) {
      const found = [];
      if (slice.kind === 'call' && !slice.thread.isDevice) {
        devices.forEach((thread) => {
          for (let i = firstAtLeast(thread.start, slice.start); thread.launch && i < thread.start.length && found.length < 8; i++)
            if (Math.abs(thread.launch[i] - slice.start) <= data.unit / 2) found.push(sliceOf(thread, i));
        });
      }
      return found;
    }
    /* Returns the slices around a slice, outermost first. */
    function parentsOf(slice) {
      const order = [2, 1, 0], parents = [];
      (slice.thread.isDevice ? [0] : order).forEach((group) => (slice.thread.groups[group] || []).forEach((row) => {
        const k = firstAfter(row, slice.start), id = row.ids[k];
        if (k < row.ids.length && id !== slice.id && slice.thread.start[id] <= slice.start && slice.thread.end[id] >= slice.end && id < slice.id) parents.push(sliceOf(slice.thread, id));
      }));
      return parents.sort((a, b) => a.start - b.start || b.end - a.end || a.id - b.id).slice(-6);
    }
    /* Returns the shapes of a slice, or of the innermost call around it that has shapes. */
    function shapesOf(slice) {
      const { thread } = slice, of = thread.shape && [slice, ...parentsOf(slice).reverse()].find((other) => thread.shape[other.id]);
      return of ? { text: data.shapes[thread.shape[of.id]], of: of.id === slice.id ? '' : of.name } : null;
    }
    function setHits(hits, best) {
      viewer.hits = hits;
      viewer.at = best;
    }
    /* Sets the selected slice or step; null clears it. */
    function select(hit) {
      viewer.selected = outlined = null;
      if (!hit) {
        update();
        return;
      }
      viewer.selected = hit;
      if (hit.thread) {
        outlined = hit;
        hit.launch = hit.thread.isDevice ? launchOf(hit) : null;
        hit.launched = launchedBy(hit);
        hit.partner = hit.launch || hit.launched[0] || null;
        hit.shapes = shapesOf(hit) || (hit.launch && shapesOf(hit.launch));
        makeVisible(hit);
        if (hit.partner) makeVisible(hit.partner);
      }
      update();
    }
    /* Unfolds what hides the row of a slice. */
    function makeVisible(slice) {
      if (!rowOf(slice) && isFolding) setFolding(false);
      if (itemOf(slice) || compared) return;
      if (!slice.thread.isDevice && hosts.indexOf(slice.thread) >= FEW_THREADS && !isAll) {
        isAll = true;
        makeLanes();
      }
      const lane = lanes.find((other) => other.rows.includes(rowOf(slice)));
      if (lane && lane.rows.indexOf(rowOf(slice)) >= lane.limit) opened.add(lane.id);
      layout();
    }
    /* Selects a hit and moves the view to it, if it is outside of the view or too small to see. */
    function choose(hit, view) {
      if (compared && hit.thread && !compared.some((step) => hit.start >= step.start && hit.end <= step.end)) stopComparing();
      select(hit);
      if (view) show(view[0], view[1]);
      else if (!hit.thread) showStep(hit);
      else {
        const step = compared && compared.find((other) => hit.start >= other.start && hit.end <= other.end), start = hit.start - (step ? step.start : 0), size = hit.end - hit.start;
        const margin = Math.max(size * 5, 20 * data.unit), canSee = width ? size * (width - gutter) / (to - from) >= 12 : false;
        if (start < from || start + size > to || !canSee) show(start - margin, start + size + margin);
      }
    }
    function go(by) {
      if (!viewer.hits.length) return;
      viewer.at = (viewer.at + by + viewer.hits.length) % viewer.hits.length;
      choose(viewer.hits[viewer.at]);
    }
    function longest() {
      let hits = viewer.hits;
      if (!outlined) {
        const top = sums(rowsOf(devices.length ? isDevice : () => true), from, to)[0];
        if (!top) return;
        hits = slicesOf(numbersOf((name, i) => base[i] === top.name));
      }
      if (!hits.length) return;
      setHits(hits, hits.reduce((best, hit, i) => hit.end - hit.start > hits[best].end - hits[best].start ? i : best, 0));
      choose(hits[viewer.at]);
    }
    function follow() {
      const slice = outlined, partner = slice && slice.partner;
      if (!partner) return;
      stopComparing();
      const hits = sameName(partner);
      setHits(hits, Math.max(0, hits.findIndex((hit) => hit.thread === partner.thread && hit.id === partner.id)));
      const a = Math.min(slice.start, partner.start), z = Math.max(slice.end, partner.end), margin = (z - a) * 0.1 + 20 * data.unit;
      select(hits[viewer.at]);
      if (a < from || z > to || (z - a) * scale < 60) show(a - margin, z + margin);
    }
    /* Selects what the address names: steps, streams and slices by name, evidence by its start time. */
    viewer.select = (state) => {
      let hits = [], time = state.from, best = 0;
      range = state.range;
      stopComparing();
      const second = state.step && steps.find((step) => step.name === state.step);
      if (!state.kind) {
        setHits([], 0);
        select(null);
        if (state.view) show(state.view[0], state.view[1]);
      } else if (state.kind === 'step') {
        hits = steps.filter((step) => step.name === state.name || stepName(step.name) === state.name);
      } else if (state.kind === 'event') {
        time += data.first;
        hits = slicesOf(numbersOf((other, i) => other.includes(state.name.replace(/…$/, '')) || data.full[i].includes(state.name.replace(/…$/, ''))), time);
      } else if (state.kind === 'stream') {
        devices.filter((thread) => thread.title === state.name).forEach((thread) => thread.start.forEach((_, i) => hits.push(sliceOf(thread, i))));
      } else {
        hits = slicesOf(numbersOf((other, i) => [other, data.full[i]].some((text) => {
          const name = text.replace(/\s+/g, ' ').trim();
          return state.names.some((wanted) => name === wanted || (wanted.slice(-1) === '…' && name.startsWith(wanted.slice(0, -1))));
        })));
      }
      hits.forEach((hit, i) => { if (time >= 0 && Math.abs(hit.start - time) < Math.abs(hits[best].start - time)) best = i; });
      if (state.kind) {
        setHits(hits, best);
        if (hits.length) choose(hits[best], state.view);
        else {
          select(null);
          if (time >= 0) show(time - data.range / 200, time + data.range / 200);
        }
      }
      if (second) compare(second, state.view);
      viewer.missing = state.kind && !hits.length ? state : null;
      fillPanel();
    };
    viewer.kindOf = kindOf;
    viewer.streams = () => devices.map((thread) => thread.title);
    viewer.view = () => [from, to];
    viewer.queues = () => lanes.filter((lane) => lane.queue).map((lane) => lane.queue);
    viewer.state = () => {
      const hit = viewer.selected, isFirst = from === initial[0] && to === initial[1];
      return { kind: hit ? hit.kind || 'step' : '', name: hit ? hit.name : '', from: hit ? hit.start : -1, view: isFirst && !compared ? null : [from, to], range, step: compared ? compared[1].name : '' };
    };
    /* Scrolls the page to the row of the selected slice, or to the top of the timeline. */
    viewer.scroll = () => {
      const top = canvas.getBoundingClientRect().top + scrollY, item = outlined && itemOf(outlined);
      scrollTo({ top: item ? top + item.y - innerHeight / 3 : top - 120, behavior: 'instant' });
    };
    /* Returns the names that slices have, with lane, number and total time. */
    viewer.search = () => lanes.filter((lane) => lane.rows.length).flatMap((lane) => sums(lane.rows, 0, Infinity).map((sum) => ({
      kind: kindOf(sum.name), name: names[sum.name], full: data.full[sum.name], lane: lane.name + (lane.sub ? ' ' + lane.sub : ''), calls: sum.calls, ns: sum.ns
    })));

    /* ---- comparison of two steps ---- */

    function compare(second, view) {
      const first = typical && typical !== second ? typical : steps.find((step) => step !== second);
      if (!first) return;
      compared = [first, second];
      range = null;
      layout();
      if (view) show(view[0], view[1]); else show(0, lengthOfAll());
      fillBar();
    }
    function stopComparing() {
      if (!compared) return;
      const step = compared[0];
      compared = null;
      layout();
      showStep(step);
      fillBar();
    }
    /* Compares with the next step at each call. */
    function compareNext() {
      if (steps.length < 2) return;
      const now = compared ? steps.indexOf(compared[1]) : steps.indexOf(typical);
      let next = (now + 1) % steps.length;
      if (steps[next] === (compared ? compared[0] : typical)) next = (next + 1) % steps.length;
      compare(steps[next]);
    }

    /* ---- panel ---- */

    function cells(tag, texts) { return texts.map((text, i) => make(tag, i ? { 'class': 'n' } : { scope: 'row' }, text)); }
    function tableOf(heads, rows) {
      const head = make('tr', {}, ...heads.map((text, i) => make('th', { scope: 'col', ...(i ? { 'class': 'n' } : {}) }, text)));
      return make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows.map(({ name, values }) => {
        const link = make('a', { 'class': 'go', href: viewer.href ? viewer.href(kindOf(name), names[name]) : '#', 'data-tip': data.full[name] }, data.short[name]);
        return make('tr', {}, make('th', { scope: 'row' }, make('span', { 'class': 'dot c-' + colorOf(classes[name]) }), ' ', link), ...cells('td', [''].concat(values)).slice(1));
      })));
    }
    function millis(ns) {
      const digits = ns >= 1e8 ? 1 : ns >= 1e6 ? 2 : 4;
      return (ns / 1e6).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    }
    function topRows(a, z) {
      const device = sums(rowsOf(isDevice), a, z).slice(0, 4), host = sums(hostRows(), a, z).slice(0, device.length ? 4 : 8);
      return device.concat(host);
    }
    function fillView() {
      const [a, z] = range || [from, to], busy = busyTime(a, z), launches = launchCount(a, z), facts = [];
      if (devices.length) facts.push('GPU busy ' + timeText(busy) + ' (' + (100 * busy / (z - a)).toFixed(1) + ' %)');
      if (devices.length && !isApproximate) facts.push(counted(rowsOf(isDevice).reduce((sum, row) => sum + firstStart(row, z) - firstAfter(row, a), 0), 'kernel or copy', 'kernels and copies'));
      if (launches !== null) facts.push(counted(launches, 'launch', 'launches'));
      panel.append(make('div', {}, make('h3', {}, (range ? 'Selected: ' : 'In view: ') + timeText(z - a)), make('p', {}, facts.join(', ')),
        make('p', { 'class': 'm' }, 'from ' + pointText(a, z - a) + ' to ' + pointText(z, z - a)),
        make('p', {}, range && button('Zoom in', () => { const [p, q] = range; range = null; show(p, q); }), range && button('Clear', clear), linkButton())),
      make('div', {}, tableOf(['Name', 'Calls', 'Total ms'], topRows(a, z).map((sum) => ({ name: sum.name, values: [sum.calls.toLocaleString('en'), millis(sum.ns)] })))));
    }
    /* Returns the position in the row of its first slice that starts at or after `time`. */
    function firstStart(row, time) {
      const k = firstAfter(row, time);
      return k < row.ids.length && row.thread.start[row.ids[k]] < time ? k + 1 : k;
    }
    function linkButton() {
      const copy = button('Copy link to this view', () => {
        if (viewer.onchange) viewer.onchange();
        copy.textContent = 'Link is in the address bar';
        if (navigator.clipboard) navigator.clipboard.writeText(location.href).then(() => { copy.textContent = 'Link copied'; }, () => {});
      });
      return copy;
    }
    function fillComparison() {
      const [p, q] = compared, part = (step) => range ? [step.start + range[0], Math.min(step.end, step.start + range[1])] : [step.start + from, Math.min(step.end, step.start + to)];
      const all = new Map(), collect = (step, side) => [...sums(rowsOf(isDevice), ...part(step)), ...sums(hostRows(), ...part(step))].forEach((sum) => {
        const both = all.get(sum.name) || [0, 0];
        both[side] += sum.ns;
        all.set(sum.name, both);
      });
      collect(p, 0);
      collect(q, 1);
      const change = (q.end - q.start) - (p.end - p.start), sign = (ns) => (ns < 0 ? '−' : '+') + millis(Math.abs(ns));
      const rows = [...all].sort((a, b) => Math.abs(b[1][1] - b[1][0]) - Math.abs(a[1][1] - a[1][0])).slice(0, 8);
      panel.append(make('div', {}, make('h3', {}, stepTitle(p) + ' above ' + stepName(q.name)), make('p', {}, timeText(p.end - p.start) + ' and ' + timeText(q.end - q.start) + ', ' + sign(change) + ' ms'),
        devices.length ? make('p', {}, 'GPU busy ' + timeText(busyTime(...part(p))) + ' and ' + timeText(busyTime(...part(q)))) : null,
        make('p', {}, button('Next step', compareNext), button('End comparison', clear), linkButton())),
      make('div', {}, tableOf(['Difference by name', stepTitle(p) + ' ms', stepTitle(q) + ' ms', 'Change ms'], rows.map(([name, both]) => ({ name, values: [millis(both[0]), millis(both[1]), sign(both[1] - both[0])] })))));
    }
    function linksTo(words, slices, between) {
      if (!slices.length) return null;
      const line = make('p', {}, words + ' ');
      slices.forEach((slice, i) => line.append(i ? between : '', make('a', { href: viewer.href ? viewer.href(slice.kind, slice.name, slice.start) : '#', 'data-tip': slice.name }, cut(data.short[slice.number] || slice.name, 40))));
      return line;
    }
    function fillSelected(hit) {
      const caption = hit.thread && hit.thread.captions.get(hit.id), all = viewer.hits.reduce((sum, other) => sum + other.end - other.start, 0), words = [];
      const title = hit.thread ? data.short[hit.number] : stepTitle(hit), full = hit.thread ? data.full[hit.number] : '';
      if (hit.thread) {
        words.push(hit.thread.title);
        steps.forEach((step) => { if (step.start <= hit.start && hit.start < step.end) words.push(stepName(step.name)); });
      }
      if (viewer.hits.length > 1) words.push((viewer.at + 1) + ' of ' + viewer.hits.length.toLocaleString('en') + (hit.thread ? ', ' + timeText(all) + ' in all' : ''));
      const delay = hit.partner && Math.max(0, hit.thread.isDevice ? hit.start - hit.partner.end : hit.partner.start - hit.end);
      const left = make('div', {}, make('h3', {}, make('span', { 'class': 'm' }, hit.kind || 'step'), ' ' + title), full && full !== title ? make('p', { 'class': 'm' }, make('code', {}, full)) : null,
        make('p', {}, whenText(hit)), make('p', { 'class': 'm' }, words.join(' · ')),
        hit.partner ? make('p', {}, hit.thread.isDevice ? 'starts ' + timeText(delay) + ' after the launch' : 'its kernel starts ' + timeText(delay) + ' later') : null,
        caption && caption.text ? make('p', { 'class': 'caption' }, caption.text) : null,
        hit.shapes ? make('p', { 'class': 'shapes' }, (hit.shapes.of ? 'Shapes of ' + hit.shapes.of + ' ' : 'Shapes ') + hit.shapes.text) : null);
      const many = viewer.hits.length > 1;
      left.append(make('p', {}, many ? button('← Previous', () => go(-1)) : null, many ? button('Next →', () => go(1)) : null, many && hit.thread ? button('Longest', longest) : null,
        hit.partner ? button(hit.thread.isDevice ? 'To the launch' : 'To the kernel', follow) : null, linkButton()));
      const right = make('div', {});
      if (hit.thread) {
        right.append(...[linksTo('Inside of', parentsOf(hit), ' › '), hit.launch && linksTo('Launched by', [hit.launch], ''), hit.launch && linksTo('inside', parentsOf(hit.launch), ' › '), linksTo('Launches', hit.launched, ', ')].filter(Boolean));
      }
      panel.append(left, right);
      if (viewer.places) viewer.places(right, hit.name);
    }
    function fillPanel() {
      panel.textContent = '';
      const missing = viewer.missing;
      viewer.missing = null;
      if (missing) {
        const box = make('div', {}, make('h3', {}, make('span', { 'class': 'm' }, missing.kind), ' ' + missing.name), make('p', {}, missing.kind === 'step' ? 'No step of this name is in the timeline.' : 'No slice of this name is in the timeline, because short slices are drawn only as a share of time.'));
        panel.append(box);
        if (viewer.places) viewer.places(box, missing.name);
        viewer.missing = missing;
      } else if (compared && !outlined) fillComparison();
      else if (viewer.selected) fillSelected(viewer.selected);
      else fillView();
    }

    /* ---- toolbar ---- */

    function setFolding(isOn) {
      isFolding = isOn;
      outlined = null;
      rebuild();
      outlined = viewer.selected && viewer.selected.thread ? viewer.selected : null;
      fillBar();
      update();
    }
    function stepList() {
      const list = make('select', { 'class': 'inp', 'aria-label': 'Show a step' }, make('option', { value: '' }, counted(steps.length, 'step', 'steps')), ...steps.map((step, i) => make('option', { value: i }, stepTitle(step))));
      list.addEventListener('change', () => {
        if (!list.value) return;
        if (compared) compare(steps[+list.value]); else showStep(steps[+list.value]);
      });
      return list;
    }
    /* Returns one button per action of the page that names parts of the time. */
    function actionButtons() {
      const page = card.closest('details, main') || document;
      return Array.from(page.querySelectorAll('.acts li[data-f][data-marks]')).map((item) => {
        const parts = marksOf(item), heading = item.querySelector('h3'), title = heading ? heading.textContent.trim() : '';
        const act = button('Action ' + item.getAttribute('data-f'), () => {
          if (!parts.length) return;
          stopComparing();
          const a = parts[0][0] + data.first, z = parts[parts.length - 1][1] + data.first, margin = (z - a) * 0.05 + 20;
          show(a - margin, z + margin);
        }, { 'data-tip': title });
        const mark = (shown) => { marks = shown; update(); };
        ['mouseenter', 'focus'].forEach((type) => act.addEventListener(type, () => mark(parts)));
        ['mouseleave', 'blur'].forEach((type) => act.addEventListener(type, () => mark(null)));
        return act;
      });
    }
    function fillBar() {
      const search = bar.querySelector('.find'), folded = hosts.reduce((sum, thread) => sum + thread.foldedCount, 0);
      bar.textContent = '';
      bar.append(button('Whole recording', () => { stopComparing(); show(0, data.range); }), ...(typical ? [button(stepTitle(typical), () => { stopComparing(); showStep(typical); })] : []),
        ...(devices.length ? [button('Longest gap', showGap)] : []), ...actionButtons(), ...(steps.length > 1 ? [stepList(), button('Compare', () => compared ? clear() : compareNext(), { 'aria-pressed': !!compared })] : []),
        ...(folded || !isFolding ? [button(isFolding ? 'Unfold Python' : 'Fold Python', () => setFolding(!isFolding), { 'data-tip': isFolding ? counted(folded, 'frame that only calls the next one is', 'frames that only call the next one are') + ' folded' : 'Fold frames that only call the next one' })] : []),
        ...(hosts.length > FEW_THREADS && !isAll ? [button('All ' + hosts.length + ' threads', () => { isAll = true; makeLanes(); layout(); fillBar(); update(); })] : []),
        make('span', { 'class': 'keys' }, HELP));
      if (search) bar.append(search);
    }

    /* ---- pointer and keys ---- */

    function clear() {
      if (compared) stopComparing();
      range = null;
      viewer.missing = null;
      setHits([], 0);
      select(null);
    }
    function place(event) {
      const rect = canvas.getBoundingClientRect(), px = event.clientX - rect.left, y = event.clientY - rect.top;
      return { px, y, time: timeAt(px), item: items.find((item) => !item.head && !item.title && y >= item.y && y < item.y + item.height) };
    }
    function sliceAt({ px, time, item }) {
      if (px < gutter || !item || !item.row) return null;
      const margin = 1.5 / scale, at = time + item.shift, { thread, ids } = item.row, k = firstAfter(item.row, at - margin);
      return k < ids.length && thread.start[ids[k]] <= at + margin ? sliceOf(thread, ids[k]) : null;
    }
    /* Returns the moment nearest to the pointer. */
    function momentAt({ time, item }) {
      const near = item && item.moments ? item.moments.filter((moment) => Math.abs(moment.time - time) <= MOMENT / 2 / scale) : [];
      return near.sort((a, b) => Math.abs(a.time - time) - Math.abs(b.time - time))[0] || null;
    }
    function clickHead(y) {
      const head = items.find((item) => item.head && y >= item.y && y < item.y + Math.max(item.height, ROW));
      if (!head) return;
      const set = head.hidden && y - head.y > ROW || (opened.has(head.lane.id) && y - head.y > ROW) ? opened : pins;
      if (set.has(head.lane.id)) set.delete(head.lane.id); else set.add(head.lane.id);
      layout();
      update();
    }
    function click(event) {
      const spot = place(event);
      if (spot.px < gutter) {
        clickHead(spot.y);
        return;
      }
      const slice = sliceAt(spot);
      range = null;
      viewer.missing = null;
      if (slice) {
        const hits = sameName(slice);
        setHits(hits, Math.max(0, hits.findIndex((hit) => hit.thread === slice.thread && hit.id === slice.id)));
        select(hits[viewer.at]);
      } else {
        setHits([], 0);
        select(null);
      }
    }
    function hover(event) {
      const spot = place(event), slice = sliceAt(spot), moment = momentAt(spot), lane = spot.item && spot.item.lane;
      let text = null;
      pointer = spot.px >= gutter ? spot.px : null;
      if (slice) {
        const caption = slice.thread.captions.get(slice.id);
        text = data.full[slice.number] + '\n' + whenText(slice) + (caption && caption.text ? '\n' + caption.text : '');
      } else if (moment) text = moment.name + '\nat ' + timeText(moment.time) + (moment.text ? '\n' + moment.text : '');
      else if (lane && spot.px < gutter) text = lane.name + ' ' + (lane.sub || (lane.thread ? lane.thread.title : '')) + '\nClick to pin';
      else if (lane && lane.path) {
        const part = lane.path.find(({ end }) => end > spot.time);
        if (part && part.start <= spot.time) text = part.text + '\n' + whenText(part);
      } else if (lane && lane.queue) {
        const i = firstAtLeast(lane.queue.times, spot.time + 1);
        text = counted(i ? lane.queue.depths[i - 1] : 0, 'operation', 'operations') + ' launched and not yet started';
      } else if (lane && lane.load) {
        const i = Math.floor(spot.time / data.loadWidth), load = lane.load;
        if (i < load.busy.length) text = 'busy ' + Math.round(load.busy[i] / 2.55) + ' %' + (load.sm ? '\nSM efficiency ' + Math.round(load.sm[i] / 2.55) + ' %' : '');
      }
      if (text) canvas.setAttribute('data-tip', text); else hideTip();
    }
    const KEYS = {
      w: () => zoom(0.7), s: () => zoom(1 / 0.7), '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), a: () => pan(-0.2), d: () => pan(0.2),
      arrowleft: () => { if (viewer.hits.length) go(-1); else pan(-0.2); }, arrowright: () => { if (viewer.hits.length) go(1); else pan(0.2); },
      0: showAll, l: longest, f: follow, c: compareNext, escape: clear
    };
    function key(event) {
      const name = event.key.toLowerCase();
      hideTip();
      if (event.ctrlKey || event.metaKey || event.altKey || !Object.prototype.hasOwnProperty.call(KEYS, name)) return;
      KEYS[name]();
      event.preventDefault();
    }
    function pinch() {
      const at = [...fingers.values()];
      return at.length === 2 ? { size: Math.max(10, Math.abs(at[0] - at[1])), middle: (at[0] + at[1]) / 2 - canvas.getBoundingClientRect().left } : null;
    }
    function down(event) {
      const spot = place(event);
      hideTip();
      if (event.button > 1) return;
      fingers.set(event.pointerId, event.clientX);
      drag = { px: spot.px, time: spot.time, from, to, moves: event.pointerType === 'touch' || event.shiftKey || event.button === 1, moved: false };
      canvas.setPointerCapture(event.pointerId);
    }
    function move(event) {
      const before = pinch(), { px } = place(event);
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, event.clientX);
      const after = pinch();
      if (after) {
        drag.moved = true;
        zoom(before.size / after.size, timeAt(after.middle));
        return;
      }
      if (!drag) { hover(event); return; }
      if (Math.abs(px - drag.px) >= 3) drag.moved = true;
      if (!drag.moved || drag.px < gutter) return;
      if (drag.moves) {
        const by = (drag.px - px) / (width - gutter) * (drag.to - drag.from);
        show(drag.from + by, drag.to + by);
        return;
      }
      const time = timeAt(Math.min(px, width));
      range = [Math.min(drag.time, time), Math.max(drag.time, time)];
      viewer.selected = outlined = viewer.missing = null;
      setHits([], 0);
      update();
    }
    function up(event) {
      const wasTwo = fingers.size > 1;
      fingers.delete(event.pointerId);
      if (drag && !drag.moved) click(event);
      if (wasTwo && fingers.size && drag) Object.assign(drag, { px: [...fingers.values()][0] - canvas.getBoundingClientRect().left, from, to });
      if (!fingers.size) drag = null;
      canvas.focus({ preventScroll: true });
    }
    function repaint() {
      colors = null;
      update();
    }
    canvas.addEventListener('pointerdown', down);
    canvas.addEventListener('pointermove', move);
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', (event) => { fingers.delete(event.pointerId); drag = null; });
    canvas.addEventListener('pointerleave', () => { pointer = null; hideTip(); });
    canvas.addEventListener('wheel', (event) => {
      hideTip();
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        zoom(Math.exp(event.deltaY * 0.002), place(event).time);
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        pan(event.deltaX / width);
      }
    }, { passive: false });
    canvas.addEventListener('keydown', key);
    document.addEventListener('tracepress-theme', repaint);
    const isHere = (section) => !section || section.id.replace(/[a-z_]+$/, '') === card.closest('section').id.replace(/[a-z_]+$/, '');
    document.addEventListener('tracepress-mark', ({ detail }) => {
      if (detail && !isHere(detail.within)) return;
      marks = detail ? marksOf(detail.action) : null;
      if (marks && !marks.length) marks = null;
      update();
    });
    document.addEventListener('tracepress-step', ({ detail }) => {
      const step = steps.filter((other) => other.isUsed)[detail.step];
      if (!step || !isHere(detail.within)) return;
      stopComparing();
      showStep(step);
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
    if (window.ResizeObserver) new ResizeObserver(update).observe(canvas);

    rebuild();
    fillBar();
    if (steps.length > 1 && typical) showStep(typical);
    const initial = [from, to];
    box.append(bar, canvas, panel);
    draw();
    viewer.fill = fillPanel;
    return viewer;
  }

  /* Returns the parts of the time that an action is about, as [start, end] in ns since the first event. */
  function marksOf(item) {
    let end = 0;
    return (item.getAttribute('data-marks') || '').split(';').filter(Boolean).map((part) => {
      const [gap, length] = part.split(',').map((us) => us * 1000), start = end + gap;
      end = start + length;
      return [start, end];
    });
  }
  /* ---- start: a single timeline starts immediately, several start when they come close to the screen ---- */

  async function start(card) {
    const source = card.querySelector('.tldata'), box = card.querySelector('.tl'), drawing = card.querySelector('.tlstatic'), began = performance.now();
    try {
      const data = unpack(await inflate(bytesOf(source.textContent.trim())));
      source.textContent = '';
      box.hidden = false;
      drawing.classList.add('replaced');
      const viewer = makeViewer(card, box, data);
      card.viewer = viewer;
      document.dispatchEvent(new CustomEvent('tracepress-timeline', { detail: viewer }));
      viewer.fill();
      card.setAttribute('data-ready-ms', Math.round(performance.now() - began));
      /* the drawing time is unset when the page is printed */
      if (viewer.drawMilliseconds) card.setAttribute('data-draw-ms', viewer.drawMilliseconds.toFixed(1));
    } catch (error) {
      box.hidden = true;
      drawing.classList.remove('replaced');
      console.warn('timeline: ' + error.message);
    }
  }

  if (typeof DecompressionStream === 'undefined' || !window.IntersectionObserver) return;
  const cards = Array.from(document.querySelectorAll('.timeline')).filter((card) => card.querySelector('.tldata'));
  if (cards.length === 1) {
    setTimeout(() => start(cards[0]), 0);
    return;
  }
  const observer = new IntersectionObserver((entries) => entries.forEach((entry) => {
    if (!entry.isIntersecting) return;
    observer.unobserve(entry.target);
    start(entry.target);
  }), { rootMargin: '800px' });
  cards.forEach((card) => observer.observe(card));
}());
