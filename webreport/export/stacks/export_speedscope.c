/* Writes WORKER.speedscope.json for speedscope. Each thread has two profiles: one of its samples and one of its states.
 * Each value of a device trace has a profile for each device or thread, with the sum of each stack.
 *
 * Format: https://www.speedscope.app/file-format-schema.json. Profiles of samples have the type "sampled", with
 * weights; profiles of states have the type "evented", with events that open and close. speedscope sorts profiles by
 * name, so that names begin with process, number and thread. */
#include <inttypes.h>

#include "webreport/export/stacks/stack_profile.h"
#include "webreport/export/whole_file.h"
#include "webreport/model/tree_threads.h"
#include "writer/base/saturate.h"
#include "writer/text/format.h"

/* Key of a frame of a value; keys of states have TP_NO_ID. */
#define VALUE_FRAME (TP_NO_ID - 1)

struct speedscope {
    struct tp_stack_profile of;
    struct tp_json json;
    /* keys: (function, line) for samples, (TP_NO_ID, state or cause) for states, (VALUE_FRAME, frame) for values */
    struct tp_keys frames;
    /* time range in which the program was sampled; times in the file are relative to its start */
    struct tp_sampled_span span;
    struct tp_arena *arena;
};

enum { FRAME_RUNNING, FRAME_READY, FRAME_WAITS };

static int64_t ns_since_begin(const struct speedscope *s, int64_t at_ns)
{
    return tp_sat_sub(at_ns, s->span.begin_ns);
}

static uint32_t state_frame(struct speedscope *s, const struct tp_thread_slice *piece)
{
    return tp_keys_pair(&s->frames, TP_NO_ID,
                        piece->state == TP_STATE_BLOCKED ? FRAME_WAITS + (uint32_t)piece->cause
                                                         : (uint32_t)piece->state);
}

/* ---- frames ---- */

/* Writes the members of a function. line: 0 if unknown. */
static void write_code_members(struct tp_json *json, struct tp_str name, struct tp_str file, uint32_t line)
{
    tp_json_member_str(json, "name", name);
    if (file.len)
        tp_json_member_str(json, "file", file);
    if (line)
        tp_json_member_int(json, "line", line);
}

static void write_frame(struct speedscope *s, const uint32_t *key)
{
    struct tp_json *json = &s->json;
    tp_json_object(json);
    if (key[0] == TP_NO_ID) {
        const char *name = key[1] == FRAME_RUNNING ? "running" : key[1] == FRAME_READY ? "ready" : NULL;
        tp_json_member_text(json, "name",
                            name ? name
                                 : tp_text_printf(s->arena, "blocked: %s",
                                                  tp_wait_cause_text((enum tp_wait_cause)(key[1] - FRAME_WAITS))));
    } else if (key[0] == VALUE_FRAME) {
        struct tp_value_frame frame = tp_value_frame_at(s->of.stacks, key[1]);
        write_code_members(json, frame.name, frame.file, frame.line);
    } else {
        const struct tp_program_function *f = tp_program_function_at(&s->of.sampled->functions, key[0]);
        write_code_members(json, f->name, f->file, key[1]);
    }
    tp_json_object_end(json);
}

/* ---- profiles ---- */

static void begin_profile(struct speedscope *s, const struct tp_sampled_thread *thread, const char *type,
                          const char *what)
{
    const struct tp_sampled_process *process = &s->of.sampled->processes[thread->process];
    tp_json_object(&s->json);
    tp_json_member_text(&s->json, "type", type);
    tp_json_member_text(&s->json, "name",
                        tp_text_printf(s->arena, "%.*s (%" PRId64 "), %.*s (%" PRId64 ")%s", (int)process->name.len,
                                       process->name.ptr, process->pid, (int)thread->name.len, thread->name.ptr,
                                       thread->tid, what));
    tp_json_member_text(&s->json, "unit", s->of.sampled->trace->input.has_untimed_samples ? "none" : "nanoseconds");
}

/* The samples of one thread, as indexes in the trace's list of samples, in order of time. */
struct of_thread {
    const uint32_t *items;
    size_t count;
};

