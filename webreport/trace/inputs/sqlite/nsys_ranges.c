/* Delivers the NVTX ranges of an export of Nsight Systems as operators, ranges and steps: see nsys.h. The rows are
 * first collected and sorted by thread and start, because the choice of the steps needs all of them. */
#include "webreport/trace/inputs/sqlite/nsys.h"
#include "webreport/trace/inputs/sqlite/range_steps.h"
#include "webreport/trace/inputs/sqlite/range_text.h"
#include "webreport/trace/regions.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

/* Values of NVTX_EVENTS.eventType. */
enum { PUSH_POP = 59, START_END = 60, PUSH_POP_PAYLOAD = 70, START_END_PAYLOAD = 71, DOMAIN_CREATE = 75 };

/* Domains of NVIDIA's libraries, whose ranges are no steps. */
static const char *const library_domains[] = {"NCCL",    "cuBLAS",  "cuBLASLt", "CUBLAS",   "CCCL",
                                              "cuDNN",   "CUDNN",   "cuFFT",    "cuSPARSE", "cuSOLVER",
                                              "libcudf", "NVSHMEM", "TensorRT", NULL};

/* A row of NVTX_EVENTS. */
struct range {
    int64_t start_ns, end_ns, external_id, sequence;
    int64_t global_tid;
    uint32_t name, dims; /* ids in ranges.names and ranges.dims; dims: TP_NO_ID if absent */
    uint32_t whole;      /* the whole text, id in ranges.names, if it differs from the name; otherwise TP_NO_ID */
    uint32_t domain;     /* number of the domain */
    bool is_operator, is_nested;
};

/* All ranges of the process. */
struct ranges {
    struct tp_nsys *nsys;
    struct tp_vec rows; /* elements: struct range */
    struct tp_strings names, dims;
    struct tp_vec name_ids, dim_ids; /* id in the trace of each text; TP_NO_ID until it is needed; elements: uint32_t */
    struct tp_id_map domains;        /* number of a domain: index in domain_names */
    struct tp_vec domain_names;      /* elements: struct tp_str */
    uint32_t *order;                 /* row numbers, sorted by thread and start */
    struct tp_step_choice choice;
    struct tp_step_search search;
};

/* ---- reading ---- */

static struct tp_str text_of_row(const struct ranges *ranges, const struct tp_database_row *row)
{
    uint32_t string;
    struct tp_str text = tp_database_text(row, TP_NSYS_TEXT);
    if (!text.len)
        text = tp_nsys_text(ranges->nsys, row, TP_NSYS_TEXT_ID, &string);
    return text.ptr ? text : TP_STR("");
}

static void add_domain(struct ranges *ranges, const struct tp_database_row *row, int64_t domain)
{
    struct tp_str name = text_of_row(ranges, row);
    struct tp_arena *scratch = ranges->nsys->scratch;
    *tp_id_map_find_or_add(&ranges->domains, (uint64_t)domain) = (uint32_t)ranges->domain_names.count;
    *(struct tp_str *)tp_vec_push(&ranges->domain_names) =
        (struct tp_str){tp_arena_copy(scratch, name.ptr, name.len), name.len};
}

/* Returns the name of a domain; empty if it has none. */
static struct tp_str domain_name(const struct ranges *ranges, uint32_t domain)
{
    uint32_t index = tp_id_map_get(&ranges->domains, domain);
    return index == TP_NO_ID ? TP_STR("") : *TP_AT(&ranges->domain_names, struct tp_str, index);
}

/* Returns the id of a text in `texts`. *ids: gets an entry for each new text. */
static uint32_t add_text(struct tp_strings *texts, struct tp_vec *ids, struct tp_str text)
{
    uint32_t id = tp_strings_add(texts, text);
    if (id == ids->count)
        *(uint32_t *)tp_vec_push(ids) = TP_NO_ID;
    return id;
}

