/* Converts `.tps` files to sets of processes and back: see summary_file.h. Records are copied byte by byte. */
#include "webreport/measure/summary/summary_file.h"

#include "webreport/measure/summary/message.h"
#include "webreport/measure/summary/summary_format.h"
#include "writer/base/crc32c.h"
#include "writer/base/limits.h"
#include "writer/proto/summary_file.pb-c.h"

/* ---- reading ---- */

bool tp_summary_is_file(const void *bytes, size_t size)
{
    static const char beginning[] = "\rTPS1"; /* bytes of the field `magic`, which is written first */
    return size >= sizeof beginning - 1 && memcmp(bytes, beginning, sizeof beginning - 1) == 0;
}

/* Checks all fields of a file except its records. */
static int check_header(const Tp__SummaryFile *file, struct tp_error *err)
{
    if (file->has_major && file->major != TP_SUMMARY_MAJOR)
        return tp_error_set(err, TP_EUNSUPPORTED, 0,
                            "the summary has format %llu, but this version of tracepress reads only format %d",
                            (unsigned long long)file->major, TP_SUMMARY_MAJOR);
    if (!file->has_major || !file->has_minor || !file->has_count || file->base.n_unknown_fields)
        return tp_error_set(err, TP_EFORMAT, 0, "the summary is cut or damaged");
    if (file->count != file->n_record)
        return tp_error_set(err, TP_EFORMAT, 0, "the summary is cut after %zu process%s", file->n_record,
                            file->n_record == 1 ? "" : "es");
    return TP_OK;
}

/* Appends the records of a file, without sorting. */
static int add_records(struct tp_summary_set *set, const Tp__SummaryFile *file, struct tp_error *err)
{
    for (size_t i = 0; i < file->n_record; i++) {
        const Tp__SummaryRecord *record = file->record[i];
        struct tp_str entry = {(const char *)record->entry.data, record->entry.len};
        struct tp_error why = {0};
        if (!record->has_crc32c || !entry.len || record->crc32c != tp_crc32c(entry.ptr, entry.len))
            return tp_error_set(err, TP_EFORMAT, 0, "process %zu of the summary is damaged", i + 1);
        int code = tp_summary_set_add_entry(set, entry, &why);
        if (code < 0)
            return tp_error_set(err, code, 0, "%.160s (process %zu of the summary)", why.text, i + 1);
    }
    return TP_OK;
}

int tp_summary_set_read(struct tp_summary_set *set, const void *bytes, size_t size, struct tp_error *err)
{
    /* protobuf-c needs about 200 additional bytes for each process in the file */
    struct tp_message_memory memory = {set->arena, size + 256 * (uint64_t)TP_MAX_SUMMARIES, false};
    size_t first = set->count;
    if (!tp_summary_is_file(bytes, size))
        return tp_error_set(err, TP_EFORMAT, 0, "the file is not a summary of tracepress");
    const Tp__SummaryFile *file =
        tp_message_parse(&tp__summary_file__descriptor, (struct tp_str){bytes, size}, &memory);
    if (!file)
        return memory.is_memory_exhausted ? tp_error_set(err, TP_ELIMIT, 0, "more than %u processes", TP_MAX_SUMMARIES)
                                          : tp_error_set(err, TP_EFORMAT, 0, "the summary is cut or damaged");
    int code = check_header(file, err);
    code = code < 0 ? code : add_records(set, file, err);
    if (code < 0) {
        set->count = first;
        return code;
    }
    if (file->minor > set->minor)
        set->minor = file->minor;
    tp_summary_set_sort_and_merge(set, first);
    return TP_OK;
}

/* ---- writing ---- */

/* Writes one part of a message. The concatenation of all serialized parts is the whole message. */
static void append_part(struct tp_buf *out, const Tp__SummaryFile *part)
{
    size_t size = tp__summary_file__get_packed_size(part);
    if (tp_buf_reserve(out, size) == 0)
        out->size += tp__summary_file__pack(part, (uint8_t *)out->data + out->size);
}

void tp_summary_file_begin(struct tp_buf *out, const struct tp_summary_set *set)
{
    Tp__SummaryFile head = TP__SUMMARY_FILE__INIT;
    head.has_magic = head.has_major = head.has_minor = head.has_count = true;
    head.magic = TP_SUMMARY_MAGIC;
    head.major = TP_SUMMARY_MAJOR;
    head.minor = set->minor;
    head.count = (uint32_t)set->count;
    append_part(out, &head);
}

void tp_summary_file_add(struct tp_buf *out, const struct tp_summary_record *record)
{
    Tp__SummaryFile part = TP__SUMMARY_FILE__INIT;
    Tp__SummaryRecord packed = TP__SUMMARY_RECORD__INIT, *only = &packed;
    packed.has_crc32c = packed.has_entry = true;
    packed.crc32c = tp_crc32c(record->bytes.ptr, record->bytes.len);
    /* the cast drops const: protobuf-c only reads these bytes */
    packed.entry.data = (uint8_t *)(uintptr_t)record->bytes.ptr;
    packed.entry.len = record->bytes.len;
    part.record = &only;
    part.n_record = 1;
    append_part(out, &part);
}

int tp_summary_set_write(const struct tp_summary_set *set, struct tp_buf *out, struct tp_error *err)
{
    tp_summary_file_begin(out, set);
    for (size_t i = 0; i < set->count; i++)
        tp_summary_file_add(out, &set->records[i]);
    return out->failed ? tp_error_set(err, out->failed, 0, "out of memory") : TP_OK;
}
