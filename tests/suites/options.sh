# Runs random command lines of report, table, export, precision and diff, made of the options in their help texts. Each
# must end with an exit code, and a failure must print a message.
. tests/suites/case.sh
if ! command -v python3 >/dev/null 2>&1; then
    skip "random command lines" "no python3"
    exit 0
fi
mkdir "$WORK/o"
random() { python3 tests/check/random_options.py "$TP" "$WORK/o" "$@" "$DATA/traces/gpu_2024.pt.trace.json.gz" "$DATA/traces/torch_2.13_mlp_train.full.pt.trace.json.gz" "$DATA/tensors/base"; }
for seed in 1 2 ${SEED:-$(date +%s)}; do
    check "random command lines, seed $seed: exit codes 0 to 6, refusals name an option" random "$seed" "$(is_asan && echo 60 || echo 300)"
done
