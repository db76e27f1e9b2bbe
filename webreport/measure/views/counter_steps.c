/* Implements counter_steps.h. */
#include "webreport/measure/views/counter_steps.h"

#include <math.h>

#include "webreport/measure/views/counter_walk.h"
#include "webreport/model/numbers.h"
#include "writer/base/limits.h"

static const int64_t SHORTEST_STEP_NS = 200000000; /* sensors of power average over up to 100 ms */
static const double LEAST_COVERED = 0.9;           /* part of the steps whose power must be known */
static const double HIGH_CLOCK = 0.95;             /* part of the highest clock */
static const double FULL_POWER = 0.98, HOT_C = 85; /* part of the highest power; temperature, °C */

static const struct tp_column_def defs[TP_COUNTER_STEP_COLUMNS] = {
    {"device", "Device", "", "Number of the device.", TP_COLUMN_INT},
    {"step", "Step", "", "Name of the step.", TP_COLUMN_TEXT},
    {"length_us", "Length", "us", "Length of the step.", TP_COLUMN_NS},
    {"energy_joules", "Energy, J", "J",
     "Integral of the power. Unknown for steps below 200 ms, because sensors average over up to 100 ms.",
     TP_COLUMN_REAL},
    {"mean_watts", "Power, W", "W", "Energy divided by the length of the step.", TP_COLUMN_REAL},
    {"high_clock_percent", "High clock", "%",
     "Share of the busy time of the device with at least 95 % of its highest clock.", TP_COLUMN_REAL},
    {"low_clock_us", "Low clock", "us", "Busy time with a lower clock.", TP_COLUMN_NS},
    {"power_limit_us", "At power limit", "us", "Part of it with at least 98 % of the highest power.", TP_COLUMN_NS},
    {"heat_limit_us", "Hot", "us", "Part of it with at least 85 °C.", TP_COLUMN_NS}};

/* Busy time of a device in one step, ns. */
struct clock_times {
    int64_t known, low, powered, hot; /* with a known clock; low clock; low clock for a reason */
};

/* The counters of one device, and its analysed steps. */
struct device {
    int64_t number;
    struct tp_counter_walk power, clock, heat;
    const struct tp_step *const *steps;
    uint32_t step_count;
    struct clock_times *times; /* for each analysed step */
};

/* ---- energy ---- */

/* Returns the power at a time between two samples, on a straight line. */
static double power_between(const struct tp_device_counter *a, const struct tp_device_counter *b, int64_t ts_ns)
{
    double part = (double)(ts_ns - a->ts_ns) / (double)(b->ts_ns - a->ts_ns);
    return a->value * (1 - part) + b->value * part;
}

/* Returns the integral of the power over [from, to) by the trapezoid rule, joules. *known_ns: length of the part of
 * [from, to) in which the power is known, ns. Moves the walk to the last sample at or before `from`. */
static double integrate(struct tp_counter_walk *power, int64_t from, int64_t to, int64_t *known_ns)
{
    double joules = 0;
    *known_ns = 0;
    tp_counter_walk_value(power, from);
    for (uint32_t i = power->at; i + 1 < power->end && tp_counter_walk_sample(power, i)->ts_ns < to; i++) {
        const struct tp_device_counter *a = tp_counter_walk_sample(power, i), *b = tp_counter_walk_sample(power, i + 1);
        int64_t first = tp_ns_max(a->ts_ns, from), last = tp_ns_min(b->ts_ns, to);
        if (last <= first || !tp_counter_walk_is_known(power, i) || a->value < 0 || b->value < 0)
            continue;
        double watts = power_between(a, b, first) / 2 + power_between(a, b, last) / 2;
        joules += watts * ((double)(last - first) / 1e9);
        *known_ns += last - first;
    }
    return joules;
}

/* ---- clock ---- */

/* Adds the busy time [a, b) to the times of the steps from number *step on. Moves *step to the first step that ends
 * after a. */
static void add_busy(const struct device *device, uint32_t *step, struct tp_interval busy, struct clock_times part)
{
    while (*step < device->step_count && device->steps[*step]->end_ns <= busy.a)
        ++*step;
    for (uint32_t s = *step; s < device->step_count && device->steps[s]->start_ns < busy.b; s++) {
        int64_t ns = tp_ns_min(busy.b, device->steps[s]->end_ns) - tp_ns_max(busy.a, device->steps[s]->start_ns);
        device->times[s].known += ns;
        device->times[s].low += part.low * ns;
        device->times[s].powered += part.powered * ns;
        device->times[s].hot += part.hot * ns;
    }
}

/* Sums the busy time in each step by clock and its reasons. Samples, busy times and steps are in the order of time, so
 * one pass suffices. */
static void sum_clock_times(struct device *device, struct tp_intervals busy)
{
    struct tp_counter_walk power = device->power, heat = device->heat, *clock = &device->clock;
    double high = HIGH_CLOCK * tp_counter_walk_highest(clock), full = FULL_POWER * tp_counter_walk_highest(&power);
    size_t at = 0;
    uint32_t step = 0;
    for (uint32_t i = clock->at; i + 1 < clock->end; i++) {
        const struct tp_device_counter *now = tp_counter_walk_sample(clock, i);
        int64_t from = now->ts_ns, to = tp_counter_walk_sample(clock, i + 1)->ts_ns;
        bool is_low = now->value < high;
        struct clock_times part = {.low = is_low,
                                   .powered = is_low && tp_counter_walk_value(&power, from) >= full,
                                   .hot = is_low && tp_counter_walk_value(&heat, from) >= HOT_C};
        if (!tp_counter_walk_is_known(clock, i))
            continue;
        while (at < busy.count && busy.items[at].b <= from)
            at++;
        for (size_t k = at; k < busy.count && busy.items[k].a < to; k++)
            add_busy(device, &step,
                     (struct tp_interval){tp_ns_max(from, busy.items[k].a), tp_ns_min(to, busy.items[k].b)}, part);
    }
}

