/* Rules about the work of kernels: matrix products without tensor cores (C1, C2), sizes that are no multiple of the
 * alignment (C3), casts (C10), copies (C11), small grids (C13). */
#include <stdio.h>

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/trace/json/value.h"
#include "writer/base/id_map.h"
#include "writer/text/format.h"

static void evaluate_kernels(struct tp_advisor *a);
static void evaluate_small_grids(struct tp_advisor *a);

const struct tp_rule tp_rule_C1 = {
    .id = "C1",
    .title = "Run the matrix work in half precision: `torch.autocast(..)`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 2.0, false},
                   {"speedup.8.0", 8, true},
                   {"speedup.8.6", 2, true},
                   {"speedup.8.7", 2, true},
                   {"speedup.8.9", 2, true},
                   {"speedup.9.0", 8, true},
                   {"speedup.10.0", 16, true},
                   {"speedup.12.0", 2, true},
                   {"default_speedup", 8, true}},
    .advice = "Allow TF32 (torch.set_float32_matmul_precision) or use autocast if the accuracy permits.",
    .doc_url = DOC_AMP,
    .cause = "compute.fp32",
    .gain = {.low = 0.4, .high = 0.85},
    .native = {.title = "Run the matrix work in TF32 or half precision",
               .advice = "Allow TF32 in the library that multiplies (cuBLAS: CUBLAS_TF32_TENSOR_OP_MATH), or multiply "
                         "in half precision if the accuracy permits."},
    .serving = {.title = "Serve the model in half precision: `--dtype bfloat16`",
                .advice = "Serve the model in bfloat16 or float16 (the engine's dtype) if the accuracy permits."},
    .needs_types = true,
    .on_device = evaluate_kernels,
};

const struct tp_rule tp_rule_C2 = {
    .id = "C2",
    .title = "Run the matrix work in half precision: `torch.autocast(..)`",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_pct", 5.0, false}, {"speedup", 8, true}},
    .advice = "Use mixed precision: autocast with bfloat16 or float16.",
    .doc_url = DOC_AMP,
    .cause = "compute.fp32",
    .gain = {.low = 0.3, .high = 0.8},
    .native = {.title = "Run the matrix work in half precision",
               .advice = "Multiply in bfloat16 or float16 and add up in single precision."},
    .inference = {.title = "Load the model in half precision: `model.to(torch.bfloat16)`",
                  .advice = "Load the model in bfloat16 or float16, or use autocast."},
    .serving = {.title = "Serve the model in half precision: `--dtype bfloat16`",
                .advice = "Serve the model in bfloat16 or float16 (the engine's dtype)."},
    .on_device = evaluate_kernels,
};

const struct tp_rule tp_rule_C3 = {
    .id = "C3",
    .title = "Pad matrix sizes N and K to a multiple of 8",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 1.0, false}, {"multiple", 8, true}},
    .advice = "Pad the dimensions N and K of the products (vocabulary, hidden sizes) to a multiple of 8. The batch "
              "size may stay as it is.",
    .doc_url = DOC_TUNE,
    .cause = "compute.misaligned",
    .native = {.advice = "Pad the dimensions N and K of the matrix products to a multiple of 8."},
    .inference = {.title = "Pad the weights once, to a multiple of 8",
                  .advice = "Pad the weights (vocabulary and hidden sizes, N and K of the products) with zeros to a "
                            "multiple of 8 before the model is called. The batch size may stay as it is."},
    .needs_types = true,
    .on_device = evaluate_kernels,
};

const struct tp_rule tp_rule_C10 = {
    .id = "C10",
    .title = "Convert each tensor once, or keep it in the type of the computation",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 3.0, false}},
    .advice = "Store tensors in the data type of the computation, or convert once and keep the result.",
    .doc_url = DOC_AMP,
    .cause = "copy.cast",
    .gain = {.low = 0.3, .high = 0.9, .right = 1, .known = 1},
    .native = {.title = "Convert each array once, or keep it in the type of the computation",
               .advice = "Store arrays in the data type of the computation, or convert once and keep the result."},
    .needs_types = true,
    .on_device = evaluate_kernels,
};

