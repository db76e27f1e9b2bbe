/* Delivers the NVTX ranges of an export of Nsight Systems as operators, ranges and steps: see nsys.h. The rows are
 * first collected and sorted by thread and start, because the choice of the steps needs all of them. */
#include "webreport/trace/inputs/sqlite/nsys.h"
#include "webreport/trace/inputs/sqlite/nsys_nccl.h"
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
struct row {
    int64_t start_ns, end_ns, global_tid;
    uint32_t domain; /* number of the domain */
    bool is_nested;  /* true for ranges that are pushed and popped, and so are nested */
};

/* A row of a domain, which waits for the name of the domain. */
struct waiting {
    struct row row;
    uint32_t text;    /* id in ranges.texts */
    uint32_t payload; /* index in ranges.payloads; TP_NO_ID if absent */
};

/* A range that is no operator. */
struct kept {
    struct row row;
    uint32_t event; /* the event, index in the events of the sink */
};

/* All ranges of the process. */
struct ranges {
    struct tp_nsys *nsys;
    struct tp_vec kept, waiting; /* elements: struct kept, struct waiting */
    struct tp_vec payloads;      /* elements: struct tp_nccl_payload */
    struct tp_nccl nccl;
    struct tp_strings texts, dims; /* texts of the rows that wait; distinct sizes of operators */
    struct tp_vec dim_ids;         /* id in values of each text in dims; TP_NO_ID: not JSON; elements: uint32_t */
    struct tp_id_map domains;      /* number of a domain: index in domain_names */
    struct tp_vec domain_names;    /* elements: struct tp_str */
    uint32_t *order;               /* indices in kept, sorted by thread and start */
    struct tp_step_choice choice;
    struct tp_step_search search;
};

/* ---- delivery ---- */

/* Returns the name of a domain; empty if it has none. */
static struct tp_str domain_name(const struct ranges *ranges, uint32_t domain)
{
    uint32_t index = domain ? tp_id_map_get(&ranges->domains, domain) : TP_NO_ID;
    return index == TP_NO_ID ? TP_STR("") : *TP_AT(&ranges->domain_names, struct tp_str, index);
}

/* Returns the id in values of the sizes of an operator; TP_NO_ID if they are absent or not JSON. */
static uint32_t dims_id(struct ranges *ranges, struct tp_str dims)
{
    if (!dims.ptr)
        return TP_NO_ID;
    uint32_t id = tp_strings_add(&ranges->dims, dims);
    if (id == ranges->dim_ids.count) {
        uint32_t value =
            tp_range_text_are_dims_valid(dims) ? tp_row_events_value(ranges->nsys->events, dims) : TP_NO_ID;
        *(uint32_t *)tp_vec_push(&ranges->dim_ids) = value;
    }
    return *TP_AT(&ranges->dim_ids, uint32_t, id);
}

/* Delivers a range. text: its text; a range of a domain that has a name is no operator. */
static void deliver(struct ranges *ranges, const struct row *row, struct tp_str text)
{
    struct tp_nsys *nsys = ranges->nsys;
    struct tp_range_text decoded = {.name = text, .external_id = TP_NULL_INT, .sequence = TP_NULL_INT};
    struct tp_row_range range = {.thread = tp_nsys_thread(nsys, row->global_tid),
                                 .start_ns = row->start_ns,
                                 .end_ns = row->end_ns,
                                 .external_id = TP_NULL_INT,
                                 .sequence = TP_NULL_INT,
                                 .dims = TP_NO_ID};
    range.domain = domain_name(ranges, row->domain);
    if (!range.domain.len)
        decoded = tp_range_text_decode(text);
    nsys->ranges++;
    range.name = tp_row_events_name(nsys->events, decoded.name.len ? decoded.name : TP_STR("[unnamed range]"));
    if (decoded.is_operator) {
        range.external_id = decoded.external_id;
        range.sequence = decoded.sequence;
        range.dims = dims_id(ranges, decoded.dims);
        nsys->operators++;
        nsys->shapes += range.dims != TP_NO_ID;
        tp_row_events_add_operator(nsys->events, &range);
        return;
    }
    *(struct kept *)tp_vec_push(&ranges->kept) = (struct kept){*row, (uint32_t)nsys->sink->events.count};
    tp_row_events_add_range(nsys->events, &range);
}

/* ---- reading ---- */

static struct tp_str text_of_row(const struct ranges *ranges, const struct tp_database_row *row)
{
    uint32_t string;
    struct tp_str text = tp_database_text(row, TP_NSYS_TEXT);
    if (!text.len)
        text = tp_nsys_text(ranges->nsys, row, TP_NSYS_TEXT_ID, &string);
    return text.ptr ? text : TP_STR("");
}

static void add_domain(struct ranges *ranges, const struct tp_database_row *row)
{
    struct tp_str name = text_of_row(ranges, row);
    struct tp_arena *scratch = ranges->nsys->scratch;
    uint32_t domain = (uint32_t)tp_database_int_or(row, TP_NSYS_DOMAIN, 0);
    *tp_id_map_find_or_add(&ranges->domains, domain) = (uint32_t)ranges->domain_names.count;
    *(struct tp_str *)tp_vec_push(&ranges->domain_names) =
        (struct tp_str){tp_arena_copy(scratch, name.ptr, name.len), name.len};
}

