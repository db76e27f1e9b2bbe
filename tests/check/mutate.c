/* mutate SEED < IN > OUT: changes the input at a few random places. Equal seeds make equal changes. Such inputs find
 * unexpected faults. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed;

static size_t random_below(size_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return n ? (size_t)(seed % n) : 0;
}

/* Replaces `old` bytes at `at` by `text`. Returns the new size. The buffer must be large enough. */
static size_t replace_bytes_with_text(char *bytes, size_t size, size_t at, size_t old, const char *text)
{
    size_t length = strlen(text);
    old = old > size - at ? size - at : old;
    memmove(bytes + at + length, bytes + at + old, size - at - old);
    memcpy(bytes + at, text, length);
    return size - old + length;
}

int main(int argc, char **argv)
{
    static const char *const snippets[] = {"\"",
                                           "{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           ":",
                                           "-",
                                           "\\",
                                           "0",
                                           "null",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "1e308",
                                           "\xff",
                                           "\n",
                                           "NaN",
                                           "\"ph\":\"X\"",
                                           "\"dur\":-5",
                                           "\"ts\":1e30",
                                           "\"tid\":\"stream 7\"",
                                           "[[[[[[[[",
                                           "}}}}",
                                           "\\u0000",
                                           "1.0000000000000001"};
    enum { SNIPPETS = sizeof snippets / sizeof *snippets };
    size_t size = 0, capacity = 1 << 20;
    char *bytes = malloc(capacity + 4096);
    seed = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 0x9E3779B97F4A7C15ull + 1;
    while (bytes) {
        size += fread(bytes + size, 1, capacity - size, stdin);
        if (size < capacity)
            break;
        bytes = realloc(bytes, (capacity *= 2) + 4096);
    }
    if (!bytes)
        return 2;
    for (size_t edits = 1 + random_below(6); edits > 0; edits--) {
        size_t at = random_below(size);
        switch (random_below(5)) {
        case 0:
            size = replace_bytes_with_text(bytes, size, at, 1, snippets[random_below(SNIPPETS)]);
            break;
        case 1:
            size = replace_bytes_with_text(bytes, size, at, 0, snippets[random_below(SNIPPETS)]);
            break;
        case 2:
            size = replace_bytes_with_text(bytes, size, at, random_below(40), "");
            break;
        case 3:
            size = random_below(20) ? size : at;
            break;
        default:
            if (size)
                bytes[at] ^= (char)(1 << random_below(8));
        }
    }
    fwrite(bytes, 1, size, stdout);
    free(bytes);
    return 0;
}
