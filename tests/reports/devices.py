#!/usr/bin/env python3
"""devices.py KIND FOLDER: writes a trace of a kind into FOLDER; see devices.tsv. Each KIND has a function
`made_KIND` below. The traces number and name their devices as different producers do."""
import json
import os
import sys

STEP, STEPS = 10000, 3


class Recording:
    """A recording of a host with pid 100 and devices. Times are in microseconds."""

    def __init__(self, **head):
        self.head = {"schemaVersion": 1, **head}
        self.events, self.last = [], 0

    def event(self, cat, name, pid, tid, start, dur, **args):
        event = {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": dur, "args": args}
        self.events.append({**event, "cat": cat} if cat else event)

    def process(self, pid, name=None, labels=None, sort_index=None):
        for key, value in (("name", name), ("labels", labels), ("sort_index", sort_index)):
            if value is not None:
                self.events.append({"ph": "M", "name": f"process_{key}", "pid": pid, "tid": 0, "args": {key: value}})

    def steps(self, *devices, host=100, runtime="cuda_runtime", call="cudaLaunchKernel", cat="kernel"):
        """Writes three steps. Each device (pid, share, arguments) runs a product for `share` percent of each step."""
        for step in range(STEPS):
            begin = step * STEP
            self.event("user_annotation", f"ProfilerStep#{step}", host, 1, begin, STEP)
            self.event("cpu_op", "aten::mm", host, 1, begin + 100, 400)
            for place, (pid, share, args) in enumerate(devices):
                self.last += 1
                self.event(runtime, call, host, 1, begin + 150 + 20 * place, 10, correlation=self.last)
                self.event(cat, "gemm_kernel", pid, 7, begin + 400 + place, share * STEP // 100, correlation=self.last, **args)

    def write(self, folder):
        with open(os.path.join(folder, "trace.json"), "w", encoding="utf-8") as file:
            json.dump({**self.head, "traceEvents": self.events}, file)


def of(folder, *devices, processes=(), **more):
    recording = Recording()
    for process in processes:
        recording.process(*process)
    recording.steps(*devices, **more)
    recording.write(folder)


# ---- the pid of a device may not be its number ----

def made_pid_of_system(folder):
    of(folder, (41234, 90, {}), processes=[(100, "python", "CPU")])


def made_pid_of_named_process(folder):
    of(folder, (41234, 90, {}), processes=[(100, "python", "CPU"), (41234, "accelerator queue")])


def made_pid_of_host(folder):
    of(folder, (100, 90, {}), processes=[(100, "python", "CPU")])


def made_pid_text(folder):
    of(folder, ("device stream", 90, {}))


def made_pid_title(folder):
    of(folder, ("/device:GPU:2", 90, {}))


def made_pid_negative(folder):
    of(folder, (-1, 90, {}))


def made_pid_huge(folder):
    of(folder, (9007199254740993, 90, {}))


def made_pid_none(folder):
    of(folder, (None, 90, {}))


def made_pid_small_without_metadata(folder):
    of(folder, (7, 90, {}))


def made_pid_small_of_device(folder):
    of(folder, (7, 90, {}), processes=[(7, "python", "GPU")])


def made_pid_small_by_sort_index(folder):
    of(folder, (3, 90, {}), processes=[(100, "python", "CPU", 100), (3, "python", "", 5000003)])


def made_pid_small_of_container(folder):
    """Writes process 7 of a container, which is not a device. Its sort index is its pid."""
    of(folder, (7, 90, {}), processes=[(7, "worker", "", 7)])


def made_two_foreign(folder):
    of(folder, (41299, 50, {}), (41234, 90, {}), processes=[(41234, "worker"), (41299, "worker")])


def made_two_named(folder):
    of(folder, (41299, 50, {}), (41234, 90, {}), processes=[(41234, "queue B"), (41299, "queue A")])


def made_label_of_foreign(folder):
    of(folder, (41234, 90, {}), processes=[(41234, "python", "GPU 5")])


def made_argument_against_pid(folder):
    of(folder, (41234, 90, {"device": 2}), processes=[(41234, "python", "GPU 5")])


def made_argument_of_neighbours(folder):
    """Writes a process in which only some operations have the number of the device."""
    of(folder, (41234, 30, {"device": 6}), (41234, 50, {}))


def made_argument_huge(folder):
    of(folder, (41234, 90, {"device": 41234}))


def made_argument_negative(folder):
    of(folder, (0, 90, {"device": -1}), processes=[(0, "python", "GPU 0")])


def made_foreign_next_to_numbered(folder):
    of(folder, (0, 50, {"device": 0}), (41234, 90, {}))


# ---- words for devices ----

def made_word_npu(folder):
    recording = Recording()
    recording.process(1, "Python", "CPU")
    recording.process(2, "CANN")
    recording.process(2147483, "Ascend Hardware", "NPU")
    recording.steps((2147483, 90, {"Task Type": "AI_CORE"}), host=1, runtime="", cat="")
    for event in recording.events:
        if event["name"] == "cudaLaunchKernel":
            event.update(name="AscendCL@aclrtLaunchKernel", pid=2)
    recording.write(folder)


def made_word_two_npus(folder):
    recording = Recording()
    recording.process(1, "Python", "CPU")
    recording.process(700001, "Ascend Hardware", "NPU")
    recording.process(700002, "Ascend Hardware", "NPU")
    recording.steps((700001, 60, {}), (700002, 90, {}), host=1, cat="")
    recording.write(folder)


def made_word_xpu(folder):
    of(folder, (0, 90, {"device": 0}), processes=[(0, "python", "GPU 0")], runtime="xpu_runtime", call="urEnqueueKernelLaunch")


def made_word_mlu(folder):
    of(folder, (1, 90, {"device": 1}), processes=[(1, "python", "MLU 1")], runtime="mlu_runtime", call="cnrtInvokeKernel")


def made_word_musa(folder):
    of(folder, (0, 90, {"device": 0}), runtime="musa_runtime", call="musaLaunchKernel")


def made_word_mtia(folder):
    of(folder, (17, 90, {}), processes=[(17, "MTIA 17", "MTIA 17", 5000017)], runtime="mtia_runtime", call="mtiaLaunch")


def made_word_hip(folder):
    of(folder, (2, 90, {"device": 2}), processes=[(2, "python", "GPU 2")], runtime="cuda_runtime", call="hipLaunchKernel")


def made_words_mixed(folder):
    of(folder, (0, 90, {"device": 0}), (1, 50, {}), processes=[(0, "python", "GPU 0"), (1, "python", "NPU 1")])


# ---- all outputs agree on communication: verdict, table of kinds, and timeline ----

def communicating(folder, kernel, operator="aten::mm", **args):
    """Writes three steps with 60 % of the time in one kernel, which `operator` launches. The kernel's name may or may
    not show what the kernel does."""
    recording = Recording()
    recording.steps((0, 60, {"device": 0, **args}))
    for event in recording.events:
        if event["name"] == "gemm_kernel":
            event["name"] = kernel
        if event["name"] == "aten::mm":
            event["name"] = operator
    recording.write(folder)


def made_comm_launched(folder):
    communicating(folder, "kernel_17", "c10d::allreduce_")


def made_comm_group(folder):
    communicating(folder, "kernel_17", **{"Process Group Name": "0", "Collective name": "allreduce"})


def made_comm_named(folder):
    communicating(folder, "vllm::custom_all_reduce_2stage<half>", "vllm::all_reduce")


def made_compute_named(folder):
    communicating(folder, "cutlass::all_gather_gemm_signal")


def made_compute_launched(folder):
    communicating(folder, "void at::native::vectorized_copy_kernel", "c10d::_allgather_base_")


def made_compute_in_custom_operator(folder):
    communicating(folder, "rms_norm_kernel", "vllm::all_reduce")


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    globals()["made_" + sys.argv[1]](sys.argv[2])
