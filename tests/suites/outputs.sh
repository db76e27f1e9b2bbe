# Tests that output is either complete or absent: killed writers, full disks, closed pipes, unusual targets.
. tests/suites/case.sh
trace=$DATA/traces/gpu_2024.pt.trace.json.gz
SHIM=$BUILD/fail_nth.so
cd "$WORK" || exit 1

exits() { # exits STATUS COMMAND...: runs the command and compares its exit code
    want=$1
    shift
    "$@" >stdout 2>stderr
    got=$?
    [ "$got" = "$want" ] && { [ "$want" = 0 ] || grep -q . stderr; } && return 0
    echo "exit $got, wanted $want"
    tail -n 5 stderr
    return 1
}
# at_each SIGNAL STATUS COMMAND...: runs the command, which writes to the file end. Sends the signal before each call
# that writes, syncs, names or opens a file, in turn. The file must be the old one or the new one, and both must occur
at_each() {
    signal=$1 wanted=$2
    shift 2
    old=0 whole=0 n=1 total=1
    while [ $n -le "$total" ]; do
        rm -rf end && mkdir end && echo old >end/report.html
        env FAIL_KIND=output FAIL_AT=0 FAIL_COUNT="$WORK/count" LD_PRELOAD="$SHIM" "$@" 2>stderr || { cat stderr; return 1; }
        total=$(cat count)
        [ -e good.html ] || cp end/report.html good.html
        echo old >end/report.html
        env FAIL_KIND=output FAIL_AT=$n FAIL_SIGNAL="$signal" LD_PRELOAD="$SHIM" "$@" 2>stderr
        status=$?
        [ $status = "$wanted" ] || { echo "call $n of $total: status $status"; cat stderr; return 1; }
        if cmp -s end/report.html good.html; then
            whole=$((whole + 1))
        elif [ "$(cat end/report.html)" = old ]; then
            old=$((old + 1))
        else
            echo "call $n of $total: half a file"
            return 1
        fi
        # a command killed while it renames may leave a temporary file, which the next run removes
        [ "$signal" != 9 ] || "$@" 2>stderr || return 1
        left=$(ls -A end | grep -vx report.html)
        [ -z "$left" ] || { echo "call $n of $total: left behind: $left"; return 1; }
        n=$((n + 1))
    done
    echo "$total calls: $old old, $whole new"
    [ $old -gt 0 ] && [ $whole -gt 0 ]
}
ended_by() { # ended_by SIGNAL STATUS: checks the exit code after the signal
    rm -f good.html
    at_each "$1" "$2" "$TP" report "$trace" -o end/report.html --quiet
}
small_disk() { # Mounts a file system of 64 KB.
    mkdir -p disk
    mount -t tmpfs -o size=64k none disk 2>/dev/null || { echo cannot; return 77; }
    echo old >disk/report.html
    "$TP" report "$trace" -o disk/report.html >stdout 2>stderr
    status=$?
    content=$(head -c 100 disk/report.html)
    files=$(ls -A disk)
    umount disk
    [ "$status" = 4 ] && [ "$content" = old ] && [ "$files" = report.html ] && grep -q . stderr && return 0
    echo "exit $status, files: $files"
    return 1
}
file_size_limit() {
    rm -rf limit && mkdir limit && echo old >limit/report.html
    (ulimit -f 16 && exits 4 "$TP" report "$trace" -o limit/report.html) || return 1
    [ "$(cat limit/report.html)" = old ] && [ "$(ls -A limit)" = report.html ]
}
unwritable() {
    rm -rf closed && mkdir closed && chmod 555 closed
    exits 4 "$TP" report "$trace" -o closed/report.html
}
closed_stdout() {
    { "$TP" report "$trace" -o /dev/null --json - --quiet 2>stderr; echo $? >status; } | head -c 1 >/dev/null
    case $(cat status) in 0 | 4) [ "$(wc -l <stderr)" -le 2 ] ;; *) echo "exit $(cat status)"; return 1 ;; esac
}
never_open_stdout() {
    "$TP" report "$trace" -o - >&- 2>stderr
    status=$?
    [ $status = 4 ] || { echo "exit $status, wanted 4"; cat stderr; return 1; }
}
through_symlink() {
    rm -rf link && mkdir link && echo old >link/real.html && ln -s real.html link/report.html
    exits 0 "$TP" report "$trace" -o link/report.html --quiet || return 1
    [ -L link/report.html ] && grep -q '<html' link/real.html
}
into_directory() {
    rm -rf folder && mkdir folder
    exits 0 "$TP" report "$trace" -o folder --quiet && grep -q '<html' folder/report.html
}
output_is_input() {
    cp "$trace" same.pt.trace.json.gz
    "$TP" report same.pt.trace.json.gz -o same.pt.trace.json.gz --quiet 2>stderr
    status=$?
    cmp -s "$trace" same.pt.trace.json.gz && [ $status = 2 ] && return 0
    echo "exit $status; the input was overwritten or no usage error"
    return 1
}
one_bad_among_good() {
    rm -rf mixed && mkdir mixed
    cp "$trace" mixed/a.1.pt.trace.json.gz
    echo '{"no":"trace"}' >mixed/b.1.pt.trace.json
    exits 0 "$TP" report mixed -o mixed.html --json mixed.json || return 1
    grep -q 'b.1.pt.trace.json' stderr && grep -q 'b.1.pt.trace.json' mixed.html ||
        { echo "the bad file is not named on stderr and in the report"; return 1; }
    exits 3 "$TP" report --strict mixed -o mixed_strict.html
}

