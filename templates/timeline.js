/* The timeline viewer: unpacks the slices of a trace (format: templates/README.md) and draws them on a canvas. It has
 * zoom, pan, keys, tooltips and search. Without this file, or without DecompressionStream, the page shows a static
 * drawing. */
(function () {
  'use strict';
  var CLASSES = ['cpu', 'kernel', 'comm', 'memcpy', 'memset', 'runtime', 'data', 'py', 'phase', 'phase'];
  var COLORS = {
    cpu: '--cpu', kernel: '--kernel', comm: '--comm', memcpy: '--memcpy', memset: '--memset', runtime: '--runtime', data: '--data',
    py: '--k-py', phase: '--k-phase'
  };
  var INKS = {
    cpu: '--on-cpu', kernel: '--on-kernel', comm: '--on-comm', memcpy: '--on-memcpy', memset: '--on-memset', runtime: '--on-runtime',
    data: '--on-data', py: '--k-tx', phase: '--k-tx'
  };
  var KINDS = ['operator', 'kernel', 'kernel', 'copy', 'copy', 'call', 'input', 'line', 'range', 'range'];
  var ROW = 15, TITLE = 18, MOMENT = 10, LOAD = 26, TOP = 22, AXIS = 22;
  var MAX_BUCKETS = 32768, MIN_BUCKETS = 512, DIRECT = 4000, FEW_STEPS = 8;

  function make(name, attributes, text) {
    var element = document.createElement(name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /* ---- unpacking ---- */

  function bytesOf(base64) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
    var text = atob(base64), bytes = new Uint8Array(text.length);
    for (var i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  function inflate(bytes) {
    var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer().then(function (buffer) { return new Uint8Array(buffer); });
  }

  /* Returns a function that reads the next LEB128 number at each call. */
  function numbersAt(bytes, at) {
    return function () {
      var byte = bytes[at++], value = byte & 127, scale = 128;
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
    return text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/g, '\ufffd').replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, function (c) { return '\\u' + ('000' + c.charCodeAt(0).toString(16)).slice(-4); });
  }

  function readNames(bytes, sizesAt, bytesAt, classesAt, count) {
    var size = numbersAt(bytes, sizesAt), decoder = new TextDecoder(), names = new Array(count), classes = new Uint8Array(count);
    for (var i = 0; i < count; i++) {
      var length = size();
      names[i] = plain(decoder.decode(bytes.subarray(bytesAt, bytesAt + length)));
      bytesAt += length;
      classes[i] = bytes[classesAt + i];
    }
    return { texts: names, classes: classes };
  }

  /* Reads the texts of slices and moments (instant events). Number 0 means no text. */
  function readTexts(bytes, sizesAt, bytesAt, end) {
    var size = numbersAt(bytes, sizesAt), decoder = new TextDecoder(), texts = [''];
    while (bytesAt < end) {
      var length = size();
      texts.push(plain(decoder.decode(bytes.subarray(bytesAt, bytesAt + length))));
      bytesAt += length;
    }
    return texts;
  }

  /* Reads a caption: a text and its color. The color is a CSS color; null: no color. */
  function readCaption(number, texts) {
    var text = texts[number()], color = number();
    return { text: text, color: color ? '#' + (0x1000000 + color - 1).toString(16).slice(1) : null };
  }

  /* Returns a function that is called for each slice in order, and returns the slice's caption, or null. `count` is the
   * number of slices that have a caption. */
  function captionReader(number, count, texts) {
    var place = 0, next = count ? number() : -1;
    return function () {
      if (place++ !== next) return null;
      var caption = readCaption(number, texts);
      next = --count ? next + number() : -1;
      return caption;
    };
  }

  function readMoments(count, unit, number, names, texts) {
    var moments = [], time = 0;
    for (var i = 0; i < count; i++) {
      time += number();
      var name = names[number()], caption = readCaption(number, texts);
      moments.push({ time: time * unit, name: name, text: caption.text, color: caption.color });
    }
    return moments;
  }

  /* Returns the rows of a lane, one per depth. A row has starts, ends (ns) and names of its slices in order of time. A
   * row also has the captions of some of its slices by index. */
  function readLane(lane, unit, start, duration, name, nextCaption, depths, depthAt, launch, shape) {
    var counts = new Uint32Array(lane.rows), rows = [], i, r;
    for (i = 0; i < lane.slices; i++) counts[depths[depthAt + i]]++;
    for (r = 0; r < lane.rows; r++) {
      rows.push({ start: new Float64Array(counts[r]), end: new Float64Array(counts[r]), name: new Uint32Array(counts[r]), captions: new Map(), cover: null, launch: launch && new Float64Array(counts[r]), shape: shape && new Uint32Array(counts[r]) });
      counts[r] = 0;
    }
    var time = 0;
    for (i = 0; i < lane.slices; i++) {
      r = depths[depthAt + i];
      var row = rows[r], k = counts[r]++;
      time += start();
      row.start[k] = time * unit;
      row.end[k] = (time + duration()) * unit;
      row.name[k] = name();
      var caption = nextCaption(), before = launch ? launch() : 0;
      if (launch) row.launch[k] = before ? (time - before + 1) * unit : -1;
      if (caption) row.captions.set(k, caption);
      if (shape) row.shape[k] = shape();
    }
    return rows;
  }

  function unpack(bytes) {
    var view = new DataView(bytes.buffer, bytes.byteOffset), length = view.getUint32(0, true);
    var header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    var at = [4 + length];
    header.sections.forEach(function (size, i) { at.push(at[i] + size); });
    var names = readNames(bytes, at[4], at[5], at[6], header.sections[6]);
    var start = numbersAt(bytes, at[0]), duration = numbersAt(bytes, at[1]), name = numbersAt(bytes, at[2]);
    var texts = readTexts(bytes, at[9], at[10], at[11]), moment = numbersAt(bytes, at[11]);
    var nextCaption = captionReader(numbersAt(bytes, at[8]), header.captions, texts);
    var depthAt = at[3], coverAt = at[7], loadAt = at[16], unit = header.unit_ns, launch = header.sections[12] ? numbersAt(bytes, at[12]) : null;
    var shape = header.sections[13] ? numbersAt(bytes, at[13]) : null;
    var lanes = header.lanes.map(function (lane) {
      var rows = readLane(lane, unit, start, duration, name, nextCaption, bytes, depthAt, lane.device ? launch : null, lane.device ? null : shape);
      depthAt += lane.slices;
      if (lane.covered) {
        rows.forEach(function (row) {
          var cover = bytes.subarray(coverAt, coverAt + header.cover_buckets);
          row.cover = cover.some(function (share) { return share > 0; }) ? cover : null;
          coverAt += header.cover_buckets;
        });
      }
      var moments = readMoments(lane.moments, unit, moment, names.texts, texts);
      return { title: lane.title, isDevice: lane.device, rank: lane.rank, rows: rows, moments: moments };
    });
    lanes.sort(function (a, b) { return a.rank - b.rank; });
    var gpus = header.gpus.map(function (gpu) {
      var load = { title: gpu.title, busy: bytes.subarray(loadAt, loadAt + header.load_buckets), sm: null };
      loadAt += header.load_buckets;
      if (gpu.sm) {
        load.sm = bytes.subarray(loadAt, loadAt + header.load_buckets);
        loadAt += header.load_buckets;
      }
      return load;
    });
    return {
      names: names.texts, classes: names.classes, shapes: shape && readTexts(bytes, at[14], at[15], at[16]), lanes: lanes, gpus: gpus,
      unit: unit, first: header.first, range: Math.max(1, header.range * unit), end: Math.max(1, header.end * unit, header.range * unit),
      coverWidth: header.cover_width, loadWidth: Math.floor(header.range * unit / header.load_buckets) + 1,
      steps: header.steps.map(function (s) { return { name: s[0], start: s[1] * unit, end: (s[1] + s[2]) * unit }; })
    };
  }

  /* Returns levels of buckets, each of which has half as many buckets as the previous level. A bucket has the share of
   * time and the longest slice. A bucket no wider than a pixel is drawn. Slices are never merged by their number,
   * because idle gaps would then look busy. */
  function pyramid(row, end) {
    var count = MAX_BUCKETS, width = end / count, i, k;
    var share = new Float32Array(count), longest = new Float32Array(count), name = new Uint32Array(count);
    for (i = 0; i < row.start.length; i++) {
      var a = row.start[i], z = Math.max(row.end[i], a + width / 1000);
      for (k = Math.min(count - 1, Math.floor(a / width)); a < z && k < count; k++) {
        var until = Math.min(z, (k + 1) * width), part = until - a;
        share[k] += part / width;
        if (part > longest[k]) { longest[k] = part; name[k] = row.name[i]; }
        a = until;
      }
    }
    var levels = [{ share: share, longest: longest, name: name, width: width }];
    while (count > MIN_BUCKETS) {
      var below = levels[levels.length - 1];
      count /= 2;
      share = new Float32Array(count); longest = new Float32Array(count); name = new Uint32Array(count);
      for (i = 0; i < count; i++) {
        share[i] = (below.share[2 * i] + below.share[2 * i + 1]) / 2;
        k = below.longest[2 * i] >= below.longest[2 * i + 1] ? 2 * i : 2 * i + 1;
        longest[i] = below.longest[k];
        name[i] = below.name[k];
      }
      levels.push({ share: share, longest: longest, name: name, width: below.width * 2 });
    }
    return levels;
  }

  /* Returns the index of the first slice of a row that ends after `time`. */
  function firstAfter(row, time) {
    var low = 0, high = row.end.length;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (row.end[middle] <= time) low = middle + 1; else high = middle;
    }
    return low;
  }

  /* Returns the index of the first moment at or after `time`. */
  function firstMoment(moments, time) {
    var low = 0, high = moments.length;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (moments[middle].time < time) low = middle + 1; else high = middle;
    }
    return low;
  }

  /* luminance returns the relative luminance of "#rrggbb"; contrast compares two luminances. Both follow WCAG 2. */
  function luminance(color) {
    var parts = [1, 3, 5].map(function (at) {
      var part = parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  }

  function contrast(a, b) { return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }

  function stepTitle(step) {
    var name = stepName(step.name);
    name = name.charAt(0).toUpperCase() + name.slice(1);
    return name.length > 24 ? name.slice(0, 23) + '…' : name;
  }

  function stepName(name) { return /^\d/.test(name) ? 'step ' + name : name; }

  function timeText(ns) {
    if (ns >= 1e9) return (ns / 1e9).toFixed(ns >= 1e10 ? 1 : 2) + ' s';
    if (ns >= 1e6) return (ns / 1e6).toFixed(ns >= 1e7 ? 1 : 2) + ' ms';
    if (ns >= 1e3) return (ns / 1e3).toFixed(ns >= 1e5 ? 0 : 1) + ' µs';
    return Math.round(ns) + ' ns';
  }

  /* Returns whether a folded lane shows this row. False for rows that are almost empty, and for
   * rows where one Python frame takes nearly all of the time. */
  function saysSomething(row, data) {
    var last = row.start.length - 1, busy = 0, i;
    var isFrame = last >= 0 && CLASSES[data.classes[row.name[0]]] === 'py';
    if (isFrame && last < 3 && row.end[last] - row.start[0] > 0.9 * data.range) return false;
    for (i = 0; i <= last; i++) busy += row.end[i] - row.start[i];
    if (row.cover) for (i = 0; i < row.cover.length; i++) busy += row.cover[i] / 255 * data.coverWidth;
    return busy > 0.003 * data.range || last > 200;
  }

  /* ---- the viewer ---- */

  function Viewer(box, data) {
    this.data = data;
    this.from = 0;
    this.to = data.range;
    this.found = null; /* numbers of the names that match the search */
    this.canvas = make('canvas', {
      tabindex: '0', role: 'application',
      'aria-label': 'Timeline. Arrow keys move, plus and minus zoom, 0 shows all, Escape ends the search.'
    });
    this.info = make('p', { 'class': 'info', 'aria-live': 'polite' },
      'Drag to move, Ctrl and wheel to zoom, or use the arrow, + and − keys. A double click zooms to a slice, a click on a title unfolds a lane.');
    this.rows = []; /* the rows drawn, from top to bottom: { y, height, lane, row, load, title } */
    data.lanes.forEach(function (lane, i) {
      lane.open = false;
      lane.limit = lane.isDevice ? 4 : i === 0 ? 12 : i < 4 ? 6 : 2;
      lane.folded = lane.rows.filter(function (row) { return saysSomething(row, data); }).slice(0, lane.limit);
      if (!lane.folded.length) lane.folded = lane.rows.slice(0, 1);
    });
    box.appendChild(this.tools());
    box.appendChild(this.canvas);
    box.appendChild(this.info);
    this.layout();
    this.listen();
  }

  Viewer.prototype.tools = function () {
    var self = this, bar = make('div', { 'class': 'toolrow' });
    function button(text, label, act) {
      var element = make('button', { type: 'button', 'aria-label': label }, text);
      element.addEventListener('click', act);
      bar.appendChild(element);
    }
    button('−', 'Zoom out', function () { self.zoom(2, 0.5); });
    button('+', 'Zoom in', function () { self.zoom(0.5, 0.5); });
    button('All', 'All of the trace', function () { self.show(0, self.data.range); });
    this.data.steps.slice(0, FEW_STEPS).forEach(function (step) {
      var name = stepTitle(step);
      button(name, 'Zoom to ' + name, function () { self.showStep(step); });
    });
    if (this.data.steps.length > FEW_STEPS) bar.appendChild(this.stepList());
    var input = this.search = make('input', { 'class': 'inp', type: 'search', placeholder: 'Highlight', 'aria-label': 'Highlight in the timeline' });
    input.addEventListener('input', function () { self.find(input.value.toLowerCase()); });
    bar.appendChild(input);
    return bar;
  };

  /* Makes a list of all steps if there are more steps than buttons. */
  Viewer.prototype.stepList = function () {
    var self = this, list = make('select', { 'class': 'inp', 'aria-label': 'Zoom to a step' });
    list.appendChild(make('option', { value: '' }, this.data.steps.length + ' steps'));
    this.data.steps.forEach(function (step, i) { list.appendChild(make('option', { value: i }, stepTitle(step))); });
    list.addEventListener('change', function () { if (list.value) self.showStep(self.data.steps[+list.value]); });
    return list;
  };

  Viewer.prototype.showStep = function (step) {
    var margin = (step.end - step.start) * 0.02;
    this.show(step.start - margin, step.end + margin);
  };

  /* ---- the selected item, which is one of all items with its name ---- */

  Viewer.prototype.kindOf = function (name) { return KINDS[this.data.classes[name]]; };

  /* Returns the slices whose name is among `numbers`. If `near` is given, they must begin at this time. */
  Viewer.prototype.slices = function (numbers, near) {
    var hits = [], self = this;
    this.data.lanes.forEach(function (lane) {
      lane.rows.forEach(function (row) {
        var i = near === undefined ? 0 : firstAfter(row, near - self.data.unit), end = row.start.length;
        for (; i < end && (near === undefined || row.start[i] <= near + self.data.unit); i++) {
          if (near !== undefined && row.start[i] < near - 1.5 * self.data.unit) continue;
          if (numbers[row.name[i]]) hits.push({ lane: lane, row: row, i: i, start: row.start[i], end: row.end[i] });
        }
      });
    });
    return hits.sort(function (a, b) { return a.start - b.start || b.end - a.end; });
  };

  Viewer.prototype.numbersOf = function (isWanted) {
    return this.data.names.map(function (name, i) { return i > 0 && isWanted(name); });
  };

  /* Selects the item that the address names: steps and slices by name, evidence by its start time. */
  Viewer.prototype.select = function (state) {
    var name = state.name, from = state.from, hits, best = 0;
    if (!state.kind) {
      this.selected = null;
      this.show(from, state.to > from ? state.to : from + this.data.range / 100);
      return;
    }
    if (state.kind === 'step') {
      hits = this.data.steps.filter(function (step) { return step.name === name || stepName(step.name) === name; });
    } else if (state.kind === 'event') {
      from += this.data.first;
      hits = this.slices(this.numbersOf(function (other) { return other.indexOf(name.replace(/…$/, '')) >= 0; }), from);
    } else {
      hits = this.slices(this.numbersOf(function (other) {
        other = other.replace(/\s+/g, ' ').trim();
        return state.names.some(function (wanted) {
          return other === wanted || (wanted.slice(-1) === '…' && other.indexOf(wanted.slice(0, -1)) === 0);
        });
      }));
    }
    if (state.to > from) from = (from + state.to) / 2;
    hits.forEach(function (hit, i) { if (from >= 0 && Math.abs(hit.start - from) < Math.abs(hits[best].start - from)) best = i; });
    this.hits = hits;
    this.at = best;
    if (hits.length) this.choose(hits[best], state.to > 0 ? state : null);
    else if (from >= 0) this.show(from - this.data.range / 200, from + this.data.range / 200);
    if (!hits.length) this.selected = this.outlined = null;
  };

  Viewer.prototype.between = function () { return timeText(this.from) + ' to ' + timeText(this.to); };

  /* Returns up to four names with the longest device time in the visible part. */
  Viewer.prototype.busiest = function () {
    var self = this, sums = [], most;
    this.data.lanes.forEach(function (lane) {
      if (!lane.isDevice) return;
      lane.rows.forEach(function (row) {
        for (var i = firstAfter(row, self.from); i < row.start.length && row.start[i] < self.to; i++) {
          var sum = sums[row.name[i]] = sums[row.name[i]] || { ns: 0, count: 0, start: row.start[i], number: row.name[i] };
          sum.ns += Math.min(row.end[i], self.to) - Math.max(row.start[i], self.from);
          sum.count++;
        }
      });
    });
    most = Object.keys(sums).map(function (number) { return sums[number]; }).sort(function (a, b) { return b.ns - a.ns; });
    return most.slice(0, 4).map(function (sum) {
      return { name: self.data.names[sum.number], kind: self.kindOf(sum.number), start: sum.start, words: timeText(sum.ns) + (sum.count > 1 ? ' in ' + sum.count + ' calls' : '') };
    });
  };

  /* Selects a step or slice and makes it visible. `range` is the range to show. */
  Viewer.prototype.choose = function (hit, range) {
    var margin, name = hit.row ? this.data.names[hit.row.name[hit.i]] : stepTitle(hit);
    this.selected = {
      name: name, kind: hit.row ? this.kindOf(hit.row.name[hit.i]) : 'step', start: hit.start, end: hit.end, count: this.hits.length,
      text: this.words(hit), caption: hit.row && hit.row.captions.has(hit.i) ? hit.row.captions.get(hit.i).text : '', parents: hit.row ? this.parentsOf(hit) : []
    };
    this.outlined = hit.row ? hit : null;
    this.selected.launch = hit.row ? this.launchOf(hit) : null;
    this.selected.shapes = hit.row ? this.shapesOf(hit) || this.selected.launch && this.shapesOf(this.selected.launch) : null;
    this.selected.launched = hit.row && !hit.row.launch ? this.launchedBy(hit) : [];
    hit.partners = this.selected.launch ? [this.selected.launch] : this.selected.launched;
    if (hit.lane && hit.lane.folded.indexOf(hit.row) < 0 && !hit.lane.open) {
      hit.lane.open = true;
      this.layout();
    }
    if (range) this.show(range.from, range.to);
    else if (!hit.row) this.showStep(hit);
    else if (hit.start < this.from || hit.end > this.to || (hit.end - hit.start) * this.scale < 12) {
      margin = Math.max((hit.end - hit.start) * 5, 20 * this.data.unit);
      this.show(hit.start - margin, hit.end + margin);
    } else this.draw();
  };

  /* Scrolls the page to the row of the selected item, or to all rows. */
  Viewer.prototype.scroll = function () {
    var top = this.canvas.getBoundingClientRect().top + scrollY, hit = this.outlined;
    this.rows.forEach(function (item) { if (hit && item.row === hit.row) top += item.y - innerHeight / 3; });
    scrollTo({ top: hit ? top : top - 120, behavior: 'instant' });
  };

  Viewer.prototype.go = function (by) {
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.choose(this.hits[this.at], null);
    if (this.onselect) this.onselect(this.selected);
  };

  Viewer.prototype.words = function (hit) {
    var all = 0, words = [];
    this.hits.forEach(function (other) { all += other.end - other.start; });
    words.push(timeText(hit.end - hit.start) + ' at ' + timeText(hit.start));
    if (hit.lane) {
      words.push(hit.lane.title);
      this.data.steps.forEach(function (step) { if (step.start <= hit.start && hit.start < step.end) words.push(stepName(step.name)); });
    }
    if (this.hits.length > 1) words.push((this.at + 1) + ' of ' + this.hits.length.toLocaleString('en') + (hit.lane ? ', ' + timeText(all) + ' in all' : ''));
    return words.join(' · ');
  };

  /* Returns the slices around a slice, outermost first. */
  Viewer.prototype.parentsOf = function (hit) {
    var parents = [], self = this;
    hit.lane.rows.some(function (row) {
      if (row === hit.row) return true;
      var i = firstAfter(row, hit.start);
      if (i < row.start.length && row.start[i] <= hit.start && row.end[i] >= hit.end)
        parents.push({ name: self.data.names[row.name[i]], kind: self.kindOf(row.name[i]), start: row.start[i] });
      return false;
    });
    return parents.slice(-6);
  };

  /* Returns the shapes of the innermost call around a host slice that has shapes, with the name of this call. Returns
   * null if no call has any. */
  Viewer.prototype.shapesOf = function (hit) {
    var data = this.data, found = null;
    if (!data.shapes || hit.lane.isDevice) return null;
    hit.lane.rows.some(function (row) {
      var i = row === hit.row ? hit.i : firstAfter(row, hit.start);
      if (i < row.start.length && row.start[i] <= hit.start && row.end[i] >= hit.end && row.shape[i])
        found = { text: data.shapes[row.shape[i]], of: row === hit.row ? '' : data.names[row.name[i]] };
      return row === hit.row;
    });
    return found;
  };

  /* Returns a slice in the form that walk.js uses. */
  Viewer.prototype.named = function (lane, row, i) {
    return { lane: lane, row: row, i: i, name: this.data.names[row.name[i]], kind: this.kindOf(row.name[i]), start: row.start[i], end: row.end[i] };
  };

  /* Returns the call that launched a slice of a device: the innermost call that begins at the recorded time. Returns
   * null if it is not in the timeline. */
  Viewer.prototype.launchOf = function (hit) {
    var at = hit.row.launch ? hit.row.launch[hit.i] : -1, self = this, found = null;
    if (at < 0) return null;
    this.data.lanes.forEach(function (lane) {
      if (lane.isDevice) return;
      lane.rows.forEach(function (row) {
        for (var i = firstAfter(row, at); i < row.start.length && row.start[i] <= at + self.data.unit / 2; i++)
          if (Math.abs(row.start[i] - at) <= self.data.unit / 2 && CLASSES[self.data.classes[row.name[i]]] === 'runtime') found = self.named(lane, row, i);
      });
    });
    return found;
  };

  /* Returns the first slices that a call launched. */
  Viewer.prototype.launchedBy = function (hit) {
    var self = this, found = [];
    if (CLASSES[this.data.classes[hit.row.name[hit.i]]] !== 'runtime') return found;
    this.data.lanes.forEach(function (lane) {
      lane.rows.forEach(function (row) {
        for (var i = row.launch ? firstAfter(row, hit.start) : row.start.length; i < row.start.length && found.length < 8; i++)
          if (Math.abs(row.launch[i] - hit.start) <= self.data.unit / 2) found.push(self.named(lane, row, i));
      });
    });
    return found;
  };

  /* Draws lines from calls to the slices that they launched. */
  Viewer.prototype.drawLaunches = function () {
    var hit = this.outlined, self = this, middle = new Map(), context = this.context;
    if (!hit || !hit.partners.length) return;
    this.rows.forEach(function (item) { if (item.row) middle.set(item.row, item.y + item.height / 2); });
    context.globalAlpha = 0.8;
    context.strokeStyle = this.color.text;
    context.lineWidth = 1.5;
    hit.partners.forEach(function (other) {
      var from = hit.row.launch ? other : hit, to = hit.row.launch ? hit : other;
      if (!middle.has(from.row) || !middle.has(to.row)) return;
      var x = self.x(from.start), y = middle.get(from.row), z = self.x(to.start), end = middle.get(to.row);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(z, end);
      context.lineTo(z - 6, end - 3);
      context.moveTo(z, end);
      context.lineTo(z - 6, end + 3);
      context.stroke();
    });
    context.globalAlpha = 1;
  };

  Viewer.prototype.outline = function (item) {
    var hit = this.outlined, x, width;
    if (!hit || item.row !== hit.row) return;
    x = this.x(hit.start);
    width = Math.max(3, (hit.end - hit.start) * this.scale);
    this.context.globalAlpha = 1;
    this.context.strokeStyle = this.color.text;
    this.context.lineWidth = 2;
    this.context.strokeRect(x - 1, item.y - 1, width + 1, item.height + 2);
    this.fillNow = -1;
  };

  Viewer.prototype.find = function (wanted) {
    if (!wanted) {
      this.found = null;
      this.info.textContent = '';
    } else {
      var found = new Uint8Array(this.data.names.length), count = 0;
      this.data.names.forEach(function (name, i) {
        if (name.toLowerCase().indexOf(wanted) >= 0) { found[i] = 1; count++; }
      });
      this.found = found;
      this.info.textContent = count === 1 ? '1 name matches' : count + ' names match';
    }
    this.draw();
  };

  Viewer.prototype.layout = function () {
    var y = TOP, rows = [];
    this.data.lanes.forEach(function (lane) {
      if (!lane.rows.length && !lane.moments.length) return;
      var shown = lane.open ? lane.rows : lane.folded, hidden = lane.rows.length - shown.length;
      var more = hidden ? '  (+ ' + hidden + (hidden === 1 ? ' row)' : ' rows)') : '';
      rows.push({ y: y, height: TITLE, lane: lane, title: lane.title + more });
      y += TITLE;
      if (lane.moments.length) {
        rows.push({ y: y, height: MOMENT, lane: lane, moments: lane.moments });
        y += MOMENT + 2;
      }
      shown.forEach(function (row) {
        rows.push({ y: y, height: ROW - 2, lane: lane, row: row });
        y += ROW;
      });
      y += 4;
    });
    this.data.gpus.forEach(function (gpu) {
      rows.push({ y: y, height: TITLE, title: gpu.title + ' busy' + (gpu.sm ? '; line: estimated SM efficiency' : '') });
      y += TITLE;
      rows.push({ y: y, height: LOAD, load: gpu });
      y += LOAD + 4;
    });
    this.rows = rows;
    this.height = y + AXIS;
  };

  Viewer.prototype.show = function (from, to) {
    var width = Math.max(20, Math.min(this.data.end, to - from));
    from = Math.max(0, Math.min(this.data.end - width, from));
    this.from = from;
    this.to = from + width;
    this.draw();
    if (this.onview) this.onview();
  };

  Viewer.prototype.zoom = function (factor, at) {
    var width = this.to - this.from, center = this.from + width * at, wanted = width * factor;
    this.show(center - wanted * at, center - wanted * at + wanted);
  };

  Viewer.prototype.pan = function (part) {
    var move = (this.to - this.from) * part;
    this.show(this.from + move, this.to + move);
  };

  /* ---- drawing ---- */

  Viewer.prototype.prepare = function () {
    var canvas = this.canvas, ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
    if (!width) return false;
    ratio = Math.min(ratio, 16000 / this.height);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(this.height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(this.height * ratio);
      canvas.style.height = this.height + 'px';
    }
    var style = getComputedStyle(document.documentElement), read = function (name) { return style.getPropertyValue(name).trim(); };
    this.fill = CLASSES.map(function (c) { return read(COLORS[c]); });
    this.ink = CLASSES.map(function (c) { return read(INKS[c]); });
    this.color = { text: read('--fg'), muted: read('--mut'), line: read('--line'), band: read('--band'), mark: read('--runtime'), busy: read('--kernel') };
    this.paper = luminance(/^#[0-9a-f]{6}$/i.test(read('--card')) ? read('--card') : '#ffffff');
    this.width = width;
    this.scale = width / (this.to - this.from);
    var context = this.context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, this.height);
    context.font = '11px ' + getComputedStyle(document.body).fontFamily;
    context.textBaseline = 'middle';
    return true;
  };

  Viewer.prototype.x = function (time) { return (time - this.from) * this.scale; };

  Viewer.prototype.drawSteps = function () {
    var context = this.context, self = this;
    context.textAlign = 'center';
    this.data.steps.forEach(function (step, i) {
      var a = Math.max(0, self.x(step.start)), z = Math.min(self.width, self.x(step.end));
      if (z - a < 3) return;
      if (i % 2) {
        context.fillStyle = self.color.band;
        context.fillRect(a, 0, z - a, self.height - AXIS);
      }
      context.fillStyle = self.color.muted;
      if (z - a > 46) context.fillText(stepName(step.name).slice(0, (z - a) / 6), (a + z) / 2, 9);
    });
    context.textAlign = 'left';
  };

  Viewer.prototype.drawAxis = function () {
    var context = this.context, raw = (this.to - this.from) * 96 / this.width, power = Math.pow(10, Math.floor(Math.log10(raw)));
    var step = raw / power > 5 ? 10 * power : raw / power > 2 ? 5 * power : raw / power > 1 ? 2 * power : power;
    var unit = this.to >= 1e9 && step >= 1e7 ? [1e9, ' s'] : step >= 1e4 ? [1e6, ' ms'] : [1e3, ' µs'];
    var digits = Math.max(0, Math.min(3, -Math.floor(Math.log10(step / unit[0]) + 1e-9)));
    context.textAlign = 'center';
    for (var i = Math.ceil(this.from / step), end = Math.floor(this.to / step); i <= end; i++) {
      var x = this.x(i * step);
      context.fillStyle = this.color.line;
      context.fillRect(Math.round(x), 18, 1, this.height - AXIS - 18);
      context.fillStyle = this.color.muted;
      if (x > 24 && x < this.width - 30) context.fillText((i * step / unit[0]).toFixed(digits) + unit[1], x, this.height - AXIS / 2);
    }
    context.textAlign = 'left';
  };

  Viewer.prototype.label = function (text, x, width, y, ink) {
    var from = Math.max(x, 0), to = Math.min(x + width, this.width), context = this.context, room = to - from - 7;
    if (room < 27) return;
    context.save();
    context.beginPath();
    context.rect(from, y, to - from - 3, ROW);
    context.clip();
    context.fillStyle = ink;
    context.fillText(text.length > room / 3 ? text.slice(0, Math.ceil(room / 3)) : text, from + 4, y + 7);
    context.restore();
  };

  Viewer.prototype.box = function (name, x, width, y, height, alpha) {
    var context = this.context, kind = this.data.classes[name];
    if (this.found && !this.found[name]) alpha *= 0.18;
    if (context.globalAlpha !== alpha) context.globalAlpha = alpha;
    if (this.fillNow !== kind) {
      this.fillNow = kind;
      context.fillStyle = this.fill[kind];
    }
    context.fillRect(x, y, width, height);
  };

  Viewer.prototype.finish = function (name, x, width, y, ink) {
    if (width <= 34 || (this.found && !this.found[name])) return;
    this.context.globalAlpha = 1;
    this.label(this.data.names[name], x, width, y, ink || this.ink[this.data.classes[name]]);
    this.fillNow = -1;
  };

  /* Draws a slice in the color that the program gave. The text is black or white, whichever is more readable. If the
   * color is close to that of the page, the slice gets an edge. */
  Viewer.prototype.paint = function (name, color, x, width, y, height) {
    var context = this.context, light = luminance(color);
    this.box(name, x, width, y, height, 1);
    context.fillStyle = color;
    context.fillRect(x, y, width, height);
    if (contrast(light, this.paper) < 1.6 && width > 2) {
      context.strokeStyle = this.color.muted;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    }
    this.fillNow = -1;
    this.finish(name, x, width, y, contrast(light, 0) > contrast(light, 1) ? '#000000' : '#ffffff');
  };

  /* Draws moments as small diamonds above the rows of their lane. */
  Viewer.prototype.drawMoments = function (moments, y) {
    var context = this.context, half = MOMENT / 2 - 1, middle = y + MOMENT / 2, last = -MOMENT;
    this.fillNow = -1;
    for (var i = firstMoment(moments, this.from); i < moments.length && moments[i].time <= this.to; i++) {
      var moment = moments[i], x = this.x(moment.time), isNear = x - last < 1;
      if (isNear && !moment.color) continue;
      last = x;
      context.globalAlpha = 1;
      context.fillStyle = moment.color || this.color.text;
      context.beginPath();
      context.moveTo(x, middle - half);
      context.lineTo(x + half, middle);
      context.lineTo(x, middle + half);
      context.lineTo(x - half, middle);
      context.closePath();
      context.fill();
    }
  };

  Viewer.prototype.drawBuckets = function (level, y, height) {
    var share = level.share, name = level.name, last = Math.min(share.length - 1, Math.ceil(this.to / level.width));
    for (var i = Math.max(0, Math.floor(this.from / level.width)); i <= last; i++) {
      if (share[i] < 0.002) continue;
      var first = i;
      if (share[i] > 0.985) while (i < last && share[i + 1] > 0.985 && name[i + 1] === name[first]) i++;
      var x = this.x(first * level.width), width = (i + 1 - first) * level.width * this.scale;
      this.box(name[first], x, Math.max(width, 0.6), y, height, Math.min(1, 0.18 + 0.82 * share[first]));
      this.finish(name[first], x, width, y);
    }
  };

  Viewer.prototype.drawCover = function (cover, y, height) {
    var context = this.context, width = this.data.coverWidth, last = Math.min(cover.length - 1, Math.floor(this.to / width));
    context.fillStyle = this.fill[0];
    this.fillNow = -1;
    for (var i = Math.max(0, Math.floor(this.from / width)); i <= last; i++) {
      if (!cover[i]) continue;
      context.globalAlpha = (0.12 + 0.5 * cover[i] / 255) * (this.found ? 0.3 : 1);
      context.fillRect(this.x(i * width), y, Math.max(0.6, width * this.scale), height);
    }
    context.globalAlpha = 1;
  };

  Viewer.prototype.drawRow = function (row, y, height) {
    if (row.cover) this.drawCover(row.cover, y, height);
    var first = firstAfter(row, this.from), level = null;
    if (row.start.length - first > DIRECT) {
      if (!row.pyramid) row.pyramid = pyramid(row, this.data.end);
      for (var i = 0; i < row.pyramid.length; i++) if (row.pyramid[i].width * this.scale <= 1) level = row.pyramid[i];
    }
    if (level) {
      this.drawBuckets(level, y, height);
      return;
    }
    for (; first < row.start.length && row.start[first] < this.to; first++) {
      var x = this.x(row.start[first]), width = (row.end[first] - row.start[first]) * this.scale;
      var drawn = Math.max(width - (width > 3 ? 0.8 : 0), 0.7), caption = row.captions.get(first);
      if (caption && caption.color) {
        this.paint(row.name[first], caption.color, x, drawn, y, height);
        continue;
      }
      this.box(row.name[first], x, drawn, y, height, 1);
      this.finish(row.name[first], x, width, y);
    }
  };

  /* Returns the means of `load` over groups of buckets that are at least a pixel wide: [start of group, mean ..]. */
  Viewer.prototype.loadMeans = function (load, group) {
    var step = this.data.loadWidth, last = Math.min(load.length - 1, Math.floor(this.to / step)), means = [];
    for (var i = Math.floor(Math.max(0, Math.floor(this.from / step)) / group) * group; i <= last; i += group) {
      var sum = 0, end = Math.min(load.length, i + group);
      for (var k = i; k < end; k++) sum += load[k];
      means.push([i * step, sum / (end - i) / 255]);
    }
    return means;
  };

  Viewer.prototype.drawLoad = function (gpu, y) {
    var context = this.context, self = this, group = Math.max(1, Math.ceil(1 / (this.data.loadWidth * this.scale)));
    var width = this.data.loadWidth * group * this.scale, busy = this.loadMeans(gpu.busy, group), wasBusy = false;
    context.globalAlpha = 1;
    context.fillStyle = this.color.busy;
    this.fillNow = -1;
    busy.forEach(function (mean) {
      if (mean[1]) context.fillRect(self.x(mean[0]), y + LOAD * (1 - mean[1]), width + 0.3, LOAD * mean[1]);
    });
    if (!gpu.sm) return;
    context.strokeStyle = this.color.mark;
    context.lineWidth = 1;
    context.beginPath();
    this.loadMeans(gpu.sm, group).forEach(function (mean, i) {
      var x = self.x(mean[0]), level = y + LOAD * (1 - mean[1]);
      if (wasBusy) context.lineTo(x, level); else context.moveTo(x, level);
      wasBusy = busy[i][1] > 0;
      if (wasBusy) context.lineTo(x + width, level);
    });
    context.stroke();
  };

  Viewer.prototype.draw = function () {
    if (!this.prepare()) return;
    var began = performance.now(), context = this.context, self = this;
    this.drawSteps();
    this.drawAxis();
    this.fillNow = -1;
    this.rows.forEach(function (item) {
      if (item.title !== undefined) {
        context.globalAlpha = 1;
        context.fillStyle = self.color.muted;
        self.fillNow = -1;
        context.fillText(item.title, 4, item.y + TITLE / 2);
      } else if (item.moments) {
        self.drawMoments(item.moments, item.y);
      } else if (item.load) {
        self.drawLoad(item.load, item.y);
      } else {
        self.drawRow(item.row, item.y, item.height);
        self.outline(item);
      }
    });
    this.drawLaunches();
    context.globalAlpha = 1;
    this.drawMilliseconds = performance.now() - began;
  };

  /* ---- pointer and keys ---- */

  Viewer.prototype.itemAt = function (event) {
    var box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    var found = this.rows.filter(function (item) { return y >= item.y && y < item.y + item.height; })[0];
    return found ? { item: found, time: this.from + x / this.width * (this.to - this.from) } : null;
  };

  Viewer.prototype.sliceAt = function (event) {
    var hit = this.itemAt(event);
    if (!hit || !hit.item.row) return null;
    var row = hit.item.row, caption, margin = 1.5 / this.width * (this.to - this.from), i = firstAfter(row, hit.time - margin);
    if (i >= row.start.length || row.start[i] > hit.time + margin) return null;
    caption = row.captions.get(i);
    return { name: this.data.names[row.name[i]], start: row.start[i], end: row.end[i], text: caption ? caption.text : '', lane: hit.item.lane, row: row, i: i };
  };

  /* Returns the moment nearest to the pointer, as a slice without length. */
  Viewer.prototype.momentAt = function (event) {
    var hit = this.itemAt(event), reach = MOMENT / 2 / this.width * (this.to - this.from);
    if (!hit || !hit.item.moments) return null;
    var moments = hit.item.moments, i = firstMoment(moments, hit.time), best = null;
    [moments[i - 1], moments[i]].forEach(function (moment) {
      if (!moment || Math.abs(moment.time - hit.time) > reach) return;
      if (!best || Math.abs(moment.time - hit.time) < Math.abs(best.time - hit.time)) best = moment;
    });
    return best && { name: best.name, start: best.time, end: best.time, isMoment: true, text: best.text };
  };

  function sliceText(slice) { return (slice.isMoment ? '' : timeText(slice.end - slice.start) + ' ') + 'at ' + timeText(slice.start); }

  Viewer.prototype.click = function (event) {
    var hit = this.itemAt(event), slice = this.sliceAt(event) || this.momentAt(event);
    if (slice && slice.row && this.onselect) {
      var number = slice.row.name[slice.i], numbers = [];
      numbers[number] = true;
      this.hits = this.slices(numbers);
      this.hits.forEach(function (other, i) { if (other.row === slice.row && other.i === slice.i) this.at = i; }, this);
      this.choose(this.hits[this.at], this);
      this.onselect(this.selected);
    } else if (slice) {
      this.info.textContent = '';
      this.info.appendChild(make('b', {}, slice.name));
      this.info.appendChild(document.createTextNode('  ' + sliceText(slice)));
      if (slice.text) this.info.appendChild(make('span', { 'class': 'caption' }, slice.text));
    } else if (hit && hit.item.title !== undefined && hit.item.lane) {
      hit.item.lane.open = !hit.item.lane.open;
      this.layout();
      this.draw();
    }
  };

  Viewer.prototype.hover = function (event) {
    var slice = this.sliceAt(event) || this.momentAt(event), hit = slice ? null : this.itemAt(event), text = null;
    if (slice) {
      text = slice.name + '\n' + sliceText(slice) + (slice.text ? '\n' + slice.text : '');
    } else if (hit && hit.item.load) {
      var i = Math.floor(hit.time / this.data.loadWidth), load = hit.item.load;
      if (i < load.busy.length) text = 'busy ' + Math.round(load.busy[i] / 2.55) + ' %' + (load.sm ? '\nSM efficiency ' + Math.round(load.sm[i] / 2.55) + ' %' : '');
    }
    if (text) this.canvas.setAttribute('data-tip', text); else this.canvas.removeAttribute('data-tip');
  };

  Viewer.prototype.key = function (event) {
    var self = this, acts = {
      ArrowLeft: function () { self.pan(-0.2); }, a: function () { self.pan(-0.2); },
      ArrowRight: function () { self.pan(0.2); }, d: function () { self.pan(0.2); },
      '+': function () { self.zoom(0.5, 0.5); }, '=': function () { self.zoom(0.5, 0.5); }, w: function () { self.zoom(0.5, 0.5); },
      '-': function () { self.zoom(2, 0.5); }, s: function () { self.zoom(2, 0.5); },
      0: function () { self.show(0, self.data.range); }, Home: function () { self.show(0, self.to - self.from); },
      End: function () { self.show(self.data.end, self.data.end + self.to - self.from); },
      Escape: function () { self.search.value = ''; self.find(''); }
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.prototype.hasOwnProperty.call(acts, event.key)) return;
    acts[event.key]();
    event.preventDefault();
  };

  Viewer.prototype.listen = function () {
    var self = this, canvas = this.canvas, drag = null, fingers = {};
    function span() {
      var at = Object.keys(fingers).map(function (id) { return fingers[id]; });
      return at.length === 2 ? { width: Math.max(10, Math.abs(at[0] - at[1])), middle: (at[0] + at[1]) / 2 - canvas.getBoundingClientRect().left } : null;
    }
    canvas.addEventListener('pointerdown', function (event) {
      fingers[event.pointerId] = event.clientX;
      drag = { x: event.clientX, from: self.from, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointerup', function (event) {
      delete fingers[event.pointerId];
      if (drag && !drag.moved) self.click(event);
      drag = null;
    });
    canvas.addEventListener('pointercancel', function (event) { delete fingers[event.pointerId]; drag = null; });
    canvas.addEventListener('pointermove', function (event) {
      var before = span(), after;
      if (fingers[event.pointerId] !== undefined) fingers[event.pointerId] = event.clientX;
      after = span();
      if (after) {
        if (drag) drag.moved = true;
        self.zoom(before.width / after.width, after.middle / self.width);
        return;
      }
      if (!drag) { self.hover(event); return; }
      canvas.removeAttribute('data-tip');
      if (Math.abs(event.clientX - drag.x) >= 3) drag.moved = true;
      if (!drag.moved) return;
      var width = self.to - self.from, from = drag.from - (event.clientX - drag.x) / self.width * width;
      self.show(from, from + width);
    });
    canvas.addEventListener('dblclick', function (event) {
      var slice = self.sliceAt(event), margin = slice ? (slice.end - slice.start) * 0.1 + 10 : 0;
      if (slice) self.show(slice.start - margin, slice.end + margin);
    });
    canvas.addEventListener('wheel', function (event) {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        self.zoom(Math.exp(event.deltaY * 0.004), (event.clientX - canvas.getBoundingClientRect().left) / self.width);
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        self.pan(event.deltaX / self.width);
      }
    }, { passive: false });
    canvas.addEventListener('keydown', function (event) { self.key(event); });
    document.addEventListener('tracepress-theme', function () { self.draw(); });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', function () { self.draw(); });
    if (window.ResizeObserver) new ResizeObserver(function () { self.draw(); }).observe(canvas);
  };

  /* ---- start: a single timeline starts immediately, several start when they come close to the screen ---- */

  function start(card) {
    var source = card.querySelector('.tldata'), box = card.querySelector('.tl'), drawing = card.querySelector('.tlstatic');
    var began = performance.now(), bytes = bytesOf(source.textContent.trim());
    inflate(bytes).then(function (all) {
      source.textContent = '';
      box.hidden = false;
      drawing.classList.add('replaced');
      var viewer = new Viewer(box, unpack(all));
      viewer.card = card;
      viewer.draw();
      document.dispatchEvent(new CustomEvent('tracepress-timeline', { detail: viewer }));
      card.setAttribute('data-ready-ms', Math.round(performance.now() - began));
      /* the measured drawing time is unset when the page is printed */
      if (viewer.drawMilliseconds) card.setAttribute('data-draw-ms', viewer.drawMilliseconds.toFixed(1));
    }).catch(function (error) {
      box.hidden = true;
      drawing.classList.remove('replaced');
      console.warn('timeline: ' + error.message);
    });
  }

  if (typeof DecompressionStream === 'undefined' || !window.IntersectionObserver) return;
  var cards = Array.prototype.filter.call(document.querySelectorAll('.timeline'), function (card) { return card.querySelector('.tldata'); });
  if (cards.length === 1) {
    setTimeout(function () { start(cards[0]); }, 0);
    return;
  }
  var observer = new IntersectionObserver(function (entries) {
    entries.forEach(function (entry) {
      if (!entry.isIntersecting) return;
      observer.unobserve(entry.target);
      start(entry.target);
    });
  }, { rootMargin: '800px' });
  cards.forEach(function (card) { observer.observe(card); });
}());
