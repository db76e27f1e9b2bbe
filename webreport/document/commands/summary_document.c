/* Makes the JSON record of a summary. See summary_document.h. */
#include "webreport/document/commands/summary_document.h"

#include <inttypes.h>

#include "webreport/measure/rules/rules.h"
#include "writer/text/format.h"

static struct tp_table *make_record_table(struct tp_object *record, const char *name, const struct tp_column_def *defs,
                                          unsigned column_count, size_t row_count)
{
    struct tp_arena *arena = record->members.arena;
    struct tp_table *table = tp_arena_alloc(arena, sizeof *table);
    tp_table_init(table, arena, name, defs, column_count, row_count);
    tp_object_add_table(record, name, table);
    return table;
}

#define TEXT_COLUMN(name)                                                                                              \
    {                                                                                                                  \
        name, name, "", "", TP_COLUMN_TEXT                                                                             \
    }
#define INT_COLUMN(name)                                                                                               \
    {                                                                                                                  \
        name, name, "", "", TP_COLUMN_INT                                                                              \
    }
#define REAL_COLUMN(name)                                                                                              \
    {                                                                                                                  \
        name, name, "", "", TP_COLUMN_REAL                                                                             \
    }
#define BOOL_COLUMN(name)                                                                                              \
    {                                                                                                                  \
        name, name, "", "", TP_COLUMN_BOOL                                                                             \
    }

/* ---- identity of the process, and general data ---- */

static void add_key_to_record(struct tp_object *record, const struct tp_summary *s)
{
    tp_object_add_str(record, "job", s->key.job);
    tp_object_add_int_or_null(record, "rank", s->key.rank);
    tp_object_add_int_or_null(record, "world_size", s->key.world_size);
    tp_object_add_str(record, "worker", s->key.worker);
    tp_object_add_int_or_null(record, "span", s->key.span);
    tp_object_add_str(record, "file", s->file);
    tp_object_add_str(record, "sha256", s->sha256);
    tp_object_add_str(record, "program", s->program);
    tp_object_add_str(record, "verdict", s->verdict);
    tp_object_add_str(record, "headline", s->headline);
    tp_object_add_int(record, "event_count", s->event_count);
    tp_object_add_int(record, "start_ns", s->start_ns);
    if (s->kernel_fingerprint)
        tp_object_add_formatted(record, "kernel_fingerprint", "%016" PRIx64, s->kernel_fingerprint);
    else
        tp_object_add_null(record, "kernel_fingerprint");
    tp_object_add_evidence(record, "evidence", &s->evidence);
    struct tp_object *metrics = tp_object_add_object(record, "metrics");
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        if (!tp_metric_is_omitted(&tp_metrics[i], s->metrics[i].value))
            tp_object_add_real(metrics, tp_metrics[i].name, s->metrics[i].value);
    struct tp_object *facts = tp_object_add_object(record, "facts");
    for (uint32_t i = 0; i < s->fact_count; i++)
        tp_object_add_str(facts, tp_arena_copy(record->members.arena, s->facts[i].name.ptr, s->facts[i].name.len),
                          s->facts[i].value);
}

/* ---- steps ---- */

enum { STEP_NAME, STEP_START, STEP_TOTAL, STEP_USED, STEP_PARTS, STEP_COLUMNS = STEP_PARTS + TP_PART_COUNT };

static const struct tp_column_def step_columns[STEP_COLUMNS] = {
    TEXT_COLUMN("name"),
    INT_COLUMN("start_ns"),
    INT_COLUMN("total_ns"),
    BOOL_COLUMN("used"),
    [STEP_PARTS + TP_PART_KERNEL] = INT_COLUMN("kernel"),
    [STEP_PARTS + TP_PART_MEMCPY] = INT_COLUMN("memcpy"),
    [STEP_PARTS + TP_PART_MEMSET] = INT_COLUMN("memset"),
    [STEP_PARTS + TP_PART_COMMUNICATION] = INT_COLUMN("communication"),
    [STEP_PARTS + TP_PART_RUNTIME] = INT_COLUMN("runtime"),
    [STEP_PARTS + TP_PART_DATALOADER] = INT_COLUMN("dataloader"),
    [STEP_PARTS + TP_PART_CPU_EXEC] = INT_COLUMN("cpu_exec"),
    [STEP_PARTS + TP_PART_OTHER] = INT_COLUMN("other"),
    [STEP_PARTS + TP_PART_IDLE_HOST] = INT_COLUMN("idle_host"),
    [STEP_PARTS + TP_PART_IDLE_LAUNCH] = INT_COLUMN("idle_launch"),
    [STEP_PARTS + TP_PART_IDLE_QUEUE] = INT_COLUMN("idle_queue"),
    [STEP_PARTS + TP_PART_IDLE_OUTSIDE] = INT_COLUMN("idle_outside"),
    [STEP_PARTS + TP_PART_IDLE_UNKNOWN] = INT_COLUMN("idle_unknown"),
    [STEP_PARTS + TP_PART_EXPOSED_COMMUNICATION] = INT_COLUMN("exposed_communication"),
    [STEP_PARTS + TP_PART_DEVICE_SUM] = INT_COLUMN("device_sum"),
    [STEP_PARTS + TP_PART_HOST_SUM] = INT_COLUMN("host_sum"),
};

