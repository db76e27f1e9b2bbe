/* Creates the columns and interners of the sink, fills them, and moves them into the trace: see sink.h. */
#include "webreport/trace/sink.h"

#include "webreport/trace/header.h"
#include "writer/base/error.h"
#include "writer/base/limits.h"
#include "writer/base/put.h"

static void make_interners(struct tp_sink *sink, struct tp_arena *arena)
{
    struct tp_trace *trace = sink->trace;
    struct tp_history *history = tp_arena_alloc(arena, sizeof *history);
    struct tp_strings *strings[] = {
        &trace->names, &trace->cats, &trace->stack_texts, &trace->texts, &trace->values, &trace->argument_texts, NULL};
    for (struct tp_strings **at = strings; *at; at++)
        tp_strings_init(*at, arena, 0);
    tp_interner_init(&sink->names, &trace->names, history, &sink->scratch, false, TP_MAX_NAME_BYTES);
    tp_interner_init(&sink->cats, &trace->cats, history, &sink->scratch, false, TP_MAX_NAME_BYTES);
    tp_interner_init(&sink->stacks, &trace->stack_texts, history, &sink->scratch, false, TP_MAX_EVENT_BYTES);
    tp_interner_init(&sink->texts, &trace->texts, history, &sink->scratch, false, TP_MAX_EVENT_BYTES);
    tp_interner_init(&sink->values, &trace->values, history, &sink->scratch, true, TP_MAX_EVENT_BYTES);
    tp_strings_init(&sink->canonical_rows, arena, 0);
    tp_strings_init(&sink->canonical_processes, arena, 0);
}

static void make_columns(struct tp_sink *sink, struct tp_arena *arena)
{
    sink->events = TP_VEC(arena, struct tp_event);
    sink->hosts = TP_VEC(arena, struct tp_host_detail);
    sink->host_rare = TP_VEC(arena, struct tp_host_rare);
    sink->launches = TP_VEC(arena, struct tp_launch_detail);
    sink->devices = TP_VEC(arena, struct tp_device_detail);
    sink->modules = TP_VEC(arena, struct tp_module_detail);
    sink->comms = TP_VEC(arena, struct tp_comm_detail);
    sink->others = TP_VEC(arena, struct tp_other_detail);
    sink->syncs = TP_VEC(arena, struct tp_sync_record);
    sink->concretes = TP_VEC(arena, struct tp_concrete);
    sink->memory = TP_VEC(arena, struct tp_memory);
    sink->memory_rare = TP_VEC(arena, struct tp_memory_rare);
    sink->memory_stacks = TP_VEC(arena, uint32_t);
    tp_keys_init(&sink->setups, arena, sizeof(struct tp_device_setup) / sizeof(uint32_t));
    sink->next_setup_index = TP_VEC(arena, uint32_t);
    sink->last_setup_index = TP_NO_ID;
    tp_keys_init(&sink->memory_places, arena, 4);
    sink->last_memory_record_number = TP_NO_ID;
    sink->counters = TP_VEC(arena, struct tp_counter);
    sink->notes = TP_VEC(arena, struct tp_str);
    sink->dropped = TP_VEC(arena, struct tp_dropped_rows);
    sink->device_counters = TP_VEC(arena, struct tp_device_counter);
    sink->device_counter_stats = TP_VEC(arena, struct tp_device_counter_stats);
    sink->task_ends = TP_VEC(arena, struct tp_task_end);
    sink->flows = TP_VEC(arena, struct tp_flow);
    sink->samples = TP_VEC(arena, struct tp_sample);
    sink->os_calls = TP_VEC(arena, struct tp_os_call);
    sink->states = TP_VEC(arena, struct tp_state);
    sink->recorded_processes = TP_VEC(arena, struct tp_recorded_process);
    sink->process_memory = TP_VEC(arena, struct tp_process_memory);
    sink->tensors = TP_VEC(arena, struct tp_tensor_record);
    sink->arguments = TP_VEC(arena, struct tp_argument);
    sink->capture_arguments = TP_VEC(arena, struct tp_capture_argument);
    sink->moments = TP_VEC(arena, struct tp_moment);
    sink->threads = TP_VEC(arena, struct tp_thread);
    sink->processes = TP_VEC(arena, struct tp_process);
    sink->cat_meanings = TP_VEC(arena, struct tp_cat_meaning);
    sink->name_meanings = TP_VEC(arena, uint8_t);
    sink->members = TP_VEC(arena, struct tp_header_value);
}

