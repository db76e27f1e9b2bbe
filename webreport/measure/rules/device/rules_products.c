/* Rules about matrix products and convolutions in programs with a device.
 *
 * Products: slower than similar products (C17), reading all weights for few rows (C18), double precision (C21).
 * Convolutions: layout changes before and after them (C20). Kernels that are recognized by name: odd sizes (C22),
 * single precision (C24). Other kernels: too little work (C23), half precision on a device that has FP8 (C25). */
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/rules/rules_work.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

static void evaluate_single_precision(struct tp_advisor *a);
static void evaluate_products(struct tp_advisor *a);
static void evaluate_layout_changes(struct tp_advisor *a);

const struct tp_rule tp_rule_C17 = {
    .id = "C17",
    .title = "Tune the matrix product that runs slower than others of its type",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}, {"max_of_sisters", 0.85, false}},
    .advice = "Tune the product of this shape: use autotuning (mode=\"max-autotune\", TunableOp), another layout, or "
              "sizes that are multiples of 64.",
    .doc_url = DOC_TUNE,
    .cause = "compute.slow_gemm",
    .gain = {.right = 1, .known = 1},
    .native = {.advice = "Tune the product of this shape: use another algorithm of the library, another layout, or "
                         "sizes that are multiples of 64."},
    .serving = {.advice = "Tune the product of this shape: use the engine's table of tuned products, TunableOp, or "
                          "prefills with a multiple of 64 tokens."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_products,
};

const struct tp_rule tp_rule_C18 = {
    .id = "C18",
    .title = "Decode more requests per step, or keep the weights in 8 or 4 bits",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 20.0, false}},
    .advice = "Decode more requests per step, store weights in 8 or 4 bits, or predict several tokens per step "
              "(speculative decoding).",
    .doc_url = DOC_TUNE,
    .cause = "compute.decode_gemm",
    .gain = {.low = 0.1, .high = 1.0, .right = 1, .known = 1},
    .rule_with_same_flaws = "C11",
    .is_about_small_batches = true,
    .on_device = evaluate_products,
};

const struct tp_rule tp_rule_C20 = {
    .id = "C20",
    .title = "Keep tensors in `channels_last`: layouts are converted around convolutions",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 1.0, false}},
    .advice = "Keep the model and the input in channels_last: model.to(memory_format=torch.channels_last).",
    .doc_url = DOC_TUNE,
    .cause = "compute.layout_conv",
    .gain = {.low = 0.5, .high = 1.0, .right = 1, .known = 2},
    .native = {.title = "Keep data in the layout of the library's convolutions",
               .advice = "Keep the data in the layout that the library's kernels take."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_layout_changes,
};

const struct tp_rule tp_rule_C21 = {
    .id = "C21",
    .title = "Compute in float32 instead of float64: `x.float()`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Convert the first float64 tensor with x.float(). All tensors computed from the converted tensor are "
              "then float32.",
    .doc_url = DOC_TUNE,
    .cause = "compute.float64",
    .native = {.title = "Compute in single precision instead of double precision",
               .advice = "Compute in single precision if the accuracy permits."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_products,
};

const struct tp_rule tp_rule_C22 = {
    .id = "C22",
    .title = "Pad the unaligned matrix size to a multiple of 16 bytes",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice =
        "Pad the unaligned dimension to a multiple of 16 bytes: 8 elements of FP16 or BF16, or 4 elements of FP32.",
    .doc_url = DOC_AMP,
    .cause = "compute.misaligned",
    .gain = {.low = 0.3, .high = 0.75, .right = 1, .known = 2},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_products,
};

const struct tp_rule tp_rule_C23 = {
    .id = "C23",
    .title = "Give each kernel more work: use a larger batch, or batch several requests",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"short_us", 10, true}, {"min_count_pct", 60.0, false}},
    .advice = "Process more per kernel: increase the batch size, or batch several requests.",
    .doc_url = DOC_TUNE,
    .cause = "batch.too_small",
    .rule_with_same_flaws = "C11",
    .is_about_small_batches = true,
    .on_device = evaluate_products,
};

