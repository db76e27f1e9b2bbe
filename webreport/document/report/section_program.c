/* Makes the sections of a program recorded from outside, except its first screen: processes, threads, flame,
 * functions, waits, memory, I/O, and details of the recording. */
#include <stdlib.h>

#include "webreport/document/charts/calltree_data.h"
#include "webreport/document/charts/chart_lanes.h"
#include "webreport/document/report/program_document.h"
#include "webreport/document/report/program_span.h"
#include "webreport/document/words/program_words.h"
#include "webreport/measure/program/program_memory.h"
#include "webreport/measure/program/program_verdict.h"
#include "webreport/trace/json/value.h"
#include "writer/base/sort.h"

enum { PROCESS_COLUMNS = 60, MOST_DEPTH = 12 };

static bool is_program_shown(const struct tp_section *section)
{
    return tp_section_is_program(section) && section->limits->operator_rows > 0;
}

static size_t smaller_of(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Returns a time cell in a unit that the head of the table names; "" for no time. */
static const char *time_cell(const struct tp_section *section, const struct tp_unit *unit, unsigned column, size_t row)
{
    int64_t ns = tp_table_int(&tp_section_program(section)->processes, column)[row];
    return ns > 0 ? tp_text_of_fixed(section->arena, (double)ns / unit->divisor, unit->decimals) : "";
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

/* The table of processes, and its units. */
struct process_rows {
    const struct tp_section *section;
    struct tp_unit time, size;
    bool has_threads, has_exits; /* false: the column has the same value in all rows */
    uint32_t thread;             /* the first thread that no row has passed; threads are sorted by process */
};

static bool has_failed(const struct tp_tree_process *process)
{
    return process->seen && process->seen->exit_code != TP_NULL_INT && process->seen->exit_code != 0;
}

static struct process_rows process_rows(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct process_rows rows = {.section = section};
    int64_t longest_ns = 0, largest = 0;
    for (uint32_t i = 0; i < view->tree.process_count; i++) {
        const struct tp_tree_process *process = &view->tree.processes[i];
        int64_t wall_ns = tp_table_int(&view->processes, TP_PROGRAM_PROCESS_WALL)[i];
        longest_ns = wall_ns > longest_ns ? wall_ns : longest_ns;
        largest = process->peak_bytes > largest ? process->peak_bytes : largest;
        rows.has_threads |= process->thread_count != 1;
        rows.has_exits |= has_failed(process);
    }
    rows.time = tp_unit_for_time(longest_ns);
    rows.size = tp_unit_for_bytes(largest);
    return rows;
}

static void put_areas_of_process(struct process_rows *rows, struct tp_object *object, uint32_t row)
{
    const struct tp_process_tree *tree = &tp_section_program(rows->section)->tree;
    struct tp_list *areas = tp_object_add_list(object, "areas");
    struct tp_lane_areas lane = {.count = 0};
    while (rows->thread < tree->thread_count && tree->threads[rows->thread].process < row)
        rows->thread++;
    if (rows->thread < tree->thread_count && tree->threads[rows->thread].process == row)
        tp_lane_areas_fill(&lane, rows->section->arena, tree, rows->thread, PROCESS_COLUMNS);
    for (size_t i = 0; i < lane.count; i++) {
        struct tp_object *area = tp_list_add_object(areas);
        tp_object_add_text(area, "look", tp_look_name(lane.areas[i].look));
        tp_object_add_str(area, "path", lane.areas[i].path);
    }
}

static void put_process_row(struct process_rows *rows, struct tp_list *list, uint32_t row)
{
    const struct tp_section *section = rows->section;
    const struct tp_program_view *view = tp_section_program(section);
    const struct tp_tree_process *process = &view->tree.processes[row];
    struct tp_object *object = tp_list_add_object(list);
    struct tp_str exit = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_EXIT)[row];
    struct tp_str command = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_COMMAND)[row];
    if (process->depth)
        tp_object_add_int(object, "depth", process->depth < MOST_DEPTH ? process->depth : MOST_DEPTH);
    tp_object_add_str(object, "command", tp_program_short_command(section, command));
    tp_object_add_str(object, "full_command", tp_program_full_command(section, command));
    tp_object_add_int(object, "pid", process->pid);
    tp_object_add_text(object, "wall", time_cell(section, &rows->time, TP_PROGRAM_PROCESS_WALL, row));
    tp_object_add_text(object, "cpu", time_cell(section, &rows->time, TP_PROGRAM_PROCESS_CPU, row));
    tp_object_add_text(object, "ready", time_cell(section, &rows->time, TP_PROGRAM_PROCESS_READY, row));
    tp_object_add_text(object, "blocked", time_cell(section, &rows->time, TP_PROGRAM_PROCESS_BLOCKED, row));
    tp_object_add_int(object, "threads", (int64_t)process->thread_count);
    tp_object_add_text(
        object, "peak",
        process->peak_bytes > 0
            ? tp_text_of_fixed(section->arena, (double)process->peak_bytes / rows->size.divisor, rows->size.decimals)
            : "");
    tp_object_add_str(object, "exit", has_failed(process) ? tp_shown_text(&section->naming, exit) : TP_STR(""));
    tp_object_add_bool(object, "is_bad", has_failed(process));
    put_areas_of_process(rows, object, row);
}

