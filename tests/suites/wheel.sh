# Tests the wheel torch-tracepress. Two builds must have equal bytes. The wheel must have the files of `make
# install-strip` and work in an empty environment.
#
# build/wheel is a Python with hatchling and uv, made once from the package index.
. tests/suites/case.sh
HERE=$PWD
venv=build/wheel
SMALL=${BUILD#"$PWD"/}
VERSION=$(sed -n 's/^VERSION := //p' Makefile)
made() { # Makes the environment once. Without a package index, later runs do not try again.
    [ ! -e "$venv/tried" ] || return 1
    mkdir -p "$venv" && : >"$venv/tried"
    python3 -m venv "$venv" >"$WORK/venv" 2>&1 &&
        "$venv/bin/pip" install --quiet --retries 1 --timeout 20 hatchling >>"$WORK/venv" 2>&1 &&
        { "$venv/bin/pip" install --quiet --retries 1 --timeout 20 --only-binary :all: uv >>"$WORK/venv" 2>&1 || :; }
}
usable() { "$venv/bin/python" -c 'import hatchling' 2>/dev/null; }
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    skip "the wheel" "no python3 from 3.9 on"
    exit 0
fi
usable || { made && usable; } || {
    skip "the wheel" "no package index to make build/wheel from"
    exit 0
}

build() { # build FOLDER: makes the wheel and the source archive without downloading anything
    MODE=$(basename "$BUILD") BUILD=$SMALL "$venv/bin/pip" wheel --quiet --no-index --no-build-isolation --no-deps -w "$1" . &&
        "$venv/bin/python" -m hatchling build -t sdist -d "$1" >&2
}
twice() {
    build "$WORK/one" && (umask 077 && build "$WORK/two") || return 1
    for file in "$WORK"/one/*.whl "$WORK"/one/*.tar.gz; do
        cmp "$file" "$WORK/two/$(basename "$file")" || return 1
    done
}
check "wheel and sdist have equal bytes twice" twice
wheel=$(echo "$WORK"/one/*.whl)
MOST=$(sed -n 's/^MOST=//p' .ci/wheel.sh)
is_small() { # is_small FILE: checks that the wheel is not too large
    size=$(wc -c <"$1") && [ "$size" -gt 500000 ] && [ "$size" -le $MOST ] || { echo "$1 has $size bytes, $MOST are allowed"; return 1; }
}
check "the wheel has at most $MOST bytes" is_small "$wheel"

tree() { make -s --no-print-directory MODE="$(basename "$BUILD")" BUILD="$SMALL" install-strip DESTDIR="$WORK/tree" PREFIX= >"$WORK/make" 2>&1; }
wheel_equals_installed_tree() { tree && python3 tests/wheel/check_wheel.py "$wheel" "$WORK/tree" "$VERSION"; }
check "the wheel is the tree of make install-strip and the package, RECORD is right, it needs nothing" wheel_equals_installed_tree
planted() { # Checks that the checker finds each planted change of the tree or of the wheel.
    cp "$wheel" "$WORK/bad.whl"
    printf '\n' >>"$WORK/tree/include/tracepress.h"
    python3 tests/wheel/check_wheel.py "$wheel" "$WORK/tree" "$VERSION" && { echo "a header that differs is not seen"; return 1; }
    python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "a").writestr("torch_tracepress/more.py", "")' "$WORK/bad.whl"
    python3 tests/wheel/check_wheel.py "$WORK/bad.whl" "$WORK/tree" "$VERSION" | grep -q "RECORD and members differ"
}
check "a header that differs and a member without a record are seen" planted

sources() { # Checks that the archive has all tracked files in the folders that make reads.
    tar tzf "$WORK"/one/*.tar.gz | sed 's|^[^/]*/||' | grep -vx 'PKG-INFO\|.gitignore' | sort >"$WORK/packed"
    git ls-files -c -o --exclude-standard -- '*.md' :^tests :^.github LICENSE Makefile THIRD-PARTY pyproject.toml collector docs python templates webreport writer |
        grep -v '^\(tests\|[.]github\)/' | sort -u >"$WORK/listed"
    diff "$WORK/listed" "$WORK/packed"
}
if git ls-files >"$WORK/git" 2>/dev/null && [ -s "$WORK/git" ]; then
    check "the sdist has every source that git has" sources
else
    skip "the sdist has every source that git has" "no git"
fi

# Checks that the archive of `make dist` is complete: in a separate folder without the repository, it must build a wheel
# with the same members.
unpacked=$WORK/unpacked
alone() { env -u MAKEFLAGS -u BUILD -u MODE "$@"; }
dist() {
    make -s --no-print-directory MODE="$(basename "$BUILD")" BUILD="$SMALL" PYTHON="$PWD/$venv/bin/python" dist >"$WORK/dist" 2>&1 || { cat "$WORK/dist"; return 1; }
    (cd "$BUILD/dist" && grep -q "torch_tracepress-$VERSION.tar.gz" SHA256SUMS && sha256sum -c --quiet SHA256SUMS) || return 1
    mkdir "$unpacked" && tar xzf "$BUILD/dist/torch_tracepress-$VERSION.tar.gz" -C "$unpacked" --strip-components=1
}
compiled() {
    (cd "$unpacked" && alone make -s -j2 FLAGS_release="-O0 -DNDEBUG" all >"$WORK/compiled" 2>&1) || { tail -n 20 "$WORK/compiled"; return 1; }
    [ "$("$unpacked/build/release/tracepress" --version)" = "tracepress $VERSION" ]
}
members() { python3 -c 'import sys, zipfile; print("\n".join(sorted(zipfile.ZipFile(sys.argv[1]).namelist())))' "$1"; }
wheel_of_unpacked_sources() {
    root=$PWD
    (cd "$unpacked" && alone "$root/$venv/bin/pip" wheel --quiet --no-index --no-build-isolation --no-deps -w "$WORK/three" .) || return 1
    members "$wheel" | grep -v 'man1/tracepress-mpi[.]1$\|scripts/tracepress-mpi$' >"$WORK/ours" && members "$WORK"/three/*.whl >"$WORK/its" && diff "$WORK/ours" "$WORK/its"
}
if is_checked; then
    skip "make dist compiles where it is unpacked" "compiled once, in the suite of the release build"
else
    check "make dist: the sources with a correct checksum" dist
    check "they compile where they are unpacked" compiled
    check "pip wheel of them has the members of the clone's wheel" wheel_of_unpacked_sources
fi

env=$WORK/env
installed() { python3 -m venv "$env" && "$env/bin/pip" install --quiet --no-index "$wheel"; }
check "pip installs the wheel" installed
one_version() {
    for said in "$("$env/bin/tracepress" --version)" "$("$env/bin/python" -m torch_tracepress --version)" \
        "tracepress $("$env/bin/python" -c 'from importlib.metadata import version; print(version("torch-tracepress"))')" \
        "tracepress $(sed -n 's/^Version: //p' "$env/lib/pkgconfig/tracepress.pc")" \
        "tracepress $(sed -n 's/^#define TRACEPRESS_VERSION "\(.*\)"/\1/p' "$env/include/tracepress.h")" \
        "tracepress $(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$env/lib/cmake/tracepress/tracepressConfigVersion.cmake")"; do
        [ "$said" = "tracepress $VERSION" ] || { echo "says: $said"; return 1; }
    done
}
check "program, module, metadata, header, pkg-config and CMake have the Makefile's version" one_version
trace=$(find "$DATA" -name '*.pt.trace.json.gz' | sort | head -n 1)
own_program() { [ "$(realpath "$("$env/bin/python" -I -c "import torch_tracepress; print(torch_tracepress.command())")")" = "$(realpath "$env/bin/tracepress")" ]; }
check "the module finds the program of its own wheel" own_program
same_report() {
    mkdir -p "$WORK/report" && (
        cd "$WORK/report" && "$TP" report -q -o ours.html --json ours.json "$trace" && "$env/bin/tracepress" report -q -o its.html --json its.json "$trace" &&
            cmp ours.html its.html && cmp ours.json its.json
    )
}
check "its report has the bytes of the built program's" same_report

# ---- the wheel alone, without network, compiler, and other tracepress programs ----
alone() { # alone COMMAND...: runs the command in this environment
    set -- env -i HOME="$WORK/home" LC_ALL=C.UTF-8 PATH=/nowhere "$@"
    if unshare -n true 2>/dev/null; then unshare -n "$@"; else "$@"; fi
}
other=$(find "$DATA" -name '*.pt.trace.json.gz' | sort | sed -n 2p)
mkdir -p "$WORK/built/runs" "$WORK/home" && cp "$trace" "$other" "$WORK/built/runs" &&
    (cd "$WORK/built/runs" && "$TP" report -q "$(basename "$trace")" -o ../page.html)
in_python() { # in_python PYTHON: installs the wheel for this Python and tests it
    place=$WORK/of$(python_version "$1")
    mkdir -p "$place/runs" && cp "$trace" "$other" "$place/runs" && "$1" -m venv --without-pip "$place/env" &&
        alone "$HERE/$venv/bin/pip" --python "$place/env/bin/python" install --quiet --disable-pip-version-check --no-index "$wheel" && (
        cd "$place/runs" && alone "$place/env/bin/python" -I "$HERE/tests/wheel/installed.py" "$(basename "$trace")" "$(basename "$other")" "$WORK/built/page.html"
    )
}
for python in $(pythons); do
    check "Python $(python_version "$python"), no network, an empty PATH: pip installs it, page and objects are those of the built program" in_python "$python"
done
uvx() {
    mkdir -p "$WORK/uv/runs" && cp "$trace" "$WORK/uv/runs" && (
        cd "$WORK/uv" && alone "$HERE/$venv/bin/uvx" --offline --no-config --python "$HERE/$venv/bin/python" --from "$wheel" tracepress report runs/ -q -o uv.html &&
            "$TP" report runs/ -q -o ours.html && cmp uv.html ours.html
    )
}
if [ -x "$venv/bin/uvx" ]; then
    check "uvx runs the command from the wheel, without an index" uvx
else
    skip "uvx runs the command from the wheel" "no uv in build/wheel"
fi
exit_codes() {
    "$env/bin/tracepress" report "$WORK/none.json" >/dev/null 2>&1
    [ $? = 3 ] || return 1
    "$env/bin/python" -m torch_tracepress report --no-such-option >/dev/null 2>&1
    [ $? = 2 ]
}
check "its exit codes are the program's" exit_codes
records() { "$env/bin/tracepress" record -o "$WORK/runs" -- sort /etc/passwd >"$WORK/sorted" && find "$WORK/runs" -name '*.pt.trace.json*' | grep -q .; }
is_checked || check "record finds its library in the environment" records
# Checks that the module exists and defines the class, although the class cannot be imported without TensorBoard.
plugin() {
    "$env/bin/python" -I -c '
import importlib.metadata, importlib.util, re
points = importlib.metadata.distribution("torch-tracepress").entry_points
module, name = next(p.value for p in points if p.group == "tensorboard_plugins").split(":")
found = importlib.util.find_spec(module)
assert re.search(rf"^class {name}\(", found.loader.get_source(module), re.M), (module, name)
assert found.loader.get_data(found.origin.replace("plugin.py", "index.js"))'
}
check "the entry point that TensorBoard reads leads to the plugin, and its script came along" plugin
linked() {
    printf '#include <tracepress.h>\nint main(void) { tracepress_step(); return 0; }\n' >"$WORK/step.c"
    flags=$(PKG_CONFIG_PATH=$env/lib/pkgconfig pkg-config --cflags --libs tracepress) || return 1
    # shellcheck disable=SC2086
    cc "$WORK/step.c" $flags -o "$WORK/step" && LD_LIBRARY_PATH=$env/lib "$WORK/step"
}
if is_checked || ! command -v pkg-config >/dev/null; then
    skip "a C program is linked by the environment's pkg-config" "no pkg-config"
else
    check "a C program is linked by the environment's pkg-config" linked
fi
gone() {
    "$env/bin/pip" uninstall --quiet --yes torch-tracepress && left=$(find "$env" -name '*tracepress*') && { [ -z "$left" ] || { echo "$left"; return 1; }; }
}
check "pip uninstall leaves nothing of it" gone