/* ---- rows ---- */

static void fill_clock(const struct tp_table *table, size_t row, const struct device *device, struct clock_times t)
{
    bool has_power = t.known && device->power.end, has_heat = t.known && device->heat.end;
    tp_table_real(table, TP_COUNTER_STEP_HIGH_CLOCK)[row] = t.known ? tp_percent(t.known - t.low, t.known) : NAN;
    tp_table_int(table, TP_COUNTER_STEP_LOW_CLOCK)[row] = t.known ? t.low : TP_NULL_INT;
    tp_table_int(table, TP_COUNTER_STEP_POWER_LIMIT)[row] = has_power ? t.powered : TP_NULL_INT;
    tp_table_int(table, TP_COUNTER_STEP_HEAT_LIMIT)[row] = has_heat ? t.hot : TP_NULL_INT;
}

/* Sums of one device over the analysed steps. */
struct energy {
    double joules;
    int64_t known_ns;
};

/* Sums the energy of a device, and fills the rows of its steps from `row` on if the table has room. */
static struct energy fill_steps(const struct tp_table *table, size_t row, struct device *device)
{
    struct energy sum = {0};
    for (uint32_t s = 0; s < device->step_count; s++) {
        const struct tp_step *step = device->steps[s];
        int64_t length = tp_sat_sub(step->end_ns, step->start_ns), known_ns;
        double joules = integrate(&device->power, step->start_ns, step->end_ns, &known_ns);
        bool is_known = known_ns == length && length >= SHORTEST_STEP_NS && isfinite(joules);
        sum.joules += joules;
        sum.known_ns += known_ns;
        if (!table->row_count)
            continue;
        tp_table_int(table, TP_COUNTER_STEP_DEVICE)[row] = device->number;
        tp_table_text(table, TP_COUNTER_STEP_NAME)[row] = step->name;
        tp_table_int(table, TP_COUNTER_STEP_LENGTH)[row] = length;
        tp_table_real(table, TP_COUNTER_STEP_ENERGY)[row] = is_known ? joules : NAN;
        tp_table_real(table, TP_COUNTER_STEP_WATTS)[row] = is_known ? joules / ((double)length / 1e9) : NAN;
        fill_clock(table, row++, device, device->times[s]);
    }
    return sum;
}

/* Adds the energy of a device to that of a step. */
static void add_energy(struct tp_counter_view *view, const struct tp_model *model, struct energy sum)
{
    if ((double)sum.known_ns < LEAST_COVERED * (double)model->window_ns || !isfinite(sum.joules))
        view->energy_per_step_j = NAN;
    else
        view->energy_per_step_j += sum.joules / model->used_count;
    view->energy_is_at_least |= sum.known_ns < model->window_ns;
}

/* Finds the device whose counters begin at a row of the view. Returns false if no device begins there, or the device
 * has no samples of its power and clock. */
static bool find_device(struct device *device, const struct tp_counter_view *view, const struct tp_model *model,
                        size_t row)
{
    const int64_t *numbers = tp_table_int(&view->counters, TP_DEVICE_COUNTER_DEVICE);
    if (row && numbers[row] == numbers[row - 1])
        return false;
    device->number = numbers[row];
    device->power = tp_counter_walk_start(view, model, device->number, TP_POWER_COUNTER);
    device->clock = tp_counter_walk_start(view, model, device->number, TP_CLOCK_COUNTER);
    device->heat = tp_counter_walk_start(view, model, device->number, TP_HEAT_COUNTER);
    return device->power.end || device->clock.end;
}

static const struct tp_step **list_used_steps(const struct tp_model *model, struct tp_arena *arena)
{
    const struct tp_step **steps = tp_arena_array(arena, model->used_count, sizeof *steps);
    for (uint32_t s = 0, count = 0; s < model->step_count; s++)
        if (tp_step_is_used(&model->steps[s]))
            steps[count++] = &model->steps[s];
    return steps;
}

void tp_counter_steps_build(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct device device = {.step_count = model->used_count};
    size_t counters = model->window_ns && view->samples ? view->counters.row_count : 0, rows = 0, at = 0;
    bool has_power = false;
    for (size_t row = 0; row < counters; row++)
        if (find_device(&device, view, model, row)) {
            rows += model->used_count;
            has_power |= device.power.end > 0;
        }
    tp_table_init(&view->steps, arena, "counter_steps", defs, TP_COUNTER_STEP_COLUMNS,
                  rows <= TP_MAX_COUNTER_STEPS ? rows : 0);
    view->steps.title = "Power and clocks by step";
    if (!rows || rows > TP_MAX_COUNTER_SUMS)
        return;
    device.steps = list_used_steps(model, arena);
    device.times = tp_arena_array(arena, model->used_count, sizeof *device.times);
    view->energy_per_step_j = has_power ? 0 : NAN;
    for (size_t row = 0; row < counters; row++) {
        if (!find_device(&device, view, model, row))
            continue;
        const struct tp_gpu *gpu = tp_model_gpu(model, device.number);
        memset(device.times, 0, model->used_count * sizeof *device.times);
        if (gpu && view->steps.row_count)
            sum_clock_times(&device, gpu->busy);
        struct energy sum = fill_steps(&view->steps, at, &device);
        at += model->used_count;
        if (device.power.end)
            add_energy(view, model, sum);
    }
    view->energy_is_at_least &= !isnan(view->energy_per_step_j);
}
