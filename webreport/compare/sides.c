/* Builds the two sides of a comparison. See sides.h. */
#include "webreport/compare/sides.h"

#include <math.h>

#include "webreport/compare/noise/run_change.h"

enum { KEY_WIDTH = 5 };

struct tp_identity tp_sides_identity(const struct tp_sides *sides, uint32_t identity)
{
    const uint32_t *key = tp_keys_get(&sides->keys, identity);
    return (struct tp_identity){(enum tp_summary_kind)key[0], tp_strings_get(&sides->texts, key[1]),
                                tp_strings_get(&sides->texts, key[2]), tp_strings_get(&sides->texts, key[3]),
                                tp_strings_get(&sides->texts, key[4])};
}

enum tp_producer tp_sides_producer(const struct tp_sides *sides)
{
    return sides->side[TP_NEW].input->runs[0].producer;
}

bool tp_sides_have_only_wall_clock(const struct tp_sides *sides)
{
    return !sides->side[TP_BASE].quantities[TP_QUANTITY_KERNELS].levels &&
           !sides->side[TP_NEW].quantities[TP_QUANTITY_KERNELS].levels;
}

bool tp_sides_allow_only_hints(const struct tp_sides *sides)
{
    return tp_sides_have_only_wall_clock(sides) &&
           sides->side[TP_BASE].input->run_count + sides->side[TP_NEW].input->run_count < TP_VERDICT_RUNS;
}

double tp_sides_change_of_short_steps(const struct tp_sides *sides, const struct tp_side_levels levels[TP_SIDES])
{
    const struct tp_levels base = {levels[TP_BASE].lows, sides->side[TP_BASE].input->run_count};
    const struct tp_levels new_side = {levels[TP_NEW].lows, sides->side[TP_NEW].input->run_count};
    return tp_short_steps_change(&base, &new_side, sides->arena);
}

bool tp_sides_have_one_host(const struct tp_sides *sides)
{
    struct tp_str host = TP_STR("");
    for (int s = 0; s < TP_SIDES; s++)
        for (uint32_t r = 0; r < sides->side[s].input->run_count; r++) {
            const struct tp_summary *run = &sides->side[s].input->runs[r];
            struct tp_str own = TP_STR("");
            for (uint32_t i = 0; i < run->fact_count; i++)
                if (tp_str_equal(run->facts[i].name, TP_STR("host")))
                    own = run->facts[i].value;
            if (!own.len || (host.len && !tp_str_equal(own, host)))
                return false;
            host = own;
        }
    return true;
}

static uint32_t find_or_add_identity(struct tp_sides *sides, const struct tp_summary_row *row)
{
    uint32_t key[KEY_WIDTH] = {row->kind, tp_strings_add(&sides->texts, row->name),
                               tp_strings_add(&sides->texts, row->owner), tp_strings_add(&sides->texts, row->shape),
                               tp_strings_add(&sides->texts, row->dtype)};
    return tp_keys_add(&sides->keys, key);
}

struct tp_str tp_sides_line(const struct tp_sides *sides, int side, uint32_t identity)
{
    const struct tp_side *of = &sides->side[side];
    for (uint32_t r = 0; r < of->input->run_count; r++) {
        uint32_t row = of->row_of[(size_t)identity * of->input->run_count + r];
        if (row && of->input->runs[r].rows[row - 1].line.len)
            return of->input->runs[r].rows[row - 1].line;
    }
    return (struct tp_str){NULL, 0};
}

/* ---- steps ---- */

static double mean_or_nan(const double *values, size_t count)
{
    return count ? tp_sum(values, count) / (double)count : NAN;
}

