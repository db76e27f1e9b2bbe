/* Makes the section of kernels: device time by kind of work, GPU kernels by name, memory copies and sets. The reader
 * can expand a kernel to see its full name and launch configurations. */
#include "webreport/document/name_text.h"
#include "webreport/document/report/sections.h"

#include <math.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LAUNCHED_BY, OCCUPANCY };

/* The last column is omitted if no occupancy is known, and the first one if the launches are unknown. */
static const struct tp_shown_column KERNEL_COLUMNS[] = {
    {TP_SHOW_OWN_TEXT, LAUNCHED_BY, "Launched by", 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_COUNT, TP_KERNEL_CALLS, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_TIME, TP_KERNEL_TOTAL, "Total", 0, 0, true, TP_SHOWN_SUM},
    {TP_SHOW_SHARE, TP_KERNEL_TOTAL, "Of {GPU}", 0, 0, false, 0},
    {TP_SHOW_BAR, TP_KERNEL_TOTAL, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_KERNEL_MEAN, "Mean", 2, 0, false, 0},
    {TP_SHOW_REAL, TP_KERNEL_OCCUPANCY, "Occupancy, est. %", 0, 0, false, 0},
};
static const struct tp_shown_column COPY_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_COPY_CALLS, NULL, 0, 0, false, true},
    {TP_SHOW_TIME, TP_COPY_TOTAL, "Total", 0, 0, true, true},
    {TP_SHOW_TIME, TP_COPY_MEAN, "Mean", 2, 0, false, false},
    {TP_SHOW_TIME, TP_COPY_MIN, "Min", 2, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_COPY_MAX, "Max", 2, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_BYTES, TP_COPY_BYTES, "Bytes", 0, 0, false, true},
    {TP_SHOW_OWN_TEXT, 0, "GB/s", 0, 0, false, TP_SHOWN_NUMBER},
    {TP_SHOW_OWN_TEXT, 1, "Median GB/s", 0, 0, false, TP_SHOWN_NUMBER | TP_SHOWN_LESS},
    {TP_SHOW_OWN_TEXT, 2, "Best GB/s", 0, 0, false, TP_SHOWN_NUMBER | TP_SHOWN_LESS},
};

/* The last column is omitted if no call launched only one kernel. */
static const struct tp_shown_column DURATION_COLUMNS[] = {
    {TP_SHOW_COUNT, TP_DURATION_KERNELS, NULL, 0, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_BAR, TP_DURATION_KERNELS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_DURATION_TIME, NULL, 1, 0, false, TP_SHOWN_SUM},
    {TP_SHOW_SHARE, TP_DURATION_TIME, "Of the time", 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_TIME, TP_DURATION_CALLS, "Launch calls", 1, 0, false, TP_SHOWN_SUM},
};

/* ---- expanded rows: launch configurations of a kernel ---- */

/* Lists of launch configurations, one list for each of the first `count` kernels. `next` links the rows of by_config
 * with the same kernel, longest time first. */
struct config_index {
    uint32_t *first, *next, *last, *count;
};

static struct config_index index_configs_by_kernel(const struct tp_section *section, size_t count)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    struct tp_arena *arena = section->arena;
    struct config_index found = {.first = tp_arena_array(arena, count, sizeof(uint32_t)),
                                 .last = tp_arena_array(arena, count, sizeof(uint32_t)),
                                 .count = tp_arena_array(arena, count, sizeof(uint32_t)),
                                 .next = tp_arena_array(arena, view->by_config.row_count, sizeof(uint32_t))};
    struct tp_strings names;

    tp_strings_init(&names, arena, 0);
    for (size_t i = 0; i < count; i++)
        /* all names are different, so that each name's id equals its row */
        tp_strings_add(&names, tp_table_text(&view->by_name, TP_KERNEL_NAME)[i]);
    for (uint32_t row = 0; row < view->by_config.row_count; row++) {
        uint32_t id = tp_strings_find(&names, tp_table_text(&view->by_config, TP_CONFIG_NAME)[row]);

        if (id == TP_NO_ID || id >= count || found.count[id] >= section->limits->open_items)
            continue;
        if (found.count[id]++)
            found.next[found.last[id]] = row;
        else
            found.first[id] = row;
        found.last[id] = row;
    }
    return found;
}

