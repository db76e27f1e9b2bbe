/* Options of a command as a table of data.
 *
 * Accepted: --name value, --name=value, -o value, flags, operands between options, "--" to end the options. Operands
 * are paths. */
#ifndef TP_WEBREPORT_SESSION_OPT_H
#define TP_WEBREPORT_SESSION_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

enum tp_opt_type {
    TP_OPT_FLAG,   /* bool: true when given */
    TP_OPT_TEXT,   /* const char * */
    TP_OPT_MAYBE,  /* const char *: what stands behind =; "" where nothing does */
    TP_OPT_PATH,   /* const char *: of a file or folder, '/' between them */
    TP_OPT_SIZE,   /* uint64_t: bytes, with K, M or G (1024) */
    TP_OPT_INT,    /* int64_t: a whole number, may be negative */
    TP_OPT_CHOICE, /* int: position in choices */
    TP_OPT_LIST,   /* struct tp_opt_list: may be given several times */
};

enum { TP_OPT_LIST_MAX = 64 };

struct tp_opt_list {
    const char *items[TP_OPT_LIST_MAX];
    size_t count;
};

struct tp_opt {
    const char *name; /* without dashes; NULL ends the table */
    char letter;      /* '\0': none */
    enum tp_opt_type type;
    size_t offset;       /* of the field in the command's options struct */
    const char *choices; /* "inline|separate" for TP_OPT_CHOICE */
};

/* What every command is asked: the first member, `common`, of its options; a table ends with its rows. */
struct tp_opt_common {
    int color; /* enum tp_color */
    bool quiet, help;
};

#define TP_OPT_COMMON(options)                                                                                         \
    {"quiet", 'q', TP_OPT_FLAG, offsetof(options, common.quiet), NULL},                                                \
        {"color", 0, TP_OPT_CHOICE, offsetof(options, common.color), "auto|always|never"},                             \
        {"help", 'h', TP_OPT_FLAG, offsetof(options, common.help), NULL},                                              \
    {                                                                                                                  \
        NULL, 0, 0, 0, NULL                                                                                            \
    }

/* What every command is asked that reads traces: a member `read`, a struct tp_trace_options, of its options. */
#define TP_OPT_READING(options)                                                                                        \
    {"max-input", 0, TP_OPT_SIZE, offsetof(options, read.max_input_bytes), NULL},                                      \
        {"include", 0, TP_OPT_TEXT, offsetof(options, read.include), NULL},                                            \
    {                                                                                                                  \
        "strict", 0, TP_OPT_FLAG, offsetof(options, read.is_strict), NULL                                              \
    }

/* Fills `options` by the table; operands (not options) are moved to the front of argv and counted. Returns 0 or
 * TP_EUSAGE with one line that says what is wrong. argc and argv begin behind the command's name. */
int tp_opt_parse(const struct tp_opt *table, void *options, int argc, char **argv, size_t *operand_count,
                 struct tp_error *err);

/* Takes every --rule into `overrides`. Returns 0 or TP_EUSAGE with the reason. */
struct tp_rule_overrides;
int tp_opt_rules(struct tp_rule_overrides *overrides, const struct tp_opt_list *rules, struct tp_error *err);

/* Reads the file of --peaks into `file`, which must outlive `overrides` and gets it. path NULL: there is none. Returns
 * 0 or TP_EUSAGE, TP_ELIMIT, TP_ENOMEM with the reason. */
struct tp_peaks_file;
int tp_opt_peaks(struct tp_rule_overrides *overrides, struct tp_peaks_file *file, const char *path,
                 struct tp_error *err);

#endif
