/* Finds ranks with the same work, and process groups with the same layout.
 *
 * Two ranks are comparable if their kernel sequences are equal, or if most of their costliest rows have the same
 * name and count. A rank may thus use another kernel for one layer. Pipeline stages are not comparable. A rank that
 * is not similar to any other rank joins the largest cluster, as an outlier among ranks that should be equal. */
#include <math.h>

#include "webreport/compare/job/job_parts.h"
#include "writer/base/id_map.h"
#include "writer/base/sort.h"

enum { MAX_LEADERS = 64 };
static const double MIN_SIMILARITY = 0.7; /* smallest similarity of comparable ranks; similarities are from 0 to 1 */

static const struct tp_job_cost *first_cost_entry_of_rank(const struct tp_job *job, const struct tp_job_rank *rank)
{
    return TP_AT(&job->costs, struct tp_job_cost, rank->first_cost);
}

/* Returns whether the row is used for the similarity of ranks. The similarity uses rows of kernels, or of operators if
 * the rank has no device. */
static bool is_row_used_for_similarity(const struct tp_job_rank *rank, const struct tp_job_cost *cost)
{
    return cost->kind == (rank->is_gpu ? TP_SUMMARY_KERNEL : TP_SUMMARY_OPERATOR_HOST);
}

/* Returns the calls per step in the rank's row with this name; 0 without such a row. */
static double calls_per_step(const struct tp_job *job, const struct tp_job_rank *rank, uint32_t name)
{
    const struct tp_job_cost *cost = first_cost_entry_of_rank(job, rank);
    for (uint32_t i = 0; i < rank->cost_count; i++)
        if (cost[i].name == name && is_row_used_for_similarity(rank, &cost[i]))
            return (double)cost[i].count / (rank->recorded_step_count ? rank->recorded_step_count : 1);
    return 0;
}

/* Returns the similarity of two ranks: the sum of the smaller call rates divided by the sum of the larger ones. The
 * similarity is 1 for equal ranks and 0 without a common row. */
static double similarity_of_ranks(const struct tp_job *job, const struct tp_job_rank *x, const struct tp_job_rank *y)
{
    double both = 0, x_sum = 0, y_sum = 0;
    for (uint32_t i = 0; i < x->cost_count; i++) {
        const struct tp_job_cost *cost = &first_cost_entry_of_rank(job, x)[i];
        if (!is_row_used_for_similarity(x, cost))
            continue;
        double rate = calls_per_step(job, x, cost->name);
        x_sum += rate;
        both += fmin(rate, calls_per_step(job, y, cost->name));
    }
    for (uint32_t i = 0; i < y->cost_count; i++)
        if (is_row_used_for_similarity(y, &first_cost_entry_of_rank(job, y)[i]))
            y_sum += calls_per_step(job, y, first_cost_entry_of_rank(job, y)[i].name);
    double all = x_sum + y_sum - both;
    return all > 0 ? both / all : 1;
}

/* A set of ranks with equal fingerprints. */
struct kind {
    uint32_t first_rank_of_kind; /* index in job->ranks of the first rank */
    uint32_t count, cluster;
};

static int compare_larger_first(const void *x, const void *y, const void *context)
{
    const struct kind *kinds = context;
    const struct kind *a = &kinds[*(const uint32_t *)x], *b = &kinds[*(const uint32_t *)y];
    return a->count != b->count
               ? (a->count < b->count) - (a->count > b->count)
               : (a->first_rank_of_kind > b->first_rank_of_kind) - (a->first_rank_of_kind < b->first_rank_of_kind);
}

/* Returns the sets of ranks (struct kind) with equal fingerprints. Either all ranks of a set have a device, or none
 * has. kind_of: filled with the set of each rank. */
static struct tp_vec find_sets_of_equal_ranks(const struct tp_job *job, uint32_t *kind_of)
{
    struct tp_vec kinds = TP_VEC(job->arena, struct kind);
    struct tp_id_map map;
    tp_id_map_init(&map, job->arena);
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        const struct tp_job_rank *rank = tp_job_rank_at(job, r);
        uint32_t *id = tp_id_map_find_or_add(&map, rank->fingerprint);
        if (*id == TP_NO_ID) {
            *id = (uint32_t)kinds.count;
            *(struct kind *)tp_vec_push(&kinds) = (struct kind){.first_rank_of_kind = r};
        }
        kind_of[r] = *id;
        TP_AT(&kinds, struct kind, *id)->count++;
    }
    return kinds;
}

