/* The call tree: zoom by click or Enter, GPU or CPU time, search. Without this script, the page shows the same boxes as
 * a static drawing. */
(function () {
  'use strict';
  var KINDS = ['root', 'phase', 'py', 'op', 'kernel', 'root'],
    PROGRAM_KINDS = ['root', 'phase', 'gpu3', 'gpu3', 'gpu3', 'root', 'gpu', 'gpu2'], DEPTH = 0, KIND = 1, NAME = 2, DEVICE = 3, HOST = 4, BYTES = 5, CALLS = 6;
  var ROW = 20, MIN_WIDTH = 0.12, MIN_FOCUS = 1.6, MAX_ROWS = 60, LETTER = 7.2;
  var SVG = 'http://www.w3.org/2000/svg';

  function make(name, attributes, text) {
    var element = document.createElement(name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function draw(name, attributes) {
    var element = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    return element;
  }
  function timeText(ns) {
    if (ns >= 1e9) return (ns / 1e9).toFixed(2) + ' s';
    if (ns >= 1e6) return (ns / 1e6).toFixed(ns >= 1e7 ? 1 : 2) + ' ms';
    return (ns / 1e3).toFixed(1) + ' µs';
  }
  function bytesText(bytes) {
    var units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'], i = 0;
    for (; bytes >= 1024 && i < 4; i++) bytes /= 1024;
    return bytes.toFixed(i ? 1 : 0) + ' ' + units[i];
  }

  /* Sets parent and children of each call. Calls are in depth-first order. */
  function link(calls) {
    var path = [];
    return calls.map(function (row) {
      var call = { row: row, parent: null, children: [] };
      path.length = row[DEPTH];
      if (row[DEPTH] > 0) {
        call.parent = path[row[DEPTH] - 1];
        call.parent.children.push(call);
      }
      path.push(call);
      return call;
    });
  }

  function Tree(card) {
    var data = JSON.parse(card.querySelector('.treedata').textContent), self = this;
    this.calls = link(data.calls);
    this.root = this.focus = this.calls[0];
    this.metric = data.device ? DEVICE : HOST;
    this.devices = data.devices || 'GPU';
    this.kinds = data.program ? PROGRAM_KINDS : KINDS;
    this.unit = data.samples ? ' sample' : ' call';
    this.untimed = data.untimed;
    this.wanted = '';
    this.svg = card.querySelector('svg.icicle');
    var bar = card.querySelector('.toolrow');
    this.reset = this.button(bar, 'Reset zoom', function () { self.zoom(self.root); });
    if (data.device) {
      this.byDevice = this.button(bar, this.devices + ' time', function () { self.measure(DEVICE); });
      this.byHost = this.button(bar, 'CPU time', function () { self.measure(HOST); });
    }
    var input = make('input', { 'class': 'inp', type: 'search', placeholder: 'Highlight', 'aria-label': 'Highlight in the call tree' });
    input.addEventListener('input', function () {
      self.wanted = input.value.toLowerCase();
      self.draw();
    });
    bar.appendChild(input);
    this.count = make('span', { 'class': 'cnt', 'aria-live': 'polite' });
    bar.appendChild(this.count);
    bar.hidden = false;
    this.svg.addEventListener('click', function (event) {
      var box = event.target.closest('svg[data-call]');
      if (box) self.zoom(self.calls[+box.getAttribute('data-call')]);
    });
    this.svg.addEventListener('keydown', function (event) {
      var box = event.target.closest('svg[data-call]');
      if (event.key === 'Escape') self.zoom(self.root);
      else if (box && (event.key === 'Enter' || event.key === ' ')) self.zoom(self.calls[+box.getAttribute('data-call')]);
      else return;
      event.preventDefault();
    });
    this.measure(this.metric);
  }

  Tree.prototype.button = function (bar, text, act) {
    var button = make('button', { type: 'button' }, text);
    button.addEventListener('click', act);
    bar.appendChild(button);
    return button;
  };

  Tree.prototype.measure = function (metric) {
    this.metric = metric;
    this.focus = this.root;
    if (this.byDevice) {
      this.byDevice.setAttribute('aria-pressed', metric === DEVICE);
      this.byHost.setAttribute('aria-pressed', metric === HOST);
    }
    this.draw();
  };

  Tree.prototype.zoom = function (call) {
    this.focus = call === this.focus && call.parent ? call.parent : call;
    this.draw();
  };

  Tree.prototype.tip = function (row) {
    var all = this.root.row, text = row[NAME] + '\n';
    function share(i) { return all[i] ? ' (' + (100 * row[i] / all[i]).toFixed(1) + ' %)' : ''; }
    if (this.byDevice) text += this.devices + ' ' + timeText(row[DEVICE]) + share(DEVICE) + ' · ';
    if (!this.untimed) text += 'CPU ' + timeText(row[HOST]) + share(HOST) + (row[CALLS] ? ' · ' : '');
    if (row[CALLS]) text += row[CALLS].toLocaleString('en') + (this.unit + (row[CALLS] === 1 ? '' : 's')) + (this.untimed ? share(CALLS) : '');
    if (row[BYTES]) text += ' · ' + bytesText(row[BYTES]) + ' allocated';
    return text;
  };

  Tree.prototype.box = function (call, x, width, depth, isAbove) {
    var row = call.row, isHit = this.wanted && row[NAME].toLowerCase().indexOf(this.wanted) >= 0, index = this.calls.indexOf(call);
    var box = draw('svg', { x: x.toFixed(3) + '%', y: depth * ROW, width: width.toFixed(3) + '%', height: ROW, 'data-call': index, 'data-tip': this.tip(row) });
    if (isHit) this.hits++;
    if (isAbove || (this.wanted && !isHit)) box.setAttribute('class', 'dimmed');
    box.appendChild(draw('rect', { width: '100%', height: ROW - 1, 'class': 'k-' + this.kinds[row[KIND]] }));
    var name = call.parent ? row[NAME] : 'All ' + (this.metric === DEVICE ? this.devices.replace('D', 'd') : 'CPU') + (this.untimed ? ' samples' : ' time');
    var letters = Math.floor((width / 100 * (this.svg.clientWidth || 1280) - 9) / LETTER);
    if (letters > 3 || letters >= name.length) {
      var label = draw('text', { x: 5, y: 14, 'class': 'o-' + this.kinds[row[KIND]] });
      label.textContent = letters >= name.length ? name : name.slice(0, letters - 1) + '…';
      box.appendChild(label);
    }
    if (width > MIN_FOCUS) box.setAttribute('tabindex', '0');
    this.boxes.appendChild(box);
    if (depth >= this.rows) this.rows = depth + 1;
  };

  Tree.prototype.draw = function () {
    var above = [], call = this.focus, metric = this.metric, whole = this.focus.row[metric] || 1, i;
    for (; call.parent; call = call.parent) above.unshift(call.parent);
    this.boxes = document.createDocumentFragment();
    this.rows = this.hits = 0;
    for (i = 0; i < above.length; i++) this.box(above[i], 0, 100, i, true);
    var pending = [{ call: this.focus, x: 0, depth: above.length }];
    while (pending.length) {
      var next = pending.pop(), width = 100 * next.call.row[metric] / whole, x = next.x;
      if (width < MIN_WIDTH || next.depth >= MAX_ROWS) continue;
      this.box(next.call, next.x, width, next.depth, false);
      next.call.children.slice().sort(function (a, b) { return b.row[metric] - a.row[metric]; }).forEach(function (child) {
        pending.push({ call: child, x: x, depth: next.depth + 1 });
        x += 100 * child.row[metric] / whole;
      });
    }
    while (this.svg.firstChild) this.svg.removeChild(this.svg.firstChild);
    this.svg.appendChild(this.boxes);
    this.svg.setAttribute('height', this.rows * ROW);
    this.reset.hidden = this.focus === this.root;
    this.count.textContent = this.wanted ? this.hits + (this.hits === 1 ? ' match' : ' matches') : '';
  };

  /* Replaces the calls by those of a selected span of time. */
  Tree.prototype.replace = function (rows) {
    this.calls = link(rows);
    this.root = this.focus = this.calls[0];
    this.draw();
  };

  Array.prototype.forEach.call(document.querySelectorAll('.calltree'), function (card) {
    try {
      var tree = new Tree(card), whole = tree.calls.map(function (call) { return call.row; });
      card.addEventListener('calls', function (event) { tree.replace(event.detail || whole); });
    } catch (error) {
      console.warn('call tree: ' + error.message);
    }
  });
}());
