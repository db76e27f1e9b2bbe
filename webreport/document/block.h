/* What a command has to say, decided once: blocks in the order in which they are read.
 *
 * The files of this folder that end in _document.c make documents of results: every word, every amount and the choice
 * of what is shown first stand there. Printers (webreport/print/text.h, markdown.h, junit.h, sarif.h, badge.h) write
 * the blocks that suit their format and know no command. Texts are plain: printers escape them. All of them are
 * borrowed or live in the document's arena, whose guard is the caller's. */
#ifndef TP_WEBREPORT_DOCUMENT_BLOCK_H
#define TP_WEBREPORT_DOCUMENT_BLOCK_H

#include "webreport/document/section_table.h"

/* How good or bad something is: a colour on a terminal and in a page, a level in formats for machines. */
enum tp_tone { TP_TONE_PLAIN, TP_TONE_GOOD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_BAD };

/* What holds for all: "Input-bound: The GPU idles 42.4 % of every step ..". */
struct tp_verdict_block {
    enum tp_tone tone;
    const char *class;    /* a word or two */
    const char *headline; /* one sentence */
    const char *text;     /* what stands beneath it; "": nothing */
};

/* A number to know first: "GPU busy 57.6 %". */
struct tp_figure_block {
    const char *label, *value, *unit, *note, *definition; /* "": none */
    enum tp_tone tone;
    double meter; /* percentage shown as a bar; NaN: none */
};

/* A line of source code that has to do with it. */
struct tp_place_block {
    struct tp_str file_line; /* "train.py(88): step" */
    struct tp_str text;      /* what is there */
    struct tp_str function;  /* of file_line; ptr NULL: it names none */
};

/* What a rule is, for formats that list rules. */
struct tp_rule_block {
    const char *id, *title, *help;
};

enum { TP_REASONS = 6 };

/* Something found, or a limit that was checked. Texts that do not apply are NULL. */
struct tp_finding_block {
    enum tp_tone tone;
    const char *status;                  /* "fail", "regressed", "high" */
    const char *title;                   /* "rank 3: kernels.per_step <= 620" */
    const char *base, *value, *change;   /* amounts with their units */
    const char *amounts;                 /* the same as a sentence, where a terminal shall have one */
    const char *reasons[TP_REASONS];     /* sentences */
    const struct tp_place_block *places; /* evidence in the code */
    uint32_t place_count;
    const struct tp_rule_block *rule; /* of what; for machines */
    const char *cause;                /* a word for machines */
    bool is_input_fault;              /* the input does not tell: an error, never a failure of what is judged */
    const char *message;              /* all of it in one sentence */
    struct tp_str subject;            /* whom it concerns */
    unsigned line;                    /* of the file that states the limit; 0: none */
};

/* Findings in one list. A head that is NULL leaves its column out. */
struct tp_findings_block {
    const char *heading; /* above the list; NULL: none */
    const char *title_head, *base_head, *value_head, *change_head, *reason_head;
    const char *name, *source, *input; /* for machines: of the list, of what states the limits, of what is judged */
    bool is_source_file;               /* source is a path */
    struct tp_finding_block *items;
    size_t count;
    size_t shown;      /* by terminals; the others follow in formats for machines */
    size_t open_count; /* these, the first ones, are worth a line where room is scarce */
    const char *more;  /* after the numbers of what is left out: "; --json has all" */
};

enum tp_block_kind {
    TP_BLOCK_HEADING,
    TP_BLOCK_VERDICT,
    TP_BLOCK_FACT,  /* term and text */
    TP_BLOCK_POINT, /* an item of a list of sentences */
    TP_BLOCK_NOTE,  /* a paragraph */
    TP_BLOCK_TABLE,
    TP_BLOCK_FINDINGS,
};

struct tp_block {
    enum tp_block_kind kind;
    union {
        struct {
            const char *term, *text; /* term: of a fact; "" otherwise */
        };
        struct tp_verdict_block verdict;
        struct {
            const struct tp_shown_table *table;
            const char *more; /* as in tp_findings_block */
        };
        struct tp_findings_block findings;
    };
};

struct tp_document {
    struct tp_arena *arena;
    struct tp_vec blocks; /* struct tp_block */
};

/* How a printer is to write; each takes what concerns its format. */
struct tp_print_options {
    bool has_color;          /* of text */
    const char *source_root; /* taken off the front of paths in SARIF; NULL: none */
    size_t end;              /* of Markdown: the size that `out` must not exceed; 0: none */
    size_t *left_out;        /* of Markdown: counts lines for which there was no room; may be NULL without an end */
};

void tp_document_init(struct tp_document *document, struct tp_arena *arena);

static inline const struct tp_block *tp_document_at(const struct tp_document *document, size_t index)
{
    return TP_AT(&document->blocks, struct tp_block, index);
}

void tp_document_heading(struct tp_document *document, const char *text);
void tp_document_fact(struct tp_document *document, const char *term, const char *text);
void tp_document_point(struct tp_document *document, const char *text);
void tp_document_note(struct tp_document *document, const char *text);
void tp_document_verdict(struct tp_document *document, const struct tp_verdict_block *verdict);
/* more: after the numbers of rows that are left out: "--row-limit -1 shows all". */
void tp_document_table(struct tp_document *document, const struct tp_shown_table *table, const char *more);
void tp_document_findings(struct tp_document *document, const struct tp_findings_block *findings);

/* "good", "low" or "" as templates have it. */
const char *tp_tone_text(enum tp_tone tone);

#endif
