/* Navigation within the page. One selection applies to the whole page and is part of the address (#sel=kernel:NAME,
 * #t=604ms-616ms). Names in tables link to the timeline, and from there to other tables. A finding links to its
 * evidence. One search finds all of these. Texts are set as text only, never as markup. */
(function () {
  'use strict';
  const KINDS = { operators: 'operator', kernels: 'kernel', modules: 'module', idle: 'line' };
  const UNITS = { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9 };
  const MOST_HITS = 12;

  const one = (selector, from) => (from || document).querySelector(selector);
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  function make(name, attributes, text) {
    const element = document.createElement(name);
    Object.keys(attributes).forEach((key) => element.setAttribute(key, attributes[key]));
    if (text !== undefined) element.textContent = text;
    return element;
  }
  const flat = (text) => text.replace(/\s+/g, ' ').trim();

  /* ---- the address ---- */

  function nanoseconds(text) {
    const parts = /^([\d.]+)(ns|us|µs|ms|s)$/.exec(text);
    return parts ? parseFloat(parts[1]) * UNITS[parts[2]] : NaN;
  }
  const timeWord = (ns) => +(ns / 1e6).toFixed(6) + 'ms';
  const partWord = (part) => timeWord(part[0]) + '-' + timeWord(part[1]);
  function readPart(text) {
    const [a, z] = text.split('-').map(nanoseconds);
    return a >= 0 && z > a ? [a, z] : null;
  }
  /* Without a selected item, `t` is the view; with one, `t` is its start, and `v` is the view. */
  function address(state) {
    const parts = [];
    if (state.kind) parts.push('sel=' + state.kind + ':' + encodeURIComponent(state.name));
    if (state.from >= 0) parts.push('t=' + timeWord(state.from));
    if (state.view) parts.push((state.kind ? 'v=' : 't=') + partWord(state.view));
    if (state.range) parts.push('r=' + partWord(state.range));
    if (state.step) parts.push('with=' + encodeURIComponent(state.step));
    if (state.page) parts.push('in=' + state.page);
    return '#' + parts.join('&');
  }
  /* Returns the selection in the address, or null if the address has another form. */
  function readAddress() {
    const state = { kind: '', name: '', from: -1, view: null, range: null, step: '', page: '' };
    let isOurs = false;
    location.hash.slice(1).split('&').forEach((part) => {
      const at = part.indexOf('='), key = part.slice(0, at);
      let value = part.slice(at + 1);
      try { value = decodeURIComponent(value); } catch (e) { /* decoding fails if a user typed a percent sign */ }
      const colon = value.indexOf(':');
      if (key === 'sel' && colon > 0) {
        state.kind = value.slice(0, colon);
        state.name = value.slice(colon + 1);
      } else if (key === 't') {
        const start = nanoseconds(value.split('-')[0]);
        if (!(start >= 0)) return;
        state.from = start;
        state.view = readPart(value);
      } else if (key === 'v') state.view = readPart(value);
      else if (key === 'r') state.range = readPart(value);
      else if (key === 'with') state.step = value;
      else if (key === 'in') state.page = value;
      isOurs = isOurs || /^(sel|t|r|with)$/.test(key);
    });
    if (!isOurs || (!state.kind && state.from < 0 && !state.range && !state.step)) return null;
    if (!state.kind && state.from >= 0 && !state.view) state.view = [state.from, state.from + 1e6];
    if (state.kind && state.view && state.from === state.view[0]) state.from = (state.view[0] + state.view[1]) / 2;
    return state;
  }

  /* ---- places: table rows with the item that they name ---- */

  const places = [];
  function sectionOf(element) {
    const section = element.closest('section');
    return { prefix: section.id.replace(/[a-z_]+$/, ''), name: section.id.replace(/^[a-z]*\d+-/, ''), title: (one('h2', section) || section).textContent };
  }
  /* Returns the name of the item in a cell. A line is shown as its function, but named "file(line): function". */
  function shownName(code, kind) {
    return flat(kind === 'line' && (code.getAttribute('data-tip') || code.title) || code.textContent);
  }
  /* Returns the shown name and all other names of the same item: the full name, and those in other tables and in the
   * timeline. */
  function namesOf(cell, kind) {
    const full = one('.full', cell), code = one('code', cell), tip = code.getAttribute('data-tip') || code.title, names = [shownName(code, kind)];
    if (full) names.push(flat(full.textContent));
    if (tip) names.push(flat(tip));
    /* also adds a truncated name without the part that distinguishes it from similar names */
    if (/….+/.test(names[0])) names.push(names[0].replace(/….*/, '…'));
    if (kind === 'module') names.push('nn.Module: ' + names[0]);
    return names;
  }
  const isCalled = (place, state) => place.page === state.page && place.names.includes(flat(state.name));
  function addRow(row) {
    const cell = row.cells[0], table = row.closest('table'), section = sectionOf(table), more = one('.more', cell), code = one('code', cell);
    const kind = (/(line|step)$/.exec(table.getAttribute('data-name')) || [])[0] || KINDS[section.name];
    if (!kind || !code || /^(works|time|kinds of work|module classes|kernels by duration|streams|launch delays|launch delay decades)$/.test(table.getAttribute('data-name'))) return;
    const names = namesOf(cell, kind), name = names[0];
    if (!name || (kind === 'line' && /^[[(]/.test(name))) return; /* skips lines such as "[no host event]" */
    places.push({ kind, name, names, row, page: section.prefix, title: section.title });
    const link = make('a', { 'class': 'go', href: address({ kind, name, page: section.prefix }) });
    if (more) {
      link.textContent = 'Show in the timeline';
      more.insertBefore(make('p', {}), more.firstChild).appendChild(link);
    } else if (!one('a', code)) {
      link.append(...code.childNodes);
      code.appendChild(link);
    }
  }
  all('section table.data[data-name] > tbody > tr').forEach(addRow);

  /* Adds links to names without one, if the timeline or a row knows the name. Such names are in trees, in memory, in
   * calls that wait, in the table of streams, and in evidence. */
  function knownNames(viewer, page) {
    const kinds = Object.create(null);
    viewer.streams().forEach((title) => { kinds[title] = 'stream'; });
    viewer.data.names.forEach((name, i) => { if (i) kinds[flat(name)] = viewer.kindOf(i); });
    places.forEach((place) => { if (place.page === page) place.names.forEach((name) => { kinds[name] = place.kind; }); });
    return kinds;
  }
  function knownAs(text, kinds) {
    const whole = text.replace(/ [[(].*/, '');
    return [text, 'nn.Module: ' + text, whole, 'aten::' + whole].find((name) => name && kinds[name]);
  }
  function linkKnown(viewer, page) {
    const kinds = knownNames(viewer, page);
    all('table.data[data-name] td.nm > code, table.data[data-name] td.nm > div > code, table.data td.t, .rest li > code').forEach((cell) => {
      const name = knownAs(shownName(cell, cell.closest('.nm') ? 'line' : ''), kinds);
      if (one('a', cell) || !name || sectionOf(cell).prefix !== page) return;
      const link = make('a', { 'class': 'go', href: address({ kind: kinds[name], name, page }) }), row = cell.closest('td.nm');
      link.append(...cell.childNodes);
      cell.appendChild(link);
      if (row) places.push({ kind: kinds[name], name, names: [name], row: row.parentNode, page, title: sectionOf(cell).title });
    });
  }

  /* ---- evidence ---- */

  all('.rest li[data-t]').forEach((item) => {
    const text = item.firstChild, state = { kind: 'event', name: one('code', item).textContent, from: +item.getAttribute('data-t'), page: sectionOf(item).prefix };
    if (!one('#' + state.page + 'timeline')) return;
    item.insertBefore(make('a', { href: address(state) }, text.textContent.replace(/:\s*$/, '')), text);
    text.textContent = ': ';
  });
  /* ---- rows of tables in the panel of the timeline ---- */

  const viewers = {}; /* key: prefix of the page */
  const viewerOf = (state) => viewers[state.page] || viewers[Object.keys(viewers)[0]];

  function rowFacts(row) {
    const facts = [];
    all('thead th', row.closest('table')).forEach((head, i) => {
      const value = row.cells[i] && row.cells[i].textContent.trim();
      if (i && value && !head.classList.contains('b') && facts.length < 4) facts.push(flat(head.innerText) + ' ' + value);
    });
    return facts.join(' · ');
  }
  function openAround(element) {
    for (let box = element.closest('details'); box; box = box.parentElement.closest('details')) box.open = true;
  }
  function goTo(row) {
    openAround(row);
    row.scrollIntoView({ block: 'center' });
    row.setAttribute('tabindex', '-1');
    row.focus({ preventScroll: true });
  }
  function addPlaces(panel, state) {
    const list = make('ul', { 'class': 'places' }), shown = {};
    places.forEach((place) => {
      const table = isCalled(place, state) && place.row.closest('table').getAttribute('data-name');
      if (list.children.length > 9 || table === false || (shown[table] = (shown[table] || 0) + 1) > 3) return;
      const button = make('button', { type: 'button' }, place.title), item = make('li', {});
      button.addEventListener('click', () => goTo(place.row));
      item.append(button, ' ' + rowFacts(place.row));
      list.append(item);
    });
    if (list.children.length) panel.appendChild(list);
  }

  /* ---- one selection ---- */

  function markRows(state) {
    all('tr.sel').forEach((row) => row.classList.remove('sel'));
    places.forEach((place) => { if (state && isCalled(place, state)) place.row.classList.add('sel'); });
  }
  /* current: the address that the page shows; another one is about to be applied. settled: the state that this address
   * already opens, as text */
  let current = location.hash, settled = '';
  function apply() {
    current = location.hash;
    const state = readAddress(), viewer = state && viewerOf(state);
    markRows(state);
    if (!state) return;
    const here = places.filter((place) => isCalled(place, state));
    if (viewer) {
      state.names = here.reduce((names, place) => names.concat(place.names), [flat(state.name)]);
      viewer.select(state);
      viewer.panel.setAttribute('data-of', current);
      settled = JSON.stringify(viewer.state());
      viewer.scroll();
      return;
    }
    const card = one('#' + CSS.escape(state.page + 'timeline'));
    /* the timeline starts when it becomes visible, and then applies the selection */
    if (card && one('.tldata', card)) {
      openAround(card);
      card.scrollIntoView();
    } else if (here.length) goTo(here[0].row);
  }
  addEventListener('hashchange', apply);

  document.addEventListener('tracepress-timeline', (event) => {
    const viewer = event.detail, page = sectionOf(viewer.card).prefix, state = readAddress();
    viewers[page] = viewer;
    settled = JSON.stringify(viewer.state());
    linkKnown(viewer, page);
    viewer.href = (kind, name, from) => address({ kind, name, from, page });
    viewer.places = (box, name) => addPlaces(box, { name, page });
    /* the user changed view, selection or range */
    viewer.onchange = () => {
      const now = viewer.state(), text = JSON.stringify(now);
      if (location.hash !== current || text === settled) return;
      settled = text;
      now.page = page;
      markRows(now.kind ? now : null);
      try { history.replaceState(null, '', address(now) === '#' ? location.pathname + location.search : address(now)); } catch (e) { /* some frames forbid this */ }
      current = location.hash;
    };
    viewer.data.steps.forEach((step) => entries.push({ kind: 'step', name: step.name, page }));
    sources.push(() => viewer.search().map((entry) => ({ ...entry, page })));
    if (!Object.keys(viewers).some((other) => other !== page) && !/\d/.test(page)) viewer.bar.append(box);
    if (state && state.page === page) apply();
  });

  /* ---- one search ---- */

  const entries = [], sources = [], box = make('span', { 'class': 'find' }), hits = make('ul', { id: 'hits', role: 'listbox', 'aria-label': 'Found', hidden: '' });
  const input = make('input', {
    'class': 'inp', type: 'search', placeholder: 'Find (press /)', 'aria-label': 'Find operators, kernels, modules, lines, findings and steps',
    role: 'combobox', 'aria-controls': 'hits', 'aria-expanded': 'false', 'aria-autocomplete': 'list', autocomplete: 'off'
  });
  places.forEach((place) => entries.push(place));
  all('.acts h3').forEach((title) => entries.push({ kind: 'finding', name: flat(title.textContent), row: title.closest('li'), page: sectionOf(title).prefix }));

  function timeText(ns) { return ns >= 1e9 ? (ns / 1e9).toFixed(2) + ' s' : ns >= 1e6 ? (ns / 1e6).toFixed(2) + ' ms' : (ns / 1e3).toFixed(1) + ' µs'; }
  /* Returns what has the wanted text: exact names first, then names in the timeline by their total time, then the rest. */
  let timed = null;
  function found(wanted) {
    const seen = new Set(), isStep = (entry) => entry.kind === 'step' && ('step ' + entry.name).toLowerCase() === wanted;
    timed = timed || sources.flatMap((source) => source()).sort((a, b) => b.ns - a.ns);
    const matches = timed.concat(entries).filter((entry) => {
      const key = entry.page + ' ' + flat(entry.name), text = (entry.kind === 'step' ? 'step ' : '') + entry.name + ' ' + (entry.full || '');
      if (!text.toLowerCase().includes(wanted) || (seen.has(key) && !entry.lane)) return false;
      seen.add(key);
      return true;
    });
    return matches.filter(isStep).concat(matches.filter((entry) => !isStep(entry)));
  }
  function choose(entry) {
    const hash = address({ kind: entry.kind, name: entry.name, page: entry.page });
    input.value = '';
    list('');
    input.blur();
    if (entry.kind === 'finding') goTo(entry.row);
    else if (hash === location.hash) apply();
    else location.hash = hash;
    if (entry.lane) one('canvas', viewerOf(entry).card).focus({ preventScroll: true });
  }
  function mark(item) {
    all('[aria-selected]', hits).forEach((other) => other.removeAttribute('aria-selected'));
    if (!item) { input.removeAttribute('aria-activedescendant'); return; }
    item.setAttribute('aria-selected', 'true');
    input.setAttribute('aria-activedescendant', item.id);
    item.scrollIntoView({ block: 'nearest' });
  }
  let shown = [];
  function list(wanted) {
    const note = (text) => hits.appendChild(make('li', { role: 'option', 'aria-disabled': 'true' }, text));
    shown = wanted ? found(wanted) : [];
    hits.textContent = '';
    shown.slice(0, MOST_HITS).forEach((entry, i) => {
      const item = hits.appendChild(make('li', { role: 'option', id: 'hit' + i }));
      item.append(make('code', entry.full ? { 'data-tip': entry.full } : {}, entry.name), make('span', { 'class': 'm' }, entry.lane || entry.kind));
      if (entry.lane) item.append(make('span', {}, entry.calls.toLocaleString('en') + '×'), make('span', {}, timeText(entry.ns)));
      item.addEventListener('mousedown', (event) => { event.preventDefault(); choose(entry); });
    });
    if (wanted && !shown.length) note('No matches');
    if (shown.length > MOST_HITS) note('and ' + (shown.length - MOST_HITS) + ' more');
    hits.hidden = !wanted;
    input.setAttribute('aria-expanded', !!wanted);
    mark(shown.length ? hits.firstChild : null);
  }
  function move(by) {
    const items = all('[id^=hit]', hits), now = items.indexOf(one('[aria-selected]', hits));
    if (items.length) mark(items[(now + by + items.length) % items.length]);
  }
  input.addEventListener('input', () => list(input.value.trim().toLowerCase()));
  input.addEventListener('focus', () => { timed = null; });
  input.addEventListener('blur', () => { hits.hidden = true; });
  input.addEventListener('keydown', (event) => {
    const item = one('[aria-selected]', hits);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.key === 'Enter' && item) choose(shown[+item.id.slice(3)]);
    else if (event.key === 'Escape') { input.value = ''; list(''); } else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    input.focus();
    event.preventDefault();
  });
  box.append(input, hits);
  if (entries.length || one('.tldata')) one('#tools').prepend(box);
  apply();
}());
