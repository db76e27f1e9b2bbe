/* Defines the members of the facts of an input in JSON: see input_facts.h. */
#include "webreport/trace/input_facts.h"

static struct tp_json_value producer_value(const struct tp_record *record)
{
    const struct tp_input_facts *facts = record->at;
    return facts->producer.ptr ? tp_json_value_str(facts->producer) : tp_json_value_null();
}

static bool next_unknown(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_input_facts *facts = record->at;
    size_t number = (*cursor)++;
    if (number >= TP_UNKNOWN_KINDS)
        return false;
    item->value = facts->unknown >> number & 1 ? tp_json_value_text(tp_unknown_name((enum tp_unknown)(1u << number)))
                                               : tp_json_value_absent();
    return true;
}

static bool next_note(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_input_facts *facts = record->at;
    if (*cursor >= facts->note_count)
        return false;
    item->value = tp_json_value_str(facts->notes[(*cursor)++]);
    return true;
}

static bool next_dropped(const struct tp_record *record, size_t *cursor, struct tp_item *item)
{
    const struct tp_input_facts *facts = record->at;
    if (*cursor >= facts->dropped_count)
        return false;
    const struct tp_dropped_rows *rows = &facts->dropped[(*cursor)++];
    item->key = rows->what;
    item->value = tp_json_value_int(rows->count < INT64_MAX ? (int64_t)rows->count : INT64_MAX);
    return true;
}

static const struct tp_json_field fields[] = {
    {"producer", TP_COMPUTED(TP_AS_TEXT, producer_value), .is_optional = true,
     TP_DEFINITION("program that wrote the input; null for torch.profiler and tracepress")},
    {"unknown", TP_LIST(next_unknown, NULL),
     TP_DEFINITION("kinds of data that the input cannot show, such as shapes; numbers that need them are unknown")},
    {"notes", TP_LIST(next_note, NULL), TP_DEFINITION("sentences of the reader about the input")},
    {"dropped", TP_MAP(next_dropped, NULL), TP_DEFINITION("number of rows that the reader dropped, by reason")},
};

const struct tp_fields tp_input_facts_fields = TP_FIELDS("Facts of an input of another profiler", fields);
