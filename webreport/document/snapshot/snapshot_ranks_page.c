/* Adds the first page of several memory snapshots: which rank ran out of memory or has the largest peak, and a table
 * with a row for each rank. See snapshot_page.h. */
#include <math.h>
#include <string.h>

#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/base/sort.h"
#include "writer/base/stats.h"
#include "writer/text/format.h"

enum { SHOWN_FAILED = 20 };

const char *tp_snapshot_rank_name(const struct tp_snapshot_page *page, const struct tp_snapshot_rank *row)
{
    struct tp_str file = tp_shown_text(&page->naming, row->file);
    const char *name = row->rank == TP_NULL_INT ? tp_text_printf(page->arena, "%.*s", (int)file.len, file.ptr)
                                                : tp_text_printf(page->arena, "Rank %lld", (long long)row->rank);
    return row->result->device_count == 1
               ? name
               : tp_text_printf(page->arena, "%s, GPU %lld", name, (long long)row->device_number);
}

/* ---- order of the ranks ---- */

static int64_t oom_time(const struct tp_snapshot_rank *row)
{
    int64_t time = row->oom_kind ? row->device->ooms[row->device->oom_count - 1].time_us : TP_NULL_INT;
    return time == TP_NULL_INT ? INT64_MAX : time;
}

/* Orders ranks that ran out of memory by the time of this event, before the other ranks by their peak. */
static int compare_gravity(const void *x, const void *y, const void *context)
{
    const struct tp_snapshot_rank *a = *(const struct tp_snapshot_rank *const *)x,
                                  *b = *(const struct tp_snapshot_rank *const *)y;
    (void)context; /* all data is in the rows */
    if (!a->oom_kind != !b->oom_kind)
        return a->oom_kind ? -1 : 1;
    if (oom_time(a) != oom_time(b))
        return oom_time(a) < oom_time(b) ? -1 : 1;
    return (a->peak_bytes < b->peak_bytes) - (a->peak_bytes > b->peak_bytes);
}

const struct tp_snapshot_rank **tp_snapshot_ranks_by_gravity(const struct tp_snapshot_rank *rows, size_t count,
                                                             struct tp_arena *arena)
{
    const struct tp_snapshot_rank **sorted = tp_arena_array(arena, count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &rows[i];
    tp_merge_sort(arena, sorted, count, sizeof *sorted, compare_gravity, NULL);
    return sorted;
}

/* ---- the answer ---- */

/* What the page calls the rows. */
struct nouns {
    const char *one, *many;
};

static struct nouns nouns_of(const struct tp_snapshot_rank *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].result->device_count > 1)
            return (struct nouns){"GPU", "GPUs"};
    for (size_t i = 0; i < count; i++)
        if (rows[i].rank == TP_NULL_INT || (i && rows[i].rank == rows[i - 1].rank))
            return (struct nouns){"snapshot", "snapshots"};
    return (struct nouns){"rank", "ranks"};
}

/* Returns how many of the ranks ran out of memory, as a sentence. */
static const char *word_oom(const struct tp_snapshot_page *page, const struct tp_snapshot_ranks *ranks, size_t ooms)
{
    struct nouns nouns = nouns_of(ranks->rows, ranks->count);
    if (ooms == 1)
        return tp_text_printf(page->arena, "The other %s did not run out of memory.",
                              tp_text_of_counted_noun(page->arena, (int64_t)ranks->count - 1, nouns.one, nouns.many));
    return tp_text_printf(page->arena, "%zu of %s ran out of memory%s.", ooms,
                          tp_text_of_counted_noun(page->arena, (int64_t)ranks->count, nouns.one, nouns.many),
                          oom_time(ranks->by_gravity[0]) == INT64_MAX ? "" : ", this one first");
}

