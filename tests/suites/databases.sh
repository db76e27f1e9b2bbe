# Tests databases of other profilers (Nsight Systems, rocprofv3, rocmProfileData). The report of each database in
# ../shared/data/inputs must equal the report of the same recording in the format of torch.profiler. Hostile and randomly
# damaged databases must not crash, hang or fill the memory. tests/reports/databases.tsv tests single values.
. tests/suites/case.sh
inputs=$SHARED/data/inputs
same=$PWD/tests/check/same_facts.py
maker=$PWD/tests/reports/databases.py
cd "$WORK" || exit 1
if ! python3 -c 'import sqlite3' 2>/dev/null; then
    skip "databases of other profilers" "no python3 with sqlite3"
    exit 0
fi

# ---- the same recording as database and as trace ----

report_of() { # report_of FILE NAME: writes the report of the file, under a neutral name, to NAME.json
    ending=${1##*/}
    rm -rf "$2" && mkdir "$2" && ln -s "$1" "$2/trace.${ending#*.}"
    "$TP" report "$2/trace.${ending#*.}" -o "$2.html" --json "$2.json" --quiet
}
equals() { # equals DATABASE TRACE [WORKER]: compares the reports of a database, or of one worker in it, and of a trace
    report_of "$1" database && cp "$2" copy.json && report_of "$PWD/copy.json" trace && python3 "$same" database.json trace.json ${3:+"$3"}
}
if [ -d "$inputs/fixtures" ]; then
    for file in "$inputs"/fixtures/*.sqlite "$inputs"/fixtures/*.db "$inputs"/fixtures/*.rpd; do
        name=$(basename "$file")
        base=${name%.*}
        if [ -f "$inputs/expected/$base.json" ]; then
            check "$name: the report equals the report of the trace" equals "$file" "$inputs/expected/$base.json"
        fi
        for part in "$inputs/expected/$base".[0-9]*.json; do
            [ -f "$part" ] || continue
            pid=${part##*/"$base".}
            check "$name, process ${pid%.json}: the report equals the report of the trace" \
                equals "$file" "$part" "(process ${pid%.json})"
        done
    done
else
    skip "reports of databases equal the reports of traces" "no $inputs"
fi

# Checks that nvprof and Nsight Systems agree on a recording, but on the time before its first call, and on what only
# records of waits show: nvprof has none, so the replay infers for what a call waits.
nvprof() {
    rm -rf n && mkdir n && python3 "$maker" nvprof n && report_of "$PWD/n/run.nvvp" one && report_of "$PWD/n/run.sqlite" two &&
        python3 "$same" one.json two.json "" "producer$|/(host_|device_|profiler_)?(start|end)_us$|/what_if_view/replay/inferred_percent$"
}
check "the report of nvprof's database equals that of Nsight Systems" nvprof

# ---- hostile and damaged files ----

survives() { # survives FILE: checks that the report ends with exit code 0 or 3, in little time and memory
    (ulimit -t 20 && { is_checked || ulimit -v 2000000; } && exec "$TP" report "$1" -o hostile.html --quiet) >said 2>&1
    case $? in 0 | 3) ;; *) cat said; return 1 ;; esac
    ! grep -q 'Sanitizer\|runtime error' said || { cat said; return 1; }
}
is_damaged() { # is_damaged FILE: checks that the database is refused as damaged
    "$TP" report "$1" -o hostile.html --quiet 2>said
    [ $? = 3 ] && grep -q 'damaged SQLite database (.*: .*)' said || { cat said; return 1; }
}
if [ -d "$inputs/hostile" ]; then
    for file in "$inputs"/hostile/*.sqlite; do
        check "$(basename "$file"): no crash, no hang" survives "$file"
        case $file in */h01_* | */h02_*) check "$(basename "$file"): refused as damaged" is_damaged "$file" ;; esac
    done
else
    skip "hostile databases" "no $inputs"
