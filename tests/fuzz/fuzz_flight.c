/* Reads arbitrary bytes as a dump of the Flight Recorder, joins it with a second rank that has the same calls, and
 * writes the answer as JSON, which must be valid. */
#include <stdint.h>
#include <stdlib.h>

#include "webreport/document/words/flight_words.h"
#include "webreport/trace/json/strict.h"
#include "writer/base/json_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static void decide(const struct tp_flight_dump *dump, struct tp_arena *arena)
{
    struct tp_flight_job job;
    struct tp_flight_result result;
    struct tp_strict strict;
    struct tp_buf text;
    tp_flight_job_init(&job, arena);
    tp_flight_job_add(&job, TP_STR("rank_0"), 0, dump);
    tp_flight_job_add(&job, TP_STR("rank_1"), 1, dump);
    tp_flight_job_add_failed(&job, TP_STR("rank_2"), 2, TP_STR("truncated"), TP_STR(""));
    tp_flight_job_finish(&job);
    tp_flight_analyse(&result, &job);
    tp_fill_flight_texts(&result);
    abort_unless(result.headline.len > 0 && result.first_sentence.len < result.headline.len);
    abort_unless(result.read_count == 2 && result.expected_count >= 3);
    abort_unless(result.culprit_total == 0 || result.circle_total == 0);
    tp_buf_init(&text, 0);
    tp_fields_text(&tp_flight_result_fields, &result, arena, &text);
    tp_strict_init(&strict);
    abort_unless(tp_strict_feed(&strict, text.data, text.size, NULL) == 0 && tp_strict_end(&strict, NULL) == 0);
    tp_buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_flight_dump dump;
    struct tp_arena arena, scratch, all;
    struct tp_error err = {0};
    tp_arena_init(&arena, 0);
    tp_arena_init(&scratch, 0);
    tp_arena_init(&all, 512u << 20);
    int code = tp_flight_read_bytes(&dump, &arena, &scratch, (struct tp_str){(const char *)data, size}, &err);
    abort_unless((code == 0) == (dump.refusal == TP_FLIGHT_OK) && (code == 0 || err.text[0]));
    if (setjmp(all.guard) == 0 && code == 0)
        decide(&dump, &all);
    tp_arena_release(&all);
    tp_arena_release(&scratch);
    tp_arena_release(&arena);
    return 0;
}
