/* Parses the options of a command, which are a table of data.
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
    TP_OPT_MAYBE,  /* const char *: the text after '='; "" without '=' */
    TP_OPT_PATH,   /* const char *: path of a file or folder, with '/' between its parts */
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
    size_t offset;       /* offset of the field in the command's options struct */
    const char *choices; /* "inline|separate" for TP_OPT_CHOICE */
};

/* The options of every command: the first member, `common`, of its options struct. Its rows end each table. */
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

/* The options of every command that reads traces: a member `read`, a struct tp_trace_options, of its options struct. */
#define TP_OPT_READING(options)                                                                                        \
    {"max-input", 0, TP_OPT_SIZE, offsetof(options, read.max_input_bytes), NULL},                                      \
        {"include", 0, TP_OPT_TEXT, offsetof(options, read.include), NULL},                                            \
    {                                                                                                                  \
        "strict", 0, TP_OPT_FLAG, offsetof(options, read.is_strict), NULL                                              \
    }

/* Fills `options` according to the table, moves the operands (arguments that are not options) to the front of argv and
 * counts them. argc and argv begin after the command's name. Returns 0, or TP_EUSAGE with a line that explains what is
 * wrong. */
int tp_opt_parse(const struct tp_opt *table, void *options, int argc, char **argv, size_t *operand_count,
                 struct tp_error *err);

/* Adds every --rule to `overrides`. Returns 0 or TP_EUSAGE with the reason. */
struct tp_rule_overrides;
int tp_opt_rules(struct tp_rule_overrides *overrides, const struct tp_opt_list *rules, struct tp_error *err);

/* Reads the file of --peaks into `file` and sets it in `overrides`, which `file` must outlive. path NULL: no such
 * option. Returns 0, or TP_EUSAGE, TP_ELIMIT, TP_ENOMEM with the reason. */
struct tp_peaks_file;
int tp_opt_peaks(struct tp_rule_overrides *overrides, struct tp_peaks_file *file, const char *path,
                 struct tp_error *err);

#endif
