/* Which operator owns a device event: see policy_torch_parts.h. */
#include "webreport/model/policy_torch_parts.h"

#include "writer/base/renumber.h"
#include "writer/base/saturate.h"

/* The id by which torch links an event, TP_NULL_INT when it has none. *correlation likewise; may be NULL. */
static int64_t link_of(const struct tp_functions *functions, const struct tp_function *f, int64_t *correlation)
{
    const struct tp_trace *trace = functions->trace;
    const struct tp_event *e = tp_function_event(functions, f);
    int64_t none;
    correlation = correlation ? correlation : &none;
    *correlation = TP_NULL_INT;
    if (!e || e->detail == TP_NO_ID)
        return TP_NULL_INT;
    switch (e->kind) {
    case TP_KIND_RUNTIME:
        *correlation = trace->launches[e->detail].correlation;
        return trace->launches[e->detail].external_id;
    case TP_KIND_KERNEL:
    case TP_KIND_MEMCPY:
    case TP_KIND_MEMSET:
        *correlation = trace->devices[e->detail].correlation;
        return trace->devices[e->detail].external_id;
    case TP_KIND_OTHER:
        return trace->others[e->detail].external_id;
    default:
        return TP_NULL_INT;
    }
}

/* Bounds of the ids that `id_of` yields; false when there are none. */
struct bounds {
    int64_t lowest, highest;
    uint64_t count;
};

static void widen(struct bounds *bounds, int64_t id)
{
    bounds->lowest = bounds->count == 0 || id < bounds->lowest ? id : bounds->lowest;
    bounds->highest = bounds->count == 0 || id > bounds->highest ? id : bounds->highest;
    bounds->count++;
}

/* The External id of an operator or annotation. */
static int64_t host_id(const struct tp_functions *functions, const struct tp_function *f)
{
    const struct tp_host_detail *detail = tp_function_detail(functions, f);
    return detail && detail->external_id != 0 ? detail->external_id : TP_NULL_INT;
}

/* The correlation of a runtime call. */
static int64_t launch_id(const struct tp_functions *functions, const struct tp_function *f)
{
    int64_t id = TP_NULL_INT;
    if (f->flags & TP_FUNCTION_RUNTIME)
        link_of(functions, f, &id);
    return id != 0 ? id : TP_NULL_INT;
}

/* Numbers the ids that `id_of` yields; by number, the item (the last of equal ones). */
static uint32_t *index_items(const struct tp_functions *functions, struct tp_ids *ids,
                             int64_t (*id_of)(const struct tp_functions *functions, const struct tp_function *f))
{
    struct bounds bounds = {0};
    for (uint32_t i = 0; i < functions->count; i++) {
        int64_t id = id_of(functions, &functions->items[i]);
        if (id != TP_NULL_INT)
            widen(&bounds, id);
    }
    tp_ids_init(ids, functions->arena, bounds.lowest, bounds.highest, bounds.count);
    uint32_t *item = tp_arena_array(functions->arena, bounds.count, sizeof *item);
    for (uint32_t i = 0; i < functions->count; i++) {
        int64_t id = id_of(functions, &functions->items[i]);
        if (id != TP_NULL_INT)
            item[tp_ids_add(ids, id)] = i;
    }
    return item;
}

/* Nearly every device event has its own correlation as External id. */
static bool ids_are_correlations(const struct tp_functions *functions)
{
    uint64_t same = 0, all = 0;
    for (uint32_t i = 0; i < functions->count; i++) {
        int64_t correlation = TP_NULL_INT, id = TP_NULL_INT;
        if (functions->items[i].flags & TP_FUNCTION_DEVICE)
            id = link_of(functions, &functions->items[i], &correlation);
        if (id == TP_NULL_INT || id == 0 || correlation == TP_NULL_INT)
            continue;
        all++;
        same += id == correlation;
    }
    return same * 10 > all * 9;
}

static void own(const struct tp_functions *functions, struct tp_function *owner, const struct tp_function *kernel)
{
    if (kernel->flags & TP_FUNCTION_UNOWNED)
        return;
    owner->kernels_ns = tp_sat_add(owner->kernels_ns, kernel->end_ns - kernel->start_ns);
    owner->kernels_us += tp_function_us(functions, kernel);
}

bool tp_functions_link_by_id(struct tp_functions *functions)
{
    struct tp_ids ids;
    if (ids_are_correlations(functions))
        return false;
    const uint32_t *item = index_items(functions, &ids, host_id);
    for (uint32_t i = 0; i < functions->count; i++) {
        struct tp_function *f = &functions->items[i];
        int64_t id = link_of(functions, f, NULL);
        uint32_t number = id == TP_NULL_INT || id == 0 ? TP_NO_ID : tp_ids_find(&ids, id);
        struct tp_function *owner = number == TP_NO_ID ? NULL : &functions->items[item[number]];
        if (!owner || (owner->flags & TP_FUNCTION_ASYNC))
            continue;
        if (f->flags & TP_FUNCTION_DEVICE)
            own(functions, owner, f);
        else
            f->thread = owner->thread;
    }
    tp_ids_drop(&ids, functions->arena);
    return true;
}

void tp_functions_link_by_launch(struct tp_functions *functions)
{
    struct tp_ids ids;
    struct tp_function *items = functions->items;
    const uint32_t *item = index_items(functions, &ids, launch_id);
    uint32_t *innermost =
        tp_arena_array(functions->arena, functions->count, sizeof *innermost); /* the innermost around */
    for (uint32_t i = 0; i < functions->count; i++)
        innermost[i] = items[i].flags & TP_FUNCTION_OPERATOR ? i
                       : items[i].parent == TP_NO_ID         ? TP_NO_ID
                                                             : innermost[items[i].parent];
    for (uint32_t i = 0; i < functions->count; i++) {
        int64_t id = TP_NULL_INT;
        if (items[i].flags & TP_FUNCTION_DEVICE)
            link_of(functions, &items[i], &id);
        uint32_t number = id == TP_NULL_INT || id == 0 ? TP_NO_ID : tp_ids_find(&ids, id);
        uint32_t owner = number == TP_NO_ID ? TP_NO_ID : innermost[item[number]];
        if (owner != TP_NO_ID && !(items[owner].flags & TP_FUNCTION_ASYNC))
            own(functions, &items[owner], &items[i]);
    }
    tp_ids_drop(&ids, functions->arena);
}
