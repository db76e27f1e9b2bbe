# Tests traces of torch's CUPTI backend (torch.profiler.CuspyConfig, torch 2.13 and later). Every number and every gate
# must equal that of the same recording in Kineto's format. torch's own writer makes both files from real traces
# (tests/torch/cuspy.py).
#
# Only traces with clean evidence are compared, because the writer adds the recorder's end, which makes a damaged trace
# look complete. At least ten traces must be compared. TORCH_PYTHON is a Python with torch 2.13 or later.
. tests/suites/case.sh
python=${TORCH_PYTHON:-$PWD/build/torch/bin/python}
traces=$SHARED/data/traces
writer=$PWD/tests/torch/cuspy.py
same=$PWD/tests/torch/same_report.py
if ! "$python" -c 'import torch.profiler._cupti_monitor_trace' 2>/dev/null; then
    skip "torch's CUPTI backend: numbers and gates equal Kineto's" "no Python with torch 2.13 or later: set TORCH_PYTHON"
    exit 0
fi
if [ ! -d "$traces" ]; then
    skip "torch's CUPTI backend: numbers and gates equal Kineto's" "no $traces"
    exit 0
fi
cd "$WORK" || exit 1

is_clean() { # is_clean TRACE: checks that the evidence of the trace is clean
    "$TP" report "$1" -o clean.html --json clean.json --quiet 2>clean.err &&
        "$python" -c 'import json, sys
sys.exit(not all(p["evidence"]["clean"] for r in json.load(open("clean.json"))["runs"] for p in r["profiles"]))'
}
healthy() { # healthy: prints the traces of CUDA programs whose evidence is clean
    for name in hta/critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz \
        hta/critical_path/cuda_event_sync_multi_stream/event_sync_trace.json.gz hta/nccl_parser_config/nccl_data.json.gz \
        hta/negative_queue_length_values_check/rank0.json.gz hta/trace_diff/control/control.json.gz \
        hta/trace_filter/sampled_rank-0.json.gz hta/triton_example/triton_example.json.gz \
        kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz \
        kineto/resnet50_num_workers_0/worker0.1623143566756.pt.trace.json.gz \
        kineto/resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz \
        kineto/resnet50_num_workers_4/worker0.1623213129365.pt.trace.json.gz \
        tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz \
        tracelens/h100/google_owlv2-large-patch14-ensemble__1016001.json.gz \
        tracelens/inference/sglang_prefilldecode/sglang_Qwen3-8B_prefilldecode.json.gz \
        tracelens/inference/vllm_decode_full/graph_execution.json.gz; do
        [ ! -f "$traces/$name" ] || ! is_clean "$traces/$name" || echo "$traces/$name"
    done
}
numbers_agree() { # numbers_agree FOLDER: compares the numbers of both formats in the folder
    for form in kineto cuspy; do
        "$TP" report "$1/$form/trace.json" -o "$1/$form.html" --json "$1/$form.json" --quiet || return 1
    done
    "$python" "$same" "$1/kineto.json" "$1/cuspy.json"
}
gates_agree() { # gates_agree FOLDER: compares the results of `check` for both formats in the folder
    for form in kineto cuspy; do
        "$TP" check "$1/$form/trace.json" --budget budget --json "$1/$form.gate" >"$1/$form.said" 2>&1
        [ $? != 2 ] || { cat "$1/$form.said"; return 1; }
    done
    "$python" "$same" "$1/kineto.json" "$1/cuspy.json" "$1/kineto.gate" "$1/cuspy.gate" || return 1
    "$TP" check "$1/cuspy/trace.json" --baseline "$1/kineto/trace.json" >said 2>&1
    case $? in 0 | 6) ;; *) cat said; return 1 ;; esac
}

"$TP" check --list-metrics --format json >metrics.json
"$python" -c 'import json
metrics = json.load(open("metrics.json"))
print("\n".join(row["name"] + " <= 0" for row in metrics["metrics"] if "[" not in row["name"] and "NAME" not in row["name"]))' >budget
healthy >list
count=$(wc -l <list)
if [ "$count" -ge 10 ]; then ok "torch's CUPTI backend: $count traces with clean evidence"; else not_ok "ten traces with clean evidence" "$(cat list)"; fi
tr '\n' '\0' <list | xargs -0 "$python" "$writer" forms 2>writer.err || not_ok "torch's writer" "$(tail -n 5 writer.err)"
position=0
while read -r trace; do
    position=$((position + 1))
    check "torch's CUPTI backend: numbers equal Kineto's: ${trace##*/traces/}" numbers_agree "forms/$position"
    check "torch's CUPTI backend: gates equal Kineto's: ${trace##*/traces/}" gates_agree "forms/$position"
done <list
