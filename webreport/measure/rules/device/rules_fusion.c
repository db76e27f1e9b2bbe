/* Rules about several kernels that one kernel could replace: attention that is not fused (C15), chains of small kernels
 * (C16). */
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/rules/rules_work.h"
#include "writer/text/format.h"

static void evaluate_fusion(struct tp_advisor *a);

const struct tp_rule tp_rule_C15 = {
    .id = "C15",
    .title = "Use fused attention: `scaled_dot_product_attention`, or in Transformers `attn_implementation=\"sdpa\"`",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Call torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask). In Transformers, set "
              "attn_implementation=\"sdpa\".",
    .doc_url = DOC_ATTENTION,
    .cause = "attention.eager",
    .gain = {.right = 1, .known = 1},
    .native = {.title = "Use one fused kernel for the whole attention",
               .advice = "Use one fused kernel for the whole attention: both products and the softmax between them."},
    .serving = {.title = "Use a fused attention backend: `--attention-backend`",
                .advice = "Choose a fused attention backend of the engine (vLLM, SGLang: --attention-backend)."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_fusion,
};

const struct tp_rule tp_rule_C16 = {
    .id = "C16",
    .title = "Fuse chains of kernels: `torch.compile(model)`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 8.0, false}},
    .advice = "Fuse these kernels with torch.compile(model), or use fused norms, rotary embeddings and activations.",
    .doc_url = DOC_COMPILE,
    .cause = "fuse.elementwise",
    .gain = {.low = 0.4, .high = 1.0, .right = 2, .known = 9},
    .native = {.title = "Write one kernel for each chain of kernels",
               .advice = "Write one kernel for each series of consecutive kernels, because each separate kernel reads "
                         "and writes all its data."},
    .serving = {.title = "Fuse chains of kernels: let the engine compile them",
                .advice = "Let the engine compile these kernels, or use the engine's fused norms, rotary embeddings "
                          "and activations. In vLLM, omit --enforce-eager and set --compilation-config. In SGLang, set "
                          "--enable-torch-compile."},
    .compiled =
        {.title = "Move chains of kernels into a compiled region, or use fused layers",
         .advice =
             "Move these kernels into a compiled region (remove the graph break before them), or use fused norms, "
             "rotary embeddings and activations. Other parts of the program are already compiled."},
    .rule_with_same_flaws = "C11",
    .on_device = evaluate_fusion,
};

enum { FAR = 8, MIN_KEYS = 16, MIN_RUN = 3 };

/* ---- C15: attention ---- */

/* the compute kernels of one device in the window of analysed steps, in order of start */
struct sequence {
    struct tp_advisor *a;
    uint32_t *kernels;
    uint32_t count, gpu;
};

static void list_kernels(struct sequence *s)
{
    const struct tp_advisor *a = s->a;
    uint32_t k;
    s->count = 0;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);)
        if (a->model->devices.gpu[k] == s->gpu && tp_work_has_cost(a->kinds->of_device[k]))
            s->kernels[s->count++] = k;
}

static bool is_softmax(const struct sequence *s, uint32_t i, bool *is_backward)
{
    const struct tp_work_unit *unit = tp_advisor_unit_of_device(s->a, s->kernels[i]);
    if (!unit || unit->main != s->kernels[i])
        return false;
    struct tp_str name = tp_advisor_event_name(s->a, unit->event);
    *is_backward = tp_str_equal(name, TP_STR("aten::_softmax_backward_data"));
    if (!*is_backward && !tp_str_equal(name, TP_STR("aten::_softmax")) && !tp_str_equal(name, TP_STR("aten::softmax")))
        return false;
    struct tp_shape shape = tp_unit_shape(s->a, unit);
    return shape.is_known && shape.rank >= 3 && shape.sizes[shape.rank - 1] >= MIN_KEYS;
}

static bool is_batched_product(const struct sequence *s, uint32_t i)
{
    const struct tp_work_unit *unit = tp_advisor_unit_of_device(s->a, s->kernels[i]);
    if (!unit || s->a->kinds->of_device[s->kernels[i]] != TP_WORK_GEMM)
        return false;
    struct tp_shape shape = tp_unit_shape(s->a, unit);
    return shape.is_known && shape.rank >= 3;
}

/* Returns the index of the nearest matrix product before (step -1) or after (step 1) a softmax. Returns TP_NO_ID if no
 * product is near. at: index of the softmax. */
