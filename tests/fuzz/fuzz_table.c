/* Tables and stacks of any bytes: every grouping ends, self times fit their totals, equal input gives equal text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/measure/folded_stacks.h"
#include "webreport/measure/operator_calls.h"
#include "webreport/measure/python_calls.h"
#include "webreport/print/key_table.h"
#include "webreport/print/plain_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool good)
{
    if (!good)
        abort();
}

/* The table in every form, in one buffer. */
static void print(struct tp_buf *out, const struct tp_trace *trace, const struct tp_key_options *keys,
                  struct tp_arena *arena)
{
    struct tp_key_averages *averages = tp_arena_alloc(arena, sizeof *averages);
    struct tp_key_table_options style = TP_KEY_TABLE_OPTIONS;
    struct tp_json json;
    style.has_flops = true;
    tp_key_averages_build(averages, trace, keys, arena);
    const uint32_t *order = tp_key_averages_sort(averages, "self_cuda_time_total", arena);
    for (uint32_t i = 0; i < averages->count; i++)
        require(averages->rows[i].self_device.ns <= averages->rows[i].device.ns || keys->group != TP_KEY_NAME);
    tp_key_table_text(out, averages, order, &style);
    tp_key_table_csv(out, averages, order, &style, TP_STR("p"));
    tp_key_table_markdown(out, averages, order, &style);
    tp_json_init(&json, out);
    tp_json_object(&json);
    tp_key_table_json(&json, averages, order, &style);
    tp_json_object_end(&json);
}

/* Calls as pstats has them: own times of functions are within those of the calls. */
static void count(struct tp_buf *out, const struct tp_trace *trace, struct tp_arena *arena)
{
    struct tp_calls *calls = tp_arena_alloc(arena, sizeof *calls);
    tp_calls_build(calls, trace, arena);
    for (uint32_t i = 0; i < calls->count; i++) {
        const struct tp_call_sum *sum = &calls->rows[i].sum;
        require(sum->primitive_count > 0 && sum->primitive_count <= sum->call_count);
        require(sum->own_ns >= 0 && sum->total_ns >= 0);
    }
    tp_calls_text(out, calls, tp_calls_sort(calls, "stdname", arena), "stdname", -1);
    tp_calls_marshal(out, calls);
}

static void weigh(struct tp_buf *out, const struct tp_trace *trace, enum tp_aggregate how, struct tp_arena *arena)
{
    const struct tp_operator_options options = {
        .aggregate = how, .order_by = "+bandwidth", .max_time_ns = -1, .top = 50};
    struct tp_operator_calls *calls = tp_arena_alloc(arena, sizeof *calls);
    tp_operator_calls_build(calls, trace, &options, arena);
    require(calls->table.row_count <= 50 && calls->covered_ns <= calls->time_ns);
    tp_operator_calls_text(out, calls);
}

static void fold(struct tp_buf *out, const struct tp_trace *trace, const char *metric, struct tp_arena *arena)
{
    struct tp_folded *folded = tp_arena_alloc(arena, sizeof *folded);
    tp_folded_build(folded, trace, tp_folded_metric(metric), TP_TORCH_2_13, arena);
    while (tp_folded_more(folded, out) && out->size < 64u << 20)
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
                print(&out[i % 2], trace, &keys[i / 2], &arena);
            for (int i = 0; i < 2; i++) {
                count(&out[i], trace, &arena);
                weigh(&out[i], trace, TP_AGGREGATE_NONE, &arena);
                weigh(&out[i], trace, TP_AGGREGATE_MEAN, &arena);
            }
            fold(&out[0], trace, "self_cpu_time_total", &arena);
            fold(&out[1], trace, "self_cpu_time_total", &arena);
            require(out[0].size == out[1].size && out[0].data && out[1].data &&
                    memcmp(out[0].data, out[1].data, out[0].size) == 0);
            fold(&out[0], trace, "bytes", &arena);
        }
    }
    for (int i = 0; i < 2; i++)
        tp_buf_release(&out[i]);
    tp_arena_release(&arena);
    return 0;
}