const struct tp_rule tp_rule_C11 = {
    .id = "C11",
    .title = "Write into the final tensor instead of copying inside GPU memory",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 5.0, false}},
    .advice = "Prefer views, write into preallocated outputs, and avoid cat and contiguous in code that runs often.",
    .doc_url = DOC_TUNE,
    .cause = "copy.layout",
    .gain = {.low = 0.2, .high = 0.9, .right = 1, .known = 2},
    .native = {.title = "Write results directly to their destination instead of copying inside device memory",
               .advice =
                   "Pass offsets and strides instead of copying, and write results directly to their destination."},
    .on_device = evaluate_kernels,
};

const struct tp_rule tp_rule_C13 = {
    .id = "C13",
    .title = "Fill the GPU: use a larger batch, or run kernels on several streams",
    .confidence = TP_CONFIDENCE_LOW,
    .thresholds = {{"min_pct", 10.0, false}, {"min_dur_us", 5, true}},
    .advice = "Increase the batch size, merge kernels, or run independent kernels on several streams.",
    .doc_url = DOC_CUDA,
    .cause = "compute.small_grids",
    .gain = {.low = 0, .high = 0.5, .right = 1, .known = 1},
    .native = {.title = "Fill the device: use larger batches, or run kernels on several streams"},
    .serving = {.title = "Fill the GPU: batch more requests",
                .advice = "Batch more requests, or let the engine merge the kernels."},
    .on_device = evaluate_small_grids,
};

/* compute capability of a device */
struct capability {
    bool is_nvidia;
    /* major and minor number of the compute capability, such as 9 and 0; TP_NULL_INT if unknown */
    int64_t major, minor;
};

/* properties of a list of input types (bits) */
enum { TYPES_KNOWN = 1, TYPES_HALF = 2, TYPES_FLOAT = 4, TYPES_DIFFER = 8 };

/* The operations that a rule found. */
struct found {
    struct tp_vec time;      /* time that a fix would save, or time of the operations; elements: struct tp_interval */
    struct tp_fix_draft fix; /* what a fix would remove */
    int64_t ns;              /* total duration of the operations, ns */
    uint64_t captured_count; /* number of the operations whose types and shapes come from a captured call */
    struct tp_picks picks;
};

struct compute {
    struct tp_advisor *a;
    /* for each operator, also those of capture traces: TP_OPERATOR_ELIGIBLE, TP_OPERATOR_ELIGIBLE_CHILD; NULL if no
     * kernel is joined with a captured call */
    uint8_t *eligible;
    struct capability *gpus;     /* for each index in model->gpus: compute capability of this device */
    struct tp_id_map types;      /* map from the value id of a list of input types to TYPES_* bits */
    struct tp_id_map misaligned; /* map from the pair (dims, types) to the result of is_product_misaligned */
    int64_t multiple;
    struct found c1, c2, c3, c10, c11; /* results of the rules C1, C2, C3, C10 and C11 */
    bool has_tensor_cores, has_half;
    bool has_captured_types; /* true if a captured call shows the types of a kernel's operator */
};

/* The operator of a kernel that could use tensor cores. */
struct product {
    uint32_t op;      /* operator, index in operators; TP_NO_ID: the kernel has no such operator */
    bool is_captured; /* true if the operator is that of a captured call */
};

static void find_capabilities(struct compute *x)
{
    const struct tp_model *model = x->a->model;
    x->gpus = tp_arena_array(x->a->arena, model->gpu_count, sizeof *x->gpus);
    for (uint32_t g = 0; g < model->gpu_count; g++) {
        const struct tp_gpu_property *p = tp_model_gpu_property(model->trace, model->gpus[g].id);
        struct capability *c = &x->gpus[g];
        *c = (struct capability){false, TP_NULL_INT, TP_NULL_INT};
        if (!p)
            continue;
        c->major = p->major;
        c->minor = p->minor;
        c->is_nvidia = p->major != TP_NULL_INT && (p->warp_size == 32 || !p->has_warp_size);
    }
}

static bool is_json_string_equal_to(struct tp_str item, const char *text)
{
    size_t size = strlen(text);
    return item.len == size + 2 && item.ptr[0] == '"' && memcmp(item.ptr + 1, text, size) == 0;
}

static bool is_half_type(struct tp_str item)
{
    return is_json_string_equal_to(item, "c10::Half") || is_json_string_equal_to(item, "c10::BFloat16");
}

/* Returns whether a JSON value is neither empty nor zero, false or null. */
static bool is_nonempty_json_value(struct tp_str item)
{
    static const char *const nothings[] = {"\"\"", "[]", "{}", "0", "-0", "false", "null"};
    for (size_t i = 0; i < sizeof nothings / sizeof *nothings; i++)
        if (tp_str_equal(item, tp_str_of(nothings[i])))
            return false;
    return item.len > 0;
}

