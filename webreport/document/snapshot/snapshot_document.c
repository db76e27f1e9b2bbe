/* Makes documents of memory snapshots: see snapshot_document.h. */
#include "webreport/document/snapshot/snapshot_document.h"

#include <math.h>
#include <string.h>

#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/base/json_out.h"
#include "writer/text/format.h"

/* ---- JSON ---- */

/* A struct as a member of a record. */
struct written {
    const struct tp_fields *fields;
    const void *at;
    struct tp_arena *arena;
};

static void write_members(const struct tp_data *value, struct tp_json *json)
{
    const struct written *written = value->self;
    tp_fields_json(written->fields, written->at, written->arena, json);
}

static struct tp_data written_value(const struct tp_fields *fields, const void *at, struct tp_arena *arena)
{
    static const struct tp_data_source source = {.write = write_members};
    struct written *written = tp_arena_alloc(arena, sizeof *written);
    *written = (struct written){fields, at, arena};
    return (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &source, .self = written};
}

static void fill_record_of_ranks(struct tp_document *document, const struct tp_snapshots_shown *shown,
                                 const struct tp_snapshot_rank *rows, size_t row_count)
{
    tp_object_add_text(document->record, "format", "tracepress.memory_snapshots/1");
    struct tp_list *ranks = tp_object_add_list(document->record, "ranks");
    for (size_t i = 0; i < row_count; i++)
        tp_list_add(ranks, written_value(&tp_snapshot_rank_fields, &rows[i], document->arena));
    struct tp_list *snapshots = tp_object_add_list(document->record, "snapshots");
    for (size_t i = 0; i < shown->count; i++)
        tp_list_add(snapshots, written_value(&tp_snapshot_result_fields, &shown->results[i], document->arena));
    struct tp_list *failed = tp_object_add_list(document->record, "failed");
    for (size_t i = 0; i < shown->failed->count; i++) {
        const struct tp_snapshot_failure *one = TP_AT(shown->failed, struct tp_snapshot_failure, i);
        struct tp_object *item = tp_list_add_object(failed);
        tp_object_add_str(item, "file", one->file);
        tp_object_add_str(item, "error", one->why);
    }
}

/* ---- pages ---- */

