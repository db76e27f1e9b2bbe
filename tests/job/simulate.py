"""simulate.py FOLDER SHAPE CAUSE [--seed N] [--steps N] [--ranks N]: writes traces of a simulated job, and prints what its cause costs.

This is a small discrete-event simulation. Each rank has a host thread that launches work in advance, a stream of kernels and
streams of communication. A collective starts on a rank when its stream is free and its inputs are ready. It ends when the last
rank of its group has started it and the transfer is done. Kernels wait only if the program waits for a handle. The job runs
twice with the same random numbers, with and without the cause. The difference is the cost of the cause. Prints a line of JSON:
cause, ranks, host, step, loss_percent. Uses only the standard library. Equal arguments give equal bytes.
"""
import argparse
import gzip
import io
import json
import os
import random

LAUNCH, GAP = 6.0, 3.0  # us: length of a launch on the host, and delay from the launch to the start on the device


class Meeting:
    """A collective of one group: which ranks have started it, and when each rank may continue."""

    def __init__(self, members, transfer):
        self.members, self.transfer = members, transfer
        self.starts, self.end = {}, None

    def start(self, rank, at):
        self.starts[rank] = at
        if len(self.starts) == len(self.members):
            last = max(self.starts.values())
            self.end = {r: last + self.transfer(r) for r in self.members}
            return True
        return False


class Layout:
    """The layout of a job: groups of ranks by family, hosts, stages."""

    def __init__(self, tp=1, dp=1, pp=1, per_host=8):
        self.tp, self.dp, self.pp, self.n, self.per_host = tp, dp, pp, tp * dp * pp, per_host
        self.groups = {}
        at = lambda t, d, p: (p * dp + d) * tp + t
        if tp > 1:
            self.groups['tp'] = [[at(t, d, p) for t in range(tp)] for p in range(pp) for d in range(dp)]
        if dp > 1:
            self.groups['dp'] = [[at(t, d, p) for d in range(dp)] for p in range(pp) for t in range(tp)]
        if pp > 1:
            self.groups['pp'] = [[at(t, d, p) for p in range(pp)] for d in range(dp) for t in range(tp)]
        self.of = {f: {r: i for i, g in enumerate(gs) for r in g} for f, gs in self.groups.items()}

    def host(self, rank):
        return rank // self.per_host

    def stage(self, rank):
        return rank // (self.tp * self.dp)

    def replica(self, rank):
        return rank // self.tp % self.dp

    def hosts(self, ranks):
        return {self.host(r) for r in ranks}


SHAPES = {
    'dp8': (Layout(dp=8, per_host=4), 'ddp'),
    'tp8': (Layout(tp=8), 'tensor'),
    'pp4dp2': (Layout(dp=2, pp=4, per_host=2), 'pipeline'),
    'pp4dp8': (Layout(dp=8, pp=4, per_host=8), 'pipeline'),
    'tp8dp8': (Layout(tp=8, dp=8), 'tensor'),
    'tp4dp8': (Layout(tp=4, dp=8, per_host=8), 'tensor'),
    'fsdp16': (Layout(dp=16), 'fsdp'),
    'moe32': (Layout(tp=8, dp=4), 'moe'),
    'moe64': (Layout(tp=8, dp=8, per_host=4), 'moe'),
}