const struct tp_rule tp_rule_C24 = {
    .id = "C24",
    .title = "Run the matrix work in half precision: `torch.autocast(..)`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 10.0, false}},
    .advice = "Use torch.autocast(\"cuda\", dtype=torch.bfloat16), or float16 on GPUs before Ampere. From Ampere on, "
              "TF32 also helps. Call torch.set_float32_matmul_precision(\"high\") for products, and set "
              "torch.backends.cudnn.allow_tf32 for convolutions.",
    .doc_url = DOC_AMP,
    .cause = "compute.fp32",
    .gain = {.right = 4, .known = 4},
    .native = {.title = "Run the matrix work in TF32 or half precision",
               .advice = "Let the library use tensor cores: use TF32, or half precision if the accuracy permits."},
    .serving = {.title = "Serve the model in half precision: `--dtype bfloat16`",
                .advice = "Serve the model in bfloat16 or float16 (the engine's dtype) if the accuracy permits."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_single_precision,
};

const struct tp_rule tp_rule_C25 = {
    .id = "C25",
    .title = "Try FP8 for the matrix products, and check the accuracy",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_pct", 25.0, false}},
    .advice = "Use FP8 weights and activations, and check the accuracy. Options are torchao's float8 training or "
              "inference, Transformer Engine, and the quantisation of a serving engine.",
    .doc_url = DOC_AMP,
    .cause = "compute.low_precision",
    .gain = {.low = 0.33, .high = 1.0},
    .native = {.advice = "Multiply in FP8 if the accuracy permits."},
    .inference = {.advice = "Use FP8 weights and activations (torchao's float8 inference, Transformer Engine), and "
                            "check the accuracy."},
    .serving = {.title = "Try FP8, and check the accuracy: `--quantization fp8`",
                .advice = "Serve the model with FP8 weights and activations, and check the accuracy. In vLLM or "
                          "SGLang, set --quantization fp8, or load a model that is stored in FP8."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_products,
};

/* ---- C17, C18, C21: products ---- */

/* all calls of a product with the same shapes */
struct product {
    uint32_t unit; /* index of the first call's unit of work */
    int64_t calls, ns, flops;
    double rate; /* computing rate of the calls, TFLOP/s */
};

static int compare_by_rate(const void *x, const void *y, const void *context)
{
    const struct product *p = x, *q = y;
    (void)context;
    if (p->rate != q->rate)
        return p->rate < q->rate ? -1 : 1;
    return p->unit < q->unit ? -1 : p->unit > q->unit;
}

/* Returns the products of one number type with more than 0.5 GFLOP per call, slowest first. */
static struct product *list_products(struct tp_advisor *a, enum tp_number_type type, size_t *count)
{
    static const int64_t MIN_FLOPS = 500000000;
    struct tp_vec list = TP_VEC(a->arena, struct product);
    uint32_t *known = tp_arena_array(a->arena, a->units->call_count, sizeof *known);
    for (uint32_t i = 0; i < a->units->count; i++) {
        const struct tp_work_unit *unit = &a->units->items[i];
        const struct tp_cost *cost = tp_advisor_cost_of_unit(a, unit);
        if (cost->type != type || cost->flops <= MIN_FLOPS || a->kinds->of_device[unit->main] != TP_WORK_GEMM ||
            (a->is_attention && a->is_attention[unit->main]) || !tp_unit_is_in_window(a, unit))
            continue;
        if (!known[unit->call]) {
            *(struct product *)tp_vec_push(&list) = (struct product){.unit = i};
            known[unit->call] = (uint32_t)list.count;
        }
        struct product *product = TP_AT(&list, struct product, known[unit->call] - 1);
        product->calls++;
        product->ns = tp_sat_add(product->ns, unit->ns);
        product->flops = tp_sat_add(product->flops, cost->flops);
    }
    tp_arena_free_item(a->arena, known, a->units->call_count * sizeof *known);
    for (size_t i = 0; i < list.count; i++) {
        struct product *product = TP_AT(&list, struct product, i);
        product->rate = product->ns ? (double)product->flops / (double)product->ns / 1e3 : 0;
    }
    tp_merge_sort(a->arena, list.data, list.count, sizeof(struct product), compare_by_rate, NULL);
    *count = list.count;
    return list.data;
}

static void claim_products_of_call(struct tp_work_claim *claim, const struct tp_advisor *a, uint32_t call, double high)
{
    for (uint32_t k = 0; k < a->model->devices.count; k++) {
        const struct tp_work_unit *unit = tp_advisor_unit_of_device(a, k);
        if (unit && unit->call == call && tp_unit_is_in_window(a, unit))
            tp_work_claim_add(claim, a, k, high);
    }
}

/* Returns the median rate of the sorted products without the product at index `at`. */
static double median_of_others(const struct product *products, size_t count, size_t at)
{
    size_t middle = (count - 1) / 2;
    return products[middle < at ? middle : middle + 1].rate;
}

static void find_slow_products(struct tp_advisor *a, enum tp_number_type type)
{
    size_t count;
    const struct product *products = list_products(a, type, &count);
    for (size_t i = 0; i < count && count >= 2; i++) {
        const struct product *p = &products[i];
        double others = median_of_others(products, count, i), best = products[count - 1].rate;
        if (i == count - 1 || p->rate >= tp_rule_value(a, TP_RULE_C17, "max_of_sisters") * others ||
            tp_analysed_percent(a, p->ns) < tp_rule_value(a, TP_RULE_C17, "min_pct"))
            continue;
        struct tp_work_claim claim;
        tp_work_claim_begin(&claim, a, TP_RULE_C17);
        claim.candidate.has_lower_bound = true;
        claim.candidate.low = (1 - p->rate / others) / (1 - p->rate / best);
        claim_products_of_call(&claim, a, a->units->items[p->unit].call, 1 - p->rate / best);
        struct tp_str text = tp_unit_operands_text(a, &a->units->items[p->unit]);
        struct tp_str name = tp_advisor_event_name(a, a->units->items[p->unit].event);
        claim.candidate.title =
            TP_TITLE(TP_TITLE_SLOW_PRODUCT, TP_OF_TEXT(text), TP_OF_REAL(p->rate), TP_OF_REAL(others));
        tp_work_claim_add_finding(&claim, a,
                                  TP_DETAIL(a, TP_DETAIL_SLOW_PRODUCT, TP_OF_TEXT(name), TP_OF_TEXT(text),
                                            TP_OF_NUMBER(p->calls), TP_OF_NUMBER(a->model->used_count),
                                            TP_OF_REAL(p->rate), TP_OF_REAL(others), TP_OF_REAL(best)));
    }
}

static bool is_decoding_name(struct tp_str name)
{
    return tp_str_find(name, "DECODE") >= 0 || tp_str_find(name, "context_0(") >= 0;
}

/* Returns whether an annotation shows that the program generates text token by token (decoding). */
static bool is_decoding(const struct tp_advisor *a)
{
    return tp_has_annotation(a->model, is_decoding_name);
}

/* Finds products with so few rows that reading the weights takes longer than multiplying. */
static void find_weight_reading(struct tp_advisor *a)
{
    enum { MOST_ROWS = 128 };
    struct tp_work_claim claim;
    bool is_decode = is_decoding(a);
    uint32_t k;
    tp_work_claim_begin(&claim, a, TP_RULE_C18);
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        const struct tp_work_unit *unit = tp_advisor_unit_of_device(a, k);
        unsigned kind = a->kinds->of_device[k];
        if (kind != TP_WORK_GEMM && kind != TP_WORK_MOE)
            continue;
        if (unit ? tp_advisor_cost_of_unit(a, unit)->flops / tp_ns_max(1, tp_advisor_cost_of_unit(a, unit)->bytes) <=
                       MOST_ROWS
                 : is_decode)
            tp_work_claim_add(&claim, a, k, 0.5);
    }
    if (!is_decode) /* training has products with few rows too, so only programs that decode get a finding */
        claim.ns = 0;
    tp_work_claim_add_finding(&claim, a,
                              TP_DETAIL(a, TP_DETAIL_FEW_ROWS, TP_OF_PERCENT(tp_work_claim_time_share(a, &claim))));
}

static void find_double_products(struct tp_advisor *a)
{
    struct tp_work_claim claim;
    uint32_t k;
    tp_work_claim_begin(&claim, a, TP_RULE_C21);
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        const struct tp_work_unit *unit = tp_advisor_unit_of_device(a, k);
        if (unit && tp_advisor_cost_of_unit(a, unit)->type == TP_NUMBER_FP64 && tp_advisor_cost_of_unit(a, unit)->flops)
            tp_work_claim_add(&claim, a, k, 0.9);
    }
    claim.candidate.has_lower_bound = true;
    claim.candidate.low = 0.55;
    tp_work_claim_add_finding(&claim, a, NULL);
}

