/* Implements joined_change.h. A change that applies to all ranks is made for the graph of each rank, and then joined.
 */
#include "webreport/what_if/joined_change.h"

#include <stdio.h>

#include "webreport/model/numbers.h"
#include "webreport/what_if/change_more.h"
#include "writer/base/stats.h"

#define RANK_LEAD "rank:"

/* ---- changes of all ranks ---- */

/* Returns the number of nodes of a rank, without its arrivals at collectives. */
static uint32_t node_count_of(const struct tp_joined_ranks *joined, uint32_t rank)
{
    return joined->graphs[rank].node_count;
}

/* Joins the factors of labels and nodes, and the removed waits, of the changes of all ranks. */
static void join_factors(struct tp_what_if_change *out, const struct tp_joined_ranks *joined,
                         const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    out->of_label = tp_arena_array(arena, graph->label_count, sizeof *out->of_label);
    out->of_node = tp_arena_array(arena, graph->node_count, sizeof *out->of_node);
    out->without_wait = tp_arena_array(arena, graph->node_count, sizeof *out->without_wait);
    for (uint32_t i = 0; i < graph->label_count; i++)
        out->of_label[i] = (struct tp_fraction){1, 1};
    for (uint32_t r = 0; r < joined->count; r++) {
        const struct tp_what_if_change *from = &out->of_rank[r];
        uint32_t first = graph->ranks[r].first_node, count = node_count_of(joined, r);
        if (from->of_label)
            memcpy(out->of_label + graph->ranks[r].first_label, from->of_label,
                   joined->graphs[r].label_count * sizeof *from->of_label);
        if (from->of_node)
            memcpy(out->of_node + first, from->of_node, count * sizeof *from->of_node);
        if (from->without_wait)
            memcpy(out->without_wait + first, from->without_wait, count * sizeof *from->without_wait);
    }
}

/* Joins the times that go with calls of operators. */
static void join_more(struct tp_what_if_change *out, const struct tp_joined_ranks *joined,
                      const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    out->more_ns = NULL;
    for (uint32_t r = 0; r < joined->count; r++) {
        const struct tp_what_if_change *from = &out->of_rank[r];
        if (!from->more_ns)
            continue;
        if (!out->more_ns)
            out->more_ns = tp_arena_array(arena, graph->first_arrive, sizeof *out->more_ns);
        out->more = from->more;
        out->more_count = graph->first_arrive;
        memcpy(out->more_ns + graph->ranks[r].first_node, from->more_ns, from->more_count * sizeof *from->more_ns);
    }
}

/* Makes a change from those of all ranks. like: one of them, which has the texts. */
static void join_changes(struct tp_what_if_change *out, const struct tp_what_if_change *of_rank,
                         const struct tp_what_if_change *like, const struct tp_joined_ranks *joined,
                         const struct tp_replay_graph *graph, struct tp_arena *arena)
{
    *out = *like;
    out->of_rank = of_rank;
    out->operator_name = TP_NO_ID; /* each rank has its own numbers of names */
    join_factors(out, joined, graph, arena);
    join_more(out, joined, graph, arena);
}

bool tp_joined_change_second_end(struct tp_what_if_change *out, const struct tp_what_if_change *change,
                                 const struct tp_joined_ranks *joined, const struct tp_replay_graph *graph,
                                 struct tp_arena *arena)
{
    bool has_end = false;
    if (!change->of_rank)
        return false;
    struct tp_what_if_change *of_rank = tp_arena_array(arena, joined->count, sizeof *of_rank);
    for (uint32_t r = 0; r < joined->count; r++) {
        const struct tp_what_if_change *from = &change->of_rank[r];
        const struct tp_replay_graph *own = &joined->graphs[r];
        of_rank[r] = *from;
        if (from->operator_name != TP_NO_ID) {
            int64_t *more;
            tp_operator_more(own, &from->operator_name, 1, &more, arena);
            tp_change_whole_call(&of_rank[r], from, own, more);
        } else if (from->frees_communication) {
            tp_change_uncontended(&of_rank[r], from, own, arena);
        } else if (from->tensor.den) {
            tp_change_least(&of_rank[r], from, own, arena);
        } else {
            continue;
        }
        has_end = true;
    }
    if (has_end)
        join_changes(out, of_rank, change, joined, graph, arena);
    return has_end;
}

/* ---- the change of one rank ---- */