/* Adds a text such as "grid 8x1x1" to a list of texts, unless the value is unknown. */
static const char *add_to_list(struct tp_arena *arena, const char *list, const char *format, const char *value)
{
    return *value ? tp_text_printf(arena, "%s%s%s %s", list, *list ? " \xc2\xb7 " : "", format, value) : list;
}

static const char *text_of_cell(const struct tp_section *section, struct tp_str text)
{
    struct tp_str shown = tp_text_shorten(section->arena, tp_shown_text(&section->naming, text), 80);
    return shown.len ? tp_arena_copy(section->arena, shown.ptr, shown.len) : "";
}

static void add_launch_configuration(const struct tp_section *section, struct tp_list *items, uint32_t row)
{
    const struct tp_table *table = &section->profile->views->kernels.by_config;
    struct tp_arena *arena = section->arena;
    struct tp_str op = tp_shown_text(&section->naming, tp_table_text(table, TP_CONFIG_OPERATOR)[row]);
    struct tp_object *item = tp_list_add_object(items);
    const char *note =
        tp_text_printf(arena, "%s \xc2\xb7 %s",
                       tp_text_of_counted_noun(arena, tp_table_int(table, TP_CONFIG_CALLS)[row], "call", "calls"),
                       tp_text_of_time(arena, tp_table_int(table, TP_CONFIG_TOTAL)[row]));

    if (!op.ptr || !op.len)
        op = TP_STR("(no operator)");
    note = add_to_list(arena, note, "grid", text_of_cell(section, tp_table_text(table, TP_CONFIG_GRID)[row]));
    note = add_to_list(arena, note, "block", text_of_cell(section, tp_table_text(table, TP_CONFIG_BLOCK)[row]));
    note = add_to_list(arena, note, "registers", text_of_cell(section, tp_table_text(table, TP_CONFIG_REGISTERS)[row]));
    note = add_to_list(arena, note, "shared memory, bytes",
                       text_of_cell(section, tp_table_text(table, TP_CONFIG_SHARED_MEMORY)[row]));
    tp_object_add_str(item, "code", op);
    tp_object_add_text(item, "note", note);
}

/* Adds the shortest and longest call to an opened row. has_launches: also the use of Tensor Cores, and the number of
 * blocks per SM. */
static void add_measures(const struct tp_section *section, struct tp_list *blocks, size_t row, bool has_launches)
{
    const struct tp_table *table = &section->profile->views->kernels.by_name;
    struct tp_arena *arena = section->arena;
    double per_sm = tp_table_real(table, TP_KERNEL_BLOCKS_PER_SM)[row];
    struct tp_object *block = tp_list_add_object(blocks);
    const char *text = tp_text_printf(arena, "shortest %s \xc2\xb7 longest %s",
                                      tp_text_of_time(arena, tp_table_int(table, TP_KERNEL_MIN)[row]),
                                      tp_text_of_time(arena, tp_table_int(table, TP_KERNEL_MAX)[row]));

    if (has_launches) {
        text = add_to_list(arena, text,
                           "Tensor Cores:", text_of_cell(section, tp_table_text(table, TP_KERNEL_TC_USE)[row]));
        text = add_to_list(arena, text, "blocks per SM", per_sm > 0 ? tp_text_of_fixed(arena, per_sm, 2) : "");
    }
    tp_object_add_text(block, "block_title", "One call");
    tp_object_add_bool(block, "has_items", true);
    struct tp_object *item = tp_list_add_object(tp_object_add_list(block, "items"));
    tp_object_add_text(item, "code", "");
    tp_object_add_text(item, "note", text);
}

static void add_full_name(const struct tp_section *section, struct tp_list *blocks, struct tp_str name)
{
    struct tp_object *block = tp_list_add_object(blocks);
    tp_object_add_text(block, "block_title", "Full name");
    tp_object_add_str(block, "full", tp_shown_text(&section->naming, name));
}

