/* Makes a trace and its model from the text of its events. Include cmocka's headers first. */
#ifndef TP_TESTS_UNIT_MADE_TRACE_H
#define TP_TESTS_UNIT_MADE_TRACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/model/build.h"
#include "writer/base/buf.h"

/* Initializes the arena and reads a trace into it. header: members of the trace, each followed by a comma, or "".
 * events: JSON objects separated by commas. Release the arena with tp_arena_release. */
static void make_trace(struct tp_arena *arena, struct tp_trace *trace, const char *header, const char *events)
{
    struct tp_trace_options options = {.single_thread = true, .keeps_frame_stacks = true};
    struct tp_buf file;
    tp_arena_init(arena, 0);
    if (setjmp(arena->guard))
        fail();
    tp_buf_init(&file, 0);
    tp_buf_printf(&file, "{%s\"traceEvents\":[%s]}", header, events);
    int code = tp_trace_read_bytes(trace, arena, file.data, file.size, &options, NULL);
    tp_buf_release(&file);
    assert_int_equal(code, 0);
}

/* Reads a trace as make_trace does, and builds its model. */
__attribute__((unused)) static void make_model(struct tp_arena *arena, struct tp_trace *trace, struct tp_order *order,
                                               struct tp_model *model, const char *header, const char *events)
{
    make_trace(arena, trace, header, events);
    tp_order_build(order, trace, arena);
    tp_model_build(model, trace, order, arena);
}

#endif
