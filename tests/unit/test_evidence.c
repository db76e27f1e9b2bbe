/* Tests evidence: what a trace says about its own completeness, checked against its content. */
#include "webreport/trace/evidence.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "webreport/trace/trace.h"

#define HEAD "{\"schemaVersion\":1,\"deviceProperties\":[],"
#define END "{\"ph\":\"i\",\"name\":\"Record Window End\",\"pid\":\"\",\"tid\":\"\",\"ts\":99}"
#define OP(name, ts, args)                                                                                             \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":" ts ",\"dur\":1,\"args\":"     \
    "{" args "}},"
#define CALL(name, id)                                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,\"args\":"    \
    "{\"correlation\":" id "}},"
#define KERNEL(id)                                                                                                     \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":3,\"dur\":1,\"args\":"                 \
    "{\"correlation\":" id "}},"
#define LINK(ph, id)                                                                                                   \
    "{\"ph\":\"" ph "\",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":" id ",\"pid\":1,\"tid\":2,\"ts\":1},"
#define MEMORY(ts, bytes, total)                                                                                       \
    "{\"ph\":\"i\",\"name\":\"[memory]\",\"pid\":1,\"tid\":2,\"ts\":" ts ",\"args\":{\"Bytes\":" bytes                 \
    ",\"Total Allocated\":" total ",\"Device Id\":-1,\"Device Type\":0}},"

static struct tp_input_evidence read_evidence_from_bytes(const void *bytes, size_t size, char *reason)
{
    struct tp_input_evidence evidence;
    struct tp_trace trace;
    struct tp_arena arena;
    struct tp_error err = {0};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard))
        fail_msg("left through the guard");
    assert_int_equal(tp_trace_read_bytes(&trace, &arena, bytes, size, NULL, &err), 0);
    tp_evidence_build(&evidence, &trace, &arena);
    snprintf(reason, 200, "%s", tp_evidence_reason(&evidence, TP_NEED_ALL, &arena));
    tp_arena_release(&arena);
    return evidence;
}

static struct tp_input_evidence read_evidence(const char *text, char *reason)
{
    return read_evidence_from_bytes(text, strlen(text), reason);
}

struct expectation {
    const char *text;
    unsigned broken;
    const char *reason;
};

static void assert_all_cases(const struct expectation *cases, size_t count)
{
    char reason[200];
    for (size_t i = 0; i < count; i++) {
        struct tp_input_evidence e = read_evidence(cases[i].text, reason);
        if (tp_evidence_unmet_needs(&e) != cases[i].broken || strcmp(reason, cases[i].reason) != 0)
            fail_msg("case %zu: broken %x, \"%s\"", i, tp_evidence_unmet_needs(&e), reason);
    }
}

enum { HOST_LOST = TP_NEED_ALL & ~TP_NEED_FILE & ~TP_NEED_DEVICE };

static void end_of_document_is_recognized(void **state)
{
    static const struct expectation cases[] = {
        {"{\"traceEvents\":[" OP("a", "1", "") END "]}", 0, ""},
        {"[" OP("a", "1", "") END "]", 0, ""},
        {"[" OP("a", "1", "") END, TP_NEED_ALL, "the file is cut, and the lost part is unknown"},
        {"{\"traceEvents\":[" OP("a", "1", "") END "]", TP_NEED_ALL, "the file is cut, and the lost part is unknown"},
        {"{\"traceEvents\":[" OP("a", "1", "") END, TP_NEED_ALL, "the file is cut, and the lost part is unknown"},
        {"{\"traceEvents\":[" OP("a", "1", "") END "]}{}", TP_NEED_ALL,
         "the file contains data after the end of the trace"},
        {"{\"traceEvents\":[" OP("a", "1", "") "{\"ph\":\"X\",\"name\":\"b\",\"ts\":}," END "]}", TP_NEED_ALL,
         "1 event could not be read"},
        {HEAD "\"traceEvents\":[" OP("a", "1", "") END "]}", 0, ""},
        {HEAD "\"traceEvents\":[" OP("a", "1", "") "{}]}", TP_NEED_ALL,
         "the recorder's end mark is missing, so the file was cut or filtered"},
    };
    (void)state;
    assert_all_cases(cases, sizeof cases / sizeof *cases);
}

