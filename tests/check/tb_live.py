"""tb_live.py PYTHON FAST LOGDIR PROGRAM ARG...: lets TensorBoard (of PYTHON, --load_fast=FAST) read LOGDIR while the
program trains into LOGDIR/run.

Exits with 0 if TensorBoard shows more and more step times before the program exits, and each step once at the end.
Without PROGRAM, prints the content of LOGDIR as JSON."""
import json, os, socket, subprocess, sys, time, urllib.parse, urllib.request

python, fast, logdir, program = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]


def get(path, **query):
    url = "http://127.0.0.1:%d/data/plugin/scalars/%s?%s" % (port, path, urllib.parse.urlencode(query))
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return json.load(reply)
    except (OSError, ValueError):
        return None


def steps(tag, run="run"):
    return [point[1] for point in get("scalars", run=run, tag=tag) or []]


def wait_for(condition, seconds=120):
    end = time.time() + seconds
    while time.time() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.2)
    return None


def watch():
    assert wait_for(lambda: get("tags") is not None), "TensorBoard does not answer"
    if not program:
        runs = wait_for(lambda: {run: tags for run, tags in (get("tags") or {}).items() if tags})
        seen = {}
        for _ in range(20):  # reads until two consecutive results are equal
            now = {run + ": " + tag: steps(tag, run) for run, tags in (runs or {}).items() for tag in tags}
            if now and now == seen:
                break
            seen = now
            time.sleep(1)
            runs = get("tags")
        return seen
    child = subprocess.Popen(program, stdout=subprocess.DEVNULL)
    lengths = []
    while child.poll() is None:
        length = len(steps("profile_step/time_ms"))
        if length and child.poll() is None and (not lengths or length > lengths[-1]):
            lengths.append(length)
        time.sleep(0.3)
    assert child.returncode == 0, "the program ended with %d" % child.returncode
    assert len(lengths) >= 3, "points seen while it ran: %s" % lengths
    count = int(program[-1])
    assert wait_for(lambda: steps("profile_step/time_ms") == list(range(count))), \
        "%d points of %d steps in the end" % (len(steps("profile_step/time_ms")), count)
    return {"while it ran": lengths, "in the end": count}


server = subprocess.Popen([python, "-m", "tensorboard.main", "--logdir", logdir, "--port", str(port), "--host", "127.0.0.1",
                           "--load_fast", fast, "--reload_interval", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          env=dict(os.environ, CUDA_VISIBLE_DEVICES=""))
try:
    print(json.dumps(watch()))
except AssertionError as why:
    sys.exit(str(why))
finally:
    server.terminate()
    server.wait()
