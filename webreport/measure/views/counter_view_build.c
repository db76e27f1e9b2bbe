/* Implements counter_view.h. */
#include "webreport/measure/views/counter_view.h"

#include <math.h>

#include "webreport/measure/views/counter_steps.h"
#include "writer/base/sort.h"

static const struct tp_column_def defs[TP_DEVICE_COUNTER_COLUMNS] = {
    {"device", "Device", "", "Number of the device.", TP_COLUMN_INT},
    {"counter", "Counter", "", "Name of the counter, with its unit.", TP_COLUMN_TEXT},
    {"samples", "Samples", "", "Number of samples in the whole recording.", TP_COLUMN_INT},
    {"min", "Lowest", "", "Lowest sample.", TP_COLUMN_REAL},
    {"mean", "Mean", "", "Mean of the samples.", TP_COLUMN_REAL},
    {"max", "Highest", "", "Highest sample.", TP_COLUMN_REAL}};

static int compare_texts(const struct tp_trace *trace, uint32_t a, uint32_t b)
{
    return a == b ? 0 : tp_str_compare(tp_strings_get(&trace->texts, a), tp_strings_get(&trace->texts, b));
}

static int compare_samples(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_trace *trace = context;
    const struct tp_device_counter *a = &trace->input.counters[x], *b = &trace->input.counters[y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    int names = compare_texts(trace, a->name, b->name);
    if (names)
        return names;
    if (a->ts_ns != b->ts_ns)
        return a->ts_ns < b->ts_ns ? -1 : 1;
    return (x > y) - (x < y);
}

static int compare_stats(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_trace *trace = context;
    const struct tp_device_counter_stats *a = &trace->input.counter_stats[x], *b = &trace->input.counter_stats[y];
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    int names = compare_texts(trace, a->name, b->name);
    return names ? names : (x > y) - (x < y);
}

static uint32_t *make_row_numbers(uint32_t count, struct tp_arena *arena)
{
    uint32_t *rows = tp_arena_array(arena, count, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = i;
    return rows;
}

/* Fills first_samples with the positions at which a counter of another device or name begins. Returns the number of
 * counters. */
static uint32_t find_first_samples(struct tp_counter_view *view, const struct tp_input_facts *facts)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < facts->counter_count; i++) {
        const struct tp_device_counter *now = &facts->counters[view->samples[i]],
                                       *before = i ? &facts->counters[view->samples[i - 1]] : NULL;
        if (!before || before->device != now->device || before->name != now->name)
            view->first_samples[count++] = i;
    }
    view->first_samples[count] = facts->counter_count;
    return count;
}

static void set_row(struct tp_table *table, size_t row, const struct tp_device_counter_stats *stats,
                    const struct tp_trace *trace)
{
    tp_table_int(table, TP_DEVICE_COUNTER_DEVICE)[row] = stats->device;
    tp_table_text(table, TP_DEVICE_COUNTER_NAME)[row] = tp_strings_get(&trace->texts, stats->name);
    tp_table_int(table, TP_DEVICE_COUNTER_SAMPLES)[row] = stats->sample_count;
    tp_table_real(table, TP_DEVICE_COUNTER_MIN)[row] = stats->min;
    tp_table_real(table, TP_DEVICE_COUNTER_MEAN)[row] = stats->mean;
    tp_table_real(table, TP_DEVICE_COUNTER_MAX)[row] = stats->max;
}

static struct tp_device_counter_stats stats_of_samples(const struct tp_counter_view *view, uint32_t row,
                                                       const struct tp_input_facts *facts)
{
    uint32_t first = view->first_samples[row], end = view->first_samples[row + 1];
    const struct tp_device_counter *sample = &facts->counters[view->samples[first]];
    struct tp_device_counter_stats stats = {.device = sample->device,
                                            .name = sample->name,
                                            .sample_count = end - first,
                                            .min = sample->value,
                                            .max = sample->value};
    double mean = 0;
    for (uint32_t i = first; i < end; i++) {
        double value = facts->counters[view->samples[i]].value;
        stats.min = fmin(stats.min, value);
        stats.max = fmax(stats.max, value);
        mean += (value - mean) / (i - first + 1); /* a sum of finite values might overflow */
    }
    stats.mean = mean;
    return stats;
}

/* ---- the view ---- */

static void build_from_samples(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_input_facts *facts = &model->trace->input;
    view->samples = make_row_numbers(facts->counter_count, arena);
    view->first_samples = tp_arena_array(arena, facts->counter_count + 1u, sizeof *view->first_samples);
    tp_sort_rows(view->samples, facts->counter_count, compare_samples, model->trace, arena);
    uint32_t count = find_first_samples(view, facts);
    tp_table_init(&view->counters, arena, "counters", defs, TP_DEVICE_COUNTER_COLUMNS, count);
    for (uint32_t row = 0; row < count; row++) {
        struct tp_device_counter_stats stats = stats_of_samples(view, row, facts);
        set_row(&view->counters, row, &stats, model->trace);
    }
}

static void build_from_stats(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_input_facts *facts = &model->trace->input;
    uint32_t count = facts->counter_stat_count, *rows = make_row_numbers(count, arena);
    tp_sort_rows(rows, count, compare_stats, model->trace, arena);
    tp_table_init(&view->counters, arena, "counters", defs, TP_DEVICE_COUNTER_COLUMNS, count);
    for (uint32_t row = 0; row < count; row++)
        set_row(&view->counters, row, &facts->counter_stats[rows[row]], model->trace);
}

void tp_counter_view_build_counters(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_input_facts *facts = &model->trace->input;
    *view = (struct tp_counter_view){.is_present = facts->counter_count + facts->counter_stat_count > 0,
                                     .energy_per_step_j = NAN};
    if (facts->counter_count)
        build_from_samples(view, model, arena);
    else if (view->is_present)
        build_from_stats(view, model, arena);
    view->counters.title = "Counters";
}

void tp_counter_view_build(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    tp_counter_view_build_counters(view, model, arena);
    tp_counter_steps_build(view, model, arena);
}

#define F struct tp_counter_view
static const struct tp_json_field fields[] = {
    {"counters", TP_PLAIN(F, counters), TP_DEFINITION("statistics of the counters, by device and name")},
    {"steps", TP_PLAIN(F, steps), TP_DEFINITION("energy and clock of each device in each analysed step")},
    {"energy_per_step_joules", TP_PLAIN(F, energy_per_step_j),
     TP_DEFINITION("energy that all devices use in a step, from the counter Power (W); null: unknown")},
    {"energy_is_at_least", TP_PLAIN(F, energy_is_at_least),
     TP_DEFINITION("true: the samples do not cover all of the analysed steps, so a step uses at least this energy")},
};
#undef F
const struct tp_fields tp_counter_view_fields = TP_FIELDS("Counters of devices", fields);