static void add_steps_to_record(struct tp_object *record, const struct tp_summary *s)
{
    struct tp_table *table = make_record_table(record, "steps", step_columns, STEP_COLUMNS, s->step_count);
    for (uint32_t i = 0; i < s->step_count; i++) {
        tp_table_text(table, STEP_NAME)[i] = s->steps[i].name;
        tp_table_int(table, STEP_START)[i] = s->steps[i].start_ns;
        tp_table_int(table, STEP_TOTAL)[i] = s->steps[i].total_ns;
        tp_table_bool(table, STEP_USED)[i] = !s->steps[i].is_left_out;
        for (unsigned part = 0; part < TP_PART_COUNT; part++)
            tp_table_int(table, STEP_PARTS + part)[i] = s->steps[i].part_ns[part];
    }
}

/* ---- rows of the summary; some rows have a value for each step ---- */

static void write_int_member(struct tp_json *json, const char *key, int64_t value)
{
    if (value == TP_NULL_INT)
        tp_json_member_null(json, key);
    else
        tp_json_member_int(json, key, value);
}

static void write_ints(struct tp_json *json, const char *key, const int64_t *values, uint32_t count)
{
    tp_json_key(json, key);
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_json_int(json, values[i]);
    tp_json_array_end(json);
}

static void write_summary_row(const struct tp_summary *s, const struct tp_summary_row *row, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_text(json, "kind", tp_summary_kind_text(row->kind));
    tp_json_member_str(json, "name", row->name);
    tp_json_member_str(json, "owner", row->owner);
    tp_json_member_str(json, "shape", row->shape);
    tp_json_member_str(json, "dtype", row->dtype);
    tp_json_member_str(json, "line", row->line.len ? row->line : TP_STR(""));
    tp_json_member_int(json, "count", row->time.count);
    tp_json_member_int(json, "sum_ns", row->time.sum_ns);
    tp_json_member_int(json, "min_ns", row->time.min_ns);
    tp_json_member_int(json, "max_ns", row->time.max_ns);
    tp_json_member_real(json, "p50_ns", tp_sketch_quantile(&row->time, 0.5));
    tp_json_member_real(json, "p99_ns", tp_sketch_quantile(&row->time, 0.99));
    tp_json_member_real(json, "deviation_ns", tp_sketch_deviation(&row->time));
    write_int_member(json, "bytes", row->bytes);
    if (row->by_step_ns) {
        write_ints(json, "by_step_ns", row->by_step_ns, s->step_count);
        write_ints(json, "by_step_count", row->by_step_count, s->step_count);
    }
    tp_json_object_end(json);
}

static void write_summary_rows(const struct tp_data *value, struct tp_json *json)
{
    const struct tp_summary *s = value->self;
    tp_json_array(json);
    for (uint32_t i = 0; i < s->row_count; i++)
        write_summary_row(s, &s->rows[i], json);
    tp_json_array_end(json);
}

static const struct tp_data_source ROWS = {.write = write_summary_rows};

/* ---- collectives, findings, memory, flags ---- */

static void add_collectives_to_record(struct tp_object *record, const struct tp_summary *s)
{
    enum { NAME, GROUP, DTYPE, SEQUENCE, BYTES, GROUP_SIZE, ARRIVAL, DURATION, STEP, COLUMNS };
    static const struct tp_column_def columns[COLUMNS] = {
        TEXT_COLUMN("name"),      TEXT_COLUMN("group"),      TEXT_COLUMN("dtype"),
        INT_COLUMN("sequence"),   INT_COLUMN("bytes"),       INT_COLUMN("group_size"),
        INT_COLUMN("arrival_ns"), INT_COLUMN("duration_ns"), INT_COLUMN("step")};
    struct tp_table *table = make_record_table(record, "collectives", columns, COLUMNS, s->collective_count);
    for (uint32_t i = 0; i < s->collective_count; i++) {
        const struct tp_summary_collective *c = &s->collectives[i];
        const int64_t numbers[] = {c->sequence,   c->bytes,       c->group_size,
                                   c->arrival_ns, c->duration_ns, c->step == TP_NO_ID ? TP_NULL_INT : c->step};
        tp_table_text(table, NAME)[i] = c->name;
        tp_table_text(table, GROUP)[i] = c->group;
        tp_table_text(table, DTYPE)[i] = c->dtype;
        for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++)
            tp_table_int(table, SEQUENCE + k)[i] = numbers[k];
    }
}

