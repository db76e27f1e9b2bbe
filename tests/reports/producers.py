#!/usr/bin/env python3
"""producers.py KIND FOLDER: writes a trace of three steps to FOLDER/trace.json, as producers other than Kineto for CUDA
write it."""
import json
import os
import sys

COMMUNICATION = """deep_ep::intranode::combine<__nv_bfloat16>|nvshmemi_proxy_quiet|flashinfer::trtllm_allreduce_fusion::kernel_oneshot_lamport
mori::EpCombineIntraNodeKernel|multimem_all_gather_kernel|oneccl_reduce_scatter|quickreduce::allreduce_prototype_twoshot<4>
kuserbuffers_pushsend|hcom_allReduce__512_0_1|tensorrt_llm::mnnvl_twoshot|mscclpp::allgather8<float>|vllm::cross_device_reduce_2stage<half>
sglang::custom_all_reduce_kernel|rccl_main_kernel|ncclDevKernel_SendRecv|aiter::reduce_scatter_cross_device_store|moeA2ACombineKernel""".replace(
    "\n", "|").split("|")
COMPUTE = """void at::native::reduce_kernel<512, 1>|softmax_warp_allreduce<float>|triton_poi_fused_add_all_gather_into_tensor_wait_tensor_3
blockAllReduceSum<float>|triton_red_fused__all_reduce_mean_7|void cutlass::all_gather_gemm|broadcast_add_kernel""".replace("\n", "|").split("|")
WAITS = {"xpu": ("xpu_runtime", ("urQueueFinish", "zeDeviceSynchronize", "zeEventHostSynchronize", "zeFenceHostSynchronize",
                                 "zeCommandQueueSynchronize", "piQueueFinish")),
         "hip": ("hip_runtime", ("hipDeviceSynchronize", "hipStreamSynchronize", "hipEventSynchronize", "hipStreamSynchronize_spt")),
         "npu": ("npu_runtime", ("aclrtSynchronizeStream", "AscendCL@aclrtSynchronizeDevice", "aclrtSynchronizeEventWithTimeout")),
         "mlu": ("mlu_runtime", ("cnrtQueueSync", "cnrtSyncDevice", "cnQueueSync")),
         "copies": ("npu_runtime", ("AscendCL@aclrtMemcpy", "aclrtMemcpy", "musaMemcpy", "cnrtMemcpy"))}
COPIES = {"hip": "CopyHostToDevice", "plain": "memcpy_h2d", "xpu": "zeCommandListAppendMemoryCopy(M2D)", "arrow": "Memcpy (Host -> Device)",
          "async": "MemcpyAsync", "npu": "MEMCPY_ASYNC", "word": "Memcpy", "engine": "DMA copy"}
STEP, STEPS = 10000, 3


class Recording:
    def __init__(self):
        self.events, self.number = [], 0

    def event(self, category, name, start, length, pid=1, tid=1, **args):
        event = {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": start, "dur": length, "args": args}
        self.events.append(dict(event, cat=category) if category else event)
        return self.events[-1]

    def work(self, category, name, start, length, call="cudaLaunchKernel", runtime="cuda_runtime", **args):
        """Adds an operation of the device, and the call that launched it 100 us before."""
        self.number += 1
        self.event(runtime, call, start - 100, 10, correlation=self.number)
        return self.event(category, name, start, length, pid=0, tid=7, **dict({"device": 0, "stream": 7, "correlation": self.number}, **args))

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "trace.json"), "w", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "Device", "totalGlobalMem": 1 << 34, "numSms": 100, "warpSize": 32}],
                       "traceEvents": self.events + [{"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": STEP * STEPS + 1}]},
                      file)


def steps(recording, copy=None, kernel="gemm", **args):
    """Adds to each step a copy of 1 MiB to the device, a set, and 6 ms of kernels."""
    for step in range(STEPS):
        begin = step * STEP
        recording.event("user_annotation", "ProfilerStep#%d" % step, begin, STEP)
        recording.event("cpu_op", "aten::mm", begin + 200, 9000)
        if copy:
            copy(recording, begin + 500)
        for part in range(3):
            recording.work("kernel", kernel, begin + 2500 + 2100 * part, 2000, **args)


def kineto_copy(recording, at):
    recording.work("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", at, 900, "cudaMemcpyAsync", bytes=1 << 20)
    recording.work("gpu_memset", "Memset (Device)", at + 1000, 100, "cudaMemsetAsync", bytes=4096)


