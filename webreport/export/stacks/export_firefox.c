/* Writes WORKER.firefox.json.gz for the Firefox Profiler (profiler.firefox.com): samples and states of each thread.
 *
 * The file has version 49 of the processed format (docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler),
 * which all later versions can read. Each thread has its own tables of texts, functions, frames and stacks. Times are
 * milliseconds since the first process began. The weight of a sample is the processor time that it represents. States
 * are written as markers. */
#include <inttypes.h>
#include <stdio.h>

#include "webreport/export/export_formats.h"
#include "webreport/export/whole_file.h"
#include "webreport/measure/program/sampled.h"
#include "webreport/model/tree_threads.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

enum { CATEGORY_OTHER, CATEGORY_FUNCTIONS };

/* Categories that the profiler shows: "Other", then one for each kind of function (native, Python, kernel). */
static const struct tp_str categories =
    TP_STR("[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Native\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Python\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}]");
static const struct tp_str marker_schema = TP_STR(
    "[{\"name\":\"state\",\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.data.reason}\","
    "\"chartLabel\":\"{marker.data.reason}\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
    "\"data\":[{\"key\":\"reason\",\"label\":\"Waits for\",\"format\":\"string\"},"
    "{\"key\":\"where\",\"label\":\"In\",\"format\":\"string\"}]}]");

/* Tables of the current thread. The index of a key is its row in the table of the file. */
struct tables {
    struct tp_strings texts;
    /* keys of functions: (function, 0); of frames: (row in `functions`, line); of stacks: (row of the caller's stack,
     * row in `frames`) */
    struct tp_keys functions, frames, stacks;
};

struct firefox {
    struct tp_sampled *sampled;
    struct tp_json json;
    struct tables tables;
    struct tp_arena *arena;
    const char **pids; /* for each process: its pid as text, different for each process */
    int64_t begin_ns;
};

/* ---- output of numbers and columns ---- */

static void write_milliseconds(struct tp_json *json, int64_t ns)
{
    char text[48];
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    int n = snprintf(text, sizeof text, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / 1000000, size % 1000000);
    tp_json_raw(json, (struct tp_str){text, (size_t)n});
}

static void write_time_member(struct firefox *f, const char *key, int64_t at_ns)
{
    tp_json_key(&f->json, key);
    write_milliseconds(&f->json, tp_sat_sub(at_ns, f->begin_ns));
}

/* Writes a column whose rows all have the same value. */
static void write_constant_column(struct tp_json *json, const char *key, uint32_t count, const char *value)
{
    tp_json_key(json, key);
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_json_raw(json, tp_str_of(value));
    tp_json_array_end(json);
}

/* Writes a column. of: function that returns the value of each row; TP_NULL_INT becomes null. */
static void write_column(struct firefox *f, const char *key, uint32_t count,
                         int64_t (*of)(struct firefox *f, uint32_t row))
{
    tp_json_key(&f->json, key);
    tp_json_array(&f->json);
    for (uint32_t i = 0; i < count; i++) {
        int64_t value = of(f, i);
        if (value == TP_NULL_INT)
            tp_json_null(&f->json);
        else
            tp_json_int(&f->json, value);
    }
    tp_json_array_end(&f->json);
}

static void begin_table(struct firefox *f, const char *key, uint32_t count)
{
    tp_json_key(&f->json, key);
    tp_json_object(&f->json);
    tp_json_member_int(&f->json, "length", count);
}

/* ---- functions, frames, stacks ---- */

static const struct tp_program_function *function_at(const struct firefox *f, uint32_t row)
{
    return tp_program_function_at(&f->sampled->functions, tp_keys_get(&f->tables.functions, row)[0]);
}

static int64_t function_name(struct firefox *f, uint32_t row)
{
    return tp_strings_add(&f->tables.texts, function_at(f, row)->name);
}

static int64_t function_file(struct firefox *f, uint32_t row)
{
    struct tp_str file = function_at(f, row)->file;
    return file.len ? (int64_t)tp_strings_add(&f->tables.texts, file) : TP_NULL_INT;
}

static int64_t frame_function(struct firefox *f, uint32_t row)
{
    return tp_keys_get(&f->tables.frames, row)[0];
}

static int64_t frame_line(struct firefox *f, uint32_t row)
{
    uint32_t line = tp_keys_get(&f->tables.frames, row)[1];
    return line ? (int64_t)line : TP_NULL_INT;
}

static int64_t frame_category(struct firefox *f, uint32_t row)
{
    return CATEGORY_FUNCTIONS + function_at(f, (uint32_t)frame_function(f, row))->kind;
}

static int64_t stack_prefix(struct firefox *f, uint32_t row)
{
    uint32_t prefix = tp_keys_get(&f->tables.stacks, row)[0];
    return prefix == TP_NO_ID ? TP_NULL_INT : (int64_t)prefix;
}

