/* The options of `tracepress record`, and what they become in the program's environment. */
#ifndef TP_WEBREPORT_CLI_RECORD_OPTIONS_H
#define TP_WEBREPORT_CLI_RECORD_OPTIONS_H

#include "collector/launch/kineto.h"
#include "collector/launch/preload_library.h"
#include "webreport/session/opt.h"

enum { TP_RECORD_CANNOT_RUN = 126, TP_RECORD_NOT_FOUND = 127, TP_RECORD_WORDS = 2048 };

struct tp_record_options {
    struct tp_opt_common common;
    const char *out;
    struct tp_opt_list source, no_source; /* each item: names by comma */
    const char *all_of_user; /* name or number of one, ""; NULL: not asked for */
    const char *pid; /* of a process that runs; NULL: a program is run */
    const char *duration, *skip_first, *wait, *warmup, *active, *repeat, *torch;
    bool outside, whole_cpus, list_sources, no_tfevents, report, summary, summary_only;
    struct tp_kineto_options kineto; /* schedule and torch options, parsed; also for the inside of PyTorch */
    int attached;                    /* pid, parsed; 0: none */
    bool has_schedule;               /* one of the five was given */
};

/* Parses what stands before "--"; *program: the words behind it, NULL-terminated (argv's own). Returns 0 or TP_EUSAGE.
 */
int tp_record_parse(struct tp_record_options *options, int argc, char **argv, char ***program, struct tp_error *err);

/* True when the source is named by --source and not by --no-source. */
bool tp_record_wants(const struct tp_record_options *options, const char *source);

/* What stands behind "SOURCE=" in --source, copied to `text`; "" when nothing does, or it does not fit. */
void tp_record_setting(const struct tp_record_options *options, const char *source, char *text, size_t size);

/* True when the preload library will start this source, one that is on without being named (collector/sources.h). */
bool tp_record_has(const struct tp_record_options *options, const char *source);

/* True when the program is to be recorded from outside beside what is recorded inside: "outside" counts as a source
 * that is on. Not of some ranks or some windows of time alone (TRACEPRESS_RANKS, TRACEPRESS_WINDOW), and not where
 * nothing but summaries is wanted, for its trace has none. */
bool tp_record_has_outside(const struct tp_record_options *options);

/* Samples a second that were asked for; 0: none. */
unsigned tp_record_sample_rate(const struct tp_record_options *options);

/* TP_EUSAGE when a source is named that there is not. */
int tp_record_check_names(const struct tp_record_options *options, const struct tp_source_rows *rows,
                          struct tp_error *err);

/* The values of TRACEPRESS_SOURCES (collector/sources.h) and TRACEPRESS_TORCH (collector/source/torch.py). has_outside:
 * samples are taken from outside, so the source of that name is on only where it is asked for. */
const char *tp_record_source_words(const struct tp_record_options *options, bool has_outside, char *words, size_t size);
const char *tp_record_torch_words(const struct tp_record_options *options, char *words, size_t size);

/* Prints the table on standard output; 0, or -1 when that fails. why_not_outside: NULL, or why it cannot be recorded from
 * outside. */
int tp_record_print_sources(const struct tp_source_rows *rows, const char *why_not_outside);

#endif
