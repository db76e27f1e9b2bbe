/* Makes the sections of a program recorded from outside, except its first screen: processes, threads, flame,
 * functions, waits, memory, I/O, and details of the recording. */
#include "webreport/document/charts/calltree_data.h"
#include "webreport/document/charts/chart_lanes.h"
#include "webreport/document/report/program_document.h"
#include "webreport/document/report/program_span.h"
#include "webreport/document/words/program_words.h"
#include "webreport/measure/program/program_memory.h"
#include "webreport/measure/program/program_verdict.h"
#include "webreport/trace/json/value.h"
#include "writer/base/sort.h"

enum { MAX_LANES = 60, LANE_INTERVALS = 4000, ALL_INTERVALS = 40000, PROCESS_INTERVALS = 60, MOST_DEPTH = 12 };

static bool is_program_shown(const struct tp_section *section)
{
    return tp_section_is_program(section) && section->limits->operator_rows > 0;
}

static size_t smaller_of(size_t x, size_t y)
{
    return x < y ? x : y;
}

static const char *text_of_time_cell(const struct tp_section *section, const struct tp_table *table, unsigned column,
                                     size_t row)
{
    return tp_text_of_time(section->arena, tp_table_int(table, column)[row]);
}

/* Returns a sentence such as "The page shows 40 of 300 processes. The output of --json has all of them."; NULL if all
 * of them are shown. what: plural noun. */
static const char *shown_count_text(const struct tp_section *section, size_t shown, size_t all, const char *what)
{
    return shown == all
               ? NULL
               : tp_text_printf(section->arena, "The page shows %s of %s %s. The output of --json has all of them.",
                                tp_text_of_count(section->arena, (int64_t)shown),
                                tp_text_of_count(section->arena, (int64_t)all), what);
}

/* ---- processes ---- */

static void put_process_row(const struct tp_section *section, struct tp_list *rows, uint32_t row, uint32_t first_thread)
{
    const struct tp_program_view *view = tp_section_program(section);
    const struct tp_table *table = &view->processes;
    const struct tp_tree_process *process = &view->tree.processes[row];
    struct tp_object *object = tp_list_add_object(rows);
    struct tp_str exit = tp_table_text(table, TP_PROGRAM_PROCESS_EXIT)[row];
    if (process->depth)
        tp_object_add_int(object, "depth", process->depth < MOST_DEPTH ? process->depth : MOST_DEPTH);
    tp_object_add_str(object, "command", tp_program_command(section, row));
    tp_object_add_int(object, "pid", process->pid);
    tp_object_add_text(object, "wall", text_of_time_cell(section, table, TP_PROGRAM_PROCESS_WALL, row));
    tp_object_add_text(object, "cpu", text_of_time_cell(section, table, TP_PROGRAM_PROCESS_CPU, row));
    tp_object_add_text(object, "ready", text_of_time_cell(section, table, TP_PROGRAM_PROCESS_READY, row));
    tp_object_add_text(object, "blocked", text_of_time_cell(section, table, TP_PROGRAM_PROCESS_BLOCKED, row));
    tp_object_add_int(object, "threads", (int64_t)process->thread_count);
    tp_object_add_text(object, "peak", tp_text_of_bytes(section->arena, process->peak_bytes));
    tp_object_add_str(object, "exit", tp_shown_text(&section->naming, exit));
    tp_object_add_bool(object, "is_bad",
                       process->seen && process->seen->exit_code != TP_NULL_INT && process->seen->exit_code != 0);
    struct tp_list *paths = tp_object_add_list(object, "paths");
    if (first_thread < view->tree.thread_count && view->tree.threads[first_thread].process == row)
        tp_chart_put_lane(paths, section->arena, &view->tree, first_thread, PROCESS_INTERVALS);
}

struct tp_data tp_section_processes(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    if (!is_program_shown(section) || view->processes.row_count < 2)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    size_t shown = smaller_of(view->processes.row_count, section->limits->operator_rows), thread = 0;
    struct tp_list *rows = tp_object_add_list(object, "rows");
    tp_object_add_int(object, "lane_width", TP_LANE_WIDTH);
    tp_object_add_int(object, "lane_height", TP_LANE_HEIGHT);
    for (uint32_t row = 0; row < shown;
         row++) { /* threads are sorted by process, so that one pass finds the threads of all processes */
        while (thread < view->tree.thread_count && view->tree.threads[thread].process < row)
            thread++;
        put_process_row(section, rows, row, (uint32_t)thread);
    }
    tp_object_add_text(object, "cut", shown_count_text(section, shown, view->processes.row_count, "processes"));
    return tp_data_of_object(object);
}

