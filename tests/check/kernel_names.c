/* Reads mangled kernel names from standard input, one per line. For each, prints the demangled name, a tab, and the
 * name that the page shows. */
#include <stdio.h>
#include <string.h>

#include "webreport/document/name_text.h"

int main(void)
{
    static char line[1 << 17];
    while (fgets(line, sizeof line, stdin)) {
        struct tp_arena arena;
        struct tp_str name = {line, strcspn(line, "\n")}, plain = name, short_name = name;
        tp_arena_init(&arena, 0);
        if (setjmp(arena.guard) == 0) {
            plain = tp_kernel_plain_name(&arena, name);
            short_name = tp_kernel_short_name(&arena, name);
        }
        printf("%.*s\t%.*s\n", (int)plain.len, plain.ptr, (int)short_name.len, short_name.ptr);
        tp_arena_release(&arena);
    }
    return 0;
}