/* Returns a sentence about the processes that failed; "" without failed processes. */
static const char *lead_of_processes(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    return view->failed_count ? tp_text_printf(section->arena, "%s ended with an error or by a signal.",
                                               tp_text_of_counted_noun(section->arena, (int64_t)view->failed_count,
                                                                       "process", "processes"))
                              : "";
}

struct tp_data tp_section_processes(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    if (!is_program_shown(section) || view->processes.row_count < 2)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena), *open = tp_object_new(section->arena);
    struct process_rows rows = process_rows(section);
    size_t shown = smaller_of(view->processes.row_count, section->limits->operator_rows);
    size_t open_count = shown > TP_OPEN_ROWS + 1 ? TP_OPEN_ROWS : shown;
    tp_object_add_text(object, "lead", lead_of_processes(section));
    tp_object_add_text(object, "unit", rows.time.text);
    tp_object_add_text(object, "size_unit", rows.size.text);
    tp_object_add_bool(object, "has_threads", rows.has_threads);
    tp_object_add_bool(object, "has_exits", rows.has_exits);
    tp_object_add_int(object, "columns", PROCESS_COLUMNS);
    struct tp_list *list = tp_object_add_list(open, "rows");
    for (uint32_t row = 0; row < open_count; row++)
        put_process_row(&rows, list, row);
    tp_object_add_value(object, "open", tp_data_of_object(open));
    if (open_count < shown) {
        struct tp_object *rest = tp_object_new(section->arena);
        list = tp_object_add_list(rest, "rows");
        for (uint32_t row = (uint32_t)open_count; row < shown; row++)
            put_process_row(&rows, list, row);
        tp_object_add_value(object, "rest", tp_data_of_object(rest));
        tp_object_add_text(
            object, "rest_title",
            tp_text_printf(section->arena, "All %s processes", tp_text_of_count(section->arena, (int64_t)shown)));
    }
    tp_object_add_text(object, "cut", shown_count_text(section, shown, view->processes.row_count, "processes"));
    return tp_data_of_object(object);
}

/* ---- threads ---- */

