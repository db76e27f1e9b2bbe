/* Delivers rows of databases to the sink: see row_events.h. */
#include "webreport/trace/inputs/sqlite/row_events.h"

#include <math.h>
#include <stdio.h>

#include "webreport/trace/argument_lines.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"
#include "writer/base/renumber.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { SETUPS = 1024, SETUP_NUMBERS = 13 };

struct tp_row_setup {
    int64_t numbers[SETUP_NUMBERS]; /* the numbers of the row from which the setup was made */
    bool is_used;
    struct tp_device_setup setup;
};

static const struct {
    const char *name;
    enum tp_kind kind;
} cats[TP_ROW_CATS] = {
    [TP_ROW_KERNEL] = {"kernel", TP_KIND_KERNEL},
    [TP_ROW_COPY] = {"gpu_memcpy", TP_KIND_MEMCPY},
    [TP_ROW_SET] = {"gpu_memset", TP_KIND_MEMSET},
    [TP_ROW_RUNTIME] = {"cuda_runtime", TP_KIND_RUNTIME},
    [TP_ROW_DRIVER] = {"cuda_driver", TP_KIND_RUNTIME},
    [TP_ROW_OPERATOR] = {"cpu_op", TP_KIND_OPERATOR},
    [TP_ROW_RANGE] = {"user_annotation", TP_KIND_ANNOTATION},
    [TP_ROW_WAIT] = {"cuda_sync", TP_KIND_OTHER},
    [TP_ROW_SPAN] = {"Trace", TP_KIND_SPAN},
};

void tp_row_events_open(struct tp_row_events *events, struct tp_sink *sink, struct tp_arena *scratch)
{
    *events = (struct tp_row_events){.sink = sink,
                                     .scratch = scratch,
                                     .last_pid = TP_NULL_INT,
                                     .last_tid = TP_NULL_INT,
                                     .first_ns = INT64_MAX,
                                     .last_ns = INT64_MIN};
    for (unsigned i = 0; i < TP_ROW_CATS; i++)
        events->cats[i] = TP_NO_ID;
    tp_id_map_init(&events->threads, scratch);
    tp_id_map_init(&events->processes, scratch);
    events->setups = tp_arena_array(scratch, SETUPS, sizeof *events->setups);
    tp_buf_init(&events->text, 0);
    tp_buf_init(&events->lines, 0);
}

void tp_row_events_release(struct tp_row_events *events)
{
    tp_buf_release(&events->text);
    tp_buf_release(&events->lines);
}

/* ---- texts ---- */

struct tp_str tp_row_events_buffer_text(const struct tp_row_events *events)
{
    if (events->text.failed)
        tp_arena_fail(events->sink->trace->arena, TP_ENOMEM);
    return (struct tp_str){events->text.data ? events->text.data : "", events->text.size};
}

uint32_t tp_row_events_known_name(struct tp_row_events *events, struct tp_str text, uint32_t *known)
{
    if (text.len > TP_MAX_NAME_BYTES)
        tp_sink_count_notice(events->sink, TP_NOTICE_NAME_CUT, 0);
    if (*known == TP_NO_ID)
        *known = tp_sink_intern_text(events->sink, &events->sink->names, text);
    return *known;
}

uint32_t tp_row_events_name(struct tp_row_events *events, struct tp_str text)
{
    uint32_t id = TP_NO_ID;
    return tp_row_events_known_name(events, text, &id);
}

uint32_t tp_row_events_buffer_name(struct tp_row_events *events)
{
    return tp_row_events_name(events, tp_row_events_buffer_text(events));
}

uint32_t tp_row_events_value(struct tp_row_events *events, struct tp_str json)
{
    tp_buf_clear(&events->text);
    tp_clean_value(&events->text, json);
    return tp_sink_intern_text(events->sink, &events->sink->values, tp_row_events_buffer_text(events));
}

