/* Adds findings, the memory at its peak, ranges, and quality flags to a summary. */
#include <math.h>
#include <stdio.h>

#include "webreport/measure/rules/unknown_data.h"
#include "webreport/measure/summary/summary_parts.h"
#include "writer/base/limits.h"
#include "writer/base/sort.h"

/* ---- findings ---- */

static struct tp_str finding_line(const struct tp_finding *finding)
{
    for (unsigned i = 0; i < finding->evidence_count; i++)
        if (finding->evidence[i].file_line.len)
            return finding->evidence[i].file_line;
    return TP_STR("");
}

/* Sorts findings by severity, then by time. The order of a report depends on a replay, which a summary does not need. */
static int compare_findings(const void *x, const void *y, const void *context)
{
    const struct tp_finding *a = *(const struct tp_finding *const *)x, *b = *(const struct tp_finding *const *)y;
    double a_us = isnan(a->ceiling_us_per_step) ? -1 : a->ceiling_us_per_step;
    double b_us = isnan(b->ceiling_us_per_step) ? -1 : b->ceiling_us_per_step;
    (void)context;
    if (a->is_first != b->is_first)
        return a->is_first ? -1 : 1;
    if (a->severity != b->severity)
        return a->severity < b->severity ? -1 : 1;
    if (a_us != b_us)
        return a_us > b_us ? -1 : 1;
    if (a->rule != b->rule)
        return tp_rule_number(a->rule) < tp_rule_number(b->rule) ? -1 : 1;
    return tp_str_compare(a->detail, b->detail);
}

/* Returns the findings of a recommendation in the order of a summary. */
static const struct tp_finding **sorted_findings(struct tp_summary_work *work, const struct tp_recommendations *all)
{
    const struct tp_finding **sorted = tp_arena_array(work->arena, all->finding_count, sizeof *sorted);
    for (uint32_t i = 0; i < all->finding_count; i++)
        sorted[i] = &all->findings[i];
    tp_merge_sort(work->arena, sorted, all->finding_count, sizeof *sorted, compare_findings, NULL);
    return sorted;
}

void tp_summary_findings_build(struct tp_summary_work *work)
{
    const struct tp_recommendations *all = &work->source->advice->recommendations;
    uint32_t count = all->finding_count;
    if (count > TP_MAX_SUMMARY_FINDINGS) {
        work->left_out[TP_CUT_FINDINGS] = count - TP_MAX_SUMMARY_FINDINGS;
        count = TP_MAX_SUMMARY_FINDINGS;
    }
    const struct tp_finding **findings = sorted_findings(work, all);
    work->out->findings = tp_arena_array(work->arena, count, sizeof *work->out->findings);
    work->out->finding_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct tp_finding *from = findings[i];
        work->out->findings[i] =
            (struct tp_summary_finding){.rule = tp_summary_intern_text(work, tp_str_of(from->rule->id)),
                                        .title = tp_summary_intern_text(work, tp_str_of(from->title)),
                                        .severity = (uint8_t)from->severity,
                                        .confidence = (uint8_t)from->confidence,
                                        .ceiling_us_per_step = from->ceiling_us_per_step,
                                        .occurrences = from->evidence_total,
                                        .file_line = tp_summary_intern_text(work, finding_line(from)),
                                        .detail = tp_summary_intern_text(work, from->detail)};
    }
}

/* ---- memory ---- */

static uint32_t limited_owner_count(struct tp_summary_work *work, const struct tp_table *table)
{
    if (table->row_count <= TP_MAX_SUMMARY_OWNERS)
        return (uint32_t)table->row_count;
    work->left_out[TP_CUT_OWNERS] += table->row_count - TP_MAX_SUMMARY_OWNERS;
    return TP_MAX_SUMMARY_OWNERS;
}

static void fill_owners(struct tp_summary_work *work, struct tp_summary_memory *memory,
                        const struct tp_memory_device *device)
{
    const struct tp_table *const tables[] = {&device->live_by_op, &device->live_by_module, &device->live_by_line};
    uint32_t counts[3];
    for (unsigned t = 0; t < 3; t++)
        memory->owner_count += counts[t] = limited_owner_count(work, tables[t]);
    memory->owners = tp_arena_array(work->arena, memory->owner_count, sizeof *memory->owners);
    struct tp_summary_owner *owner = memory->owners;
    for (unsigned t = 0; t < 3; t++)
        for (uint32_t i = 0; i < counts[t]; i++, owner++) {
            owner->kind = (enum tp_summary_owner_kind)(TP_OWNER_OPERATOR + t);
            owner->name = tp_summary_intern_text(work, tp_table_text(tables[t], TP_LIVE_NAME)[i]);
            owner->bytes = tp_table_int(tables[t], TP_LIVE_BYTES)[i];
            owner->blocks = tp_table_int(tables[t], TP_LIVE_BLOCKS)[i];
        }
}

/* Returns the name of the device in the memory view. */
static struct tp_str device_name(struct tp_summary_work *work, const struct tp_memory_device *device)
{
    const struct tp_memory_view *view = &work->source->views->memory;
    char text[64];
    for (uint32_t i = 0; i < view->device_count; i++)
        if (view->devices[i].type == device->device_type && view->devices[i].id == device->device_id)
            return tp_summary_intern_text(work, view->devices[i].name);
    int n = snprintf(text, sizeof text, "%lld:%lld", (long long)device->device_type, (long long)device->device_id);
    return tp_summary_intern_text(work, (struct tp_str){text, n > 0 ? (size_t)n : 0});
}

