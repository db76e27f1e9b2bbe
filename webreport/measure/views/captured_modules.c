/* Finds the modules of captured calls: see captured_modules.h. */
#include "webreport/measure/views/captured_modules.h"

/* Returns true if a module with this name is around the event. */
static bool is_module_around(const struct tp_model *model, uint32_t event, uint32_t name)
{
    const struct tp_event *events = model->trace->events;
    int64_t at = events[event].ts_ns;
    uint32_t i = tp_find_next_event_around(model, event, at);
    while (i != TP_NO_ID && !(events[i].kind == TP_KIND_MODULE && events[i].name == name))
        i = tp_find_next_event_around(model, i, at);
    return i != TP_NO_ID;
}

static bool is_listed(const struct tp_vec *found, size_t first, uint32_t name)
{
    bool is_any = false;
    for (size_t i = first; i < found->count && !is_any; i++)
        is_any = TP_AT(found, struct tp_captured_module, i)->name == name;
    return is_any;
}

static void add_modules(struct tp_vec *found, const struct tp_model *model, uint32_t device, uint32_t call)
{
    const struct tp_event *events = model->trace->events;
    uint32_t launch = model->launches.event[model->devices.launch[device]];
    int64_t at = events[call].ts_ns;
    size_t first = found->count;
    for (uint32_t i = tp_find_next_event_around(model, call, at); i != TP_NO_ID;
         i = tp_find_next_event_around(model, i, at)) {
        uint32_t name = events[i].name;
        if (events[i].kind == TP_KIND_MODULE && !is_listed(found, first, name) &&
            !is_module_around(model, launch, name))
            *(struct tp_captured_module *)tp_vec_push(found) = (struct tp_captured_module){name, device};
    }
}

struct tp_vec tp_captured_modules_find(const struct tp_model *model, struct tp_arena *arena)
{
    struct tp_vec found = TP_VEC(arena, struct tp_captured_module);
    for (uint32_t k = 0; model->joined && k < model->devices.count; k++) {
        const struct tp_joined_row *row = tp_joined_row_of(model, k);
        if (row && row->call != TP_NO_ID)
            add_modules(&found, model, k, row->call);
    }
    return found;
}
