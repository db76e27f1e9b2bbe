/* Writes WORKER.firefox.json.gz for the Firefox Profiler (profiler.firefox.com): samples and states of each thread, and
 * the values of a device trace (firefox_values.c).
 *
 * The file has version 49 of the processed format (docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler),
 * which all later versions can read. Each thread has its own tables of texts, functions, frames and stacks. Times are
 * milliseconds since the first process began. The weight of a sample is the processor time that it represents. States
 * are written as markers. */
#include <inttypes.h>

#include "webreport/export/stacks/firefox_parts.h"
#include "webreport/export/stacks/stack_profile.h"
#include "webreport/export/whole_file.h"
#include "webreport/model/tree_threads.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

/* Categories that the profiler shows, in the order of enum tp_firefox_category. */
static const struct tp_str categories =
    TP_STR("[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Native\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Python\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Python function\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Module\",\"color\":\"lightblue\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Range\",\"color\":\"purple\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Operator\",\"color\":\"blue\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Runtime call\",\"color\":\"orange\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Device operation\",\"color\":\"green\",\"subcategories\":[\"Other\"]},"
           "{\"name\":\"Device idle\",\"color\":\"red\",\"subcategories\":[\"Other\"]}]");
static const struct tp_str marker_schema = TP_STR(
    "[{\"name\":\"state\",\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.data.reason}\","
    "\"chartLabel\":\"{marker.data.reason}\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
    "\"data\":[{\"key\":\"reason\",\"label\":\"Waits for\",\"format\":\"string\"},"
    "{\"key\":\"where\",\"label\":\"In\",\"format\":\"string\"}]},"
    "{\"name\":\"operation\",\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.name}\","
    "\"chartLabel\":\"{marker.name}\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
    "\"data\":[]}]");

struct firefox {
    struct tp_firefox file;
    struct tp_stack_profile of;
    const char **pids; /* for each process: its pid as text, different for each process */
};

static void write_time_member(struct firefox *f, const char *key, int64_t at_ns)
{
    tp_json_key(&f->file.json, key);
    tp_firefox_write_time(&f->file, at_ns);
}

/* Returns the row of a stack in the file, or TP_NO_ID if no frame of the stack is known. stack: id in the trace. */
static uint32_t stack_row(struct firefox *f, uint32_t stack)
{
    struct tp_sampled *sampled = f->of.sampled;
    const struct tp_vec *path = &sampled->functions.path;
    uint32_t row = TP_NO_ID;
    tp_sampled_read_stack(sampled, stack);
    for (size_t k = 0; k < path->count; k++) {
        const struct tp_program_function *function =
            tp_program_function_at(&sampled->functions, *TP_AT(path, uint32_t, k));
        row = tp_firefox_add_frame(&f->file, row,
                                   &(struct tp_firefox_frame){function->name, function->file,
                                                              (uint32_t)tp_sampled_line_of_frame(sampled, k),
                                                              TP_FIREFOX_FUNCTION + (unsigned)function->kind});
    }
    return row;
}

/* ---- samples and states ---- */

static void write_samples(struct firefox *f, const uint32_t *items, uint32_t count)
{
    struct tp_json *json = &f->file.json;
    bool is_untimed = f->of.sampled->trace->input.has_untimed_samples;
    tp_firefox_begin_table(&f->file, "samples", count);
    tp_json_key(json, "stack");
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_firefox_write_stack_row(&f->file, stack_row(f, f->of.sampled->trace->samples[items[i]].stack));
    tp_json_array_end(json);
    tp_json_key(json, "time");
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_firefox_write_time(&f->file, f->of.sampled->trace->samples[items[i]].ts_ns);
    tp_json_array_end(json);
    tp_json_key(json, "weight");
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        if (is_untimed)
            tp_json_int(json, 1);
        else
            tp_firefox_write_milliseconds(&f->file, tp_sampled_time_of_sample(f->of.sampled, items[i]));
    tp_json_array_end(json);
    tp_json_member_text(json, "weightType", is_untimed ? "samples" : "tracing-ms");
    if (is_untimed) {
        tp_json_object_end(json);
        return;
    }
    tp_json_key(json, "threadCPUDelta"); /* the Firefox Profiler draws the activity graph from this column */
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_json_int(json, tp_sampled_time_of_sample(f->of.sampled, items[i]));
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
    tp_json_key(&f->file.json, key);
    tp_json_array(&f->file.json);
    for (uint32_t i = 0; i < states.count; i++)
        tp_firefox_write_time(&f->file, is_end ? states.slices[i].end_ns : states.slices[i].begin_ns);
    tp_json_array_end(&f->file.json);
}

/* Returns the innermost function of the stack in which the thread waits, ignoring functions of the kernel and of system
 * libraries. Returns "" if this function is unknown. */
static struct tp_str function_that_waits(struct firefox *f, const struct tp_thread_slice *piece)
{
    const struct tp_vec *path = &f->of.sampled->functions.path;
    tp_sampled_read_stack(f->of.sampled, piece->stack);
    for (size_t k = path->count; k-- > 0;) {
        const struct tp_program_function *function =
            tp_program_function_at(&f->of.sampled->functions, *TP_AT(path, uint32_t, k));
        if (function->kind != TP_FUNCTION_KERNEL && !tp_program_function_is_system(function))
            return function->name;
    }
    return TP_STR("");
}

