"""make_traces.py FOLDER RANKS [--fault compute|host|data|clean] [--victim N] [--steps N] [--seed N] [--kernels N]
               [--device NAME --rate GB/S [--message BYTES] [--shown N]]

Writes small traces of the ranks of a data-parallel job, in the form of torch.profiler. Each step loads data, launches kernels,
and meets the other ranks in an all-reduce. Clocks of the ranks differ by minutes. With --device the ranks are on one machine that
shows --shown such devices (default: one per rank). Each rank has one device, and the all-reduce runs at --rate on the bus.
Uses only the standard library. Equal arguments give equal bytes.
"""
import argparse
import gzip
import io
import json
import os
import random


def span(cat, name, ts, dur, tid, pid=100, **args):
    return {'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': tid, 'ts': round(ts, 3), 'dur': round(dur, 3), 'args': args}


class Rank:
    """A rank: its events, its clock, and its current time in microseconds."""

    def __init__(self, number, options):
        self.number, self.options = number, options
        self.random = random.Random(options.seed * 1000003 + number)
        self.offset = self.random.uniform(1e9, 9e9)
        self.now, self.correlation, self.events = 0.0, 0, []

    def add(self, event):
        event['ts'] = round(event['ts'] + self.offset, 3)
        self.events.append(event)

    def length(self, base, share=0.03):
        return base * self.random.uniform(1 - share, 1 + share)

    def work(self, step):
        """Writes the work of a step. Returns the time at which the rank reaches the collective."""
        o = self.options
        is_hit = self.number == o.victim
        slow = {fault: 1 + o.factor * (is_hit and o.fault == fault) for fault in ('compute', 'host', 'data')}
        self.start = self.now
        load = self.length(500) * (1 + 8 * (slow['data'] - 1))
        self.add(span('user_annotation', 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', self.now, load, 1))
        self.now += load
        python = self.length(1000) * (1 + 4 * (slow['host'] - 1))
        self.add(span('cpu_op', 'aten::item', self.now, python * 0.5, 1))
        self.now += python
        for k in range(o.kernels):
            self.correlation += 1
            shape = {'Input Dims': [[64, 64], [64, 64]], 'External id': self.correlation}
            self.add(span('cpu_op', 'aten::mm', self.now, 12, 1, **shape))
            self.add(span('cuda_runtime', 'cudaLaunchKernel', self.now + 2, 6, 1, correlation=self.correlation,
                          **{'External id': self.correlation}))
            kernel = self.length(4000 / o.kernels) * slow['compute']
            self.add(span('kernel', 'ampere_sgemm_%d' % (k % 4), self.now + 9, kernel, 7, pid=0, device=0, stream=7,
                          correlation=self.correlation, **{'External id': self.correlation}))
            self.now += max(13, kernel + 1)
        return self.now

    def meet(self, step, leave):
        """Writes the collective, which all ranks leave at the time `leave`."""
        o = self.options
        self.correlation += 1
        elements = o.message // 4
        comm = {'Collective name': 'allreduce', 'In msg nelems': elements, 'Out msg nelems': elements, 'Group size': o.ranks,
                'dtype': 'Float', 'Process Group Name': '0', 'Process Group Description': 'default_pg', 'Seq': step + 1}
        self.add(span('cpu_op', 'record_param_comms', self.now, 20, 1, **comm))
        self.add(span('cuda_runtime', 'cudaLaunchKernel', self.now + 3, 6, 1, correlation=self.correlation))
        self.add(span('kernel', 'ncclDevKernel_AllReduce_Sum_f32_RING_LL', self.now + 10, leave - self.now - 10, 9, pid=0,
                      device=0, stream=9, correlation=self.correlation, **comm))
        self.add(span('cuda_runtime', 'cudaDeviceSynchronize', self.now + 21, leave - self.now - 20, 1))
        self.now = leave + self.length(3)
        self.add(span('user_annotation', 'ProfilerStep#%d' % (step + 5), self.start, self.now - self.start, 1))
        self.now += 2

    def write(self, folder):
        end = {'ph': 'i', 's': 'g', 'name': 'Record Window End', 'pid': '', 'tid': '', 'ts': round(self.now + self.offset, 3)}
        o = self.options
        device = {'name': o.device or 'Test GPU', 'totalGlobalMem': (80 if o.device else 8) << 30, 'computeMajor': 8, 'computeMinor': 0,
                  'numSms': 80}
        shown = (o.shown or o.ranks) if o.device else 1
        for event in self.events:
            if o.device and 'device' in event['args']:
                event['args']['device'] = event['pid'] = self.number
        header = {'schemaVersion': 1, 'distributedInfo': {'backend': 'nccl', 'rank': self.number, 'world_size': self.options.ranks},
                  'deviceProperties': [{'id': number, **device} for number in range(shown)],
                  'traceEvents': self.events + [end]}
        text = json.dumps(header, separators=(',', ':')).encode()
        with io.BytesIO() as out:
            with gzip.GzipFile(fileobj=out, mode='wb', mtime=0, compresslevel=1) as packed:
                packed.write(text)
            with open(os.path.join(folder, 'rank%d.pt.trace.json.gz' % self.number), 'wb') as file:
                file.write(out.getvalue())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('folder')
    parser.add_argument('ranks', type=int)
    parser.add_argument('--fault', default='clean', choices=('clean', 'compute', 'host', 'data'))
    parser.add_argument('--victim', type=int, default=-1)
    parser.add_argument('--steps', type=int, default=6)
    parser.add_argument('--kernels', type=int, default=8)
    parser.add_argument('--factor', type=float, default=0.3)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--device')
    parser.add_argument('--rate', type=float)
    parser.add_argument('--message', type=int, default=4 << 20)
    parser.add_argument('--shown', type=int)
    options = parser.parse_args()
    if options.victim < 0:
        options.victim = random.Random(options.seed).randrange(options.ranks)
    os.makedirs(options.folder, exist_ok=True)
    ranks = [Rank(number, options) for number in range(options.ranks)]
    for step in range(options.steps):
        transfer = options.message * 2 * (options.ranks - 1) / options.ranks / options.rate / 1000 if options.rate else 140
        leave = max([rank.work(step) for rank in ranks]) + 10 + transfer
        for rank in ranks:
            rank.meet(step, leave)
    for rank in ranks:
        rank.write(options.folder)
    print('seed %d, victim %d' % (options.seed, options.victim))


main()
