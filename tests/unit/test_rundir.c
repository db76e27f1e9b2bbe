/* Tests run folders: file names, the times that they contain, and runs. */
#include "webreport/trace/rundir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void file_names_are_split_into_worker_and_time(void **state)
{
    static const char *const cases[][3] = {
        {"w0.1623143089861.pt.trace.json.gz", "w0", "1623143089861"},
        {"host_12.pt.trace.json", "host_12", ""},
        {"...1602.pt.trace.json", "..", "1602"},
        {".7.pt.trace.json", "", "7"},
        {"a.b.pt.trace.json", "a.b", ""},
        {"12.pt.trace.json", "12", ""},
    };
    struct tp_str worker, time;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(tp_rundir_split_file_name(cases[i][0], &worker, &time));
        assert_true(tp_str_equal(worker, tp_str_of(cases[i][1])));
        assert_true(tp_str_equal(time.ptr ? time : TP_STR(""), tp_str_of(cases[i][2])));
    }
    assert_false(tp_rundir_split_file_name("trace.json", &worker, &time));
    assert_false(tp_rundir_split_file_name("x.pt.trace.json.zip", &worker, &time));
}

static void make_empty_file(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
}

static void folders_are_runs_and_times_are_spans(void **state)
{
    char top[] = "/tmp/tp_rundir_XXXXXX";
    struct tp_arena arena;
    struct tp_runs runs;
    struct tp_error err;
    (void)state;
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
    mkdir("runs", 0777);
    mkdir("runs/b", 0777);
    mkdir("runs/b/c", 0777);
    make_empty_file("runs/w.100.pt.trace.json");
    make_empty_file("runs/w.99.pt.trace.json.gz");
    make_empty_file("runs/a.5.pt.trace.json");
    make_empty_file("runs/notes.json");
    make_empty_file("runs/b/c/x.pt.trace.json");
    mkdir("runs/b/.spools", 0777);
    make_empty_file("runs/b/.spools/raw.pt.trace.json");
    make_empty_file("one.json");
    assert_int_equal(symlink("..", "runs/b/up"), 0); /* links to folders are not followed */
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    const char *paths[] = {"runs", "one.json", "./one.json"};
    assert_int_equal(tp_rundir_find(&runs, &arena, &(struct tp_run_search){paths, 3, NULL, NULL, false}, &err), 0);
    assert_int_equal(runs.count, 3);
    assert_int_equal(runs.items[0].file_count, 2);
    assert_true(tp_str_equal(runs.items[0].files[0].worker, TP_STR("one")));
    assert_true(tp_str_equal(runs.items[0].files[1].worker, TP_STR("one#1")));
    assert_true(tp_str_equal(runs.items[1].name, TP_STR("runs")));
    assert_int_equal(runs.items[1].file_count, 3);
    assert_true(tp_str_equal(runs.items[1].files[0].worker, TP_STR("a")));
    assert_string_equal(runs.items[1].files[1].base, "w.99.pt.trace.json.gz");
    assert_int_equal(runs.items[1].files[1].span, 1);
    assert_int_equal(runs.items[1].files[2].span, 2);
    assert_true(tp_str_equal(runs.items[2].name, TP_STR("b/c")));
    assert_int_equal(runs.items[2].files[0].span, 0);
    const char *missing[] = {"nowhere"};
    assert_int_equal(tp_rundir_find(&runs, &arena, &(struct tp_run_search){missing, 1, NULL, NULL, false}, &err),
                     TP_ENOTFOUND);
    tp_arena_release(&arena);
    assert_int_equal(chdir("/"), 0);
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", top);
    assert_int_equal(system(command), 0);
}

/* Tests that other recordings of a process belong to the worker of its PyTorch trace. Without a PyTorch trace, the
 * recordings form a worker of their own. */
