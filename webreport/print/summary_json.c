/* A summary as JSON: see summary_json.h. */
#include "webreport/print/summary_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "webreport/measure/evidence_json.h"
#include "webreport/measure/rules.h"

const char *const tp_summary_kind_names[TP_SUMMARY_KIND_COUNT] = {
    [TP_SUMMARY_OPERATOR_HOST] = "operator_host",
    [TP_SUMMARY_OPERATOR_DEVICE] = "operator_device",
    [TP_SUMMARY_KERNEL] = "kernel",
    [TP_SUMMARY_COPY] = "copy",
    [TP_SUMMARY_MODULE_HOST] = "module_host",
    [TP_SUMMARY_MODULE_DEVICE] = "module_device",
    [TP_SUMMARY_SYNC] = "sync",
    [TP_SUMMARY_RUNTIME] = "runtime",
};

const char *const tp_summary_part_names[TP_PART_COUNT] = {
    [TP_PART_KERNEL] = "kernel",
    [TP_PART_MEMCPY] = "memcpy",
    [TP_PART_MEMSET] = "memset",
    [TP_PART_COMMUNICATION] = "communication",
    [TP_PART_RUNTIME] = "runtime",
    [TP_PART_DATALOADER] = "dataloader",
    [TP_PART_CPU_EXEC] = "cpu_exec",
    [TP_PART_OTHER] = "other",
    [TP_PART_IDLE_HOST] = "idle_host",
    [TP_PART_IDLE_LAUNCH] = "idle_launch",
    [TP_PART_IDLE_QUEUE] = "idle_queue",
    [TP_PART_IDLE_OUTSIDE] = "idle_outside",
    [TP_PART_IDLE_UNKNOWN] = "idle_unknown",
    [TP_PART_EXPOSED_COMMUNICATION] = "exposed_communication",
};

static void member_int(struct tp_json *json, const char *key, int64_t value)
{
    if (value == TP_NULL_INT)
        tp_json_member_null(json, key);
    else
        tp_json_member_int(json, key, value);
}

static void ints(struct tp_json *json, const char *key, const int64_t *values, uint32_t count)
{
    tp_json_key(json, key);
    tp_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        tp_json_int(json, values[i]);
    tp_json_array_end(json);
}

static void write_head(const struct tp_summary *s, struct tp_json *json, struct tp_arena *arena)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, s->kernel_fingerprint);
    tp_json_member_str(json, "job", s->key.job);
    member_int(json, "rank", s->key.rank);
    member_int(json, "world_size", s->key.world_size);
    tp_json_member_str(json, "worker", s->key.worker);
    member_int(json, "span", s->key.span);
    tp_json_member_str(json, "file", s->file);
    tp_json_member_str(json, "sha256", s->sha256);
    tp_json_member_str(json, "program", s->program);
    tp_json_member_str(json, "verdict", s->verdict);
    tp_json_member_str(json, "headline", s->headline);
    tp_json_member_int(json, "event_count", s->event_count);
    tp_json_member_int(json, "start_ns", s->start_ns);
    tp_json_member_text(json, "kernel_fingerprint", s->kernel_fingerprint ? hash : NULL);
    tp_json_key(json, "evidence");
    tp_evidence_json(json, &s->evidence, arena);
    tp_json_key(json, "metrics");
    tp_json_object(json);
    for (unsigned i = 0; i < TP_METRIC_COUNT; i++)
        tp_json_member_real(json, tp_metrics[i].name, s->metrics[i].value);
    tp_json_object_end(json);
    tp_json_key(json, "facts");
    tp_json_object(json);
    for (uint32_t i = 0; i < s->fact_count; i++) {
        tp_json_key_str(json, s->facts[i].name);
        tp_json_str(json, s->facts[i].value);
    }
    tp_json_object_end(json);
}

