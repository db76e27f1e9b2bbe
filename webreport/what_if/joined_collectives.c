/* Implements joined_collectives.h. */
#include "webreport/what_if/joined_collectives.h"

#include <stdio.h>

#include "writer/base/buf.h"
#include "writer/base/saturate.h"
#include "writer/base/stats.h"

/* State while kernels are paired. The kinds of collectives, which are groups and names, are numbered by the first rank.
 */
struct pairing {
    struct tp_joined_collectives *found;
    const struct tp_replay_graph *graphs;
    uint32_t rank_count;
    struct tp_arena *arena;
    struct tp_strings kinds; /* distinct texts of a process group and a name */
    struct tp_vec counts;    /* for each kind: number of kernels of the first rank; elements: uint32_t */
    uint32_t *first;         /* for each kind: its first collective */
};

static bool is_collective(const struct tp_replay_graph *graph, uint32_t k)
{
    return graph->nodes[graph->first_device + k].kind == TP_NODE_COMMUNICATION;
}

/* Returns the number of the kind of a communication kernel. */
static uint32_t kind_of_kernel(struct pairing *pairing, const struct tp_model *model, uint32_t k)
{
    const struct tp_event *e = tp_device_event(model, k);
    uint32_t comm = model->trace->devices[e->detail].comm;
    uint32_t group = comm == TP_NO_ID ? TP_NO_ID : model->trace->comms[comm].group_name;
    struct tp_str name = tp_trace_event_name(model->trace, e);
    const char *parenthesis = name.len ? memchr(name.ptr, '(', name.len) : NULL;
    struct tp_buf text;
    tp_buf_init(&text, 0);
    if (group != TP_NO_ID) {
        struct tp_str value = tp_strings_get(&model->trace->values, group);
        tp_buf_add(&text, value.ptr, value.len);
    } else {
        tp_buf_printf(&text, "stream %lld", (long long)tp_stream_number(model, e));
    }
    tp_buf_putc(&text, '\n');
    tp_buf_add(&text, name.ptr, parenthesis ? (size_t)(parenthesis - name.ptr) : name.len);
    size_t size = text.size;
    return tp_strings_add(&pairing->kinds, (struct tp_str){tp_buf_move(&text, pairing->arena), size});
}

/* Numbers the collectives: those of one kind follow each other in the order of the first rank. */
static void number_collectives(struct pairing *pairing)
{
    const struct tp_replay_graph *graph = &pairing->graphs[0];
    for (uint32_t k = 0; k < graph->model->devices.count; k++) {
        if (!is_collective(graph, k))
            continue;
        uint32_t kind = kind_of_kernel(pairing, graph->model, k);
        if (kind == pairing->counts.count)
            *(uint32_t *)tp_vec_push(&pairing->counts) = 0;
        ++*TP_AT(&pairing->counts, uint32_t, kind);
        pairing->found->count++;
    }
    pairing->first = tp_arena_array(pairing->arena, pairing->counts.count + 1, sizeof *pairing->first);
    for (size_t kind = 0; kind < pairing->counts.count; kind++)
        pairing->first[kind + 1] = pairing->first[kind] + *TP_AT(&pairing->counts, uint32_t, kind);
}

/* Finds the kernel of each collective on a rank. Returns false if the rank has other collectives. */
static bool find_kernels_of_rank(struct pairing *pairing, uint32_t rank)
{
    const struct tp_replay_graph *graph = &pairing->graphs[rank];
    uint32_t kind_count = (uint32_t)pairing->counts.count, found = 0;
    uint32_t *seen = tp_arena_array(pairing->arena, kind_count, sizeof *seen);
    for (uint32_t k = 0; k < graph->model->devices.count; k++) {
        if (!is_collective(graph, k))
            continue;
        uint32_t kind = kind_of_kernel(pairing, graph->model, k);
        if (kind >= kind_count || pairing->first[kind] + seen[kind] >= pairing->first[kind + 1])
            return false;
        size_t collective = pairing->first[kind] + seen[kind]++;
        pairing->found->nodes[collective * pairing->rank_count + rank] = graph->first_device + k;
        found++;
    }
    return found == pairing->found->count;
}

/* The ranks have no common clock. The kernels of a collective end together, so the lower median of the differences of
 * their ends is the difference of the clocks. */
static void align_clocks(struct pairing *pairing)
{
    struct tp_joined_collectives *found = pairing->found;
    int64_t *differences = tp_arena_array(pairing->arena, found->count, sizeof *differences);
    for (uint32_t r = 0; r < pairing->rank_count; r++) {
        for (uint32_t c = 0; c < found->count; c++) {
            const uint32_t *nodes = found->nodes + (size_t)c * pairing->rank_count;
            differences[c] =
                tp_sat_sub(pairing->graphs[0].nodes[nodes[0]].end_ns, pairing->graphs[r].nodes[nodes[r]].end_ns);
        }
        found->shift_ns[r] = tp_lower_median(differences, found->count);
    }
}

static void find_transfers(struct pairing *pairing)
{
    struct tp_joined_collectives *found = pairing->found;
    for (uint32_t c = 0; c < found->count; c++) {
        found->transfer_ns[c] = INT64_MAX;
        for (uint32_t r = 0; r < pairing->rank_count; r++) {
            const struct tp_replay_node *n =
                &pairing->graphs[r].nodes[found->nodes[(size_t)c * pairing->rank_count + r]];
            int64_t length = tp_sat_sub(n->end_ns, n->start_ns);
            if (length < found->transfer_ns[c])
                found->transfer_ns[c] = length;
        }
    }
}

void tp_joined_collectives_find(struct tp_joined_collectives *found, const struct tp_replay_graph *graphs,
                                uint32_t rank_count, struct tp_arena *arena)
{
    struct pairing pairing = {
        .found = found, .graphs = graphs, .rank_count = rank_count, .arena = arena, .counts = TP_VEC(arena, uint32_t)};
    *found = (struct tp_joined_collectives){.count = 0};
    tp_strings_init(&pairing.kinds, arena, 0);
    number_collectives(&pairing);
    found->nodes = tp_arena_array(arena, (size_t)found->count * rank_count, sizeof *found->nodes);
    found->shift_ns = tp_arena_array(arena, rank_count, sizeof *found->shift_ns);
    found->transfer_ns = tp_arena_array(arena, found->count, sizeof *found->transfer_ns);
    found->is_matched = found->count > 0;
    for (uint32_t r = 0; r < rank_count && found->is_matched; r++)
        found->is_matched = find_kernels_of_rank(&pairing, r);
    if (!found->is_matched)
        return;
    align_clocks(&pairing);
    find_transfers(&pairing);
}
