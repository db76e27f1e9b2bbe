/* Makes the section of device work: the time of the steps by kind of work, with the rates that the work reaches. The
 * reader can open the tree of all parts of the time. */
#include <math.h>

#include "webreport/document/report/sections.h"
#include "webreport/measure/tree/time_table.h"
#include "webreport/measure/work/work_rules.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { NAME_BYTES = 96 };

static const struct tp_shown_column PLAIN[] = {
    {TP_SHOW_COUNT, TP_TIME_CALLS, NULL, 0, 0, false, 0},
    {TP_SHOW_TIME, TP_TIME_TIME, "Total", 1, 0, true, 0},
    {TP_SHOW_PERCENT, TP_TIME_SHARE, "Of step", 0, 0, false, 0},
    {TP_SHOW_BAR, TP_TIME_TIME, NULL, 0, 0, false, 0},
};
static const struct tp_shown_column RATED[] = {
    {TP_SHOW_TIME, TP_TIME_TIME, "Total", 1, 0, true, 0},
    {TP_SHOW_PERCENT, TP_TIME_SHARE, "Of step", 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, 0, "Reached", 0, 0, false, TP_SHOWN_NUMBER},
    {TP_SHOW_PERCENT, TP_TIME_REACHED, "Of peak", 0, 0, false, 0},
    {TP_SHOW_TIME, TP_TIME_HEADROOM, "Could save", 1, 0, false, 0},
};

/* Returns whether the table shows a node: a kind of work, or work next to which nothing else runs. */
static bool is_kind_of_work(const struct tp_time_tree *tree, const struct tp_time_node *node)
{
    if (node->depth == 2)
        return tp_str_equal(tree->nodes[node->parent].text, TP_STR("compute"));
    return node->depth == 1 &&
           (tp_str_equal(node->text, TP_STR("exposed communication")) ||
            tp_str_equal(node->text, TP_STR("exposed copy")) || tp_str_equal(node->text, TP_STR("device wait")));
}

/* Returns the rate that a row reaches, such as "661 GB/s" or "167 TFLOP/s": of the resource that limits the row. */
static struct tp_str rate_text(struct tp_arena *arena, const struct tp_table *rows, size_t row)
{
    double flops = tp_table_real(rows, TP_TIME_FLOPS_RATE)[row], bytes = tp_table_real(rows, TP_TIME_BYTES_RATE)[row];
    struct tp_str bound = tp_table_text(rows, TP_TIME_BOUND)[row];
    bool is_memory = tp_str_equal(bound, TP_STR("memory")) || isnan(flops) || flops <= 0;

    if (is_memory)
        return isnan(bytes) || bytes <= 0
                   ? TP_STR("")
                   : tp_str_of(tp_text_printf(arena, "%s GB/s", tp_text_of_fixed(arena, bytes, bytes < 10 ? 1 : 0)));
    return tp_str_of(tp_text_printf(arena, "%s TFLOP/s", tp_text_of_fixed(arena, flops, flops < 10 ? 1 : 0)));
}

/* Returns the color of a row: the first kind of work is darkest, and copies and communication have colors of their
 * own. */
static const char *cause_of_row(const struct tp_time_node *node, size_t row)
{
    if (node->depth == 2)
        return row == 0 ? "gpu" : row == 1 ? "gpu2" : "gpu3";
    return tp_str_equal(node->text, TP_STR("exposed copy"))            ? "copy"
           : tp_str_equal(node->text, TP_STR("exposed communication")) ? "comm"
                                                                       : "none";
}

/* Returns the totals of a kind of work in the whole recording; TP_NO_ID if they are unknown. */
static uint32_t find_work(const struct tp_works *works, struct tp_str kind)
{
    for (uint32_t i = 0; i < works->rows.row_count; i++)
        if (tp_str_equal(tp_str_of(tp_work_text(works->kinds[i])), kind))
            return i;
    return TP_NO_ID;
}

/* Adds the numbers of a kind in the whole recording to its row, which the reader opens. */
static void add_row_details(const struct tp_section *section, struct tp_shown_row *row, struct tp_str kind)
{
    const struct tp_works *works = &section->profile->advice->works.devices;
    struct tp_arena *arena = section->arena;
    uint32_t at = find_work(works, kind);

    if (at == TP_NO_ID)
        return;
    const struct tp_table *rows = &works->rows;
    struct tp_str longest = tp_shown_kernel_name(&section->naming, tp_table_text(rows, TP_WORK_LONGEST)[at]);
    longest = tp_text_shorten(arena, longest, NAME_BYTES);
    double known = rows->column_count > TP_WORK_KNOWN ? tp_table_real(rows, TP_WORK_KNOWN)[at] : NAN;
    struct tp_object *more = tp_object_new(arena), *block = tp_list_add_object(tp_object_add_list(more, "blocks"));
    tp_object_add_text(block, "block_title", "In the whole recording");
    tp_object_add_bool(block, "has_items", true);
    struct tp_object *item = tp_list_add_object(tp_object_add_list(block, "items"));
    tp_object_add_str(item, "code", longest);
    tp_object_add_text(
        item, "note",
        tp_text_printf(arena, "takes most of %s in %s with %s%s",
                       tp_text_of_time(arena, tp_table_int(rows, TP_WORK_TOTAL)[at]),
                       tp_text_of_counted_noun(arena, tp_table_int(rows, TP_WORK_CALLS)[at], "call", "calls"),
                       tp_text_of_counted_noun(arena, tp_table_int(rows, TP_WORK_NAMES)[at], "name", "names"),
                       known > 0 ? tp_text_printf(arena, "; the rates are known for %s of the time",
                                                  tp_text_of_percent(arena, known))
                                 : ""));
    row->more = tp_data_of_object(more);
}

