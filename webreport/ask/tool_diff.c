/* The tool `diff`: what changed between two runs. */
#include "webreport/ask/inputs_cache.h"
#include "webreport/ask/tool.h"
#include "webreport/session/comparison.h"

/* The comparison whose answer is written. */
struct diff {
    struct tp_ask_call *call;
    struct tp_comparison comparison;
    const char *paths[TP_SIDES];
};

static void write_change(struct tp_ask_call *call, const struct tp_table *table, size_t row)
{
    static const unsigned columns[] = {TP_ROW_KIND,   TP_ROW_NAME, TP_ROW_VERDICT, TP_ROW_BASE_TIME, TP_ROW_NEW_TIME,
                                       TP_ROW_CHANGE, TP_ROW_LOW,  TP_ROW_HIGH,    TP_ROW_LINE};
    tp_json_object(&call->json);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct tp_column_def *def = &table->defs[columns[i]];
        tp_json_key(&call->json, def->name);
        if (def->type == TP_COLUMN_TEXT)
            tp_call_str(call, tp_table_text(table, columns[i])[row]);
        else
            tp_table_cell_json(table, columns[i], row, &call->json);
    }
    tp_json_object_end(&call->json);
}

static void write_total(struct tp_ask_call *call, const struct tp_table *table, size_t row)
{
    tp_json_object(&call->json);
    tp_table_row_json(table, row, &call->json);
    tp_json_object_end(&call->json);
}

static void write_diff(struct tp_ask_call *call, const struct tp_compare *compare, size_t most)
{
    struct tp_json *json = &call->json;
    const struct tp_table *changes = &compare->tables[TP_COMPARE_CHANGES], *parts = &compare->tables[TP_COMPARE_STEP];
    size_t shown = changes->row_count < most ? changes->row_count : most;
    tp_call_member_text(call, "verdict", tp_compare_verdict_word(compare));
    tp_json_member_text(json, "window", "used steps");
    tp_json_member_text(json, "definition", "times per step; low and high: interval of the change, 99 % confidence");
    tp_json_member_real(json, "base_step_us", compare->step_ns[TP_BASE] / 1e3);
    tp_json_member_real(json, "new_step_us", compare->step_ns[TP_NEW] / 1e3);
    tp_json_key(json, "step_parts");
    tp_json_array(json);
    for (size_t i = 0; i < parts->row_count && most > 0; i++)
        write_total(call, parts, i);
    tp_json_array_end(json);
    tp_json_key(json, "changes");
    tp_json_array(json);
    for (size_t i = 0; i < shown; i++)
        write_change(call, changes, i);
    tp_json_array_end(json);
    if (shown < changes->row_count)
        tp_json_member_int(json, "changes_left_out", (int64_t)(changes->row_count - shown));
    if (*compare->damage) {
        call->is_damaged = true;
        tp_json_member_bool(json, "clean", false);
        tp_call_member_text(call, "damage", compare->damage);
    }
}

static enum tp_ask_code compare_sides(struct diff *diff)
{
    struct tp_ask_call *call = diff->call;
    struct tp_error err = {0};
    const struct tp_diff_read read = {.read = {.max_input_bytes = call->ask->options.max_input_bytes},
                                      .console = call->ask->options.console};
    if (tp_comparison_open(&diff->comparison, diff->paths, &read, &err) < 0)
        return tp_call_fail(call,
                            err.code == TP_ELIMIT || err.code == TP_ENOMEM ? TP_ASK_TOO_LARGE : TP_ASK_NOT_A_TRACE, "",
                            "%.200s", err.text);
    tp_comparison_build(&diff->comparison, &(struct tp_compare_options){0}, call->arena);
    for (size_t most = 32;; most /= 2) {
        tp_call_begin(call);
        write_diff(call, &diff->comparison.compare, most);
        tp_json_object_end(&call->json);
        if (tp_call_fits(call, 0) || most == 0)
            return TP_ASK_ANSWERED;
    }
}

static int compare_in_guard(void *context, struct tp_error *err)
{
    struct diff *diff = context;
    (void)err;
    diff->call->problem.code = compare_sides(diff);
    return TP_OK;
}

enum tp_ask_code tp_tool_diff(struct tp_ask_call *call)
{
    struct diff *diff = tp_arena_alloc(call->arena, sizeof *diff);
    static const enum tp_ask_argument sides[TP_SIDES] = {[TP_BASE] = TP_ASK_BASELINE, [TP_NEW] = TP_ASK_TRACE};
    diff->call = call;
    for (int side = 0; side < TP_SIDES; side++) {
        struct tp_file_identity identity;
        const char *process;
        enum tp_ask_code code =
            tp_inputs_cache_find(&diff->paths[side], &process, &identity, call, call->text[sides[side]]);
        if (code != TP_ASK_ANSWERED)
            return code;
        if (process)
            return tp_call_fail(call, TP_ASK_BAD_ARGUMENT, "leave #NUMBER out", "diff compares whole files");
    }
    int result = tp_arena_run(call->arena, compare_in_guard, diff, NULL);
    tp_comparison_close(&diff->comparison);
    tp_arena_fail_with_stored_code(call->arena);
    return result < 0 ? TP_ASK_TOO_LARGE : call->problem.code;
}
