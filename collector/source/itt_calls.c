/* Implements the ITT functions that programs call; each function writes a record. See itt.c.
 *
 * ITT functions with times from a clock of the program (names in _ex) are not implemented, because their times would be
 * wrong in the recording. */
#include "collector/source/itt_calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/recorder.h"
#include "collector/source/itt_handles.h"
#include "collector/source/mark.h"
#include "writer/base/path.h"
#include "writer/base/str.h"

struct id {
    unsigned long long d1, d2, d3; /* id from the program; all members are 0 if there is no id */
};

typedef struct tp_itt_domain domain;
typedef struct tp_itt_string string;
typedef struct tp_itt_counter counter;

/* ---- records ---- */

/* Returns a key that identifies a range. The key is never 0, and differs from NVTX's keys. */
static uint64_t make_range_key(uint32_t in, struct id id, enum tp_spool_form form)
{
    uint64_t key = tp_hash_mix(id.d1 ^ 0x9E3779B97F4A7C15ull, id.d2 ^ 0xE7037ED1A0B428DBull);
    return tp_hash_mix(key ^ id.d3, (uint64_t)in << 8 | (unsigned)form) | 1ull << 63;
}

static bool is_null_id(struct id id)
{
    return (id.d1 | id.d2 | id.d3) == 0;
}

/* Returns the key of an id. The key does not depend on the kind of range, so that metadata for the id finds ranges of
 * every kind. */
static uint64_t make_id_key(uint32_t in, struct id id)
{
    return make_range_key(in, id, TP_SPOOL_FORM_TASK);
}

static void write_mark_record(uint8_t kind, uint32_t in, uint64_t key, enum tp_spool_form form, uint32_t name)
{
    const struct tp_spool_mark mark = {.domain = in, .form = (uint8_t)form, .has_more = key != 0, .key = key};
    tp_mark_write(kind, &mark, tp_mark_number(name));
}

/* ---- tasks ---- */

static void task_begin(const domain *d, struct id id, struct id parent, string *name)
{
    (void)parent;
    uint32_t in = tp_itt_domain_number(d);
    write_mark_record(TP_SPOOL_MARK_PUSH, in, is_null_id(id) ? 0 : make_id_key(in, id), TP_SPOOL_FORM_TASK,
                      tp_itt_string_number(name));
}

/* Writes the name of a function to `text`. If the name is unknown, writes the function's offset in its file. */
static void name_function(char *text, size_t size, void *function)
{
    Dl_info info;
    if (!dladdr(function, &info) || !info.dli_fname) {
        snprintf(text, size, "function %p", function);
        return;
    }
    if (info.dli_sname)
        snprintf(text, size, "%s", info.dli_sname);
    else
        snprintf(text, size, "%s+0x%zx", tp_path_base(info.dli_fname),
                 (size_t)((char *)function - (char *)info.dli_fbase));
}

static void task_begin_fn(const domain *d, struct id id, struct id parent, void *function)
{
    (void)parent;
    char text[256];
    uint32_t in = tp_itt_domain_number(d);
    const struct tp_spool_mark mark = {
        .domain = in, .form = TP_SPOOL_FORM_TASK, .has_more = 1, .key = is_null_id(id) ? 0 : make_id_key(in, id)};
    name_function(text, sizeof text, function);
    tp_mark_write(TP_SPOOL_MARK_PUSH, &mark, tp_mark_text(text));
}

static void task_end(const domain *d)
{
    tp_mark_end_innermost(tp_itt_domain_number(d));
}

static void task_begin_overlapped(const domain *d, struct id id, struct id parent, string *name)
{
    (void)parent;
    uint32_t in = tp_itt_domain_number(d);
    write_mark_record(TP_SPOOL_MARK_START, in, make_id_key(in, id), TP_SPOOL_FORM_TASK, tp_itt_string_number(name));
}

static void task_end_overlapped(const domain *d, struct id id)
{
    tp_mark_end_by_key(make_id_key(tp_itt_domain_number(d), id));
}

static void region_begin(const domain *d, struct id id, struct id parent, string *name)
{
    (void)parent;
    uint32_t in = tp_itt_domain_number(d);
    write_mark_record(TP_SPOOL_MARK_START, in, make_id_key(in, id), TP_SPOOL_FORM_REGION, tp_itt_string_number(name));
}

static void region_end(const domain *d, struct id id)
{
    tp_mark_end_by_key(make_id_key(tp_itt_domain_number(d), id));
}