/* Reads the times of a row. Returns NULL if they are valid, otherwise the counter of their defect. */
static uint64_t *read_times(struct tp_nsys *nsys, const struct tp_database_row *from, struct row *row)
{
    if (!tp_database_int(from, TP_NSYS_START, &row->start_ns) || row->start_ns < -TP_MAX_TIME_NS)
        return &nsys->bad_ranges;
    if (!tp_database_int(from, TP_NSYS_END, &row->end_ns) || row->end_ns < row->start_ns ||
        row->end_ns > TP_MAX_TIME_NS)
        return &nsys->open_ranges;
    row->start_ns -= nsys->shift_ns;
    row->end_ns -= nsys->shift_ns;
    return NULL;
}

/* Keeps a row of a domain until all names of domains are known. */
static void keep_waiting(struct ranges *ranges, const struct row *row, const struct tp_database_row *from)
{
    struct tp_nccl_payload payload;
    struct waiting waiting = {*row, tp_strings_add(&ranges->texts, text_of_row(ranges, from)), TP_NO_ID};
    if (tp_nccl_read(&ranges->nccl, from, &payload)) {
        waiting.payload = (uint32_t)ranges->payloads.count;
        *(struct tp_nccl_payload *)tp_vec_push(&ranges->payloads) = payload;
    }
    *(struct waiting *)tp_vec_push(&ranges->waiting) = waiting;
}

static int read_range(void *context, const struct tp_database_row *from, struct tp_error *err)
{
    struct ranges *ranges = context;
    struct tp_nsys *nsys = ranges->nsys;
    struct row row = {0};
    int64_t type = tp_database_int_or(from, TP_NSYS_EVENT_TYPE, PUSH_POP); /* tables that other tools cut lack it */
    bool has_thread = tp_database_int(from, TP_NSYS_GLOBAL_TID, &row.global_tid);
    (void)err;
    if (has_thread && tp_nsys_pid(row.global_tid) != nsys->pid)
        return TP_OK;
    if (type == DOMAIN_CREATE && has_thread)
        add_domain(ranges, from);
    row.is_nested = type == PUSH_POP || type == PUSH_POP_PAYLOAD;
    if (!row.is_nested && type != START_END && type != START_END_PAYLOAD)
        return TP_OK;
    uint64_t *defect = has_thread ? read_times(nsys, from, &row) : &nsys->bad_ranges;
    if (defect) {
        ++*defect;
        return TP_OK;
    }
    row.domain = (uint32_t)tp_database_int_or(from, TP_NSYS_DOMAIN, 0);
    if (row.domain)
        keep_waiting(ranges, &row, from);
    else
        deliver(ranges, &row, text_of_row(ranges, from));
    return TP_OK;
}

/* Delivers the ranges of domains, whose names are known now. */
static void deliver_waiting(struct ranges *ranges)
{
    for (size_t i = 0; i < ranges->waiting.count; i++) {
        const struct waiting *waiting = TP_AT(&ranges->waiting, struct waiting, i);
        const struct row *row = &waiting->row;
        struct tp_str text = tp_strings_get(&ranges->texts, waiting->text);
        deliver(ranges, row, text);
        if (waiting->payload != TP_NO_ID && tp_str_equal(domain_name(ranges, row->domain), TP_STR("NCCL")))
            tp_nccl_add(&ranges->nccl, TP_AT(&ranges->payloads, struct tp_nccl_payload, waiting->payload), text,
                        tp_nsys_thread(ranges->nsys, row->global_tid), (const int64_t[]){row->start_ns, row->end_ns});
    }
    tp_nccl_finish(&ranges->nccl);
}

/* ---- steps ---- */

static int compare_kept(const void *context, uint32_t x, uint32_t y)
{
    const struct kept *kept = context;
    const struct row *a = &kept[x].row, *b = &kept[y].row;
    int64_t a_tid = tp_nsys_tid(a->global_tid), b_tid = tp_nsys_tid(b->global_tid);
    if (a_tid != b_tid)
        return a_tid < b_tid ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->end_ns != b->end_ns)
        return a->end_ns > b->end_ns ? -1 : 1;
    return (x > y) - (x < y);
}

static void sort_kept(struct ranges *ranges)
{
    ranges->order = tp_arena_array(ranges->nsys->scratch, ranges->kept.count, sizeof *ranges->order);
    for (uint32_t i = 0; i < ranges->kept.count; i++)
        ranges->order[i] = i;
    tp_sort_rows(ranges->order, ranges->kept.count, compare_kept, ranges->kept.data, ranges->nsys->scratch);
}

static struct tp_str name_of_kept(const struct ranges *ranges, const struct kept *kept)
{
    const struct tp_sink *sink = ranges->nsys->sink;
    return tp_strings_get(&sink->trace->names, TP_AT(&sink->events, struct tp_event, kept->event)->name);
}

