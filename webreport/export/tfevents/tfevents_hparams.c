/* Adds the row of the HParams table: facts about the run that tracepress knows, and facts that the program recorded. */
#include "webreport/export/tfevents/tfevents_run.h"
#include "webreport/measure/audience/phrases.h"

#include <math.h>
#include <stdlib.h>

#include "webreport/measure/program/program_facts.h"
#include "webreport/trace/json/value.h"
#include "writer/text/escape.h"

enum { MAX_FACTS = 16, MOST_BYTES = 64 };

/* Facts with a fixed column, and the keys that programs use for them. Every run has these columns; a cell is empty if
 * the fact is unknown. TensorBoard sorts columns by name and shows the first five, so that the names of facts that are
 * always known are first in this order. */
static const struct {
    const char *name, *title, *keys[4];
    bool is_number;
} known[] = {
    {"batch_size", "Batch size", {"batch_size", "batchSize", "train_batch_size"}, true},
    {"user_dtype", "Type", {"dtype", "torch_dtype", "precision"}, false},
    {"user_amp", "Mixed precision", {"amp", "use_amp", "autocast"}, false},
    {"user_num_workers", "Loader workers", {"num_workers", "dataloader_num_workers"}, true},
    {"user_framework", "Framework", {"torch_version", "framework_version", "framework"}, false},
};
enum { KNOWN = sizeof known / sizeof *known };

double tp_tf_user_number(const struct tp_tf_run *run, const char *key)
{
    struct tp_str json = tp_trace_header(run->export->profile->trace, key);
    struct tp_str text = json.ptr ? tp_value_text(run->export->arena, json) : json;
    char *end,
        *digits = text.len && text.len < MOST_BYTES ? tp_arena_copy(run->export->arena, text.ptr, text.len) : NULL;
    double number = digits ? strtod(digits, &end) : NAN;
    return digits && end == digits + text.len && end > digits && isfinite(number) ? number : NAN;
}

static const char *copy_as_c_string(struct tp_arena *arena, struct tp_str text)
{
    size_t size = text.len < MOST_BYTES ? text.len : MOST_BYTES;
    return size ? tp_name_escape(arena, (struct tp_str){text.ptr, size}, " _.:;,+-*/()[]=@#%<>|", MOST_BYTES) : NULL;
}

static const char *gpu_name(const struct tp_tf_run *run)
{
    const struct tp_table *gpus = &run->export->profile->views->overview.gpu_summary;
    const char *name =
        gpus->row_count ? copy_as_c_string(run->export->arena, tp_table_text(gpus, TP_GPU_NAME)[0]) : "CPU";
    return name ? name : "unknown";
}

/* Adds the value of the fact known[which] if the program recorded this fact. */
static void add_known_fact(const struct tp_tf_run *run, struct tp_tf_hparam *values, size_t *count, size_t which)
{
    struct tp_arena *arena = run->export->arena;
    struct tp_tf_hparam value = {known[which].name, known[which].title, NULL, NAN};
    for (size_t k = 0; known[which].keys[k] && isnan(value.number) && !value.text; k++) {
        struct tp_str json = tp_trace_header(run->export->profile->trace, known[which].keys[k]);
        if (known[which].is_number)
            value.number = tp_tf_user_number(run, known[which].keys[k]);
        else if (json.ptr && !tp_value_starts_with(json, '{') && !tp_value_starts_with(json, '['))
            value.text = copy_as_c_string(arena, tp_value_text(arena, json));
    }
    if (value.text || !isnan(value.number))
        values[(*count)++] = value;
}

static bool is_listed(struct tp_str key)
{
    if (!tp_is_program_fact(key) || tp_str_equal(key, TP_STR("tokens_per_step")))
        return true;
    for (size_t i = 0; i < KNOWN; i++)
        for (size_t k = 0; known[i].keys[k]; k++)
            if (tp_str_equal(key, tp_str_of(known[i].keys[k])))
                return true;
    return false;
}

/* Adds the recorded facts that have no fixed column and whose value is a number, a boolean or a short text. */
static void add_user_values(const struct tp_tf_run *run, struct tp_tf_hparam *values, size_t *count)
{
    const struct tp_trace *trace = run->export->profile->trace;
    struct tp_arena *arena = run->export->arena;
    size_t most = *count + MAX_FACTS;
    for (uint32_t i = 0; i < trace->header_count && *count < most; i++) {
        struct tp_str key = trace->header[i].key, json = trace->header[i].value;
        if (is_listed(key) || tp_value_starts_with(json, '{') || tp_value_starts_with(json, '[') ||
            tp_value_starts_with(json, 'n') || json.len > MOST_BYTES || !key.len)
            continue;
        const char *name = tp_tf_tag_part(arena, key);
        double number =
            tp_value_starts_with(json, '"') ? NAN : tp_tf_user_number(run, tp_arena_copy(arena, key.ptr, key.len));
        const char *text = isnan(number) ? copy_as_c_string(arena, tp_value_text(arena, json)) : NULL;
        if (text || !isnan(number))
            values[(*count)++] = (struct tp_tf_hparam){name, name, text, number};
    }
}

void tp_tf_add_hparams(const struct tp_tf_run *run, const struct tp_tf_metric *metrics, size_t metric_count)
{
    const struct tp_profile *profile = run->export->profile;
    struct tp_str distributed = tp_trace_header(profile->trace, "distributedInfo");
    int64_t world = tp_value_world_size(distributed);
    int64_t rank = tp_value_rank(distributed);
    enum { OWN = 6 };
    struct tp_tf_hparam values[OWN + KNOWN + MAX_FACTS] = {
        {"worker", "Worker", run->export->worker, 0},
        {"gpu", tp_devices_word(profile->model), gpu_name(run), 0},
        {"gpus_used", tp_words_for_trace(profile->model, "{GPU}s used", run->export->arena), NULL,
         (double)profile->model->gpu_count},
        {"world_size", "Ranks", NULL, world == TP_NULL_INT ? 1 : (double)world},
        {"rank", "Rank", NULL, rank == TP_NULL_INT ? 0 : (double)rank},
        {"steps", "Steps", NULL, (double)profile->model->step_count},
    };
    struct tp_tf_hparam columns[OWN + KNOWN + MAX_FACTS];
    size_t count = OWN;
    for (size_t i = 0; i < OWN; i++)
        columns[i] = values[i];
    for (size_t i = 0; i < KNOWN; i++) {
        columns[OWN + i] = (struct tp_tf_hparam){known[i].name, known[i].title, known[i].is_number ? NULL : "", 0};
        add_known_fact(run, values, &count, i);
    }
    size_t known_count = count;
    add_user_values(run, values, &count);
    /* describes the columns of the other recorded facts, which come after the fixed columns */
    for (size_t i = known_count; i < count; i++) {
        columns[OWN + KNOWN + i - known_count] = values[i];
        columns[OWN + KNOWN + i - known_count].text = values[i].text ? "" : NULL;
    }
    tp_tfevents_put_experiment(run->events, run->first, columns, OWN + KNOWN + count - known_count, metrics,
                               metric_count);
    tp_tfevents_put_session_start(run->events, run->first, values, count);
    tp_tfevents_put_session_end(run->events, run->last);
}
