/* Draws the map of a comparison of tensors. Each row is a tensor, in order of execution, and each cell is a step,
 * colored by outcome. Adjacent cells with the same outcome form one box. See precision_map.h. */
#include "webreport/document/commands/precision_map.h"

#include "webreport/document/name_text.h"
#include "webreport/document/section.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

enum { MAP_ROWS = 300, MAP_STEPS = 200 };

/* The outcome of a cell: the worst outcome among the tensors and steps that the cell covers. */
enum outcome {
    OUTCOME_NONE,
    OUTCOME_EQUAL,
    OUTCOME_CLOSE,
    OUTCOME_NO_VALUES,
    OUTCOME_FEW_MISMATCHES, /* up to 1 % of the elements differ */
    OUTCOME_SOME,
    OUTCOME_MANY,
    OUTCOME_OTHER, /* the shape or type differs, or the tensor is missing or unreadable */
    OUTCOME_NAN,
    OUTCOMES
};

/* Color and label of each outcome. The colors also differ in lightness, so that the map is readable without
 * color. kind: class in the style sheet, which has other colors for dark pages. */
static const struct {
    const char *fill, *kind, *label;
} outcomes[OUTCOMES] = {
    [OUTCOME_NONE] = {"", "", ""},
    [OUTCOME_EQUAL] = {"#D6E5F6", "dn1", "equal"},
    [OUTCOME_CLOSE] = {"#A2C6ED", "dn2", "close: within the thresholds"},
    [OUTCOME_NO_VALUES] = {"#E7EAEE", "eq", "no values to compare"},
    [OUTCOME_FEW_MISMATCHES] = {"#F9DAD4", "up1", "up to 1 % of the elements differ"},
    [OUTCOME_SOME] = {"#F0A596", "up2", "up to 10 % of the elements differ"},
    [OUTCOME_MANY] = {"#E36F5B", "up3", "more than 10 % of the elements differ"},
    [OUTCOME_OTHER] = {"#7A5BB5", "other", "another type or shape, missing or unreadable"},
    [OUTCOME_NAN] = {"#5E0F1A", "nan", "NaN or Inf that base does not have"},
};

struct map {
    const struct tp_precision *precision;
    struct tp_arena *arena;
    struct tp_strings names; /* names of tensors in order of execution */
    int64_t *steps;          /* numbers of the steps with tensors, in ascending order */
    size_t step_count;
    uint32_t row_count, column_count, names_per_row, steps_per_column;
    uint8_t *cells; /* enum outcome of each cell, at row * column_count + column */
};

static int64_t zero_if_unknown(int64_t count)
{
    return count == TP_NULL_INT ? 0 : count;
}

bool tp_precision_has_new_nan(const struct tp_table *t, size_t row)
{
    return zero_if_unknown(tp_table_int(t, TP_PRECISION_NEW_NANS)[row]) >
               zero_if_unknown(tp_table_int(t, TP_PRECISION_BASE_NANS)[row]) ||
           zero_if_unknown(tp_table_int(t, TP_PRECISION_NEW_INFS)[row]) >
               zero_if_unknown(tp_table_int(t, TP_PRECISION_BASE_INFS)[row]);
}

