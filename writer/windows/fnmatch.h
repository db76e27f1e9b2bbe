/* Matches names against patterns: see README.md. */
#ifndef TP_WRITER_WINDOWS_FNMATCH_H
#define TP_WRITER_WINDOWS_FNMATCH_H

#define FNM_NOMATCH 1
#define FNM_PERIOD 4 /* with this flag, only a '.' of the pattern matches a leading '.' */

/* Returns 0 or FNM_NOMATCH. Supports `*`, `?`, `[..]` of bytes with `!` or `^` and ranges, and `\`. */
int fnmatch(const char *pattern, const char *name, int flags);

#endif
