"""verdict.py KIND FOLDER: writes traces of one kind below FOLDER, for the rows of verdict.tsv. Times are milliseconds
here and microseconds in the files. Every trace is small and has one property that the verdict must recognize."""
import json
import os
import sys

HEAD = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Test GPU", "totalGlobalMem": 17179869184, "computeMajor": 8,
                                                  "computeMinor": 0, "warpSize": 32, "numSms": 100}]}
LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"
PID = 10


def us(ms):
    return round(ms * 1000, 3)


class Trace:
    """Events of one trace: a main thread and helper threads of process PID, and one device with stream 7."""

    def __init__(self, **head):
        self.head, self.events, self.ids = dict(HEAD, **head), [], 0

    def add(self, category, name, start, length, tid, pid=PID, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": us(start), "dur": us(length), "args": args})

    def range(self, name, start, length, tid=1):
        self.add("user_annotation", name, start, length, tid)

    def operator(self, name, start, length, tid=1, **args):
        self.ids += 1
        self.add("cpu_op", name, start, length, tid, **{"External id": self.ids}, **args)

    def call(self, name, start, length, tid=1):
        self.add("cuda_runtime", name, start, length, tid, correlation=0)

    def launch(self, start, kernel_start, kernel_length, tid=1, name="gemm_kernel", call="cudaLaunchKernel", op="aten::mm", stream=7):
        """Adds an operator of 80 us that launches a kernel."""
        self.operator(op, start, 0.08, tid)
        self.add("cuda_runtime", call, start + 0.002, 0.005, tid, correlation=self.ids, **{"External id": self.ids})
        self.kernel(name, kernel_start, kernel_length, self.ids, stream)

    def kernel(self, name, start, length, correlation, stream=7):
        self.add("kernel", name, start, length, stream, 0, device=0, stream=stream, correlation=correlation, grid=[400, 1, 1], block=[256, 1, 1])

    def memory(self, start, device_type=1, device=0, tid=1, size=4096, total=33554432):
        self.events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": PID, "tid": tid, "ts": us(start),
                            "args": {"Total Reserved": 4294967296, "Total Allocated": total, "Bytes": size, "Addr": 4096 + len(self.events),
                                     "Device Id": device, "Device Type": device_type}})

    def write(self, folder, name):
        end = {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "",
               "ts": max((e["ts"] + e.get("dur", 0) for e in self.events), default=0) + 1}
        with open(os.path.join(folder, name + ".json"), "w") as f:
            json.dump(dict(self.head, traceEvents=self.events + [end]), f)


# ---- the main thread ----

def training(t, markers, main=1, backward=2, loading=60, steps=4):
    """Adds steps of 90 ms that mostly load data. The thread of the backward pass launches twice as many kernels as the
    main thread."""
    for i in range(steps):
        at = 1 + 90 * i
        t.range(LOADER, at, loading, main)
        for k in range(3):
            t.launch(at + loading + 0.2 + 0.1 * k, at + loading + 0.4 + 4.5 * k, 4.4, main, "gemm_forward")
        for k in range(6):
            t.launch(at + loading + 0.6 + 0.1 * k, at + loading + 14 + 2 * k, 1.9, backward, "gemm_backward")
        if "optimizer" in markers:
            t.range("Optimizer.step#SGD.step", at + 89, 0.5, main)
        if "profiler" in markers:
            t.range("ProfilerStep#%d" % i, at, 89.9, main)
        if "engine" in markers:
            t.range("execute_context_0(0)_generation_4(4)", at, 89.9, main)


def main_has_the_optimizer(folder):
    t = Trace()
    training(t, ["optimizer"])
    t.write(folder, "trace")


def main_has_the_loader(folder):
    t = Trace()
    training(t, [])
    t.write(folder, "trace")


def main_has_the_engine_steps(folder):
    t = Trace()
    training(t, ["engine"])
    t.write(folder, "trace")


def main_is_the_first_of_its_process(folder):
    """Writes a trace without markers. A worker thread runs many small operators, the main thread (tid = pid) few."""
    t = Trace(deviceProperties=[])
    for i in range(10):
        t.operator("aten::mm", 1 + 20 * i, 4, PID)
    for i in range(200):
        t.operator("aten::add", 1.5 + 0.9 * i, 0.8, 7)
    t.write(folder, "trace")


