/* Chooses the verdict on a program. See program_verdict.h; docs/definitions.md section 23 has the rules. */
#include "webreport/measure/program/program_verdict.h"

#include "webreport/model/numbers.h"
#include "webreport/trace/json/value.h"

enum { FEW_SAMPLES = 20 };
static const int64_t SHORT_NS = 100000000;
static const double IDLE_PERCENT = 80, IDLE_RUNNING_PERCENT = 10, CPU_PERCENT = 50, WAIT_PERCENT = 20,
                    BOUND_PERCENT = 60;

/* Rules for waits: cause of the wait and rule of the verdict, in the order in which the rules are tried. */
static const struct {
    enum tp_wait_cause cause;
    enum tp_program_rule rule;
} waits[] = {{TP_WAIT_DISK, TP_PROGRAM_WAITS_FOR_DISK},
             {TP_WAIT_SOCKET, TP_PROGRAM_WAITS_FOR_SOCKET},
             {TP_WAIT_TERMINAL, TP_PROGRAM_WAITS_FOR_TERMINAL},
             {TP_WAIT_SLEEP, TP_PROGRAM_SLEEPS},
             {TP_WAIT_LOCK, TP_PROGRAM_WAITS_FOR_LOCK}};
enum { WAITS = sizeof waits / sizeof *waits };

const char *tp_program_rule_id(enum tp_program_rule rule)
{
    static const char *const ids[TP_PROGRAM_RULES] = {"P0", "P1", "P2", "P3", "P4", "P5", "P6", "P7", "P8", "P9"};
    return ids[rule];
}

static double part_percent(const struct tp_program_view *view, unsigned part)
{
    return tp_wall_part_percent(&view->parts, part);
}

static double wait_percent(const struct tp_program_view *view, enum tp_wait_cause cause)
{
    return part_percent(view, TP_WALL_WAITS + (unsigned)cause);
}

static enum tp_program_rule choose_rule(const struct tp_program_view *view)
{
    double running = part_percent(view, TP_WALL_RUNNING), ready = part_percent(view, TP_WALL_READY);
    if (view->tree.trace->sample_count < FEW_SAMPLES && view->parts.wall_ns < SHORT_NS)
        return TP_PROGRAM_TOO_SHORT;
    if (tp_percent(view->parts.idle_ns, view->parts.wall_ns) >= IDLE_PERCENT && running < IDLE_RUNNING_PERCENT)
        return TP_PROGRAM_IDLE;
    if (view->state_ns[TP_STATE_READY] > view->state_ns[TP_STATE_RUNNING] && running + ready >= CPU_PERCENT)
        return TP_PROGRAM_WAITS_FOR_CPU;
    for (size_t i = 0; i < WAITS; i++) {
        double waiting = wait_percent(view, waits[i].cause);
        if (waiting >= WAIT_PERCENT && waiting >= running / 2)
            return waits[i].rule;
    }
    return running + ready >= BOUND_PERCENT ? TP_PROGRAM_CPU_BOUND : TP_PROGRAM_MIXED;
}

/* ---- values for the sentences ---- */

/* Returns the number of the function with the most self time; TP_NO_ID if no sample has a stack. */
static uint32_t find_function_with_most_time(const struct tp_program_view *view)
{
    for (uint32_t at = 0; at < view->functions.sampled_function_count; at++) {
        uint32_t number = view->functions.order[at];
        const struct tp_program_function *f = tp_program_function_at(&view->functions, number);
        if (!f->is_recording)
            return f->sample_count ? number : TP_NO_ID;
    }
    return TP_NO_ID;
}

/* Returns the recorder's text about why functions are unknown and how to see them; empty if there is no such text. */
static struct tp_str find_refusal_text(const struct tp_program_view *view, struct tp_arena *arena)
{
    struct tp_str seen = tp_trace_header(view->tree.trace, "tracepress_seen");
    if (!seen.ptr || view->tree.trace->sample_count)
        return TP_STR("");
    return tp_value_text(arena, tp_value_member(seen, "refusal"));
}

void tp_program_verdict_build(struct tp_program_view *view, struct tp_arena *arena)
{
    struct tp_program_story *story = &view->story;
    view->rule = choose_rule(view);
    *story = (struct tp_program_story){.hottest = find_function_with_most_time(view)};
    for (size_t i = 0; i < view->processes.row_count; i++)
        story->root_program_count += tp_table_int(&view->processes, TP_PROGRAM_PROCESS_DEPTH)[i] == 0;
    for (uint32_t i = 0; i < view->functions.items.count; i++)
        story->sampled_count += tp_program_function_at(&view->functions, i)->sample_count > 0;
    story->refusal = find_refusal_text(view, arena);
}
