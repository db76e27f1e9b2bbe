/* The decoder's columns and interners: made empty, handed to the trace; notes on the file. See decode.h. */
#include "webreport/trace/decode_parts.h"
#include "writer/base/limits.h"

void tp_decoder_init(struct tp_decoder *d, struct tp_trace *trace)
{
    struct tp_arena *arena = trace->arena;
    struct tp_history *history = tp_arena_alloc(arena, sizeof *history);
    memset(d, 0, sizeof *d);
    d->trace = trace;
    tp_buf_init(&d->scratch, 0);
    tp_buf_init(&d->row_key, 0);
    tp_buf_init(&d->argument_text, 0);
    tp_strings_init(&trace->names, arena, 0);
    tp_strings_init(&trace->cats, arena, 0);
    tp_strings_init(&trace->stack_texts, arena, 0);
    tp_strings_init(&trace->texts, arena, 0);
    tp_strings_init(&trace->values, arena, 0);
    tp_strings_init(&trace->argument_texts, arena, 0);
    tp_strings_init(&d->row_texts, arena, 0);
    tp_strings_init(&d->row_canonical, arena, 0);
    tp_strings_init(&d->process_canonical, arena, 0);
    tp_interner_init(&d->names, &trace->names, history, &d->scratch, false, TP_MAX_NAME_BYTES);
    tp_interner_init(&d->cats, &trace->cats, history, &d->scratch, false, TP_MAX_NAME_BYTES);
    tp_interner_init(&d->stacks, &trace->stack_texts, history, &d->scratch, false, TP_MAX_EVENT_BYTES);
    tp_interner_init(&d->texts, &trace->texts, history, &d->scratch, false, TP_MAX_EVENT_BYTES);
    tp_interner_init(&d->values, &trace->values, history, &d->scratch, true, TP_MAX_EVENT_BYTES);
    d->events = TP_VEC(arena, struct tp_event);
    d->hosts = TP_VEC(arena, struct tp_host_detail);
    d->host_more = TP_VEC(arena, struct tp_host_more);
    d->launches = TP_VEC(arena, struct tp_launch_detail);
    d->devices = TP_VEC(arena, struct tp_device_detail);
    d->modules = TP_VEC(arena, struct tp_module_detail);
    d->comms = TP_VEC(arena, struct tp_comm_detail);
    d->others = TP_VEC(arena, struct tp_other_detail);
    d->concretes = TP_VEC(arena, struct tp_concrete);
    d->memory = TP_VEC(arena, struct tp_memory);
    d->memory_more = TP_VEC(arena, struct tp_memory_more);
    d->memory_stacks = TP_VEC(arena, uint32_t);
    tp_keys_init(&d->setups, arena, sizeof(struct tp_device_setup) / sizeof(uint32_t));
    d->setup_after = TP_VEC(arena, uint32_t);
    d->last_setup = TP_NO_ID;
    tp_keys_init(&d->memory_places, arena, 4);
    d->last_memory_number = TP_NO_ID;
    d->counters = TP_VEC(arena, struct tp_counter);
    d->task_ends = TP_VEC(arena, struct tp_task_end);
    d->flows = TP_VEC(arena, struct tp_flow);
    d->samples = TP_VEC(arena, struct tp_sample);
    d->states = TP_VEC(arena, struct tp_state);
    d->seen_processes = TP_VEC(arena, struct tp_seen_process);
    d->memory_looks = TP_VEC(arena, struct tp_memory_look);
    d->tensors = TP_VEC(arena, struct tp_tensor_record);
    d->arguments = TP_VEC(arena, struct tp_argument);
    d->moments = TP_VEC(arena, struct tp_moment);
    d->threads = TP_VEC(arena, struct tp_thread);
    d->processes = TP_VEC(arena, struct tp_process);
    d->cat_meanings = TP_VEC(arena, struct tp_cat_meaning);
    d->name_meanings = TP_VEC(arena, uint8_t);
    d->row_thread = TP_VEC(arena, uint32_t);
}

void tp_decoder_connect(struct tp_decoder *d, struct tp_learned_keys *layout)
{
    static const uint8_t values[] = {TP_ARG_INPUT_DIMS, TP_ARG_INPUT_DIMS_OLD, TP_ARG_INPUT_TYPE,
                                     TP_ARG_GRID,       TP_ARG_BLOCK,          TP_ARG_COLLECTIVE,
                                     TP_ARG_DTYPE,      TP_ARG_GROUP_NAME,     TP_ARG_GROUP_DESCRIPTION};
    tp_learned_keys_expect(layout, TP_FIELD_CAT, &d->cats);
    tp_learned_keys_expect(layout, TP_FIELD_NAME, &d->names);
    tp_learned_keys_expect(layout, TP_ARG_CALL_STACK, &d->stacks);
    for (size_t i = 0; i < sizeof values; i++)
        tp_learned_keys_expect(layout, values[i], &d->values);
}

void tp_decoder_release(struct tp_decoder *d)
{
    tp_buf_release(&d->scratch);
    tp_buf_release(&d->row_key);
    tp_buf_release(&d->argument_text);
}

void tp_decoder_note(struct tp_decoder *d, enum tp_notice notice, uint64_t offset)
{
    struct tp_reading *reading = &d->trace->reading;
    if (reading->notices[notice]++ == 0)
        reading->notice_offset[notice] = offset;
}