static void write_steps(const struct tp_summary *s, struct tp_json *json)
{
    tp_json_key(json, "steps");
    tp_json_array(json);
    for (uint32_t i = 0; i < s->step_count; i++) {
        tp_json_object(json);
        tp_json_member_str(json, "name", s->steps[i].name);
        tp_json_member_int(json, "start_ns", s->steps[i].start_ns);
        tp_json_member_int(json, "total_ns", s->steps[i].total_ns);
        tp_json_member_bool(json, "used", !s->steps[i].is_left_out);
        for (unsigned part = 0; part < TP_PART_COUNT; part++)
            member_int(json, tp_summary_part_names[part], s->steps[i].part_ns[part]);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

static void write_row(const struct tp_summary *s, const struct tp_summary_row *row, struct tp_json *json)
{
    tp_json_object(json);
    tp_json_member_text(json, "kind", tp_summary_kind_names[row->kind]);
    tp_json_member_str(json, "name", row->name);
    tp_json_member_str(json, "owner", row->owner);
    tp_json_member_str(json, "shape", row->shape);
    tp_json_member_str(json, "dtype", row->dtype);
    tp_json_member_int(json, "count", row->time.count);
    tp_json_member_int(json, "sum_ns", row->time.sum_ns);
    tp_json_member_int(json, "min_ns", row->time.min_ns);
    tp_json_member_int(json, "max_ns", row->time.max_ns);
    tp_json_member_real(json, "p50_ns", tp_sketch_quantile(&row->time, 0.5));
    tp_json_member_real(json, "p99_ns", tp_sketch_quantile(&row->time, 0.99));
    tp_json_member_real(json, "deviation_ns", tp_sketch_deviation(&row->time));
    member_int(json, "bytes", row->bytes);
    if (row->by_step_ns) {
        ints(json, "by_step_ns", row->by_step_ns, s->step_count);
        ints(json, "by_step_count", row->by_step_count, s->step_count);
    }
    tp_json_object_end(json);
}

static void write_collectives(const struct tp_summary *s, struct tp_json *json)
{
    tp_json_key(json, "collectives");
    tp_json_array(json);
    for (uint32_t i = 0; i < s->collective_count; i++) {
        const struct tp_summary_collective *c = &s->collectives[i];
        tp_json_object(json);
        tp_json_member_str(json, "name", c->name);
        tp_json_member_str(json, "group", c->group);
        tp_json_member_str(json, "dtype", c->dtype);
        member_int(json, "sequence", c->sequence);
        member_int(json, "bytes", c->bytes);
        member_int(json, "group_size", c->group_size);
        tp_json_member_int(json, "arrival_ns", c->arrival_ns);
        tp_json_member_int(json, "duration_ns", c->duration_ns);
        member_int(json, "step", c->step == TP_NO_ID ? TP_NULL_INT : c->step);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

static void write_findings(const struct tp_summary *s, struct tp_json *json)
{
    tp_json_key(json, "findings");
    tp_json_array(json);
    for (uint32_t i = 0; i < s->finding_count; i++) {
        const struct tp_summary_finding *f = &s->findings[i];
        tp_json_object(json);
        tp_json_member_str(json, "rule", f->rule);
        tp_json_member_str(json, "title", f->title);
        tp_json_member_text(json, "severity", tp_severity_text((enum tp_severity)f->severity));
        tp_json_member_text(json, "confidence", tp_confidence_text((enum tp_confidence)f->confidence));
        tp_json_member_real(json, "ceiling_us_per_step", f->ceiling_us_per_step);
        tp_json_member_int(json, "occurrences", f->occurrences);
        tp_json_member_str(json, "file_line", f->file_line);
        tp_json_member_str(json, "detail", f->detail);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

static void write_memory(const struct tp_summary *s, struct tp_json *json)
{
    static const char *const kinds[] = {"operator", "module", "line"};
    tp_json_key(json, "memory");
    tp_json_array(json);
    for (uint32_t i = 0; i < s->memory_count; i++) {
        const struct tp_summary_memory *m = &s->memory[i];
        tp_json_object(json);
        tp_json_member_str(json, "device", m->device);
        member_int(json, "peak_allocated_bytes", m->peak_allocated_bytes);
        member_int(json, "peak_reserved_bytes", m->peak_reserved_bytes);
        tp_json_member_real(json, "creep_bytes_per_step", m->creep_bytes_per_step);
        tp_json_key(json, "owners");
        tp_json_array(json);
        for (uint32_t o = 0; o < m->owner_count; o++) {
            tp_json_object(json);
            tp_json_member_text(json, "kind", kinds[m->owners[o].kind]);
            tp_json_member_str(json, "name", m->owners[o].name);
            member_int(json, "bytes", m->owners[o].bytes);
            member_int(json, "blocks", m->owners[o].blocks);
            tp_json_object_end(json);
        }
        tp_json_array_end(json);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

static void write_flags(const struct tp_summary *s, struct tp_json *json)
{
    tp_json_key(json, "flags");
    tp_json_array(json);
    for (uint32_t i = 0; i < s->flag_count; i++) {
        tp_json_object(json);
        tp_json_member_str(json, "name", s->flags[i].name);
        member_int(json, "count", s->flags[i].count);
        tp_json_object_end(json);
    }
    tp_json_array_end(json);
}

void tp_summary_json(const struct tp_summary *summary, struct tp_json *json, struct tp_arena *arena)
{
    tp_json_object(json);
    write_head(summary, json, arena);
    write_steps(summary, json);
    tp_json_key(json, "rows");
    tp_json_array(json);
    for (uint32_t i = 0; i < summary->row_count; i++)
        write_row(summary, &summary->rows[i], json);
    tp_json_array_end(json);
    write_collectives(summary, json);
    write_findings(summary, json);
    write_memory(summary, json);
    write_flags(summary, json);
    tp_json_object_end(json);
}
