# Tests Perfetto traces: `export --to perfetto` obeys the rules of Perfetto's importer, and a file that is read back gives
# the report of the trace. Files of torch's layout give the report of the JSON that an independent converter makes of
# them. PERFETTO_PYTHON names a Python with Perfetto's protobuf classes (the package perfetto).
. tests/suites/case.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip "Perfetto traces" "no python3"
    exit 0
fi
rules=$PWD/tests/check/perfetto_packets.py
same=$PWD/tests/check/same_profile.py
sampled=$PWD/tests/check/with_counters.py
wheel=$PWD/tests/check/perfetto_classes.py
cd "$WORK" || exit 1

# report_of FILE NAME: writes the report of FILE to NAME.json
report_of() { "$TP" report "$1" -o report.html --json "$2.json" --quiet; }
# comes_back TRACE: exports the trace, checks the rules, and compares the report of the export with that of the trace
comes_back() {
    rm -rf back && "$TP" export "$1" --to perfetto -o back --quiet 2>said || { [ $? = 3 ] && return 0; cat said; return 1; }
    for file in back/*.pftrace; do
        python3 "$rules" "$file" && report_of "$file" read && report_of "$1" source && python3 "$same" source.json read.json || { echo "$1"; return 1; }
    done
}
for trace in "$DATA"/traces/*.gz "$DATA"/run/*.gz; do
    name=$(basename "$trace")
    # exports have no samples, tasks and tensors; links of random traces contradict each other
    case $name in case_* | random_* | *program* | *samples* | *hostile* | *outside*) continue ;; esac
    check "export: $name has Perfetto's rules and comes back with its report" comes_back "$trace"
done
counters() { # counters TRACE: Checks that counters of devices come back, with energy and clock by step.
    python3 "$sampled" "$1" sampled.json && comes_back sampled.json && grep -q '"counter_view":.*"steps":\[{"device":0,"step":' read.json
}
for trace in gpu_2024 gpu_2026 case_two_devices; do
    check "export: counters of devices in $trace come back" counters "$DATA/traces/$trace.pt.trace.json.gz"
done
ranks() { # Checks that the ranks of a job become one file on one clock.
    "$TP" export "$DATA"/run/*.gz --to pftrace -o ranks.pftrace.gz --quiet || return 1
    gzip -t ranks.pftrace.gz && python3 "$rules" ranks.pftrace.gz --print-counts >counts || { cat counts; return 1; }
    [ "$(gzip -dc ranks.pftrace.gz | strings | grep -c 'worker.*: .*pid')" -ge 2 ]
}
check "export: the ranks of a job become one file" ranks
small() { # Checks that the file is far smaller than the JSON.
    trace=$(find "$DATA/traces" -name 'torch*full*.gz' -size +20k | sort | head -n 1)
    "$TP" export "$trace" --to perfetto -o small.pftrace --quiet && [ "$(wc -c <small.pftrace)" -lt "$(($(gzip -dc "$trace" | wc -c) / 3))" ]
}
check "export: a file has less than a third of the bytes of the JSON" small
planted() { # Checks that the rules find a missing end, an unknown number and a changed field.
    python3 - small.pftrace <<'EOF'
import sys
data = open(sys.argv[1], "rb").read()
packets, at = [], 0
while at < len(data):
    start, size, shift = at, 0, 0
    at += 1
    while True:
        byte = data[at]
        size |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            break
    at += size
    packets.append(data[start:at])
ends = [i for i, p in enumerate(packets) if b"\x5a" in p[:12] and b"\x48\x02" in p[:20] and len(p) < 24]
texts = [i for i, p in enumerate(packets) if b"\x62" in p[:16] and i > 3]
open("no_end.pftrace", "wb").write(b"".join(p for i, p in enumerate(packets) if i != ends[0]))
open("no_text.pftrace", "wb").write(b"".join(p for i, p in enumerate(packets) if i != texts[0]))
open("field.pftrace", "wb").write(data + b"\x0a\x02\x78\x01")
EOF
    for fault in no_end no_text field; do
        ! python3 "$rules" "$fault.pftrace" >said || { echo "$fault is not found"; return 1; }
    done
}
check "the rules find planted faults" planted
python=${PERFETTO_PYTHON:-python3}
if "$python" -c 'import perfetto.protos.perfetto.trace.perfetto_trace_pb2' 2>/dev/null; then
    classes() {
        for trace in "$DATA"/traces/torch*.gz "$DATA"/traces/gpu*.gz; do
            "$TP" export "$trace" --to perfetto -o decoded.pftrace --quiet && "$python" "$wheel" decoded.pftrace || return 1
        done
    }
    check "export: Perfetto's classes decode every field" classes
else
    skip "export: Perfetto's classes decode every field" "no Python with the package perfetto: set PERFETTO_PYTHON"
fi

fixtures=$SHARED/data/inputs/fixtures
expected=$SHARED/data/inputs/expected
# give_samples JSON SOURCE: copies the JSON of the converter to with_samples.json. The converter writes only statistics of
# counters, so the copy has the samples of SOURCE, from which the file was made. Their statistics must be equal.
give_samples() {
    python3 - "$1" "$2" <<'EOF'
import json, sys
converted, source = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:])
counters = {}
for e in source["traceEvents"]:
    if e.get("ph") == "C":
        counters.setdefault((int(e["pid"].split()[1]), e["name"]), []).append((int(e["ts"] * 1000), e["args"][""]))
for row in converted["tracepress_input"]["counters"]:
    values = [value for _, value in counters[row["device"], row["name"]]]
    assert (row["samples"], row["min"], row["max"]) == (len(values), min(values), max(values)), row
    assert abs(row["mean"] - sum(values) / len(values)) < 1e-9, row
converted["tracepress_input"]["counters"] = [{"device": device, "name": name, "time_ns": at, "value": value}
                                             for (device, name), samples in counters.items() for at, value in samples]
json.dump(converted, open("with_samples.json", "w", encoding="utf-8"))
EOF
}
equal() { # equal FILE JSON [SOURCE]: compares the report of a file with the report of the JSON of another converter
    theirs=$2
    [ ! -f "${3:-}" ] || { give_samples "$2" "$3" && theirs=with_samples.json; } || return 1
    report_of "$1" ours && report_of "$theirs" theirs && python3 "$same" --other-file theirs.json ours.json
}
if ls "$fixtures"/p*.p* >/dev/null 2>&1; then
    for file in "$fixtures"/p*.p*; do
        base=$(basename "$file")
        case $base in *cut*) continue ;; esac
        check "read: $base has the report of its JSON" equal "$file" "$expected/${base%%.*}.json" "$fixtures/src/${base%%.*}.cuspy.json"
    done
    is_cut() { report_of "$1" cut && grep -q '"eof":"cut"' cut.json; }
    check "read: a cut file is known as cut" is_cut "$fixtures/p04_cut.pftrace"
else
    skip "read: files of torch's layout have the reports of their JSON" "no $fixtures"
fi