/* Stores a valid range. */
static void add_range(struct ranges *ranges, struct range *range, struct tp_str text)
{
    struct tp_range_text decoded = tp_range_text_decode(text);
    range->is_operator = decoded.is_operator;
    range->external_id = decoded.external_id;
    range->sequence = decoded.sequence;
    range->name = add_text(&ranges->names, &ranges->name_ids, decoded.name);
    range->whole = range->dims = TP_NO_ID;
    if (range->domain && (decoded.is_operator || decoded.name.len != text.len))
        range->whole = add_text(&ranges->names, &ranges->name_ids, text);
    if (decoded.is_operator && decoded.dims.ptr)
        range->dims = add_text(&ranges->dims, &ranges->dim_ids, decoded.dims);
    *(struct range *)tp_vec_push(&ranges->rows) = *range;
}

/* Makes ranges of the operators in domains with a name, because PyTorch uses none. The row that names a domain may
 * follow the ranges in it. */
static void correct_ranges_of_domains(struct ranges *ranges)
{
    for (size_t i = 0; i < ranges->rows.count; i++) {
        struct range *range = TP_AT(&ranges->rows, struct range, i);
        if (range->whole == TP_NO_ID || !domain_name(ranges, range->domain).len)
            continue;
        range->is_operator = false;
        range->name = range->whole;
    }
}

static int read_range(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct ranges *ranges = context;
    struct tp_nsys *nsys = ranges->nsys;
    struct range range = {.domain = (uint32_t)tp_database_int_or(row, TP_NSYS_DOMAIN, 0)};
    int64_t type = tp_database_int_or(row, TP_NSYS_EVENT_TYPE, 0);
    bool has_thread = tp_database_int(row, TP_NSYS_GLOBAL_TID, &range.global_tid);
    (void)err;
    if (has_thread && tp_nsys_pid(range.global_tid) != nsys->pid)
        return TP_OK;
    if (type == DOMAIN_CREATE && has_thread)
        add_domain(ranges, row, range.domain);
    range.is_nested = type == PUSH_POP || type == PUSH_POP_PAYLOAD;
    if (!range.is_nested && type != START_END && type != START_END_PAYLOAD)
        return TP_OK;
    if (!has_thread || !tp_database_int(row, TP_NSYS_START, &range.start_ns) || range.start_ns < -TP_MAX_TIME_NS) {
        nsys->bad_ranges++;
        return TP_OK;
    }
    if (!tp_database_int(row, TP_NSYS_END, &range.end_ns) || range.end_ns < range.start_ns ||
        range.end_ns > TP_MAX_TIME_NS) {
        nsys->open_ranges++;
        return TP_OK;
    }
    range.start_ns -= nsys->shift_ns;
    range.end_ns -= nsys->shift_ns;
    add_range(ranges, &range, text_of_row(ranges, row));
    return TP_OK;
}

/* ---- order ---- */

static int compare_ranges(const void *context, uint32_t x, uint32_t y)
{
    const struct range *rows = context, *a = &rows[x], *b = &rows[y];
    int64_t a_tid = tp_nsys_tid(a->global_tid), b_tid = tp_nsys_tid(b->global_tid);
    if (a_tid != b_tid)
        return a_tid < b_tid ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return (x > y) - (x < y);
}

static void sort_ranges(struct ranges *ranges)
{
    size_t count = ranges->rows.count;
    ranges->order = tp_arena_array(ranges->nsys->scratch, count, sizeof *ranges->order);
    for (size_t i = 0; i < count; i++)
        ranges->order[i] = (uint32_t)i;
    tp_sort_rows(ranges->order, count, compare_ranges, ranges->rows.data, ranges->nsys->scratch);
}

static struct range *sorted_range(const struct ranges *ranges, size_t i)
{
    return TP_AT(&ranges->rows, struct range, ranges->order[i]);
}

/* ---- steps ---- */

static struct tp_str name_of_range(const struct ranges *ranges, const struct range *range)
{
    return tp_strings_get(&ranges->names, range->name);
}

