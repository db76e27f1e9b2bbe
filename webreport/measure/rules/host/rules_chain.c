/* Rules about consecutive operators that one fused operator could replace, in programs without a device: unfused
 * attention (H16), and chains of elementwise operators that each read and write memory (H17). Sequence numbers link
 * operators to their backward pass. */
#include "webreport/measure/rules/host/rules_cpu.h"
#include "webreport/measure/rules/rules_functions.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/measure/work/work_rules.h"

static void evaluate_chains(struct tp_advisor *a);

const struct tp_rule tp_rule_H16 = {
    .id = "H16",
    .title = "Use fused attention: `scaled_dot_product_attention(q, k, v)`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Call torch.nn.functional.scaled_dot_product_attention(q, k, v), which avoids the passes through memory "
              "between the two products.",
    .doc_url = "https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html",
    .cause = "attention.eager",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Use one fused kernel for the whole attention",
               .advice = "Use one fused kernel for the whole attention, which avoids the passes through memory between "
                         "the two products."},
    .on_host = evaluate_chains,
};

const struct tp_rule tp_rule_H17 = {
    .id = "H17",
    .title = "Fuse chains of element-wise operators: `torch.compile`, or operators such as `gelu`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 5.0, false}},
    .advice = "Use a fused operator (torch.nn.functional.gelu, layer_norm, ..) if one exists, or compile the function "
              "with torch.compile.",
    .doc_url = DOC_TUNE,
    .cause = "fuse.elementwise",
    .gain = {.low = 0.75, .high = 1.0, .right = 1, .known = 1},
    .native = {.title = "Combine chains of element-wise calls in one loop or one kernel",
               .advice = "Combine the calls of a chain in one loop or one kernel."},
    .compiled = {.title = "Move chains of element-wise operators into a compiled region",
                 .advice =
                     "Move this function into a compiled region, or use a fused operator (torch.nn.functional.gelu, "
                     "layer_norm, ..) if one exists. Other parts of the program are already compiled."},
    .on_host = evaluate_chains,
};

enum { FAR = 8, MIN_KEYS = 16, MIN_CHAIN = 5, MIN_ALONE = 3, MIN_BYTES = 65536 };

/* Parts of the estimated saving that programs reached after a fix. SAVED: part of the memory passes that a fused
 * operator avoids. SAVED_OF_ATTENTION: part of attention's work outside its products. */
static const double SAVED = 0.85, SAVED_OF_ATTENTION = 0.85;

/* Number of floating-point operations that a core executes, in products of few columns, while it moves one byte: about
 * 60 operations per ns, divided by 6 bytes per ns. */
static const double FLOPS_PER_BYTE = 10;

/* An outermost forward operator in the window of analysed steps. The list of rows is in order of time, without
 * operators of the loader, of the optimizer and in the time of other findings. */
struct row {
    uint32_t op;
    uint8_t work; /* kind of work that the operator's name shows (enum tp_work) */
    bool is_claimed, is_large;
};

struct chains {
    struct tp_advisor *a;
    struct tp_vec rows; /* elements: struct row */
};

static struct tp_str operator_name(const struct tp_advisor *a, uint32_t op)
{
    return tp_trace_event_name(a->model->trace, tp_operator_event(a->model, op));
}

static enum tp_work work_by_name(struct tp_str name)
{
    enum tp_work work = tp_work_of_name(TP_WORK_OF_OWNER, name);
    return work == TP_WORK_NONE ? tp_work_of_name(TP_WORK_OF_HOST, name) : work;
}

/* Returns whether `op` is an einsum that calls a batched matrix product. */
static bool calls_batched_product(const struct tp_advisor *a, uint32_t op)
{
    if (!tp_str_equal(operator_name(a, op), TP_STR("aten::einsum")))
        return false;
    for (uint32_t i = op + 1; i < a->model->operators.subtree_end[op]; i++)
        if (tp_str_equal(operator_name(a, i), TP_STR("aten::bmm")))
            return true;
    return false;
}

static struct tp_intervals optimizer_time(struct tp_advisor *a)
{
    const struct tp_order *order = a->model->order;
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    for (uint32_t i = order->thread_first[a->model->host_main]; i < order->thread_first[a->model->host_main + 1]; i++)
        if (tp_event_marks(a->model, order->host[i]) & TP_MARK_OPTIMIZER) {
            const struct tp_event *e = &a->model->trace->events[order->host[i]];
            tp_intervals_push(&time, e->ts_ns, tp_event_end(e));
        }
    return tp_intervals_from_vec(&time);
}

