/* Finds sends and receives that wait for their peer: see flight_decision.h.
 *
 * The number of a send or a receive counts the calls of its own rank only. The calls of one rank to another in one
 * group are matched in their order. */
#include <stdio.h>

#include "webreport/measure/flight/flight_decision.h"
#include "writer/base/sort.h"

/* One side of a pair: [0] the sender, [1] the receiver. */
struct side {
    struct tp_flight_decision *d;
    const struct tp_flight_pair *pair;
    unsigned side;
    uint32_t rank, peer;
};

static const struct tp_flight_rank *dump_of(const struct side *s, uint32_t rank)
{
    uint32_t index = s->d->job->rank_index[rank];
    return index == TP_NO_ID ? NULL : tp_flight_rank_at(s->d->job, index);
}

static bool has_overwritten(const struct side *s, uint32_t rank)
{
    const struct tp_flight_rank *dump = dump_of(s, rank);
    return dump && dump->overwritten > 0;
}

static enum tp_flight_why find_why(const struct side *s)
{
    const struct tp_flight_pair *pair = s->pair;
    const struct tp_flight_entry *own = pair->pending[s->side], *other = pair->pending[!s->side];
    bool is_exact = !has_overwritten(s, pair->source) && !has_overwritten(s, pair->target);
    if (!dump_of(s, s->peer))
        return TP_FLIGHT_WHY_NO_DUMP;
    if (other)
        return tp_flight_moved_elements(other) != tp_flight_moved_elements(own) ? TP_FLIGHT_WHY_SIZE_MISMATCH
                                                                                : TP_FLIGHT_WHY_STUCK_INSIDE;
    if (is_exact && pair->count[!s->side] > pair->count[s->side] - pair->pending_count[s->side])
        return TP_FLIGHT_WHY_PARTIAL;
    if (!is_exact && has_overwritten(s, s->peer) && !pair->count[!s->side])
        return TP_FLIGHT_WHY_UNSURE;
    return TP_FLIGHT_WHY_NOT_JOINED;
}

/* Returns one rank as a list. */
static struct tp_flight_ranks one_rank(struct tp_arena *arena, uint32_t rank)
{
    uint32_t *items = tp_arena_alloc(arena, sizeof *items);
    *items = rank;
    return (struct tp_flight_ranks){items, 1};
}

static struct tp_str op_with_ranks(const struct side *s, const struct tp_flight_entry *entry)
{
    char text[64];
    int size =
        snprintf(text, sizeof text, "%s %u->%u", tp_flight_op_of(s->d->job, entry) == TP_FLIGHT_SEND ? "send" : "recv",
                 s->pair->source, s->pair->target);
    return (struct tp_str){tp_arena_copy(s->d->job->arena, text, (size_t)size), (size_t)size};
}

static void add_open(const struct side *s, const struct tp_flight_entry *entry, enum tp_flight_why why)
{
    struct tp_flight_job *job = s->d->job;
    const struct tp_flight_group_of_ranks *group = tp_flight_group_at(job, s->pair->group);
    struct tp_flight_open *open = tp_vec_push(&s->d->open);
    *open = (struct tp_flight_open){.group = tp_flight_text(job, group->name),
                                    .description = tp_flight_text(job, group->description),
                                    .op = op_with_ranks(s, entry),
                                    .rank_count = 2,
                                    .ranks_are_known = true,
                                    .sequence = entry->call.sequence,
                                    .waiting = one_rank(job->arena, s->rank),
                                    .why = (uint8_t)why,
                                    .has_timed_out = entry->has_timed_out,
                                    .is_p2p = true,
                                    .since_ns = entry->call.time_ns,
                                    .head_count = tp_flight_rank_at(job, entry->rank)->head == entry,
                                    .line_count = 1,
                                    .stack = entry->call.stack,
                                    .group_index = s->pair->group,
                                    .instance = TP_NO_ID};
    open->lines = tp_arena_alloc(job->arena, sizeof *open->lines);
    open->line_ranks = tp_arena_alloc(job->arena, sizeof *open->line_ranks);
    open->lines[0] = tp_flight_line(job, entry->call.stack);
    open->line_ranks[0] = 1;
    if (why == TP_FLIGHT_WHY_NOT_JOINED)
        open->not_joined = one_rank(job->arena, s->peer);
    if (why == TP_FLIGHT_WHY_NO_DUMP || why == TP_FLIGHT_WHY_UNSURE)
        open->unsure = one_rank(job->arena, s->peer);
}

