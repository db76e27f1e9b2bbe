/* The parts of the page that need scripts: theme switch, highlighted section, faster tooltips, and sorting, filtering
 * and copying of tables. The page is complete without this file. Texts from the trace are set as text only, never as
 * markup. */
(function () {
  'use strict';
  var root = document.documentElement;
  root.classList.add('js');
  function one(selector, from) { return (from || document).querySelector(selector); }
  function all(selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); }
  function make(name, attributes, text) {
    var element = document.createElement(name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) element.textContent = text;
    return element;
  }

  /* ---- theme: follows the system until the user chooses one ---- */
  var NEXT = { auto: 'dark', dark: 'light', light: 'auto' }, theme = 'auto';
  try { theme = localStorage.getItem('tracepress-theme') || 'auto'; } catch (e) { /* the browser may forbid storage */ }
  var themeButton = make('button', { type: 'button' });
  function setTheme(name) {
    theme = NEXT[name] ? name : 'auto';
    if (theme === 'auto') root.removeAttribute('data-theme'); else root.setAttribute('data-theme', theme);
    themeButton.textContent = '\u25d0';
    themeButton.title = 'Theme: ' + theme;
    themeButton.setAttribute('aria-label', 'Theme: ' + theme);
    document.dispatchEvent(new Event('tracepress-theme'));
  }
  themeButton.addEventListener('click', function () {
    setTheme(NEXT[theme]);
    /* the choice is lost when the page is closed */
    try { localStorage.setItem('tracepress-theme', theme); } catch (e) { }
  });
  one('#tools').appendChild(themeButton);
  setTheme(theme);

  /* ---- which section is on screen ---- */
  var links = all('header nav > ul a');
  var sections = links.map(function (link) { return document.getElementById(link.getAttribute('href').slice(1)); });
  function highlight() {
    var current = 0;
    sections.forEach(function (section, i) {
      if (section && section.getClientRects().length && section.getBoundingClientRect().top <= 80) current = i;
    });
    if (innerHeight + scrollY >= document.body.scrollHeight - 4 && scrollY > 0) current = sections.length - 1;
    links.forEach(function (link, i) {
      if (i !== current) { link.removeAttribute('aria-current'); return; }
      if (link.hasAttribute('aria-current')) return;
      link.setAttribute('aria-current', 'true');
      var nav = link.parentNode, left = link.offsetLeft - nav.offsetLeft;
      if (left < nav.scrollLeft || left + link.offsetWidth > nav.scrollLeft + nav.clientWidth) nav.scrollLeft = left - 24;
    });
  }
  if (links.length) {
    addEventListener('scroll', highlight, { passive: true });
    highlight();
  }

  /* ---- a link into a closed profile opens the profile, also in browsers that do not do this themselves ---- */
  function reveal() {
    var id = location.hash.slice(1), target;
    try { id = decodeURIComponent(id); } catch (e) { /* decoding fails if a user typed a percent sign */ }
    target = id && document.getElementById(id);
    if (!target) return;
    for (var box = target.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
    target.scrollIntoView();
  }
  addEventListener('hashchange', reveal);
  reveal();

  /* ---- tooltips: show the titles that work without scripts, without their delay ---- */
  var tip = make('div', { id: 'tip', role: 'presentation', hidden: '' });
  document.body.appendChild(tip);
  function placeTip(x, y) {
    var w = tip.offsetWidth, h = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(innerWidth - w - 8, x + 14)) + 'px';
    tip.style.top = (y + h + 24 > innerHeight ? Math.max(4, y - h - 12) : y + 16) + 'px';
  }
  all('svg title').forEach(function (title) {
    var owner = title.parentNode;
    owner.setAttribute('data-tip', title.textContent);
    owner.removeChild(title);
  });
  all('th[title], td[title], td [title], dt[title]').forEach(function (element) {
    element.setAttribute('data-tip', element.getAttribute('title'));
    element.removeAttribute('title');
  });
  document.addEventListener('mousemove', function (event) {
    var owner = event.target.closest ? event.target.closest('[data-tip]') : null;
    if (owner) {
      tip.textContent = owner.getAttribute('data-tip');
      tip.hidden = false;
      placeTip(event.clientX, event.clientY);
    } else if (!event.target.closest || !event.target.closest('canvas')) {
      tip.hidden = true;
    }
  });
  document.addEventListener('scroll', function () { tip.hidden = true; }, { passive: true, capture: true });

  /* ---- an action marks its times in the strip, and in the timeline by an event; so does the row of a change ---- */
  all('.acts > li[data-f], tr[data-marks]').forEach(function (action) {
    var scope = action.closest('section') || document, number = action.getAttribute('data-f');
    function show(isOn) {
      if (number) all('.mk' + number, scope).forEach(function (mark) { mark.classList.toggle('on', isOn); });
      document.dispatchEvent(new CustomEvent('tracepress-mark', { detail: isOn ? { action: action, within: scope } : null }));
    }
    action.addEventListener('mouseenter', function () { show(true); });
    action.addEventListener('mouseleave', function () { show(false); });
    action.addEventListener('focusin', function () { show(true); });
    action.addEventListener('focusout', function () { show(false); });
  });

  /* ---- a click in the ribbon chooses the step that the strip shows ---- */
  all('.ribbon').forEach(function (ribbon) {
    var scope = ribbon.closest('section'), columns = all('[data-step]', ribbon);
    function choose(column) {
      var step = column.getAttribute('data-step');
      columns.forEach(function (other) { other.classList.toggle('on', other === column); });
      all('[data-strip]', scope).forEach(function (strip) { strip.hidden = strip.getAttribute('data-strip') !== step; });
      document.dispatchEvent(new CustomEvent('tracepress-step', { detail: { step: +step, within: scope } }));
    }
    columns.forEach(function (column) {
      column.addEventListener('click', function () { choose(column); });
      column.addEventListener('keydown', function (event) {
        if (event.key === 'Enter' || event.key === ' ') { choose(column); event.preventDefault(); }
      });
    });
  });

  /* ---- tables ---- */
  /* Returns the text of a CSV cell. A spreadsheet interprets texts with these first characters as formulas, so they get
   * a quote in front. Numbers do not. */
  function csvCell(text) {
    text = String(text).replace(/\u2212/g, '-');
    if (/^[+-]?[\d,]*\.?\d+$/.test(text)) return text.replace(/,/g, '');
    if (/^[=+\-@\t\r]/.test(text)) text = "'" + text;
    return '"' + text.replace(/"/g, '""') + '"';
  }
  function cellText(cell) {
    var full = one('.full', cell);
    if (full) return full.textContent;
    return (one('summary', cell) || one('code', cell) || cell).textContent.trim();
  }
  function cellNumber(cell) {
    var value = parseFloat(cell.textContent.replace(/[,<]/g, '').replace(/\u2212/g, '-'));
    return isNaN(value) ? -Infinity : value;
  }
  function headText(head) {
    return head.textContent.trim().replace(/\s+/g, ' ');
  }
  /* Sorts the items and their children, and returns them in the order in which a tree shows them. */
  function sorted(items, up) {
    return items.slice().sort(function (a, b) {
      return (a.key < b.key ? -1 : a.key > b.key ? 1 : 0) * up;
    }).reduce(function (all, item) { return all.concat([item], sorted(item.children, up)); }, []);
  }
  function sortable(head, column, heads, items, place) {
    var isText = column === 0 || head.classList.contains('t'), button = make('button', { type: 'button' });
    while (head.firstChild) button.appendChild(head.firstChild);
    head.appendChild(button);
    button.addEventListener('click', function () {
      var now = head.getAttribute('aria-sort');
      var up = now === 'descending' || (isText && now !== 'ascending') ? 1 : -1;
      heads.forEach(function (other) { other.removeAttribute('aria-sort'); });
      head.setAttribute('aria-sort', up > 0 ? 'ascending' : 'descending');
      items.forEach(function (item) {
        var cell = item.row.children[column];
        item.key = isText ? cellText(cell).toLowerCase() : cellNumber(cell);
      });
      place(sorted(items.filter(function (item) { return !item.parent; }), up));
    });
  }
  /* Returns the rows with their parents. In a tree, the parent is the nearest previous row that is less deep. */
  function family(rows) {
    var path = [];
    return rows.map(function (row) {
      var box = one('[class^=d]', row.children[0]), depth = box && /^d\d+$/.test(box.className) ? +box.className.slice(1) : 0;
      var item = { row: row, parent: depth ? path[depth - 1] || null : null, children: [], key: 0 };
      path.length = Math.min(path.length, depth);
      path[depth] = item;
      if (item.parent) item.parent.children.push(item);
      return item;
    });
  }
  function copyText(text, button) {
    function done() {
      var label = button.textContent;
      button.textContent = 'Copied';
      setTimeout(function () { button.textContent = label; }, 1200);
    }
    if (navigator.clipboard && navigator.clipboard.writeText) {
      navigator.clipboard.writeText(text).then(done, function () { /* the browser refuses access to the clipboard */ });
      return;
    }
    var area = make('textarea', {});
    area.value = text;
    document.body.appendChild(area);
    area.select();
    if (document.execCommand('copy')) done();
    document.body.removeChild(area);
  }
  function tableCsv(heads, rows) {
    var kept = heads.map(function (head) { return !head.classList.contains('b'); });
    var lines = [heads.filter(function (h, i) { return kept[i]; }).map(function (h) { return csvCell(headText(h)); }).join(',')];
    rows.forEach(function (row) {
      if (row.hidden) return;
      var cells = Array.prototype.slice.call(row.children).filter(function (c, i) { return kept[i]; });
      lines.push(cells.map(function (c) { return csvCell(cellText(c)); }).join(','));
    });
    return lines.join('\r\n');
  }
  /* Makes a table sortable. The rows behind "All .." are in a second table with the same columns; sorting and filtering
   * work over the rows of both, and the first table always has the first rows. */
  function equip(table) {
    var body = table.tBodies[0], heads = all('thead th', table), name = table.getAttribute('data-name');
    var box = table.nextElementSibling, rest = box && box.matches('details.all') ? one('tbody', box) : null;
    var open = body.rows.length, rows = all('tr', body).concat(rest ? all('tr', rest) : []), items = family(rows), order = rows;
    if (rows.length < 2) return;
    function place(inOrder) {
      var shown = 0;
      order = inOrder.map(function (item) { return item.row; });
      order.forEach(function (row) {
        (!rest || (!row.hidden && shown < open) ? body : rest).appendChild(row);
        shown += !row.hidden;
      });
    }
    heads.forEach(function (head, i) { if (!head.classList.contains('b')) sortable(head, i, heads, items, place); });
    var bar = make('div', { 'class': 'toolrow' }), fold = null;
    function isFolded() { return fold !== null && fold.getAttribute('aria-pressed') === 'false'; }
    if (rows.length > 20) {
      var count = make('span', { 'class': 'cnt', 'aria-live': 'polite' });
      var input = make('input', {
        'class': 'inp', type: 'search', placeholder: 'Filter by name', 'aria-label': 'Filter ' + name + ' by name'
      });
      input.addEventListener('input', function () {
        var wanted = input.value.toLowerCase(), shown = 0;
        table.classList.toggle('fold', !wanted && isFolded());
        rows.forEach(function (row) {
          row.hidden = cellText(row.children[0]).toLowerCase().indexOf(wanted) < 0;
          shown += !row.hidden;
        });
        place(order.map(function (row) { return { row: row }; }));
        count.textContent = wanted ? shown + ' of ' + rows.length : '';
      });
      bar.appendChild(input);
      bar.appendChild(count);
    }
    if (one('tr.deep', body)) {
      fold = make('button', { type: 'button', 'aria-pressed': 'false' }, 'All levels');
      fold.addEventListener('click', function () {
        fold.setAttribute('aria-pressed', isFolded() ? 'true' : 'false');
        table.classList.toggle('fold', isFolded() && !(input && input.value));
      });
      table.classList.add('fold');
      bar.appendChild(fold);
    }
    if (!rest && rows.length < 9) return;
    var copy = make('button', { type: 'button' }, 'Copy CSV');
    copy.addEventListener('click', function () { copyText(tableCsv(heads, order), copy); });
    bar.appendChild(copy);
    if (rest) box.insertBefore(bar, rest.parentNode);
    else table.parentNode.insertBefore(bar, table);
  }
  all('table.data[data-name]:not(.rest)').forEach(equip);
  all('table.mini:not(.fall):not(.tmap)').forEach(function (table) {
    var body = table.tBodies[0], items = family(all('tr', body)), heads = all('thead th', table);
    function place(inOrder) { inOrder.forEach(function (item) { body.appendChild(item.row); }); }
    heads.forEach(function (head, i) { sortable(head, i, heads, items, place); });
  });
}());
