/* Writes summaries as JSON. See summaries_json.h. */
#include "webreport/print/summaries_json.h"

#include "webreport/document/commands/summary_document.h"
#include "webreport/print/print.h"

void tp_summaries_json_begin(struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_text(json, "schema", "tracepress-summaries");
    tp_json_member_int(json, "schema_version", 1);
    tp_json_key(json, "processes");
    tp_json_array(json);
}

void tp_summaries_json_add(struct tp_json *json, const struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_document document;
    tp_summary_document(&document, summary, arena);
    tp_json_write_object(json, document.record);
}

void tp_summaries_json_end(struct tp_json *json, const struct tp_summary_ranks *ranks, struct tp_arena *arena)
{
    tp_json_array_end(json);
    tp_json_member_int(json, "ranks_present", ranks->present);
    if (ranks->expected == TP_NULL_INT)
        tp_json_member_null(json, "ranks_expected");
    else
        tp_json_member_int(json, "ranks_expected", ranks->expected);
    tp_json_member_text(json, "missing_ranks", tp_rank_set_text(arena, &ranks->missing, 0));
    tp_json_object_end(json);
}
