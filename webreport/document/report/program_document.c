/* Makes the first screen and the digest of a program recorded from outside. See program_document.h. */
#include "webreport/document/report/program_document.h"

#include <math.h>
#include <string.h>

#include "webreport/document/report/program_actions.h"
#include "webreport/document/report/program_charts.h"
#include "webreport/document/words/program_words.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { COMMAND_BYTES = 120, SHORT_PROCESSES = 12, SHORT_ROWS = 8 };

static const char *time_text(const struct tp_section *section, int64_t ns)
{
    return tp_text_of_time(section->arena, ns);
}

struct tp_str tp_program_full_command(const struct tp_section *section, struct tp_str command)
{
    return tp_text_shorten(section->arena, tp_shown_text(&section->naming, command), COMMAND_BYTES);
}

struct tp_str tp_program_short_command(const struct tp_section *section, struct tp_str command)
{
    struct tp_str last = tp_last_program_of_command(command);
    const char *space = last.len ? memchr(last.ptr, ' ', last.len) : NULL;
    size_t word = space ? (size_t)(space - last.ptr) : last.len;
    const char *slash = word ? memrchr(last.ptr, '/', word) : NULL;
    size_t before = slash ? (size_t)(slash - last.ptr) + 1 : 0;
    if (before < word)
        last = (struct tp_str){last.ptr + before, last.len - before};
    return tp_program_full_command(section, last);
}

/* ---- first screen ---- */

static void add_fact_without_term(struct tp_document *document, const char *text)
{
    tp_document_add_fact(document, "", text);
}

/* Returns the number of processes without a recorded parent. There are several such processes if all processes of a
 * user were recorded. */
static size_t count_roots(const struct tp_section *section)
{
    const struct tp_table *rows = &tp_section_program(section)->processes;
    size_t count = 0;
    for (size_t i = 0; i < rows->row_count; i++)
        count += tp_table_int(rows, TP_PROGRAM_PROCESS_DEPTH)[i] == 0;
    return count;
}

/* Returns the kind of code that the samples show. */
static const char *kind_of_program(const struct tp_program_view *view)
{
    if (view->python.function != TP_NO_ID)
        return "Python program";
    return view->story.hottest != TP_NO_ID ? "native program" : "program";
}

static const char *day_text(const struct tp_section *section)
{
    enum { DAY_BYTES = 10 };
    const int64_t first_epoch_ns = 946684800000000000; /* begin_ns is smaller if it counts from a start of its own */
    const struct tp_program_view *view = tp_section_program(section);
    int64_t base_ns = section->profile->trace->base_time_ns;
    bool is_relative = base_ns > 0 && view->tree.begin_ns < first_epoch_ns;
    const char *date =
        tp_text_of_date(section->arena, is_relative ? base_ns + view->tree.begin_ns : view->tree.begin_ns);
    return date ? tp_arena_copy(section->arena, date, DAY_BYTES) : NULL;
}

static void put_title_facts(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    int64_t process_count = (int64_t)view->processes.row_count;
    struct tp_str exit = tp_shown_text(&section->naming, tp_table_text(&view->processes, TP_PROGRAM_PROCESS_EXIT)[0]);
    const char *day = day_text(section);
    add_fact_without_term(document, kind_of_program(view));
    add_fact_without_term(document, tp_text_of_counted_noun(arena, process_count, "process", "processes"));
    if (count_roots(section) == 1 && !tp_str_equal(exit, TP_STR("0")) && !tp_str_equal(exit, TP_STR("?")))
        add_fact_without_term(document, tp_text_printf(arena, "exit %.*s", (int)exit.len, exit.ptr));
    if (day)
        add_fact_without_term(document, day);
}

