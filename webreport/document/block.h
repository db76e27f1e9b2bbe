/* A document is the output of a command as a list of blocks in reading order, independent of the output format.
 *
 * The files with names that end in _document.c make documents from results. They choose every word and number, the
 * order of the blocks, and the outputs that show each block. Printers (webreport/print/print.h) write the blocks that
 * suit their format and know no command. Texts are plain; printers escape them. All texts are borrowed or in the
 * document's arena, whose guard the caller sets. */
#ifndef TP_WEBREPORT_DOCUMENT_BLOCK_H
#define TP_WEBREPORT_DOCUMENT_BLOCK_H

#include "webreport/document/section_table.h"
#include "webreport/document/worded_table.h"

/* Assessment of a block. It becomes a color on a terminal and in a page, and a level in formats for scripts. */
enum tp_tone { TP_TONE_PLAIN, TP_TONE_GOOD, TP_TONE_WARN, TP_TONE_UNSURE, TP_TONE_BAD };

/* The title of a page of the document. The page contains all blocks up to the next title. */
struct tp_title_block {
    const char *text;
    const char *id, *label; /* for the page's first screen: id for links, and label in the navigation */
};

/* The start of a part of the page below the first screen. */
struct tp_section_block {
    const char *id, *label;   /* label: text in the navigation; NULL for no entry */
    const char *title, *lead; /* lead: sentence below the title, or NULL */
    bool is_half;             /* true: in pages, the part shares a row with the next part that is half as well */
    bool is_folded;           /* true: pages show the part only after a click on its title */
};

/* Words of the headline that name a cause, as a range of bytes. look: name of its color (charts/causes.h). */
struct tp_headline_mark {
    size_t start, size;
    const char *look;
};

/* The verdict, such as "Input-bound: The GPU idles 42.4 % of every step ..". */
struct tp_verdict_block {
    enum tp_tone tone;
    const char *class;    /* one or two words that classify the result, or "" */
    const char *headline; /* headline of one sentence */
    const char *text;     /* text below the headline, or "" */
    const char *limit;    /* in pages: marked text below `text`, about the critical path; NULL for none */
    struct tp_headline_mark marks[2];
    unsigned mark_count;
};

/* An important notice, with points that explain it. */
struct tp_notice_block {
    enum tp_tone tone; /* TP_TONE_BAD: an error; TP_TONE_UNSURE: information; any other tone: a warning */
    const char *head, *text;
    const char **points;
    size_t point_count;
};

/* A key figure, such as "GPU busy 57.6 %". */
struct tp_figure_block {
    const char *label, *value, *unit, *note, *definition; /* texts; "" or NULL if absent */
    enum tp_tone tone;
    double meter; /* percentage shown as a bar; NaN for no bar */
};

/* A place as evidence: a line of source code, or an event at a certain time. */
struct tp_place_block {
    struct tp_str file_line; /* text such as "train.py(88): step" */
    struct tp_str text;      /* description of the place */
    struct tp_str function;  /* name of the function in file_line; ptr NULL if unknown */
    const char *at, *href;   /* time of the event as text, and address of the source line; NULL if unknown */
    const char *at_ns;       /* time of the event in ns, for scripts; NULL if unknown */
};

/* The description of a rule, for output formats that list rules. */
struct tp_rule_block {
    const char *id, *title, *help;
};

enum { TP_REASONS = 6 };

