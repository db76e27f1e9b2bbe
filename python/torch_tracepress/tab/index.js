/* The tab has controls to select a run, a trace, and the run to compare with. Below them is the page, in a frame
 * without an origin. The server makes pages one at a time. The tab polls the address `make` until the page exists. All
 * addresses are relative, because TensorBoard can have a path prefix. Names and messages are always set as text, never
 * as markup. */

const POLL_MS = 5000;
const CSS = `
  html { height: 100%; color-scheme: light }
  html.dark { color-scheme: dark }
  body { margin: 0; height: 100vh; height: 100dvh; display: flex; flex-direction: column; background: #fff; color: #212121;
    font: 13px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
  .bar { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 14px; padding: 8px 14px; border-bottom: 1px solid #dadce0 }
  .bar label { display: flex; flex-direction: column; gap: 2px; color: #5f6368; font-size: 11px; min-width: 0 }
  .bar label.check { flex-direction: row; align-items: center; gap: 5px; height: 28px; font-size: 13px; color: inherit }
  .bar label[hidden] { display: none }
  .bar input { accent-color: #1967d2 }
  select, button { font: inherit; font-size: 13px; height: 28px; box-sizing: border-box; border: 1px solid #bdc1c6; border-radius: 4px;
    background: #fff; color: #212121; padding: 0 8px }
  select { min-width: 9em; max-width: min(24em, 100%); text-overflow: ellipsis }
  button { cursor: pointer }
  button.fresh { background: #1967d2; border-color: #1967d2; color: #fff }
  button[hidden], a[hidden] { display: none }
  :disabled { opacity: .55; cursor: default }
  :focus-visible { outline: 2px solid #1967d2; outline-offset: 1px }
  a { color: #1967d2; line-height: 28px }
  .end { margin-inline-start: auto; display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center }
  .note { color: #5f6368; max-width: 60ch; overflow-wrap: anywhere; white-space: pre-line }
  .note:empty { display: none }
  .main { flex: 1; min-height: 0; position: relative; display: flex }
  .main iframe { border: 0; flex: 1; width: 100%; background: Canvas }
  .panel { margin: 12vh auto 0; padding: 0 24px; max-width: 70ch; overflow: auto; text-align: center }
  .panel h2 { font-size: 16px; font-weight: 500; margin: 0 0 8px }
  .panel p { margin: 0 0 12px; color: #5f6368 }
  .panel pre { text-align: start; white-space: pre-wrap; overflow-wrap: anywhere; padding: 10px 12px; border-radius: 4px;
    background: #f1f3f4; font: 12px/1.5 ui-monospace, "Roboto Mono", monospace }
  .panel[hidden] { display: none }
  .dark body { background: #303030; color: #e8eaed }
  .dark .bar { border-color: #555 }
  .dark .bar label:not(.check), .dark .note, .dark .panel p { color: #bdc1c6 }
  .dark select, .dark button { background: #3c4043; color: #e8eaed; border-color: #5f6368 }
  .dark button.fresh { background: #8ab4f8; border-color: #8ab4f8; color: #202124 }
  .dark a { color: #8ab4f8 }
  .dark .bar input { accent-color: #8ab4f8 }
  .dark .panel pre { background: #202124 }
  .dark :focus-visible { outline-color: #8ab4f8 }
  @media (max-width: 600px) {
    .bar { gap: 6px 10px; padding: 6px 10px }
    .bar label:not(.check) { flex: 1 1 40% }
    .bar label:first-child { flex-basis: 100% }
    select { width: 100%; max-width: none; min-width: 0 }
    .end { margin-inline-start: 0 }
    .panel { margin-top: 5vh; padding: 0 12px }
  }`;

const node = (tag, props, ...children) => {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
};
const field = (text, control) => node('label', {}, text, control);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const visible = () => (document.hidden
  ? new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true })) : undefined);

/* Stores choices in the browser, which may forbid storage. */
const kept = {
  get(name) { try { return localStorage.getItem(`tracepress.${name}`) ?? ''; } catch { return ''; } },
  /* the browser forbids storage, so the choice is lost */
  set(name, value) { try { localStorage.setItem(`tracepress.${name}`, value); } catch { } },
};

/* The window of TensorBoard; null if it has another origin than this tab. */
const board = (() => { try { return window.parent.document.body && window.parent; } catch { return null; } })();

/* Returns the choice in TensorBoard's address, where users can share it:
 * #tracepress&run=NAME&trace=NAME&base=NAME&base_trace=NAME */
