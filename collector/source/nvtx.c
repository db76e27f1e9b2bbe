/* Implements NVTX version 3: ranges, marks and names from NVIDIA's header-only library.
 *
 * Each part of the program that was built with NVTX loads the library in NVTX_INJECTION64_PATH. The part calls
 * InitializeInjectionNvtx2 there, and passes a function that returns tables. After that, the part calls our functions
 * through the slots of these tables. The declarations in this folder repeat numbers and layouts of NVTX 3, which are
 * stable.
 *
 * The handle of a domain or a registered string is the number of its name. So handles are never looked up or freed.
 * Ranges are counted per thread and domain, because push and pop return the depth. */
#include "collector/source/nvtx.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/session.h"
#include "collector/source/mark.h"
#include "collector/source/nvtx_abi.h"
#include "collector/source/nvtx_payload.h"
#include "collector/sources.h"
#include "collector/tracepress.h"
#include "writer/base/environment.h"

static const char variable[] = "NVTX_INJECTION64_PATH";

/* ---- depths ---- */

enum { DOMAINS = 8, NO_DEPTH = -2, NOTHING_TO_POP = -1 };

/* For each domain, the number of open ranges of this thread. A thread counts ranges of at most eight domains at a
 * time. */
static _Thread_local struct {
    uint32_t domain;
    int32_t depth;
} depths[DOMAINS] __attribute__((tls_model("initial-exec")));

/* Returns the entry for the number of open ranges of the domain, or NULL if other domains use all entries. */
static int32_t *find_domain_depth(uint32_t domain)
{
    int32_t *unused = NULL;
    for (int i = 0; i < DOMAINS; i++) {
        if (depths[i].depth && depths[i].domain == domain)
            return &depths[i].depth;
        if (!depths[i].depth && !unused) {
            unused = &depths[i].depth;
            depths[i].domain = domain; /* reserves this entry for the domain */
        }
    }
    return unused;
}

int tp_nvtx_push_depth(uint32_t domain)
{
    int32_t *depth = find_domain_depth(domain);
    return depth && *depth < INT32_MAX ? (*depth)++ : NO_DEPTH;
}

int tp_nvtx_pop_depth(uint32_t domain)
{
    int32_t *depth = find_domain_depth(domain);
    if (depth && *depth == 0)
        return NOTHING_TO_POP;
    tp_mark_end_innermost(domain);
    return depth ? --*depth : NO_DEPTH;
}

/* ---- attributes ---- */

static void *number_to_handle(uint32_t number)
{
    /* 0 (memory is short) becomes NULL, which means the default domain or an empty text */
    return (void *)(uintptr_t)number;
}

static struct tp_mark_text message_text(int32_t type, union tp_nvtx_message message, struct tp_mark_wide *room)
{
    switch (type) {
    case TP_NVTX_MESSAGE_ASCII:
        return tp_mark_text(message.ascii);
    case TP_NVTX_MESSAGE_WIDE:
        return tp_mark_wide(room, message.wide);
    case TP_NVTX_MESSAGE_REGISTERED:
        return tp_mark_number(tp_nvtx_handle_number(message.registered));
    default:
        return tp_mark_number(0);
    }
}

static void set_payload(struct tp_spool_mark *mark, const struct tp_nvtx_attributes *a)
{
    double real = a->payload_type == TP_NVTX_PAYLOAD_FLOAT ? (double)a->payload.small : a->payload.real;
    switch (a->payload_type) {
    case TP_NVTX_PAYLOAD_U64:
    case TP_NVTX_PAYLOAD_U32:
        mark->value_type = TP_SPOOL_UNSIGNED;
        mark->value = a->payload_type == TP_NVTX_PAYLOAD_U64 ? a->payload.u64 : a->payload.u32;
        break;
    case TP_NVTX_PAYLOAD_I64:
    case TP_NVTX_PAYLOAD_I32:
        mark->value_type = TP_SPOOL_SIGNED;
        mark->value = (uint64_t)(a->payload_type == TP_NVTX_PAYLOAD_I64 ? a->payload.i64 : a->payload.i32);
        break;
    case TP_NVTX_PAYLOAD_DOUBLE:
    case TP_NVTX_PAYLOAD_FLOAT:
        mark->value_type = TP_SPOOL_REAL;
        memcpy(&mark->value, &real, sizeof real);
        break;
    default: /* nothing is set for other types; a payload with a schema is recorded after the event */
        break;
    }
}

