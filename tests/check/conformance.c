/* conformance FILE..: prints a line `strict accept|refuse tolerant 0|negative status FILE` for each file. The line
 * contains the verdict of the strict validator and the result of the tolerant reader, which must return for any
 * file. */
#include <stdio.h>
#include <stdlib.h>

#include "webreport/trace/json/strict.h"
#include "webreport/trace/trace.h"

static int is_accepted(const char *bytes, size_t size)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    return tp_strict_feed(&strict, bytes, size, NULL) == 0 && tp_strict_end(&strict, NULL) == 0;
}

/* Validates the text byte by byte. The result must not depend on how the text is split. */
static int is_accepted_bytewise(const char *bytes, size_t size)
{
    struct tp_strict strict;
    tp_strict_init(&strict);
    for (size_t i = 0; i < size; i++)
        if (tp_strict_feed(&strict, bytes + i, 1, NULL) != 0)
            return 0;
    return tp_strict_end(&strict, NULL) == 0;
}

static int read_tolerantly(const char *bytes, size_t size)
{
    struct tp_arena arena;
    struct tp_trace trace;
    struct tp_trace_options options = {.single_thread = true};
    tp_arena_init(&arena, 0);
    if (setjmp(arena.guard)) {
        tp_arena_release(&arena);
        return arena.code;
    }
    int code = tp_trace_read_bytes(&trace, &arena, bytes, size, &options, NULL);
    tp_arena_release(&arena);
    return code;
}

int main(int argc, char **argv)
{
    static char bytes[1 << 20];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file)
            return 2;
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        /* allocates the exact size, so that a sanitizer reports reads beyond the end */
        char *exact = malloc(size ? size : 1);
        if (!exact)
            return 2;
        for (size_t k = 0; k < size; k++)
            exact[k] = bytes[k];
        int accepted = is_accepted(exact, size);
        if (accepted != is_accepted_bytewise(exact, size))
            printf("strict differs when fed bytewise: %s\n", argv[i]);
        printf("strict %s tolerant %d %s\n", accepted ? "accept" : "refuse", read_tolerantly(exact, size), argv[i]);
        fflush(stdout);
        free(exact);
    }
    return 0;
}