static void marker(const domain *d, struct id id, string *name, int scope)
{
    (void)id, (void)scope;
    write_mark_record(TP_SPOOL_MARK_POINT, tp_itt_domain_number(d), 0, TP_SPOOL_FORM_RANGE, tp_itt_string_number(name));
}

/* ---- frames, recorded as ranges with the name of the domain ---- */

static uint64_t make_frame_key(uint32_t in, const struct id *id)
{
    return id && !is_null_id(*id) ? make_id_key(in, *id)
                                  : make_range_key(in, (struct id){0, 0, 0}, TP_SPOOL_FORM_FRAME);
}

static void frame_begin_v3(const domain *d, const struct id *id)
{
    uint32_t in = tp_itt_domain_number(d);
    write_mark_record(TP_SPOOL_MARK_START, in, make_frame_key(in, id), TP_SPOOL_FORM_FRAME, 0);
}

static void frame_end_v3(const domain *d, const struct id *id)
{
    tp_mark_end_by_key(make_frame_key(tp_itt_domain_number(d), id));
}

static unsigned long long get_timestamp(void)
{
    return tp_clock_now();
}

static void frame_submit_v3(const domain *d, const struct id *id, unsigned long long begin, unsigned long long end)
{
    uint32_t in = tp_itt_domain_number(d);
    uint64_t now = tp_clock_now();
    const struct tp_spool_mark mark = {
        .domain = in, .form = TP_SPOOL_FORM_FRAME, .has_more = 1, .key = make_frame_key(in, id)};
    end = end && end < now ? end : now;
    tp_mark_write_span(&mark, 0, begin && begin < end ? begin : end, end);
}

static void *frame_create(const char *name)
{
    return tp_itt_domain(name);
}

static void frame_begin(void *frame)
{
    frame_begin_v3(frame, NULL);
}

static void frame_end(void *frame)
{
    frame_end_v3(frame, NULL);
}

/* ---- events and marks of the older interface, where a handle is the number of a name ---- */

static int event_create(const char *name, int size)
{
    char text[TP_NAME_BYTES + 1];
    size_t n = name ? strnlen(name, size > 0 && size < TP_NAME_BYTES ? (size_t)size : TP_NAME_BYTES) : 0;
    memcpy(text, name ? name : "", n);
    text[n] = '\0';
    return (int)tp_mark_intern(text);
}

/* Returns the key of an event on this thread. */
static uint64_t make_event_key(int event)
{
    static _Thread_local char here __attribute__((tls_model("initial-exec")));
    return make_range_key(TP_SPOOL_ITT, (struct id){(unsigned long long)(uintptr_t)&here, (unsigned long long)event, 0},
                          TP_SPOOL_FORM_EVENT);
}

static int event_start(int event)
{
    write_mark_record(TP_SPOOL_MARK_START, TP_SPOOL_ITT, make_event_key(event), TP_SPOOL_FORM_EVENT,
                      (uint32_t)event & ~TP_SPOOL_ITT);
    return 0;
}

static int event_end(int event)
{
    tp_mark_end_by_key(make_event_key(event));
    return 0;
}

static int mark_create(const char *name)
{
    return (int)tp_mark_intern(name);
}

static int mark(int type, const char *parameter)
{
    (void)parameter;
    write_mark_record(TP_SPOOL_MARK_POINT, TP_SPOOL_ITT, 0, TP_SPOOL_FORM_RANGE, (uint32_t)type & ~TP_SPOOL_ITT);
    return 0;
}

/* ---- counters ---- */

static counter *counter_create(const char *name, const char *in)
{
    return tp_itt_counter(name, in, TP_ITT_U64);
}

static counter *counter_create_typed(const char *name, const char *in, int type)
{
    return tp_itt_counter(name, in, type);
}

static counter *counter_create_v3(const domain *d, const char *name, int type)
{
    return tp_itt_counter(name, d ? d->name : NULL, type);
}

static void counter_destroy(counter *c)
{
    (void)c;
}

static void counter_set_value(counter *c, const void *value)
{
    tp_itt_counter_set(c, value);
}

static void counter_inc(counter *c)
{
    tp_itt_counter_add(c, 1);
}

static void counter_inc_delta(counter *c, unsigned long long delta)
{
    tp_itt_counter_add(c, (int64_t)delta);
}

static void counter_dec(counter *c)
{
    tp_itt_counter_add(c, -1);
}

static void counter_dec_delta(counter *c, unsigned long long delta)
{
    tp_itt_counter_add(c, (int64_t)(0 - delta));
}

