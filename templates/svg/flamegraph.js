/* The parts of a flame graph that need a script. A click on a box makes the box as wide as the picture, and a search
 * finds boxes by part of their name. The picture is complete without the script. Texts are set as text only, never as
 * markup. */
(function () {
  'use strict';
  var XHTML = 'http://www.w3.org/1999/xhtml', SVG = 'http://www.w3.org/2000/svg';
  var MARGIN = 10, CHARACTER = 7.2, ROW = 18, root = document.documentElement;
  var width = root.viewBox.baseVal.width - 2 * MARGIN;
  var said = document.getElementById('said');
  var boxes = Array.prototype.map.call(document.querySelectorAll('#frames > g'), function (group) {
    var title = group.querySelector('title').textContent, rect = group.querySelector('rect'), cut = title.indexOf('\n');
    return {
      group: group, rect: rect, text: group.querySelector('text'), name: title.slice(0, cut), info: title.slice(cut + 1),
      x: +rect.getAttribute('x') - MARGIN, width: +rect.getAttribute('width'), y: +rect.getAttribute('y'), isFound: false
    };
  });
  if (!boxes.length) return;
  var zoomed = boxes[0], sharp = 0.02; /* sharp: deviation by rounding that is still accepted, pixels */

  function fit(name, pixels) {
    var columns = Math.floor((pixels - 6) / CHARACTER), used = 0, out = '';
    if (columns < 3) return '';
    for (var character of name) {
      used += character.codePointAt(0) >= 0x800 ? 2 : 1;
      if (used > columns) return Array.from(out).slice(0, -1).join('') + '\u2026';
      out += character;
    }
    return name;
  }

  function draw() {
    var scale = width / zoomed.width, end = zoomed.x + zoomed.width;
    boxes.forEach(function (box) {
      var isAbove = box.y < zoomed.y && box.x <= zoomed.x + sharp && box.x + box.width >= end - sharp;
      var isInside = box.y >= zoomed.y && box.x >= zoomed.x - sharp && box.x + box.width <= end + sharp;
      box.group.style.display = isAbove || isInside ? '' : 'none';
      box.group.setAttribute('class', 'f' + (isAbove ? ' above' : '') + (box.isFound ? ' found' : ''));
      if (!isAbove && !isInside) return;
      var x = isAbove ? 0 : (box.x - zoomed.x) * scale, pixels = isAbove ? width : box.width * scale;
      box.rect.setAttribute('x', (MARGIN + x).toFixed(2));
      box.rect.setAttribute('width', Math.max(0, pixels).toFixed(2));
      box.text.setAttribute('x', (MARGIN + x + 3).toFixed(2));
      box.text.textContent = fit(box.name, pixels);
    });
  }

  /* Returns the share of the found boxes in the whole. A box below a found box is not added again. */
  function search(part) {
    var low = part.toLowerCase(), total = 0, count = 0, rows = {}, covered = [];
    boxes.forEach(function (box) {
      box.isFound = low !== '' && box.name.toLowerCase().indexOf(low) >= 0;
      if (!box.isFound) return;
      count++;
      (rows[box.y] = rows[box.y] || []).push([box.x, box.x + box.width]);
    });
    Object.keys(rows).forEach(function (y) { covered = covered.concat(rows[y]); });
    covered.sort(function (a, b) { return a[0] - b[0]; });
    covered.reduce(function (end, part) {
      total += Math.max(0, part[1] - Math.max(part[0], end));
      return Math.max(end, part[1]);
    }, 0);
    said.textContent = low === '' ? ' ' : count + (count === 1 ? ' box' : ' boxes') + ' found: ' +
      (100 * total / boxes[0].width).toFixed(2) + ' % of all';
    draw();
  }

  boxes.forEach(function (box) {
    box.group.addEventListener('click', function () { zoomed = box; draw(); });
    box.group.addEventListener('mouseenter', function () { said.textContent = box.name.slice(0, 100) + ': ' + box.info; });
  });

  var holder = document.createElementNS(SVG, 'foreignObject');
  [['x', width + MARGIN - 262], ['y', 8], ['width', 262], ['height', 26]].forEach(function (pair) { holder.setAttribute(pair[0], pair[1]); });
  var input = document.createElementNS(XHTML, 'input'), button = document.createElementNS(XHTML, 'button');
  input.setAttribute('type', 'search');
  input.setAttribute('placeholder', 'search');
  input.setAttribute('aria-label', 'search boxes by part of a name');
  input.addEventListener('input', function () { search(input.value); });
  button.textContent = 'whole';
  button.setAttribute('title', 'show the whole picture again (Escape)');
  function reset() { zoomed = boxes[0]; input.value = ''; search(''); }
  button.addEventListener('click', reset);
  document.addEventListener('keydown', function (event) { if (event.key === 'Escape') reset(); });
  holder.appendChild(input);
  holder.appendChild(button);
  root.appendChild(holder);
})();