const linked = () => {
  const words = (board?.location.hash ?? '').slice(1).split('&');
  return new URLSearchParams(words.shift() === 'tracepress' ? words.join('&') : '');
};
const link = (names) => {
  if (board && /^#tracepress(&|$)/.test(board.location.hash)) {
    board.history.replaceState(board.history.state, '', `#tracepress&${new URLSearchParams(names)}`);
  }
};

const ask = async (path, query) => {
  const reply = await fetch(`./${path}?${new URLSearchParams(query)}`);
  if (!reply.ok) throw Object.assign(new Error(await reply.text()), { status: reply.status });
  return reply.json();
};

/* Follows TensorBoard's dark mode, which is a class of its body, or otherwise that of the system. */
const followTheme = () => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const choose = () => {
    const isDark = board ? board.document.body.classList.contains('dark-mode') : system.matches;
    document.documentElement.classList.toggle('dark', isDark);
  };
  if (board) new MutationObserver(choose).observe(board.document.body, { attributeFilter: ['class'] });
  system.addEventListener('change', choose);
  choose();
};

/* Fills a select element with groups [title, [[text, value], ..]]. Changes nothing if it already has them. */
const fill = (select, groups, value) => {
  const text = JSON.stringify(groups);
  if (text !== select.filledWith) {
    select.filledWith = text;
    select.replaceChildren(...groups.flatMap(([title, items]) => {
      const options = items.map(([name, id]) => new Option(name, id));
      return title && items.length ? [node('optgroup', { label: title }, ...options)] : options;
    }));
  }
  const values = groups.flatMap(([, items]) => items.map(([, id]) => id));
  select.value = values.includes(value) ? value : values[0] ?? '';
};

const stem = (name) => name.replace(/\.(pt\.trace\.json|pickle|pkl)(\.gz)?$/, '');

class Tab {
  constructor() {
    this.runs = [];
    this.version = '';
    this.shown = { key: '', choice: '', version: '' };
    this.turn = 0;
    this.left = [];
    this.run = node('select', { id: 'run' });
    this.trace = node('select', { id: 'trace' });
    this.base = node('select', { id: 'base' });
    this.history = node('input', { type: 'checkbox', id: 'history', checked: kept.get('history') === 'yes' });
    this.follow = node('input', { type: 'checkbox', id: 'follow', checked: kept.get('follow') === 'yes' });
    this.historyField = node('label', { className: 'check', title: 'The trend over the other runs, in the report' }, this.history, 'History');
    this.followField = node('label', { className: 'check', title: 'Show a newer trace as soon as it is there' }, this.follow, 'Follow');
    this.fresh = node('button', { className: 'fresh', id: 'fresh', hidden: true });
    this.note = node('span', { className: 'note' });
    this.note.setAttribute('role', 'status');
    this.scalars = node('a', { textContent: 'Scalars', hidden: true, href: '../../../#timeseries', target: '_parent',
      title: 'What this run writes for TensorBoard while it goes on' });
    this.alone = node('a', { textContent: 'Open alone', hidden: true, target: '_blank', rel: 'noopener' });
    this.panel = node('div', { className: 'panel' });
    this.panel.setAttribute('aria-live', 'polite');
    this.main = node('div', { className: 'main' }, this.panel);
    this.frame = null;
  }

  start() {
    document.head.append(node('style', { textContent: CSS }), node('title', { textContent: 'tracepress' }));
    document.documentElement.lang = 'en';
    document.body.append(
      node('div', { className: 'bar' }, field('Run', this.run), field('Trace', this.trace), field('Compare with', this.base),
        this.historyField, this.followField, node('div', { className: 'end' }, this.note, this.fresh, this.scalars, this.alone)),
      this.main);
    followTheme();
    for (const control of [this.run, this.trace, this.base, this.history]) control.addEventListener('change', () => this.chosen());
    this.follow.addEventListener('change', () => { kept.set('follow', this.follow.checked ? 'yes' : 'no'); this.arrived(); });
    this.scalars.addEventListener('click', (event) => {
      if (!board) return;
      event.preventDefault();
      board.location.hash = 'timeseries';
    });
  }

  row() { return this.runs.find((row) => row.id === this.run.value); }

  /* Returns the query for the selected page, and the versions of its traces. */
  choice() {
    const row = this.row();
    if (!row) return null;
    const [base, baseTrace] = this.base.value.split('/');
    const query = { run: row.id };
    if (this.trace.value) query.trace = this.trace.value;
    if (base) query.base = base;
    if (base && baseTrace) query.base_trace = baseTrace;
    if (!base && this.history.checked && !this.history.disabled) query.history = '1';
    const version = (run, trace) => (trace ? run?.traces.find((each) => each.id === trace) : run)?.version ?? '';
    return { query, version: version(row, query.trace) + version(this.runs.find((each) => each.id === base), baseTrace) };
  }