/* A finding, or a checked limit. Texts that do not apply are NULL. */
struct tp_finding_block {
    enum tp_tone tone;
    const char *status;       /* word such as "fail", "regressed" or "high" */
    const char *id;           /* short and stable name, such as "J1" */
    const char *title;        /* text such as "rank 3: kernels.per_step <= 620" */
    const char *marked_title; /* title with marks for code (writer/text/marked_text.h); NULL: `title` has no code */
    const char *base, *value, *change; /* amounts with units: baseline value, run value, and their difference */
    const char *scope;                 /* text that explains `value`, such as "per step, at most" */
    const char *amounts;               /* the three amounts as a sentence, for terminals */
    const char *reasons[TP_REASONS];   /* sentences that explain the status */
    const char *advice, *link, *proof; /* instructions for the user, address of an explanation, and evidence */
    /* findings with details on how to follow the advice; only id, title, reasons[0] and advice are used */
    const struct tp_finding_block *remedies;
    uint32_t remedy_count;
    const struct tp_place_block *places; /* places in the code that are evidence */
    uint32_t place_count;
    const struct tp_rule_block *rule; /* rule of the finding; only formats for scripts use it */
    const char *cause;                /* cause as one word; only formats for scripts use it */
    bool is_inconclusive_by_noise; /* true: the finding is inconclusive because of noise; SARIF does not mark it in the
                                      code */
    bool is_inconclusive_by_input; /* true: the finding is inconclusive because of the input; JUnit then reports an
                                      error, not a failure */
    const char *short_reason;      /* in pages: first sentence of reasons[0], and `more_reason`: the others; or NULL */
    const char *more_reason;
    const char *look;                 /* name of the color of the finding's cause (charts/causes.h); NULL for none */
    const char *saving;               /* words such as "saves 38 to 47 ms"; NULL if unknown */
    const char *then;                 /* sentence on the step after the change and what limits it then, or NULL */
    const char *saving_share;         /* share of the saving, such as "18 to 23 %"; NULL: `change` is this share */
    double low_percent, high_percent; /* range of the saving, percent of the step; both 0 if unknown */
    const char *marks; /* times of the finding for the timeline: "start,end;.." in ns since the first event, or NULL */
    bool is_small;     /* true: the saving is too small to be listed as an action */
    const char *message;   /* the finding in one sentence */
    struct tp_str subject; /* name of the rank or worker to which the finding applies */
    unsigned line;         /* line number of the limit in its file; 0 if unknown */
};

/* A list of findings. Columns whose heading is NULL are omitted. */
struct tp_findings_block {
    const char *heading; /* heading above the list, or NULL */
    const char *remark;  /* smaller text after the heading, such as "costliest first", or NULL */
    const char *note;    /* text below the list, or NULL */
    const char *none;    /* text that replaces an empty list; NULL for nothing */
    const char *id_title, *title_column_title, *base_title, *value_title, *change_title, *reason_title;
    /* name of the list, source of the limits, and checked input; only formats for scripts use them */
    const char *name, *source, *input;
    bool is_source_file; /* true: `source` is the path of a file */
    struct tp_finding_block *items;
    size_t count;
    size_t shown;                 /* largest number of items on terminals; formats for scripts contain all items */
    size_t open_count;            /* number of leading items that short outputs show */
    const char *more_title;       /* in pages: summary of the items after the third; NULL: all items are open */
    const char *more;             /* text after the number of omitted items, such as "; --json has all" */
    struct tp_shown_table *table; /* table that replaces the list in pages, or NULL */
};

/* A chart for pages; other formats print its table. */
struct tp_chart_block {
    const char *name; /* name of the template for the chart */
    struct tp_data data;
    struct tp_shown_table *table; /* table with the data of the chart; NULL if only pages have the chart */
};

/* Rows of a table for scripts, with all columns of the table. */
struct tp_rows_block {
    const struct tp_table *table;
    const char *extra_column_name; /* name of an additional last column, which has the same text in all rows */
    struct tp_str last;
};

enum tp_block_kind {
    TP_BLOCK_TITLE,
    TP_BLOCK_SECTION,
    TP_BLOCK_HEADING,
    TP_BLOCK_VERDICT,
    TP_BLOCK_NOTICE,
    TP_BLOCK_FIGURE,
    TP_BLOCK_FACT,  /* a text with its term, which can be "" */
    TP_BLOCK_POINT, /* an item of a list of sentences */
    TP_BLOCK_NOTE,  /* a paragraph */
    TP_BLOCK_TABLE,
    TP_BLOCK_FINDINGS,
    TP_BLOCK_CHART,
    TP_BLOCK_LINES,  /* preformatted text */
    TP_BLOCK_WORDED, /* a table with its own layout (worded_table.h) */
    TP_BLOCK_ROWS,   /* rows of a CSV file */
};

