/* Tests which files may be read: real paths below a root, whatever the names are. */
#include "webreport/ask/roots.h"

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

#include "writer/base/input.h"

static char folder[] = "/tmp/tracepress-roots-XXXXXX";

/* Makes a folder with a root, a file in it, and a file outside of it. */
static int make_files(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    return system(
        "mkdir root root/sub root2 && echo a >root/a && echo b >root/sub/b && echo s >secret && echo c >root2/c &&"
        "ln -s ../secret root/out && ln -s a root/in && ln -s ../root2 root/folder && mkfifo root/pipe && "
        "ln -s . root/here");
}

static int remove_files(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return chdir("/") || system(command);
}

struct question {
    struct tp_roots *roots;
    const char *given;
    struct tp_arena arena;
    enum tp_roots_answer answer;
};

static int find(void *context, struct tp_error *err)
{
    struct question *q = context;
    struct tp_file_identity identity;
    const char *path;
    (void)err;
    q->answer = tp_roots_find(&path, &identity, q->roots, q->given, &q->arena);
    return 0;
}

static enum tp_roots_answer answer_for(struct tp_roots *roots, const char *given)
{
    struct question q = {.roots = roots, .given = given};
    tp_arena_init(&q.arena, 0);
    assert_int_equal(tp_arena_run(&q.arena, find, &q, NULL), 0);
    tp_arena_release(&q.arena);
    return q.answer;
}

static void only_files_below_a_root_are_found(void **state)
{
    static const char *const paths[] = {"root"};
    static const struct {
        const char *given;
        enum tp_roots_answer answer;
    } cases[] = {{"a", TP_ROOTS_FOUND},
                 {"sub/b", TP_ROOTS_FOUND},
                 {"sub/../a", TP_ROOTS_FOUND},
                 {"here/here/a", TP_ROOTS_FOUND},
                 {"in", TP_ROOTS_FOUND},
                 {"sub", TP_ROOTS_FOUND},
                 {".", TP_ROOTS_FOUND},
                 {"out", TP_ROOTS_OUTSIDE},
                 {"folder/c", TP_ROOTS_OUTSIDE},
                 {"../secret", TP_ROOTS_OUTSIDE},
                 {"../no_such_file", TP_ROOTS_OUTSIDE},
                 {"../../../../../../etc/passwd", TP_ROOTS_OUTSIDE},
                 {"/etc/passwd", TP_ROOTS_OUTSIDE},
                 {"/no/such/file", TP_ROOTS_OUTSIDE},
                 {"../root2/c", TP_ROOTS_OUTSIDE},
                 {"no/../../secret", TP_ROOTS_OUTSIDE},
                 {"no/such/file", TP_ROOTS_MISSING},
                 {"nothing", TP_ROOTS_MISSING},
                 {"a/b", TP_ROOTS_MISSING},
                 {"pipe", TP_ROOTS_SPECIAL}};
    struct tp_roots roots;
    struct tp_error err = {0};
    (void)state;
    assert_int_equal(tp_roots_open(&roots, paths, 1, &err), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (answer_for(&roots, cases[i].given) != cases[i].answer)
            fail_msg("%s: %d", cases[i].given, answer_for(&roots, cases[i].given));
    tp_roots_close(&roots);
}

static void relative_paths_begin_at_each_root(void **state)
{
    static const char *const paths[] = {"root", "root2"};
    struct tp_roots roots;
    struct tp_error err = {0};
    (void)state;
    assert_int_equal(tp_roots_open(&roots, paths, 2, &err), 0);
    assert_int_equal(answer_for(&roots, "c"), TP_ROOTS_FOUND);
    assert_int_equal(answer_for(&roots, "folder/c"), TP_ROOTS_FOUND);
    assert_int_equal(answer_for(&roots, "out"), TP_ROOTS_MISSING); /* below the second root, it would be a file */
    tp_roots_close(&roots);
}

static void a_root_must_be_a_folder(void **state)
{
    static const char *const file[] = {"root/a"}, *const missing[] = {"nothing"};
    struct tp_roots roots;
    struct tp_error err = {0};
    (void)state;
    assert_int_equal(tp_roots_open(&roots, file, 1, &err), TP_ENOTFOUND);
    tp_roots_close(&roots);
    assert_int_equal(tp_roots_open(&roots, missing, 1, &err), TP_ENOTFOUND);
    assert_non_null(strstr(err.text, "nothing"));
    tp_roots_close(&roots);
}

static void confined_inputs_refuse_links_out_of_the_folder(void **state)
{
    char real[200], path[260];
    const char *const allowed[] = {real};
    struct tp_input input;
    struct tp_error err = {0};
    (void)state;
    snprintf(real, sizeof real, "%s/root", folder);
    tp_input_confine(allowed, 1);
    assert_int_equal(tp_input_open(&input, "root/in", TP_INPUT_FILE, &err), 0);
    close(input.fd);
    snprintf(path, sizeof path, "%s/out", real);
    assert_int_equal(tp_input_open(&input, path, TP_INPUT_FILE, &err), TP_EIO);
    assert_non_null(strstr(err.text, "outside"));
    tp_input_confine(NULL, 0);
    assert_int_equal(tp_input_open(&input, path, TP_INPUT_FILE, &err), 0);
    close(input.fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_files_below_a_root_are_found),
        cmocka_unit_test(relative_paths_begin_at_each_root),
        cmocka_unit_test(a_root_must_be_a_folder),
        cmocka_unit_test(confined_inputs_refuse_links_out_of_the_folder),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
