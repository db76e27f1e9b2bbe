/* Finds captured graphs: see capture_sections.h. */
#include "webreport/model/capture/capture_sections.h"

#include "webreport/trace/json/value.h"
#include "writer/base/path.h"
#include "writer/base/renumber.h"
#include "writer/base/sort.h"

/* A section while its calls are collected. */
struct draft {
    struct tp_capture_section section;
    uint32_t thread;
    struct tp_vec calls; /* elements: uint32_t, events */
};

struct finder {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct tp_vec drafts;      /* elements: struct draft, sorted by begin and end */
    struct tp_ids run;         /* correlations of the device operations */
    uint32_t *process_of;      /* for each thread: number of its process */
    uint32_t *active_count;    /* for each process: number of sections that contain the current time */
    uint64_t *active_sum;      /* for each process: sum of the indexes of these sections */
    uint32_t *last, *last_cut; /* for each thread: last section that began; last section without a begin */
};

/* ---- names ---- */

size_t tp_capture_digits(struct tp_str text, int64_t *number)
{
    size_t size = 0;
    *number = 0;
    for (; size < text.len && tp_is_digit(text.ptr[size]); size++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, text.ptr[size] - '0', number))
            *number = INT64_MAX / 10;
    return size;
}

static struct tp_str text_from(struct tp_str text, size_t at)
{
    return (struct tp_str){text.ptr + at, text.len - at};
}

bool tp_capture_range_parse(struct tp_str name, int64_t *batch, struct tp_str *mode)
{
    static const char prefix[] = "capture_";
    if (!tp_str_starts(name, prefix))
        return false;
    struct tp_str rest = text_from(name, sizeof prefix - 1);
    size_t digits = tp_capture_digits(rest, batch);
    rest = text_from(rest, digits);
    *mode = rest.len > 1 ? text_from(rest, 1) : TP_STR("");
    bool is_range = digits && (!rest.len || (rest.ptr[0] == '_' && rest.len > 1));
    for (size_t i = 0; i < mode->len; i++)
        is_range &= tp_is_word_character(mode->ptr[i]) && !tp_is_digit(mode->ptr[i]);
    return is_range;
}

/* Returns whether a character may stand before "bs_32" (is_before true) or after it in the name of a file. */
static bool is_border(char c, bool is_before)
{
    return c == '_' || c == '-' || c == (is_before ? '/' : '.');
}

/* Returns the batch size in the name of a file: 32 in "bs_32_rank0.json.gz" and "graph-bs32.json"; TP_NULL_INT if the
 * name has none. */
static int64_t batch_of_file_name(struct tp_str name)
{
    for (size_t i = 0; i + 2 < name.len; i++) {
        if (memcmp(name.ptr + i, "bs", 2) != 0 || (i && !is_border(name.ptr[i - 1], true)))
            continue;
        size_t at = i + 2 + (name.ptr[i + 2] == '_');
        int64_t batch;
        size_t digits = tp_capture_digits(text_from(name, at), &batch);
        if (digits && (at + digits == name.len || is_border(name.ptr[at + digits], false)))
            return batch;
    }
    return TP_NULL_INT;
}

/* Returns the entry of a trace in the list of execution_details.json; ptr NULL without an entry. */
static struct tp_str entry_of_file(struct tp_str details, struct tp_str name, struct tp_arena *arena)
{
    struct tp_str item, found = {NULL, 0};
    for (size_t at = 0; details.ptr && tp_value_next(details, &at, NULL, &item);) {
        struct tp_str file = tp_value_member(item, "file");
        if (file.ptr && tp_str_equal(tp_value_text(arena, file), name))
            found = item;
    }
    return found;
}