def recording_with_a_helper(folder):
    """Writes a trace as tracepress does. A helper thread waits all the time, and the main thread computes for a sixth
    of it."""
    t = Trace(deviceProperties=[], tracepress_recorder="tracepress 0")
    for i in range(20):
        t.operator("cblas_sgemm", 100 + 10 * i, 9, PID)
    t.operator("pthread_cond_wait", 1, 1200, 11)
    t.write(folder, "trace")


# ---- recordings without steps ----

def kernels(t, start, count=30, length=3.9):
    """Adds `count` consecutive kernels. The first one starts immediately after its launch."""
    for i in range(count):
        t.launch(start + 0.1 * i, start + 0.1 + 4 * i, length)


def reading_before_the_first_kernel(folder):
    """Writes a trace without a loader in which Python frames decode images for 3 s of 3.12 s."""
    t = Trace(with_stack=1)
    t.add("python_function", "train.py(10): main", 1, 3120, 1)
    t.add("python_function", "dataset.py(7): decode", 2, 3000, 1)
    kernels(t, 3005)
    t.write(folder, "trace")


def nothing_before_the_first_kernel(folder):
    """Writes a recording in which the profiler runs for 2 s before the first event."""
    t = Trace()
    kernels(t, 2001)
    t.add("Trace", "PyTorch Profiler (0)", 1, 2130, "PyTorch Profiler", "Spans")
    t.write(folder, "trace")


def saving_after_the_last_kernel(folder):
    t = Trace()
    kernels(t, 1)
    t.range("save checkpoint", 130, 900)
    t.write(folder, "trace")


def loading_before_a_device_that_was_busy(folder):
    """Writes a trace whose first kernel starts 5 ms after its launch, so the device was busy with other work."""
    t = Trace()
    t.range(LOADER, 1, 2000)
    for i in range(30):
        t.launch(2005 + 0.1 * i, 2010.1 + 4 * i, 3.9)
    t.write(folder, "trace")


def operators_before_the_first_step(folder):
    """Writes a set-up of 500 ms on the host before three marked steps."""
    t = Trace(deviceProperties=[])
    t.operator("aten::normal_", 1, 500)
    for i in range(3):
        t.range("ProfilerStep#%d" % i, 600 + 50 * i, 49)
        t.operator("aten::mm", 601 + 50 * i, 47)
    t.write(folder, "trace")


# ---- waits for a device whose work was not recorded; missing devices ----

def waiting_steps(t, wait, steps=4, tid=1):
    """Adds steps of 50 ms with 3 ms of recorded kernels. wait(start): adds the event that waits until the end of the
    step."""
    for i in range(steps):
        at = 1 + 50 * i
        t.range("ProfilerStep#%d" % i, at, 50)
        for k in range(3):
            t.launch(at + 0.05 + 0.1 * k, at + 0.2 + k, 0.99)
        wait(at + 0.4, 49.5)


def copy_waits_for_lost_kernels(folder):
    """Writes blocking copies of 49 ms, whose own operation takes only the last 0.1 ms."""
    t = Trace()

    def wait(start, length):
        t.ids += 1
        t.add("cuda_runtime", "cudaMemcpy", start, length, 1, correlation=t.ids)
        t.add("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", start + length - 0.1, 0.09, 7, 0, device=0, stream=7, correlation=t.ids, bytes=4)
    waiting_steps(t, wait)
    t.write(folder, "trace")


def other_thread_waits_for_lost_kernels(folder):
    t = Trace()
    waiting_steps(t, lambda start, length: t.call("cudaStreamSynchronize", start, length, 2))
    t.write(folder, "trace")


def event_waits_for_lost_kernels(folder):
    t = Trace()
    waiting_steps(t, lambda start, length: t.call("cudaEventSynchronize", start, length))
    t.write(folder, "trace")


def waits_return_late(folder):
    """Writes waits that end 40 us after the last kernel. Then the host works for 0.4 ms while the device is idle."""
    t = Trace()
    for i in range(40):
        at = 1 + i
        t.range("ProfilerStep#%d" % i, at, 1)
        t.launch(at + 0.4, at + 0.41, 0.3)
        t.call("cudaStreamSynchronize", at + 0.49, 0.26)
    t.write(folder, "trace")


