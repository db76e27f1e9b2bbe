/* write_sample OUT: writes a small training run on CPU and GPU through writer/trace_json.h, with every kind of record
 * and with hostile names. Other readers must accept it: tracepress report --strict, torch_tb_profiler, HTA. The file
 * always has the same bytes. */
#include <stdio.h>

#include "writer/trace_json.h"

enum { PID = 4100, MAIN = 4100, BACKWARD = 4107, STREAM = 7, STEPS = 4 };

static int64_t next_id = 1, correlation = 1, allocated;

static const struct tp_str hostile = TP_STR("say \"hi\" \\ \n \x01 \xFF \xC3\xA9 </script>");

static void slice(struct tp_trace_out *out, enum tp_trace_out_category category, const char *name,
                  const int64_t place[4])
{
    const int64_t row[] = {64, 128}, column[] = {128, 10};
    const struct tp_trace_out_ints dims[] = {{row, 2}, {column, 2}};
    const struct tp_str types[] = {TP_STR("float"), TP_STR("float")};
    const struct tp_trace_out_arg args[] = {
        tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, next_id++),
        tp_trace_out_int_arg(TP_OUT_RECORD_FUNCTION_ID, 0),
        tp_trace_out_text_arg(TP_OUT_CALL_STACK, TP_STR("model.c(12): forward;train.c(40): main;")),
        tp_trace_out_texts_arg(TP_OUT_INPUT_TYPE, types, 2),
        tp_trace_out_shapes_arg(TP_OUT_INPUT_DIMS, dims, 2),
    };
    tp_trace_out_complete(out, &(struct tp_trace_out_event){.category = category,
                                                            .name = tp_str_of(name),
                                                            .pid = place[0],
                                                            .tid = place[1],
                                                            .ts_ns = place[2],
                                                            .dur_ns = place[3],
                                                            .args = args,
                                                            .arg_count = category == TP_OUT_CPU_OP ? 5 : 3});
}

/* Writes a runtime call with its arrow, and the device event that it launched. */
static void launch(struct tp_trace_out *out, int64_t tid, int64_t ts_ns, const struct tp_trace_out_event *device)
{
    const int64_t grid[] = {4, 1, 1}, block[] = {256, 1, 1};
    const struct tp_trace_out_arg call[] = {
        tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, next_id - 1),
        tp_trace_out_int_arg(TP_OUT_CBID, 211),
        tp_trace_out_int_arg(TP_OUT_CORRELATION, correlation),
    };
    const struct tp_trace_out_arg args[] = {
        tp_trace_out_int_arg(TP_OUT_EXTERNAL_ID, next_id - 1),
        tp_trace_out_int_arg(TP_OUT_DEVICE, 0),
        tp_trace_out_int_arg(TP_OUT_CONTEXT, 1),
        tp_trace_out_int_arg(TP_OUT_STREAM, STREAM),
        tp_trace_out_int_arg(TP_OUT_CORRELATION, correlation),
        tp_trace_out_int_arg(TP_OUT_BYTES, 4096),
        tp_trace_out_real_arg(TP_OUT_BANDWIDTH, 1.25),
        tp_trace_out_int_arg(TP_OUT_REGISTERS, 32),
        tp_trace_out_int_arg(TP_OUT_SHARED_MEMORY, 0),
        tp_trace_out_real_arg(TP_OUT_BLOCKS_PER_SM, 4.0 / 132),
        tp_trace_out_real_arg(TP_OUT_WARPS_PER_SM, 32.0 / 132),
        tp_trace_out_list_arg(TP_OUT_GRID, grid, 3),
        tp_trace_out_list_arg(TP_OUT_BLOCK, block, 3),
        tp_trace_out_int_arg(TP_OUT_OCCUPANCY, 2),
    };
    bool is_copy = device->category == TP_OUT_GPU_MEMCPY;
    struct tp_trace_out_event on_device = *device;
    on_device.args = args;
    on_device.arg_count = is_copy ? 7 : sizeof args / sizeof *args;
    tp_trace_out_complete(
        out, &(struct tp_trace_out_event){.category = TP_OUT_CUDA_RUNTIME,
                                          .name = is_copy ? TP_STR("cudaMemcpyAsync") : TP_STR("cudaLaunchKernel"),
                                          .pid = PID,
                                          .tid = tid,
                                          .ts_ns = ts_ns,
                                          .dur_ns = 5000,
                                          .args = call,
                                          .arg_count = 3});
    tp_trace_out_flow(out, &(struct tp_trace_out_flow){TP_OUT_FLOW_LAUNCH, true, correlation, PID, tid, ts_ns});
    tp_trace_out_complete(out, &on_device);
    tp_trace_out_flow(out,
                      &(struct tp_trace_out_flow){TP_OUT_FLOW_LAUNCH, false, correlation++, 0, STREAM, device->ts_ns});
}