static uint32_t read_types(struct tp_str json)
{
    struct tp_str item, items[2] = {{NULL, 0}, {NULL, 0}};
    size_t at = 0, count = 0;
    uint32_t bits = 0;
    if (!tp_value_starts_with(json, '['))
        return 0;
    while (tp_value_next(json, &at, NULL, &item)) {
        if (count < 2)
            items[count] = item;
        count++;
        bool is_tensor = tp_value_starts_with(item, '"') && !is_json_string_equal_to(item, "") &&
                         !is_json_string_equal_to(item, "Scalar") && !is_json_string_equal_to(item, "ScalarList");
        if (is_tensor && !(bits & TYPES_KNOWN)) {
            bits |= TYPES_KNOWN;
            if (is_half_type(item))
                bits |= TYPES_HALF;
            if (is_json_string_equal_to(item, "float"))
                bits |= TYPES_FLOAT;
        }
    }
    if (count >= 2 && is_nonempty_json_value(items[0]) && is_nonempty_json_value(items[1]) &&
        !tp_str_equal(items[0], items[1]))
        bits |= TYPES_DIFFER;
    return bits;
}

static const struct tp_host_detail *host_detail(const struct compute *x, uint32_t op)
{
    return &x->a->model->trace->hosts[tp_operator_event(x->a->model, op)->detail];
}

/* Returns the TYPES_* bits of an operator's inputs; 0 if they are unknown or `op` is TP_NO_ID. */
static uint32_t operator_types(struct compute *x, uint32_t op)
{
    const struct tp_host_detail *detail = op == TP_NO_ID ? NULL : host_detail(x, op);
    if (!detail || detail->types == TP_NO_ID)
        return 0;
    uint32_t *bits = tp_id_map_find_or_add(&x->types, detail->types);
    if (*bits == TP_NO_ID)
        *bits = read_types(tp_strings_get(&x->a->model->trace->values, detail->types));
    return *bits;
}

/* Returns whether a value is a JSON integer, true or false. Sets *rest to the remainder of dividing the value by
 * `multiple`. */
static bool is_json_integer_multiple_of(struct tp_str item, int64_t multiple, int64_t *rest)
{
    size_t i = item.len && item.ptr[0] == '-';
    *rest = 0;
    if (tp_str_equal(item, TP_STR("true")) || tp_str_equal(item, TP_STR("false"))) {
        *rest = item.len == 4 ? 1 % multiple : 0;
        return true;
    }
    if (i == item.len)
        return false;
    for (; i < item.len; i++) {
        if (item.ptr[i] < '0' || item.ptr[i] > '9')
            return false;
        *rest = (*rest * 10 + (item.ptr[i] - '0')) % multiple;
    }
    return true;
}

/* bits: which of the last two sizes of a matrix is not divisible by the multiple */
enum { ODD_ROWS = 1, ODD_COLUMNS = 2 };

/* Returns whether sizes form a matrix: a list of two or more integers. Sets *odd to the ODD_* bits of the last two
 * sizes. */
static bool is_matrix(struct tp_str dims, int64_t multiple, unsigned *odd)
{
    struct tp_str item;
    size_t at = 0, count = 0;
    int64_t rests[2] = {0, 0};
    if (!tp_value_starts_with(dims, '['))
        return false;
    while (tp_value_next(dims, &at, NULL, &item)) {
        rests[0] = rests[1];
        if (!is_json_integer_multiple_of(item, multiple, &rests[1]))
            return false;
        count++;
    }
    *odd = (rests[0] ? ODD_ROWS : 0) | (rests[1] ? ODD_COLUMNS : 0);
    return count >= 2;
}

/* Returns whether the size N or K of a half-precision product M x K by K x N is not divisible by `multiple`. Uses the
 * last two half-precision operands. M does not matter, because it does not change where rows begin. */
static bool is_product_misaligned(struct tp_str dims, struct tp_str types, int64_t multiple)
{
    struct tp_str dim, type;
    size_t at = 0, type_at = 0;
    unsigned last = 0, before = 0, odd;
    if (!tp_value_starts_with(dims, '[') || !tp_value_starts_with(types, '['))
        return false;
    while (tp_value_next(dims, &at, NULL, &dim) && tp_value_next(types, &type_at, NULL, &type))
        if (is_half_type(type) && is_matrix(dim, multiple, &odd)) {
            before = last;
            last = odd;
        }
    return last || (before & ODD_COLUMNS);
}