static int64_t stack_frame(struct firefox *f, uint32_t row)
{
    return tp_keys_get(&f->tables.stacks, row)[1];
}

static int64_t stack_category(struct firefox *f, uint32_t row)
{
    return frame_category(f, (uint32_t)stack_frame(f, row));
}

/* Returns the row of a stack in the file, or TP_NO_ID if no frame of the stack is known. stack: id in the trace. */
static uint32_t stack_row(struct firefox *f, uint32_t stack)
{
    struct tp_sampled *sampled = f->sampled;
    const struct tp_vec *path = &sampled->functions.path;
    uint32_t row = TP_NO_ID;
    tp_sampled_read_stack(sampled, stack);
    for (size_t k = 0; k < path->count; k++) {
        uint32_t function = tp_keys_pair(&f->tables.functions, *TP_AT(path, uint32_t, k), 0);
        uint32_t frame = tp_keys_pair(&f->tables.frames, function, (uint32_t)tp_sampled_line_of_frame(sampled, k));
        row = tp_keys_pair(&f->tables.stacks, row, frame);
    }
    return row;
}

static void write_code_tables(struct firefox *f)
{
    struct tp_json *json = &f->json;
    uint32_t functions = tp_keys_count(&f->tables.functions), frames = tp_keys_count(&f->tables.frames),
             stacks = tp_keys_count(&f->tables.stacks);
    begin_table(f, "stackTable", stacks);
    write_column(f, "prefix", stacks, stack_prefix);
    write_column(f, "frame", stacks, stack_frame);
    write_column(f, "category", stacks, stack_category);
    write_constant_column(json, "subcategory", stacks, "0");
    tp_json_object_end(json);
    begin_table(f, "frameTable", frames);
    write_constant_column(json, "address", frames, "-1");
    write_constant_column(json, "inlineDepth", frames, "0");
    write_column(f, "category", frames, frame_category);
    write_constant_column(json, "subcategory", frames, "0");
    write_column(f, "func", frames, frame_function);
    write_column(f, "line", frames, frame_line);
    static const char *const nulls[] = {"nativeSymbol", "innerWindowID", "implementation", "column", "optimizations"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        write_constant_column(json, nulls[i], frames, "null");
    tp_json_object_end(json);
    begin_table(f, "funcTable", functions);
    write_column(f, "name", functions, function_name);
    write_column(f, "fileName", functions, function_file);
    write_constant_column(json, "isJS", functions, "false");
    write_constant_column(json, "relevantForJS", functions, "false");
    write_constant_column(json, "resource", functions, "-1");
    write_constant_column(json, "lineNumber", functions, "null");
    write_constant_column(json, "columnNumber", functions, "null");
    tp_json_object_end(json);
    tp_json_key(json, "resourceTable");
    tp_json_raw(json, TP_STR("{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]}"));
    tp_json_key(json, "nativeSymbols");
    tp_json_raw(json, TP_STR("{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]}"));
}

/* ---- samples and states ---- */

static void write_samples(struct firefox *f, const uint32_t *items, uint32_t count)
{
    struct tp_json *json = &f->json;
    bool is_untimed = f->sampled->trace->input.has_untimed_samples;
    begin_table(f, "samples", count);
    tp_json_key(json, "stack");
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = stack_row(f, f->sampled->trace->samples[items[i]].stack);
        if (row == TP_NO_ID)
            tp_json_null(json);
        else
            tp_json_int(json, row);
    }
    tp_json_array_end(json);
    tp_json_key(json, "time");
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        write_milliseconds(json, tp_sat_sub(f->sampled->trace->samples[items[i]].ts_ns, f->begin_ns));
    tp_json_array_end(json);
    tp_json_key(json, "weight");
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        if (is_untimed)
            tp_json_int(json, 1);
        else
            write_milliseconds(json, tp_sampled_time_of_sample(f->sampled, items[i]));
    tp_json_array_end(json);
    tp_json_member_text(json, "weightType", is_untimed ? "samples" : "tracing-ms");
    if (is_untimed) {
        tp_json_object_end(json);
        return;
    }
    tp_json_key(json, "threadCPUDelta"); /* the Firefox Profiler draws the activity graph from this column */
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_json_int(json, tp_sampled_time_of_sample(f->sampled, items[i]));
    tp_json_array_end(json);
    tp_json_object_end(json);
}

/* The states of a thread, in the order of time. */
struct states {
    const struct tp_thread_slice *slices;
    uint32_t count;
};

static void write_slice_times(struct firefox *f, const char *key, struct states states, bool is_end)
{
    tp_json_key(&f->json, key);
    tp_json_array(&f->json);
    for (uint32_t i = 0; i < states.count; i++)
        write_milliseconds(&f->json,
                           tp_sat_sub(is_end ? states.slices[i].end_ns : states.slices[i].begin_ns, f->begin_ns));
    tp_json_array_end(&f->json);
}