/* Outputs that show a block; bits of a set. */
enum tp_place {
    TP_IN_PAGES = 1,
    TP_IN_TEXT = 2,
    TP_IN_DETAILED_TEXT = 4,
    TP_IN_MARKDOWN = 8,
    TP_EVERYWHERE = 15, /* all outputs for people */
    TP_IN_CSV = 16,
    /* the JSON record, which has no blocks; passed to a function that makes a document, this bit requests the record */
    TP_IN_RECORD = 32,
};

struct tp_block {
    enum tp_block_kind kind;
    unsigned places; /* bits of enum tp_place */
    union {
        struct {
            struct tp_title_block title;
            /* text after the title of a closed page, such as its most important number; NULL: the page is open */
            const char *fold;
        };
        struct tp_section_block section;
        struct {
            const char *term, *text; /* term: name of a fact; "" for other blocks */
        };
        struct tp_verdict_block verdict;
        struct tp_notice_block notice;
        struct tp_figure_block figure;
        struct {
            struct tp_shown_table *table;
            const char *more; /* text after the number of omitted rows, such as "; --json has all" */
        };
        struct tp_findings_block findings;
        struct tp_chart_block chart;
        const struct tp_worded_table *worded;
        struct tp_rows_block rows;
    };
};

struct tp_document {
    struct tp_arena *arena;
    const char *name; /* name of the page, such as "Comparison" */
    unsigned places;  /* outputs (enum tp_place) that show the blocks that are added next; initially TP_EVERYWHERE */
    struct tp_vec blocks;          /* elements: struct tp_block */
    struct tp_object *record;      /* the complete content as keys and values, for JSON output */
    struct tp_data written_record; /* a value of kind WRITTEN that replaces `record`; kind NONE: none */
};

/* Makes an empty document with an empty record. */
void tp_document_init(struct tp_document *document, const char *name, struct tp_arena *arena);

static inline struct tp_block *tp_document_block_at(const struct tp_document *document, size_t index)
{
    return TP_AT(&document->blocks, struct tp_block, index);
}

void tp_document_add_title(struct tp_document *document, const struct tp_title_block *title);
/* Closes the page of the last title until the reader clicks on its title. text: text after the title. */
void tp_document_fold_page(struct tp_document *document, const char *text);
void tp_document_add_section(struct tp_document *document, const struct tp_section_block *section);
void tp_document_add_heading(struct tp_document *document, const char *text);
void tp_document_add_fact(struct tp_document *document, const char *term, const char *text);
void tp_document_add_point(struct tp_document *document, const char *text);
void tp_document_add_note(struct tp_document *document, const char *text);
void tp_document_add_verdict(struct tp_document *document, const struct tp_verdict_block *verdict);
/* Adds a notice without points; tp_document_add_notice_point adds a point to the last notice. */
void tp_document_add_notice(struct tp_document *document, enum tp_tone tone, const char *head, const char *text);
void tp_document_add_notice_point(struct tp_document *document, const char *point);
void tp_document_add_figure(struct tp_document *document, const struct tp_figure_block *figure);
/* Adds a table. more: text after the number of omitted rows, such as "--row-limit -1 shows all". */
void tp_document_add_table(struct tp_document *document, struct tp_shown_table *table, const char *more);
void tp_document_add_findings(struct tp_document *document, const struct tp_findings_block *findings);
/* Adds preformatted lines. The text must not contain control sequences of terminals. */
void tp_document_add_text_lines(struct tp_document *document, const char *text);
void tp_document_add_worded_table(struct tp_document *document, const struct tp_worded_table *table);
void tp_document_add_rows_block(struct tp_document *document, const struct tp_rows_block *rows);
/* Adds a chart. Does nothing if `data` is of kind NONE and `table` is NULL. */
void tp_document_add_chart(struct tp_document *document, const char *name, struct tp_data data,
                           struct tp_shown_table *table);

/* Returns the text of a fact as a line, such as "base: 1 run", in the document's arena. */
const char *tp_fact_block_line(const struct tp_document *document, const struct tp_block *fact);
const char *tp_verdict_block_line(const struct tp_document *document, const struct tp_verdict_block *verdict);

/* Adds the evidence of an input to a record. The evidence is borrowed. */
struct tp_input_evidence;
void tp_object_add_evidence(struct tp_object *object, const char *name, const struct tp_input_evidence *evidence);

#endif
