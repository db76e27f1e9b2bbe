#!/usr/bin/env python3
"""gen_training.py [options] OUT.pt.trace.json[.gz]: writes the trace of a training run with noise and with planted changes.

Equal options write equal bytes. Host and device are simulated: a kernel starts when it has been launched and its stream is
free, and a synchronization ends when the device is done. Each step varies: the host by 2 %, the device by 0.5 %, and each
call by 3 % more. One call in a hundred (on the device one in three hundred) takes three times as long. Two seeds are
therefore two runs of the same program.

  --seed N             seed of the noise
  --steps N            number of steps (20)
  --slow NAME=PERCENT  kernels of this name take longer
  --sync LINE          an .item() in train.py(LINE), once per step
  --copy LINE          a tensor copied to the device in train.py(LINE), once per step
  --leak LINE=BYTES    a tensor made in train.py(LINE) in each step and never freed
  --swap NAME=NEW      a kernel with another name
  --batch N            another batch size (64)
  --folder NAME        train.py is in /home/u/NAME
  --shift N            the lines of train.py have numbers higher by N
  --host               no device events are recorded
  --cpu                operators compute on the host, without a device
  --load PERCENT       a busy machine: all host times are longer
  --slow-op NAME=PERCENT  operators of this name take longer, with --cpu
  --tail N             N more operators of about equal times, each with a different shape
"""
import argparse
import gzip
import json
import random

FLOAT, HALF = "float", "c10::Half"
PID, BACKWARD, STREAM = 4000, 4020, 7
# operator, kernel, device time in ns, shape; {b} stands for the batch size
FORWARD = [
    ("aten::cudnn_convolution", "implicit_convolve_sgemm_128x6", 420_000, [["{b}", 3, 224, 224], [64, 3, 7, 7]]),
    ("aten::cudnn_batch_norm", "bn_fw_tr_1C11_kernel_NCHW", 130_000, [["{b}", 64, 112, 112], [64]]),
    ("aten::clamp_min_", "vectorized_elementwise_kernel_relu", 61_000, [["{b}", 64, 112, 112]]),
    ("aten::cudnn_convolution", "volta_scudnn_128x64_relu_interior_nn_v1", 510_000, [["{b}", 64, 56, 56], [64, 64, 3, 3]]),
    ("aten::cudnn_batch_norm", "bn_fw_tr_1C11_kernel_NCHW", 70_000, [["{b}", 64, 56, 56], [64]]),
    ("aten::add_", "vectorized_elementwise_kernel_add", 45_000, [["{b}", 64, 56, 56], ["{b}", 64, 56, 56], []]),
    ("aten::addmm", "volta_sgemm_128x64_tn", 230_000, [[1000], ["{b}", 512], [512, 1000]]),
    ("aten::_log_softmax", "cunn_SoftMaxForward_4", 25_000, [["{b}", 1000], [], []]),
    ("aten::nll_loss_forward", "nll_loss_forward_reduce_cuda_kernel_2d", 12_000, [["{b}", 1000], ["{b}"], [], [], []]),
]
BACK = [
    ("aten::_log_softmax_backward_data", "cunn_SoftMaxBackward_4", 28_000, [["{b}", 1000], ["{b}", 1000], [], []]),
    ("aten::mm", "volta_sgemm_64x32_nn", 240_000, [["{b}", 1000], [1000, 512]]),
    ("aten::cudnn_convolution_backward", "cudnn_dgrad_engine_512_6", 760_000, [["{b}", 64, 56, 56], [64, 64, 3, 3]]),
    ("aten::cudnn_convolution_backward", "cudnn_wgrad_alg0_engine_128_6", 680_000, [["{b}", 64, 56, 56], [64, 64, 3, 3]]),
    ("aten::cudnn_batch_norm_backward", "bn_bw_1C11_kernel_new", 190_000, [["{b}", 64, 112, 112], [64]]),
    ("aten::threshold_backward", "vectorized_elementwise_kernel_threshold", 66_000, [["{b}", 64, 112, 112], ["{b}", 64, 112, 112], []]),
    ("aten::cudnn_convolution_backward", "cudnn_wgrad_alg1_engine_64_3", 450_000, [["{b}", 3, 224, 224], [64, 3, 7, 7]]),
]
LAYERS = 6  # number of repeated layers in the middle of both lists


