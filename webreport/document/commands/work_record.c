/* Writes the changes in the work of a step as JSON for scripts. See work_record.h. */
#include "webreport/document/commands/work_record.h"

#include "webreport/compare/work/work_words.h"
#include "webreport/trace/frame.h"

void tp_work_change_fill_record(struct tp_object *object, const struct tp_work_change *change, struct tp_arena *arena)
{
    bool is_one_sided = change->kind < TP_WORK_CHANGE_SHAPE;
    struct tp_frame frame;
    bool is_frame = tp_frame_parse(&frame, change->place);
    tp_object_add_text(object, "what", tp_work_change_text(change));
    tp_object_add_str(object, "name", change->name);
    tp_object_add_int(object, "delta", change->delta);
    tp_object_add_int(object, "times", change->times);
    if (change->kind == TP_WORK_CHANGE_UNFREED_MEMORY)
        tp_object_add_int(object, "bytes", change->bytes);
    if (change->kind == TP_WORK_CHANGE_FUNCTION && !change->delta)
        tp_object_add_real(object, "ratio", change->ratio);
    tp_object_add_str(object, is_one_sided ? "dims" : "before", change->detail[0]);
    tp_object_add_str(object, is_one_sided ? "types" : "after", change->detail[1]);
    tp_object_add_str(object, "where", change->place);
    tp_object_add_str(object, "file", is_frame ? frame.path : (struct tp_str){NULL, 0});
    tp_object_add_int_or_null(object, "line", is_frame ? change->line ? change->line : frame.line : TP_NULL_INT);
    tp_object_add_text(object, "rule", tp_work_rule_name(tp_work_rule_of_change(change)));
    tp_object_add_bool(object, "gate", change->is_counted_by_limit && !change->is_consequence);
    tp_object_add_bool(object, "follows", change->is_consequence);
    tp_object_add_text(object, "text", tp_work_change_sentence(change, arena));
}
