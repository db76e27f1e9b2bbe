#!/bin/sh
# check.sh: runs `tracepress check` with the inputs of the action, which are in variables TP_*. Writes the outputs to
# the folder $TP_OUTPUT, and adds the Markdown to the job's summary. Writes the exit code of the check to
# $GITHUB_OUTPUT, so that the outputs are uploaded before the job fails. The script itself fails only if there is
# nothing to upload.
set -eu
say() { printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"; }

program=${TP_PROGRAM:-}
if [ -z "$program" ]; then
    root=$(cd "$(dirname "$0")/../../.." && pwd)
    program=$root/build/release/tracepress
    [ -x "$program" ] || { (cd "$root" && sh tests/packages.sh build && make build/release/tracepress) >&2; }
fi
out=${TP_OUTPUT:-tracepress-out}
mkdir -p "$out"

# TP_TRACES is the only input that is a list. It is split at blanks, and the shell does not expand its patterns.
set -f
# shellcheck disable=SC2086
set -- ${TP_TRACES:?TP_TRACES names the traces}
set +f
traces=$*
set -- "$@" -o "$out/check.txt" --json "$out/check.json" --junit "$out/check.xml" --sarif "$out/check.sarif" \
    --markdown "$out/check.md" --badge "$out/badge.svg" --inconclusive "${TP_INCONCLUSIVE:-pass}" --color never
[ -z "${TP_BUDGET:-}" ] || set -- "$@" --budget "$TP_BUDGET"
[ -z "${TP_SOURCE_ROOT:-}" ] || set -- "$@" --source-root "$TP_SOURCE_ROOT"
if [ -n "${TP_BASELINE:-}" ]; then
    if [ "${TP_UPDATE_BASELINE:-false}" = true ]; then
        case $TP_BASELINE in
        *.tps) set -- "$@" --baseline "$TP_BASELINE" --update-baseline ;;
        *)
            set -- "$@" --baseline "$TP_BASELINE/" --update-baseline --label "${TP_LABEL:-run}"
            committed=$(git show -s --format=%ct --end-of-options "${TP_LABEL:-HEAD}^{commit}" 2>/dev/null || git show -s --format=%ct HEAD 2>/dev/null) || committed=
            [ -z "$committed" ] || set -- "$@" --committed "$committed"
            ;;
        esac
    elif [ -e "$TP_BASELINE" ]; then
        set -- "$@" --baseline "$TP_BASELINE"
    else
        echo "no baseline at $TP_BASELINE: limits against one are inconclusive"
    fi
fi

# The names of kernels, files and ranks in a trace can look like commands, so the runner must execute none from here on.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
trap 'echo "::$token::"' EXIT

code=0
"$program" check "$@" || code=$?
say code "$code"
if [ "$code" -gt 1 ] && [ "$code" != 6 ]; then # usage, no input: nothing was written (6: an input is damaged)
    say verdict error
    exit "$code"
fi
cat "$out/check.txt"
verdict=$(sed -n '1s/:.*//p' "$out/check.txt")
say verdict "$verdict"
cat "$out/check.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

if [ "${TP_REPORT:-true}" = true ]; then
    set -f
    # shellcheck disable=SC2086
    set -- $traces -o "$out/report.html" --quiet
    set +f
    [ ! -d "${TP_BASELINE:-}" ] || set -- "$@" --history "$TP_BASELINE"
    "$program" report "$@" || echo "the report could not be made"
fi
