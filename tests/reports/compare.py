#!/usr/bin/env python3
"""Writes the inputs of tests/reports/compare.tsv: `compare.py KIND FOLDER`. Equal calls write equal bytes."""
import json
import os
import sys


def span(category, name, start, length, **args):
    """Returns a complete event of the main thread. Times are in us."""
    event = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length}
    if args:
        event["args"] = args
    return event


def write(folder, name, events, **head):
    """Writes a trace file."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events, **head}, file)


# ---- jobs ----

ENGINE_STEP = "execute_context_0(0)_generation_1(1)"


def steps_of(names, length, share=0.5):
    """Returns consecutive steps of `length` us, in each of which an operator takes the share `share`."""
    events, at = [], 1000.0
    for number, name in enumerate(names):
        events.append(span("user_annotation", name, at, length))
        events.append(span("cpu_op", "aten::mm", at, share * length, **{"External id": number + 1}))
        at += length + 100
    return events


def rank(number, world):
    """Returns the header of the trace of one of several ranks."""
    return {"distributedInfo": {"backend": "gloo", "rank": number, "world_size": world}}


def one_rank_engine_steps(folder):
    """Writes steps of a serving engine on one rank, which gives most steps the same name."""
    write(folder, "rank0.pt.trace.json", steps_of([ENGINE_STEP] * 8, 900), **rank(0, 1))


def one_rank_pairs_of_names(folder):
    """Writes a file with two recordings, so that each step name occurs twice."""
    write(folder, "one.pt.trace.json", steps_of([f"ProfilerStep#{i % 4}" for i in range(8)], 5000))


def one_rank_empty_steps(folder):
    """Writes steps with the same name and no length."""
    write(folder, "one.pt.trace.json", steps_of(["ProfilerStep#1"] * 4, 0))


def two_ranks_engine_steps(folder):
    """Writes two ranks that repeat the name of a step. The second rank computes twice as long."""
    for number, share in ((0, 0.4), (1, 0.8)):
        write(folder, f"rank{number}.pt.trace.json", steps_of([ENGINE_STEP] * 8, 10000 * (0.5 + share), share),
              **rank(number, 2))


# ---- pairs of runs ----


def cpu_step(number, start, tail, length=10000.0):
    """Returns a marked step: a product, the loss, then the operators in `tail` as (name, dims, types, inner names)."""
    events = [span("user_annotation", f"ProfilerStep#{number}", start, length)]
    at = start + 10

    def operator(name, dims, types, took, inner=()):
        nonlocal at
        events.append(span("cpu_op", name, at, took, **{"Input Dims": dims, "Input type": types,
                                                         "External id": 1000 * number + len(events)}))
        for place, callee in enumerate(inner):
            events.append(span("cpu_op", callee, at + 1 + place, took / 4 / len(inner) / 2,
                               **{"Input Dims": dims, "Input type": types, "External id": 1000 * number + len(events)}))
        at += took + 5

    operator("aten::mm", [[64, 64], [64, 64]], ["float", "float"], 3000)
    operator("aten::mse_loss", [[64, 64], [64, 64], []], ["float", "float", "Scalar"], 500)
    for name, dims, types, inner in tail:
        operator(name, dims, types, 40, inner)
    operator("aten::sum", [[64, 64]], ["float"], 300)
    return events


def pair(folder, base, new, steps=8):
    """Writes two runs whose steps differ only in their last operators, `base` or `new`."""
    for name, tail in (("base", base), ("new", new)):
        events = []
        for number in range(steps):
            events += cpu_step(number, 1000.0 + 10100 * number + 7 * (number % 3), tail)
        write(folder, f"{name}.json", events)


LOSS = ([[]], ["float"])
DETACH = ("aten::detach", *LOSS, ())


def detach_to_item(folder):
    """Replaces `.detach()` by `.item()`, so the host waits for the value."""
    pair(folder, [DETACH], [("aten::item", *LOSS, ("aten::_local_scalar_dense",))])


def detach_to_clone(folder):
    """Replaces `.detach()` by `.clone()`, which copies."""
    pair(folder, [DETACH], [("aten::clone", *LOSS, ("aten::empty_like",))])


def detach_to_double(folder):
    """Replaces `.detach()` by `.double()`, which casts."""
    pair(folder, [DETACH], [("aten::to", *LOSS, ("aten::_to_copy",))])


def detach_to_nonzero(folder):
    """Replaces `.detach()` by `.nonzero()`, so the host waits for the result."""
    pair(folder, [DETACH], [("aten::nonzero", *LOSS, ())])


def clone_to_item(folder):
    """Replaces a copy by a wait, which must not be reported as a rename although both take time."""
    pair(folder, [("aten::clone", *LOSS, ())], [("aten::item", *LOSS, ())])


def item_to_detach(folder):
    """Replaces a wait by a copy, which must not be reported as a regression."""
    pair(folder, [("aten::item", *LOSS, ("aten::_local_scalar_dense",))], [DETACH])


def renamed_operator(folder):
    """Renames an operator of the user."""
    pair(folder, [("mylib::scale", *LOSS, ())], [("mylib::rescale", *LOSS, ())])


def fewer_by_lists(folder):
    """Replaces four operators per parameter by an optimizer that updates all parameters in one call."""
    shapes = [[64, 64], [64], [32, 64], [32]]
    each = [(name, [shape, shape], ["float", "float"], ()) for shape in shapes
            for name in ("aten::lerp_", "aten::mul_", "aten::addcmul_", "aten::addcdiv_")]
    pair(folder, each, [("aten::_fused_adam_", [shapes, shapes, shapes], ["TensorList"] * 3, ())])


def more_by_lists(folder):
    """Replaces a call on lists by four operators per parameter."""
    shapes = [[64, 64], [64], [32, 64], [32]]
    each = [(name, [shape, shape], ["float", "float"], ()) for shape in shapes
            for name in ("aten::lerp_", "aten::mul_", "aten::addcmul_", "aten::addcdiv_")]
    pair(folder, [("aten::_fused_adam_", [shapes, shapes, shapes], ["TensorList"] * 3, ())], each)


def kernel_run(folder, name, kernels, steps=5, jitter=0):
    """Writes consecutive kernels (name, us). An operator with the same name launches the kernel. A third value is the
    name of the operator, if it has another name. A fourth value is the shapes of its inputs, a fifth the hash of its
    generated code."""
    events, correlation = [], 1
    for number in range(steps):
        start = 1000.0 + 100000 * number
        events.append(span("user_annotation", f"ProfilerStep#{number}", start, 90000 + jitter * (number % 2)))
        at = start + 500
        for place, kernel in enumerate(kernels):
            owner = kernel[2] if len(kernel) > 2 else kernel[0]
            call = start + 10 + 60 * place
            shapes = {"Input Dims": kernel[3]} if len(kernel) > 3 else {}
            if len(kernel) > 4 and kernel[4]:
                shapes.update({"kernel_file": f"/tmp/torchinductor_me/{kernel[4]}.py", "kernel_hash": kernel[4],
                               "kernel_backend": "triton"})
            events.append(span("cpu_op", owner, call, 40, **{"External id": correlation}, **shapes))
            events.append(span("cuda_runtime", "cudaLaunchKernel", call + 5, 10,
                               **{"External id": correlation, "correlation": correlation}))
            gpu = span("kernel", kernel[0], at, kernel[1],
                       **{"External id": correlation, "correlation": correlation, "device": 0, "stream": 7})
            gpu.update(pid=0, tid=7)
            events.append(gpu)
            at += kernel[1] + 50
            correlation += 1
    write(folder, name, events)


def other_algorithm(folder):
    """Replaces the kernel of a product by one of another type."""
    kernel_run(folder, "base.json", [("volta_sgemm_128x64_nn", 9000, "aten::mm"), ("b", 3000, "aten::relu")])
    kernel_run(folder, "new.json", [("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_32x6_nn", 9000, "aten::mm"), ("b", 3000, "aten::relu")])


def triton_shifted(folder):
    """Increases all numbers in Inductor's kernel names by two. The second of six kernels becomes faster."""
    names = [f"triton_red_fused_sum_{i}" for i in range(8)]
    kernel_run(folder, "base.json", [(names[i], 10000 + 100 * i) for i in range(6)])
    kernel_run(folder, "new.json", [(names[i + 2], 4000 if i == 1 else 10000 + 100 * i) for i in range(6)])


