#!/bin/sh
# one_of_many.sh SOURCE...: prints the header for one_of_many.c. The header has a line for each program, with the kind
# of its main.
for source in "$@"; do
    name=$(basename "$source" .c)
    if grep -q '^int main(void)' "$source"; then echo "PLAIN($name)"; else echo "PROGRAM($name)"; fi
done
