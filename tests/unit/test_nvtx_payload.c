/* Tests NVTX's extensions through their entry points. Payloads with a schema become arguments of ranges, and NVTX
 * counters become counters of the trace. */
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/recorded_text.h"

#include "collector/source/nvtx_abi.h"

int InitializeInjectionNvtxExtension(struct tp_nvtx_extension *extension);

static intptr_t payload_slots[63], counter_slots[63];

static int load(uint16_t module, uint16_t layout, intptr_t *slots)
{
    struct tp_nvtx_segment segment = {.slot_count = 63, .slots = slots};
    struct tp_nvtx_extension extension = {.version = 3,
                                          .size = sizeof extension + sizeof(void *) * 2,
                                          .module = module,
                                          .layout = layout,
                                          .segment_count = 1,
                                          .segments = &segment};
    return InitializeInjectionNvtxExtension(&extension);
}

static int start_recording_payloads(void **state)
{
    (void)state;
    return begin_text_recording() == 0 && load(2, 0x0104, payload_slots) == 1 && load(4, 0x0102, counter_slots) == 1
               ? 0
               : -1;
}

/* ---- calls of NVTX's functions through their slots ---- */

// NOLINTNEXTLINE(bugprone-macro-parentheses): `parameters` is the parameter list of a function type
#define CALL(result, slots, slot, parameters) ((result(*) parameters)(slots)[slot])

static uint64_t register_schema(const struct tp_nvtx_entry *entries, size_t count, size_t size)
{
    const struct tp_nvtx_schema schema = {.fields = TP_NVTX_HAS_NAME | TP_NVTX_HAS_ENTRIES | TP_NVTX_HAS_COUNT |
                                                    (size ? (uint64_t)TP_NVTX_HAS_SIZE : 0),
                                          .name = "schema",
                                          .type = 1,
                                          .entries = entries,
                                          .entry_count = count,
                                          .static_size = size};
    return CALL(uint64_t, payload_slots, 0, (const void *, const struct tp_nvtx_schema *))(NULL, &schema);
}

static void record_range(uint64_t schema, const void *bytes, size_t size)
{
    const struct tp_nvtx_payload payload = {schema, size, bytes};
    CALL(int, payload_slots, 3, (const void *, const struct tp_nvtx_payload *, size_t))(NULL, &payload, 1);
    CALL(int, payload_slots, 4, (const void *, const struct tp_nvtx_payload *, size_t))(NULL, NULL, 0);
}

static void assert_in_trace(const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("no %s in %s", wanted, text);
}

/* ---- cases ---- */

static void fields_become_arguments(void **state)
{
    struct event {
        const char *message;
        int8_t small;
        uint64_t large;
        float real;
        int16_t three[3];
        char name[8];
        const char *pointed;
    } event = {"step", -3, UINT64_MAX, 1.5f, {-1, 2, 300}, "fixed", "elsewhere \xc3\xa4"};
    const struct tp_nvtx_entry entries[] = {
        {.type = TP_NVTX_TEXT, .flags = TP_NVTX_IS_MESSAGE, .name = "message"},
        {.type = 11, .name = "small", .offset = offsetof(struct event, small)},
        {.type = 18, .name = "large"}, /* this entry has no offset, so C's alignment rules give its place */
        {.type = 19, .name = "real"},
        {.type = 13, .flags = TP_NVTX_ARRAY_FIXED, .detail = 3, .name = "three"},
        {.type = TP_NVTX_TEXT, .detail = 8, .name = "name"},
        {.type = TP_NVTX_TEXT_UTF8, .name = "pointed", .offset = offsetof(struct event, pointed)},
    };
    (void)state;
    uint64_t schema = register_schema(entries, sizeof entries / sizeof *entries, sizeof event);
    assert_true(schema >= 1ull << 32);
    record_range(schema, &event, sizeof event);
    record_range(schema, &event, SIZE_MAX);
    /* the payload ends before `real`, so `real` and later members are missing in the trace */
    record_range(schema, &event, offsetof(struct event, real));
    tracepress_stop();
    assert_in_trace("\"name\":\"step\"");
    assert_in_trace("\"small\":-3,\"large\":18446744073709551615,\"real\":1.5,\"three\":[-1,2,300],\"name\":\"fixed\","
                    "\"pointed\":\"elsewhere \xc3\xa4\"");
    assert_in_trace("\"small\":-3,\"large\":18446744073709551615,\"Ev Idx\"");
    assert_null(strstr(text, "\"message\""));
}