/* Selects the rows of a time table that are kinds of work, longest first. Returns their number. */
static size_t select_rows(const struct tp_time_tree *tree, const struct tp_time_table *time, size_t *rows)
{
    const int64_t *times = tp_table_int(&time->rows, TP_TIME_TIME);
    size_t count = 0;

    for (size_t i = 0; i < time->rows.row_count; i++) {
        if (!is_kind_of_work(tree, &tree->nodes[time->nodes[i]]))
            continue;
        size_t at = count++;
        for (; at > 0 && times[rows[at - 1]] < times[i]; at--)
            rows[at] = rows[at - 1];
        rows[at] = i;
    }
    return count;
}

/* Returns the table of kinds of work; NULL if the steps contain no work. */
static struct tp_shown_table *make_table(const struct tp_section *section, const struct tp_time_tree *tree)
{
    struct tp_arena *arena = section->arena;
    struct tp_time_table time;

    tp_time_table_build(&time, tree, tree->node_count, arena);
    size_t *rows = tp_arena_array(arena, time.rows.row_count, sizeof *rows);
    size_t count = select_rows(tree, &time, rows);
    if (!count)
        return NULL;
    struct tp_shown_table *shown =
        tp_section_table_new(section, tp_table_copy_rows(arena, &time.rows, rows, count),
                             time.has_costs ? RATED : PLAIN, time.has_costs ? COUNT(RATED) : COUNT(PLAIN), count);
    struct tp_str *rates = tp_arena_array(arena, count, sizeof *rates);
    for (size_t i = 0; i < count; i++) {
        const struct tp_time_node *node = &tree->nodes[time.nodes[rows[i]]];
        shown->rows[i].name = tp_section_name_of_time_node(section, tree, time.nodes[rows[i]]);
        shown->rows[i].cause = cause_of_row(node, i);
        if (node->depth == 2)
            add_row_details(section, &shown->rows[i], node->text);
        rates[i] = rate_text(arena, shown->table, i);
    }
    shown->own_texts[0] = rates;
    shown->name = "kinds of work";
    shown->noun = "kinds of work";
    shown->name_title = "Kind of work";
    shown->caption = "Time of the steps by kind of work";
    return shown;
}

/* Adds the sentence on the kind of work with the most time, or on the one from which most time could be saved. */
static void put_lead(const struct tp_section *section, struct tp_object *object, const struct tp_shown_table *shown)
{
    struct tp_arena *arena = section->arena;
    const struct tp_table *rows = shown->table;
    size_t most = 0;

    for (size_t i = 1; i < rows->row_count; i++)
        if (tp_table_int(rows, TP_TIME_HEADROOM)[i] > tp_table_int(rows, TP_TIME_HEADROOM)[most])
            most = i;
    struct tp_str name = shown->rows[most].name;
    const char *kind = tp_arena_copy(arena, name.ptr, name.len);
    const char *share = tp_text_of_percent(arena, tp_table_real(rows, TP_TIME_SHARE)[most]);
    double reached = tp_table_real(rows, TP_TIME_REACHED)[most];
    int64_t headroom = tp_table_int(rows, TP_TIME_HEADROOM)[most];
    if (shown->columns == PLAIN || headroom == TP_NULL_INT || headroom <= 0 || isnan(reached))
        tp_object_add_lead(object, "%s: **%s** of the step time.", kind, share);
    else
        tp_object_add_lead(object, "%s: **%s** of the step time, at **%s** of the peak rate.", kind, share,
                           tp_text_of_percent(arena, reached));
}

struct tp_data tp_section_work(const struct tp_section *section)
{
    const struct tp_time_trees *trees = &section->profile->advice->times;
    struct tp_shown_table *shown;

    if (!trees->count || !section->limits->kernel_rows)
        return TP_NO_DATA;
    shown = make_table(section, &trees->items[0]);
    if (!shown)
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(section->arena);
    tp_object_add_text(object, "title", tp_section_words_for_producer(section, "Kinds of {GPU} work"));
    put_lead(section, object, shown);
    tp_list_add_shown_table(tp_object_add_list(object, "tables"), shown);
    tp_section_add_time(section, tp_object_add_list(object, "tree_tables"), &trees->items[0]);
    return tp_data_of_object(object);
}
