/* Reads the payloads of NCCL's ranges in an export of Nsight Systems: see nsys_nccl.h. */
#include "webreport/trace/inputs/sqlite/nsys_nccl.h"

#include <ctype.h>

#include "webreport/trace/collective_kinds.h"
#include "webreport/trace/comm_names.h"
#include "webreport/trace/inputs/sqlite/range_text.h"
#include "writer/base/limits.h"
#include "writer/base/saturate.h"
#include "writer/base/sort.h"

enum { HEAD_BYTES = 32, SCHEMA_AT = 8, SIZE_AT = 16, MOST_BYTES = 512 };

/* A known field of a schema. */
struct field {
    int64_t domain, schema, offset;
    enum tp_nccl_field field;
    unsigned bytes; /* size of the value: 4 or 8 */
};

/* A range with the size of a message. */
struct message {
    int64_t start_ns, end_ns;
    uint32_t thread, comm; /* comm: index of the arguments of the collective, in the sink */
};

/* ---- schemas ---- */

enum { DOMAIN, SCHEMA, TYPE, NAME, OFFSET, COLUMNS };

/* Returns the size of a value by its type in the payload extension of NVTX 3; 0 for types that NCCL does not use. */
static unsigned bytes_of_type(int64_t type)
{
    enum { INT = 5, UINT = 6, INT32 = 15, UINT32 = 16, INT64 = 17, UINT64 = 18, SIZE = 22 };
    if (type == INT || type == UINT || type == INT32 || type == UINT32)
        return 4;
    return type == INT64 || type == UINT64 || type == SIZE ? 8 : 0;
}

static int read_field(void *context, const struct tp_database_row *row, struct tp_error *err)
{
    static const char *const names[TP_NCCL_FIELDS] = {[TP_NCCL_COMMUNICATOR] = "NCCL communicator ID",
                                                      [TP_NCCL_RANKS] = "No. of ranks",
                                                      [TP_NCCL_RANK] = "Rank",
                                                      [TP_NCCL_BYTES] = "Message size [bytes]",
                                                      [TP_NCCL_PEER] = "Peer rank"};
    struct tp_nccl *nccl = context;
    struct field field = {.bytes = bytes_of_type(tp_database_int_or(row, TYPE, 0))};
    struct tp_str name = tp_database_text(row, NAME);
    (void)err;
    bool is_complete = tp_database_int(row, DOMAIN, &field.domain) && tp_database_int(row, SCHEMA, &field.schema);
    field.offset = tp_database_int_or(row, OFFSET, 0); /* NULL for the first field */
    if (!is_complete || !field.bytes || field.offset < 0 || field.offset > MOST_BYTES)
        return TP_OK;
    for (unsigned i = 0; i < TP_NCCL_FIELDS; i++)
        if (tp_str_equal(name, tp_str_of(names[i])) && nccl->fields.count < TP_MAX_NCCL_FIELDS) {
            field.field = (enum tp_nccl_field)i;
            *(struct field *)tp_vec_push(&nccl->fields) = field;
        }
    return TP_OK;
}

int tp_nccl_open(struct tp_nccl *nccl, struct tp_nsys *nsys, struct tp_error *err)
{
    static const char *const columns[COLUMNS] = {
        [DOMAIN] = "domainId", [SCHEMA] = "schemaId", [TYPE] = "type", [NAME] = "name", [OFFSET] = "offset"};
    const struct tp_database_shape shape = {"NVTX_PAYLOAD_SCHEMA_ENTRIES", columns, (1 << COLUMNS) - 1};
    struct tp_arena *scratch = nsys->scratch;
    *nccl = (struct tp_nccl){.nsys = nsys,
                             .fields = TP_VEC(scratch, struct field),
                             .messages = TP_VEC(scratch, struct message),
                             .inits = TP_VEC(scratch, struct tp_nccl_payload)};
    tp_id_map_init(&nccl->ranks, scratch);
    tp_id_map_init(&nccl->comms, scratch);
    return tp_database_scan(nsys->db, &shape, read_field, nccl, err);
}

/* ---- payloads ---- */

static int64_t read_number(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return bytes == 4 ? (int64_t)(int32_t)value : (int64_t)value;
}

