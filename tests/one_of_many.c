/* Runs one of the programs that are linked into this file. The program is selected by the name by which this file is
 * called, or by the first argument. Without either, prints the names of all programs.
 *
 * PROGRAMS is a generated header with a line for each program; PLAIN means that its main has no arguments. The main of
 * each program was renamed to NAME_main when it was compiled. */
#include <stdio.h>
#include <string.h>

#define PROGRAM(name) int name##_main(int argc, char **argv);
#define PLAIN(name) int name##_main(void);
#include PROGRAMS
#undef PROGRAM
#undef PLAIN

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    int (*run_plain)(void);
} programs[] = {
#define PROGRAM(name) {#name, name##_main, NULL},
#define PLAIN(name) {#name, NULL, name##_main},
#include PROGRAMS
};

enum { COUNT = sizeof programs / sizeof *programs };

static int find(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (int i = 0; i < COUNT; i++)
        if (!strcmp(programs[i].name, name))
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    int at = argc > 0 ? find(argv[0]) : -1;
    if (at < 0 && argc > 1 && (at = find(argv[1])) >= 0) {
        argc--;
        argv++;
    }
    if (at >= 0)
        return programs[at].run ? programs[at].run(argc, argv) : programs[at].run_plain();
    for (int i = 0; i < COUNT; i++)
        puts(programs[i].name);
    return 2;
}