class Run:
    def __init__(self, options):
        self.o, self.random = options, random.Random(options.seed)
        self.events, self.now, self.stream_free = [], 1_000_000_000, 0
        self.id = self.correlation = self.address = 0
        self.allocated, self.live = 40 << 20, []
        self.host = self.device = 1.0

    def noise(self, ns, factor, stalls=0.01):
        factor *= self.random.gauss(1, 0.03) * (3 if self.random.random() < stalls else 1)
        return max(200, int(ns * factor))

    def event(self, cat, name, start, end, args, tid=PID, pid=PID):
        self.events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": start / 1000,
                            "dur": (end - start) / 1000, "args": args})

    def frame(self, name, body):
        start = self.now
        self.now += 300
        body()
        self.now += 300
        self.id += 1
        args = {"Python id": self.id, "Python parent id": None}
        if name.startswith("train.py("):
            line, function = name[9:].split("): ")
            name = "%strain.py(%d): %s" % (self.o.folder and "/home/u/%s/" % self.o.folder, int(line) + self.o.shift, function)
        if name.startswith("nn.Module"):
            args["Python module id"] = int(name.rsplit("_", 1)[1])
        self.event("python_function", name, start, self.now, args)

    def memory(self, size, address, tid):
        self.allocated += size
        self.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": PID, "tid": tid,
                            "ts": self.now / 1000,
                            "args": {"Total Reserved": 1 << 30, "Total Allocated": self.allocated, "Bytes": size,
                                     "Device Id": 0, "Device Type": 1, "Addr": address}})

    def allocate(self, size, tid, keeps=False):
        self.address += 1
        self.memory(size, 0x7f0000000000 + self.address * (1 << 24), tid)
        if not keeps:
            self.live.append((size, 0x7f0000000000 + self.address * (1 << 24)))

    def free_all(self, tid):
        while self.live:
            size, address = self.live.pop()
            self.memory(-size, address, tid)

    def op(self, name, shape, tid, body, types=FLOAT):
        start = self.now
        self.id += 1
        own = self.id
        self.now += self.noise(5_000, self.host)
        body(own)
        self.now += self.noise(2_000, self.host)
        dims = json.loads(json.dumps(shape).replace('"{b}"', str(self.o.batch)))
        self.event("cpu_op", name, start, self.now,
                   {"External id": own, "Input Dims": dims, "Input type": [types if d else "Scalar" for d in dims]}, tid)

    def launch(self, api, name, ns, own, tid, cat="kernel", more=None):
        """Adds a kernel. Returns the time at which the device has finished it."""
        start = self.now
        self.correlation += 1
        self.now += self.noise(4_000, self.host)
        self.event("cuda_runtime", api, start, self.now, {"External id": own, "correlation": self.correlation}, tid)
        begin = max(self.now + 1_500, self.stream_free + 800)
        self.stream_free = begin + self.noise(ns, self.device, 0.003)
        args = {"External id": own, "device": 0, "context": 1, "stream": STREAM, "correlation": self.correlation}
        args.update(more or {"grid": [512, 1, 1], "block": [256, 1, 1]})
        self.event(cat, name, begin, self.stream_free, args, STREAM, 0)
        return self.stream_free

    def wait(self, api, own, tid):
        start = self.now
        self.correlation += 1
        self.now = max(self.now + self.noise(3_000, self.host), self.stream_free + 1_000)
        self.event("cuda_runtime", api, start, self.now, {"External id": own, "correlation": self.correlation}, tid)

    def compute(self, item, tid):
        name, kernel, ns, shape = item
        ns = int(ns * (1 + self.o.slow.get(kernel, 0) / 100) * self.o.batch / 64)
        kernel = self.o.swap.get(kernel, kernel)

        def body(own):
            self.allocate(2 << 20, tid)
            if self.o.cpu:
                self.now += self.noise(int(ns * (1 + self.o.slow_op.get(name, 0) / 100)), self.host)
                return
            self.launch("cudaLaunchKernel", kernel, ns, own, tid)
        self.op(name, shape, tid, body)

    def tail(self):
        def body(own):
            self.now += self.noise(400_000, self.host, 0)
        for i in range(self.o.tail):
            self.op("aten::mul", [["{b}", i + 1]], PID, body)

    def item(self, tid=PID):
        def inner(own):
            self.launch("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", 1_200, own, tid, "gpu_memcpy",
                        {"bytes": 4, "memory bandwidth (GB/s)": 0.003})
            self.wait("cudaStreamSynchronize", own, tid)
        self.op("aten::item", [[]], tid, lambda own: self.op("aten::_local_scalar_dense", [[]], tid, inner))

    def upload(self, size, tid=PID):
        def copy(own):
            self.launch("cudaMemcpyAsync", "Memcpy HtoD (Pinned -> Device)", 9_000, own, tid, "gpu_memcpy",
                        {"bytes": size, "memory bandwidth (GB/s)": 6.0})
        self.op("aten::to", [["{b}", 16]], tid, lambda own: self.op("aten::copy_", [["{b}", 16], ["{b}", 16], []], tid, copy))

    def planted(self):
        if self.o.sync:
            self.frame("train.py(%d): log_metric" % self.o.sync, self.item)
        if self.o.copy:
            self.frame("train.py(%d): move_mask" % self.o.copy, lambda: self.upload(65536))
        for line, size in self.o.leak.items():
            self.frame("train.py(%s): keep_history" % line, lambda size=size: self.op(
                "aten::clone", [["{b}", 1000], []], PID, lambda own: self.allocate(int(size), PID, True)))

    def forward(self):
        for layer in range(LAYERS):
            items = FORWARD[:3] if layer == 0 else FORWARD[3:6]
            self.frame("nn.Module: Block_%d" % layer, lambda items=items: [self.compute(i, PID) for i in items])
        for i in FORWARD[6:]:
            self.compute(i, PID)

    def backward(self):
        for layer in range(LAYERS):
            for i in BACK[:2] if layer == 0 else BACK[2:6] if layer < LAYERS - 1 else BACK[4:]:
                self.compute(i, BACKWARD)

    def body(self):
        self.frame("train.py(40): forward", lambda: self.frame("nn.Module: Net_0", self.forward))
        self.planted()
        self.tail()
        self.frame("train.py(44): backward", self.backward)
        self.frame("train.py(46): optimize", lambda: [self.compute(
            ("aten::_foreach_add_", "multi_tensor_apply_kernel_add", 90_000, [[64, 64, 3, 3]]), PID) for _ in range(4)])
        self.frame("train.py(48): report_loss", self.item)

    def step(self, number):
        start = self.now
        self.host, self.device = self.random.gauss(1, 0.02), self.random.gauss(1, 0.005)
        self.host *= 1 + self.o.load / 100
        self.frame("train.py(38): train_step", self.body)
        self.free_all(PID)
        self.event("user_annotation", "ProfilerStep#%d" % number, start, self.now, {"External id": 0})
        self.now += 20_000

    def trace(self):
        for number in range(3, 3 + self.o.steps):
            self.step(number)
        gpu = {"id": 0, "name": "Tesla V100-SXM2-16GB", "totalGlobalMem": 16945512448, "computeMajor": 7,
               "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "numSms": 80,
               "regsPerBlock": 65536, "warpSize": 32, "sharedMemPerBlock": 49152}
        return {"schemaVersion": 1, "deviceProperties": [gpu], "record_shapes": 1, "profile_memory": 1, "with_stack": 1,
                "host_name": "node-0",
                "traceEvents": sorted(self.events, key=lambda e: (e["ts"], -e.get("dur", 0))) + [self.end()]}

    def end(self):
        """returns the event with which torch ends a recording"""
        last = max(e["ts"] + e.get("dur", 0) for e in self.events)
        return {"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": last}