/* Makes the table of threads, those that run longest first. */
static struct tp_shown_table *make_threads_table(const struct tp_section *section)
{
    static const struct tp_shown_column columns[] = {
        {TP_SHOW_COUNT, TP_PROGRAM_THREAD_WAKE_UPS, NULL, 0, 0, false, TP_SHOWN_LESS},
        {TP_SHOW_TIME, TP_PROGRAM_THREAD_RUNNING, NULL, 1, 0, true, TP_SHOWN_SUM},
        {TP_SHOW_TIME, TP_PROGRAM_THREAD_READY, NULL, 1, 0, false, TP_SHOWN_SUM},
        {TP_SHOW_TIME, TP_PROGRAM_THREAD_BLOCKED, NULL, 1, 0, false, TP_SHOWN_SUM},
        {TP_SHOW_TIME, TP_PROGRAM_THREAD_WALL, NULL, 1, 0, false, 0}};
    struct tp_table *sorted =
        tp_table_copy_sorted(section->arena, &tp_section_program(section)->threads, TP_PROGRAM_THREAD_RUNNING);
    struct tp_shown_table *shown = tp_section_table_new(section, sorted, columns, sizeof columns / sizeof *columns,
                                                        section->limits->operator_rows);
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_shown_row *row = &shown->rows[i];
        row->page_name = tp_shown_text(&section->naming, tp_table_text(sorted, TP_PROGRAM_THREAD_NAME)[i]);
        row->page_place = tp_str_of(
            tp_text_printf(section->arena, "%lld", (long long)tp_table_int(sorted, TP_PROGRAM_THREAD_TID)[i]));
        row->name = row->full =
            tp_str_of(tp_text_printf(section->arena, "%.*s %.*s", (int)row->page_name.len, row->page_name.ptr,
                                     (int)row->page_place.len, row->page_place.ptr));
    }
    shown->name = shown->noun = "threads";
    shown->name_title = "Thread";
    shown->caption = "Threads, sorted by running time";
    shown->foot = "All";
    return shown;
}

/* ---- flame, functions, waits ---- */

/* Callback of the call tree. Returns the name of a function without private parts. context: struct tp_naming. */
static struct tp_str shown_function(const void *context, struct tp_str name)
{
    return tp_shown_text(context, tp_program_short_function_name(name));
}

struct tp_data tp_section_flame(const struct tp_section *section)
{
    struct tp_calltree_options options = {
        .max_nodes = (uint32_t)section->limits->tree_nodes, .show = shown_function, .context = &section->naming};
    if (!is_program_shown(section) || !options.max_nodes || !section->profile->trace->sample_count)
        return TP_NO_DATA;
    struct tp_calltree *tree = tp_arena_alloc(section->arena, sizeof *tree);
    tp_calltree_build_from_program(tree, section->profile->model, tp_section_program(section), &options,
                                   section->arena);
    return tp_calltree_data(section->arena, tree);
}

/* Returns the data of a section with a table. */
static struct tp_data make_table_section(const struct tp_section *section, struct tp_shown_table *shown,
                                         const char *lead)
{
    struct tp_object *object = tp_object_new(section->arena);
    tp_object_add_sentence(object, "lead", tp_str_of(lead));
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    return tp_data_of_object(object);
}

/* Returns a sentence about the functions with the most self time, such as "The first 3 functions take 61 % of the CPU
 * time." */
static const char *lead_of_functions(const struct tp_section *section)
{
    enum { NAMED_ROWS = 3, HOT_PERCENT = 10 };
    const struct tp_table *rows = &tp_section_program(section)->function_rows;
    const double *percents = tp_table_real(rows, TP_PROGRAM_FUNCTION_SELF_PERCENT);
    double percent = 0;
    size_t count = smaller_of(NAMED_ROWS, rows->row_count);
    for (size_t i = 0; i < count; i++)
        percent += percents[i];
    if (count && percents[0] < HOT_PERCENT)
        return "No function takes 10 % of the CPU time.";
    return count < rows->row_count
               ? tp_text_printf(section->arena, "%zu of %zu functions take %s %% of the CPU time.", count,
                                rows->row_count, tp_text_of_fixed(section->arena, percent, 0))
               : "";
}

/* Returns a sentence about the cause for which the threads wait longest. */
static const char *lead_of_waits(const struct tp_section *section)
{
    const struct tp_program_waits *waits = &tp_section_program(section)->waits;
    int64_t cause_ns[TP_WAIT_COUNT] = {0}, all_ns = 0;
    unsigned most = 0;
    for (uint32_t i = 0; i < waits->count; i++) {
        if (!tp_wait_group_is_listed(&waits->groups[i]))
            continue;
        cause_ns[waits->groups[i].cause] += waits->groups[i].total_ns;
        all_ns += waits->groups[i].total_ns;
    }
    for (unsigned cause = 1; cause < TP_WAIT_COUNT; cause++)
        most = cause_ns[cause] > cause_ns[most] ? cause : most;
    return tp_text_printf(section->arena, "For %s %% of their waiting time, the threads are %s.",
                          tp_text_of_fixed(section->arena, tp_percent(cause_ns[most], all_ns), 0),
                          tp_wall_part_words(TP_WALL_WAITS + most));
}

