/* Parses the options of a command by a table that describes them.
 *
 * Accepted forms are --name value, --name=value, -o value and flags. Operands, which are paths, may come between
 * options. All arguments after "--" are operands. */
#ifndef TP_WEBREPORT_SESSION_OPT_H
#define TP_WEBREPORT_SESSION_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "writer/base/error.h"
#include "writer/base/opt_list.h"

enum tp_opt_type {
    TP_OPT_FLAG,          /* field of type bool: true if the option is given */
    TP_OPT_TEXT,          /* field of type const char * */
    TP_OPT_OPTIONAL_TEXT, /* field of type const char *: the text after '='; "" without '=' */
    TP_OPT_PATH,          /* field of type const char *: path of a file or folder, with '/' between its parts */
    TP_OPT_SIZE,          /* field of type uint64_t: size in bytes; the text may end with K, M or G (powers of 1024) */
    TP_OPT_INT,           /* field of type int64_t: a whole number, which can be negative */
    TP_OPT_CHOICE,        /* field of type int: index of the value in the list `choices` */
    TP_OPT_LIST,          /* field of type struct tp_opt_list, for an option that may be given several times */
};

struct tp_opt {
    const char *name; /* name without dashes; NULL in the last row of the table */
    char letter;      /* letter of the short form; '\0' if none exists */
    enum tp_opt_type type;
    size_t offset;       /* offset of the option's field in the command's options struct, bytes */
    const char *choices; /* TP_OPT_CHOICE: the allowed values, such as "inline|separate" */
};

/* Options of every command. They are the first member, `common`, of the command's options struct, and TP_OPT_COMMON
 * adds their rows at the end of its table. */
struct tp_opt_common {
    int color; /* when to use color, enum tp_color_choice */
    bool quiet, help;
};

#define TP_OPT_COMMON(options)                                                                                         \
    {"quiet", 'q', TP_OPT_FLAG, offsetof(options, common.quiet), NULL},                                                \
        {"color", 0, TP_OPT_CHOICE, offsetof(options, common.color), "auto|always|never"},                             \
        {"help", 'h', TP_OPT_FLAG, offsetof(options, common.help), NULL},                                              \
    {                                                                                                                  \
        NULL, 0, 0, 0, NULL                                                                                            \
    }

/* Table row of the option --map, for commands that join graphs with captures. The command's options struct needs the
 * same member as for TP_OPT_READING. */
#define TP_OPT_MAP(options)                                                                                            \
    {                                                                                                                  \
        "map", 0, TP_OPT_LIST, offsetof(options, read.map_paths), NULL                                                 \
    }

/* Table rows of the options for reading traces. The command's options struct needs a member `read` of type struct
 * tp_trace_options. */
#define TP_OPT_READING(options)                                                                                        \
    {"max-input", 0, TP_OPT_SIZE, offsetof(options, read.max_input_bytes), NULL},                                      \
        {"include", 0, TP_OPT_TEXT, offsetof(options, read.include), NULL},                                            \
    {                                                                                                                  \
        "strict", 0, TP_OPT_FLAG, offsetof(options, read.is_strict), NULL                                              \
    }

/* Table row of the option for artifacts of torch.compile. The command's options struct needs a member `read` of type
 * struct tp_trace_options. */
#define TP_OPT_COMPILE(options)                                                                                        \
    {                                                                                                                  \
        "compile-log", 0, TP_OPT_LIST, offsetof(options, read.compile_logs), NULL                                      \
    }

/* Table rows of the options for inputs of other profilers. The command's options struct needs a member `read` of type
 * struct tp_trace_options. */
#define TP_OPT_PARTS(options)                                                                                          \
    {"process", 0, TP_OPT_TEXT, offsetof(options, read.process), NULL},                                                \
    {                                                                                                                  \
        "step-range", 0, TP_OPT_TEXT, offsetof(options, read.step_range), NULL                                         \
    }

/* Parses arguments by the table and fills `options`. Moves the operands (arguments that are not options) to the front
 * of argv. *operand_count: number of operands. argc, argv: the arguments after the command's name. Returns 0, or
 * TP_EUSAGE with a text that explains the mistake. */
int tp_opt_parse(const struct tp_opt *table, void *options, int argc, char **argv, size_t *operand_count,
                 struct tp_error *err);

/* Adds the values of all --rule options to `overrides`. Returns 0, or TP_EUSAGE with the reason. */
struct tp_rule_overrides;
int tp_opt_parse_rules(struct tp_rule_overrides *overrides, const struct tp_opt_list *rules, struct tp_error *err);

/* Reads the file of the option --peaks into `file`, and makes `overrides` point to it, so that `file` must live as long
 * as `overrides`. path: NULL without the option. Returns 0, or TP_EUSAGE, TP_ELIMIT or TP_ENOMEM with the reason. */
struct tp_peaks_file;
int tp_opt_parse_peaks(struct tp_rule_overrides *overrides, struct tp_peaks_file *file, const char *path,
                       struct tp_error *err);

#endif
