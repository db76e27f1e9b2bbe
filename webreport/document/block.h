/* A document: the output of a command as a list of blocks in reading order, independent of its format.
 * The files that end in _document.c make documents of results. They choose every word, every amount, the order and the
 * places. Printers (webreport/print/print.h) write the blocks that suit their format and know no command. Texts are
 * plain; printers escape them. All texts are borrowed or in the document's arena, whose guard the caller sets. */
#ifndef TP_WEBREPORT_DOCUMENT_BLOCK_H
#define TP_WEBREPORT_DOCUMENT_BLOCK_H

#include "webreport/document/section_table.h"
#include "webreport/document/worded_table.h"

/* Assessment of a block: a colour on a terminal and in a page, a level in formats for scripts. */
enum tp_tone { TP_TONE_PLAIN, TP_TONE_GOOD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_BAD };

/* Begins a page of the document, which ends at the next title. */
struct tp_title_block {
    const char *text;
    const char *id, *label; /* of its first screen, in the address and in the navigation */
};

/* Begins a part below the first screen. */
struct tp_section_block {
    const char *id, *label;   /* label: or NULL without an entry in the navigation */
    const char *title, *lead; /* lead: a sentence, or NULL */
    bool has_narrow_names;    /* its tables have many columns and short names */
};

/* The verdict: "Input-bound: The GPU idles 42.4 % of every step ..". */
struct tp_verdict_block {
    enum tp_tone tone;
    const char *class;    /* a word or two, or "" */
    const char *headline; /* one sentence */
    const char *text;     /* text below the headline, or "" */
};

/* An important notice, with points that explain it. */
struct tp_notice_block {
    enum tp_tone tone; /* BAD: error; UNSURE: information; else a warning */
    const char *head, *text;
    const char **points;
    size_t point_count;
};

/* A key figure: "GPU busy 57.6 %". */
struct tp_figure_block {
    const char *label, *value, *unit, *note, *definition; /* "" or NULL if absent */
    enum tp_tone tone;
    double meter; /* percentage shown as a bar, or NaN */
};

/* A line of source code, or an event at a time. */
struct tp_place_block {
    struct tp_str file_line; /* "train.py(88): step" */
    struct tp_str text;      /* description of the place */
    struct tp_str function;  /* function in file_line; ptr is NULL if it names none */
    const char *at, *href;   /* time and address, or NULL */
    const char *at_ns;       /* time in ns for scripts, or NULL */
};

/* Description of a rule, for formats that list rules. */
struct tp_rule_block {
    const char *id, *title, *help;
};

enum { TP_REASONS = 6 };

/* A finding, or a checked limit. Texts that do not apply are NULL. */
struct tp_finding_block {
    enum tp_tone tone;
    const char *status;                      /* "fail", "regressed", "high" */
    const char *id;                          /* short and stable: "J1" */
    const char *title;                       /* "rank 3: kernels.per_step <= 620" */
    const char *base, *value, *change;       /* amounts with their units */
    const char *scope;                       /* scope of the value: "per step, at most" */
    const char *amounts;                     /* the amounts as a sentence for terminals */
    const char *reasons[TP_REASONS];         /* sentences */
    const char *advice, *link, *proof;       /* what to do, address of an explanation, evidence */
    const struct tp_finding_block *remedies; /* findings that describe how to do it: id, title, reasons[0], advice */
    uint32_t remedy_count;
    const struct tp_place_block *places; /* evidence in the code */
    uint32_t place_count;
    const struct tp_rule_block *rule; /* the rule, for scripts */
    const char *cause;                /* a word for scripts */
    bool is_noise;                    /* inconclusive because of noise; not marked in the code */
    bool is_input_fault;              /* inconclusive because of the input; an error, not a failure */
    const char *message;              /* the finding in one sentence */
    struct tp_str subject;            /* rank or worker that it concerns */
    unsigned line;                    /* line in the file with the limit, or 0 */
};

/* A list of findings. A column with a NULL head is omitted. */
struct tp_findings_block {
    const char *heading; /* above the list, or NULL */
    const char *remark;  /* after the heading, smaller ("costliest first"), or NULL */
    const char *note;    /* below the list, or NULL */
    const char *none;    /* text for an empty list; NULL to show nothing */
    const char *id_head, *title_head, *base_head, *value_head, *change_head, *reason_head;
    /* for scripts: names of the list, of the source of the limits, of the judged input */
    const char *name, *source, *input;
    bool is_source_file; /* source is a path */
    struct tp_finding_block *items;
    size_t count;
    size_t shown;                 /* number of items on terminals; formats for scripts have all */
    size_t open_count;            /* number of first items that short outputs show */
    const char *more;             /* text after the number of omitted items: "; --json has all" */
    struct tp_shown_table *table; /* table that pages show instead of the list, or NULL */
};

