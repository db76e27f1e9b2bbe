/* The page of a program recorded from outside. The reader selects a span of time in the lanes of the threads. Flame
 * graph, functions and waits then show this span. */
(function () {
  'use strict';
  var HINT = 'Drag in the lanes to see the functions and waits of a time.';
  var PARENT = 0, LABEL = 1, KIND = 2, ITEM = 0, BIN = 1, NS = 2, COUNT = 3, ROOT = 0, SHOWN = 60;

  var AXIS = 22;

  function make(name, attributes, text) {
    var element = document.createElement(name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function timeText(ns) {
    if (ns >= 1e9) return (ns / 1e9).toFixed(2) + ' s';
    if (ns >= 1e6) return (ns / 1e6).toFixed(ns >= 1e7 ? 1 : 2) + ' ms';
    return (ns / 1e3).toFixed(1) + ' µs';
  }
  function milliseconds(ns) { return (ns / 1e6).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 }); }
  function percent(part, whole) { return (whole ? 100 * part / whole : 0).toFixed(1); }

  function Program(card, prefix) {
    var self = this;
    this.data = JSON.parse(card.querySelector('.spandata').textContent);
    this.prefix = prefix;
    this.lane = card.querySelector('svg');
    this.mark = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    this.mark.setAttribute('class', 'chosen');
    this.lane.appendChild(this.mark);
    var bar = card.querySelector('.toolrow');
    this.from = this.input(bar, 'From');
    this.to = this.input(bar, 'to');
    this.reset = make('button', { type: 'button', hidden: '' }, 'Whole time');
    this.reset.addEventListener('click', function () { self.choose(0, self.data.bins); });
    bar.appendChild(this.reset);
    this.said = make('span', { 'class': 'cnt', 'aria-live': 'polite' }, HINT);
    bar.appendChild(this.said);
    bar.hidden = false;
    card.classList.add('canchoose');
    this.listen();
    this.show(0, this.data.bins);
  }

  Program.prototype.input = function (bar, text) {
    var self = this, label = make('label', {}, text + ' '), unit = this.data.wall / 1e6;
    var input = make('input', { 'class': 'inp', type: 'number', min: 0, max: unit.toFixed(3), step: 'any', size: 8 });
    label.appendChild(input);
    label.appendChild(document.createTextNode(' ms'));
    bar.appendChild(label);
    input.addEventListener('change', function () {
      var bins = self.data.bins;
      self.choose(Math.round(self.from.value / unit * bins), Math.round(self.to.value / unit * bins));
    });
    return input;
  };

  Program.prototype.binAt = function (x) {
    var box = this.lane.getBoundingClientRect();
    return Math.min(Math.max(Math.round((x - box.left) / box.width * this.data.bins), 0), this.data.bins);
  };

  Program.prototype.listen = function () {
    var self = this, start = null;
    this.lane.addEventListener('pointerdown', function (event) {
      if (event.button) return;
      start = self.binAt(event.clientX);
      event.preventDefault();
    });
    document.addEventListener('pointermove', function (event) {
      if (start === null) return;
      var at = self.binAt(event.clientX);
      self.show(Math.min(start, at), Math.max(start, at));
    });
    document.addEventListener('pointerup', function (event) {
      if (start === null) return;
      var at = self.binAt(event.clientX), first = Math.min(start, at), last = Math.max(start, at);
      start = null;
      self.choose(first, last);
    });
  };

  /* Draws the mark of the selected span, and changes nothing else. */
  Program.prototype.show = function (first, last) {
    var bins = this.data.bins, unit = this.data.wall / 1e6;
    this.mark.setAttribute('x', 100 * first / bins + '%');
    this.mark.setAttribute('width', first === 0 && last === bins ? 0 : 100 * (last - first) / bins + '%');
    this.mark.setAttribute('height', this.lane.getAttribute('height') - AXIS);
    this.from.value = (unit * first / bins).toFixed(1);
    this.to.value = (unit * last / bins).toFixed(1);
  };

  Program.prototype.choose = function (first, last) {
    var bins = this.data.bins, whole;
    first = Math.min(Math.max(first || 0, 0), bins);
    last = Math.min(Math.max(last || 0, 0), bins);
    whole = last - first < 1 || (first === 0 && last === bins);
    if (whole) { first = 0; last = bins; }
    this.show(first, last);
    this.reset.hidden = whole;
    var samples = this.data.samples.filter(function (cell) { return cell[BIN] >= first && cell[BIN] < last; });
    var waits = this.data.waits.filter(function (cell) { return cell[BIN] >= first && cell[BIN] < last; });
    var cpu = samples.reduce(function (sum, cell) { return sum + cell[NS]; }, 0);
    this.said.textContent = whole ? HINT : timeText(this.data.wall / bins * (last - first)) + ' chosen, ' + timeText(cpu) + ' of CPU time';
    var flame = document.getElementById(this.prefix + 'flame'), tree = flame && flame.querySelector('.calltree');
    if (tree) tree.dispatchEvent(new CustomEvent('calls', { detail: whole ? null : this.calls(samples) }));
    this.table('functions', whole, ['Function', 'Self\nms', 'Of CPU\n%', 'Total\nms', 'Samples'], this.functions(samples, cpu));
    this.table('waits', whole, ['Waits for', 'Thread', 'Times', 'Sum\nms'], this.waits(waits));
  };

  /* Returns the samples and times of each node, including its descendants. Relies on the order of the nodes: the index
   * of a parent is smaller than the indexes of its children. */
  Program.prototype.totals = function (samples) {
    var nodes = this.data.nodes, sums = nodes.map(function () { return [0, 0]; }), i;
    samples.forEach(function (cell) { sums[cell[ITEM]][0] += cell[NS]; sums[cell[ITEM]][1] += cell[COUNT]; });
    for (i = nodes.length - 1; i > ROOT; i--) {
      sums[nodes[i][PARENT]][0] += sums[i][0];
      sums[nodes[i][PARENT]][1] += sums[i][1];
    }
    return sums;
  };

  /* Returns rows in the format of the flame graph, depth first: [depth, kind, name, 0, ns, 0, samples]. A function that
   * only calls the next one (98 % of its time) has no row, as in the flame graph of the whole time. */
  Program.prototype.calls = function (samples) {
    var nodes = this.data.nodes, labels = this.data.labels, sums = this.totals(samples), children = nodes.map(function () { return []; });
    var rows = [], pending = [[ROOT, 0]], next, node, inner, i;
    for (i = 1; i < nodes.length; i++) if (sums[i][1]) children[nodes[i][PARENT]].push(i);
    while (pending.length) {
      next = pending.pop();
      while ((inner = next[0] !== ROOT && this.passesOn(children[next[0]], sums, next[0])) && children[ROOT].indexOf(next[0]) < 0) next[0] = inner;
      node = nodes[next[0]];
      rows.push([next[1], node[KIND], labels[node[LABEL]], 0, sums[next[0]][0], 0, sums[next[0]][1]]);
      children[next[0]].forEach(function (child) { pending.push([child, next[1] + 1]); });
    }
    return rows;
  };

  Program.prototype.passesOn = function (children, sums, node) {
    return children.filter(function (child) { return sums[child][0] >= 0.98 * sums[node][0]; })[0];
  };

  Program.prototype.functions = function (samples, cpu) {
    var nodes = this.data.nodes, labels = this.data.labels, sums = this.totals(samples), found = {}, i, at, seen;
    function of(node) { return found[nodes[node][LABEL]] = found[nodes[node][LABEL]] || [0, 0, 0]; }
    samples.forEach(function (cell) {
      if (nodes[cell[ITEM]][PARENT] === ROOT || cell[ITEM] === ROOT) return; /* the sample has no stack */
      of(cell[ITEM])[0] += cell[NS];
      of(cell[ITEM])[2] += cell[COUNT];
    });
    for (i = 1; i < nodes.length; i++) {
      if (nodes[i][PARENT] === ROOT || !sums[i][1]) continue;
      for (at = nodes[i][PARENT], seen = false; at > ROOT && !seen; at = nodes[at][PARENT]) seen = nodes[at][LABEL] === nodes[i][LABEL];
      if (!seen) of(i)[1] += sums[i][0]; /* a recursive function counts once */
    }
    return Object.keys(found).sort(function (a, b) { return found[b][0] - found[a][0] || found[b][1] - found[a][1]; }).map(function (label) {
      var f = found[label];
      return [labels[label], milliseconds(f[0]), percent(f[0], cpu), milliseconds(f[1]), f[2].toLocaleString('en')];
    });
  };

  Program.prototype.waits = function (cells) {
    var groups = this.data.groups, found = {};
    cells.forEach(function (cell) {
      var sum = found[cell[ITEM]] = found[cell[ITEM]] || [0, 0];
      sum[0] += cell[COUNT];
      sum[1] += cell[NS];
    });
    return Object.keys(found).sort(function (a, b) { return found[b][1] - found[a][1]; }).map(function (group) {
      var g = groups[group], sum = found[group];
      return [g[0] + (g[1] && ' in ' + g[1]), g[2], sum[0].toLocaleString('en'), milliseconds(sum[1])];
    });
  };

  /* Shows a table of the selected span, and hides the table of the whole time. */
  Program.prototype.table = function (id, whole, heads, rows) {
    var section = document.getElementById(this.prefix + id), old = section && section.querySelector('.ofspan');
    if (!section) return;
    if (old) old.parentNode.removeChild(old);
    Array.prototype.forEach.call(section.querySelectorAll('.tab:not(.ofspan), .lead'), function (card) { card.hidden = !whole; });
    if (whole) return;
    var card = make('div', { 'class': 'tab ofspan' }), table = make('table', { 'class': 'data' });
    var head = make('tr', {}), body = make('tbody', {}), top = make('thead', {});
    heads.forEach(function (text, i) {
      var lines = text.split('\n'), cell = make('th', { scope: 'col', 'class': i ? 'w9' : '' }, lines[0]);
      if (lines[1]) {
        cell.appendChild(make('br', {}));
        cell.appendChild(make('i', {}, lines[1]));
      }
      head.appendChild(cell);
    });
    rows.slice(0, SHOWN).forEach(function (row) {
      var line = make('tr', {});
      row.forEach(function (text, i) {
        var cell = make('td', i ? {} : { 'class': 'nm' });
        cell.appendChild(i ? document.createTextNode(text) : make('code', {}, text));
        line.appendChild(cell);
      });
      body.appendChild(line);
    });
    top.appendChild(head);
    table.appendChild(top);
    table.appendChild(body);
    card.appendChild(table);
    if (!rows.length) card.appendChild(make('p', { 'class': 'note' }, 'The chosen span has no rows.'));
    if (rows.length > SHOWN) card.appendChild(make('p', { 'class': 'note' }, 'The table shows ' + SHOWN + ' of ' + rows.length + ' rows.'));
    section.appendChild(card);
  };

  Array.prototype.forEach.call(document.querySelectorAll('.spandata'), function (data) {
    var card = data.closest('figure');
    try {
      new Program(card, card.closest('section').id.replace(/overview$/, ''));
    } catch (error) {
      console.warn('lanes: ' + error.message);
    }
  });
}());
