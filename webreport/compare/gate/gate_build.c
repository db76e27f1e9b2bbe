/* Finds the subjects of a check (ranks, workers or all runs) and checks each of them. See gate_build.h. */
#include "webreport/compare/gate/gate_build.h"

#include "webreport/compare/gate/gate_items.h"
#include "webreport/compare/gate/gate_parts.h"
#include "webreport/compare/numbered_kernels.h"
#include "writer/base/limits.h"
#include "writer/text/format.h"

/* ---- subjects ---- */

static int64_t summary_rank(const struct tp_summary *summary)
{
    return summary->key.rank;
}

/* Fills the different ranks of a side in ascending order, and returns their number. Returns 0 if only one rank is
 * known or a run has no rank, because then all runs are one subject. */
static size_t find_ranks(const struct tp_check_side *side, int64_t *ranks)
{
    size_t count = 0;
    for (size_t i = 0; i < side->count; i++) {
        size_t at = count;
        if (summary_rank(&side->items[i]) == TP_NULL_INT)
            return 0;
        while (at > 0 && ranks[at - 1] > summary_rank(&side->items[i]))
            at--;
        if (at > 0 && ranks[at - 1] == summary_rank(&side->items[i]))
            continue;
        memmove(ranks + at + 1, ranks + at, (count - at) * sizeof *ranks);
        ranks[at] = summary_rank(&side->items[i]);
        count++;
    }
    return count > 1 ? count : 0;
}

/* Returns whether the side has ranks of a job: all its runs have a rank, and the user did not name a single trace. */
static bool is_part_of_job(const struct tp_check_side *side)
{
    bool has_ranks = side->count && !side->is_one_trace;
    for (size_t i = 0; i < side->count; i++)
        has_ranks &= summary_rank(&side->items[i]) != TP_NULL_INT;
    return has_ranks;
}

/* Conditions that select runs of a side. rank: TP_NULL_INT for any; worker: ptr NULL for any. */
struct chosen {
    int64_t rank;
    struct tp_str worker;
};

/* Sets *out to the newest runs that match `chosen`, at most `most` runs. Returns their number. */
static size_t select_runs_of_rank_or_worker(const struct tp_check_side *side, struct chosen chosen, size_t most,
                                            const struct tp_summary **out, struct tp_arena *arena)
{
    struct tp_vec taken = TP_VEC(arena, struct tp_summary);
    for (size_t i = 0; i < side->count; i++)
        if ((chosen.rank == TP_NULL_INT || summary_rank(&side->items[i]) == chosen.rank) &&
            (!chosen.worker.ptr || tp_str_equal(side->items[i].key.worker, chosen.worker)))
            *(struct tp_summary *)tp_vec_push(&taken) = side->items[i];
    size_t skipped = taken.count > most ? taken.count - most : 0;
    *out = taken.count ? TP_AT(&taken, struct tp_summary, skipped) : NULL;
    return taken.count - skipped;
}

/* Compares the sides of a subject. Allocates from `scratch`, which is released after each subject, because a job can
 * have ten thousand ranks. */
static void compare_sides(struct tp_check_subject *s, struct tp_arena *scratch)
{
    size_t skipped = s->base_count > TP_CHECK_FACT_RUNS ? s->base_count - TP_CHECK_FACT_RUNS : 0;
    const struct tp_side_input sides[TP_SIDES] = {
        {"base", s->base + skipped, (uint32_t)(s->base_count - skipped), false},
        {"new", s->runs, (uint32_t)s->run_count, false},
    };
    struct tp_side_input *kept = tp_arena_array(scratch, TP_SIDES, sizeof *kept);
    tp_numbered_make_names_equal(kept, sides, NULL, scratch);
    tp_sides_build(&s->sides, kept, scratch);
    tp_comparability_build(&s->comparability, &s->sides);
    struct tp_replaced replaced;
    tp_work_sides_build(&s->work, &replaced, &s->sides, &s->comparability);
}

static void select_runs_of_rank_subject(struct tp_check_subject *s, const struct tp_check_input *input, int64_t rank,
                                        bool base_has_ranks, struct tp_arena *arena)
{
    struct chosen runs = {.rank = rank}, base = {.rank = TP_NULL_INT};
    s->run_count = select_runs_of_rank_or_worker(&input->run, runs, SIZE_MAX, &s->runs, arena);
    s->rank = summary_rank(&s->runs[0]);
    s->name = rank == TP_NULL_INT ? TP_STR("") : tp_str_of(tp_text_printf(arena, "rank %lld", (long long)rank));
    if (base_has_ranks) /* without ranks in the baseline, base.rank stays TP_NULL_INT, which selects all runs */
        base.rank = s->rank;
    s->base_count = select_runs_of_rank_or_worker(&input->base, base, TP_CHECK_HISTORY_RUNS, &s->base, arena);
    s->is_base_incomplete = base_has_ranks && s->base_count == 0 && s->rank != TP_NULL_INT;
    s->is_first = input->is_first;
    s->is_base_broken = input->is_base_broken;
}

