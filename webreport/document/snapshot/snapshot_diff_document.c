/* Makes the document of a comparison of two memory snapshots: see snapshot_diff_document.h. */
#include "webreport/document/snapshot/snapshot_diff_document.h"

#include <stdlib.h>
#include <string.h>

#include "webreport/document/snapshot/snapshot_diff_curves.h"
#include "writer/base/json_out.h"
#include "writer/text/format.h"

enum { BEFORE = TP_SNAPSHOT_BEFORE, AFTER = TP_SNAPSHOT_AFTER };

struct wording {
    struct tp_document *document;
    const struct tp_snapshot_diff *diff;
    struct tp_arena *arena;
};

/* ---- words ---- */

/* Returns the name of a device before a sentence, such as "GPU 1: "; "" if there is only one device. */
static const char *prefix_of(const struct wording *w, const struct tp_snapshot_diff_device *device)
{
    return w->diff->device_count > 1 ? tp_text_printf(w->arena, "GPU %lld: ", (long long)device->device) : "";
}

static const char *bytes_of(const struct wording *w, uint64_t bytes)
{
    return tp_text_of_bytes(w->arena, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes);
}

/* Returns the change from one number to another, such as " (+3.2 %)"; "" if the first is 0. */
static const char *percent_of(const struct wording *w, uint64_t before, uint64_t after)
{
    if (!before)
        return "";
    double percent = 100 * ((double)after - (double)before) / (double)before;
    return tp_text_printf(w->arena, " (%s%s %%)", percent > 0 ? "+" : "", tp_text_of_fixed(w->arena, percent, 1));
}

/* Returns the largest row whose change has the same direction as that of the peak; NULL if none exists. Code with a
 * name precedes blocks without a stack. */
static const struct tp_snapshot_diff_row *main_row(const struct tp_snapshot_diff_device *device)
{
    bool rises = device->sides[AFTER].peak_bytes > device->sides[BEFORE].peak_bytes;
    const struct tp_snapshot_diff_row *unnamed = NULL;
    for (uint64_t i = 0; i < device->at_peak.row_count; i++) {
        const struct tp_snapshot_diff_row *row = &device->at_peak.rows[i];
        if (!row->delta_bytes || (row->delta_bytes > 0) != rises)
            continue;
        if (*row->name.ptr != '(')
            return row;
        unnamed = unnamed ? unnamed : row;
    }
    return unnamed;
}

static const char *headline_of(const struct wording *w, const struct tp_snapshot_diff_device *device)
{
    uint64_t before = device->sides[BEFORE].peak_bytes, after = device->sides[AFTER].peak_bytes;
    const struct tp_snapshot_diff_row *row = main_row(device);
    const char *which = w->diff->verdict == TP_SNAPSHOT_DIFF_UNKNOWN ? "The known peak" : "The peak";
    if (before == after)
        return tp_text_printf(w->arena, "%s%s is %s on both sides", prefix_of(w, device), which, bytes_of(w, before));
    const char *change = tp_text_printf(w->arena, "%s%s %s from %s to %s%s", prefix_of(w, device), which,
                                        after > before ? "rises" : "falls", bytes_of(w, before), bytes_of(w, after),
                                        percent_of(w, before, after));
    if (!row)
        return change;
    const char *name = *row->name.ptr == '(' ? "code without a stack"
                                             : tp_text_printf(w->arena, "%.*s", (int)row->name.len, row->name.ptr);
    return tp_text_printf(w->arena, "%s: %s has %s %s at the peak", change, name,
                          bytes_of(w, (uint64_t)llabs(row->delta_bytes)), row->delta_bytes > 0 ? "more" : "less");
}

/* Returns why a side does not show its whole peak; "" if it does. */
static const char *reason_of_side(const struct wording *w, const struct tp_snapshot_diff_device *device, unsigned side)
{
    static const char *const names[] = {"BASE", "NEW"};
    const struct tp_snapshot_device *at = device->sides[side].device;
    if (!at || tp_snapshot_shows_peak(at))
        return "";
    const char *why = !at->replay.is_exact                     ? "has events that contradict its end"
                      : at->window.cut == TP_WINDOW_CUT        ? "has only the last events"
                      : at->window.cut == TP_WINDOW_STATE_ONLY ? "records no history"
                                                               : "has no history";
    return tp_text_printf(w->arena, " %s %s.", names[side], why);
}

static const char *details_of(const struct wording *w, const struct tp_snapshot_diff_device *device)
{
    const struct tp_snapshot_diff_side *before = &device->sides[BEFORE], *after = &device->sides[AFTER];
    return tp_text_printf(w->arena, "Largest reserved memory: %s → %s%s. Reserved at the end: %s → %s%s.%s%s",
                          bytes_of(w, before->peak_reserved_bytes), bytes_of(w, after->peak_reserved_bytes),
                          percent_of(w, before->peak_reserved_bytes, after->peak_reserved_bytes),
                          bytes_of(w, before->end_reserved_bytes), bytes_of(w, after->end_reserved_bytes),
                          percent_of(w, before->end_reserved_bytes, after->end_reserved_bytes),
                          reason_of_side(w, device, BEFORE), reason_of_side(w, device, AFTER));
}

