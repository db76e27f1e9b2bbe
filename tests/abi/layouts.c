/* layouts DIR [none]: records an operator with two inputs and a memory record into DIR/worker.*.json, and prints the
 * result of tracepress_start. With `none` the structs do not contain their size. The macro HEADER names the
 * tracepress.h to include: the one of this library, or one with members that this library does not know. The macro
 * FIRST_LAYOUT selects the structs and functions from before structs contained their size, as in a program built at
 * that time (tests/lint/abi.sh). */
#include HEADER

#include <stdio.h>
#include <string.h>

static const int64_t dims[2][2] = {{1, 2}, {3, 4}};

#ifdef FIRST_LAYOUT
struct first_input {
    enum tracepress_dtype dtype;
    uint32_t rank;
    const int64_t *dims;
};
struct first_operator {
    const struct first_input *inputs;
    uint32_t input_count;
    int is_backward;
    uint64_t sequence, forward_tid, flops, bytes;
};
struct first_memory {
    uint64_t address;
    int64_t bytes, total_allocated, total_reserved;
    int32_t device_type, device_id;
};
extern void tracepress_record_operator_(tracepress_name name, const struct first_operator *call);
extern void tracepress_record_memory_(const struct first_memory *note);

static void print_layouts(int has_sizes)
{
    const struct first_input inputs[2] = {{TRACEPRESS_FLOAT, 2, dims[0]}, {TRACEPRESS_FLOAT, 2, dims[1]}};
    const struct first_operator call = {inputs, 2, 0, 0, 0, 24, 0};
    const struct first_memory note = {64, 48, 770, 880, TRACEPRESS_CPU, -1};
    (void)has_sizes;
    tracepress_record_operator_(tracepress_intern("matmul"), &call);
    tracepress_record_memory_(&note);
    tracepress_end();
}
#else
static void print_layouts(int has_sizes)
{
    struct tracepress_input inputs[2];
    struct tracepress_operator call = TRACEPRESS_OPERATOR;
    struct tracepress_memory note = TRACEPRESS_MEMORY;
    memset(inputs, 0, sizeof inputs);
    for (int i = 0; i < 2; i++) {
        inputs[i].dtype = TRACEPRESS_FLOAT;
        inputs[i].rank = 2;
        inputs[i].dims = dims[i];
    }
    call.inputs = inputs;
    call.input_count = 2;
    call.flops = 24;
    note.address = 64;
    note.bytes = 48;
    note.total_allocated = 770;
    note.total_reserved = 880;
    if (!has_sizes)
        call.size = note.size = 0;
    tracepress_operator_begin(tracepress_intern("matmul"), &call);
    tracepress_memory_note(&note);
    tracepress_end();
}
#endif

int main(int argc, char **argv)
{
    struct tracepress_options options = TRACEPRESS_OPTIONS;
    int has_sizes = argc < 3;
    options.handler = tracepress_tensorboard_trace_handler;
    options.directory = argv[1];
    options.worker = "worker";
    options.no_gzip = 1;
    if (!has_sizes) {
        options.size = 0;
        printf("%d\n", tracepress_start(&options));
        options.size = sizeof options;
    }
    int code = tracepress_start(&options);
    print_layouts(has_sizes);
    tracepress_stop();
    return code;
}