static uint32_t add_cluster(struct tp_job *job, const struct kind *kind)
{
    struct tp_job_cluster *cluster = tp_vec_push(&job->clusters);
    cluster->fingerprint = tp_job_rank_at(job, kind->first_rank_of_kind)->fingerprint;
    cluster->slowest = kind->first_rank_of_kind;
    tp_rank_set_init(&cluster->ranks, job->arena);
    return (uint32_t)job->clusters.count - 1;
}

/* Returns the cluster whose first rank is most similar to the first rank of the set; TP_NO_ID if no cluster is
 * similar enough. leaders: first rank of each cluster. */
static uint32_t most_similar_cluster(const struct tp_job *job, const struct kind *kind, const uint32_t *leaders)
{
    double best = MIN_SIMILARITY;
    uint32_t found = TP_NO_ID;
    for (uint32_t c = 0; c < job->clusters.count && c < MAX_LEADERS; c++) {
        double like =
            similarity_of_ranks(job, tp_job_rank_at(job, kind->first_rank_of_kind), tp_job_rank_at(job, leaders[c]));
        if (like > best) {
            best = like;
            found = c;
        }
    }
    return found;
}

/* Assigns sets of ranks to clusters, larger sets first. A set joins a similar cluster or makes a new one. A single
 * rank without a similar cluster joins the largest cluster, unless all sets are single ranks (pipeline stages of one
 * rank). */
static void assign_rank_sets_to_clusters(struct tp_job *job, struct tp_vec *kinds)
{
    uint32_t *order = tp_arena_array(job->arena, kinds->count, sizeof *order);
    uint32_t *leaders = tp_arena_array(job->arena, MAX_LEADERS, sizeof *leaders);
    for (uint32_t k = 0; k < kinds->count; k++)
        order[k] = k;
    tp_merge_sort(job->arena, order, kinds->count, sizeof *order, compare_larger_first, kinds->data);
    bool has_peers = kinds->count && TP_AT(kinds, struct kind, order[0])->count > 1;
    for (size_t k = 0; k < kinds->count; k++) {
        struct kind *kind = TP_AT(kinds, struct kind, order[k]);
        kind->cluster = most_similar_cluster(job, kind, leaders);
        bool is_odd = k > 0 && has_peers && kind->count == 1;
        if (kind->cluster == TP_NO_ID && (is_odd || job->clusters.count >= MAX_LEADERS))
            kind->cluster = 0;
        if (kind->cluster != TP_NO_ID)
            continue;
        kind->cluster = add_cluster(job, kind);
        leaders[kind->cluster] = kind->first_rank_of_kind;
    }
}

/* Finds families of groups. Groups of a family have the same layout, that is, the same distances between their
 * ranks. */
static void find_group_families(struct tp_job *job)
{
    for (size_t g = 0; g < job->groups.count; g++) {
        struct tp_job_group *group = tp_job_group_at(job, g);
        const struct tp_rank_run *runs = group->ranks.runs.data;
        uint64_t hash = tp_hash_bytes(&group->ranks.count, sizeof group->ranks.count);
        for (size_t i = 0; i < group->ranks.runs.count; i++) {
            int64_t place[2] = {runs[i].first - runs[0].first, runs[i].last - runs[i].first};
            hash = tp_hash_mix(hash ^ tp_hash_bytes(place, sizeof place), 0x9E3779B97F4A7C15ull);
        }
        group->family = hash;
    }
}

void tp_job_clusters_build(struct tp_job *job)
{
    uint32_t *kind_of = tp_arena_array(job->arena, job->ranks.count, sizeof *kind_of);
    struct tp_vec kinds = find_sets_of_equal_ranks(job, kind_of);
    assign_rank_sets_to_clusters(job, &kinds);
    for (uint32_t r = 0; r < job->ranks.count; r++) {
        struct tp_job_rank *rank = tp_job_rank_at(job, r);
        rank->cluster = TP_AT(&kinds, struct kind, kind_of[r])->cluster;
        struct tp_job_cluster *cluster = tp_job_cluster_at(job, rank->cluster);
        cluster->rank_count++;
        tp_rank_set_add(&cluster->ranks, rank->number);
    }
    find_group_families(job);
}
