# Runs the recipes of docs/artifacts.md word for word, with local servers instead of the object store and the code host.
#
# ARTIFACTS_PYTHON is a Python with awscli, moto[server], mlflow-skinny and wandb.
. tests/suites/case.sh
HERE=$PWD
PYTHON=${ARTIFACTS_PYTHON:-$(command -v python3)} || {
    skip "recipes of docs/artifacts.md" "no python3"
    exit 0
}
export PATH="$BUILD:$PATH:$(dirname "$PYTHON")" HOME=$WORK
trace=$DATA/traces/torch_2.13_mlp_train.full.pt.trace.json.gz
recipe() { awk -v name="$1" '/^<!-- /{on = ($0 == "<!-- recipe: " name " -->")} on && !/^(```|<!--)/' "$HERE/docs/artifacts.md"; }
folder() { # folder NAME: makes an empty folder with traces and the recipe of that name
    rm -rf "${WORK:?}/$1" && mkdir -p "$WORK/$1/runs/today" && cp "$trace" "$WORK/$1/runs/today/" && recipe "$1" >"$WORK/$1/recipe" &&
        [ -s "$WORK/$1/recipe" ] && cd "$WORK/$1"
}
serve() { # serve NAME COMMAND...: runs the command until the suite ends. Its output goes to NAME.said
    name=$1
    shift
    "$@" >"$WORK/$name.said" 2>&1 &
    servers="$servers $!"
}
servers=
# shellcheck disable=SC2086
trap 'kill $servers 2>/dev/null' EXIT

# ---- an object store ----
free_port() { "$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
of_s3() {
    folder s3 || return 1
    aws s3 mb "s3://$BUCKET" && aws s3 cp "$trace" "s3://$BUCKET/runs/worker0.pt.trace.json.gz" && sh -eu recipe || return 1
    "$TP" report - -q -o ours.html <"$trace" && cmp ours.html report.html || return 1
    aws s3 cp "s3://$BUCKET/reports/worker0.html" back.html && cmp report.html back.html || return 1
    aws s3api head-object --bucket "$BUCKET" --key reports/worker0.html | grep -q '"ContentType": "text/html"'
}
no_object() { # Checks that the recipe stores no object if there are no traces.
    folder s3 && BUCKET=elsewhere && export BUCKET && ! sh -eu recipe && [ ! -e report.html ]
}
broken_off() { # Checks that an interrupted upload stores no object.
    folder s3 && head -c "$(($(wc -c <"$trace") / 2))" "$trace" >half && aws s3 cp half "s3://$BUCKET/runs/worker0.pt.trace.json.gz" || return 1
    ! sh -eu recipe && [ ! -e report.html ]
}
# runs both commands, because a program in PATH may be only a wrapper for another Python
if aws --version >/dev/null 2>&1 && moto_server --help >/dev/null 2>&1; then
    export BUCKET=traces AWS_ACCESS_KEY_ID=key AWS_SECRET_ACCESS_KEY=secret AWS_DEFAULT_REGION=us-east-1 AWS_EC2_METADATA_DISABLED=true AWS_MAX_ATTEMPTS=1
    port=$(free_port)
    export AWS_ENDPOINT_URL=http://127.0.0.1:$port
    serve moto moto_server -H 127.0.0.1 -p "$port"
    check "artifacts: the object store answers" comes $! aws s3 ls
    check "artifacts: recipe of an object store: the page is that of the file, and is kept as a page" of_s3
    check "artifacts: an object that is not there makes no page" no_object
    check "artifacts: a download that breaks off makes no page" broken_off
else
    skip "artifacts: recipe of an object store" "no aws or no moto_server (ARTIFACTS_PYTHON)"
fi

# ---- MLflow, Weights & Biases ----
of_python() { # of_python NAME: runs the recipe and checks that its page equals that of the program
    folder "$1" && PYTHONPATH=$HERE/python "$PYTHON" recipe && "$TP" report runs/today -q -o ours.html && cmp ours.html report.html
}
# no_traces NAME FOLDER: checks that the recipe stores nothing and creates no FOLDER if there are no traces
no_traces() {
    folder "$1" && rm -rf runs "$2" && ! PYTHONPATH=$HERE/python "$PYTHON" recipe && [ ! -e "$2" ]
}
of_mlflow() { # Checks that MLflow itself returns the page, the verdict of --json and the step time.
    of_python mlflow && "$TP" report runs/today -q -o none.html --json ours.json || return 1
    "$PYTHON" -c '
import json, mlflow
[run] = mlflow.MlflowClient().search_runs(["0"])
verdict = json.load(open("ours.json"))["runs"][0]["profiles"][0]["verdict"]
assert run.info.status == "FINISHED", run.info
assert run.data.tags["tracepress.verdict"] == verdict["class"] and verdict["class"], run.data.tags
assert run.data.metrics == {"tracepress.step_us": verdict["step_us"]}, run.data.metrics
back = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="tracepress/report.html", dst_path="back")
assert open(back, "rb").read() == open("ours.html", "rb").read(), back'
}
sum_of() { openssl md5 -binary "$1" | base64; }
of_wandb() { # Checks that the run's file has the checksums of the artifact's files, and that the panel shows the page.
    of_python wandb && panel=$(find wandb/offline-run-*/files/media/html -name '*.html') && cmp ours.html "$panel" || return 1
    for file in report.html runs/today/*; do
        grep -aqF "$(sum_of "$file")" wandb/offline-run-*/run-*.wandb wandb/offline-run-*/tmp/* 2>/dev/null || { echo "$file is not in the artifact"; return 1; }
    done
    grep -aq 'tracepress/verdict' wandb/offline-run-*/run-*.wandb
}
if "$PYTHON" -c 'import mlflow' 2>/dev/null; then
    # this suite is named "artifacts", and MLflow 3.17 does not find runs below a folder with this name
    store=$(dirname "$WORK")/mlflow-store
    export MLFLOW_TRACKING_URI="file://$store" MLFLOW_ALLOW_FILE_STORE=true
    check "artifacts: recipe of MLflow: page, verdict and step time come back from its store" of_mlflow
    check "artifacts: without traces MLflow gets no run" no_traces mlflow "$store"
