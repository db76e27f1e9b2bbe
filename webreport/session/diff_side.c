/* One side of a comparison: see diff_side.h. */
#include "webreport/session/diff_side.h"

#include <string.h>

#include "webreport/measure/calltree.h"
#include "webreport/session/inputs.h"

/* A tree on its way to a side. */
struct keeping {
    struct tp_diff_side *side;
    const struct tp_analysis *analysis;
    struct tp_arena *scratch;
};

static int keep_tree(void *context, struct tp_error *err)
{
    const struct keeping *k = context;
    struct tp_calltree_options options = {.max_nodes = TP_DIFFTREE_NODES};
    struct tp_calltree *kept = tp_vec_push(&k->side->trees), tree;
    (void)err;
    tp_calltree_build(&tree, &k->analysis->model, &options, k->scratch);
    tp_calltree_keep(kept, &tree, &k->side->arena);
    return TP_OK;
}

/* Another thread may be at work on the analysis: failures stay here until the side is loaded. */
void tp_diff_side_keep_tree(struct tp_diff_side *side, const struct tp_analysis *analysis)
{
    struct tp_arena scratch;
    tp_arena_init(&scratch, 0);
    int code = tp_arena_run_both(&scratch, &side->arena, keep_tree, &(struct keeping){side, analysis, &scratch}, NULL);
    side->tree_code = code ? code : side->tree_code;
    tp_arena_release(&scratch);
}

static void keep(void *context, const struct tp_analysis *analysis)
{
    tp_diff_side_keep_tree(context, analysis);
}

struct loading {
    struct tp_diff_side *side;
    const char *path;
    const struct tp_diff_read *how;
};

static int load(void *context, struct tp_error *err)
{
    const struct loading *loading = context;
    struct tp_diff_side *side = loading->side;
    const struct tp_diff_read *how = loading->how;
    const char *const path = loading->path;
    struct tp_summaries_options options = TP_SUMMARIES_OPTIONS;
    options.paths = &path;
    options.path_count = 1;
    options.read = how->read;
    options.read.skips_hash = true; /* a comparison does not show it */
    options.rules = how->rules;
    options.console = how->console;
    options.analysed = how->has_trees ? keep : NULL;
    options.context = side;
    side->name = tp_inputs_shown_name(&side->arena, path);
    int code = tp_summaries_load(&side->summaries, &side->arena, &options, err);
    if (code == TP_OK && side->tree_code)
        return tp_error_set(err, side->tree_code, 0, "out of memory");
    return code;
}

int tp_diff_side_load(struct tp_diff_side *side, const char *path, const struct tp_diff_read *how)
{
    memset(side, 0, sizeof *side);
    tp_arena_init(&side->arena, 0);
    side->trees = TP_VEC(&side->arena, struct tp_calltree);
    side->code = tp_arena_run(&side->arena, load, &(struct loading){side, path, how}, &side->err);
    return side->code;
}

void tp_diff_side_close(struct tp_diff_side *side)
{
    tp_arena_release(&side->arena);
}

struct tp_side_input tp_diff_side_input(const struct tp_diff_side *side)
{
    return (struct tp_side_input){side->name, side->summaries.items, (uint32_t)side->summaries.count,
                                  side->summaries.is_one_trace};
}

const struct tp_calltree *tp_diff_side_trees(const struct tp_diff_side *side)
{
    return side->trees.count == side->summaries.count ? side->trees.data : NULL;
}