static void schemas_nest_and_fields_give_lengths(void **state)
{
    struct inner {
        int32_t x, y;
    };
    struct event {
        uint32_t count;
        struct inner at;
        uint16_t values[4];
    } event = {2, {7, -8}, {10, 11, 12, 13}};
    const struct tp_nvtx_entry inner[] = {{.type = 15, .name = "x"}, {.type = 15, .name = "y"}};
    (void)state;
    const struct tp_nvtx_entry entries[] = {
        {.type = 16, .name = "count"},
        {.type = register_schema(inner, 2, sizeof event.at), .name = "at", .offset = offsetof(struct event, at)},
        {.type = 14, .flags = TP_NVTX_ARRAY_BY_ENTRY, .detail = 0, .name = "values", .offset = 12},
        /* a pointer to other data, which is not read */
        {.type = 15, .flags = 1 << 1, .name = "pointer"},
    };
    record_range(register_schema(entries, 4, sizeof event), &event, sizeof event);
    event.count = 1000; /* the count exceeds the elements in the payload */
    record_range(register_schema(entries, 4, sizeof event), &event, sizeof event);
    tracepress_stop();
    assert_in_trace("\"name\":\"schema\"");
    assert_in_trace("\"count\":2,\"at.x\":7,\"at.y\":-8,\"values\":[10,11],\"Ev Idx\"");
    assert_in_trace("\"count\":1000,\"at.x\":7,\"at.y\":-8,\"Ev Idx\"");
}

/* Tests that invalid pointers to texts stop neither the program nor the recording. */
static void invalid_addresses_give_empty_texts(void **state)
{
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const struct tp_nvtx_entry entry = {.type = TP_NVTX_TEXT, .name = "text"};
    (void)state;
    assert_true(page != MAP_FAILED);
    munmap(page + 4096, 4096);
    memset(page + 4090, 'x', 6);
    const char *odd[] = {NULL, (const char *)(uintptr_t)0x1234, page + 4090, (const char *)(uintptr_t)UINT64_MAX};
    uint64_t schema = register_schema(&entry, 1, sizeof(char *));
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        record_range(schema, &odd[i], sizeof odd[i]);
    record_range(schema + 1000, odd, 8); /* refers to an unknown schema */
    record_range(schema, NULL, 8);
    assert_int_equal(register_schema(NULL, 1, 8), 0);
    tracepress_stop();
    assert_in_trace("\"text\":\"xxxxxx\"");
    assert_in_trace("\"text\":\"\"");
    munmap(page, 4096);
}

static void nvtx_counters_become_trace_counters(void **state)
{
    struct pair {
        double load;
        int64_t left;
    } pair = {0.25, -5};
    const struct tp_nvtx_entry entries[] = {{.type = 20, .name = "load"}, {.type = 17, .name = "left"}};
    const struct tp_nvtx_counter plain = {.size = sizeof plain, .schema = 17, .name = "queue"};
    (void)state;
    const struct tp_nvtx_counter group = {.size = sizeof group,
                                          .schema = register_schema(entries, 2, sizeof pair),
                                          .name = "group",
                                          .number = 1 << 24 | 5};
    uint64_t (*keep_counter)(const void *, const struct tp_nvtx_counter *) = (void *)counter_slots[0];
    uint64_t number = keep_counter(NULL, &plain);
    assert_int_equal(keep_counter(NULL, &group), group.number);
    assert_int_equal(keep_counter(NULL, NULL), 0);
    CALL(void, counter_slots, 1, (const void *, uint64_t, int64_t))(NULL, number, -42);
    CALL(void, counter_slots, 2, (const void *, uint64_t, double))(NULL, number, 2.5);
    CALL(void, counter_slots, 3, (const void *, uint64_t, const void *, size_t))
    (NULL, group.number, &pair, sizeof pair);
    CALL(void, counter_slots, 1, (const void *, uint64_t, int64_t))
    (NULL, 77, 1); /* this counter id is unknown, so the
                    * call has no effect */
    tracepress_stop();
    static const char *const wanted[][2] = {
        {"queue", "-42.0"}, {"queue", "2.5"}, {"group.load", "0.25"}, {"group.left", "-5.0"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char line[80], value[40];
        snprintf(line, sizeof line, "{\"ph\":\"C\",\"name\":\"%s\"", wanted[i][0]);
        snprintf(value, sizeof value, "\"value\":%s}", wanted[i][1]);
        assert_in_trace(line);
        assert_in_trace(value);
    }
}

static void unknown_ids_are_ignored(void **state)
{
    intptr_t none[63] = {0};
    (void)state;
    assert_int_equal(load(2, 0x0203, none), 0);
    assert_int_equal(load(1, 0x0102, none), 0);
    assert_int_equal(InitializeInjectionNvtxExtension(NULL), 0);
    for (int i = 0; i < 63; i++)
        assert_int_equal(none[i], 0);
    for (int i = 0; i < 3000; i++) { /* registers more schemas than allowed, so the last ones are refused */
        const struct tp_nvtx_entry entry = {.type = 17, .name = "n"};
        const int64_t value = i;
        record_range(register_schema(&entry, 1, 8), &value, sizeof value);
    }
    tracepress_stop();
    assert_in_trace("\"n\":0,\"Ev Idx\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fields_become_arguments, start_recording_payloads, end_text_recording),
        cmocka_unit_test_setup_teardown(schemas_nest_and_fields_give_lengths, start_recording_payloads,
                                        end_text_recording),
        cmocka_unit_test_setup_teardown(invalid_addresses_give_empty_texts, start_recording_payloads,
                                        end_text_recording),
        cmocka_unit_test_setup_teardown(nvtx_counters_become_trace_counters, start_recording_payloads,
                                        end_text_recording),
        cmocka_unit_test_setup_teardown(unknown_ids_are_ignored, start_recording_payloads, end_text_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
