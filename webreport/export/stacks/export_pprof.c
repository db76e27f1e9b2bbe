/* Writes WORKER.pb.gz for pprof: samples and waits by stack, and the values of a device trace by stack. */
#include "webreport/export/stacks/stack_profile.h"
#include "webreport/export/whole_file.h"
#include "webreport/model/tree_threads.h"
#include "writer/base/saturate.h"
#include "writer/pprof.h"

/* Values of samples and waits. The values of a device trace follow, each with the number of its enum tp_value added. */
enum { VALUE_COUNT, VALUE_CPU, VALUE_WAIT, VALUE_OF_TRACE, VALUES = VALUE_OF_TRACE + TP_VALUES };

struct profile {
    struct tp_stack_profile of;
    struct tp_pprof *pprof;
    /* keys: (thread, stack, cause), where the cause is 0 for samples, otherwise 1 + cause of the wait */
    struct tp_keys keys;
    struct tp_vec values;    /* elements: int64_t[VALUES], one for each key */
    bool is_written[VALUES]; /* values that the file has */
    struct tp_vec locations; /* working memory of a sample; elements: uint64_t */
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
    const struct tp_sampled *sampled = profile->of.sampled;
    for (uint32_t i = 0; i < sampled->trace->sample_count; i++) {
        int64_t *values =
            find_or_add_values(profile, sampled->thread_by_sample[i], sampled->trace->samples[i].stack, 0);
        values[VALUE_COUNT]++;
        values[VALUE_CPU] = tp_sat_add(values[VALUE_CPU], tp_sampled_time_of_sample(sampled, i));
    }
}

