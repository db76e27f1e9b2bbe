/* Implements work_view.h: sums device time and host time by kind of work. */
#include "webreport/measure/work/work_view.h"

#include <math.h>

#include "webreport/model/numbers.h"
#include "writer/base/keys.h"
#include "writer/base/ratio.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { NS_FLOPS = 1000 }; /* operations per nanosecond at 1 TFLOP/s */

#define KIND_COLUMNS(total, title, definition)                                                                         \
    {"kind", "Kind", "", "Kind of work, recognised from the names of the operation and of the {operators} around it.", \
     TP_COLUMN_WORD},                                                                                                  \
        {"calls", "Calls", "", "Number of operations of this kind of work.", TP_COLUMN_INT},                           \
        {total, title, "us", definition, TP_COLUMN_NS},                                                                \
        {"share_percent", "Share", "%", "Share of the total time of all kinds of work.", TP_COLUMN_REAL},              \
        {"names", "Names", "", "Number of distinct names of operations of this kind of work.", TP_COLUMN_INT},         \
        {"longest", "Most time", "", "Name of the operations with the most time within this kind of work.",            \
         TP_COLUMN_TEXT},                                                                                              \
    {                                                                                                                  \
        "longest_us", "Largest time", "us", "Total time of the operations whose name is in 'Most time'.", TP_COLUMN_NS \
    }

static const struct tp_column_def device_defs[TP_WORK_DEVICE_COLUMNS] = {
    KIND_COLUMNS("total_us", "Total", "Sum of the durations of the device operations of this kind."),
    {"in_steps_us", "In steps", "us", "Part of the total time that is within the analysed steps.", TP_COLUMN_NS},
    {"share_of_step_percent", "Of step time", "%",
     "Time within the analysed steps as a share of the step time. The times of overlapping streams are added.",
     TP_COLUMN_REAL},
    {"calls_in_steps", "Calls in steps", "",
     "Number of device operations of this kind that the analysed steps launched.", TP_COLUMN_INT},
    {"flops", "Operations", "", "Number of floating-point operations of the {operators} whose shapes are known.",
     TP_COLUMN_INT},
    {"bytes", "Bytes", "bytes",
     "Least number of bytes that the {operators} with known shapes and types read and write.", TP_COLUMN_BYTES},
    {"costed_us", "Time with shapes", "us", "Kernel time of the {operators} whose shapes and types are known.",
     TP_COLUMN_NS},
    {"tflops", "Rate", "TFLOP/s",
     "Floating-point operations of the {operators} with known shapes, divided by the time of their kernels.",
     TP_COLUMN_REAL},
    {"gb_per_s", "Memory", "GB/s",
     "Least number of bytes that the {operators} with known shapes read and write, divided by the time of their "
     "kernels.",
     TP_COLUMN_REAL},
    {"known_percent", "Known", "%", "Share of this kind's time in {operators} whose shapes and types are known.",
     TP_COLUMN_REAL}};
static const struct tp_column_def operator_defs[TP_WORK_OPERATOR_COLUMNS] = {
    KIND_COLUMNS("self_us", "Self", "Host time of the {operators} without the {operators} inside them.")};

struct work {
    /* sums over the units of this kind. flops, bytes: their work; costed: ns with a known cost; known: ns with a known
     * least time; untyped_flops, untyped_ns: work and ns of the calls without types, whose bytes are unknown */
    int64_t flops, bytes, costed, known, untyped_flops, untyped_ns;
    int64_t calls, total, in_steps, calls_in_steps, names, longest_ns;
    uint32_t longest; /* id of the name with the most time */
};

/* sums of work by kind, and by name within a kind */
struct grouping {
    const struct tp_model *model;
    struct tp_arena *arena;
    struct work works[TP_WORK_COUNT];
    struct tp_keys keys; /* keys (kind, name id) */
    struct tp_vec named; /* for each key: total time, ns; elements: int64_t */
    uint32_t *last;      /* for each name id: 1 + last key of the name; 0: no key yet */
    int64_t total;
};

