#!/bin/sh
# names.sh FILE...: a base name names one file. Fails when two sources, or two headers, are called the same, whatever their
# folders.
awk '
BEGIN {
  for (i = 1; i < ARGC; i++) {
    base = ARGV[i]; sub(/.*\//, "", base)
    if (base in first) { print ARGV[i] ": there is " first[base] " already"; bad = 1 }
    else first[base] = ARGV[i]
  }
  exit bad
}' "$@"
