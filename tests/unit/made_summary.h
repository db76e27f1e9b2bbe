/* Makes summaries of small traces, whose events a test writes as text. Include cmocka's headers first. Each test
 * program includes this file once, so everything is static. */
#ifndef TP_TESTS_UNIT_MADE_SUMMARY_H
#define TP_TESTS_UNIT_MADE_SUMMARY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/trace_analysis.h"

struct made {
    struct tp_analysis analysis;
    struct tp_arena arena;
    struct tp_summary summary;
};

/* Changes that every made summary prices; the second one cannot be read. */
static const struct tp_str made_change_texts[] = {{"host=1/2", 8}, {"speed=2", 7}};
static const struct tp_asked_changes made_changes = {.texts = made_change_texts, .count = 2};

static void make_summary_of_extent(struct made *m, const char *text, size_t size, enum tp_summary_extent extent)
{
    struct tp_trace_options options = {.single_thread = true, .skips_hash = extent != TP_SUMMARY_WHOLE};
    tp_analysis_open(&m->analysis, NULL);
    tp_arena_init(&m->arena, 0);
    if (setjmp(m->analysis.arena.guard) || setjmp(m->arena.guard))
        fail();
    assert_int_equal(tp_trace_read_bytes(&m->analysis.trace, &m->analysis.arena, text, size, &options, NULL), 0);
    m->analysis.extent = extent == TP_SUMMARY_WHOLE ? TP_ANALYSIS_WHOLE : TP_ANALYSIS_METRICS;
    m->analysis.asked = &made_changes;
    tp_analysis_build(&m->analysis, NULL, NULL);
    struct tp_summary_source source = {.key = {TP_STR("job"), TP_NULL_INT, TP_NULL_INT, TP_STR("worker0"), TP_NULL_INT},
                                       .file = TP_STR("a.json"),
                                       .sha256 = tp_str_of(m->analysis.trace.reading.file_sha256),
                                       .extent = extent,
                                       .trace = &m->analysis.trace,
                                       .order = &m->analysis.order,
                                       .model = &m->analysis.model,
                                       .views = &m->analysis.views,
                                       .advice = &m->analysis.advice};
    tp_summary_build(&m->summary, &source, &m->arena);
    tp_analysis_close(&m->analysis); /* closes the trace, because a summary must not refer to it */
}

static void make_text(struct made *m, const char *text, size_t size)
{
    make_summary_of_extent(m, text, size, TP_SUMMARY_WHOLE);
}

static void make(struct made *m, const char *head, const char *events)
{
    static char text[1 << 16];
    int n = snprintf(text, sizeof text, "{%s\"traceEvents\":[%s]}", head, events);
    make_text(m, text, (size_t)n);
}

static void release_made_trace(struct made *m)
{
    tp_arena_release(&m->arena);
}

#define EVENT(cat, name, tid, ts, dur, args)                                                                           \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur  \
    ",\"args\":{" args "}}"
#define DEVICE(n) "\"device\":0,\"stream\":7,\"correlation\":" #n
#define LAUNCH(n) "\"correlation\":" #n

#endif
