/* `report --baseline`: see report_baseline.h. */
#include "webreport/cli/report_baseline.h"

#include <string.h>

#include "webreport/measure/summary_build.h"

int tp_baseline_open(struct tp_baseline *baseline, const char *path, const char *name, const struct tp_diff_read *how,
                     struct tp_error *err)
{
    struct tp_diff_side *base = &baseline->sides[TP_BASE], *own = &baseline->sides[TP_NEW];
    memset(baseline, 0, sizeof *baseline);
    tp_arena_init(&own->arena, 0);
    own->trees = TP_VEC(&own->arena, struct tp_calltree);
    own->runs = TP_VEC(&own->arena, struct tp_summary);
    own->name = name;
    if (tp_diff_side_load(base, path, how) < 0)
        return tp_error_set(err, base->code, 0, "--baseline: %s", base->err.text);
    return TP_OK;
}

void tp_baseline_close(struct tp_baseline *baseline)
{
    for (int s = 0; s < TP_SIDES; s++)
        tp_diff_side_close(&baseline->sides[s]);
}

struct addition {
    struct tp_diff_side *own;
    const struct tp_run_file *file;
    const struct tp_analysis *analysis;
};

static int add(void *context, struct tp_error *err)
{
    const struct addition *addition = context;
    struct tp_diff_side *own = addition->own;
    struct tp_summary_source source = tp_summaries_source(addition->file, addition->analysis);
    tp_diff_side_keep_tree(own, addition->analysis);
    if (own->tree_code)
        return tp_error_set(err, own->tree_code, 0, "out of memory");
    tp_summary_build(tp_vec_push(&own->runs), &source, &own->arena);
    own->summaries.items = own->runs.data;
    own->summaries.count = own->runs.count;
    return TP_OK;
}

int tp_baseline_add(struct tp_baseline *baseline, const struct tp_run_file *file, const struct tp_analysis *analysis,
                    struct tp_error *err)
{
    struct tp_diff_side *own = &baseline->sides[TP_NEW];
    return tp_arena_run(&own->arena, add, &(struct addition){own, file, analysis}, err);
}

int tp_baseline_compare(struct tp_baseline *baseline, struct tp_outputs *outputs, struct tp_arena *arena,
                        struct tp_error *err)
{
    struct tp_side_input *inputs = tp_arena_array(arena, TP_SIDES, sizeof *inputs);
    const struct tp_calltree *trees[TP_SIDES];
    struct tp_compare_options options = {0};
    for (int s = 0; s < TP_SIDES; s++) {
        inputs[s] = tp_diff_side_input(&baseline->sides[s]);
        trees[s] = tp_diff_side_trees(&baseline->sides[s]);
    }
    tp_compare_build(&baseline->compare, inputs, trees, &options, arena);
    return tp_outputs_comparison(outputs, &baseline->compare, err);
}
