/* Implements counter_steps.h. */
#include "webreport/measure/views/counter_steps.h"

#include <math.h>

#include "webreport/measure/views/counter_walk.h"
#include "webreport/model/numbers.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"

static const int64_t LONGEST_GAP_NS = 1000000000;  /* the value between samples further apart is unknown */
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

/* Counters of one device. The sets are parts of its busy time. */
struct device {
    int64_t number;
    struct tp_counter_walk power, clock;
    struct tp_intervals known, low, powered, hot; /* known clock; low clock; low clock for a reason */
};

/* ---- energy ---- */

/* Returns the power at a time between two samples, on a straight line. */
static double power_between(const struct tp_device_counter *a, const struct tp_device_counter *b, int64_t ts_ns)
{
    double part = (double)(ts_ns - a->ts_ns) / (double)(b->ts_ns - a->ts_ns);
    return a->value * (1 - part) + b->value * part;
}

/* Returns the integral of the power over [from, to) by the trapezoid rule, joules. *known_ns: length of the part of
 * [from, to) between samples at most a second apart, ns. Moves the walk to the last sample at or before `from`. */
static double integrate(struct tp_counter_walk *power, int64_t from, int64_t to, int64_t *known_ns)
{
    double joules = 0;
    *known_ns = 0;
    tp_counter_walk_value(power, from);
    for (uint32_t i = power->at; i + 1 < power->end && tp_counter_walk_sample(power, i)->ts_ns < to; i++) {
        const struct tp_device_counter *a = tp_counter_walk_sample(power, i), *b = tp_counter_walk_sample(power, i + 1);
        int64_t first = tp_ns_max(a->ts_ns, from), last = tp_ns_min(b->ts_ns, to);
        if (last <= first || tp_sat_sub(b->ts_ns, a->ts_ns) > LONGEST_GAP_NS)
            continue;
        double watts = power_between(a, b, first) / 2 + power_between(a, b, last) / 2;
        joules += watts * ((double)(last - first) / 1e9);
        *known_ns += last - first;
    }
    return joules;
}

/* ---- clock ---- */

static struct tp_intervals busy_part(const struct tp_gpu *gpu, struct tp_vec *times, struct tp_arena *arena)
{
    return tp_intervals_intersection(arena, tp_intervals_from_vec(times), gpu->busy);
}

/* Finds the busy time with a low clock, and its reasons. gpu: NULL: the device has no operations. */
static void find_low_clock(struct device *device, const struct tp_gpu *gpu, struct tp_counter_walk heat,
                           struct tp_arena *arena)
{
    struct tp_vec known = TP_VEC(arena, struct tp_interval), low = known, powered = known, hot = known;
    struct tp_counter_walk power = device->power, *clock = &device->clock;
    double high = HIGH_CLOCK * tp_counter_walk_highest(clock), full = FULL_POWER * tp_counter_walk_highest(&power);
    if (!gpu)
        return;
    for (uint32_t i = clock->at; i + 1 < clock->end; i++) {
        const struct tp_device_counter *now = tp_counter_walk_sample(clock, i);
        int64_t from = now->ts_ns, to = tp_counter_walk_sample(clock, i + 1)->ts_ns;
        if (tp_sat_sub(to, from) > LONGEST_GAP_NS)
            continue;
        tp_intervals_push(&known, from, to);
        if (now->value >= high)
            continue;
        tp_intervals_push(&low, from, to);
        if (tp_counter_walk_value(&power, from) >= full)
            tp_intervals_push(&powered, from, to);
        if (tp_counter_walk_value(&heat, from) >= HOT_C)
            tp_intervals_push(&hot, from, to);
    }
    device->known = busy_part(gpu, &known, arena);
    device->low = busy_part(gpu, &low, arena);
    device->powered = busy_part(gpu, &powered, arena);
    device->hot = busy_part(gpu, &hot, arena);
}

static const struct tp_gpu *find_gpu(const struct tp_model *model, int64_t number)
{
    for (uint32_t i = 0; i < model->gpu_count; i++)
        if (model->gpus[i].id == number)
            return &model->gpus[i];
    return NULL;
}

/* ---- rows ---- */