/* Adds the times of the parts of each rank that are work of a group. */
static void sum_parts(const struct tp_replay_graph *graph, enum tp_path_group group, int64_t *sums_ns)
{
    for (uint32_t n = 0; n < graph->first_arrive; n++) {
        int64_t *sum = &sums_ns[tp_node_rank(graph, n)];
        for (uint32_t p = graph->nodes[n].first_part; p < graph->nodes[n + 1].first_part; p++)
            if (tp_path_group_of((enum tp_path_kind)graph->labels[graph->parts[p].label].kind) == group)
                *sum = tp_sat_add(*sum, tp_part_ns(graph, p));
    }
}

void tp_joined_change_of_rank(struct tp_what_if_change *change, const struct tp_joined_ranks *joined,
                              const struct tp_replay_graph *graph, uint32_t rank, struct tp_arena *arena)
{
    static const enum tp_path_group groups[] = {TP_GROUP_HOST, TP_GROUP_COMPUTE};
    char text[80];
    long long number = (long long)joined->ranks[rank].number;
    tp_change_init(change);
    int size = snprintf(text, sizeof text, RANK_LEAD "%lld", number);
    change->name = (struct tp_str){tp_arena_copy(arena, text, (size_t)size), (size_t)size};
    size = snprintf(text, sizeof text, "rank %lld as fast as the median", number);
    change->text = (struct tp_str){tp_arena_copy(arena, text, (size_t)size), (size_t)size};
    change->of_label = tp_arena_array(arena, graph->label_count, sizeof *change->of_label);
    for (uint32_t i = 0; i < graph->label_count; i++)
        change->of_label[i] = (struct tp_fraction){1, 1};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        int64_t *sums = tp_arena_array(arena, joined->count, sizeof *sums);
        sum_parts(graph, groups[g], sums);
        int64_t own = sums[rank], median = tp_lower_median(sums, joined->count);
        uint32_t first = graph->ranks[rank].first_label, count = joined->graphs[rank].label_count;
        for (uint32_t i = first; i < first + count && own; i++)
            if (tp_path_group_of((enum tp_path_kind)graph->labels[i].kind) == groups[g])
                change->of_label[i] = (struct tp_fraction){median, own};
    }
}

/* Refuses the change of a rank that the job does not have. */
static int refuse_rank(struct tp_error *err, const struct tp_joined_ranks *joined, struct tp_str text)
{
    return tp_error_set(err, TP_EUSAGE, 0,
                        "'%.*s': the input has %u ranks, from " RANK_LEAD "%lld to " RANK_LEAD "%lld",
                        (int)(text.len < 60 ? text.len : 60), text.ptr, joined->count,
                        (long long)joined->ranks[0].number, (long long)joined->ranks[joined->count - 1].number);
}

static int parse_rank(struct tp_what_if_change *change, const struct tp_joined_ranks *joined,
                      const struct tp_replay_graph *graph, struct tp_str text, struct tp_arena *arena,
                      struct tp_error *err)
{
    char name[40];
    for (uint32_t r = 0; r < joined->count; r++) {
        snprintf(name, sizeof name, RANK_LEAD "%lld", (long long)joined->ranks[r].number);
        if (!tp_str_equal(text, tp_str_of(name)))
            continue;
        tp_joined_change_of_rank(change, joined, graph, r, arena);
        return 0;
    }
    return refuse_rank(err, joined, text);
}

int tp_joined_change_parse(struct tp_what_if_change *change, const struct tp_joined_ranks *joined,
                           const struct tp_replay_graph *graph, struct tp_str text,
                           const struct tp_change_source *source, struct tp_error *err)
{
    if (tp_str_starts(text, RANK_LEAD))
        return parse_rank(change, joined, graph, text, source->arena, err);
    struct tp_what_if_change *of_rank = tp_arena_array(source->arena, joined->count, sizeof *of_rank);
    const struct tp_what_if_change *found = NULL;
    int code = 0;
    for (uint32_t r = 0; r < joined->count; r++) {
        struct tp_error why = {0};
        int parsed = tp_change_parse(&of_rank[r], &joined->graphs[r], text, source, &why);
        if (parsed == 0) {
            found = found ? found : &of_rank[r];
            continue;
        }
        if (!code && err)
            *err = why;
        code = parsed;
        tp_change_init(&of_rank[r]); /* this rank has no such name, so nothing of it changes */
    }
    if (!found)
        return code;
    join_changes(change, of_rank, found, joined, graph, source->arena);
    return 0;
}