/* Fills the runs of one worker, for a budget line that names the worker. Returns false if the worker has no run. */
static bool select_runs_of_worker_subject(struct tp_check_subject *s, const struct tp_check_input *input,
                                          struct tp_str worker, struct tp_arena *arena)
{
    struct chosen chosen = {TP_NULL_INT, worker}, all = {.rank = TP_NULL_INT};
    s->run_count = select_runs_of_rank_or_worker(&input->run, chosen, SIZE_MAX, &s->runs, arena);
    s->rank = TP_NULL_INT;
    s->worker = worker;
    s->name = worker;
    s->base_count = select_runs_of_rank_or_worker(&input->base, chosen, TP_CHECK_HISTORY_RUNS, &s->base, arena);
    /* uses the baseline runs of all workers, because worker names often contain a process id */
    if (s->base_count == 0)
        s->base_count = select_runs_of_rank_or_worker(&input->base, all, TP_CHECK_HISTORY_RUNS, &s->base, arena);
    return s->run_count > 0;
}

static bool does_line_apply_to_subject(const struct tp_budget_line *line, const struct tp_check_subject *s)
{
    if (line->worker.ptr || s->worker.ptr)
        return line->worker.ptr && s->worker.ptr && tp_str_equal(line->worker, s->worker);
    return line->rank == TP_NULL_INT || line->rank == s->rank;
}

static bool does_line_apply_to_any_subject(const struct tp_budget_line *line, const struct tp_check_subject *subjects,
                                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (does_line_apply_to_subject(line, &subjects[i]))
            return true;
    return false;
}

/* Returns the subjects: one for each rank (or one for all runs), and one for each worker that the budget names. */
static struct tp_check_subject *list_subjects_to_check(const struct tp_check_input *input, size_t *count,
                                                       struct tp_arena *arena)
{
    const struct tp_budget *budget = input->budget;
    int64_t *ranks = tp_arena_array(arena, input->run.count + 1, sizeof *ranks);
    int64_t *base_ranks = tp_arena_array(arena, input->base.count + 1, sizeof *base_ranks);
    size_t rank_count = find_ranks(&input->run, ranks);
    bool base_has_ranks = find_ranks(&input->base, base_ranks) > 0 || (rank_count && is_part_of_job(&input->base));
    *count = rank_count ? rank_count : 1;
    struct tp_check_subject *subjects = tp_arena_array(arena, *count + budget->count, sizeof *subjects);
    for (size_t i = 0; i < *count; i++)
        select_runs_of_rank_subject(&subjects[i], input, rank_count ? ranks[i] : TP_NULL_INT, base_has_ranks, arena);
    for (size_t l = 0; l < budget->count; l++)
        if (budget->lines[l].worker.ptr && !does_line_apply_to_any_subject(&budget->lines[l], subjects, *count))
            *count += select_runs_of_worker_subject(&subjects[*count], input, budget->lines[l].worker, arena);
    return subjects;
}

/* ---- items ---- */

/* Adds an item for a line that names a worker or rank of which there is no run. */
static void add_item_of_absent_run(struct tp_vec *items, const struct tp_budget_line *line)
{
    struct tp_check_item *item = tp_check_add_item(items, line, TP_STR(""));
    item->cause = line->is_optional ? TP_CAUSE_SKIPPED : TP_CAUSE_MISSING;
    item->status = line->is_optional ? TP_CHECK_PASS : line->is_warning ? TP_CHECK_WARN : TP_CHECK_INCONCLUSIVE;
    item->reason = "missing: no run has this worker or rank";
}

/* Returns the missing ranks of the job; an empty set if the user named a single trace. */
static struct tp_rank_set find_missing_ranks(const struct tp_check_input *input, struct tp_arena *arena)
{
    struct tp_damage_runs runs = {input->run.items, input->run.count, 0},
                          base = {input->base.items, input->base.count, 0};
    struct tp_rank_set missing;
    if (input->run.is_one_trace)
        tp_rank_set_init(&missing, arena);
    else
        tp_damage_missing_ranks(&missing, &runs, &base, arena);
    return missing;
}

static bool does_line_apply_to_missing_ranks(const struct tp_budget_line *line, const struct tp_rank_set *missing)
{
    return missing->count && !line->worker.ptr && tp_metrics[line->metric].needs &&
           (line->rank == TP_NULL_INT || tp_rank_set_has(missing, line->rank));
}

/* Adds an inconclusive item for a line if some ranks of the job are missing. */
static void add_missing_ranks(struct tp_vec *items, const struct tp_budget_line *line,
                              const struct tp_rank_set *missing, struct tp_arena *arena)
{
    struct tp_check_item *item = tp_check_add_item(items, line, TP_STR("missing ranks"));
    item->status = TP_CHECK_INCONCLUSIVE;
    item->cause = TP_CAUSE_DAMAGED;
    item->reason = tp_text_printf(arena, "input damaged: %s", tp_damage_ranks_text(missing, arena));
}

