#!/bin/sh
# Checks that every header compiles alone, and is the first include of the source with the same name.
status=0
for header in "$@"; do
    ${CC:-cc} -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -I. -fsyntax-only -x c "$header" || status=1
    source=${header%.h}.c
    [ -f "$source" ] || continue
    first=$(sed -n 's/^#include *\([<"].*[>"]\).*/\1/p' "$source" | head -n 1)
    [ "$first" = "\"$header\"" ] || { echo "$source: include \"$header\" first, not $first"; status=1; }
done
exit $status