static void write_event_record(uint8_t kind, uint32_t domain, uint64_t key, const struct tp_nvtx_attributes *a)
{
    struct tp_spool_mark mark = {.domain = domain, .form = TP_SPOOL_FORM_RANGE, .has_more = key != 0, .key = key};
    struct tp_mark_wide room;
    if (!a || a->size < sizeof *a) { /* leaves out attributes whose size fits no known version */
        tp_mark_write(kind, &mark, tp_mark_number(0));
        return;
    }
    mark.category = a->category;
    mark.has_color = a->color_type == TP_NVTX_ARGB;
    mark.color = mark.has_color ? a->color : 0;
    set_payload(&mark, a);
    mark.has_more |= mark.value_type != TP_SPOOL_NOTHING;
    tp_mark_write(kind, &mark, message_text(a->message_type, a->message, &room));
    if (__builtin_expect(a->payload_type == TP_NVTX_PAYLOAD_SCHEMA, 0) && kind != TP_SPOOL_MARK_POINT)
        // NOLINTNEXTLINE(performance-no-int-to-ptr): NVTX stores the pointer as a number
        tp_nvtx_payload_put_facts(domain, key, (const struct tp_nvtx_payload *)(uintptr_t)a->payload.u64,
                                  a->reserved > 0 ? (size_t)a->reserved : 0);
}

static void put_event_with_text(uint8_t kind, uint64_t key, struct tp_mark_text text)
{
    const struct tp_spool_mark mark = {.form = TP_SPOOL_FORM_RANGE, .has_more = key != 0, .key = key};
    tp_mark_write(kind, &mark, text);
}

