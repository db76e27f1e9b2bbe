#!/bin/sh
# path.sh BUILD: counts the files that a GPU kernel's event passes on its way to its table cell in the page. BUILD is a
# build of MODE=coverage with kernel_path.
#
# Prints the kernels of a trace (kernel_path.c), then those of the same trace with one more kernel. A file is on the
# path if one of its lines ran more often the second time. A source and its header count as one. A file is counted only
# if it can use events, which means that it includes the header of the trace, directly or through other headers. So
# containers, texts and the readers of bytes are not counted. Prints the path by folder, and fails above MOST files.
build=${1:?build folder of MODE=coverage} most=${MOST:-25}
events=webreport/trace/trace.h
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
# Prints each file of webreport in which a line ran more often the second time, without the suffix.
more_often() {
    awk '
    /^ *-: *0:Source:/ { sub(/.*Source:/, ""); source = $0; next }
    source ~ /^webreport\// {
      split($0, part, ":"); gsub(/[ *]/, "", part[1]); gsub(/ /, "", part[2])
      if (part[1] ~ /^[0-9]+$/) ran[source, part[2]] += FILENAME ~ /more\.gcov$/ ? part[1] : -part[1]
    }
    END { for (line in ran) if (ran[line]) { split(line, place, SUBSEP); sub(/\.[ch]$/, "", place[1]); print place[1] } }
    ' "$work/less.gcov" "$work/more.gcov" | sort -u
}
files=0 others=0
for file in $(more_often); do
    [ -f "$file.c" ] && source=$file.c || source=$file.h
    if ${CC:-cc} -MM -I. -I"$build" "$source" | tr ' ' '\n' | grep -qx "$events"; then
        files=$((files + 1))
        room=${file#*/}
        echo "${room%%/*} ${file##*/}" >>"$work/path"
    else
        others=$((others + 1))
    fi
done
for room in trace model measure compare document print session; do
    [ ! -f "$work/path" ] || awk -v room="$room" '$1 == room { names = names " " $2 } END { if (names) printf "%-9s%s\n", room, names }' "$work/path"
done
echo "a kernel passes $files files on the way to its cell (at most $most), and $others that cannot use events"
[ $files -gt 0 ] && [ $files -le "$most" ]