/* Returns true if a range belongs to a library of NVIDIA. */
static bool is_range_of_library(const struct ranges *ranges, const struct kept *kept)
{
    struct tp_str domain = domain_name(ranges, kept->row.domain);
    bool is_nccl_call = kept->row.domain && !domain.len && tp_range_text_is_nccl_call(name_of_kept(ranges, kept));
    return is_nccl_call || tp_str_is_one_of(domain, library_domains);
}

/* Adds all ranges that may be steps to the search, each with the number of ranges around it. */
static void collect_candidates(struct ranges *ranges)
{
    struct tp_vec open = TP_VEC(ranges->nsys->scratch, int64_t); /* ends of the ranges around */
    int64_t tid = TP_NULL_INT;
    for (size_t i = 0; i < ranges->kept.count; i++) {
        const struct kept *kept = TP_AT(&ranges->kept, struct kept, ranges->order[i]);
        const struct row *row = &kept->row;
        open.count = tp_nsys_tid(row->global_tid) == tid ? open.count : 0;
        tid = tp_nsys_tid(row->global_tid);
        while (open.count && *TP_AT(&open, int64_t, open.count - 1) <= row->start_ns)
            open.count--;
        if (!is_range_of_library(ranges, kept)) {
            struct tp_step_range step = {.start_ns = row->start_ns, .end_ns = row->end_ns, .tid = tid};
            step.thread = TP_AT(&ranges->nsys->sink->events, struct tp_event, kept->event)->thread;
            step.domain = row->domain;
            step.depth = (uint32_t)open.count;
            step.row = kept->event;
            tp_step_search_add(&ranges->search, step, name_of_kept(ranges, kept));
        }
        if (row->is_nested)
            *(int64_t *)tp_vec_push(&open) = row->end_ns;
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

/* Gives the ranges that are steps the names of steps. */
static void name_steps(struct ranges *ranges)
{
    const struct tp_step_choice *choice = &ranges->choice;
    struct tp_row_events *events = ranges->nsys->events;
    for (uint32_t i = 0; i < choice->count; i++) {
        const struct tp_step_range *range = TP_AT(&ranges->search.ranges, struct tp_step_range, choice->ranges[i]);
        struct tp_str domain = domain_name(ranges, range->domain);
        tp_buf_clear(&events->text);
        tp_buf_printf(&events->text, TP_PROFILER_STEP "#%lld",
                      (long long)(choice->has_own_numbers ? range->number : (int64_t)i));
        tp_row_events_rename_range(events, range->row, tp_row_events_buffer_name(events), domain);
    }
    tp_row_events_sort_arguments(events);
}

/* Chooses the steps among the ranges. */
static void choose_steps(struct ranges *ranges)
{
    struct tp_nsys *nsys = ranges->nsys;
    if (nsys->device_first_ns > nsys->device_last_ns)
        return;
    tp_step_search_init(&ranges->search, nsys->scratch, nsys->sink);
    ranges->search.device_time_ns = nsys->device_last_ns - nsys->device_first_ns;
    ranges->search.wanted = nsys->options ? nsys->options->step_range : NULL;
    sort_kept(ranges);
    collect_candidates(ranges);
    ranges->choice = tp_step_search_choose(&ranges->search);
    if (!ranges->choice.count)
        return;
    note_steps(ranges);
    if (!tp_str_equal(ranges->choice.name, TP_STR(TP_PROFILER_STEP)))
        name_steps(ranges);
}

int tp_nsys_read_ranges(struct tp_nsys *nsys, struct tp_error *err)
{
    struct tp_arena *scratch = nsys->scratch;
    struct ranges ranges = {.nsys = nsys,
                            .kept = TP_VEC(scratch, struct kept),
                            .waiting = TP_VEC(scratch, struct waiting),
                            .payloads = TP_VEC(scratch, struct tp_nccl_payload),
                            .dim_ids = TP_VEC(scratch, uint32_t),
                            .domain_names = TP_VEC(scratch, struct tp_str)};
    const struct tp_database_shape shape = {"NVTX_EVENTS", tp_nsys_columns,
                                            TP_NSYS_BIT(START) | TP_NSYS_BIT(END) | TP_NSYS_BIT(EVENT_TYPE) |
                                                TP_NSYS_BIT(TEXT) | TP_NSYS_BIT(TEXT_ID) | TP_NSYS_BIT(GLOBAL_TID) |
                                                TP_NSYS_BIT(DOMAIN) | TP_NSYS_BIT(PAYLOAD)};
    tp_strings_init(&ranges.texts, scratch, 0);
    tp_strings_init(&ranges.dims, scratch, 0);
    tp_id_map_init(&ranges.domains, scratch);
    int code = tp_nccl_open(&ranges.nccl, nsys, err);
    if (code == TP_OK)
        code = tp_database_scan(nsys->db, &shape, read_range, &ranges, err);
    if (code < 0)
        return code;
    deliver_waiting(&ranges);
    choose_steps(&ranges);
    if (nsys->options && nsys->options->step_range && !ranges.choice.count)
        return tp_error_set(err, TP_EFORMAT, 0, "no NVTX ranges named '%.80s' follow each other on one thread",
                            nsys->options->step_range);
    return TP_OK;
}