static void add_row_details(const struct tp_section *section, struct tp_shown_table *shown,
                            const struct config_index *found)
{
    const struct tp_table *table = shown->table;
    size_t count = shown->row_count < section->limits->open_rows ? shown->row_count : section->limits->open_rows;
    const struct config_index configs = *found;
    bool has_launches = !tp_has_only_devices_of_program(section->profile->model);

    for (size_t row = 0; row < count; row++) {
        struct tp_object *more = tp_object_new(section->arena), *block;
        struct tp_list *blocks = tp_object_add_list(more, "blocks"), *items;

        add_full_name(section, blocks, tp_table_text(table, TP_KERNEL_NAME)[row]);
        add_measures(section, blocks, row, has_launches);
        if (configs.count[row] && has_launches) {
            block = tp_list_add_object(blocks);
            tp_object_add_text(block, "block_title", "Launched by, longest first");
            tp_object_add_bool(block, "has_items", true);
            items = tp_object_add_list(block, "items");
            for (uint32_t i = 0, at = configs.first[row]; i < configs.count[row]; i++, at = configs.next[at])
                add_launch_configuration(section, items, at);
        }
        shown->rows[row].more = tp_data_of_object(more);
    }
}

/* ---- the tables ---- */

/* Returns what launched a kernel: the operator with the most time, and its source line if all its calls have the same
 * one. */
static struct tp_str launcher_text(const struct tp_section *section, const struct config_index *configs, size_t row)
{
    const struct tp_table *table = &section->profile->views->kernels.by_config;
    struct tp_arena *arena = section->arena;

    if (!configs->count[row])
        return TP_STR("");
    struct tp_str name = tp_table_text(table, TP_CONFIG_OPERATOR)[configs->first[row]];
    struct tp_str op = tp_shown_text(&section->naming, name);
    if (!op.len)
        return TP_STR("");
    struct tp_str prefix = tp_name_kind_prefix(op);
    struct tp_str line = tp_section_line_of_operator(section, name);
    const char *text = tp_text_printf(arena, "%.*s", (int)(op.len - prefix.len), op.ptr + prefix.len);
    return tp_str_of(line.len ? tp_text_printf(arena, "%s \xc2\xb7 %.*s", text, (int)line.len, line.ptr) : text);
}

static void add_kernel_table(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    bool is_known = !tp_has_only_devices_of_program(section->profile->model);
    unsigned first = is_known ? 0 : 1, left_out = view->has_occupancy && is_known ? 0 : 1;
    unsigned columns = COUNT(KERNEL_COLUMNS) - first - left_out;
    struct tp_shown_table *shown =
        tp_section_table_new(section, &view->by_name, KERNEL_COLUMNS + first, columns, section->limits->kernel_rows);
    struct config_index configs = index_configs_by_kernel(section, shown->row_count);
    struct tp_str *launchers = tp_arena_array(section->arena, shown->row_count, sizeof *launchers);

    shown->name = shown->noun = "kernels";
    shown->name_title = "Kernel";
    shown->caption = tp_section_words_for_producer(section, "{GPU} kernels, sorted by total time");
    shown->foot = tp_text_of_counted_noun(section->arena, (int64_t)view->by_name.row_count, "kernel", "kernels");
    for (size_t i = 0; i < shown->row_count; i++) {
        shown->rows[i].name = tp_shown_kernel_name(&section->naming, tp_table_text(&view->by_name, TP_KERNEL_NAME)[i]);
        shown->rows[i].full = tp_shown_text(&section->naming, tp_table_text(&view->by_name, TP_KERNEL_NAME)[i]);
        shown->rows[i].cause = tp_table_bool(&view->by_name, TP_KERNEL_COMMUNICATION)[i] ? "comm" : "gpu";
        launchers[i] = is_known ? launcher_text(section, &configs, i) : TP_STR("");
    }
    shown->own_texts[LAUNCHED_BY] = launchers;
    tp_shown_table_distinguish_rows(&section->naming, shown, TP_KERNEL_NAME);
    add_row_details(section, shown, &configs);
    tp_list_add_shown_table(tables, shown);
}

