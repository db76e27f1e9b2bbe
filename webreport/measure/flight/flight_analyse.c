/* Decides who delays a job: runs the stages, and chooses the verdict. See flight_result.h. */
#include "webreport/measure/flight/flight_decision.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/base/table.h" /* for the macro TP_NULL_INT */

/* ---- the result ---- */

static void set_ranks(struct tp_flight_result *result)
{
    const struct tp_flight_job *job = result->job;
    struct tp_vec missing = TP_VEC(job->arena, uint32_t), lost = TP_VEC(job->arena, struct tp_flight_overwritten);
    for (uint32_t rank = 0; rank < TP_MAX_FLIGHT_RANKS; rank++) {
        result->expected_count += job->is_expected[rank];
        if (job->is_expected[rank] && job->rank_index[rank] == TP_NO_ID)
            *(uint32_t *)tp_vec_push(&missing) = rank;
    }
    for (size_t r = 0; r < job->ranks.count; r++) {
        const struct tp_flight_rank *rank = tp_flight_rank_at(job, r);
        if (rank->overwritten)
            *(struct tp_flight_overwritten *)tp_vec_push(&lost) =
                (struct tp_flight_overwritten){rank->number, rank->overwritten};
    }
    result->read_count = (int64_t)job->ranks.count;
    result->no_dump = tp_flight_ranks_of(&missing);
    result->overwritten = lost.data;
    result->overwritten_count = lost.count;
}

static int compare_texts(const void *x, const void *y, const void *context)
{
    (void)context;
    return tp_str_compare(*(const struct tp_str *)x, *(const struct tp_str *)y);
}

static void set_files(struct tp_flight_result *result)
{
    const struct tp_flight_job *job = result->job;
    struct tp_vec failed = TP_VEC(job->arena, const struct tp_flight_file *),
                  versions = TP_VEC(job->arena, struct tp_str);
    for (size_t i = 0; i < job->files.count; i++) {
        const struct tp_flight_file *file = TP_AT(&job->files, struct tp_flight_file, i);
        if (!file->is_read)
            *(const struct tp_flight_file **)tp_vec_push(&failed) = file;
        else if (!file->is_superseded)
            *(struct tp_str *)tp_vec_push(&versions) = file->version;
    }
    tp_merge_sort(job->arena, versions.data, versions.count, sizeof(struct tp_str), compare_texts, NULL);
    for (size_t i = 0; i < versions.count; i++) {
        struct tp_str *items = versions.data;
        if (!result->version_count || !tp_str_equal(items[result->version_count - 1], items[i]))
            items[result->version_count++] = items[i];
    }
    result->versions = versions.data;
    result->failed_files = failed.data;
    result->failed_file_total = failed.count;
    result->failed_file_count = failed.count < TP_FLIGHT_MOST_FILES ? failed.count : TP_FLIGHT_MOST_FILES;
}

/* Counts the groups that have a collective, a send or a receive. */
static void count_groups(struct tp_flight_result *result)
{
    const struct tp_flight_job *job = result->job;
    bool *is_used = tp_arena_array(job->arena, job->groups.count, sizeof *is_used);
    for (size_t i = 0; i < job->instances.count; i++)
        is_used[tp_flight_instance_at(job, i)->group] = true;
    for (size_t i = 0; i < job->pairs.count; i++)
        is_used[TP_AT(&job->pairs, struct tp_flight_pair, i)->group] = true;
    for (size_t i = 0; i < job->groups.count; i++)
        result->group_count += is_used[i];
}

static bool has_calls(const struct tp_flight_job *job)
{
    return job->call_count > 0;
}

static enum tp_flight_verdict choose_verdict(const struct tp_flight_result *result)
{
    if (result->open_total)
        return TP_FLIGHT_HANG;
    if (result->mismatch_total)
        return TP_FLIGHT_MISMATCH;
    if (!result->read_count)
        return TP_FLIGHT_NO_DUMPS;
    if (result->late_count)
        return TP_FLIGHT_SLOW;
    bool is_complete = !result->no_dump.count && !result->failed_file_total && has_calls(result->job);
    return is_complete ? TP_FLIGHT_HEALTHY : TP_FLIGHT_UNKNOWN;
}

/* Chooses the open call of the headline of a job without culprits and circles. */
static const struct tp_flight_open *choose_shown(const struct tp_flight_result *result)
{
    static const uint8_t order[] = {[TP_FLIGHT_WHY_STUCK_INSIDE] = 1,
                                    [TP_FLIGHT_WHY_UNSURE] = 2,
                                    [TP_FLIGHT_WHY_PARTIAL] = 3,
                                    [TP_FLIGHT_WHY_DTYPE_MISMATCH] = 0};
    const struct tp_flight_open *best = NULL;
    for (uint64_t i = 0; i < result->open_total; i++) {
        const struct tp_flight_open *open = &result->open[i];
        unsigned place = order[open->why] ? order[open->why] : 4;
        unsigned best_place = best && order[best->why] ? order[best->why] : 4;
        if (!best || place < best_place || (place == best_place && open->since_ns < best->since_ns))
            best = open;
    }
    return best;
}

static const int64_t exit_codes[] = {[TP_FLIGHT_HANG] = 1,    [TP_FLIGHT_MISMATCH] = 1, [TP_FLIGHT_SLOW] = 0,
                                     [TP_FLIGHT_HEALTHY] = 0, [TP_FLIGHT_UNKNOWN] = 6,  [TP_FLIGHT_NO_DUMPS] = 3};

void tp_flight_analyse(struct tp_flight_result *result, struct tp_flight_job *job)
{
    struct tp_arena *arena = job->arena;
    struct tp_flight_decision d = {.job = job,
                                   .result = result,
                                   .open = TP_VEC(arena, struct tp_flight_open),
                                   .mismatches = TP_VEC(arena, struct tp_flight_mismatch),
                                   .sets = TP_VEC(arena, struct tp_flight_ranks),
                                   .waits = TP_VEC(arena, struct tp_flight_wait)};
    *result = (struct tp_flight_result){.job = job, .call_count = job->call_count};
    d.reasons = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *d.reasons);
    d.is_wrong = tp_arena_array(arena, TP_MAX_FLIGHT_RANKS, sizeof *d.is_wrong);
    d.slot_of_signature = tp_arena_array(arena, job->signatures.count, sizeof *d.slot_of_signature);
    memset(d.slot_of_signature, 0xFF, job->signatures.count * sizeof *d.slot_of_signature); /* TP_NO_ID */
    for (uint32_t i = 0; i < job->instances.count; i++) {
        struct tp_flight_ranks unfit = tp_flight_compare_calls(&d, i);
        tp_flight_find_open_call(&d, i, &unfit);
    }
    tp_flight_find_open_pairs(&d);
    result->open = d.open.data;
    result->open_total = d.open.count;
    result->open_count = d.open.count < TP_FLIGHT_MOST_OPEN ? d.open.count : TP_FLIGHT_MOST_OPEN;
    result->mismatches = d.mismatches.data;
    result->mismatch_count = d.mismatches.count;
    result->mismatch_total = d.mismatch_total;
    tp_flight_find_culprits(&d);
    if (!result->open_total && !result->mismatch_total)
        tp_flight_find_late(&d);
    set_ranks(result);
    set_files(result);
    count_groups(result);
    result->shown = choose_shown(result);
    result->verdict = (uint8_t)choose_verdict(result);
    result->exit_code = exit_codes[result->verdict];
}
