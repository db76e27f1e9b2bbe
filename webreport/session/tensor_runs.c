/* Finds and compares the tensors of two runs: see tensor_runs.h. */
#include "webreport/session/tensor_runs.h"

#include "webreport/session/inputs.h"

static void print_problem(void *context, const char *path, const struct tp_error *why)
{
    tp_console_input_error(context, path, why->text);
}

static void show_progress(void *context, size_t done, size_t all, struct tp_str name)
{
    tp_console_progress(context, "comparing %zu of %zu: %.*s", done, all, (int)(name.len < 200 ? name.len : 200),
                        name.ptr);
}

int tp_tensor_runs_compare(struct tp_precision *precision, const struct tp_tensor_runs *runs, struct tp_arena *arena,
                           struct tp_error *err)
{
    struct tp_inventory found[2];
    struct tp_inventory_options find = {.max_input_bytes = runs->max_input_bytes,
                                        .is_bfloat16 = runs->is_bfloat16,
                                        .is_strict = runs->is_strict,
                                        .include = runs->include,
                                        .context = runs->console,
                                        .say = print_problem};
    struct tp_precision_options how = runs->how;
    how.context = runs->console;
    how.progress = show_progress;
    for (int i = 0; i < 2; i++) {
        tp_console_progress(runs->console, "reading %s", runs->paths[i]);
        int code = tp_inventory_find(&found[i], arena, runs->paths[i], &find, err);
        if (code < 0)
            return code;
    }
    precision->base_name = tp_inputs_last_path_part(arena, runs->paths[0]);
    precision->new_name = tp_inputs_last_path_part(arena, runs->paths[1]);
    tp_precision_build(precision, &found[0], &found[1], &how, arena);
    if (precision->compared_count == 0 && precision->verdicts[TP_VERDICT_SHAPE] == 0)
        tp_console_notice(runs->console, "precision: the two runs have no tensor in common");
    return TP_OK;
}
