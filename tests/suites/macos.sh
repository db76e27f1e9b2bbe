# Builds the commands that read traces for macOS with zig. The programs must be complete, for the right processor, need
# only libraries of the system, and contain no code of the collector. They are not run, because no Mac is available.
. tests/suites/case.sh

zig=${ZIG:-$(command -v zig || { python3 -m ziglang version >/dev/null 2>&1 && echo "python3 -m ziglang"; })}
if [ -z "$zig" ] || ! command -v file >/dev/null || ! command -v llvm-nm >/dev/null; then
    skip "programs for macOS" "needs zig, file and llvm-nm"
    exit 0
fi
if ! make -s cross ZIG="$zig" >"$WORK/make.log" 2>&1 && grep -q 'no sources of its libraries' "$WORK/make.log"; then
    skip "programs for macOS" "$(tail -n 1 "$WORK/make.log")"
    exit 0
fi
built() { # built PROCESSOR: checks that the program is for this processor
    file "build/macos-$1/tracepress" | grep "Mach-O 64-bit $1 executable" || { tail "$WORK/make.log"; return 1; }
}
alone() { # Checks that all needed libraries belong to the system.
    llvm-objdump --macho --dylibs-used "build/macos-$1/tracepress" | sed 1d >"$WORK/libraries" && cat "$WORK/libraries" &&
        [ "$(wc -l <"$WORK/libraries")" = 1 ] && grep -q '/usr/lib/libSystem.B.dylib' "$WORK/libraries"
}
without_collector() {
    llvm-nm "build/macos-$1/tracepress" | awk '{print $NF}' >"$WORK/names"
    for name in _main _tp_cmd_report _tp_cmd_record _tp_assets_embedded; do
        grep -qx "$name" "$WORK/names" || { echo "lacks $name"; return 1; }
    done
    ! grep -E '^_(tp_(child|kineto|spool_server|takeover|run_folder|mapped|symbols|spool_trace)_|tracepress_|mremap|sigtimedwait|getrandom)' "$WORK/names" &&
        [ ! -e "build/macos-$1/collector" ]
}
texts() { # Checks that the program contains the pages and help texts unchanged.
    python3 - "build/macos-$1/tracepress" $(find templates -type f ! -name README.md ! -name '*.sh') <<'TEXT'
import sys
program = open(sys.argv[1], "rb").read()
lacking = [name for name in sys.argv[2:] if open(name, "rb").read() not in program]
sys.exit("not inside: " + " ".join(lacking) if lacking or len(sys.argv) < 20 else 0)
TEXT
}
for cpu in arm64 x86_64; do
    check "a program of macOS, $cpu" built $cpu
    check "it needs the system's library alone, $cpu" alone $cpu
    check "nothing of the collector is in it, $cpu" without_collector $cpu
    check "all texts are in it, $cpu" texts $cpu
done
nothing_without_zig() {
    PATH="$WORK/bin" ZIG= /bin/sh writer/macos/cross.sh >"$WORK/said" && [ "$(wc -l <"$WORK/said")" = 1 ] && grep -q 'skipped, no zig' "$WORK/said"
}
mkdir -p "$WORK/bin" && for tool in dirname wc grep; do ln -s "$(command -v $tool)" "$WORK/bin"; done
check "without zig one line says so" nothing_without_zig