static void write_slice_data(struct firefox *f, const struct tp_thread_slice *piece)
{
    struct tp_json *json = &f->file.json;
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
    struct tp_json *json = &f->file.json;
    tp_firefox_begin_table(&f->file, "markers", states.count);
    tp_json_key(json, "name");
    tp_json_array(json);
    for (uint32_t i = 0; i < states.count; i++)
        tp_json_int(json,
                    tp_strings_add(&f->file.tables.texts, tp_str_of(tp_thread_state_name(states.slices[i].state))));
    tp_json_array_end(json);
    write_slice_times(f, "startTime", states, false);
    write_slice_times(f, "endTime", states, true);
    tp_firefox_write_constant(&f->file, "phase", states.count, "1"); /* phase 1 means an interval */
    tp_firefox_write_constant(&f->file, "category", states.count, "0");
    tp_json_key(json, "data");
    tp_json_array(json);
    for (uint32_t i = 0; i < states.count; i++)
        write_slice_data(f, &states.slices[i]);
    tp_json_array_end(json);
    tp_json_object_end(json);
}

/* ---- threads ---- */

static void write_thread(struct firefox *f, uint32_t number, const uint32_t *samples, uint32_t count)
{
    const struct tp_sampled_thread *thread = &f->of.sampled->threads[number];
    const struct tp_sampled_process *process = &f->of.sampled->processes[thread->process];
    const struct tp_process_tree *tree = &f->of.sampled->view.tree;
    struct tp_vec slices = TP_VEC(f->file.arena, struct tp_thread_slice);
    struct tp_json *json = &f->file.json;
    tp_firefox_tables_init(&f->file);
    for (uint32_t t = 0; f->of.sampled->thread_by_tree_thread && t < tree->thread_count; t++)
        for (uint32_t i = 0; f->of.sampled->thread_by_tree_thread[t] == number && i < tree->threads[t].count; i++)
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
    tp_firefox_write_constant(&f->file, "pausedRanges", 0, "");
    write_samples(f, samples, count);
    write_thread_states(f, (struct states){slices.data, (uint32_t)slices.count});
    tp_firefox_write_tables(&f->file);
    tp_json_object_end(json);
}

/* Gives each process its pid as name. A second process with pid 7 is named "7.2". */
static void number_equal_pids(struct firefox *f)
{
    const struct tp_sampled *sampled = f->of.sampled;
    struct tp_keys seen;
    struct tp_vec counts = TP_VEC(f->file.arena, uint32_t);
    tp_keys_init(&seen, f->file.arena, 2);
    f->pids = tp_arena_array(f->file.arena, (size_t)sampled->process_count + 1, sizeof *f->pids);
    for (uint32_t i = 0; i < sampled->process_count; i++) {
        int64_t pid = sampled->processes[i].pid;
        uint32_t key = tp_keys_pair(&seen, (uint32_t)pid, (uint32_t)((uint64_t)pid >> 32));
        if (key == counts.count)
            *(uint32_t *)tp_vec_push(&counts) = 0;
        uint32_t count = ++*TP_AT(&counts, uint32_t, key);
        f->pids[i] = count == 1 ? tp_text_printf(f->file.arena, "%" PRId64, pid)
                                : tp_text_printf(f->file.arena, "%" PRId64 ".%u", pid, (unsigned)count);
    }
}

static void write_profile_metadata(struct firefox *f, const struct tp_export *export,
                                   const struct tp_sampled_span *span)
{
    struct tp_json *json = &f->file.json;
    const struct tp_sampled *sampled = f->of.sampled;
    tp_json_key(json, "meta");
    tp_json_object(json);
    tp_json_member_int(json, "version", 24);
    tp_json_member_int(json, "preprocessedProfileVersion", 49);
    tp_json_member_int(json, "processType", 0);
    tp_json_member_str(json, "product", sampled->process_count ? sampled->processes[0].name : export->profile->worker);
    tp_json_member_text(json, "importedFrom", "tracepress");
    tp_json_key(json, "interval");
    tp_firefox_write_milliseconds(&f->file, span->mean_ns ? span->mean_ns : 1000000);
    tp_json_key(json, "startTime");
    tp_firefox_write_milliseconds(&f->file,
                                  tp_sat_add(span->begin_ns, tp_trace_base_ns(sampled->trace, span->begin_ns)));
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
    const struct tp_sampled_span span = tp_stack_profile_span(&f->of);
    uint32_t *order, *first = tp_sampled_sort_by_thread(f->of.sampled, &order, f->file.arena);
    (void)err;
    f->file.begin_ns = span.begin_ns;
    number_equal_pids(f);
    tp_json_object(&f->file.json);
    write_profile_metadata(f, call->export, &span);
    tp_firefox_write_constant(&f->file, "libs", 0, "");
    tp_firefox_write_constant(&f->file, "pages", 0, "");
    tp_json_key(&f->file.json, "threads");
    tp_json_array(&f->file.json);
    for (uint32_t t = 0; t < f->of.sampled->thread_count; t++)
        write_thread(f, t, order + first[t], first[t + 1] - first[t]);
    tp_firefox_write_values(&f->file, f->of.stacks);
    tp_json_array_end(&f->file.json);
    tp_json_object_end(&f->file.json);
    return TP_OK;
}

int tp_export_firefox(const struct tp_export *export, struct tp_error *err)
{
    struct tp_arena *arena = export->arena;
    struct firefox firefox = {.file = {.arena = arena}};
    struct tp_buf text;
    int code = tp_stack_profile_build(&firefox.of, export, err);
    if (code)
        return code;
    tp_buf_init(&text, 0);
    tp_json_init(&firefox.file.json, &text);
    code = tp_arena_run(arena, write_profile, &(struct text_call){&firefox, export}, err);
    if (code == TP_OK)
        code = text.failed ? tp_error_set(err, text.failed, 0, "out of memory")
                           : tp_export_write_gzip_file(export, "firefox.json.gz", &text, err);
    tp_buf_release(&text);
    tp_arena_fail_with_stored_code(arena);
    return code;
}