static void put_verdict(const struct wording *w)
{
    const struct tp_snapshot_diff *diff = w->diff;
    struct tp_verdict_block verdict = {.tone = TP_TONE_PLAIN, .class = "Neutral"};
    if (!diff->device_count) {
        verdict.headline = "Neither snapshot has memory of a device";
        verdict.text = "";
        tp_document_add_verdict(w->document, &verdict);
        return;
    }
    const struct tp_snapshot_diff_device *device = &diff->devices[diff->gravest];
    verdict.headline = headline_of(w, device);
    verdict.text = details_of(w, device);
    if (diff->verdict == TP_SNAPSHOT_DIFF_RISES) {
        verdict.tone = TP_TONE_WARN;
        verdict.class = "Regressed";
    } else if (diff->verdict == TP_SNAPSHOT_DIFF_UNKNOWN) {
        verdict.tone = TP_TONE_UNSURE;
        verdict.class = "Inconclusive";
    } else if (device->sides[AFTER].peak_bytes < device->sides[BEFORE].peak_bytes) {
        verdict.tone = TP_TONE_GOOD;
        verdict.class = "Improved";
    }
    tp_document_add_verdict(w->document, &verdict);
}

/* ---- tables ---- */

enum { C_NAME, C_BEFORE, C_AFTER, C_DELTA, C_BLOCKS_BEFORE, C_BLOCKS_AFTER, COLUMNS };

static const struct tp_column_def DEFS[COLUMNS] = {
    [C_NAME] = {"name", "Code", "", "", TP_COLUMN_TEXT},
    [C_BEFORE] = {"before_bytes", "BASE", "bytes", "Sizes of its live blocks in BASE.", TP_COLUMN_BYTES},
    [C_AFTER] = {"after_bytes", "NEW", "bytes", "Sizes of its live blocks in NEW.", TP_COLUMN_BYTES},
    [C_DELTA] = {"delta_bytes", "Change", "bytes", "Bytes in NEW minus bytes in BASE.", TP_COLUMN_BYTES},
    [C_BLOCKS_BEFORE] = {"before_blocks", "Blocks in BASE", "", "Number of its live blocks in BASE.", TP_COLUMN_INT},
    [C_BLOCKS_AFTER] = {"after_blocks", "Blocks in NEW", "", "Number of its live blocks in NEW.", TP_COLUMN_INT},
};

/* Words of a table. */
struct table_words {
    const char *name, *heading, *noun, *name_title, *name_definition;
};

/* Adds a table. In pages, the title of the section replaces the heading of the table. */
static void put_table_everywhere(const struct wording *w, struct tp_shown_table *shown)
{
    struct tp_shown_table *untitled = tp_arena_alloc(w->arena, sizeof *untitled);
    unsigned places = w->document->places;
    *untitled = *shown;
    untitled->heading = NULL;
    w->document->places = places & ~(unsigned)TP_IN_PAGES;
    tp_document_add_table(w->document, shown, NULL);
    w->document->places = TP_IN_PAGES;
    tp_document_add_table(w->document, untitled, NULL);
    w->document->places = places;
}

static void put_table(const struct wording *w, const struct tp_snapshot_diff_table *rows,
                      const struct table_words *words)
{
    static const struct tp_shown_column columns[] = {
        {.format = TP_SHOW_BYTES, .column = C_BEFORE, .unit_group = 1},
        {.format = TP_SHOW_BYTES, .column = C_AFTER, .unit_group = 1},
        {.format = TP_SHOW_BYTES, .column = C_DELTA, .unit_group = 1, .flags = TP_SHOWN_SIGNED},
        {.format = TP_SHOW_COUNT, .column = C_BLOCKS_BEFORE, .flags = TP_SHOWN_LESS},
        {.format = TP_SHOW_COUNT, .column = C_BLOCKS_AFTER, .flags = TP_SHOWN_LESS}};
    if (!rows->row_count)
        return;
    struct tp_table *table = tp_arena_alloc(w->arena, sizeof *table);
    tp_table_init(table, w->arena, words->name, DEFS, COLUMNS, rows->row_count);
    struct tp_shown_table *shown =
        tp_shown_table_new(w->arena, table, columns, sizeof columns / sizeof *columns, rows->row_count);
    for (uint64_t i = 0; i < rows->row_count; i++) {
        const struct tp_snapshot_diff_row *row = &rows->rows[i];
        tp_table_text(table, C_NAME)[i] = row->name;
        tp_table_int(table, C_BEFORE)[i] = (int64_t)row->bytes[BEFORE];
        tp_table_int(table, C_AFTER)[i] = (int64_t)row->bytes[AFTER];
        tp_table_int(table, C_DELTA)[i] = row->delta_bytes;
        tp_table_int(table, C_BLOCKS_BEFORE)[i] = (int64_t)row->blocks[BEFORE];
        tp_table_int(table, C_BLOCKS_AFTER)[i] = (int64_t)row->blocks[AFTER];
        shown->rows[i].name = row->name;
    }
    shown->name = words->name;
    shown->heading = shown->caption = words->heading;
    shown->noun = words->noun;
    shown->name_title = words->name_title;
    shown->name_definition = words->name_definition;
    if (rows->rows_total > rows->row_count)
        shown->note = tp_text_printf(w->arena, "%llu smaller changes are not listed.",
                                     (unsigned long long)(rows->rows_total - rows->row_count));
    put_table_everywhere(w, shown);
}

