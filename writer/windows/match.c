/* Matches names against patterns: see fnmatch.h. After a mismatch only the last star is extended by one byte. */
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns whether a set contains the byte. set: the text after its '['. Sets *end to the position after its ']', or to
 * NULL if the set has no end. */
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

/* Returns whether the first element of a pattern, which is not a star, matches the byte. Moves *pattern behind the
 * element. */
static bool is_element_match(const char **pattern, char byte)
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
        } else if (is_element_match(&pattern, *name)) {
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
