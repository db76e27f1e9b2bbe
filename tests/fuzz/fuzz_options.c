/* Parses arbitrary bytes as command-line arguments (one per line), as an override of a rule, and as the file name of a
 * trace. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "webreport/session/opt.h"
#include "webreport/trace/rundir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ARGUMENTS = 64 };

struct options {
    const char *text;
    uint64_t size;
    struct tp_opt_list list;
    int choice;
    bool flag;
};

static const struct tp_opt table[] = {
    {"output", 'o', TP_OPT_TEXT, offsetof(struct options, text), NULL},
    {"max-size", 0, TP_OPT_SIZE, offsetof(struct options, size), NULL},
    {"rule", 'r', TP_OPT_LIST, offsetof(struct options, list), NULL},
    {"color", 0, TP_OPT_CHOICE, offsetof(struct options, choice), "auto|always|never"},
    {"quiet", 'q', TP_OPT_FLAG, offsetof(struct options, flag), NULL},
    {NULL, 0, 0, 0, NULL},
};

static void abort_unless(bool good)
{
    if (!good)
        abort();
}

static void parse_words(char *text)
{
    char *argv[MAX_ARGUMENTS];
    struct options options = {0};
    struct tp_error err = {0};
    size_t operands = 0;
    int argc = 0;
    for (char *part; argc < MAX_ARGUMENTS && (part = strsep(&text, "\n")) != NULL;)
        argv[argc++] = part;
    int code = tp_opt_parse(table, &options, argc, argv, &operands, &err);
    abort_unless(code == 0 || (code == TP_EUSAGE && err.text[0] && !strchr(err.text, '\n')));
    abort_unless(operands <= (size_t)argc && options.list.count <= TP_OPT_LIST_MAX);
    abort_unless(options.choice >= 0 && options.choice < 3);
    for (size_t i = 0; code == 0 && i < options.list.count; i++)
        abort_unless(options.list.items[i] != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tp_str worker, time;
    char *text = malloc(size + 1);
    abort_unless(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    if (tp_rundir_split_file_name(text, &worker, &time)) {
        abort_unless(worker.ptr == text && worker.len < size);
        abort_unless(!time.ptr || (time.len > 0 && time.ptr > text && time.ptr + time.len < text + size));
    }
    parse_words(text);
    free(text);
    return 0;
}
