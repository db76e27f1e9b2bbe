/* Appends events to the text of a trace, and provides an arena for the results. Each test program includes this file
 * once, so everything is static. `begin_event_text` and `end_event_text` are cmocka's setup and teardown of a case. */
#ifndef TP_TESTS_UNIT_EVENT_TEXT_H
#define TP_TESTS_UNIT_EVENT_TEXT_H

#include <stdio.h>
#include <string.h>

#include "tests/unit/made_trace.h"

static struct tp_buf text;
static struct tp_arena arena;
static struct tp_trace trace;

static int begin_event_text(void **state)
{
    (void)state;
    tp_buf_init(&text, 0);
    return 0;
}

static int end_event_text(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    tp_buf_release(&text);
    return 0;
}

__attribute__((format(printf, 1, 2))) static void add_event(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    tp_buf_printf(&text, "%s%s", text.size ? "," : "", line);
}

#endif
