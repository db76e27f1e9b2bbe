/* Makes documents of dumps of the Flight Recorder: see flight_document.h. */
#include "webreport/document/flight/flight_document.h"

#include <math.h>
#include <string.h>

#include "webreport/document/flight/flight_page.h"
#include "writer/base/json_out.h"
#include "writer/text/format.h"

enum { SHOWN_FAILED = 6 };

static void write_result(const struct tp_data *value, struct tp_json *json)
{
    const struct tp_flight_result *result = value->self;
    tp_fields_json(&tp_flight_result_fields, result, result->job->arena, json);
}

/* ---- the first screen ---- */

static void put_title(const struct tp_flight_page *page)
{
    const struct tp_flight_result *result = page->result;
    tp_document_add_title(page->document,
                          &(struct tp_title_block){.text = page->folder, .id = "hang", .label = "Overview"});
    tp_document_add_fact(page->document, "", "dumps of the Flight Recorder");
    tp_document_add_fact(page->document, "",
                         tp_text_printf(page->arena, "%lld of %lld ranks", (long long)result->read_count,
                                        (long long)result->expected_count));
    tp_document_add_fact(page->document, "", tp_text_of_counted_noun(page->arena, result->call_count, "call", "calls"));
    tp_document_add_fact(page->document, "",
                         tp_text_of_counted_noun(page->arena, result->group_count, "group", "groups"));
}

static void put_failed_files(const struct tp_flight_page *page)
{
    const struct tp_flight_result *result = page->result;
    if (!result->failed_file_total)
        return;
    tp_document_add_notice(
        page->document, TP_TONE_WARN,
        tp_text_printf(page->arena, "%s could not be read",
                       tp_text_of_counted_noun(page->arena, (int64_t)result->failed_file_total, "dump", "dumps")),
        "");
    for (uint64_t i = 0; i < result->failed_file_count && i < SHOWN_FAILED; i++) {
        const struct tp_flight_file *file = result->failed_files[i];
        tp_document_add_notice_point(
            page->document, tp_text_printf(page->arena, "%s: %s", tp_flight_page_text(page, file->name),
                                           tp_flight_page_text(page, file->detail.len ? file->detail : file->reason)));
    }
    if (result->failed_file_total > SHOWN_FAILED)
        tp_document_add_notice_point(page->document,
                                     tp_text_printf(page->arena, "and %llu more",
                                                    (unsigned long long)(result->failed_file_total - SHOWN_FAILED)));
}

static void put_verdict(const struct tp_flight_page *page)
{
    static const struct {
        enum tp_tone tone;
        const char *class;
    } verdicts[] = {
        [TP_FLIGHT_HANG] = {TP_TONE_BAD, "Hang"},          [TP_FLIGHT_MISMATCH] = {TP_TONE_BAD, "Mismatch"},
        [TP_FLIGHT_SLOW] = {TP_TONE_WARN, "Slow rank"},    [TP_FLIGHT_HEALTHY] = {TP_TONE_GOOD, "Healthy"},
        [TP_FLIGHT_UNKNOWN] = {TP_TONE_UNSURE, "Unknown"}, [TP_FLIGHT_NO_DUMPS] = {TP_TONE_BAD, "No dumps"}};
    const struct tp_flight_result *result = page->result;
    const char *first = tp_flight_page_sentence(page, result->first_sentence),
               *other = tp_flight_page_sentence(page, result->other_sentences);
    const char *advice = tp_flight_page_sentence(page, result->advice);
    tp_document_add_verdict(page->document,
                            &(struct tp_verdict_block){.tone = verdicts[result->verdict].tone,
                                                       .class = verdicts[result->verdict].class,
                                                       .headline = tp_text_printf(page->arena, "%s.", first),
                                                       .text = tp_text_printf(page->arena, "%s%s%s", other,
                                                                              *other && *advice ? " " : "", advice)});
}

/* Returns the time of the first call that a rank waits in, ns; INT64_MAX if none waits. */
static int64_t waiting_since(const struct tp_flight_result *result)
{
    int64_t since_ns = INT64_MAX;
    for (uint64_t i = 0; i < result->open_total; i++)
        since_ns = result->open[i].since_ns < since_ns ? result->open[i].since_ns : since_ns;
    return since_ns;
}

static void put_figure(const struct tp_flight_page *page, const char *label, const char *value, const char *note,
                       const char *definition)
{
    tp_document_add_figure(page->document,
                           &(struct tp_figure_block){
                               .label = label, .value = value, .note = note, .definition = definition, .meter = NAN});
}

static void put_figures(const struct tp_flight_page *page)
{
    const struct tp_flight_result *result = page->result;
    struct tp_arena *arena = page->arena;
    const char *since = tp_text_of_date(arena, waiting_since(result)); /* "2026-11-28 05:08:33 UTC" */
    const char *time = since ? strchr(since, ' ') : NULL;
    put_figure(page, "Ranks that wait", tp_text_of_count(arena, (int64_t)result->waiting.count),
               tp_text_printf(arena, "of %lld", (long long)result->expected_count),
               "Ranks that are in a call that has not ended.");
    put_figure(page, "Dumps read", tp_text_of_count(arena, result->read_count),
               tp_text_printf(arena, "of %lld", (long long)result->expected_count),
               "Ranks with a dump that could be read, of all ranks that a file or a group names.");
    if (result->open_total)
        put_figure(page, "Calls that wait", tp_text_of_count(arena, (int64_t)result->open_total), "",
                   "Calls that at least one rank waits in.");
    if (time)
        put_figure(page, "First wait began", tp_text_printf(arena, "%.8s", time + 1),
                   tp_text_printf(arena, "UTC, %.*s", (int)(time - since), since),
                   "Time of the first call that a rank waits in, by the clock of its host. A dump does not contain its "
                   "own time.");
}

static void put_lost_calls(const struct tp_flight_page *page)
{
    const struct tp_flight_result *result = page->result;
    if (result->overwritten_count)
        tp_document_add_notice(
            page->document, TP_TONE_UNSURE,
            tp_text_printf(page->arena, "The recorders of %s have overwritten their oldest calls",
                           tp_text_of_counted_noun(page->arena, (int64_t)result->overwritten_count, "rank", "ranks")),
            "A larger TORCH_FR_BUFFER_SIZE keeps more calls.");
}

void tp_flight_document(struct tp_document *document, const struct tp_flight_shown *shown, struct tp_arena *arena)
{
    static const struct tp_data_source source = {.write = write_result};
    struct tp_flight_page page = {.document = document,
                                  .arena = arena,
                                  .result = shown->result,
                                  .naming = {.arena = arena, .redact = shown->redact}};
    tp_document_init(document, "Flight Recorder", arena);
    page.folder = tp_flight_page_text(&page, shown->folder);
    document->written_record = (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &source, .self = shown->result};
    document->places = TP_IN_PAGES | TP_IN_MARKDOWN;
    put_title(&page);
    put_failed_files(&page);
    document->places = TP_EVERYWHERE;
    put_verdict(&page);
    put_lost_calls(&page);
    document->places = TP_IN_PAGES | TP_IN_MARKDOWN;
    put_figures(&page);
    tp_flight_page_put_culprits(&page);
    document->places = TP_IN_PAGES;
    tp_flight_page_put_mismatches(&page);
    tp_flight_page_put_calls(&page);
    tp_flight_page_put_stacks(&page);
    document->places = TP_EVERYWHERE;
    tp_flight_page_put_open(&page);
    document->places = TP_IN_PAGES;
    tp_flight_page_put_files(&page);
    document->places = 0; /* only formats that list findings */
    tp_flight_page_put_finding(&page);
}
