#!/usr/bin/env python3
"""Generates random traces of small programs for fuzz_views.py. They have odd nesting, ties, zero durations, several
devices, streams and threads, graph launches, waits, loaders, optimizers, missing arguments, and ids as text. Memory
records are with and without totals and addresses."""
import random

OPS = ['aten::mm', 'aten::addmm', 'aten::linear', 'aten::convolution', 'aten::copy_', 'aten::to', 'aten::_to_copy', 'aten::cat',
       'aten::add_', 'aten::select', 'aten::slice', 'aten::index', 'aten::item', 'aten::_local_scalar_dense', 'aten::nonzero',
       'aten::masked_select', 'aten::zero_', 'aten::fill_', 'aten::_foreach_add_', 'c10d::allreduce_', 'record_param_comms',
       'myop 0x7fab12', 'myop 0x99', 'aten::relu', 'aten::empty', 'aten::equal', 'aten::contiguous', 'Aten::Conv']
FRAMES = ['train.py(12): main', 'model.py(33): forward', 'model.py(33): forward', '/usr/lib/python3.11/threading.py(1): run',
          '/opt/venv/lib/python3.10/site-packages/torch/nn/modules/linear.py(114): forward', 'nn.Module: Linear_0', 'nn.Module: MLP_1',
          '/opt/x/dist-packages/transformers/models/gpt.py(99): call', '<built-in method run at 0x7f01>', '<string>(1): <module>',
          '/home/u/lib/python3.11/json/decoder.py(9): decode', 'a.py(1): f.py(2): g', 'x.pyx(-4): cy\nline', 'torch/_ops.py(5): __call__',
          'noline.py: x', '.py(3): y', 'z.pyxx(3): y', 'lambda at 0x7f.py(3): q', '/a/lib/python3/os.py(7): walk']
KERNELS = ['ampere_sgemm_128x64', 'sm80_xmma_gemm_f32f32_tf32', 'volta_h884gemm', 'vectorized_elementwise_kernel', 'reduce_kernel',
           'ncclKernel_AllReduce_RING', 'ncclDevKernel_ReduceScatter', 'rcclGenericKernel', 'multi_tensor_apply_kernel', 'gemmSN_NN',
           'Cijk_Ailk_MI16x16', 'fused_adam_kernel', 'k']
COPIES = ['Memcpy HtoD (Pageable -> Device)', 'Memcpy HtoD (Pinned -> Device)', 'Memcpy DtoH (Device -> Pinned)',
          'Memcpy DtoH (Device -> Pageable)', 'Memcpy DtoD (Device -> Device)', 'CopyHostToDevice', 'Host -> Device', 'Device -> Host']
CALLS = ['cudaLaunchKernel', 'cudaLaunchKernel', 'cudaLaunchKernel', 'cudaMemcpyAsync', 'cudaMemsetAsync', 'cudaGraphLaunch',
         'cudaStreamSynchronize', 'cudaDeviceSynchronize', 'cudaMemcpy', 'hipMemcpyWithStream', 'cudaMalloc', 'cudaFree',
         'cudaHostAlloc', 'cuLaunchKernel', 'cuStreamSynchronize_ptsz', 'hipExtLaunchKernel', 'cudaEventSynchronize', 'cudaFreeHost']
ANNOTATIONS = ['Optimizer.step#SGD.step', 'Optimizer.step#FusedAdam.step', 'Optimizer.zero_grad#SGD.zero_grad',
               'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__',
               'enumerate(DataPipe)#Foo', 'DistributedDataParallel.forward', 'nccl:all_reduce', 'gloo:all_reduce', 'my region', 'phase 0xab']
TYPES = ['float', 'c10::Half', 'c10::BFloat16', '', 'Scalar', 'ScalarList', 'int', 'long int']


