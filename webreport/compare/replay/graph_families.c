/* Finds families of process groups and the coordinates of the ranks. See step_graph.h. Groups with the same description
 * are a family if no rank is in two of these groups. Otherwise the groups are divided by size, then by the distance
 * between the ranks of a group. If some groups still share ranks, each group is a separate family. */
#include <string.h>

#include "webreport/compare/replay/step_graph.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"
#include "writer/text/format.h"

enum { LEVELS = 3 };

/* Returns the distance between the first two ranks of a group; 0 for a group of one rank. */
static int64_t stride_between_ranks(const struct tp_graph *graph, const struct tp_graph_group *group)
{
    const uint32_t *members = graph->members + group->first_member;
    return group->member_count < 2
               ? 0
               : tp_graph_rank_at(graph, members[1])->number - tp_graph_rank_at(graph, members[0])->number;
}

/* Returns the properties that groups of one family share, as text. level: number of properties that the text
 * includes. */
static const char *group_name_at_level(const struct tp_graph *graph, const struct tp_graph_group *group, unsigned level)
{
    int cut = (int)(group->description.len < 60 ? group->description.len : 60);
    if (group->kind != TP_GROUP_ALL)
        return tp_text_printf(graph->arena, "%.*s%s%s", cut, group->description.ptr, cut ? " " : "",
                              group->kind == TP_GROUP_UP ? "sends" : "sends back");
    if (level == 0 && cut)
        return tp_text_printf(graph->arena, "%.*s", cut, group->description.ptr);
    const char *what =
        tp_text_printf(graph->arena, "%.*s%sgroups of %u, %lld apart", cut, group->description.ptr, cut ? " " : "",
                       group->member_count, (long long)stride_between_ranks(graph, group));
    if (level < LEVELS - 1)
        return what;
    return tp_text_printf(graph->arena, "%s, of rank %lld", what,
                          (long long)tp_graph_rank_at(graph, graph->members[group->first_member])->number);
}

/* Returns whether a rank is in two groups of the family. seen: for each rank, the mark of the last family in which the
 * rank was found. mark: mark of this family. */
static bool have_common_ranks(const struct tp_graph *graph, const uint32_t *groups, uint32_t count, uint32_t *seen,
                              uint32_t mark)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_graph_group *group = tp_graph_group_at(graph, groups[i]);
        for (uint32_t m = 0; m < group->member_count; m++) {
            uint32_t *rank = &seen[graph->members[group->first_member + m]];
            if (*rank == mark)
                return true;
            *rank = mark;
        }
    }
    return false;
}

static int compare_by_first_member(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_graph *graph = context;
    uint32_t a = graph->members[tp_graph_group_at(graph, x)->first_member];
    uint32_t b = graph->members[tp_graph_group_at(graph, y)->first_member];
    return a != b ? (a > b) - (a < b) : (x > y) - (x < y);
}

/* Returns whether the text contains the word without a letter next to it. For example, "mesh_pp" contains the word
 * "pp". */
static bool has_word(struct tp_str text, const char *word)
{
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.len; i++) {
        bool begins = i == 0 || !((text.ptr[i - 1] | 32) >= 'a' && (text.ptr[i - 1] | 32) <= 'z');
        bool ends = i + size == text.len || !((text.ptr[i + size] | 32) >= 'a' && (text.ptr[i + size] | 32) <= 'z');
        bool is_it = begins && ends;
        for (size_t k = 0; k < size && is_it; k++)
            is_it = (text.ptr[i + k] | 32) == word[k];
        if (is_it)
            return true;
    }
    return false;
}

/* Returns whether the description names a pipeline group and no other kind of group. */
static bool is_pipeline(struct tp_str description)
{
    static const char *const others[] = {"tp", "dp", "cp", "ep", "tensor", "data", "context", "expert", "embedding"};
    bool is = has_word(description, "pp") || tp_str_find_ignore_case(description, "pipeline") >= 0;
    for (size_t i = 0; i < sizeof others / sizeof *others && is; i++)
        is = !has_word(description, others[i]);
    return is;
}

/* Returns the position of a rank in its group, counting missing ranks. member: position of the rank among the
 * recorded ranks. */
static uint32_t coordinate_of_member(const struct tp_graph *graph, const struct tp_graph_group *group, uint32_t member)
{
    int64_t number = tp_graph_rank_at(graph, graph->members[group->first_member + member])->number, place = 0;
    for (uint32_t i = 0; i < group->run_count; i++) {
        const struct tp_rank_stride *run = &group->runs[i];
        int64_t off = number - run->first;
        if (off >= 0 && off % run->stride == 0 && off / run->stride < run->length)
            return (uint32_t)(place + off / run->stride);
        place += run->length;
    }
    return member;
}