/* Returns true for a call that a capture records instead of running: a launch, a copy or a memory set. */
static bool is_captured_name(struct tp_str name)
{
    static const char *const wanted[] = {"launch", "memcpy", "memset"};
    static const char *const others[] = {"graphlaunch", "launchhostfunc", "memcpynodeset", "getlaunch"};
    bool is_wanted = false;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        is_wanted |= tp_str_find_ignore_case(name, wanted[i]) >= 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        is_wanted &= tp_str_find_ignore_case(name, others[i]) < 0;
    return is_wanted;
}

/* ---- begins and ends ---- */

static void add_draft(struct finder *f, uint32_t thread, int64_t begin, int64_t end, enum tp_capture_open open)
{
    struct draft *draft = tp_vec_push(&f->drafts);
    *draft = (struct draft){.section = {.begin_ns = begin, .end_ns = end, .batch = TP_NULL_INT, .open = open},
                            .thread = thread,
                            .calls = TP_VEC(f->arena, uint32_t)};
}

static void find_sections_of_thread(struct finder *f, uint32_t thread, int64_t first, int64_t last)
{
    const struct tp_model *model = f->model;
    int64_t begin = 0;
    bool is_open = false;
    for (uint32_t i = model->launches.thread_first[thread]; i < model->launches.thread_first[thread + 1]; i++) {
        const struct tp_event *e = tp_launch_event(model, i);
        uint64_t marks = model->marks[e->name];
        if (marks & TP_MARK_CAPTURE_BEGIN && !is_open) {
            begin = e->ts_ns;
            is_open = true;
        } else if (marks & TP_MARK_CAPTURE_END && !(marks & TP_MARK_CAPTURE_BEGIN)) {
            add_draft(f, thread, is_open ? begin : first, e->ts_ns, is_open ? TP_CAPTURE_WHOLE : TP_CAPTURE_NO_BEGIN);
            is_open = false;
        }
    }
    if (is_open)
        add_draft(f, thread, begin, last, TP_CAPTURE_NO_END);
}

/* Adds the ranges "capture_32_FULL" of the engine as sections. Used if the calls were not recorded. */
static void find_ranges_as_sections(struct finder *f)
{
    const struct tp_order *order = f->model->order;
    for (uint32_t i = 0; i < order->host_count; i++) {
        const struct tp_event *e = &f->model->trace->events[order->host[i]];
        int64_t batch;
        struct tp_str mode;
        if (e->kind == TP_KIND_ANNOTATION &&
            tp_capture_range_parse(tp_trace_event_name(f->model->trace, e), &batch, &mode))
            add_draft(f, e->thread, e->ts_ns, tp_event_end(e), TP_CAPTURE_WHOLE);
    }
}

static int compare_drafts(const void *x, const void *y, const void *context)
{
    const struct tp_capture_section *a = &((const struct draft *)x)->section, *b = &((const struct draft *)y)->section;
    (void)context;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static bool has_mark(const struct tp_model *model, uint64_t mark)
{
    bool is_any = false;
    for (uint32_t i = 0; i < model->trace->names.count && !is_any; i++)
        is_any = (model->marks[i] & mark) != 0;
    return is_any;
}

static void find_drafts(struct finder *f)
{
    const struct tp_model *model = f->model;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        first = e->ts_ns < first ? e->ts_ns : first;
        last = tp_event_end(e) > last ? tp_event_end(e) : last;
    }
    if (has_mark(model, TP_MARK_CAPTURE_BEGIN | TP_MARK_CAPTURE_END))
        for (uint32_t t = 0; t < model->trace->thread_count; t++)
            find_sections_of_thread(f, t, first, last + 1);
    if (!f->drafts.count)
        find_ranges_as_sections(f);
    tp_merge_sort(f->arena, f->drafts.data, f->drafts.count, sizeof(struct draft), compare_drafts, NULL);
}

/* ---- calls ---- */

static int64_t correlation_of_operation(const void *context, uint32_t item)
{
    const struct tp_model *model = context;
    return model->trace->devices[tp_device_event(model, item)->detail].correlation;
}

