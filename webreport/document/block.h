/* What a command has to say, decided once: blocks in the order in which they are read.
 *
 * The files of this folder that end in _document.c make documents of results: every word, every amount and the choice
 * of what is shown first and where stand there. Printers (webreport/print/print.h) write the blocks that suit their
 * format and know no command. Texts are plain: printers escape them.
 * All of them are borrowed or live in the document's arena, whose guard is the caller's. */
#ifndef TP_WEBREPORT_DOCUMENT_BLOCK_H
#define TP_WEBREPORT_DOCUMENT_BLOCK_H

#include "webreport/document/section_table.h"
#include "webreport/document/worded_table.h"

/* How good or bad something is: a colour on a terminal and in a page, a level in formats for machines. */
enum tp_tone { TP_TONE_PLAIN, TP_TONE_GOOD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_BAD };

/* Begins a page of the document: everything up to the next title belongs to it. */
struct tp_title_block {
    const char *text;
    const char *id, *label; /* of its first screen in the address and in the navigation */
};

/* Begins a part below the first screen. */
struct tp_section_block {
    const char *id, *label;   /* label NULL: none in the navigation */
    const char *title, *lead; /* lead: a sentence; NULL: none */
    bool has_narrow_names;    /* its tables have many columns and short names */
};

/* What holds for all: "Input-bound: The GPU idles 42.4 % of every step ..". */
struct tp_verdict_block {
    enum tp_tone tone;
    const char *class;    /* a word or two; "": none */
    const char *headline; /* one sentence */
    const char *text;     /* what stands beneath it; "": nothing */
};

/* Something to know before anything else, with points that explain it. */
struct tp_notice_block {
    enum tp_tone tone; /* BAD: an error; UNSURE: for information; else a warning */
    const char *head, *text;
    const char **points;
    size_t point_count;
};

/* A number to know first: "GPU busy 57.6 %". */
struct tp_figure_block {
    const char *label, *value, *unit, *note, *definition; /* "" or NULL: none */
    enum tp_tone tone;
    double meter; /* percentage shown as a bar; NaN: none */
};

/* A line of source code or an event that has to do with it. */
struct tp_place_block {
    struct tp_str file_line; /* "train.py(88): step" */
    struct tp_str text;      /* what is there */
    struct tp_str function;  /* of file_line; ptr NULL: it names none */
    const char *at, *href;   /* time and address; NULL: none */
    const char *at_ns;       /* the time for scripts; NULL: none */
};

/* What a rule is, for formats that list rules. */
struct tp_rule_block {
    const char *id, *title, *help;
};

enum { TP_REASONS = 6 };

/* Something found, or a limit that was checked. Texts that do not apply are NULL. */
struct tp_finding_block {
    enum tp_tone tone;
    const char *status;                      /* "fail", "regressed", "high" */
    const char *id;                          /* short, and stays: "J1" */
    const char *title;                       /* "rank 3: kernels.per_step <= 620" */
    const char *base, *value, *change;       /* amounts with their units */
    const char *scope;                       /* what the value is of: "per step, at most" */
    const char *amounts;                     /* the same as a sentence, where a terminal shall have one */
    const char *reasons[TP_REASONS];         /* sentences */
    const char *advice, *link, *proof;       /* what to do, where that is explained, how it is known */
    const struct tp_finding_block *remedies; /* findings that name a way to do it: id, title, reasons[0], advice */
    uint32_t remedy_count;
    const struct tp_place_block *places; /* evidence in the code */
    uint32_t place_count;
    const struct tp_rule_block *rule; /* of what; for machines */
    const char *cause;                /* a word for machines */
    bool is_noise;                    /* more runs would tell: no mark in the code */
    bool is_input_fault;              /* the input does not tell: an error, never a failure of what is judged */
    const char *message;              /* all of it in one sentence */
    struct tp_str subject;            /* whom it concerns */
    unsigned line;                    /* of the file that states the limit; 0: none */
};