/* bits of the properties that a kernel's name shows */
enum { IS_ODD = 1, IS_SINGLE = 2, IS_FAST = 4, IS_SEEN = 8 };

static bool has_word(struct tp_str name, const char *const *words)
{
    for (; *words; words++)
        if (tp_str_find(name, *words) >= 0)
            return true;
    return false;
}

static unsigned properties_in_kernel_name(const struct tp_advisor *a, uint8_t *known, uint32_t device)
{
    static const char *const odd[] = {"align1_", "align1>", "align2_", "align2>", "_align1", "_align2", NULL};
    static const char *const single[] = {"sgemm", "scudnn", "_f32f32_", "engine<float", NULL};
    uint32_t id = tp_device_event(a->model, device)->name;
    struct tp_str name = a->model->trace->names.items[id];
    if (!known[id])
        known[id] = (uint8_t)(IS_SEEN | (has_word(name, odd) ? IS_ODD : 0) | (has_word(name, single) ? IS_SINGLE : 0) |
                              (a->model->marks[id] & (TP_MARK_TC_YES | TP_MARK_TF32) ? IS_FAST : 0));
    return known[id];
}

/* Finds kernels with odd sizes by name, for recordings without operators and types. */
static void find_kernels_by_name(struct tp_advisor *a)
{
    struct tp_work_claim odd;
    uint8_t *known = tp_arena_array(a->arena, a->model->trace->names.count, 1);
    uint32_t k;
    tp_work_claim_begin(&odd, a, TP_RULE_C22);
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        if (properties_in_kernel_name(a, known, k) & IS_ODD && !(a->is_attention && a->is_attention[k]))
            tp_work_claim_add(&odd, a, k, 1);
    }
    a->is_left_out[TP_RULE_C22] |= a->reported[TP_RULE_C3];
    tp_work_claim_add_finding(&odd, a, NULL);
}

