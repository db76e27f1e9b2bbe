#!/usr/bin/env python3
"""Writes the inputs of tests/reports/replaced.tsv: `replaced.py KIND FOLDER`. Equal calls write equal bytes.

Each input is a pair of runs, base.json and new.json, in which operators or kernels replace others. A step is a list of
operators: op(name, shape, us, kernels, inner). The pairs differ in the middle of the step.
"""
import json
import os
import sys

ACTIVATION, WEIGHT = [64, 256], [256, 256]


def op(name, shape=(ACTIVATION,), us=40, kernels=(), inner=(), types=None, place=None, after=()):
    """Returns an operator. us: own host time; kernels: (name, us); inner: operators inside; after: runtime calls (name,
    us) after the inner operators."""
    return {"name": name, "shape": list(shape), "us": us, "kernels": list(kernels), "inner": list(inner),
            "types": types or ["float"] * len(shape), "place": place, "after": list(after)}


class Writer:
    """Writes steps of operators as a trace. On the device, kernels run one after the other."""

    def __init__(self, has_device=True, has_shapes=True, has_marks=True, noise=0.002, seed=1):
        self.has_device, self.has_shapes, self.has_marks = has_device, has_shapes, has_marks
        self.noise, self.state = noise, seed
        self.events, self.number, self.correlation = [], 0, 0

    def vary(self, us):
        """Returns a time that varies randomly by the share `noise`. Equal seeds give equal times."""
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return round(us * (1 + self.noise * (2 * self.state / 2**31 - 1)), 3)

    def span(self, category, name, start, length, tid=1, pid=1, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": round(start, 3),
                            "dur": round(length, 3), "args": args})

    def operator(self, o, at):
        """Writes an operator and its inner operators. Returns its end."""
        begin, self.number = at, self.number + 1
        own, args = self.number, {"External id": self.number}
        if self.has_shapes:
            args.update({"Input Dims": o["shape"], "Input type": o["types"]})
        slot = len(self.events)
        at += self.vary(o["us"]) / 2
        for kernel, us in o["kernels"] if self.has_device else []:
            self.correlation += 1
            self.span("cuda_runtime", "cudaLaunchKernel", at, 4,
                      **{"External id": own, "correlation": self.correlation})
            self.device = max(self.device, at + 5)
            length = self.vary(us)
            category = "gpu_memcpy" if kernel.startswith("Memcpy") else "kernel"
            self.span(category, kernel, self.device, length, tid=7, pid=0,
                      **{"External id": own, "correlation": self.correlation, "device": 0, "stream": 7})
            self.device += length + 1
            at += 5
        for name, us in o["after"]:
            self.correlation += 1
            self.span("cuda_runtime", name, at, us, **{"External id": own, "correlation": self.correlation})
            at += us + 1
        for callee in o["inner"]:
            at = self.operator(callee, at + 1)
        at += self.vary(o["us"]) / 2
        self.events.insert(slot, {"ph": "X", "cat": "cpu_op", "name": o["name"], "pid": 1, "tid": 1,
                                  "ts": round(begin, 3), "dur": round(at - begin, 3), "args": args})
        return at

    def run(self, steps, operators, period):
        at = 1000.0
        for number in range(steps):
            self.device = begin = at
            at += 10
            place, since = None, at
            for o in operators + [op("aten::sum", us=30, kernels=[("reduce_kernel", 100)])]:
                if o["place"] != place:
                    self.frame(place, since, at)
                    place, since = o["place"], at
                at = self.operator(o, at + 2)
            self.frame(place, since, at)
            at = max(at, self.device if self.has_device else 0) + 10
            at = max(at, begin + period)
            if self.has_marks:
                self.span("user_annotation", f"ProfilerStep#{number}", begin, at - begin)
            at += 5

    def frame(self, place, begin, end):
        if place:
            self.number += 1
            self.span("python_function", place, begin + 0.5, end - begin, **{"Python id": self.number,
                                                                         "Python parent id": None})

    def write(self, folder, name):
        head, end = {"schemaVersion": 1}, self.events[-1]["ts"] + self.events[-1]["dur"] + 100
        self.events.append({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": "", "ts": round(end, 3)})
        if self.has_device:
            head["deviceProperties"] = [{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "numSms": 108, "computeMajor": 8,
                                         "computeMinor": 0, "totalGlobalMem": 42_000_000_000}]
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            json.dump({**head, "traceEvents": self.events}, file)


def pair(folder, base, new, steps=8, period=0, layers=4, **options):
    """Writes two runs of a model. Between a product and a sum, its layers have the operators `base` or `new`."""
    seeds = {"base": 3, "new": 8}
    for name, middle in (("base", base), ("new", new)):
        writer = Writer(seed=seeds[name], **options)
        operators = []
        for _ in range(layers):
            operators += [op("aten::addmm", [WEIGHT[:1], ACTIVATION, WEIGHT], 60,
                             [("ampere_sgemm_128x64_tn", 400)])] + middle
        writer.run(steps, operators, period)
        writer.write(folder, f"{name}.json")


# ---- operators ----

def gelu(us):
    return [op("aten::gelu", us=40, kernels=[("vectorized_elementwise_kernel<GeluCUDAKernelImpl>", us)])]


def relu(us):
    return [op("aten::relu", us=40, kernels=[("vectorized_elementwise_kernel<relu_launch>", us)])]


def activation_equal(folder):
    """Replaces gelu by relu, with equal times."""
    pair(folder, gelu(200), relu(200))


def activation_slower(folder):
    """Replaces gelu by relu, which takes longer."""
    pair(folder, gelu(200), relu(300))


def activation_faster(folder):
    """Replaces gelu by relu, which takes less time."""
    pair(folder, gelu(200), relu(120))


def activation_slower_by_far(folder):
    """Replaces an operator by one that takes twenty times as long."""
    pair(folder, gelu(20), relu(400))


def version_of_operator(folder):
    """Renames an operator, which still calls the same kernel, as in a new version of a library."""
    kernels = [("fused_rotary_kernel", 150)]
    pair(folder, [op("aten::_foo", kernels=kernels)], [op("aten::foo_v2", kernels=kernels)])


def version_and_kernel(folder):
    """Renames both the operator and its kernel."""
    pair(folder, [op("mylib::rope", kernels=[("rope_fwd_v1", 150)])],
         [op("mylib::rotary", kernels=[("apply_rotary_kernel<128>", 150)])])


def version_without_shapes(folder):
    """Renames the operator, recorded without shapes."""
    kernels = [("fused_rotary_kernel", 150)]
    pair(folder, [op("aten::_foo", kernels=kernels)], [op("aten::foo_v2", kernels=kernels)], has_shapes=False)


def slower_without_shapes(folder):
    """Replaces an operator by a slower one, recorded without shapes."""
    pair(folder, gelu(200), relu(320), has_shapes=False)


def version_of_inner(folder):
    """Changes the backend of attention, so that the inner operators have other names."""
    def attention(inner, kernel, us):
        return [op("aten::scaled_dot_product_attention", [ACTIVATION] * 3, 20, inner=[
            op(inner, [ACTIVATION] * 3, 30, [(kernel, us)])])]
    pair(folder, attention("aten::_scaled_dot_product_flash_attention", "flash_fwd_kernel", 250),
         attention("aten::_scaled_dot_product_cudnn_attention", "cudnn_generated_fort_native_sdpa_sm90", 250))


def inner_slower(folder):
    """Changes the backend of attention to a slower one."""
    def attention(inner, kernel, us):
        return [op("aten::scaled_dot_product_attention", [ACTIVATION] * 3, 20, inner=[
            op(inner, [ACTIVATION] * 3, 30, [(kernel, us)])])]
    pair(folder, attention("aten::_scaled_dot_product_flash_attention", "flash_fwd_kernel", 250),
         attention("aten::_scaled_dot_product_efficient_attention", "fmha_cutlassF_f32_aligned_64x64_rf_sm80", 420))


def one_to_many_equal(folder):
    """Replaces a fused operator by three operators that take the same time together."""
    pair(folder, [op("mylib::bias_gelu_scale", us=120, kernels=[("bias_gelu_scale_kernel", 300)])],
         [op("aten::add", us=40, kernels=[("add_kernel", 100)]), op("aten::gelu", us=40, kernels=[("gelu_kernel", 100)]),
          op("aten::mul", us=40, kernels=[("mul_kernel", 100)])])


def one_to_many_slower(folder):
    """Replaces a fused operator by three operators, each of which moves the memory again."""
    pair(folder, [op("mylib::bias_gelu_scale", us=120, kernels=[("bias_gelu_scale_kernel", 130)])],
         [op("aten::add", us=40, kernels=[("add_kernel", 100)]), op("aten::gelu", us=40, kernels=[("gelu_kernel", 100)]),
          op("aten::mul", us=40, kernels=[("mul_kernel", 100)])])


def one_to_many_host(folder):
    """Replaces one operator by three, with equal device time and three times the host time."""
    pair(folder, [op("mylib::bias_gelu_scale", us=40, kernels=[("bias_gelu_scale_kernel", 300)])],
         [op("aten::add", us=60, kernels=[("add_kernel", 100)]), op("aten::gelu", us=60, kernels=[("gelu_kernel", 100)]),
          op("aten::mul", us=60, kernels=[("mul_kernel", 100)])])


def many_to_one_faster(folder):
    """Replaces three operators by one that takes less time than all of them."""
    pair(folder, [op("aten::add", us=40, kernels=[("add_kernel", 100)]),
                  op("aten::gelu", us=40, kernels=[("gelu_kernel", 100)]),
                  op("aten::mul", us=40, kernels=[("mul_kernel", 100)])],
         [op("mylib::bias_gelu_scale", us=40, kernels=[("bias_gelu_scale_kernel", 130)])])


def many_to_one_slower(folder):
    """Replaces three operators by one that takes more time than all of them."""
    pair(folder, [op("aten::add", us=40, kernels=[("add_kernel", 60)]),
                  op("aten::gelu", us=40, kernels=[("gelu_kernel", 60)]),
                  op("aten::mul", us=40, kernels=[("mul_kernel", 60)])],
         [op("mylib::bias_gelu_scale", us=40, kernels=[("bias_gelu_scale_naive", 420)])])


def activation_without_steps(folder):
    """Replaces gelu by relu in a recording without steps."""
    pair(folder, gelu(200), relu(200), has_marks=False)


def slower_without_steps(folder):
    """Replaces gelu by a slower operator in a recording without steps."""
    pair(folder, gelu(200), relu(600), has_marks=False)


# ---- kernels of the same operator ----

def product(*kernels):
    return [op("aten::mm", [ACTIVATION, WEIGHT], 60, kernels)]


def kernel_renamed(folder):
    """Renames the kernel, as in a new version of a library."""
    pair(folder, product(("ampere_sgemm_128x64", 300)),
         product(("cutlass_80_simt_sgemm_256x128_8x4_tn_align1", 300)))


def kernel_slower(folder):
    """Replaces the kernel by a slower one."""
    pair(folder, product(("ampere_sgemm_128x64", 300)),
         product(("cutlass_80_simt_sgemm_256x128_8x4_tn_align1", 450)))


def kernel_faster_by_far(folder):
    """Replaces the kernel by one that takes a twentieth of the time."""
    pair(folder, product(("naive_matrix_product", 2000)), product(("sm80_xmma_gemm_f32f32", 100)))


def kernel_slower_by_far(folder):
    """Replaces the kernel by one that takes twenty times as long."""
    pair(folder, product(("sm80_xmma_gemm_f32f32", 100)), product(("naive_matrix_product", 2000)))


def kernel_split(folder):
    """Splits the product along K. A second kernel adds up the parts, and both take as long as the original kernel."""
    pair(folder, product(("ampere_sgemm_128x64", 300)),
         product(("cutlass_80_gemm_splitk", 240), ("splitKreduce_kernel", 60)))


def kernel_split_slower(folder):
    """Splits the product along K. The second kernel takes additional time."""
    pair(folder, product(("ampere_sgemm_128x64", 300)),
         product(("cutlass_80_gemm_splitk", 290), ("splitKreduce_kernel", 160)))


def kernel_joined(folder):
    """Replaces two kernels by one that takes the same time."""
    pair(folder, product(("im2col_kernel", 80), ("ampere_sgemm_32x32", 220)), product(("implicit_convolve_sgemm", 300)))


def kernel_renamed_without_steps(folder):
    """Renames the kernel in a recording without steps."""
    pair(folder, product(("ampere_sgemm_128x64", 300)), product(("cutlass_80_simt_sgemm_256x128", 300)),
         has_marks=False)


# ---- optimizers ----

SHAPES = [[64, 64], [64], [32, 64], [32]]


def adam(us, kernel_us):
    """Returns an optimizer that updates each parameter with four operators."""
    return [op(name, [shape, shape], us, [(f"elementwise_{name[6:]}", kernel_us)]) for shape in SHAPES
            for name in ("aten::lerp_", "aten::mul_", "aten::addcmul_", "aten::addcdiv_")]


def fused(us, kernel_us):
    """Returns one operator that updates all parameters."""
    return [op("aten::_fused_adam_", [SHAPES] * 4, us, [("multi_tensor_apply_kernel<FusedAdam>", kernel_us)],
               types=["TensorList"] * 4)]


def optimizer_fused(folder):
    """Replaces Adam by fused Adam on a GPU."""
    pair(folder, adam(20, 5), fused(60, 30), layers=1)


def optimizer_unfused(folder):
    """Replaces fused Adam by Adam on a GPU."""
    pair(folder, fused(60, 30), adam(20, 5), layers=1)


def optimizer_fused_host(folder):
    """Replaces Adam by fused Adam on the CPU."""
    pair(folder, adam(40, 0), fused(200, 0), layers=1, has_device=False)


def optimizer_fused_slower(folder):
    """Replaces Adam by a fused optimizer that takes longer than all operators of Adam."""
    pair(folder, adam(20, 5), fused(60, 400), layers=1)


# ---- CPU alone ----

def host_equal(folder):
    """Replaces gelu by relu on the CPU, with equal times."""
    pair(folder, [op("aten::gelu", us=300)], [op("aten::relu", us=300)], has_device=False)


def host_slower(folder):
    """Replaces gelu by a slower operator on the CPU."""
    pair(folder, [op("aten::gelu", us=300)], [op("aten::celu", us=700)], has_device=False)


def host_faster(folder):
    """Replaces gelu by a faster operator on the CPU."""
    pair(folder, [op("aten::gelu", us=700)], [op("aten::relu", us=250)], has_device=False)


def host_one_to_many(folder):
    """Replaces an operator of the CPU by two operators that take the same time together."""
    pair(folder, [op("mylib::bias_gelu", us=300)], [op("aten::add", us=100), op("aten::gelu", us=200)],
         has_device=False)


# ---- changes that are no replacement ----

def elsewhere(folder):
    """Removes an operator, and adds a slower one at an unrelated place."""
    between = [op("aten::native_layer_norm", us=30, kernels=[("layer_norm_kernel", 100)])]
    pair(folder, gelu(500) + between, between + [op("mylib::penalty", us=40, kernels=[("penalty_kernel", 300)])])


def rename_with_copy(folder):
    """Renames an operator, which now also copies from the device."""
    pair(folder, [op("mylib::scale", kernels=[("scale_kernel", 100)])],
         [op("mylib::rescale", kernels=[("scale_kernel", 100), ("Memcpy DtoH (Device -> Pageable)", 3)])])


def rename_with_wait(folder):
    """Renames an operator, which now also waits for the device."""
    pair(folder, [op("mylib::scale", kernels=[("scale_kernel", 100)])],
         [op("mylib::rescale", kernels=[("scale_kernel", 100)], after=[("cudaStreamSynchronize", 80)])])


def rename_with_quick_copy(folder):
    """Renames an operator, which takes less time although it now copies from the device."""
    pair(folder, [op("mylib::scale", kernels=[("scale_kernel", 200)])],
         [op("mylib::rescale", kernels=[("scale_kernel", 100), ("Memcpy DtoH (Device -> Pageable)", 3)])])


def rename_with_item_inside(folder):
    """Renames an operator of the CPU, which now also reads a value."""
    pair(folder, [op("mylib::scale", us=300)],
         [op("mylib::rescale", us=200, inner=[op("aten::item", [[]], 5, inner=[
             op("aten::_local_scalar_dense", [[]], 5)])])], has_device=False)


def wait_by_another_call(folder):
    """Makes the same .item() wait in another call of the library."""
    def item(call):
        return [op("aten::item", [[]], 10, inner=[op("aten::_local_scalar_dense", [[]], 10, [
            ("Memcpy DtoH (Device -> Pinned)", 3)], after=[(call, 100)])])]
    pair(folder, item("cudaStreamSynchronize"), item("cudaEventSynchronize"))


def item_beside(folder):
    """Makes an operator faster and adds an .item(). The gain must not hide the wait."""
    pair(folder, gelu(500), relu(100) + [op("aten::item", [[]], 10, inner=[
        op("aten::_local_scalar_dense", [[]], 10, [("Memcpy DtoH (Device -> Pageable)", 3)],
           after=[("cudaStreamSynchronize", 100)])])])


def kernel_elsewhere(folder):
    """Moves a kernel from one operator to another. Both changes must be reported."""
    pair(folder, product(("gemm_main", 300), ("gemm_bias", 200)) + gelu(200),
         product(("gemm_main", 300)) + [op("aten::gelu", us=40, kernels=[
             ("vectorized_elementwise_kernel<GeluCUDAKernelImpl>", 200), ("debug_check_kernel", 150)])])


def layer(middle):
    return [op("aten::addmm", [WEIGHT[:1], ACTIVATION, WEIGHT], 60, [("ampere_sgemm_128x64_tn", 400)])] + middle


def other_runs(folder, base, new, base_steps=8, new_steps=8, change=None):
    """Writes two runs whose steps may differ. change: function that modifies the new trace."""
    for name, steps, operators, seed in (("base", base_steps, base, 3), ("new", new_steps, new, 8)):
        writer = Writer(seed=seed)
        writer.run(steps, operators, 0)
        writer.write(folder, f"{name}.json")
    path = os.path.join(folder, "new.json")
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    if change:
        change(trace)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(trace, file)


def uneven_steps(folder):
    """Writes a new run with half as many steps and a slower activation."""
    other_runs(folder, layer(gelu(200)) * 4, layer(relu(300)) * 4, new_steps=4)


def two_steps(folder):
    """Writes a new run with only two steps, which are too few to judge the slower activation."""
    other_runs(folder, layer(gelu(200)) * 4, layer(relu(300)) * 4, new_steps=2)


def partly(folder):
    """Makes the activation slower in two of four layers."""
    other_runs(folder, layer(gelu(200)) * 4, layer(gelu(200)) * 2 + layer(relu(300)) * 2)


def removed_beside(folder):
    """Removes the activation of three layers, and makes that of the fourth layer slower. The removal must not
    compensate for it."""
    other_runs(folder, layer(gelu(200)) * 4, layer([]) * 3 + layer(relu(300)))


def other_shape(folder):
    """Replaces the activation by one with twice the elements and twice the time."""
    wide = [op("aten::relu", [[64, 512]], 40, [("vectorized_elementwise_kernel<relu_launch>", 400)])]
    other_runs(folder, layer(gelu(200)) * 4, layer(wide) * 4)


def other_gpu(folder):
    """Records the slower activation on another GPU, so no verdict is possible."""
    def change(trace):
        trace["deviceProperties"][0]["name"] = "NVIDIA H100 80GB HBM3"
    other_runs(folder, layer(gelu(200)) * 4, layer(relu(300)) * 4, change=change)


def lost_kernels(folder):
    """Removes the kernels of the new run's second half. The run must not be reported as faster."""
    def change(trace):
        kernels = [event for event in trace["traceEvents"] if event.get("cat") == "kernel"]
        lost = {id(event) for event in kernels[len(kernels) // 2:]}
        trace["traceEvents"] = [event for event in trace["traceEvents"] if id(event) not in lost]
    other_runs(folder, layer(gelu(200)) * 4, layer(relu(200)) * 4, change=change)


KINDS = {name: kind for name, kind in list(globals().items())
         if callable(kind) and getattr(kind, "__code__", None) and kind.__code__.co_varnames[:1] == ("folder",)
         and kind.__code__.co_argcount == 1}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
