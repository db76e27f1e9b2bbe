# Runs the scripts of .ci as .github/workflows/release.yml does. Also tests releases that must be refused, and checks
# the wheel of a release.
#
# build/release-python is a Python with .ci/requirements.txt, and build/release-dependencies contains the output of
# .ci/dependencies.sh. Both are made once, from the package index and a mirror of Debian. ACTIONLINT is an actionlint,
# CHECK_PYTHON a Python with yamllint, CONDA_PYTHON a Python with py-rattler-build.
. tests/suites/case.sh
is_checked && exit 0
VERSION=$(sed -n 's/^VERSION := //p' Makefile)
TRACE=$DATA/traces/torch_2.13_mlp_train.full.pt.trace.json.gz
refused() { # refused WORD COMMAND...: checks that the command fails with a reason that contains WORD
    why=$1
    shift
    if "$@" >"$WORK/said" 2>&1; then echo "not refused: $*"; return 1; fi
    grep -q -- "$why" "$WORK/said" || { cat "$WORK/said"; return 1; }
}

# ---- the tag ----
tagged() { # tagged TEXT TAG: runs tag.sh with this text of CHANGELOG.md
    mkdir -p "$WORK/tagged" && cp Makefile "$WORK/tagged" && printf '%b' "$1" >"$WORK/tagged/CHANGELOG.md" && ROOT=$WORK/tagged sh .ci/tag.sh "$2"
}
good="# Changes\n\n## 9.9.9, 2031-01-01\n\nlater\n\n## $VERSION, 2030-01-01\n\nfirst\n\n## 0.0.1\n\nbefore\n"
notes() { [ "$(tagged "$good" "v$VERSION")" = "
first" ]; }
check "tag: the version's, with what CHANGELOG.md says of it" notes
check "tag: another version is refused" refused "VERSION in the Makefile is $VERSION" tagged "$good" v9.9.9
check "tag: a version without v is refused" refused "the tag is $VERSION" tagged "$good" "$VERSION"
check "tag: a version that CHANGELOG.md does not know is refused" refused "no section" tagged "## 9.9.9\n\nx\n" "v$VERSION"
check "tag: a version that CHANGELOG.md calls unreleased is refused" refused "not released yet" tagged "## $VERSION, not released yet\n" "v$VERSION"

# ---- the files of a release ----
files() {
    rm -rf "$WORK/dist" && mkdir "$WORK/dist" && cd "$WORK/dist" || return 1
    for file in "torch_tracepress-$VERSION.tar.gz" "torch_tracepress-$VERSION-py3-none-manylinux_2_28_x86_64.whl" \
        "torch_tracepress-$VERSION-py3-none-manylinux_2_28_aarch64.whl" "tracepress_${VERSION}_amd64.deb" "tracepress_${VERSION}_arm64.deb"; do
        echo "$file" >"$file"
    done
    cd "$OLDPWD" || return 1
}
sums() { sh .ci/checksums.sh "$WORK/dist"; }
complete() { # Runs the script twice, because existing checksums must not count as files of the release.
    files && sums && sums && [ "$(wc -l <"$WORK/dist/SHA256SUMS")" = 5 ] && (cd "$WORK/dist" && sha256sum -c --quiet SHA256SUMS)
}
# incomplete WORD COMMAND...: changes the folder with COMMAND, and checks that checksums.sh fails with WORD
incomplete() {
    why=$1
    shift
    files && (cd "$WORK/dist" && "$@") && refused "$why" sums && [ ! -e "$WORK/dist/SHA256SUMS" ]
}
check "checksums: of each file, and they hold" complete
check "checksums: none without a wheel" incomplete "< .*aarch64.whl" rm "torch_tracepress-$VERSION-py3-none-manylinux_2_28_aarch64.whl"
check "checksums: none with another version's file" incomplete "> tracepress_0.0.9_amd64.deb" touch tracepress_0.0.9_amd64.deb
check "checksums: none with a folder" incomplete "> more" mkdir more

# ---- the workflow ----
WORKFLOW=.github/workflows/release.yml
# Checks that each action is pinned to a commit, with the version in a comment, and that all uses of an action have the
# same commit.
pinned() {
    sed -n 's/^.*uses: *//p' "$1" >"$WORK/uses" && [ -s "$WORK/uses" ] || return 1
    ! grep -vE '^[A-Za-z-]+/[A-Za-z-]+@[0-9a-f]{40}  # v[0-9]+[.][0-9]+[.][0-9]+$' "$WORK/uses" || return 1
    more=$(sort -u "$WORK/uses" | sed 's/@.*//' | uniq -d) && [ -z "$more" ] || { echo "two versions of $more"; return 1; }
}
planted_pin() { sed 's/@[0-9a-f]\{40\}  # v4.2.2/@v4/' $WORKFLOW >"$WORK/tag.yml" && ! pinned "$WORK/tag.yml"; }
# Checks that the workflow runs only scripts of .ci that exist, and that the workflow, make or another script runs each
# script of .ci.
scripts() {
    grep -oh '[.]ci/[a-z_]*[.a-z]*' $WORKFLOW | sort -u >"$WORK/named"
    while read -r file; do [ -f "$file" ] || { echo "$file: not there"; return 1; }; done <"$WORK/named"
    for file in .ci/*.*; do grep -qF "$(basename "$file")" $WORKFLOW Makefile .ci/*.sh || { echo "$file: nothing runs it"; return 1; }; done
}
check "workflow: actions are named by commit and version" pinned $WORKFLOW
check "workflow: an action named by a tag is seen" planted_pin
check "workflow: its scripts are there, and all are run" scripts
python=${CHECK_PYTHON:-python3}
if "$python" -m yamllint --version >/dev/null 2>&1; then
    check "workflow, action and recipe pass yamllint" "$python" -m yamllint -s -d '{extends: default, rules: {line-length: {max: 120}}}' .github .ci/conda
else
    skip "workflow, action and recipe pass yamllint" "no yamllint (CHECK_PYTHON)"
fi
if ${ACTIONLINT:-actionlint} -version >/dev/null 2>&1; then
    check "workflows pass actionlint" ${ACTIONLINT:-actionlint} .github/workflows/*.yml
else
    skip "workflows pass actionlint" "no actionlint (ACTIONLINT)"
fi
conda() { "$CONDA_PYTHON" tests/check/conda_recipe.py "$1" "$VERSION"; }
other_recipe() { # other_recipe WORD SED: changes a recipe with this sed script, and checks that it fails with WORD
    sed "$2" .ci/conda/recipe.yaml >"$WORK/recipe.yaml" && refused "$1" conda "$WORK/recipe.yaml"
}
if "${CONDA_PYTHON:-none}" -c 'import rattler_build' 2>/dev/null; then
    check "conda recipe: rattler-build renders it for both machines, with the Makefile's version" conda .ci/conda/recipe.yaml
    check "conda recipe: another version is seen" other_recipe 9.9.9 's/^  version: "[^"]*"/  version: "9.9.9"/'
    check "conda recipe: a field that there is not is seen" other_recipe builds 's/^build:/builds:/'
    check "conda recipe: a library that is not there is seen" other_recipe isa-l '/- isa-l$/d'
else
    skip "conda recipe: rattler-build renders it" "no Python with py-rattler-build (CONDA_PYTHON)"
fi

# ---- platforms on which a wheel runs ----
platform() { # platform PLATFORM MEMBERS: runs platform.py with these JSON members changed
    python3 -c '
import json, sys
said = {"overall_tag": "manylinux_2_28_x86_64", "pure": False, "external_libs": {}, "unsupported_isa": False}
print(json.dumps({**said, **json.loads(sys.argv[1])}))' "$2" | python3 .ci/platform.py "$1"
}
wheel_fits_platform() { platform manylinux_2_28_x86_64 '{}' && platform manylinux_2_31_x86_64 '{}' && platform manylinux_2_28_x86_64 '{"overall_tag": "manylinux_2_5_x86_64"}'; }
if command -v python3 >/dev/null; then
    check "platform: a wheel for it, or for an older one" wheel_fits_platform
    check "platform: a newer C library is refused" refused "manylinux_2_31_x86_64, not for" platform manylinux_2_28_x86_64 '{"overall_tag": "manylinux_2_31_x86_64"}'
    check "platform: another machine is refused" refused "not for manylinux_2_28_aarch64" platform manylinux_2_28_aarch64 '{}'
    check "platform: one for this machine alone is refused" refused "linux_x86_64, not for" platform manylinux_2_28_x86_64 '{"overall_tag": "linux_x86_64"}'
    check "platform: a library is refused" refused "needs libisal.so.2" platform manylinux_2_28_x86_64 '{"external_libs": {"libisal.so.2": "/lib"}}'
    check "platform: a later processor is refused" refused "later processor" platform manylinux_2_28_x86_64 '{"unsupported_isa": true}'
fi

# ---- the dependencies ----
prefix=build/release-dependencies
damaged() { # Changes the content of the first archive, so that the script must fail.
    path=$(sed -n '1s/.*  //p' .ci/sources.txt)
    mkdir -p "$WORK/mirror/$(dirname "$path")" && echo other >"$WORK/mirror/$path" || return 1
    refused "FAILED" env MIRROR="file://$WORK/mirror" sh .ci/dependencies.sh "$WORK/prefix" && [ -z "$(find "$WORK/prefix" -type f)" ]
}
made() { # Builds the dependencies once for each version of these scripts. An unfinished build is not used.
    mark=$(cat .ci/sources.txt .ci/dependencies.sh | sha256sum)
    [ "$(cat $prefix/made 2>/dev/null)" != "$mark" ] || return 0
    rm -rf $prefix && sh .ci/dependencies.sh $prefix && echo "$mark" >$prefix/made
}
python_made() {
    venv=build/release-python
    "$venv/bin/python" -c 'import auditwheel, hatchling' 2>/dev/null && return
    [ ! -e $venv/tried ] && mkdir -p $venv && : >$venv/tried && python3 -m venv $venv >/dev/null 2>&1 &&
        $venv/bin/pip install --quiet --retries 1 --timeout 20 -r .ci/requirements.txt >/dev/null 2>&1
}
missing=
for tool in curl tclsh $([ "$(uname -m)" != x86_64 ] || echo nasm); do command -v "$tool" >/dev/null || missing="$missing $tool"; done
if command -v curl >/dev/null; then check "dependencies: an archive with another checksum is refused" damaged; fi
if [ -n "$missing" ]; then
    skip "a wheel as a release has it" "no$missing"
    exit 0
elif ! curl -sS --fail -I --max-time 20 -o /dev/null "${MIRROR:-https://deb.debian.org/debian}/dists/stable/Release" 2>/dev/null; then
    skip "a wheel as a release has it" "no mirror of Debian"
    exit 0
elif ! python_made; then
    skip "a wheel as a release has it" "no package index to make build/release-python from"
    exit 0
fi
check "dependencies: built from the archives" made

# ---- the wheel ----
here=manylinux_$(getconf GNU_LIBC_VERSION | sed 's/glibc //; s/[.]/_/')_$(uname -m)
# Builds with the flags of a release, so that wheel.sh measures the size of a release.
wheel() { BUILD=build/wheel-release CFLAGS=-g0 PYTHON=build/release-python/bin/python sh .ci/wheel.sh $prefix "$1" "$WORK/$1"; }
check "wheel: linked with them, for this machine's C library and newer ones" wheel "$here"
check "wheel: for an older C library it is refused" refused "not for manylinux_2_5" wheel "manylinux_2_5_$(uname -m)"
check "wheel: a second one in the same folder is refused" refused "has a wheel already" wheel "$here"
ours() { # Checks that the built programs contain the pinned versions of the libraries, not those of the system.
    zlib=$(sed -n 's/^#define ZLIB_VERSION "\(.*\)"/\1/p' $prefix/include/zlib.h) sqlite=$(sed -n 's/^#define SQLITE_VERSION  *"\(.*\)"/\1/p' $prefix/include/sqlite3.h)
    for file in tracepress libtracepress.so.0 libtracepress.a; do
        grep -aq "deflate $zlib Copyright" "build/wheel-release/$file" || { echo "$file: no zlib $zlib"; return 1; }
    done
    grep -aq "$sqlite" build/wheel-release/tracepress
}
check "wheel: program and libraries have the archives' versions" ours
page() { "$TP" report -q -o "$WORK/page.html" "$TRACE"; }
try() { page && sh .ci/try_wheel.sh "$WORK/$here"/*.whl "$TRACE" "$WORK/page.html"; }
try_other() { page && echo >>"$WORK/page.html" && refused "differ\|EOF" sh .ci/try_wheel.sh "$WORK/$here"/*.whl "$TRACE" "$WORK/page.html"; }
check "wheel: in an empty environment it makes the page that the built program makes" try
check "wheel: another page is seen" try_other

# ---- the Debian package ----
deb() {
    make -s --no-print-directory MODE=release BUILD="${BUILD#"$PWD"/}" deb >"$WORK/deb" 2>&1 || { cat "$WORK/deb"; return 1; }
    package=$BUILD/dist/tracepress_${VERSION}_$(dpkg --print-architecture).deb
    dpkg-deb -x "$package" "$WORK/root" && page && "$WORK/root/usr/bin/tracepress" report -q -o "$WORK/its.html" "$TRACE" && cmp "$WORK/page.html" "$WORK/its.html"
}
if command -v dpkg-deb >/dev/null; then check "package: the program that is in it makes the same page" deb; else skip "package: the program that is in it makes the same page" "no dpkg-deb"; fi