/* Returns the innermost function of the stack in which the thread waits, ignoring functions of the kernel and of system
 * libraries. Returns "" if this function is unknown. */
static struct tp_str function_that_waits(struct firefox *f, const struct tp_thread_slice *piece)
{
    const struct tp_vec *path = &f->sampled->functions.path;
    tp_sampled_read_stack(f->sampled, piece->stack);
    for (size_t k = path->count; k-- > 0;) {
        const struct tp_program_function *function =
            tp_program_function_at(&f->sampled->functions, *TP_AT(path, uint32_t, k));
        if (function->kind != TP_FUNCTION_KERNEL && !tp_program_function_is_system(function))
            return function->name;
    }
    return TP_STR("");
}

static void write_slice_data(struct firefox *f, const struct tp_thread_slice *piece)
{
    struct tp_json *json = &f->json;
    tp_json_object(json);
    tp_json_member_text(json, "type", "state");
    if (piece->state == TP_STATE_BLOCKED) {
        struct tp_str place = function_that_waits(f, piece);
        tp_json_member_text(json, "reason", tp_wait_cause_text((enum tp_wait_cause)piece->cause));
        if (place.len)
            tp_json_member_str(json, "where", place);
    }
    tp_json_object_end(json);
}

static void write_thread_states(struct firefox *f, struct states states)
{
    struct tp_json *json = &f->json;
    begin_table(f, "markers", states.count);
    tp_json_key(json, "name");
    tp_json_array(json);
    for (uint32_t i = 0; i < states.count; i++)
        tp_json_int(json, tp_strings_add(&f->tables.texts, tp_str_of(tp_thread_state_name(states.slices[i].state))));
    tp_json_array_end(json);
    write_slice_times(f, "startTime", states, false);
    write_slice_times(f, "endTime", states, true);
    write_constant_column(json, "phase", states.count, "1"); /* phase 1 means an interval */
    write_constant_column(json, "category", states.count, "0");
    tp_json_key(json, "data");
    tp_json_array(json);
    for (uint32_t i = 0; i < states.count; i++)
        write_slice_data(f, &states.slices[i]);
    tp_json_array_end(json);
    tp_json_object_end(json);
}

/* ---- threads ---- */

static void write_texts(struct firefox *f)
{
    tp_json_key(&f->json, "stringArray");
    tp_json_array(&f->json);
    for (uint32_t i = 0; i < f->tables.texts.count; i++)
        tp_json_str(&f->json, tp_strings_get(&f->tables.texts, i));
    tp_json_array_end(&f->json);
}

static void write_thread(struct firefox *f, uint32_t number, const uint32_t *samples, uint32_t count)
{
    const struct tp_sampled_thread *thread = &f->sampled->threads[number];
    const struct tp_sampled_process *process = &f->sampled->processes[thread->process];
    const struct tp_process_tree *tree = &f->sampled->view.tree;
    struct tp_vec slices = TP_VEC(f->arena, struct tp_thread_slice);
    struct tp_json *json = &f->json;
    tp_strings_init(&f->tables.texts, f->arena, 0);
    tp_keys_init(&f->tables.functions, f->arena, 2);
    tp_keys_init(&f->tables.frames, f->arena, 2);
    tp_keys_init(&f->tables.stacks, f->arena, 2);
    for (uint32_t t = 0; f->sampled->thread_by_tree_thread && t < tree->thread_count; t++)
        for (uint32_t i = 0; f->sampled->thread_by_tree_thread[t] == number && i < tree->threads[t].count; i++)
            *(struct tp_thread_slice *)tp_vec_push(&slices) = tree->slices[tree->threads[t].first + i];
    tp_json_object(json);
    tp_json_member_str(json, "name", thread->name);
    tp_json_member_str(json, "processName", process->name);
    tp_json_member_text(json, "processType", "default");
    tp_json_member_text(json, "pid", f->pids[thread->process]);
    tp_json_member_int(json, "tid", thread->tid);
    tp_json_member_bool(json, "isMainThread", thread->tid == process->pid);
    write_time_member(f, "processStartupTime", process->begin_ns);
    write_time_member(f, "processShutdownTime", process->end_ns);
    write_time_member(f, "registerTime", thread->begin_ns);
    write_time_member(f, "unregisterTime", thread->end_ns);
    write_constant_column(json, "pausedRanges", 0, "");
    write_samples(f, samples, count);
    write_thread_states(f, (struct states){slices.data, (uint32_t)slices.count});
    write_code_tables(f);
    write_texts(f);
    tp_json_object_end(json);
}