static void find_processes(struct finder *f)
{
    const struct tp_trace *trace = f->model->trace;
    struct tp_strings names;
    tp_strings_init(&names, f->arena, 0);
    f->process_of = tp_arena_array(f->arena, trace->thread_count, sizeof *f->process_of);
    for (uint32_t t = 0; t < trace->thread_count; t++) {
        const struct tp_row_id *pid = &trace->threads[t].pid;
        struct tp_str text = pid->is_text ? pid->text : (struct tp_str){(const char *)&pid->number, sizeof pid->number};
        f->process_of[t] = tp_strings_add(&names, text);
    }
}

static int compare_starts(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_event *events = context;
    if (events[x].ts_ns != events[y].ts_ns)
        return events[x].ts_ns < events[y].ts_ns ? -1 : 1;
    return (x > y) - (x < y);
}

/* Returns the calls of captured names that started no device operation, sorted by start. */
static uint32_t *list_calls(struct finder *f, uint32_t *count)
{
    const struct tp_model *model = f->model;
    uint8_t *is_captured = tp_arena_array(f->arena, model->trace->names.count, 1);
    struct tp_vec found = TP_VEC(f->arena, uint32_t);
    for (uint32_t i = 0; i < model->launches.count; i++) {
        const struct tp_event *e = tp_launch_event(model, i);
        uint8_t *known = &is_captured[e->name];
        if (!*known)
            *known = is_captured_name(tp_trace_event_name(model->trace, e)) ? 2 : 1;
        int64_t correlation = model->trace->launches[e->detail].correlation;
        if (*known == 2 && (correlation == TP_NULL_INT || tp_ids_find(&f->run, correlation) == TP_NO_ID))
            *(uint32_t *)tp_vec_push(&found) = model->launches.event[i];
    }
    *count = (uint32_t)found.count;
    tp_sort_rows(found.data, *count, compare_starts, model->trace->events, f->arena);
    return found.data;
}

static void set_active(struct finder *f, uint32_t i, bool is_active)
{
    const struct draft *draft = TP_AT(&f->drafts, struct draft, i);
    uint32_t process = f->process_of[draft->thread];
    f->active_count[process] += is_active ? 1 : UINT32_MAX;
    f->active_sum[process] += is_active ? i : -(uint64_t)i;
    if (!is_active)
        return;
    f->last[draft->thread] = i;
    if (draft->section.open == TP_CAPTURE_NO_BEGIN)
        f->last_cut[draft->thread] = i;
}

/* Returns the section of a call: the last one on its thread that contains its start, otherwise the only one of its
 * process. Returns NULL if neither exists. */
static struct draft *section_of_call(struct finder *f, const struct tp_event *call)
{
    uint32_t candidates[2] = {f->last[call->thread], f->last_cut[call->thread]};
    for (unsigned i = 0; i < 2; i++) {
        struct draft *own = candidates[i] == TP_NO_ID ? NULL : TP_AT(&f->drafts, struct draft, candidates[i]);
        if (own && own->section.begin_ns <= call->ts_ns && call->ts_ns < own->section.end_ns)
            return own;
    }
    uint32_t process = f->process_of[call->thread];
    return f->active_count[process] == 1 ? TP_AT(&f->drafts, struct draft, f->active_sum[process]) : NULL;
}

static int compare_ends(const void *context, uint32_t x, uint32_t y)
{
    const struct finder *f = context;
    int64_t a = TP_AT(&f->drafts, struct draft, x)->section.end_ns;
    int64_t b = TP_AT(&f->drafts, struct draft, y)->section.end_ns;
    return (a > b) - (a < b);
}