static int digit_of(char c)
{
    return tp_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Copies the bytes of a payload: bytes, or the text "0x.." with two digits per byte. Returns their number; 0 if the
 * text is too long or has other characters. */
static size_t copy_bytes(unsigned char out[MOST_BYTES], struct tp_str value)
{
    bool is_text = tp_str_starts(value, "0x");
    size_t count = is_text ? (value.len - 2) / 2 : value.len;
    if (count > MOST_BYTES || (!is_text && !count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        int high = is_text ? digit_of(value.ptr[2 + 2 * i]) : 0, low = is_text ? digit_of(value.ptr[3 + 2 * i]) : 0;
        if (high < 0 || low < 0)
            return 0;
        out[i] = is_text ? (unsigned char)(high * 16 + low) : (unsigned char)value.ptr[i];
    }
    return count;
}

bool tp_nccl_read(const struct tp_nccl *nccl, const struct tp_database_row *row, struct tp_nccl_payload *out)
{
    unsigned char bytes[MOST_BYTES];
    bool has_any = false;
    if (!nccl->fields.count)
        return false;
    struct tp_str value = tp_database_text(row, TP_NSYS_PAYLOAD);
    value = value.ptr ? value : tp_database_bytes(row, TP_NSYS_PAYLOAD);
    size_t count = value.len ? copy_bytes(bytes, value) : 0;
    if (count < HEAD_BYTES)
        return false;
    int64_t domain = read_number(bytes, 8), schema = read_number(bytes + SCHEMA_AT, 8);
    int64_t size = read_number(bytes + SIZE_AT, 8);
    if (size < 0 || size > (int64_t)count - HEAD_BYTES)
        return false;
    for (unsigned i = 0; i < TP_NCCL_FIELDS; i++)
        out->fields[i] = TP_NULL_INT;
    for (size_t i = 0; i < nccl->fields.count; i++) {
        const struct field *field = TP_AT(&nccl->fields, struct field, i);
        bool is_there = field->domain == domain && field->schema == schema && field->offset + field->bytes <= size;
        if (is_there)
            out->fields[field->field] = read_number(bytes + HEAD_BYTES + field->offset, field->bytes);
        has_any |= is_there;
    }
    return has_any;
}

/* ---- ranges ---- */

/* Returns the id in values of a text as a JSON string. */
static uint32_t value_of_text(struct tp_nccl *nccl, struct tp_str text)
{
    struct tp_sink *sink = nccl->nsys->sink;
    char json[64] = "\"";
    size_t size = 1;
    for (size_t i = 0; i < text.len && size < sizeof json - 1; i++)
        if (isalnum((unsigned char)text.ptr[i]))
            json[size++] = (char)tolower((unsigned char)text.ptr[i]);
    json[size++] = '"';
    return tp_sink_intern_text(sink, &sink->values, (struct tp_str){json, size});
}

/* Adds the arguments of a collective. NCCL gives the size of the data that a rank sends, for a reduce_scatter the size
 * that a rank receives. The type of the elements is unknown, so the sizes are numbers of bytes. Returns their index. */
static uint32_t add_comm(struct tp_nccl *nccl, const struct tp_nccl_payload *payload, struct tp_str name)
{
    struct tp_sink *sink = nccl->nsys->sink;
    int64_t bytes = payload->fields[TP_NCCL_BYTES];
    uint32_t ranks = tp_id_map_get(&nccl->ranks, (uint64_t)payload->fields[TP_NCCL_COMMUNICATOR]);
    const struct tp_collective_kind *kind = tp_collective_kind_by_name(name);
    int64_t all = ranks != TP_NO_ID ? tp_sat_mul(bytes, ranks) : bytes;
    bool is_gather = kind && strcmp(kind->name, "all_gather") == 0;
    bool is_scatter = kind && strcmp(kind->name, "reduce_scatter") == 0;
    struct tp_comm_detail comm = {.group_size = TP_NO_ID,
                                  .group_name = TP_NO_ID,
                                  .group_description = TP_NO_ID,
                                  .group_ranks = TP_NO_ID,
                                  .in_count = is_scatter ? all : bytes,
                                  .out_count = is_gather ? all : bytes,
                                  .sequence = TP_NULL_INT,
                                  .peer = payload->fields[TP_NCCL_PEER]};
    comm.collective = value_of_text(nccl, (struct tp_str){name.ptr + 4, name.len - 4});
    comm.dtype = tp_sink_intern_text(sink, &sink->values, TP_STR("\"Byte\""));
    if (ranks != TP_NO_ID)
        comm.group_size = tp_row_events_integer(nccl->nsys->events, ranks);
    return tp_sink_add_comm(sink, &comm);
}

void tp_nccl_add(struct tp_nccl *nccl, const struct tp_nccl_payload *payload, struct tp_str name, uint32_t thread,
                 const int64_t span_ns[2])
{
    const int64_t *fields = payload->fields;
    if (fields[TP_NCCL_RANKS] > 0 && fields[TP_NCCL_RANKS] <= INT32_MAX && fields[TP_NCCL_RANK] >= 0 &&
        fields[TP_NCCL_RANK] < fields[TP_NCCL_RANKS]) {
        *(struct tp_nccl_payload *)tp_vec_push(&nccl->inits) = *payload;
        *tp_id_map_find_or_add(&nccl->ranks, (uint64_t)fields[TP_NCCL_COMMUNICATOR]) = (uint32_t)fields[TP_NCCL_RANKS];
    } else if (fields[TP_NCCL_BYTES] >= 0 && tp_range_text_is_nccl_call(name)) {
        *(struct message *)tp_vec_push(&nccl->messages) =
            (struct message){span_ns[0], span_ns[1], thread, add_comm(nccl, payload, name)};
    }
}

/* ---- results ---- */

/* Reports the rank in the largest communicator. A process that has several ranks in it has no rank. */
static void report_rank(struct tp_nccl *nccl)
{
    const struct tp_nccl_payload *best = NULL;
    bool is_unique = true;
    for (size_t i = 0; i < nccl->inits.count; i++) {
        const struct tp_nccl_payload *init = TP_AT(&nccl->inits, struct tp_nccl_payload, i);
        if (!best || init->fields[TP_NCCL_RANKS] > best->fields[TP_NCCL_RANKS]) {
            best = init;
            is_unique = true;
        } else if (init->fields[TP_NCCL_RANKS] == best->fields[TP_NCCL_RANKS]) {
            is_unique = is_unique && init->fields[TP_NCCL_RANK] == best->fields[TP_NCCL_RANK];
        }
    }
    if (!best || !is_unique)
        return;
    struct tp_buf *text = &nccl->nsys->events->text;
    tp_buf_clear(text);
    tp_buf_printf(text, "{\"rank\":%lld,\"world_size\":%lld}", (long long)best->fields[TP_NCCL_RANK],
                  (long long)best->fields[TP_NCCL_RANKS]);
    tp_sink_add_member(nccl->nsys->sink, TP_STR("distributedInfo"), tp_row_events_buffer_text(nccl->nsys->events));
    nccl->nsys->has_rank = true;
}

static int compare_messages(const void *x, const void *y, const void *context)
{
    const struct message *a = x, *b = y;
    (void)context;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Returns the last message whose range begins before a time on a thread; NULL if the range ends before this time. */
static const struct message *message_at(const struct tp_nccl *nccl, uint32_t thread, int64_t time_ns)
{
    const struct message *messages = nccl->messages.data, key = {.start_ns = time_ns, .thread = thread};
    size_t low = 0, high = nccl->messages.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_messages(&messages[middle], &key, NULL) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct message *found = low ? &messages[low - 1] : NULL;
    return found && found->thread == thread && found->end_ns >= time_ns ? found : NULL;
}

/* Adds the arguments of collectives to the kernels of NCCL that calls inside the ranges of NCCL launched. */
static void add_messages_to_kernels(struct tp_nccl *nccl)
{
    struct tp_sink *sink = nccl->nsys->sink;
    tp_merge_sort(nccl->nsys->scratch, nccl->messages.data, nccl->messages.count, sizeof(struct message),
                  compare_messages, NULL);
    for (size_t i = 0; i < sink->events.count; i++) {
        const struct tp_event *event = TP_AT(&sink->events, struct tp_event, i);
        const struct message *message =
            event->kind == TP_KIND_RUNTIME ? message_at(nccl, event->thread, event->ts_ns) : NULL;
        if (message)
            *tp_id_map_find_or_add(
                &nccl->comms, (uint64_t)TP_AT(&sink->launches, struct tp_launch_detail, event->detail)->correlation) =
                message->comm;
    }
    for (size_t i = 0; i < sink->events.count; i++) {
        const struct tp_event *event = TP_AT(&sink->events, struct tp_event, i);
        if (event->kind != TP_KIND_KERNEL)
            continue;
        struct tp_device_detail *device = TP_AT(&sink->devices, struct tp_device_detail, event->detail);
        uint32_t comm = tp_id_map_get(&nccl->comms, (uint64_t)device->correlation);
        if (comm != TP_NO_ID && tp_comm_is_kernel_name(tp_strings_get(&sink->trace->names, event->name)))
            device->comm = comm;
    }
}

void tp_nccl_finish(struct tp_nccl *nccl)
{
    report_rank(nccl);
    if (nccl->messages.count)
        add_messages_to_kernels(nccl);
}
