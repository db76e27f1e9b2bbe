"""make.py AREA FOLDER KIND..: runs `python3 AREA.py KIND FOLDER/KIND` for each kind, in child processes of one interpreter,
because most of the time of one run is the start of Python. If a kind fails, its folder is removed, and the exit code is 1."""
import os
import shutil
import sys
import traceback

area, folder, kinds = sys.argv[1], sys.argv[2], sys.argv[3:]
here = os.path.dirname(os.path.abspath(__file__))
source = os.path.join(here, area + ".py")
with open(source) as file:
    code = compile(file.read(), source, "exec")
sys.path[0] = here


def run(kind):
    """Runs the script as a child process would, and returns whether it succeeded."""
    target = os.path.join(folder, kind)
    os.makedirs(target)
    child = os.fork()
    if child == 0:
        sys.argv = [source, kind, target]
        status = 1
        try:
            exec(code, {"__name__": "__main__", "__file__": source})
            status = 0
        except SystemExit as end:
            status = 0 if end.code in (None, 0) else 1
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    if os.waitpid(child, 0)[1] == 0:
        return True
    print("%s.py %s fails" % (area, kind), file=sys.stderr)
    shutil.rmtree(target, ignore_errors=True)
    return False


sys.exit(0 if all([run(kind) for kind in kinds]) else 1)
