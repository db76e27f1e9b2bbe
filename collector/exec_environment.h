/* Builds the environment of programs that a recorded process starts or becomes, so that they are recorded too. Without
 * this module, `env -i program` and `LD_PRELOAD=other.so program` in a script would lose the recorder.
 *
 * The program's variables are not changed. LD_PRELOAD gets our library as its first entry, and the variables that
 * `tracepress record` has set are added again. The library is left out if the loader could not load it and would print
 * an error. This is the case under another root, without read permission, in a confined program, and for a program
 * with a sanitizer or another C library. All functions may be called between vfork and exec. They allocate nothing,
 * take no lock, and write only to the caller's memory. */
#ifndef TP_COLLECTOR_EXEC_ENVIRONMENT_H
#define TP_COLLECTOR_EXEC_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

/* Stores the environment with which this process was started. The constructor of the library calls this function.
 * Before this call, environments are not changed. library: path of the preload library, borrowed; NULL: environments
 * are not changed from now on. */
void tp_exec_set_library(const char *library);

/* Appends the line "PID MARK TEXT", without spaces around the mark, to the run's file `entered.tmp`, which explains
 * empty recordings (collector/launch/no_records.h). Writes the line in one call, so that lines of concurrent processes
 * do not mix. Ignores errors. */
void tp_exec_append_to_run_notes(const char *folder, char mark, const char *text);

/* The program that this process becomes or starts. */
struct tp_exec_program {
    const char *name; /* name as the program passed it; NULL: the program is the file `fd` */
    bool is_searched; /* true if a name without a slash is searched in PATH */
    int fd;           /* descriptor of the file, or of the folder for relative names; AT_FDCWD: the current folder */
};

/* Writes the path of the program to the run's file `entered.tmp`. Returns whether the library can be preloaded into the
 * program. Also returns true if the program cannot be found or read, because then only the loader can find the
 * answer. */
bool tp_exec_report_unfit_program(const struct tp_exec_program *program);

/* Returns the size in bytes of the memory that tp_exec_build_environment needs for this environment; 0: the environment
 * needs no change. given: may be NULL. */
size_t tp_exec_environment_bytes(char *const *given);

/* Builds the new environment in `room`: pointers to the given variables and to the variables of `record`, then the text
 * of LD_PRELOAD. Returns NULL if the environment needs no change. fits: result of tp_exec_report_unfit_program; if it
 * is false, the library is left out. */
char **tp_exec_build_environment(char *const *given, bool fits, void *room);

#endif
