/* Tests how inputs of all kinds become summaries: traces, summary files, folders of both. Bad inputs are reported and
 * skipped. */
#include "webreport/session/summaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "webreport/measure/summary/summary_file.h"

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-summaries-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *path_in_folder(const char *name)
{
    static char paths[4][160];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_trace(const char *name, int rank)
{
    char text[512];
    int n = snprintf(text, sizeof text,
                     "{\"distributedInfo\":{\"rank\":%d,\"world_size\":4},\"traceEvents\":[{\"ph\":\"X\",\"cat\":"
                     "\"cpu_op\",\"name\":\"op\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":%d}]}",
                     rank, rank + 1);
    write_file(name, text, (size_t)n);
}

/* Writes a file with the summaries of `count` ranks, starting at rank `first`. */
static void write_summaries(const char *name, int first, int count, struct tp_arena *arena)
{
    struct tp_summary_set set;
    struct tp_buf out;
    tp_summary_set_init(&set, arena);
    tp_buf_init(&out, 0);
    for (int rank = first; rank < first + count; rank++) {
        struct tp_summary summary = {.key = {TP_STR(""), rank, 4, TP_STR("w"), TP_NULL_INT}, .event_count = rank};
        assert_int_equal(tp_summary_set_add(&set, &summary, NULL), 0);
    }
    assert_int_equal(tp_summary_set_write(&set, &out, NULL), 0);
    write_file(name, out.data, out.size);
    tp_buf_release(&out);
}

/* Loads the inputs. Stores the loaded ranks in `ranks`, one digit per rank. */
static int load_inputs(char ranks[16], const char *const *paths, size_t count, bool is_strict, struct tp_summaries *out,
                       struct tp_arena *arena)
{
    struct tp_console console;
    struct tp_summaries_options options = TP_SUMMARIES_OPTIONS;
    struct tp_error err = {0};
    tp_console_init(&console, true, TP_COLOR_NEVER);
    options.paths = paths;
    options.path_count = count;
    options.read.is_strict = is_strict;
    options.console = &console;
    int code = tp_summaries_load(out, arena, &options, &err);
    assert_true(code == 0 || err.text[0]);
    size_t n = 0;
    for (; n < out->count && n < 15; n++)
        ranks[n] = (char)('0' + out->items[n].key.rank);
    ranks[n] = '\0';
    return code;
}

static void every_kind_of_input_is_loaded(void **state)
{
    static struct tp_arena arena;
    struct tp_summaries out;
    char ranks[16];
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    write_trace("a.json", 1);
    write_trace("b.pt.trace.json", 2);
    write_summaries("c.tps", 3, 3, &arena);
    write_summaries("named otherwise", 7, 1, &arena);
    const char *const named[] = {path_in_folder("c.tps"), path_in_folder("a.json"), path_in_folder("named otherwise")};
    assert_int_equal(load_inputs(ranks, named, 3, false, &out, &arena), 0);
    assert_string_equal(ranks, "13457"); /* ranks of traces come before ranks of summary files */
    assert_true(tp_str_equal(out.items[0].file, TP_STR("a.json")));
    const char *const all[] = {folder};
    assert_int_equal(load_inputs(ranks, all, 1, false, &out, &arena), 0);
    assert_string_equal(ranks, "2"); /* if a folder contains traces, its other files are ignored */
    assert_int_equal(unlink(path_in_folder("b.pt.trace.json")), 0);
    assert_int_equal(load_inputs(ranks, all, 1, false, &out, &arena), 0);
    assert_string_equal(ranks, "345");
    tp_arena_release(&arena);
}

static void bad_inputs_are_counted_and_skipped(void **state)
{
    static struct tp_arena arena;
    struct tp_summaries out;
    char ranks[16];
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    write_trace("a.json", 1);
    write_summaries("c.tps", 3, 1, &arena);
    write_file("cut.tps", "\rTPS1\x10\x01", 7);
    write_file("no.json", "no trace", 8);
    const char *const paths[] = {path_in_folder("cut.tps"), path_in_folder("a.json"), path_in_folder("no.json"),
                                 path_in_folder("c.tps")};
    assert_int_equal(load_inputs(ranks, paths, 4, false, &out, &arena), 0);
    assert_string_equal(ranks, "13");
    assert_int_equal(out.failed_count, 2);
    assert_int_equal(load_inputs(ranks, paths, 4, true, &out, &arena), TP_ENOTFOUND);
    assert_int_equal(load_inputs(ranks, paths, 1, false, &out, &arena), TP_ENOTFOUND);
    const char *const none[] = {"/nowhere"};
    assert_int_equal(load_inputs(ranks, none, 1, false, &out, &arena), TP_ENOTFOUND);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_kind_of_input_is_loaded, enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(bad_inputs_are_counted_and_skipped, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