static void add_family(struct tp_graph *graph, uint32_t *groups, uint32_t count, unsigned level)
{
    struct tp_graph_family *family = tp_vec_push(&graph->families);
    uint32_t index = (uint32_t)graph->families.count - 1;
    const struct tp_graph_group *first = tp_graph_group_at(graph, groups[0]);
    tp_sort_rows(groups, count, compare_by_first_member, graph, graph->arena);
    *family = (struct tp_graph_family){.name = group_name_at_level(graph, first, level),
                                       .is_pipeline = level == 0 && is_pipeline(first->description),
                                       .has_sender_receiver_pairs = first->kind != TP_GROUP_ALL,
                                       .groups = groups,
                                       .count = count};
    family->group_of = tp_arena_array(graph->arena, graph->rank_count, sizeof *family->group_of);
    family->coordinate = tp_arena_array(graph->arena, graph->rank_count, sizeof *family->coordinate);
    memset(family->group_of, 0xFF, graph->rank_count * sizeof *family->group_of);
    uint32_t covered = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct tp_graph_group *group = tp_graph_group_at(graph, groups[i]);
        group->family = index;
        group->index = i;
        covered += group->member_count;
        for (uint32_t m = 0; m < group->member_count; m++) {
            uint32_t rank = graph->members[group->first_member + m];
            family->group_of[rank] = groups[i];
            family->coordinate[rank] = coordinate_of_member(graph, group, m);
        }
    }
    if (family->is_pipeline && !family->has_sender_receiver_pairs && graph->pipeline == TP_NO_ID &&
        covered == graph->rank_count && count < graph->rank_count)
        graph->pipeline = index;
}

/* Divides groups into families by the names that group_name_at_level gives them at this level. Groups with equal names
 * that share ranks are divided again at the next level. */
static void divide_groups_into_families(struct tp_graph *graph, const uint32_t *groups, uint32_t count, unsigned level,
                                        uint32_t *seen)
{
    struct tp_strings names;
    uint32_t *name = tp_arena_array(graph->arena, count, sizeof *name), *mark = seen + graph->rank_count;
    tp_strings_init(&names, graph->arena, 0);
    for (uint32_t i = 0; i < count; i++)
        name[i] =
            tp_strings_add(&names, tp_str_of(group_name_at_level(graph, tp_graph_group_at(graph, groups[i]), level)));
    uint32_t *first = tp_arena_array(graph->arena, (size_t)names.count + 2, sizeof *first);
    uint32_t *sorted = tp_arena_array(graph->arena, count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        first[name[i] + 2]++;
    for (uint32_t n = 0; n < names.count; n++)
        first[n + 2] += first[n + 1];
    for (uint32_t i = 0; i < count; i++)
        sorted[first[name[i] + 1]++] = groups[i];
    for (uint32_t n = 0; n < names.count; n++) {
        uint32_t *these = sorted + first[n], size = first[n + 1] - first[n];
        bool has_sender_receiver_pairs = tp_graph_group_at(graph, these[0])->kind != TP_GROUP_ALL;
        if (!has_sender_receiver_pairs && level < LEVELS && have_common_ranks(graph, these, size, seen, ++*mark)) {
            if (level + 1 < LEVELS)
                divide_groups_into_families(graph, these, size, level + 1,
                                            seen); /* LEVELS limits the depth of the recursion */
            else
                for (uint32_t i = 0; i < size; i++)
                    add_family(graph, these + i, 1, level);
        } else {
            add_family(graph, these, size, level);
        }
    }
}

static int compare_by_first_slot(const void *context, uint32_t x, uint32_t y)
{
    const struct tp_graph_group *a = tp_graph_group_at(context, x), *b = tp_graph_group_at(context, y);
    return a->first_slot != b->first_slot ? (a->first_slot > b->first_slot) - (a->first_slot < b->first_slot)
                                          : (x > y) - (x < y);
}

void tp_graph_families_build(struct tp_graph *graph)
{
    uint32_t count = (uint32_t)graph->groups.count;
    uint32_t *groups = tp_arena_array(graph->arena, count, sizeof *groups);
    uint32_t *seen = tp_arena_array(graph->arena, (size_t)graph->rank_count + 1, sizeof *seen);
    for (uint32_t g = 0; g < count; g++)
        groups[g] = g;
    tp_sort_rows(groups, count, compare_by_first_slot, graph, graph->arena);
    divide_groups_into_families(graph, groups, count, 0, seen);
}