/* Gives each process its pid as name. A second process with pid 7 is named "7.2". */
static void number_equal_pids(struct firefox *f)
{
    const struct tp_sampled *sampled = f->sampled;
    struct tp_keys seen;
    struct tp_vec counts = TP_VEC(f->arena, uint32_t);
    tp_keys_init(&seen, f->arena, 2);
    f->pids = tp_arena_array(f->arena, (size_t)sampled->process_count + 1, sizeof *f->pids);
    for (uint32_t i = 0; i < sampled->process_count; i++) {
        int64_t pid = sampled->processes[i].pid;
        uint32_t key = tp_keys_pair(&seen, (uint32_t)pid, (uint32_t)((uint64_t)pid >> 32));
        if (key == counts.count)
            *(uint32_t *)tp_vec_push(&counts) = 0;
        uint32_t count = ++*TP_AT(&counts, uint32_t, key);
        f->pids[i] = count == 1 ? tp_text_printf(f->arena, "%" PRId64, pid)
                                : tp_text_printf(f->arena, "%" PRId64 ".%u", pid, (unsigned)count);
    }
}

static void write_profile_metadata(struct firefox *f, const struct tp_export *export,
                                   const struct tp_sampled_span *span)
{
    struct tp_json *json = &f->json;
    const struct tp_sampled *sampled = f->sampled;
    tp_json_key(json, "meta");
    tp_json_object(json);
    tp_json_member_int(json, "version", 24);
    tp_json_member_int(json, "preprocessedProfileVersion", 49);
    tp_json_member_int(json, "processType", 0);
    tp_json_member_str(json, "product", sampled->process_count ? sampled->processes[0].name : export->profile->worker);
    tp_json_member_text(json, "importedFrom", "tracepress");
    tp_json_key(json, "interval");
    write_milliseconds(json, span->mean_ns ? span->mean_ns : 1000000);
    tp_json_key(json, "startTime");
    write_milliseconds(json, tp_sat_add(span->begin_ns, tp_trace_base_ns(sampled->trace, span->begin_ns)));
    tp_json_key(json, "sampleUnits");
    tp_json_raw(json, TP_STR("{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"}"));
    tp_json_member_bool(json, "symbolicated", true);
    tp_json_member_bool(json, "debug", false);
    tp_json_member_bool(json, "usesOnlyOneStackType", true);
    tp_json_member_bool(json, "doesNotUseFrameImplementation", true);
    tp_json_member_bool(json, "sourceCodeIsNotOnSearchfox", true);
    tp_json_key(json, "extensions");
    tp_json_raw(json, TP_STR("{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]}"));
    tp_json_key(json, "categories");
    tp_json_raw(json, categories);
    tp_json_key(json, "markerSchema");
    tp_json_raw(json, marker_schema);
    tp_json_object_end(json);
}

struct text_call {
    struct firefox *firefox;
    const struct tp_export *export;
};

static int write_profile(void *context, struct tp_error *err)
{
    const struct text_call *call = context;
    struct firefox *f = call->firefox;
    const struct tp_sampled_span span = tp_sampled_span(f->sampled);
    uint32_t *order, *first = tp_sampled_sort_by_thread(f->sampled, &order, f->arena);
    (void)err;
    f->begin_ns = span.begin_ns;
    number_equal_pids(f);
    tp_json_object(&f->json);
    write_profile_metadata(f, call->export, &span);
    write_constant_column(&f->json, "libs", 0, "");
    write_constant_column(&f->json, "pages", 0, "");
    tp_json_key(&f->json, "threads");
    tp_json_array(&f->json);
    for (uint32_t t = 0; t < f->sampled->thread_count; t++)
        write_thread(f, t, order + first[t], first[t + 1] - first[t]);
    tp_json_array_end(&f->json);
    tp_json_object_end(&f->json);
    return TP_OK;
}

int tp_export_firefox(const struct tp_export *export, struct tp_error *err)
{
    struct tp_arena *arena = export->arena;
    const struct tp_trace *trace = export->profile->trace;
    struct firefox firefox = {.sampled = tp_arena_alloc(arena, sizeof *firefox.sampled), .arena = arena};
    struct tp_buf text;
    if (!trace->sample_count && !trace->state_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s", tp_export_no_samples);
    tp_sampled_build(firefox.sampled, trace, arena);
    tp_buf_init(&text, 0);
    tp_json_init(&firefox.json, &text);
    int code = tp_arena_run(arena, write_profile, &(struct text_call){&firefox, export}, err);
    if (code == TP_OK)
        code = text.failed ? tp_error_set(err, text.failed, 0, "out of memory")
                           : tp_export_write_gzip_file(export, "firefox.json.gz", &text, err);
    tp_buf_release(&text);
    tp_arena_fail_with_stored_code(arena);
    return code;
}