static void put_wall_time_facts(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    unsigned order[TP_WALL_COUNT], count = tp_wall_parts_sort(&view->parts, order);
    const char *text = "";
    for (unsigned i = 0; i < count; i++)
        text = tp_text_printf(section->arena, "%s%s%s %s (%s)", text, *text ? ", " : "", tp_wall_part_words(order[i]),
                              time_text(section, view->parts.part_ns[order[i]]),
                              tp_text_of_percent(section->arena, tp_wall_part_percent(&view->parts, order[i])));
    tp_document_add_fact(document,
                         tp_text_printf(section->arena, "Wall time %s", time_text(section, view->parts.wall_ns)), text);
}

static void put_figure(struct tp_document *document, const char *label, const char *value, const char *note,
                       const char *definition)
{
    tp_document_add_figure(document,
                           &(struct tp_figure_block){
                               .label = label, .value = value, .note = note, .definition = definition, .meter = NAN});
}

/* Adds the wait that takes most time of the threads, if they wait for at least a hundredth of the wall time. Waits for
 * work, for other processes of the program and for unknown reasons are left out. */
static void put_waiting_figure(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    int64_t part_ns[TP_WALL_COUNT] = {0};
    unsigned most = TP_WALL_RUNNING;
    for (uint32_t i = 0; i < view->tree.slice_count; i++) {
        const struct tp_thread_slice *slice = &view->tree.slices[i];
        if (slice->state == TP_STATE_BLOCKED && slice->cause <= TP_WAIT_PIPE)
            part_ns[TP_WALL_WAITS + slice->cause] += slice->end_ns - slice->begin_ns;
    }
    for (unsigned part = TP_WALL_WAITS; part < TP_WALL_COUNT; part++)
        if (part_ns[part] > part_ns[most])
            most = part;
    if (most == TP_WALL_RUNNING || part_ns[most] < view->parts.wall_ns / 100)
        return;
    put_figure(document, tp_wall_part_title(most, section->arena), time_text(section, part_ns[most]),
               view->threads.row_count > 1 ? "all threads" : "",
               "The threads wait for this cause longer than for any other, summed over the threads.");
}

static void put_memory_figure(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    const int64_t *peaks = tp_table_int(&view->processes, TP_PROGRAM_PROCESS_PEAK);
    int64_t peak = TP_NULL_INT;
    for (size_t i = 0; i < view->processes.row_count; i++)
        peak = peaks[i] > peak ? peaks[i] : peak;
    if (peak != TP_NULL_INT)
        put_figure(document, "Memory", tp_text_of_bytes(section->arena, peak),
                   view->processes.row_count > 1 ? "largest process" : "at most",
                   "Largest resident memory of one process, measured every 20 ms.");
}

static void put_figures(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    int64_t wall = view->parts.wall_ns;
    put_figure(document, "Time", time_text(section, wall), "",
               "Time in which at least one thread of the program exists. The parts of the bar add up to this time.");
    put_figure(document, "CPU time", time_text(section, view->state_ns[TP_STATE_RUNNING]),
               view->threads.row_count > 1 ? "all threads" : "",
               "CPU time of all threads, measured by the Linux kernel.");
    put_figure(document, "CPUs used", tp_text_of_fixed(arena, wall ? (double)view->parts.busy_ns / (double)wall : 0, 2),
               "on average", "Mean number of threads that run at the same time.");
    put_waiting_figure(section, document);
    put_memory_figure(section, document);
    put_figure(document, "Threads", tp_text_of_count(arena, (int64_t)view->threads.row_count), "",
               "Number of threads of all processes.");
}

/* ---- tables ---- */

static const struct tp_shown_column FUNCTION_COLUMNS[] = {
    {TP_SHOW_OWN_TEXT, 0, "File, line with most time", 0, 0, false, TP_SHOWN_NARROW},
    {TP_SHOW_TIME, TP_PROGRAM_FUNCTION_SELF, NULL, 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_BAR, TP_PROGRAM_FUNCTION_SELF, NULL, 0, 0, false, TP_SHOWN_WIDE},
    {TP_SHOW_PERCENT, TP_PROGRAM_FUNCTION_SELF_PERCENT, "Of CPU", 0, 0, false, 0},
    {TP_SHOW_REAL, TP_PROGRAM_FUNCTION_ERROR, "\xc2\xb1", 0, 1, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_PROGRAM_FUNCTION_TOTAL, NULL, 1, 0, false, 0},
    {TP_SHOW_COUNT, TP_PROGRAM_FUNCTION_SAMPLES, NULL, 0, 0, false, TP_SHOWN_SUM | TP_SHOWN_LESS}};
