/* Implements folded_stacks.h: writes folded stacks. */
#include "webreport/measure/charts/folded_stacks.h"

#include "webreport/measure/program/sampled.h"
#include "webreport/measure/views/sample_view.h"
#include "writer/base/fs.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/utf8.h"
#include "writer/text/format.h"

enum { CHUNK = 1 << 16 };

/* ---- metrics ---- */

struct tp_folded_metric {
    const char *name;
    /* Returns the self value of an item; NULL for metrics of torch and of samples. */
    int64_t (*value)(const struct tp_torch *torch, uint32_t item);
    /* Returns the value of a sample that represents `ns` nanoseconds; NULL for other metrics. */
    int64_t (*sample_value)(int64_t ns);
    const char *title;
    enum tp_folded_source source; /* kind of data from which the metric's lines are made */
    enum tp_folded_unit unit;
    bool is_torch, wants_device;
};

static int64_t self_cpu_ns(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_self_sum(torch, item, 0).cpu.ns;
}

static int64_t self_device_ns(const struct tp_torch *torch, uint32_t item)
{
    return tp_torch_self_sum(torch, item, 0).device.ns;
}

static int64_t self_bytes(const struct tp_torch *torch, uint32_t item)
{
    struct tp_torch_sum self = tp_torch_self_sum(torch, item, 0);
    return tp_sat_add(self.bytes.cpu, self.bytes.gpu);
}

static int64_t call_count_value(const struct tp_torch *torch, uint32_t item)
{
    (void)torch;
    (void)item;
    return 1;
}

static int64_t sample_count_value(int64_t ns)
{
    (void)ns;
    return 1;
}

static int64_t sample_time_value(int64_t ns)
{
    return ns;
}

#define TORCH(metric, is_device)                                                                                       \
    {                                                                                                                  \
        .name = (metric), .is_torch = true, .wants_device = (is_device),                                               \
        .source = (is_device) ? TP_FOLDED_DEVICE_STACKS : TP_FOLDED_CALL_STACKS                                        \
    }

static const struct tp_folded_metric metrics[] = {
    TORCH("self_cpu_time_total", false),
    TORCH("self_cuda_time_total", true),
    TORCH("self_device_time_total", true),
    TORCH("self_xpu_time_total", true),
    TORCH("self_privateuse1_time_total", true),
    {"cpu", self_cpu_ns, NULL, "Host time of calls", TP_FOLDED_CALL_TIMES, TP_FOLDED_NS, false, false},
    {"device", self_device_ns, NULL, "Device time of calls", TP_FOLDED_LAUNCHES, TP_FOLDED_NS, false, true},
    {"bytes", self_bytes, NULL, "Bytes allocated by calls", TP_FOLDED_ALLOCATIONS, TP_FOLDED_BYTES, false, false},
    {"calls", call_count_value, NULL, "Calls", TP_FOLDED_CALLS, TP_FOLDED_COUNT, false, false},
    {"samples", NULL, sample_count_value, "Samples of running threads", TP_FOLDED_SAMPLES, TP_FOLDED_COUNT, false,
     false},
    {"samples-cpu", NULL, sample_time_value, "CPU time of sampled threads", TP_FOLDED_SAMPLES, TP_FOLDED_NS, false,
     false},
};

const struct tp_folded_metric tp_folded_live_memory = {
    .name = "live", .title = "Live memory", .source = TP_FOLDED_LIVE_MEMORY, .unit = TP_FOLDED_BYTES};

const struct tp_folded_metric *tp_folded_metric(const char *name)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

const char *tp_folded_default_metric(const struct tp_trace *trace, const char *usual)
{
    if (trace->input.has_untimed_samples)
        return "samples";
    for (uint32_t i = 0; i < trace->event_count; i++)
        if (trace->events[i].kind != TP_KIND_NONE && trace->events[i].kind != TP_KIND_SPAN)
            return usual;
    return trace->sample_count ? "samples-cpu" : usual;
}

const char *tp_folded_metric_title(const struct tp_folded_metric *metric)
{
    return metric->title;
}

enum tp_folded_source tp_folded_source(const struct tp_folded_metric *metric)
{
    return metric->source;
}

enum tp_folded_unit tp_folded_unit(const struct tp_folded_metric *metric)
{
    return metric->unit;
}