static struct tp_str lasting_text(struct tp_row_events *events, struct tp_str text)
{
    return tp_sink_text_by_id(events->sink, tp_sink_intern_text(events->sink, &events->sink->texts, text));
}

uint32_t tp_row_events_integer(struct tp_row_events *events, int64_t number)
{
    char digits[TP_PUT_INT];
    if (number == TP_NULL_INT)
        return TP_NO_ID;
    char *end = tp_put_int(digits, number);
    return tp_sink_intern_text(events->sink, &events->sink->values, (struct tp_str){digits, (size_t)(end - digits)});
}

static uint32_t intern_triple(struct tp_row_events *events, const int64_t numbers[3])
{
    char text[3 * TP_PUT_INT + 4], *at = text;
    if (numbers[0] == TP_NULL_INT)
        return TP_NO_ID;
    for (unsigned i = 0; i < 3; i++) {
        *at++ = i ? ',' : '[';
        at = tp_put_int(at, numbers[i]);
    }
    *at++ = ']';
    return tp_sink_intern_text(events->sink, &events->sink->values, (struct tp_str){text, (size_t)(at - text)});
}

/* ---- threads ---- */

/* Names a process on the first call with its pid. */
static void name_process(struct tp_row_events *events, int64_t pid, struct tp_str name, const char *label,
                         int64_t sort_index)
{
    const struct tp_row_id id = {.number = pid};
    uint32_t *seen = tp_id_map_find_or_add(&events->processes, (uint64_t)pid);
    if (*seen != TP_NO_ID)
        return;
    *seen = 0;
    tp_buf_clear(&events->text);
    tp_buf_puts(&events->text, label);
    struct tp_str labels = lasting_text(events, tp_row_events_buffer_text(events)), text = lasting_text(events, name);
    struct tp_process *process = tp_sink_add_process(events->sink, &id);
    process->name = text;
    process->labels = labels;
    process->sort_index = sort_index;
}

/* Returns the number of a thread. *is_new: true on the first call for this thread. */
static uint32_t number_of_thread(struct tp_row_events *events, int64_t pid, int64_t tid, bool *is_new)
{
    const struct tp_row_id process = {.number = pid}, thread = {.number = tid};
    bool has_key = pid >= 0 && pid <= UINT32_MAX && tid >= 0 && tid <= UINT32_MAX;
    *is_new = true;
    if (!has_key)
        return tp_sink_add_thread(events->sink, &process, &thread);
    uint32_t *number = tp_id_map_find_or_add(&events->threads, tp_id_pair((uint32_t)pid, (uint32_t)tid));
    *is_new = *number == TP_NO_ID;
    if (*is_new)
        *number = tp_sink_add_thread(events->sink, &process, &thread);
    return *number;
}

/* Sets the name of a thread to the text in the scratch buffer. */
static void name_thread(struct tp_row_events *events, uint32_t thread)
{
    tp_sink_set_thread_name(events->sink, thread, lasting_text(events, tp_row_events_buffer_text(events)));
}

/* Returns the number of a thread like number_of_thread. Most events have the same thread as the previous one. */
static uint32_t find_thread(struct tp_row_events *events, int64_t pid, int64_t tid, bool *is_new)
{
    *is_new = false;
    if (pid == events->last_pid && tid == events->last_tid)
        return events->last_thread;
    events->last_thread = number_of_thread(events, pid, tid, is_new);
    events->last_pid = pid;
    events->last_tid = tid;
    return events->last_thread;
}

uint32_t tp_row_events_stream(struct tp_row_events *events, int64_t device, int64_t stream)
{
    enum { FIRST_SORT_INDEX = 5000000 }; /* of devices in traces of torch.profiler */
    char label[32];
    bool is_new;
    uint32_t thread = find_thread(events, device, stream, &is_new);
    if (!is_new)
        return thread;
    snprintf(label, sizeof label, "GPU %lld", (long long)device);
    name_process(events, device, TP_STR("python"), label, FIRST_SORT_INDEX + device);
    tp_buf_clear(&events->text);
    tp_buf_printf(&events->text, "stream %lld ", (long long)stream);
    name_thread(events, thread);
    return thread;
}

