/* Who calls whom, and what follows from it: see policy_torch_parts.h. */
#include "webreport/model/policy_torch_parts.h"

#include "webreport/model/enclosing.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

/* True for what stands in the tree of its thread. */
static bool is_nested(const struct tp_function *f)
{
    return !(f->flags & (TP_FUNCTION_DEVICE | TP_FUNCTION_ASYNC));
}

void tp_functions_nest(struct tp_functions *functions)
{
    struct tp_function *items = functions->items;
    uint32_t *top = tp_arena_array(functions->arena, functions->trace->thread_count, sizeof *top);
    memset(top, 0xFF, functions->trace->thread_count * sizeof *top);
    for (uint32_t i = 0; i < functions->count; i++) {
        struct tp_function *f = &items[i];
        if (!is_nested(f))
            continue;
        uint32_t parent = top[f->thread];
        while (parent != TP_NO_ID && (f->start_ns >= items[parent].end_ns || f->end_ns > items[parent].end_ns))
            parent = items[parent].parent; /* the stack below an item is its chain of parents */
        f->parent = parent;
        top[f->thread] = i;
        if (parent == TP_NO_ID)
            continue;
        if (items[parent].first_child == TP_NO_ID)
            items[parent].first_child = i;
        else
            items[items[parent].last_child].next_sibling = i;
        items[parent].last_child = i;
    }
}

/* An only child with its parent's name is absorbed (_remove_dup_nodes): its children and its kernels take the place of
 * the parent's, its call is counted no more. One pass in order suffices: children come after their parents. */
void tp_functions_fold(struct tp_functions *functions)
{
    struct tp_function *items = functions->items;
    for (uint32_t i = 0; i < functions->count; i++) {
        struct tp_function *f = &items[i], *parent = f->parent == TP_NO_ID ? NULL : &items[f->parent];
        if (!parent || parent->name != f->name || parent->first_child != i || parent->last_child != i)
            continue;
        parent->first_child = f->first_child;
        parent->last_child = f->last_child;
        parent->kernels_ns = f->kernels_ns;
        parent->kernels_us = f->kernels_us;
        for (uint32_t child = f->first_child; child != TP_NO_ID; child = items[child].next_sibling)
            items[child].parent = f->parent;
        f->flags |= TP_FUNCTION_FOLDED;
    }
}

void tp_functions_sum_devices(struct tp_functions *functions)
{
    struct tp_function *items = functions->items;
    if (!functions->device)
        return;
    for (uint32_t i = functions->count; i-- > 0;) {
        struct tp_function *f = &items[i];
        double children_us = 0;
        if (f->flags & TP_FUNCTION_ASYNC)
            continue;
        if (f->flags & TP_FUNCTION_DEVICE) {
            f->device_ns = f->end_ns - f->start_ns;
            f->device_us = tp_function_us(functions, f);
            continue;
        }
        f->device_ns = f->kernels_ns;
        for (uint32_t child = f->first_child; child != TP_NO_ID; child = items[child].next_sibling) {
            children_us += items[child].device_us;
            f->device_ns = tp_sat_add(f->device_ns, items[child].device_ns);
        }
        f->device_us = f->kernels_us + children_us;
    }
}

/* ---- regions without an end ---- */

/* An event with its thread, to be sorted by it. */
struct spot {
    uint32_t thread, item;
    int64_t start_ns, end_ns;
};

static int by_thread_and_start(const void *x, const void *y, const void *context)
{
    const struct spot *a = x, *b = y;
    (void)context;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

/* The events of the wanted threads that have an end, or those that have none; sorted. */
static struct tp_vec spots(const struct tp_functions *functions, const bool *is_wanted, unsigned unfinished)
{
    struct tp_vec found = TP_VEC(functions->arena, struct spot);
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct tp_function *f = &functions->items[i];
        if (is_wanted[f->thread] && (f->flags & TP_FUNCTION_UNFINISHED) == unfinished)
            *(struct spot *)tp_vec_push(&found) = (struct spot){f->thread, i, f->start_ns, f->end_ns};
    }
    tp_merge_sort(functions->arena, found.data, found.count, sizeof(struct spot), by_thread_and_start, NULL);
    return found;
}

/* A part of a list of spots. */
struct slice {
    const struct tp_vec *spots;
    size_t first, count;
};

static const struct spot *spot_at(const struct slice *slice, size_t i)
{
    return TP_AT(slice->spots, struct spot, slice->first + i);
}

/* Ends the open regions of one thread; closed: its other events. */
static void close_thread(struct tp_functions *functions, const struct slice *open, const struct slice *closed)
{
    struct tp_arena *arena = functions->arena;
    struct tp_enclosing tree;
    int64_t *starts = tp_arena_array(arena, closed->count, sizeof *starts);
    int64_t *ends = tp_arena_array(arena, closed->count, sizeof *ends);
    for (size_t i = 0; i < closed->count; i++) {
        starts[i] = spot_at(closed, i)->start_ns;
        ends[i] = spot_at(closed, i)->end_ns;
    }
    tp_enclosing_init(&tree, starts, ends, closed->count, arena);
    for (size_t i = 0; i < open->count; i++) {
        struct tp_function *f = &functions->items[spot_at(open, i)->item];
        size_t around = tp_enclosing_find(&tree, f->start_ns, f->start_ns + 1);
        f->end_ns = around == SIZE_MAX ? functions->end_ns : ends[around];
        f->end_ns = f->end_ns > f->start_ns ? f->end_ns : f->start_ns;
    }
}

static size_t thread_end(const struct tp_vec *found, size_t at, uint32_t thread)
{
    while (at < found->count && TP_AT(found, struct spot, at)->thread == thread)
        at++;
    return at;
}

void tp_functions_close(struct tp_functions *functions)
{
    bool *is_wanted = tp_arena_array(functions->arena, functions->trace->thread_count, sizeof *is_wanted);
    bool is_any_wanted = false;
    for (uint32_t i = 0; i < functions->count; i++)
        if (functions->items[i].flags & TP_FUNCTION_UNFINISHED)
            is_wanted[functions->items[i].thread] = is_any_wanted = true;
    if (!is_any_wanted)
        return;
    struct tp_vec open = spots(functions, is_wanted, TP_FUNCTION_UNFINISHED);
    struct tp_vec closed = spots(functions, is_wanted, 0);
    for (size_t i = 0, k = 0, open_end, closed_end; i < open.count; i = open_end, k = closed_end) {
        uint32_t thread = TP_AT(&open, struct spot, i)->thread;
        open_end = thread_end(&open, i, thread);
        while (k < closed.count && TP_AT(&closed, struct spot, k)->thread < thread)
            k++;
        closed_end = thread_end(&closed, k, thread);
        close_thread(functions, &(struct slice){&open, i, open_end - i}, &(struct slice){&closed, k, closed_end - k});
    }
}
