# Builds everything for Linux on arm64. qemu runs the unit tests and the commands that read traces, which must write the
# same bytes as on this processor. `record` is not tested, because this kernel cannot start arm64 programs.
. tests/suites/case.sh
HERE=$PWD
ROOT=$HERE/build/arm64-libraries/root
# a tracepress without ISA-L, because ISA-L compresses to other bytes on each processor
HOST=${TOOLS:-$BUILD}/tracepress-zlib

missing=
for tool in aarch64-linux-gnu-gcc qemu-aarch64; do
    command -v $tool >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    skip "programs for arm64" "needs$missing"
    exit 0
fi
if ! sh writer/arm64/libraries.sh build/arm64-libraries >"$WORK/libraries.log" 2>&1; then
    skip "programs for arm64" "no packages of its libraries: $(tail -n 1 "$WORK/libraries.log")"
    exit 0
fi
built() { make -s arm64 && [ -s build/arm64/tracepress ] && ! grep -i 'warning:' "$WORK/make.log"; }
check "everything is built without a warning" built 2>"$WORK/make.log"
[ -s build/arm64/tracepress ] || exit 0
emulated() { qemu-aarch64 -L "$ROOT" "$@"; }
if ! emulated build/arm64/tracepress --version >"$WORK/out" 2>&1; then
    skip "programs for arm64 under qemu" "qemu does not run them: $(tail -n 1 "$WORK/out")"
    exit 0
fi

# ---- unit programs ----
here=$BUILD
BUILD=$HERE/build/arm64 UNIT_CPU_S=1200
THROUGH="qemu-aarch64 -L $ROOT -E LD_PRELOAD=$BUILD/emulated_memory.so"
. tests/suites/unit.sh
BUILD=$here

# ---- commands that read traces ----
cd "$WORK" || exit 1
elsewhere() { emulated "$HERE/build/arm64/tracepress-zlib" "$@"; }
. "$HERE/tests/suites/elsewhere.sh"

usual() { # The installed command uses ISA-L, so only the compressed bytes of its timeline may differ.
    command=$HERE/build/arm64/tracepress trace=$DATA/traces/gpu_2026.pt.trace.json.gz
    emulated "$command" report "$trace" -o a.html --json a.json 2>err && "$HOST" report "$trace" -o b.html --json b.json 2>err &&
        cmp a.json b.json && [ "$(diff a.html b.html | grep -c '^[<>]')" = 2 ] && [ "$(diff a.html b.html | grep -c 'class="tldata"')" = 2 ] || return 1
    mkdir one && cp "$trace" one && emulated "$command" summarize one --job j -o a.tps 2>err && "$HOST" summarize one --job j -o b.tps 2>err &&
        "$HOST" report a.tps --json a.json -o a.html 2>err && "$HOST" report b.tps --json b.json -o b.html 2>err && cmp a.json b.json && cmp a.html b.html
}
check "the command with ISA-L gives the same page but for packing; what it packs is read here" usual