static void add_waits(struct profile *profile)
{
    const struct tp_sampled *sampled = profile->of.sampled;
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

/* ---- the file ---- */

/* Writes a sample with the current locations. values: int64_t[VALUES]; values that the file lacks are ignored. */
static void write_values(struct profile *profile, const int64_t *values, const struct tp_pprof_label *labels,
                         size_t label_count)
{
    int64_t written[VALUES];
    size_t count = 0;
    for (unsigned i = 0; i < VALUES; i++)
        if (profile->is_written[i])
            written[count++] = values[i];
    tp_pprof_sample(profile->pprof, &(struct tp_pprof_sample){profile->locations.data, profile->locations.count,
                                                              written, labels, label_count});
}

static void write_sample(struct profile *profile, uint32_t key)
{
    struct tp_sampled *sampled = profile->of.sampled;
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
    profile->locations.count = 0;
    for (size_t k = path->count; k-- > 0;) {
        const struct tp_program_function *f = tp_program_function_at(&sampled->functions, *TP_AT(path, uint32_t, k));
        *(uint64_t *)tp_vec_push(&profile->locations) =
            tp_pprof_add_location(profile->pprof, f->name, f->file, tp_sampled_line_of_frame(sampled, k));
    }
    write_values(profile, TP_AT(&profile->values, int64_t, (size_t)key * VALUES), labels, label_count);
}

static void write_samples(struct profile *profile)
{
    struct tp_arena *arena = profile->of.stacks->arena;
    profile->values = TP_VEC(arena, int64_t);
    tp_keys_init(&profile->keys, arena, 3);
    add_samples(profile);
    if (profile->is_written[VALUE_WAIT])
        add_waits(profile);
    for (uint32_t key = 0; key < tp_keys_count(&profile->keys); key++)
        write_sample(profile, key);
}

/* Writes one sample for each stack of a track. */
static void write_track(struct profile *profile, const struct tp_value_track *track)
{
    const struct tp_value_stacks *stacks = profile->of.stacks;
    const struct tp_row_id *tid = track->thread == TP_NO_ID ? NULL : &stacks->model->trace->threads[track->thread].tid;
    struct tp_value_sums sums;
    struct tp_vec path = TP_VEC(stacks->arena, uint32_t);
    struct tp_pprof_label labels[3] = {{"value", tp_str_of(tp_value_title(track->value)), 0}};
    size_t label_count = 1;
    if (track->name.len)
        labels[label_count++] = (struct tp_pprof_label){tid ? "thread" : "device", track->name, 0};
    if (tid && !tid->is_text)
        labels[label_count++] = (struct tp_pprof_label){"tid", {NULL, 0}, tid->number};
    tp_value_sums_of_track(&sums, stacks, track);
    for (uint32_t i = 0; i < sums.count; i++) {
        int64_t values[VALUES] = {0};
        values[VALUE_OF_TRACE + track->value] = sums.items[i].amount;
        tp_value_stack_path(stacks, sums.items[i].stack, &path);
        profile->locations.count = 0;
        for (size_t k = 0; k < path.count; k++) {
            struct tp_value_frame frame = tp_value_frame_at(stacks, *TP_AT(&path, uint32_t, k));
            *(uint64_t *)tp_vec_push(&profile->locations) =
                tp_pprof_add_location(profile->pprof, frame.name, frame.file, frame.line);
        }
        write_values(profile, values, labels, label_count);
    }
}

static void add_type(struct profile *profile, unsigned value, const char *name, const char *unit, bool is_default)
{
    tp_pprof_add_type(profile->pprof, name, unit, is_default);
    profile->is_written[value] = true;
}

/* Adds the types of the values that the trace has. pprof shows the last default type first. */
static void add_types(struct profile *profile)
{
    const struct tp_trace *trace = profile->of.sampled->trace;
    bool has_samples = tp_export_has_samples(trace);
    const int64_t *sums = profile->of.stacks->sums;
    if (has_samples)
        add_type(profile, VALUE_COUNT, "samples", "count", trace->input.has_untimed_samples);
    if (has_samples && !trace->input.has_untimed_samples)
        add_type(profile, VALUE_CPU, "cpu", "nanoseconds", true);
    if (profile->of.sampled->view.is_present)
        add_type(profile, VALUE_WAIT, "wait", "nanoseconds", false);
    for (unsigned v = 0; v < TP_VALUES; v++)
        if (sums[v])
            add_type(profile, VALUE_OF_TRACE + v, tp_value_name((enum tp_value)v),
                     tp_value_is_bytes((enum tp_value)v) ? "bytes" : "nanoseconds",
                     !has_samples && (v == TP_VALUE_DEVICE || (v == TP_VALUE_HOST && !sums[TP_VALUE_DEVICE])));
}

/* Returns the time range of the profile. */
static struct tp_pprof_times find_times(const struct profile *profile)
{
    const struct tp_trace *trace = profile->of.sampled->trace;
    const struct tp_sampled_span span = tp_stack_profile_span(&profile->of);
    return (struct tp_pprof_times){.begin_ns = tp_sat_add(span.begin_ns, tp_trace_base_ns(trace, span.begin_ns)),
                                   .length_ns = tp_sat_sub(span.end_ns, span.begin_ns),
                                   .period_ns = tp_export_has_samples(trace) ? span.mean_ns : 0};
}

int tp_export_pprof(const struct tp_export *export, struct tp_error *err)
{
    struct tp_arena *arena = export->arena;
    struct profile profile = {.locations = TP_VEC(arena, uint64_t)};
    int code = tp_stack_profile_build(&profile.of, export, err);
    if (code)
        return code;
    const struct tp_sampled_process *first = profile.of.sampled->processes;
    profile.pprof = tp_pprof_new(arena, profile.of.sampled->process_count ? first->name : TP_STR(""));
    add_types(&profile);
    write_samples(&profile);
    for (uint32_t t = 0; t < tp_value_track_count(profile.of.stacks); t++)
        write_track(&profile, tp_value_track_at(profile.of.stacks, t));
    struct tp_pprof_times times = find_times(&profile);
    return tp_export_whole_file(export, "pb.gz", tp_pprof_finish(profile.pprof, &times), err);
}
