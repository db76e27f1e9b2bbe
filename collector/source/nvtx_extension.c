/* Implements NVTX's extensions: events with payloads and schemas, and counters. Each part of the program requests our
 * functions from the library in NVTX_INJECTION64_PATH, as for NVTX itself (nvtx.c). */
#include <stdatomic.h>
#include <stdio.h>

#include "collector/source/nvtx.h"
#include "collector/source/nvtx_payload.h"

/* ---- events ---- */

static uint64_t schema_register(const void *domain, const struct tp_nvtx_schema *schema)
{
    (void)domain;
    return tp_nvtx_schema_add(schema);
}

static void put_payloads(uint8_t kind, uint32_t domain, uint64_t key, const struct tp_nvtx_payload *payloads,
                         size_t count)
{
    const struct tp_spool_mark mark = {.domain = domain, .form = TP_SPOOL_FORM_RANGE, .has_more = key != 0, .key = key};
    struct tp_nvtx_text room;
    tp_mark_write(kind, &mark, tp_nvtx_payload_message(payloads, count, &room));
    if (kind != TP_SPOOL_MARK_POINT)
        tp_nvtx_payload_put_facts(domain, key, payloads, count);
}

static void mark_payload(const void *domain, const struct tp_nvtx_payload *payloads, size_t count)
{
    put_payloads(TP_SPOOL_MARK_POINT, tp_nvtx_handle_number(domain), 0, payloads, count);
}

static int push_payload(const void *domain, const struct tp_nvtx_payload *payloads, size_t count)
{
    put_payloads(TP_SPOOL_MARK_PUSH, tp_nvtx_handle_number(domain), 0, payloads, count);
    return tp_nvtx_push_depth(tp_nvtx_handle_number(domain));
}

static int pop_payload(const void *domain, const struct tp_nvtx_payload *payloads, size_t count)
{
    tp_nvtx_payload_put_facts(tp_nvtx_handle_number(domain), 0, payloads, count);
    return tp_nvtx_pop_depth(tp_nvtx_handle_number(domain));
}

static uint64_t start_payload(const void *domain, const struct tp_nvtx_payload *payloads, size_t count)
{
    uint64_t key = tp_nvtx_next_key();
    put_payloads(TP_SPOOL_MARK_START, tp_nvtx_handle_number(domain), key, payloads, count);
    return key;
}

static void end_payload(const void *domain, uint64_t key, const struct tp_nvtx_payload *payloads, size_t count)
{
    tp_nvtx_payload_put_facts(tp_nvtx_handle_number(domain), key, payloads, count);
    tp_mark_end_by_key(key);
}

static uint8_t is_enabled(const void *domain)
{
    (void)domain;
    return 1;
}

/* ---- counters ---- */

enum { MAX_COUNTERS = 1024, NAME_BYTES = 128 };

struct counter {
    uint64_t number, schema;
    char name[NAME_BYTES];
    uint32_t name_number;
    _Atomic bool is_there;
};

static struct counter counters[MAX_COUNTERS];
static atomic_uint counter_count;

static struct counter *find_counter(uint64_t number)
{
    uint32_t count = atomic_load_explicit(&counter_count, memory_order_relaxed);
    for (uint32_t i = count < MAX_COUNTERS ? count : MAX_COUNTERS; i-- > 0;)
        if (atomic_load_explicit(&counters[i].is_there, memory_order_acquire) && counters[i].number == number)
            return &counters[i];
    return NULL;
}

static uint64_t counter_register(const void *domain, const struct tp_nvtx_counter *given)
{
    (void)domain;
    if (!given || given->size < sizeof *given)
        return 0;
    uint32_t index = atomic_fetch_add(&counter_count, 1);
    if (index >= MAX_COUNTERS)
        return 0;
    struct counter *counter = &counters[index];
    counter->number = given->number ? given->number : ((uint64_t)1 << 32) + index;
    counter->schema = given->schema;
    snprintf(counter->name, sizeof counter->name, "%s", given->name ? given->name : "counter");
    counter->name_number = tp_mark_intern(counter->name);
    atomic_store_explicit(&counter->is_there, true, memory_order_release);
    return counter->number;
}

static void count(uint64_t number, uint64_t schema, const void *value, size_t size)
{
    const struct counter *counter = find_counter(number);
    const struct tp_nvtx_payload payload = {schema ? schema : counter ? counter->schema : 0, size, value};
    if (counter)
        tp_nvtx_payload_put_sample(counter->name, counter->name_number, &payload);
}

static void sample_integer(const void *domain, uint64_t number, int64_t value)
{
    (void)domain;
    count(number, TP_NVTX_INT64, &value, sizeof value);
}

static void sample_real(const void *domain, uint64_t number, double value)
{
    (void)domain;
    count(number, TP_NVTX_DOUBLE, &value, sizeof value);
}

static void put_sample_of_domain(const void *domain, uint64_t number, const void *value, size_t size)
{
    (void)domain;
    count(number, 0, value, size);
}

/* ---- binding ---- */

#define F(name) ((tp_nvtx_function)(name))

static const struct {
    uint16_t module, layout;
    tp_nvtx_function functions[8]; /* our functions, by their numbers in the extension; NULL: not implemented */
} extensions[] = {
    {TP_NVTX_PAYLOADS,
     TP_NVTX_PAYLOADS_1_4,
     {F(schema_register), NULL, F(mark_payload), F(push_payload), F(pop_payload), F(start_payload), F(end_payload),
      F(is_enabled)}},
    {TP_NVTX_COUNTERS,
     TP_NVTX_COUNTERS_1_2,
     {F(counter_register), F(sample_integer), F(sample_real), F(put_sample_of_domain)}},
};

/* The extension calls this function at the program's first use of the extension. Returns 1 for success. */
__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(struct tp_nvtx_extension *extension);

int InitializeInjectionNvtxExtension(struct tp_nvtx_extension *extension)
{
    if (!extension || extension->size < sizeof *extension || extension->segment_count < 1 || !extension->segments)
        return 0;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (extensions[i].module != extension->module || extensions[i].layout != extension->layout)
            continue;
        for (size_t slot = 0; slot < 8 && slot < extension->segments[0].slot_count; slot++)
            if (extensions[i].functions[slot])
                extension->segments[0].slots[slot] = (intptr_t)extensions[i].functions[slot];
        return 1;
    }
    return 0; /* the memory extension and unknown versions do not get functions, so their calls do nothing */
}