/* ---- threads ---- */

static int compare_by_running(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_tree_thread *threads = context;
    int64_t a = threads[x].state_ns[TP_STATE_RUNNING], b = threads[y].state_ns[TP_STATE_RUNNING];
    return a != b ? (a > b ? -1 : 1) : x < y ? -1 : x > y;
}

/* Returns whether a thread gets a lane: it ran for at least 0.2 % of the processor time, or existed for at least 1 % of
 * the wall time. */
static bool is_thread_shown(const struct tp_program_view *view, const struct tp_tree_thread *thread)
{
    return tp_percent(thread->state_ns[TP_STATE_RUNNING], view->state_ns[TP_STATE_RUNNING]) >= 0.2 ||
           tp_percent(thread->end_ns - thread->begin_ns, view->parts.wall_ns) >= 1;
}

/* Selects the threads that get a lane, at most *count, those with the most running time first. Sets *count to the
 * number of selected threads. Returns an array with a flag for each thread. */
static uint8_t *choose_threads(const struct tp_section *section, size_t *count)
{
    const struct tp_process_tree *tree = &tp_section_program(section)->tree;
    size_t most = *count;
    uint8_t *is_shown = tp_arena_alloc(section->arena, tree->thread_count + 1);
    uint32_t *order = tp_arena_array(section->arena, tree->thread_count + 1, sizeof *order);
    for (uint32_t i = 0; i < tree->thread_count; i++)
        order[i] = i;
    tp_sort_rows(order, tree->thread_count, compare_by_running, tree->threads, section->arena);
    *count = 0;
    for (size_t i = 0; i < tree->thread_count && *count < most; i++)
        if (is_thread_shown(tp_section_program(section), &tree->threads[order[i]])) {
            is_shown[order[i]] = true;
            ++*count;
        }
    return is_shown;
}

static void put_thread_lane(const struct tp_section *section, struct tp_list *lanes, uint32_t row, uint32_t pieces)
{
    const struct tp_program_view *view = tp_section_program(section);
    const struct tp_table *table = &view->threads;
    struct tp_object *object = tp_list_add_object(lanes);
    tp_object_add_str(object, "name",
                      tp_shown_text(&section->naming, tp_table_text(table, TP_PROGRAM_THREAD_NAME)[row]));
    tp_object_add_int(object, "tid", tp_table_int(table, TP_PROGRAM_THREAD_TID)[row]);
    tp_object_add_text(object, "running", text_of_time_cell(section, table, TP_PROGRAM_THREAD_RUNNING, row));
    tp_object_add_text(object, "ready", text_of_time_cell(section, table, TP_PROGRAM_THREAD_READY, row));
    tp_object_add_text(object, "blocked", text_of_time_cell(section, table, TP_PROGRAM_THREAD_BLOCKED, row));
    tp_object_add_text(object, "wall", text_of_time_cell(section, table, TP_PROGRAM_THREAD_WALL, row));
    tp_chart_put_lane(tp_object_add_list(object, "paths"), section->arena, &view->tree, row, pieces);
}

/* Adds the legend for the colors that the lanes use. */
static void put_legend(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_list *legend = tp_object_add_list(object, "legend");
    bool is_there[TP_WALL_COUNT] = {false};
    for (uint32_t i = 0; i < view->tree.slice_count; i++) {
        const struct tp_thread_slice *piece = &view->tree.slices[i];
        is_there[piece->state == TP_STATE_BLOCKED ? TP_WALL_WAITS + (unsigned)piece->cause
                 : piece->state == TP_STATE_READY ? TP_WALL_READY
                                                  : TP_WALL_RUNNING] = true;
    }
    for (unsigned part = 0; part < TP_WALL_COUNT; part++) {
        if (!is_there[part])
            continue;
        struct tp_object *item = tp_list_add_object(legend);
        tp_chart_put_kind(item, tp_program_part_kind(part));
        tp_object_add_text(item, "label", tp_wall_part_words(part));
    }
}