static void init_grouping(struct grouping *g, const struct tp_model *model, struct tp_arena *arena)
{
    *g = (struct grouping){.model = model, .arena = arena, .named = TP_VEC(arena, int64_t)};
    tp_keys_init(&g->keys, arena, 2);
    g->last = tp_arena_array(arena, model->trace->names.count, sizeof *g->last);
}

/* Returns the key of a kind and a name. Tries the last key of the name first, because most names have only one kind. */
static uint32_t group_key(struct grouping *g, unsigned kind, uint32_t name)
{
    uint32_t last = g->last[name];
    if (!last || tp_keys_get(&g->keys, last - 1)[0] != kind)
        last = g->last[name] = tp_keys_pair(&g->keys, kind, name) + 1;
    return last - 1;
}

static struct work *add_time_to_group(struct grouping *g, unsigned kind, uint32_t name, int64_t ns)
{
    struct work *work = &g->works[kind];
    uint32_t key = group_key(g, kind, name);
    if (key == g->named.count)
        tp_vec_push(&g->named);
    int64_t *named = TP_AT(&g->named, int64_t, key);
    *named = tp_sat_add(*named, ns);
    work->calls++;
    work->total = tp_sat_add(work->total, ns);
    g->total = tp_sat_add(g->total, ns);
    return work;
}

static void group_device_operations(struct grouping *g, const uint8_t *kinds)
{
    const struct tp_model *model = g->model;
    uint32_t near = 0;
    size_t at = 0;
    for (uint32_t k = 0; k < model->devices.count; k++) {
        const struct tp_event *e = tp_device_event(model, k);
        struct work *work = add_time_to_group(g, kinds[k], e->name, e->dur_ns);
        work->in_steps = tp_sat_add(work->in_steps, tp_window_length_within(model, &at, e->ts_ns, tp_event_end(e)));
        work->calls_in_steps += tp_is_in_used_step(model, tp_step_of_device_near(model, k, &near));
    }
}

/* Adds the costs of units. The kind of a unit is the kind of the kernel to which its cost is assigned. */
static void add_units(struct grouping *g, const struct tp_work_units *units, const uint8_t *kinds)
{
    for (uint32_t i = 0; i < units->count; i++) {
        const struct tp_work_unit *unit = &units->items[i];
        const struct tp_cost *cost = &units->costs[unit->cost];
        struct work *work = &g->works[kinds[unit->main]];
        work->flops = tp_sat_add(work->flops, cost->flops);
        work->bytes = tp_sat_add(work->bytes, cost->bytes);
        work->costed = tp_sat_add(work->costed, unit->ns);
    }
    for (unsigned kind = 0; kind < TP_WORK_COUNT; kind++) {
        g->works[kind].known = units->known_ns[kind];
        g->works[kind].untyped_flops = units->untyped_flops[kind];
        g->works[kind].untyped_ns = units->untyped_ns[kind];
    }
}

static void group_operators(struct grouping *g, const uint8_t *kinds)
{
    const struct tp_operators *operators = &g->model->operators;
    for (uint32_t op = 0; op < operators->finished_count; op++)
        add_time_to_group(g, kinds[op], tp_operator_event(g->model, op)->name,
                          tp_narrow_get(&operators->host_self, op));
}

/* Finds the name with the most time in each kind. Of names with equal time, chooses the first in alphabetical order. */
static void find_longest_name_of_kind(struct grouping *g)
{
    const struct tp_str *names = g->model->trace->names.items;
    for (uint32_t i = 0; i < g->named.count; i++) {
        const uint32_t *key = tp_keys_get(&g->keys, i);
        int64_t ns = *TP_AT(&g->named, int64_t, i);
        struct work *work = &g->works[key[0]];
        bool is_tie = work->names && ns == work->longest_ns;
        if (!work->names++ || ns > work->longest_ns ||
            (is_tie && tp_str_compare(names[key[1]], names[work->longest]) < 0)) {
            work->longest = key[1];
            work->longest_ns = ns;
        }
    }
}

static int compare_works(const void *context, uint32_t i, uint32_t j)
{
    const struct work *works = context;
    if (works[i].total != works[j].total)
        return works[i].total > works[j].total ? -1 : 1;
    return i < j ? -1 : i > j;
}