/* Returns true if a range belongs to a library of NVIDIA. */
static bool is_range_of_library(const struct ranges *ranges, const struct range *range)
{
    struct tp_str domain = domain_name(ranges, range->domain), name = name_of_range(ranges, range);
    bool is_nccl_call = range->domain && !domain.len && tp_range_text_is_nccl_call(name);
    return is_nccl_call || tp_str_is_one_of(domain, library_domains);
}

/* Adds all ranges that may be steps to the search, each with the number of ranges around it. */
static void collect_candidates(struct ranges *ranges)
{
    struct tp_vec open = TP_VEC(ranges->nsys->scratch, int64_t); /* ends of the ranges around */
    int64_t tid = TP_NULL_INT;
    for (size_t i = 0; i < ranges->rows.count; i++) {
        const struct range *range = sorted_range(ranges, i);
        if (range->is_operator)
            continue;
        open.count = tp_nsys_tid(range->global_tid) == tid ? open.count : 0;
        tid = tp_nsys_tid(range->global_tid);
        while (open.count && *TP_AT(&open, int64_t, open.count - 1) <= range->start_ns)
            open.count--;
        if (!is_range_of_library(ranges, range)) {
            struct tp_step_range step = {.start_ns = range->start_ns, .end_ns = range->end_ns, .tid = tid};
            step.thread = tp_nsys_thread(ranges->nsys, range->global_tid);
            step.domain = range->domain;
            step.depth = (uint32_t)open.count;
            step.row = ranges->order[i];
            tp_step_search_add(&ranges->search, step, name_of_range(ranges, range));
        }
        if (range->is_nested)
            *(int64_t *)tp_vec_push(&open) = range->end_ns;
    }
}

/* Adds a note with the ranges that are the steps. */
static void note_steps(struct ranges *ranges)
{
    const struct tp_step_choice *choice = &ranges->choice;
    struct tp_buf *text = &ranges->nsys->events->text;
    tp_buf_clear(text);
    tp_buf_printf(text, "steps: NVTX range '%.*s', %u times on thread %lld, %s %% of the device's window",
                  (int)choice->name.len, choice->name.ptr, choice->count, (long long)choice->tid,
                  tp_text_of_fixed(ranges->nsys->scratch, 100 * choice->coverage, 0));
    if (!text->failed)
        tp_sink_add_note(ranges->nsys->sink, (struct tp_str){text->data, text->size});
}

/* Chooses the steps. Sets steps[row] to 1 + the number of the step for each row that becomes a step. Returns NULL if no
 * range becomes a step. */
static int64_t *choose_steps(struct ranges *ranges)
{
    struct tp_nsys *nsys = ranges->nsys;
    struct tp_step_choice *choice = &ranges->choice;
    if (nsys->device_first_ns > nsys->device_last_ns)
        return NULL;
    tp_step_search_init(&ranges->search, nsys->scratch, nsys->sink);
    ranges->search.device_time_ns = nsys->device_last_ns - nsys->device_first_ns;
    ranges->search.wanted = nsys->options ? nsys->options->step_range : NULL;
    collect_candidates(ranges);
    *choice = tp_step_search_choose(&ranges->search);
    if (!choice->count)
        return NULL;
    note_steps(ranges);
    if (tp_str_equal(choice->name, TP_STR(TP_PROFILER_STEP)))
        return NULL;
    int64_t *steps = tp_arena_array(nsys->scratch, ranges->rows.count, sizeof *steps);
    for (uint32_t i = 0; i < choice->count; i++) {
        const struct tp_step_range *range = TP_AT(&ranges->search.ranges, struct tp_step_range, choice->ranges[i]);
        steps[range->row] = 1 + (choice->has_own_numbers ? range->number : i);
    }
    return steps;
}

/* ---- delivery ---- */