void tp_sink_open(struct tp_sink *sink, struct tp_trace *trace, struct tp_arena *arena,
                  const struct tp_trace_options *options)
{
    memset(sink, 0, sizeof *sink);
    memset(trace, 0, sizeof *trace);
    trace->arena = arena;
    sink->trace = trace;
    sink->keeps_frame_stacks = options && options->keeps_frame_stacks;
    sink->wants_tensors = options && options->wants_tensors;
    sink->wants_arguments = options && options->wants_arguments;
    sink->wants_captures = options && options->wants_captures;
    tp_buf_init(&sink->scratch, 0);
    tp_buf_init(&sink->row_key, 0);
    make_interners(sink, arena);
    make_columns(sink, arena);
}

void tp_sink_release(struct tp_sink *sink)
{
    tp_buf_release(&sink->scratch);
    tp_buf_release(&sink->row_key);
}

void tp_sink_count_notice(struct tp_sink *sink, enum tp_notice notice, uint64_t offset)
{
    struct tp_reading *reading = &sink->trace->reading;
    if (reading->notices[notice]++ == 0)
        reading->notice_offset[notice] = offset;
}

/* ---- texts ---- */

void tp_sink_classify_new_names(struct tp_sink *sink)
{
    while (sink->name_meanings.count < sink->trace->names.count) {
        struct tp_str name = tp_strings_get(&sink->trace->names, (uint32_t)sink->name_meanings.count);
        *(uint8_t *)tp_vec_push(&sink->name_meanings) = (uint8_t)tp_name_meaning_by_name(name);
    }
}

void tp_sink_classify_new_cats(struct tp_sink *sink)
{
    while (sink->cat_meanings.count < sink->trace->cats.count) {
        struct tp_str cat = tp_strings_get(&sink->trace->cats, (uint32_t)sink->cat_meanings.count);
        *(struct tp_cat_meaning *)tp_vec_push(&sink->cat_meanings) = tp_cat_meaning_by_name(cat);
    }
}

/* Returns the id of a text that may need escapes: writes the text as a JSON string and interns the part between the
 * quotes. */
static uint32_t intern_text_as_json_string(struct tp_sink *sink, struct tp_interner *interner, struct tp_str text)
{
    struct tp_buf *spelled = &sink->row_key;
    tp_buf_clear(spelled);
    tp_put_string(spelled, text, interner->max_bytes);
    size_t size = spelled->size;
    /* adds readable bytes, because the interner reads up to 15 bytes after the end of a text */
    tp_buf_add(spelled, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15);
    if (spelled->failed)
        tp_arena_fail(sink->trace->arena, spelled->failed);
    return tp_interner_add(interner, (struct tp_str){spelled->data + 1, size - 2})->id;
}

uint32_t tp_sink_intern_text(struct tp_sink *sink, struct tp_interner *interner, struct tp_str text)
{
    uint32_t id;
    if (interner->has_json_values || (text.len <= interner->max_bytes && tp_clean_is_plain(text)))
        id = tp_strings_add(interner->meanings, text.ptr ? text : TP_STR(""));
    else
        id = intern_text_as_json_string(sink, interner, text);
    if (interner == &sink->names)
        tp_sink_classify_new_names(sink);
    if (interner == &sink->cats)
        tp_sink_classify_new_cats(sink);
    return id;
}