struct tp_str tp_folded_frame_name(const struct tp_folded *folded, uint32_t path)
{
    uint32_t name = tp_keys_get(&folded->paths, path)[1];
    uint32_t torch_names = folded->metric->value ? tp_torch_name_count(&folded->torch) : 0;
    return name < torch_names ? tp_torch_name_text(&folded->torch, name)
                              : tp_strings_get(&folded->frames, name - torch_names);
}

/* ---- lines ---- */

/* Returns the length in bytes of a character at `at` that lines must not contain; 0 for an allowed character. torch
 * replaces blanks, tabs, line feeds and ";". Other control characters, U+0080..9F and bidirectional characters would
 * control the terminal. Some readers, such as JavaScript, treat U+2028 and U+2029 as the end of a line; speedscope
 * silently drops lines with them. Names made by torch contain none of these characters. */
static size_t length_of_forbidden_character(struct tp_str frame, size_t at)
{
    const char *p = frame.ptr + at;
    size_t left = frame.len - at;
    unsigned char c = (unsigned char)*p;
    unsigned bidi = c < 0x80 ? 0 : tp_utf8_bidi_length(p, left);
    if (c <= ' ' || c == 0x7F || c == ';')
        return 1;
    if (bidi)
        return bidi < 0x800 ? 2 : 3;
    if (c == 0xC2 && left >= 2 && (unsigned char)p[1] < 0xA0)
        return 2;
    return left >= 3 && memcmp(p, "\xE2\x80", 2) == 0 && ((unsigned char)p[2] | 1) == 0xA9 ? 3 : 0;
}

static void append_frame_text(struct tp_buf *out, struct tp_str frame)
{
    for (size_t i = 0, size; i < frame.len; i += size ? size : 1) {
        size = length_of_forbidden_character(frame, i);
        tp_buf_putc(out, size ? '_' : frame.ptr[i]);
    }
}

/* Writes a frame with at least one character. flamegraph.pl would drop an empty frame at the end of a stack. */
static void append_frame_without_addresses(struct tp_buf *out, struct tp_str frame)
{
    append_frame_text(out, frame.len ? frame : TP_STR("_"));
}

static void append_value(struct tp_buf *out, int64_t value)
{
    tp_buf_putc(out, ' ');
    tp_buf_int(out, value);
    tp_buf_putc(out, '\n');
}

/* Returns the value that torch prints, int(evt.self_*_time_total): time in us as a double, rounded down. */
static int64_t torch_value(const struct tp_folded *folded, uint32_t item)
{
    struct tp_torch_sum self = tp_torch_self_sum(&folded->torch, item, 0);
    double us = folded->metric->wants_device ? self.device.us : self.cpu.us;
    return us >= 1 && us < 9e18 ? (int64_t)us : 0;
}

static void append_line_of_item(const struct tp_folded *folded, uint32_t item, struct tp_buf *out)
{
    struct tp_frame_list list = tp_key_stack(&folded->stacks, item);
    bool is_hidden = (tp_torch_flags(&folded->torch, item) & TP_TORCH_FOLDED) || list.count == 0;
    int64_t value = is_hidden ? 0 : torch_value(folded, item);
    if (value <= 0)
        return;
    for (uint32_t i = list.count; i-- > 0;) {
        append_frame_text(out, tp_key_frame_text(&folded->stacks, list.first + i));
        if (i > 0)
            tp_buf_putc(out, ';');
    }
    append_value(out, value);
}

static void append_line_of_path(const struct tp_folded *folded, uint32_t path, struct tp_buf *out)
{
    uint32_t chain[TP_MAX_FOLDED_DEPTH + 1];
    unsigned depth = 0;
    int64_t value = *TP_AT(&folded->values, int64_t, path);
    if (folded->metric->unit == TP_FOLDED_NS)
        value /= 1000;
    if (value <= 0)
        return;
    for (; path != TP_NO_ID && depth <= TP_MAX_FOLDED_DEPTH; path = tp_keys_get(&folded->paths, path)[0])
        chain[depth++] = path;
    while (depth-- > 0) {
        append_frame_without_addresses(out, tp_folded_frame_name(folded, chain[depth]));
        if (depth > 0)
            tp_buf_putc(out, ';');
    }
    append_value(out, value);
}