static void kernel(struct tp_trace_out *out, int64_t tid, int64_t ts_ns, const char *name)
{
    launch(out, tid, ts_ns,
           &(struct tp_trace_out_event){.category = TP_OUT_KERNEL,
                                        .name = tp_str_of(name),
                                        .tid = STREAM,
                                        .ts_ns = ts_ns + 20000,
                                        .dur_ns = 40000});
}

static void copy(struct tp_trace_out *out, int64_t ts_ns)
{
    launch(out, MAIN, ts_ns,
           &(struct tp_trace_out_event){.category = TP_OUT_GPU_MEMCPY,
                                        .name = TP_STR("Memcpy HtoD (Pageable -> Device)"),
                                        .tid = STREAM,
                                        .ts_ns = ts_ns + 10000,
                                        .dur_ns = 8000});
}

static void allocate(struct tp_trace_out *out, int64_t ts_ns, int64_t bytes)
{
    allocated += bytes;
    tp_trace_out_memory(out, &(struct tp_trace_out_memory){.pid = PID,
                                                           .tid = MAIN,
                                                           .ts_ns = ts_ns,
                                                           .address = 0x7f0000000000,
                                                           .bytes = bytes,
                                                           .device_type = TP_OUT_DEVICE_CUDA,
                                                           .total_allocated_bytes = allocated,
                                                           .total_reserved_bytes = 2 << 20});
}

static void step(struct tp_trace_out *out, int64_t number, int64_t t)
{
    const struct tp_trace_out_value loss[] = {{TP_STR("loss"), 1.0 / (double)(number + 1)}};
    tp_trace_out_step(out, number, PID, MAIN, t, 900000);
    slice(out, TP_OUT_USER_ANNOTATION, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
          (int64_t[]){PID, MAIN, t + 1000, 99000});
    slice(out, TP_OUT_CPU_OP, "aten::to", (int64_t[]){PID, MAIN, t + 110000, 30000});
    copy(out, t + 120000);
    slice(out, TP_OUT_CPU_OP, "aten::addmm", (int64_t[]){PID, MAIN, t + 150000, 100000});
    tp_trace_out_flow(out, &(struct tp_trace_out_flow){TP_OUT_FLOW_BACKWARD, true, number + 1, PID, MAIN, t + 150000});
    allocate(out, t + 160000, 1 << 20);
    kernel(out, MAIN, t + 170000, "void gemm<float, 128>(float*)");
    slice(out, TP_OUT_CPU_OP, "autograd::engine::evaluate_function: AddmmBackward0",
          (int64_t[]){PID, BACKWARD, t + 300000, 200000});
    slice(out, TP_OUT_CPU_OP, "AddmmBackward0", (int64_t[]){PID, BACKWARD, t + 310000, 150000});
    tp_trace_out_flow(out,
                      &(struct tp_trace_out_flow){TP_OUT_FLOW_BACKWARD, false, number + 1, PID, BACKWARD, t + 310000});
    kernel(out, BACKWARD, t + 330000, "void gemm_backward<float, 128>(float*)");
    slice(out, TP_OUT_USER_ANNOTATION, "Optimizer.step#SGD.step", (int64_t[]){PID, MAIN, t + 600000, 200000});
    kernel(out, MAIN, t + 620000, "multi_tensor_apply");
    allocate(out, t + 850000, -(1 << 20));
    tp_trace_out_counter(out, TP_STR("loss"), PID, t + 899000, loss, 1);
}

