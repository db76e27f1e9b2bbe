/* Finds the compiled graph that fits a region of the trace (docs/definitions.md, section 36). */
#include "webreport/model/compiled_parts.h"

#include "webreport/trace/compile_log/compile_names.h"
#include "writer/base/align.h"
#include "writer/base/limits.h"

uint32_t tp_compiled_name_id(struct tp_compiled_graphs *graphs, struct tp_str name)
{
    return tp_strings_add(&graphs->names, tp_compile_operator_name(graphs->arena, name));
}

void tp_compiled_graphs_init(struct tp_compiled_graphs *graphs, const struct tp_compile_log *log,
                             struct tp_arena *arena)
{
    *graphs =
        (struct tp_compiled_graphs){.log = log, .arena = arena, .matches = TP_VEC(arena, struct tp_compiled_match)};
    tp_strings_init(&graphs->names, arena, 0);
    tp_strings_init(&graphs->seen, arena, 0);
    graphs->of_graph = tp_arena_array(arena, log->graphs.count, sizeof *graphs->of_graph);
    for (size_t i = 0; i < log->graphs.count; i++) {
        const struct tp_compile_graph *graph = tp_compile_graph_at(log, i);
        graphs->of_graph[i] = tp_arena_array(arena, graph->call_count, sizeof **graphs->of_graph);
        for (uint32_t k = 0; k < graph->call_count; k++)
            graphs->of_graph[i][k] = tp_strings_add(&graphs->names, graph->calls[k].name);
    }
}

/* Returns a number for each name id, all 0. The caller sets them to 0 again. */
static uint32_t *get_slots(struct tp_compiled_graphs *graphs)
{
    if (graphs->slot_count < graphs->names.count) {
        graphs->slot_count = 2 * graphs->names.count;
        graphs->slots = tp_arena_array(graphs->arena, graphs->slot_count, sizeof *graphs->slots);
    }
    return graphs->slots;
}

/* Returns the number of calls that both lists have, whatever their order. */
static uint32_t count_common(struct tp_compiled_graphs *graphs, struct tp_align_items a, struct tp_align_items b)
{
    uint32_t common = 0, *count = get_slots(graphs);
    for (uint32_t i = 0; i < a.count; i++)
        count[a.items[i]]++;
    for (uint32_t i = 0; i < b.count; i++)
        if (count[b.items[i]]) {
            count[b.items[i]]--;
            common++;
        }
    for (uint32_t i = 0; i < a.count; i++)
        count[a.items[i]] = 0;
    return common;
}

/* Pairs each call of a region with the first call of the graph that has its name. Artifacts before PyTorch 2.9 list
 * kernels without the order of their calls. */
static void pair_by_name(struct tp_vec *pairs, struct tp_compiled_graphs *graphs, struct tp_align_items graph,
                         struct tp_align_items region)
{
    uint32_t *first = get_slots(graphs);
    for (uint32_t i = graph.count; i > 0; i--)
        first[graph.items[i - 1]] = i;
    for (uint32_t i = 0; i < region.count; i++)
        if (first[region.items[i]])
            *(struct tp_align_pair *)tp_vec_push(pairs) = (struct tp_align_pair){first[region.items[i]] - 1, i};
    for (uint32_t i = 0; i < graph.count; i++)
        first[graph.items[i]] = 0;
}

/* Compares a region with a graph. Keeps the result if it has more pairs than `best`, or as many pairs and fewer calls.
 */
static void try_graph(struct tp_compiled_match *best, struct tp_compiled_graphs *graphs, size_t index,
                      struct tp_align_items region)
{
    const struct tp_compile_graph *graph = tp_compile_graph_at(graphs->log, index);
    struct tp_align_items calls = {graphs->of_graph[index], graph->call_count};
    struct tp_vec pairs = TP_VEC(graphs->arena, struct tp_align_pair);
    uint32_t best_count = best->pairs.count ? tp_compile_graph_at(graphs->log, best->graph)->call_count : UINT32_MAX;
    /* a graph with as many pairs as the best one must be shorter */
    uint32_t most = (uint32_t)best->pairs.count + (graph->call_count >= best_count || !best->pairs.count);
    uint64_t all = (uint64_t)calls.count + region.count, limit;
    graphs->work += all;
    if (graphs->work > TP_MAX_COMPILE_WORK)
        return;
    if (!graph->has_handles) {
        pair_by_name(&pairs, graphs, calls, region);
    } else {
        uint32_t common = count_common(graphs, calls, region);
        if (common < most)
            return;
        limit = all - 2ull * most;
        limit = limit < TP_MAX_COMPILE_EDITS ? limit : TP_MAX_COMPILE_EDITS;
        graphs->work += limit * limit;
        if (graphs->work > TP_MAX_COMPILE_WORK || !tp_align(&pairs, calls, region, (uint32_t)limit))
            return;
        graphs->work -= limit * limit;
        graphs->work += (all - 2 * pairs.count) * (all - 2 * pairs.count);
    }
    if (pairs.count > best->pairs.count ||
        (pairs.count && pairs.count == best->pairs.count && graph->call_count < best_count))
        *best = (struct tp_compiled_match){index, pairs};
}

const struct tp_compiled_match *tp_compiled_match(struct tp_compiled_graphs *graphs, const uint32_t *names,
                                                  uint32_t count)
{
    struct tp_str sequence = {(const char *)names, count * sizeof *names};
    uint32_t known = graphs->seen.count, id = tp_strings_add(&graphs->seen, sequence);
    struct tp_compiled_match best = {0, TP_VEC(graphs->arena, struct tp_align_pair)};
    if (id < known)
        return TP_AT(&graphs->matches, struct tp_compiled_match, id);
    /* graphs that have only names of nodes are used if no other graph fits */
    for (int is_code = 0; is_code <= 1 && !best.pairs.count; is_code++)
        for (size_t i = 0; i < graphs->log->graphs.count; i++)
            if (tp_compile_graph_at(graphs->log, i)->is_code == is_code)
                try_graph(&best, graphs, i, (struct tp_align_items){names, count});
    *(struct tp_compiled_match *)tp_vec_push(&graphs->matches) = best;
    return TP_AT(&graphs->matches, struct tp_compiled_match, id);
}
