#!/bin/sh
# names.sh FILE...: checks that file names are unique. Fails if two sources, or two headers, in different folders have
# the same name.
awk '
BEGIN {
  for (i = 1; i < ARGC; i++) {
    base = ARGV[i]; sub(/.*\//, "", base)
    if (base in first) { print ARGV[i] ": there is " first[base] " already"; bad = 1 }
    else first[base] = ARGV[i]
  }
  exit bad
}' "$@"
