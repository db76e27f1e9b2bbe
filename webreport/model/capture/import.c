/* Adds the events around captured calls to a trace: see import.h. */
#include "webreport/model/capture/import.h"

#include "webreport/model/flops.h"

/* The copy of one capture trace. */
struct copier {
    struct tp_trace *to;
    const struct tp_model *model; /* model of the capture trace */
    const struct tp_trace *from;
    struct tp_vec events;         /* events to copy, an event after all events around it; elements: uint32_t */
    uint32_t *copy_of;            /* for each event of the capture trace: 1 + its position in `events`; 0: not copied */
    uint32_t *name_of, *value_of; /* 1 + new id of each name and of each value; 0: not copied */
    uint32_t first_event;         /* index of the first copy in the events of `to` */
    uint32_t next_argument;       /* next item in the capture arguments of `from` */
    uint32_t hosts, rares, launches, modules; /* next free items in the columns of `to` */
};

/* ---- choice of the events ---- */

/* Adds an event and the events around it, from the outside in. chain: scratch memory. */
static void choose_event(struct copier *c, uint32_t event, struct tp_vec *chain)
{
    chain->count = 0;
    for (; event != TP_NO_ID && !c->copy_of[event]; event = c->model->inside[event])
        *(uint32_t *)tp_vec_push(chain) = event;
    for (size_t i = chain->count; i-- > 0;) {
        uint32_t chosen = *TP_AT(chain, uint32_t, i);
        *(uint32_t *)tp_vec_push(&c->events) = chosen;
        c->copy_of[chosen] = (uint32_t)c->events.count;
    }
}

static void choose_events(struct copier *c, const struct tp_captures *captures)
{
    struct tp_vec chain = TP_VEC(c->to->arena, uint32_t);
    for (uint32_t i = 0; i < captures->call_count; i++)
        choose_event(c, captures->calls[i], &chain);
}

/* ---- columns ---- */

/* Makes room for `more` items after the `count` items of a column. */
static void *grow(struct tp_trace *trace, void *column, size_t count, size_t more, size_t size)
{
    return tp_arena_resize(trace->arena, column, count * size, (count + more) * size);
}

static uint32_t new_text(uint32_t *known, struct tp_strings *to, const struct tp_strings *from, uint32_t id)
{
    if (id == TP_NO_ID)
        return TP_NO_ID;
    if (!known[id])
        known[id] = 1 + tp_strings_add(to, from->items[id]);
    return known[id] - 1;
}

static uint32_t new_name(struct copier *c, uint32_t id)
{
    return new_text(c->name_of, &c->to->names, &c->from->names, id);
}

static uint32_t new_value(struct copier *c, uint32_t id)
{
    return new_text(c->value_of, &c->to->values, &c->from->values, id);
}

static uint32_t copy_host(struct copier *c, uint32_t detail)
{
    const struct tp_host_detail *from = &c->from->hosts[detail];
    struct tp_host_rare rare = tp_host_rare(c->from, from);
    uint32_t concrete = tp_concrete_inputs(c->from, detail);
    struct tp_host_detail *host = &c->to->hosts[c->hosts];
    *host = (struct tp_host_detail){.external_id = from->external_id,
                                    .dims = new_value(c, from->dims),
                                    .types = new_value(c, from->types),
                                    .stack = TP_NO_ID,
                                    .more = TP_NO_ID};
    if (rare.sequence != TP_NULL_INT || rare.forward_thread != TP_NULL_INT) {
        host->more = c->rares;
        c->to->host_rare[c->rares++] = (struct tp_host_rare){rare.sequence, rare.forward_thread, TP_NO_ID};
    }
    if (concrete != TP_NO_ID)
        c->to->concretes[c->to->concrete_count++] = (struct tp_concrete){c->hosts, new_value(c, concrete)};
    return c->hosts++;
}

