"""check_damage.py TRACEPRESS WORK SEED COUNT: damages jobs of simulate.py and checks that the page of a damaged job agrees with that
of the undamaged job, or says that it cannot judge.

A damage is one of: missing ranks; the trace of a rank with a flipped bit, cut, or without its kernels or the second half of its
events; its summary, or that of all ranks, cut or with flipped bytes. The check compares the cause and the ranks of the
page's first finding that names a cause. Missing ranks are ignored. A page without such a finding must say what is
missing or damaged; if no page can be made, the exit code says so. The cause can be at a later place in the list of the
undamaged job, because the loss of the remaining ranks can be smaller. If ranks are missing, two slow ranks can also
look like a part of a slower level. Such a page names both causes, and one of them must be the cause of the undamaged
job.
"""
import gzip
import json
import os
import random
import shutil
import subprocess
import sys

TRACEPRESS, WORK, SEED, COUNT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
HERE = os.path.dirname(os.path.abspath(__file__))
# shape and cause of each job that simulate.py makes
JOBS = [('dp8', 'clean'), ('dp8', 'slow-rank'), ('dp8', 'half'), ('dp8', 'late'), ('dp8', 'storage'), ('dp8', 'all-links'),
        ('pp4dp2', 'clean'), ('pp4dp2', 'host-link'), ('pp4dp2', 'slow-stage'), ('pp4dp2', 'slow-rank'),
        ('tensor:4,4,1,4', 'clean'), ('tensor:4,4,1,4', 'host-link'), ('tensor:4,4,1,4', 'slow-host'), ('tensor:4,4,1,4', 'imbalance'),
        ('tensor:4,4,1,4', 'pauses'), ('dp8', 'two'), ('dp8', 'slow-host'), ('tensor:4,4,1,4', 'half'), ('fsdp:1,8,1,4', 'clean'), ('fsdp:1,8,1,4', 'slow-rank'), ('moe:4,4,1,4', 'clean'),
        ('moe:4,4,1,2', 'host-link')]
NOT_CAUSES = ('missing_ranks', 'damaged_ranks')


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def ranks_of(text):
    found = set()
    for part in filter(None, text.split(',')):
        first, _, last = part.partition('-')
        found.update(range(int(first), int(last or first) + 1))
    return found


class Job:
    """A complete job: its traces, their summaries, and the findings of the page."""

    def __init__(self, shape, cause):
        self.name = '%s %s' % (shape, cause)
        self.folder = os.path.join(WORK, self.name.replace(' ', '.').replace(':', '.'))
        shutil.rmtree(self.folder, ignore_errors=True)
        made = run(sys.executable, os.path.join(HERE, 'simulate.py'), os.path.join(self.folder, 'traces'), shape, cause,
                   '--seed', str(SEED))
        assert made.returncode == 0, made.stderr
        self.traces = sorted(os.listdir(os.path.join(self.folder, 'traces')))
        os.mkdir(os.path.join(self.folder, 'parts'))
        for trace in self.traces:
            self.summarize(self.trace(trace), self.part(trace))
        self.whole = self.causes(*self.parts())
        assert self.whole is not None and bool(self.whole) == (cause != 'clean'), (self.name, self.whole)

    def trace(self, name):
        return os.path.join(self.folder, 'traces', name)

    def part(self, name):
        return os.path.join(self.folder, 'parts', name + '.tps')

    def parts(self, without=()):
        return [self.part(name) for name in self.traces if name not in without]

    def summarize(self, trace, to):
        return run(TRACEPRESS, 'summarize', trace, '-q', '-o', to).returncode

    def causes(self, *files):
        """Returns (findings that name a cause, ranks), or None if there is no page. Asserts that the page reports
        missing data."""
        out = os.path.join(self.folder, 'out.json')
        if os.path.exists(out):
            os.remove(out)
        done = run(TRACEPRESS, 'report', *files, '-q', '--json', out)
        assert done.returncode in (0, 3), (self.name, files, done.returncode, done.stderr)
        if not os.path.exists(out) or done.returncode == 3:
            return None
        with open(out, encoding='utf-8') as file:
            document = json.load(file)
        pages = document.get('jobs') or [page for a_run in document.get('runs', []) for page in a_run.get('job', [])]
        if not pages:
            return None
        assert len(pages) == 1, self.name
        self.page = pages[0]
        self.said = done.stderr.decode()
        told = [f for f in self.page['findings'] if f['cause'] not in NOT_CAUSES]
        self.either = [(other['cause'], ranks_of(told[0]['ranks'])) for other in told[0]['fits_as_well']
                       if 'not here' in told[0]['detail']] if told else []
        return [(f['cause'], ranks_of(f['ranks']), f['title']) for f in told]


# ---- damages: each function returns (description, files for the report) ----