else
    skip "artifacts: recipe of MLflow" "no Python with mlflow (ARTIFACTS_PYTHON)"
fi
if "$PYTHON" -c 'import wandb' 2>/dev/null && command -v openssl >/dev/null; then
    export WANDB_MODE=offline WANDB_SILENT=true
    check "artifacts: recipe of Weights & Biases: the page is the panel, page and traces are the artifact" of_wandb
    check "artifacts: without traces Weights & Biases gets no run" no_traces wandb wandb
else
    skip "artifacts: recipe of Weights & Biases" "no Python with wandb (ARTIFACTS_PYTHON), or no openssl"
fi

# ---- a pull request ----
ready() { [ -s "$WORK/pull/address" ]; }
commented() { # commented COUNT: checks the number of comments on the pull request, and the text of the recipe's comment
    [ "$(jq length "$WORK/pull/held.json")" = "$1" ] && { echo '<!-- tracepress -->' && cat digest.md; } >ours.md &&
        jq -j '.[2].body' "$WORK/pull/held.json" | cmp - ours.md && [ "$(jq -r '.[1].body' "$WORK/pull/held.json" | tail -n 1)" = "not yours" ]
}
of_comment() {
    folder comment && sh -eu recipe && commented 3 || { cat "$WORK/pull/requests"; return 1; }
    cp digest.md first.md && cp "$DATA/ddp/worker0.pt.trace.json.gz" runs/today/ && sh -eu recipe && commented 3 || { cat "$WORK/pull/requests"; return 1; }
    ! cmp -s digest.md first.md && [ "$(cut -d ' ' -f 1,3 "$WORK/pull/requests" | tr '\n' ';')" = "GET 200;POST 201;GET 200;PATCH 200;" ]
}
no_token() { folder comment && ! GITHUB_TOKEN=wrong sh -eu recipe; }
if command -v jq >/dev/null && command -v curl >/dev/null; then
    mkdir "$WORK/pull"
    serve pull python3 tests/check/comments_server.py "$WORK/pull"
    check "artifacts: the pull request answers" comes $! ready
    GITHUB_API_URL=$(cat "$WORK/pull/address")
    export GITHUB_API_URL GITHUB_REPOSITORY=some/where GITHUB_TOKEN=secret PULL=7
    check "artifacts: recipe of a comment: one is written, the second run replaces it, a person's stays" of_comment
    check "artifacts: a comment that is refused fails the step" no_token
else
    skip "artifacts: recipe of a comment" "no jq or no curl"
fi
