/* Reads arbitrary bytes as a summary. The first byte selects the layer that gets the other bytes, because mutations
 * rarely pass the checksums and gzip.
 *
 * A file that can be read must be written back unchanged. A process that can be parsed must be packed into bytes with
 * the same meaning. */
#include <stdint.h>
#include <stdlib.h>

#include "webreport/compare/job/job_build.h"
#include "webreport/document/commands/summary_document.h"
#include "webreport/document/job/job_document.h"
#include "webreport/measure/summary/summary_format.h"
#include "webreport/print/print.h"
#include "writer/base/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_json(struct tp_buf *out, const struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_document document;
    tp_buf_init(out, 0);
    tp_summary_document(&document, summary, arena);
    tp_print_json(out, &document, &(struct tp_print_options){0}, NULL);
}

/* Compares and prints the summary as two ranks of a job. */
static void check_job(const struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_summary rank = *summary;
    struct tp_job job;
    struct tp_jobs jobs = {.items = &job, .count = 1};
    struct tp_document document;
    struct tp_buf out;
    tp_job_init(&job, arena, summary->key.job, summary->key.span);
    for (rank.key.rank = 3; rank.key.rank < 5; rank.key.rank++)
        tp_job_add_summary(&job, &rank);
    tp_job_finish(&job);
    tp_buf_init(&out, 0);
    tp_job_document(&document, &jobs, false, NULL, arena);
    tp_print_json(&out, &document, &(struct tp_print_options){0}, NULL);
    tp_buf_release(&out);
}

static void check_process(const struct tp_summary *summary, struct tp_arena *arena)
{
    struct tp_summary again;
    struct tp_buf before, after;
    struct tp_summary_record record = {.bytes = tp_summary_pack_entry(summary, arena)};
    if (tp_summary_unpack(&again, &record, arena, NULL) != TP_OK)
        abort();
    write_json(&before, summary, arena);
    write_json(&after, &again, arena);
    if (summary->row_count != again.row_count || summary->step_count != again.step_count ||
        summary->collective_count != again.collective_count || before.size == 0 || after.size == 0)
        abort();
    tp_buf_release(&before);
    tp_buf_release(&after);
    check_job(summary, arena);
}

static void check_file(const uint8_t *data, size_t size, struct tp_arena *arena)
{
    struct tp_summary_set set, again;
    struct tp_summary summary;
    struct tp_buf once, twice;
    tp_summary_set_init(&set, arena);
    tp_summary_set_init(&again, arena);
    tp_buf_init(&once, 0);
    tp_buf_init(&twice, 0);
    if (tp_summary_set_read(&set, data, size, NULL) == TP_OK) {
        tp_summary_set_write(&set, &once, NULL);
        if (tp_summary_set_read(&again, once.data, once.size, NULL) != TP_OK ||
            tp_summary_set_read(&again, once.data, once.size, NULL) != TP_OK)
            abort();
        tp_summary_set_write(&again, &twice, NULL);
        if (once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
            abort();
    }
    tp_buf_release(&once);
    tp_buf_release(&twice);
    for (size_t i = 0; i < set.count; i++)
        if (tp_summary_unpack(&summary, &set.records[i], arena, NULL) == TP_OK)
            check_process(&summary, arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { FILE_BYTES, ENTRY, PROCESS, DEPTHS };
    struct tp_arena arena, scratch;
    struct tp_summary summary = {.key = {TP_STR(""), 0, 0, TP_STR(""), 0}, .file = TP_STR("")};
    struct tp_str rest = {(const char *)data + 1, size - 1};
    if (size == 0)
        return 0;
    tp_arena_init(&arena, TP_MAX_SUMMARY_MEMORY_BYTES);
    tp_arena_init(&scratch, TP_MAX_SUMMARY_MEMORY_BYTES);
    if (setjmp(arena.guard) == 0) {
        struct tp_summary_record record = {.bytes = rest};
        memcpy(&scratch.guard, &arena.guard, sizeof scratch.guard);
        if (*data % DEPTHS == FILE_BYTES)
            check_file(data + 1, size - 1, &arena);
        else if (*data % DEPTHS == ENTRY && tp_summary_unpack(&summary, &record, &arena, NULL) == TP_OK)
            check_process(&summary, &arena);
        else if (*data % DEPTHS == PROCESS && tp_summary_process_read(&summary, rest, &arena, &scratch, NULL) == TP_OK)
            check_process(&summary, &arena);
    }
    tp_arena_release(&scratch);
    tp_arena_release(&arena);
    return 0;
}