  /* Fills the controls from the listing and keeps the selection. `names` are the names in a followed link, which are
   * selected once. */
  offer(names = new URLSearchParams()) {
    const newest = this.runs.reduce((best, row) => (best && best.newest_ms >= row.newest_ms ? best : row), undefined);
    const traceOf = (run, name) => run?.traces.find((each) => name && [each.name, stem(each.name)].includes(name))?.id;
    const named = (name) => this.runs.find((row) => row.name === name);
    fill(this.run, [['', this.runs.map((row) => [row.name, row.id])]], named(names.get('run'))?.id || this.run.value || newest?.id);
    const row = this.row();
    const traces = row?.traces ?? [];
    const isOne = traces.length === 1;
    const all = traces.length > 1 ? [[`all ${row.together}`, '']] : [];
    fill(this.trace, [['', all], ['One', traces.map((each) => [stem(each.name), isOne ? '' : each.id])]],
      (!isOne && traceOf(row, names.get('trace'))) || this.trace.value);
    const runs = this.runs.filter((each) => each !== row).map((each) => [each.name, each.id]);
    const siblings = this.trace.value ? traces.filter((each) => each.id !== this.trace.value) : [];
    const linkedBase = named(names.get('base'));
    const linkedTrace = traceOf(linkedBase, names.get('base_trace'));
    const own = siblings.map((each) => [stem(each.name), `${row.id}/${each.id}`]);
    fill(this.base, [['', [['nothing', '']]], ['Runs', runs], ['Traces of this run', own]],
      (linkedTrace ? `${linkedBase.id}/${linkedTrace}` : linkedBase?.id) || this.base.value);
    this.trace.disabled = traces.length < 2;
    this.base.disabled = this.base.options.length < 2;
    this.history.disabled = Boolean(this.base.value) || (row?.is_job && !this.trace.value) || this.runs.length < 2;
    this.scalars.hidden = !row?.has_scalars;
  }

  chosen() {
    this.offer();
    this.remember();
    kept.set('history', this.history.checked ? 'yes' : 'no');
    this.show();
  }

  /* Returns the names of the selection, for the address. */
  names() {
    const { query } = this.choice();
    const named = (run, trace) => {
      const row = this.runs.find((each) => each.id === run);
      return [row.name, trace && stem(row.traces.find((each) => each.id === trace).name)];
    };
    const [run, trace] = named(query.run, query.trace);
    const [base, baseTrace] = query.base ? named(query.base, query.base_trace) : [];
    return Object.entries({ run, trace, base, base_trace: baseTrace }).filter(([, name]) => name);
  }

  say(title, text = '', pre = '', ...more) {
    const parts = [node('h2', { textContent: title })];
    if (text) parts.push(node('p', { textContent: text }));
    if (pre) parts.push(node('pre', { textContent: pre }));
    this.panel.replaceChildren(...parts, ...more);
    this.panel.hidden = false;
    this.frame?.remove();
    this.frame = null;
    this.alone.hidden = true;
    this.shown = { key: '', choice: '', version: '' };
  }

  progress({ state, ahead, seconds }) {
    if (state === 'waiting' && ahead) return `Waiting: ${ahead} ${ahead === 1 ? 'report is' : 'reports are'} made before this one.`;
    if (state === 'writing') return 'The trace is still being written …';
    if (state === 'full') return 'Many reports are being made. This one comes when there is room …';
    return state === 'waiting' || seconds < 2 ? 'Reading the trace …' : `Reading the trace … ${Math.floor(seconds)} s`;
  }

  /* Requests the selected page and shows it. A later call cancels this one. */
  async show(isAgain = false) {
    const turn = ++this.turn;
    const choice = this.choice();
    if (!choice) return;
    const text = JSON.stringify(choice.query);
    this.fresh.hidden = true;
    this.wanted = { choice: text, version: choice.version };
    if (this.isLinking) link(this.names());
    this.isLinking = true; /* keeps the address of the link that the user has followed */
    for (let pause = 200; ; pause = Math.min(1000, pause * 1.5)) {
      let answer;
      try {
        answer = await ask('make', isAgain ? { ...choice.query, again: '1' } : choice.query);
      } catch (error) {
        answer = error.status === 404 ? { state: 'gone' } : { state: 'silent' };
      }
      if (turn !== this.turn) return;
      isAgain = false;
      if (answer.state === 'ready') return this.display(answer, text, choice.version);
      if (answer.state === 'failed') return this.fail(answer);
      if (answer.state === 'gone') return this.say('This run or trace is gone.', 'Choose another one.');
      const said = answer.state === 'silent' ? 'TensorBoard does not answer …' : this.progress(answer);
      if (this.frame && this.shown.choice === text) this.remark(said);
      else this.say(said);
      await sleep(pause);
      await visible();
      if (turn !== this.turn) return;
    }
  }