static void list_operator_rows(struct chains *c)
{
    struct tp_advisor *a = c->a;
    struct tp_intervals optimizer = optimizer_time(a);
    struct tp_vec known = a->claimed; /* time of causes that already have a finding */
    struct tp_intervals claimed = tp_intervals_from_vec(&known);
    c->rows = TP_VEC(a->arena, struct row);
    for (uint32_t i = 0; i < a->cpu->count; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(a->model, op);
        if (!tp_cpu_is_outermost(a, op) || tp_cpu_is_in_loader(a, op) ||
            a->model->marks[e->name] & TP_MARK_BACKWARD_NODE || tp_intervals_contain(optimizer, e->ts_ns) ||
            tp_intervals_contain(claimed, e->ts_ns))
            continue;
        enum tp_work work = calls_batched_product(a, op) ? TP_WORK_GEMM : work_by_name(operator_name(a, op));
        if (work != TP_WORK_ALLOCATION) /* views take no time and do not interrupt a chain */
            *(struct row *)tp_vec_push(&c->rows) = (struct row){op, (uint8_t)work, false, false};
    }
}

static struct row *operator_row_at(const struct chains *c, size_t i)
{
    return TP_AT(&c->rows, struct row, i);
}

/* ---- cost of a call ---- */

static int64_t bytes_moved_by_operator(const struct chains *c, uint32_t op)
{
    struct tp_cost cost;
    return tp_cpu_find_cost(&cost, c->a, op) ? cost.bytes : 0;
}

/* ---- claims ---- */

struct claim {
    struct chains *c;
    struct tp_candidate candidate;
    struct tp_vec time;
    /* for each sequence number of a forward operator: part of its backward pass that a fix saves, millionths */
    struct tp_id_map sequences;
};

static void begin_claim_for_rule(struct claim *claim, struct chains *c, enum tp_rule_id rule)
{
    *claim = (struct claim){.c = c, .time = TP_VEC(c->a->arena, struct tp_interval)};
    claim->candidate.rule = rule;
    claim->candidate.has_ceiling = true;
    tp_id_map_init(&claim->sequences, c->a->arena);
}

static void add_claimed_part(struct claim *claim, const struct tp_event *e, uint32_t millionths)
{
    tp_intervals_push(&claim->time, e->ts_ns, e->ts_ns + tp_ns_scaled(e->dur_ns, millionths, 1000000));
}

/* Adds an operator to the finding. forward, backward: parts of its forward and backward time that a fix saves, 0 to 1.
 * In a matrix product, the inner operator that computes the product has the sequence number of the backward pass. */
static void claim_operator(struct claim *claim, struct row *row, double forward, double backward)
{
    const struct tp_model *model = claim->c->a->model;
    row->is_claimed = true;
    add_claimed_part(claim, tp_operator_event(model, row->op), (uint32_t)(forward * 1e6));
    tp_picks_add_by_length(&claim->candidate.picks, model, model->operators.event[row->op]);
    uint32_t end = row->work == TP_WORK_GEMM ? model->operators.subtree_end[row->op] : row->op + 1;
    for (uint32_t op = row->op; op < end; op++) {
        int64_t sequence = tp_cpu_sequence_number(model, op);
        if (sequence != TP_NULL_INT)
            *tp_id_map_find_or_add(&claim->sequences, (uint64_t)sequence) = (uint32_t)(backward * 1e6);
    }
}

/* Adds the backward pass of the operators in the claim, and adds the finding. */
static void add_claimed_finding(struct claim *claim)
{
    struct tp_advisor *a = claim->c->a;
    const struct tp_model *model = a->model;
    for (uint32_t i = 0; i < a->cpu->count && claim->candidate.picks.total; i++) {
        uint32_t op = a->cpu->ops[i];
        const struct tp_event *e = tp_operator_event(model, op);
        int64_t sequence =
            model->marks[e->name] & TP_MARK_BACKWARD_NODE ? tp_cpu_sequence_number(model, op) : TP_NULL_INT;
        const uint32_t *part = sequence == TP_NULL_INT ? NULL : tp_id_map_find(&claim->sequences, (uint64_t)sequence);
        if (part)
            add_claimed_part(claim, e, *part);
    }
    claim->candidate.time = tp_intervals_from_vec(&claim->time);
    tp_id_map_release(&claim->sequences);
    if (claim->candidate.picks.total &&
        tp_analysed_set_percent(a, claim->candidate.time) >= tp_rule_value(a, claim->candidate.rule, "min_pct"))
        tp_advisor_add_cpu_finding(a, &claim->candidate);
}

/* ---- attention (H16) ---- */