void tp_summary_memory_build(struct tp_summary_work *work)
{
    const struct tp_memory_peak *peak = &work->source->advice->memory;
    uint32_t count = peak->device_count;
    if (count > TP_MAX_SUMMARY_DEVICES) {
        work->left_out[TP_CUT_DEVICES] = count - TP_MAX_SUMMARY_DEVICES;
        count = TP_MAX_SUMMARY_DEVICES;
    }
    work->out->memory = tp_arena_array(work->arena, count, sizeof *work->out->memory);
    work->out->memory_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct tp_summary_memory *memory = &work->out->memory[i];
        memory->device = device_name(work, &peak->devices[i]);
        memory->peak_allocated_bytes = peak->devices[i].peak_allocated_bytes;
        memory->peak_reserved_bytes = peak->devices[i].peak_reserved_bytes;
        memory->creep_bytes_per_step = peak->devices[i].creep_bytes_per_step;
        fill_owners(work, memory, &peak->devices[i]);
    }
}

/* ---- ranges ---- */

/* Adds the annotations, then the modules, because budgets mostly name annotations. */
void tp_summary_ranges_build(struct tp_summary_work *work)
{
    const struct tp_table *table = &work->source->views->range_times.table;
    uint32_t unknown = work->source->trace->input.unknown;
    bool has_device =
        work->source->model->devices.count && !(unknown & tp_unknown_needs_of_metric("range[NAME].device"));
    uint32_t count = 0,
             room = table->row_count < TP_MAX_SUMMARY_RANGES ? (uint32_t)table->row_count : TP_MAX_SUMMARY_RANGES;
    struct tp_summary_range *ranges = tp_arena_array(work->arena, room, sizeof *ranges);
    for (int is_module = 0; is_module < 2; is_module++)
        for (size_t row = 0; row < table->row_count; row++) {
            struct tp_str kind = tp_table_text(table, TP_RANGE_TIME_KIND)[row];
            if (!kind.len || tp_str_equal(kind, TP_STR("module")) != is_module)
                continue;
            if (count == room) {
                work->left_out[TP_CUT_RANGES]++;
                continue;
            }
            ranges[count++] = (struct tp_summary_range){
                .name = tp_summary_intern_text(work, tp_table_text(table, TP_RANGE_TIME_NAME)[row]),
                .is_module = is_module,
                .device_ns = has_device ? tp_table_int(table, TP_RANGE_TIME_DEVICE_PER_STEP)[row] : TP_NULL_INT,
                .host_ns = tp_table_int(table, TP_RANGE_TIME_HOST_PER_STEP)[row]};
        }
    work->out->ranges = ranges;
    work->out->range_count = count;
}

/* ---- gains of changes ---- */

void tp_summary_gains_build(struct tp_summary_work *work)
{
    const struct tp_change_gains *gains = &work->source->advice->gains;
    struct tp_change_gain *items = tp_arena_array(work->arena, gains->count, sizeof *items);
    for (uint32_t i = 0; i < gains->count; i++) {
        items[i] = gains->items[i];
        if (items[i].why)
            items[i].why = tp_arena_copy(work->arena, items[i].why, strlen(items[i].why));
    }
    work->out->gains = items;
    work->out->gain_count = gains->count;
}

/* ---- flags ---- */

void tp_summary_flags_build(struct tp_summary_work *work)
{
    static const char *const cuts[TP_CUT_COUNT] = {
        [TP_CUT_STEPS] = "summary: steps left out",
        [TP_CUT_ROWS] = "summary: rows added up",
        [TP_CUT_COLLECTIVES] = "summary: collectives left out",
        [TP_CUT_FINDINGS] = "summary: findings left out",
        [TP_CUT_DEVICES] = "summary: memory devices left out",
        [TP_CUT_OWNERS] = "summary: memory owners left out",
        [TP_CUT_RANGES] = "summary: ranges left out",
        [TP_CUT_GENERATED] = "summary: generated kernels left out",
    };
    const struct tp_quality *quality = &work->source->advice->quality;
    struct tp_summary_flag flags[TP_QUALITY_FLAGS + TP_NOTICE_COUNT + TP_CUT_COUNT];
    uint32_t count = 0;
    for (unsigned i = 0; i < TP_QUALITY_FLAGS; i++)
        if (quality->flags[i].is_raised)
            flags[count++] = (struct tp_summary_flag){tp_str_of(quality->flags[i].id),
                                                      quality->flags[i].type == TP_QUALITY_INT ? quality->flags[i].count
                                                                                               : TP_NULL_INT};
    for (unsigned i = 0; i < quality->notice_count; i++)
        flags[count++] = (struct tp_summary_flag){tp_str_of(quality->notices[i].name), quality->notices[i].count};
    for (unsigned i = 0; i < TP_CUT_COUNT; i++)
        if (work->left_out[i])
            flags[count++] = (struct tp_summary_flag){tp_str_of(cuts[i]), (int64_t)work->left_out[i]};
    work->out->flags = tp_arena_array(work->arena, count, sizeof *work->out->flags);
    work->out->flag_count = count;
    for (uint32_t i = 0; i < count; i++) {
        work->out->flags[i] = flags[i];
        work->out->flags[i].name = tp_summary_intern_text(work, flags[i].name);
    }
}