static void write_stack_of_sample(struct speedscope *s, uint32_t sample)
{
    struct tp_sampled *sampled = s->of.sampled;
    const struct tp_vec *path = &sampled->functions.path;
    tp_sampled_read_stack(sampled, sampled->trace->samples[sample].stack);
    tp_json_array(&s->json);
    for (size_t k = 0; k < path->count; k++)
        tp_json_int(&s->json, tp_keys_pair(&s->frames, *TP_AT(path, uint32_t, k),
                                           (uint32_t)tp_sampled_line_of_frame(sampled, k)));
    tp_json_array_end(&s->json);
}

static void write_samples(struct speedscope *s, const struct tp_sampled_thread *thread, struct of_thread samples)
{
    struct tp_json *json = &s->json;
    int64_t sum_ns = 0;
    if (!samples.count)
        return;
    begin_profile(s, thread, "sampled", "");
    for (size_t i = 0; i < samples.count; i++)
        sum_ns = tp_sat_add(sum_ns, tp_sampled_time_of_sample(s->of.sampled, samples.items[i]));
    tp_json_member_int(json, "startValue", 0);
    tp_json_member_int(json, "endValue", sum_ns);
    tp_json_key(json, "samples");
    tp_json_array(json);
    for (size_t i = 0; i < samples.count; i++)
        write_stack_of_sample(s, samples.items[i]);
    tp_json_array_end(json);
    tp_json_key(json, "weights");
    tp_json_array(json);
    for (size_t i = 0; i < samples.count; i++)
        tp_json_int(json, tp_sampled_time_of_sample(s->of.sampled, samples.items[i]));
    tp_json_array_end(json);
    tp_json_object_end(json);
}

static void write_open_or_close_event(struct speedscope *s, const char *type, uint32_t frame, int64_t at_ns)
{
    tp_json_object(&s->json);
    tp_json_member_text(&s->json, "type", type);
    tp_json_member_int(&s->json, "frame", frame);
    tp_json_member_int(&s->json, "at", ns_since_begin(s, at_ns));
    tp_json_object_end(&s->json);
}

static void write_thread_states(struct speedscope *s, uint32_t of_tree)
{
    const struct tp_process_tree *tree = &s->of.sampled->view.tree;
    const struct tp_tree_thread *thread = &tree->threads[of_tree];
    struct tp_json *json = &s->json;
    if (!thread->count)
        return;
    begin_profile(s, &s->of.sampled->threads[s->of.sampled->thread_by_tree_thread[of_tree]], "evented", ": states");
    tp_json_member_int(json, "startValue", ns_since_begin(s, thread->begin_ns));
    tp_json_member_int(json, "endValue", ns_since_begin(s, thread->end_ns));
    tp_json_key(json, "events");
    tp_json_array(json);
    for (uint32_t i = 0; i < thread->count; i++) {
        const struct tp_thread_slice *piece = &tree->slices[thread->first + i];
        uint32_t frame = state_frame(s, piece);
        write_open_or_close_event(s, "O", frame, piece->begin_ns);
        write_open_or_close_event(s, "C", frame, piece->end_ns);
    }
    tp_json_array_end(json);
    tp_json_object_end(json);
}

/* ---- values of a device trace ---- */

static void write_stack_of_value(struct speedscope *s, uint32_t node, struct tp_vec *path)
{
    tp_value_stack_path(s->of.stacks, node, path);
    tp_json_array(&s->json);
    for (size_t k = path->count; k-- > 0;)
        tp_json_int(&s->json, tp_keys_pair(&s->frames, VALUE_FRAME, *TP_AT(path, uint32_t, k)));
    tp_json_array_end(&s->json);
}

