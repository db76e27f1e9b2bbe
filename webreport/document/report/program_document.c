/* Makes the first screen and the digest of a program recorded from outside. See program_document.h. */
#include "webreport/document/report/program_document.h"

#include <math.h>

#include "webreport/document/words/program_words.h"
#include "webreport/measure/program/program_verdict.h"
#include "writer/text/marked_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { HEAVY_ROWS = 8, COMMAND_BYTES = 120, SHORT_PROCESSES = 12, SHORT_ROWS = 8 };

static const char *time_text(const struct tp_section *section, int64_t ns)
{
    return tp_text_of_time(section->arena, ns);
}

struct tp_str tp_program_command(const struct tp_section *section, size_t row)
{
    struct tp_str command = tp_table_text(&tp_section_program(section)->processes, TP_PROGRAM_PROCESS_COMMAND)[row];
    return tp_text_shorten(section->arena, tp_shown_text(&section->naming, command), COMMAND_BYTES);
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

static void put_title_and_facts(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    struct tp_str exit = tp_table_text(&view->processes, TP_PROGRAM_PROCESS_EXIT)[0];
    exit = tp_shown_text(&section->naming, exit);
    add_fact_without_term(document,
                          tp_text_of_counted_noun(arena, (int64_t)view->processes.row_count, "process", "processes"));
    add_fact_without_term(document,
                          tp_text_of_counted_noun(arena, (int64_t)view->threads.row_count, "thread", "threads"));
    add_fact_without_term(document,
                          tp_text_of_counted_noun(arena, view->tree.trace->sample_count, "sample", "samples"));
    if (count_roots(section) == 1)
        add_fact_without_term(document, tp_text_printf(arena, "exit %.*s", (int)exit.len, exit.ptr));
    const char *date =
        tp_text_of_date(arena, section->profile->trace->base_time_ns > 0 && view->tree.begin_ns < 946684800000000000
                                   ? section->profile->trace->base_time_ns + view->tree.begin_ns
                                   : view->tree.begin_ns);
    if (date)
        add_fact_without_term(document, date);
}

static void put_wall_time_bar(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_wall_parts *wall = &tp_section_program(section)->parts;
    struct tp_chart_part *parts = tp_arena_array(section->arena, TP_WALL_COUNT, sizeof *parts);
    unsigned order[TP_WALL_COUNT], count = tp_wall_parts_sort(wall, order);
    if (!count)
        return;
    for (unsigned i = 0; i < count; i++)
        parts[i] = (struct tp_chart_part){tp_program_part_kind(order[i]), tp_wall_part_words(order[i]), NULL,
                                          (double)wall->part_ns[order[i]]};
    struct tp_object *split = tp_object_new(section->arena);
    tp_chart_put_split_bar(split, section->arena, parts, count);
    tp_object_add_formatted(split, "split_caption", "Parts of the program's wall time of %s",
                            time_text(section, wall->wall_ns));
    tp_document_add_chart(document, "split", tp_data_of_object(split), NULL);
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

static int64_t find_largest_cell(const struct tp_table *table, unsigned column, size_t *row)
{
    int64_t most = TP_NULL_INT;
    *row = 0;
    for (size_t i = 0; i < table->row_count; i++)
        if (tp_table_int(table, column)[i] > most) {
            most = tp_table_int(table, column)[i];
            *row = i;
        }
    return most;
}

static void put_figure(struct tp_document *document, const char *label, const char *value, const char *note,
                       const char *definition)
{
    tp_document_add_figure(document,
                           &(struct tp_figure_block){
                               .label = label, .value = value, .note = note, .definition = definition, .meter = NAN});
}

static void put_figures(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    size_t row;
    int64_t cpu = view->state_ns[TP_STATE_RUNNING], wall = view->parts.wall_ns;
    int64_t peak = find_largest_cell(&view->processes, TP_PROGRAM_PROCESS_PEAK, &row);
    struct tp_str command = tp_text_shorten(arena, tp_program_command(section, row), 32);
    put_figure(
        document, "Wall time", time_text(section, wall), "time in which any thread exists",
        "Time in which at least one thread of the program exists. The parts of the bar add up to the wall time.");
    put_figure(document, "CPU time", time_text(section, cpu),
               tp_text_printf(arena, "%s CPUs busy on average",
                              tp_text_of_fixed(arena, wall ? (double)view->parts.busy_ns / (double)wall : 0, 2)),
               "CPU time of all threads, measured by the Linux kernel.");
    put_figure(document, "Ready, no CPU", time_text(section, view->state_ns[TP_STATE_READY]), "summed over threads",
               "Time in which threads could run but no CPU was free, summed over the threads.");
    put_figure(
        document, "Processes", tp_text_of_count(arena, (int64_t)view->processes.row_count),
        tp_text_printf(arena, "%s with an error", tp_text_of_count(arena, (int64_t)view->failed_count)),
        "Number of processes of the program. A process has an error if a signal ended it or its exit code is not "
        "0.");
    put_figure(document, "Largest process", tp_text_of_bytes(arena, peak),
               peak == TP_NULL_INT ? "no process lived long enough to be polled"
                                   : tp_text_printf(arena, "resident memory of %.*s", (int)command.len, command.ptr),
               "Largest resident memory of one process, measured every 20 ms.");
    put_figure(document, "Disk",
               tp_text_printf(arena, "%s, %s", tp_text_of_bytes(arena, view->disk_read_bytes),
                              tp_text_of_bytes(arena, view->disk_written_bytes)),
               "read and written by all processes",
               "Bytes that the kernel read from disks and wrote to disks for the program.");
}

static void put_findings(const struct tp_section *section, struct tp_document *document)
{
    static const enum tp_tone tones[] = {TP_TONE_BAD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_PLAIN};
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    struct tp_findings_block list = {.heading = "Findings",
                                     .none = "No rule found a problem.",
                                     .id_title = "id",
                                     .title_column_title = "finding",
                                     .value_title = "time",
                                     .change_title = "share",
                                     .reason_title = "what to try",
                                     .items = tp_arena_array(arena, TP_PROGRAM_FINDINGS, sizeof *list.items)};
    for (unsigned i = 0; i < view->finding_count; i++) {
        const struct tp_program_finding *finding = &view->findings[i];
        struct tp_str shown = tp_shown_text(&section->naming, tp_str_of(finding->marked_title));
        const char *title = tp_text_printf(arena, "%.*s", (int)shown.len, shown.ptr);
        struct tp_str detail = tp_shown_text(&section->naming, tp_str_of(finding->detail));
        list.items[list.count++] = (struct tp_finding_block){
            .tone = tones[finding->weight],
            .status = tp_program_weight_text(finding->weight),
            .id = tp_program_finding_id(finding->kind),
            .title = tp_marked_plain(arena, title),
            .marked_title = title,
            .value = time_text(section, finding->time_ns),
            .change = isnan(finding->percent) ? NULL : tp_text_of_percent(arena, finding->percent),
            .scope = finding->whole ? tp_text_printf(arena, "of the %s", finding->whole) : NULL,
            .reasons = {tp_text_printf(arena, "%.*s", (int)detail.len, detail.ptr)},
            .advice = finding->advice,
            .proof = tp_text_printf(arena, "Finding %s", tp_program_finding_id(finding->kind))};
    }
    list.shown = list.open_count = list.count;
    tp_document_add_findings(document, &list);
}

/* ---- tables ---- */

static const struct tp_shown_column FUNCTION_COLUMNS[] = {
    {TP_SHOW_OWN_TEXT, 0, "File, line with most time", 0, 0, false, 0},
    {TP_SHOW_TIME, TP_PROGRAM_FUNCTION_SELF, NULL, 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_PROGRAM_FUNCTION_TOTAL, NULL, 1, 0, false, 0},
    {TP_SHOW_PERCENT, TP_PROGRAM_FUNCTION_SELF_PERCENT, NULL, 0, 0, false, 0},
    {TP_SHOW_REAL, TP_PROGRAM_FUNCTION_ERROR, NULL, 0, 1, false, 0},
    {TP_SHOW_COUNT, TP_PROGRAM_FUNCTION_SAMPLES, NULL, 0, 0, false, TP_SHOWN_SUM}};
static const struct tp_shown_column WAIT_COLUMNS[] = {
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_CAUSE, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_THREAD, NULL, 0, 0, false, 0},
    {TP_SHOW_COUNT, TP_PROGRAM_WAIT_COUNT, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_PROGRAM_WAIT_TOTAL, NULL, 1, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_PROGRAM_WAIT_LONGEST, NULL, 1, 0, false, 0},
    {TP_SHOW_TIME, TP_PROGRAM_WAIT_ESTIMATED, NULL, 1, 0, false, TP_SHOWN_WIDE},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_PLACE, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_HOLDER, NULL, 0, 0, false, 0},
    {TP_SHOW_TEXT, TP_PROGRAM_WAIT_HELD_IN, NULL, 0, 0, false, 0}};