/* A chart for pages; other formats print its table. */
struct tp_chart_block {
    const char *name; /* name of its template */
    struct tp_data data;
    struct tp_shown_table *table; /* or NULL if only pages show the chart */
};

/* Rows for scripts, with every column. */
struct tp_rows_block {
    const struct tp_table *table;
    const char *last_name; /* name of an additional column with the same text in all rows */
    struct tp_str last;
};

enum tp_block_kind {
    TP_BLOCK_TITLE,
    TP_BLOCK_SECTION,
    TP_BLOCK_HEADING,
    TP_BLOCK_VERDICT,
    TP_BLOCK_NOTICE,
    TP_BLOCK_FIGURE,
    TP_BLOCK_FACT,  /* term (may be "") and text */
    TP_BLOCK_POINT, /* an item of a list of sentences */
    TP_BLOCK_NOTE,  /* a paragraph */
    TP_BLOCK_TABLE,
    TP_BLOCK_FINDINGS,
    TP_BLOCK_CHART,
    TP_BLOCK_LINES,  /* preformatted text */
    TP_BLOCK_WORDED, /* a table in a layout of its own */
    TP_BLOCK_ROWS,   /* of CSV */
};

/* Places where a block is shown; bits of a set. */
enum tp_place {
    TP_IN_PAGES = 1,
    TP_IN_TEXT = 2,
    TP_IN_DETAILED_TEXT = 4,
    TP_IN_MARKDOWN = 8,
    TP_EVERYWHERE = 15, /* all places for people */
    TP_IN_CSV = 16,
    TP_IN_RECORD = 32, /* the record; not a place of blocks, but a request to a document */
};

struct tp_block {
    enum tp_block_kind kind;
    unsigned places; /* bits of enum tp_place */
    union {
        struct tp_title_block title;
        struct tp_section_block section;
        struct {
            const char *term, *text; /* term of a fact; "" for other blocks */
        };
        struct tp_verdict_block verdict;
        struct tp_notice_block notice;
        struct tp_figure_block figure;
        struct {
            struct tp_shown_table *table;
            const char *more; /* as in tp_findings_block */
        };
        struct tp_findings_block findings;
        struct tp_chart_block chart;
        const struct tp_worded_table *worded;
        struct tp_rows_block rows;
    };
};

struct tp_document {
    struct tp_arena *arena;
    const char *name;         /* name of the page: "Comparison" */
    unsigned places;          /* places of the blocks that are added next; TP_EVERYWHERE at first */
    struct tp_vec blocks;     /* struct tp_block */
    struct tp_object *record; /* the complete content with keys, for JSON */
};

/* Makes an empty document with an empty record. */
void tp_document_init(struct tp_document *document, const char *name, struct tp_arena *arena);

static inline struct tp_block *tp_document_at(const struct tp_document *document, size_t index)
{
    return TP_AT(&document->blocks, struct tp_block, index);
}

void tp_document_title(struct tp_document *document, const struct tp_title_block *title);
void tp_document_section(struct tp_document *document, const struct tp_section_block *section);
void tp_document_heading(struct tp_document *document, const char *text);
void tp_document_fact(struct tp_document *document, const char *term, const char *text);
void tp_document_point(struct tp_document *document, const char *text);
void tp_document_note(struct tp_document *document, const char *text);
void tp_document_verdict(struct tp_document *document, const struct tp_verdict_block *verdict);
/* Adds a notice without points; tp_document_notice_point adds a point to the last notice. */
void tp_document_notice(struct tp_document *document, enum tp_tone tone, const char *head, const char *text);
void tp_document_notice_point(struct tp_document *document, const char *point);
void tp_document_figure(struct tp_document *document, const struct tp_figure_block *figure);
/* Adds a table. more: text after the number of omitted rows: "--row-limit -1 shows all". */
void tp_document_table(struct tp_document *document, struct tp_shown_table *table, const char *more);
void tp_document_findings(struct tp_document *document, const struct tp_findings_block *findings);
/* Adds preformatted lines. text: must contain no control sequences of terminals. */
void tp_document_lines(struct tp_document *document, const char *text);
void tp_document_worded(struct tp_document *document, const struct tp_worded_table *table);
void tp_document_rows(struct tp_document *document, const struct tp_rows_block *rows);
/* Adds a chart; does nothing for data of kind NONE without a table. */
void tp_document_chart(struct tp_document *document, const char *name, struct tp_data data,
                       struct tp_shown_table *table);

/* Returns a fact as a line ("base: 1 run"), in the document's arena. */
const char *tp_fact_line(const struct tp_document *document, const struct tp_block *fact);
const char *tp_verdict_line(const struct tp_document *document, const struct tp_verdict_block *verdict);

/* Puts the evidence of an input into a record. The evidence is borrowed. */
struct tp_input_evidence;
void tp_object_evidence(struct tp_object *object, const char *name, const struct tp_input_evidence *evidence);

#endif
