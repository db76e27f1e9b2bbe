/* Refuses `record`, `recover`, `bench` and --convert on systems other than Linux, which have no collector and do not
 * start programs. On these systems, this file replaces cmd_record.c, nsys_convert.c and other files, and prints the
 * help texts of these commands. */
#include <stdio.h>
#include <string.h>

#include "webreport/cli/cmd.h"
#include "webreport/cli/nsys_convert.h"

static int print_unsupported(const char *command, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return tp_help_print(command);
    fprintf(stderr, "tracepress: %s works only on Linux; the other commands read traces on this system, too\n",
            command);
    return TP_EXIT_USAGE;
}

int tp_cmd_bench(int argc, char **argv)
{
    return print_unsupported("bench", argc, argv);
}

int tp_cmd_record(int argc, char **argv)
{
    return print_unsupported("record", argc, argv);
}

int tp_cmd_recover(int argc, char **argv)
{
    return print_unsupported("recover", argc, argv);
}

bool tp_nsys_convert_inputs(struct tp_nsys_conversion *conversion, char **inputs, size_t count, struct tp_arena *arena,
                            struct tp_console *console)
{
    (void)conversion, (void)inputs, (void)count, (void)arena;
    tp_console_error(console, "--convert works only on Linux; run `nsys export --type sqlite FILE`");
    return false;
}

void tp_nsys_conversion_release(struct tp_nsys_conversion *conversion)
{
    (void)conversion;
}