def cuspy_copy(kind="HtoD", source="pageable", target="device"):
    def copy(recording, at):
        recording.work("gpu_memcpy", "Memcpy", at, 900, "cudaMemcpyAsync", bytes=1 << 20, flags=1,
                       **{"context": 1, "copy kind": kind, "src kind": source, "dst kind": target})
        recording.work("gpu_memset", "Memset", at + 1000, 100, "cudaMemsetAsync", bytes=4096, value=0, flags=0, **{"memory kind": 3})
    return copy


def cuspy_graph(recording):
    """Adds graphs as torch's CUPTI backend writes them: nodes without work, arrows between nodes, lanes, counters,
    annotations."""
    steps(recording, cuspy_copy(), **{"graph id": 3, "stream": 26000, "original_stream": 7, "annotation": "[\"layers.1\"]"})
    for step in range(STEPS):
        at = step * STEP + 2400
        recording.event("graph_event_node", "EventRecord", at, 0, 0, 7, **{"device": 0, "stream": 7, "graph id": 3, "graph node id": 900})
        recording.event("graph_host_node", "HostNode: callback", at, 2, 0, 7, **{"device": 0, "stream": 7, "correlation": 0, "graph id": 3})
        for phase in "sf":
            recording.events.append({"ph": phase, "id": (1 << 40) + step, "pid": 0, "tid": 7, "ts": at + 200, "cat": "ac2g", "name": "ac2g"})
        recording.events.append({"ph": "C", "name": "Power (W)", "pid": "GPU 0 Counters", "ts": at, "args": {"": 300.0}})


def named_copy(name):
    return lambda recording, at: recording.work("gpu_memcpy", name, at, 900, "cudaMemcpyAsync", bytes=1 << 20)


def waits(recording, category, calls):
    steps(recording)
    for step in range(STEPS):
        for position, call in enumerate(calls):
            recording.event(category, call, step * STEP + 8900 + 100 * position, 90)


def grouped(recording, by_launch):
    """Adds kernels whose names do not show that they communicate. They have a process group, or the dispatcher launches
    them."""
    steps(recording, kernel="kernel_17", **({} if by_launch else {"Process Group Name": "0", "Collective name": "allreduce"}))
    for step in range(STEPS if by_launch else 0):
        recording.event("cpu_op", "record_param_comms", step * STEP + 2000, 5500, **{"Collective name": "allreduce"})


def process(recording, pid, name, labels):
    recording.events.append({"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}})
    recording.events.append({"ph": "M", "name": "process_labels", "pid": pid, "tid": 0, "args": {"labels": labels}})


def device(recording, name, labels, category):
    """Writes steps in which a process works for 80 % of the time. Only its metadata shows that the process is a
    device."""
    process(recording, 1, "python", "CPU")
    process(recording, 3, name, labels)
    for step in range(STEPS):
        recording.event("user_annotation", "ProfilerStep#%d" % step, step * STEP, STEP)
        recording.event("cpu_op", "aten::mm", step * STEP + 100, 300)
        recording.event(category, "MatMulV2", step * STEP + 1000, 8000, 3, 5)


def main(kind, folder):
    recording = Recording()
    group, _, which = kind.partition("_")
    if group == "comm" or group == "compute":
        steps(recording, kernel=(COMMUNICATION if group == "comm" else COMPUTE)[int(which)])
    elif group == "waits":
        waits(recording, *WAITS[which])
    elif group == "copy":
        steps(recording, named_copy(COPIES[which]))
    else:
        MADE[kind](recording)
    recording.write(folder)


MADE = {"kineto": lambda r: steps(r, kineto_copy), "cuspy": lambda r: steps(r, cuspy_copy()),
        "cuspy_numbers": lambda r: steps(r, cuspy_copy(1, 1, 3)), "cuspy_pinned": lambda r: steps(r, cuspy_copy(source="pinned")),
        "cuspy_hosts": lambda r: steps(r, cuspy_copy(9, 1, 1)), "cuspy_graph": cuspy_graph,
        "cuspy_unknown": lambda r: steps(r, cuspy_copy(0)), "cuspy_new": lambda r: steps(r, cuspy_copy(17)),
        "cuspy_none": lambda r: steps(r, cuspy_copy(None)),
        "grouped_name": lambda r: grouped(r, False), "grouped_launch": lambda r: grouped(r, True),
        "device_npu": lambda r: device(r, "Ascend Hardware", "NPU", None), "device_mlu": lambda r: device(r, "python", "MLU 0", None),
        "device_label": lambda r: device(r, "device", "NPU 3", None), "device_category": lambda r: device(r, "python", "CPU", "warp_probe")}

if __name__ == "__main__":
    main(*sys.argv[1:])
