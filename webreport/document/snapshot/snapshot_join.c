/* Adds the section about the trace of the same run: the proof that both files belong together, the moment of the peak
 * in the trace, and the operators and modules of live blocks. See snapshot_page.h. */
#include <stdlib.h>

#include "webreport/document/snapshot/snapshot_page.h"
#include "writer/text/format.h"

/* A clock difference beyond which the files may be of different runs. */
#define LARGE_OFFSET_NS INT64_C(1000000000)

/* ---- the proof ---- */

static const char *proof_text(const struct tp_snapshot_page *page)
{
    const struct tp_trace_join *join = page->join;
    struct tp_arena *arena = page->arena;
    if (join->method != TP_JOIN_PAIRS)
        return join->why;
    const char *bytes = join->allocated_difference == TP_NULL_INT
                            ? ""
                            : tp_text_printf(arena, ", and their allocated bytes differ by at most %s",
                                             tp_text_of_bytes(arena, join->allocated_difference));
    return tp_text_printf(
        arena,
        "%s consecutive allocations and frees are the same in the trace%s. The clock of the trace is %s "
        "%s; a single pair is at most %s from this.",
        tp_text_of_count(arena, (int64_t)join->pairs), bytes, tp_text_of_time(arena, llabs(join->offset_ns)),
        join->offset_ns < 0 ? "behind" : "ahead", tp_text_of_time(arena, join->time_difference_ns));
}

const char *tp_snapshot_join_summary(const struct tp_snapshot_page *page)
{
    struct tp_str step = tp_shown_text(&page->naming, page->join->peak.step);
    if (page->join->method == TP_JOIN_NONE)
        return ", not joined with the trace";
    return page->join->peak.time_ns == TP_NULL_INT ? ", outside of the trace"
           : step.len ? tp_text_printf(page->arena, ", in step %.*s of the trace", (int)step.len, step.ptr)
                      : ", during the trace";
}

/* Returns what is uncertain about the join; NULL if nothing is. */
static const char *doubt_text(const struct tp_snapshot_page *page)
{
    const struct tp_trace_join *join = page->join;
    if (join->method != TP_JOIN_PAIRS || llabs(join->offset_ns) < LARGE_OFFSET_NS)
        return NULL;
    return "Both files have the same calls, but at different times. Check that they are of the same run.";
}

/* ---- moments ---- */

static void put_moment(const struct tp_snapshot_page *page, const char *term, const struct tp_joined_moment *moment)
{
    struct tp_arena *arena = page->arena;
    struct tp_str texts[] = {moment->step, moment->op, moment->module, moment->kernel};
    static const char *const words[] = {"step", "operator", "module", "kernel"};
    if (moment->time_ns == TP_NULL_INT) {
        tp_document_add_fact(page->document, term, moment->index < 0 ? "before the first event" : "not in the trace");
        return;
    }
    const char *text =
        tp_text_printf(arena, "%s after the start of the trace", tp_text_of_time(arena, moment->time_ns));
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct tp_str shown =
            i == 3 ? tp_shown_kernel_name(&page->naming, texts[i]) : tp_shown_text(&page->naming, texts[i]);
        if (shown.len)
            text = tp_text_printf(arena, "%s, %s %.*s", text, words[i], (int)shown.len, shown.ptr);
    }
    tp_document_add_fact(page->document, term, text);
}

/* ---- blocks ---- */

enum { BYTES, COLUMNS };
enum { OPERATOR, MODULE, STEP, OWN_TEXTS };

static struct tp_str known(const struct tp_snapshot_page *page, struct tp_str text)
{
    return text.len ? tp_shown_text(&page->naming, text) : TP_STR("");
}