static void count_steps_of_runs(struct tp_side *side, struct tp_arena *arena)
{
    const struct tp_side_input *input = side->input;
    side->first = tp_arena_array(arena, (size_t)input->run_count + 1, sizeof *side->first);
    side->warm_up = tp_arena_array(arena, input->run_count, sizeof *side->warm_up);
    for (uint32_t r = 0; r < input->run_count; r++) {
        side->first[r + 1] = side->first[r] + tp_summary_used_steps(&input->runs[r]);
        side->recorded_step_count += input->runs[r].step_count;
    }
    side->step_count = side->first[input->run_count];
    side->step_ns = tp_arena_array(arena, side->step_count, sizeof *side->step_ns);
    for (uint32_t r = 0; r < input->run_count; r++) {
        double *own = side->step_ns + side->first[r];
        size_t count = 0;
        for (uint32_t i = 0; i < input->runs[r].step_count; i++)
            if (!input->runs[r].steps[i].is_left_out)
                own[count++] = (double)input->runs[r].steps[i].total_ns;
        side->warm_up[r] = tp_warm_up_count(own, count, arena);
    }
    side->total_ns = mean_or_nan(side->step_ns, side->step_count);
}

/* Fills the values of a part in every analysed step, run after run. Returns false if an analysed step lacks the part.
 */
static bool fill_times_of_step_part(double *values, const struct tp_side *side, enum tp_summary_part part)
{
    bool is_known = side->step_count > 0;
    size_t at = 0;
    for (uint32_t r = 0; r < side->input->run_count; r++)
        for (uint32_t i = 0; i < side->input->runs[r].step_count; i++) {
            const struct tp_summary_step *step = &side->input->runs[r].steps[i];
            if (step->is_left_out)
                continue;
            is_known &= step->part_ns[part] != TP_NULL_INT;
            values[at++] = (double)step->part_ns[part];
        }
    return is_known;
}

/* Returns the level of each run. values: one value for each analysed step, run after run. */
static struct tp_side_levels find_levels_of_runs(const struct tp_side *side, const double *values,
                                                 struct tp_arena *arena)
{
    uint32_t runs = side->input->run_count;
    struct tp_side_levels out = {tp_arena_array(arena, runs, sizeof(double)),
                                 tp_arena_array(arena, runs, sizeof(double)),
                                 tp_arena_array(arena, runs, sizeof(double))};
    double *own = tp_arena_array(arena, side->step_count, sizeof *own);
    bool is_known = true;
    for (uint32_t r = 0; r < runs && is_known; r++) {
        size_t used = side->first[r + 1] - side->first[r], count = used - side->warm_up[r];
        memcpy(own, values + side->first[r + 1] - count, count * sizeof *own);
        struct tp_run_level level = tp_run_level_of_steps(own, count);
        out.levels[r] = level.level;
        out.cvs[r] = level.cv;
        out.lows[r] = level.low;
        is_known = used >= TP_LEVEL_LEAST_STEPS && !isnan(level.level);
    }
    tp_arena_free_item(arena, own, side->step_count * sizeof *own);
    return is_known ? out : (struct tp_side_levels){NULL, NULL, NULL};
}

static bool has_only_positive_values(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0))
            return false;
    return true;
}

static void find_levels_of_step_parts(struct tp_side *side, struct tp_arena *arena)
{
    double *values = tp_arena_array(arena, side->step_count, sizeof *values);
    for (enum tp_summary_part part = 0; part < TP_PART_COUNT; part++) {
        bool is_known = fill_times_of_step_part(values, side, part);
        struct tp_side_levels *levels = part == TP_PART_DEVICE_SUM   ? &side->quantities[TP_QUANTITY_KERNELS]
                                        : part == TP_PART_HOST_SUM   ? &side->quantities[TP_QUANTITY_HOST_OPS]
                                        : part == TP_PART_DATALOADER ? &side->loading
                                                                     : NULL;
        side->part_ns[part] = is_known ? mean_or_nan(values, side->step_count) : NAN;
        if (levels && is_known && (part == TP_PART_DATALOADER || has_only_positive_values(values, side->step_count)))
            *levels = find_levels_of_runs(side, values, arena);
    }
    if (has_only_positive_values(side->step_ns, side->step_count))
        side->quantities[TP_QUANTITY_STEP] = find_levels_of_runs(side, side->step_ns, arena);
}

/* ---- rows ---- */

static const struct tp_summary_row *row_of_identity_in_run(const struct tp_side *side, uint32_t identity, uint32_t run)
{
    uint32_t at = side->row_of[(size_t)identity * side->input->run_count + run];
    return at ? &side->input->runs[run].rows[at - 1] : NULL;
}