/* least and greatest gain for a single-precision kernel, as parts of the kernel's time */
struct single_gain {
    double low, high;
};

/* Returns the gain for a single-precision kernel. The greatest gain assumes half precision at 0.5 of the peak rate and
 * 0.7 of the memory rate. The least gain assumes TF32 if the device supports TF32. */
static struct single_gain single_precision_gain(const struct tp_advisor *a, const struct tp_work_unit *unit,
                                                uint32_t device)
{
    const struct tp_peaks *peaks = unit ? a->units->peaks[a->model->devices.gpu[device]] : NULL;
    struct single_gain gain = {0.3, 0.75};
    double half = peaks ? tp_peaks_tflops(peaks, TP_NUMBER_FP16, false) : 0;
    double tf32 = peaks ? tp_peaks_tflops(peaks, TP_NUMBER_FP32, true) : 0;
    double single = peaks ? tp_peaks_tflops(peaks, TP_NUMBER_FP32, false) : 0;
    if (half <= 0 || !unit->ns)
        return gain;
    const struct tp_cost *cost = tp_advisor_cost_of_unit(a, unit);
    double fast = fmax((double)cost->flops / half / 1e3 / 0.5, (double)cost->bytes / 2 / peaks->memory_gb_s / 0.7);
    gain.high = fmax(0, 1 - fast / (double)unit->ns);
    if (tf32 > single)
        gain.low = fmax(0, 1 - (double)cost->flops / tf32 / 1e3 / 0.5 / (double)unit->ns);
    gain.low = fmin(gain.low, gain.high);
    return gain;
}

