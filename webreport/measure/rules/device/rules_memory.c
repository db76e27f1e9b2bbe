/* Rules about limits of a device: memory that is nearly full (D1), fragmented (D3), or grows in each step (D4), and a
 * clock that drops because power or temperature is at a limit (C26). */
#include <stdio.h>

#include "webreport/measure/rules/rules_eval.h"
#include "webreport/measure/rules/rules_texts.h"
#include "webreport/trace/frame.h"
#include "writer/text/format.h"

static void evaluate_memory(struct tp_advisor *a);
static void evaluate_clocks(struct tp_advisor *a);

const struct tp_rule tp_rule_D1 = {
    .id = "D1",
    .title = "Free GPU memory: checkpoint activations, or use a smaller batch or type",
    .confidence = TP_CONFIDENCE_HIGH,
    .thresholds = {{"min_pct", 90.0, false}, {"engines", 0, true}},
    .advice = "Use activation checkpointing, a smaller data type or a smaller batch, or shard the model.",
    .doc_url = DOC_CUDA,
    .cause = "memory.capacity",
    .native = {.title = "Free device memory: drop unused buffers, or use smaller types or batches",
               .advice = "Free memory that is no longer needed, use a smaller data type or batch, or distribute the "
                         "data over devices."},
    .inference = {.title = "Free GPU memory: use a smaller type, a smaller batch or shorter inputs",
                  .advice = "Use a smaller data type, a smaller batch or shorter inputs, or shard the model."},
    .is_about_memory = true,
    .always = evaluate_memory,
};

const struct tp_rule tp_rule_D3 = {
    .id = "D3",
    .title = "Reduce fragmentation: `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 20.0, false}, {"min_reserved_pct", 50.0, false}},
    .advice = "Try expandable segments (PYTORCH_CUDA_ALLOC_CONF), or limit the size of blocks that may be split.",
    .doc_url = DOC_CUDA,
    .cause = "memory.fragmentation",
    .native = {.title = "Reduce fragmentation: allocate few fixed sizes, and large blocks first",
               .advice = "Allocate blocks of few fixed sizes, and allocate the large blocks first."},
    .is_about_memory = true,
    .always = evaluate_memory,
};

const struct tp_rule tp_rule_D4 = {
    .id = "D4",
    .title = "Free the memory that each step keeps",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_mib", 0.25, false}},
    .advice =
        "Find the code that keeps memory of each step alive. Frequent causes are losses or outputs collected with "
        "their graph (keep .item() or .detach()), retain_graph=True, and hidden states carried over without detach().",
    .doc_url = "https://docs.pytorch.org/docs/stable/notes/faq.html",
    .cause = "memory.leak",
    .gain = {.right = 1, .known = 1},
    .native = {.advice = "Find the code that keeps memory of each step allocated, and free or reuse this memory."},
    .inference = {.advice = "Find the code that keeps memory of each step alive. Frequent causes are results collected "
                            "on the device (move them to the host), a cache without a size limit, and calls outside "
                            "torch.inference_mode. Such calls return results that keep their autograd graph."},
    .is_about_memory = true,
    .always = evaluate_memory,
};

const struct tp_rule tp_rule_C26 = {
    .id = "C26",
    .title = "Give the GPU more power or better cooling: its clock drops",
    .confidence = TP_CONFIDENCE_MEDIUM,
    .thresholds = {{"min_pct", 20.0, false},
                   {"min_drop_pct", 10.0, false},
                   {"power_pct", 98.0, false},
                   {"hot_c", 85.0, false},
                   {"min_samples", 20, true}},
    .advice = "Find the reason with `nvidia-smi -q -d PERFORMANCE`. If it is the power, raise the limit (nvidia-smi "
              "-pl WATTS) or run fewer jobs on the machine. If it is the heat, improve the cooling.",
    .native = {.title = "Give the device more power or better cooling: its clock drops",
               .advice = "Find out whether power or heat limits the clock. Raise the power limit, or improve the "
                         "cooling."},
    .inference = {.title = "Give the GPU more power or better cooling: its clock drops"},
    .serving = {.advice = "Find the reason with `nvidia-smi -q -d PERFORMANCE`. Raise the power limit or improve the "
                          "cooling; until then, expect longer steps under full load than in short tests."},
    .always = evaluate_clocks,
};

