/* Adds the answer as a finding, for formats that list findings (JUnit, SARIF): see flight_page.h. */
#include "webreport/document/flight/flight_page.h"

enum { MOST_PLACES = 4 };

/* Adds the innermost frame outside of torch as a place. */
static void add_place(const struct tp_flight_page *page, struct tp_vec *places, uint32_t stack, const char *text)
{
    const struct tp_flight_job *job = page->result->job;
    size_t count = tp_flight_frame_count(&job->stacks, stack);
    for (size_t i = 0; i < count && places->count < MOST_PLACES; i++) {
        struct tp_flight_frame frame = tp_flight_frame_at(&job->stacks, stack, i);
        if (tp_flight_is_of_torch(job, frame))
            continue;
        const char *line = tp_flight_page_frame(page, frame);
        *(struct tp_place_block *)tp_vec_push(places) = (struct tp_place_block){
            .file_line = tp_str_of(line), .text = tp_str_of(text), .function = tp_flight_text(job, frame.name)};
        return;
    }
}

/* Lists the lines of the sides of the first mismatch, or of the ranks that wait for the first culprit. */
static struct tp_vec list_places(const struct tp_flight_page *page)
{
    const struct tp_flight_result *result = page->result;
    struct tp_vec places = TP_VEC(page->arena, struct tp_place_block);
    const struct tp_flight_open *open = result->culprit_count ? result->culprits[0].open : result->shown;
    if (result->mismatch_count) {
        const struct tp_flight_mismatch *first = &result->mismatches[0];
        for (uint64_t i = first->side_count; i-- > 0;)
            add_place(page, &places, first->sides[i].stack,
                      i ? "a call that does not match" : "the call of the largest side");
    } else if (open && open->stack != TP_NO_ID) {
        add_place(page, &places, open->stack, "ranks wait in this call");
    }
    return places;
}

void tp_flight_page_put_finding(const struct tp_flight_page *page)
{
    static const struct tp_rule_block rule = {
        "hang", "No rank keeps the others waiting",
        "The dumps of the Flight Recorder show which rank never entered a call that other ranks wait in, or whose call "
        "does not match theirs."};
    static const struct {
        enum tp_tone tone;
        const char *status;
    } verdicts[] = {[TP_FLIGHT_HANG] = {TP_TONE_BAD, "fail"},          [TP_FLIGHT_MISMATCH] = {TP_TONE_BAD, "fail"},
                    [TP_FLIGHT_SLOW] = {TP_TONE_WARN, "warn"},         [TP_FLIGHT_HEALTHY] = {TP_TONE_GOOD, "pass"},
                    [TP_FLIGHT_UNKNOWN] = {TP_TONE_UNSURE, "unknown"}, [TP_FLIGHT_NO_DUMPS] = {TP_TONE_BAD, "fail"}};
    const struct tp_flight_result *result = page->result;
    struct tp_finding_block *item = tp_arena_alloc(page->arena, sizeof *item);
    struct tp_vec places = list_places(page);
    const char *headline = tp_flight_page_sentence(page, result->headline);
    *item = (struct tp_finding_block){.tone = verdicts[result->verdict].tone,
                                      .status = verdicts[result->verdict].status,
                                      .id = rule.id,
                                      .title = "no rank hangs",
                                      .reasons = {headline},
                                      .message = headline,
                                      .cause = tp_flight_verdict_text(result->verdict),
                                      .rule = &rule,
                                      .places = places.data,
                                      .place_count = (uint32_t)places.count,
                                      .is_inconclusive_by_input = result->verdict == TP_FLIGHT_UNKNOWN ||
                                                                  result->verdict == TP_FLIGHT_NO_DUMPS};
    tp_document_add_findings(page->document, &(struct tp_findings_block){.name = "tracepress hang",
                                                                         .source = "flight recorder",
                                                                         .input = page->folder,
                                                                         .items = item,
                                                                         .count = 1,
                                                                         .shown = 1});
}
