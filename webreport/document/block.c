/* Blocks in order: see block.h. */
#include "webreport/document/block.h"

void tp_document_init(struct tp_document *document, struct tp_arena *arena)
{
    *document = (struct tp_document){.arena = arena, .blocks = TP_VEC(arena, struct tp_block)};
}

static struct tp_block *add(struct tp_document *document, enum tp_block_kind kind)
{
    struct tp_block *block = tp_vec_push(&document->blocks);
    *block = (struct tp_block){.kind = kind};
    return block;
}

static void add_text(struct tp_document *document, enum tp_block_kind kind, const char *term, const char *text)
{
    struct tp_block *block = add(document, kind);
    block->term = term;
    block->text = text;
}

void tp_document_heading(struct tp_document *document, const char *text)
{
    add_text(document, TP_BLOCK_HEADING, "", text);
}

void tp_document_fact(struct tp_document *document, const char *term, const char *text)
{
    add_text(document, TP_BLOCK_FACT, term, text);
}

void tp_document_point(struct tp_document *document, const char *text)
{
    add_text(document, TP_BLOCK_POINT, "", text);
}

void tp_document_note(struct tp_document *document, const char *text)
{
    add_text(document, TP_BLOCK_NOTE, "", text);
}

void tp_document_verdict(struct tp_document *document, const struct tp_verdict_block *verdict)
{
    add(document, TP_BLOCK_VERDICT)->verdict = *verdict;
}

void tp_document_table(struct tp_document *document, const struct tp_shown_table *table, const char *more)
{
    struct tp_block *block = add(document, TP_BLOCK_TABLE);
    block->table = table;
    block->more = more;
}

void tp_document_findings(struct tp_document *document, const struct tp_findings_block *findings)
{
    add(document, TP_BLOCK_FINDINGS)->findings = *findings;
}

const char *tp_tone_text(enum tp_tone tone)
{
    return tone == TP_TONE_GOOD ? "good" : tone == TP_TONE_UNSURE ? "low" : "";
}