def waits_for_another_device(folder):
    """Writes waits for device 1, whose work is recorded. Device 0 has no work meanwhile."""
    t = Trace()
    for i in range(4):
        at = 1 + 50 * i
        t.range("ProfilerStep#%d" % i, at, 50)
        t.launch(at + 0.05, at + 0.1, 9)
        t.operator("aten::mm", at + 0.2, 0.08)
        t.add("cuda_runtime", "cudaLaunchKernel", at + 0.21, 0.005, 1, correlation=t.ids)
        t.add("kernel", "gemm_kernel", at + 0.3, 40, 7, 1, device=1, stream=7, correlation=t.ids)
        t.call("cudaStreamSynchronize", at + 0.4, 39.95)
    t.write(folder, "trace")


def cpu_steps(t, op="aten::addmm"):
    for i in range(4):
        t.range("ProfilerStep#%d" % i, 1 + 50 * i, 50)
        t.operator(op, 2 + 50 * i, 40)


def head_names_a_gpu(folder):
    t = Trace()
    cpu_steps(t)
    t.write(folder, "trace")


def cpu_program_beside_a_gpu(folder):
    """Writes a CPU program. The header names the GPU of the machine, but all tensors are in CPU memory."""
    t = Trace(profile_memory=1)
    cpu_steps(t)
    for i in range(20):
        t.memory(3 + 9 * i, device_type=0, device=-1)
    t.write(folder, "trace")


def cpu_program_with_one_synchronize(folder):
    """Writes a program with convolutions on the CPU. At its end, the profiler itself synchronized the machine's GPU."""
    t = Trace()
    cpu_steps(t, "aten::mkldnn_convolution")
    t.call("cudaDeviceSynchronize", 205, 0.01)
    t.write(folder, "trace")


def allocations_without_kernels(folder):
    t = Trace(deviceProperties=[])
    cpu_steps(t)
    t.call("cudaMalloc", 3, 0.2)
    t.write(folder, "trace")


def memory_of_another_gpu(folder):
    t = Trace(deviceProperties=[], profile_memory=1)
    cpu_steps(t)
    t.memory(3, device_type=0, device=-1)
    t.memory(4, device_type=1, device=3)
    t.write(folder, "trace")


# ---- a single long collective ----

def collectives(t, lengths, hidden=False):
    """Adds steps with one NCCL kernel of this length and 60 ms of compute. hidden: compute overlaps with the kernel."""
    at = 1
    for i, length in enumerate(lengths):
        compute = at + 0.2 if hidden else at + 0.2 + length
        end = compute + max(60, length * hidden)
        t.range("ProfilerStep#%d" % i, at, end - at)
        t.launch(at + 0.02, at + 0.1, length, name="ncclDevKernel_AllGather_RING_LL", op="nccl:_all_gather_base", stream=20)
        t.launch(at + 0.15, compute, end - compute)
        at = end + 0.1


def one_collective_in_steps(folder):
    t = Trace()
    collectives(t, [0.5, 900, 0.5])
    t.write(folder, "trace")


def many_long_collectives(folder):
    t = Trace()
    collectives(t, [90, 92, 91, 90])
    t.write(folder, "trace")


def one_hidden_collective(folder):
    t = Trace()
    collectives(t, [0.5, 900, 0.5], hidden=True)
    t.write(folder, "trace")


# ---- time that cannot be judged ----

def capture(t, start, length, vendor="cuda", end=True, inside=8):
    """Adds launches during the capture of a graph, so they have no kernels."""
    begin = {"cuda": "cudaStreamBeginCapture", "hip": "hipStreamBeginCapture", "driver": "cuStreamBeginCapture_v2"}[vendor]
    launch = {"cuda": "cudaLaunchKernel", "hip": "hipLaunchKernel", "driver": "cuLaunchKernel"}[vendor]
    t.range("capture_16_DECODE", start - 0.1, length + 0.2)
    t.call(begin, start, 0.01)
    for i in range(inside):
        t.operator("aten::mm", start + 0.1 + 0.2 * i, 0.15)
        t.call(launch, start + 0.15 + 0.2 * i, 0.005)
    if end:
        t.call(begin.replace("Begin", "End"), start + length - 0.01, 0.01)


