/* The two sides of a comparison: see sides.h. */
#include "webreport/compare/sides.h"

#include <math.h>

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

static uint32_t identity_of(struct tp_sides *sides, const struct tp_summary_row *row)
{
    uint32_t key[KEY_WIDTH] = {row->kind, tp_strings_add(&sides->texts, row->name),
                               tp_strings_add(&sides->texts, row->owner), tp_strings_add(&sides->texts, row->shape),
                               tp_strings_add(&sides->texts, row->dtype)};
    return tp_keys_add(&sides->keys, key);
}

/* ---- steps ---- */

static void find_steps(struct tp_side *side, struct tp_arena *arena)
{
    const struct tp_side_input *input = side->input;
    side->first = tp_arena_array(arena, (size_t)input->run_count + 1, sizeof *side->first);
    for (uint32_t r = 0; r < input->run_count; r++) {
        side->first[r + 1] = side->first[r] + tp_summary_used_steps(&input->runs[r]);
        side->recorded_step_count += input->runs[r].step_count;
    }
    side->step_count = side->first[input->run_count];
    side->step_ns = tp_arena_array(arena, side->step_count, sizeof *side->step_ns);
    side->run_medians = tp_arena_array(arena, input->run_count, sizeof *side->run_medians);
    double *scratch = tp_arena_array(arena, side->step_count, sizeof *scratch);
    for (uint32_t r = 0; r < input->run_count; r++) {
        double *own = side->step_ns + side->first[r];
        size_t count = 0;
        for (uint32_t i = 0; i < input->runs[r].step_count; i++)
            if (!input->runs[r].steps[i].is_left_out)
                own[count++] = (double)input->runs[r].steps[i].total_ns;
        if (count)
            memcpy(scratch, own, count * sizeof *scratch);
        double median = tp_median(scratch, count);
        if (median > 0)
            side->run_medians[side->median_count++] = median;
    }
    side->total = tp_moments_of(side->step_ns, side->step_count);
    if (side->step_count)
        memcpy(scratch, side->step_ns, side->step_count * sizeof *scratch);
    side->typical_total = tp_moments_typical(scratch, side->step_count);
}

static void find_parts(struct tp_side *side, struct tp_arena *arena)
{
    const struct tp_moments unknown = {0, NAN, NAN, 0};
    double *values = tp_arena_array(arena, side->step_count, sizeof *values);
    for (unsigned part = 0; part < TP_PART_COUNT; part++) {
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
        side->parts[part] = is_known ? tp_moments_of(values, side->step_count) : unknown;
        side->typical_parts[part] = is_known ? tp_moments_typical(values, side->step_count) : unknown;
    }
}

/* ---- rows ---- */

/* Where each run of a side has an identity: row + 1 by identity * run_count + run. */
struct places {
    uint32_t *row;
    uint32_t run_count;
};

static const struct tp_summary_row *row_in(const struct tp_side *side, const struct places *places, uint32_t identity,
                                           uint32_t run)
{
    uint32_t at = places->row[(size_t)identity * places->run_count + run];
    return at ? &side->input->runs[run].rows[at - 1] : NULL;
}

static bool is_constant(const double *values, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (values[i] != values[0])
            return false;
    return true;
}

/* Scratch of one side: a number per step. */
struct scratch {
    double *ns, *calls;
};

