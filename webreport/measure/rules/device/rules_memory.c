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

/* ---- C26: a low clock ---- */

/* A walk over the samples of one counter in the order of time. */
struct walk {
    const struct tp_counter_view *view;
    const struct tp_device_counter *counters;
    uint32_t at, end; /* positions in view->samples; at == end: the counter has no sample at the time */
};

static struct walk start_walk(const struct tp_counter_view *view, const struct tp_model *model, int64_t device,
                              const char *name)
{
    size_t row = tp_counter_view_find(view, device, name);
    if (row == SIZE_MAX)
        return (struct walk){0};
    return (struct walk){view, model->trace->input.counters, view->first_samples[row], view->first_samples[row + 1]};
}

static const struct tp_device_counter *sample_at(const struct walk *w, uint32_t at)
{
    return &w->counters[w->view->samples[at]];
}

/* Returns the last sample at or before a time; NaN without one. Times must ascend from call to call. */
static double value_at(struct walk *w, int64_t ts_ns)
{
    while (w->at + 1 < w->end && sample_at(w, w->at + 1)->ts_ns <= ts_ns)
        w->at++;
    return w->at < w->end && sample_at(w, w->at)->ts_ns <= ts_ns ? sample_at(w, w->at)->value : NAN;
}

static double highest_value(const struct walk *w)
{
    double highest = NAN;
    for (uint32_t i = w->at; i < w->end; i++)
        highest = fmax(highest, sample_at(w, i)->value);
    return highest;
}

/* times of one device in the analysed steps, ns, and sums of clocks */
struct times {
    int64_t low_ns, powered_ns, hot_ns; /* low clock; low clock and power at its limit; low clock and hot */
    double clock_ns;                    /* sum of low clock times length, MHz ns */
};

/* Sums the time with a low clock. The value of a sample counts until the next sample of the clock. */
static struct times sum_times(struct tp_advisor *a, const struct walk *clock, struct walk power, struct walk heat)
{
    struct times t = {0};
    size_t at = 0;
    double low = highest_value(clock) * (1 - tp_rule_value(a, TP_RULE_C26, "min_drop_pct") / 100);
    double full = highest_value(&power) * tp_rule_value(a, TP_RULE_C26, "power_pct") / 100;
    double hot = tp_rule_value(a, TP_RULE_C26, "hot_c");
    for (uint32_t i = clock->at; i + 1 < clock->end; i++) {
        const struct tp_device_counter *now = sample_at(clock, i);
        int64_t ns = tp_window_length_within(a->model, &at, now->ts_ns, sample_at(clock, i + 1)->ts_ns);
        double watts = value_at(&power, now->ts_ns), degrees = value_at(&heat, now->ts_ns);
        if (!(now->value <= low) || !ns)
            continue;
        t.low_ns = tp_sat_add(t.low_ns, ns);
        t.clock_ns += now->value * (double)ns;
        t.powered_ns = tp_sat_add(t.powered_ns, watts >= full ? ns : 0);
        t.hot_ns = tp_sat_add(t.hot_ns, degrees >= hot ? ns : 0);
    }
    return t;
}

/* Adds the finding of one device. In most of the time with a low clock, power or temperature must be at the limit,
 * because a device also lowers its clock when it has little work. */
static void examine_clock(struct tp_advisor *a, const struct tp_counter_view *view, int64_t device)
{
    const double MOST = 0.8;
    struct walk clock = start_walk(view, a->model, device, "SM Clock (MHz)");
    struct walk power = start_walk(view, a->model, device, "Power (W)");
    struct walk heat = start_walk(view, a->model, device, "Temperature (C)");
    if ((double)(clock.end - clock.at) < tp_rule_value(a, TP_RULE_C26, "min_samples"))
        return;
    struct times t = sum_times(a, &clock, power, heat);
    bool is_hot = (double)t.hot_ns >= MOST * (double)t.low_ns,
         is_full = (double)t.powered_ns >= MOST * (double)t.low_ns;
    double share = tp_percent(t.low_ns, a->model->window_ns);
    if (!t.low_ns || share < tp_rule_value(a, TP_RULE_C26, "min_pct") || (!is_hot && !is_full))
        return;
    struct tp_candidate c = {.rule = TP_RULE_C26, .is_forced = true, .severity = TP_SEVERITY_MEDIUM, .share = share};
    double mean = t.clock_ns / (double)t.low_ns, highest = highest_value(&clock);
    c.details = is_hot ? TP_DETAIL(a, TP_DETAIL_CLOCK_HEAT, TP_OF_PERCENT(share), TP_OF_NUMBER(mean),
                                   TP_OF_NUMBER(highest), TP_OF_NUMBER(highest_value(&heat)))
                       : TP_DETAIL(a, TP_DETAIL_CLOCK_POWER, TP_OF_PERCENT(share), TP_OF_NUMBER(mean),
                                   TP_OF_NUMBER(highest), TP_OF_NUMBER(highest_value(&power)));
    tp_advisor_add_finding(a, &c);
}

static void evaluate_clocks(struct tp_advisor *a)
{
    const struct tp_counter_view *view = &a->counters;
    for (size_t row = 0; view->samples && row < view->counters.row_count; row++) {
        const int64_t *devices = tp_table_int(&view->counters, TP_DEVICE_COUNTER_DEVICE);
        if (!row || devices[row] != devices[row - 1])
            examine_clock(a, view, devices[row]);
    }
}