def warm_up_and_capture(vendor, end=True):
    t = Trace()
    kernels(t, 1, 25, 0.05)
    capture(t, 110, 400, vendor, end)
    kernels(t, 511, 1, 0.05)
    return t


def capture_by_hip(folder):
    warm_up_and_capture("hip").write(folder, "trace")


def capture_by_the_driver(folder):
    warm_up_and_capture("driver").write(folder, "trace")


def capture_that_fails(folder):
    """Writes a capture that no call ends. The next call of the thread is the last one."""
    warm_up_and_capture("cuda", end=False).write(folder, "trace")


def capture_without_kernels(folder):
    t = Trace()
    capture(t, 1, 50)
    capture(t, 60, 50)
    t.write(folder, "trace")


def capture_and_long_replay(folder):
    """Writes a capture of 20 ms, and then 400 ms in which launches come too late."""
    t = Trace()
    kernels(t, 1, 3, 0.9)
    capture(t, 13, 20)
    for i in range(80):
        t.launch(40 + 5 * i, 40.1 + 5 * i, 1.5)
    t.write(folder, "trace")


def first_use(t, calls, length=300, work=25):
    """Adds calls that together take `length` ms before the first kernel, and then 25 kernels of 1 ms."""
    for i, call in enumerate(calls):
        t.call(call, 1 + i * length / len(calls), length / len(calls) - 0.01)
    for i in range(work):
        t.launch(1 + length + 0.1 * i, 1.1 + length + i, 0.99)


def first_use_takes_memory(folder):
    t = Trace()
    first_use(t, ["cudaMalloc", "cudaMalloc"])
    t.write(folder, "trace")


def first_use_loads_modules(folder):
    t = Trace()
    first_use(t, ["cuModuleLoadData", "cuModuleGetFunction", "cuModuleLoadData"])
    t.write(folder, "trace")


def first_use_makes_handles(folder):
    t = Trace()
    first_use(t, ["hipStreamCreateWithPriority", "hipblasCreate"])
    t.write(folder, "trace")


def first_use_is_little(folder):
    """Writes one-time calls that take a fifth of the recording."""
    t = Trace()
    first_use(t, ["cudaMalloc", "cudaMalloc"], 30, 120)
    t.write(folder, "trace")


def few_kernels_in_one_step(folder):
    t = Trace()
    t.range("ProfilerStep#0", 1, 200)
    for i in range(6):
        t.launch(150 + i, 150.1 + i, 0.8)
    t.write(folder, "trace")


def few_kernels_in_no_step(folder):
    t = Trace()
    t.operator("aten::to", 1, 150)
    for i in range(12):
        t.launch(152 + 0.2 * i, 152.1 + 2 * i, 1.9)
    t.write(folder, "trace")


def few_kernels_that_keep_it_busy(folder):
    """Writes six kernels that run for 60 of 62 ms. The device is the limit although there are few kernels."""
    t = Trace()
    t.range("ProfilerStep#0", 1, 62)
    for i in range(6):
        t.launch(1.1 + 0.1 * i, 1.5 + 10 * i, 9.9)
    t.write(folder, "trace")


def nothing_after_the_work(folder):
    """Writes steps that continue for 60 ms after the last kernel of the recording."""
    t = Trace()
    t.range("ProfilerStep#0", 1, 100)
    kernels(t, 1.1, 25, 1)
    t.range("ProfilerStep#1", 101, 400)
    kernels(t, 101.1, 30, 1)
    t.write(folder, "trace")


def work_that_was_called_long_before(folder):
    """Writes 30 kernels that start 20 ms after their launches, although no recorded work keeps the device busy."""
    t = Trace()
    for i in range(30):
        t.launch(1 + 25 * i, 21 + 25 * i, 4)
    t.write(folder, "trace")


