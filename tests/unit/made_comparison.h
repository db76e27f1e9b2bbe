/* Makes runs from a list of rows, and compares them. Include cmocka's headers first. `begin` and `end` are cmocka's
 * setup and teardown of a case. Each test program includes this file once, so everything is static. */
#ifndef TP_TESTS_UNIT_MADE_COMPARISON_H
#define TP_TESTS_UNIT_MADE_COMPARISON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "webreport/compare/two/compare_build.h"
#include "webreport/document/commands/compare_document.h"
#include "webreport/print/print.h"

enum { STEPS = 20, ROWS = 48 };

/* A row that occurs in every step, with `calls` calls of about `call_us` microseconds each. */
struct plan {
    const char *name, *owner, *shape;
    double call_us;
    enum tp_summary_kind kind;
    int calls;
};

static struct tp_arena arena;
static struct tp_random noise;
static struct tp_summary runs[TP_SIDES];

static int begin(void **state)
{
    (void)state;
    tp_arena_init(&arena, 0);
    noise.state = 77;
    return 0;
}

static int end(void **state)
{
    (void)state;
    tp_arena_release(&arena);
    return 0;
}

/* Returns a random factor near 1 with a standard deviation of 1 %. A sum of twelve random numbers is nearly normal. */
static double jitter(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += tp_random_unit(&noise);
    return 1 + 0.01 * sum;
}

static void add_row(struct tp_summary *run, const struct plan *plan)
{
    struct tp_summary_row *row = &run->rows[run->row_count++];
    int64_t ns[STEPS * 64];
    size_t count = 0;
    *row = (struct tp_summary_row){.kind = plan->kind,
                                   .name = tp_str_of(plan->name),
                                   .owner = tp_str_of(plan->owner),
                                   .shape = tp_str_of(plan->shape),
                                   .dtype = TP_STR(""),
                                   .bytes = TP_NULL_INT};
    row->by_step_ns = tp_arena_array(&arena, STEPS, sizeof(int64_t));
    row->by_step_count = tp_arena_array(&arena, STEPS, sizeof(int64_t));
    for (int i = 0; i < STEPS; i++)
        for (int k = 0; k < plan->calls; k++) {
            ns[count] = (int64_t)(1000 * plan->call_us * jitter());
            row->by_step_ns[i] += ns[count++];
            row->by_step_count[i]++;
        }
    tp_sketch_build(&row->time, ns, count, &arena);
}

/* Sets the sums of device rows and of host rows in each step. */
static void add_sums(struct tp_summary *run)
{
    for (int i = 0; i < STEPS; i++) {
        int64_t *parts = run->steps[i].part_ns;
        parts[TP_PART_DEVICE_SUM] = parts[TP_PART_HOST_SUM] = 0;
        for (uint32_t r = 0; r < run->row_count; r++) {
            const struct tp_summary_row *row = &run->rows[r];
            if (row->kind == TP_SUMMARY_KERNEL || row->kind == TP_SUMMARY_COPY)
                parts[TP_PART_DEVICE_SUM] += row->by_step_ns[i];
            if (row->kind == TP_SUMMARY_OPERATOR_HOST)
                parts[TP_PART_HOST_SUM] += row->by_step_ns[i];
        }
    }
}

/* Returns a run whose steps take `step_us` microseconds and contain these rows. A row with 0 calls ends the list. */
static struct tp_summary make_run(double step_us, const struct plan *plans)
{
    struct tp_summary run = {.key = {.rank = TP_NULL_INT}, .step_count = STEPS};
    run.rows = tp_arena_array(&arena, ROWS, sizeof *run.rows);
    run.steps = tp_arena_array(&arena, STEPS, sizeof *run.steps);
    for (int i = 0; i < STEPS; i++) {
        run.steps[i].name = TP_STR("step");
        run.steps[i].total_ns = (int64_t)(1000 * step_us * jitter());
        for (int part = 0; part < TP_PART_COUNT; part++)
            run.steps[i].part_ns[part] = part == TP_PART_OTHER ? run.steps[i].total_ns : 0;
    }
    for (; plans->calls; plans++)
        add_row(&run, plans);
    add_sums(&run);
    return run;
}

static void compare_runs(struct tp_compare *compare)
{
    static const struct tp_calltree *const no_trees[TP_SIDES];
    static struct tp_side_input inputs[TP_SIDES];
    struct tp_compare_options options = {0};
    inputs[TP_BASE] = (struct tp_side_input){"base", &runs[TP_BASE], 1, false};
    inputs[TP_NEW] = (struct tp_side_input){"new", &runs[TP_NEW], 1, false};
    tp_compare_build(compare, inputs, no_trees, &options, &arena);
}

static void compare_plans(struct tp_compare *compare, const struct plan *base, const struct plan *new_plans)
{
    runs[TP_BASE] = make_run(10000, base);
    runs[TP_NEW] = make_run(10000, new_plans);
    compare_runs(compare);
}

/* Builds the document of the comparison and returns its verdict. */
static const struct tp_verdict_block *build_verdict_block(struct tp_document *document, const struct tp_compare *c)
{
    struct tp_naming naming = {.arena = &arena};
    tp_compare_document(document, &(struct tp_compare_shown){.compare = c, .naming = &naming, .max_rows = 100});
    for (size_t i = 0; i < document->blocks.count; i++)
        if (tp_document_block_at(document, i)->kind == TP_BLOCK_VERDICT)
            return &tp_document_block_at(document, i)->verdict;
    fail();
    return NULL;
}

/* Checks that the verdict begins with the text `wanted` in each output format. */
static void assert_headline(const struct tp_compare *c, const char *wanted)
{
    struct tp_document document;
    struct tp_print_options options = {0};
    const struct tp_verdict_block *verdict = build_verdict_block(&document, c);
    tp_print *const formats[] = {tp_print_html, tp_print_text, tp_print_markdown, tp_print_json};
    if (strncmp(verdict->headline, wanted, strlen(wanted)) != 0)
        fail_msg("%.120s", verdict->headline);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) { /* All formats must show the same text. */
        struct tp_buf out;
        char begin[16];
        tp_buf_init(&out, 0);
        assert_int_equal(formats[i](&out, &document, &options, NULL), 0);
        snprintf(begin, sizeof begin, "%s", verdict->headline);
        assert_non_null(strstr(out.data, begin));
        tp_buf_release(&out);
    }
}

#define KERNEL(name, calls, us)                                                                                        \
    {                                                                                                                  \
        name, "aten::mm", "[[8, 8]]", us, TP_SUMMARY_KERNEL, calls                                                     \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        "", "", "", 0, TP_SUMMARY_KERNEL, 0                                                                            \
    }

#endif