static void evaluate_single_precision(struct tp_advisor *a)
{
    struct tp_work_claim claim;
    uint8_t *known = tp_arena_array(a->arena, a->model->trace->names.count, 1);
    double low = 0, high = 0, costed = 0;
    uint32_t k;
    tp_work_claim_begin(&claim, a, TP_RULE_C24);
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        unsigned kind = a->kinds->of_device[k], bits = properties_in_kernel_name(a, known, k);
        const struct tp_work_unit *unit = tp_advisor_unit_of_device(a, k);
        const struct tp_cost *cost = unit ? tp_advisor_cost_of_unit(a, unit) : NULL;
        bool is_costed = cost && cost->flops && cost->type == TP_NUMBER_FP32;
        if ((kind != TP_WORK_GEMM && kind != TP_WORK_CONVOLUTION) || bits & IS_FAST || !(is_costed || bits & IS_SINGLE))
            continue;
        struct single_gain gain = single_precision_gain(a, is_costed ? unit : NULL, k);
        double ns = (double)tp_device_event(a->model, k)->dur_ns;
        low += gain.low * ns;
        high += gain.high * ns;
        costed += is_costed ? ns : 0;
        tp_work_claim_add(&claim, a, k, gain.high);
    }
    claim.candidate.has_lower_bound = true;
    claim.candidate.low = high > 0 ? low / high : 0;
    claim.candidate.lower = costed < 0.6 * (double)claim.ns;
    if (tp_work_claim_add_finding(&claim, a,
                                  TP_DETAIL(a, TP_DETAIL_SHARE, TP_OF_PERCENT(tp_work_claim_time_share(a, &claim)))))
        a->is_left_out[TP_RULE_C1] = a->is_left_out[TP_RULE_C2] = true;
}

/* Returns whether a half-precision product is limited by the compute rate, on a device that supports FP8. */
static bool can_use_fp8(const struct tp_advisor *a, const struct tp_work_unit *unit, uint32_t device)
{
    const struct tp_peaks *peaks = unit ? a->units->peaks[a->model->devices.gpu[device]] : NULL;
    const struct tp_cost *cost = unit ? tp_advisor_cost_of_unit(a, unit) : NULL;
    if (!peaks || peaks->tflops[TP_PEAK_FP8] <= 0 || a->kinds->of_device[device] != TP_WORK_GEMM ||
        (cost->type != TP_NUMBER_FP16 && cost->type != TP_NUMBER_BF16))
        return false;
    double rate = tp_peaks_tflops(peaks, cost->type, false);
    return rate > 0 && (double)cost->flops / rate / 1e3 >= (double)cost->bytes / peaks->memory_gb_s;
}

/* Finds products that could use FP8. The estimated gain is less than half of their time: FP8 has twice the rate, but
 * the work around the products remains. */
