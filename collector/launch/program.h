/* Examines the program before it runs: where it is, and whether a library can be preloaded into it. */
#ifndef TP_COLLECTOR_LAUNCH_PROGRAM_H
#define TP_COLLECTOR_LAUNCH_PROGRAM_H

#include <stdbool.h>

struct tp_program {
    char path[4096];       /* path that exec would use; "" if none exists */
    int error;             /* 0, or the errno that exec would give */
    bool is_elf;           /* false: a script, or an unreadable file */
    const char *why_plain; /* NULL, or in a few words why no library can be preloaded */
    bool passes_on;        /* with why_plain: a static program whose children can get the library from its
                            * environment */
};

/* Looks `name` up as execvp does: in PATH unless it contains a slash. Also examines the interpreter of a script. */
void tp_program_find(struct tp_program *program, const char *name);

#endif
