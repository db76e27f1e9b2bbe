/* Writes arguments of events: see perfetto_arguments.h. */
#include "webreport/export/perfetto/perfetto_arguments.h"

#include "webreport/export/perfetto/annotation_writer.h"

void tp_argument_int(struct tp_pexport *x, enum tp_argument_place place, const char *key, int64_t value)
{
    if (value != TP_NULL_INT)
        (place == TP_IN_STAGE ? tp_stage_int : tp_annotation_int)(x->writer, key, value);
}

void tp_argument_value(struct tp_pexport *x, enum tp_argument_place place, const char *key, uint32_t value)
{
    if (value != TP_NO_ID)
        (place == TP_IN_STAGE ? tp_stage_json : tp_annotation_json)(x->writer, key,
                                                                    tp_strings_get(&x->trace->values, value));
}

void tp_argument_text(struct tp_pexport *x, enum tp_argument_place place, const char *key, const char *text)
{
    (place == TP_IN_STAGE ? tp_stage_text : tp_annotation_text)(x->writer, key, tp_str_of(text));
}

void tp_argument_comm(struct tp_pexport *x, enum tp_argument_place place, uint32_t comm)
{
    static const struct {
        const char *key;
        size_t offset;
    } values[] = {{"Collective name", offsetof(struct tp_comm_detail, collective)},
                  {"dtype", offsetof(struct tp_comm_detail, dtype)},
                  {"Group size", offsetof(struct tp_comm_detail, group_size)},
                  {"Process Group Name", offsetof(struct tp_comm_detail, group_name)},
                  {"Process Group Description", offsetof(struct tp_comm_detail, group_description)},
                  {"Process Group Ranks", offsetof(struct tp_comm_detail, group_ranks)}},
      numbers[] = {{"In msg nelems", offsetof(struct tp_comm_detail, in_count)},
                   {"Out msg nelems", offsetof(struct tp_comm_detail, out_count)},
                   {"Seq", offsetof(struct tp_comm_detail, sequence)},
                   {"Dst Rank", offsetof(struct tp_comm_detail, peer)}};
    if (comm == TP_NO_ID)
        return;
    const char *detail = (const char *)&x->trace->comms[comm];
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint32_t value;
        memcpy(&value, detail + values[i].offset, sizeof value);
        tp_argument_value(x, place, values[i].key, value);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        int64_t number;
        memcpy(&number, detail + numbers[i].offset, sizeof number);
        tp_argument_int(x, place, numbers[i].key, number);
    }
}