static void gaps_in_numbers_are_lost_events(void **state)
{
    static const struct expectation cases[] = {
        {"{\"traceEvents\":[" OP("a", "1", "\"Ev Idx\":0") OP("b", "2", "\"Ev Idx\":1") END "]}", 0, ""},
        {"{\"traceEvents\":[" OP("a", "1", "\"Ev Idx\":1") OP("b", "2", "\"Ev Idx\":4") END "]}", HOST_LOST,
         "the event numbers show that 3 host events are missing"},
        {HEAD "\"traceEvents\":[" OP("a", "1", "\"External id\":5") OP("b", "2", "\"External id\":6") END "]}", 0, ""},
        {HEAD "\"traceEvents\":[" OP("a", "1", "\"External id\":5") OP("b", "2", "\"External id\":7") END "]}",
         HOST_LOST, "the operator ids show that 1 operator is missing"},
        {HEAD "\"traceEvents\":[" OP("a", "1", "\"External id\":5") OP("b", "2", "\"External id\":513") END "]}", 0,
         ""}, /* a large gap is normal, because each thread gets ids in blocks of 512 */
    };
    (void)state;
    assert_all_cases(cases, sizeof cases / sizeof *cases);
}

static void missing_launches_and_kernels_are_counted(void **state)
{
    static const struct expectation cases[] = {
        {HEAD "\"traceEvents\":[" CALL("cudaLaunchKernel", "1") LINK("s", "1") KERNEL("1") LINK("f", "1") END "]}", 0,
         ""},
        {HEAD "\"traceEvents\":[" CALL("cudaLaunchKernel", "1") LINK("s", "1") LINK("f", "1") END "]}",
         TP_NEED_DEVICE | TP_NEED_RUNTIME, "links lead to 1 missing event of the device or the runtime"},
        {HEAD "\"traceEvents\":[" KERNEL("1") LINK("s", "1") LINK("f", "1") END "]}", TP_NEED_DEVICE | TP_NEED_RUNTIME,
         "links lead to 1 missing event of the device or the runtime"},
        {HEAD "\"traceEvents\":[" CALL("cudaLaunchKernel", "1") CALL("cudaLaunchKernel", "2") KERNEL("2") END "]}",
         TP_NEED_DEVICE | TP_NEED_RUNTIME, "1 device operation is missing, although its launch is in the file"},
        {HEAD "\"traceEvents\":[" CALL("cudaStreamBeginCapture", "9") CALL("cudaLaunchKernel", "1") KERNEL("2") END
         "]}",
         TP_NEED_RUNTIME, "1 launch is missing, although its device operation is in the file"},
        {HEAD "\"traceEvents\":[" CALL("cudaMemsetAsync", "1") CALL("cudaLaunchKernel", "2") KERNEL("2") END "]}", 0,
         ""}, /* a memset without a device event is normal */
    };
    (void)state;
    assert_all_cases(cases, sizeof cases / sizeof *cases);
}

#define NOTE                                                                                                           \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"s\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,\"args\":{\"Ev "  \
    "Idx\":0}},"
#define FORWARD "{\"ph\":\"s\",\"cat\":\"fwdbwd\",\"name\":\"fwdbwd\",\"id\":1,\"pid\":1,\"tid\":2,\"ts\":1},"
#define SPAN "{\"ph\":\"X\",\"cat\":\"Trace\",\"name\":\"P\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1},"
#define FRAME                                                                                                          \
    "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":1,\"args\":"        \
    "{\"Ev Idx\":1}},"

static void missing_kind_is_known_from_related_events(void **state)
{
    static const char operators[] = "the file contains data of operators, but no operators";
    static const struct expectation cases[] = {
        {HEAD "\"traceEvents\":[" NOTE END "]}", 0, ""}, /* traces of other recorders have no operators */
        {HEAD "\"trace_id\":\"A\",\"traceEvents\":[" NOTE END "]}", HOST_LOST, operators},
        {HEAD "\"traceEvents\":[" NOTE FORWARD END "]}", HOST_LOST, operators},
        {HEAD "\"traceEvents\":[" OP("a", "1", "") FORWARD END "]}", 0, ""},
        {HEAD "\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaFree\",\"pid\":1,\"tid\":2,"
              "\"ts\":1,\"dur\":1,\"args\":{\"External id\":5}}," END "]}",
         HOST_LOST, operators},
        {HEAD "\"profile_memory\":1,\"traceEvents\":[" OP("a", "1", "") END "]}", TP_NEED_MEMORY,
         "memory recording was on, but the file contains no memory records"},
        {HEAD "\"profile_memory\":1,\"traceEvents\":[" OP("a", "1", "\"Ev Idx\":0") FRAME END "]}", 0, ""},
        {HEAD "\"traceEvents\":[" OP("a", "1", "\"Profiler Event Index\":0,\"Call stack\":\"f.py(1): g\"") END "]}",
         TP_NEED_FRAMES, "stack recording was on, but the file contains no Python functions"},
        {HEAD "\"traceEvents\":[" SPAN END "]}", TP_NEED_ALL, "the file contains no event of the program's work"},
    };
    (void)state;
    assert_all_cases(cases, sizeof cases / sizeof *cases);
}