def drop_ranks(job, chance):
    gone = set(chance.sample(job.traces, chance.choice((1, 1, 1, 2, len(job.traces) // 4))))
    return '%s dropped' % ', '.join(sorted(gone)), job.parts(gone)


def damaged_trace(job, chance):
    name = chance.choice(job.traces)
    with open(job.trace(name), 'rb') as file:
        data = bytearray(file.read())
    how = chance.choice(('flip', 'cut', 'cut text', 'no kernels', 'half'))
    at = chance.randrange(20, len(data))
    if how == 'flip':
        data[at] ^= 1 << chance.randrange(8)
    elif how == 'cut':
        del data[at:]
    else:
        text = gzip.decompress(bytes(data))
        document = json.loads(text)
        events = document['traceEvents']
        if how == 'cut text':
            text = text[:chance.randrange(100, len(text) - 2)]
        else:
            kept = [e for e in events if e.get('cat') != 'kernel'] if how == 'no kernels' else events[:len(events) // 2]
            text = json.dumps(dict(document, traceEvents=kept)).encode()
        data = gzip.compress(text, 1, mtime=0)
    traces, to = os.path.join(job.folder, 'damaged'), os.path.join(job.folder, 'damaged.tps')
    shutil.rmtree(traces, ignore_errors=True)
    os.mkdir(traces)
    trace = os.path.join(traces, name)
    with open(trace, 'wb') as file:
        file.write(data)
    if chance.random() < 0.3: # in some cases, uses the page of the traces instead of the page of the summaries
        for other in job.traces:
            if other != name:
                os.link(job.trace(other), os.path.join(traces, other))
        return '%s: %s at %d, traces' % (name, how, at), [traces]
    if os.path.exists(to):
        os.remove(to)
    job.summarize(trace, to)
    return '%s: %s at %d' % (name, how, at), job.parts({name}) + ([to] if os.path.exists(to) else [])


def bad_bytes(data, chance):
    if chance.random() < 0.5:
        at = chance.randrange(1, len(data))
        return 'cut at %d' % at, data[:at]
    data = bytearray(data)
    places = [chance.randrange(len(data)) for _ in range(chance.choice((1, 1, 3)))]
    for at in places:
        data[at] ^= 1 << chance.randrange(8)
    return 'flipped at %s' % places, bytes(data)


def damaged_summary(job, chance):
    name, to = chance.choice(job.traces), os.path.join(job.folder, 'damaged.tps')
    with open(job.part(name), 'rb') as file:
        what, data = bad_bytes(file.read(), chance)
    with open(to, 'wb') as file:
        file.write(data)
    return '%s.tps: %s' % (name, what), job.parts({name}) + [to]


def damaged_job(job, chance):
    to = os.path.join(job.folder, 'job.tps')
    assert run(TRACEPRESS, 'merge', *job.parts(), '-q', '-o', to).returncode == 0
    with open(to, 'rb') as file:
        what, data = bad_bytes(file.read(), chance)
    with open(to, 'wb') as file:
        file.write(data)
    return 'job.tps: %s' % what, [to]


def judge(job, what, files):
    """Returns 'same', 'less' (another cause of the undamaged job, or none), 'either' (the second of two named causes)
    or 'nothing'. Asserts that the page names no other cause."""
    got = job.causes(*files)
    if got is None:
        return 'nothing'
    is_summary = 'ranks' in job.page
    incomplete = not is_summary or job.page['missing_ranks'] or job.page['damaged_ranks']
    there = {rank['rank'] for rank in job.page['ranks']} if is_summary else set(range(len(job.traces)))
    if not got:
        assert incomplete or not job.whole, (job.name, what, 'silent, and nothing says why')
        return 'less' if job.whole else 'same'
    known = [(cause, ranks & there) for cause, ranks, _ in job.whole]
    cause = (got[0][0], got[0][1] & there)
    if not is_summary: # this page does not list the ranks, but they must be among those of the undamaged job
        known = [(other, ranks & cause[1] if cause[1] else ranks) for other, ranks in known]
    if cause not in known and incomplete and any((other, ranks & there) in known for other, ranks in job.either):
        return 'either'
    assert cause in known, (job.name, what, got, job.whole)
    return 'same' if cause == known[0] else 'less'


def main():
    jobs = [Job(*job) for job in JOBS]
    counts = {}
    for number in range(COUNT):
        chance = random.Random('%d %d' % (SEED, number))
        job = jobs[number % len(jobs)]
        damage = chance.choice((drop_ranks, drop_ranks, damaged_trace, damaged_trace, damaged_summary, damaged_job))
        what, files = damage(job, chance)
        verdict = judge(job, '%d %s' % (number, what), files)
        key = '%s: %s' % (damage.__name__, verdict)
        counts[key] = counts.get(key, 0) + 1
    print(', '.join('%s %d' % item for item in sorted(counts.items())))


main()