/* Returns the alignment of rows that a kernel's name shows ("_align8"), in elements; 0 if unknown. */
static int64_t alignment_of_kernel(struct tp_str name)
{
    ptrdiff_t at = tp_str_find(name, "align");
    int64_t elements = 0;
    for (size_t i = at < 0 ? name.len : (size_t)at + 5; i < name.len && tp_is_digit(name.ptr[i]) && elements < 1000;
         i++)
        elements = elements * 10 + (name.ptr[i] - '0');
    return elements;
}

static bool is_misaligned(struct compute *x, uint32_t op)
{
    const struct tp_model *model = x->a->model;
    const struct tp_host_detail *detail = host_detail(x, op);
    if (detail->dims == TP_NO_ID || tp_event_marks(model, model->operators.event[op]) & TP_MARK_CONV)
        return false;
    uint32_t *known = tp_id_map_find_or_add(&x->misaligned, tp_id_pair(detail->dims, detail->types));
    if (*known == TP_NO_ID)
        *known = is_product_misaligned(tp_strings_get(&model->trace->values, detail->dims),
                                       tp_strings_get(&model->trace->values, detail->types), x->multiple);
    return *known != 0;
}

/* Marks the operators that can use tensor cores, as the model does for kernels with an owner, also for the operators of
 * captured calls. */
static void mark_eligible_operators(struct compute *x)
{
    const struct tp_model *model = x->a->model;
    const struct tp_operators *ops = &model->operators;
    const unsigned both = TP_OPERATOR_ELIGIBLE | TP_OPERATOR_ELIGIBLE_CHILD;
    if (!model->joined || !model->joined->row_count)
        return;
    x->eligible = tp_arena_array(x->a->arena, ops->all_count, sizeof *x->eligible);
    for (uint32_t op = 0; op < ops->count; op++)
        x->eligible[op] = ops->flags[op] & both;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_joined_row *joined = tp_joined_row_of(model, k);
        const struct tp_event *e = tp_device_event(model, k);
        if (joined && joined->op != TP_NO_ID && e->kind == TP_KIND_KERNEL && model->marks[e->name] & TP_MARK_TC_YES)
            x->eligible[joined->op] |= TP_OPERATOR_ELIGIBLE;
    }
    for (uint32_t op = ops->all_count; op-- > 0;) {
        if (x->eligible[op] & TP_OPERATOR_ELIGIBLE_CHILD || tp_event_marks(model, ops->event[op]) & TP_MARK_ELIGIBLE)
            x->eligible[op] |= TP_OPERATOR_ELIGIBLE;
        if (ops->parent[op] != TP_NO_ID && x->eligible[op] & TP_OPERATOR_ELIGIBLE)
            x->eligible[ops->parent[op]] |= TP_OPERATOR_ELIGIBLE_CHILD;
    }
}

/* Returns the operator of a kernel that could use tensor cores and contains no other such operator. A captured call
 * counts only if its types and shapes are those of the kernel. */
static struct product find_product(const struct compute *x, uint32_t k)
{
    const struct tp_model *model = x->a->model;
    const struct tp_joined_row *joined = tp_joined_row_of(model, k);
    const unsigned both = TP_OPERATOR_ELIGIBLE | TP_OPERATOR_ELIGIBLE_CHILD;
    uint32_t owner = model->devices.owner[k];
    if (joined && joined->op != TP_NO_ID) {
        bool has_types = joined->has_shapes && host_detail(x, joined->op)->types != TP_NO_ID;
        bool is_eligible = has_types && (x->eligible[joined->op] & both) == TP_OPERATOR_ELIGIBLE;
        return (struct product){is_eligible ? joined->op : TP_NO_ID, true};
    }
    return (struct product){owner != TP_NO_ID && tp_operator_is_eligible(model, owner) ? owner : TP_NO_ID, false};
}

static void add_operation(struct found *found, const struct compute *x, uint32_t k, bool is_captured)
{
    found->ns = tp_sat_add(found->ns, tp_device_event(x->a->model, k)->dur_ns);
    found->captured_count += is_captured;
    tp_picks_add_operation_by_length(&found->picks, x->a->model, k);
}

