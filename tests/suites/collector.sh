# Programs that record themselves, and die: every range that had ended is in the recovered trace.
. tests/suites/case.sh
cd "$WORK" || exit 1

# died HOW MILLISECONDS: runs the program to its death, recovers, compares with what it had counted
died() {
    rm -rf d && mkdir d
    "$TOOLS/record_program" d "$1" "$2" >out 2>err &
    pid=$!
    if [ "$1" = wait ]; then
        sleep "$(awk -v ms="$2" 'BEGIN { print ms / 1000 }')"
        kill -9 $pid
    fi
    wait $pid 2>/dev/null
    spool=$(ls d/.*.tpspool 2>/dev/null | head -n 1)
    [ -n "$spool" ] || { [ "$1" = wait ] && return 0; echo "$1: no spool is left"; cat err; return 1; }
    "$TP" recover "$spool" -o d/trace.json --quiet >out 2>err || { echo "$1: recover failed: $(cat err)"; return 1; }
    for t in 0 1 2 3; do
        counted=$(od -A n -t u8 -j $((t * 8)) -N 8 d/counts | tr -d ' ')
        found=$(grep "\"name\":\"t$t\"" d/trace.json | grep -vc '"finished":false')
        [ "$found" -ge "${counted:-0}" ] || { echo "$1 after $2 ms: thread $t ended $counted ranges, $found recovered"; return 1; }
    done
}
kills() { # COUNT HOW
    i=1
    while [ $i -le "$1" ]; do
        died "$2" $((i * 7 % 40 + 1)) || return 1
        i=$((i + 1))
    done
}
small=$(is_asan && echo 3 || echo 10)
check "$((small * 4)) kills while recording lose no range" kills $((small * 4)) wait
for how in segv abort exit _exit exec; do
    check "$small ends by $how lose no range" kills "$small" "$how"
done

stopped() {
    rm -rf d && mkdir d
    "$TOOLS/record_program" d stop 30 >out 2>err || { cat err; return 1; }
    [ ! -s err ] || { cat err; return 1; }
    [ "$(ls -A d | wc -l)" = 2 ] || { ls -A d; return 1; } # counts and the trace; the spool is gone
    "$TP" report d/*.pt.trace.json.gz -o d/report.html --strict --json d/report.json --quiet
}
check "an orderly stop leaves the trace and no spool; the trace is strict JSON" stopped

garbage() {
    head -c 100000 /dev/urandom >noise
    ! "$TP" recover noise --quiet 2>err && [ "$(wc -l <err)" = 1 ]
}
check "what is no spool is refused with a reason" garbage

cut() { # a spool cut anywhere, or with bytes changed, is read as far as it goes
    rm -rf d && mkdir d
    "$TOOLS/record_program" d _exit 5 2>/dev/null
    spool=$(ls d/.*.tpspool)
    for part in 4096 5000 8192 20000 40000 70001 100000; do
        head -c $part "$spool" >d/part
        "$TP" recover d/part -o d/part.json --quiet 2>err || { echo "cut at $part: $(cat err)"; return 1; }
        "$TP" report d/part.json -o d/part.html --strict --quiet 2>err || grep -q "no usable" err || { cat err; return 1; }
    done
}
check "a spool that was cut is used as far as it goes" cut

full() {
    [ "$(id -u)" = 0 ] && mkdir -p tiny && mount -t tmpfs -o size=300k none tiny 2>/dev/null || return 77
    "$TOOLS/record_program" tiny stop 50 >out 2>err
    status=$?
    umount tiny
    [ $status = 0 ] || { echo "the program ended with $status"; return 1; }
    [ "$(wc -l <err)" = 1 ] || { echo "it said:"; cat err; return 1; }
}
full >full.log 2>&1
case $? in
0) ok "a full disk: the program goes on and one line says so" ;;
77) skip "a full disk" "no tmpfs can be mounted here" ;;
*) not_ok "a full disk: the program goes on and one line says so" "$(cat full.log)" ;;
esac
limited() {
    rm -rf d && mkdir d
    (ulimit -f 200 && "$TOOLS/record_program" d stop 50 >out 2>err) || { echo "status $?"; cat err; return 1; }
    [ "$(wc -l <err)" -le 1 ]
}
check "RLIMIT_FSIZE: the program goes on" limited
