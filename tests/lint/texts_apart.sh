#!/bin/sh
# texts_apart.sh FILE...: checks that only one file parses each kind of text. webreport/trace/frame.c parses frames,
# "path(line): function". webreport/trace/stack.c parses stacks (frames joined by ";"). Fails if another file of
# webreport searches for "): " or ';'. Any file may write such texts.
awk '
FILENAME ~ /(^|\/)webreport\/trace\/(frame|stack|decode_parts|read)\.[ch]$/ || FILENAME !~ /(^|\/)webreport\// { next }
{
  code = $0; sub(/\/\/.*/, "", code); sub(/\/\*.*/, "", code)
  if (code ~ /^ \*/) next
  if (code ~ /(find|starts|str(str|sep|tok|spn|cspn|ncmp)|sscanf|memmem|memcmp)[a-z_]*\([^"]*"[^"]*\): ?[^"]*"/ || code ~ /\[[^]]*\] [!=]= \x27\)\x27/)
    { print FILENAME ":" FNR ": use webreport/trace/frame.h to take a frame apart"; bad = 1 }
  if (code ~ /mem(r)?chr\([^;]*\x27;\x27/ || code ~ /strr?chr\([^;]*\x27;\x27/ || code ~ /\] [!=]= \x27;\x27/ || code ~ /(strsep|strtok|strtok_r|strcspn|strpbrk)\([^"]*";"/)
    { print FILENAME ":" FNR ": use webreport/trace/stack.h to take a stack apart"; bad = 1 }
}
END { exit bad }' "$@"
