# Reads the exported files with both loaders of a real TensorBoard, which must show every dashboard. The script for this
# is in ../shared.
#
# Needs python3 with TensorBoard: TENSORBOARD_PYTHON, or build/tensorboard made by
#   python3 -m venv build/tensorboard && build/tensorboard/bin/pip install tensorboard==2.21.0
. tests/suites/case.sh
python=${TENSORBOARD_PYTHON:-$PWD/build/tensorboard/bin/python}
oracle=$SHARED/oracle/tb_check.py
if [ ! -f "$oracle" ] || ! "$python" -c 'import tensorboard' 2>/dev/null; then
    skip "TensorBoard reads the event files" "no script next to the project or no TensorBoard"
    exit 0
fi
runs=$WORK/runs
mkdir -p "$runs"
"$TP" export "$DATA/run" --to tfevents -o "$runs/ranks" --quiet || not_ok "export of two ranks"
for name in gpu_2024 hostile_names torch_2.13_mlp_train.full torch_2.13_memory_heavy.shapes case_exposed_comm; do
    "$TP" export "$DATA/traces/$name.pt.trace.json.gz" --to tfevents -o "$runs/$name" --quiet || not_ok "export of $name"
done
for trace in "$SHARED"/data/traces/kineto; do
    [ ! -d "$trace" ] || "$TP" export "$trace" --to tfevents -o "$runs/kineto" --quiet || not_ok "export of kineto"
done
mkdir -p "$runs/demo"
"$TOOLS/train" README.md "$runs/demo" >/dev/null && "$TP" export "$runs/demo" --to tfevents -o "$runs/demo" --quiet ||
    not_ok "export of the demo"
cat >"$WORK/expect.json" <<'END'
{"plugins": ["scalars", "timeseries", "histograms", "distributions", "text", "custom_scalars", "hparams", "graphs"],
 "scalars": {"profile_step/time_ms": null, "profile_gpu0/utilization_pct": null, "profile_summary/step_time_ms": null,
             "profile_memory_mib/GPU0_allocated_peak": null,
             "profile_ranks/step_time_ms_median": null, "profile_counters/loss": null, "profile_step/samples_per_s": null},
 "histograms": ["profile_kernel_us", "profile_launch_delay_us"],
 "text": ["profile/1_recommendations", "profile/2_overview", "profile/3_top_operators", "profile/4_top_kernels",
          "profile/5_environment"],
 "hparams_columns": ["gpu", "world_size", "batch_size"], "hparams_metrics": ["profile_summary/step_time_ms"]}
END
for fast in true false; do
    check "TensorBoard reads the event files, load_fast=$fast" "$python" "$oracle" "$runs" --python "$python" \
        --fast $fast --expect "$WORK/expect.json"
done