void tp_element_note_flags(struct tp_decoder *d, const struct tp_element *e, unsigned flags)
{
    static const struct {
        unsigned flag;
        enum tp_notice notice;
    } map[] = {{TP_CLEAN_CONTROL, TP_NOTICE_CONTROL}, {TP_CLEAN_UTF8, TP_NOTICE_UTF8},
               {TP_CLEAN_ESCAPE, TP_NOTICE_ESCAPE},   {TP_CLEAN_CUT, TP_NOTICE_NAME_CUT},
               {TP_CLEAN_DEPTH, TP_NOTICE_DEPTH},     {TP_CLEAN_SYNTAX, TP_NOTICE_EVENT_REPAIRED}};
    for (size_t i = 0; flags && i < sizeof map / sizeof *map; i++)
        if (flags & map[i].flag)
            tp_decoder_note(d, map[i].notice, e->offset);
}

static int64_t joined(uint32_t low, uint32_t high)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

static void list_memory_places(struct tp_decoder *d)
{
    struct tp_trace *trace = d->trace;
    trace->memory_place_count = tp_keys_count(&d->memory_places);
    trace->memory_places = tp_arena_array(trace->arena, trace->memory_place_count, sizeof *trace->memory_places);
    for (uint32_t i = 0; i < trace->memory_place_count; i++) {
        const uint32_t *key = tp_keys_get(&d->memory_places, i);
        trace->memory_places[i] = (struct tp_memory_place){joined(key[0], key[1]), joined(key[2], key[3])};
    }
}

static void list_setups(struct tp_decoder *d)
{
    struct tp_trace *trace = d->trace;
    uint32_t count = tp_keys_count(&d->setups);
    trace->setups = tp_arena_array(trace->arena, count, sizeof *trace->setups);
    for (uint32_t i = 0; i < count; i++)
        memcpy(&trace->setups[i], tp_keys_get(&d->setups, i), sizeof *trace->setups);
    tp_keys_drop(&d->setups);
}

void tp_decoder_finish(struct tp_decoder *d)
{
    struct tp_trace *trace = d->trace;
    struct tp_vec *kept[] = {&d->events,      &d->hosts,    &d->host_more, &d->launches,  &d->devices,
                             &d->modules,     &d->comms,    &d->others,    &d->concretes, &d->memory,
                             &d->memory_more, &d->memory_stacks, &d->counters, &d->task_ends, &d->flows,     &d->samples,
                             &d->states,      &d->seen_processes, &d->memory_looks,
                             &d->tensors,     &d->arguments,     &d->moments,   NULL};
    for (struct tp_vec **vec = kept; *vec; vec++)
        tp_vec_fit(*vec);
    trace->events = d->events.data;
    trace->event_count = (uint32_t)d->events.count;
    trace->hosts = d->hosts.data;
    trace->host_count = (uint32_t)d->hosts.count;
    trace->host_more = d->host_more.data;
    trace->launches = d->launches.data;
    trace->launch_count = (uint32_t)d->launches.count;
    trace->devices = d->devices.data;
    trace->device_count = (uint32_t)d->devices.count;
    list_setups(d);
    trace->modules = d->modules.data;
    trace->module_count = (uint32_t)d->modules.count;
    trace->comms = d->comms.data;
    trace->comm_count = (uint32_t)d->comms.count;
    trace->others = d->others.data;
    trace->other_count = (uint32_t)d->others.count;
    trace->concretes = d->concretes.data;
    trace->concrete_count = (uint32_t)d->concretes.count;
    trace->memory = d->memory.data;
    trace->memory_more = d->memory_more.data;
    trace->memory_stacks = d->memory_stacks.data;
    trace->memory_count = (uint32_t)d->memory.count;
    list_memory_places(d);
    trace->counters = d->counters.data;
    trace->counter_count = (uint32_t)d->counters.count;
    trace->task_ends = d->task_ends.data;
    trace->task_end_count = (uint32_t)d->task_ends.count;
    trace->flows = d->flows.data;
    trace->flow_count = (uint32_t)d->flows.count;
    trace->samples = d->samples.data;
    trace->sample_count = (uint32_t)d->samples.count;
    trace->states = d->states.data;
    trace->state_count = (uint32_t)d->states.count;
    trace->seen_processes = d->seen_processes.data;
    trace->seen_process_count = (uint32_t)d->seen_processes.count;
    trace->memory_looks = d->memory_looks.data;
    trace->memory_look_count = (uint32_t)d->memory_looks.count;
    trace->tensors = d->tensors.data;
    trace->tensor_count = (uint32_t)d->tensors.count;
    trace->arguments = d->arguments.data;
    trace->argument_count = (uint32_t)d->arguments.count;
    trace->moments = d->moments.data;
    trace->moment_count = (uint32_t)d->moments.count;
    trace->threads = d->threads.data;
    trace->thread_count = (uint32_t)d->threads.count;
    trace->processes = d->processes.data;
    trace->process_count = (uint32_t)d->processes.count;
    if (d->begin_events || d->end_events)
        trace->reading.notices[TP_NOTICE_UNBALANCED] = d->begin_events + d->end_events;
}
