/* Reads and compares the base and the new runs: see comparison.h. */
#include "webreport/session/comparison.h"

#include <string.h>

#include "webreport/compare/two/compare_build.h"
#include "webreport/document/words/reason_words.h"
#include "webreport/measure/charts/calltree.h"
#include "webreport/measure/summary/summary_build.h"
#include "webreport/session/inputs.h"

/* Arguments of the function copy_tree_guarded. */
struct keeping {
    struct tp_diff_side *side;
    const struct tp_analysis *analysis;
    struct tp_arena *scratch;
};

static int copy_tree_guarded(void *context, struct tp_error *err)
{
    const struct keeping *k = context;
    struct tp_calltree_options options = {.max_nodes = TP_DIFFTREE_NODES};
    struct tp_calltree *kept = tp_vec_push(&k->side->trees), tree;
    (void)err;
    tp_calltree_build(&tree, &k->analysis->model, &options, k->scratch);
    tp_calltree_copy(kept, &tree, &k->side->arena);
    return TP_OK;
}

/* Stores the call tree of a run in `side`. Another thread may still use the analysis, so a failure does not return
 * here; it is stored in side->tree_status and reported after loading. */
static void store_run_tree(struct tp_diff_side *side, const struct tp_analysis *analysis)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, 0);
    int code =
        tp_arena_run_both(&scratch, &side->arena, copy_tree_guarded, &(struct keeping){side, analysis, &scratch}, NULL);
    side->tree_status = code ? code : side->tree_status;
    tp_arena_release(&scratch);
}

struct loading {
    struct tp_diff_side *side;
    int number; /* TP_BASE or TP_NEW */
    bool is_advised;
    const char *path;
    const struct tp_diff_read *how;
};

static void store_analysis_tree(void *context, const struct tp_analysis *analysis)
{
    store_run_tree(((struct loading *)context)->side, analysis);
}

static void pass_first_advice(void *context, const struct tp_run_file *file, const struct tp_analysis *analysis)
{
    struct loading *loading = context;
    if (!loading->is_advised)
        loading->how->advised(loading->how->context, loading->number, file, analysis, &loading->side->arena);
    loading->is_advised = true;
}

static int load_side_guarded(void *context, struct tp_error *err)
{
    struct loading *loading = context;
    struct tp_diff_side *side = loading->side;
    const struct tp_diff_read *how = loading->how;
    const char *const path = loading->path;
    struct tp_summaries_options options = TP_SUMMARIES_OPTIONS;
    options.paths = &path;
    options.path_count = 1;
    options.read = how->read;
    options.read.skips_hash = true; /* comparisons do not show the hashes of inputs */
    options.rules = how->rules;
    options.console = how->console;
    options.analysed = how->has_trees ? store_analysis_tree : NULL;
    options.advised = how->advised ? pass_first_advice : NULL;
    options.context = loading;
    side->name = tp_inputs_last_path_part(&side->arena, path);
    int code = tp_summaries_load(&side->summaries, &side->arena, &options, err);
    if (code == TP_OK && side->tree_status)
        return tp_error_set(err, side->tree_status, 0, "out of memory");
    return code;
}

static int load_summaries_of_side(struct tp_comparison *comparison, int number, const char *path,
                                  const struct tp_diff_read *how)
{
    struct tp_diff_side *side = &comparison->sides[number];
    struct loading loading = {.side = side, .number = number, .path = path, .how = how};
    memset(side, 0, sizeof *side);
    tp_arena_init(&side->arena, 0);
    side->trees = TP_VEC(&side->arena, struct tp_calltree);
    side->code = tp_arena_run(&side->arena, load_side_guarded, &loading, &side->err);
    return side->code;
}

int tp_comparison_open(struct tp_comparison *comparison, const char *const paths[TP_SIDES],
                       const struct tp_diff_read *how, struct tp_error *err)
{
    memset(comparison, 0, sizeof *comparison);
    for (int i = 0; i < TP_SIDES; i++) {
        struct tp_diff_side *side = &comparison->sides[i];
        if (load_summaries_of_side(comparison, i, paths[i], how) < 0)
            return tp_error_set(err, side->code, 0, "%s: %s", i == TP_BASE ? "base" : "new", side->err.text);
    }
    return TP_OK;
}

int tp_comparison_open_base(struct tp_comparison *comparison, const char *path, const char *name,
                            const struct tp_diff_read *how, struct tp_error *err)
{
    struct tp_diff_side *base = &comparison->sides[TP_BASE], *own = &comparison->sides[TP_NEW];
    memset(comparison, 0, sizeof *comparison);
    tp_arena_init(&own->arena, 0);
    own->trees = TP_VEC(&own->arena, struct tp_calltree);
    own->runs = TP_VEC(&own->arena, struct tp_summary);
    own->name = name;
    if (load_summaries_of_side(comparison, TP_BASE, path, how) < 0)
        return tp_error_set(err, base->code, 0, "--baseline: %s", base->err.text);
    return TP_OK;
}

void tp_comparison_close(struct tp_comparison *comparison)
{
    for (int s = 0; s < TP_SIDES; s++)
        tp_arena_release(&comparison->sides[s].arena);
}

struct addition {
    struct tp_diff_side *own;
    const struct tp_run_file *file;
    const struct tp_analysis *analysis;
};

static int add_run_guarded(void *context, struct tp_error *err)
{
    const struct addition *addition = context;
    struct tp_diff_side *own = addition->own;
    struct tp_summary_source source = tp_summaries_make_source(addition->file, addition->analysis);
    store_run_tree(own, addition->analysis);
    if (own->tree_status)
        return tp_error_set(err, own->tree_status, 0, "out of memory");
    struct tp_summary *summary = tp_vec_push(&own->runs);
    tp_summary_build(summary, &source, &own->arena);
    tp_fill_metric_texts(summary->metrics);
    own->summaries.items = own->runs.data;
    own->summaries.count = own->runs.count;
    return TP_OK;
}

int tp_comparison_add(struct tp_comparison *comparison, const struct tp_run_file *file,
                      const struct tp_analysis *analysis, struct tp_error *err)
{
    struct tp_diff_side *own = &comparison->sides[TP_NEW];
    return tp_arena_run(&own->arena, add_run_guarded, &(struct addition){own, file, analysis}, err);
}

static struct tp_side_input make_side_input(const struct tp_diff_side *side)
{
    return (struct tp_side_input){side->name, side->summaries.items, (uint32_t)side->summaries.count,
                                  side->summaries.is_one_trace};
}

/* Returns an array with the call tree of each summary; NULL if at least one summary has no call tree. */
static const struct tp_calltree *merge_trees(const struct tp_diff_side *side)
{
    return side->trees.count == side->summaries.count ? side->trees.data : NULL;
}

void tp_comparison_build(struct tp_comparison *comparison, const struct tp_compare_options *options,
                         struct tp_arena *arena)
{
    struct tp_side_input *inputs = tp_arena_array(arena, TP_SIDES, sizeof *inputs);
    const struct tp_calltree *trees[TP_SIDES];
    for (int s = 0; s < TP_SIDES; s++) {
        inputs[s] = make_side_input(&comparison->sides[s]);
        trees[s] = merge_trees(&comparison->sides[s]);
    }
    tp_compare_build(&comparison->compare, inputs, trees, options, arena);
}