static const struct tp_shown_column WAIT_COLUMNS[] = {
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_CAUSE, NULL, 0, 0, false, TP_SHOWN_NARROW},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_THREAD, NULL, 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_COUNT, TP_PROGRAM_WAIT_COUNT, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_PROGRAM_WAIT_TOTAL, NULL, 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_PROGRAM_WAIT_LONGEST, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_PROGRAM_WAIT_ESTIMATED, NULL, 1, 0, false, TP_SHOWN_WIDE | TP_SHOWN_LESS},
    {TP_SHOW_OWN_TEXT, 0, "Most likely held by", 0, 0, false, TP_SHOWN_WIDE},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_PLACE, NULL, 0, 0, false, TP_SHOWN_NARROW},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_HOLDER, NULL, 0, 0, false, TP_SHOWN_NARROW},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_HELD_IN, NULL, 0, 0, false, TP_SHOWN_NARROW}};

enum tp_look tp_program_function_look(const struct tp_program_view *view, struct tp_str name, struct tp_str file)
{
    for (unsigned i = 0; i < view->answer.segment_count; i++) {
        const struct tp_program_segment *segment = &view->answer.segments[i];
        if (segment->function == TP_NO_ID)
            continue;
        const struct tp_program_function *f = tp_program_function_at(&view->functions, segment->function);
        if (tp_str_equal(f->name, name) && tp_str_equal(f->file, file))
            return i ? TP_LOOK_GPU2 : TP_LOOK_GPU;
    }
    return TP_LOOK_GPU3;
}

static struct tp_str name_without_folders(struct tp_str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t before = slash ? (size_t)(slash - path.ptr) + 1 : 0;
    return (struct tp_str){path.ptr + before, path.len - before};
}

/* Returns a place such as "work (/home/a/b.py:7)" without its folders: "work b.py:7". */
static struct tp_str place_without_folders(struct tp_arena *arena, struct tp_str place)
{
    ptrdiff_t at = tp_str_find(place, " (");
    struct tp_str name = {place.ptr, at < 0 ? place.len : (size_t)at}, path = TP_STR("");
    if (at >= 0)
        path = name_without_folders((struct tp_str){place.ptr + at + 2, place.len - (size_t)at - 3});
    name = tp_program_short_function_name(name);
    return tp_str_of(
        tp_text_printf(arena, "%.*s%s%.*s", (int)name.len, name.ptr, path.len ? " " : "", (int)path.len, path.ptr));
}

struct tp_shown_table *tp_functions_table(const struct tp_section *section, const struct tp_table *rows,
                                          size_t max_rows)
{
    struct tp_shown_table *shown =
        tp_section_table_new(section, rows, FUNCTION_COLUMNS, COUNT(FUNCTION_COLUMNS), max_rows);
    struct tp_str *places = tp_arena_array(section->arena, rows->row_count, sizeof *places);
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_shown_row *row = &shown->rows[i];
        int64_t line = tp_table_int(rows, TP_PROGRAM_FUNCTION_LINE)[i];
        struct tp_str name = tp_table_text(rows, TP_PROGRAM_FUNCTION_NAME)[i];
        const struct tp_program_function at = {.file = tp_table_text(rows, TP_PROGRAM_FUNCTION_FILE)[i],
                                               .line = line == TP_NULL_INT ? 0 : (int32_t)line};
        double error = tp_table_real(rows, TP_PROGRAM_FUNCTION_ERROR)[i];
        places[i] = tp_shown_text(&section->naming, tp_str_of(tp_program_function_place_text(&at, section->arena)));
        row->name = tp_shown_text(&section->naming, name);
        row->page_name = tp_shown_text(&section->naming, tp_program_short_function_name(name));
        row->page_place = name_without_folders(places[i]);
        row->full = tp_str_of(tp_text_printf(section->arena, "%.*s %.*s", (int)row->name.len, row->name.ptr,
                                             (int)places[i].len, places[i].ptr));
        row->is_uncertain = !(tp_table_real(rows, TP_PROGRAM_FUNCTION_SELF_PERCENT)[i] >= 2 * error);
    }
    shown->own_texts[0] = places;
    shown->name_title = "Function";
    shown->foot = "All";
    return shown;
}

