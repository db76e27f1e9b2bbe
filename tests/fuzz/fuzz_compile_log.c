/* Reads arbitrary bytes as an artifact of torch.compile. The first byte selects the format, and the rest is the
 * contents. All indexes in the result must be valid. */
#include <stdint.h>
#include <stdlib.h>

#include "webreport/trace/compile_log/compile_log.h"
#include "webreport/trace/compile_log/compile_names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"dedicated_log_torch_trace_a.log", "kernel_information.json",
                                    "kernel_stack_traces.json", "node_mappings.json", "output_code.py"};
enum { NAMES = sizeof names / sizeof *names };

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static void check_call(const struct tp_compile_log *log, const struct tp_compile_call *call)
{
    abort_unless(call->first_stack + call->stack_count <= log->stack_ids.count);
    abort_unless(call->first_node + call->node_count <= log->nodes.count);
    abort_unless(tp_compile_kernel_family(call->name).len <= call->name.len);
    for (uint32_t i = 0; i < call->stack_count; i++) {
        struct tp_compile_stack stack = tp_compile_stack_at(log, call->first_stack + i);
        abort_unless(stack.first + stack.count <= log->frame_ids.count);
        for (uint32_t k = 0; k < stack.count; k++)
            abort_unless(tp_compile_frame_at(log, stack.first + k).len > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_arena arena;
    struct tp_compile_log log;
    if (!size)
        return 0;
    tp_arena_init(&arena, 256u << 20);
    if (setjmp(arena.guard) == 0) {
        tp_compile_log_read_bytes(&log, names[*data % NAMES], (struct tp_str){(const char *)data + 1, size - 1},
                                  &arena);
        for (size_t g = 0; g < log.graphs.count; g++)
            for (uint32_t k = 0; k < tp_compile_graph_at(&log, g)->call_count; k++)
                check_call(&log, &tp_compile_graph_at(&log, g)->calls[k]);
    }
    tp_arena_release(&arena);
    return 0;
}
