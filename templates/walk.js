/* Navigation within the page. One selection applies to the whole page and is part of the address (#sel=kernel:NAME,
 * #t=604ms-616ms). Names in tables link to the timeline, and from there to other tables. A finding links to its
 * evidence, and a bar to its step. One search finds all of these. Texts are set as text only, never as markup. */
(function () {
  'use strict';
  var KINDS = { operators: 'operator', kernels: 'kernel', modules: 'module', idle: 'line' };
  var UNITS = { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9 };
  var MOST_HITS = 12;

  function one(selector, from) { return (from || document).querySelector(selector); }
  function all(selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); }
  function make(name, attributes, text) {
    var element = document.createElement(name);
    Object.keys(attributes).forEach(function (key) { element.setAttribute(key, attributes[key]); });
    if (text !== undefined) element.textContent = text;
    return element;
  }
  function flat(text) { return text.replace(/\s+/g, ' ').trim(); }
  function button(text, act) {
    var element = make('button', { type: 'button' }, text);
    element.addEventListener('click', act);
    return element;
  }

  /* ---- the address ---- */

  function nanoseconds(text) {
    var parts = /^([\d.]+)(ns|us|µs|ms|s)$/.exec(text);
    return parts ? parseFloat(parts[1]) * UNITS[parts[2]] : NaN;
  }
  function timeWord(ns) { return +(ns / 1e6).toFixed(6) + 'ms'; }
  function address(state) {
    var parts = [];
    if (state.kind) parts.push('sel=' + state.kind + ':' + encodeURIComponent(state.name));
    if (state.from >= 0) parts.push('t=' + timeWord(state.from) + (state.to > state.from ? '-' + timeWord(state.to) : ''));
    if (state.page) parts.push('in=' + state.page);
    return '#' + parts.join('&');
  }
  /* Returns the selection in the address, or null if the address has another form. */
  function readAddress() {
    var state = { kind: '', name: '', from: -1, to: -1, page: '' }, isOurs = false;
    location.hash.slice(1).split('&').forEach(function (part) {
      var at = part.indexOf('='), key = part.slice(0, at), value = part.slice(at + 1), colon, times;
      try { value = decodeURIComponent(value); } catch (e) { /* decoding fails if a user typed a percent sign */ }
      if (key === 'sel' && (colon = value.indexOf(':')) > 0) {
        state.kind = value.slice(0, colon);
        state.name = value.slice(colon + 1);
        isOurs = true;
      } else if (key === 't') {
        times = value.split('-').map(nanoseconds);
        if (!(times[0] >= 0)) return;
        state.from = times[0];
        state.to = times[1] > times[0] ? times[1] : -1;
        isOurs = true;
      } else if (key === 'in') state.page = value;
    });
    return isOurs ? state : null;
  }

  /* ---- places: table rows with the item that they name ---- */

  var places = [];
  function sectionOf(element) {
    var section = element.closest('section');
    return { prefix: section.id.replace(/[a-z_]+$/, ''), name: section.id.replace(/^[a-z]*\d+-/, ''), title: (one('h2', section) || section).textContent };
  }
  /* Returns the shown name and all other names of the same item: the full name, and those in other tables and in the
   * timeline. */
  function namesOf(cell, kind) {
    var full = one('.full', cell), code = one('code', cell), tip = code.getAttribute('data-tip') || code.title, names = [flat(code.textContent)];
    if (full) names.push(flat(full.textContent));
    if (tip) names.push(flat(tip));
    /* also adds a truncated name without the part that distinguishes it from similar names */
    if (/….+/.test(names[0])) names.push(names[0].replace(/….*/, '…'));
    if (kind === 'module') names.push('nn.Module: ' + names[0]);
    return names;
  }
  function isCalled(place, state) { return place.page === state.page && place.names.indexOf(flat(state.name)) >= 0; }
  /* Returns all names of the selected item. */
  function namesFor(state) {
    return places.reduce(function (names, place) { return isCalled(place, state) ? names.concat(place.names) : names; }, [flat(state.name)]);
  }
  function addRow(row) {
    var cell = row.cells[0], table = row.closest('table'), section = sectionOf(table), more = one('.more', cell), code = one('code', cell);
    var kind = (/(line|step)$/.exec(table.getAttribute('data-name')) || [])[0] || KINDS[section.name], names, name, link;
    if (table.classList.contains('mini')) kind = /operator|call|function/i.test(table.closest('.card').firstElementChild.textContent) ? 'operator' : 'kernel';
    if (!kind || !code || /^(works|time)$/.test(table.getAttribute('data-name'))) return;
    names = namesOf(cell, kind);
    name = names[0];
    if (!name || (kind === 'line' && /^[[(]/.test(name))) return; /* skips lines such as "[no host event]" */
    places.push({ kind: kind, name: name, names: names, row: row, page: section.prefix, title: table.classList.contains('mini') ? 'Overview' : section.title });
    link = make('a', { 'class': 'go', href: address({ kind: kind, name: name, page: section.prefix, from: -1 }) });
    if (more) {
      link.textContent = 'Show in the timeline';
      more.insertBefore(make('p', {}), more.firstChild).appendChild(link);
    } else if (!one('a', code)) {
      while (code.firstChild) link.appendChild(code.firstChild);
      code.appendChild(link);
    }
  }
  all('section table.data[data-name] > tbody > tr, section table.mini > tbody > tr').forEach(addRow);

  /* Adds links to names without one, if the timeline or a row knows the name. Such names are in trees, in memory, in
   * calls that wait, and in evidence. */
  function knownNames(viewer, page) {
    var kinds = Object.create(null);
    viewer.data.names.forEach(function (name, i) { if (i) kinds[flat(name)] = viewer.kindOf(i); });
    places.forEach(function (place) { if (place.page === page) place.names.forEach(function (name) { kinds[name] = place.kind; }); });
    return kinds;
  }
  function knownAs(text, kinds) {
    var whole = text.replace(/ [[(].*/, '');
    return [text, 'nn.Module: ' + text, whole, 'aten::' + whole].filter(function (name) { return name && kinds[name]; })[0];
  }
  function linkKnown(viewer, page) {
    var kinds = knownNames(viewer, page);
    all('table.data[data-name] td.nm > code, table.data[data-name] td.nm > div > code, table.data td.t, .findings li > code').forEach(function (cell) {
      var section, name, row, text = flat(cell.textContent);
      if (one('a', cell) || !(name = knownAs(text, kinds)) || (section = sectionOf(cell)).prefix !== page) return;
      var link = make('a', { 'class': 'go', href: address({ kind: kinds[name], name: name, page: page, from: -1 }) });
      while (cell.firstChild) link.appendChild(cell.firstChild);
      cell.appendChild(link);
      if ((row = cell.closest('td.nm'))) places.push({ kind: kinds[name], name: name, names: [name], row: row.parentNode, page: page, title: section.title });
    });
  }

  /* ---- evidence, steps ---- */

  all('.findings li[data-t]').forEach(function (item) {
    var text = item.firstChild, state = { kind: 'event', name: one('code', item).textContent, from: +item.getAttribute('data-t'), page: sectionOf(item).prefix };
    if (!one('#' + state.page + 'timeline')) return;
    var link = make('a', { href: address(state) }, text.textContent.replace(/:\s*$/, ''));
    item.insertBefore(link, text);
    text.textContent = ': ';
  });
  all('.steps > svg').forEach(function (bar) {
    var tip = bar.getAttribute('data-tip'), name = tip && /^(?:Step )?([^,]+),/.exec(tip);
    if (!name) return;
    bar.classList.add('go');
    bar.addEventListener('click', function () { location.hash = address({ kind: 'step', name: name[1], page: sectionOf(bar).prefix, from: -1 }); });
  });

  /* ---- the panel under the timeline ---- */

  var viewers = {}; /* key: prefix of the page */
  function prefixOf(card) { return sectionOf(card).prefix; }
  function viewerOf(state) { return viewers[state.page] || viewers[Object.keys(viewers)[0]]; }

  function rowFacts(row) {
    var heads = all('thead th', row.closest('table')), facts = [];
    heads.forEach(function (head, i) {
      var value = row.cells[i] && row.cells[i].textContent.trim();
      if (i && value && !head.classList.contains('b') && facts.length < 4) facts.push(head.innerText.trim().replace(/\s+/g, ' ') + ' ' + value);
    });
    return facts.join(' · ');
  }
  function goTo(row) {
    for (var box = row.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
    row.scrollIntoView({ block: 'center' });
    row.setAttribute('tabindex', '-1');
    row.focus({ preventScroll: true });
  }
  function addPlaces(panel, state) {
    var list = make('ul', {}), shown = {};
    places.forEach(function (place) {
      var table = isCalled(place, state) && place.row.closest('table').getAttribute('data-name');
      if (list.children.length > 9 || table === false || (shown[table] = (shown[table] || 0) + 1) > 3) return;
      var item = list.appendChild(make('li', {}));
      item.appendChild(button(place.title, function () { goTo(place.row); }));
      item.appendChild(document.createTextNode(' ' + rowFacts(place.row)));
    });
    if (list.children.length) panel.appendChild(list);
  }
  function addNames(panel, words, slices, state) {
    if (!slices.length) return;
    var line = panel.appendChild(make('p', {}, words + ' '));
    slices.forEach(function (slice, i) {
      if (i) line.appendChild(document.createTextNode(words === 'Launches' ? ', ' : ' › '));
      line.appendChild(make('a', { href: address({ kind: slice.kind, name: slice.name, from: slice.start, page: state.page }) }, slice.name));
    });
  }
  function fill(panel, state, viewer) {
    var shown = viewer.selected, head;
    panel.textContent = '';
    panel.setAttribute('data-of', location.hash);
    panel.hidden = false;
    if (!state.kind) {
      panel.appendChild(make('b', {}, viewer.between()));
      viewer.busiest().forEach(function (name) { panel.appendChild(make('p', {}, name.words + ' ')).appendChild(make('a', { href: address({ kind: name.kind, name: name.name, from: name.start, page: state.page }) }, name.name)); });
      return;
    }
    head = panel.appendChild(make('p', {}));
    head.appendChild(make('span', { 'class': 'sev low' }, state.kind));
    head.appendChild(make('b', {}, ' ' + (shown ? shown.name : state.name)));
    if (shown) {
      panel.appendChild(make('p', {}, shown.text));
      if (shown.caption) panel.appendChild(make('p', { 'class': 'caption' }, shown.caption));
      if (shown.shapes) panel.appendChild(make('p', { 'class': 'shapes' }, (shown.shapes.of ? 'Shapes of ' + shown.shapes.of + ' ' : 'Shapes ') + shown.shapes.text));
      addNames(panel, 'Inside of', shown.parents, state);
      addNames(panel, 'Launched by', shown.launch ? [shown.launch] : [], state);
      if (shown.launch) addNames(panel, 'inside', viewer.parentsOf(shown.launch), state);
      addNames(panel, 'Launches', shown.launched || [], state);
    } else {
      panel.appendChild(make('p', {}, state.kind === 'step' ? 'No step of this name is in the timeline.' : 'No slice of this name is in the timeline, because short slices are drawn only as a share of time.'));
    }
    if (shown && shown.count > 1) {
      panel.appendChild(button('Previous', function () { viewer.go(-1); }));
      panel.appendChild(button('Next', function () { viewer.go(1); }));
    }
    addPlaces(panel, { name: shown ? shown.name : state.name, page: state.page });
  }

  /* ---- one selection ---- */

  function markRows(state) {
    all('tr.sel').forEach(function (row) { row.classList.remove('sel'); });
    if (!state) return;
    places.forEach(function (place) {
      if (isCalled(place, state)) place.row.classList.add('sel');
    });
  }
  function apply() {
    var state = readAddress(), viewer = state && viewerOf(state), card, first;
    markRows(state);
    if (!state) return;
    if (viewer) {
      state.names = namesFor(state);
      viewer.select(state);
      fill(viewer.panel, state, viewer);
      viewer.scroll();
      return;
    }
    card = one('#' + CSS.escape(state.page + 'timeline'));
    first = places.filter(function (place) { return isCalled(place, state); })[0];
    /* the timeline starts when it becomes visible, and then applies the selection */
    if (card && one('.tldata', card)) {
      for (var box = card.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
      card.scrollIntoView();
    } else if (first) goTo(first.row);
  }
  function rewrite(state) {
    try { history.replaceState(null, '', address(state)); } catch (e) { /* some frames forbid this */ }
  }
  addEventListener('hashchange', apply);

  document.addEventListener('tracepress-timeline', function (event) {
    var viewer = event.detail, page = prefixOf(viewer.card), state = readAddress(), later = 0;
    viewers[page] = viewer;
    viewer.panel = make('div', { 'class': 'walk', 'aria-live': 'polite', hidden: '' });
    viewer.card.appendChild(viewer.panel);
    linkKnown(viewer, page);
    viewer.onselect = function (slice) { /* the user selected another slice, by pointer or by the button Next */
      var chosen = { kind: slice.kind, name: slice.name, from: slice.start, to: -1, page: page };
      rewrite(chosen);
      markRows(chosen);
      fill(viewer.panel, chosen, viewer);
    };
    viewer.onview = function () {
      clearTimeout(later);
      later = setTimeout(function () {
        var now = readAddress() || { kind: '', page: page };
        if (now.kind || now.page !== page) return;
        now.from = viewer.from;
        now.to = viewer.to;
        rewrite(now);
        fill(viewer.panel, now, viewer);
      }, 300);
    };
    viewer.data.steps.forEach(function (step) { entries.push({ kind: 'step', name: step.name, page: page }); });
    viewer.data.names.forEach(function (name, i) { if (i && name) entries.push({ kind: viewer.kindOf(i), name: name, page: page }); });
    if (state && state.page === page) apply();
  });

  /* ---- one search ---- */

  var entries = [], box = make('span', { 'class': 'find' }), hits = make('ul', { id: 'hits', role: 'listbox', 'aria-label': 'Found', hidden: '' });
  var input = make('input', {
    'class': 'inp', type: 'search', placeholder: 'Find', 'aria-label': 'Find operators, kernels, modules, lines, findings and steps',
    role: 'combobox', 'aria-controls': 'hits', 'aria-expanded': 'false', 'aria-autocomplete': 'list', autocomplete: 'off'
  });
  places.forEach(function (place) { entries.push(place); });
  all('.findings h3').forEach(function (title) {
    entries.push({ kind: 'finding', name: title.textContent, row: title.closest('li'), page: sectionOf(title).prefix });
  });
  function found(wanted) {
    var seen = {}, begin = [], inside = [];
    entries.forEach(function (entry) {
      var key = entry.page + ' ' + entry.name, at = entry.name.toLowerCase().indexOf(wanted);
      if (entry.kind === 'step') at = ('step ' + entry.name).toLowerCase() === wanted || entry.name.toLowerCase() === wanted ? 0 : ('step ' + entry.name).indexOf(wanted);
      if (at < 0 || seen[key]) return;
      seen[key] = true;
      (at ? inside : begin).push(entry);
    });
    return begin.concat(inside);
  }
  function choose(entry) {
    input.value = '';
    list('');
    input.blur();
    if (entry.kind === 'finding') goTo(entry.row);
    else if (address({ kind: entry.kind, name: entry.name, page: entry.page, from: -1 }) === location.hash) apply();
    else location.hash = address({ kind: entry.kind, name: entry.name, page: entry.page, from: -1 });
  }
  function mark(item) {
    all('[aria-selected]', hits).forEach(function (other) { other.removeAttribute('aria-selected'); });
    if (!item) { input.removeAttribute('aria-activedescendant'); return; }
    item.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  }
  function list(wanted) {
    var entry = wanted ? found(wanted) : [];
    hits.textContent = '';
    entry.slice(0, MOST_HITS).forEach(function (entry, i) {
      var item = hits.appendChild(make('li', { role: 'option', id: 'hit' + i }));
      item.appendChild(make('span', { 'class': 'sev low' }, entry.kind));
      item.appendChild(make('code', {}, entry.name));
      item.addEventListener('mousedown', function (event) { event.preventDefault(); choose(entry); });
    });
    if (wanted && !entry.length) hits.appendChild(make('li', { role: 'option', 'aria-disabled': 'true' }, 'No matches'));
    if (entry.length > MOST_HITS) hits.appendChild(make('li', { role: 'option', 'aria-disabled': 'true' }, 'and ' + (entry.length - MOST_HITS) + ' more'));
    hits.hidden = !wanted;
    input.setAttribute('aria-expanded', wanted ? 'true' : 'false');
    mark(wanted && entry.length ? hits.firstChild : null);
  }
  function move(by) {
    var items = all('[id^=hit]', hits), now = items.indexOf(one('[aria-selected]', hits));
    if (items.length) mark(items[(now + by + items.length) % items.length]);
  }
  input.addEventListener('input', function () { list(input.value.trim().toLowerCase()); });
  input.addEventListener('blur', function () { hits.hidden = true; });
  input.addEventListener('keydown', function (event) {
    var item = one('[aria-selected]', hits), wanted = input.value.trim().toLowerCase();
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.key === 'Enter' && item) choose(found(wanted)[+item.id.slice(3)]);
    else if (event.key === 'Escape') { input.value = ''; list(''); } else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', function (event) {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    input.focus();
    event.preventDefault();
  });
  if (entries.length) {
    box.appendChild(input);
    box.appendChild(hits);
    one('#tools').insertBefore(box, one('#tools').firstChild);
  }
  apply();
}());