static struct tp_shape first_shape(const struct tp_model *model, uint32_t op)
{
    const struct tp_event *e = tp_operator_event(model, op);
    return tp_shape_input(tp_strings_get(&model->trace->values, model->trace->hosts[e->detail].dims), 0);
}

/* Returns whether row i is a batched matrix product, as in attention. */
static bool is_batched_product(const struct chains *c, size_t i)
{
    if (operator_row_at(c, i)->work != TP_WORK_GEMM)
        return false;
    if (calls_batched_product(c->a, operator_row_at(c, i)->op))
        return true;
    struct tp_shape shape = first_shape(c->a->model, operator_row_at(c, i)->op);
    return shape.is_known && shape.rank >= 3;
}

static bool is_row_of_operator(const struct chains *c, size_t i, const char *name)
{
    return tp_str_equal(operator_name(c->a, operator_row_at(c, i)->op), tp_str_of(name));
}

/* Returns whether the operators that start at row i compute a softmax step by step: exponentials divided by their
 * sum. */
static bool is_softmax_of_single_operators(const struct chains *c, size_t i)
{
    bool has_sum = false;
    if (!is_row_of_operator(c, i, "aten::exp"))
        return false;
    for (size_t k = i + 1; k < c->rows.count && k < i + FAR && operator_row_at(c, k)->work != TP_WORK_GEMM; k++) {
        has_sum |= is_row_of_operator(c, k, "aten::sum");
        if (has_sum && (is_row_of_operator(c, k, "aten::div") || is_row_of_operator(c, k, "aten::div_")))
            return true;
    }
    return false;
}

static bool is_softmax(const struct chains *c, size_t i)
{
    if (!is_row_of_operator(c, i, "aten::softmax") && !is_row_of_operator(c, i, "aten::_softmax") &&
        !is_softmax_of_single_operators(c, i))
        return false;
    struct tp_shape shape = first_shape(c->a->model, operator_row_at(c, i)->op);
    return shape.is_known && shape.rank >= 3 && shape.sizes[shape.rank - 1] >= MIN_KEYS;
}

/* Returns the part of a product's time that moves the attention scores, 0 to 1. A fused kernel still computes the
 * product and reads the operands, but keeps the scores out of memory. In products of many columns, arithmetic takes
 * most of the time. */
static double score_transfer_part(const struct chains *c, uint32_t op, const struct tp_shape *scores)
{
    struct tp_cost cost = {.flops = 0};
    for (uint32_t i = op; i < c->a->model->operators.subtree_end[op] && !cost.flops; i++)
        if (!tp_cpu_find_cost(&cost, c->a, i))
            cost.flops = 0;
    double bytes = 4 * (double)tp_shape_product(scores), all = (double)cost.flops / FLOPS_PER_BYTE + (double)cost.bytes;
    return cost.flops && bytes < all ? bytes / all : 0;
}

/* Adds a product of attention to the claim. The backward pass has two products for each forward product. There, a fused
 * kernel computes five products instead of four, because it computes the scores again. */
static void claim_attention_product(struct claim *claim, struct row *row, const struct tp_shape *scores)
{
    double part = score_transfer_part(claim->c, row->op, scores);
    claim_operator(claim, row, SAVED_OF_ATTENTION * part, SAVED_OF_ATTENTION * fmax(0, 1 - (1 - part) * 5 / 4));
}

/* Returns whether training drops some of the attention scores. Without a device, the fused operator has no kernel for
 * dropout (torch 2.13, sdp_utils_cpp.cpp). It then does the same products and memory passes as unfused code. */
static bool has_dropout(const struct chains *c, size_t i)
{
    const struct tp_operators *ops = &c->a->model->operators;
    bool is_dropped = false;
    for (uint32_t op = operator_row_at(c, i)->op, end = ops->subtree_end[op]; op < end && !is_dropped; op++)
        is_dropped = tp_str_starts(operator_name(c->a, op), "aten::bernoulli") ||
                     tp_str_starts(operator_name(c->a, op), "aten::native_dropout");
    return is_dropped;
}

/* Finds attention and adds the time that a fused kernel saves: the operators between the two products, and moving the
 * scores. The fused kernel still needs the remaining time of the products. */
