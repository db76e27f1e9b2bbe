/* Defines the members of an input's evidence in JSON: see evidence.h. */
#include "webreport/trace/evidence.h"

#include "webreport/trace/input_facts.h"

/* Sets *item to the name of the need with bit `*cursor`, or to an absent value if `needs` lacks this bit. Returns false
 * after the last bit. */
static bool next_need(unsigned needs, size_t *cursor, struct tp_item *item)
{
    unsigned need = 1u << (*cursor)++;
    if (need > TP_PRESENT_ANNOTATIONS)
        return false;
    item->value = needs & need ? tp_json_value_text(tp_need_text((enum tp_need)need)) : tp_json_value_absent();
    return true;
}

static bool next_present(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_input_evidence *e = record->at;
    return next_need(e->present, cursor, item);
}

static bool next_requested(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_input_evidence *e = record->at;
    return next_need(e->requested, cursor, item);
}

static bool next_unknown(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_input_evidence *e = record->at;
    size_t number = (*cursor)++;
    if (number >= TP_UNKNOWN_KINDS)
        return false;
    item->value = e->unknown >> number & 1 ? tp_json_value_text(tp_unknown_name((enum tp_unknown)(1u << number)))
                                           : tp_json_value_absent();
    return true;
}

static struct tp_json_value producer_value(const struct tp_record *record)
{
    const struct tp_input_evidence *e = record->at;
    return e->producer.ptr ? tp_json_value_str(e->producer) : tp_json_value_absent();
}

static bool next_lost(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_input_evidence *e = record->at;
    size_t lost = (*cursor)++;
    if (lost >= TP_LOST_COUNT)
        return false;
    item->key = tp_str_of(tp_lost_text((enum tp_lost)lost));
    item->value = e->lost[lost] ? tp_json_value_int(e->lost[lost]) : tp_json_value_absent();
    return true;
}

static struct tp_json_value clean_flag_value(const struct tp_record *record)
{
    return tp_json_value_bool(!tp_evidence_unmet_needs(record->at));
}

static struct tp_json_value reason_value(const struct tp_record *record)
{
    return tp_json_value_text(tp_evidence_reason(record->at, TP_NEED_ALL, record->arena));
}

#define F struct tp_input_evidence
static const struct tp_json_field fields[] = {
    {"clean", TP_COMPUTED(TP_AS_BOOL, clean_flag_value), TP_DEFINITION("true if the input is complete and consistent")},
    {"reason", TP_COMPUTED(TP_AS_TEXT, reason_value),
     TP_DEFINITION("most severe fault as a sentence; empty if there is no fault")},
    {"crc", TP_WORD(F, crc, tp_crc_text),
     TP_DEFINITION(
         "checksum of the gzip file: ok, absent (no gzip file), bad (wrong), unread (file is cut) or unknown")},
    {"eof", TP_WORD(F, eof, tp_eof_text),
     TP_DEFINITION("end of the file: clean (complete), cut (too early), padded (more data follows) or unknown")},
    {"recorder", TP_WORD(F, recorder, tp_recorder_text),
     TP_DEFINITION("end of the recording: ended (normal end), no_end (the end mark is missing), killed (the program "
                   "was killed) or unknown")},
    {"clock", TP_WORD(F, clock, tp_clock_text),
     TP_DEFINITION("clock of the recording: ok, jump (some times are far from all others), impossible (wrong ends of "
                   "device operations) or unknown")},
    {"bytes", TP_PLAIN(F, file_bytes), TP_DEFINITION("size of the file")},
    {"events", TP_PLAIN(F, event_count), TP_DEFINITION("number of elements of the list of events")},
    {"repaired", TP_PLAIN(F, repaired), TP_DEFINITION("number of events whose text was repaired")},
    {"present", TP_LIST(next_present, NULL), TP_DEFINITION("categories of the events in the file")},
    {"asked", TP_LIST(next_requested, NULL),
     TP_DEFINITION("event categories that the recorder was configured to record")},
    {"producer", TP_COMPUTED(TP_AS_TEXT, producer_value), .is_optional = true,
     TP_DEFINITION("program that wrote the input; absent for traces of torch.profiler and of tracepress")},
    {"unknown", TP_LIST(next_unknown, NULL), .flag = 1 + TP_OFFSET(F, unknown), .flag_storage = TP_STORED_U32,
     TP_DEFINITION("kinds of data that the input cannot show; numbers that need them are unknown; absent for other "
                   "inputs")},
    {"lost", TP_MAP(next_lost, NULL),
     TP_DEFINITION("number of missing or wrong events for each kind of damage that was found, such as odd_text; kinds "
                   "of damage that were not found are absent")},
};
const struct tp_fields tp_evidence_fields = {.name = "Evidence of an input",
                                             .items = fields,
                                             .count = sizeof fields / sizeof *fields,
                                             .flag = 1 + TP_OFFSET(F, is_known)};
#undef F
