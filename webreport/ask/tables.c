/* The measured tables of an input: see tables.h. */
#include "webreport/ask/tables.h"

#include <math.h>

#include "webreport/ask/named_times.h"
#include "webreport/measure/rules/rules.h"

/* Returns the number of all items of a list of the summaries. */
#define COUNT_ALL(input, member)                                                                                       \
    __extension__({                                                                                                    \
        size_t count_ = 0;                                                                                             \
        for (size_t s_ = 0; s_ < (input)->summary_count; s_++)                                                         \
            count_ += (input)->summaries[s_].member;                                                                   \
        count_;                                                                                                        \
    })
#define RANK                                                                                                           \
    {                                                                                                                  \
        "rank", "rank", "", "number of the rank; null if unknown", TP_COLUMN_INT                                       \
    }

static void init(struct tp_table *table, const struct tp_ask_table *row, size_t count, struct tp_arena *arena)
{
    tp_table_init(table, arena, row->name, row->defs, row->column_count, count);
}

/* Returns a text without content as null, because summaries in files have "" where others have none. */
static struct tp_str known(struct tp_str text)
{
    return text.len ? text : (struct tp_str){NULL, 0};
}

static double us_of(int64_t ns)
{
    return ns == TP_NULL_INT ? NAN : (double)ns / 1e3;
}

/* ---- findings ---- */

static const struct tp_column_def finding_defs[] = {
    RANK,
    {"id", "id", "", "id of the finding, for the tool explain", TP_COLUMN_TEXT},
    {"title", "title", "", "what to do", TP_COLUMN_TEXT},
    {"severity", "severity", "", "high, medium, low or info", TP_COLUMN_TEXT},
    {"confidence", "confidence", "", "high, medium or low", TP_COLUMN_TEXT},
    {"at_most_us_per_step", "at most", "us", "time per step that the finding affects: a ceiling of its gain",
     TP_COLUMN_REAL},
    {"events", "events", "", "number of events that show the problem", TP_COLUMN_INT},
    {"file_line", "line", "", "file and line of the first event with a known line", TP_COLUMN_TEXT},
};

static void build_findings(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena)
{
    size_t row = 0;
    init(table, tp_ask_table_find(TP_STR("findings")), COUNT_ALL(input, finding_count), arena);
    for (size_t s = 0; s < input->summary_count; s++) {
        const struct tp_summary *summary = &input->summaries[s];
        for (uint32_t f = 0; f < summary->finding_count; f++, row++) {
            const struct tp_summary_finding *finding = &summary->findings[f];
            char *id = tp_arena_alloc(arena, finding->rule.len + 3);
            memcpy(id, "f:", 2);
            memcpy(id + 2, finding->rule.ptr, finding->rule.len);
            tp_table_int(table, 0)[row] = summary->key.rank;
            tp_table_text(table, 1)[row] = tp_str_of(id);
            tp_table_text(table, 2)[row] = finding->title;
            tp_table_text(table, 3)[row] = tp_str_of(tp_severity_text((enum tp_severity)finding->severity));
            tp_table_text(table, 4)[row] = tp_str_of(tp_confidence_text((enum tp_confidence)finding->confidence));
            tp_table_real(table, 5)[row] = finding->ceiling_us_per_step;
            tp_table_int(table, 6)[row] = finding->occurrences;
            tp_table_text(table, 7)[row] = known(finding->file_line);
        }
    }
}

/* ---- metrics ---- */

static const struct tp_column_def metric_defs[] = {
    RANK,
    {"name", "name", "", "name of the metric, as for `check`", TP_COLUMN_TEXT},
    {"value", "value", "", "value in the unit of the column `unit`; null if unknown", TP_COLUMN_REAL},
    {"unit", "unit", "", "count, ns, bytes or %", TP_COLUMN_TEXT},
    {"reason", "reason", "", "why the value is unknown", TP_COLUMN_TEXT},
    {"definition", "definition", "", "definition of the metric", TP_COLUMN_TEXT},
};

static void build_metrics(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena)
{
    size_t row = 0;
    init(table, tp_ask_table_find(TP_STR("metrics")), input->summary_count * TP_METRIC_COUNT, arena);
    for (size_t s = 0; s < input->summary_count; s++)
        for (unsigned m = 0; m < TP_METRIC_COUNT; m++) {
            const struct tp_metric_value *value = &input->summaries[s].metrics[m];
            if (tp_metric_is_omitted(&tp_metrics[m], value->value))
                continue;
            tp_table_int(table, 0)[row] = input->summaries[s].key.rank;
            tp_table_text(table, 1)[row] = tp_str_of(tp_metrics[m].name);
            tp_table_real(table, 2)[row] = value->value;
            tp_table_text(table, 3)[row] = tp_str_of(tp_metric_unit_text(tp_metrics[m].unit));
            tp_table_text(table, 4)[row] = value->why ? tp_str_of(value->why) : (struct tp_str){NULL, 0};
            tp_table_text(table, 5)[row++] = tp_str_of(tp_metric_title(&tp_metrics[m]));
        }
    table->row_count = row;
}