def first_launch_is_held(folder):
    """Writes a first launch that blocks for 900 ms, and then 100 consecutive kernels of 1 ms."""
    t = Trace()
    t.launch(1, 1.1, 0.02)
    t.operator("aten::mm", 2, 900)
    t.add("cuda_runtime", "cudaLaunchKernel", 2.1, 899, 1, correlation=t.ids, **{"External id": t.ids})
    t.kernel("gemm_kernel", 901.2, 1, t.ids)
    for i in range(100):
        t.launch(902 + 0.1 * i, 902.3 + i, 0.99)
    t.write(folder, "trace")


# ---- recordings that slow the host ----

def late_host(t, frames):
    """Adds four steps of 60 launches, one every 0.1 ms, of kernels of 20 us. The device waits for the host."""
    for i in range(4):
        at = 1 + 10 * i
        t.range("ProfilerStep#%d" % i, at, 9.9)
        for k in range(60):
            start = at + 0.1 + 0.1 * k
            for n in range(frames):
                t.add("python_function", "model.py(%d): forward" % n, start + 0.0005 * n, 0.09 - 0.0005 * n, 1)
            t.launch(start + 0.06, start + 0.07, 0.02)


def stacks_slow_the_host(folder):
    """Writes 200 frames around each launch. Recording them costs 30 of 100 us."""
    t = Trace(with_stack=1)
    late_host(t, 200)
    t.write(folder, "trace")


def few_frames(folder):
    t = Trace(with_stack=1)
    late_host(t, 3)
    t.write(folder, "trace")


def stacks_and_a_busy_device(folder):
    """Writes a program with 100 frames around each launch, whose device never waits."""
    t = Trace(with_stack=1)
    for i in range(4):
        at = 1 + 10 * i
        t.range("ProfilerStep#%d" % i, at, 9.9)
        for k in range(60):
            for n in range(100):
                t.add("python_function", "model.py(%d): forward" % n, at + 0.1 * k + 0.001 * n, 0.09 - 0.0009 * n, 1)
            t.launch(at + 0.1 * k + 0.01, at + 0.1 + 0.16 * k, 0.16)
    t.write(folder, "trace")


def stacks_without_a_device(folder):
    """Writes a CPU program with 60 operators of 10 us per step, and 200 frames around each operator."""
    t = Trace(deviceProperties=[], with_stack=1)
    for i in range(4):
        at = 1 + 10 * i
        t.range("ProfilerStep#%d" % i, at, 9.9)
        for k in range(60):
            for n in range(200):
                t.add("python_function", "model.py(%d): forward" % n, at + 0.1 * k + 0.0002 * n, 0.09 - 0.0002 * n, 1)
            t.operator("aten::add", at + 0.1 * k + 0.045, 0.01)
    t.write(folder, "trace")


def few_frames_without_a_device(folder):
    t = Trace(deviceProperties=[], with_stack=1)
    cpu_steps(t)
    for i in range(100):
        t.add("python_function", "model.py(%d): forward" % i, 3 + i, 0.5, 1)
    t.write(folder, "trace")


KINDS = {f.__name__: f for f in (stacks_slow_the_host, few_frames, stacks_and_a_busy_device, stacks_without_a_device,
                                 few_frames_without_a_device, capture_by_hip, capture_by_the_driver, capture_that_fails, capture_without_kernels,
                                 capture_and_long_replay, first_use_takes_memory, first_use_loads_modules, first_use_makes_handles,
                                 first_use_is_little, few_kernels_in_one_step, few_kernels_in_no_step, few_kernels_that_keep_it_busy,
                                 nothing_after_the_work, work_that_was_called_long_before, first_launch_is_held,
                                 main_has_the_optimizer, main_has_the_loader, main_has_the_engine_steps, main_is_the_first_of_its_process,
                                 recording_with_a_helper,
                                 reading_before_the_first_kernel, nothing_before_the_first_kernel, saving_after_the_last_kernel,
                                 loading_before_a_device_that_was_busy, operators_before_the_first_step,
                                 copy_waits_for_lost_kernels, other_thread_waits_for_lost_kernels, event_waits_for_lost_kernels,
                                 waits_return_late, waits_for_another_device, head_names_a_gpu, cpu_program_beside_a_gpu,
                                 cpu_program_with_one_synchronize, allocations_without_kernels, memory_of_another_gpu, one_collective_in_steps,
                                 many_long_collectives, one_hidden_collective)}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
