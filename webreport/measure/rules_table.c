/* The rules as data: text, thresholds, confidence; and the overrides of thresholds. See rules.h; what makes a rule fire
 * stands in rules_gpu.c, rules_input.c, rules_compute.c, rules_cpu.c, rules_code.c, rules_loop.c and rules_memory.c. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/measure/rules_eval.h"

#define DOC_TUNE "https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html"
#define DOC_GRAPH "https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs"
#define DOC_CUDA "https://docs.pytorch.org/docs/stable/notes/cuda.html"
#define DOC_DATA "https://docs.pytorch.org/docs/stable/data.html"
#define DOC_AMP "https://docs.pytorch.org/docs/stable/amp.html"
#define DOC_OPT "https://docs.pytorch.org/docs/stable/optim.html"
#define DOC_THREADS "https://docs.pytorch.org/docs/stable/notes/cpu_threading_torchscript_inference.html"
#define DOC_DIST "https://docs.pytorch.org/docs/stable/notes/ddp.html"

static const struct tp_rule rules[TP_RULE_COUNT] = {
    [TP_RULE_A1] = {"A1",
                    TP_RULE_GPU,
                    "The device waits for the host to launch work",
                    TP_CONFIDENCE_HIGH,
                    {{"min_pct", 10.0, false}, {"high_pct", 25.0, false}},
                    "Give every launch more work: a larger batch, torch.compile, captured graphs, or fewer Python "
                    "layers between launches.",
                    DOC_TUNE,
                    "launch.bound"},
    [TP_RULE_A2] = {"A2",
                    TP_RULE_GPU,
                    "The same launches repeat every step",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_steps", 2, true},
                     {"min_launches", 50, true},
                     {"min_equal_pct", 90.0, false},
                     {"max_p50_us", 50, true},
                     {"min_idle_pct", 10.0, false},
                     {"replay_us", 10, true}},
                    "Capture the repeated region as a graph and replay it. Waits, allocations and pageable copies "
                    "inside it have to move out first.",
                    DOC_GRAPH,
                    "launch.bound"},
    [TP_RULE_A3] = {"A3",
                    TP_RULE_GPU,
                    "Many very short kernels",
                    TP_CONFIDENCE_MEDIUM,
                    {{"short_us", 10, true}, {"min_count_pct", 40.0, false}, {"min_launch_pct", 20.0, false}},
                    "Merge small operations: torch.compile, foreach variants, or a fused kernel.",
                    DOC_TUNE,
                    "launch.bound"},
    [TP_RULE_A4] =
        {"A4",
         TP_RULE_GPU,
         "The host waits for the device, then the device waits for the host",
         TP_CONFIDENCE_HIGH,
         {{"min_pct", 1.0, false}, {"single_us", 50, true}},
         "Remove the wait or move it out of the step; wait on an event, later, instead of on the whole device.",
         DOC_TUNE},
    [TP_RULE_A5] = {"A5",
                    TP_RULE_GPU,
                    "A device value is read on the host inside the step",
                    TP_CONFIDENCE_HIGH,
                    {{"min_pct", 0.5, false}, {"min_per_step", 1, true}},
                    "Keep the value on the device, read it every N steps, or copy it with non_blocking into pinned "
                    "memory and look at it one step later.",
                    DOC_TUNE},
    [TP_RULE_A6] =
        {"A6",
         TP_RULE_GPU,
         "The size of a result depends on data",
         TP_CONFIDENCE_HIGH,
         {{"min_pct", 0.5, false}, {"min_per_step", 1, true}},
         "Use a mask or torch.where with a fixed size, or pass the output size, so that the host need not wait for it.",
         DOC_TUNE},
    [TP_RULE_A8] =
        {"A8",
         TP_RULE_GPU,
         "Code is loaded or compiled inside measured steps",
         TP_CONFIDENCE_MEDIUM,
         {{"min_pct", 0.5, false}},
         "Warm up longer, load modules eagerly (CUDA_MODULE_LOADING=EAGER), and ship binaries for this device.",
         DOC_CUDA},
    [TP_RULE_A11] = {"A11",
                     TP_RULE_GPU,
                     "Host code keeps the device idle",
                     TP_CONFIDENCE_HIGH,
                     {{"min_pct", 5.0, false}, {"min_gap_us", 200, true}, {"max_lines", 5, true}},
                     "Move this work into data-loader workers or onto the device, cache it, or overlap it with the "
                     "device work of the previous batch.",
                     DOC_TUNE},
    [TP_RULE_A12] = {"A12",
                     TP_RULE_GPU,
                     "Device memory is allocated or freed inside the step",
                     TP_CONFIDENCE_MEDIUM,
                     {{"min_per_step", 1, true}},
                     "Allocate once and reuse; in C use a pool (cudaMallocAsync). See also D2.",
                     DOC_CUDA,
                     "memory.allocator"},
    [TP_RULE_B1] = {"B1",
                    TP_RULE_GPU,
                    "The step waits for input data",
                    TP_CONFIDENCE_HIGH,
                    {{"min_pct", 5.0, false}},
                    "Use more loader workers, prefetch more batches, or make decoding cheaper.",
                    DOC_DATA},
    [TP_RULE_B2] = {"B2",
                    TP_RULE_GPU,
                    "Input data is loaded in the training process",
                    TP_CONFIDENCE_HIGH,
                    {{"min_pct", 1.0, false}},
                    "Set num_workers above 0 (and persistent_workers) so that loading overlaps the step.",
                    DOC_DATA,
                    "input.single_process"},
    [TP_RULE_B3] =
        {"B3",
         TP_RULE_GPU,
         "Copies from or to pageable memory",
         TP_CONFIDENCE_MEDIUM,
         {{"min_bytes", 65536, true}, {"min_pct", 0.5, false}, {"min_per_step", 8, true}, {"pinned_gb_s", 25.0, false}},
         "Allocate the host side in pinned memory (pin_memory) and copy with non_blocking.",
         DOC_TUNE,
         "copy.pageable"},
    [TP_RULE_B4] = {"B4",
                    TP_RULE_GPU,
                    "Input copies are not hidden behind compute",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 1.0, false}},
                    "Start the copy of the next batch on its own stream, one batch ahead.",
                    DOC_CUDA,
                    "copy.exposed_input"},
    [TP_RULE_B5] = {"B5",
                    TP_RULE_GPU,
                    "Many tiny copies",
                    TP_CONFIDENCE_MEDIUM,
                    {{"max_bytes", 65536, true}, {"min_per_step", 32, true}},
                    "Pack the values into one buffer and copy once.",
                    DOC_CUDA,
                    "copy.tiny"},
    [TP_RULE_C1] = {"C1",
                    TP_RULE_GPU,
                    "Single-precision matrix multiplications without tensor cores",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 2.0, false},
                     {"speedup.8.0", 8, true},
                     {"speedup.8.6", 2, true},
                     {"speedup.8.7", 2, true},
                     {"speedup.8.9", 2, true},
                     {"speedup.9.0", 8, true},
                     {"speedup.10.0", 16, true},
                     {"speedup.12.0", 2, true},
                     {"default_speedup", 8, true}},
                    "Allow TF32 (torch.set_float32_matmul_precision) or use autocast, where the accuracy permits.",
                    DOC_AMP,
                    "compute.fp32"},
    [TP_RULE_C2] = {"C2",
                    TP_RULE_GPU,
                    "Tensor cores are not used at all",
                    TP_CONFIDENCE_LOW,
                    {{"min_pct", 5.0, false}, {"speedup", 8, true}},
                    "Use mixed precision: autocast with bfloat16 or float16.",
                    DOC_AMP,
                    "compute.fp32"},
    [TP_RULE_C3] = {"C3",
                    TP_RULE_GPU,
                    "Matrix dimensions that tensor cores cannot fill",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 1.0, false}, {"multiple", 8, true}},
                    "Pad vocabulary, hidden or batch sizes to a multiple of 8.",
                    DOC_TUNE,
                    "compute.misaligned"},
    [TP_RULE_C6] = {"C6",
                    TP_RULE_GPU,
                    "The optimizer launches kernels per tensor",
                    TP_CONFIDENCE_HIGH,
                    {{"min_kernels", 100, true}},
                    "Pass foreach=True or fused=True to the optimizer.",
                    DOC_OPT,
                    "optimizer.per_tensor"},
    [TP_RULE_C7] = {"C7",
                    TP_RULE_GPU,
                    "Gradients are zeroed one by one",
                    TP_CONFIDENCE_HIGH,
                    {{"min_ops", 10, true}},
                    "Call zero_grad(set_to_none=True).",
                    DOC_TUNE,
                    "optimizer.zero_grad"},
    [TP_RULE_C10] = {"C10",
                     TP_RULE_GPU,
                     "Type conversions on the device",
                     TP_CONFIDENCE_MEDIUM,
                     {{"min_pct", 3.0, false}},
                     "Keep tensors in the type they are computed in; convert once and keep the result.",
                     DOC_AMP,
                     "copy.cast"},
    [TP_RULE_C11] = {"C11",
                     TP_RULE_GPU,
                     "Copies inside device memory",
                     TP_CONFIDENCE_MEDIUM,
                     {{"min_pct", 5.0, false}},
                     "Prefer views, write into preallocated outputs, avoid cat and contiguous in the inner path.",
                     DOC_TUNE,
                     "copy.layout"},
    [TP_RULE_C13] = {"C13",
                     TP_RULE_GPU,
                     "Kernels with fewer blocks than the device has processors",
                     TP_CONFIDENCE_LOW,
                     {{"min_pct", 10.0, false}, {"min_dur_us", 5, true}},
                     "Increase the batch, merge kernels, or run independent ones on several streams.",
                     DOC_CUDA,
                     "compute.small_grids"},
    [TP_RULE_D1] = {"D1",
                    TP_RULE_ANY,
                    "Device memory is almost full",
                    TP_CONFIDENCE_HIGH,
                    {{"min_pct", 90.0, false}},
                    "Use activation checkpointing, a smaller type, a smaller batch, or shard the model.",
                    DOC_CUDA,
                    "memory.capacity"},
    [TP_RULE_D2] = {"D2",
                    TP_RULE_GPU,
                    "The allocator goes back to the driver in steady steps",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_per_step", 1, true}},
                    "Keep shapes fixed, do not call empty_cache in the loop, try expandable segments.",
                    DOC_CUDA,
                    "memory.allocator"},
    [TP_RULE_D3] = {"D3",
                    TP_RULE_ANY,
                    "Reserved device memory is fragmented",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 20.0, false}, {"min_reserved_pct", 50.0, false}},
                    "Try expandable segments (PYTORCH_CUDA_ALLOC_CONF) or limit the block size that may be split.",
                    DOC_CUDA,
                    "memory.fragmentation"},
    [TP_RULE_D4] =
        {"D4",
         TP_RULE_ANY,
         "Memory grows in every step",
         TP_CONFIDENCE_MEDIUM,
         {{"min_mib", 1.0, false}},
         "Something keeps what each step makes. Often: losses or outputs gathered with their graph (keep .item() or "
         ".detach()), retain_graph=True, hidden states carried over without detach().",
         "https://docs.pytorch.org/docs/stable/notes/faq.html",
         "memory.leak"},
    [TP_RULE_E1] = {"E1",
                    TP_RULE_GPU,
                    "Communication is not hidden behind compute",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 5.0, false}},
                    "Overlap communication with backward, tune bucket sizes, prefetch parameters.",
                    DOC_DIST,
                    "comm.exposed"},
    [TP_RULE_E3] = {"E3",
                    TP_RULE_RANKS,
                    "One rank arrives late",
                    TP_CONFIDENCE_LOW,
                    {{"min_late_pct", 50.0, false}, {"min_lag_pct", 1.0, false}},
                    "Look at the host of that rank.",
                    DOC_DIST,
                    "comm.straggler"},
    [TP_RULE_H1] = {"H1",
                    TP_RULE_CPU,
                    "The step waits for input data",
                    TP_CONFIDENCE_HIGH,
                    {{"min_pct", 5.0, false}},
                    "Use loader workers (num_workers above 0), prefetch more batches, or make decoding cheaper.",
                    DOC_DATA},
    [TP_RULE_H2] = {"H2",
                    TP_RULE_CPU,
                    "A Python loop indexes a tensor element by element",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_repeats", 10, true}, {"max_period", 16, true}, {"min_pct", 1.0, false}},
                    "Replace the loop by one vectorised operation, or take all slices at once with unbind or split.",
                    DOC_TUNE,
                    "host.index_loop"},
    [TP_RULE_H3] = {"H3",
                    TP_RULE_CPU,
                    "The optimizer works tensor by tensor",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_calls", 20, true}, {"min_pct", 3.0, false}},
                    "Pass foreach=True (or fused=True where supported) to the optimizer.",
                    DOC_OPT,
                    "optimizer.per_tensor"},
    [TP_RULE_H4] = {"H4",
                    TP_RULE_CPU,
                    "Operators run slower while other threads run operators",
                    TP_CONFIDENCE_LOW,
                    {{"min_threads", 2, true}, {"min_samples", 5, true}, {"min_pct", 3.0, false}},
                    "Threads may compete for cores: lower torch.set_num_threads / OMP_NUM_THREADS per worker, or run "
                    "fewer workers.",
                    DOC_THREADS,
                    "threads.too_many"},
    [TP_RULE_H5] =
        {"H5",
         TP_RULE_CPU,
         "Time goes to many small operators",
         TP_CONFIDENCE_MEDIUM,
         {{"small_us", 20, true}, {"min_count_pct", 50.0, false}, {"min_pct", 10.0, false}, {"min_per_step", 20, true}},
         "Each call costs a few microseconds before it computes: batch the work, use torch.compile, or inference_mode "
         "when no gradient is needed.",
         DOC_TUNE,
         "host.small_operators"},
    [TP_RULE_H6] = {"H6",
                    TP_RULE_CPU,
                    "Python code outside operators",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 20.0, false}},
                    "Move Python work out of the step, or compile the model. The profiler itself enlarges this share "
                    "when stacks are recorded.",
                    DOC_TUNE,
                    "host.python"},
    [TP_RULE_H7] = {"H7",
                    TP_RULE_CPU,
                    "Copies and layout changes",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 10.0, false}},
                    "Keep one memory layout and type, prefer views, write into preallocated outputs.",
                    DOC_TUNE,
                    "copy.layout"},
    [TP_RULE_H8] = {"H8",
                    TP_RULE_CPU,
                    "Communication is not hidden behind compute",
                    TP_CONFIDENCE_MEDIUM,
                    {{"min_pct", 5.0, false}},
                    "Overlap communication with backward: DistributedDataParallel with larger buckets, or gradient "
                    "accumulation with no_sync.",
                    DOC_DIST,
                    "comm.exposed"},
    [TP_RULE_H9] =
        {"H9",
         TP_RULE_CPU,
         "Code is traced or compiled inside steps",
         TP_CONFIDENCE_HIGH,
         {{"min_pct", 3.0, false}},
         "Trace or compile once, before the loop, and call the result. Where torch.compile compiles again, give it "
         "fixed shapes, or dynamic=True.",
         "https://docs.pytorch.org/docs/stable/torch.compiler_troubleshooting.html",
         "compile.in_step"},
    [TP_RULE_H10] = {"H10",
                     TP_RULE_CPU,
                     "Files are written inside steps",
                     TP_CONFIDENCE_HIGH,
                     {{"min_pct", 3.0, false}},
                     "Save every N steps, or hand a copy to another thread that writes it while the next steps run "
                     "(torch.distributed.checkpoint.async_save).",
                     DOC_TUNE,
                     "io.in_step"},
    [TP_RULE_H11] = {"H11",
                     TP_RULE_CPU,
                     "The forward pass is computed again in the backward pass",
                     TP_CONFIDENCE_MEDIUM,
                     {{"min_pct", 3.0, false}},
                     "Where memory allows, call the module without torch.utils.checkpoint, or checkpoint fewer blocks.",
                     "https://docs.pytorch.org/docs/stable/checkpoint.html",
                     "compute.recompute"},
    [TP_RULE_H12] =
        {"H12",
         TP_RULE_CPU,
         "The garbage collector runs inside steps",
         TP_CONFIDENCE_MEDIUM,
         {{"min_pct", 3.0, false}},
         "Collect between epochs, not in every step; gc.freeze() after start-up keeps what stays out of each "
         "collection. How long it takes without the profiler is not in this trace: recording stacks makes it longer.",
         "https://docs.python.org/3/library/gc.html",
         "host.gc"},
    [TP_RULE_H13] = {"H13",
                     TP_RULE_CPU,
                     "Debugging aids are on: anomaly mode or checks for NaN",
                     TP_CONFIDENCE_MEDIUM,
                     {{"min_pct", 3.0, false}},
                     "Leave torch.autograd.set_detect_anomaly off in real runs, and look for NaN every N steps.",
                     "https://docs.pytorch.org/docs/stable/autograd.html",
                     "debug.checks"},
    [TP_RULE_H14] =
        {"H14",
         TP_RULE_CPU,
         "Matrix products in double precision",
         TP_CONFIDENCE_MEDIUM,
         {{"min_pct", 3.0, false}},
         "Convert inputs and model to float32 (.float()): half the bytes and half the time or less. NumPy's default "
         "is float64, so it often comes with the data.",
         DOC_TUNE,
         "compute.float64"},
    [TP_RULE_H15] =
        {"H15",
         TP_RULE_CPU,
         "Gradients are filled with zeros and then added to",
         TP_CONFIDENCE_MEDIUM,
         {{"min_pct", 3.0, false}},
         "Set them to None instead (optimizer.zero_grad(set_to_none=True), the default): the backward pass then writes "
         "them once.",
         DOC_OPT,
         "optimizer.zero_grad"},
    [TP_RULE_H16] =
        {"H16",
         TP_RULE_CPU,
         "Attention is written out as products and a softmax",
         TP_CONFIDENCE_MEDIUM,
         {{"min_pct", 3.0, false}},
         "Call torch.nn.functional.scaled_dot_product_attention(q, k, v): it keeps the two products and none of "
         "the passes through memory between them.",
         "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
         "attention.eager"},
    [TP_RULE_H17] =
        {"H17",
         TP_RULE_CPU,
         "Chains of elementwise operators each pass through memory",
         TP_CONFIDENCE_MEDIUM,
         {{"min_pct", 8.0, false}},
         "Use the fused operator (torch.nn.functional.gelu, layer_norm, ..) where there is one, or torch.compile the "
         "function.",
         DOC_TUNE,
         "fuse.elementwise"},
    [TP_RULE_H18] = {"H18",
                     TP_RULE_CPU,
                     "The model is called sample by sample",
                     TP_CONFIDENCE_MEDIUM,
                     {{"min_pct", 3.0, false}},
                     "Stack the samples and call the model once; pad those of different length.",
                     DOC_TUNE,
                     "batch.per_sample_loop"},
    [TP_RULE_H19] =
        {"H19",
         TP_RULE_CPU,
         "The batch is so small that fixed costs dominate each step",
         TP_CONFIDENCE_LOW,
         {{"min_pct", 10.0, false}},
         "Take more samples a step: reading the weights and updating them costs the same for each batch. Adapt the "
         "learning rate.",
         DOC_TUNE,
         "batch.too_small"},
    [TP_RULE_H20] =
        {"H20",
         TP_RULE_CPU,
         "Steps do very unequal work",
         TP_CONFIDENCE_MEDIUM,
         {{"min_ratio", 1.5, false}},
         "Put samples of like size together (length buckets), or limit the elements of a batch instead of its samples.",
         DOC_DATA,
         "step.imbalance"},
};

enum { MAX_OVERRIDE_BYTES = 128 };

const struct tp_rule *tp_rules(unsigned *count)
{
    *count = TP_RULE_COUNT;
    return rules;
}

/* Adds ", text" to a list for a message. */
static void list_add(char *list, size_t size, const char *text)
{
    size_t used = strlen(list);
    if (used + strlen(text) + 3 > size)
        return;
    if (used)
        strcat(list, " ");
    strcat(list, text);
}

