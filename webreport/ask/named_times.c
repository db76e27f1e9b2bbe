/* Answers what took time under one name: see named_times.h. */
#include "webreport/ask/named_times.h"

#include "webreport/ask/completeness.h"
#include "writer/base/sha256.h"

static const unsigned levels[] = {20, 10, 5, 2, 0}; /* largest number of rows */

void tp_name_id(char id[TP_NAME_ID_BYTES], struct tp_str name)
{
    uint8_t digest[32];
    char hex[65];
    tp_sha256_digest(name.ptr, name.len, digest);
    tp_sha256_hex(digest, hex);
    memcpy(id, "k:", 2);
    memcpy(id + 2, hex, 8);
    id[10] = '\0';
}

static bool has_id(const struct tp_summary_row *row, struct tp_str wanted)
{
    char id[TP_NAME_ID_BYTES];
    tp_name_id(id, row->name);
    return tp_str_equal(wanted, tp_str_of(id));
}

/* Returns the next row with the id of the question, from (*summary, *row) on; NULL after the last one. */
static const struct tp_summary_row *next_row(const struct tp_ask_call *call, size_t *summary, uint32_t *row)
{
    const struct tp_ask_input *input = call->input;
    for (; *summary < input->summary_count; ++*summary, *row = 0)
        while (*row < input->summaries[*summary].row_count) {
            const struct tp_summary_row *found = &input->summaries[*summary].rows[(*row)++];
            if (has_id(found, call->text[TP_ASK_ID]))
                return found;
        }
    return NULL;
}

static void write_row(struct tp_ask_call *call, const struct tp_summary_row *row)
{
    struct tp_json *json = &call->json;
    tp_json_object(json);
    tp_json_member_text(json, "kind", tp_summary_kind_text(row->kind));
    tp_call_member_str(call, "owner", row->owner);
    tp_call_member_str(call, "shape", row->shape);
    tp_json_member_int(json, "calls", row->time.count);
    tp_json_member_int(json, "total_ns", row->time.sum_ns);
    tp_json_member_int(json, "max_ns", row->time.max_ns);
    tp_call_member_str(call, "line", row->line);
    tp_json_object_end(json);
}

static bool write_name(struct tp_ask_call *call, unsigned level)
{
    struct tp_json *json = &call->json;
    size_t summary = 0;
    uint32_t at = 0;
    unsigned count = 0;
    const struct tp_summary_row *row = next_row(call, &summary, &at);
    tp_json_member_str(json, "id", call->text[TP_ASK_ID]);
    tp_call_member_str(call, "name", row->name);
    tp_json_member_text(json, "window", "recording");
    tp_json_member_text(json, "definition", "durations of the calls with this name, by kind, owner and shapes");
    tp_json_key(json, "rows");
    tp_json_array(json);
    for (; row; row = next_row(call, &summary, &at), count++)
        if (count < levels[level])
            write_row(call, row);
    tp_json_array_end(json);
    if (count > levels[level])
        tp_json_member_int(json, "rows_left_out", count - levels[level]);
    tp_completeness_write(call, false);
    return level + 1 < sizeof levels / sizeof *levels;
}

enum tp_ask_code tp_explain_name(struct tp_ask_call *call)
{
    size_t summary = 0;
    uint32_t at = 0;
    if (!next_row(call, &summary, &at))
        return tp_call_fail(call, TP_ASK_UNKNOWN_ID, "table times has the ids of names",
                            "the input has no name with this id");
    return tp_call_fit(call, write_name);
}
