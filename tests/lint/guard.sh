#!/bin/sh
# guard.sh FILE...: checks that failed allocations are caught in one place. Fails if a file other than
# writer/base/arena.* uses setjmp, longjmp or jmp_buf. Comments may name these functions.
awk '
FNR == 1 { comment = 0 }
{
  line = $0; code = ""
  while (line != "") {
    if (comment) {
      at = index(line, "*/")
      if (!at) break
      comment = 0; line = substr(line, at + 2)
    } else {
      at = index(line, "/*"); rest = index(line, "//")
      if (rest && (!at || rest < at)) { code = code substr(line, 1, rest - 1); break }
      if (!at) { code = code line; break }
      code = code substr(line, 1, at - 1) " "; comment = 1; line = substr(line, at + 2)
    }
  }
  if (FILENAME ~ /(^|\/)writer\/base\/arena\.[ch]$/) next
  if (code ~ /(^|[^A-Za-z0-9_])_*(sigsetjmp|siglongjmp|setjmp|longjmp|(sig)?jmp_buf)([^A-Za-z0-9_]|$)/) {
    print FILENAME ":" FNR ": only writer/base/arena.c catches a failed allocation: use tp_arena_run"
    bad = 1
  }
}
END { exit bad }' "$@"
