/* Makes documents of memory snapshots: see snapshot_document.h. */
#include "webreport/document/snapshot/snapshot_document.h"

#include "writer/base/json_out.h"

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

void tp_snapshot_document(struct tp_document *document, struct tp_snapshot_result *result, struct tp_arena *arena)
{
    tp_snapshots_document(document, result, 1, arena);
}

static struct tp_data written_value(const struct tp_snapshot_result *result, struct tp_arena *arena)
{
    struct written *written = tp_arena_alloc(arena, sizeof *written);
    *written = (struct written){result, arena};
    return (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &WRITTEN, .self = written};
}

void tp_snapshots_document(struct tp_document *document, struct tp_snapshot_result *results, size_t count,
                           struct tp_arena *arena)
{
    tp_document_init(document, "Memory snapshot", arena);
    if (count == 1) {
        document->written_record = written_value(&results[0], arena);
        return;
    }
    struct tp_list *list = tp_object_add_list(document->record, "snapshots");
    for (size_t i = 0; i < count; i++)
        tp_list_add(list, written_value(&results[i], arena));
}
