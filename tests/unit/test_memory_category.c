/* Tests the category of memory blocks in one training step written by hand. The category follows from the code that
 * allocated the block and the code that freed it. */
#include "webreport/measure/memory/memory_category.h"
#include "webreport/measure/memory/memory_peak.h"
#include "webreport/model/build.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/made_trace.h"

#define RECORD(ts, address, bytes, total)                                                                              \
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"args\":{\"Addr\":" #address              \
    ",\"Bytes\":" #bytes ",\"Device Type\":1,\"Device Id\":0,\"Total Allocated\":" #total                              \
    ",\"Total Reserved\":2000}},"
#define RANGE(cat, name, ts, dur)                                                                                      \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur "},"
#define FRAME(name, ts, dur)                                                                                           \
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur \
    ",\"args\":{\"Python id\":1}},"
#define NODE "autograd::engine::evaluate_function: MulBackward0"

/* Returns the bytes of a category at the peak, or -1 if it has no row. */
static int64_t category_bytes(const struct tp_memory_device *device, enum tp_memory_category category)
{
    const struct tp_table *table = &device->live_by_category;
    for (uint32_t i = 0; i < table->row_count; i++)
        if (tp_str_equal(tp_table_text(table, TP_LIVE_NAME)[i], tp_str_of(tp_memory_category_text(category))))
            return tp_table_int(table, TP_LIVE_BYTES)[i];
    return -1;
}

static void each_block_has_a_category(void **state)
{
    static const char events[] =
        FRAME("torch/nn/modules/linear.py(96): __init__", 1, 5) RECORD(2, 1, 11, 1011) /* memory for weights */
        RANGE("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 5)
            RECORD(11, 2, 13, 1024)                                 /* memory for an input */
        RANGE("cpu_op", "aten::to", 20, 5) RECORD(21, 3, 17, 1041)  /* memory for another input */
        RANGE("cpu_op", "aten::mul", 30, 5) RECORD(31, 4, 19, 1060) /* memory for an activation */
        /* memory for a result that outlives the step */
        RANGE("cpu_op", "aten::add", 40, 5) RECORD(41, 5, 23, 1083) RANGE("cpu_op", NODE, 50, 5)
            RECORD(51, 6, 29, 1112)                                                          /* memory for a gradient */
        RECORD(52, 7, 31, 1143)                                                              /* memory for a temporary
                                                                                              * gradient */
        RANGE("user_annotation", "Optimizer.step#Adam.step", 60, 20) RECORD(61, 8, 37, 1180) /* memory for the
                                                                                              * optimizer's state */
        /* memory for a temporary block, allocated at the peak */
        RANGE("cpu_op", "aten::sqrt", 70, 5) RECORD(71, 9, 41, 1221) RECORD(72, 9, -41, 1180)
            RANGE("cpu_op", NODE, 90, 5) RECORD(91, 7, -31, 1149)
                RECORD(92, 4, -19, 1130) /* this block is freed in the backward pass */
        RANGE("user_annotation", "Optimizer.zero_grad#Adam.zero_grad", 100, 5) RECORD(101, 6, -29, 1101)
            RANGE("cpu_op", "aten::mul", 110, 1);
    char text[sizeof events];
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_order order;
    struct tp_model model;
    struct tp_memory_peak peak;
    (void)state;
    snprintf(text, sizeof text, "%.*s", (int)strlen(events) - 1, events);
    make_model(&arena, &trace, &order, &model, "", text);
    tp_memory_peak_build(&peak, &model, &arena);
    assert_int_equal(peak.device_count, 1);
    const struct tp_memory_device *device = &peak.devices[0];
    assert_int_equal(device->peak_allocated_bytes, 1221);
    assert_int_equal(category_bytes(device, TP_MEMORY_WEIGHTS), 11);
    assert_int_equal(category_bytes(device, TP_MEMORY_INPUTS), 13 + 17);
    assert_int_equal(category_bytes(device, TP_MEMORY_ACTIVATIONS), 19);
    assert_int_equal(category_bytes(device, TP_MEMORY_NEVER_RELEASED), 23);
    assert_int_equal(category_bytes(device, TP_MEMORY_GRADIENTS), 29);
    assert_int_equal(category_bytes(device, TP_MEMORY_WORKSPACE), 31 + 41);
    assert_int_equal(category_bytes(device, TP_MEMORY_OPTIMIZER_STATE), 37);
    assert_int_equal(category_bytes(device, TP_MEMORY_BEFORE_RECORDING), 1000);
    assert_int_equal(category_bytes(device, TP_MEMORY_RESERVED), 2000 - 1221);
    tp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_block_has_a_category)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