struct tp_data tp_section_threads(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    if (!is_program_shown(section))
        return TP_NO_DATA;
    size_t shown = smaller_of(view->threads.row_count, smaller_of(section->limits->operator_rows, MAX_LANES));
    const uint8_t *is_shown = choose_threads(section, &shown);
    uint32_t pieces = (uint32_t)smaller_of(LANE_INTERVALS, ALL_INTERVALS / (shown + 1));
    struct tp_object *object = tp_object_new(section->arena);
    struct tp_list *lanes = tp_object_add_list(object, "lanes");
    if (section->limits->operator_rows < 100)
        pieces /= 8;
    tp_object_add_int(object, "lane_width", TP_LANE_WIDTH);
    tp_object_add_int(object, "lane_height", TP_LANE_HEIGHT);
    for (uint32_t row = 0; row < view->threads.row_count; row++)
        if (is_shown[row])
            put_thread_lane(section, lanes, row, pieces);
    tp_chart_put_lane_times(tp_object_add_list(object, "times"), section->arena, &view->tree);
    put_legend(section, object);
    tp_object_add_text(
        object, "cut",
        shown_count_text(section, shown, view->threads.row_count, "threads (those that ran or lived longest)"));
    tp_program_span_add_data(section, object);
    return tp_data_of_object(object);
}

/* ---- flame, functions, waits ---- */

struct tp_data tp_section_flame(const struct tp_section *section)
{
    struct tp_calltree_options options = {.max_nodes = (uint32_t)section->limits->tree_nodes,
                                          .show = tp_shown_text_for_viewer,
                                          .context = &section->naming};
    if (!is_program_shown(section) || !options.max_nodes || !section->profile->trace->sample_count)
        return TP_NO_DATA;
    struct tp_calltree *tree = tp_arena_alloc(section->arena, sizeof *tree);
    tp_calltree_build_from_program(tree, section->profile->model, tp_section_program(section), &options,
                                   section->arena);
    return tp_calltree_data(section->arena, tree);
}

static struct tp_data make_table_section(const struct tp_section *section, struct tp_shown_table *shown,
                                         const char *lead)
{
    struct tp_object *object = tp_object_new(section->arena);
    tp_object_add_sentence(object, "lead", tp_str_of(lead));
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    return tp_data_of_object(object);
}

struct tp_data tp_section_functions(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_shown_table *shown =
        is_program_shown(section) ? tp_program_functions_table(section, section->limits->operator_rows) : NULL;
    if (!shown)
        return TP_NO_DATA;
    return make_table_section(
        section, shown,
        tp_text_printf(
            section->arena,
            "The times are estimated from %s. The weights of the samples of a process add up to its running time. "
            "Processes without a sample ran for %s. Grey rows are uncertain, because the share is less than twice the "
            "sampling error (±).",
            tp_text_of_counted_noun(section->arena, view->tree.trace->sample_count, "sample", "samples"),
            tp_text_of_time(section->arena, view->unsampled_ns)));
}

struct tp_data tp_section_waits(const struct tp_section *section)
{
    struct tp_shown_table *shown =
        is_program_shown(section) ? tp_program_waits_table(section, section->limits->operator_rows) : NULL;
    if (!shown)
        return TP_NO_DATA;
    return make_table_section(
        section, shown,
        "Blocked time of all threads by cause and call stack, without waits for child processes. The "
        "cause \"?\" means unknown.");
}

/* ---- memory, input and output ---- */

/* Returns the SVG path of the total resident memory of all processes. Each process counts with its latest reading until
 * it exits. */
static const char *memory_path(const struct tp_section *section, int64_t *peak_bytes)
{
    enum { WIDTH = 640, HEIGHT = 110, POINTS = 800 };
    const struct tp_process_tree *tree = &tp_section_program(section)->tree;
    struct tp_memory_sums sums;
    struct tp_vec text = TP_VEC(section->arena, char);
    double length = (double)(tree->end_ns - tree->begin_ns);
    tp_program_memory_sums(&sums, tree, POINTS, section->arena);
    *peak_bytes = sums.peak_bytes;
    if (!sums.count || sums.peak_bytes <= 0 || !(length > 0))
        return NULL;
    for (size_t i = 0; i < sums.count; i++) {
        const char *point = tp_text_printf(section->arena, "%s%.1f %.1f", i ? "L" : "M",
                                           (double)(sums.times[i] - tree->begin_ns) / length * WIDTH,
                                           HEIGHT + 8 - (double)sums.bytes[i] / (double)sums.peak_bytes * HEIGHT);
        for (const char *at = point; *at; at++)
            *(char *)tp_vec_push(&text) = *at;
    }
    *(char *)tp_vec_push(&text) = '\0';
    return text.data;
}