static void find_attention(struct chains *c)
{
    struct claim claim;
    begin_claim_for_rule(&claim, c, TP_RULE_H16);
    for (size_t i = 0; i < c->rows.count; i++) {
        if (!is_softmax(c, i))
            continue;
        size_t first = i, last = i, end = i + FAR < c->rows.count ? i + FAR : c->rows.count - 1;
        while (first && i - first < FAR && operator_row_at(c, first)->work != TP_WORK_GEMM)
            first--;
        while (last < end && operator_row_at(c, last)->work != TP_WORK_GEMM)
            last++;
        bool is_dropped = false;
        for (size_t k = i + 1; k < last; k++)
            is_dropped |= has_dropout(c, k);
        if (!is_batched_product(c, first) || !is_batched_product(c, last) || is_dropped)
            continue;
        /* a softmax that consists of several operators reads and writes memory more often than a single softmax
         * operator */
        double saved = is_softmax_of_single_operators(c, i) ? 1 : SAVED_OF_ATTENTION;
        struct tp_shape scores = first_shape(c->a->model, operator_row_at(c, i)->op);
        for (size_t k = first + 1; k < last; k++)
            claim_operator(&claim, operator_row_at(c, k), saved, saved);
        claim_attention_product(&claim, operator_row_at(c, first), &scores);
        claim_attention_product(&claim, operator_row_at(c, last), &scores);
    }
    add_claimed_finding(&claim);
}

/* ---- chains of elementwise operators (H17) ---- */

static bool can_be_fused(const struct row *row)
{
    return !row->is_claimed && (row->work == TP_WORK_ELEMENTWISE || row->work == TP_WORK_REDUCTION ||
                                row->work == TP_WORK_NORM || row->work == TP_WORK_SOFTMAX);
}

/* Adds the large operators of a chain to the claim. A fused operator would move about 1.5 times the bytes of the
 * largest operator. Small operators cost mostly the call, which rule H5 reports. least: least number of large
 * operators. */
static void claim_operators_of_chain(struct claim *claim, size_t first, size_t end, size_t least)
{
    int64_t sum = 0, most = 0;
    size_t large = 0;
    for (size_t i = first; i < end; i++) {
        int64_t bytes = bytes_moved_by_operator(claim->c, operator_row_at(claim->c, i)->op);
        operator_row_at(claim->c, i)->is_large = bytes >= MIN_BYTES;
        if (bytes < MIN_BYTES)
            continue;
        large++;
        sum = tp_sat_add(sum, bytes);
        most = tp_ns_max(most, bytes);
    }
    double part = sum ? 1 - 1.5 * (double)most / (double)sum : 0;
    for (size_t i = first; i < end && large >= least && part > 0; i++)
        if (operator_row_at(claim->c, i)->is_large)
            claim_operator(claim, operator_row_at(claim->c, i), SAVED * part, SAVED * part);
}

static uint32_t enclosing_project_call(const struct chains *c, size_t i)
{
    return i < c->rows.count
               ? tp_enclosing_project_call(c->a->model, c->a->model->operators.event[operator_row_at(c, i)->op])
               : TP_NO_ID;
}

static bool is_row_in_call(const struct chains *c, size_t i, uint32_t call)
{
    const struct tp_event *e = &c->a->model->trace->events[call];
    int64_t at = i < c->rows.count ? tp_operator_event(c->a->model, operator_row_at(c, i)->op)->ts_ns : INT64_MAX;
    return at >= e->ts_ns && at < tp_event_end(e);
}

/* Adds functions whose few operators form a chain, such as a handwritten activation. */
static void claim_functions_that_are_chains(struct claim *claim, size_t first, size_t end)
{
    const struct chains *c = claim->c;
    for (size_t i = first, k; i < end; i = k) {
        uint32_t call = enclosing_project_call(c, i);
        for (k = i + 1; k < end && enclosing_project_call(c, k) == call;)
            k++;
        if (k - i >= MIN_ALONE && call != TP_NO_ID && !(i && is_row_in_call(c, i - 1, call)) &&
            !is_row_in_call(c, k, call))
            claim_operators_of_chain(claim, i, k, MIN_ALONE);
    }
}

static void find_chains(struct chains *c)
{
    struct claim claim;
    begin_claim_for_rule(&claim, c, TP_RULE_H17);
    for (size_t first = 0, end; first < c->rows.count; first = end) {
        end = first + 1;
        if (!can_be_fused(operator_row_at(c, first)))
            continue;
        while (end < c->rows.count && can_be_fused(operator_row_at(c, end)))
            end++;
        if (end - first >= MIN_CHAIN)
            claim_operators_of_chain(&claim, first, end, MIN_CHAIN);
        if (!operator_row_at(c, first)->is_claimed)
            claim_functions_that_are_chains(&claim, first, end);
    }
    add_claimed_finding(&claim);
}

static void evaluate_chains(struct tp_advisor *a)
{
    struct chains chains = {.a = a};
    list_operator_rows(&chains);
    find_attention(&chains);
    find_chains(&chains);
}