/* ---- collectives ---- */

static const struct tp_column_def collective_defs[] = {
    RANK,
    {"name", "name", "", "name of the collective", TP_COLUMN_TEXT},
    {"group_name", "group", "", "name of the process group", TP_COLUMN_TEXT},
    {"dtype", "type", "", "type of the data", TP_COLUMN_TEXT},
    {"sequence", "sequence", "", "number of the call within group and name", TP_COLUMN_INT},
    {"bytes", "bytes", "bytes", "size of the communicated data", TP_COLUMN_INT},
    {"group_size", "ranks", "", "number of ranks in the group", TP_COLUMN_INT},
    {"arrival_ns", "arrival", "ns", "start of the kernel, or of the host call without one, since the trace's start",
     TP_COLUMN_INT},
    {"duration_ns", "duration", "ns", "duration of the same kernel or call", TP_COLUMN_INT},
};

static void build_collectives(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena)
{
    size_t row = 0;
    init(table, tp_ask_table_find(TP_STR("collectives")), COUNT_ALL(input, collective_count), arena);
    for (size_t s = 0; s < input->summary_count; s++)
        for (uint32_t c = 0; c < input->summaries[s].collective_count; c++, row++) {
            const struct tp_summary_collective *call = &input->summaries[s].collectives[c];
            tp_table_int(table, 0)[row] = input->summaries[s].key.rank;
            tp_table_text(table, 1)[row] = call->name;
            tp_table_text(table, 2)[row] = known(call->group);
            tp_table_text(table, 3)[row] = known(call->dtype);
            tp_table_int(table, 4)[row] = call->sequence;
            tp_table_int(table, 5)[row] = call->bytes;
            tp_table_int(table, 6)[row] = call->group_size;
            tp_table_int(table, 7)[row] = call->arrival_ns;
            tp_table_int(table, 8)[row] = call->duration_ns;
        }
}

/* ---- overlap ---- */

static const struct tp_column_def overlap_defs[] = {
    {"device", "device", "", "number of the device", TP_COLUMN_INT},
    {"communication_us", "communication", "us", "union of the communication kernels", TP_COLUMN_REAL},
    {"exposed_communication_us", "exposed", "us", "part of it in which no compute kernel runs", TP_COLUMN_REAL},
    {"communication_overlapped_percent", "overlapped", "%", "part of it in which compute kernels run", TP_COLUMN_REAL},
};

static void build_overlap(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena)
{
    const struct tp_idle_view *idle = &input->trace.analysis.advice.idle;
    size_t row = 0;
    init(table, tp_ask_table_find(TP_STR("overlap")), input->is_trace ? idle->device_count : 0, arena);
    for (size_t d = 0; d < table->row_count; d++) {
        const struct tp_idle_device *device = &idle->devices[d];
        if (device->communication_ns <= 0)
            continue;
        tp_table_int(table, 0)[row] = device->device;
        tp_table_real(table, 1)[row] = us_of(device->communication_ns);
        tp_table_real(table, 2)[row] = us_of(device->exposed_communication_ns);
        tp_table_real(table, 3)[row++] = 100.0 * (double)(device->communication_ns - device->exposed_communication_ns) /
                                         (double)device->communication_ns;
    }
    table->row_count = row;
}

/* ---- tables of summaries ---- */

static const struct tp_column_def rank_defs[] = {
    RANK,
    {"worker", "worker", "", "name of the worker in the file name", TP_COLUMN_TEXT},
    {"file", "file", "", "name of the trace", TP_COLUMN_TEXT},
    {"verdict", "verdict", "", "what bounds this rank", TP_COLUMN_TEXT},
    {"headline", "headline", "", "the same as a sentence", TP_COLUMN_TEXT},
    {"events", "events", "", "number of events", TP_COLUMN_INT},
    {"steps_used", "steps", "", "number of steps that the statistics use", TP_COLUMN_INT},
    {"clean", "clean", "", "1 if the trace is complete and consistent", TP_COLUMN_BOOL},
};

static void build_ranks(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena)
{
    init(table, tp_ask_table_find(TP_STR("ranks")), input->summary_count, arena);
    for (size_t s = 0; s < input->summary_count; s++) {
        const struct tp_summary *summary = &input->summaries[s];
        tp_table_int(table, 0)[s] = summary->key.rank;
        tp_table_text(table, 1)[s] = summary->key.worker;
        tp_table_text(table, 2)[s] = summary->file;
        tp_table_text(table, 3)[s] = summary->verdict;
        tp_table_text(table, 4)[s] = summary->headline;
        tp_table_int(table, 5)[s] = summary->event_count;
        tp_table_int(table, 6)[s] = tp_summary_used_steps(summary);
        tp_table_bool(table, 7)[s] = summary->evidence.is_known && tp_evidence_unmet_needs(&summary->evidence) == 0;
    }
}

static const struct tp_column_def step_defs[] = {
    RANK,
    {"name", "name", "", "name of the step", TP_COLUMN_TEXT},
    {"start_ns", "start", "ns", "start of the step since the trace's start", TP_COLUMN_INT},
    {"total_ns", "length", "ns", "length of the step", TP_COLUMN_INT},
    {"is_used", "used", "", "1 if statistics use the step", TP_COLUMN_BOOL},
};

