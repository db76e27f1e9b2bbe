# Compares the CUPTI declarations in collector/source/cupti_abi.h with NVIDIA's headers. Searches for the headers in
# $CUPTI_INCLUDE (folders, separated by colons), $CUDA_HOME, /usr/local/cuda, and the Python packages
# nvidia-cuda-cupti*.
. tests/suites/case.sh

version() { sed -n 's/^#define CUPTI_API_VERSION *//p' "$1/cupti_version.h" | head -n 1; }
# The headers of CUPTI's packages need cuda.h from other packages. The folders of those packages come later on the
# include path.
compiles() {
    others=
    for folder in $folders /usr/local/cuda/include; do
        others="$others -idirafter $folder"
    done
    # shellcheck disable=SC2086
    ${CC:-cc} -std=gnu17 -fsyntax-only -w -I. -I"$1" $others tests/abi/cupti_abi.c
}

folders=$(printf '%s' "${CUPTI_INCLUDE:-}" | tr ':' ' ')
folders="$folders ${CUDA_HOME:+$CUDA_HOME/include} ${CUDA_HOME:+$CUDA_HOME/extras/CUPTI/include}"
folders="$folders /usr/local/cuda/include /usr/local/cuda/extras/CUPTI/include"
folders="$folders $(python3 -c 'import glob, site
for place in site.getsitepackages():
    for found in glob.glob(place + "/nvidia/*/include"):
        print(found)' 2>/dev/null)"
checked=0
for folder in $folders; do
    if [ -f "$folder/cupti.h" ]; then
        checked=$((checked + 1))
        check "CUPTI $(version "$folder"): every field is where we say" compiles "$folder"
    fi
done
[ $checked -gt 0 ] || skip "CUPTI's headers say what ours do" "no cupti.h here"