def triton_one_removed(folder):
    """Removes the first of five kernels, so that the numbers of the other kernels decrease by 1."""
    times = [9000, 2000, 15000, 5000, 22000]
    kernel_run(folder, "base.json", [(f"triton_poi_fused_mul_{i}", t) for i, t in enumerate(times)])
    kernel_run(folder, "new.json", [(f"triton_poi_fused_mul_{i}", t) for i, t in enumerate(times[1:])])


def triton_shapes(folder):
    """Moves the last of six kernels to the front, so that all numbers change. Only the shapes identify the kernels.
    The kernel with the shape [9] becomes faster."""
    def kernels(first, shapes, times):
        return [(f"triton_poi_fused_add_{first + i}", times[i], f"triton_poi_fused_add_{first + i}", [[shape]])
                for i, shape in enumerate(shapes)]
    kernel_run(folder, "base.json", kernels(0, [8, 9, 10, 11, 12, 13], [9000] * 6))
    kernel_run(folder, "new.json", kernels(0, [13, 8, 9, 10, 11, 12], [9000, 9000, 3000, 9000, 9000, 9000]))


FAMILY = "triton_poi_fused_add_mul"


def generated(first, times, shapes, hashes, family=FAMILY):
    """Returns kernels of one family, numbered from `first`, as items of kernel_run."""
    return [(f"{family}_{first + i}", time, f"{family}_{first + i}", [[shape]], digest)
            for i, (time, shape, digest) in enumerate(zip(times, shapes, hashes))]


