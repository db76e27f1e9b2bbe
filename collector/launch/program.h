/* Examines the program before it runs: finds its file and whether a library can be preloaded into it. */
#ifndef TP_COLLECTOR_LAUNCH_PROGRAM_H
#define TP_COLLECTOR_LAUNCH_PROGRAM_H

#include <stdbool.h>

struct tp_program {
    char path[4096];       /* path that exec would use; "" if the program is not found */
    int error;             /* errno with which exec would fail; 0: none */
    bool is_elf;           /* true for an ELF file; false for a script or an unreadable file */
    const char *why_plain; /* reason in a few words why no library can be preloaded; NULL: it can be preloaded */
    bool passes_on;        /* true for a static program, which has a reason in why_plain, but whose children can get the
                            * library from its environment */
};

/* Looks `name` up as execvp does: in PATH unless it contains a slash. Also examines the interpreter of a script. */
void tp_program_find(struct tp_program *program, const char *name);

#endif
