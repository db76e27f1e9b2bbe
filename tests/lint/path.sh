#!/bin/sh
# path.sh BUILD: counts the files that a GPU kernel's event passes on its way to its table cell in the page. BUILD is a
# build of MODE=coverage with kernel_path.
#
# Prints the kernels of a trace (kernel_path.c), then those of the same trace with one more kernel. A file is on the
# path if one of its lines ran more often the second time. A source and its header count as one. Containers and texts
# (writer) do not count, and neither do files that only read bytes and do not use events. Prints the path by folder, and
# fails above MOST files.
build=${1:?build folder of MODE=coverage} most=${MOST:-25}
# files that read bytes, tokens, numbers and texts before there is an event
reading=" feed reader scan number learned_keys clean value frame stack "
command -v gcov >/dev/null || { echo "gcov not found: skipped"; exit 0; }
work=$(mktemp -d "${TMPDIR:-/tmp}/tracepress-path.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

kernel() { # kernel TS CORRELATION NAME: prints a kernel event
    printf '{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%s,"dur":400,"args":{"correlation":%s,"device":0,"stream":7,"grid":[1,1,1],"block":[64,1,1]}}' "$3" "$1" "$2"
}
call() { # call TS CORRELATION: prints a launch event
    printf '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":%s,"dur":50},' "$1"
    printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":5,"args":{"correlation":%s}}' $(($1 + 5)) "$2"
}
step() { printf '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%s","pid":1,"tid":1,"ts":%s000,"dur":1000},' "$1" "$1"; }
trace() { # trace MORE: prints a trace with MORE additional kernels
    printf '{"deviceProperties":[{"id":0,"name":"GPU","totalGlobalMem":1073741824,"numSms":4}],"traceEvents":['
    step 1; step 2; call 1010 1; printf ,; call 1210 2; printf ,; call 2010 3; printf ,
    kernel 1100 1 "void gemm<float>(int)"; printf ',%s' "$1"; kernel 2100 3 "void gemm<float>(int)"; printf ']}'
}
trace "" >"$work/less.json"
trace "$(kernel 1520 2 "void softmax<float>(int)")," >"$work/more.json"
for run in less more; do
    GCOV_PREFIX=$work/$run "$build/kernel_path" "$work/$run.json" >"$work/$run.html" || exit 1
    find "$work/$run" -name '*.gcda' | while read -r data; do
        notes=${data%.gcda}.gcno
        ln -s "${notes#"$work/$run"}" "$notes"
        echo "$data"
    done | xargs gcov -t >"$work/$run.gcov" 2>/dev/null
done
grep -q softmax "$work/more.html" || { echo "the kernel did not reach the page"; exit 1; }
awk -v most="$most" -v reading="$reading" '
/^ *-: *0:Source:/ { sub(/.*Source:/, ""); source = $0; next }
source ~ /^webreport\// {
  split($0, part, ":"); gsub(/[ *]/, "", part[1]); gsub(/ /, "", part[2])
  if (part[1] ~ /^[0-9]+$/) ran[source, part[2]] += FILENAME ~ /more\.gcov$/ ? part[1] : -part[1]
}
END {
  for (line in ran) {
    if (!ran[line]) continue
    split(line, place, SUBSEP); split(place[1], name, "/"); sub(/\.[ch]$/, "", name[3])
    file = name[2] "/" name[3]
    if (file in seen) continue
    seen[file] = 1
    if (name[2] == "trace" && index(reading, " " name[3] " ")) { read++; continue }
    on[name[2]] = on[name[2]] " " name[3]; files++
  }
  rooms = split("trace model measure compare document print session", room, " ")
  for (i = 1; i <= rooms; i++) if (on[room[i]] != "") {
    n = split(on[room[i]], name, " "); line_ = ""
    for (k = 2; k <= n; k++)
      for (j = k; j > 1 && name[j] < name[j - 1]; j--) { t = name[j]; name[j] = name[j - 1]; name[j - 1] = t }
    for (k = 1; k <= n; k++) line_ = line_ " " name[k]
    printf "%-9s%s\n", room[i], line_
  }
  print "a kernel passes " files + 0 " files on the way to its cell (at most " most "), after " read + 0 " that read its bytes"
  exit files == 0 || files > most
}' "$work/less.gcov" "$work/more.gcov"