/* Findings in one list. A head that is NULL leaves its column out. */
struct tp_findings_block {
    const char *heading; /* above the list; NULL: none */
    const char *remark;  /* behind the heading, smaller: "costliest first"; NULL: none */
    const char *note;    /* below the list; NULL: none */
    const char *none;    /* instead of an empty list; NULL: nothing is shown then */
    const char *id_head, *title_head, *base_head, *value_head, *change_head, *reason_head;
    const char *name, *source, *input; /* for machines: of the list, of what states the limits, of what is judged */
    bool is_source_file;               /* source is a path */
    struct tp_finding_block *items;
    size_t count;
    size_t shown;                 /* by terminals; the others follow in formats for machines */
    size_t open_count;            /* these, the first ones, are worth a line where room is scarce */
    const char *more;             /* after the numbers of what is left out: "; --json has all" */
    struct tp_shown_table *table; /* what pages show instead of the list; NULL: the list */
};

/* A picture for pages; other formats print its table. */
struct tp_chart_block {
    const char *name; /* of its template */
    struct tp_data data;
    struct tp_shown_table *table; /* NULL: pages alone show it */
};

/* Rows for programs, with every column. */
struct tp_rows_block {
    const struct tp_table *table;
    const char *last_name; /* of one more column, with the same text in all rows */
    struct tp_str last;
};

enum tp_block_kind {
    TP_BLOCK_TITLE,
    TP_BLOCK_SECTION,
    TP_BLOCK_HEADING,
    TP_BLOCK_VERDICT,
    TP_BLOCK_NOTICE,
    TP_BLOCK_FIGURE,
    TP_BLOCK_FACT,  /* term ("": none) and text */
    TP_BLOCK_POINT, /* an item of a list of sentences */
    TP_BLOCK_NOTE,  /* a paragraph */
    TP_BLOCK_TABLE,
    TP_BLOCK_FINDINGS,
    TP_BLOCK_CHART,
    TP_BLOCK_LINES,  /* text as it is, with its line feeds */
    TP_BLOCK_WORDED, /* a table in a layout of its own */
    TP_BLOCK_ROWS,   /* of CSV */
};

/* Where a block is shown, a set. */
enum tp_place {
    TP_IN_PAGES = 1,
    TP_IN_TEXT = 2,
    TP_IN_DETAILED_TEXT = 4,
    TP_IN_MARKDOWN = 8,
    TP_EVERYWHERE = 15, /* where people read */
    TP_IN_CSV = 16,
    TP_IN_RECORD = 32, /* no place of blocks: what is wanted of a document */
};

struct tp_block {
    enum tp_block_kind kind;
    unsigned places; /* of enum tp_place */
    union {
        struct tp_title_block title;
        struct tp_section_block section;
        struct {
            const char *term, *text; /* term: of a fact; "" otherwise */
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
    const char *name;         /* of a page: "Comparison" */
    unsigned places;          /* of the blocks that are added next: TP_EVERYWHERE at first */
    struct tp_vec blocks;     /* struct tp_block */
    struct tp_object *record; /* the same for machines, complete and with its keys: what JSON prints */
};

/* Empty, with an empty record. */
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
/* A notice without points; tp_document_notice_point adds to the last one. */
void tp_document_notice(struct tp_document *document, enum tp_tone tone, const char *head, const char *text);
void tp_document_notice_point(struct tp_document *document, const char *point);
void tp_document_figure(struct tp_document *document, const struct tp_figure_block *figure);
/* more: after the numbers of rows that are left out: "--row-limit -1 shows all". */
void tp_document_table(struct tp_document *document, struct tp_shown_table *table, const char *more);
void tp_document_findings(struct tp_document *document, const struct tp_findings_block *findings);
/* Lines for terminals that hold nothing that these might obey. */
void tp_document_lines(struct tp_document *document, const char *text);
void tp_document_worded(struct tp_document *document, const struct tp_worded_table *table);
void tp_document_rows(struct tp_document *document, const struct tp_rows_block *rows);
/* Nothing for data of kind NONE without a table. */
void tp_document_chart(struct tp_document *document, const char *name, struct tp_data data,
                       struct tp_shown_table *table);

/* "Input-bound: The GPU idles ..", "base: 1 run" in the document's arena. */
const char *tp_fact_line(const struct tp_document *document, const struct tp_block *fact);
const char *tp_verdict_line(const struct tp_document *document, const struct tp_verdict_block *verdict);

/* The evidence of an input as a member of a record, in the record's arena; it is borrowed. */
struct tp_input_evidence;
void tp_object_evidence(struct tp_object *object, const char *name, const struct tp_input_evidence *evidence);

#endif
