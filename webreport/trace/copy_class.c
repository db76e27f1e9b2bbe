/* Finds the class of a copy: see copy_class.h. The numbers of kinds are those of CUpti_ActivityMemcpyKind and
 * CUpti_ActivityMemoryKind in CUPTI. The names of kinds are those of torch/profiler/_cupti_monitor_trace.py in torch
 * 2.13. */
#include "webreport/trace/copy_class.h"

#include <stdbool.h>

#include "webreport/trace/json/number.h"

static const char *const kinds[] = {"", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};
static const char *const memories[] = {"unknown", "pageable", "pinned",        "device",
                                       "array",   "managed",  "device_static", "managed_static"};
static const char *const memory_names[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                           "Array",   "Managed",  "Device Static", "Managed Static"};

enum { KINDS = sizeof kinds / sizeof *kinds, MEMORIES = sizeof memories / sizeof *memories };

/* Returns the number in a JSON token if it is below `count`; 0 for other tokens. */
static unsigned parse_small_number(struct tp_str token, unsigned count)
{
    int64_t number;
    bool is_number = token.len && tp_number_parse_int(token, &number) == TP_NUMBER_OK && number > 0 && number < count;
    return is_number ? (unsigned)number : 0;
}

static bool is_json_text(struct tp_str token)
{
    return token.len >= 2 && token.ptr[0] == '"';
}

/* Returns the index in `kinds` of the copy kind that a token names; 0 if the token gives no direction. */
static unsigned copy_kind_index(struct tp_str token)
{
    static const unsigned of_direction[] = {[TP_COPY_UNKNOWN] = 0, [TP_COPY_HTOD] = 1,  [TP_COPY_DTOH] = 2,
                                            [TP_COPY_DTOD] = 8,    [TP_COPY_PTOP] = 10, [TP_COPY_OTHER] = 0};
    if (!is_json_text(token))
        return parse_small_number(token, KINDS);
    struct tp_str word = {token.ptr + 1, token.len - 2};
    for (unsigned i = 1; i < KINDS; i++)
        if (tp_str_equal(word, tp_str_of(kinds[i])))
            return i;
    return of_direction[tp_copy_direction_of_name(word)];
}

/* Returns the index in `memories` of the memory kind that a token names; 0 if unknown. */
static unsigned memory_kind_index(struct tp_str token)
{
    if (!is_json_text(token))
        return parse_small_number(token, MEMORIES);
    struct tp_str word = {token.ptr + 1, token.len - 2};
    for (unsigned i = 1; i < MEMORIES; i++)
        if (word.len == strlen(memories[i]) && tp_str_find_ignore_case(word, memories[i]) == 0)
            return i;
    return 0;
}

bool tp_copy_name_from_args(struct tp_buf *out, struct tp_str kind, struct tp_str source, struct tp_str target)
{
    unsigned way = copy_kind_index(kind);
    if (!way)
        return false;
    tp_buf_printf(out, "Memcpy %s (%s -> %s)", kinds[way], memory_names[memory_kind_index(source)],
                  memory_names[memory_kind_index(target)]);
    return true;
}

bool tp_set_name_from_args(struct tp_buf *out, struct tp_str kind)
{
    if (!kind.len)
        return false;
    tp_buf_printf(out, "Memset (%s)", memory_names[memory_kind_index(kind)]);
    return true;
}

/* ---- direction by name ---- */

/* Texts in names of copies and the direction that each one means. Texts are compared in lower case. The first row whose
 * text occurs in the name gives the direction. */
static const struct {
    const char *part;
    enum tp_copy_direction direction;
} parts[] = {{"ptop", TP_COPY_PTOP},
             {"p2p", TP_COPY_PTOP},
             {"htoh", TP_COPY_OTHER},
             {"htod", TP_COPY_HTOD},
             {"h2d", TP_COPY_HTOD},
             {"hosttodevice", TP_COPY_HTOD},
             {"host_to_device", TP_COPY_HTOD},
             {"host to device", TP_COPY_HTOD},
             {"host -> device", TP_COPY_HTOD},
             {"host->device", TP_COPY_HTOD},
             {"pageable -> device", TP_COPY_HTOD},
             {"pinned -> device", TP_COPY_HTOD},
             {"(m2d", TP_COPY_HTOD}, /* in names of Level Zero, M means the memory of the host */
             {" m2d", TP_COPY_HTOD},
             {"dtoh", TP_COPY_DTOH},
             {"d2h", TP_COPY_DTOH},
             {"devicetohost", TP_COPY_DTOH},
             {"device_to_host", TP_COPY_DTOH},
             {"device to host", TP_COPY_DTOH},
             {"device -> host", TP_COPY_DTOH},
             {"device->host", TP_COPY_DTOH},
             {"device -> pageable", TP_COPY_DTOH},
             {"device -> pinned", TP_COPY_DTOH},
             {"(d2m", TP_COPY_DTOH},
             {" d2m", TP_COPY_DTOH},
             {"dtod", TP_COPY_DTOD},
             {"d2d", TP_COPY_DTOD},
             {"devicetodevice", TP_COPY_DTOD},
             {"device_to_device", TP_COPY_DTOD},
             {"device to device", TP_COPY_DTOD},
             {"device -> device", TP_COPY_DTOD},
             {"device->device", TP_COPY_DTOD},
             {"htoa", TP_COPY_OTHER},
             {"atoh", TP_COPY_OTHER},
             {"atoa", TP_COPY_OTHER},
             {"atod", TP_COPY_OTHER},
             {"dtoa", TP_COPY_OTHER},
             {"h2h", TP_COPY_OTHER},
             {"hosttohost", TP_COPY_OTHER},
             {"host_to_host", TP_COPY_OTHER},
             {"host to host", TP_COPY_OTHER},
             {"host -> host", TP_COPY_OTHER},
             {"(m2m", TP_COPY_OTHER},
             {" m2m", TP_COPY_OTHER},
             {"peertopeer", TP_COPY_PTOP},
             {"peer_to_peer", TP_COPY_PTOP},
             {"peer to peer", TP_COPY_PTOP}};

enum tp_copy_direction tp_copy_direction_of_name(struct tp_str name)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (tp_str_find_ignore_case(name, parts[i].part) >= 0)
            return parts[i].direction;
    return TP_COPY_UNKNOWN;
}