struct tp_shown_table *tp_program_functions_table(const struct tp_section *section, size_t max_rows)
{
    const struct tp_program_view *view = tp_section_program(section);
    const struct tp_table *rows = &view->function_rows;
    if (!rows->row_count)
        return NULL;
    struct tp_shown_table *shown = tp_functions_table(section, rows, max_rows);
    for (size_t i = 0; i < shown->row_count; i++)
        shown->rows[i].cause = tp_look_name(tp_program_function_look(
            view, tp_table_text(rows, TP_PROGRAM_FUNCTION_NAME)[i], tp_table_text(rows, TP_PROGRAM_FUNCTION_FILE)[i]));
    shown->name = shown->noun = "functions";
    shown->name_definition = rows->defs[TP_PROGRAM_FUNCTION_NAME].definition;
    shown->caption = "Functions, sorted by CPU self time";
    return shown;
}

/* Returns the part of the wall time of a row of waits. */
static unsigned part_of_wait_row(const struct tp_table *rows, size_t row)
{
    struct tp_str cause = tp_table_text(rows, TP_PROGRAM_WAIT_CAUSE)[row];
    unsigned part = TP_WALL_WAITS;
    while (part + 1 < TP_WALL_COUNT && !tp_str_equal(cause, tp_str_of(tp_wall_part_text(part))))
        part++;
    return part;
}

/* Returns who probably held a lock: "sort in merge (sort.c:7)"; empty if unknown. */
static struct tp_str holder_text(const struct tp_section *section, const struct tp_table *rows, size_t row)
{
    struct tp_str holder = tp_table_text(rows, TP_PROGRAM_WAIT_HOLDER)[row];
    struct tp_str place = tp_table_text(rows, TP_PROGRAM_WAIT_HELD_IN)[row];
    if (!holder.len)
        return TP_STR("");
    place = place_without_folders(section->arena, tp_shown_text(&section->naming, place));
    return tp_shown_text(&section->naming, tp_str_of(tp_text_printf(section->arena, "%.*s%s%.*s", (int)holder.len,
                                                                    holder.ptr, place.len ? " in " : "", (int)place.len,
                                                                    place.len ? place.ptr : "")));
}

/* Sets the name of a row of waits: the cause and the waiting function in pages, and the stack in other outputs. */
static void set_name_of_wait(const struct tp_section *section, struct tp_shown_row *shown, const struct tp_table *rows,
                             size_t row)
{
    struct tp_str stack = tp_table_text(rows, TP_PROGRAM_WAIT_STACK)[row];
    struct tp_str place = tp_shown_text(&section->naming, tp_table_text(rows, TP_PROGRAM_WAIT_PLACE)[row]);
    unsigned part = part_of_wait_row(rows, row);
    shown->name = part == TP_WALL_WAITS + TP_WAIT_RECORDING ? TP_STR("(a lock of the recorder)")
                  : stack.len                               ? tp_shown_text(&section->naming, stack)
                                                            : TP_STR("(no stack recorded)");
    shown->page_name = tp_str_of(tp_program_wait_words(part));
    shown->page_place = stack.len ? place_without_folders(section->arena, place) : TP_STR("");
    shown->full = shown->name;
    shown->cause = tp_look_name(tp_program_part_look(part));
}