uint32_t tp_sink_intern_recording_stack(struct tp_sink *sink, struct tp_str stack)
{
    struct tp_buf text;
    tp_buf_init(&text, 0);
    tp_buf_puts(&text, TP_RECORDING_FRAME ";");
    tp_buf_add(&text, stack.ptr, stack.len);
    bool has_failed = text.failed;
    uint32_t id =
        has_failed ? TP_NO_ID : tp_sink_intern_text(sink, &sink->stacks, (struct tp_str){text.data, text.size});
    tp_buf_release(&text);
    return id;
}

/* ---- top-level members ---- */

void tp_sink_add_member(struct tp_sink *sink, struct tp_str key, struct tp_str value)
{
    struct tp_arena *arena = sink->trace->arena;
    struct tp_vec *members = &sink->members;
    struct tp_buf *text = &sink->scratch;
    if (value.len > TP_MAX_HEADER_BYTES || key.len > TP_MAX_SHOWN_NAME_BYTES || members->count >= TP_MAX_HEADER_KEYS) {
        tp_sink_count_notice(sink, TP_NOTICE_HEADER, 0);
        return;
    }
    tp_buf_clear(text);
    tp_clean_string(text, key, TP_MAX_SHOWN_NAME_BYTES);
    if (text->failed) /* keeps the failure, because the next tp_buf_clear resets text->failed */
        tp_arena_fail(arena, text->failed);
    struct tp_str name = {tp_arena_copy(arena, text->data ? text->data : "", text->size), text->size};
    tp_buf_clear(text);
    tp_clean_value(text, value);
    if (text->failed)
        tp_arena_fail(arena, text->failed);
    sink->is_program_trace |= tp_str_equal(name, TP_STR("tracepress_recorder"));
    struct tp_header_value member = {name, {tp_arena_copy(arena, text->data, text->size), text->size}};
    struct tp_header_value *slot = NULL;
    for (size_t i = 0; i < members->count; i++) /* replaces the value of an earlier member with the same key */
        if (tp_str_equal(TP_AT(members, struct tp_header_value, i)->key, name))
            slot = TP_AT(members, struct tp_header_value, i);
    if (!slot)
        slot = tp_vec_push(members);
    *slot = member;
}

/* ---- moving the columns into the trace ---- */

static int64_t join_32_bit_halves(uint32_t low, uint32_t high)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

static void list_memory_places(struct tp_sink *sink)
{
    struct tp_trace *trace = sink->trace;
    trace->memory_place_count = tp_keys_count(&sink->memory_places);
    trace->memory_places = tp_arena_array(trace->arena, trace->memory_place_count, sizeof *trace->memory_places);
    for (uint32_t i = 0; i < trace->memory_place_count; i++) {
        const uint32_t *key = tp_keys_get(&sink->memory_places, i);
        trace->memory_places[i] =
            (struct tp_memory_place){join_32_bit_halves(key[0], key[1]), join_32_bit_halves(key[2], key[3])};
    }
}

static void list_device_setups(struct tp_sink *sink)
{
    struct tp_trace *trace = sink->trace;
    uint32_t count = tp_keys_count(&sink->setups);
    trace->setups = tp_arena_array(trace->arena, count, sizeof *trace->setups);
    trace->setup_count = count;
    for (uint32_t i = 0; i < count; i++)
        memcpy(&trace->setups[i], tp_keys_get(&sink->setups, i), sizeof *trace->setups);
    tp_keys_release(&sink->setups);
}

/* Gives the unused memory at the end of each column back to the arena. */
static void return_unused_column_memory(struct tp_sink *sink)
{
    struct tp_vec *kept[] = {
        &sink->events,         &sink->hosts,       &sink->host_rare,     &sink->launches, &sink->devices,
        &sink->modules,        &sink->comms,       &sink->others,        &sink->syncs,    &sink->concretes,
        &sink->memory,         &sink->memory_rare, &sink->memory_stacks, &sink->counters, &sink->task_ends,
        &sink->flows,          &sink->samples,     &sink->os_calls,      &sink->states,   &sink->recorded_processes,
        &sink->process_memory, &sink->tensors,     &sink->arguments,     &sink->moments,  NULL};
    for (struct tp_vec **vec = kept; *vec; vec++)
        tp_vec_fit(*vec);
}

