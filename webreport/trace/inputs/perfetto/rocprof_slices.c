/* Recognizes slices of rocprofv3: see rocprof_slices.h. rocprofv3 writes operations of devices as slices of tracks such
 * as "COMPUTE AGENT [1] STREAM [0] (GPU)" and "COPY to AGENT [0] STREAM [2] (CPU)", and the id that a call and its
 * operations share as the annotation "corr_id" (generatePerfetto.cpp of rocprofiler-sdk). */
#include "webreport/trace/inputs/perfetto/rocprof_slices.h"

#include "webreport/trace/inputs/perfetto/gpu_stages.h"
#include "writer/base/limits.h"

enum tp_rocprof_kind tp_rocprof_kind(const struct tp_perfetto *p, uint32_t category)
{
    static const struct {
        const char *category;
        enum tp_rocprof_kind kind;
    } kinds[] = {{"hip_api", TP_ROCPROF_CALL},
                 {"kernel_dispatch", TP_ROCPROF_KERNEL},
                 {"memory_copy", TP_ROCPROF_COPY},
                 {"hsa_api", TP_ROCPROF_DROPPED}};
    if (p->is_torch || p->is_own || category == TP_NO_ID || !p->annotations.watched[TP_WATCHED_CORRELATION].is_there)
        return TP_ROCPROF_OTHER;
    struct tp_str text = tp_interned_text(&p->interned, category);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tp_str_equal(text, tp_str_of(kinds[i].category)))
            return kinds[i].kind;
    return TP_ROCPROF_OTHER;
}

/* Returns the number that follows `mark` in a text, at most TP_MAX_PERFETTO_TRACKS; -1 without such a number. */
static int64_t number_after(struct tp_str text, const char *mark)
{
    ptrdiff_t found = tp_str_find(text, mark);
    size_t at = found < 0 ? text.len : (size_t)found + strlen(mark);
    int64_t number = 0;
    if (at >= text.len || !tp_is_digit(text.ptr[at]))
        return -1;
    for (; at < text.len && tp_is_digit(text.ptr[at]) && number < TP_MAX_PERFETTO_TRACKS; at++)
        number = number * 10 + (text.ptr[at] - '0');
    return number;
}

static bool is_gpu(struct tp_str name)
{
    return tp_str_find(name, "GPU") >= 0;
}

/* Lists the agents that are GPUs in the order of their numbers. rocprofv3 describes all tracks before the first slice.
 */
static void list_agents(struct tp_perfetto *p)
{
    for (size_t i = 0; i < p->tracks.items.count && p->agents.count < TP_MAX_PERFETTO_DEVICES; i++) {
        const struct tp_track *track = TP_AT(&p->tracks.items, struct tp_track, i);
        int64_t agent = is_gpu(track->name) ? number_after(track->name, "AGENT [") : -1;
        size_t at = 0;
        while (at < p->agents.count && *TP_AT(&p->agents, int64_t, at) < agent)
            at++;
        if (agent < 0 || (at < p->agents.count && *TP_AT(&p->agents, int64_t, at) == agent))
            continue;
        tp_vec_push(&p->agents);
        for (size_t k = p->agents.count - 1; k > at; k--)
            *TP_AT(&p->agents, int64_t, k) = *TP_AT(&p->agents, int64_t, k - 1);
        *TP_AT(&p->agents, int64_t, at) = agent;
    }
}

/* Returns the number of a device among the GPUs of the trace, from the number of its agent. CPUs are agents too. */
static int64_t device_of_agent(struct tp_perfetto *p, int64_t agent)
{
    if (!p->is_rocprof)
        list_agents(p);
    p->is_rocprof = true;
    for (size_t i = 0; i < p->agents.count; i++)
        if (*TP_AT(&p->agents, int64_t, i) == agent)
            return (int64_t)i;
    return agent < 0 ? 0 : agent;
}

/* Returns the id of the name of a copy in Kineto's form. name: name of the operation. */
static uint32_t copy_name(struct tp_perfetto *p, struct tp_str name)
{
    static const struct {
        const char *operation, *name;
    } names[] = {{"HOST_TO_DEVICE", "Memcpy HtoD (Unknown -> Device)"},
                 {"DEVICE_TO_HOST", "Memcpy DtoH (Device -> Unknown)"},
                 {"DEVICE_TO_DEVICE", "Memcpy DtoD (Device -> Device)"},
                 {"HOST_TO_HOST", "Memcpy HtoH (Unknown -> Unknown)"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (tp_str_find(name, names[i].operation) >= 0)
            return tp_perfetto_name_of_text(p, names[i].name);
    p->copies_without_direction++;
    return tp_perfetto_name_of_text(p, "Memcpy");
}

void tp_rocprof_apply(struct tp_perfetto *p, enum tp_rocprof_kind kind, const struct tp_track *track,
                      struct tp_str name, struct tp_built_event *built)
{
    static const unsigned kinds[] = {
        [TP_ROCPROF_CALL] = TP_KIND_RUNTIME, [TP_ROCPROF_KERNEL] = TP_KIND_KERNEL, [TP_ROCPROF_COPY] = TP_KIND_MEMCPY};
    const struct tp_watched *watched = p->annotations.watched;
    built->cat = tp_perfetto_category_of_text(p, tp_kind_category_name(kinds[kind]));
    tp_builder_add_int(&p->builder, TP_ARG_CORRELATION, (int64_t)(watched[TP_WATCHED_CORRELATION].value & INT64_MAX));
    p->submission_count += kind == TP_ROCPROF_CALL;
    if (kind == TP_ROCPROF_CALL)
        return;
    int64_t agent = number_after(track->name, "AGENT ["), stream = number_after(track->name, "] STREAM [");
    int64_t source = number_after(watched[TP_WATCHED_SOURCE].text, "-");
    if (kind == TP_ROCPROF_COPY && !is_gpu(track->name) && source >= 0)
        agent = source; /* a copy to the host runs on the device that it copies from */
    int64_t device = device_of_agent(p, agent);
    if (stream < 0)
        stream = number_after(track->name, "] QUEUE [");
    stream = stream < 0 ? 0 : stream;
    tp_builder_add_int(&p->builder, TP_ARG_DEVICE, device);
    tp_stages_place(p, device, stream, built);
    p->stage_count++;
    p->kernel_count += kind == TP_ROCPROF_KERNEL;
    p->kernels_without_grid += kind == TP_ROCPROF_KERNEL;
    if (kind == TP_ROCPROF_COPY) {
        built->name = copy_name(p, name);
        p->copies_without_kinds++;
        tp_builder_add_int(&p->builder, TP_ARG_BYTES, (int64_t)(watched[TP_WATCHED_BYTES].value & INT64_MAX));
    }
}