static uint32_t copy_detail(struct copier *c, const struct tp_event *e)
{
    switch (e->kind) {
    case TP_KIND_OPERATOR:
    case TP_KIND_ANNOTATION:
        return copy_host(c, e->detail);
    case TP_KIND_RUNTIME:
        c->to->launches[c->launches] = c->from->launches[e->detail];
        return c->launches++;
    case TP_KIND_MODULE:
        c->to->modules[c->modules] = (struct tp_module_detail){c->from->modules[e->detail].module_id, TP_NO_ID};
        return c->modules++;
    default:
        return TP_NO_ID;
    }
}

/* Copies the capture arguments of an event, if it has any. to: index of the copy. */
static void copy_argument(struct copier *c, uint32_t from, uint32_t to)
{
    const struct tp_capture_data *data = &c->from->capture;
    uint32_t low = 0, high = data->argument_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (data->arguments[middle].event < from)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == data->argument_count || data->arguments[low].event != from)
        return;
    struct tp_capture_argument *copy = &c->to->capture.arguments[c->to->capture.argument_count++];
    *copy = data->arguments[low];
    copy->event = to;
    copy->kernel = new_name(c, copy->kernel);
    copy->grid = new_value(c, copy->grid);
    copy->block = new_value(c, copy->block);
    copy->file = new_value(c, copy->file);
    copy->hash = new_value(c, copy->hash);
}

static void copy_events(struct copier *c)
{
    for (uint32_t i = 0; i < c->events.count; i++) {
        uint32_t from = *TP_AT(&c->events, uint32_t, i), to = c->first_event + i, around = c->model->inside[from];
        const struct tp_event *e = &c->from->events[from];
        struct tp_event *copy = &c->to->events[to];
        *copy = *e;
        copy->name = new_name(c, e->name);
        copy->thread = 0;
        copy->detail = copy_detail(c, e);
        if (e->kind == TP_KIND_RUNTIME)
            copy->variant = 0;
        c->to->capture.around_added[to - c->to->event_count] =
            around == TP_NO_ID ? TP_NO_ID : c->first_event + c->copy_of[around] - 1;
        copy_argument(c, from, to);
    }
}

/* Makes room in the columns of the trace for the copies of all capture traces. */
static void grow_columns(struct tp_trace *trace, const struct copier *copiers, size_t count)
{
    size_t events = 0, hosts = 0, launches = 0, modules = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < copiers[i].events.count; k++) {
            unsigned kind = copiers[i].from->events[*TP_AT(&copiers[i].events, uint32_t, k)].kind;
            events++;
            hosts += kind == TP_KIND_OPERATOR || kind == TP_KIND_ANNOTATION;
            launches += kind == TP_KIND_RUNTIME;
            modules += kind == TP_KIND_MODULE;
        }
    if (events > TP_NO_ID - 1 - trace->event_count)
        tp_arena_fail(trace->arena, TP_ELIMIT);
    trace->events = grow(trace, trace->events, trace->event_count, events, sizeof *trace->events);
    trace->hosts = grow(trace, trace->hosts, trace->host_count, hosts, sizeof *trace->hosts);
    trace->launches = grow(trace, trace->launches, trace->launch_count, launches, sizeof *trace->launches);
    trace->modules = grow(trace, trace->modules, trace->module_count, modules, sizeof *trace->modules);
    trace->concretes = grow(trace, trace->concretes, trace->concrete_count, hosts, sizeof *trace->concretes);
    trace->capture.arguments =
        grow(trace, trace->capture.arguments, trace->capture.argument_count, events, sizeof *trace->capture.arguments);
    trace->capture.around_added = tp_arena_array(trace->arena, events, sizeof *trace->capture.around_added);
    trace->capture.added_count = (uint32_t)events;
}

/* Returns the number of items in the column host_rare, which has no counter. */
static uint32_t count_rares(const struct tp_trace *trace)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->host_count; i++)
        if (trace->hosts[i].more != TP_NO_ID && trace->hosts[i].more >= count)
            count = trace->hosts[i].more + 1;
    return count;
}