static void put_largest(const struct tp_snapshot_page *page)
{
    static const struct tp_column_def defs[COLUMNS] = {
        {"bytes", "Memory", "bytes", "Size of the block.", TP_COLUMN_BYTES}};
    static const struct tp_shown_column columns[] = {{TP_SHOW_BYTES, BYTES, NULL, 1, 0, false, 0},
                                                     {TP_SHOW_OWN_TEXT, OPERATOR, "Operator", 0, 0, false, 0},
                                                     {TP_SHOW_OWN_TEXT, MODULE, "Module", 0, 0, false, TP_SHOWN_LESS},
                                                     {TP_SHOW_OWN_TEXT, STEP, "Step", 0, 0, false, TP_SHOWN_LESS}};
    const struct tp_trace_join *join = page->join;
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    struct tp_str *texts[OWN_TEXTS];
    tp_table_init(table, page->arena, "largest", defs, COLUMNS, join->largest_count);
    struct tp_shown_table *shown =
        tp_shown_table_new(page->arena, table, columns, sizeof columns / sizeof *columns, join->largest_count);
    for (unsigned i = 0; i < OWN_TEXTS; i++)
        shown->own_texts[i] = texts[i] = tp_arena_array(page->arena, join->largest_count, sizeof **texts);
    for (uint64_t i = 0; i < join->largest_count; i++) {
        const struct tp_joined_block *block = &join->largest[i];
        tp_table_int(table, BYTES)[i] = (int64_t)block->bytes;
        texts[OPERATOR][i] = known(page, block->op);
        texts[MODULE][i] = known(page, block->module);
        texts[STEP][i] = known(page, block->step);
        shown->rows[i].name = tp_str_of(tp_snapshot_page_place(page, block->line));
    }
    shown->name = "largest";
    shown->caption = "Largest live blocks";
    shown->heading = "Largest live blocks";
    shown->noun = "blocks";
    shown->name_title = "Line of the snapshot";
    shown->name_definition = "Line, or call site, of the allocation in the snapshot.";
    tp_document_add_table(page->document, shown, "");
}

/* title: title of the names. Adds nothing if the trace knows no block. */
static void put_group(const struct tp_snapshot_page *page, const struct tp_live_table *live, const char *name,
                      const char *title, const char *heading)
{
    static const struct tp_column_def defs[] = {
        {"bytes", "Memory", "bytes", "Sizes of the live blocks.", TP_COLUMN_BYTES},
        {"blocks", "Blocks", "", "Number of live blocks.", TP_COLUMN_INT}};
    static const struct tp_shown_column columns[] = {{TP_SHOW_BYTES, 0, NULL, 1, 0, false, 0},
                                                     {TP_SHOW_SHARE, 0, "Share", 0, 1, false, 0},
                                                     {TP_SHOW_BAR, 0, NULL, 0, 0, false, 0},
                                                     {TP_SHOW_COUNT, 1, NULL, 0, 0, false, 0}};
    if (!live->row_count || (live->row_count == 1 && !live->rows[0].name.len))
        return;
    struct tp_table *table = tp_arena_alloc(page->arena, sizeof *table);
    tp_table_init(table, page->arena, name, defs, sizeof defs / sizeof *defs, live->row_count);
    struct tp_shown_table *shown =
        tp_shown_table_new(page->arena, table, columns, sizeof columns / sizeof *columns, live->row_count);
    for (uint64_t i = 0; i < live->row_count; i++) {
        tp_table_int(table, 0)[i] = (int64_t)live->rows[i].bytes;
        tp_table_int(table, 1)[i] = (int64_t)live->rows[i].blocks;
        shown->rows[i].name =
            live->rows[i].name.len ? tp_shown_text(&page->naming, live->rows[i].name) : TP_STR("unknown to the trace");
    }
    shown->name = name;
    shown->caption = shown->heading = heading;
    shown->name_title = title;
    shown->name_definition = "";
    tp_document_add_table(page->document, shown, "");
}

void tp_snapshot_page_put_join(const struct tp_snapshot_page *page)
{
    const struct tp_trace_join *join = page->join;
    tp_document_add_section(
        page->document,
        &(struct tp_section_block){.id = "joined",
                                   .label = "In the trace",
                                   .title = join->method == TP_JOIN_NONE ? "Not joined with the trace" : "In the trace",
                                   .lead = proof_text(page)});
    unsigned places = page->document->places;
    page->document->places = TP_IN_MARKDOWN; /* pages have the lead */
    tp_document_add_note(page->document, proof_text(page));
    page->document->places = places;
    if (doubt_text(page))
        tp_document_add_note(page->document, doubt_text(page));
    if (join->method == TP_JOIN_NONE)
        return;
    put_moment(page, "Peak", &join->peak);
    if (join->has_oom)
        put_moment(page, "Failed request", &join->oom);
    tp_document_add_fact(page->document, "Pairs",
                         tp_text_printf(page->arena,
                                        "%s of %s allocations and frees during the trace are in both files",
                                        tp_text_of_count(page->arena, (int64_t)join->paired_events),
                                        tp_text_of_count(page->arena, (int64_t)join->events_in_trace)));
    put_largest(page);
    put_group(page, &join->by_operator, "live_by_operator", "Operator", "Live blocks by operator of the trace");
    put_group(page, &join->by_module, "live_by_module", "Module", "Live blocks by module of the trace");
}
