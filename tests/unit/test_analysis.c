/* Tests the tables that a program gets from its own recording. They equal tables counted by hand, and the tables of the
 * exported trace. */
#include "collector/tracepress.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "webreport/print/table_outputs.h"
#include "webreport/session/in_process.h"

static char folder[64], trace_path[96], stacks_path[96];

static int enter_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tracepress-analysis-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(trace_path, sizeof trace_path, "%s/out.json", folder);
    snprintf(stacks_path, sizeof stacks_path, "%s/out.folded", folder);
    return 0;
}

static int leave_folder(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* ---- tables and stacks that the handler received ---- */

struct got {
    char *by_name, *by_shape, *wrong;
    int exported, stacks, wrong_stacks, calls;
};

static void make_tables_in_handler(const struct tracepress_trace *trace, void *context)
{
    struct got *got = context;
    struct tracepress_table sorted = {.size = sizeof sorted, .sort_by = "count", .row_limit = -1};
    struct tracepress_table shapes = {.size = sizeof shapes, .group_by_input_shape = 1};
    struct tracepress_table wrong = {.size = sizeof wrong, .sort_by = "size"};
    got->calls++;
    got->by_name = tracepress_key_averages(trace, &sorted);
    got->by_shape = tracepress_key_averages(trace, &shapes);
    got->wrong = tracepress_key_averages(trace, &wrong);
    got->stacks = tracepress_export_stacks(trace, stacks_path, "calls");
    got->wrong_stacks = tracepress_export_stacks(trace, trace_path, "no such metric");
    got->exported = tracepress_export_chrome_trace(trace, trace_path);
}

static void release_results(struct got *got)
{
    tracepress_free(got->by_name);
    tracepress_free(got->by_shape);
    tracepress_free(got->wrong);
}

static struct tracepress_options make_options(struct got *got)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = make_tables_in_handler;
    options.context = got;
    options.directory = folder;
    options.with_flops = 1;
    return options;
}

static void record_multiplication(int64_t rows)
{
    const int64_t left[] = {rows, 3}, right[] = {3, 4};
    const struct tracepress_input inputs[] = {{TRACEPRESS_FLOAT, 2, left}, {TRACEPRESS_FLOAT, 2, right}};
    const struct tracepress_operator call = {.size = sizeof(struct tracepress_operator),
                                             .input_size = sizeof(struct tracepress_input),
                                             .inputs = inputs,
                                             .input_count = 2};
    tracepress_operator_begin(tracepress_intern("aten::mm"), &call);
    tracepress_end();
}

static void record_program(void)
{
    for (int i = 0; i < 3; i++) {
        TRACEPRESS_SCOPE("forward");
        record_multiplication(2);
        record_multiplication(5);
    }
    TRACEPRESS_SCOPE("forward");
}

static unsigned file_count(void)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while ((entry = readdir(dir)))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

/* Returns the line of a table that contains both words in this order. */
static const char *find_line_with(const char *table, const char *first, const char *second)
{
    const char *at = strstr(table, first), *end = at ? strchr(at, '\n') : NULL, *other = at ? strstr(at, second) : NULL;
    return at && other && end && other < end ? at : NULL;
}

static void handler_gets_tables_and_stacks(void **state)
{
    struct got got = {0};
    struct tracepress_options options = make_options(&got);
    struct tp_in_process_table same = {.sort_by = "count", .row_limit = -1};
    char *again = NULL, line[64];
    (void)state;
    assert_int_equal(tracepress_start(&options), 0);
    record_program();
    tracepress_stop();
    assert_int_equal(got.calls, 1);
    assert_non_null(got.by_name);
    assert_non_null(find_line_with(got.by_name, "# of Calls", "Total FLOPs"));
    /* FLOPs: three calls with each of two shapes, 3 * (2 * 2*3*4 + 2 * 5*3*4) */
    assert_non_null(find_line_with(got.by_name, "aten::mm", "           6       504.000  \n"));
    assert_non_null(find_line_with(got.by_name, "forward", "           4            --  \n"));
    assert_non_null(strstr(got.by_shape, "           3      [[2, 3], [3, 4]]       144.000  \n"));
    assert_non_null(strstr(got.by_shape, "           3      [[5, 3], [3, 4]]       360.000  \n"));
    assert_null(got.wrong);
    assert_int_equal(got.exported, 0);
    assert_int_equal(tp_in_process_table(&again, trace_path, &same, tp_print_key_averages, NULL), 0);
    assert_string_equal(again, got.by_name);
    free(again);
    release_results(&got);
    /* Only the requested files exist. The spool and intermediate traces are gone. */
    assert_int_equal(got.stacks, 0);
    assert_int_equal(got.wrong_stacks, -1);
    assert_int_equal(file_count(), 2);
    FILE *file = fopen(stacks_path, "r");
    assert_string_equal(fgets(line, sizeof line, file), "forward 4\n");
    assert_string_equal(fgets(line, sizeof line, file), "forward;aten::mm 6\n");
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void empty_recording_gives_empty_table(void **state)
{
    struct got got = {0};
    struct tracepress_options options = make_options(&got);
    (void)state;
    assert_int_equal(tracepress_start(&options), 0);
    tracepress_stop();
    assert_non_null(got.by_name);
    assert_string_equal(got.by_name, "");
    release_results(&got);
}

static void missing_trace_gives_no_table(void **state)
{
    (void)state;
    assert_null(tracepress_key_averages(NULL, NULL));
    assert_int_equal(tracepress_export_stacks(NULL, stacks_path, NULL), -1);
    tracepress_free(NULL);
}

/* ---- the summary ---- */

static void export_summary_in_handler(const struct tracepress_trace *trace, void *context)
{
    int *codes = context;
    char path[160];
    snprintf(path, sizeof path, "%s/own.tps", folder);
    codes[0] = tracepress_export_summary(trace, path);
    codes[1] = tracepress_export_summary(trace, "/nowhere/own.tps");
    codes[2] = tracepress_export_summary(NULL, path);
    codes[3] = tracepress_export_summary(trace, "");
}

/* Counts the files in the folder whose names end with `ending`. */
static unsigned count_files_ending_in(const char *ending)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name), m = strlen(ending);
        count += n >= m && strcmp(entry->d_name + n - m, ending) == 0;
    }
    closedir(dir);
    return count;
}

static void unwritten_summary_keeps_the_recording(void **state)
{
    int codes[4] = {1, 1, 1, 1};
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    (void)state;
    options.handler = export_summary_in_handler;
    options.context = codes;
    options.directory = folder;
    assert_int_equal(tracepress_start(&options), 0);
    record_multiplication(2);
    tracepress_stop();
    assert_int_equal(codes[0], 0);
    assert_int_equal(codes[1], -1);
    assert_int_equal(codes[2], -1);
    assert_int_equal(codes[3], -1);
    assert_int_equal(count_files_ending_in("own.tps"), 1);
    assert_int_equal(count_files_ending_in(".tpspool"), 1);
}

int main(void)
{
    setenv("TRACEPRESS_QUIET", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handler_gets_tables_and_stacks),
        cmocka_unit_test(empty_recording_gives_empty_table),
        cmocka_unit_test(missing_trace_gives_no_table),
        cmocka_unit_test(unwritten_summary_keeps_the_recording),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