def log_of_lines(folder, lines, family=FAMILY):
    """Writes a log of torch.compile that gives each kernel ({number: line of model.py}) its line."""
    head = 'V1128 04:45:22.360000 31689 torch/_inductor/compile_fx.py:1632] {"artifact": {"name": "%s"}, "frame_id": 0}'
    stacks = {f"{family}_{number}:{handle}": [f'  File "/home/me/model.py", line {line}, in forward\n    code\n']
              for handle, (number, line) in enumerate(lines.items(), 1)}
    os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
    with open(os.path.join(folder, "logs", "dedicated_log_torch_trace_rank_0_a.log"), "w", encoding="utf-8") as file:
        file.write(head % "inductor_provenance_tracking_kernel_stack_traces" + "\n\t" + json.dumps(stacks) + "\n")


def write_with_lines(folder, last):
    """Writes six kernels of one family whose numbers increase by one. The fourth becomes faster, by 6 ms in each of four
    steps. In model.py, kernel i of the new run has the line 11 + i, and kernel 6 the line `last`."""
    for side, first in (("base", 0), ("new", 1)):
        times = [13000, 13000, 13000, 7000 if side == "new" else 13000, 13000, 13000]
        os.makedirs(os.path.join(folder, side), exist_ok=True)
        kernel_run(os.path.join(folder, side), "run.json", generated(first, times, [64] * 6, [""] * 6), steps=4)
        log_of_lines(os.path.join(folder, side), {first + i: last if i == 5 else 11 + i + first for i in range(6)})


def generated_lines(folder):
    """Gives each of six kernels of one family its own line."""
    write_with_lines(folder, 17)


def generated_one_line(folder):
    """Gives the last two of six kernels of one family the same line."""
    write_with_lines(folder, 16)