bool tp_folded_next_lines(struct tp_folded *folded, struct tp_buf *out)
{
    uint32_t count = folded->metric->is_torch ? folded->torch.count : tp_keys_count(&folded->paths);
    size_t goal = out->size + CHUNK;
    if (folded->at >= count)
        return false;
    while (folded->at < count && out->size < goal && !out->failed) {
        if (folded->metric->is_torch)
            append_line_of_item(folded, folded->torch.order[folded->at++], out);
        else
            append_line_of_path(folded, folded->at++, out);
    }
    return true;
}

bool tp_folded_is_at_end(struct tp_folded *folded)
{
    struct tp_buf text;
    uint32_t at = folded->at;
    tp_buf_init(&text, 0);
    while (text.size == 0 && !text.failed && tp_folded_next_lines(folded, &text))
        ;
    bool is_empty = text.size == 0 && !text.failed;
    tp_buf_release(&text);
    folded->at = at;
    return is_empty;
}

/* ---- building ---- */

void tp_folded_init(struct tp_folded *folded, const struct tp_folded_metric *metric, struct tp_arena *arena)
{
    memset(folded, 0, sizeof *folded);
    folded->metric = metric;
    tp_keys_init(&folded->paths, arena, 2);
    tp_strings_init(&folded->frames, arena, 0);
    folded->values = TP_VEC(arena, int64_t);
}

uint32_t tp_folded_add_frame(struct tp_folded *folded, uint32_t caller, struct tp_str name)
{
    /* in stacks of torch's items, numbers of torch's names come first */
    uint32_t torch_names = folded->metric->value ? tp_torch_name_count(&folded->torch) : 0;
    return tp_keys_pair(&folded->paths, caller, torch_names + tp_strings_add(&folded->frames, name));
}

void tp_folded_add_value(struct tp_folded *folded, uint32_t path, int64_t self)
{
    while (folded->values.count < tp_keys_count(&folded->paths))
        tp_vec_push(&folded->values);
    int64_t *value = TP_AT(&folded->values, int64_t, path);
    *value = tp_sat_add(*value, self);
}

void tp_folded_find_paths(struct tp_folded *folded, struct tp_arena *arena)
{
    const struct tp_torch *torch = &folded->torch;
    size_t count = tp_torch_item_count(torch);
    uint32_t *path_of = folded->path_of = tp_arena_array(arena, count, sizeof *path_of);
    uint16_t *depth = folded->depth_of = tp_arena_array(arena, count, sizeof *depth);
    memset(path_of, 0xFF, count * sizeof *path_of); /* makes every entry TP_NO_ID */
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k], parent = torch->parent[i];
        bool is_root = parent == TP_NO_ID;
        if (tp_torch_flags(torch, i) & (TP_TORCH_FOLDED | TP_TORCH_DEVICE | TP_TORCH_ASYNC))
            continue;
        depth[i] = is_root ? 0 : depth[parent];
        path_of[i] = is_root ? TP_NO_ID : path_of[parent];
        if (depth[i] < TP_MAX_FOLDED_DEPTH) {
            depth[i]++;
            path_of[i] = tp_keys_pair(&folded->paths, path_of[i], tp_torch_name(torch, i));
        }
        tp_folded_add_value(folded, path_of[i], folded->metric->value(torch, i));
    }
}

static uint32_t find_or_add_sample_path(struct tp_folded *folded, const struct tp_trace *trace,
                                        const struct tp_sample *sample, struct tp_sample_functions *functions)
{
    struct tp_str thread = tp_sample_thread_name(folded->frames.arena, &trace->threads[sample->thread]);
    uint32_t path = tp_folded_add_frame(folded, TP_NO_ID, thread);
    tp_sample_functions_read(functions, sample);
    for (size_t i = 0; i < functions->path.count && i + 1 < TP_MAX_FOLDED_DEPTH; i++) {
        struct tp_str function = tp_strings_get(&functions->texts, *TP_AT(&functions->path, uint32_t, i));
        path = tp_folded_add_frame(folded, path, function);
    }
    return path;
}

/* Finds the path of each sample from its thread and functions. A sample deeper than the limit gets the path of the
 * innermost function within the limit. */
