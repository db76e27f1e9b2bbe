/* What PROGRAM is, before it runs: where it is found, and whether a library can be preloaded into it. */
#ifndef TP_COLLECTOR_LAUNCH_PROGRAM_H
#define TP_COLLECTOR_LAUNCH_PROGRAM_H

#include <stdbool.h>

struct tp_program {
    char path[4096];       /* what exec would take; "" when there is none */
    int error;             /* 0, or the errno exec would give */
    bool is_elf;           /* false: a script, or something that cannot be read */
    const char *why_plain; /* NULL, or why no library can be preloaded into it: a few words */
    bool passes_on;        /* why_plain is set, but what it starts can take the library from its environment: static */
};

/* Looks `name` up as execvp does: in PATH unless it has a slash. For a script the interpreter is looked at, too. */
void tp_program_find(struct tp_program *program, const char *name);

#endif