static void fill_clock(const struct tp_table *table, size_t row, const struct device *device,
                       const struct tp_counter_walk *heat, const struct tp_step *step)
{
    int64_t a = step->start_ns, b = step->end_ns, known = tp_intervals_length_within(device->known, a, b);
    int64_t low = known ? tp_intervals_length_within(device->low, a, b) : TP_NULL_INT;
    bool has_power = known && device->power.at < device->power.end, has_heat = known && heat->at < heat->end;
    tp_table_real(table, TP_COUNTER_STEP_HIGH_CLOCK)[row] = known ? tp_percent(known - low, known) : NAN;
    tp_table_int(table, TP_COUNTER_STEP_LOW_CLOCK)[row] = low;
    tp_table_int(table, TP_COUNTER_STEP_POWER_LIMIT)[row] =
        has_power ? tp_intervals_length_within(device->powered, a, b) : TP_NULL_INT;
    tp_table_int(table, TP_COUNTER_STEP_HEAT_LIMIT)[row] =
        has_heat ? tp_intervals_length_within(device->hot, a, b) : TP_NULL_INT;
}

/* Sums of one device over the analysed steps. */
struct energy {
    double joules;
    int64_t known_ns;
};

/* Fills the rows of a device from row `row` on. has_room: false: only sums the energy. */
static struct energy fill_device(const struct tp_table *table, size_t row, struct device *device,
                                 struct tp_counter_walk heat, const struct tp_model *model, bool has_room)
{
    struct energy sum = {0};
    for (uint32_t s = 0; s < model->step_count; s++) {
        const struct tp_step *step = &model->steps[s];
        int64_t length = tp_sat_sub(step->end_ns, step->start_ns), known_ns;
        if (!tp_step_is_used(step))
            continue;
        double joules = integrate(&device->power, step->start_ns, step->end_ns, &known_ns);
        bool is_known = known_ns == length && length >= SHORTEST_STEP_NS && isfinite(joules);
        sum.joules += joules;
        sum.known_ns += known_ns;
        if (!has_room)
            continue;
        tp_table_int(table, TP_COUNTER_STEP_DEVICE)[row] = device->number;
        tp_table_text(table, TP_COUNTER_STEP_NAME)[row] = step->name;
        tp_table_int(table, TP_COUNTER_STEP_LENGTH)[row] = length;
        tp_table_real(table, TP_COUNTER_STEP_ENERGY)[row] = is_known ? joules : NAN;
        tp_table_real(table, TP_COUNTER_STEP_WATTS)[row] = is_known ? joules / ((double)length / 1e9) : NAN;
        fill_clock(table, row++, device, &heat, step);
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

/* Fills `devices` with the devices that have samples of their power or clock. Returns their number. */
static size_t find_devices(struct device *devices, const struct tp_counter_view *view, const struct tp_model *model)
{
    const int64_t *numbers = tp_table_int(&view->counters, TP_DEVICE_COUNTER_DEVICE);
    size_t count = 0;
    for (size_t row = 0; row < view->counters.row_count; row++) {
        if (row && numbers[row] == numbers[row - 1])
            continue;
        struct device device = {.number = numbers[row]};
        device.power = tp_counter_walk_start(view, model, device.number, "Power (W)");
        device.clock = tp_counter_walk_start(view, model, device.number, "SM Clock (MHz)");
        if (device.power.end || device.clock.end)
            devices[count++] = device;
    }
    return count;
}

void tp_counter_steps_build(struct tp_counter_view *view, const struct tp_model *model, struct tp_arena *arena)
{
    struct device *devices = tp_arena_array(arena, view->counters.row_count, sizeof *devices);
    size_t count = model->window_ns ? find_devices(devices, view, model) : 0;
    bool has_room = count <= TP_MAX_COUNTER_STEPS / (model->used_count + 1u), has_power = false;
    tp_table_init(&view->steps, arena, "counter_steps", defs, TP_COUNTER_STEP_COLUMNS,
                  has_room ? count * model->used_count : 0);
    view->steps.title = "Power and clocks by step";
    view->energy_per_step_j = 0;
    for (size_t i = 0; i < count; i++) {
        struct tp_counter_walk heat = tp_counter_walk_start(view, model, devices[i].number, "Temperature (C)");
        bool is_powered = devices[i].power.end > 0;
        if (has_room)
            find_low_clock(&devices[i], find_gpu(model, devices[i].number), heat, arena);
        struct energy sum = fill_device(&view->steps, i * model->used_count, &devices[i], heat, model, has_room);
        if (is_powered)
            add_energy(view, model, sum);
        has_power |= is_powered;
    }
    if (!has_power)
        view->energy_per_step_j = NAN;
    view->energy_is_at_least &= !isnan(view->energy_per_step_j);
}
