/* Delivers the calls of the runtime, of the driver and of the operating system in an export of Nsight Systems: see
 * nsys.h. */
#include "webreport/trace/inputs/sqlite/nsys.h"
#include "writer/base/limits.h"
#include "writer/base/utf8.h"

/* ---- names of calls ---- */

/* Returns the name of a call without the version that CUPTI adds: "_v7000", "_ptsz_v3020". */
static struct tp_str strip_version(struct tp_str name)
{
    static const char *const modes[] = {"_ptsz", "_ptds"};
    struct tp_str rest = name;
    for (size_t i = 0; i < 2; i++)
        if (tp_str_ends(rest, modes[i])) {
            rest.len -= strlen(modes[i]);
            break;
        }
    size_t digits = 0;
    while (digits < rest.len && tp_is_digit(rest.ptr[rest.len - 1 - digits]))
        digits++;
    rest.len -= digits;
    if (!digits || !tp_str_ends(rest, "_v"))
        return name;
    rest.len -= 2;
    for (size_t i = 0; i < 2; i++)
        if (tp_str_ends(rest, modes[i])) {
            rest.len -= strlen(modes[i]);
            break;
        }
    return rest;
}

/* Returns the kind of a call by its name, bits of enum tp_nsys_call. */
static unsigned kind_of_call(struct tp_str name)
{
    static const struct {
        const char *begin;
        unsigned kind;
    } kinds[] = {{"LaunchKernel", TP_NSYS_LAUNCH},
                 {"LaunchCooperativeKernel", TP_NSYS_LAUNCH},
                 {"GraphLaunch", TP_NSYS_LAUNCH},
                 {"Memcpy", TP_NSYS_COPY},
                 {"Memset", TP_NSYS_SET}};
    bool is_driver = name.len > 2 && tp_str_starts(name, "cu") && name.ptr[2] >= 'A' && name.ptr[2] <= 'Z';
    size_t prefix = tp_str_starts(name, "cuda") ? 4 : is_driver ? 2 : 0;
    unsigned kind = is_driver ? TP_NSYS_DRIVER : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && prefix; i++)
        if (tp_str_starts((struct tp_str){name.ptr + prefix, name.len - prefix}, kinds[i].begin))
            return kind | kinds[i].kind;
    return kind;
}

/* Returns the id in names of a call, and its kind. *call_name: text in the row. */
static uint32_t name_of_call(struct tp_nsys *nsys, struct tp_str text, uint32_t string, unsigned *kind)
{
    struct tp_nsys_string *known = string == TP_NO_ID ? NULL : TP_AT(&nsys->strings, struct tp_nsys_string, string);
    if (known && known->call_name != TP_NO_ID) {
        *kind = known->call_kind;
        return known->call_name;
    }
    struct tp_str name = strip_version(text);
    uint32_t id = tp_row_events_name(nsys->events, name);
    *kind = kind_of_call(name);
    if (known) {
        known->call_name = id;
        known->call_kind = (uint8_t)*kind;
    }
    return id;
}

/* ---- calls ---- */

static void count_call(struct tp_nsys *nsys, unsigned kind)
{
    nsys->calls++;
    nsys->launches += (kind & TP_NSYS_LAUNCH) != 0;
    nsys->copies += (kind & TP_NSYS_COPY) != 0;
    nsys->sets += (kind & TP_NSYS_SET) != 0;
}

/* Reads thread and times of a call. Returns false if the call is of another process, or is invalid and was counted in
 * *bad. */
static bool read_call_span(struct tp_nsys *nsys, const struct tp_database_row *row, int64_t span_ns[2],
                           int64_t *global_tid, uint64_t *bad)
{
    bool has_thread = tp_database_int(row, TP_NSYS_GLOBAL_TID, global_tid);
    if (has_thread && tp_nsys_pid(*global_tid) != nsys->pid)
        return false;
    bool is_valid = has_thread && tp_database_int(row, TP_NSYS_START, &span_ns[0]) &&
                    tp_database_int(row, TP_NSYS_END, &span_ns[1]);
    if (!is_valid || span_ns[1] < span_ns[0] || span_ns[0] < -TP_MAX_TIME_NS || span_ns[1] > TP_MAX_TIME_NS) {
        ++*bad;
        return false;
    }
    span_ns[0] -= nsys->shift_ns;
    span_ns[1] -= nsys->shift_ns;
    return true;
}

static int read_call(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    int64_t span_ns[2], global_tid;
    uint32_t string;
    unsigned kind;
    (void)err;
    if (!read_call_span(nsys, row, span_ns, &global_tid, &nsys->bad_calls))
        return TP_OK;
    struct tp_str text = tp_nsys_text(nsys, row, TP_NSYS_NAME_ID, &string);
    if (!text.ptr) {
        nsys->nameless_calls++;
        return TP_OK;
    }
    uint32_t name = name_of_call(nsys, text, string, &kind);
    count_call(nsys, kind);
    tp_row_events_add_call(nsys->events, kind & TP_NSYS_DRIVER ? TP_ROW_DRIVER : TP_ROW_RUNTIME, name,
                           tp_nsys_thread(nsys, global_tid), span_ns, tp_database_int_or(row, TP_NSYS_CORRELATION, 0));
    return TP_OK;
}

int tp_nsys_read_calls(struct tp_nsys *nsys, struct tp_error *err)
{
    const struct tp_database_shape shape = {TP_NSYS_RUNTIME_TABLE, tp_nsys_columns,
                                            TP_NSYS_BIT(START) | TP_NSYS_BIT(END) | TP_NSYS_BIT(GLOBAL_TID) |
                                                TP_NSYS_BIT(CORRELATION) | TP_NSYS_BIT(NAME_ID)};
    return tp_database_scan(nsys->db, &shape, read_call, nsys, err);
}

/* ---- calls of the operating system ---- */

static int read_os_call(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    struct tp_nsys *nsys = context;
    int64_t span_ns[2], global_tid;
    uint32_t string;
    (void)err;
    if (!read_call_span(nsys, row, span_ns, &global_tid, &nsys->bad_os_calls))
        return TP_OK;
    struct tp_str text = tp_nsys_text(nsys, row, TP_NSYS_NAME_ID, &string);
    text = text.len ? text : TP_STR("[unnamed call]");
    text.len = tp_utf8_fitting_bytes(text.ptr, text.len, TP_MAX_SYMBOL_BYTES);
    tp_sink_add_os_call(nsys->sink,
                        &(struct tp_os_call){.ts_ns = span_ns[0],
                                             .dur_ns = span_ns[1] - span_ns[0],
                                             .name = tp_sink_intern_text(nsys->sink, &nsys->sink->texts, text),
                                             .thread = tp_nsys_thread(nsys, global_tid)});
    return TP_OK;
}

int tp_nsys_read_os_calls(struct tp_nsys *nsys, struct tp_error *err)
{
    const struct tp_database_shape shape = {TP_NSYS_OS_TABLE, tp_nsys_columns,
                                            TP_NSYS_BIT(START) | TP_NSYS_BIT(END) | TP_NSYS_BIT(GLOBAL_TID) |
                                                TP_NSYS_BIT(NAME_ID)};
    return tp_database_scan(nsys->db, &shape, read_os_call, nsys, err);
}
