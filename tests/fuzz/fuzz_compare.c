/* Compares two inputs made of arbitrary bytes, and checks them with a budget of arbitrary bytes.
 *
 * Input: a byte with the kinds of the inputs (a trace, or a process of a summary file) and whether there is a budget;
 * the sizes of the first input and of the budget, two bytes each; then the first input, the budget and the second
 * input. */
#include <string.h>

#include "tests/fuzz/scratch_files.h"
#include "webreport/compare/gate/gate_build.h"
#include "webreport/compare/two/compare_build.h"
#include "webreport/document/commands/check_document.h"
#include "webreport/document/commands/compare_document.h"
#include "webreport/measure/charts/calltree.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/measure/summary/summary_format.h"
#include "webreport/print/print.h"
#include "webreport/session/trace_analysis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bits of the first byte. */
enum { BASE_IS_TRACE = 1, NEW_IS_TRACE = 2, HAS_BUDGET = 4, IS_ONE_TRACE = 8, HAS_BASELINE = 16 };

enum { MOST = 192 << 20 };

struct side {
    struct tp_analysis analysis;
    struct tp_arena scratch;
    struct tp_summary summary;
    struct tp_calltree tree;
};

static void close_side(struct side *side)
{
    tp_analysis_close(&side->analysis);
    tp_arena_release(&side->scratch);
}

static bool read_trace(struct side *side, struct tp_str bytes)
{
    struct tp_analysis *a = &side->analysis;
    const struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 16u << 20};
    const struct tp_calltree_options tree = {.max_nodes = TP_DIFFTREE_NODES};
    if (tp_trace_read_bytes(&a->trace, &a->arena, bytes.ptr, bytes.len, &options, NULL) < 0)
        return false;
    tp_analysis_build(a, NULL, NULL);
    const struct tp_summary_source source = {.key = {TP_STR(""), TP_NULL_INT, 0, TP_STR("w"), 0},
                                             .file = TP_STR("w.json"),
                                             .trace = &a->trace,
                                             .order = &a->order,
                                             .model = &a->model,
                                             .views = &a->views,
                                             .advice = &a->advice};
    tp_summary_build(&side->summary, &source, &a->arena);
    tp_calltree_build(&side->tree, &a->model, &tree, &a->arena);
    return true;
}

static bool read_summary(struct side *side, struct tp_str bytes)
{
    side->summary = (struct tp_summary){.key = {TP_STR(""), 0, 0, TP_STR("w"), 0}, .file = TP_STR("w.tps")};
    return tp_summary_process_read(&side->summary, bytes, &side->analysis.arena, &side->scratch, NULL) == TP_OK;
}

struct reading {
    struct side *side;
    struct tp_str bytes;
    bool is_trace;
};

static int read_side(void *context, struct tp_error *err)
{
    const struct reading *r = context;
    (void)err;
    return (r->is_trace ? read_trace(r->side, r->bytes) : read_summary(r->side, r->bytes)) ? TP_OK : TP_EFORMAT;
}

static bool open_side(struct side *side, struct tp_str bytes, bool is_trace)
{
    struct reading reading = {side, bytes, is_trace};
    memset(side, 0, sizeof *side);
    tp_analysis_open(&side->analysis, NULL);
    tp_arena_init(&side->scratch, MOST);
    return tp_arena_run_both(&side->analysis.arena, &side->scratch, read_side, &reading, NULL) == TP_OK;
}

static void print_in_all_formats(const struct tp_document *document)
{
    static tp_print *const printers[] = {tp_print_text,  tp_print_markdown, tp_print_json,
                                         tp_print_junit, tp_print_sarif,    tp_print_badge};
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++) {
        struct tp_buf out;
        tp_buf_init(&out, 0);
        abort_unless(printers[i](&out, document, &(struct tp_print_options){0}, NULL) == 0);
        if ((printers[i] == tp_print_json || printers[i] == tp_print_sarif) && !out.failed)
            abort_unless(is_strict_json(out.data, out.size));
        tp_buf_release(&out);
    }
}

static void compare(struct side sides[TP_SIDES], uint64_t what, struct tp_arena *arena)
{
    bool has_trees = (what & BASE_IS_TRACE) && (what & NEW_IS_TRACE), is_one = what & IS_ONE_TRACE;
    const struct tp_side_input inputs[TP_SIDES] = {{"base", &sides[TP_BASE].summary, 1, is_one},
                                                   {"new", &sides[TP_NEW].summary, 1, is_one}};
    const struct tp_calltree *const trees[TP_SIDES] = {has_trees ? &sides[TP_BASE].tree : NULL,
                                                       has_trees ? &sides[TP_NEW].tree : NULL};
    const struct tp_naming naming = {.arena = arena};
    struct tp_compare compare;
    struct tp_document document;
    tp_compare_build(&compare, inputs, trees, &(struct tp_compare_options){.threshold = 0.03}, arena);
    tp_compare_document(&document, &(struct tp_compare_shown){.compare = &compare, .naming = &naming, .max_rows = 300});
    print_in_all_formats(&document);
}

static void check(struct side sides[TP_SIDES], struct tp_str text, uint64_t what, struct tp_arena *arena)
{
    struct tp_budget budget;
    struct tp_check check;
    struct tp_document document;
    bool is_one = what & IS_ONE_TRACE, has_base = what & HAS_BASELINE;
    if (!(what & HAS_BUDGET) || tp_budget_parse(&budget, "budget", text.ptr, text.len, arena, NULL) < 0)
        tp_budget_default(&budget, arena);
    const struct tp_check_input input = {
        .budget = &budget,
        .run = {"run", &sides[TP_NEW].summary, 1, is_one},
        .base = {has_base ? "base" : NULL, has_base ? &sides[TP_BASE].summary : NULL, has_base, is_one}};
    tp_check_build(&check, &input, arena);
    abort_unless(check.verdict < TP_CHECK_STATUS_COUNT && !(check.is_damaged && check.verdict == TP_CHECK_FAIL));
    tp_check_document(&document, &check, arena);
    print_in_all_formats(&document);
}

struct job {
    struct side sides[TP_SIDES];
    struct tp_str budget;
    struct tp_arena arena;
    uint64_t what;
};

static int compare_and_check_sides(void *context, struct tp_error *err)
{
    struct job *job = context;
    (void)err;
    compare(job->sides, job->what, &job->arena);
    check(job->sides, job->budget, job->what, &job->arena);
    return TP_OK;
}

static struct tp_str read_text(struct taken *from, size_t wanted)
{
    struct tp_str text = {(const char *)from->at, take_size_from_input(from, wanted)};
    from->at += text.len;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct taken from = {data, data + size};
    struct job job = {.what = take_number_from_input(&from, 1)};
    size_t base_size = take_number_from_input(&from, 2), budget_size = take_number_from_input(&from, 2);
    struct tp_str base = read_text(&from, base_size);
    job.budget = read_text(&from, budget_size);
    tp_arena_init(&job.arena, MOST);
    bool has_base = open_side(&job.sides[TP_BASE], base, job.what & BASE_IS_TRACE);
    bool has_new = open_side(&job.sides[TP_NEW], read_text(&from, size), job.what & NEW_IS_TRACE);
    if (has_base && has_new)
        tp_arena_run(&job.arena, compare_and_check_sides, &job, NULL);
    close_side(&job.sides[TP_BASE]);
    close_side(&job.sides[TP_NEW]);
    tp_arena_release(&job.arena);
    return 0;
}
