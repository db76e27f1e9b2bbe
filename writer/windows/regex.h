/* Implements extended regular expressions with TRE: see README.md. */
#ifndef TP_WRITER_WINDOWS_REGEX_H
#define TP_WRITER_WINDOWS_REGEX_H

#include <stddef.h>
#include <tre/tre.h>

#define REG_STARTEND 4

#define regcomp tre_regcomp
#define regfree tre_regfree

/* Matches a text. With REG_STARTEND, matches only the text from parts[0].rm_so to parts[0].rm_eo, as in glibc. */
static inline int regexec(const regex_t *compiled, const char *text, size_t count, regmatch_t *parts, int flags)
{
    if (!(flags & REG_STARTEND))
        return tre_regexec(compiled, text, count, parts, flags);
    const char *start = text + parts[0].rm_so;
    return tre_regnexec(compiled, start, (size_t)(parts[0].rm_eo - parts[0].rm_so), 0, NULL, flags & ~REG_STARTEND);
}

#endif