static void build_steps(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena)
{
    size_t row = 0;
    init(table, tp_ask_table_find(TP_STR("steps")), COUNT_ALL(input, step_count), arena);
    for (size_t s = 0; s < input->summary_count; s++)
        for (uint32_t i = 0; i < input->summaries[s].step_count; i++, row++) {
            const struct tp_summary_step *step = &input->summaries[s].steps[i];
            tp_table_int(table, 0)[row] = input->summaries[s].key.rank;
            tp_table_text(table, 1)[row] = step->name;
            tp_table_int(table, 2)[row] = step->start_ns;
            tp_table_int(table, 3)[row] = step->total_ns;
            tp_table_bool(table, 4)[row] = !step->is_left_out;
        }
}

static const struct tp_column_def time_defs[] = {
    RANK,
    {"id", "id", "", "id of the name, for the tool explain", TP_COLUMN_TEXT},
    {"kind", "kind", "", "operator_host, operator_device, kernel, copy, module_host, module_device, sync or runtime",
     TP_COLUMN_TEXT},
    {"name", "name", "", "name of the kernel, operator, module or call; (rest) for the sum of all smaller ones",
     TP_COLUMN_TEXT},
    {"owner", "owner", "", "operator that launched the work", TP_COLUMN_TEXT},
    {"shape", "shape", "", "shapes of the operands", TP_COLUMN_TEXT},
    {"calls", "calls", "", "number of calls", TP_COLUMN_INT},
    {"total_ns", "time", "ns", "sum of the durations", TP_COLUMN_INT},
    {"max_ns", "longest", "ns", "longest duration", TP_COLUMN_INT},
    {"bytes", "bytes", "bytes", "bytes moved; null if the calls move none", TP_COLUMN_INT},
    {"line", "line", "", "source line of the calls with the most time", TP_COLUMN_TEXT},
};

static void build_times(struct tp_table *table, const struct tp_ask_input *input, struct tp_arena *arena)
{
    size_t row = 0;
    init(table, tp_ask_table_find(TP_STR("times")), COUNT_ALL(input, row_count), arena);
    for (size_t s = 0; s < input->summary_count; s++)
        for (uint32_t i = 0; i < input->summaries[s].row_count; i++, row++) {
            const struct tp_summary_row *time = &input->summaries[s].rows[i];
            char *id = tp_arena_alloc(arena, TP_NAME_ID_BYTES);
            tp_name_id(id, time->name);
            tp_table_int(table, 0)[row] = input->summaries[s].key.rank;
            tp_table_text(table, 1)[row] = tp_str_of(id);
            tp_table_text(table, 2)[row] = tp_str_of(tp_summary_kind_text(time->kind));
            tp_table_text(table, 3)[row] = time->name;
            tp_table_text(table, 4)[row] = known(time->owner);
            tp_table_text(table, 5)[row] = known(time->shape);
            tp_table_int(table, 6)[row] = time->time.count;
            tp_table_int(table, 7)[row] = time->time.sum_ns;
            tp_table_int(table, 8)[row] = time->time.max_ns;
            tp_table_int(table, 9)[row] = time->bytes;
            tp_table_text(table, 10)[row] = known(time->line);
        }
}

/* ---- the table ---- */

#define COLUMNS(defs) defs, sizeof defs / sizeof *defs

const struct tp_ask_table tp_ask_tables[] = {
    {"findings", true, "problems that the rules found, most severe first", "no rule found a problem", true, true,
     build_findings, COLUMNS(finding_defs)},
    {"metrics", true, "all metrics of `check`", "no metric is known", true, true, build_metrics, COLUMNS(metric_defs)},
    {"overlap", true, "how much of the communication is hidden by compute, for each device",
     "the recording has no communication on a device", true, false, build_overlap, COLUMNS(overlap_defs)},
    {"collectives", false, "collective operations in the order of their start", "the recording has no collectives",
     true, true, build_collectives, COLUMNS(collective_defs)},
    {"ranks", false, "the processes of a job", "only summaries and folders have ranks", false, true, build_ranks,
     COLUMNS(rank_defs)},
    {"steps", false, "the steps of all ranks", "the summaries have no steps", false, true, build_steps,
     COLUMNS(step_defs)},
    {"times", false, "times by kind and name", "the recording has no times", true, true, build_times,
     COLUMNS(time_defs)},
    {NULL, false, NULL, NULL, false, false, NULL, NULL, 0}};

const struct tp_ask_table *tp_ask_table_find(struct tp_str name)
{
    for (const struct tp_ask_table *table = tp_ask_tables; table->name; table++)
        if (tp_str_equal(name, tp_str_of(table->name)))
            return table;
    return NULL;
}

bool tp_ask_table_fits(const struct tp_ask_table *table, const struct tp_ask_input *input)
{
    return input->is_trace ? table->is_for_traces : table->is_for_summaries;
}
