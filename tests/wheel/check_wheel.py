"""check_wheel.py WHEEL TREE VERSION: checks that the wheel contains the installed TREE and the Python package, and
that its RECORD is right. The wheel is read as a zip file by the rules of the binary distribution format, without
the build backend. Prints a line per fault, and exits with 1 if there is one."""

import base64
import csv
import hashlib
import io
import os
import stat
import sys
import zipfile

MOST_BYTES = 3_000_000
# files and folders of the tree that must not be in the wheel
LEFT_OUT = ("lib/libtracepress.a", "bin/tracepress-mpi", "share/man/man1/tracepress-mpi.1", "share/doc/tracepress/docs/",
            "share/doc/tracepress/README.md", "share/bash-completion/", "share/zsh/", "share/fish/")
PACKAGE = os.path.join("python", "torch_tracepress")


def recorded(wheel, stem):
    """Compares RECORD with the members. Each member must be listed once, none may be missing, and sizes and hashes must
    be right."""
    name = f"{stem}.dist-info/RECORD"
    rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(name).decode()))}
    if sorted(rows) != sorted(wheel.namelist()):
        yield f"RECORD and members differ: {sorted(set(rows) ^ set(wheel.namelist()))}"
    for member, (digest, size) in rows.items():
        if member == name:
            continue
        data = wheel.read(member)
        right = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        if digest != right or int(size) != len(data):
            yield f"RECORD is wrong about {member}"


def tree_files(tree):
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            yield os.path.relpath(path, tree).replace(os.sep, "/"), path


def as_member(name, stem):
    return f"{stem}.data/scripts/{name[4:]}" if name.startswith("bin/") else f"{stem}.data/data/{name}"


def same_tree(wheel, stem, tree):
    """Compares data and scripts of the wheel with the files of the tree except LEFT_OUT. For a link, the wheel has a
    text that linkers follow."""
    wanted = {as_member(name, stem): path for name, path in tree_files(tree) if not name.startswith(LEFT_OUT)}
    found = {name for name in wheel.namelist() if name.startswith(f"{stem}.data/")}
    if found != set(wanted):
        yield f"files of make install-strip and of the wheel differ: {sorted(found ^ set(wanted))}"
    for name in sorted(found & set(wanted)):
        path = wanted[name]
        if os.path.islink(path):
            is_same = wheel.read(name) == f"INPUT({os.readlink(path)})\n".encode()
        else:
            with open(path, "rb") as file:
                is_same = wheel.read(name) == file.read()
        if not is_same:
            yield f"{name} is not what make install-strip copies"
        mode = wheel.getinfo(name).external_attr >> 16
        if "/scripts/" in name and not mode & stat.S_IXUSR:
            yield f"{name} cannot be executed"


def same_package(wheel):
    wanted = {f"torch_tracepress/{name}" for name, _ in tree_files(PACKAGE) if "__pycache__" not in name}
    found = {name for name in wheel.namelist() if name.startswith("torch_tracepress/")}
    if wanted != found:
        yield f"the package and its files in the wheel differ: {sorted(wanted ^ found)}"


def metadata(wheel, stem, version):
    text = wheel.read(f"{stem}.dist-info/METADATA").decode()
    head = text.split("\n\n", 1)[0].splitlines()
    if f"Version: {version}" not in head or "Name: torch-tracepress" not in head:
        yield "METADATA has another name or version"
    for line in head:
        if line.startswith("Requires-Dist:") and "extra ==" not in line:
            yield f"the wheel needs another package: {line}"
    if "Tag: py3-none-" not in wheel.read(f"{stem}.dist-info/WHEEL").decode():
        yield "the wheel is not for every Python 3"
    notice = wheel.read(f"{stem}.data/data/share/doc/tracepress/THIRD-PARTY").decode()
    for work in ("zlib", "protobuf-c", "SQLite", "ISA-L"):
        if f"==== {work}," not in notice:
            yield f"THIRD-PARTY has no {work}"


def main(path, tree, version):
    stem = f"torch_tracepress-{version}"
    faults = []
    if os.path.getsize(path) > MOST_BYTES:
        faults.append(f"{os.path.getsize(path)} bytes, more than {MOST_BYTES}")
    try:
        with zipfile.ZipFile(path) as wheel:
            for some in (recorded(wheel, stem), same_tree(wheel, stem, tree), same_package(wheel), metadata(wheel, stem, version)):
                faults.extend(some)
    except (KeyError, zipfile.BadZipFile) as error:
        faults.append(str(error))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