fi
converted() { # checks --convert with a program named nsys, and that it leaves no temporary file
    rm -rf c && mkdir c c/bin c/tmp && python3 "$maker" plain c && printf 'not read' >"c/-run 1.nsys-rep" && cat >c/bin/nsys <<'X' || return 1
#!/bin/sh
[ "$1 $2 $3 $4" = "export --type sqlite --output" ] && [ "$6" = "./-run 1.nsys-rep" ] || { echo "wrong words: $*"; exit 9; }
[ -z "$FAILS" ] || { echo first; echo "the report is of a newer version"; exit 5; }
cp run.sqlite "$5"
X
    chmod +x c/bin/nsys && cd c || return 1
    PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp "$TP" report --convert -q -o one.html --json one.json -- "-run 1.nsys-rep" 2>said &&
        [ ! -s said ] && grep -q '"worker":"-run 1"' one.json && grep -q 'sgemm_128x64' one.json || { cat said; return 1; }
    FAILS=1 PATH=$PWD/bin:$PATH TMPDIR=$PWD/tmp "$TP" report --convert -q -o two.html -- "-run 1.nsys-rep" 2>said
    [ $? = 3 ] && grep -q 'exit code 5: the report is of a newer version$' said && [ ! -e two.html ] || { cat said; return 1; }
    PATH=/usr/bin:/bin TMPDIR=$PWD/tmp "$TP" report --convert -q -o two.html -- "-run 1.nsys-rep" 2>said
    [ $? = 3 ] && grep -q 'nsys cannot be started: No such file' said && [ -z "$(ls -A tmp)" ]
}
check "--convert runs nsys export, says why it failed, and leaves nothing" converted
untouched() { # checks that reading creates no file next to the database
    python3 "$maker" plain d && python3 -c 'import sys
with open(sys.argv[1], "r+b") as file: file.seek(18); file.write(b"\2\2")' d/run.sqlite && chmod 555 d &&
        "$TP" report d/run.sqlite -o hostile.html --quiet && [ "$(ls -A d)" = run.sqlite ]
}
check "a database in WAL mode is read, and nothing is written next to it" untouched
temporary() { # checks that an unpacked database leaves no temporary file
    python3 "$maker" plain e && gzip -c e/run.sqlite >e.sqlite.gz && mkdir tmp && TMPDIR=$PWD/tmp "$TP" report e.sqlite.gz -o hostile.html --quiet &&
        TMPDIR=$PWD/tmp "$TP" report - -o hostile.html --quiet <e/run.sqlite && [ -z "$(ls -A tmp)" ]
}
check "a compressed database and a pipe leave no temporary file" temporary
damaged() { # damaged COUNT SEED: damages databases at random, and reads each
    python3 - "$1" "$2" "$maker" "$TP" <<'PY'
import gzip, os, random, subprocess, sys
count, seed, maker, program = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
draw, whole = random.Random(seed), []
for kind in ("plain", "two_processes", "graph", "nccl", "long_name", "os_calls", "scattered_samples", "rocpd", "rpd", "nvprof"):
    subprocess.run([sys.executable, maker, kind, "whole_" + kind], check=True)
    name = sorted(os.listdir("whole_" + kind))[0]
    with open(f"whole_{kind}/{name}", "rb") as file:
        data = file.read()
    whole.append(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
for number in range(count):
    data = bytearray(draw.choice(whole))
    for _ in range(draw.choice((1, 4, 30))):
        at, kind, page = draw.randrange(len(data)), draw.randrange(4), 512 * draw.randrange(len(data) // 512)
        if kind == 0:
            data[at] = draw.randrange(256)
        elif kind == 1:
            data[at:at + 4] = draw.randrange(1, len(data) // 512 + 1).to_bytes(4, "big")
        elif kind == 2:
            data[page:page + 512] = data[at // 512 * 512:][:512].ljust(512)
        elif len(data) > 2048:
            del data[max(1024, at):]
    with open("damaged.sqlite", "wb") as file:
        file.write(data)
    said = subprocess.run([program, "report", "damaged.sqlite", "-o", "damaged.html", "--quiet"], stderr=subprocess.PIPE, timeout=60)
    if said.returncode not in (0, 3):
        sys.exit(f"number {number}: exit {said.returncode}: {said.stderr.decode()[:800]}")
PY
}
count=$(draws 1500 150)
check "$count randomly damaged databases, seed ${SEED:-7}: no crash" damaged "$count" "${SEED:-7}"