static void assign_calls(struct finder *f)
{
    const struct tp_model *model = f->model;
    uint32_t call_count, count = (uint32_t)f->drafts.count, threads = model->trace->thread_count;
    uint32_t *calls = list_calls(f, &call_count), *by_end = tp_arena_array(f->arena, count, sizeof *by_end);
    f->active_count = tp_arena_array(f->arena, threads, sizeof *f->active_count);
    f->active_sum = tp_arena_array(f->arena, threads, sizeof *f->active_sum);
    f->last = tp_arena_array(f->arena, threads, sizeof *f->last);
    f->last_cut = tp_arena_array(f->arena, threads, sizeof *f->last_cut);
    memset(f->last, 0xFF, threads * sizeof *f->last);
    memset(f->last_cut, 0xFF, threads * sizeof *f->last_cut);
    for (uint32_t i = 0; i < count; i++)
        by_end[i] = i;
    tp_sort_rows(by_end, count, compare_ends, f, f->arena);
    for (uint32_t i = 0, begun = 0, ended = 0; i < call_count; i++) {
        const struct tp_event *call = &model->trace->events[calls[i]];
        while (begun < count && TP_AT(&f->drafts, struct draft, begun)->section.begin_ns <= call->ts_ns)
            set_active(f, begun++, true);
        while (ended < count && TP_AT(&f->drafts, struct draft, by_end[ended])->section.end_ns <= call->ts_ns)
            set_active(f, by_end[ended++], false);
        struct draft *draft = section_of_call(f, call);
        if (draft)
            *(uint32_t *)tp_vec_push(&draft->calls) = calls[i];
    }
}

/* ---- batch and mode ---- */

struct range {
    int64_t start, end, batch;
    struct tp_str mode;
    uint32_t event;
};

/* Orders ranges by start; of ranges with equal starts, the first in the file comes last. */
static int compare_ranges(const void *x, const void *y, const void *context)
{
    const struct range *a = x, *b = y;
    (void)context;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->event < b->event) - (a->event > b->event);
}

/* Returns the ranges "capture_32_FULL" of the trace, sorted. */
static struct tp_vec list_ranges(const struct finder *f)
{
    const struct tp_order *order = f->model->order;
    struct tp_vec ranges = TP_VEC(f->arena, struct range);
    for (uint32_t i = 0; i < order->host_count; i++) {
        const struct tp_event *e = &f->model->trace->events[order->host[i]];
        struct range range = {.start = e->ts_ns, .end = tp_event_end(e), .event = order->host[i]};
        if (e->kind == TP_KIND_ANNOTATION &&
            tp_capture_range_parse(tp_trace_event_name(f->model->trace, e), &range.batch, &range.mode))
            *(struct range *)tp_vec_push(&ranges) = range;
    }
    tp_merge_sort(f->arena, ranges.data, ranges.count, sizeof(struct range), compare_ranges, NULL);
    return ranges;
}

/* Sets batch and mode of each section: from the innermost range around its begin, otherwise from the name of the file,
 * otherwise from execution_details.json. */
static void find_batches(struct finder *f, const struct tp_vec *ranges, struct tp_str file, struct tp_str entry)
{
    struct tp_vec open = TP_VEC(f->arena, struct range);
    int64_t batch_of_name = batch_of_file_name(file);
    for (size_t i = 0, next = 0; i < f->drafts.count; i++) {
        struct tp_capture_section *section = &TP_AT(&f->drafts, struct draft, i)->section;
        for (; next < ranges->count && TP_AT(ranges, struct range, next)->start <= section->begin_ns; next++)
            *(struct range *)tp_vec_push(&open) = *TP_AT(ranges, struct range, next);
        while (open.count && TP_AT(&open, struct range, open.count - 1)->end <= section->begin_ns)
            open.count--;
        if (open.count) {
            section->batch = TP_AT(&open, struct range, open.count - 1)->batch;
            section->mode = TP_AT(&open, struct range, open.count - 1)->mode;
        } else if (batch_of_name != TP_NULL_INT) {
            section->batch = batch_of_name;
        } else if (entry.ptr) {
            section->batch = tp_value_int(tp_value_member(entry, "batch_size"));
            section->mode = tp_value_text(f->arena, tp_value_member(entry, "mode"));
        }
    }
}