struct tp_shown_table *tp_functions_table(const struct tp_section *section, const struct tp_table *rows,
                                          size_t max_rows)
{
    struct tp_shown_table *shown =
        tp_section_table_new(section, rows, FUNCTION_COLUMNS, COUNT(FUNCTION_COLUMNS), max_rows);
    struct tp_str *places = tp_arena_array(section->arena, rows->row_count, sizeof *places);
    for (size_t i = 0; i < shown->row_count; i++) {
        int64_t line = tp_table_int(rows, TP_PROGRAM_FUNCTION_LINE)[i];
        const struct tp_program_function at = {.file = tp_table_text(rows, TP_PROGRAM_FUNCTION_FILE)[i],
                                               .line = line == TP_NULL_INT ? 0 : (int32_t)line};
        double error = tp_table_real(rows, TP_PROGRAM_FUNCTION_ERROR)[i];
        places[i] = tp_shown_text(&section->naming, tp_str_of(tp_program_function_place_text(&at, section->arena)));
        shown->rows[i].name = tp_shown_text(&section->naming, tp_table_text(rows, TP_PROGRAM_FUNCTION_NAME)[i]);
        shown->rows[i].is_uncertain = !(tp_table_real(rows, TP_PROGRAM_FUNCTION_SELF_PERCENT)[i] >= 2 * error);
    }
    shown->own_texts[0] = places;
    shown->name_title = "Function";
    shown->foot = "All";
    return shown;
}