static int unknown_rule(const char *id, struct tp_error *err)
{
    char list[200] = "";
    for (unsigned i = 0; i < TP_RULE_COUNT; i++)
        list_add(list, sizeof list, rules[i].id);
    return tp_error_set(err, TP_EUSAGE, 0, "--rule: no rule %.16s; known: %s", id, list);
}

static int unknown_key(const struct tp_rule *rule, const char *key, struct tp_error *err)
{
    char list[160] = "";
    for (unsigned k = 0; k < TP_RULE_THRESHOLDS && rule->thresholds[k].key; k++)
        list_add(list, sizeof list, rule->thresholds[k].key);
    return tp_error_set(err, TP_EUSAGE, 0, "--rule: %s has no %.32s; known: %s", rule->id, key,
                        list[0] ? list : "none");
}

/* A plain decimal number, not negative and not huge. */
static bool read_number(const char *text, double *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value) && *value <= 1e12 && !strpbrk(text, "xXpP");
}

/* Whole numbers that divide something or bound a loop. */
static bool is_allowed(const struct tp_threshold *threshold, double value)
{
    if (threshold->is_whole && value != floor(value))
        return false;
    bool is_period = strcmp(threshold->key, "max_period") == 0;
    bool divides = strstr(threshold->key, "speedup") || strcmp(threshold->key, "multiple") == 0 || is_period ||
                   strcmp(threshold->key, "pinned_gb_s") == 0;
    return (!divides || value >= 1) && (!is_period || value <= 64);
}

