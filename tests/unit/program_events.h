/* Writes the events of a recording from outside, one by one, for the tests of the program view. Each test program
 * includes this file once, so everything is static. Times are in microseconds. */
#ifndef TP_TESTS_UNIT_PROGRAM_EVENTS_H
#define TP_TESTS_UNIT_PROGRAM_EVENTS_H

#include "webreport/document/words/words.h"
#include "webreport/measure/program/program_view.h"

#include "event_text.h" /* included last, because other headers use the names of its functions for parameters */

static struct tp_program_view view;

static void write_process(int pid, int parent, int from_us, int to_us, int exit_code)
{
    add_event("{\"ph\":\"X\",\"cat\":\"process\",\"name\":\"p%d\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{"
              "\"execs\":[\"run p%d\"],\"ppid\":%d,\"exit\":%d}}",
              pid, pid, pid, from_us, to_us - from_us, pid, parent, exit_code);
}

/* Adds a state of thread `tid` in process `pid`. more: additional members of `args`, or "". */
static void state_of(int pid, int tid, const char *name, int from_us, int to_us, const char *more)
{
    add_event(
        "{\"ph\":\"X\",\"cat\":\"thread_state\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":"
        "{%s}}",
        name, pid, tid, from_us, to_us - from_us, more);
}

static void write_running_state(int pid, int tid, int from_us, int to_us)
{
    state_of(pid, tid, "running", from_us, to_us, "");
}

static void write_blocked_state(int pid, int tid, int from_us, int to_us, const char *cause)
{
    char more[64];
    snprintf(more, sizeof more, "\"cause\":\"%s\"", cause);
    state_of(pid, tid, "blocked", from_us, to_us, more);
}

static void write_cpu_sample(int pid, int tid, int at_us, const char *stack)
{
    add_event(
        "{\"ph\":\"P\",\"cat\":\"cpu_sample\",\"name\":\"x\",\"pid\":%d,\"tid\":%d,\"ts\":%d,\"args\":{\"cpu ns\":1,"
        "\"Call stack\":\"%s\"}}",
        pid, tid, at_us, stack);
}

static void build_program_view(void)
{
    add_event("{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"t\",\"pid\":0,\"tid\":0,\"ts\":0,\"dur\":1}");
    make_trace(&arena, &trace, "", text.data);
    tp_program_view_build(&view, &trace, &arena);
    tp_fill_program_texts(&view, &arena);
}

/* Returns the first finding of this kind, or NULL. */
static const struct tp_program_finding *find_program_finding(enum tp_program_finding_kind kind)
{
    for (unsigned i = 0; i < view.finding_count; i++)
        if (view.findings[i].kind == kind)
            return &view.findings[i];
    return NULL;
}

#endif
