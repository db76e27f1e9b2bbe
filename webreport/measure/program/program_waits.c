/* Groups the waits of a program by cause, thread and stack. See program_waits.h. */
#include "webreport/measure/program/program_waits.h"

#include "webreport/measure/program/program_stacks.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

struct grouping {
    struct tp_program_waits *waits;
    struct tp_program_stacks stacks;
    struct tp_keys keys;  /* keys (cause, name of the thread, stack) */
    struct tp_vec groups; /* elements: struct tp_wait_group */
};

struct tp_str tp_program_thread_name(const struct tp_thread *thread)
{
    struct tp_str name = thread->name;
    ptrdiff_t mark = tp_str_starts(name, "thread ") ? tp_str_find(name, " (") : -1;
    if (mark >= 0 && tp_str_ends(name, ")") && (size_t)mark + 3 < name.len)
        return (struct tp_str){name.ptr + mark + 2, name.len - (size_t)mark - 3};
    return name.len ? name : TP_STR("(no name)");
}

static uint32_t thread_name_id(struct grouping *g, const struct tp_process_tree *tree,
                               const struct tp_tree_thread *thread)
{
    return tp_strings_add(&g->waits->texts, tp_program_thread_name(&tree->trace->threads[thread->row]));
}

static uint32_t find_or_add_wait_group(struct grouping *g, const struct tp_thread_slice *piece, uint32_t name,
                                       const struct tp_program_stack_words *words)
{
    uint32_t number = tp_keys_add(&g->keys, (uint32_t[]){piece->cause, name, words->text});
    if (number == g->groups.count)
        *(struct tp_wait_group *)tp_vec_push(&g->groups) = (struct tp_wait_group){.name = name,
                                                                                  .stack = words->text,
                                                                                  .place = TP_NO_ID,
                                                                                  .holder = TP_NO_ID,
                                                                                  .holder_function = TP_NO_ID,
                                                                                  .cause = piece->cause};
    struct tp_wait_group *group = TP_AT(&g->groups, struct tp_wait_group, number);
    int64_t length = piece->end_ns - piece->begin_ns;
    group->count++;
    if (length > group->longest_ns) {
        group->place = words->place.function;
        group->line = words->place.line;
    }
    group->total_ns = tp_sat_add(group->total_ns, length);
    group->longest_ns = length > group->longest_ns ? length : group->longest_ns;
    if (piece->is_estimated)
        group->estimated_ns = tp_sat_add(group->estimated_ns, length);
    return number;
}

static int compare_by_total(const void *x, const void *y, const void *context)
{
    const struct grouping *g = context;
    const struct tp_wait_group *a = TP_AT(&g->groups, struct tp_wait_group, *(const uint32_t *)x),
                               *b = TP_AT(&g->groups, struct tp_wait_group, *(const uint32_t *)y);
    const struct tp_strings *texts = &g->waits->texts;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->cause != b->cause)
        return a->cause < b->cause ? -1 : 1;
    int stacks = tp_str_compare(tp_strings_get(texts, a->stack), tp_strings_get(texts, b->stack));
    return stacks ? stacks : tp_str_compare(tp_strings_get(texts, a->name), tp_strings_get(texts, b->name));
}

/* Sorts the groups and updates group_by_slice. */
static void sort_groups(struct grouping *g, uint32_t slice_count, struct tp_arena *arena)
{
    uint32_t count = (uint32_t)g->groups.count;
    uint32_t *order = tp_arena_array(arena, count + 1, sizeof *order);
    uint32_t *place = tp_arena_array(arena, count + 1, sizeof *place);
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count > 1)
        tp_merge_sort(arena, order, count, sizeof *order, compare_by_total, g);
    g->waits->groups = tp_arena_array(arena, count + 1, sizeof *g->waits->groups);
    g->waits->count = count;
    for (uint32_t i = 0; i < count; i++) {
        g->waits->groups[i] = *TP_AT(&g->groups, struct tp_wait_group, order[i]);
        place[order[i]] = i;
    }
    for (uint32_t i = 0; i < slice_count; i++)
        if (g->waits->group_by_slice[i] != TP_NO_ID)
            g->waits->group_by_slice[i] = place[g->waits->group_by_slice[i]];
}

void tp_program_waits_build(struct tp_program_waits *waits, const struct tp_process_tree *tree,
                            struct tp_program_functions *functions, struct tp_arena *arena)
{
    struct grouping g = {.waits = waits, .groups = TP_VEC(arena, struct tp_wait_group)};
    *waits = (struct tp_program_waits){.group_by_slice =
                                           tp_arena_array(arena, (size_t)tree->slice_count + 1, sizeof(uint32_t))};
    tp_strings_init(&waits->texts, arena, 0);
    tp_program_stacks_init(&g.stacks, tree->trace, functions, &waits->texts, arena);
    tp_keys_init(&g.keys, arena, 3);
    for (uint32_t t = 0; t < tree->thread_count; t++) {
        const struct tp_tree_thread *thread = &tree->threads[t];
        uint32_t name = thread_name_id(&g, tree, thread);
        for (uint32_t i = thread->first; i < thread->first + thread->count; i++) {
            const struct tp_thread_slice *piece = &tree->slices[i];
            /* ignores the stack of waits for the recorder, so that these waits form one group per thread name */
            uint32_t stack = piece->cause == TP_WAIT_RECORDING ? TP_NO_ID : piece->stack;
            waits->group_by_slice[i] =
                piece->state != TP_STATE_BLOCKED
                    ? TP_NO_ID
                    : find_or_add_wait_group(&g, piece, name, tp_program_stacks_of(&g.stacks, stack));
        }
    }
    sort_groups(&g, tree->slice_count, arena);
}