/* Adds a kernel, and the time that it would save if it were `speedup` times as fast. */
static void add_slow_kernel(struct found *found, const struct compute *x, uint32_t k, int64_t speedup, bool is_captured)
{
    const struct tp_event *e = tp_device_event(x->a->model, k);
    tp_intervals_push(&found->time, e->ts_ns, e->ts_ns + tp_ns_scaled(e->dur_ns, speedup - 1, speedup));
    tp_fix_add_operation(x->a, &found->fix, k, (uint32_t)tp_ns_scaled(TP_FIX_WHOLE, speedup - 1, speedup));
    add_operation(found, x, k, is_captured);
}

static int64_t speedup_by_tensor_cores(const struct compute *x, const struct capability *c)
{
    char key[64];
    int64_t minor = c->minor == TP_NULL_INT ? 0 : c->minor;
    snprintf(key, sizeof key, "speedup.%lld.%lld", (long long)c->major, (long long)minor);
    double speedup = tp_rule_value(x->a, TP_RULE_C1, key);
    return (int64_t)(speedup > 0 ? speedup : tp_rule_value(x->a, TP_RULE_C1, "default_speedup"));
}

/* Examines a kernel for rules C1, C2 and C3. product: operator of the kernel, known */
static void examine_kernel_for_tensor_cores(struct compute *x, uint32_t k, struct product product)
{
    struct tp_advisor *a = x->a;
    const struct tp_event *e = tp_device_event(a->model, k);
    const struct capability *c = &x->gpus[a->model->devices.gpu[k]];
    uint64_t marks = a->model->marks[e->name];
    uint32_t types = operator_types(x, product.op);
    x->has_half |= (types & TYPES_HALF) != 0;
    x->has_captured_types |= product.is_captured;
    if (c->is_nvidia && c->major >= 7)
        add_slow_kernel(&x->c2, x, k, (int64_t)tp_rule_value(a, TP_RULE_C2, "speedup"), product.is_captured);
    if (c->is_nvidia && c->major >= 8 && types & TYPES_FLOAT && !(marks & (TP_MARK_TC_YES | TP_MARK_TC_UNKNOWN)))
        add_slow_kernel(&x->c1, x, k, speedup_by_tensor_cores(x, c), product.is_captured);
    int64_t aligned = alignment_of_kernel(tp_trace_event_name(a->model->trace, e));
    if (types & TYPES_HALF && (aligned ? aligned < x->multiple : is_misaligned(x, product.op)))
        add_operation(&x->c3, x, k, product.is_captured);
}

static void examine_operation(struct compute *x, uint32_t k)
{
    const struct tp_model *model = x->a->model;
    const struct tp_event *e = tp_device_event(model, k);
    uint32_t owner = model->devices.owner[k];
    uint64_t owner_marks = owner == TP_NO_ID ? 0 : tp_event_marks(model, model->operators.event[owner]);
    bool is_kernel = e->kind == TP_KIND_KERNEL, is_communication = tp_is_communication(model, k);
    x->has_tensor_cores |= is_kernel && model->marks[e->name] & TP_MARK_TC_YES;
    struct product product = is_kernel && !is_communication ? find_product(x, k) : (struct product){TP_NO_ID, false};
    if (product.op != TP_NO_ID)
        examine_kernel_for_tensor_cores(x, k, product);
    bool is_cast = is_kernel && owner_marks & TP_MARK_ATEN_COPY && operator_types(x, owner) & TYPES_DIFFER;
    bool is_copy = is_kernel ? !is_communication && owner_marks & TP_MARK_COPY_OP
                             : e->kind == TP_KIND_MEMCPY && model->marks[e->name] & TP_MARK_DTOD;
    if (!is_cast && !is_copy)
        return;
    struct found *found = is_cast ? &x->c10 : &x->c11;
    tp_intervals_push(&found->time, e->ts_ns, tp_event_end(e));
    tp_fix_add_operation(x->a, &found->fix, k, TP_FIX_WHOLE);
    add_operation(found, x, k, false);
}

/* Adds a finding if the total time of the operations is at least min_pct of the analysed time. has_ceiling: the finding
 * has the time that a fix would save. */