uint32_t tp_row_events_thread(struct tp_row_events *events, int64_t pid, int64_t tid, struct tp_str process,
                              struct tp_str thread_name)
{
    bool is_new;
    uint32_t thread = find_thread(events, pid, tid, &is_new);
    if (!is_new)
        return thread;
    name_process(events, pid, process.ptr ? process : TP_STR("python"), "CPU", pid);
    tp_buf_clear(&events->text);
    tp_buf_printf(&events->text, "thread %lld", (long long)tid);
    if (thread_name.len) {
        tp_buf_puts(&events->text, " (");
        tp_buf_add(&events->text, thread_name.ptr, thread_name.len);
        tp_buf_puts(&events->text, ")");
    }
    name_thread(events, thread);
    return thread;
}

/* ---- events ---- */

/* Returns a slice of a category, without its details. */
static struct tp_sink_slice start_slice(struct tp_row_events *events, enum tp_row_cat cat, uint32_t name,
                                        uint32_t thread, const int64_t span_ns[2])
{
    struct tp_sink *sink = events->sink;
    if (events->cats[cat] == TP_NO_ID)
        events->cats[cat] = tp_sink_intern_text(sink, &sink->cats, tp_str_of(cats[cat].name));
    events->first_ns = span_ns[0] < events->first_ns ? span_ns[0] : events->first_ns;
    events->last_ns = span_ns[1] > events->last_ns ? span_ns[1] : events->last_ns;
    struct tp_sink_slice slice = {
        .event = {.ts_ns = span_ns[0], .dur_ns = span_ns[1] - span_ns[0], .name = name, .detail = TP_NO_ID},
        .cat = events->cats[cat]};
    slice.event.thread = thread & ((1u << 20) - 1);
    slice.event.kind = cats[cat].kind & 15;
    return slice;
}

static void end_slice(struct tp_row_events *events, struct tp_sink_slice *slice)
{
    slice->event.ordinal = events->ordinal++;
    events->sink->trace->reading.with_decimals += 2; /* counts start and duration, because both times are exact */
    tp_sink_slice(events->sink, slice);
}

/* Returns the blocks per streaming multiprocessor times 1e9, rounded to six decimals as Kineto writes them. */
static int64_t blocks_per_sm_e9(const struct tp_row_device *row)
{
    const double most = 9e9; /* so that the result fits into 64 bits */
    if (row->sm_count <= 0 || row->grid[0] == TP_NULL_INT || row->block[0] == TP_NULL_INT)
        return TP_NULL_INT;
    double blocks = (double)row->grid[0] * (double)row->grid[1] * (double)row->grid[2] / (double)row->sm_count;
    return fabs(blocks) < most ? llrint(blocks * 1e6) * 1000 : TP_NULL_INT;
}

static void fill_setup(struct tp_row_events *events, const struct tp_row_device *row, struct tp_device_setup *setup)
{
    *setup = (struct tp_device_setup){.bytes = row->bytes,
                                      .device = row->device,
                                      .stream = row->stream,
                                      .graph_id = row->graph_id,
                                      .blocks_per_sm_e9 = blocks_per_sm_e9(row),
                                      .occupancy_pct_e9 = TP_NULL_INT};
    setup->stream_value = tp_row_events_integer(events, row->stream);
    setup->grid = intern_triple(events, row->grid);
    setup->block = intern_triple(events, row->block);
    setup->registers = tp_row_events_integer(events, row->registers);
    setup->shared_memory = tp_row_events_integer(events, row->shared_memory);
}

