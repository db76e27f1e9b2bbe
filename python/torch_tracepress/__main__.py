"""Makes ``python -m torch_tracepress ARGUMENTS`` run the program ``tracepress ARGUMENTS``."""

import os
import subprocess
import sys

from ._command import TracepressError, command


def main() -> int:
    try:
        words = [command(), *sys.argv[1:]]
    except TracepressError as error:
        print(f"tracepress: {error}", file=sys.stderr)
        return error.code
    if os.name == "posix":
        os.execv(words[0], words)
    return subprocess.call(words)


if __name__ == "__main__":
    sys.exit(main())