static void extras(struct tp_trace_out *out, int64_t t)
{
    const struct tp_trace_out_arg frame[] = {tp_trace_out_int_arg(TP_OUT_PYTHON_ID, 1),
                                             tp_trace_out_int_arg(TP_OUT_PYTHON_PARENT_ID, 0)};
    const struct tp_trace_out_arg named[] = {
        {.key = TP_OUT_NAMED, .type = TP_OUT_TEXT, .name = hostile, .value.text = hostile}};
    tp_trace_out_complete(out, &(struct tp_trace_out_event){.category = TP_OUT_PYTHON_FUNCTION,
                                                            .name = TP_STR("train.c(40): main"),
                                                            .pid = PID,
                                                            .tid = BACKWARD,
                                                            .ts_ns = t,
                                                            .dur_ns = 5000,
                                                            .args = frame,
                                                            .arg_count = 2});
    struct tp_trace_out_event odd = {.category = TP_OUT_CPU_OP,
                                     .name = hostile,
                                     .pid = PID,
                                     .tid = BACKWARD,
                                     .ts_ns = t + 10000,
                                     .dur_ns = 500,
                                     .args = named,
                                     .arg_count = 1};
    tp_trace_out_complete(out, &odd);
    tp_trace_out_flow(out, &(struct tp_trace_out_flow){TP_OUT_FLOW_ASYNC, true, 1, PID, BACKWARD, t + 10000});
    odd.category = TP_OUT_OTHER;
    odd.other_category = TP_STR("mark");
    tp_trace_out_instant(out, &odd);
    odd.ts_ns += 10000;
    tp_trace_out_complete(out, &odd);
    tp_trace_out_flow(out, &(struct tp_trace_out_flow){TP_OUT_FLOW_ASYNC, false, 1, PID, BACKWARD, odd.ts_ns});
}

int main(int argc, char **argv)
{
    struct tp_trace_out_device gpu = TP_TRACE_OUT_DEVICE(0, TP_STR("NVIDIA H200"));
    struct tp_trace_out_meta note = {TP_STR("note"), hostile, false};
    struct tp_trace_out_options options = TP_TRACE_OUT_OPTIONS;
    struct tp_trace_out *out;
    struct tp_error err;
    const int64_t begin_ns = 4367116685000000;
    if (argc < 2)
        return 2;
    gpu.sm_count = 132;
    gpu.warp_size = 32;
    gpu.total_memory_bytes = 150000000000;
    gpu.compute_major = 9;
    gpu.compute_minor = 0;
    gpu.max_threads_per_sm = 2048;
    options.is_gzip = tp_str_ends(tp_str_of(argv[1]), ".gz");
    options.flags = TP_OUT_RECORD_SHAPES | TP_OUT_PROFILE_MEMORY | TP_OUT_WITH_STACK;
    options.base_time_ns = 1790857026000000000;
    options.begin_ns = begin_ns;
    options.process_id = PID;
    options.process_name = TP_STR("train");
    options.backend = TP_STR("nccl");
    options.rank = 0;
    options.world_size = 1;
    options.devices = &gpu;
    options.device_count = 1;
    options.metadata = &note;
    options.metadata_count = 1;
    int code = tp_trace_out_open(&out, argv[1], &options, &err);
    if (code == 0) {
        tp_trace_out_thread(out, PID, MAIN, TP_STR("train"));
        tp_trace_out_thread(out, PID, BACKWARD, hostile);
        tp_trace_out_stream(out, 0, STREAM);
        for (int64_t i = 0; i < STEPS; i++)
            step(out, i, begin_ns + 100000 + i * 1000000);
        extras(out, begin_ns + 100000 + STEPS * 1000000);
        code = tp_trace_out_close(&out, begin_ns + (STEPS + 1) * 1000000, &err);
    }
    if (code < 0)
        fprintf(stderr, "%s\n", err.text);
    return code < 0 ? 4 : 0;
}