struct tp_shown_table *tp_program_functions_table(const struct tp_section *section, size_t max_rows)
{
    const struct tp_table *rows = &tp_section_program(section)->function_rows;
    if (!rows->row_count)
        return NULL;
    struct tp_shown_table *shown = tp_functions_table(section, rows, max_rows);
    shown->name = "functions";
    shown->name_definition = rows->defs[TP_PROGRAM_FUNCTION_NAME].definition;
    shown->caption = "Functions, sorted by CPU self time";
    return shown;
}

struct tp_shown_table *tp_program_waits_table(const struct tp_section *section, size_t max_rows)
{
    const struct tp_table *rows = &tp_section_program(section)->wait_rows;
    if (!rows->row_count)
        return NULL;
    struct tp_shown_table *shown = tp_section_table_new(section, rows, WAIT_COLUMNS, COUNT(WAIT_COLUMNS), max_rows);
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str stack = tp_table_text(rows, TP_PROGRAM_WAIT_STACK)[i];
        bool is_own = tp_str_equal(tp_table_text(rows, TP_PROGRAM_WAIT_CAUSE)[i],
                                   tp_str_of(tp_wall_part_text(TP_WALL_WAITS + TP_WAIT_RECORDING)));
        shown->rows[i].name = is_own      ? TP_STR("(a lock of the recorder)")
                              : stack.len ? tp_shown_text(&section->naming, stack)
                                          : TP_STR("(no stack recorded)");
    }
    shown->name = "waits";
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
        shown->rows[i].name = tp_text_shorten(section->arena, tp_program_command(section, i), 64);
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

/* Adds a card with the functions that have the most self time, next to the findings. */
static void put_hottest_functions(const struct tp_section *section, struct tp_document *document)
{
    const struct tp_program_view *view = tp_section_program(section);
    struct tp_arena *arena = section->arena;
    const struct tp_table *rows = &view->function_rows;
    struct tp_object *card = tp_object_new(arena);
    struct tp_list *list = tp_object_add_list(card, "hot");
    if (!rows->row_count || !section->limits->operator_rows)
        return;
    for (size_t i = 0; i < rows->row_count && i < HEAVY_ROWS; i++) {
        const struct tp_program_function *f = tp_program_function_at(&view->functions, view->functions.order[i]);
        struct tp_object *row = tp_list_add_object(list);
        struct tp_str name = tp_shown_text(&section->naming, f->name);
        tp_object_add_str(row, "full_name", name);
        tp_object_add_str(row, "short_name", tp_text_shorten(arena, name, 64));
        tp_object_add_text(row, "share",
                           tp_text_of_percent(arena, tp_table_real(rows, TP_PROGRAM_FUNCTION_SELF_PERCENT)[i]));
        tp_object_add_text(row, "self", time_text(section, f->self_ns));
        tp_object_add_text(row, "total", time_text(section, f->total_ns));
    }
    tp_document_add_chart(document, "hottest", tp_data_of_object(card), NULL);
}

void tp_program_document(struct tp_document *document, const struct tp_section *section)
{
    struct tp_verdict_block verdict = tp_section_verdict_block(&section->naming, section->profile);
    struct tp_str command = tp_program_command(section, 0);
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
    put_title_and_facts(section, document);
    tp_section_put_notices(section, document);
    put_wall_time_bar(section, document);
    document->places = TP_EVERYWHERE;
    put_figures(section, document);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    put_wall_time_facts(section, document);
    document->places = TP_EVERYWHERE;
    put_findings(section, document);
    document->places = TP_IN_PAGES;
    put_hottest_functions(section, document);
    document->places = TP_IN_TEXT | TP_IN_MARKDOWN;
    put_short_tables(section, document);
}