/* Returns the setup of a row. Rows with equal numbers are frequent, so recent setups are in a cache. */
static const struct tp_device_setup *setup_of_row(struct tp_row_events *events, const struct tp_row_device *row)
{
    const int64_t numbers[SETUP_NUMBERS] = {
        row->device,   row->stream,   row->graph_id, row->bytes,     row->grid[0],       row->grid[1], row->grid[2],
        row->block[0], row->block[1], row->block[2], row->registers, row->shared_memory, row->sm_count};
    struct tp_row_setup *entry = &events->setups[tp_hash_bytes(numbers, sizeof numbers) % SETUPS];
    if (entry->is_used && memcmp(entry->numbers, numbers, sizeof numbers) == 0)
        return &entry->setup;
    fill_setup(events, row, &entry->setup);
    memcpy(entry->numbers, numbers, sizeof numbers);
    entry->is_used = true;
    return &entry->setup;
}

void tp_row_events_add_device(struct tp_row_events *events, const struct tp_row_device *row)
{
    const int64_t span_ns[2] = {row->start_ns, row->end_ns};
    uint32_t thread = tp_row_events_stream(events, row->device, row->stream);
    struct tp_sink_slice slice = start_slice(events, row->cat, row->name, thread, span_ns);
    struct tp_device_detail detail = {TP_NULL_INT, row->correlation, 0, TP_NO_ID};
    slice.event.detail = tp_sink_add_device(events->sink, detail, setup_of_row(events, row));
    slice.has_correlation = true;
    slice.correlation = row->correlation;
    end_slice(events, &slice);
}

void tp_row_events_add_call(struct tp_row_events *events, enum tp_row_cat cat, uint32_t name, uint32_t thread,
                            const int64_t span_ns[2], int64_t correlation)
{
    struct tp_sink_slice slice = start_slice(events, cat, name, thread, span_ns);
    slice.event.detail = tp_sink_add_launch(events->sink, &(struct tp_launch_detail){TP_NULL_INT, correlation});
    slice.has_correlation = true;
    slice.correlation = correlation;
    end_slice(events, &slice);
}

void tp_row_events_add_wait(struct tp_row_events *events, const char *name, int64_t device, int64_t stream,
                            const int64_t span_ns[2], int64_t correlation)
{
    /* Kineto shows a wait for the whole device, whose stream is -1, on stream 1 */
    const struct tp_row_id process = {.number = device}, lane = {.number = stream < 0 ? 1 : stream};
    uint32_t thread = tp_sink_add_thread(events->sink, &process, &lane);
    struct tp_sink_slice slice =
        start_slice(events, TP_ROW_WAIT, tp_row_events_name(events, tp_str_of(name)), thread, span_ns);
    struct tp_sync_record sync = {correlation, device,      stream,
                                  TP_NULL_INT, TP_NULL_INT, tp_str_equal(tp_str_of(name), TP_STR("Stream Wait Event"))};
    slice.event.detail = tp_sink_add_other(
        events->sink, &(struct tp_other_detail){TP_NULL_INT, slice.cat, tp_sink_add_sync(events->sink, &sync)});
    slice.has_correlation = true;
    slice.correlation = correlation;
    end_slice(events, &slice);
}

static uint32_t add_host_detail(struct tp_row_events *events, const struct tp_row_range *row)
{
    struct tp_host_detail host = {
        .external_id = row->external_id, .dims = row->dims, .types = TP_NO_ID, .stack = TP_NO_ID};
    const struct tp_host_rare more = {row->sequence, TP_NULL_INT, TP_NO_ID};
    return tp_sink_add_host(events->sink, host, &more);
}

void tp_row_events_add_operator(struct tp_row_events *events, const struct tp_row_range *row)
{
    const int64_t span_ns[2] = {row->start_ns, row->end_ns};
    struct tp_sink *sink = events->sink;
    struct tp_sink_slice slice = start_slice(events, TP_ROW_OPERATOR, row->name, row->thread, span_ns);
    unsigned flags = row->dims != TP_NO_ID ? TP_EVENT_HAS_INPUT_DIMS : 0;
    slice.event.kind =
        tp_sink_event_kind(tp_sink_cat_meaning(sink, slice.cat), tp_sink_name_meaning(sink, row->name), false, &flags) &
        15;
    slice.event.flags = flags & 15;
    slice.event.detail = add_host_detail(events, row);
    end_slice(events, &slice);
}

