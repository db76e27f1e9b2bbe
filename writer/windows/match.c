/* Patterns of names: see fnmatch.h. A star that did not fit takes one byte more; only the last one need be tried. */
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether a set, which begins behind its '[', holds the byte; *end: behind its ']'. A set without an end is none. */
static bool is_in_set(const char *set, unsigned char byte, const char **end)
{
    bool is_without = *set == '!' || *set == '^', has = false;
    const char *at = set + is_without;
    for (bool is_first = true; *at && (*at != ']' || is_first); is_first = false) {
        at += *at == '\\' && at[1];
        unsigned char low = (unsigned char)*at++, high = low;
        if (*at == '-' && at[1] && at[1] != ']') {
            at += 1 + (at[1] == '\\' && at[2]);
            high = (unsigned char)*at++;
        }
        has |= byte >= low && byte <= high;
    }
    *end = *at ? at + 1 : NULL;
    return has != is_without;
}

/* Whether the first thing of a pattern, no star, fits the byte; *pattern: behind it. */
static bool fits(const char **pattern, char byte)
{
    const char *at = *pattern, *end = NULL;
    if (*at == '[') {
        bool is_in = is_in_set(at + 1, (unsigned char)byte, &end);
        *pattern = end ? end : at + 1;
        return end ? is_in : byte == '[';
    }
    bool is_any = *at == '?';
    at += *at == '\\' && at[1];
    *pattern = at + (*at != '\0');
    return is_any || (*at && *at == byte);
}

int fnmatch(const char *pattern, const char *name, int flags)
{
    const char *star = NULL, *from = NULL;
    if (flags & FNM_PERIOD && *name == '.' && *pattern != '.' && !(*pattern == '\\' && pattern[1] == '.'))
        return FNM_NOMATCH;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (fits(&pattern, *name)) {
            name++;
        } else if (star) {
            pattern = star;
            name = ++from;
        } else {
            return FNM_NOMATCH;
        }
    }
    pattern += strspn(pattern, "*");
    return *pattern ? FNM_NOMATCH : 0;
}
