/* replay_job < JOB: prints the result of tp_what_if_build as JSON, which tests compare with the known result.
 *
 * JOB has numbers and names, separated by spaces: the counts of ranks, steps, slots and families; the host of each
 * rank; for each family its name, its number of groups, and the size and ranks of each group; for each slot its family
 * or -1. Then for each step and slot: the kernel, pause and input time of each rank and, if the slot has a family, the
 * transfer time of each group. Times are whole microseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/compare/replay/graph_build.h"
#include "webreport/compare/replay/what_if_build.h"
#include "writer/base/str.h"

enum { MOST_NAME = 64 };

struct family {
    char name[MOST_NAME];
    uint32_t count, *size, **ranks, *group_of; /* size: number of ranks of each group; ranks: ranks of each group;
                                                * group_of: group of each rank */
};

static const char *const kinds[TP_CAUSE_KINDS] = {"compute", "pause",     "input",   "half",     "late",
                                                  "moving",  "pauses",    "inputs",  "sequence", "stage",
                                                  "link",    "all_links", "unequal", "changing"};

static uint32_t read_number(void)
{
    long long value;
    if (scanf("%lld", &value) != 1) {
        fprintf(stderr, "replay_job: a number is missing\n");
        exit(2);
    }
    return (uint32_t)value;
}

static void read_group_family(struct family *family, uint32_t ranks, struct tp_arena *arena)
{
    if (scanf("%63s", family->name) != 1)
        exit(2);
    family->count = read_number();
    family->size = tp_arena_array(arena, family->count, sizeof *family->size);
    family->ranks = tp_arena_array(arena, family->count, sizeof *family->ranks);
    family->group_of = tp_arena_array(arena, ranks, sizeof *family->group_of);
    for (uint32_t g = 0; g < family->count; g++) {
        family->size[g] = read_number();
        family->ranks[g] = tp_arena_array(arena, family->size[g], sizeof **family->ranks);
        for (uint32_t i = 0; i < family->size[g]; i++) {
            family->ranks[g][i] = read_number();
            family->group_of[family->ranks[g][i]] = g;
        }
    }
}

/* Adds the group of the rank in each family. Each rank of the group becomes a separate range of ranks. */
static void fill_groups_of_rank(struct tp_step_slots *slots, const struct family *families, uint32_t count,
                                uint32_t rank, struct tp_arena *arena)
{
    slots->group_count = count;
    slots->groups = tp_arena_array(arena, count, sizeof *slots->groups);
    for (uint32_t f = 0; f < count; f++) {
        const struct family *family = &families[f];
        uint32_t group = family->group_of[rank], size = family->size[group];
        struct tp_slot_group *to = &slots->groups[f];
        *to = (struct tp_slot_group){TP_STR(""), tp_str_of(family->name),
                                     size,       tp_arena_array(arena, size, sizeof *to->runs),
                                     size,       TP_GROUP_ALL};
        for (uint32_t i = 0; i < size; i++)
            to->runs[i] = (struct tp_rank_stride){family->ranks[group][i], 1, 1};
    }
}