/* name: name of the rank; NULL for a document of one snapshot */
static void put_title(const struct tp_snapshot_page *page, const char *name)
{
    const struct tp_snapshot_device *device = page->device;
    struct tp_str file = tp_shown_text(&page->naming, page->result->file);
    const char *file_name = tp_text_printf(page->arena, "%.*s", (int)file.len, file.ptr);
    const char *gpu = tp_text_printf(page->arena, "GPU %lld", (long long)device->device);
    bool is_one_device = page->result->device_count == 1;
    struct tp_title_block title = {.text = file_name, .id = "memory", .label = is_one_device ? "Overview" : gpu};
    if (!is_one_device)
        title.text = tp_text_printf(page->arena, "%s, %s", file_name, gpu);
    if (name)
        title.text = title.label = name;
    if (page->join)
        title.text = tp_text_printf(page->arena, "Memory snapshot %s", title.text);
    tp_document_add_title(page->document, &title);
    if (name)
        tp_document_fold_page(page->document,
                              tp_text_printf(page->arena, "%s at the peak%s",
                                             tp_snapshot_page_bytes(page, device->peak.at.allocated_bytes),
                                             device->oom_count ? ", out of memory" : ""));
    tp_document_add_fact(page->document, "", "memory snapshot");
    if (name)
        tp_document_add_fact(page->document, "", file_name);
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

static void put_device(const struct tp_snapshot_page *page, const char *name)
{
    put_title(page, name);
    if (page->device->replay.event_count && !page->device->replay.is_exact)
        tp_document_add_notice(
            page->document, TP_TONE_UNSURE, "Amounts before the end are approximate",
            "Some events contradict each other or the recorded end. The section about this snapshot has the numbers.");
    tp_snapshot_page_put_answer(page);
    if (!page->join) /* the page of a trace has its own bar */
        tp_snapshot_page_put_bar(page);
    tp_snapshot_page_put_curve(page);
    tp_snapshot_page_put_actions(page);
    if (page->join)
        tp_snapshot_page_put_join(page);
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

/* Adds the pages of all devices of one snapshot. */
static void put_snapshot(struct tp_snapshot_page *page, const struct tp_snapshot_result *result)
{
    page->result = result;
    for (uint64_t i = 0; i < result->device_count; i++) {
        page->device = &result->devices[i];
        put_device(page, NULL);
    }
    if (!result->device_count)
        put_empty(page);
}

/* Adds the page of all ranks, then the pages of the gravest ranks in the order of the ranks. */
static void put_ranks(struct tp_snapshot_page *page, const struct tp_snapshots_shown *shown)
{
    struct tp_snapshot_ranks ranks = {.failed = shown->failed};
    ranks.rows = tp_snapshot_ranks_list(shown->results, shown->count, &ranks.count, page->arena);
    ranks.by_gravity = tp_snapshot_ranks_by_gravity(ranks.rows, ranks.count, page->arena);
    bool *has_page = tp_arena_array(page->arena, ranks.count, sizeof *has_page);
    for (size_t i = 0; i < ranks.count && i < TP_SNAPSHOT_PAGES; i++)
        has_page[ranks.by_gravity[i] - ranks.rows] = true;
    ranks.has_page = has_page;
    tp_snapshot_page_put_ranks(page, &ranks);
    for (size_t i = 0; i < ranks.count; i++) {
        page->result = ranks.rows[i].result;
        page->device = ranks.rows[i].device;
        if (has_page[i])
            put_device(page, tp_snapshot_rank_name(page, &ranks.rows[i]));
    }
    for (size_t i = 0; i < shown->count && !ranks.count; i++) { /* no snapshot has memory */
        page->result = &shown->results[i];
        put_empty(page);
    }
    fill_record_of_ranks(page->document, shown, ranks.rows, ranks.count);
}

void tp_snapshots_document(struct tp_document *document, const struct tp_snapshots_shown *shown, struct tp_arena *arena)
{
    struct tp_snapshot_page page = {
        .document = document, .arena = arena, .naming = {.arena = arena, .redact = shown->redact}};
    tp_document_init(document, "Memory snapshot", arena);
    if (shown->count + shown->failed->count > 1) {
        put_ranks(&page, shown);
        return;
    }
    put_snapshot(&page, &shown->results[0]);
    document->written_record = written_value(&tp_snapshot_result_fields, &shown->results[0], arena);
}

/* ---- together with a trace ---- */

void tp_joined_snapshot_document(struct tp_document *document, const struct tp_joined_snapshot *joined, uint64_t index,
                                 bool redact, struct tp_arena *arena)
{
    struct tp_snapshot_page page = {
        .document = document, .arena = arena, .result = joined->result, .naming = {.arena = arena, .redact = redact}};
    tp_document_init(document, "Memory snapshot", arena);
    if (joined->result && !joined->result->device_count)
        put_empty(&page);
    if (joined->result && joined->result->device_count) {
        page.device = &joined->result->devices[index];
        page.join = joined->joins ? &joined->joins[index] : NULL;
        put_device(&page, NULL);
        tp_document_fold_page(document,
                              tp_text_printf(arena, "%s at the peak%s",
                                             tp_snapshot_page_bytes(&page, page.device->peak.at.allocated_bytes),
                                             !page.join ? "" : tp_snapshot_join_summary(&page)));
    }
    if (joined->result)
        return;
    struct tp_str file = tp_shown_text(&page.naming, joined->failure.file),
                  why = tp_shown_text(&page.naming, joined->failure.why);
    tp_document_add_title(document, &(struct tp_title_block){tp_text_printf(arena, "%.*s", (int)file.len, file.ptr),
                                                             "memory", "Memory snapshot"});
    tp_document_add_notice(document, TP_TONE_BAD, "The memory snapshot could not be used",
                           tp_text_printf(arena, "%.*s", (int)why.len, why.ptr));
}

void tp_joined_snapshot_json(const struct tp_joined_snapshot *joined, struct tp_arena *arena, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_str(json, "worker", joined->worker);
    if (!joined->result)
        tp_json_member_str(json, "error", joined->failure.why);
    tp_json_key(json, "joins");
    tp_json_array(json);
    for (uint64_t i = 0; joined->result && joined->joins && i < joined->result->device_count; i++)
        tp_fields_json(&tp_trace_join_fields, &joined->joins[i], arena, json);
    tp_json_array_end(json);
    if (joined->result) {
        tp_json_key(json, "document");
        tp_fields_json(&tp_snapshot_result_fields, joined->result, arena, json);
    }
    tp_json_object_end(json);
}
