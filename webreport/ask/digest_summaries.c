/* Digests and findings of summaries and of folders with several traces. */
#include <stdio.h>

#include "webreport/ask/ask_input.h"
#include "webreport/ask/completeness.h"
#include "webreport/ask/digest_numbers.h"
#include "webreport/compare/job/job_build.h"
#include "webreport/document/job/job_wording.h"
#include "webreport/measure/rules/rules.h"
#include "webreport/measure/summary/summary_file.h"
#include "writer/base/sort.h"

static const unsigned levels[] = {12, 8, 5, 3, 1, 0}; /* largest number of findings, and of ranks */

/* ---- the verdict of a job ---- */

static int compare_keys(const void *x, const void *y, const void *context)
{
    (void)context;
    return tp_summary_key_compare(&((const struct tp_summary *)x)->key, &((const struct tp_summary *)y)->key);
}

/* Returns the verdict of all ranks together. */
static struct tp_verdict_block judge_job(const struct tp_ask_call *call)
{
    const struct tp_ask_input *input = call->input;
    struct tp_job *job = tp_arena_alloc(call->arena, sizeof *job);
    struct tp_summary *ranks = tp_arena_array(call->arena, input->summary_count, sizeof *ranks);
    struct tp_job_wording wording = {.job = job, .naming = {.arena = call->arena}, .arena = call->arena};
    memcpy(ranks, input->summaries, input->summary_count * sizeof *ranks);
    tp_merge_sort(call->arena, ranks, input->summary_count, sizeof *ranks, compare_keys, NULL);
    tp_job_init(job, call->arena, ranks[0].key.job, ranks[0].key.span);
    for (size_t i = 0; i < input->summary_count; i++)
        tp_job_add_summary(job, &ranks[i]);
    tp_job_finish(job);
    return tp_job_verdict(&wording);
}

/* Returns whether the summaries are ranks of one recording, so that they can be judged together. */
static bool is_one_recording(const struct tp_ask_input *input)
{
    const struct tp_summary_key *first = &input->summaries[0].key;
    for (size_t i = 1; i < input->summary_count; i++) {
        const struct tp_summary_key *key = &input->summaries[i].key;
        if (key->span != first->span || !tp_str_equal(key->job, first->job))
            return false;
    }
    return true;
}

/* Returns the class of a verdict in the words of traces, such as "input" for "input-bound". */
static struct tp_str class_of(struct tp_str verdict)
{
    static const char ending[] = "-bound";
    return tp_str_ends(verdict, ending) ? (struct tp_str){verdict.ptr, verdict.len - (sizeof ending - 1)} : verdict;
}

/* Writes the verdict of recordings that are no ranks of one job: their classes. */
static void write_classes(struct tp_ask_call *call)
{
    const struct tp_ask_input *input = call->input;
    struct tp_buf text;
    size_t kinds = 0;
    tp_buf_init(&text, 0);
    tp_buf_printf(&text, "%zu recordings", input->summary_count);
    for (size_t i = 0; i < input->summary_count; i++) {
        size_t same = 0, before = 0;
        for (size_t k = 0; k < input->summary_count; k++) {
            bool is_same = tp_str_equal(input->summaries[k].verdict, input->summaries[i].verdict);
            before += is_same && k < i;
            same += is_same;
        }
        if (before == 0 && same > 0)
            tp_buf_printf(&text, "%s%zu %.*s", kinds++ ? ", " : ": ", same, (int)input->summaries[i].verdict.len,
                          input->summaries[i].verdict.ptr);
    }
    tp_buf_putc(&text, '.');
    tp_call_member_str(call, "class", kinds == 1 ? class_of(input->summaries->verdict) : TP_STR("mixed"));
    tp_call_member_text(call, "sentence", tp_buf_move(&text, call->arena));
}

static void write_verdict(struct tp_ask_call *call)
{
    const struct tp_ask_input *input = call->input;
    tp_json_key(&call->json, "verdict");
    tp_json_object(&call->json);
    if (input->summary_count == 1) {
        tp_call_member_str(call, "class", class_of(input->summaries->verdict));
        tp_call_member_str(call, "sentence", input->summaries->headline);
    } else if (is_one_recording(input)) {
        struct tp_verdict_block verdict = judge_job(call);
        tp_call_member_text(call, "class", verdict.class);
        tp_call_member_text(call, "sentence", verdict.headline);
    } else {
        write_classes(call);
    }
    tp_json_object_end(&call->json);
}

/* ---- lists ---- */

static void write_rank_number(struct tp_ask_call *call, const struct tp_summary *summary)
{
    if (summary->key.rank == TP_NULL_INT)
        tp_json_member_null(&call->json, "rank");
    else
        tp_json_member_int(&call->json, "rank", summary->key.rank);
}