/* Numbers of every step, when every run that has the row kept them; a run without it has none of it. */
static bool fill_steps(const struct tp_side *side, const struct places *places, uint32_t identity,
                       const struct scratch *scratch)
{
    for (uint32_t r = 0; r < places->run_count; r++) {
        const struct tp_summary_row *row = row_in(side, places, identity, r);
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

/* From the steps: the usual way. */
static void add_by_steps(struct tp_side_row *sum, const struct tp_side *side, const struct scratch *scratch)
{
    sum->ns = tp_moments_of(scratch->ns, side->step_count);
    sum->calls = tp_moments_of(scratch->calls, side->step_count);
    sum->typical = tp_moments_typical(scratch->ns, side->step_count);
    sum->is_count_constant = side->step_count > 1 && is_constant(scratch->calls, side->step_count);
}

/* Single calls of all runs. */
struct calls {
    double count, sum, square_sum;
    bool is_whole; /* each run has a whole number of calls per step */
};

static struct calls calls_of(const struct tp_side *side, const struct places *places, uint32_t identity)
{
    struct calls calls = {.is_whole = true};
    double per_step = NAN;
    for (uint32_t r = 0; r < places->run_count; r++) {
        const struct tp_summary_row *row = row_in(side, places, identity, r);
        uint32_t steps = side->input->runs[r].step_count;
        double own = row ? (double)row->time.count / (steps ? steps : 1) : 0;
        calls.is_whole &= own == floor(own) && (isnan(per_step) || own == per_step);
        per_step = own;
        calls.count += row ? (double)row->time.count : 0;
        calls.sum += row ? (double)row->time.sum_ns : 0;
        calls.square_sum += row ? row->time.square_sum : 0;
    }
    return calls;
}

/* From single calls: the steps are few, or were not kept. The sum of a step varies as its calls do, and when their
 * number is not known to be constant as a compound Poisson sum does. */
static void add_by_calls(struct tp_side_row *sum, const struct tp_side *side, const struct calls *calls)
{
    double steps = side->recorded_step_count ? (double)side->recorded_step_count : 1;
    struct tp_moments single = tp_moments_of_sums(calls->count, calls->sum, calls->square_sum);
    double square = calls->is_whole ? single.error_square * calls->count * calls->count : calls->square_sum;
    bool is_enough = calls->count >= TP_SIDES_LEAST_CALLS,
         is_one = side->recorded_step_count < 2; /* one step tells no count */
    sum->ns = (struct tp_moments){steps, calls->sum / steps, is_enough ? square / steps / steps : NAN, single.freedom};
    sum->calls = (struct tp_moments){steps, calls->count / steps, calls->is_whole ? 0 : calls->count / steps / steps,
                                     single.freedom};
    if (is_one)
        sum->calls.error_square = NAN;
    sum->typical = sum->ns;
    sum->is_count_constant = calls->is_whole && !is_one;
}

static void add_row(struct tp_side *side, const struct places *places, uint32_t identity, const struct scratch *scratch)
{
    struct tp_side_row *sum = &side->rows[identity];
    struct calls calls = calls_of(side, places, identity);
    bool has_steps = fill_steps(side, places, identity, scratch);
    for (uint32_t r = 0; r < places->run_count; r++)
        sum->is_there |= row_in(side, places, identity, r) != NULL;
    if (has_steps)
        add_by_steps(sum, side, scratch);
    if (!has_steps) {
        add_by_calls(sum, side, &calls);
    } else if (side->step_count < TP_SIDES_LEAST_STEPS && sum->is_there) {
        bool is_constant_count = sum->is_count_constant;
        struct tp_moments by_steps = sum->ns, counts = sum->calls;
        add_by_calls(sum, side, &calls);
        sum->ns.mean = sum->typical.mean = by_steps.mean; /* calls outside of steps are not in it */
        sum->calls = counts;
        sum->is_count_constant = is_constant_count;
    }
}

static struct places find_places(struct tp_sides *sides, const uint32_t *identities, const struct tp_side_input *input)
{
    struct places places = {
        tp_arena_array(sides->arena, (size_t)sides->identity_count * input->run_count, sizeof(uint32_t)),
        input->run_count};
    size_t at = 0;
    for (uint32_t r = 0; r < input->run_count; r++)
        for (uint32_t i = 0; i < input->runs[r].row_count; i++)
            places.row[(size_t)identities[at++] * input->run_count + r] = i + 1;
    return places;
}

static uint32_t *find_identities(struct tp_sides *sides, const struct tp_side_input *input)
{
    size_t count = 0, at = 0;
    for (uint32_t r = 0; r < input->run_count; r++)
        count += input->runs[r].row_count;
    uint32_t *identities = tp_arena_array(sides->arena, count, sizeof *identities);
    for (uint32_t r = 0; r < input->run_count; r++)
        for (uint32_t i = 0; i < input->runs[r].row_count; i++)
            identities[at++] = identity_of(sides, &input->runs[r].rows[i]);
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
        find_steps(side, arena);
        find_parts(side, arena);
        side->rows = tp_arena_array(arena, sides->identity_count, sizeof *side->rows);
        struct places places = find_places(sides, identities[s], &inputs[s]);
        struct scratch scratch = {tp_arena_array(arena, side->step_count, sizeof(double)),
                                  tp_arena_array(arena, side->step_count, sizeof(double))};
        for (uint32_t i = 0; i < sides->identity_count; i++)
            add_row(side, &places, i, &scratch);
    }
}
