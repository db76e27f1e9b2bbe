#!/usr/bin/env python3
"""commands.py KIND FOLDER: writes an input of another profiler into FOLDER, for commands.tsv."""
import sys

import databases
import perfetto


def two_samples(folder):
    """A Perfetto trace with two samples of one counter of one device."""
    described = perfetto.message(47, perfetto.number(1, 1) + perfetto.number(3, 0) + perfetto.message(2, perfetto.message(
        1, perfetto.number(1, 4) + perfetto.message(2, "Power (W)"))))
    t = perfetto.plain()
    for at, watts in ((1000, 300.5), (2000, 301.5)):
        sample = perfetto.message(52, perfetto.number(4, 1) + perfetto.message(2, perfetto.number(1, 4) + perfetto.real(3, watts)))
        t.packet(perfetto.message(12, described), sample, time=perfetto.BASE + at, flags=2)
    perfetto.write(folder, t.bytes())


def database(kind):
    def make(folder):
        export, _ = getattr(databases, "made_" + kind)(folder)
        if export:
            export.close()
    return make


KINDS = {"nsys": database("plain"), "rocpd": database("rocpd"), "rpd": database("rpd"), "perfetto": perfetto.KINDS["plain"],
         "nvprof": database("nvprof"), "two_samples": two_samples, "shapes_of_one_side": database("shapes_of_one_side")}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