static void copy_all_events(struct tp_trace *trace, struct copier *copiers, size_t count)
{
    uint32_t hosts = trace->host_count, launches = trace->launch_count, modules = trace->module_count;
    uint32_t rares = count_rares(trace), event = trace->event_count;
    size_t added_hosts = 0;
    for (size_t i = 0; i < count; i++)
        added_hosts += copiers[i].events.count;
    trace->host_rare = grow(trace, trace->host_rare, rares, added_hosts, sizeof *trace->host_rare);
    for (size_t i = 0; i < count; i++) {
        struct copier *c = &copiers[i];
        c->first_event = event;
        c->hosts = hosts;
        c->launches = launches;
        c->modules = modules;
        c->rares = rares;
        copy_events(c);
        event += (uint32_t)c->events.count;
        hosts = c->hosts;
        launches = c->launches;
        modules = c->modules;
        rares = c->rares;
    }
}

/* ---- sections ---- */

static void copy_sections(struct tp_trace *trace, const struct tp_capture_trace *from, const struct copier *copiers,
                          size_t count)
{
    struct tp_captures *to = tp_arena_alloc(trace->arena, sizeof *to);
    size_t sections = 0, calls = 0;
    for (size_t i = 0; i < count; i++) {
        sections += from[i].captures.section_count;
        calls += from[i].captures.call_count;
    }
    to->files = tp_arena_array(trace->arena, count, sizeof *to->files);
    to->sections = tp_arena_array(trace->arena, sections, sizeof *to->sections);
    to->calls = tp_arena_array(trace->arena, calls, sizeof *to->calls);
    for (size_t i = 0; i < count; i++) {
        const struct tp_captures *own = &from[i].captures;
        struct tp_capture_file *file = &to->files[to->file_count];
        *file = *own->files;
        file->name.ptr = tp_arena_copy(trace->arena, file->name.ptr, file->name.len);
        file->first_section = to->section_count;
        for (uint32_t s = 0; s < own->section_count; s++) {
            struct tp_capture_section *section = &to->sections[to->section_count++];
            *section = own->sections[s];
            section->file = to->file_count;
            section->first_call += to->call_count;
            section->mode.ptr = tp_arena_copy(trace->arena, section->mode.ptr, section->mode.len);
        }
        for (uint32_t k = 0; k < own->call_count; k++)
            to->calls[to->call_count++] = copiers[i].first_event + copiers[i].copy_of[own->calls[k]] - 1;
        to->file_count++;
    }
    trace->capture.captures = to;
}

static void add_scripts(struct tp_frames *frames, const struct tp_strings *scripts)
{
    for (uint32_t i = 0; i < scripts->count; i++)
        tp_frames_add_script(frames, scripts->items[i]);
}

/* Classifies the names again, with the scripts of all traces. */
static void build_frames(struct tp_trace *trace, const struct tp_capture_trace *from, size_t count)
{
    struct tp_strings scripts = trace->frames.scripts;
    tp_frames_build(&trace->frames, &trace->names, trace->arena);
    add_scripts(&trace->frames, &scripts);
    for (size_t i = 0; i < count; i++)
        add_scripts(&trace->frames, &from[i].model->trace->frames.scripts);
    tp_frames_apply_scripts(&trace->frames, trace->arena);
}

void tp_captures_import(struct tp_trace *trace, const struct tp_capture_trace *from, size_t count)
{
    struct tp_arena *arena = trace->arena;
    struct copier *copiers = tp_arena_array(arena, count, sizeof *copiers);
    for (size_t i = 0; i < count; i++) {
        struct copier *c = &copiers[i];
        const struct tp_trace *map = from[i].model->trace;
        *c = (struct copier){.to = trace, .model = from[i].model, .from = map, .events = TP_VEC(arena, uint32_t)};
        c->copy_of = tp_arena_array(arena, map->event_count, sizeof *c->copy_of);
        c->name_of = tp_arena_array(arena, map->names.count, sizeof *c->name_of);
        c->value_of = tp_arena_array(arena, map->values.count, sizeof *c->value_of);
        choose_events(c, &from[i].captures);
    }
    grow_columns(trace, copiers, count);
    copy_all_events(trace, copiers, count);
    copy_sections(trace, from, copiers, count);
    build_frames(trace, from, count);
    for (size_t i = 0; i < count; i++)
        tp_arena_free_item(arena, copiers[i].copy_of, copiers[i].from->event_count * sizeof *copiers[i].copy_of);
}