def generated_inserted(folder):
    """Adds a kernel at the front, so that the numbers of all others increase. All shapes and times in the base are equal, so
    that only hashes identify the kernels. The kernel with the hash c becomes faster."""
    kernel_run(folder, "base.json", generated(0, [9000] * 5, [8] * 5, "abcde"))
    kernel_run(folder, "new.json", generated(0, [9000, 9000, 9000, 3000, 9000, 9000], [8] * 6, "xabcde"))


def generated_hashes(folder):
    """Writes kernels with equal shapes, each hash twice, in another order on the new side. The second kernel with the
    hash b becomes faster."""
    kernel_run(folder, "base.json", generated(0, [6000, 7000, 8000, 9000], [8] * 4, "aabb"))
    kernel_run(folder, "new.json", generated(2, [8000, 4000, 6000, 7000], [8] * 4, "bbaa"))


def generated_no_hashes(folder):
    """Writes kernels whose hashes only the new side has, so that shapes identify them. The new side has one more kernel with
    the shape [8], and none with [9]. The kernel with the shape [10] becomes faster."""
    kernel_run(folder, "base.json", generated(0, [20000, 9000, 9000, 9000], [9, 8, 10, 11], [""] * 4))
    kernel_run(folder, "new.json", generated(0, [9000, 20000, 9000, 3000], [8, 8, 11, 10], "abcd"))


def generated_first_calls(folder):
    """Writes kernels without shapes. On the new side, later calls have smaller numbers. The kernel that is called second
    becomes faster."""
    kernel_run(folder, "base.json", [(f"{FAMILY}_{i}", 8000 + 1000 * i) for i in range(4)])
    kernel_run(folder, "new.json", [(f"{FAMILY}_{9 - i}", 3000 if i == 1 else 8000 + 1000 * i) for i in range(4)])


def generated_cpp(folder):
    """Writes C++ kernels, which have no hash. A kernel at the front shifts the numbers, and the graph has another number.
    The kernel with the shape [10] becomes faster."""
    def kernels(graph, shapes, times):
        return [(f"graph_{graph}_cpp_fused_mul_{i}", time, f"graph_{graph}_cpp_fused_mul_{i}", [[shape]])
                for i, (shape, time) in enumerate(zip(shapes, times))]
    kernel_run(folder, "base.json", kernels(0, [8, 9, 10, 11], [9000] * 4))
    kernel_run(folder, "new.json", kernels(1, [7, 8, 9, 10, 11], [9000, 9000, 9000, 3000, 9000]))


def cpp_other_graph(folder):
    """Another graph is compiled first, so that the names of all kernels begin with the number of another graph."""
    for name, graph in (("base.json", 0), ("new.json", 1)):
        kernel_run(folder, name, [(f"graph_{graph}_cpp_fused_mul_{i}", 8000 + 3000 * i) for i in range(4)])


def triton_two_stems(folder):
    """Writes two kinds of kernels with a common numbering. All numbers increase by one."""
    for name, first in (("base.json", 0), ("new.json", 1)):
        kernel_run(folder, name, [(f"triton_{'poi' if i % 2 else 'per'}_fused_a_{i + first}", 8000 + 1000 * i)
                                  for i in range(6)])


def noisy_steps(folder):
    """Writes few steps whose lengths differ by more than a factor of ten, so no change is detectable."""
    for name, lengths in (("base.json", (900, 9000, 1500, 30000)), ("new.json", (4000, 60000, 3000, 20000))):
        events, at = [], 1000.0
        for number, length in enumerate(lengths):
            events.append(span("user_annotation", f"ProfilerStep#{number}", at, length))
            events.append(span("cpu_op", "aten::mm", at + 1, length / 2, **{"External id": number}))
            at += length + 10
        write(folder, name, events)


KINDS = {name: kind for name, kind in list(globals().items())
         if callable(kind) and getattr(kind, "__code__", None) and kind.__code__.co_varnames[:1] == ("folder",)
         and kind.__code__.co_argcount == 1}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