static enum outcome outcome_of_row(const struct tp_table *t, size_t row)
{
    struct tp_str verdict = tp_table_text(t, TP_PRECISION_VERDICT)[row];
    double share = tp_table_real(t, TP_PRECISION_MISMATCH_SHARE)[row];
    if (tp_precision_has_new_nan(t, row))
        return OUTCOME_NAN;
    if (tp_str_equal(verdict, tp_str_of(tp_verdict_name(TP_VERDICT_EQUAL))) ||
        tp_str_equal(verdict, tp_str_of(tp_verdict_name(TP_VERDICT_SAME_STATISTICS))))
        return OUTCOME_EQUAL;
    if (tp_str_equal(verdict, tp_str_of(tp_verdict_name(TP_VERDICT_CLOSE))) ||
        tp_str_equal(verdict, tp_str_of(tp_verdict_name(TP_VERDICT_CLOSE_STATISTICS))))
        return OUTCOME_CLOSE;
    if (tp_str_equal(verdict, tp_str_of(tp_verdict_name(TP_VERDICT_NO_VALUES))))
        return OUTCOME_NO_VALUES;
    if (tp_str_equal(verdict, tp_str_of(tp_verdict_name(TP_VERDICT_DIFFERS))))
        return share > 0.1 ? OUTCOME_MANY : share > 0.01 ? OUTCOME_SOME : OUTCOME_FEW_MISMATCHES;
    return OUTCOME_OTHER;
}

static void list_steps(struct map *map)
{
    const struct tp_table *t = &map->precision->table;
    size_t count = 0;
    map->steps = tp_arena_array(map->arena, t->row_count, sizeof *map->steps);
    for (size_t row = 0; row < t->row_count; row++)
        if (tp_table_int(t, TP_PRECISION_STEP)[row] != TP_NULL_INT)
            map->steps[count++] = tp_table_int(t, TP_PRECISION_STEP)[row];
    tp_sort_integers(map->steps, count);
    for (size_t i = 0; i < count; i++)
        if (!i || map->steps[i] != map->steps[map->step_count - 1])
            map->steps[map->step_count++] = map->steps[i];
}