/* Returns the texts of a column of rates; a text is "" if the rate is unknown. */
static struct tp_str *rate_texts(const struct tp_section *section, const struct tp_shown_table *shown, unsigned column)
{
    struct tp_str *texts = tp_arena_array(section->arena, shown->row_count, sizeof *texts);
    for (size_t i = 0; i < shown->row_count; i++) {
        double rate = tp_table_real(shown->table, column)[i];
        texts[i] = !(rate > 0)    ? TP_STR("")
                   : rate < 0.005 ? TP_STR("<0.01")
                                  : tp_str_of(tp_text_of_fixed(section->arena, rate, 2));
    }
    return texts;
}

static void add_copy_table(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_table *copies = &section->profile->views->kernels.copies;
    struct tp_shown_table *shown;

    if (!copies->row_count)
        return;
    shown = tp_section_table_new(section, copies, COPY_COLUMNS, COUNT(COPY_COLUMNS), section->limits->kernel_rows);
    shown->own_texts[0] = rate_texts(section, shown, TP_COPY_RATE);
    shown->own_texts[1] = rate_texts(section, shown, TP_COPY_RATE_P50);
    shown->own_texts[2] = rate_texts(section, shown, TP_COPY_RATE_MAX);
    shown->heading = "Memory copies and memsets";
    shown->name = "copies";
    shown->noun = "operations";
    shown->name_title = "Operation";
    shown->caption = "Memory copies and memsets, sorted by total time";
    shown->foot = "All";
    for (size_t i = 0; i < shown->row_count; i++) {
        struct tp_str name = tp_table_text(copies, TP_COPY_NAME)[i];
        struct tp_object *more = tp_object_new(section->arena);
        shown->rows[i].name = tp_shown_kernel_name(&section->naming, name);
        add_full_name(section, tp_object_add_list(more, "blocks"), name);
        shown->rows[i].more = tp_data_of_object(more);
    }
    tp_shown_table_distinguish_rows(&section->naming, shown, TP_COPY_NAME);
    tp_list_add_shown_table(tables, shown);
}

const char *tp_section_title_of_times(const struct tp_section *section, const struct tp_table *table, unsigned column,
                                      size_t row)
{
    const int64_t *from_ns = tp_table_int(table, column);
    struct tp_arena *arena = section->arena;
    if (row + 1 == table->row_count)
        return tp_text_printf(arena, "%s or more", tp_text_of_time(arena, from_ns[row]));
    const char *end = tp_text_of_time(arena, from_ns[row + 1]);
    return row ? tp_text_printf(arena, "%s to %s", tp_text_of_time(arena, from_ns[row]), end)
               : tp_text_printf(arena, "below %s", end);
}

static void add_duration_table(const struct tp_section *section, struct tp_list *tables)
{
    const struct tp_table *durations = &section->profile->views->kernels.durations;
    if (!durations->row_count)
        return;
    bool has_calls = tp_kernel_durations_below(durations, INT64_MAX).call_ns > 0;
    struct tp_shown_table *shown = tp_section_table_new(section, durations, DURATION_COLUMNS,
                                                        (unsigned)COUNT(DURATION_COLUMNS) - !has_calls, SIZE_MAX);
    shown->heading = "Kernels by duration";
    shown->name = "kernels by duration";
    shown->noun = "rows";
    shown->name_title = "Duration";
    shown->caption = "Number and time of kernels by duration";
    shown->foot = "All kernels";
    shown->shows_all_rows = true;
    for (size_t row = 0; row < shown->row_count; row++)
        shown->rows[row].name = tp_str_of(tp_section_title_of_times(section, durations, TP_DURATION_FROM, row));
    tp_list_add_shown_table(tables, shown);
}

/* Returns the share of kernels below 10 us, their time, and the time of their calls. launches: number of all kernels.
 */