/* ---- parts of the page ---- */

static void put_curves(const struct wording *w, const struct tp_snapshot_diff_device *device, const char *id)
{
    bool is_by_step;
    struct tp_data data = tp_snapshot_diff_curves(device, &is_by_step, w->arena);
    unsigned places = w->document->places;
    if (data.kind == TP_DATA_NONE)
        return;
    w->document->places = TP_IN_PAGES;
    tp_document_add_section(
        w->document,
        &(struct tp_section_block){
            .id = tp_text_printf(w->arena, "diff-curve%s", id),
            .label = *id ? NULL : "Curve",
            .title = tp_text_printf(w->arena, "%sAllocated memory", prefix_of(w, device)),
            .lead = is_by_step ? "Both curves are aligned at the ends of their steps."
                               : "Both curves show the events of their snapshot from the first to the last."});
    tp_document_add_chart(w->document, "byte_curves", data, NULL);
    w->document->places = places;
}

static void put_section(const struct wording *w, const char *id, const char *label, const char *title, const char *lead)
{
    unsigned places = w->document->places;
    w->document->places = TP_IN_PAGES;
    tp_document_add_section(w->document,
                            &(struct tp_section_block){.id = id, .label = label, .title = title, .lead = lead});
    w->document->places = places;
}

static const char *segments_text(const struct wording *w, const struct tp_snapshot_diff_device *device)
{
    return tp_text_printf(w->arena,
                          "Segments that the other side lacks, by address and size: BASE has %llu, NEW has %llu.",
                          (unsigned long long)device->sides[BEFORE].only_segment_count,
                          (unsigned long long)device->sides[AFTER].only_segment_count);
}

static void put_device(const struct wording *w, const struct tp_snapshot_diff_device *device)
{
    static const char code[] = "Folder, file and function of the user's innermost frame. Lines are left out, because "
                               "they move when a file changes.";
    const char *id = device == w->diff->devices ? "" : tp_text_printf(w->arena, "-%lld", (long long)device->device);
    const char *prefix = prefix_of(w, device);
    put_curves(w, device, id);
    if (device->at_peak.row_count) {
        const char *title = tp_text_printf(w->arena, "%sLive at the peak, by code", prefix);
        put_section(w, tp_text_printf(w->arena, "diff-peak%s", id), *id ? NULL : "Peak", title,
                    "Code whose live blocks differ at the peak of each side.");
        put_table(w, &device->at_peak, &(struct table_words){"at_peak", title, "places", "Code", code});
    }
    if (device->categories.row_count) {
        const char *title = tp_text_printf(w->arena, "%sLive at the peak, by purpose", prefix);
        put_section(w, tp_text_printf(w->arena, "diff-purpose%s", id), *id ? NULL : "Purpose", title,
                    "The purpose of a block follows from the code that allocates and frees it.");
        put_table(w, &device->categories,
                  &(struct table_words){"categories", title, "purposes", "Purpose", "Purpose of the blocks."});
    }
    if (device->at_end.row_count) {
        const char *title = tp_text_printf(w->arena, "%sLive at the end, by code", prefix);
        put_section(w, tp_text_printf(w->arena, "diff-end%s", id), *id ? NULL : "End", title,
                    "Code whose live blocks differ at the end of each side.");
        put_table(w, &device->at_end, &(struct table_words){"at_end", title, "places", "Code", code});
    }
    unsigned places = w->document->places;
    w->document->places = TP_IN_PAGES | TP_IN_DETAILED_TEXT;
    tp_document_add_note(w->document, tp_text_printf(w->arena, "%s%s", prefix, segments_text(w, device)));
    w->document->places = places;
}

/* ---- the document ---- */

static void write_record(const struct tp_data *value, struct tp_json *json)
{
    const struct wording *w = value->self;
    tp_fields_json(&tp_snapshot_diff_fields, w->diff, w->arena, json);
}

void tp_snapshot_diff_document(struct tp_document *document, const struct tp_snapshot_diff *diff,
                               struct tp_arena *arena)
{
    static const struct tp_data_source source = {.write = write_record};
    struct wording *w = tp_arena_alloc(arena, sizeof *w);
    struct tp_str before = diff->results[BEFORE]->file, after = diff->results[AFTER]->file;
    *w = (struct wording){document, diff, arena};
    tp_document_init(document, "Comparison", arena);
    document->written_record = (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &source, .self = w};
    tp_document_add_title(document, &(struct tp_title_block){tp_text_printf(arena, "%.*s against %.*s", (int)after.len,
                                                                            after.ptr, (int)before.len, before.ptr),
                                                             "diff", "Changes"});
    put_verdict(w);
    for (uint64_t i = 0; i < diff->device_count; i++)
        put_device(w, &diff->devices[i]);
}
