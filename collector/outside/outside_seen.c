/* Describes the recorded and the missed data of a recording, as text and as JSON: see outside.h. */
#include <inttypes.h>
#include <stddef.h>

#include "collector/outside/outside_recorder.h"
#include "writer/base/json_out.h"

static void append_count(struct tp_buf *text, uint64_t count, const char *one, const char *many)
{
    if (!count)
        return;
    if (text->size)
        tp_buf_puts(text, ", ");
    tp_buf_printf(text, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

void tp_outside_put_missed_text(struct tp_buf *text, const struct tp_outside_seen *seen)
{
    if (seen->stopped_after_ns)
        tp_buf_printf(text, "anything after %.1f s, because the recording reached its maximum size",
                      (double)seen->stopped_after_ns / 1e9);
    if (seen->mode == TP_OUTSIDE_POLLING)
        tp_buf_printf(text, "%s%sanything shorter than 10 ms, because %s", text->size ? ", " : "",
                      !seen->sample_count                        ? "functions, and "
                      : seen->python_count == seen->sample_count ? "functions other than Python's, and "
                                                                 : "",
                      seen->refusal);
    if (seen->is_whole_refused)
        tp_buf_printf(text, "%swhole CPUs, which need root, CAP_PERFMON or 'sysctl kernel.perf_event_paranoid=0'",
                      text->size ? ", " : "");
    if (seen->is_user_only)
        tp_buf_printf(text, "%sfunctions of the kernel and causes of short waits (perf_event_paranoid)",
                      text->size ? ", " : "");
    if (seen->budget_level)
        tp_buf_printf(text, "%sstacks of later waits", text->size ? ", " : "");
    if (seen->budget_level > 1)
        tp_buf_printf(text, " and at times all but one in %d samples", 1 << (seen->budget_level - 1));
    if (seen->budget_level)
        tp_buf_puts(text, " (to limit the overhead)");
    append_count(text, seen->skipped_poll_count, "poll of /proc (to limit the overhead)",
                 "polls of /proc (to limit the overhead)");
    append_count(text, seen->out_of_sight, "process after it changed its rights",
                 "processes after they changed their rights");
    append_count(text, seen->unwatched, "thread that ran before", "threads that ran before");
    append_count(text, seen->python_unknown, "process's Python functions", "processes' Python functions");
    append_count(text, seen->lost_count, "lost record", "lost records");
    append_count(text, seen->missed_arguments, "program's arguments", "programs' arguments");
    append_count(text, seen->unknown_exit_count, "process's exit code", "processes' exit codes");
}

void tp_outside_put_missed_json(struct tp_buf *out, const struct tp_outside_seen *seen)
{
    const struct {
        const char *key;
        int64_t value;
    } counts[] = {{"processes", (int64_t)seen->process_count},
                  {"threads", (int64_t)seen->thread_count},
                  {"samples", (int64_t)seen->sample_count},
                  {"lost_records", (int64_t)seen->lost_count},
                  {"missed_argv", seen->missed_arguments},
                  {"missed_exit_codes", seen->unknown_exit_count},
                  {"out_of_sight", seen->out_of_sight},
                  {"windows_without_switch_stacks", (int64_t)seen->stacks_left_out},
                  {"stacks_cut", (int64_t)seen->cut_count},
                  {"dump_bytes", seen->dump_bytes},
                  {"python_samples", (int64_t)seen->python_count},
                  {"python_not_aligned", (int64_t)seen->unaligned_python_samples},
                  {"python_unread", (int64_t)seen->failed_python_samples},
                  {"python_unknown", seen->python_unknown},
                  {"whole_wait_stacks", (int64_t)seen->complete_stack_waits},
                  {"recorder_cpu_ns", seen->own_ns},
                  {"budget_level", seen->budget_level},
                  {"threads_not_watched", seen->unwatched},
                  {"looks_left_out", (int64_t)seen->skipped_poll_count},
                  {"stopped_after_ns", seen->stopped_after_ns}};
    struct tp_json json;
    tp_json_init(&json, out);
    tp_json_object(&json);
    tp_json_member_text(&json, "mode",
                        seen->mode == TP_OUTSIDE_POLLING ? "looks"
                        : seen->mode == TP_OUTSIDE_WHOLE ? "whole CPUs"
                        : seen->is_user_only             ? "inherited, user"
                                                         : "inherited");
    if (*seen->refusal)
        tp_json_member_text(&json, "refusal", seen->refusal);
    tp_json_member_text(&json, "own_waits", "marked"); /* waits caused by the recorder have the argument `recording`
                                                        * (outside_trace.c) */
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        tp_json_member_int(&json, counts[i].key, counts[i].value);
    if (seen->throttled_ns >= 0) {
        tp_json_member_int(&json, "throttled_ns", seen->throttled_ns);
        tp_json_member_int(&json, "throttled_periods", seen->throttled_periods);
    }
    tp_json_object_end(&json);
}

struct tp_outside_seen tp_outside_seen(const struct tp_outside *o)
{
    return (struct tp_outside_seen){.mode = o->mode,
                                    .refusal = o->mode == TP_OUTSIDE_POLLING ? o->refused.text : "",
                                    .is_whole_refused = o->is_whole_refused,
                                    .skipped_poll_count = o->looked.left_out,
                                    .process_count = o->tree.processes.count,
                                    .thread_count = o->tree.threads.count - o->tree.recorder_thread_count,
                                    .sample_count = o->tree.samples.count,
                                    .lost_count = o->tree.lost_count + o->dropped_count,
                                    .missed_arguments = o->tree.missed_arguments,
                                    .unknown_exit_count = o->late_exit_list.missed,
                                    .out_of_sight = o->out_of_sight,
                                    .stacks_left_out = o->rings.limited_interval_count,
                                    .complete_stack_waits = o->tree.complete_wait_count,
                                    .throttled_ns = o->is_throttling_known ? o->throttled.time_ns : -1,
                                    .throttled_periods = o->throttled.period_count,
                                    .own_ns = o->own_ns,
                                    .budget_level = o->budget.highest_level,
                                    .unwatched = o->unwatched,
                                    .cut_count = o->tree.whole.cut_count,
                                    .dump_bytes = o->rings.dump_bytes,
                                    .python_count = o->tree.python_count,
                                    .unaligned_python_samples = o->tree.unaligned_sample_count,
                                    .failed_python_samples = o->python.failed_count,
                                    .python_unknown = o->python.unknown_count,
                                    .is_user_only = o->rings.is_user_only,
                                    .stopped_after_ns =
                                        o->recording_stopped_ns ? o->recording_stopped_ns - o->begin_ns : 0};
}