static void add_findings_to_record(struct tp_object *record, const struct tp_summary *s)
{
    enum { RULE, TITLE, SEVERITY, CONFIDENCE, CEILING, OCCURRENCES, FILE_LINE, DETAIL, COLUMNS };
    static const struct tp_column_def columns[COLUMNS] = {TEXT_COLUMN("rule"),
                                                          TEXT_COLUMN("title"),
                                                          TEXT_COLUMN("severity"),
                                                          TEXT_COLUMN("confidence"),
                                                          REAL_COLUMN("ceiling_us_per_step"),
                                                          INT_COLUMN("occurrences"),
                                                          TEXT_COLUMN("file_line"),
                                                          TEXT_COLUMN("detail")};
    struct tp_table *table = make_record_table(record, "findings", columns, COLUMNS, s->finding_count);
    for (uint32_t i = 0; i < s->finding_count; i++) {
        const struct tp_summary_finding *f = &s->findings[i];
        tp_table_text(table, RULE)[i] = f->rule;
        tp_table_text(table, TITLE)[i] = f->title;
        tp_table_text(table, SEVERITY)[i] = tp_str_of(tp_severity_text((enum tp_severity)f->severity));
        tp_table_text(table, CONFIDENCE)[i] = tp_str_of(tp_confidence_text((enum tp_confidence)f->confidence));
        tp_table_real(table, CEILING)[i] = f->ceiling_us_per_step;
        tp_table_int(table, OCCURRENCES)[i] = f->occurrences;
        tp_table_text(table, FILE_LINE)[i] = f->file_line;
        tp_table_text(table, DETAIL)[i] = f->detail;
    }
}

static void add_memory_to_record(struct tp_object *record, const struct tp_summary *s)
{
    static const char *const owner_kinds[] = {"operator", "module", "line"};
    struct tp_list *devices = tp_object_add_list(record, "memory");
    for (uint32_t i = 0; i < s->memory_count; i++) {
        const struct tp_summary_memory *m = &s->memory[i];
        struct tp_object *device = tp_list_add_object(devices);
        tp_object_add_str(device, "device", m->device);
        tp_object_add_int_or_null(device, "peak_allocated_bytes", m->peak_allocated_bytes);
        tp_object_add_int_or_null(device, "peak_reserved_bytes", m->peak_reserved_bytes);
        tp_object_add_real(device, "creep_bytes_per_step", m->creep_bytes_per_step);
        struct tp_list *owners = tp_object_add_list(device, "owners");
        for (uint32_t o = 0; o < m->owner_count; o++) {
            struct tp_object *owner = tp_list_add_object(owners);
            tp_object_add_text(owner, "kind", owner_kinds[m->owners[o].kind]);
            tp_object_add_str(owner, "name", m->owners[o].name);
            tp_object_add_int_or_null(owner, "bytes", m->owners[o].bytes);
            tp_object_add_int_or_null(owner, "blocks", m->owners[o].blocks);
        }
    }
}

static void add_flags_to_record(struct tp_object *record, const struct tp_summary *s)
{
    enum { NAME, COUNT, COLUMNS };
    static const struct tp_column_def columns[COLUMNS] = {TEXT_COLUMN("name"), INT_COLUMN("count")};
    struct tp_table *table = make_record_table(record, "flags", columns, COLUMNS, s->flag_count);
    for (uint32_t i = 0; i < s->flag_count; i++) {
        tp_table_text(table, NAME)[i] = s->flags[i].name;
        tp_table_int(table, COUNT)[i] = s->flags[i].count;
    }
}

void tp_summary_document(struct tp_document *document, const struct tp_summary *summary, struct tp_arena *arena)
{
    tp_document_init(document, "Summary", arena);
    struct tp_object *record = document->record;
    add_key_to_record(record, summary);
    add_steps_to_record(record, summary);
    tp_object_add_value(record, "rows", (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &ROWS, .self = summary});
    add_collectives_to_record(record, summary);
    add_findings_to_record(record, summary);
    add_memory_to_record(record, summary);
    add_flags_to_record(record, summary);
}
