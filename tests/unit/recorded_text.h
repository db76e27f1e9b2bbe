/* Records this process and keeps the trace as text, for tests of single lines. Each test program includes this file
 * once, so everything is static. */
#ifndef TP_TESTS_UNIT_RECORDED_TEXT_H
#define TP_TESTS_UNIT_RECORDED_TEXT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/session.h"
#include "collector/tracepress.h"

static char folder[64], text[8 << 20];

static void copy_trace_text(const struct tracepress_trace *trace, void *unused)
{
    char path[128];
    (void)unused;
    snprintf(path, sizeof path, "%s/trace.json", folder);
    assert_int_equal(tracepress_export_chrome_trace(trace, path), 0);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    assert_true(feof(in));
    fclose(in);
}

/* Starts the recording. `text` contains the trace after tracepress_stop. */
static int begin_text_recording(void)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    strcpy(folder, "/tmp/tracepress-text-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    options.directory = folder;
    options.handler = copy_trace_text;
    text[0] = '\0';
    return tracepress_start(&options);
}

/* Stops the recording. This is cmocka's teardown of a case. */
static int end_text_recording(void **state)
{
    char command[128];
    (void)state;
    tracepress_stop();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

#endif