static void find_half_precision_products(struct tp_advisor *a)
{
    static const double MOST = 0.45;
    struct tp_work_claim claim;
    uint32_t k;
    tp_work_claim_begin(&claim, a, TP_RULE_C25);
    claim.candidate.is_forced = true; /* low severity, because fixes that do not reduce accuracy should come first */
    claim.candidate.severity = TP_SEVERITY_LOW;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);)
        if (can_use_fp8(a, tp_advisor_unit_of_device(a, k), k))
            tp_work_claim_add(&claim, a, k, MOST);
    tp_work_claim_add_finding(
        &claim, a, TP_DETAIL(a, TP_DETAIL_HALF_PRODUCTS, TP_OF_PERCENT(tp_work_claim_time_share(a, &claim))));
}

/* Finds kernels that are too short to fill a device, in programs that do not train. */
static void find_small_products(struct tp_advisor *a)
{
    struct tp_candidate c = {.rule = TP_RULE_C23, .is_forced = true, .severity = TP_SEVERITY_LOW, .share = NAN};
    double limit = tp_rule_value(a, TP_RULE_C23, "short_us") * 1000;
    uint32_t k;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);)
        if ((double)tp_device_event(a->model, k)->dur_ns < limit && !tp_is_graph_launched(a->model, k))
            tp_picks_append_operation(&c.picks, a->model, k);
    if (a->optimizer.count || !a->reported[TP_RULE_A1] ||
        tp_percent(c.picks.total, a->kernel_count) < tp_rule_value(a, TP_RULE_C23, "min_count_pct"))
        return;
    c.details = TP_DETAIL(a, TP_DETAIL_SHORT_KERNELS, TP_OF_NUMBER(c.picks.total), TP_OF_NUMBER(a->kernel_count),
                          TP_OF_NS((int64_t)limit));
    tp_advisor_add_finding(a, &c);
}

static void evaluate_products(struct tp_advisor *a)
{
    uint64_t types = 0;
    for (uint32_t i = 0; i < a->units->count; i++)
        types |= UINT64_C(1) << tp_advisor_cost_of_unit(a, &a->units->items[i])->type;
    for (unsigned type = TP_NUMBER_FP64; type < TP_NUMBER_TYPES; type++)
        if (types >> type & 1)
            find_slow_products(a, (enum tp_number_type)type);
    find_weight_reading(a);
    find_double_products(a);
    find_kernels_by_name(a);
    find_half_precision_products(a);
    find_small_products(a);
}

/* ---- C20: layout changes ---- */

/* Returns whether a library's kernel keeps the layout of tensors. Next to convolutions, such kernels of MIOpen fill or
 * cast a tensor, compute indexes, scale values, or unfold an image into a matrix. */
static bool does_kernel_keep_layout(struct tp_str name)
{
    static const char *const words[] = {"SubTensorOp",
                                        "kern_precompute_indices",
                                        "computeOffsetsKernel",
                                        "computeWgrad",
                                        "scalePackedTensor",
                                        "im2col",
                                        "col2im",
                                        NULL};
    return has_word(name, words);
}

static void evaluate_layout_changes(struct tp_advisor *a)
{
    struct tp_work_claim claim;
    int64_t convolutions = 0;
    uint32_t k;
    tp_work_claim_begin(&claim, a, TP_RULE_C20);
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        unsigned kind = a->kinds->of_device[k];
        convolutions += kind == TP_WORK_CONVOLUTION;
        if (kind == TP_WORK_LAYOUT && tp_kernel_library_work(a, k) == TP_WORK_LAYOUT &&
            !does_kernel_keep_layout(tp_trace_event_name(a->model->trace, tp_device_event(a->model, k))))
            tp_work_claim_add(&claim, a, k, 1);
    }
    if (!convolutions)
        claim.ns = 0;
    claim.candidate.title = TP_TITLE(TP_TITLE_LAYOUT, TP_OF_NS(claim.ns / a->model->used_count));
    tp_work_claim_add_finding(&claim, a,
                              TP_DETAIL(a, TP_DETAIL_LAYOUT, TP_OF_NUMBER(claim.candidate.picks.total),
                                        TP_OF_NUMBER(a->model->used_count),
                                        TP_OF_PERCENT(tp_work_claim_time_share(a, &claim))));
}