static void fill_row(struct tp_table *table, size_t row, unsigned kind, const struct grouping *g)
{
    const struct work *work = &g->works[kind];
    tp_table_text(table, TP_WORK_KIND)[row] = tp_str_of(tp_work_text(kind));
    tp_table_int(table, TP_WORK_CALLS)[row] = work->calls;
    tp_table_int(table, TP_WORK_TOTAL)[row] = work->total;
    tp_table_real(table, TP_WORK_SHARE)[row] = tp_percent(work->total, g->total);
    tp_table_int(table, TP_WORK_NAMES)[row] = work->names;
    tp_table_text(table, TP_WORK_LONGEST)[row] = g->model->trace->names.items[work->longest];
    tp_table_int(table, TP_WORK_LONGEST_TOTAL)[row] = work->longest_ns;
    if (table->column_count < TP_WORK_DEVICE_COLUMNS)
        return;
    tp_table_int(table, TP_WORK_IN_STEPS)[row] = work->in_steps;
    tp_table_real(table, TP_WORK_SHARE_OF_STEP)[row] = tp_percent(work->in_steps, g->model->window_ns);
    tp_table_int(table, TP_WORK_CALLS_IN_STEPS)[row] = work->calls_in_steps;
    int64_t flops = tp_sat_add(work->flops, work->untyped_flops), timed = tp_sat_add(work->costed, work->untyped_ns);
    tp_table_int(table, TP_WORK_FLOPS)[row] = timed ? flops : TP_NULL_INT;
    tp_table_int(table, TP_WORK_BYTES)[row] = work->costed ? work->bytes : TP_NULL_INT;
    tp_table_int(table, TP_WORK_COSTED)[row] = work->costed;
    tp_table_real(table, TP_WORK_FLOPS_RATE)[row] = timed && flops ? tp_ratio(flops, (__int128)timed * NS_FLOPS) : NAN;
    tp_table_real(table, TP_WORK_BYTES_RATE)[row] = work->costed ? tp_ratio(work->bytes, work->costed) : NAN;
    tp_table_real(table, TP_WORK_KNOWN)[row] = tp_work_has_cost(kind) ? tp_percent(work->known, work->total) : NAN;
}

static void make_table(struct grouping *g, struct tp_works *works, const struct tp_column_def *defs, unsigned columns)
{
    uint32_t rows[TP_WORK_COUNT], count = 0;
    find_longest_name_of_kind(g);
    for (uint32_t kind = 0; kind < TP_WORK_COUNT; kind++)
        if (g->works[kind].calls)
            rows[count++] = kind;
    tp_sort_rows(rows, count, compare_works, g->works, g->arena);
    tp_table_init(&works->rows, g->arena, "by_work", defs, columns, count);
    works->rows.title = "By kind of work";
    works->kinds = tp_arena_array(g->arena, count, sizeof *works->kinds);
    for (uint32_t row = 0; row < count; row++) {
        works->kinds[row] = (uint8_t)rows[row];
        fill_row(&works->rows, row, rows[row], g);
    }
    tp_keys_release(&g->keys);
    tp_arena_free_item(g->arena, g->last, g->model->trace->names.count * sizeof *g->last);
}

void tp_work_view_build(struct tp_work_view *view, const struct tp_work_kinds *kinds, const struct tp_work_units *units,
                        struct tp_arena *arena)
{
    struct grouping g;
    init_grouping(&g, kinds->model, arena);
    group_device_operations(&g, kinds->of_device);
    add_units(&g, units, kinds->of_device);
    make_table(&g, &view->devices, device_defs, TP_WORK_DEVICE_COLUMNS);
    init_grouping(&g, kinds->model, arena);
    group_operators(&g, kinds->kind_of_operator);
    make_table(&g, &view->operators, operator_defs, TP_WORK_OPERATOR_COLUMNS);
}

static const struct tp_json_field fields[] = {
    {"devices", TP_PLAIN(struct tp_work_view, devices.rows),
     TP_DEFINITION("time of device operations by kind of work")},
    {"operators", TP_PLAIN(struct tp_work_view, operators.rows),
     TP_DEFINITION("self time of operators on the host by kind of work")},
};
const struct tp_fields tp_work_view_fields = TP_FIELDS("Kinds of work", fields);
