/* Records this process and reads the trace, for tests of single records. Each test program includes this file once, so
 * everything is static. `begin_recording_test` and `end_recording_test` are cmocka's setup and teardown of a case. */
#ifndef TP_TESTS_UNIT_RECORDED_H
#define TP_TESTS_UNIT_RECORDED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/recorder.h"
#include "collector/session.h"
#include "webreport/trace/trace.h"
#include "writer/spool/spool_trace.h"

static char folder[64], path[96];
static struct tp_arena arena;
static struct tp_trace trace;
static struct tp_spool_trace_result result;

static void convert_spool_to_trace(const struct tracepress_trace *spool, void *context)
{
    struct tp_error err = {0};
    (void)context;
    if (tp_spool_trace(spool->spool, path, false, &result, NULL, &err) != 0)
        fail_msg("%s", err.text);
}

static int begin_recording_test(void **state)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    strcpy(folder, "/tmp/tracepress-spool-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/trace.json", folder);
    options.directory = folder;
    options.handler = convert_spool_to_trace;
    return tracepress_start(&options);
}

/* Stops the recording and reads its trace with the strict reader. */
static void stop_and_convert_recording(void)
{
    const struct tp_trace_options strict = {.is_strict = true, .single_thread = true};
    struct tp_error err = {0};
    tracepress_stop();
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    if (tp_trace_read(&trace, &arena, path, &strict, &err) != 0)
        fail_msg("%s", err.text);
}

static int end_recording_test(void **state)
{
    char command[96];
    (void)state;
    tp_arena_release(&arena);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