static void other_recordings_belong_to_the_traced_worker(void **state)
{
    static const char *const names[] = {"h_1.5.pt.trace.json", "h_1.9.pt.trace.json", "h_12.5.pt.trace.json",
                                        "h_1_tracepress.4.pt.trace.json", "h_3_tracepress.4.pt.trace.json"};
    char top[] = "/tmp/tp_rundir_XXXXXX", path[100];
    struct tp_arena arena;
    struct tp_runs runs;
    (void)state;
    assert_non_null(mkdtemp(top));
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", top, names[i]);
        make_empty_file(path);
    }
    const char *const paths[] = {top};
    assert_int_equal(tp_rundir_find(&runs, &arena, &(struct tp_run_search){paths, 1, NULL, NULL, false}, NULL), 0);
    assert_int_equal(runs.items[0].file_count, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct tp_run_file *file = &runs.items[0].files[i];
        bool has_traced_worker = strncmp(file->base, "h_1_tracepress", 14) == 0;
        assert_true(tp_str_equal(file->main_worker, has_traced_worker ? TP_STR("h_1") : TP_STR("")));
        assert_int_equal(unlink(file->path), 0);
    }
    tp_arena_release(&arena);
    assert_int_equal(rmdir(top), 0);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#define FROM_OUTSIDE                                                                                                   \
    "{\"schemaVersion\":1,\n\"deviceProperties\":[],\n\"tracepress_recorder\":\"outside\",\n\"traceEvents\":[]}"

/* Lists the files of a folder that contains a trace from outside and a file named `other`. Then removes both files. */
static struct tp_run_file *find_files_of_run(struct tp_arena *arena, const char *other, struct tp_runs *runs)
{
    char top[] = "/tmp/tp_rundir_XXXXXX", program[100], beside[100];
    assert_non_null(mkdtemp(top));
    snprintf(program, sizeof program, "%s/a.7.pt.trace.json", top);
    snprintf(beside, sizeof beside, "%s/%s", top, other);
    write_text(program, FROM_OUTSIDE);
    write_text(beside, strstr(other, "outside") ? FROM_OUTSIDE : "{\"a\":\"outside\",\"traceEvents\":[]}");
    const char *const paths[] = {top};
    assert_int_equal(tp_rundir_find(runs, arena, &(struct tp_run_search){paths, 1, NULL, NULL, false}, NULL), 0);
    assert_int_equal(runs->items[0].file_count, 2);
    assert_int_equal(unlink(program) + unlink(beside) + rmdir(top), 0);
    return runs->items[0].files;
}

/* Tests that a trace from outside represents the run if the run has no other trace. Otherwise the trace from outside
 * comes last in the list and is not a rank. */
static void recording_from_outside_is_no_rank(void **state)
{
    struct tp_arena arena;
    struct tp_runs runs;
    (void)state;
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail();
    const struct tp_run_file *files = find_files_of_run(&arena, "h_1.5.pt.trace.json", &runs);
    assert_string_equal(files[0].base, "h_1.5.pt.trace.json");
    assert_false(files[0].is_helper || files[0].is_program);
    assert_true(files[1].is_helper && files[1].is_program);
    files = find_files_of_run(&arena, "h_1_helper.5.pt.trace.json", &runs);
    assert_string_equal(files[0].base, "a.7.pt.trace.json");
    assert_false(files[0].is_helper || files[0].is_program);
    assert_true(files[1].is_helper && !files[1].is_program);
    files = find_files_of_run(&arena, "A_1_inside.5.pt.trace.json", &runs); /* this name sorts before the trace from
                                                                             * outside */
    assert_string_equal(files[0].base, "a.7.pt.trace.json");
    assert_false(files[0].is_helper || files[0].is_program);
    assert_true(files[1].is_helper && !files[1].is_program);
    files = find_files_of_run(&arena, "outside.5.pt.trace.json", &runs);
    assert_false(files[0].is_helper || files[0].is_program || files[1].is_helper || files[1].is_program);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_names_are_split_into_worker_and_time),
        cmocka_unit_test(folders_are_runs_and_times_are_spans),
        cmocka_unit_test(other_recordings_belong_to_the_traced_worker),
        cmocka_unit_test(recording_from_outside_is_no_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
