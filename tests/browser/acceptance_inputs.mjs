/* Makes the pages that acceptance.mjs measures, from traces and from generated inputs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

const TRACE = /\.json(\.gz)?$/;

/* Returns all traces below a folder, or the file itself. */
function tracesOf(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? tracesOf(join(path, entry.name)) : TRACE.test(entry.name) ? [join(path, entry.name)] : []));
}

/* Makes pages in the folder work. Collects the pages, what this build or machine cannot make, and what failed. */
export class Pages {
  constructor(tracepress, work) {
    Object.assign(this, { tracepress: resolve(tracepress), work: resolve(work), list: [], skipped: [], failed: [] });
    mkdirSync(join(this.work, 'pages'), { recursive: true });
  }
  run(program, ...args) {
    return execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 300000, cwd: this.work, encoding: 'utf8' });
  }
  /* Returns a name that no other page has. */
  unused(wanted) {
    let name = wanted;
    for (let n = 2; [...this.list, ...this.failed].some((page) => page.name === name); n++) name = `${wanted}_${n}`;
    return name;
  }
  /* Makes one page: make(out) writes the file out. */
  add(wanted, kind, make) {
    const name = this.unused(wanted), file = join(this.work, 'pages', name + '.html');
    rmSync(file, { force: true });
    try {
      make(file);
      this.list.push({ name, kind, file });
    } catch (error) {
      this.failed.push({ name, kind, why: (error.stderr || error.message).trim().split('\n')[0] });
    }
  }
  report(name, kind, ...args) { this.add(name, kind, (out) => this.run(this.tracepress, 'report', '--quiet', '-o', out, ...args)); }
  /* Adds each trace below path as a page of its own, a page that is ready, or a page of summaries. */
  input(path) {
    if (/\.html$/.test(path)) { this.list.push({ name: this.unused(basename(path, '.html')), kind: 'html', file: resolve(path) }); return; }
    if (/\.tps$/.test(path)) { this.report(basename(path, '.tps'), 'job', resolve(path)); return; }
    for (const trace of tracesOf(path)) {
      const parts = (relative(statSync(path).isDirectory() ? path : dirname(path), trace) || basename(trace)).replace(/(\.pt)?(\.trace)?\.json(\.gz)?$/, '');
      this.report(parts.replace(/[^A-Za-z0-9.-]+/g, '_').slice(-90), 'trace', resolve(trace));
    }
  }
  /* Adds a page for each input that tests/data has, or that the build can generate. */
  fixtures(data, build, shared) {
    const python = process.env.PYTHON || 'python3', checks = resolve(dirname(data), 'check'), at = (...parts) => resolve(data, ...parts);
    const made = (...parts) => join(this.work, ...parts);
    const compare = (name, base, now) => this.add(name, 'diff', (out) => this.run(this.tracepress, 'diff', '--quiet', '--exit-zero', '-o', out, base, now));
    this.report('ranks_2', 'ranks', at('ddp'));
    this.report('trace_serving', 'trace', at('traces/case_serving.pt.trace.json.gz'));
    compare('diff', at('diff/base.pt.trace.json.gz'), at('diff/new.pt.trace.json.gz'));
    const sample = (workers) => { const folder = join(shared, 'data/traces/kineto/resnet50_num_workers_' + workers); return existsSync(folder) ? tracesOf(folder)[0] : null; };
    if (sample(0) && sample(4)) compare('diff_workers', resolve(sample(0)), resolve(sample(4)));
    this.add('precision', 'precision', (out) => this.run('sh', '-c', '"$@" || [ $? = 1 ]', 'sh', this.tracepress, 'precision', at('tensors/base'), at('tensors/new'), '--quiet', '-o', out));
    if (existsSync(join(build, 'make_job')))
      for (const [name, ...plan] of [['job_slow', 256, 4, 1, 'compute', 3], ['job_clean', 64, 1, 1, 'clean']])
        this.add(name, 'job', (out) => {
          this.run(resolve(build, 'make_job'), made(name + '.tps'), ...plan.map(String));
          this.run(this.tracepress, 'report', '--quiet', '-o', out, made(name + '.tps'));
        });
    else this.skipped.push('job: make_job is not built');
    this.add('program', 'program', (out) => {
      this.run(python, join(checks, 'program_view.py'), '--make', '7', made('program.json'));
      this.run(this.tracepress, 'report', '--quiet', '-o', out, made('program.json'));
    });
    this.otherInputs(python, dirname(checks));
    this.recorded();
    this.add('history', 'history', (out) => this.history(python, checks, out));
    for (const command of ['check', 'bench'])
      if (!/--html\b/.test(this.run(this.tracepress, command, '--help'))) this.skipped.push(`${command}: this build writes no page`);
    if (!this.skipped.some((line) => line.startsWith('check')))
      this.add('check', 'check', (out) => this.run('sh', '-c', '"$@" || [ $? = 1 ]', 'sh', this.tracepress, 'check', at('diff/new.pt.trace.json.gz'),
        '--baseline', at('diff/base.pt.trace.json.gz'), '--html', out));
    if (!this.skipped.some((line) => line.startsWith('bench')))
      this.add('bench', 'bench', (out) => this.run(this.tracepress, 'bench', '--no-record', '--max-runs', '4', '--html', out, 'sleep 0.01', 'sleep 0.02'));
  }
  /* Adds a page for each kind of input that is not a trace in JSON. */
  otherInputs(python, tests) {
    for (const [name, maker, kind, file] of [['nsys', 'databases.py', 'plain', 'run.sqlite'], ['rocpd', 'databases.py', 'rocpd', 'run.db'],
      ['rpd', 'databases.py', 'rpd', 'run.rpd.gz'], ['pftrace', 'perfetto.py', 'plain', 'trace.pftrace'], ['counters', 'unknown.py', 'clock_limited_by_power', 'trace.json']])
      this.add('input_' + name, 'input', (out) => {
        const folder = join(this.work, 'input_' + name);
        rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder);
        this.run(python, join(tests, 'reports', maker), kind, folder);
        this.run(this.tracepress, 'report', '--quiet', '-o', out, join(folder, file));
      });
    for (const seed of ['3', '6']) /* a program that fits into the memory, and one that does not */
      this.add('snapshot_' + seed, 'snapshot', (out) => {
        const file = join(this.work, `snapshot_${seed}.pickle`);
        this.run(python, join(tests, 'check/snapshot_programs.py'), seed, file);
        this.run(this.tracepress, 'report', '--quiet', '-o', out, file);
      });
  }
  /* Records sort from outside, if the Linux kernel lets tracepress do so. */
  recorded() {
    const folder = join(this.work, 'recording');
    rmSync(folder, { recursive: true, force: true });
    try {
      this.run(this.tracepress, 'record', '--outside', '--no-tfevents', '--quiet', '-o', folder, '--', 'sh', '-c', 'seq 400000 | sort -R | sort >/dev/null');
    } catch {
      this.skipped.push('program_sort: recording from outside failed');
      return;
    }
    this.report('program_sort', 'program', folder);
  }
  /* Makes the page of a trace with the history of twelve runs; the last three are slower. */
  history(python, checks, out) {
    const folder = join(this.work, 'history'), trace = join(this.work, 'trained.pt.trace.json');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    for (let run = 1; run <= 12; run++) {
      this.run(python, join(checks, 'gen_history.py'), trace, String(run > 9 ? 1100 : 1000), String(run));
      this.run(this.tracepress, 'summarize', '--quiet', trace, '-o', join(folder, `c${String(run).padStart(2, '0')}.tps`));
    }
    this.run(this.tracepress, 'report', '--quiet', '-o', out, trace, '--history', folder);
  }
}
