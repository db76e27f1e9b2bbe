/* Builds tables and stacks from arbitrary bytes, as a trace. Every grouping must end, self times must not exceed total
 * times, and equal input must give equal text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/document/tables/table_document.h"
#include "webreport/export/stacks/pstats.h"
#include "webreport/measure/charts/folded_stacks.h"
#include "webreport/print/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

/* Prints a table in every form to one buffer. */
static void print_table_in_every_form(struct tp_buf *out, const struct tp_profile_table *table, struct tp_arena *arena)
{
    struct tp_table_style style = TP_TABLE_STYLE;
    struct tp_print_options options = {0};
    struct tp_document document;
    style.has_flops = true;
    tp_table_document(&document, table, &style, TP_IN_TEXT | TP_IN_MARKDOWN | TP_IN_CSV | TP_IN_RECORD, arena);
    tp_print_text(out, &document, &options, NULL);
    tp_print_csv(out, &document, &options, NULL);
    tp_print_markdown(out, &document, &options, NULL);
    tp_print_json(out, &document, &options, NULL);
}

static struct tp_profile_table *build_table(const struct tp_trace *trace, const struct tp_table_options *options,
                                            struct tp_arena *arena)
{
    struct tp_profile_table *table = tp_arena_alloc(arena, sizeof *table);
    abort_unless(tp_profile_table_build(table, trace, options, arena));
    return table;
}

static void group_by_key(struct tp_buf *out, const struct tp_trace *trace, const struct tp_key_options *keys,
                         struct tp_arena *arena)
{
    const struct tp_table_options options = {.keys = *keys, .sort_by = "self_cuda_time_total", .row_limit = 100};
    struct tp_profile_table *table = build_table(trace, &options, arena);
    for (uint32_t i = 0; i < table->averages->count; i++) {
        const struct tp_key_row *row = &table->averages->rows[i];
        abort_unless(row->self_device.ns <= row->device.ns || keys->group != TP_KEY_NAME);
    }
    print_table_in_every_form(out, table, arena);
}

/* Counts calls as pstats does, and checks that the self time of a function does not exceed the time of its calls. */
static void check_python_call_times(struct tp_buf *out, const struct tp_trace *trace, struct tp_arena *arena)
{
    const struct tp_table_options options = {.kind = TP_TABLE_FUNCTIONS, .sort_by = "stdname", .row_limit = -1};
    struct tp_profile_table *table = build_table(trace, &options, arena);
    for (uint32_t i = 0; i < table->calls->count; i++) {
        const struct tp_call_sum *sum = &table->calls->rows[i].sum;
        abort_unless(sum->primitive_count > 0 && sum->primitive_count <= sum->call_count);
        abort_unless(sum->own_ns >= 0 && sum->total_ns >= 0);
    }
    print_table_in_every_form(out, table, arena);
    tp_calls_write_pstats(out, table->calls);
}

static void aggregate_samples(struct tp_buf *out, const struct tp_trace *trace, enum tp_aggregate how,
                              struct tp_arena *arena)
{
    const struct tp_table_options options = {
        .kind = TP_TABLE_OPERATORS,
        .operators = {.aggregate = how, .order_by = "+bandwidth", .max_time_ns = -1, .top = 50}};
    struct tp_profile_table *table = build_table(trace, &options, arena);
    const struct tp_operator_calls *calls = table->operators;
    abort_unless(calls->table.row_count <= 50 && calls->known_computation_ns <= calls->time_ns);
    print_table_in_every_form(out, table, arena);
}

static void fold_stacks(struct tp_buf *out, const struct tp_trace *trace, const char *metric, struct tp_arena *arena)
{
    struct tp_folded *folded = tp_arena_alloc(arena, sizeof *folded);
    tp_folded_build(folded, trace, tp_folded_metric(metric), TP_TORCH_2_13, arena);
    while (tp_folded_next_lines(folded, out) && out->size < 64u << 20)
        ;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tp_key_options keys[] = {{.by_shape = true, .stack_depth = 3, .includes_frames = true},
                                                 {.group = TP_KEY_LINE, .rules = TP_TORCH_2_6},
                                                 {.group = TP_KEY_MODULE},
                                                 {.group = TP_KEY_TYPE},
                                                 {.group = TP_KEY_KERNEL}};
    struct tp_trace_options options = {.single_thread = true, .max_input_bytes = 16u << 20, .keeps_frame_stacks = true};
    struct tp_arena arena;
    struct tp_buf out[2];
    tp_arena_init(&arena, 0);
    for (int i = 0; i < 2; i++)
        tp_buf_init(&out[i], 0);
    if (setjmp(arena.guard) == 0) {
        struct tp_trace *trace = tp_arena_alloc(&arena, sizeof *trace);
        if (tp_trace_read_bytes(trace, &arena, data, size, &options, NULL) == TP_OK) {
            for (size_t i = 0; i < 2 * sizeof keys / sizeof *keys; i++)
                group_by_key(&out[i % 2], trace, &keys[i / 2], &arena);
            for (int i = 0; i < 2; i++) {
                check_python_call_times(&out[i], trace, &arena);
                aggregate_samples(&out[i], trace, TP_AGGREGATE_NONE, &arena);
                aggregate_samples(&out[i], trace, TP_AGGREGATE_MEAN, &arena);
            }
            fold_stacks(&out[0], trace, "self_cpu_time_total", &arena);
            fold_stacks(&out[1], trace, "self_cpu_time_total", &arena);
            abort_unless(out[0].size == out[1].size && out[0].data && out[1].data &&
                         memcmp(out[0].data, out[1].data, out[0].size) == 0);
            fold_stacks(&out[0], trace, "bytes", &arena);
        }
    }
    for (int i = 0; i < 2; i++)
        tp_buf_release(&out[i]);
    tp_arena_release(&arena);
    return 0;
}