/* Returns a sentence that compares the largest peak with the median of all peaks; "" for one rank. */
static const char *word_peaks(const struct tp_snapshot_page *page, const struct tp_snapshot_ranks *ranks)
{
    enum { CLEARLY_MORE_PERCENT = 5 };
    struct nouns nouns = nouns_of(ranks->rows, ranks->count);
    int64_t *peaks = tp_arena_array(page->arena, ranks->count, sizeof *peaks);
    int64_t largest = (int64_t)ranks->by_gravity[0]->peak_bytes;
    for (size_t i = 0; i < ranks->count; i++)
        peaks[i] = (int64_t)ranks->rows[i].peak_bytes;
    int64_t median = tp_lower_median(peaks, ranks->count);
    const char *all = tp_text_of_counted_noun(page->arena, (int64_t)ranks->count, nouns.one, nouns.many);
    if (ranks->count == 1)
        return "";
    if ((double)largest < (1 + CLEARLY_MORE_PERCENT / 100.0) * (double)median)
        return tp_text_printf(page->arena, "All %s have nearly the same peak.", all);
    return tp_text_printf(page->arena, "This is %s more than the median of the %s.",
                          tp_text_of_bytes(page->arena, largest - median), all);
}

/* Adds the answer of the gravest rank, with a sentence about the others. */
static void put_answer(struct tp_snapshot_page *page, const struct tp_snapshot_ranks *ranks)
{
    const struct tp_snapshot_rank *first = ranks->by_gravity[0];
    const char *name = tp_snapshot_rank_name(page, first);
    size_t ooms = 0;
    for (size_t i = 0; i < ranks->count; i++)
        ooms += ranks->rows[i].oom_kind != NULL;
    page->result = first->result;
    page->device = first->device;
    page->about_ranks = ooms ? word_oom(page, ranks, ooms) : word_peaks(page, ranks);
    page->rank = first->rank == TP_NULL_INT ? name : tp_text_printf(page->arena, "r%s", name + 1);
    tp_snapshot_page_put_answer(page);
    tp_snapshot_page_put_bar(page);
    tp_snapshot_page_put_actions(page);
    page->rank = page->about_ranks = NULL;
}

/* ---- the table ---- */

enum { RANK_FILE, RANK_PEAK, RANK_RESERVED, RANK_LINE_BYTES, RANK_COLUMNS };
enum { OWN_OOM, OWN_LINE, OWN_FILE };

static const struct tp_column_def defs[RANK_COLUMNS] = {
    {"file", "File", "", "Name of the file.", TP_COLUMN_TEXT},
    {"peak_bytes", "Peak", "bytes", "Largest sum of the sizes of the blocks that the program used at a time.",
     TP_COLUMN_BYTES},
    {"reserved_bytes", "Reserved", "bytes", "Largest memory that the allocator reserved.", TP_COLUMN_BYTES},
    {"line_bytes", "Of this line", "bytes", "Live bytes of the largest line.", TP_COLUMN_BYTES},
};
static const struct tp_shown_column columns[] = {
    {TP_SHOW_BYTES, RANK_PEAK, NULL, 1, 0, false, 0},
    {TP_SHOW_BAR, RANK_PEAK, NULL, 0, 0, false, 0},
    {TP_SHOW_BYTES, RANK_RESERVED, NULL, 1, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_OWN_TEXT, OWN_OOM, "Out of memory", 0, 0, false, 0},
    {TP_SHOW_OWN_TEXT, OWN_LINE, "Largest line", 0, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_BYTES, RANK_LINE_BYTES, NULL, 1, 0, false, TP_SHOWN_LESS},
    {TP_SHOW_OWN_TEXT, OWN_FILE, "File", 0, 0, false, TP_SHOWN_LESS},
};