struct tp_shown_table *tp_program_waits_table(const struct tp_section *section, size_t max_rows)
{
    const struct tp_table *rows = &tp_section_program(section)->wait_rows;
    if (!rows->row_count)
        return NULL;
    struct tp_shown_table *shown = tp_section_table_new(section, rows, WAIT_COLUMNS, COUNT(WAIT_COLUMNS), max_rows);
    struct tp_str *holders = tp_arena_array(section->arena, rows->row_count, sizeof *holders);
    for (size_t i = 0; i < shown->row_count; i++) {
        set_name_of_wait(section, &shown->rows[i], rows, i);
        holders[i] = holder_text(section, rows, i);
    }
    shown->own_texts[0] = holders;
    shown->name = shown->noun = "waits";
    shown->name_title = "Stack, innermost first";
    shown->name_definition = rows->defs[TP_PROGRAM_WAIT_STACK].definition;
    shown->caption = "Waits by cause and stack";
    shown->foot = "All";
    return shown;
}

static struct tp_shown_table *make_processes_table(const struct tp_section *section, size_t max_rows)
{
    static const struct tp_shown_column columns[] = {{TP_SHOW_TIME, TP_PROGRAM_PROCESS_WALL, NULL, 0, 0, false, 0},
                                                     {TP_SHOW_TIME, TP_PROGRAM_PROCESS_CPU, NULL, 0, 0, false, 0},
                                                     {TP_SHOW_TIME, TP_PROGRAM_PROCESS_READY, NULL, 0, 0, false, 0},
                                                     {TP_SHOW_TIME, TP_PROGRAM_PROCESS_BLOCKED, NULL, 0, 0, false, 0},
                                                     {TP_SHOW_TEXT, TP_PROGRAM_PROCESS_EXIT, NULL, 0, 0, false, 0}};
    const struct tp_table *rows = &tp_section_program(section)->processes;
    struct tp_shown_table *shown = tp_section_table_new(section, rows, columns, COUNT(columns), max_rows);
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str command = tp_table_text(rows, TP_PROGRAM_PROCESS_COMMAND)[i];
        shown->rows[i].name = tp_text_shorten(section->arena, tp_program_full_command(section, command), 64);
        shown->rows[i].depth = (unsigned)tp_table_int(rows, TP_PROGRAM_PROCESS_DEPTH)[i];
    }
    shown->is_tree = true;
    shown->name_title = "process";
    return shown;
}

static void put_short_tables(const struct tp_section *section, struct tp_document *document)
{
    struct tp_shown_table *tables[] = {
        tp_section_program(section)->processes.row_count > 1 ? make_processes_table(section, SHORT_PROCESSES) : NULL,
        tp_program_functions_table(section, SHORT_ROWS), tp_program_waits_table(section, SHORT_ROWS)};
    for (size_t i = 0; i < COUNT(tables); i++)
        if (tables[i])
            tp_document_add_table(document, tables[i], NULL);
}

void tp_program_document(struct tp_document *document, const struct tp_section *section)
{
    struct tp_verdict_block verdict = tp_section_verdict_block(&section->naming, section->profile);
    struct tp_str command = tp_program_short_command(section, tp_section_program(section)->command);
    size_t others = count_roots(section) > 1 ? count_roots(section) - 1 : 0;
    const char *more = others
                           ? tp_text_printf(section->arena, " and %s",
                                            tp_text_of_counted_noun(section->arena, (int64_t)others, "other", "others"))
                           : "";
    const char *title = section->is_one_of_many
                            ? section->title
                            : tp_text_printf(section->arena, "%.*s%s", (int)command.len, command.ptr, more);
    tp_document_add_title(document, &(struct tp_title_block){title, "overview", "Overview"});
    tp_document_add_verdict(document, &verdict);
    document->places = TP_IN_PAGES;
    put_title_facts(section, document);
    tp_section_put_notices(section, document);
    tp_program_put_charts(section, document);
    document->places = TP_EVERYWHERE;
    put_figures(section, document);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    put_wall_time_facts(section, document);
    document->places = TP_EVERYWHERE;
    tp_program_put_actions(section, document);
    document->places = TP_IN_PAGES;
    tp_section_put_later_notices(section, document);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    put_short_tables(section, document);
}
