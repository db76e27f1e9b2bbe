/* Runs a fuzz target on files, without a fuzzing engine. `make test` runs the corpora with it. All targets are linked
 * into one program, and its name, replay_TARGET, selects one of them. The generated replay_targets.h has a line for
 * each target. Compiler options rename the entry function of each target to fuzz_TARGET. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int target_function(const uint8_t *data, size_t size);

#define TARGET(name) target_function fuzz_##name;
#include "replay_targets.h"
#undef TARGET

static const struct {
    const char *name;
    target_function *run;
} targets[] = {
#define TARGET(name) {"replay_" #name, fuzz_##name},
#include "replay_targets.h"
};

static target_function *find_target(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!strcmp(targets[i].name, name))
            return targets[i].run;
    return NULL;
}

int main(int argc, char **argv)
{
    target_function *run = find_target(argv[0]);
    if (!run) {
        fprintf(stderr, "%s: no target has this name\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || fseek(file, 0, SEEK_END))
            return 2;
        long size = ftell(file);
        rewind(file);
        uint8_t *data =
            /* allocates the exact size, so that a sanitizer reports reads beyond the end */
            size >= 0 ? malloc((size_t)size + (size == 0)) : NULL;
        if (!data || fread(data, 1, (size_t)size, file) != (size_t)size)
            return 2;
        fclose(file);
        if (run(data, (size_t)size)) {
            printf("%s: the target refused it\n", argv[i]);
            return 1;
        }
        free(data);
    }
    return 0;
}
