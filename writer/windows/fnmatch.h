/* Patterns of names: see README.md. */
#ifndef TP_WRITER_WINDOWS_FNMATCH_H
#define TP_WRITER_WINDOWS_FNMATCH_H

#define FNM_NOMATCH 1
#define FNM_PERIOD 4 /* a leading '.' is matched by a '.' alone */

/* 0, or FNM_NOMATCH. `*`, `?`, `[..]` of bytes with `!` or `^` and ranges, `\`. */
int fnmatch(const char *pattern, const char *name, int flags);

#endif