static void put_table(const struct tp_snapshot_page *page, const struct tp_snapshot_ranks *ranks)
{
    const struct tp_snapshot_rank *rows = ranks->rows;
    size_t count = ranks->count;
    unsigned number = 1; /* of the last page; the first one has this table */
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    struct tp_str *texts[] = {tp_arena_array(page->arena, count, sizeof(struct tp_str)),
                              tp_arena_array(page->arena, count, sizeof(struct tp_str)),
                              tp_arena_array(page->arena, count, sizeof(struct tp_str))};
    tp_table_init(table, page->arena, "ranks", defs, RANK_COLUMNS, count);
    struct tp_shown_table *shown =
        tp_shown_table_new(page->arena, table, columns, sizeof columns / sizeof *columns, count);
    for (size_t i = 0; i < count; i++) {
        tp_table_text(table, RANK_FILE)[i] = rows[i].file;
        tp_table_int(table, RANK_PEAK)[i] = (int64_t)rows[i].peak_bytes;
        tp_table_int(table, RANK_RESERVED)[i] = (int64_t)rows[i].reserved_bytes;
        tp_table_int(table, RANK_LINE_BYTES)[i] = (int64_t)rows[i].line_bytes;
        texts[OWN_OOM][i] = tp_str_of(rows[i].oom_kind ? rows[i].oom_kind : "");
        texts[OWN_LINE][i] = rows[i].line.len ? tp_str_of(tp_snapshot_page_place(page, rows[i].line)) : TP_STR("");
        texts[OWN_FILE][i] = tp_shown_text(&page->naming, rows[i].file);
        shown->rows[i].name = tp_str_of(tp_snapshot_rank_name(page, &rows[i]));
        if (ranks->has_page[i])
            shown->rows[i].href = tp_text_printf(page->arena, "#j%u-memory", ++number);
    }
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        shown->own_texts[i] = texts[i];
    struct nouns nouns = nouns_of(rows, count);
    shown->name = "ranks";
    shown->caption = "Memory by rank";
    shown->noun = nouns.many;
    shown->name_title = "Rank";
    shown->name_definition = "Number in the name of the file: the number after the last \"rank\", or the last number.";
    if (count > TP_SNAPSHOT_PAGES)
        shown->note = tp_text_printf(page->arena,
                                     "%d of them have their own page below: those that ran out of memory, then those "
                                     "with the largest peaks. For another one, name only its file.",
                                     TP_SNAPSHOT_PAGES);
    tp_document_add_table(page->document, shown, "; --json has all");
}

static void put_failed(const struct tp_snapshot_page *page, const struct tp_vec *failed)
{
    if (!failed->count)
        return;
    tp_document_add_notice(
        page->document, TP_TONE_BAD,
        tp_text_printf(page->arena, "%s could not be used",
                       tp_text_of_counted_noun(page->arena, (int64_t)failed->count, "snapshot", "snapshots")),
        "");
    for (size_t i = 0; i < failed->count && i < SHOWN_FAILED; i++) {
        const struct tp_snapshot_failure *one = TP_AT(failed, struct tp_snapshot_failure, i);
        struct tp_str file = tp_shown_text(&page->naming, one->file), why = tp_shown_text(&page->naming, one->why);
        tp_document_add_notice_point(
            page->document, tp_text_printf(page->arena, "%.*s: %.*s", (int)file.len, file.ptr, (int)why.len, why.ptr));
    }
    if (failed->count > SHOWN_FAILED)
        tp_document_add_notice_point(page->document,
                                     tp_text_printf(page->arena, "and %zu more", failed->count - SHOWN_FAILED));
}

void tp_snapshot_page_put_ranks(struct tp_snapshot_page *page, const struct tp_snapshot_ranks *ranks)
{
    struct nouns nouns = nouns_of(ranks->rows, ranks->count);
    const char *counted = tp_text_of_counted_noun(page->arena, (int64_t)ranks->count, nouns.one, nouns.many);
    tp_document_add_title(page->document,
                          &(struct tp_title_block){.text = tp_text_printf(page->arena, "Memory of %s", counted),
                                                   .id = "ranks",
                                                   .label = "Overview"});
    tp_document_add_fact(page->document, "", "memory snapshots");
    put_failed(page, ranks->failed);
    if (!ranks->count)
        return;
    put_answer(page, ranks);
    put_table(page, ranks);
}