static struct tp_shown_table *make_usage_table(const struct tp_section *section)
{
    static const struct tp_shown_column columns[] = {
        {TP_SHOW_BYTES, TP_PROGRAM_PROCESS_PEAK, NULL, 1, 0, false, 0},
        {TP_SHOW_BYTES, TP_PROGRAM_PROCESS_READ, NULL, 2, 0, false, 0},
        {TP_SHOW_BYTES, TP_PROGRAM_PROCESS_WRITTEN, NULL, 2, 0, false, 0},
        {TP_SHOW_BYTES, TP_PROGRAM_PROCESS_DISK_READ, NULL, 3, 0, false, 0},
        {TP_SHOW_BYTES, TP_PROGRAM_PROCESS_DISK_WRITTEN, NULL, 3, 0, false, 0}};
    enum { ROWS = 40 };
    struct tp_table *sorted =
        tp_table_copy_sorted(section->arena, &tp_section_program(section)->processes, TP_PROGRAM_PROCESS_WRITTEN);
    struct tp_shown_table *shown = tp_section_table_new(section, sorted, columns, sizeof columns / sizeof *columns,
                                                        smaller_of(ROWS, section->limits->operator_rows));
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str command = tp_table_text(sorted, TP_PROGRAM_PROCESS_COMMAND)[i];
        command = tp_text_shorten(section->arena, tp_shown_text(&section->naming, command), 60);
        shown->rows[i].name = tp_str_of(tp_text_printf(section->arena, "%.*s %lld", (int)command.len, command.ptr,
                                                       (long long)tp_table_int(sorted, TP_PROGRAM_PROCESS_PID)[i]));
    }
    shown->name = "memory and I/O";
    shown->name_title = "Process";
    shown->caption = "Memory, input and output of processes";
    shown->note = "The kernel adds the reads and writes of a child process to the process that waits for its exit.";
    return shown;
}

struct tp_data tp_section_usage(const struct tp_section *section)
{
    int64_t peak = TP_NULL_INT;
    if (!is_program_shown(section))
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    const char *path = memory_path(section, &peak);
    tp_object_add_text(object, "path", path);
    tp_object_add_text(object, "peak", tp_text_of_bytes(section->arena, peak));
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), make_usage_table(section));
    return tp_data_of_object(object);
}

/* ---- details of the recording ---- */

static int64_t number_in_trace_header(const struct tp_section *section, const char *key)
{
    struct tp_str seen = tp_trace_header(section->profile->trace, "tracepress_seen");
    struct tp_str value = seen.ptr ? tp_value_member(seen, key) : (struct tp_str){NULL, 0};
    return value.ptr ? tp_value_int(value) : TP_NULL_INT;
}

static void append_count_of_missed_data(const struct tp_section *section, const char **text, const char *key,
                                        const char *one, const char *many)
{
    int64_t count = number_in_trace_header(section, key);
    if (count > 0)
        *text = tp_text_printf(section->arena, "%s%s%s", *text, **text ? ", " : "",
                               tp_text_of_counted_noun(section->arena, count, one, many));
}

