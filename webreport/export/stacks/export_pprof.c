/* Writes WORKER.pb.gz for pprof: samples, and waits by stack. */
#include "webreport/export/export_formats.h"
#include "webreport/export/whole_file.h"
#include "webreport/measure/program/sampled.h"
#include "webreport/model/tree_threads.h"
#include "writer/base/saturate.h"
#include "writer/pprof.h"

enum { VALUE_COUNT, VALUE_CPU, VALUE_WAIT, VALUES };

struct profile {
    struct tp_sampled *sampled;
    struct tp_pprof *pprof;
    /* keys: (thread, stack, cause), where the cause is 0 for samples, otherwise 1 + cause of the wait */
    struct tp_keys keys;
    struct tp_vec values; /* elements: int64_t[VALUES], one for each key */
};

static int64_t *find_or_add_values(struct profile *profile, uint32_t thread, uint32_t stack, uint32_t cause)
{
    uint32_t key = tp_keys_add(&profile->keys, (uint32_t[]){thread, stack, cause});
    while (profile->values.count <= (size_t)key * VALUES + VALUES - 1)
        *(int64_t *)tp_vec_push(&profile->values) = 0;
    return TP_AT(&profile->values, int64_t, (size_t)key * VALUES);
}

static void add_samples(struct profile *profile)
{
    const struct tp_sampled *sampled = profile->sampled;
    for (uint32_t i = 0; i < sampled->trace->sample_count; i++) {
        int64_t *values =
            find_or_add_values(profile, sampled->thread_by_sample[i], sampled->trace->samples[i].stack, 0);
        values[VALUE_COUNT]++;
        values[VALUE_CPU] = tp_sat_add(values[VALUE_CPU], tp_sampled_time_of_sample(sampled, i));
    }
}

static void add_waits(struct profile *profile)
{
    const struct tp_sampled *sampled = profile->sampled;
    const struct tp_process_tree *tree = &sampled->view.tree;
    for (uint32_t t = 0; t < tree->thread_count; t++) {
        const struct tp_tree_thread *thread = &tree->threads[t];
        for (uint32_t i = 0; i < thread->count; i++) {
            const struct tp_thread_slice *piece = &tree->slices[thread->first + i];
            if (piece->state != TP_STATE_BLOCKED)
                continue;
            int64_t *values =
                find_or_add_values(profile, sampled->thread_by_tree_thread[t], piece->stack, 1u + piece->cause);
            values[VALUE_WAIT] = tp_sat_add(values[VALUE_WAIT], piece->end_ns - piece->begin_ns);
        }
    }
}

static void write_sample(struct profile *profile, uint32_t key, struct tp_vec *locations)
{
    struct tp_sampled *sampled = profile->sampled;
    const uint32_t *of = tp_keys_get(&profile->keys, key);
    const struct tp_sampled_thread *thread = &sampled->threads[of[0]];
    const struct tp_sampled_process *process = &sampled->processes[thread->process];
    const struct tp_vec *path = &sampled->functions.path;
    struct tp_pprof_label labels[6] = {{"process", process->name, 0},
                                       {"pid", {NULL, 0}, process->pid},
                                       {"thread", thread->name, 0},
                                       {"tid", {NULL, 0}, thread->tid},
                                       {"state", of[2] ? TP_STR("blocked") : TP_STR("running"), 0}};
    size_t label_count = 5;
    if (of[2])
        labels[label_count++] =
            (struct tp_pprof_label){"cause", tp_str_of(tp_wait_cause_text((enum tp_wait_cause)(of[2] - 1))), 0};
    tp_sampled_read_stack(sampled, of[1]);
    locations->count = 0;
    for (size_t k = path->count; k-- > 0;) {
        const struct tp_program_function *f = tp_program_function_at(&sampled->functions, *TP_AT(path, uint32_t, k));
        *(uint64_t *)tp_vec_push(locations) =
            tp_pprof_add_location(profile->pprof, f->name, f->file, tp_sampled_line_of_frame(sampled, k));
    }
    tp_pprof_sample(profile->pprof, &(struct tp_pprof_sample){locations->data, locations->count,
                                                              TP_AT(&profile->values, int64_t, (size_t)key * VALUES),
                                                              labels, label_count});
}

int tp_export_pprof(const struct tp_export *export, struct tp_error *err)
{
    struct tp_arena *arena = export->arena;
    const struct tp_trace *trace = export->profile->trace;
    struct profile profile = {.sampled = tp_arena_alloc(arena, sizeof *profile.sampled),
                              .values = TP_VEC(arena, int64_t)};
    struct tp_vec locations = TP_VEC(arena, uint64_t);
    if (!trace->sample_count && !trace->state_count)
        return tp_error_set(err, TP_ENOTFOUND, 0, "%s", tp_export_no_samples);
    tp_sampled_build(profile.sampled, trace, arena);
    tp_keys_init(&profile.keys, arena, 3);
    bool has_states = profile.sampled->view.is_present;
    const struct tp_sampled_process *first = profile.sampled->processes;
    profile.pprof = tp_pprof_new(arena, profile.sampled->process_count ? first->name : TP_STR(""));
    tp_pprof_add_type(profile.pprof, "samples", "count", trace->input.has_untimed_samples);
    if (!trace->input.has_untimed_samples)
        tp_pprof_add_type(profile.pprof, "cpu", "nanoseconds", true);
    if (has_states)
        tp_pprof_add_type(profile.pprof, "wait", "nanoseconds", false);
    add_samples(&profile);
    if (has_states)
        add_waits(&profile);
    for (uint32_t key = 0; key < tp_keys_count(&profile.keys); key++)
        write_sample(&profile, key, &locations);
    struct tp_sampled_span span = tp_sampled_span(profile.sampled);
    struct tp_pprof_times times = {.begin_ns = tp_sat_add(span.begin_ns, tp_trace_base_ns(trace, span.begin_ns)),
                                   .length_ns = span.end_ns - span.begin_ns,
                                   .period_ns = span.mean_ns};
    return tp_export_whole_file(export, "pb.gz", tp_pprof_finish(profile.pprof, &times), err);
}
