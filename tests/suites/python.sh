# Tests torch_tracepress: its objects, its handler and its notebook view, compared with the output of tracepress.
# 
# build/python is a Python with pandas, nbconvert, ipykernel and mypy, which is made once from the package index.
# TORCH_PYTHON (or build/torch/bin/python) is a Python with torch. Other Pythons from 3.9 on are found in PYTHONS, PATH
# and pyenv.
. tests/suites/case.sh
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    skip "torch_tracepress" "no python3 from 3.9 on"
    exit 0
fi
export PYTHONPATH=$PWD/python TRACEPRESS_PROGRAM=$TP PYTHONDONTWRITEBYTECODE=1
BROWSER_BINARY=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
export BROWSER_BINARY
unset RANK SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK

# ---- other Pythons: fewer traces, and only some cases of the handler ----
with_others() {
    python_version python3 >"$WORK/versions"
    for python in $(pythons); do
        version=$(python_version "$python")
        grep -qx "$version" "$WORK/versions" && continue
        echo "$version" >>"$WORK/versions"
        FEW=1 script objects "$python"
        T=${T:-handler:} script handler "$python"
    done
    for version in 3.9 3.10 3.11 3.12 3.13 3.14; do
        grep -qx "$version" "$WORK/versions" || skip "torch_tracepress with Python $version" "not installed"
    done
}

# ---- with packages ----
venv=build/python
made() { # Makes the environment once. Without a package index, later runs do not try again.
    [ ! -e "$venv/tried" ] || return 1
    mkdir -p "$venv" && : >"$venv/tried"
    python3 -m venv "$venv" >"$WORK/venv" 2>&1 &&
        "$venv/bin/pip" install --quiet --retries 1 --timeout 20 pandas pandas-stubs nbconvert ipykernel mypy >>"$WORK/venv" 2>&1
}
usable() { "$venv/bin/python" -c 'import pandas, nbconvert, ipykernel, mypy' 2>/dev/null; }
with_packages() {
    if usable || { made && usable; }; then
        script notebook "$venv/bin/python"
    else
        skip "torch_tracepress with pandas, Jupyter and mypy" "no package index to make build/python from"
    fi
}
with_torch() {
    for candidate in "${TORCH_PYTHON:-}" "$PWD/build/torch/bin/python" python3; do
        if [ -n "$candidate" ] && "$candidate" -c 'import torch' 2>/dev/null; then
            script handler_torch "$candidate"
            return
        fi
    done
    skip "torch_tracepress.trace_handler with torch" "no Python with torch (TORCH_PYTHON)"
}

# two cases run at a time, because they mostly wait
{
    script objects python3
    with_others
} >"$WORK/left" &
{
    script handler python3
    with_packages
    with_torch
} >"$WORK/right"
wait
cat "$WORK/left" "$WORK/right"