static bool has_functions(const struct tp_section *section)
{
    return is_program_shown(section) && tp_section_program(section)->function_rows.row_count > 0;
}

static bool has_waits(const struct tp_section *section)
{
    return is_program_shown(section) && tp_section_program(section)->wait_rows.row_count > 0;
}

struct tp_data tp_section_functions(const struct tp_section *section)
{
    if (!has_functions(section))
        return TP_NO_DATA;
    return make_table_section(section, tp_program_functions_table(section, section->limits->operator_rows),
                              lead_of_functions(section));
}

struct tp_data tp_section_waits(const struct tp_section *section)
{
    if (!has_waits(section))
        return TP_NO_DATA;
    struct tp_shown_table *shown = tp_program_waits_table(section, section->limits->operator_rows);
    shown->name_title = "Waits for";
    return make_table_section(section, shown, lead_of_waits(section));
}

static bool has_thread_table(const struct tp_section *section)
{
    enum { FEW_THREADS = 2 };
    return is_program_shown(section) && tp_section_program(section)->threads.row_count > FEW_THREADS;
}

struct tp_data tp_section_threads(const struct tp_section *section)
{
    return has_thread_table(section) ? make_table_section(section, make_threads_table(section), "") : TP_NO_DATA;
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
        const char *pid =
            tp_text_printf(section->arena, "%lld", (long long)tp_table_int(sorted, TP_PROGRAM_PROCESS_PID)[i]);
        shown->rows[i].name = shown->rows[i].full = tp_program_full_command(section, command);
        shown->rows[i].page_name = tp_program_short_command(section, command);
        shown->rows[i].page_place = tp_str_of(pid);
    }
    shown->name = "memory and I/O";
    shown->noun = "processes";
    shown->name_title = "Process";
    shown->caption = "Memory, input and output of processes";
    shown->note = "The kernel adds the reads and writes of a child process to the process that waits for its exit.";
    return shown;
}

/* Returns the first x coordinate of a path that starts with "M". */
static double first_x_of_path(const char *path)
{
    return strtod(path + 1, NULL);
}

/* Returns the bytes that the program moved, as a sentence; "" if none are known. */
static const char *lead_of_usage(const struct tp_section *section)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    if (view->disk_read_bytes == TP_NULL_INT || view->disk_written_bytes == TP_NULL_INT)
        return "";
    if (!view->disk_read_bytes && !view->disk_written_bytes)
        return "The program used no disk.";
    return tp_text_printf(arena, "%s came from disks, %s went to disks.",
                          tp_text_of_bytes(arena, view->disk_read_bytes),
                          tp_text_of_bytes(arena, view->disk_written_bytes));
}

struct tp_data tp_section_usage(const struct tp_section *section)
{
    int64_t peak = TP_NULL_INT;
    if (!is_program_shown(section))
        return TP_NO_DATA;
    bool has_processes = tp_section_program(section)->processes.row_count > 1;
    struct tp_object *object = tp_object_new(section->arena);
    const char *path = memory_path(section, &peak), *lead = lead_of_usage(section);
    if (!path && !*lead)
        return TP_NO_DATA;
    tp_object_add_text(object, "lead", lead);
    tp_object_add_text(object, "path", path);
    if (path)
        tp_object_add_formatted(object, "area", "%sV120H%.1fZ", path, first_x_of_path(path));
    if (has_processes) {
        tp_object_add_text(object, "peak", tp_text_of_bytes(section->arena, peak));
        tp_list_add_shown_table(tp_object_add_list(object, "tables"), make_usage_table(section));
    }
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

void tp_program_add_facts_of_recording(const struct tp_section *section, struct tp_list *facts)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    const char *missed = "";
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
}
