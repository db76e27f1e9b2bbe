/* Names places, amounts and colors for all parts of the page of a memory snapshot, and the topic of its headline: see
 * snapshot_page.h. */
#include "webreport/document/snapshot/snapshot_page.h"
#include "webreport/trace/frame.h"
#include "writer/text/format.h"

enum tp_look tp_snapshot_category_look(struct tp_str category)
{
    static const struct {
        const char *category;
        enum tp_look look;
    } looks[] = {{"activations", TP_LOOK_GPU},
                 {"recomputed activations", TP_LOOK_GPU2},
                 {"workspace", TP_LOOK_GPU3},
                 {"weights", TP_LOOK_COPY},
                 {"parameters", TP_LOOK_COPY},
                 {"temporaries", TP_LOOK_GPU3},
                 {"optimizer state", TP_LOOK_LAUNCH},
                 {"gradients", TP_LOOK_COMM},
                 {"communication", TP_LOOK_COMM2},
                 {"inputs", TP_LOOK_COMM2},
                 {"other", TP_LOOK_GPU2}};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (tp_str_equal(category, tp_str_of(looks[i].category)))
            return looks[i].look;
    return TP_LOOK_NONE;
}

const char *tp_snapshot_page_bytes(const struct tp_snapshot_page *page, uint64_t bytes)
{
    return tp_text_of_bytes(page->arena, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes);
}

const char *tp_snapshot_page_place(const struct tp_snapshot_page *page, struct tp_str line)
{
    struct tp_str shown = tp_shown_text(&page->naming, line);
    struct tp_frame frame;
    if (!shown.len)
        return "code without a stack";
    if (!tp_frame_parse(&frame, shown))
        return tp_text_printf(page->arena, "%.*s", (int)shown.len, shown.ptr);
    return tp_text_printf(page->arena, "%.*s (%.*s:%d)", (int)frame.function.len, frame.function.ptr,
                          (int)frame.path.len, frame.path.ptr, frame.line);
}

enum tp_snapshot_topic tp_snapshot_page_topic(const struct tp_snapshot_page *page)
{
    const struct tp_snapshot_device *device = page->device;
    const struct tp_snapshot_oom *oom = tp_snapshot_page_oom(page);
    const struct tp_snapshot_finding *first = device->finding_count ? &device->findings[0] : NULL;
    if (oom)
        return oom->kind == TP_OOM_FRAGMENTED ? TP_TOPIC_FREE_PARTS
               : oom->kind == TP_OOM_LIMIT    ? TP_TOPIC_FREE_GPU
                                              : TP_TOPIC_CATEGORY;
    return first && first->id == TP_SNAPSHOT_GROWTH && first->severity == TP_SNAPSHOT_HIGH ? TP_TOPIC_GROWTH
                                                                                           : TP_TOPIC_CATEGORY;
}