static void list_input_facts(struct tp_sink *sink)
{
    struct tp_input_facts *input = &sink->trace->input;
    input->notes = sink->notes.data;
    input->note_count = (uint32_t)sink->notes.count;
    input->dropped = sink->dropped.data;
    input->dropped_count = (uint32_t)sink->dropped.count;
    input->counters = sink->device_counters.data;
    input->counter_count = (uint32_t)sink->device_counters.count;
    input->counter_stats = sink->device_counter_stats.data;
    input->counter_stat_count = (uint32_t)sink->device_counter_stats.count;
    input->os_calls = sink->os_calls.data;
    input->os_call_count = (uint32_t)sink->os_calls.count;
}

void tp_sink_finish(struct tp_sink *sink)
{
    struct tp_trace *trace = sink->trace;
    return_unused_column_memory(sink);
    trace->events = sink->events.data;
    trace->event_count = (uint32_t)sink->events.count;
    trace->hosts = sink->hosts.data;
    trace->host_count = (uint32_t)sink->hosts.count;
    trace->host_rare = sink->host_rare.data;
    trace->launches = sink->launches.data;
    trace->launch_count = (uint32_t)sink->launches.count;
    trace->devices = sink->devices.data;
    trace->device_count = (uint32_t)sink->devices.count;
    list_device_setups(sink);
    trace->modules = sink->modules.data;
    trace->module_count = (uint32_t)sink->modules.count;
    trace->comms = sink->comms.data;
    trace->comm_count = (uint32_t)sink->comms.count;
    trace->others = sink->others.data;
    trace->other_count = (uint32_t)sink->others.count;
    trace->syncs = sink->syncs.data;
    trace->sync_count = (uint32_t)sink->syncs.count;
    trace->concretes = sink->concretes.data;
    trace->concrete_count = (uint32_t)sink->concretes.count;
    trace->memory = sink->memory.data;
    trace->memory_rare = sink->memory_rare.data;
    trace->memory_stacks = sink->memory_stacks.data;
    trace->memory_count = (uint32_t)sink->memory.count;
    list_memory_places(sink);
    trace->counters = sink->counters.data;
    trace->counter_count = (uint32_t)sink->counters.count;
    list_input_facts(sink);
    trace->task_ends = sink->task_ends.data;
    trace->task_end_count = (uint32_t)sink->task_ends.count;
    trace->flows = sink->flows.data;
    trace->flow_count = (uint32_t)sink->flows.count;
    trace->samples = sink->samples.data;
    trace->sample_count = (uint32_t)sink->samples.count;
    trace->states = sink->states.data;
    trace->state_count = (uint32_t)sink->states.count;
    trace->recorded_processes = sink->recorded_processes.data;
    trace->recorded_process_count = (uint32_t)sink->recorded_processes.count;
    trace->process_memory = sink->process_memory.data;
    trace->process_memory_count = (uint32_t)sink->process_memory.count;
    trace->tensors = sink->tensors.data;
    trace->tensor_count = (uint32_t)sink->tensors.count;
    trace->arguments = sink->arguments.data;
    trace->argument_count = (uint32_t)sink->arguments.count;
    trace->capture.arguments = sink->capture_arguments.data;
    trace->capture.argument_count = (uint32_t)sink->capture_arguments.count;
    trace->moments = sink->moments.data;
    trace->moment_count = (uint32_t)sink->moments.count;
    trace->threads = sink->threads.data;
    trace->thread_count = (uint32_t)sink->threads.count;
    trace->processes = sink->processes.data;
    trace->process_count = (uint32_t)sink->processes.count;
    tp_header_finish(trace, &sink->members);
}
