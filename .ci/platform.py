"""platform.py PLATFORM <JSON: checks that a wheel runs on PLATFORM, such as manylinux_2_28_x86_64. JSON is the output
of `auditwheel show --json`. Prints a line and exits with 1 if the wheel needs a newer C library, another library
or a later processor, or is for another machine."""
import json
import re
import sys


def parts(tag):
    """Returns the machine and the version of the C library of a platform tag."""
    found = re.fullmatch(r"manylinux_(\d+)_(\d+)_(\w+)", tag)
    return (found.group(3), (int(found.group(1)), int(found.group(2)))) if found else ("", (0, 0))


def reason(platform, said):
    """Returns why the wheel does not run on the platform, or None if it does."""
    machine, most = parts(platform)
    its_machine, needed = parts(said["overall_tag"])
    if not machine:
        return "%s is no platform of manylinux" % platform
    if said["pure"] or its_machine != machine or needed > most:
        return "it is a wheel for %s, not for %s" % (said["overall_tag"], platform)
    if said["external_libs"]:
        return "it needs " + ", ".join(sorted(said["external_libs"]))
    if said["unsupported_isa"]:
        return "it needs a later processor"
    return None


why = reason(sys.argv[1], json.load(sys.stdin))
if why:
    sys.exit("platform.py: " + why)
