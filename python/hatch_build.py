"""Build hook of the wheel: runs `make install-strip` into a tree, whose files become the wheel's scripts and data.

The static library, tracepress-mpi, and the definitions of all numbers and JSON members are left out. The static library
would be a fifth of the size, and is for programs that are linked elsewhere. tracepress-mpi runs only with the MPI that
it was compiled with. The definitions would be a twentieth of the size, and no command reads them. The skill file for
agents is in the wheel once, in share/tracepress.

TRACEPRESS_WHEEL_PLATFORM is the platform in the wheel's name, such as manylinux_2_31_x86_64. Without it, the wheel
is for this machine. Variables of the environment that make uses (CC, CFLAGS, STATIC_LIBS, BUILD) are passed on.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TREE = Path("build", "wheel-tree")
# A wheel has the manual pages and `tracepress help`, but not the longer docs, so that it stays below 3 MB. Shells do not
# search an environment of Python for completions.
LEFT_OUT = ("lib/libtracepress.a", "share/doc/tracepress/docs/", "share/doc/tracepress/README.md", "share/bash-completion/",
            "share/zsh/", "share/fish/")
NEEDED = "CONTRIBUTING.md, section \"Build by hand\", lists what it needs"


def jobs() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2


def install(root: Path, tree: Path) -> None:
    """Run make, without the variables of an outer make, because they describe the jobs of the outer make."""
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    shutil.rmtree(tree, ignore_errors=True)
    words = ["make", f"-j{jobs()}", "install-strip", f"DESTDIR={tree}", "PREFIX=", "MPI="]
    try:
        subprocess.run(words, cwd=root, env=environment, check=True, stdout=2)
    except FileNotFoundError:
        raise SystemExit(f"torch-tracepress is compiled by make, which is not here; {NEEDED}") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"torch-tracepress: make ended with {error.returncode}; {NEEDED}") from None


def without_links(tree: Path) -> None:
    """Replace links by files, because a zip archive has no links. Linkers accept a file that contains the link's
    target."""
    for path in tree.rglob("*"):
        if path.is_symlink():
            target = os.readlink(path)
            path.unlink()
            path.write_text(f"INPUT({target})\n", encoding="ascii")


class MakeHook(BuildHookInterface[Any]):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        tree = root / TREE
        install(root, tree)
        without_links(tree)
        for path in sorted(path for path in tree.rglob("*") if path.is_file()):
            name = path.relative_to(tree).as_posix()
            if name.startswith(LEFT_OUT):
                continue
            kind, _, rest = name.partition("/")
            if kind == "bin":
                build_data["shared_scripts"][str(path)] = rest
            else:
                build_data["shared_data"][str(path)] = name
        platform = os.environ.get("TRACEPRESS_WHEEL_PLATFORM") or sysconfig.get_platform()
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + re.sub(r"[-.]", "_", platform)