static void add_argument_line(struct tp_row_events *events, struct tp_argument_lines *lines, const char *key,
                              struct tp_str text)
{
    tp_buf_clear(&events->text);
    tp_put_string(&events->text, text, TP_MAX_NAME_BYTES);
    tp_argument_lines_add(lines, tp_str_of(key), tp_row_events_buffer_text(events));
}

/* Writes the arguments of a range: its domain, and the name that the program gave to a step. Returns false without
 * arguments. own_name: ptr NULL if the name of the range did not change. */
static bool write_arguments(struct tp_row_events *events, struct tp_str domain, struct tp_str own_name,
                            struct tp_argument_text *text)
{
    struct tp_argument_lines lines = TP_ARGUMENT_LINES(&events->lines);
    if (!events->sink->wants_arguments || (!domain.len && !own_name.ptr))
        return false;
    tp_buf_clear(&events->lines);
    if (domain.len)
        add_argument_line(events, &lines, "NVTX domain", domain);
    if (own_name.ptr)
        add_argument_line(events, &lines, "NVTX range", own_name);
    *text = tp_argument_lines_intern(events->sink, &lines);
    return true;
}

void tp_row_events_add_range(struct tp_row_events *events, const struct tp_row_range *row)
{
    const int64_t span_ns[2] = {row->start_ns, row->end_ns};
    struct tp_sink_slice slice = start_slice(events, TP_ROW_RANGE, row->name, row->thread, span_ns);
    struct tp_argument_text text;
    slice.event.detail = add_host_detail(events, row);
    if (write_arguments(events, row->domain, (struct tp_str){NULL, 0}, &text))
        tp_sink_add_argument(events->sink, text);
    end_slice(events, &slice);
}

void tp_row_events_rename_range(struct tp_row_events *events, uint32_t event, uint32_t name, struct tp_str domain)
{
    struct tp_sink *sink = events->sink;
    struct tp_event *range = TP_AT(&sink->events, struct tp_event, event);
    struct tp_argument *argument = NULL;
    struct tp_argument_text text;
    if (write_arguments(events, domain, tp_strings_get(&sink->trace->names, range->name), &text)) {
        for (size_t i = 0; i < sink->arguments.count && domain.len && !argument; i++)
            if (TP_AT(&sink->arguments, struct tp_argument, i)->event == event)
                argument = TP_AT(&sink->arguments, struct tp_argument, i);
        argument = argument ? argument : tp_vec_push(&sink->arguments);
        *argument = (struct tp_argument){event, text};
    }
    range->name = name;
}

static int compare_arguments(const void *x, const void *y, const void *context)
{
    const struct tp_argument *a = x, *b = y;
    (void)context;
    return (a->event > b->event) - (a->event < b->event);
}

void tp_row_events_sort_arguments(struct tp_row_events *events)
{
    struct tp_vec *arguments = &events->sink->arguments;
    if (arguments->count)
        tp_merge_sort(events->scratch, arguments->data, arguments->count, sizeof(struct tp_argument), compare_arguments,
                      NULL);
}

/* ---- the end of a recording, and its top-level members ---- */

/* Returns the correlation of a call; TP_NULL_INT if it has none. context: the sink. */
static int64_t correlation_of_call(const void *context, uint32_t call)
{
    const struct tp_sink *sink = context;
    int64_t number = TP_AT(&sink->launches, struct tp_launch_detail, call)->correlation;
    return number > 0 ? number : TP_NULL_INT;
}

