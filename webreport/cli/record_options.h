/* Parses the options of `tracepress record`, and turns them into environment variables for the program. */
#ifndef TP_WEBREPORT_CLI_RECORD_OPTIONS_H
#define TP_WEBREPORT_CLI_RECORD_OPTIONS_H

#include "collector/launch/kineto.h"
#include "collector/launch/preload_library.h"
#include "webreport/session/opt.h"

enum { TP_RECORD_CANNOT_RUN = 126, TP_RECORD_NOT_FOUND = 127, TP_RECORD_WORDS = 2048 };

struct tp_record_options {
    struct tp_opt_common common;
    const char *out;
    /* values of --source and --no-source; each value is a list of names separated by commas */
    struct tp_opt_list source, no_source;
    const char *all_of_user; /* name or number of a user; "": the current user; NULL: the option is not given */
    const char *pid;         /* value of -p, the id of a running process to record; NULL: `record` starts a program */
    const char *duration, *skip_first, *wait, *warmup, *active, *repeat, *torch;
    bool outside, records_whole_cpus, list_sources, omits_tfevents, report, summary, summary_only;
    /* parsed options of the profiler schedule and of --torch; used for both sources, kineto and torch */
    struct tp_kineto_options kineto;
    int attached;      /* parsed process id; 0: the option is not given */
    bool has_schedule; /* true: at least one of the five options of the schedule is given */
};

/* Parses the options before "--". *program: the words after "--", as the NULL-terminated rest of argv. Returns 0 or
 * TP_EUSAGE. */
int tp_record_parse_options(struct tp_record_options *options, int argc, char **argv, char ***program,
                            struct tp_error *err);

/* Returns whether --source names the source and --no-source does not name it. */
bool tp_record_wants_source(const struct tp_record_options *options, const char *source);

/* Copies the text after "SOURCE=" in --source to `text`. If there is no such text, or if it does not fit, copies "". */
void tp_record_source_setting(const struct tp_record_options *options, const char *source, char *text, size_t size);

/* Returns whether the preload library will start a source that is on by default (collector/sources.h). */
bool tp_record_starts_source(const struct tp_record_options *options, const char *source);

/* Returns whether the program is recorded from outside in addition to the recording inside it; the source "outside"
 * is on by default. Returns false if only some ranks or windows of time are recorded (TRACEPRESS_RANKS,
 * TRACEPRESS_WINDOW). Also returns false if only summaries are wanted, because the trace from outside has no
 * summary. */
bool tp_record_has_outside(const struct tp_record_options *options);

/* Returns the requested number of samples per second; 0: no samples. */
unsigned tp_record_sample_rate(const struct tp_record_options *options);

/* Checks the names of sources. Returns 0, or TP_EUSAGE for an unknown source. */
int tp_record_check_names(const struct tp_record_options *options, const struct tp_source_rows *rows,
                          struct tp_error *err);

/* Return the values of TRACEPRESS_SOURCES (collector/sources.h) and TRACEPRESS_TORCH (collector/source/torch.py).
 * has_outside: samples are taken from outside, so that the source "sample" is only on if the user named it. */
const char *tp_record_source_setting_text(const struct tp_record_options *options, bool has_outside, char *words,
                                          size_t size);
const char *tp_record_torch_setting_text(const struct tp_record_options *options, char *words, size_t size);

/* Prints the table of sources on standard output. why_not_outside: reason why recording from outside is impossible;
 * NULL if it is possible. Returns 0, or -1 if printing failed. */
int tp_record_print_sources(const struct tp_source_rows *rows, const char *why_not_outside);

#endif