class Job:
    def __init__(self, layout, style, cause, seed, steps, is_hit):
        self.layout, self.style, self.seed, self.steps = layout, style, seed, steps
        self.cause = cause if is_hit else 'clean'
        self.planted = cause
        chance = random.Random('%s %s' % (cause, seed))
        self.victim = chance.randrange(layout.n)
        self.host = layout.host(chance.randrange(layout.n))
        self.stage = chance.randrange(layout.pp)
        self.from_step = chance.randrange(2, max(3, steps - 2))
        self.much = chance.uniform(0.15, 0.4)
        self.half = set(chance.sample(range(layout.n), max(1, layout.n // 2)))
        self.moving = {(chance.randrange(layout.n), s) for s in range(steps) for _ in range(max(1, layout.n // 64))}
        self.paused = {(r, s) for r in range(layout.n) for s in range(steps)
                       if chance.random() < max(0.05, 0.6 / layout.n) * (0.2 if layout.n > 500 else 1)}
        lengths = [[chance.uniform(0.7, 1.3) for _ in range(layout.dp)] for _ in range(steps)]
        self.lengths = lengths
        self.mean_length = sum(map(sum, lengths)) / (steps * layout.dp)
        self.two = set(chance.sample(range(layout.n), min(2, layout.n)))
        self.noise = 0.01
        self.meetings, self.counts = {}, {}

    # ---- durations ----

    def factor(self, rank, step):
        """Returns the factor for the lengths of kernels of a rank in a step."""
        c = self.cause
        slow = (c == 'slow-rank' and rank == self.victim or c == 'half' and rank in self.half or c == 'two' and rank in self.two or
                c == 'late' and rank == self.victim and step >= self.from_step or
                c == 'moving' and (rank, step) in self.moving or c == 'slow-host' and self.layout.host(rank) == self.host)
        factor = 1 + (self.much if slow else 0)
        if c == 'slow-stage':
            factor *= 1 + (self.much if self.layout.stage(rank) == self.stage else 0)
        elif self.planted == 'slow-stage':
            factor *= 1 + self.much / self.layout.pp
        if c == 'imbalance':
            factor *= self.lengths[step][self.layout.replica(rank)]
        elif self.planted == 'imbalance':
            factor *= self.mean_length
        return factor

    def link(self, members):
        """Returns a function of the rank, which gives the factor by which a transfer of this group is slower than
        usual."""
        hosts = self.layout.hosts(members)
        crosses = len(hosts) > 1
        if self.cause == 'host-link' and crosses and self.host in hosts:
            return lambda rank: 4.0
        if self.cause == 'host-nic' and crosses and self.host in hosts:  # the other hosts receive their part in time
            return lambda rank: 4.0 if self.layout.host(rank) == self.host else 1.0
        if self.cause == 'all-links' and crosses:
            return lambda rank: 3.0
        return lambda rank: 1.0

    def meeting(self, key, members, us):
        if key not in self.meetings:
            chance = random.Random('%s %s' % (self.seed, key))
            us *= chance.gauss(1, 0.02)
            times = self.link(members)
            self.meetings[key] = Meeting(members, lambda rank: us * times(rank))
        return self.meetings[key]


class Rank:
    """A rank: a host thread, a stream of kernels, and streams of communication."""

    def __init__(self, job, number):
        self.job, self.number = job, number
        self.chance = random.Random('%s rank %d' % (job.seed, number))
        self.now = self.device = 0.0
        self.streams, self.events, self.spans = {}, [], []
        self.step, self.sequence = 0, {}

    def kernel(self, name, us):
        us *= self.job.factor(self.number, self.step) * max(0.5, self.chance.gauss(1, self.job.noise))
        launch, self.now = self.now, self.now + LAUNCH
        start = max(self.device, self.now + GAP)
        self.device = start + us
        self.events.append(('kernel', name, launch, start, us, None))

    def host(self, us):
        self.now += us

    def input(self, us):
        self.events.append(('input', 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', self.now, self.now, us, None))
        self.now += us

    def issue(self, family, what, us, stream, peer=None):
        """Starts a collective, or one end of a transfer between two ranks, on its stream. Generator that returns the
        handle."""
        layout = self.job.layout
        group = layout.groups[family][layout.of[family][self.number]]
        members = group if peer is None else sorted((self.number, peer))
        pair = (family, layout.of[family][self.number], what if peer is None else 'p2p', tuple(members) if peer is not None else ())
        if peer is not None:
            pair += ((self.number, peer) if what == 'send' else (peer, self.number),)
        count = self.sequence[pair] = self.sequence.get(pair, 0) + 1
        meeting = self.job.meeting(pair + (count,), members, us)
        launch, self.now = self.now, self.now + 2 * LAUNCH
        before = self.streams.get(stream)
        while before is not None and before.end is None:
            yield before
        start = max(self.device, self.now + GAP, before.end[self.number] if before else 0.0)
        self.streams[stream] = meeting
        self.events.append(('comm', what, launch, start, meeting, (family, layout.of[family][self.number], group, peer, count, stream, us)))
        if meeting.start(self.number, start):
            self.woken += [r for r in members if r != self.number]
        return meeting

    def wait(self, meeting):
        """Makes later kernels wait for the handle. Generator."""
        while meeting.end is None:
            yield meeting
        self.device = max(self.device, meeting.end[self.number])

    def blocking(self, family, what, us, stream='main'):
        handle = yield from self.issue(family, what, us, stream)
        yield from self.wait(handle)

    def synchronize(self):
        for meeting in self.streams.values():
            yield from self.wait(meeting)
        launch, self.now = self.now, max(self.now + LAUNCH, self.device)
        self.events.append(('sync', 'cudaDeviceSynchronize', launch, launch, self.now - launch, None))

    # ---- the program of a rank ----

    def steps(self):
        job = self.job
        self.woken = []
        for self.step in range(job.steps):
            begin = self.now
            slow = job.cause == 'storage' and job.layout.host(self.number) == job.host
            self.input(self.chance.uniform(300, 500) + (12000 * (1 + job.much) if slow else 0))
            self.host(self.chance.uniform(200, 300))
            self.pause_at = self.chance.randrange(4)
            self.maybe_pause(0)
            yield from getattr(self, job.style)()
            yield from self.synchronize()
            self.spans.append((begin, self.now))
            self.host(20)

    def maybe_pause(self, place):
        if self.job.cause == 'pauses' and (self.number, self.step) in self.job.paused and place == self.pause_at:
            self.host(30000 * (1 + self.job.much))

    def ddp(self):
        for layer in range(6):
            self.kernel('ampere_sgemm_fwd', 2500)
        self.maybe_pause(1)
        handles = []
        for layer in range(6):
            self.kernel('ampere_sgemm_bwd', 5000)
            self.maybe_pause(2 if layer == 2 else 3 if layer == 4 else -1)
            if layer % 2:
                handles.append((yield from self.issue('dp', 'allreduce', 7000, 'dp')))
        for handle in handles:
            yield from self.wait(handle)
        self.kernel('multi_tensor_apply_kernel', 2000)

    def tensor(self):
        layout, handles = self.job.layout, []
        for layer in range(6):
            self.kernel('ampere_sgemm_fwd', 2500)
            yield from self.blocking('tp', 'allreduce', 400)
            self.maybe_pause(1 if layer == 3 else -1)
        for layer in range(6):
            self.kernel('ampere_sgemm_bwd', 5000)
            yield from self.blocking('tp', 'allreduce', 400)
            self.maybe_pause(2 if layer == 2 else 3 if layer == 4 else -1)
            if layer % 3 == 2 and layout.dp > 1:
                handles.append((yield from self.issue('dp', 'allreduce', 6000, 'dp')))
        for handle in handles:
            yield from self.wait(handle)
        self.kernel('multi_tensor_apply_kernel', 2000)

    def fsdp(self):
        layers = 6
        gather = yield from self.issue('dp', '_allgather_base', 2200, 'gather')
        for layer in range(layers):
            yield from self.wait(gather)
            if layer + 1 < layers:
                gather = yield from self.issue('dp', '_allgather_base', 2200, 'gather')
            self.kernel('ampere_sgemm_fwd', 2500)
            self.maybe_pause(1 if layer == 3 else -1)
        gather = yield from self.issue('dp', '_allgather_base', 2200, 'gather')
        scatters = []
        for layer in range(layers):
            yield from self.wait(gather)
            if layer + 1 < layers:
                gather = yield from self.issue('dp', '_allgather_base', 2200, 'gather')
            self.kernel('ampere_sgemm_bwd', 5000)
            self.maybe_pause(2 if layer == 2 else 3 if layer == 4 else -1)
            scatters.append((yield from self.issue('dp', '_reduce_scatter_base', 2200, 'gather')))
        for handle in scatters:
            yield from self.wait(handle)
        self.kernel('multi_tensor_apply_kernel', 2000)

    def moe(self):
        handles = []
        for layer in range(4):
            self.kernel('flash_fwd_kernel', 1500)
            yield from self.blocking('tp', 'all_to_allv', 900)
            self.kernel('grouped_gemm_fwd', 2500)
            yield from self.blocking('tp', 'all_to_allv', 900)
            self.maybe_pause(1 if layer == 2 else -1)
        for layer in range(4):
            yield from self.blocking('tp', 'all_to_allv', 900)
            self.kernel('grouped_gemm_bwd', 5000)
            yield from self.blocking('tp', 'all_to_allv', 900)
            self.kernel('flash_bwd_kernel', 3000)
            self.maybe_pause(2 if layer == 1 else 3 if layer == 2 else -1)
            handles.append((yield from self.issue('dp', 'allreduce', 4000, 'dp')))
        for handle in handles:
            yield from self.wait(handle)
        self.kernel('multi_tensor_apply_kernel', 2000)

    def forward(self, before, after):
        if before is not None:
            handle = yield from self.issue('pp', 'recv', 300, 'from%d' % before, before)
            yield from self.wait(handle)
        self.kernel('ampere_sgemm_fwd', 2500)
        if after is not None:
            yield from self.issue('pp', 'send', 300, 'to%d' % after, after)

    def backward(self, before, after):
        if after is not None:
            handle = yield from self.issue('pp', 'recv', 300, 'back%d' % after, after)
            yield from self.wait(handle)
        self.kernel('ampere_sgemm_bwd', 5000)
        if before is not None:
            yield from self.issue('pp', 'send', 300, 'grad%d' % before, before)

    def pipeline(self):
        layout, batches = self.job.layout, 8
        stage, apart = layout.stage(self.number), layout.tp * layout.dp
        before = self.number - apart if stage else None
        after = self.number + apart if stage + 1 < layout.pp else None
        ahead = min(batches, layout.pp - stage - 1)
        for _ in range(ahead):
            yield from self.forward(before, after)
        self.maybe_pause(1)
        for batch in range(batches - ahead):
            yield from self.forward(before, after)
            self.maybe_pause(2 if batch == 2 else -1)
            yield from self.backward(before, after)
        for _ in range(ahead):
            yield from self.backward(before, after)
        self.maybe_pause(3)
        if layout.dp > 1:
            yield from self.blocking('dp', 'allreduce', 5000, 'dp')
        self.kernel('multi_tensor_apply_kernel', 2000)


def run(job):
    """Runs all ranks. Returns (the ranks, duration of the job)."""
    ranks = [Rank(job, r) for r in range(job.layout.n)]
    walks = [rank.steps() for rank in ranks]
    waits, ready = {}, list(range(len(ranks)))[::-1]
    while ready:
        r = ready.pop()
        try:
            waits[r] = next(walks[r])
        except StopIteration:
            waits.pop(r, None)
        for other in ranks[r].woken:
            if other in waits and waits[other].end is not None:
                del waits[other]
                ready.append(other)
        ranks[r].woken.clear()
        if r in waits and waits[r].end is not None:
            del waits[r]
            ready.append(r)
    assert not waits, 'a deadlock'
    return ranks, max(rank.now for rank in ranks)


# ---- traces ----

DEVICE_NAMES = {'allreduce': 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL', '_allgather_base': 'ncclDevKernel_AllGather_RING_LL',
                '_reduce_scatter_base': 'ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL', 'all_to_allv': 'ncclDevKernel_SendRecv',
                'send': 'ncclDevKernel_SendRecv', 'recv': 'ncclDevKernel_SendRecv'}
NAMED = {'kernel': 'aten::mm', 'comm': 'record_param_comms'}


def metadata(rank, what, group, names):
    family, index, members, peer, count, _, us = group
    elements = max(1, int(us * 20000))
    args = {'Collective name': what, 'In msg nelems': elements, 'Out msg nelems': elements, 'Group size': len(members),
            'dtype': 'BFloat16', 'Process Group Name': str(names[family] + index), 'Process Group Description': family,
            'Process Group Ranks': str(members if len(members) <= 30 else members[:10])[:-1] + ']' if len(members) <= 30 else
            '[%s, ..., %d]' % (', '.join(map(str, members[:10])), members[-1]), 'Rank': members.index(peer if peer is not None else rank)}
    if peer is None:
        args['Seq'] = count
    else:
        args['Dst Rank' if what == 'send' else 'Src Rank'] = peer
    return args


def events_of(rank, offset, names):
    out, number, streams = [], 0, {}
    put = lambda cat, name, ts, dur, tid, pid, args: out.append(
        {'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': tid, 'ts': round(ts + offset, 3), 'dur': round(dur, 3), 'args': args})
    for kind, name, launch, start, what, group in rank.events:
        number += 1
        link = {'correlation': number, 'External id': number}
        if kind == 'input':
            put('user_annotation', name, launch, what, 100, 100, {})
        elif kind == 'sync':
            put('cuda_runtime', name, launch, what, 100, 100, {'correlation': number})
        elif kind == 'kernel':
            put('cpu_op', NAMED[kind], launch, LAUNCH - 1, 100, 100, {'External id': number, 'Input Dims': [[512, 512], [512, 512]]})
            put('cuda_runtime', 'cudaLaunchKernel', launch + 1, LAUNCH - 3, 100, 100, link)
            put('kernel', name, start, what, 7, 0, dict(link, device=0, stream=7))
        else:
            stream = streams.setdefault(group[5], 20 + 4 * len(streams))
            args = metadata(rank.number, name, group, names)
            put('cpu_op', NAMED[kind], launch, 2 * LAUNCH - 1, 100, 100, dict(args, **{'External id': number}))
            put('cuda_runtime', 'cudaLaunchKernelExC', launch + 2, LAUNCH, 100, 100, link)
            put('kernel', DEVICE_NAMES[name], start, what.end[rank.number] - start, stream, 0, dict(args, **link, device=0, stream=stream))
    for step, (begin, end) in enumerate(rank.spans):
        put('user_annotation', 'ProfilerStep#%d' % (step + 5), begin, end - begin, 100, 100, {})
    out.append({'ph': 'i', 's': 'g', 'name': 'Record Window End', 'pid': '', 'tid': '', 'ts': round(rank.now + offset, 3)})
    return out


def write(job, ranks, folder, has_hosts):
    layout, names, at = job.layout, {}, 1
    for family, groups in layout.groups.items():
        names[family], at = at, at + len(groups)
    os.makedirs(folder, exist_ok=True)
    for rank in ranks:
        offset = random.Random('%s clock %d' % (job.seed, rank.number)).uniform(1e9, 5e9)
        head = {'schemaVersion': 1,
                'distributedInfo': {'backend': 'nccl', 'rank': rank.number, 'world_size': layout.n, 'pg_count': len(names)},
                'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3', 'totalGlobalMem': 80 << 30, 'computeMajor': 9,
                                      'computeMinor': 0, 'numSms': 132}],
                'traceEvents': events_of(rank, offset, names)}
        name = 'gpu-node-%02d_%d' % (layout.host(rank.number), 4000 + rank.number) if has_hosts else 'rank%d' % rank.number
        with io.BytesIO() as out:
            with gzip.GzipFile(fileobj=out, mode='wb', mtime=0, compresslevel=1) as packed:
                packed.write(json.dumps(head, separators=(',', ':')).encode())
            with open(os.path.join(folder, '%s.%d.pt.trace.json.gz' % (name, 1700000000000 + rank.number)), 'wb') as file:
                file.write(out.getvalue())


CAUSES = {'clean': None, 'slow-rank': 'slow_compute', 'two': 'slow_compute', 'moving': 'moving', 'late': 'late_slow', 'half': 'slower_level',
          'pauses': 'pauses', 'host-link': 'slow_link', 'host-nic': 'slow_link', 'slow-stage': 'stage', 'slow-host': 'slow_compute',
          'imbalance': 'sequence_lengths', 'storage': 'slow_input', 'all-links': 'all_links'}


def truth(job, lost):
    layout = job.layout
    every = range(layout.n)
    ranks = {'slow-rank': [job.victim], 'late': [job.victim], 'half': sorted(job.half), 'two': sorted(job.two),
             'moving': sorted({r for r, _ in job.moving}), 'pauses': sorted({r for r, _ in job.paused}),
             'host-link': [r for r in every if layout.host(r) == job.host], 'host-nic': [r for r in every if layout.host(r) == job.host],
             'slow-host': [r for r in every if layout.host(r) == job.host], 'storage': [r for r in every if layout.host(r) == job.host],
             'slow-stage': [r for r in every if layout.stage(r) == job.stage]}.get(job.planted, [])
    return {'cause': CAUSES[job.planted], 'planted': job.planted, 'loss_percent': round(lost, 3), 'ranks': ranks,
            'host': 'gpu-node-%02d' % job.host if 'host' in job.planted or job.planted == 'storage' else None,
            'step': job.from_step + 5 if job.planted == 'late' else None}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('folder')
    parser.add_argument('shape')
    parser.add_argument('cause', choices=sorted(CAUSES))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--steps', type=int, default=8)
    parser.add_argument('--no-hosts', action='store_true')
    o = parser.parse_args()
    if o.shape in SHAPES:
        layout, style = SHAPES[o.shape]
    else:  # style:tp,dp,pp,per_host
        style, numbers = o.shape.split(':')
        tp, dp, pp, per_host = map(int, numbers.split(','))
        layout = Layout(tp, dp, pp, per_host)
    hit = Job(layout, style, o.cause, o.seed, o.steps, True)
    ranks, took = run(hit)
    _, without = run(Job(layout, style, o.cause, o.seed, o.steps, False))
    write(hit, ranks, o.folder, not o.no_hosts)
    print(json.dumps(truth(hit, 100 * (took - without) / took), separators=(',', ':')))


main()
