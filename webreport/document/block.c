/* Adds blocks to documents. See block.h. */
#include "webreport/document/block.h"

#include "webreport/trace/evidence.h"
#include "writer/text/format.h"

void tp_document_init(struct tp_document *document, const char *name, struct tp_arena *arena)
{
    *document = (struct tp_document){.arena = arena,
                                     .name = name,
                                     .places = TP_EVERYWHERE,
                                     .blocks = TP_VEC(arena, struct tp_block),
                                     .record = tp_object_new(arena)};
}

static struct tp_block *add_block(struct tp_document *document, enum tp_block_kind kind)
{
    struct tp_block *block = tp_vec_push(&document->blocks);
    *block = (struct tp_block){.kind = kind, .places = document->places};
    return block;
}

static void add_block_with_text(struct tp_document *document, enum tp_block_kind kind, const char *term,
                                const char *text)
{
    struct tp_block *block = add_block(document, kind);
    block->term = term;
    block->text = text;
}

void tp_document_add_title(struct tp_document *document, const struct tp_title_block *title)
{
    add_block(document, TP_BLOCK_TITLE)->title = *title;
}

void tp_document_fold_page(struct tp_document *document, const char *text)
{
    for (size_t i = document->blocks.count; i-- > 0;)
        if (tp_document_block_at(document, i)->kind == TP_BLOCK_TITLE) {
            tp_document_block_at(document, i)->fold = text;
            return;
        }
}

void tp_document_add_section(struct tp_document *document, const struct tp_section_block *section)
{
    add_block(document, TP_BLOCK_SECTION)->section = *section;
}

void tp_document_add_heading(struct tp_document *document, const char *text)
{
    add_block_with_text(document, TP_BLOCK_HEADING, "", text);
}

void tp_document_add_fact(struct tp_document *document, const char *term, const char *text)
{
    add_block_with_text(document, TP_BLOCK_FACT, term, text);
}

void tp_document_add_point(struct tp_document *document, const char *text)
{
    add_block_with_text(document, TP_BLOCK_POINT, "", text);
}

void tp_document_add_note(struct tp_document *document, const char *text)
{
    add_block_with_text(document, TP_BLOCK_NOTE, "", text);
}

void tp_document_add_verdict(struct tp_document *document, const struct tp_verdict_block *verdict)
{
    add_block(document, TP_BLOCK_VERDICT)->verdict = *verdict;
}

void tp_document_add_notice(struct tp_document *document, enum tp_tone tone, const char *head, const char *text)
{
    add_block(document, TP_BLOCK_NOTICE)->notice = (struct tp_notice_block){.tone = tone, .head = head, .text = text};
}

void tp_document_add_notice_point(struct tp_document *document, const char *point)
{
    struct tp_notice_block *notice = &tp_document_block_at(document, document->blocks.count - 1)->notice;
    size_t count = notice->point_count;
    if ((count & (count - 1)) == 0) /* the array grows only at powers of two */
        notice->points = tp_arena_resize(document->arena, notice->points, count * sizeof *notice->points,
                                         (count ? 2 * count : 1) * sizeof *notice->points);
    notice->points[notice->point_count++] = point;
}

void tp_document_add_figure(struct tp_document *document, const struct tp_figure_block *figure)
{
    add_block(document, TP_BLOCK_FIGURE)->figure = *figure;
}

void tp_document_add_table(struct tp_document *document, struct tp_shown_table *table, const char *more)
{
    struct tp_block *block = add_block(document, TP_BLOCK_TABLE);
    block->table = table;
    block->more = more;
}

void tp_document_add_findings(struct tp_document *document, const struct tp_findings_block *findings)
{
    add_block(document, TP_BLOCK_FINDINGS)->findings = *findings;
}

void tp_document_add_chart(struct tp_document *document, const char *name, struct tp_data data,
                           struct tp_shown_table *table)
{
    if (data.kind != TP_DATA_NONE || table)
        add_block(document, TP_BLOCK_CHART)->chart = (struct tp_chart_block){name, data, table};
}

void tp_document_add_text_lines(struct tp_document *document, const char *text)
{
    add_block_with_text(document, TP_BLOCK_LINES, "", text);
}

void tp_document_add_worded_table(struct tp_document *document, const struct tp_worded_table *table)
{
    add_block(document, TP_BLOCK_WORDED)->worded = table;
}

void tp_document_add_rows_block(struct tp_document *document, const struct tp_rows_block *rows)
{
    add_block(document, TP_BLOCK_ROWS)->rows = *rows;
}

const char *tp_fact_block_line(const struct tp_document *document, const struct tp_block *fact)
{
    return *fact->term ? tp_text_printf(document->arena, "%s: %s", fact->term, fact->text) : fact->text;
}

const char *tp_verdict_block_line(const struct tp_document *document, const struct tp_verdict_block *verdict)
{
    if (!*verdict->class)
        return verdict->headline;
    return tp_text_printf(document->arena, "%s: %s", verdict->class, verdict->headline);
}

/* ---- records ---- */

struct evidence_member {
    const struct tp_input_evidence *evidence;
    struct tp_arena *arena;
};

static void write_evidence(const struct tp_data *value, struct tp_json *json)
{
    const struct evidence_member *member = value->self;
    tp_fields_json(&tp_evidence_fields, member->evidence, member->arena, json);
}

static const struct tp_data_source EVIDENCE = {.write = write_evidence};

void tp_object_add_evidence(struct tp_object *object, const char *name, const struct tp_input_evidence *evidence)
{
    struct evidence_member *member = tp_arena_alloc(object->members.arena, sizeof *member);
    *member = (struct evidence_member){evidence, object->members.arena};
    tp_object_add_value(object, name, (struct tp_data){.kind = TP_DATA_WRITTEN, .source = &EVIDENCE, .self = member});
}
