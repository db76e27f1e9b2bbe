#!/usr/bin/env python3
"""Writes the inputs of tests/reports/compare.tsv: `compare.py KIND FOLDER`. Equal calls write equal bytes."""
import json
import os
import sys


def span(category, name, start, length, **args):
    """A complete event of the main thread; times in us."""
    event = {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length}
    if args:
        event["args"] = args
    return event


def write(folder, name, events, **head):
    """Writes a trace file."""
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump({"schemaVersion": 1, "traceEvents": events, **head}, file)


# ---- jobs ----

ENGINE_STEP = "execute_context_0(0)_generation_1(1)"


def steps_of(names, length, share=0.5):
    """Steps of `length` us in a row, each with an operator that takes `share` of it."""
    events, at = [], 1000.0
    for number, name in enumerate(names):
        events.append(span("user_annotation", name, at, length))
        events.append(span("cpu_op", "aten::mm", at, share * length, **{"External id": number + 1}))
        at += length + 100
    return events


def rank(number, world):
    """The head of a trace of one rank of several."""
    return {"distributedInfo": {"backend": "gloo", "rank": number, "world_size": world}}


def one_rank_engine_steps(folder):
    """A serving engine on one rank gives most steps the same name."""
    write(folder, "rank0.pt.trace.json", steps_of([ENGINE_STEP] * 8, 900), **rank(0, 1))


def one_rank_pairs_of_names(folder):
    """Each name comes twice: two recordings in one file."""
    write(folder, "one.pt.trace.json", steps_of([f"ProfilerStep#{i % 4}" for i in range(8)], 5000))


def one_rank_empty_steps(folder):
    """Steps of one name and no length."""
    write(folder, "one.pt.trace.json", steps_of(["ProfilerStep#1"] * 4, 0))


def two_ranks_engine_steps(folder):
    """Both ranks repeat the name of a step; the second one computes for twice as long."""
    for number, share in ((0, 0.4), (1, 0.8)):
        write(folder, f"rank{number}.pt.trace.json", steps_of([ENGINE_STEP] * 8, 10000 * (0.5 + share), share),
              **rank(number, 2))


KINDS = {kind.__name__: kind for kind in (one_rank_engine_steps, one_rank_pairs_of_names, one_rank_empty_steps,
                                          two_ranks_engine_steps)}

if __name__ == "__main__":
    KINDS[sys.argv[1]](sys.argv[2])
