/* Examines the program before it runs: finds its file and whether a library can be preloaded into it. */
#ifndef TP_COLLECTOR_LAUNCH_PROGRAM_H
#define TP_COLLECTOR_LAUNCH_PROGRAM_H

#include <stdbool.h>

struct tp_program {
    char path[4096];       /* path of the file that exec would run; "" if the program is not found */
    int error;             /* errno with which exec would fail; 0: exec would not fail */
    bool is_elf;           /* true for an ELF file; false for a script or an unreadable file */
    const char *why_plain; /* short reason why no library can be preloaded; NULL: it can be preloaded */
    /* true for a static program, whose children can get the library from its environment; why_plain is set too */
    bool can_children_preload;
};

/* Finds the file of `name` as execvp does: in PATH, unless `name` contains a slash. Also examines the interpreter of a
 * script. */
void tp_program_find(struct tp_program *program, const char *name);

#endif