int tp_rules_override(struct tp_rule_overrides *overrides, const char *text, struct tp_error *err)
{
    char copy[MAX_OVERRIDE_BYTES];
    if (strlen(text) >= sizeof copy)
        return tp_error_set(err, TP_EUSAGE, 0, "--rule: too long: %.40s...", text);
    strcpy(copy, text);
    char *equals = strchr(copy, '='), *dot = strchr(copy, '.');
    if (!equals || !dot || dot > equals)
        return tp_error_set(err, TP_EUSAGE, 0, "--rule: expected RULE.key=value, as A4.min_pct=2, not %.60s", text);
    *equals = *dot = '\0';
    const char *id = copy, *key = dot + 1, *number = equals + 1;
    unsigned rule = 0, k = 0;
    while (rule < TP_RULE_COUNT && strcmp(rules[rule].id, id) != 0)
        rule++;
    if (rule == TP_RULE_COUNT)
        return unknown_rule(id, err);
    const struct tp_threshold *thresholds = rules[rule].thresholds;
    while (k < TP_RULE_THRESHOLDS && thresholds[k].key && strcmp(thresholds[k].key, key) != 0)
        k++;
    if (k == TP_RULE_THRESHOLDS || !thresholds[k].key)
        return unknown_key(&rules[rule], key, err);
    double value;
    if (!read_number(number, &value) || !is_allowed(&thresholds[k], value))
        return tp_error_set(err, TP_EUSAGE, 0, "--rule: %s.%s=%.40s: expected a %snumber in range (default %g)", id,
                            key, number, thresholds[k].is_whole ? "whole " : "", thresholds[k].value);
    overrides->items[rule][k].is_set = true;
    overrides->items[rule][k].value = value;
    return 0;
}

double tp_rule_value(const struct tp_advisor *a, enum tp_rule_id rule, const char *key)
{
    const struct tp_threshold *thresholds = rules[rule].thresholds;
    for (unsigned k = 0; k < TP_RULE_THRESHOLDS && thresholds[k].key; k++)
        if (strcmp(thresholds[k].key, key) == 0)
            return a->overrides && a->overrides->items[rule][k].is_set ? a->overrides->items[rule][k].value
                                                                       : thresholds[k].value;
    return 0;
}
