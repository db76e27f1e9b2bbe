/* Parses the options of a command. A table of data describes them.
 *
 * Accepted forms: --name value, --name=value, -o value, flags, operands between options, and "--" after the last
 * option. Operands are paths. */
#ifndef TP_WEBREPORT_SESSION_OPT_H
#define TP_WEBREPORT_SESSION_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"

enum tp_opt_type {
    TP_OPT_FLAG,   /* field of type bool, which is true if the option is given */
    TP_OPT_TEXT,   /* field of type const char * */
    TP_OPT_MAYBE,  /* field of type const char *: the text after '=', or "" without '=' */
    TP_OPT_PATH,   /* field of type const char *: path of a file or folder, with '/' between its parts */
    TP_OPT_SIZE,   /* field of type uint64_t: a number of bytes, with the units K, M and G (powers of 1024) */
    TP_OPT_INT,    /* field of type int64_t: a whole number, which may be negative */
    TP_OPT_CHOICE, /* field of type int: index of the value in `choices` */
    TP_OPT_LIST,   /* field of type struct tp_opt_list: the option may be given several times */
};

enum { TP_OPT_LIST_MAX = 64 };

struct tp_opt_list {
    const char *items[TP_OPT_LIST_MAX];
    size_t count;
};

struct tp_opt {
    const char *name; /* name without dashes; NULL marks the last entry of the table */
    char letter;      /* letter of the short form; '\0' without a short form */
    enum tp_opt_type type;
    size_t offset;       /* offset of the option's field in the options struct of the command */
    const char *choices; /* values of a TP_OPT_CHOICE, such as "inline|separate" */
};

/* The options that every command has. They are the first member, `common`, of the options struct of a command. Their
 * rows are at the end of each table. */
struct tp_opt_common {
    int color; /* value of enum tp_color */
    bool quiet, help;
};

#define TP_OPT_COMMON(options)                                                                                         \
    {"quiet", 'q', TP_OPT_FLAG, offsetof(options, common.quiet), NULL},                                                \
        {"color", 0, TP_OPT_CHOICE, offsetof(options, common.color), "auto|always|never"},                             \
        {"help", 'h', TP_OPT_FLAG, offsetof(options, common.help), NULL},                                              \
    {                                                                                                                  \
        NULL, 0, 0, 0, NULL                                                                                            \
    }

/* The rows of options that every command has that reads traces. The options struct needs a member `read`, a struct
 * tp_trace_options. */
#define TP_OPT_READING(options)                                                                                        \
    {"max-input", 0, TP_OPT_SIZE, offsetof(options, read.max_input_bytes), NULL},                                      \
        {"include", 0, TP_OPT_TEXT, offsetof(options, read.include), NULL},                                            \
    {                                                                                                                  \
        "strict", 0, TP_OPT_FLAG, offsetof(options, read.is_strict), NULL                                              \
    }

/* Fills `options` according to the table. Moves the operands (arguments that are not options) to the front of argv, and
 * counts them. argc and argv begin after the command's name. Returns 0, or TP_EUSAGE with a message that explains the
 * mistake. */
int tp_opt_parse(const struct tp_opt *table, void *options, int argc, char **argv, size_t *operand_count,
                 struct tp_error *err);

/* Adds every value of --rule to `overrides`. Returns 0, or TP_EUSAGE with the reason. */
struct tp_rule_overrides;
int tp_opt_rules(struct tp_rule_overrides *overrides, const struct tp_opt_list *rules, struct tp_error *err);

/* Reads the file of --peaks into `file`, and refers to it in `overrides`; `file` must outlive `overrides`. path: NULL
 * without the option. Returns 0, or TP_EUSAGE, TP_ELIMIT or TP_ENOMEM with the reason. */
struct tp_peaks_file;
int tp_opt_peaks(struct tp_rule_overrides *overrides, struct tp_peaks_file *file, const char *path,
                 struct tp_error *err);

#endif