check "/dev/full: exit 4" exits 4 "$TP" report "$trace" -o /dev/full
check "/dev/full for JSON: exit 4" exits 4 "$TP" report "$trace" -o /dev/null --json /dev/full
check "folder that does not exist: exit 4" exits 4 "$TP" report "$trace" -o none/report.html
check "input that does not exist: exit 3" exits 3 "$TP" report none.pt.trace.json
check "empty directory as input: exit 3" exits 3 "$TP" report .
check "file size limit: exit 4, old report intact" file_size_limit
if [ "$(id -u)" = 0 ]; then
    said=$(small_disk)
    case $? in 0) ok "full disk: exit 4, old report intact" ;; 77) skip "full disk" "cannot mount a small tmpfs" ;;
        *) not_ok "full disk: exit 4, old report intact" "$said" ;; esac
    skip "unwritable folder" "root may write everywhere"
else
    skip "full disk" "needs root to mount a small tmpfs"
    check "unwritable folder: exit 4" unwritable
fi
check "reader of stdout goes away: no storm, no signal" closed_stdout
check "closed stdout: exit 4" never_open_stdout
check "a symlink given as output is followed" through_symlink
check "a directory given as output gets report.html" into_directory
check "output onto the input is refused" output_is_input
check "one bad file among good ones is named, not fatal" one_bad_among_good
if is_asan; then
    skip "signals while it writes" "the sanitizer brings its own allocator"
else
    check "SIGKILL before each call that writes: old or new, never half" ended_by 9 137
    check "SIGTERM before each call that writes: old or new, nothing left" ended_by 15 143
    check "SIGINT before each call that writes: old or new, nothing left" ended_by 2 130
fi
titles() { # Checks which name a page has: that of the file, or that of the folder if the file's name says nothing.
    mkdir -p night && while read -r file title; do
        cp "$trace" "night/$file" && "$TP" report "night/$file" -o page.html --quiet || return 1
        grep -q "<h1 id=\"t-overview\">$title</h1>" page.html || { echo "$file:"; grep -o '<h1 .*</h1>' page.html; return 1; }
    done <<END
gpu_2024.pt.trace.json.gz gpu_2024
resnet.1623143089861.pt.trace.json.gz resnet
node7_4711.1623143089861.pt.trace.json.gz night
worker0.pt.trace.json.gz night
rank-3.json.gz night
trace.json.gz night
END
}
check "the title is the file's name, or the folder's if every run has such a file" titles