static void find_sample_paths(struct tp_folded *folded, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_keys seen; /* pairs (thread, stack), because many samples share a stack */
    struct tp_sample_functions functions;
    struct tp_vec path_of = TP_VEC(arena, uint32_t);
    tp_keys_init(&seen, arena, 2);
    tp_sample_functions_init(&functions, trace, arena);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        const struct tp_sample *sample = &trace->samples[i];
        uint32_t id = tp_keys_pair(&seen, sample->thread, sample->stack);
        if (id == path_of.count)
            *(uint32_t *)tp_vec_push(&path_of) = find_or_add_sample_path(folded, trace, sample, &functions);
        tp_folded_add_value(folded, *TP_AT(&path_of, uint32_t, id), folded->metric->sample_value(sample->cpu_ns));
    }
}

/* Returns the path of a sample in a trace of `record --outside`. The path consists of process, thread and functions. */
static uint32_t find_or_add_program_path(struct tp_folded *folded, struct tp_sampled *sampled, uint32_t sample)
{
    const struct tp_sampled_thread *thread = &sampled->threads[sampled->thread_by_sample[sample]];
    const struct tp_vec *numbers = &sampled->functions.path;
    uint32_t path = TP_NO_ID;
    struct tp_str process = sampled->processes[thread->process].name;
    path = tp_folded_add_frame(folded, path, process);
    path = tp_folded_add_frame(folded, path, thread->name);
    tp_sampled_read_stack(sampled, sampled->trace->samples[sample].stack);
    for (size_t i = 0; i < numbers->count && i + 2 < TP_MAX_FOLDED_DEPTH; i++) {
        const struct tp_program_function *f = tp_program_function_at(&sampled->functions, *TP_AT(numbers, uint32_t, i));
        struct tp_str text = f->name;
        if (f->file.len && !f->is_nameless)
            text = tp_str_of(tp_text_printf(folded->frames.arena, "%.*s  %.*s", (int)f->name.len, f->name.ptr,
                                            (int)f->file.len, f->file.ptr));
        path = tp_folded_add_frame(folded, path, text);
    }
    return path;
}

static void find_program_paths(struct tp_folded *folded, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_keys seen;
    struct tp_sampled *sampled = tp_arena_alloc(arena, sizeof *sampled);
    struct tp_vec path_of = TP_VEC(arena, uint32_t);
    tp_keys_init(&seen, arena, 2);
    tp_sampled_build(sampled, trace, arena);
    for (uint32_t i = 0; i < trace->sample_count; i++) {
        uint32_t id = tp_keys_pair(&seen, sampled->thread_by_sample[i], trace->samples[i].stack);
        if (id == path_of.count)
            *(uint32_t *)tp_vec_push(&path_of) = find_or_add_program_path(folded, sampled, i);
        tp_folded_add_value(folded, *TP_AT(&path_of, uint32_t, id),
                            folded->metric->sample_value(tp_sampled_time_of_sample(sampled, i)));
    }
}

void tp_folded_build(struct tp_folded *folded, const struct tp_trace *trace, const struct tp_folded_metric *metric,
                     enum tp_torch_rules rules, struct tp_arena *arena)
{
    tp_folded_init(folded, metric, arena);
    if (metric->sample_value) {
        (trace->state_count ? find_program_paths : find_sample_paths)(folded, trace, arena);
        return;
    }
    tp_torch_build(&folded->torch, trace, rules, arena);
    if (metric->is_torch)
        tp_key_stacks_build(&folded->stacks, &folded->torch, arena);
    else
        tp_folded_find_paths(folded, arena);
}

int tp_folded_write(struct tp_folded *folded, const char *path, struct tp_error *err)
{
    struct tp_outfile *file;
    struct tp_buf text;
    int code = tp_outfile_open(&file, path, err);
    if (code < 0)
        return code;
    tp_buf_init(&text, 0);
    while (code == TP_OK && tp_folded_next_lines(folded, &text)) {
        code = text.failed ? tp_error_set(err, text.failed, 0, "out of memory")
                           : tp_outfile_write(file, text.data ? text.data : "", text.size, err);
        tp_buf_clear(&text);
    }
    tp_buf_release(&text);
    if (code == TP_OK)
        return tp_outfile_commit(&file, err);
    tp_outfile_discard(&file);
    return code;
}