/* Writes a track as a profile whose samples are the distinct stacks, in the order in which they first appear. */
static void write_track(struct speedscope *s, const struct tp_value_track *track)
{
    struct tp_json *json = &s->json;
    struct tp_value_sums sums;
    struct tp_vec path = TP_VEC(s->arena, uint32_t);
    int64_t sum = 0;
    const char *title = tp_value_title(track->value);
    tp_value_sums_of_track(&sums, s->of.stacks, track);
    for (uint32_t i = 0; i < sums.count; i++)
        sum = tp_sat_add(sum, sums.items[i].amount);
    tp_json_object(json);
    tp_json_member_text(json, "type", "sampled");
    tp_json_member_text(
        json, "name",
        track->name.len ? tp_text_printf(s->arena, "%s: %.*s", title, (int)track->name.len, track->name.ptr) : title);
    tp_json_member_text(json, "unit", tp_value_is_bytes(track->value) ? "bytes" : "nanoseconds");
    tp_json_member_int(json, "startValue", 0);
    tp_json_member_int(json, "endValue", sum);
    tp_json_key(json, "samples");
    tp_json_array(json);
    for (uint32_t i = 0; i < sums.count; i++)
        write_stack_of_value(s, sums.items[i].stack, &path);
    tp_json_array_end(json);
    tp_json_key(json, "weights");
    tp_json_array(json);
    for (uint32_t i = 0; i < sums.count; i++)
        tp_json_int(json, sums.items[i].amount);
    tp_json_array_end(json);
    tp_json_object_end(json);
}

/* ---- file ---- */

static void write_profiles(struct speedscope *s)
{
    const struct tp_sampled *sampled = s->of.sampled;
    uint32_t *order, *first = tp_sampled_sort_by_thread(sampled, &order, s->arena);
    tp_json_key(&s->json, "profiles");
    tp_json_array(&s->json);
    for (uint32_t t = 0; t < sampled->thread_count; t++)
        write_samples(s, &sampled->threads[t], (struct of_thread){order + first[t], first[t + 1] - first[t]});
    for (uint32_t t = 0; sampled->view.is_present && t < sampled->view.tree.thread_count; t++)
        write_thread_states(s, t);
    for (uint32_t t = 0; t < tp_value_track_count(s->of.stacks); t++)
        write_track(s, tp_value_track_at(s->of.stacks, t));
    tp_json_array_end(&s->json);
}

static void write_speedscope_file(struct speedscope *s, const struct tp_export *export)
{
    struct tp_json *json = &s->json;
    tp_json_object(json);
    tp_json_member_text(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    tp_json_member_text(json, "exporter", "tracepress");
    tp_json_member_str(json, "name", export->profile->worker);
    tp_json_member_int(json, "activeProfileIndex", 0);
    write_profiles(s);
    tp_json_key(json, "shared");
    tp_json_object(json);
    tp_json_key(json, "frames");
    tp_json_array(json);
    for (uint32_t i = 0; i < tp_keys_count(&s->frames); i++)
        write_frame(s, tp_keys_get(&s->frames, i));
    tp_json_array_end(json);
    tp_json_object_end(json);
    tp_json_object_end(json);
}

struct text_call {
    struct speedscope *s;
    const struct tp_export *export;
};

static int write_file_in_guard(void *context, struct tp_error *err)
{
    const struct text_call *call = context;
    (void)err;
    write_speedscope_file(call->s, call->export);
    return TP_OK;
}

int tp_export_speedscope(const struct tp_export *export, struct tp_error *err)
{
    struct tp_arena *arena = export->arena;
    struct speedscope s = {.arena = arena};
    struct tp_buf text;
    int code = tp_stack_profile_build(&s.of, export, err);
    if (code)
        return code;
    s.span = tp_sampled_span(s.of.sampled);
    tp_keys_init(&s.frames, arena, 2);
    tp_buf_init(&text, 0);
    tp_json_init(&s.json, &text);
    code = tp_arena_run(arena, write_file_in_guard, &(struct text_call){&s, export}, err);
    if (code == TP_OK)
        code = text.failed
                   ? tp_error_set(err, text.failed, 0, "out of memory")
                   : tp_export_whole_file(export, "speedscope.json", (struct tp_str){text.data, text.size}, err);
    tp_buf_release(&text);
    tp_arena_fail_with_stored_code(arena);
    return code;
}
