#!/bin/sh
# frozen.sh TRACEPRESS OUT [KNOWN]: writes to OUT the SHA-256 of every output of TRACEPRESS for all bundled traces, and
# for those in ../shared/data if it exists.
#
# OUT has a line "SHA-256 COMMAND INPUT" for each of report (page, JSON, Markdown), table, export (each format),
# summarize, diff and check. With KNOWN, an earlier OUT, prints the lines that differ, and fails if there are any. A
# change that only moves or renames code must not change any byte. JOBS=n processes n inputs in parallel. ONLY=pattern
# selects the inputs whose path contains it.
set -u
program=$(realpath "$1") out=$2 known=${3:-}
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

inputs() {
    find tests/data/run tests/data/ddp -type d
    find tests/data/traces tests/data/diff tests/data/run tests/data/ddp -name '*.json' -o -name '*.json.gz'
    [ -d ../shared/data ] || return 0
    find ../shared/data/traces ../shared/data/torch ../shared/data/advice ../shared/data/truth ../shared/data/reports \
        ../shared/data/faults ../shared/data/inputs -name '*.json' -o -name '*.json.gz'
}

cat >"$work/one.sh" <<'ONE'
program=$1 input=$2 folder=$(mktemp -d "$3/XXXXXX")
sum() { # sum COMMAND LINE: prints the checksum of exit code, standard output and error of a command
    name=$1; shift
    { timeout 120 "$program" "$@" 2>&1; echo "exit $?"; } | sed "s,$folder,FOLDER,g" | sha256sum | sed "s,-\$,$name $input,"
}
files() { # files NAME: prints the checksum of every file below the folder
    find "$folder" -type f | LC_ALL=C sort | while read -r file; do
        echo "${file#"$folder"}"; case $file in *.gz) gzip -dc "$file" ;; *) cat "$file" ;; esac
    done 2>/dev/null | sed "s,$folder,FOLDER,g" | sha256sum | sed "s,-\$,$1 $input,"
    find "$folder" -mindepth 1 -delete
}
sum "report:terminal" report "$input" -o "$folder/r.html" --json "$folder/r.json" --markdown "$folder/r.md" --quiet
for kind in html json md; do
    [ -f "$folder/r.$kind" ] && sha256sum <"$folder/r.$kind" | sed "s,-\$,report:$kind $input,"
done
find "$folder" -mindepth 1 -delete
sum "check" check "$input"
sum "check:json" check "$input" --json - --quiet
sum "table" table "$input"
sum "table:json" table "$input" --format json
for format in chrome csv folded firefox flamegraph memory-flow speedscope sqlite pprof pstats tfevents xplane; do
    sum "export:$format:terminal" export "$input" --to $format -o "$folder/out" --quiet
    files "export:$format"
done
sum "summarize:terminal" summarize "$input" -o "$folder/s.tps" --quiet
[ -f "$folder/s.tps" ] && sum "report:summary" report "$folder/s.tps" -o "$folder/j.html" --json "$folder/j.json" --markdown "$folder/j.md" --quiet
files "summarize"
for base in tests/data/diff/*base*.gz; do
    [ -f "$base" ] || continue
    sum "diff:$(basename "$base")" diff "$base" "$input" --json - --quiet
done
rm -rf "$folder"
ONE

inputs | grep -F -- "${ONLY:-}" | LC_ALL=C sort | tr '\n' '\0' |
    xargs -0 -P "${JOBS:-2}" -I{} sh "$work/one.sh" "$program" {} "$work" >"$work/all"
LC_ALL=C sort -k 2 "$work/all" >"$out"
echo "$(wc -l <"$out") outputs of $(inputs | grep -cF -- "${ONLY:-}") inputs"
[ -n "$known" ] || exit 0
if diff "$known" "$out" >"$work/changed"; then echo "all bytes equal"; else cat "$work/changed"; exit 1; fi