/* Returns the memory size in bytes of the device with this id; 0 if unknown. */
static int64_t device_capacity(const struct tp_trace *trace, int64_t device)
{
    const struct tp_gpu_property *property = tp_model_gpu_property(trace, device);
    return property && property->total_memory_bytes != TP_NULL_INT ? property->total_memory_bytes : 0;
}

/* Returns whether memory of this type belongs to a device with its own memory. */
static bool is_device_memory(int64_t type)
{
    return type != 0 && type != 2 && type != 5 && type != -1;
}

static void examine_device_memory(struct tp_advisor *a, const struct tp_memory_device *m, int64_t capacity)
{
    struct tp_evidence record = {
        .ordinal = m->peak_event, .ts_ns = m->peak_at_ns, .name = TP_STR("[memory]"), .file_line = TP_STR("")};
    struct tp_candidate c = {.is_forced = true, .share = NAN, .memory = &record};
    double full = tp_percent(m->peak_reserved_bytes, capacity);
    if (a->is_serving && !tp_rule_value(a, TP_RULE_D1, "engines")) {
        tp_advisor_note_skipped_rule(a, TP_RULE_D1, "a serving engine reserves most of the memory on purpose");
    } else if (full > tp_rule_value(a, TP_RULE_D1, "min_pct")) {
        c.rule = TP_RULE_D1;
        c.severity = TP_SEVERITY_HIGH;
        c.details = TP_DETAIL(a, TP_DETAIL_RESERVED, TP_OF_PERCENT(full));
        tp_advisor_add_finding(a, &c);
    }
    /* false if the percentage is NaN */
    if (m->fragmentation_percent > tp_rule_value(a, TP_RULE_D3, "min_pct") &&
        tp_percent(m->reserved_at_peak_bytes, capacity) > tp_rule_value(a, TP_RULE_D3, "min_reserved_pct")) {
        c.rule = TP_RULE_D3;
        c.severity = TP_SEVERITY_MEDIUM;
        c.details = TP_DETAIL(a, TP_DETAIL_FRAGMENTED, TP_OF_PERCENT(m->fragmentation_percent));
        tp_advisor_add_finding(a, &c);
    }
}

static void skip_memory_rules(struct tp_advisor *a, const char *reason)
{
    tp_advisor_note_skipped_rule(a, TP_RULE_D1, reason);
    tp_advisor_note_skipped_rule(a, TP_RULE_D3, reason);
}

/* ---- growth (D4) ---- */

enum { MIN_GROWING_STEPS = 4, MIB = 1 << 20, MAX_PLACES = 64 };

/* memory of a device that each analysed step allocates and does not release */
struct growth {
    int64_t *gained; /* for each step: allocated minus released bytes */
    const struct tp_memory *largest;
};

static struct growth measure_growth(const struct tp_advisor *a, uint32_t place)
{
    const struct tp_model *model = a->model;
    uint32_t near = 0;
    struct growth growth = {.gained = tp_arena_array(a->arena, model->step_count, sizeof(int64_t))};
    for (uint32_t i = 0; i < model->trace->memory_count; i++) {
        const struct tp_memory *m = &model->trace->memory[i];
        uint32_t step = m->device == place ? tp_step_of_host_time_near(model, m->ts_ns, &near) : TP_NO_ID;
        if (step >= model->step_count || !tp_step_is_used(&model->steps[step]))
            continue;
        growth.gained[step] = tp_sat_add(growth.gained[step], m->bytes);
        if (!growth.largest || m->bytes > growth.largest->bytes)
            growth.largest = m;
    }
    return growth;
}

/* Returns whether the recorder itself may keep a block of memory: the block was allocated by an operator with recorded
 * shapes inside torch.vmap. To record shapes, the recorder refers to each input tensor. This reference does not keep
 * the memory of a usual tensor, but keeps the memory of a batched tensor of vmap (torch 2.13). */
static bool is_kept_by_recorder(const struct tp_model *model, const struct tp_memory *block)
{
    bool has_shapes = false;
    for (uint32_t e = tp_innermost_event(model, block->thread, block->ts_ns); e != TP_NO_ID; e = model->inside[e]) {
        const struct tp_event *event = &model->trace->events[e];
        if (event->kind == TP_KIND_OPERATOR)
            has_shapes |= tp_strings_get(&model->trace->values, model->trace->hosts[event->detail].dims).len > 0;
        struct tp_frame frame;
        if (has_shapes && tp_kind_is_frame(event->kind) &&
            tp_frame_parse(&frame, tp_trace_event_name(model->trace, event)) &&
            tp_str_ends(frame.path, "torch/_functorch/vmap.py"))
            return true;
    }
    return false;
}

