/* Finds the label of each item: the label of an enclosing frame, or the category of the item. See key_labels.h. */
#include "webreport/measure/torch_tables/key_labels.h"

#include "webreport/trace/kinds.h"

/* Returns the label that a frame gives to all items inside it; TP_NO_ID if the frame has no label. */
typedef uint32_t (*label_of_frame)(struct tp_key_labels *labels, const struct tp_trace *trace,
                                   const struct tp_event *frame);

static uint32_t module_label(struct tp_key_labels *labels, const struct tp_trace *trace, const struct tp_event *frame)
{
    if (frame->kind != TP_KIND_MODULE)
        return TP_NO_ID;
    return tp_strings_add(&labels->texts, tp_trace_event_name(trace, frame));
}

static uint32_t line_label(struct tp_key_labels *labels, const struct tp_trace *trace, const struct tp_event *frame)
{
    uint32_t line = tp_frames_line(&trace->frames, frame->name);
    if (line == TP_NO_ID)
        return TP_NO_ID;
    return tp_strings_add(&labels->texts, tp_frames_line_text(&trace->frames, line));
}

/* Labels every item with the label of the innermost enclosing frame that has a label. A line of a library inside a line
 * of the user gives no label. Items without a frame that gives a label get the label `without`. */
static void label_items_by_frame(struct tp_key_labels *labels, const struct tp_torch *torch, label_of_frame label,
                                 const char *without)
{
    uint32_t outside = tp_strings_add(&labels->texts, tp_str_of(without));
    bool *is_users = tp_arena_array(labels->texts.arena, tp_torch_item_count(torch), sizeof *is_users);
    for (uint32_t k = 0; k < torch->count; k++) {
        uint32_t i = torch->order[k], parent = torch->parent[i];
        const struct tp_event *frame = tp_torch_flags(torch, i) & TP_TORCH_FRAME ? tp_torch_event(torch, i) : NULL;
        bool is_library = frame && tp_frames_is_library_line(&torch->trace->frames, frame->name);
        is_users[i] = parent != TP_NO_ID && is_users[parent];
        uint32_t own = frame && !(is_library && is_users[i]) ? label(labels, torch->trace, frame) : TP_NO_ID;
        labels->is_call[i] = own != TP_NO_ID;
        is_users[i] |= own != TP_NO_ID && !is_library;
        labels->label_of_item[i] = own != TP_NO_ID ? own : parent == TP_NO_ID ? outside : labels->label_of_item[parent];
    }
}

static struct tp_str event_type_text(const struct tp_torch *torch, uint32_t item)
{
    const struct tp_trace *trace = torch->trace;
    const struct tp_event *e = tp_torch_event(torch, item);
    if (!e)
        return TP_STR("[memory]");
    const char *text = tp_kind_category_name(e->kind);
    return text ? tp_str_of(text) : tp_strings_get(&trace->cats, trace->others[e->detail].cat);
}

void tp_key_labels_init(struct tp_key_labels *labels, const struct tp_torch *torch, enum tp_key_group group,
                        struct tp_arena *arena)
{
    memset(labels, 0, sizeof *labels);
    if (group == TP_KEY_NAME || group == TP_KEY_KERNEL)
        return;
    tp_strings_init(&labels->texts, arena, 0);
    labels->label_of_item = tp_arena_array(arena, tp_torch_item_count(torch), sizeof *labels->label_of_item);
    if (group == TP_KEY_TYPE) {
        for (uint32_t k = 0; k < torch->count; k++)
            labels->label_of_item[torch->order[k]] =
                tp_strings_add(&labels->texts, event_type_text(torch, torch->order[k]));
        return;
    }
    labels->is_call = tp_arena_array(arena, tp_torch_item_count(torch), sizeof *labels->is_call);
    if (group == TP_KEY_MODULE)
        label_items_by_frame(labels, torch, module_label, "(outside of modules)");
    else
        label_items_by_frame(labels, torch, line_label, "(no line of the project)");
}

bool tp_key_labels_is_counted(const struct tp_key_labels *labels, const struct tp_torch *torch, uint32_t item)
{
    if (!labels->is_call)
        return true;
    /* an item without a module or line is counted as a call if it has no caller */
    return labels->is_call[item] || (torch->parent[item] == TP_NO_ID && labels->label_of_item[item] == 0);
}
