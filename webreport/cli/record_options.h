/* Parses the options of `tracepress record`, and turns them into variables of the program's environment. */
#ifndef TP_WEBREPORT_CLI_RECORD_OPTIONS_H
#define TP_WEBREPORT_CLI_RECORD_OPTIONS_H

#include "collector/launch/kineto.h"
#include "collector/launch/preload_library.h"
#include "webreport/session/opt.h"

enum { TP_RECORD_CANNOT_RUN = 126, TP_RECORD_NOT_FOUND = 127, TP_RECORD_WORDS = 2048 };

struct tp_record_options {
    struct tp_opt_common common;
    const char *out;
    struct tp_opt_list source, no_source; /* each item: names separated by commas */
    const char *all_of_user; /* name or number of a user, "": ours; NULL: not given */
    const char *pid; /* pid of a running process; NULL: record runs a program */
    const char *duration, *skip_first, *wait, *warmup, *active, *repeat, *torch;
    bool outside, whole_cpus, list_sources, no_tfevents, report, summary, summary_only;
    struct tp_kineto_options kineto; /* parsed schedule and torch options; also used inside of PyTorch */
    int attached;                    /* parsed pid; 0: none */
    bool has_schedule;               /* one of the five options of the schedule was given */
};

/* Parses the options before "--". *program: the words after it, NULL-terminated (part of argv). Returns 0 or
 * TP_EUSAGE. */
int tp_record_parse(struct tp_record_options *options, int argc, char **argv, char ***program, struct tp_error *err);

/* Returns true when --source names the source and --no-source does not. */
bool tp_record_wants(const struct tp_record_options *options, const char *source);

/* Copies the text after "SOURCE=" in --source to `text`; "" when there is none, or it does not fit. */
void tp_record_setting(const struct tp_record_options *options, const char *source, char *text, size_t size);

/* Returns true when the preload library will start this source, which is one that is on by default
 * (collector/sources.h). */
bool tp_record_has(const struct tp_record_options *options, const char *source);

/* Returns true when the program is recorded from outside as well as from inside: "outside" is a source that is on by
 * default. Returns false when only some ranks or windows of time are recorded (TRACEPRESS_RANKS, TRACEPRESS_WINDOW),
 * and when only summaries are wanted, since its trace has none. */
bool tp_record_has_outside(const struct tp_record_options *options);

/* Returns the requested number of samples per second; 0: none. */
unsigned tp_record_sample_rate(const struct tp_record_options *options);

/* Checks the names of sources. Returns 0, or TP_EUSAGE for an unknown source. */
int tp_record_check_names(const struct tp_record_options *options, const struct tp_source_rows *rows,
                          struct tp_error *err);

/* Return the values of TRACEPRESS_SOURCES (collector/sources.h) and TRACEPRESS_TORCH (collector/source/torch.py).
 * has_outside: samples are taken from outside, so the source "sample" is on only if it is named. */
const char *tp_record_source_words(const struct tp_record_options *options, bool has_outside, char *words, size_t size);
const char *tp_record_torch_words(const struct tp_record_options *options, char *words, size_t size);

/* Prints the table of sources on standard output. Returns 0, or -1 when this fails. why_not_outside: NULL, or why
 * recording from outside is impossible. */
int tp_record_print_sources(const struct tp_source_rows *rows, const char *why_not_outside);

#endif