static uint32_t nearest_product(const struct sequence *s, uint32_t at, int step)
{
    for (uint32_t far = 0; far < FAR; far++) {
        if ((step < 0 && !at) || (step > 0 && at + 1 >= s->count))
            return TP_NO_ID;
        at = (uint32_t)((int64_t)at + step);
        if (is_batched_product(s, at))
            return at;
    }
    return TP_NO_ID;
}

/* The kernels of attention. A fused kernel would take only as long as the matrix products take at 25 % to 60 % of the
 * peak rate. */
struct attention {
    struct tp_work_claim claim;
    int64_t count;
    double fast_ns; /* time that the products take at the peak rate, ns; 0 if unknown */
    struct tp_shape scores;
    uint32_t first;
};

static void claim_kernels_of_attention(struct attention *x, const struct sequence *s, uint32_t first, uint32_t last)
{
    const struct tp_peaks *peaks = s->a->units->peaks[s->gpu];
    uint64_t seen = TP_NO_ID;
    for (uint32_t i = first; i <= last; i++) {
        uint32_t k = s->kernels[i];
        const struct tp_work_unit *unit = tp_advisor_unit_of_device(s->a, k);
        if (x->claim.parts[k])
            continue;
        tp_work_claim_add(&x->claim, s->a, k, 1);
        if (!peaks || !unit || unit->op == seen || !is_batched_product(s, i))
            continue;
        const struct tp_cost *cost = tp_advisor_cost_of_unit(s->a, unit);
        double peak = tp_peaks_tflops(peaks, cost->type, false);
        peak = peak > 0 ? peak : tp_peaks_tflops(peaks, TP_NUMBER_BF16, false);
        x->fast_ns += peak > 0 ? (double)cost->flops / peak / 1e3 : 0;
        seen = unit->op;
    }
}

/* Returns the gain of a fused kernel as a part of the time of all attention kernels, 0 to 1. part: share of the peak
 * rate that the matrix products of attention reach. unknown: result if fast_ns is unknown. */
static double gain_of_fused_attention_kernel(const struct attention *x, double part, double unknown)
{
    if (x->fast_ns <= 0)
        return unknown;
    double gain = 1 - x->fast_ns / part / (double)x->claim.ns;
    return gain > 0 ? gain : 0;
}

static void find_attention(struct tp_advisor *a, const struct sequence *s, struct attention *x)
{
    for (uint32_t i = 0; i < s->count; i++) {
        bool is_backward;
        if (!is_softmax(s, i, &is_backward))
            continue;
        uint32_t first = nearest_product(s, i, -1), last = nearest_product(s, i, 1);
        if (first == TP_NO_ID || last == TP_NO_ID)
            continue;
        if (is_backward) { /* around the softmax of the backward pass, there are two products on each side */
            uint32_t more = nearest_product(s, first, -1), behind = nearest_product(s, last, 1);
            first = more != TP_NO_ID && first - more < FAR / 2 ? more : first;
            last = behind != TP_NO_ID && behind - last < FAR / 2 ? behind : last;
        }
        if (!x->count++) {
            x->scores = tp_unit_shape(a, tp_advisor_unit_of_device(a, s->kernels[i]));
            x->first = s->kernels[i];
        }
        claim_kernels_of_attention(x, s, first, last);
    }
}

/* Multiplies the part of each kernel that the finding covers by `part`, because a fused kernel still needs the rest of
 * the time. */
static void scale_claimed_parts(struct tp_work_claim *claim, const struct tp_advisor *a, double part)
{
    for (uint32_t k = 0; k < a->model->devices.count; k++)
        if (claim->parts[k])
            claim->parts[k] = 1 + (uint32_t)(claim->parts[k] * part);
}

static void report_attention(struct tp_advisor *a, struct attention *x)
{
    x->claim.candidate.has_lower_bound = true;
    x->claim.candidate.low = gain_of_fused_attention_kernel(x, 0.25, 0.4);
    double high = gain_of_fused_attention_kernel(x, 0.6, 0.8);
    struct tp_str scores = tp_shape_text(a, &x->scores);
    struct tp_detail *details =
        TP_DETAIL(a, TP_DETAIL_ATTENTION, TP_OF_NUMBER(x->count), TP_OF_NUMBER(a->model->used_count),
                  TP_OF_TEXT(scores), TP_OF_PERCENT(tp_work_claim_time_share(a, &x->claim)));
    x->claim.candidate.low = high > 0 ? x->claim.candidate.low / high : 0;
    scale_claimed_parts(&x->claim, a, high);
    uint8_t *is_attention = tp_arena_array(a->arena, a->model->devices.count, 1);
    for (uint32_t k = 0; k < a->model->devices.count; k++)
        is_attention[k] = x->claim.parts[k] > 0;
    if (tp_work_claim_add_finding(&x->claim, a, details))
        a->is_attention = is_attention;
}