/* Returns the index of a step in `steps`. The list must contain the step. */
static size_t index_of_step(const struct map *map, int64_t step)
{
    size_t lo = 0, hi = map->step_count;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (map->steps[mid] <= step)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

/* Computes the outcome of each cell. Returns false if fewer than two steps have tensors, because a map of one step only
 * repeats the table. */
static bool compute_map_cells(struct map *map)
{
    const struct tp_table *t = &map->precision->table;
    uint32_t *name_of = tp_arena_array(map->arena, t->row_count, sizeof *name_of);
    tp_strings_init(&map->names, map->arena, UINT64_MAX);
    for (size_t row = 0; row < t->row_count; row++)
        name_of[row] = tp_strings_add(&map->names, tp_table_text(t, TP_PRECISION_NAME)[row]);
    list_steps(map);
    if (map->step_count < 2)
        return false;
    map->steps_per_column = (uint32_t)((map->step_count + MAP_STEPS - 1) / MAP_STEPS);
    map->column_count = (uint32_t)((map->step_count + map->steps_per_column - 1) / map->steps_per_column);
    map->names_per_row = (map->names.count + MAP_ROWS - 1) / MAP_ROWS;
    map->row_count = (map->names.count + map->names_per_row - 1) / map->names_per_row;
    map->cells = tp_arena_array(map->arena, (size_t)map->row_count * map->column_count, 1);
    for (size_t row = 0; row < t->row_count; row++) {
        int64_t step = tp_table_int(t, TP_PRECISION_STEP)[row];
        if (step == TP_NULL_INT)
            continue;
        size_t column = index_of_step(map, step) / map->steps_per_column;
        uint8_t *cell = &map->cells[(size_t)(name_of[row] / map->names_per_row) * map->column_count + column];
        enum outcome outcome = outcome_of_row(t, row);
        *cell = outcome > *cell ? (uint8_t)outcome : *cell;
    }
    return true;
}

/* ---- data for the template ---- */

/* Returns the step numbers of the columns `from` to `to` - 1 as text. */
static const char *steps_text(const struct map *map, uint32_t from, uint32_t to)
{
    size_t end = (size_t)to * map->steps_per_column;
    int64_t first = map->steps[(size_t)from * map->steps_per_column];
    int64_t last = map->steps[(end < map->step_count ? end : map->step_count) - 1];
    return first == last ? tp_text_printf(map->arena, "step %lld", (long long)first)
                         : tp_text_printf(map->arena, "steps %lld to %lld", (long long)first, (long long)last);
}

/* Adds the boxes of a row to `object`, each with its outcome as a sentence. */
static void put_map_cells(const struct map *map, struct tp_object *object, uint32_t row)
{
    const uint8_t *cells = map->cells + (size_t)row * map->column_count;
    struct tp_list *list = tp_object_add_list(object, "map_cells");
    const char *words = "";
    for (uint32_t from = 0, to; from < map->column_count; from = to) {
        for (to = from + 1; to < map->column_count && cells[to] == cells[from]; to++)
            continue;
        if (cells[from] == OUTCOME_NONE)
            continue;
        struct tp_object *cell = tp_list_add_object(list);
        const char *text = tp_text_printf(map->arena, "%s: %s", steps_text(map, from, to), outcomes[cells[from]].label);
        tp_object_add_formatted(cell, "x", "%.3f%%", 100.0 * from / map->column_count);
        tp_object_add_formatted(cell, "w", "%.3f%%", 100.0 * (to - from) / map->column_count);
        tp_object_add_text(cell, "fill", outcomes[cells[from]].fill);
        tp_object_add_text(cell, "kind", outcomes[cells[from]].kind);
        tp_object_add_text(cell, "tip", text);
        words = tp_text_printf(map->arena, "%s%s%s", words, *words ? "; " : "", text);
    }
    tp_object_add_text(object, "words", words);
}

static void put_map_rows(const struct map *map, struct tp_object *object)
{
    struct tp_naming naming = {.arena = map->arena};
    struct tp_list *list = tp_object_add_list(object, "map_rows");
    for (uint32_t row = 0; row < map->row_count; row++) {
        struct tp_object *item = tp_list_add_object(list);
        uint32_t first = row * map->names_per_row, end = first + map->names_per_row;
        end = end < map->names.count ? end : map->names.count;
        struct tp_str name = tp_shown_text(&naming, tp_strings_get(&map->names, first));
        if (end - first > 1)
            name = tp_str_of(tp_text_printf(map->arena, "%.*s and %u more", (int)name.len, name.ptr, end - first - 1));
        tp_object_add_str(item, "label", name);
        put_map_cells(map, item, row);
    }
}

static void put_map_legend(const struct map *map, struct tp_object *object)
{
    struct tp_list *list = tp_object_add_list(object, "map_legend");
    bool is_there[OUTCOMES] = {false};
    for (size_t i = 0; i < (size_t)map->row_count * map->column_count; i++)
        is_there[map->cells[i]] = true;
    for (unsigned i = OUTCOME_EQUAL; i < OUTCOMES; i++) {
        if (!is_there[i])
            continue;
        struct tp_object *item = tp_list_add_object(list);
        tp_object_add_text(item, "fill", outcomes[i].fill);
        tp_object_add_text(item, "kind", outcomes[i].kind);
        tp_object_add_text(item, "label", outcomes[i].label);
    }
}

struct tp_data tp_precision_map_data(const struct tp_precision *precision, struct tp_arena *arena)
{
    struct map map = {.precision = precision, .arena = arena};
    if (!compute_map_cells(&map))
        return TP_NO_DATA;
    struct tp_object *object = tp_object_new(arena);
    tp_object_add_text(
        object, "map_steps",
        tp_text_printf(arena, "Steps %lld to %lld", (long long)map.steps[0], (long long)map.steps[map.step_count - 1]));
    put_map_rows(&map, object);
    put_map_legend(&map, object);
    if (map.names_per_row > 1 || map.steps_per_column > 1)
        tp_object_add_text(object, "map_note",
                           tp_text_printf(arena, "Each cell shows the worst result of %s and %s.",
                                          tp_text_of_counted_noun(arena, map.names_per_row, "tensor", "tensors"),
                                          tp_text_of_counted_noun(arena, map.steps_per_column, "step", "steps")));
    return tp_data_of_object(object);
}
