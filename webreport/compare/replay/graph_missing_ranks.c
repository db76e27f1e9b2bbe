/* Finds the missing ranks of a job from gaps in the rank numbers. See step_graph.h. */
#include <string.h>

#include "webreport/compare/replay/step_graph.h"
#include "writer/base/limits.h"

static int64_t greater_of(int64_t x, int64_t y)
{
    return x > y ? x : y;
}

/* Returns the number of ranks in the job: the largest number that follows from the caller, the rank numbers, or the
 * lists of groups. */
static int64_t largest_known_rank_count(const struct tp_graph *graph)
{
    int64_t size = greater_of(graph->world_size, tp_graph_rank_at(graph, graph->rank_count - 1)->number + 1);
    for (size_t g = 0; g < graph->groups.count; g++) {
        const struct tp_graph_group *group = tp_graph_group_at(graph, g);
        for (uint32_t i = 0; i < group->run_count; i++) {
            const struct tp_rank_stride *run = &group->runs[i];
            bool is_sound = run->first >= 0 && run->first < TP_MAX_JOB_RANKS && run->length > 0 &&
                            run->length <= TP_MAX_JOB_RANKS && run->stride >= 0 && run->stride < TP_MAX_JOB_RANKS;
            size = is_sound ? greater_of(size, run->first + (run->length - 1) * run->stride + 1) : size;
        }
    }
    return size;
}

/* The recorded ranks on one host. */
struct host {
    int64_t first, last, count; /* lowest and highest number of the recorded ranks, and number of recorded ranks */
};

/* Returns whether each host's ranks are in a separate block of `size` consecutive numbers. Blocks begin at multiples of
 * `size`. */
static bool hosts_have_equal_blocks(const struct host *hosts, uint32_t count, int64_t size)
{
    int64_t before = -1;
    for (uint32_t h = 0; h < count; h++) { /* hosts are sorted by their first rank */
        if (hosts[h].first / size != hosts[h].last / size || hosts[h].first / size <= before)
            return false;
        before = hosts[h].first / size;
    }
    return true;
}

/* Returns the number of ranks per host. Assumes that all hosts have equally many ranks with consecutive numbers, and
 * returns the smallest number that fits. If the numbers of a host's ranks are not consecutive, returns the mean number
 * or the largest recorded number. */
static int64_t ranks_per_host(const struct host *hosts, uint32_t count, int64_t world)
{
    int64_t most = 1;
    for (uint32_t h = 0; h < count; h++)
        most = greater_of(most, hosts[h].count);
    for (int64_t size = most; size <= world / count; size++)
        if (world % size == 0 && hosts_have_equal_blocks(hosts, count, size))
            return size;
    return greater_of(most,
                      /* no block size fits, so that the ranks of a host do not have consecutive numbers */
                      (world + count - 1) / count);
}

static void find_missing_ranks_of_hosts(struct tp_graph *graph, int64_t world)
{
    uint32_t count = graph->hosts.count;
    struct host *hosts = tp_arena_array(graph->arena, count, sizeof *hosts);
    for (uint32_t r = 0; r < graph->rank_count; r++) {
        const struct tp_graph_rank *rank = tp_graph_rank_at(graph, r);
        if (rank->host == TP_NO_ID)
            continue;
        struct host *host = &hosts[rank->host]; /* hosts are numbered in the order of their first rank */
        host->first = host->count++ ? host->first : rank->number;
        host->last = rank->number;
    }
    int64_t size = count ? ranks_per_host(hosts, count, world) : 0;
    for (uint32_t h = 0; h < count; h++) {
        int64_t absent = size - hosts[h].count;
        graph->missing_count_of_host[h] =
            absent < graph->missing_rank_count ? (uint32_t)absent : graph->missing_rank_count;
    }
}

void tp_graph_find_missing_ranks(struct tp_graph *graph)
{
    graph->missing_count_of_host =
        tp_arena_array(graph->arena, graph->hosts.count, sizeof *graph->missing_count_of_host);
    if (graph->world_size < 0)
        return;
    int64_t world = largest_known_rank_count(graph), absent = world - graph->rank_count;
    if (absent <= 0 || world > TP_MAX_JOB_RANKS)
        return;
    graph->missing_rank_count = (uint32_t)absent;
    find_missing_ranks_of_hosts(graph, world);
}