/* Counts the device operations whose correlation several calls have. The model links them to one of these calls. */
static uint64_t count_ambiguous_operations(const struct tp_row_events *events)
{
    const struct tp_sink *sink = events->sink;
    uint32_t call_count = (uint32_t)sink->launches.count;
    struct tp_ids ids;
    uint64_t ambiguous = 0,
             numbered = tp_ids_init_for_items(&ids, events->scratch, call_count, correlation_of_call, sink);
    uint8_t *has_several = tp_arena_array(events->scratch, numbered + 1, sizeof *has_several);
    for (uint32_t i = 0; i < call_count && numbered; i++) {
        int64_t number = correlation_of_call(sink, i);
        uint32_t known = ids.count, id = number == TP_NULL_INT ? TP_NO_ID : tp_ids_add(&ids, number);
        if (id < known)
            has_several[id] = 1;
    }
    for (size_t i = 0; i < sink->devices.count && ids.count < numbered; i++) {
        int64_t number = TP_AT(&sink->devices, struct tp_device_detail, i)->correlation;
        uint32_t id = number > 0 ? tp_ids_find(&ids, number) : TP_NO_ID;
        ambiguous += id != TP_NO_ID && has_several[id];
    }
    return ambiguous;
}

static void note_ambiguous_operations(struct tp_row_events *events)
{
    uint64_t count = count_ambiguous_operations(events);
    if (!count)
        return;
    tp_buf_clear(&events->text);
    tp_buf_printf(
        &events->text,
        "%s device operations are ambiguous, because several calls have their correlation; each belongs to the "
        "last of these calls before it",
        tp_text_of_count(events->scratch, (int64_t)count));
    tp_sink_add_note(events->sink, tp_row_events_buffer_text(events));
}

void tp_row_events_finish(struct tp_row_events *events)
{
    struct tp_sink *sink = events->sink;
    struct tp_reading *reading = &sink->trace->reading;
    const struct tp_row_id pid = {.is_text = true, .text = TP_STR("Spans")};
    const struct tp_row_id tid = {.is_text = true, .text = TP_STR("PyTorch Profiler")};
    const int64_t span_ns[2] = {events->first_ns, events->last_ns};
    note_ambiguous_operations(events);
    if (span_ns[0] <= span_ns[1]) {
        uint32_t name = tp_row_events_name(events, TP_STR("PyTorch Profiler (0)"));
        struct tp_sink_slice slice =
            start_slice(events, TP_ROW_SPAN, name, tp_sink_add_thread(sink, &pid, &tid), span_ns);
        end_slice(events, &slice);
        tp_row_events_name(events, TP_STR("Iteration Start: PyTorch Profiler"));
        tp_row_events_name(events, TP_STR("Record Window End"));
        reading->has_window_end = true;
        reading->window_end_ns = events->last_ns;
    }
    reading->element_count = events->ordinal;
    reading->has_end = true;
}

void tp_row_events_add_members(struct tp_row_events *events, int64_t base_ns, struct tp_str devices)
{
    char digits[TP_PUT_INT], *end = tp_put_int(digits, base_ns);
    tp_sink_add_member(events->sink, TP_STR("schemaVersion"), TP_STR("1"));
    tp_sink_add_member(events->sink, TP_STR("deviceProperties"), devices);
    tp_sink_add_member(events->sink, TP_STR("displayTimeUnit"), TP_STR("\"ms\""));
    tp_sink_add_member(events->sink, TP_STR("baseTimeNanoseconds"), (struct tp_str){digits, (size_t)(end - digits)});
}

void tp_row_events_write_copy_name(struct tp_buf *out, const char *direction, struct tp_str source,
                                   struct tp_str target)
{
    tp_buf_printf(out, "Memcpy %s (%.*s -> %.*s)", direction, (int)source.len, source.ptr, (int)target.len, target.ptr);
}

void tp_row_events_write_set_name(struct tp_buf *out, struct tp_str kind)
{
    tp_buf_printf(out, "Memset (%.*s)", (int)kind.len, kind.ptr);
}