static struct tp_step_slots *read_job(struct tp_graph_source *sources, struct family *families, uint32_t *counts,
                                      struct tp_arena *arena)
{
    uint32_t ranks = counts[0], steps = counts[1], slots = counts[2];
    struct tp_step_slots *rows = tp_arena_array(arena, ranks, sizeof *rows);
    uint32_t *family_of = tp_arena_array(arena, slots, sizeof *family_of);
    uint32_t *labels = tp_arena_array(arena, steps, sizeof *labels);
    for (uint32_t r = 0; r < ranks; r++) {
        char *host = tp_arena_alloc(arena, 16);
        snprintf(host, 16, "host%u", read_number());
        sources[r] =
            (struct tp_graph_source){.slots = &rows[r], .labels = labels, .number = r, .host = tp_str_of(host)};
    }
    for (uint32_t f = 0; f < counts[3]; f++)
        read_group_family(&families[f], ranks, arena);
    for (uint32_t k = 0; k < slots; k++)
        family_of[k] = read_number();
    for (uint32_t s = 0; s < steps; s++)
        labels[s] = s;
    for (uint32_t r = 0; r < ranks; r++) {
        fill_groups_of_rank(&rows[r], families, counts[3], r, arena);
        rows[r].slot_count = slots;
        rows[r].step_count = steps;
        rows[r].slots = tp_arena_array(arena, slots, sizeof *rows[r].slots);
        for (unsigned p = 0; p < TP_SLOT_PARTS; p++)
            rows[r].us[p] = tp_arena_array(arena, (size_t)slots * steps, sizeof(int64_t));
        for (uint32_t k = 0; k < slots; k++)
            rows[r].slots[k] = (struct tp_slot){family_of[k], 1, 1, 0, true, 0};
    }
    for (uint32_t s = 0; s < steps; s++)
        for (uint32_t k = 0; k < slots; k++) {
            for (uint32_t r = 0; r < ranks; r++)
                for (unsigned p = 0; p < TP_SLOT_OWN; p++)
                    rows[r].us[p][tp_slot_cell(&rows[r], k, s)] = read_number();
            const struct family *family = family_of[k] == TP_NO_ID ? NULL : &families[family_of[k]];
            for (uint32_t g = 0; family && g < family->count; g++) {
                uint32_t us = read_number();
                for (uint32_t i = 0; i < family->size[g]; i++)
                    rows[family->ranks[g][i]].us[TP_SLOT_WITHIN][tp_slot_cell(&rows[0], k, s)] = us;
            }
        }
    return rows;
}

static void print_json_number_list(const char *name, const uint32_t *items, uint32_t count)
{
    printf(", \"%s\": [", name);
    for (uint32_t i = 0; i < count; i++)
        printf("%s%u", i ? ", " : "", items[i]);
    printf("]");
}

static void print_result(const struct tp_what_if *what_if, const struct tp_graph *graph)
{
    if (what_if->why_not) {
        printf("{\"why_not\": \"%s\"}\n", what_if->why_not);
        return;
    }
    printf("{\"step_us\": %.17g, \"ideal_us\": %.17g, \"loss\": %.17g, \"jitter\": %.17g, \"causes\": [",
           what_if->step_us, what_if->ideal_us, what_if->loss, what_if->jitter);
    for (size_t i = 0; i < what_if->causes.count; i++) {
        const struct tp_cause *cause = TP_AT(&what_if->causes, struct tp_cause, i);
        printf("%s{\"kind\": \"%s\", \"part\": %d, \"place\": %d, \"only\": %.17g, \"saved\": %.17g, \"share\": %.17g, "
               "\"cells\": %u, "
               "\"pairs\": %u",
               i ? ", " : "", kinds[cause->kind], (int)cause->part, (int)cause->place, cause->alone, cause->saved,
               cause->share, cause->cell_count, cause->pair_count);
        print_json_number_list("ranks", cause->ranks, cause->rank_count);
        printf("}");
    }
    printf("], \"families\": {");
    for (size_t f = 0; f < graph->families.count; f++) {
        const struct tp_graph_family *family = tp_graph_family_at(graph, f);
        printf("%s\"%s\": {\"groups\": %u", f ? ", " : "", family->name, family->count);
        print_json_number_list("coordinates", family->coordinate, graph->rank_count);
        printf("}");
    }
    printf("}}\n");
}

int main(void)
{
    struct tp_arena arena;
    struct tp_graph graph;
    struct tp_what_if what_if;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard)) {
        fprintf(stderr, "replay_job: out of memory\n");
        return 2;
    }
    uint32_t counts[4];
    for (unsigned i = 0; i < 4; i++)
        counts[i] = read_number();
    struct tp_graph_source *sources = tp_arena_array(&arena, counts[0], sizeof *sources);
    struct family *families = tp_arena_array(&arena, counts[3], sizeof *families);
    read_job(sources, families, counts, &arena);
    tp_graph_init(&graph, &arena);
    for (uint32_t r = 0; r < counts[0]; r++)
        tp_graph_add_rank(&graph, &sources[r]);
    tp_graph_finish(&graph);
    tp_what_if_build(&what_if, &graph);
    print_result(&what_if, &graph);
    tp_arena_release(&arena);
    return 0;
}
