/* Formats of other tools: a table of functions, each of which writes one analysed profile into a folder.
 *
 * A format is a file webreport/export/NAME.c, a row in export.c and a paragraph in templates/help/export.txt. */
#ifndef TP_WEBREPORT_EXPORT_EXPORT_H
#define TP_WEBREPORT_EXPORT_EXPORT_H

#include "webreport/export/filter.h"
#include "webreport/measure/result/profile.h"
#include "webreport/model/policy_torch.h"
#include "writer/base/arena.h"
#include "writer/base/error.h"

/* --color-by: what shapes of a picture are coloured by. */
enum tp_export_colour { TP_EXPORT_BY_LIFETIME, TP_EXPORT_BY_OPERATOR, TP_EXPORT_BY_MODULE };
#define TP_EXPORT_COLOURS "lifetime|operator|module" /* the same as choices of an option */

/* All profiles of one call of `export`, for what a format says about them together. */
struct tp_export_job {
    const char *out;        /* the folder named by -o */
    struct tp_arena *arena; /* of the whole job; its guard is set outside of `write` */
    void *kept;             /* the format's own, NULL at first; in `arena` */
    char written[1024];     /* names of the first written files: "a.csv, b.csv" */
    size_t named_count;     /* files in `written` */
    size_t written_count;   /* all written files */
};

/* What a format looks at; nothing beyond it is computed. */
enum tp_export_need {
    TP_EXPORT_NEEDS_ALL,
    TP_EXPORT_NEEDS_MODEL, /* trace, order, model */
    TP_EXPORT_NEEDS_TRACE,
    TP_EXPORT_NEEDS_NOTHING /* it reads export->path itself: profile->trace is empty, export->reading is to be filled */
};

/* One profile to write; everything is borrowed for the call. Names are safe as parts of a path: letters, digits and
 * ._- only, never empty, never starting with a dot. Both folders exist. */
struct tp_export {
    const struct tp_profile *profile;    /* trace, order, model, views, advice, and where they came from */
    const char *out;                     /* the folder named by -o */
    const char *path;                    /* of the trace, which can be read again as often as wanted */
    const struct tp_trace_options *read; /* how it was read */
    struct tp_reading *reading;          /* what the file had to say of itself */
    const char *folder;                  /* `out`, or a folder in it when several profiles are exported:
                                            out[/RUN][/WORKER[.SPAN]] with the parts that tell them apart */
    const char *run, *worker;            /* safe forms of profile->run and profile->worker */
    const char *metric;                  /* --metric, for formats that show one number; NULL: their own choice */
    const struct tp_trace *baseline;     /* --baseline, for formats that show a difference; NULL: none */
    const struct tp_filter *filter;      /* --step and the like, for formats that take a part; NULL: everything */
    enum tp_export_colour colour;        /* --color-by, for pictures that have a choice */
    bool is_slim;                        /* --slim, for formats that have a small form */
    enum tp_torch_rules rules;           /* --torch, for formats that equal what torch writes */
    struct tp_export_job *job;           /* NULL: there is only this profile */
    struct tp_arena *arena;              /* of this profile; its guard is set: own nothing else while allocating */
};

struct tp_export_format {
    const char *name;
    /* Returns 0, TP_EIO (names the path), TP_ENOMEM, TP_ELIMIT, TP_ENOTFOUND (says what the trace lacks: it counts as
     * one that cannot be used); or leaves through the arena's guard. Files appear whole or not at all. */
    int (*write)(const struct tp_export *export, struct tp_error *err);
    /* After the last profile, with the job's guard set; NULL: nothing is left to do. */
    int (*finish)(const struct tp_export_job *job, struct tp_error *err);
    bool (*check_metric)(const char *metric); /* whether it knows the metric; NULL: it takes none */
    /* What is needed of the profile where options decide (filter, read and is_slim are set); NULL: `needs`. */
    enum tp_export_need (*asks)(const struct tp_export *export);
    bool reads_text;           /* it reads export->path again */
    bool has_slim;             /* it knows --slim */
    bool has_own_folders;      /* it names what it needs in `out` itself: `folder` is not made for it */
    bool joins_cycles;         /* captures of one worker share `folder`, which ends in no SPAN */
    bool keeps_ends;           /* the trace itself: events keep the ends of the file, also those that cannot be */
    bool reads_frame_stacks;   /* the trace is read with keeps_frame_stacks */
    bool has_baseline;         /* it can show the difference to another trace */
    bool has_filter;           /* it can export a part */
    bool has_colours;          /* it knows --color-by */
    enum tp_export_need needs; /* of the profile */
};

/* All formats; a NULL name ends the table. */
extern const struct tp_export_format tp_export_formats[];

/* The format of that name, or NULL. name: not NULL. */
const struct tp_export_format *tp_export_find(const char *name);

#endif