  /* Shows a note next to the controls: omitted runs of the listing, and remarks about this page. */
  remark(text) { this.note.textContent = [...this.left, text].filter(Boolean).join('\n'); }

  display({ key, text }, choice, version) {
    this.remark(text);
    if (key !== this.shown.key) {
      /* a new frame instead of a new address in the old frame, which would add a step to the browser's history */
      const frame = node('iframe', { title: 'report', src: `./page?key=${encodeURIComponent(key)}` });
      frame.setAttribute('sandbox', 'allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads');
      this.frame?.remove();
      this.panel.hidden = true;
      this.frame = frame;
      this.main.append(frame);
      this.alone.href = frame.src;
      this.alone.hidden = false;
    }
    this.shown = { key, choice, version };
  }

  fail({ text }) {
    const again = node('button', { textContent: 'Try again', id: 'again' });
    again.addEventListener('click', () => this.show(true));
    this.remark('');
    this.say('No report of this', 'The program says:', text || 'nothing', again);
  }

  /* Returns a text about newer traces and a function that shows them, or nothing without newer traces. */
  newer() {
    const choice = this.choice();
    const row = this.row();
    if (choice.version !== this.wanted.version) return { text: 'New trace: show', isSame: true, go: () => this.show() };
    const run = this.runs.find((each) => !this.seen.has(each.id));
    if (run) return { text: `New run ${run.name}: show`, go: () => this.choose(run.id, '') };
    const late = this.trace.value ? row.traces.filter((each) => !this.seen.has(each.id)) : [];
    const worker = (each) => each.name.split('.')[0];
    const own = worker(row.traces.find((each) => each.id === this.trace.value) ?? row.traces[0]);
    const trace = late.find((each) => worker(each) === own) ?? late[0];
    return trace && { text: `New trace ${stem(trace.name)}: show`, go: () => this.choose(row.id, trace.id) };
  }

  choose(run, trace) {
    this.run.value = run;
    this.offer();
    this.trace.value = trace;
    this.base.value = '';
    this.chosen();
  }

  /* Handles a new listing: shows newer traces immediately if the user wants this, or offers them. */
  arrived() {
    if (!this.wanted || !this.choice()) return;
    const isOther = JSON.stringify(this.choice().query) !== this.wanted.choice; /* the selected trace no longer
                                                                                 * exists */
    const newer = isOther ? { go: () => this.chosen() } : this.newer();
    this.fresh.hidden = !newer;
    if (!newer) return;
    this.fresh.textContent = newer.text ?? '';
    this.fresh.onclick = newer.go;
    if (isOther || this.follow.checked || (newer.isSame && !this.frame)) newer.go();
  }

  /* Marks all current traces as seen. */
  remember() { this.seen = new Set(this.runs.flatMap((row) => [row.id, ...row.traces.map((each) => each.id)])); }

  async look() {
    let listing;
    try {
      listing = await ask('runs', { have: this.version });
    } catch {
      if (!this.frame) this.say('TensorBoard does not answer …');
      return;
    }
    if (!listing.runs) return;
    this.version = listing.version;
    this.runs = listing.runs;
    const isFirst = !this.seen;
    if (isFirst) this.isLinking = !linked().has('run');
    this.offer(isFirst ? linked() : undefined);
    this.left = [listing.is_cut && 'There are too many files: not all folders were searched.',
      listing.remote.length && `Not read: ${listing.remote.join(', ')}`].filter(Boolean);
    if (!this.runs.length) {
      this.turn++;
      this.remark('');
      this.say('No traces yet', 'Here stands the report of each run: of each folder with *.pt.trace.json or *.pt.trace.json.gz, '
        + 'as torch.profiler writes them, or with memory snapshots such as rank0_memory_snapshot.pickle.');
    } else if (isFirst || !this.wanted) {
      this.remember();
      this.show();
    } else this.arrived();
  }
}

export async function render() {
  const tab = new Tab();
  tab.start();
  for (;;) {
    await visible();
    await tab.look();
    await sleep(POLL_MS);
  }
}
