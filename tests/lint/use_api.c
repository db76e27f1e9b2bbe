/* Calls every public function once, compiled as C and as C++, with and without the library (tests/lint/abi.sh). */
#include "collector/tracepress.h"

static void handle(const struct tracepress_trace *trace, void *context)
{
    (void)context;
    tracepress_export_chrome_trace(trace, "/dev/null");
    tracepress_export_summary(trace, "/dev/null");
    tracepress_free(tracepress_key_averages(trace, NULL));
    tracepress_export_stacks(trace, "/dev/null", "cpu");
    tracepress_tensorboard_trace_handler(trace, context);
    tracepress_summary_handler(trace, context);
}

static void complete(tracepress_name name)
{
    const tracepress_lane_id lane = tracepress_lane("npu 0/queue 1", TRACEPRESS_COMPUTE);
    const int64_t now = tracepress_now();
    struct tracepress_argument argument = {name, TRACEPRESS_TEXT, 0, 0, "text"};
    struct tracepress_work work = TRACEPRESS_WORK;
    work.arguments = &argument;
    work.argument_count = 1;
    tracepress_complete(lane, name, now - 1000, now, &work);
    tracepress_complete(lane, name, now - 1000, now, NULL);
}

/* Uses a task by its id, and in C++ also as an object. TRACEPRESS_AWAIT is used in
 * tests/native/coroutine_program.cc. */
static void use_tasks(tracepress_name name)
{
    const uint64_t id = tracepress_async_id();
    tracepress_async_begin(name, id);
    tracepress_async_end(name, id);
#ifdef __cplusplus
    TRACEPRESS_TASK(task, "task");
    TRACEPRESS_TASK_RUNS(other, "other");
    TRACEPRESS_PART(task, "part of a task");
    TRACEPRESS_PART(other, "part of another");
    TRACEPRESS_WAITS(other, "waits");
#endif
}

static void record(void)
{
    const int64_t dims[2] = {1, 2};
    const float data[2] = {1, 2};
    const struct tracepress_input input = {TRACEPRESS_FLOAT, 2, dims};
    struct tracepress_operator call = TRACEPRESS_OPERATOR;
    const struct tracepress_memory memory = TRACEPRESS_MEMORY;
    const tracepress_name name = tracepress_intern("name");
    TRACEPRESS_SCOPE("block");
    TRACEPRESS_SCOPE("another on another line");
    TRACEPRESS_SCOPE_KIND("of a kind", TRACEPRESS_COMPUTE);
    // clang-format off
    TRACEPRESS_SCOPE("two"); TRACEPRESS_SCOPE("on one line");
    // clang-format on
    call.inputs = &input;
    call.input_count = 1;
    call.flops = 4;
    tracepress_begin(name);
    tracepress_begin_text("text");
    tracepress_end();
    tracepress_end();
    tracepress_begin_kind(name, TRACEPRESS_INPUT);
    tracepress_arg_i64(name, 1);
    tracepress_arg_f64(name, 0.5);
    tracepress_arg_text(name, "text");
    tracepress_color(0x336699);
    tracepress_end();
    tracepress_operator_begin(name, &call);
    tracepress_end();
    tracepress_module_begin(name);
    tracepress_end();
    tracepress_async_begin(name, 1);
    tracepress_async_end(name, 1);
    use_tasks(name);
    tracepress_instant(name);
    tracepress_instant_text(name, "text");
    complete(name);
    tracepress_counter(name, 0.5);
    tracepress_memory_note(&memory);
    tracepress_tensor(name, TRACEPRESS_FLOAT, 2, dims, data, TRACEPRESS_STATISTICS);
}

static int time_calls(void)
{
    struct tracepress_event *start = tracepress_event_create(tracepress_intern("start"), TRACEPRESS_CPU);
    struct tracepress_event *end = tracepress_event_create(tracepress_intern("end"), TRACEPRESS_CPU);
    int code = tracepress_event_record(start, NULL) + tracepress_event_record(end, NULL);
    code += tracepress_event_synchronize(end) + tracepress_event_query(end) - 1;
    code += tracepress_event_elapsed(start, end) < 0 || tracepress_event_elapsed_ns(start, end) < 0;
    tracepress_event_destroy(start);
    tracepress_event_destroy(end);
    return code;
}

/* Returns 0 with the library, and 1 without. The first argument is the folder of the recording. */
int main(int argc, char **argv)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    options.handler = handle;
    options.directory = argc > 1 ? argv[1] : NULL;
    tracepress_metadata("key", "value");
    tracepress_metadata_json("numbers", "[1]");
    int code = tracepress_start(&options);
    record();
    tracepress_step();
    code += tracepress_step_num() == 0;
    code += time_calls();
    tracepress_stop();
    return code != 0;
}
