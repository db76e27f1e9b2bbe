/* Makes documents of memory snapshots: see snapshot_document.h. */
#include "webreport/document/snapshot/snapshot_document.h"

#include <math.h>
#include <string.h>

#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/base/json_out.h"
#include "writer/text/format.h"

/* ---- JSON ---- */

/* A result as a member of a record. */
struct written {
    const struct tp_snapshot_result *result;
    struct tp_arena *arena;
};

static void write_members(const struct tp_data *value, struct tp_json *json)
{
    const struct written *written = value->self;
    tp_fields_json(&tp_snapshot_result_fields, written->result, written->arena, json);
}

static const struct tp_data_source WRITTEN = {.write = write_members};

static struct tp_data written_value(const struct tp_snapshot_result *result, struct tp_arena *arena)
{
    struct written *written = tp_arena_alloc(arena, sizeof *written);
    *written = (struct written){result, arena};
    return (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &WRITTEN, .self = written};
}

/* ---- pages ---- */

static void put_title(const struct tp_snapshot_page *page, bool is_one_device)
{
    const struct tp_snapshot_device *device = page->device;
    struct tp_str file = tp_shown_text(&page->naming, page->result->file);
    const char *gpu = tp_text_printf(page->arena, "GPU %lld", (long long)device->device);
    const char *title = is_one_device ? tp_text_printf(page->arena, "%.*s", (int)file.len, file.ptr)
                                      : tp_text_printf(page->arena, "%.*s, %s", (int)file.len, file.ptr, gpu);
    tp_document_add_title(page->document, &(struct tp_title_block){title, "memory", is_one_device ? "Overview" : gpu});
    tp_document_add_fact(page->document, "", "memory snapshot");
    tp_document_add_fact(page->document, "", gpu);
    if (device->replay.event_count)
        tp_document_add_fact(
            page->document, "",
            device->has_time ? tp_text_printf(page->arena, "%s events in %s",
                                              tp_text_of_count(page->arena, (int64_t)device->replay.event_count),
                                              tp_text_of_time(page->arena, (device->last_us - device->first_us) * 1000))
                             : tp_text_printf(page->arena, "%s events",
                                              tp_text_of_count(page->arena, (int64_t)device->replay.event_count)));
}

static void put_device(const struct tp_snapshot_page *page, bool is_one_device)
{
    put_title(page, is_one_device);
    if (page->device->replay.event_count && !page->device->replay.is_exact)
        tp_document_add_notice(
            page->document, TP_TONE_UNSURE, "Amounts before the end are approximate",
            "Some events contradict each other or the recorded end. The section about this snapshot has the numbers.");
    tp_snapshot_page_put_answer(page);
    tp_snapshot_page_put_bar(page);
    tp_snapshot_page_put_curve(page);
    tp_snapshot_page_put_actions(page);
    tp_snapshot_page_put_live(page);
    tp_snapshot_page_put_free_memory(page);
    tp_snapshot_page_put_growth(page);
    tp_snapshot_page_put_churn(page);
    tp_snapshot_page_put_details(page);
}

/* A snapshot without segments and events. */
static void put_empty(const struct tp_snapshot_page *page)
{
    struct tp_str file = tp_shown_text(&page->naming, page->result->file);
    tp_document_add_title(
        page->document,
        &(struct tp_title_block){tp_text_printf(page->arena, "%.*s", (int)file.len, file.ptr), "memory", "Overview"});
    tp_document_add_verdict(page->document,
                            &(struct tp_verdict_block){
                                .tone = TP_TONE_UNSURE,
                                .class = "Empty",
                                .headline = "The snapshot has no memory: no GPU allocated any before the dump.",
                                .text = "Call torch.cuda.memory._record_memory_history() before the model is made."});
}

void tp_snapshots_document(struct tp_document *document, struct tp_snapshot_result *results, size_t count, bool redact,
                           struct tp_arena *arena)
{
    tp_document_init(document, "Memory snapshot", arena);
    struct tp_list *list = count == 1 ? NULL : tp_object_add_list(document->record, "snapshots");
    for (size_t i = 0; i < count; i++) {
        const struct tp_snapshot_result *result = &results[i];
        struct tp_snapshot_page page = {
            .document = document, .arena = arena, .result = result, .naming = {.arena = arena, .redact = redact}};
        if (list)
            tp_list_add(list, written_value(result, arena));
        for (uint64_t k = 0; k < result->device_count; k++) {
            page.device = &result->devices[k];
            put_device(&page, result->device_count == 1);
        }
        if (!result->device_count)
            put_empty(&page);
    }
    if (!list)
        document->written_record = written_value(&results[0], arena);
}