uint64_t tp_nvtx_next_key(void)
{
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* ---- NVTX functions for the default domain ---- */

static void mark_attributes(const struct tp_nvtx_attributes *a)
{
    write_event_record(TP_SPOOL_MARK_POINT, 0, 0, a);
}

static void mark_text(const char *text)
{
    put_event_with_text(TP_SPOOL_MARK_POINT, 0, tp_mark_text(text));
}

static void mark_wide_text(const wchar_t *text)
{
    struct tp_mark_wide room;
    put_event_with_text(TP_SPOOL_MARK_POINT, 0, tp_mark_wide(&room, text));
}

static uint64_t start_range_with_attributes(const struct tp_nvtx_attributes *a)
{
    uint64_t key = tp_nvtx_next_key();
    write_event_record(TP_SPOOL_MARK_START, 0, key, a);
    return key;
}

static uint64_t start_range_with_text(const char *text)
{
    uint64_t key = tp_nvtx_next_key();
    put_event_with_text(TP_SPOOL_MARK_START, key, tp_mark_text(text));
    return key;
}

static uint64_t start_range_with_wide_text(const wchar_t *text)
{
    struct tp_mark_wide room;
    uint64_t key = tp_nvtx_next_key();
    put_event_with_text(TP_SPOOL_MARK_START, key, tp_mark_wide(&room, text));
    return key;
}

static void finish_range(uint64_t key)
{
    tp_mark_end_by_key(key);
}

static int push_range_with_attributes(const struct tp_nvtx_attributes *a)
{
    write_event_record(TP_SPOOL_MARK_PUSH, 0, 0, a);
    return tp_nvtx_push_depth(0);
}

static int push_range_with_text(const char *text)
{
    put_event_with_text(TP_SPOOL_MARK_PUSH, 0, tp_mark_text(text));
    return tp_nvtx_push_depth(0);
}

static int push_range_with_wide_text(const wchar_t *text)
{
    struct tp_mark_wide room;
    put_event_with_text(TP_SPOOL_MARK_PUSH, 0, tp_mark_wide(&room, text));
    return tp_nvtx_push_depth(0);
}

static int pop_range_of_default_domain(void)
{
    return tp_nvtx_pop_depth(0);
}

static void name_category(uint32_t domain, uint32_t category, struct tp_mark_text text)
{
    const struct tp_spool_mark mark = {.domain = domain, .category = category};
    tp_mark_write(TP_SPOOL_MARK_CATEGORY, &mark, text);
}

static void name_category_a(uint32_t category, const char *text)
{
    name_category(0, category, tp_mark_text(text));
}

static void name_category_w(uint32_t category, const wchar_t *text)
{
    struct tp_mark_wide room;
    name_category(0, category, tp_mark_wide(&room, text));
}

static void name_thread_a(uint32_t tid, const char *text)
{
    tp_mark_write_thread_name(tid, tp_mark_text(text));
}

static void name_thread_w(uint32_t tid, const wchar_t *text)
{
    struct tp_mark_wide room;
    tp_mark_write_thread_name(tid, tp_mark_wide(&room, text));
}

/* ---- NVTX functions for named domains ---- */

static void domain_mark(const void *domain, const struct tp_nvtx_attributes *a)
{
    write_event_record(TP_SPOOL_MARK_POINT, tp_nvtx_handle_number(domain), 0, a);
}

static uint64_t domain_start(const void *domain, const struct tp_nvtx_attributes *a)
{
    uint64_t key = tp_nvtx_next_key();
    write_event_record(TP_SPOOL_MARK_START, tp_nvtx_handle_number(domain), key, a);
    return key;
}

static void domain_finish(const void *domain, uint64_t key)
{
    (void)domain;
    tp_mark_end_by_key(key);
}

static int domain_push(const void *domain, const struct tp_nvtx_attributes *a)
{
    write_event_record(TP_SPOOL_MARK_PUSH, tp_nvtx_handle_number(domain), 0, a);
    return tp_nvtx_push_depth(tp_nvtx_handle_number(domain));
}

static int domain_pop(const void *domain)
{
    return tp_nvtx_pop_depth(tp_nvtx_handle_number(domain));
}

/* Names a resource of the program. Records only names of threads, because only threads have a row in timelines. */
static void *domain_resource(const void *domain, const struct tp_nvtx_resource *r)
{
    (void)domain;
    struct tp_mark_wide room;
    if (r && r->size >= sizeof *r && r->type == TP_NVTX_THREAD_NATIVE)
        tp_mark_write_thread_name(r->identifier.number, message_text(r->message_type, r->message, &room));
    return number_to_handle(1);
}

static void ignore_destroy(const void *handle)
{
    (void)handle;
}

static void domain_category_a(const void *domain, uint32_t category, const char *text)
{
    name_category(tp_nvtx_handle_number(domain), category, tp_mark_text(text));
}

static void domain_category_w(const void *domain, uint32_t category, const wchar_t *text)
{
    struct tp_mark_wide room;
    name_category(tp_nvtx_handle_number(domain), category, tp_mark_wide(&room, text));
}

static void *domain_register_a(const void *domain, const char *text)
{
    (void)domain;
    return number_to_handle(tp_mark_intern(text));
}

static void *domain_register_w(const void *domain, const wchar_t *text)
{
    (void)domain;
    return number_to_handle(tp_mark_intern_wide(text));
}

static void *domain_create_a(const char *name)
{
    return number_to_handle(tp_mark_intern(name));
}

static void *domain_create_w(const wchar_t *name)
{
    return number_to_handle(tp_mark_intern_wide(name));
}

/* ---- binding ---- */

#define F(name) ((tp_nvtx_function)(name))

/* our functions, by their numbers in NVTX 3; number 0 is unused */
static const tp_nvtx_function core[] = {
    NULL,
    F(mark_attributes),
    F(mark_text),
    F(mark_wide_text),
    F(start_range_with_attributes),
    F(start_range_with_text),
    F(start_range_with_wide_text),
    F(finish_range),
    F(push_range_with_attributes),
    F(push_range_with_text),
    F(push_range_with_wide_text),
    F(pop_range_of_default_domain),
    F(name_category_a),
    F(name_category_w),
    F(name_thread_a),
    F(name_thread_w),
};

static const tp_nvtx_function core2[] = {
    NULL,
    F(domain_mark),
    F(domain_start),
    F(domain_finish),
    F(domain_push),
    F(domain_pop),
    F(domain_resource),
    F(ignore_destroy),
    F(domain_category_a),
    F(domain_category_w),
    F(domain_register_a),
    F(domain_register_w),
    F(domain_create_a),
    F(domain_create_w),
    F(ignore_destroy),
    F(ignore_destroy), /* nvtxInitialize: nothing to do, because the library is already initialized */
};

/* Writes our functions into the slots of a module. In an older NVTX, the module has fewer slots. NVTX reports the
 * number of the module's last function, or this number plus 1, as the size of the module. Returns 1 for success. */
static int bind_module(const struct tp_nvtx_callbacks *callbacks, int module, const tp_nvtx_function *ours,
                       unsigned count)
{
    tp_nvtx_function **table = NULL;
    unsigned size = 0;
    if (!callbacks->get_module(module, &table, &size) || !table)
        return 0;
    for (unsigned i = 1; i < count && i < size; i++)
        if (table[i])
            *table[i] = ours[i];
    return 1;
}

/* NVTX calls this function at the program's first NVTX call, on any thread, maybe before main. Returns 1 for
 * success. */
__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t));

int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t))
{
    const struct tp_nvtx_callbacks *callbacks = get_table ? get_table(TP_NVTX_CALLBACKS) : NULL;
    if (!callbacks || callbacks->size < sizeof *callbacks || !callbacks->get_module)
        return 0;
    int has_core = bind_module(callbacks, TP_NVTX_CORE, core, sizeof core / sizeof *core);
    int has_core2 = bind_module(callbacks, TP_NVTX_CORE2, core2, sizeof core2 / sizeof *core2);
    return has_core || has_core2;
}

/* ---- the source ---- */

static const char *probe_source(const struct tp_source_host *host)
{
    const char *now = tp_environment(variable);
    return now && *now && strcmp(now, host->library) != 0 ? "NVTX_INJECTION64_PATH names another tool" : NULL;
}

static bool start_source(const struct tp_source_host *host, const char *setting)
{
    (void)setting;
    return setenv(variable, host->library, 1) == 0;
}

const struct tp_source tp_source_nvtx = {
    .name = "nvtx",
    .what = "NVTX: ranges and marks of the program and its libraries",
    .is_default = true,
    .probe = probe_source,
    .start = start_source,
};
