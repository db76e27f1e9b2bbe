/* write_trace N OUT: writes N events through writer/trace_json.h, compressed if OUT ends in .gz. Prints the seconds
 * from open to close and the MB of text. The events are those of a training loop: scopes of operators with ids, with
 * shapes for every fourth scope, and an allocation after every tenth. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "writer/trace_json.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const struct tp_str names[] = {
    TP_STR("aten::linear"),
    TP_STR("aten::addmm"),
    TP_STR("aten::relu"),
    TP_STR("aten::native_layer_norm"),
    TP_STR("autograd::engine::evaluate_function: AddmmBackward0"),
    TP_STR("aten::mul"),
    TP_STR("aten::copy_"),
};

static void write_operator(struct tp_trace_out *out, uint32_t i, int64_t ts_ns, uint32_t random)
{
    const int64_t rows[] = {64, 1024}, weights[] = {4096, 1024};
    const struct tp_trace_out_ints dims[] = {{rows, 2}, {weights, 2}, {weights, 1}};
    const struct tp_str types[] = {TP_STR("float"), TP_STR("float"), TP_STR("float")};
    struct tp_trace_out_arg args[5] = {tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, i + 1),
                                       tp_trace_out_int_arg(TP_OUT_RECORD_FUNCTION_ID, 0)};
    size_t count = 2;
    if (i % 4 == 0) {
        args[count++] = tp_trace_out_int_arg(TP_OUT_SEQUENCE_NUMBER, i / 4);
        args[count++] = tp_trace_out_shapes_arg(TP_OUT_INPUT_DIMS, dims, 3);
        args[count++] = tp_trace_out_texts_arg(TP_OUT_INPUT_TYPE, types, 3);
    }
    struct tp_trace_out_event event = {.category = TP_OUT_CPU_OP,
                                       .name = names[random % 7],
                                       .pid = 4242,
                                       .tid = 4242 + i / 100000,
                                       .ts_ns = ts_ns,
                                       .dur_ns = 100 + random % 9000,
                                       .args = args,
                                       .arg_count = count};
    tp_trace_out_complete(out, &event);
}

static void write_events(struct tp_trace_out *out, uint32_t count)
{
    int64_t ts_ns = 4367116685230624, allocated = 0;
    uint32_t random = 1;
    for (uint32_t i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        ts_ns += 10000 + (random >> 20);
        if (i % 10 == 9) {
            allocated += 4096;
            tp_trace_out_memory(out, &(struct tp_trace_out_memory){.pid = 4242,
                                                                   .tid = 4242 + i / 100000,
                                                                   .ts_ns = ts_ns,
                                                                   .address = 0x7f0000000000 + allocated,
                                                                   .bytes = 4096,
                                                                   .device_id = -1,
                                                                   .total_allocated_bytes = allocated});
        } else {
            write_operator(out, i, ts_ns, random >> 8);
        }
    }
}

int main(int argc, char **argv)
{
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    struct tp_trace_out *out;
    struct tp_error err;
    if (argc < 3)
        return 2;
    options.is_gzip = tp_str_ends(tp_str_of(argv[2]), ".gz");
    options.begin_ns = 4367116685230624;
    options.process_id = 4242;
    options.process_name = TP_STR("bench");
    double start = now_s();
    if (tp_trace_out_open(&out, argv[2], &options, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 4;
    }
    write_events(out, (uint32_t)strtoul(argv[1], NULL, 10));
    double filled = now_s();
    struct tp_trace_out_stats stats = tp_trace_out_stats(out);
    if (tp_trace_out_close(&out, TP_NULL_INT, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 4;
    }
    printf("%.3f %.1f %.3f\n", now_s() - start, (double)stats.text_bytes / 1e6, filled - start);
    return 0;
}
