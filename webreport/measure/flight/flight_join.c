/* Collects the dumps of all ranks with common ids of texts and stacks: see flight_job.h. */
#include "webreport/measure/flight/flight_job.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

void tp_flight_job_init(struct tp_flight_job *job, struct tp_arena *arena)
{
    *job = (struct tp_flight_job){.arena = arena,
                                  .files = TP_VEC(arena, struct tp_flight_file),
                                  .ranks = TP_VEC(arena, struct tp_flight_rank),
                                  .groups = TP_VEC(arena, struct tp_flight_group_of_ranks),
                                  .signatures = TP_VEC(arena, struct tp_flight_signature),
                                  .instances = TP_VEC(arena, struct tp_flight_instance),
                                  .pairs = TP_VEC(arena, struct tp_flight_pair),
                                  .reached = TP_VEC(arena, struct tp_flight_reached)};
    struct tp_strings *tables[] = {&job->texts,      &job->stacks,        &job->parts,          &job->rank_sets,
                                   &job->group_keys, &job->instance_keys, &job->signature_keys, &job->pair_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        tp_strings_init(tables[i], arena, 0);
    tp_strings_add(&job->parts, (struct tp_str){"", 0});
    tp_id_map_init(&job->reached_of, arena);
    job->rank_index = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *job->rank_index);
    job->is_expected = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *job->is_expected);
    for (uint32_t i = 0; i < TP_MAX_FLIGHT_RANKS; i++)
        job->rank_index[i] = TP_NO_ID;
}

/* ---- files ---- */

static struct tp_str copy(struct tp_flight_job *job, struct tp_str text)
{
    return (struct tp_str){tp_arena_copy(job->arena, text.ptr, text.len), text.len};
}

void tp_flight_job_add_failed(struct tp_flight_job *job, struct tp_str name, int64_t rank, struct tp_str reason,
                              struct tp_str detail)
{
    *(struct tp_flight_file *)tp_vec_push(&job->files) = (struct tp_flight_file){
        .name = copy(job, name), .rank = rank, .reason = copy(job, reason), .detail = copy(job, detail)};
    if (rank != TP_NULL_INT)
        job->is_expected[rank] = true;
}

/* ---- dumps ---- */

/* Ids of the job for the ids of a dump. */
struct translation {
    uint32_t *texts, *stacks;
};

static uint32_t translate_stack(struct tp_flight_job *job, const struct tp_flight_dump *dump, uint32_t stack,
                                const struct translation *ids)
{
    struct tp_flight_frame frames[TP_MAX_FLIGHT_FRAMES];
    size_t count = tp_flight_frame_count(&dump->stacks, stack);
    for (size_t i = 0; i < count; i++) {
        frames[i] = tp_flight_frame_at(&dump->stacks, stack, i);
        frames[i].name = ids->texts[frames[i].name];
        frames[i].file = ids->texts[frames[i].file];
    }
    return tp_strings_add(&job->stacks, (struct tp_str){(const char *)frames, count * sizeof *frames});
}

static struct translation translate(struct tp_flight_job *job, const struct tp_flight_dump *dump)
{
    struct translation ids = {tp_arena_array(job->arena, dump->texts.count, sizeof(uint32_t)),
                              tp_arena_array(job->arena, dump->stacks.count, sizeof(uint32_t))};
    for (uint32_t i = 0; i < dump->texts.count; i++)
        ids.texts[i] = tp_strings_add(&job->texts, tp_strings_get(&dump->texts, i));
    for (uint32_t i = 0; i < dump->stacks.count; i++)
        ids.stacks[i] = translate_stack(job, dump, i, &ids);
    return ids;
}

static void set_calls(struct tp_flight_job *job, struct tp_flight_rank *rank, const struct tp_flight_dump *dump,
                      const struct translation *ids)
{
    rank->call_count = (uint32_t)dump->calls.count;
    rank->calls = tp_arena_array(job->arena, rank->call_count, sizeof *rank->calls);
    for (uint32_t i = 0; i < rank->call_count; i++) {
        struct tp_flight_call *call = &rank->calls[i].call;
        *call = *TP_AT(&dump->calls, struct tp_flight_call, i);
        uint32_t *const texts[] = {&call->group, &call->description, &call->op,          &call->backend,
                                   &call->state, &call->input_types, &call->output_types};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            *texts[k] = ids->texts[*texts[k]];
        call->stack = ids->stacks[call->stack];
    }
    if (rank->call_count && rank->calls[0].call.record_id > 0)
        rank->overwritten = rank->calls[0].call.record_id;
}

static struct tp_flight_rank make_rank(struct tp_flight_job *job, uint32_t number, const struct tp_flight_dump *dump)
{
    struct translation ids = translate(job, dump);
    struct tp_flight_rank rank = {.number = number,
                                  .leaves_calls_out = dump->leaves_calls_out,
                                  .is_json = dump->is_json,
                                  .group_count = (uint32_t)dump->groups.count,
                                  .progress_count = (uint32_t)dump->progress.count};
    set_calls(job, &rank, dump, &ids);
    rank.groups = tp_arena_array(job->arena, rank.group_count, sizeof *rank.groups);
    for (uint32_t i = 0; i < rank.group_count; i++) {
        struct tp_flight_group group = *TP_AT(&dump->groups, struct tp_flight_group, i);
        rank.groups[i] =
            (struct tp_flight_group){ids.texts[group.name], ids.texts[group.description], ids.texts[group.ranks]};
    }
    rank.progress = tp_arena_array(job->arena, rank.progress_count, sizeof *rank.progress);
    for (uint32_t i = 0; i < rank.progress_count; i++)
        rank.progress[i] = *TP_AT(&dump->progress, struct tp_flight_progress, i);
    return rank;
}

