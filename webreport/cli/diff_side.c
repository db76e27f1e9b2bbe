/* One side of a comparison: see diff.h. */
#include <string.h>

#include "webreport/cli/diff.h"
#include "webreport/cli/inputs.h"
#include "webreport/views/calltree.h"

/* Another thread may be at work on the analysis: failures stay here until the side is loaded. */
void tp_diff_side_keep_tree(struct tp_diff_side *side, const struct tp_analysis *analysis)
{
    struct tp_calltree_options options = {.max_nodes = TP_DIFFTREE_NODES};
    struct tp_arena scratch;
    struct tp_calltree tree;
    jmp_buf outer;
    memcpy(&outer, &side->arena.guard, sizeof outer);
    tp_arena_init(&scratch, 0);
    if (setjmp(scratch.guard) == 0) {
        memcpy(&side->arena.guard, &scratch.guard, sizeof outer);
        struct tp_calltree *kept = tp_vec_push(&side->trees);
        tp_calltree_build(&tree, &analysis->model, &options, &scratch);
        tp_calltree_keep(kept, &tree, &side->arena);
    }
    memcpy(&side->arena.guard, &outer, sizeof outer);
    if (scratch.code || side->arena.code)
        side->tree_code = scratch.code ? scratch.code : side->arena.code;
    tp_arena_release(&scratch);
}

static void keep(void *context, const struct tp_analysis *analysis)
{
    tp_diff_side_keep_tree(context, analysis);
}

static int load(struct tp_diff_side *side, const char *path, const struct tp_diff_read *how)
{
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
    int code = tp_summaries_load(&side->summaries, &side->arena, &options, &side->err);
    if (code == TP_OK && side->tree_code)
        return tp_error_set(&side->err, side->tree_code, 0, "out of memory");
    return code;
}

int tp_diff_side_load(struct tp_diff_side *state, const char *path, const struct tp_diff_read *how)
{
    struct tp_diff_side *volatile side = state;
    memset(state, 0, sizeof *state);
    tp_arena_init(&state->arena, 0);
    state->trees = TP_VEC(&state->arena, struct tp_calltree);
    if (setjmp(state->arena.guard) == 0)
        side->code = load(side, path, how);
    else
        side->code = tp_error_set(&side->err, side->arena.code, 0,
                                  side->arena.code == TP_ELIMIT ? "a limit was reached" : "out of memory");
    return side->code;
}

void tp_diff_side_close(struct tp_diff_side *side)
{
    tp_arena_release(&side->arena);
}

struct tp_side_input tp_diff_side_input(const struct tp_diff_side *side)
{
    return (struct tp_side_input){side->name, side->summaries.items, (uint32_t)side->summaries.count};
}

const struct tp_calltree *tp_diff_side_trees(const struct tp_diff_side *side)
{
    return side->trees.count == side->summaries.count ? side->trees.data : NULL;
}