static void write_rank(struct tp_ask_call *call, const struct tp_summary *summary)
{
    struct tp_json *json = &call->json;
    tp_json_object(json);
    write_rank_number(call, summary);
    tp_call_member_str(call, "worker", summary->key.worker);
    tp_call_member_str(call, "file", summary->file);
    tp_call_member_str(call, "class", class_of(summary->verdict));
    tp_json_object_end(json);
}

static void write_finding(struct tp_ask_call *call, const struct tp_summary_finding *finding)
{
    struct tp_json *json = &call->json;
    char id[24];
    snprintf(id, sizeof id, "f:%.*s", finding->rule.len < 20 ? (int)finding->rule.len : 20, finding->rule.ptr);
    tp_json_object(json);
    tp_json_member_text(json, "id", id);
    tp_call_member_str(call, "title", finding->title);
    tp_json_member_real(json, "at_most_us_per_step", finding->ceiling_us_per_step);
    tp_json_member_text(json, "confidence", tp_confidence_text((enum tp_confidence)finding->confidence));
    tp_json_object_end(json);
}

static void write_lists(struct tp_ask_call *call, unsigned most)
{
    const struct tp_ask_input *input = call->input;
    struct tp_json *json = &call->json;
    if (input->summary_count == 1) {
        const struct tp_summary *summary = input->summaries;
        tp_json_key(json, "numbers");
        tp_json_array(json);
        for (unsigned i = 0; most && tp_digest_metrics[i]; i++)
            tp_number_write_metric(call, summary,
                                   (unsigned)tp_metric_find(tp_digest_metrics[i], strlen(tp_digest_metrics[i])));
        tp_json_array_end(json);
        tp_json_key(json, "findings");
        tp_json_array(json);
        for (uint32_t i = 0; i < summary->finding_count && i < most; i++)
            write_finding(call, &summary->findings[i]);
        tp_json_array_end(json);
        return;
    }
    tp_json_member_int(json, "rank_count", (int64_t)input->summary_count);
    tp_json_key(json, "ranks");
    tp_json_array(json);
    for (size_t i = 0; i < input->summary_count && i < most; i++)
        write_rank(call, &input->summaries[i]);
    tp_json_array_end(json);
}

static bool write_digest(struct tp_ask_call *call, unsigned level)
{
    struct tp_json *json = &call->json;
    write_verdict(call);
    write_lists(call, levels[level]);
    tp_completeness_write(call, true);
    tp_json_key(json, "next");
    tp_json_array(json);
    tp_json_text(json, "tracepress_rows findings");
    tp_json_text(json, "tracepress_rows ranks");
    tp_json_array_end(json);
    return level + 1 < sizeof levels / sizeof *levels;
}

enum tp_ask_code tp_digest_of_summaries(struct tp_ask_call *call)
{
    return tp_call_fit(call, write_digest);
}

/* ---- one finding ---- */

static bool is_named(const struct tp_ask_call *call, const struct tp_summary_finding *finding)
{
    struct tp_str id = call->text[TP_ASK_ID];
    return tp_str_starts(id, "f:") && tp_str_equal((struct tp_str){id.ptr + 2, id.len - 2}, finding->rule);
}

static bool write_findings(struct tp_ask_call *call, unsigned level)
{
    const struct tp_ask_input *input = call->input;
    unsigned written = 0, found = 0;
    tp_json_member_str(&call->json, "id", call->text[TP_ASK_ID]);
    tp_json_key(&call->json, "ranks");
    tp_json_array(&call->json);
    for (size_t s = 0; s < input->summary_count; s++)
        for (uint32_t i = 0; i < input->summaries[s].finding_count; i++) {
            const struct tp_summary_finding *finding = &input->summaries[s].findings[i];
            found += is_named(call, finding);
            if (!is_named(call, finding) || written == levels[level])
                continue;
            written++;
            tp_json_object(&call->json);
            write_rank_number(call, &input->summaries[s]);
            tp_call_member_str(call, "title", finding->title);
            tp_call_member_str(call, "detail", finding->detail);
            tp_json_member_real(&call->json, "at_most_us_per_step", finding->ceiling_us_per_step);
            tp_json_member_text(&call->json, "confidence", tp_confidence_text((enum tp_confidence)finding->confidence));
            tp_json_member_int(&call->json, "evidence_count", finding->occurrences);
            tp_call_member_str(call, "file_line", finding->file_line);
            tp_json_object_end(&call->json);
        }
    tp_json_array_end(&call->json);
    tp_json_member_int(&call->json, "all_ranks", found);
    tp_completeness_write(call, false);
    return level + 1 < sizeof levels / sizeof *levels;
}

enum tp_ask_code tp_explain_in_summaries(struct tp_ask_call *call)
{
    for (size_t s = 0; s < call->input->summary_count; s++)
        for (uint32_t i = 0; i < call->input->summaries[s].finding_count; i++)
            if (is_named(call, &call->input->summaries[s].findings[i]))
                return tp_call_fit(call, write_findings);
    return tp_call_fail(call, TP_ASK_UNKNOWN_ID, "tracepress_rows findings lists the ids of findings",
                        "the input has no finding with this id");
}