/* Adds a finding if a device's memory grows by about the same amount in each step, within a factor of two. Ignores
 * memory that is released again. Also ignores the first step, because it allocates memory for the whole run. */
static void examine_growth(struct tp_advisor *a, uint32_t place)
{
    const struct tp_model *model = a->model;
    struct growth growth = measure_growth(a, place);
    int64_t least = INT64_MAX, most = 0;
    bool is_first = true;
    for (uint32_t s = 0; s < model->step_count; s++)
        if (tp_step_is_used(&model->steps[s])) {
            if (is_first) {
                is_first = false;
                continue;
            }
            least = tp_ns_min(least, growth.gained[s]);
            most = tp_ns_max(most, growth.gained[s]);
        }
    if (!growth.largest || (double)least < tp_rule_value(a, TP_RULE_D4, "min_mib") * MIB || most / 2 > least ||
        is_kept_by_recorder(model, growth.largest))
        return;
    struct tp_evidence record = {
        .ordinal = growth.largest->ordinal,
        .ts_ns = tp_sat_sub(growth.largest->ts_ns, model->first_ns),
        .name = TP_STR("[memory]"),
        .file_line = tp_event_line(model, tp_innermost_event(model, growth.largest->thread, growth.largest->ts_ns))};
    struct tp_candidate c = {
        .rule = TP_RULE_D4, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = NAN, .memory = &record};
    c.title = TP_TITLE(TP_TITLE_GROWTH, TP_OF_BYTES(least));
    c.details = TP_DETAIL(a, TP_DETAIL_GROWTH, TP_OF_BYTES(least));
    tp_advisor_add_finding(a, &c);
}

static void find_growth(struct tp_advisor *a)
{
    uint32_t places = a->model->trace->memory_place_count;
    if (a->model->used_count < MIN_GROWING_STEPS || a->model->step_marker == TP_MARKER_WINDOW)
        return;
    for (uint32_t place = 0; place < places && place < MAX_PLACES; place++)
        examine_growth(a, place);
}

static void evaluate_memory(struct tp_advisor *a)
{
    /* largest number of devices that the search below accepts; limits the run time for damaged traces, because each
     * search scans the list of devices */
    enum { MAX_DEVICES = 4096 };
    uint32_t seen = 0;
    for (uint32_t i = 0; i < a->memory->device_count && seen < MAX_DEVICES; i++) {
        const struct tp_memory_device *m = &a->memory->devices[i];
        if (!is_device_memory(m->device_type))
            continue;
        seen++;
        int64_t capacity = device_capacity(a->model->trace, m->device_id);
        if (!capacity || !m->totals_known)
            skip_memory_rules(a, "the trace lacks the size of the device memory or its total reserved bytes");
        else
            examine_device_memory(a, m, capacity);
    }
    if (!seen)
        skip_memory_rules(a, "the trace has no records of device memory");
    find_growth(a);
}

/* ---- a low clock (C26) ---- */

/* counters of one device */
struct clocked_device {
    struct tp_counter_walk clock, power, heat;
};

/* times of one device in the analysed steps, ns, and sums of clocks */
struct times {
    int64_t known_ns;                   /* the clock is known */
    int64_t low_ns, powered_ns, hot_ns; /* low clock; low clock and power at its limit; low clock and hot */
    double clock_ns;                    /* sum of low clock times length, MHz ns */
};