class Program:
    def __init__(self, r):
        self.r, self.events, self.corr = r, [], 0
        self.unit = r.choice([1, 1, 10, 100])               # coarse units give equal times
        self.is_gpu = r.random() < 0.6
        self.has_stack, self.has_shapes = r.random() < 0.6, r.random() < 0.7
        self.old = r.random() < 0.15                        # true: uses the event categories of 2021
        self.text_ids = r.random() < 0.15
        self.devices = r.choice([1, 1, 1, 2, 3])
        self.patterns = r.choice([0, 0, 0.1, 0.5])
        self.is_regular = r.random() < 0.08                 # true: all steps do the same work
        self.fine = r.random() < 0.4                        # true: times have decimals

    def us(self, ticks):
        us = ticks * self.unit
        if self.fine:
            return us + self.r.choice([0, 0, 0.001, 0.25, 0.9999])
        return us

    def number(self, v):
        x = self.r.random()
        return str(v) if x < 0.02 else '%.3f' % v if x < 0.03 else v

    def add(self, cat, name, ts, dur, pid, tid, args=None):
        e = {'ph': 'X', 'cat': cat, 'name': name, 'pid': pid, 'tid': tid, 'ts': self.number(ts), 'dur': self.number(dur)}
        if args is not None:
            e['args'] = args
        x = self.r.random()
        if x < 0.004:
            del e['dur']
        elif x < 0.006:
            e['dur'] = -3
        elif x < 0.008:
            del e['ts']
        elif x < 0.010:
            e['ph'] = self.r.choice(['B', 'i', 's', 'Z', 'M'])
        elif x < 0.012:
            e['cat'] = self.r.choice(['strange', 'overhead', 'Trace', 'gpu_user_annotation', None])
        self.events.append(e)

    def op_args(self):
        r = self.r
        args = {}
        if self.has_shapes and r.random() < 0.9:
            n = r.randint(0, 4)
            key = 'Input dims' if self.old else 'Input Dims'
            args[key] = [[r.choice([1, 3, 8, 16, 64, 127]) for _ in range(r.randint(0, 3))] for _ in range(n)]
            args['Input type'] = [r.choice(TYPES) for _ in range(n)]
            if r.random() < 0.05:
                args[key] = [[8, 8], [8, 'x'], 3, [[1, 2]]][:n]
        if r.random() < 0.01:
            args['finished'] = False
        return args

    def device_op(self, ts, corr):
        r = self.r
        kind = r.choice(['kernel'] * 5 + ['memcpy', 'memset'])
        name = r.choice(KERNELS) if kind == 'kernel' else r.choice(COPIES) if kind == 'memcpy' else 'Memset (Device)'
        dev = self.dev_of_thread if r.random() < 0.9 else r.randint(0, self.devices - 1)
        stream = r.choice([7, 7, 7, 13, 20])
        start = max(ts + r.choice([-1, 0, 1, 2, 5]) * self.unit, 0)
        if r.random() < 0.6:
            start = max(start, self.free.get(stream, 0))
        dur = self.us(r.choice([0, 1, 1, 2, 3, 8, 20]))
        self.free[stream] = start + dur
        args = {'device': dev, 'stream': stream, 'correlation': corr}
        if r.random() < 0.05:
            del args[r.choice(list(args))]
        if kind == 'kernel':
            args['grid'], args['block'] = [r.choice([1, 2, 80]), 1, 1], [128, 1, 1]
            if r.random() < 0.8:
                args['blocks per SM'] = r.choice([0.5, 0.01, 1.0, 3, '0.25', 'inf', -1])
            if r.random() < 0.05:
                args['graph id'] = r.choice([0, 4, '5'])
        elif r.random() < 0.9:
            args['bytes'] = r.choice([4, 65535, 65536, 65537, 1 << 20, 1 << 24, 0, '70000'])
        cat = {'kernel': 'kernel', 'memcpy': 'gpu_memcpy', 'memset': 'gpu_memset'}[kind]
        if self.old:
            cat = {'kernel': 'Kernel', 'memcpy': 'Memcpy', 'memset': 'Memset'}[kind]
        self.add(cat, name, start, dur, dev, r.choice([stream, 'stream %d' % stream]), args)

    def call(self, ts, dur, pid, tid):
        r = self.r
        name = r.choice(CALLS) if self.is_gpu else r.choice(['cudaGetDeviceCount', 'cudaEventRecord'])
        self.corr += 1
        corr = self.corr if r.random() < 0.97 else r.choice([0, -1, self.corr - 1, 'x', None, str(self.corr)])
        args = {'correlation': corr, 'External id': 5} if r.random() < 0.98 else None
        self.add('Runtime' if self.old else r.choice(['cuda_runtime', 'cuda_runtime', 'cuda_driver']), name, ts, dur, pid, tid, args)
        if self.is_gpu and ('Launch' in name or 'Mem' in name) and r.random() < 0.95:
            for _ in range(r.choice([1, 1, 1, 1, 0, 3]) if 'Graph' not in name else 4):
                self.device_op(ts + self.us(1), corr)

    def launch(self, at, pid, tid, kind, name, dur, call='cudaLaunchKernel', delay=1):
        """Adds a call of one tick and the operation that it launches. Returns the end of the operation."""
        self.corr += 1
        self.add('cuda_runtime', call, self.us(at), self.us(1), pid, tid, {'correlation': self.corr})
        start = max(self.us(at + delay), self.free.get(7, 0))
        self.free[7] = start + self.us(dur)
        args = {'device': self.dev_of_thread, 'stream': 7, 'correlation': self.corr, 'grid': [1, 1, 1], 'block': [32, 1, 1],
                'bytes': 1 << 20}
        self.add(kind, name, start, self.us(dur), self.dev_of_thread, 7, args)
        return at + delay + dur

    def regular(self, at, pid, tid):
        """Adds repeated launches, or an optimizer that processes tensors one by one. Returns the end."""
        r, begin = self.r, at
        for i in range(r.choice([49, 55, 60]) if self.is_gpu else r.choice([19, 25, 40])):
            if self.is_gpu:
                self.launch(at, pid, tid, 'kernel', 'k%d' % (i % 5), 1, r.choice(['cudaLaunchKernel'] * 30 + ['cudaGraphLaunch']))
                at += 3 + (r.random() < 0.02)
            else:
                self.add('cpu_op', OPS[8:10][i % 2], self.us(at), self.us(1), pid, tid, {})
                at += 1
        if not self.is_gpu:
            self.add('user_annotation', 'Optimizer.step#Adam.step', self.us(begin), self.us(at - begin), pid, tid, {})
        self.add('user_annotation', 'tail', self.us(at), 0, pid, tid, {})
        return at + 1

    def pattern(self, at, pid, tid):
        """Adds one of the situations that rules detect. Returns its end."""
        r = self.r
        what = r.choice(['gemm', 'gemm', 'scalar', 'shape', 'cast', 'zero', 'optimizer', 'tiny', 'repeat', 'allocate', 'fused'])
        begin, args = at, self.op_args()
        if what == 'gemm':
            for _ in range(r.randint(1, 4)):
                self.launch(at + 1, pid, tid, 'kernel', r.choice(['ampere_sgemm_64', 'gemm_fp32', 'sm80_xmma_gemm', 'plain']), r.randint(1, 9))
                at += 3
            self.add('cpu_op', r.choice(OPS[:4]), self.us(begin), self.us(at - begin), pid, tid, args)
        elif what in ('scalar', 'shape'):
            done = self.launch(at, pid, tid, 'gpu_memcpy', 'Memcpy DtoH (Device -> Pageable)', r.randint(1, 5), 'cudaMemcpyAsync')
            self.add('cuda_runtime', 'cudaStreamSynchronize', self.us(at + 1), self.us(max(done - at, 1)), pid, tid, {'correlation': 0})
            at = max(done, at + 2) + 1
            name = r.choice(['aten::item', 'aten::copy_', 'aten::equal']) if what == 'scalar' else r.choice(['aten::nonzero', 'aten::_unique2'])
            self.add('cpu_op', name, self.us(begin), self.us(at - begin), pid, tid, args)
            at = self.launch(at + 2, pid, tid, 'kernel', 'after', 2)
        elif what == 'cast':
            for _ in range(r.randint(1, 5)):
                self.launch(at, pid, tid, 'kernel', 'copy_kernel', r.randint(1, 5))
                types = r.choice([['float', 'c10::Half', 'Scalar'], ['float', 'float'], ['', 'float'], ['float']])
                self.add('cpu_op', 'aten::copy_', self.us(at), self.us(2), pid, tid, {'Input Dims': [[4], [4]], 'Input type': types})
                at += 2
        elif what in ('zero', 'optimizer', 'fused'):
            count = r.choice([3, 12, 30])
            for i in range(count):
                kernel = 'multi_tensor_apply' if what == 'fused' and i == 0 else 'elementwise'
                kind = 'gpu_memset' if what == 'zero' and r.random() < 0.7 else 'kernel'
                self.launch(at, pid, tid, kind, kernel, 1)
                self.add('cpu_op', 'aten::zero_' if what == 'zero' else 'aten::add_', self.us(at), self.us(1), pid, tid, {})
                at += 1
            name = ANNOTATIONS[2] if what == 'zero' else ANNOTATIONS[0]
            self.add('user_annotation', name, self.us(begin), self.us(at - begin), pid, tid, {})
        elif what == 'tiny':
            for _ in range(r.randint(1, 40)):
                self.launch(at, pid, tid, 'gpu_memcpy', r.choice(COPIES), 1, 'cudaMemcpyAsync')
                self.events[-1].get('args', {})['bytes'] = r.choice([4, 100000, 65536])
                at += 1
        elif what == 'repeat':
            for i in range(r.choice([10, 60])):
                self.launch(at, pid, tid, 'kernel', 'k%d' % (i % 5), 1)
                at += 2
        else:
            for _ in range(r.randint(1, 3)):
                for call in ('cudaMalloc', 'cudaFree'):
                    self.add('cuda_runtime', call, self.us(at), self.us(2), pid, tid, {})
                    at += 2
            at = self.launch(at, pid, tid, 'kernel', 'after', 2)
        return at + 1

    def body(self, a, b, pid, tid, depth):
        """Fills the ticks [a, b) of a thread with nested events."""
        r, at = self.r, a
        while at < b:
            at += r.choice([0, 0, 1, 2, 6])
            length = r.choice([0, 1, 1, 2, 4, 10, 30])
            if at + length > b:
                if r.random() < 0.97:
                    break                                     # otherwise the event ends after its parent
            ts, dur = self.us(at), self.us(length) if r.random() < 0.9 else length * self.unit
            x = r.random()
            if self.is_gpu and r.random() < self.patterns:
                at = self.pattern(at, pid, tid)
            elif x < 0.25:
                self.call(ts, dur, pid, tid)
            elif x < 0.65 or depth > 6:
                name = r.choice(self.some_ops)
                self.add('Operator' if self.old else 'cpu_op', name, ts, dur, pid, tid, self.op_args() if r.random() < 0.95 else None)
                self.body(at, at + length, pid, tid, depth + 1)
            elif x < 0.85 and self.has_stack:
                self.add('python_function', r.choice(FRAMES), ts, dur, pid, tid, {'Python id': 3})
                self.body(at, at + length, pid, tid, depth + 1)
            elif x < 0.92:
                self.add('Operator' if self.old and r.random() < .5 else 'user_annotation', r.choice(ANNOTATIONS), ts, dur, pid, tid, {})
                self.body(at, at + length, pid, tid, depth + 1)
            elif x < 0.96 and not self.is_gpu:
                for _ in range(r.randint(2, 14)):             # adds a loop of sibling operators
                    for name in ['aten::select', 'aten::add_'][:r.randint(1, 2)]:
                        self.add('cpu_op', name, self.us(at), self.us(1), pid, tid, self.op_args())
                        at += 1
                continue
            at += length if r.random() < 0.97 else 0
            if self.is_gpu and self.patterns == 0.5 and at < b:
                at = self.pattern(at, pid, tid)

    def memory(self, span):
        r = self.r
        totals, addresses, types = r.random() < 0.7, r.random() < 0.8, r.choice([[0], [1], [0, 1], [0, 6]])
        reserved, live, now = 0, {}, 0
        for _ in range(r.randint(1, 60)):
            ty = r.choice(types)
            if live and r.random() < 0.45:
                address = r.choice(list(live))
                size = -live.pop(address)
            else:
                address, size = 4096 * r.randint(1, 30), r.choice([512, 1024, 4096, 1 << 20, 0])
                live[address] = size
            now += size
            args = {'Device Type': ty, 'Device Id': 0 if ty else -1, 'Bytes': size, 'Addr': address}
            if totals or r.random() < 0.5:
                reserved = max(reserved, now + r.choice([0, 1 << 19]))
                args['Total Allocated'], args['Total Reserved'] = now, reserved
            if not addresses and r.random() < 0.5:
                del args['Addr']
            if r.random() < 0.01:
                del args[r.choice(list(args))]
            self.events.append({'ph': r.choice(['i', 'i', 'i', 'X']), 'cat': 'cpu_instant_event', 'name': '[memory]', 'pid': 100,
                                'tid': r.choice([1, 2]), 'ts': self.us(r.randint(0, span)), 's': 't', 'args': args})
        if r.random() < 0.1:
            self.events.append({'ph': 'i', 'name': '[OutOfMemory]', 'pid': 100, 'tid': 1, 'ts': 5, 'args': {'Bytes': 5}})

    def threads(self, span):
        r, steps = self.r, self.r.choice([0, 0, 1, 2, 3, 5])
        style = r.choice(['ProfilerStep#%d', 'ProfilerStep#%d', 'ProfilerStep#%d', 'execute_%d_context_2', 'step[%d]'])
        for i in range(r.choice([1, 1, 2, 3])):
            pid, tid = 100, i + 1
            if self.text_ids:
                pid, tid = r.choice([(100, str(tid)), ('host', tid), (str(pid), 'python thread %d' % tid)])
            self.dev_of_thread, self.free = i % self.devices, {}
            at = r.choice([0, 0, 3])
            if steps == 0 or i:
                self.body(at, span, pid, tid, 0)
                continue
            for n in range(steps):
                end = at + span // steps + r.choice([0, 0, 9, -3])
                args = {'finished': False} if r.random() < 0.03 else {'External id': 1}
                self.add('user_annotation', style % (n + 9), self.us(at), self.us(end - at), pid, tid, args)
                if self.is_regular:
                    mark, end = self.events[-1], self.regular(at, pid, tid)
                    mark['dur'] = self.us(end - at)
                else:
                    self.body(at, end, pid, tid, 0)
                at = end + r.choice([0, 0, 1, -1])

    def document(self):
        r, span = self.r, self.r.choice([30, 100, 300, 900])
        self.some_ops = r.sample(OPS, r.randint(2, 12))
        self.threads(span)
        if r.random() < 0.6:
            self.memory(span)
        if r.random() < 0.5:
            self.add('Trace', 'PyTorch Profiler (0)', 0, self.us(span), 'Spans', 'PyTorch Profiler')
        for _ in range(r.choice([0, 0, 1, 4])):
            self.add('overhead', r.choice(['Lazy Function Loading', 'CUPTI Overhead', 'Driver Compiler x']), self.us(r.randint(0, span)),
                     self.us(r.choice([1, 5])), -1, 0, {})
        if r.random() < 0.3:
            r.shuffle(self.events)
        if r.random() < 0.02:
            self.events.insert(1, r.choice([5, None, 'x', []]))
        doc = {'schemaVersion': 1, 'traceEvents': self.events}
        for k in ('record_shapes', 'with_stack', 'profile_memory', 'with_modules'):
            if r.random() < 0.5:
                doc[k] = r.choice([0, 1])
        if r.random() < 0.7:
            doc['deviceProperties'] = [{'id': i, 'name': 'GPU', 'totalGlobalMem': r.choice([2 << 20, 16 << 30]),
                                        'computeMajor': r.choice([7, 8, 9, 10, 6]), 'computeMinor': r.choice([0, 6, 9]), 'warpSize': r.choice([32, 32, 32, 64])}
                                       for i in range(self.devices)]
            if r.random() < 0.1:
                del doc['deviceProperties'][0][r.choice(['id', 'totalGlobalMem', 'computeMinor', 'warpSize'])]
        return doc
