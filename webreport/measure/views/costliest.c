/* Implements costliest.h: finds the kernels and operators of the analysed steps that take the most time. */
#include "webreport/measure/views/costliest.h"

#include "webreport/model/second_copy.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"
#include "writer/base/str.h"

static const struct tp_column_def defs[TP_HEAVY_COLUMNS] = {
    {"name", "Name", "", "Name of the kernel or {operator}.", TP_COLUMN_TEXT},
    {"calls", "Calls", "", "Number of calls in the analysed steps.", TP_COLUMN_INT},
    {"time_us", "Time", "us", "Time of all calls in the analysed steps.", TP_COLUMN_NS}};

/* time and number of calls of each item; an item is a row of the kernel view or the name of an operator */
struct heaviest {
    const struct tp_str *names;
    int64_t *ns, *calls;
};

static int compare_by_time(const void *context, uint32_t x, uint32_t y)
{
    const struct heaviest *all = context;
    if (all->ns[x] != all->ns[y])
        return all->ns[x] > all->ns[y] ? -1 : 1;
    return tp_str_compare(all->names[x], all->names[y]);
}

static void fill_rows(struct tp_table *out, struct heaviest *all, uint32_t item_count, struct tp_arena *arena)
{
    uint32_t *rows = tp_arena_array(arena, item_count, sizeof *rows), count = 0;
    for (uint32_t i = 0; i < item_count; i++)
        if (all->ns[i] > 0)
            rows[count++] = i;
    tp_sort_rows(rows, count, compare_by_time, all, arena);
    tp_table_init(out, arena, "heaviest", defs, TP_HEAVY_COLUMNS, count);
    for (uint32_t row = 0; row < count; row++) {
        tp_table_text(out, TP_HEAVY_NAME)[row] = all->names[rows[row]];
        tp_table_int(out, TP_HEAVY_CALLS)[row] = all->calls[rows[row]];
        tp_table_int(out, TP_HEAVY_TIME)[row] = all->ns[rows[row]];
    }
}

void tp_find_costliest_kernels(struct tp_table *out, const struct tp_kernel_view *view, struct tp_arena *arena)
{
    const struct tp_table *rows = &view->by_name;
    struct heaviest all = {tp_table_text(rows, TP_KERNEL_NAME), tp_table_int(rows, TP_KERNEL_IN_STEPS),
                           tp_table_int(rows, TP_KERNEL_CALLS_IN_STEPS)};
    fill_rows(out, &all, (uint32_t)rows->row_count, arena);
}

void tp_find_costliest_operators(struct tp_table *out, const struct tp_model *model, bool by_device,
                                 struct tp_arena *arena)
{
    const struct tp_strings *names = &model->trace->names;
    const struct tp_narrow *self = by_device ? &model->operators.device_self : &model->operators.host_self;
    struct heaviest all = {names->items, tp_arena_array(arena, names->count, sizeof(int64_t)),
                           tp_arena_array(arena, names->count, sizeof(int64_t))};
    bool is_marked = model->step_marker != TP_MARKER_WINDOW;
    size_t near = 0;
    for (uint32_t i = 0; i < model->operators.count; i++) {
        const struct tp_event *e = tp_operator_event(model, i);
        if (is_marked && !tp_intervals_contain_near(model->window, e->ts_ns, &near))
            continue;
        all.ns[e->name] = tp_sat_add(all.ns[e->name], tp_narrow_get(self, i));
        all.calls[e->name] += !tp_operator_is_second_copy(model, i);
    }
    fill_rows(out, &all, names->count, arena);
}