static struct times sum_times(struct tp_advisor *a, const struct clocked_device *device)
{
    struct tp_counter_walk clock = device->clock, power = device->power, heat = device->heat;
    struct times t = {0};
    size_t at = 0;
    double low = tp_counter_walk_highest(&clock) * (1 - tp_rule_value(a, TP_RULE_C26, "min_drop_pct") / 100);
    double full = tp_counter_walk_highest(&power) * tp_rule_value(a, TP_RULE_C26, "power_pct") / 100;
    double hot = tp_rule_value(a, TP_RULE_C26, "hot_c");
    for (uint32_t i = clock.at; i + 1 < clock.end; i++) {
        const struct tp_device_counter *now = tp_counter_walk_sample(&clock, i);
        double watts = tp_counter_walk_value(&power, now->ts_ns), degrees = tp_counter_walk_value(&heat, now->ts_ns);
        if (!tp_counter_walk_is_known(&clock, i))
            continue;
        int64_t ns = tp_window_length_within(a->model, &at, now->ts_ns, tp_counter_walk_sample(&clock, i + 1)->ts_ns);
        t.known_ns += ns;
        if (now->value > low)
            continue;
        t.low_ns += ns;
        t.clock_ns += now->value * (double)ns;
        t.powered_ns += watts >= full ? ns : 0;
        t.hot_ns += degrees >= hot ? ns : 0;
    }
    return t;
}

static void add_clock_finding(struct tp_advisor *a, const struct clocked_device *device, struct times t, bool is_hot)
{
    double share = tp_percent(t.low_ns, a->model->window_ns), mean = t.clock_ns / (double)t.low_ns;
    struct tp_candidate c = {.rule = TP_RULE_C26, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = share};
    c.details = TP_DETAIL(a, is_hot ? TP_DETAIL_CLOCK_HEAT : TP_DETAIL_CLOCK_POWER, TP_OF_PERCENT(share),
                          TP_OF_NUMBER(round(mean)), TP_OF_NUMBER(round(tp_counter_walk_highest(&device->clock))),
                          TP_OF_NUMBER(round(tp_counter_walk_highest(is_hot ? &device->heat : &device->power))));
    tp_advisor_add_finding(a, &c);
}

static bool has_clock(const struct tp_advisor *a, int64_t number)
{
    return tp_counter_walk_start(&a->counters, a->model, number, TP_CLOCK_COUNTER).end > 0;
}

/* Adds the finding of one device. In most of the time with a low clock, power or temperature must be at the limit,
 * because a device also lowers its clock when it has little work. */
static void examine_clock(struct tp_advisor *a, int64_t number)
{
    const double MOST = 0.8;
    const struct tp_model *model = a->model;
    struct clocked_device device = {tp_counter_walk_start(&a->counters, model, number, TP_CLOCK_COUNTER),
                                    tp_counter_walk_start(&a->counters, model, number, TP_POWER_COUNTER),
                                    tp_counter_walk_start(&a->counters, model, number, TP_HEAT_COUNTER)};
    struct times t = sum_times(a, &device);
    double low_ns = (double)t.low_ns, least_ns = tp_rule_value(a, TP_RULE_C26, "min_pct") / 100 * model->window_ns;
    bool is_low = t.low_ns && low_ns >= least_ns, is_hot = (double)t.hot_ns >= MOST * low_ns,
         is_full = (double)t.powered_ns >= MOST * low_ns;
    if (device.clock.end - device.clock.at < tp_rule_value(a, TP_RULE_C26, "min_samples") ||
        (!is_low && low_ns + (double)(model->window_ns - t.known_ns) >= least_ns))
        tp_advisor_note_skipped_rule(a, TP_RULE_C26, "the trace has too few samples of the clock of a device");
    else if (is_low && (is_hot || is_full))
        add_clock_finding(a, &device, t, is_hot);
    else if (is_low && (!device.power.end || !device.heat.end))
        tp_advisor_note_skipped_rule(
            a, TP_RULE_C26, "the clock of a device is low, but the trace lacks samples of its power or temperature");
}

static void evaluate_clocks(struct tp_advisor *a)
{
    const struct tp_table *counters = &a->counters.counters;
    const int64_t *numbers = tp_table_int(counters, TP_DEVICE_COUNTER_DEVICE);
    bool lacks_clock = !a->model->gpu_count && !a->counters.samples;
    for (size_t row = 0; a->counters.samples && row < counters->row_count; row++)
        if ((!row || numbers[row] != numbers[row - 1]) && has_clock(a, numbers[row]))
            examine_clock(a, numbers[row]);
    for (uint32_t i = 0; i < a->model->gpu_count; i++)
        lacks_clock |= !has_clock(a, a->model->gpus[i].id);
    if (lacks_clock)
        tp_advisor_note_skipped_rule(a, TP_RULE_C26, "the trace has no samples of the clock of a device");
}