/* Returns the id in names of a range. */
static uint32_t name_id(struct ranges *ranges, const struct range *range)
{
    uint32_t *id = TP_AT(&ranges->name_ids, uint32_t, range->name);
    struct tp_str name = name_of_range(ranges, range);
    return tp_row_events_known_name(ranges->nsys->events, name.len ? name : TP_STR("[unnamed range]"), id);
}

/* Returns the id in values of the sizes of an operator; TP_NO_ID if it has none. */
static uint32_t dims_id(struct ranges *ranges, const struct range *range)
{
    struct tp_row_events *events = ranges->nsys->events;
    uint32_t *id = range->dims == TP_NO_ID ? NULL : TP_AT(&ranges->dim_ids, uint32_t, range->dims);
    if (id && *id == TP_NO_ID)
        *id = tp_row_events_value(events, tp_strings_get(&ranges->dims, range->dims));
    return id ? *id : TP_NO_ID;
}

static void deliver_range(struct ranges *ranges, const struct range *range, int64_t step)
{
    struct tp_nsys *nsys = ranges->nsys;
    struct tp_row_range row = {.thread = tp_nsys_thread(nsys, range->global_tid),
                               .start_ns = range->start_ns,
                               .end_ns = range->end_ns,
                               .external_id = TP_NULL_INT,
                               .sequence = TP_NULL_INT,
                               .dims = TP_NO_ID,
                               .domain = TP_STR("")};
    nsys->ranges++;
    if (range->is_operator) {
        row.name = name_id(ranges, range);
        row.external_id = range->external_id;
        row.sequence = range->sequence;
        row.dims = dims_id(ranges, range);
        nsys->operators++;
        nsys->shapes += row.dims != TP_NO_ID;
        tp_row_events_add_operator(nsys->events, &row);
        return;
    }
    row.domain = domain_name(ranges, range->domain);
    if (step) {
        row.own_name = name_of_range(ranges, range);
        tp_buf_clear(&nsys->events->text);
        tp_buf_printf(&nsys->events->text, TP_PROFILER_STEP "#%lld", (long long)step - 1);
    }
    row.name = step ? tp_row_events_buffer_name(nsys->events) : name_id(ranges, range);
    tp_row_events_add_range(nsys->events, &row);
}

int tp_nsys_read_ranges(struct tp_nsys *nsys, struct tp_error *err)
{
    struct tp_arena *scratch = nsys->scratch;
    struct ranges ranges = {.nsys = nsys,
                            .rows = TP_VEC(scratch, struct range),
                            .name_ids = TP_VEC(scratch, uint32_t),
                            .dim_ids = TP_VEC(scratch, uint32_t),
                            .domain_names = TP_VEC(scratch, struct tp_str)};
    const struct tp_database_shape shape = {"NVTX_EVENTS", tp_nsys_columns,
                                            TP_NSYS_BIT(START) | TP_NSYS_BIT(END) | TP_NSYS_BIT(EVENT_TYPE) |
                                                TP_NSYS_BIT(TEXT) | TP_NSYS_BIT(TEXT_ID) | TP_NSYS_BIT(GLOBAL_TID) |
                                                TP_NSYS_BIT(DOMAIN)};
    tp_strings_init(&ranges.names, scratch, 0);
    tp_strings_init(&ranges.dims, scratch, 0);
    tp_id_map_init(&ranges.domains, scratch);
    int code = tp_database_scan(nsys->db, &shape, read_range, &ranges, err);
    if (code < 0)
        return code;
    correct_ranges_of_domains(&ranges);
    sort_ranges(&ranges);
    int64_t *steps = choose_steps(&ranges);
    if (nsys->options && nsys->options->step_range && !ranges.choice.count)
        return tp_error_set(err, TP_EFORMAT, 0, "no NVTX ranges named '%.80s' follow each other on one thread",
                            nsys->options->step_range);
    for (size_t i = 0; i < ranges.rows.count; i++)
        deliver_range(&ranges, sorted_range(&ranges, i), steps ? steps[ranges.order[i]] : 0);
    return TP_OK;
}