static void inconsistent_memory_totals_are_counted(void **state)
{
    static const struct expectation cases[] = {
        {HEAD "\"traceEvents\":[" MEMORY("1", "8", "8") MEMORY("2", "4", "12") MEMORY("3", "-8", "4") END "]}", 0, ""},
        {HEAD "\"traceEvents\":[" MEMORY("1", "8", "8") MEMORY("3", "-8", "4") END "]}", TP_NEED_MEMORY,
         "1 memory record contradicts the total of the record before"},
        {HEAD "\"with_stack\":1,\"traceEvents\":[" OP("a", "1", "") END "]}", TP_NEED_FRAMES,
         "stack recording was on, but the file contains no Python functions"},
        {HEAD "\"tracepress_dropped\":3,\"traceEvents\":[" OP("a", "1", "") END "]}", TP_NEED_ALL & ~TP_NEED_DEVICE,
         "the recorder dropped 3 events"},
    };
    (void)state;
    assert_all_cases(cases, sizeof cases / sizeof *cases);
}

static void gzip_state_is_recognized(void **state)
{
    static const char text[] = "{\"traceEvents\":[" OP("a", "1", "") END "]}";
    unsigned char packed[1024];
    char reason[200];
    z_stream z = {
        .next_in = (unsigned char *)text, .avail_in = sizeof text - 1, .next_out = packed, .avail_out = sizeof packed};
    (void)state;
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t size = z.total_out;
    deflateEnd(&z);
    struct tp_input_evidence e = read_evidence_from_bytes(packed, size, reason);
    assert_int_equal(e.crc, TP_CRC_OK);
    assert_int_equal(tp_evidence_unmet_needs(&e), 0);
    e = read_evidence_from_bytes(packed, size - 5,
                                 reason); /* the compressed text is complete, but the gzip trailer is truncated */
    assert_int_equal(e.crc, TP_CRC_UNREAD);
    assert_int_equal(tp_evidence_unmet_needs(&e), TP_NEED_ALL);
    packed[size - 7] ^= 1;
    e = read_evidence_from_bytes(packed, size, reason);
    assert_int_equal(e.crc, TP_CRC_BAD);
    assert_string_equal(reason, "the checksum of the gzip is wrong");
}

#define EVENT_OF(cat) "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"own\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":1},"
#define WITHOUT(pid) "{\"ph\":\"X\",\"name\":\"own\",\"pid\":" pid ",\"tid\":2,\"ts\":5,\"dur\":1},"
#define ASCEND                                                                                                         \
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3,\"tid\":0,\"args\":{\"name\":\"Ascend Hardware\"}}," WITHOUT("3")

static void damaged_category_is_recognized(void **state)
{
    static const char one[] = "1 place of the file contains text that no profiler writes";
    static const struct expectation cases[] = {
        {HEAD "\"traceEvents\":[" OP("a", "1", "") EVENT_OF("python") EVENT_OF("python") EVENT_OF("python") END "]}", 0,
         ""},
        {HEAD "\"traceEvents\":[" OP("a", "1", "") EVENT_OF("cpu") EVENT_OF("cpu") EVENT_OF("cpu") EVENT_OF("cpu") END
         "]}",
         0, ""},
        {HEAD "\"traceEvents\":[" OP("a", "1", "") EVENT_OF("cuda_runt") END "]}", TP_NEED_ALL, one},
        {HEAD "\"traceEvents\":[" OP("a", "1", "") EVENT_OF("kerneL ") EVENT_OF("gpu") EVENT_OF("gpu") EVENT_OF("gpu")
             EVENT_OF("cpu_oq") END "]}",
         TP_NEED_ALL, one},
        {HEAD "\"traceEvents\":[" OP("a", "1", "") WITHOUT("1") END "]}", TP_NEED_ALL, one},
        {HEAD "\"traceEvents\":[" ASCEND OP("a", "1", "") WITHOUT("1") END "]}", 0, ""},
    };
    (void)state;
    assert_all_cases(cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_of_document_is_recognized),
        cmocka_unit_test(gaps_in_numbers_are_lost_events),
        cmocka_unit_test(missing_launches_and_kernels_are_counted),
        cmocka_unit_test(missing_kind_is_known_from_related_events),
        cmocka_unit_test(inconsistent_memory_totals_are_counted),
        cmocka_unit_test(damaged_category_is_recognized),
        cmocka_unit_test(gzip_state_is_recognized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