def pairs(text):
    name, value = text.rsplit("=", 1)
    return name, value


def parse(arguments):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out")
    for name, default in (("seed", 1), ("steps", 20), ("sync", 0), ("copy", 0), ("batch", 64), ("shift", 0), ("load", 0),
                          ("tail", 0)):
        p.add_argument("--" + name, type=int, default=default)
    for name in ("slow", "leak", "swap", "slow-op"):
        p.add_argument("--" + name, type=pairs, action="append", default=[])
    p.add_argument("--folder", default="")
    p.add_argument("--host", action="store_true")
    p.add_argument("--cpu", action="store_true")
    options = p.parse_args(arguments)
    options.slow = {name: float(value) for name, value in options.slow}
    options.slow_op = {name: float(value) for name, value in options.slow_op}
    options.leak, options.swap = dict(options.leak), dict(options.swap)
    return options


def without_device(trace):
    """Returns the trace of a program without a device."""
    kept = [e for e in trace["traceEvents"] if not str(e.get("cat", "")).startswith(("kernel", "gpu", "cuda", "ac2g"))]
    return {name: kept if name == "traceEvents" else value for name, value in trace.items() if name != "deviceProperties"}


def write(arguments):
    options = parse(arguments)
    trace = Run(options).trace()
    text = json.dumps(without_device(trace) if options.host or options.cpu else trace).encode()
    if options.out.endswith(".gz"):
        text = gzip.compress(text, 1, mtime=0)
    with open(options.out, "wb") as out:
        out.write(text)


if __name__ == "__main__":
    write(None)