static void counter_inc_v3(const domain *d, string *name)
{
    tp_itt_counter_add_by_name(d, name, 1);
}

static void counter_inc_delta_v3(const domain *d, string *name, unsigned long long delta)
{
    tp_itt_counter_add_by_name(d, name, (int64_t)delta);
}

static void counter_dec_v3(const domain *d, string *name)
{
    tp_itt_counter_add_by_name(d, name, -1);
}

static void counter_dec_delta_v3(const domain *d, string *name, unsigned long long delta)
{
    tp_itt_counter_add_by_name(d, name, (int64_t)(0 - delta));
}

/* ---- metadata and names ---- */

static struct tp_spool_fact_head make_fact_head(const domain *d, struct id id)
{
    uint32_t in = tp_itt_domain_number(d);
    return (struct tp_spool_fact_head){.key = is_null_id(id) ? 0 : make_id_key(in, id), .domain = in};
}

static void metadata_add(const domain *d, struct id id, string *key, int type, size_t count, const void *data)
{
    struct tp_spool_fact_head head = make_fact_head(d, id);
    uint64_t values[TP_MARK_VALUES];
    uint32_t size = tp_itt_value_size(type);
    head.count = size && data ? (uint16_t)(count < TP_MARK_VALUES ? count : TP_MARK_VALUES) : 0;
    head.type = TP_SPOOL_UNSIGNED;
    for (uint32_t i = 0; i < head.count; i++)
        values[i] = tp_itt_convert_value(&head.type, type, (const char *)data + (size_t)i * size);
    tp_mark_write_values(tp_itt_string_number(key), &head, values);
}

static void metadata_str_add(const domain *d, struct id id, string *key, const char *text, size_t size)
{
    struct tp_spool_fact_head head = make_fact_head(d, id);
    head.type = TP_SPOOL_TEXT;
    tp_mark_write_text_fact(tp_itt_string_number(key), &head, text, size ? size : SIZE_MAX);
}

static void thread_set_name(const char *name)
{
    tp_mark_write_thread_name((uint64_t)syscall(SYS_gettid), tp_mark_text(name));
}

static int thr_name_set(const char *name, int size)
{
    char text[TP_NAME_BYTES + 1];
    snprintf(text, sizeof text, "%.*s", size > 0 ? size : 0, name ? name : "");
    thread_set_name(text);
    return 0;
}

/* Records a request to pause or resume as an instant of the whole run. The recording itself continues. */
static void record_pause_request(const char *text)
{
    const struct tp_spool_mark point = {.domain = TP_SPOOL_ITT};
    tp_mark_write(TP_SPOOL_MARK_POINT, &point, tp_mark_text(text));
}

static void pause_collection(void)
{
    record_pause_request("ITT pause");
}

static void resume_collection(void)
{
    record_pause_request("ITT resume");
}

/* ---- the table of ITT functions ---- */

const struct tp_itt_function tp_itt_functions[] = {
#define F(name)                                                                                                        \
    {                                                                                                                  \
#name, (tp_itt_call)(name)                                                                                     \
    }
    {"domain_create", (tp_itt_call)tp_itt_domain},
    {"string_handle_create", (tp_itt_call)tp_itt_string},
    {"mark_global", (tp_itt_call)mark},
    {"pause", (tp_itt_call)pause_collection},
    {"resume", (tp_itt_call)resume_collection},
    F(task_begin),
    F(task_begin_fn),
    F(task_end),
    F(task_begin_overlapped),
    F(task_end_overlapped),
    F(region_begin),
    F(region_end),
    F(marker),
    F(frame_begin_v3),
    F(frame_end_v3),
    F(frame_submit_v3),
    F(frame_create),
    F(frame_begin),
    F(frame_end),
    F(get_timestamp),
    F(event_create),
    F(event_start),
    F(event_end),
    F(mark_create),
    F(mark),
    F(counter_create),
    F(counter_create_typed),
    F(counter_create_v3),
    F(counter_destroy),
    F(counter_set_value),
    {"counter_set_value_v3", (tp_itt_call)counter_set_value},
    F(counter_inc),
    F(counter_inc_delta),
    F(counter_dec),
    F(counter_dec_delta),
    F(counter_inc_v3),
    F(counter_inc_delta_v3),
    F(counter_dec_v3),
    F(counter_dec_delta_v3),
    F(metadata_add),
    F(metadata_str_add),
    F(thread_set_name),
    F(thr_name_set),
#undef F
    {NULL, NULL},
};