static bool has_constant_value(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

/* Scratch memory of one side, with one number for each analysed step. */
struct scratch {
    double *ns, *calls;
};

/* Fills the time and the calls of a row in every analysed step, with 0 in runs without the row. Returns false if a run
 * has no values per step for the row. */
static bool fill_row_times_of_steps(const struct tp_side *side, uint32_t identity, const struct scratch *scratch)
{
    for (uint32_t r = 0; r < side->input->run_count; r++) {
        const struct tp_summary_row *row = row_of_identity_in_run(side, identity, r);
        if (row && (!row->by_step_ns || !row->by_step_count))
            return false;
        size_t at = side->first[r];
        for (uint32_t i = 0; i < side->input->runs[r].step_count; i++) {
            if (side->input->runs[r].steps[i].is_left_out)
                continue;
            scratch->ns[at] = row ? (double)row->by_step_ns[i] : 0;
            scratch->calls[at++] = row ? (double)row->by_step_count[i] : 0;
        }
    }
    return side->step_count > 0;
}

/* Fills the means of a row from its values per step. */
static void add_row_by_steps(struct tp_side_row *sum, const struct tp_side *side, const struct scratch *scratch)
{
    sum->ns = mean_or_nan(scratch->ns, side->step_count);
    sum->calls = mean_or_nan(scratch->calls, side->step_count);
    sum->is_count_constant = side->step_count > 1 && has_constant_value(scratch->calls, side->step_count);
}

/* Fills the means of a row from its sums over the recording, for rows without values per step. The count is constant if
 * each run has the same whole number of calls per step. */
static void add_row_by_calls(struct tp_side_row *sum, const struct tp_side *side, uint32_t identity)
{
    double steps = side->recorded_step_count ? (double)side->recorded_step_count : 1, per_step = NAN;
    bool is_whole = side->recorded_step_count > 1; /* a count is constant only if there are at least two steps */
    for (uint32_t r = 0; r < side->input->run_count; r++) {
        const struct tp_summary_row *row = row_of_identity_in_run(side, identity, r);
        uint32_t own_steps = side->input->runs[r].step_count;
        double own = row ? (double)row->time.count / (own_steps ? own_steps : 1) : 0;
        is_whole &= own == floor(own) && (isnan(per_step) || own == per_step);
        per_step = own;
        sum->ns += row ? (double)row->time.sum_ns / steps : 0;
        sum->calls += row ? (double)row->time.count / steps : 0;
    }
    sum->is_count_constant = is_whole;
}

static void add_row_of_identity(struct tp_side *side, uint32_t identity, const struct scratch *scratch)
{
    struct tp_side_row *sum = &side->rows[identity];
    for (uint32_t r = 0; r < side->input->run_count; r++)
        sum->exists |= row_of_identity_in_run(side, identity, r) != NULL;
    if (fill_row_times_of_steps(side, identity, scratch))
        add_row_by_steps(sum, side, scratch);
    else
        add_row_by_calls(sum, side, identity);
}

/* Returns the most frequent of `count` call counts. Returns NaN if at least two counts, and more than a tenth of all,
 * differ from the most frequent one. Sorts the counts. */
static double most_frequent_call_count(double *calls, size_t count)
{
    size_t most = 0, length = 0;
    double commonest = NAN;
    tp_sort_reals(calls, count);
    for (size_t i = 0; i < count; i++) {
        length = i && calls[i] == calls[i - 1] ? length + 1 : 1;
        commonest = length > most ? calls[i] : commonest;
        most = length > most ? length : most;
    }
    return (double)most >= 0.9 * (double)count || count - most <= 1 ? commonest : NAN;
}

struct tp_side_levels tp_sides_row_levels(double *calls, const struct tp_sides *sides, int s, uint32_t identity)
{
    const struct tp_side *side = &sides->side[s];
    const struct tp_side_levels none = {NULL, NULL, NULL};
    struct scratch scratch = {tp_arena_array(sides->arena, side->step_count, sizeof(double)),
                              tp_arena_array(sides->arena, side->step_count, sizeof(double))};
    *calls = NAN;
    for (uint32_t r = 0; r < side->input->run_count; r++)
        if (!row_of_identity_in_run(side, identity, r))
            return none;
    if (!fill_row_times_of_steps(side, identity, &scratch))
        return none;
    for (uint32_t r = 0; r < side->input->run_count; r++) {
        size_t begin = side->first[r] + side->warm_up[r], count = side->first[r + 1] - begin;
        double own = most_frequent_call_count(scratch.calls + begin, count);
        if (!has_only_positive_values(scratch.ns + begin, count) || isnan(own) || (r && own != *calls))
            return none;
        *calls = own;
    }
    return find_levels_of_runs(side, scratch.ns, sides->arena);
}

struct tp_side_levels tp_sides_sum_levels(const struct tp_sides *sides, int s, const struct tp_side_part *parts,
                                          size_t count)
{
    const struct tp_side *side = &sides->side[s];
    const struct tp_side_levels none = {NULL, NULL, NULL};
    struct scratch scratch = {tp_arena_array(sides->arena, side->step_count, sizeof(double)),
                              tp_arena_array(sides->arena, side->step_count, sizeof(double))};
    double *sums = tp_arena_array(sides->arena, side->step_count, sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        if (!fill_row_times_of_steps(side, parts[i].identity, &scratch))
            return none;
        for (size_t k = 0; k < side->step_count; k++)
            sums[k] += parts[i].share * scratch.ns[k];
    }
    for (uint32_t r = 0; r < side->input->run_count; r++) {
        size_t begin = side->first[r] + side->warm_up[r];
        if (!has_only_positive_values(sums + begin, side->first[r + 1] - begin))
            return none;
    }
    return count ? find_levels_of_runs(side, sums, sides->arena) : none;
}

static void find_rows_of_side(struct tp_sides *sides, struct tp_side *side, const uint32_t *identities)
{
    uint32_t runs = side->input->run_count;
    size_t at = 0;
    side->row_of = tp_arena_array(sides->arena, (size_t)sides->identity_count * runs, sizeof *side->row_of);
    for (uint32_t r = 0; r < runs; r++)
        for (uint32_t i = 0; i < side->input->runs[r].row_count; i++)
            side->row_of[(size_t)identities[at++] * runs + r] = i + 1;
}

static uint32_t *find_identities(struct tp_sides *sides, const struct tp_side_input *input)
{
    size_t count = 0, at = 0;
    for (uint32_t r = 0; r < input->run_count; r++)
        count += input->runs[r].row_count;
    uint32_t *identities = tp_arena_array(sides->arena, count, sizeof *identities);
    for (uint32_t r = 0; r < input->run_count; r++)
        for (uint32_t i = 0; i < input->runs[r].row_count; i++)
            identities[at++] = find_or_add_identity(sides, &input->runs[r].rows[i]);
    return identities;
}

void tp_sides_build(struct tp_sides *sides, const struct tp_side_input inputs[TP_SIDES], struct tp_arena *arena)
{
    uint32_t *identities[TP_SIDES];
    *sides = (struct tp_sides){.arena = arena};
    tp_strings_init(&sides->texts, arena, 0);
    tp_keys_init(&sides->keys, arena, KEY_WIDTH);
    for (int s = 0; s < TP_SIDES; s++)
        identities[s] = find_identities(sides, &inputs[s]);
    sides->identity_count = tp_keys_count(&sides->keys);
    for (int s = 0; s < TP_SIDES; s++) {
        struct tp_side *side = &sides->side[s];
        side->input = &inputs[s];
        count_steps_of_runs(side, arena);
        find_levels_of_step_parts(side, arena);
        side->rows = tp_arena_array(arena, sides->identity_count, sizeof *side->rows);
        find_rows_of_side(sides, side, identities[s]);
        struct scratch scratch = {tp_arena_array(arena, side->step_count, sizeof(double)),
                                  tp_arena_array(arena, side->step_count, sizeof(double))};
        for (uint32_t i = 0; i < sides->identity_count; i++)
            add_row_of_identity(side, i, &scratch);
    }
}