static void judge_lines(struct tp_vec *items, const struct tp_budget *budget, const struct tp_check_subject *s,
                        struct tp_arena *arena)
{
    for (size_t l = 0; l < budget->count; l++) {
        if (!does_line_apply_to_subject(&budget->lines[l], s))
            continue;
        struct tp_check_item *item = tp_vec_push(items);
        *item = (struct tp_check_item){.line = &budget->lines[l], .subject = s->name};
        tp_check_judge_item(item, s, arena);
        if (item->cause == TP_CAUSE_BEYOND)
            tp_check_find_places(item, s, arena);
    }
}

/* State of the check of one subject. scratch: memory for the comparison. */
struct judging {
    struct tp_check *check;
    struct tp_vec *items, *changes;
    struct tp_check_subject *subject;
    struct tp_arena *arena, *scratch;
};

/* Stores the workload and the work changes of a subject in the result of the check. */
static void store_work_changes(const struct judging *j)
{
    const struct tp_check_subject *s = j->subject;
    struct tp_check *check = j->check;
    if (s->comparability.workload > check->workload) {
        check->workload = s->comparability.workload;
        check->differs = tp_comparability_text(&s->comparability, j->arena);
    }
    for (uint32_t i = 0; i < s->work.count && j->changes->count < TP_MAX_WORK_CHANGES; i++) {
        struct tp_check_change *kept = tp_vec_push(j->changes);
        *kept = (struct tp_check_change){s->name, s->work.changes[i]};
        /* copies the lists of names, because scratch memory is released later */
        for (int side = 0; side < TP_SIDES; side++) {
            struct tp_str *text = &kept->change.detail[side];
            text->ptr = text->len ? tp_arena_copy(j->arena, text->ptr, text->len) : text->ptr;
        }
    }
}

static int judge_subject_in_guard(void *context, struct tp_error *err)
{
    const struct judging *j = context;
    struct tp_check_subject *s = j->subject;
    (void)err;
    if (s->base_count)
        compare_sides(s, j->scratch);
    judge_lines(j->items, j->check->input->budget, s, j->arena);
    if (s->base_count)
        store_work_changes(j);
    return TP_OK;
}

/* Checks all lines of the budget for one subject. Items are in `arena`. Scratch memory is released at the end, also
 * after a failed allocation. */
static void judge_subject(struct judging *j)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, 0);
    j->scratch = &scratch;
    int code = tp_arena_run_both(&scratch, j->arena, judge_subject_in_guard, j, NULL);
    tp_arena_release(&scratch);
    if (code)
        tp_arena_fail(j->arena, code);
}

static void judge_lines_without_subject(struct tp_vec *items, const struct tp_check_input *input,
                                        const struct tp_check_subject *subjects, size_t subject_count,
                                        struct tp_arena *arena)
{
    struct tp_rank_set missing = find_missing_ranks(input, arena);
    for (size_t l = 0; l < input->budget->count; l++) {
        const struct tp_budget_line *line = &input->budget->lines[l];
        if (does_line_apply_to_missing_ranks(line, &missing))
            add_missing_ranks(items, line, &missing, arena);
        else if (!does_line_apply_to_any_subject(line, subjects, subject_count))
            add_item_of_absent_run(items, line);
    }
}

/* Returns whether a check is inconclusive because of a damaged input. A side that lost events can also look like a
 * different workload. */
static bool is_inconclusive_by_damage(const struct tp_check *check)
{
    const struct tp_check_input *input = check->input;
    struct tp_damage_runs runs = {input->run.items, input->run.count, 0},
                          base = {input->base.items, input->base.count, 0};
    bool has_lost = false, is_open = false;
    if (check->verdict != TP_CHECK_INCONCLUSIVE)
        return false;
    for (size_t i = 0; i < check->count; i++) {
        const struct tp_check_item *item = &check->items[i];
        has_lost |= item->status == TP_CHECK_INCONCLUSIVE &&
                    (item->cause == TP_CAUSE_DAMAGED || item->cause == TP_CAUSE_MISSING);
        is_open |= item->cause == TP_CAUSE_NOT_COMPARABLE;
    }
    return has_lost || (is_open && (tp_damage_unmet_needs(&runs, &base) || tp_damage_unmet_needs(&base, &runs)));
}

void tp_check_build(struct tp_check *check, const struct tp_check_input *input, struct tp_arena *arena)
{
    size_t subject_count;
    struct tp_check_subject *subjects = list_subjects_to_check(input, &subject_count, arena);
    struct tp_vec items = TP_VEC(arena, struct tp_check_item), changes = TP_VEC(arena, struct tp_check_change);
    *check = (struct tp_check){.input = input, .differs = ""};
    for (size_t i = 0; i < subject_count; i++)
        judge_subject(&(struct judging){check, &items, &changes, &subjects[i], arena, NULL});
    check->changes = changes.data;
    check->change_count = changes.count;
    judge_lines_without_subject(&items, input, subjects, subject_count, arena);
    tp_check_judge_times_together(items.data, items.count, arena);
    tp_check_take_items(check, &items, arena);
    check->is_damaged = is_inconclusive_by_damage(check);
}