/* ---- maps ---- */

/* Returns true if the trace shows captures only, so that it is no run. */
static bool is_only_map(const struct finder *f, const struct tp_captures *captures, struct tp_str file, bool has_entry,
                        bool has_range)
{
    const struct tp_model *model = f->model;
    const uint64_t marks_of_step = TP_MARK_STEP | TP_MARK_STEP_BRACKET | TP_MARK_OPTIMIZER_STEP;
    bool has_record = false, has_step = false;
    uint64_t run = 0;
    if (has_entry || has_range || tp_str_find_ignore_case(file, "capture") >= 0)
        return true;
    for (uint32_t i = 0; i < model->order->host_count; i++) {
        const struct tp_event *e = &model->trace->events[model->order->host[i]];
        struct tp_str name = tp_trace_event_name(model->trace, e);
        has_record |= e->kind == TP_KIND_ANNOTATION && tp_str_starts(name, "CUDAGraphNode.record");
        has_step |=
            e->kind == TP_KIND_ANNOTATION && (model->marks[e->name] & marks_of_step || tp_str_starts(name, "execute_"));
    }
    for (uint32_t k = 0; k < model->devices.count; k++)
        run += !tp_is_graph_launched(model, k);
    return (has_record && !has_step) || captures->call_count >= run;
}

static void store_sections(struct finder *f, struct tp_captures *captures, struct tp_str file)
{
    struct tp_vec sections = TP_VEC(f->arena, struct tp_capture_section), calls = TP_VEC(f->arena, uint32_t);
    for (size_t i = 0; i < f->drafts.count; i++) {
        struct draft *draft = TP_AT(&f->drafts, struct draft, i);
        if (!draft->calls.count)
            continue;
        draft->section.index = (uint32_t)i;
        draft->section.first_call = (uint32_t)calls.count;
        draft->section.call_count = (uint32_t)draft->calls.count;
        for (size_t k = 0; k < draft->calls.count; k++)
            *(uint32_t *)tp_vec_push(&calls) = *TP_AT(&draft->calls, uint32_t, k);
        *(struct tp_capture_section *)tp_vec_push(&sections) = draft->section;
        TP_AT(&sections, struct tp_capture_section, sections.count - 1)->index = (uint32_t)sections.count - 1;
    }
    captures->sections = sections.data;
    captures->section_count = (uint32_t)sections.count;
    captures->calls = calls.data;
    captures->call_count = (uint32_t)calls.count;
    captures->files = tp_arena_alloc(f->arena, sizeof *captures->files);
    captures->file_count = 1;
    *captures->files = (struct tp_capture_file){.name = file, .section_count = captures->section_count};
}

void tp_capture_sections_find(struct tp_captures *captures, const struct tp_model *model, const char *path,
                              struct tp_str details, struct tp_arena *arena)
{
    struct finder f = {.model = model, .arena = arena, .drafts = TP_VEC(arena, struct draft)};
    struct tp_str file = tp_str_of(tp_path_base(path));
    *captures = (struct tp_captures){0};
    find_drafts(&f);
    if (!f.drafts.count)
        return;
    tp_ids_init_for_items(&f.run, arena, model->devices.count, correlation_of_operation, model);
    for (uint32_t k = 0; k < model->devices.count; k++)
        if (correlation_of_operation(model, k) != TP_NULL_INT)
            tp_ids_add(&f.run, correlation_of_operation(model, k));
    find_processes(&f);
    assign_calls(&f);
    struct tp_str entry = entry_of_file(details, file, arena);
    struct tp_vec ranges = list_ranges(&f);
    find_batches(&f, &ranges, file, entry);
    store_sections(&f, captures, file);
    if (!captures->section_count)
        *captures = (struct tp_captures){0};
    else
        captures->files->is_only_map = is_only_map(&f, captures, file, entry.ptr != NULL, ranges.count > 0);
}
