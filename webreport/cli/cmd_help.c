/* tracepress help [COMMAND]: the text of tracepress or of one command, as embedded from templates/help. */
#include <stdio.h>

#include "webreport/cli/cmd.h"
#include "writer/text/assets.h"

int tp_help_print(const char *command)
{
    struct tp_assets assets = {0}; /* built-in texts: no arena */
    struct tp_str text;
    char name[64];
    snprintf(name, sizeof name, "help/%.40s.txt", command);
    if (tp_assets_get(&assets, tp_str_of(name), &text, NULL) < 0) {
        fprintf(stderr, "tracepress: no help on \"%.60s\"; 'tracepress help' lists the commands\n", command);
        return TP_EXIT_USAGE;
    }
    fwrite(text.ptr, 1, text.len, stdout);
    return fflush(stdout) ? TP_EXIT_NO_OUTPUT : TP_EXIT_DONE;
}

int tp_cmd_help(int argc, char **argv)
{
    return tp_help_print(argc > 0 ? argv[0] : "tracepress");
}