/* ---- C16: chains ---- */

/* Returns whether a chain of small kernels may contain this kernel: the kernel does little arithmetic, is not part of
 * attention, and is not fused already. */
static bool can_be_fused(struct tp_advisor *a, const struct tp_work_claim *attention, uint32_t k)
{
    unsigned kind = a->kinds->of_device[k];
    if (attention->parts[k] ||
        (kind != TP_WORK_ELEMENTWISE && kind != TP_WORK_LAYOUT && kind != TP_WORK_REDUCTION && kind != TP_WORK_NORM))
        return false;
    const struct tp_event *e = tp_device_event(a->model, k);
    struct tp_str name = tp_trace_event_name(a->model->trace, e);
    if (tp_str_starts(name, "triton") || tp_kernel_library_work(a, k) != TP_WORK_NONE)
        return false;
    const struct tp_work_unit *unit = tp_advisor_unit_of_device(a, k);
    uint32_t op = tp_work_operator_of_device(a->model, k);
    uint32_t event = unit ? unit->event : op == TP_NO_ID ? TP_NO_ID : a->model->operators.event[op];
    return event == TP_NO_ID || tp_str_starts(tp_advisor_event_name(a, event), "aten::");
}

/* Adds the kernels of a chain to the finding. A fused kernel would transfer about 1.5 times the bytes of the kernel in
 * the chain that transfers most. */
static void claim_kernels_of_chain(struct tp_work_claim *claim, const struct sequence *s, uint32_t first, uint32_t end)
{
    int64_t sum = 0, most = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct tp_work_unit *unit = tp_advisor_unit_of_device(s->a, s->kernels[i]);
        int64_t bytes = unit ? tp_advisor_cost_of_unit(s->a, unit)->bytes : 0;
        sum = tp_sat_add(sum, bytes);
        most = tp_ns_max(most, bytes);
    }
    double part = sum ? 1 - 1.5 * (double)most / (double)sum : 0.5;
    for (uint32_t i = first; i < end; i++)
        tp_work_claim_add(claim, s->a, s->kernels[i], part);
}

/* Returns whether device operation `k` was launched inside an optimizer step. */
static bool is_optimizer_kernel(const struct tp_advisor *a, uint32_t k)
{
    const struct tp_event *launch = tp_launch_of_device(a->model, k);
    return launch && tp_intervals_contain(a->optimizer, launch->ts_ns);
}

static int64_t claim_kernel_runs(const struct sequence *s, const struct tp_work_claim *attention,
                                 struct tp_work_claim *claim)
{
    int64_t runs = 0;
    for (uint32_t first = 0, end; first < s->count; first = end) {
        for (end = first; end < s->count && can_be_fused(s->a, attention, s->kernels[end]) &&
                          !is_optimizer_kernel(s->a, s->kernels[end]);)
            end++;
        if (end - first >= MIN_RUN) {
            claim_kernels_of_chain(claim, s, first, end);
            runs++;
        }
        end += end == first;
    }
    return runs;
}

static void evaluate_fusion(struct tp_advisor *a)
{
    struct attention attention = {.count = 0};
    struct tp_work_claim chains;
    struct sequence s = {.a = a, .kernels = tp_arena_array(a->arena, (size_t)a->kernel_count, sizeof *s.kernels)};
    int64_t runs = 0;
    tp_work_claim_begin(&attention.claim, a, TP_RULE_C15);
    tp_work_claim_begin(&chains, a, TP_RULE_C16);
    for (s.gpu = 0; s.gpu < a->model->gpu_count; s.gpu++) {
        list_kernels(&s);
        find_attention(a, &s, &attention);
        runs += claim_kernel_runs(&s, &attention.claim, &chains);
    }
    tp_arena_free_item(a->arena, s.kernels, (size_t)a->kernel_count * sizeof *s.kernels);
    tp_work_claim_add_finding(&chains, a,
                              TP_DETAIL(a, TP_DETAIL_CHAINS, TP_OF_NUMBER(runs), TP_OF_NUMBER(a->model->used_count),
                                        TP_OF_PERCENT(tp_work_claim_time_share(a, &chains))));
    report_attention(a, &attention);
}