static const char *short_kernels_text(const struct tp_section *section, int64_t launches)
{
    enum { SHORT_NS = 10000 };
    struct tp_arena *arena = section->arena;
    struct tp_kernel_durations small = tp_kernel_durations_below(&section->profile->views->kernels.durations, SHORT_NS);
    const char *share = tp_text_of_percent(arena, tp_percent(small.kernel_count, launches));
    if (!small.call_ns)
        return tp_text_printf(arena, "%s of the launches run for less than 10 \xc2\xb5s", share);
    return tp_text_printf(arena, "%s of the launches run for less than 10 \xc2\xb5s, %s in total; their calls take %s",
                          share, tp_text_of_time(arena, small.time_ns), tp_text_of_time(arena, small.call_ns));
}

/* Adds facts about all launches, which the reader opens. */
static void put_facts(const struct tp_section *section, struct tp_object *object)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    const struct tp_model *model = section->profile->model;
    struct tp_arena *arena = section->arena;
    struct tp_list *facts = tp_object_add_list(object, "facts");
    int64_t launches = tp_kernel_durations_below(&view->durations, INT64_MAX).kernel_count;
    if (!launches)
        return;
    tp_list_add_fact(
        facts, "Launches",
        tp_text_printf(arena, "%s of %s in the whole recording",
                       tp_text_of_counted_noun(arena, launches, "launch", "launches"),
                       tp_text_of_counted_noun(arena, (int64_t)view->by_name.row_count, "kernel", "kernels")));
    tp_list_add_fact(facts, "Short kernels", short_kernels_text(section, launches));
    if (!tp_has_only_devices_of_program(model))
        tp_list_add_fact(facts, "Tensor Cores",
                         tp_text_printf(arena, "kernels that use them take %s of the kernel time",
                                        tp_text_of_percent(arena, 100 * view->using_ratio)));
}

/* Adds the sentence on the kernels with the most time. */
static void put_lead(const struct tp_section *section, struct tp_object *object)
{
    static const char *const numbers[] = {"", "One kernel takes", "Two kernels take", "Three kernels take"};
    const struct tp_table *rows = &section->profile->views->kernels.by_name;
    const int64_t *totals = rows->row_count ? tp_table_int(rows, TP_KERNEL_TOTAL) : NULL;
    struct tp_arena *arena = section->arena;
    int64_t all_ns = section->profile->views->facts.kernel_time_ns;
    double sum = 0, top = 0;
    size_t count = 0;

    for (size_t i = 0; i < rows->row_count; i++)
        sum += (double)totals[i];
    while (count < 3 && count < rows->row_count && top < sum / 2)
        top += (double)totals[count++];
    if (!rows->row_count || sum <= 0)
        tp_object_add_lead(object, "The trace has copies and memsets, but no kernels.");
    else if (rows->row_count == 1)
        tp_object_add_lead(object, "One kernel takes all of the kernel time of **%s**.",
                           tp_text_of_time(arena, all_ns));
    else
        tp_object_add_lead(object, "%s **%s** of the kernel time of %s.", numbers[count],
                           tp_text_of_percent(arena, 100 * top / sum), tp_text_of_time(arena, all_ns));
}

struct tp_data tp_section_kernels(const struct tp_section *section)
{
    const struct tp_kernel_view *view = &section->profile->views->kernels;
    struct tp_object *object;

    if (!view->is_present || !section->limits->kernel_rows || (!view->by_name.row_count && !view->copies.row_count))
        return TP_NO_DATA;
    object = tp_object_new(section->arena);
    tp_object_add_text(object, "title", "Kernels");
    put_lead(section, object);
    struct tp_list *tables = tp_object_add_list(object, "tables");
    if (view->by_name.row_count)
        add_kernel_table(section, tables);
    struct tp_list *more_tables = tp_object_add_list(object, "more_tables");
    add_duration_table(section, more_tables);
    add_copy_table(section, more_tables);
    put_facts(section, object);
    return tp_data_of_object(object);
}
