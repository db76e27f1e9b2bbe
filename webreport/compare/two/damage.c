/* Evaluates the evidence of several runs. See damage.h. */
#include "webreport/compare/two/damage.h"

#include <stdlib.h>

#include "webreport/measure/rules/unknown_data.h"
#include "webreport/trace/input_facts.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

enum { SHOWN_RUNS = 4 };

/* Returns the categories of events that at least one run recorded by default, that is, without an option that the user
 * named. If the other side lacks such a category, the events of this category were lost. */
static unsigned needs_recorded_by_default(const struct tp_damage_runs *runs)
{
    unsigned present = 0, asked = 0;
    for (size_t i = 0; i < runs->count; i++) {
        present |= runs->runs[i].evidence.present;
        asked |= runs->runs[i].evidence.requested;
    }
    return present & ~asked;
}

/* Returns the needs of the categories that the input lacks and the other side has. left_out: as in struct
 * tp_damage_runs. */
static unsigned missed(const struct tp_input_evidence *e, unsigned present_in_others, uint32_t left_out)
{
    unsigned missed = e->is_known ? present_in_others & ~e->present & ~e->absent : 0;
    unsigned needs = (missed & TP_NEED_ALL) | (missed & TP_PRESENT_ANNOTATIONS ? TP_NEED_HOST : 0u);
    return needs & ~tp_unknown_affected_needs(e->unknown & left_out);
}

/* Returns the kinds of data that at least one run shows, as bits of enum tp_unknown; 0 without runs. */
static uint32_t find_shown_data(const struct tp_damage_runs *runs)
{
    uint32_t shown = 0;
    for (size_t i = 0; i < runs->count; i++)
        shown |= runs->runs[i].evidence.is_known ? TP_UNKNOWN_ALL & ~(uint32_t)runs->runs[i].evidence.unknown : 0;
    return shown;
}

unsigned tp_damage_unmet_needs(const struct tp_damage_runs *runs, const struct tp_damage_runs *others)
{
    unsigned broken = 0, present = needs_recorded_by_default(others);
    uint32_t shown = find_shown_data(others) & ~runs->left_out;
    for (size_t i = 0; i < runs->count; i++) {
        const struct tp_input_evidence *e = &runs->runs[i].evidence;
        broken |= tp_evidence_unmet_needs(e) | missed(e, present, runs->left_out) |
                  tp_unknown_affected_needs(e->unknown & shown);
    }
    return broken;
}

/* Returns the first kind of data that affects `needs`, that the input cannot show, and that the other side shows. */
static uint32_t first_unknown_that_affects(uint32_t unknown, unsigned needs)
{
    for (uint32_t kinds = unknown; kinds; kinds &= kinds - 1)
        if (tp_unknown_affected_needs(kinds & -kinds) & needs)
            return kinds & -kinds;
    return 0;
}

/* Returns the reason of tp_damage_reason for run `at`. */
static const char *missing_reason(const struct tp_damage_runs *runs, size_t at, unsigned needs,
                                  const struct tp_damage_runs *others, bool *is_data_unknown, struct tp_arena *arena)
{
    const struct tp_input_evidence *e = &runs->runs[at].evidence;
    unsigned missing = needs & missed(e, needs_recorded_by_default(others), runs->left_out);
    uint32_t unknown = first_unknown_that_affects(e->unknown & find_shown_data(others) & ~runs->left_out, needs);
    if (needs & tp_evidence_unmet_needs(e))
        return tp_evidence_reason(e, needs, arena);
    if (unknown) {
        *is_data_unknown = true;
        return tp_text_printf(arena, "%s, but the other side does", tp_unknown_sentence(unknown));
    }
    for (unsigned need = 1; need <= TP_NEED_ALL; need <<= 1)
        if (missing & need)
            return tp_text_printf(arena, "the file contains no %s, but the other side does",
                                  tp_need_data_text((enum tp_need)need));
    return "";
}

const char *tp_damage_reason(const struct tp_damage_runs *runs, const struct tp_damage_runs *others, unsigned needs,
                             bool *is_data_unknown, struct tp_arena *arena)
{
    for (size_t i = 0; i < runs->count; i++) {
        const char *reason = missing_reason(runs, i, needs, others, is_data_unknown, arena);
        struct tp_str file = runs->runs[i].file;
        if (*reason && runs->count > 1 && file.len)
            return tp_text_printf(arena, "%.*s: %s", (int)(file.len < 80 ? file.len : 80), file.ptr, reason);
        if (*reason)
            return reason;
    }
    return "";
}

uint32_t tp_damage_data_of_one_side(const struct tp_damage_runs *runs, const struct tp_damage_runs *others)
{
    uint32_t one = find_shown_data(runs), other = find_shown_data(others);
    return one && other ? one ^ other : 0; /* 0 without evidence of a side */
}

/* ---- ranks ---- */

/* Fills the ranks of the runs in ascending order, including duplicates. Returns false if a run has no rank. */
static bool find_ranks(int64_t *ranks, const struct tp_damage_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        ranks[i] = runs->runs[i].key.rank;
        if (ranks[i] == TP_NULL_INT || ranks[i] < 0)
            return false;
    }
    tp_sort_integers(ranks, runs->count);
    return runs->count > 0;
}

static int64_t world_size(const struct tp_damage_runs *runs)
{
    int64_t size = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->runs[i].key.world_size > size)
            size = runs->runs[i].key.world_size;
    return size;
}

/* Adds the numbers from 0 to `size` - 1 that are not in the sorted list `ranks`. */
static void add_missing_below(struct tp_rank_set *missing, const int64_t *ranks, size_t count, int64_t size)
{
    int64_t next = 0;
    for (size_t i = 0; i < count && next < size; i++) {
        if (ranks[i] > next)
            tp_rank_set_add_range(missing, next, (ranks[i] < size ? ranks[i] : size) - 1);
        next = ranks[i] + 1;
    }
    if (next < size)
        tp_rank_set_add_range(missing, next, size - 1);
}

void tp_damage_missing_ranks(struct tp_rank_set *missing, const struct tp_damage_runs *runs,
                             const struct tp_damage_runs *others, struct tp_arena *arena)
{
    int64_t *ranks = tp_arena_array(arena, runs->count + 1, sizeof *ranks);
    int64_t *other_ranks = tp_arena_array(arena, others->count + 1, sizeof *other_ranks);
    tp_rank_set_init(missing, arena);
    if (!find_ranks(ranks, runs))
        return;
    if (!find_ranks(other_ranks, others)) {
        add_missing_below(missing, ranks, runs->count, world_size(runs));
        return;
    }
    if (other_ranks[0] == other_ranks[others->count - 1])
        return; /* no rank is reported as missing, because the user chose a single rank on that side */
    for (size_t i = 0, at = 0; i < others->count; i++) {
        while (at < runs->count && ranks[at] < other_ranks[i])
            at++;
        if (at == runs->count || ranks[at] != other_ranks[i])
            tp_rank_set_add(missing, other_ranks[i]);
    }
}

const char *tp_damage_ranks_text(const struct tp_rank_set *missing, struct tp_arena *arena)
{
    const char *ranks = tp_rank_set_text(arena, missing, SHOWN_RUNS);
    return missing->count == 1 ? tp_text_printf(arena, "rank %s of the job is missing", ranks)
                               : tp_text_printf(arena, "ranks %s of the job are missing", ranks);
}