/* Adds facts about the recording method and the precision of its numbers. */
static void put_mode_of_recording(const struct tp_section *section, struct tp_list *facts)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    struct tp_str seen = tp_trace_header(section->profile->trace, "tracepress_seen"), mode = {NULL, 0}, refusal = mode;
    if (seen.ptr) {
        mode = tp_value_text(arena, tp_value_member(seen, "mode"));
        refusal = tp_value_text(arena, tp_value_member(seen, "refusal"));
    }
    bool is_looks = mode.ptr && tp_str_equal(mode, TP_STR("looks"));
    tp_list_add_fact(
        facts, "Recorded by",
        is_looks   ? tp_text_printf(arena, "polling /proc every 10 ms, because %.*s", (int)refusal.len, refusal.ptr)
        : mode.ptr ? tp_text_printf(arena, "events of the Linux kernel for all processes of the program (%.*s)",
                                    (int)mode.len, mode.ptr)
                   : "an unknown recorder");
    int64_t sample_count = (int64_t)view->tree.trace->sample_count;
    const char *functions =
        !sample_count
            ? "No function was sampled"
            : tp_text_printf(
                  arena, "The times of functions are estimated from %s%s. The column ± shows the sampling error",
                  tp_text_of_counted_noun(arena, sample_count, "sample", "samples"),
                  is_looks ? " (taken by timers inside the processes, or Python frames read while polling)" : "");
    const char *precision =
        is_looks ? tp_text_printf(
                       arena,
                       "The states of threads come from the kernel's totals of running and ready time, read every "
                       "10 ms. The sums are exact, but the order of states within 10 ms is unknown. %s. Events "
                       "shorter than 10 ms are not recorded.",
                       functions)
                 : tp_text_printf(arena,
                                  "The states of threads come from every context switch, so their sums are exact. %s. "
                                  "Processes without a sample ran for %s.",
                                  functions, tp_text_of_time(arena, view->unsampled_ns));
    tp_list_add_fact(facts, "Precision", precision);
}

/* Adds a fact about the time that the recording cost the program. Findings exclude this time. */
static void put_recording(const struct tp_section *section, struct tp_list *facts)
{
    const struct tp_program_view *view = tp_section_program(section);
    const struct tp_program_recording *own = &view->recording;
    struct tp_arena *arena = section->arena;
    const char *text = "";
    if (own->sample_count)
        text = tp_text_printf(arena, "The program's threads spent %s of CPU time on events of the recorder (%s).",
                              tp_text_of_time(arena, own->sample_ns),
                              tp_text_of_counted_noun(arena, (int64_t)own->sample_count, "sample", "samples"));
    if (own->wait_count)
        text = tp_text_printf(arena, "%s%s%s for locks of the recorder took %s.", text, *text ? " " : "",
                              tp_text_of_counted_noun(arena, (int64_t)own->wait_count, "wait", "waits"),
                              tp_text_of_time(arena, own->wait_ns));
    if (view->tree.trace->recorder.thread_count)
        text =
            tp_text_printf(arena, "%s%s%s of the recorder used %s of CPU time, which no other number includes.", text,
                           *text ? " " : "",
                           tp_text_of_counted_noun(arena, view->tree.trace->recorder.thread_count, "thread", "threads"),
                           tp_text_of_time(arena, view->tree.trace->recorder.running_ns));
    if (*text)
        tp_list_add_fact(facts, "Cost of the recording", text);
}

struct tp_data tp_section_recording(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    const char *missed = "";
    if (!tp_section_is_program(section))
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(arena);
    struct tp_list *facts = tp_object_add_list(object, "facts");
    put_mode_of_recording(section, facts);
    append_count_of_missed_data(section, &missed, "lost_records", "lost record", "lost records");
    append_count_of_missed_data(section, &missed, "missed_argv", "program's arguments", "programs' arguments");
    append_count_of_missed_data(section, &missed, "missed_exit_codes", "exit code", "exit codes");
    append_count_of_missed_data(section, &missed, "looks_left_out", "poll skipped to limit the overhead",
                                "polls skipped to limit the overhead");
    append_count_of_missed_data(section, &missed, "out_of_sight", "process after it changed its rights",
                                "processes after they changed their rights");
    append_count_of_missed_data(section, &missed, "windows_without_switch_stacks",
                                "period with more waits than recorded stacks",
                                "periods with more waits than recorded stacks");
    if (view->tree.overlapping_state_count)
        missed = tp_text_printf(arena, "%s%s%s", missed, *missed ? ", " : "",
                                tp_text_of_counted_noun(arena, (int64_t)view->tree.overlapping_state_count,
                                                        "thread state that overlaps an earlier state",
                                                        "thread states that overlap an earlier state"));
    put_recording(section, facts);
    tp_list_add_fact(facts, "Missed", *missed ? missed : "nothing");
    tp_list_add_fact(
        facts, "Not recorded",
        "changes of memory between two polls (every 20 ms), and the delay of wake-ups, which counts as blocked time");
    return tp_data_of_object(object);
}
