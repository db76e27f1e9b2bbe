/* Tests the choice of a recorded call and its arguments, and that texts of a trace stay texts in the script. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/export/repro/recorded_call.h"
#include "webreport/model/build.h"
#include "writer/base/fs.h"

struct scene {
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_trace_options read;
    struct tp_order order;
    struct tp_model model;
    struct tp_profile profile;
    struct tp_export export;
    struct tp_recorded_call call;
    struct tp_error err;
    char path[64];
};

#define OPERATOR(name, ts, dur, args)                                                                                  \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"dur\":" dur            \
    ",\"args\":{" args "}}"
#define ADD "\"Input Dims\":[[2,3],[2,3],[]],\"Input type\":[\"float\",\"float\",\"Scalar\"]"

/* Writes the events to a file and reads them. */
static void open_trace(struct scene *s, const char *events, const char *wanted)
{
    memset(s, 0, sizeof *s);
    tp_arena_init(&s->arena, 0);
    if (setjmp(s->arena.guard))
        fail();
    snprintf(s->path, sizeof s->path, "/tmp/test_repro_XXXXXX");
    int fd = mkstemp(s->path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "{\"traceEvents\":[%s]}", events);
    fclose(file);
    assert_int_equal(tp_trace_read(&s->trace, &s->arena, s->path, &s->read, &s->err), 0);
    tp_order_build(&s->order, &s->trace, &s->arena);
    tp_model_build(&s->model, &s->trace, &s->order, &s->arena);
    s->profile = (struct tp_profile){.trace = &s->trace, .order = &s->order, .model = &s->model};
    s->export = (struct tp_export){.profile = &s->profile,
                                   .path = s->path,
                                   .read = &s->read,
                                   .reading = &s->trace.reading,
                                   .folder = "/tmp",
                                   .worker = s->path + sizeof "/tmp",
                                   .wanted_operator = wanted,
                                   .arena = &s->arena};
}

static void close_trace(struct scene *s)
{
    remove(s->path);
    tp_arena_release(&s->arena);
}

static void assert_text(struct tp_str text, const char *want)
{
    assert_int_equal(text.len, strlen(want));
    assert_memory_equal(text.ptr, want, text.len);
}

static void arguments_are_those_of_the_file(void **state)
{
    struct scene s;
    (void)state;
    open_trace(&s,
               OPERATOR("aten::add", "1", "5",
                        ADD ", \"Input Strides\":[[3, 1],[3,1],[]],\"Concrete Inputs\":[\"\",\"\",\"0.5\"]"),
               "0");
    assert_int_equal(tp_recorded_call_find(&s.call, &s.export, &s.err), 0);
    assert_text(s.call.name, "aten::add");
    assert_int_equal(s.call.argument_count, 3);
    assert_text(s.call.arguments[0].shape, "[2,3]");
    assert_text(s.call.arguments[0].strides, "[3,1]");
    assert_text(s.call.arguments[0].type, "float");
    assert_text(s.call.arguments[2].value, "0.5");
    assert_true(s.call.has_strides && s.call.has_values);
    close_trace(&s);
}

static void a_name_chooses_the_longest_call(void **state)
{
    struct scene s;
    (void)state;
    open_trace(&s,
               OPERATOR("aten::add", "1", "5", ADD) "," OPERATOR("aten::add", "10", "9",
                                                                 ADD) "," OPERATOR("aten::add", "20", "9", ADD),
               "aten::add");
    assert_int_equal(tp_recorded_call_find(&s.call, &s.export, &s.err), 0);
    assert_int_equal(s.call.event, 1); /* the first of two calls with equal times */
    assert_false(s.call.has_strides || s.call.has_values);
    close_trace(&s);
}

static void shapes_that_are_no_lists_of_integers_are_dropped(void **state)
{
    static const char *const shapes[] = {"[1.5]",       "[\"__import__('os')\"]", "[[[1]]]", "\"[1]\"", "null", "true",
                                         "{\"a\":[1]}", "[99999999999999999999]", "[1e3]"};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct scene s;
        char events[512];
        snprintf(events, sizeof events,
                 OPERATOR("aten::abs", "1", "5", "\"Input Dims\":[%s],\"Input type\":[\"float\"]"), shapes[i]);
        open_trace(&s, events, "0");
        if (tp_recorded_call_find(&s.call, &s.export, &s.err) == 0 && s.call.argument_count)
            assert_null(s.call.arguments[0].shape.ptr);
        close_trace(&s);
    }
}

static void calls_that_cannot_be_built_are_refused(void **state)
{
    static const struct {
        const char *events, *wanted, *reason;
    } cases[] = {
        {OPERATOR("aten::add", "1", "5", ""), "0", "no shapes"},
        {OPERATOR("aten::add", "1", "5", ADD), "7", "is not an operator"},
        {OPERATOR("aten::add", "1", "5", ADD), "18446744073709551616", "is not an operator"},
        {OPERATOR("aten::add", "1", "5", ADD), "aten::sub", "no operator with this name"},
        {OPERATOR("AddBackward0", "1", "5", ADD), "AddBackward0", "cannot call"},
        {OPERATOR("aten::add:x", "1", "5", ADD), "0", "cannot call"},
        {OPERATOR("aten::a\\\\n", "1", "5", ADD), "0", "cannot call"},
        {OPERATOR("aten::", "1", "5", ADD), "0", "cannot call"},
        {OPERATOR("::add", "1", "5", ADD), "0", "cannot call"},
        {OPERATOR("aten::add; x", "1", "5", ADD), "0", "cannot call"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s;
        open_trace(&s, cases[i].events, cases[i].wanted);
        assert_int_equal(tp_recorded_call_find(&s.call, &s.export, &s.err), TP_ENOTFOUND);
        assert_non_null(strstr(s.err.text, cases[i].reason));
        close_trace(&s);
    }
}

/* Reads a whole script into `text`. */
static void read_script(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t read = fread(text, 1, size - 1, file);
    text[read] = '\0';
    fclose(file);
    remove(path);
}

static void texts_of_a_trace_are_string_literals(void **state)
{
    static char text[1 << 16];
    struct scene s;
    (void)state;
    open_trace(&s,
               OPERATOR("aten::abs", "1", "5",
                        "\"Input Dims\":[[4]],\"Input type\":[\"\\\"\\n\\r\\\\\\u2028\\u00e9\\ud83d\\ude00#\"]"),
               "0");
    assert_int_equal(tp_export_repro(&s.export, &s.err), 0);
    char script[sizeof s.path + 16];
    snprintf(script, sizeof script, "%s.repro.py", s.path);
    read_script(script, text, sizeof text);
    assert_non_null(
        strstr(text, "{\"type\": \"\\x22\\x0a\\x0d\\x5c\\U00002028\\U000000e9\\U0001f600#\", \"shape\": [4], "));
    for (const char *p = text; *p; p++)
        assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7F));
    close_trace(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_are_those_of_the_file),
        cmocka_unit_test(a_name_chooses_the_longest_call),
        cmocka_unit_test(shapes_that_are_no_lists_of_integers_are_dropped),
        cmocka_unit_test(calls_that_cannot_be_built_are_refused),
        cmocka_unit_test(texts_of_a_trace_are_string_literals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