static void report_operations(struct tp_advisor *a, enum tp_rule_id rule, struct found *found, bool has_ceiling)
{
    struct tp_candidate c = {.rule = rule, .has_ceiling = has_ceiling, .picks = found->picks, .fix = found->fix};
    if (tp_analysed_percent(a, found->ns) < tp_rule_value(a, rule, "min_pct"))
        return;
    if (has_ceiling)
        c.time = tp_intervals_from_vec_temporary(&found->time);
    else
        c.share = tp_analysed_percent(a, found->ns);
    if (found->captured_count)
        c.details = TP_DETAIL(a, TP_DETAIL_CAPTURED_TYPES, TP_OF_NUMBER(found->captured_count));
    tp_advisor_add_finding(a, &c);
}

static bool has_types(const struct compute *x)
{
    for (uint32_t i = 0; i < x->a->model->operators.count; i++)
        if (host_detail(x, i)->types != TP_NO_ID)
            return true;
    return false;
}

/* Notes the rules that need types, which no operator of the trace has. C1 and C3 also use the types of captured
 * calls. */
static void note_missing_types(const struct compute *x)
{
    for (unsigned i = 0; i < TP_RULE_COUNT; i++) {
        bool has_captured = x->has_captured_types && (i == TP_RULE_C1 || i == TP_RULE_C3);
        if (tp_rule_at(i)->needs_types && !has_captured)
            tp_advisor_note_skipped_rule(x->a, (enum tp_rule_id)i, "record_shapes was off");
    }
}

static void evaluate_kernels(struct tp_advisor *a)
{
    struct compute x = {.a = a, .multiple = (int64_t)tp_rule_value(a, TP_RULE_C3, "multiple")};
    struct found *all[] = {&x.c1, &x.c2, &x.c3, &x.c10, &x.c11};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        all[i]->time = TP_VEC(a->arena, struct tp_interval);
    tp_id_map_init(&x.types, a->arena);
    tp_id_map_init(&x.misaligned, a->arena);
    find_capabilities(&x);
    mark_eligible_operators(&x);
    uint32_t k;
    for (struct tp_operations w = {.a = a}; tp_next_operation(&w, &k);)
        examine_operation(&x, k);
    bool has_own_types = has_types(&x);
    if (!has_own_types)
        note_missing_types(&x);
    if (has_own_types || x.has_captured_types)
        report_operations(a, TP_RULE_C1, &x.c1, true);
    if (x.c2.picks.total && !x.has_tensor_cores && !x.has_half && !a->reported[TP_RULE_C1])
        report_operations(a, TP_RULE_C2, &x.c2, true);
    if (x.c3.picks.total)
        report_operations(a, TP_RULE_C3, &x.c3, false);
    report_operations(a, TP_RULE_C10, &x.c10, true);
    report_operations(a, TP_RULE_C11, &x.c11, true);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        tp_intervals_release(&all[i]->time);
}

/* ---- C13: small grids ---- */

static void evaluate_small_grids(struct tp_advisor *a)
{
    enum { ONE = 1000000000 }; /* value of one block per SM in the unit of blocks_per_sm_e9 */
    struct tp_candidate c = {.rule = TP_RULE_C13, .has_ceiling = true};
    struct tp_vec time = TP_VEC(a->arena, struct tp_interval);
    double min_ns = tp_rule_value(a, TP_RULE_C13, "min_dur_us") * 1000;
    int64_t sum = 0;
    uint32_t k;
    for (struct tp_operations w = {.a = a}; tp_next_kernel(&w, &k);) {
        const struct tp_event *e = tp_device_event(a->model, k);
        int64_t blocks = tp_device_operation_setup(a->model, k)->blocks_per_sm_e9;
        if (blocks < 0 || blocks >= ONE || (double)e->dur_ns <= min_ns || tp_is_communication(a->model, k))
            continue;
        sum = tp_sat_add(sum, e->dur_ns);
        tp_intervals_push(&time, e->ts_ns, e->ts_ns + tp_ns_scaled(e->dur_ns, ONE - blocks, ONE));
        tp_fix_add_operation(a, &c.fix, k, (uint32_t)tp_ns_scaled(TP_FIX_WHOLE, ONE - blocks, ONE));
        tp_picks_add_operation_by_length(&c.picks, a->model, k);
    }
    c.time = tp_intervals_from_vec(&time);
    if (c.picks.total && tp_percent(sum, a->kernel_ns) >= tp_rule_value(a, TP_RULE_C13, "min_pct"))
        tp_advisor_add_finding(a, &c);
    tp_arena_free_item(a->arena, time.data, time.capacity * sizeof(struct tp_interval));
}