static struct tp_flight_side make_side(const struct side *s, unsigned side)
{
    struct tp_flight_job *job = s->d->job;
    const struct tp_flight_entry *entry = s->pair->pending[side];
    struct tp_flight_side made = {.ranks = one_rank(job->arena, side ? s->pair->target : s->pair->source),
                                  .op = tp_str_of(side ? "recv" : "send"),
                                  .elements = {tp_flight_moved_elements(entry)},
                                  .element_count = 1,
                                  .line = tp_flight_line(job, entry->call.stack),
                                  .stack = entry->call.stack};
    struct tp_vec types = tp_flight_list_types(job, entry->call.input_types);
    made.types = types.data;
    made.type_count = types.count;
    return made;
}

static void add_mismatch(const struct side *s)
{
    struct tp_flight_decision *d = s->d;
    struct tp_flight_job *job = d->job;
    const struct tp_flight_group_of_ranks *group = tp_flight_group_at(job, s->pair->group);
    if (d->mismatch_total++ >= TP_FLIGHT_MOST_CULPRITS)
        return;
    struct tp_flight_mismatch *mismatch = tp_vec_push(&d->mismatches);
    *mismatch = (struct tp_flight_mismatch){.group = tp_flight_text(job, group->name),
                                            .description = tp_flight_text(job, group->description),
                                            .sequence = s->pair->pending[0]->call.sequence,
                                            .is_undecided = true,
                                            .kind_count = 1,
                                            .side_count = 2,
                                            .instance = TP_NO_ID,
                                            .is_open = true,
                                            .is_p2p = true};
    mismatch->kinds = tp_arena_alloc(job->arena, sizeof *mismatch->kinds);
    mismatch->kinds[0] = tp_str_of(tp_flight_why_text(TP_FLIGHT_WHY_SIZE_MISMATCH));
    mismatch->sides = tp_arena_array(job->arena, 2, sizeof *mismatch->sides);
    mismatch->sides[0] = make_side(s, 0);
    mismatch->sides[1] = make_side(s, 1);
}

static void find_open_side(const struct side *s)
{
    const struct tp_flight_entry *entry = s->pair->pending[s->side];
    struct tp_flight_decision *d = s->d;
    if (!entry)
        return;
    enum tp_flight_why why = find_why(s);
    add_open(s, entry, why);
    bool is_missing = why == TP_FLIGHT_WHY_NOT_JOINED || why == TP_FLIGHT_WHY_NO_DUMP || why == TP_FLIGHT_WHY_UNSURE;
    tp_flight_add_wait(d, entry, is_missing ? tp_flight_add_set(d, one_rank(d->job->arena, s->peer)) : TP_NO_ID);
    if (is_missing)
        tp_flight_set_reason(d, s->peer, why, s->pair->group, entry->call.sequence);
    if (why == TP_FLIGHT_WHY_SIZE_MISMATCH && s->side == 0)
        add_mismatch(s);
}

/* Compares two numbers as decimal texts. */
static int compare_as_texts(uint32_t a, uint32_t b)
{
    char x[16], y[16];
    snprintf(x, sizeof x, "%u", a);
    snprintf(y, sizeof y, "%u", b);
    return strcmp(x, y);
}

/* Orders pairs by the texts of their group, its ranks, the sender and the receiver. */
static int compare_pairs(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_flight_job *job = context;
    const struct tp_flight_pair *a = TP_AT(&job->pairs, struct tp_flight_pair, x);
    const struct tp_flight_pair *b = TP_AT(&job->pairs, struct tp_flight_pair, y);
    const struct tp_flight_group_of_ranks *g = tp_flight_group_at(job, a->group),
                                          *h = tp_flight_group_at(job, b->group);
    int order = tp_str_compare(tp_flight_text(job, g->name), tp_flight_text(job, h->name));
    for (uint32_t i = 0; !order && i < g->rank_count && i < h->rank_count; i++)
        order = compare_as_texts(g->ranks[i], h->ranks[i]);
    if (!order)
        order = (g->rank_count < h->rank_count) - (g->rank_count > h->rank_count);
    order = order ? order : compare_as_texts(a->source, b->source);
    return order ? order : compare_as_texts(a->target, b->target);
}

void tp_flight_find_open_pairs(struct tp_flight_decision *d)
{
    struct tp_flight_job *job = d->job;
    uint32_t count = 0;
    uint32_t *order = tp_arena_array(job->arena, job->pairs.count, sizeof *order);
    for (uint32_t i = 0; i < job->pairs.count; i++) {
        const struct tp_flight_pair *pair = TP_AT(&job->pairs, struct tp_flight_pair, i);
        if (pair->pending[0] || pair->pending[1])
            order[count++] = i;
    }
    tp_sort_rows(order, count, compare_pairs, job, job->arena);
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_flight_pair *pair = TP_AT(&job->pairs, struct tp_flight_pair, order[i]);
        find_open_side(&(struct side){d, pair, 0, pair->source, pair->target});
        find_open_side(&(struct side){d, pair, 1, pair->target, pair->source});
    }
}