/* ---- two dumps of one rank ---- */

static bool has_backend(const struct tp_flight_rank *rank, uint32_t backend)
{
    for (uint32_t i = 0; i < rank->call_count; i++)
        if (rank->calls[i].call.backend == backend)
            return true;
    return false;
}

/* Returns whether two dumps come from recorders of different backends, so that they have no call in common. */
static bool has_other_backends(const struct tp_flight_rank *a, const struct tp_flight_rank *b)
{
    uint32_t last = TP_NO_ID;
    for (uint32_t i = 0; i < a->call_count; i++) {
        uint32_t backend = a->calls[i].call.backend;
        if (backend != last && has_backend(b, backend))
            return false;
        last = backend;
    }
    return a->call_count > 0 && b->call_count > 0;
}

static int compare_times(const void *x, const void *y, const void *context)
{
    const struct tp_flight_entry *a = x, *b = y;
    (void)context;
    return (a->call.time_ns > b->call.time_ns) - (a->call.time_ns < b->call.time_ns);
}

static void *join_arrays(struct tp_arena *arena, const void *a, size_t a_size, const void *b, size_t b_size)
{
    char *joined = tp_arena_alloc(arena, a_size + b_size);
    if (a_size)
        memcpy(joined, a, a_size);
    if (b_size)
        memcpy(joined + a_size, b, b_size);
    return joined;
}

/* Adds the calls of another recorder to a rank, in the order of time. */
static void join_recorders(struct tp_flight_job *job, struct tp_flight_rank *rank, const struct tp_flight_rank *other)
{
    struct tp_arena *arena = job->arena;
    rank->calls = join_arrays(arena, rank->calls, rank->call_count * sizeof *rank->calls, other->calls,
                              other->call_count * sizeof *rank->calls);
    rank->call_count += other->call_count;
    rank->groups = join_arrays(arena, rank->groups, rank->group_count * sizeof *rank->groups, other->groups,
                               other->group_count * sizeof *rank->groups);
    rank->group_count += other->group_count;
    rank->progress = join_arrays(arena, rank->progress, rank->progress_count * sizeof *rank->progress, other->progress,
                                 other->progress_count * sizeof *rank->progress);
    rank->progress_count += other->progress_count;
    rank->overwritten += other->overwritten;
    rank->leaves_calls_out |= other->leaves_calls_out;
    tp_merge_sort(arena, rank->calls, rank->call_count, sizeof *rank->calls, compare_times, NULL);
    for (uint32_t i = 0; i < rank->call_count; i++) /* each recorder counts from 0 */
        rank->calls[i].call.record_id = i;
}

/* Marks the file of an earlier dump of a rank. */
static void supersede(struct tp_flight_job *job, uint32_t rank)
{
    for (size_t i = 0; i + 1 < job->files.count; i++) {
        struct tp_flight_file *file = TP_AT(&job->files, struct tp_flight_file, i);
        file->is_superseded |= file->is_read && file->rank == rank;
    }
}

void tp_flight_job_add(struct tp_flight_job *job, struct tp_str name, uint32_t rank, const struct tp_flight_dump *dump)
{
    struct tp_flight_file *file = tp_vec_push(&job->files);
    *file = (struct tp_flight_file){.name = copy(job, name),
                                    .rank = rank,
                                    .is_read = true,
                                    .call_count = (int64_t)dump->calls.count,
                                    .version = copy(job, dump->version)};
    struct tp_flight_rank made = make_rank(job, rank, dump);
    job->is_expected[rank] = true;
    if (job->rank_index[rank] == TP_NO_ID) {
        job->rank_index[rank] = (uint32_t)job->ranks.count;
        *(struct tp_flight_rank *)tp_vec_push(&job->ranks) = made;
        return;
    }
    struct tp_flight_rank *before = tp_flight_rank_at(job, job->rank_index[rank]);
    if (before->is_json == made.is_json && has_other_backends(before, &made)) {
        join_recorders(job, before, &made);
    } else if (before->is_json && !made.is_json) {
        supersede(job, rank);
        *before = made;
    } else {
        file->is_superseded = true;
    }
}

/* ---- joining ---- */

static int compare_numbers(const void *x, const void *y, const void *context)
{
    const struct tp_flight_rank *a = x, *b = y;
    (void)context;
    return (a->number > b->number) - (a->number < b->number);
}

void tp_flight_job_finish(struct tp_flight_job *job)
{
    tp_merge_sort(job->arena, job->ranks.data, job->ranks.count, sizeof(struct tp_flight_rank), compare_numbers, NULL);
    for (uint32_t i = 0; i < job->ranks.count; i++) {
        struct tp_flight_rank *rank = tp_flight_rank_at(job, i);
        job->rank_index[rank->number] = i;
        job->call_count += rank->call_count;
        for (uint32_t k = 0; k < rank->call_count; k++)
            rank->calls[k].rank = i;
    }
    tp_flight_job_set_lines(job);
    tp_flight_job_set_states(job);
    tp_flight_job_set_groups(job);
    tp_flight_job_set_signatures(job);
    tp_flight_job_set_instances(job);
}
