#!/usr/bin/env python3
"""perfetto_packets.py FILE...: checks the rules of Perfetto's importer for protobuf traces of `export --to perfetto`.
Exit 1 names the broken rules. This decoder shares no code with tracepress. Rules: only known fields with the right
types; times never run backwards; each track is described before its first event; each number of a text was defined
before; each end closes the innermost slice of its track, and no slice stays open; each link has one start and an end
that is not earlier; each stage id in a call is a stage; stages have a queue and a kind. With --print-counts, prints the
numbers of slices, stages, links and counter values instead of nothing."""
import gzip
import struct
import sys
from collections import Counter, defaultdict

# known fields of each message: number -> (name, wire type, nested message or None)
FIELDS = {
    "trace": {1: ("packet", 2, "packet")},
    "packet": {8: ("time", 0, None), 10: ("sequence", 0, None), 13: ("flags", 0, None), 12: ("interned", 2, "interned"), 59: ("defaults", 2, "defaults"),
               6: ("clocks", 2, "clocks"), 60: ("track", 2, "track"), 11: ("event", 2, "event"), 53: ("stage", 2, "stage"), 52: ("counters", 2, "counters")},
    "defaults": {58: ("clock", 0, None)},
    "clocks": {1: ("clock", 2, "clock")},
    "clock": {1: ("id", 0, None), 2: ("time", 0, None), 3: ("incremental", 0, None)},
    "interned": {1: ("category", 2, "text"), 2: ("name", 2, "text"), 3: ("key", 2, "text"), 29: ("string", 2, "text"), 24: ("kind", 2, "kind"),
                 1001: ("argument", 2, "text"), 47: ("described", 2, "described")},
    "text": {1: ("iid", 0, None), 2: ("text", 2, None)},
    "kind": {1: ("iid", 0, None), 2: ("text", 2, None), 3: ("description", 2, None), 4: ("category", 0, None)},
    "described": {1: ("iid", 0, None), 2: ("names", 2, "names"), 3: ("gpu", 0, None)},
    "names": {1: ("name", 2, "text")},
    "track": {1: ("uuid", 0, None), 5: ("parent", 0, None), 2: ("name", 2, None), 3: ("process", 2, "process"), 4: ("thread", 2, "thread"), 8: ("counter", 2, "unit")},
    "unit": {3: ("unit", 0, None)},
    "process": {1: ("pid", 0, None), 6: ("name", 2, None)},
    "thread": {1: ("pid", 0, None), 2: ("tid", 0, None), 5: ("name", 2, None)},
    "event": {9: ("type", 0, None), 11: ("track", 0, None), 3: ("category", 0, None), 10: ("name", 0, None), 4: ("annotation", 2, "annotation"), 47: ("flow", 1, None),
              48: ("flow_end", 1, None), 30: ("value", 0, None), 44: ("real", 1, None), 3000: ("stages", 2, "stages")},
    "stages": {1: ("id", 0, None)},
    "annotation": {1: ("name_iid", 0, None), 10: ("name", 2, None), 2: ("bool", 0, None), 3: ("uint", 0, None), 4: ("int", 0, None), 5: ("real", 1, None),
                   6: ("text", 2, None), 17: ("text_iid", 0, None), 11: ("entry", 2, "annotation"), 12: ("item", 2, "annotation")},
    "stage": {1: ("id", 0, None), 2: ("duration", 0, None), 11: ("gpu", 0, None), 13: ("queue", 0, None), 14: ("kind", 0, None), 20: ("name", 0, None), 6: ("data", 2, "data"),
              21: ("launch", 2, "launch")},
    "data": {1: ("name", 2, None), 2: ("value", 2, None)},
    "launch": {1: ("grid", 2, "size"), 2: ("block", 2, "size"), 3: ("argument", 2, "launch_argument")},
    "size": {1: ("x", 0, None), 2: ("y", 0, None), 3: ("z", 0, None)},
    "launch_argument": {1: ("name", 0, None), 4: ("value", 0, None)},
    "counters": {4: ("described", 0, None), 2: ("counter", 2, "gpu_counter")},
    "gpu_counter": {1: ("id", 0, None), 3: ("value", 1, None)},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def decode(data, kind):
    """Returns the fields of a message as lists by name. Raises ValueError for unknown fields and bad sizes."""
    out, at = defaultdict(list), 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag >> 3 not in FIELDS[kind]:
            raise ValueError("field %d of %s is unknown" % (tag >> 3, kind))
        name, wire, nested = FIELDS[kind][tag >> 3]
        if tag & 7 != wire:
            raise ValueError("field %s of %s has wire type %d" % (name, kind, tag & 7))
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack("<Q", data[at:at + 8])[0], at + 8
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("%s of %s is cut" % (name, kind))
            value = decode(value, nested) if nested else value
        out[name].append(value)
    return out


def last(fields, name, default=None):
    return fields[name][-1] if fields[name] else default


class Checker:
    def __init__(self):
        self.faults, self.counts = [], Counter()
        self.clock, self.texts, self.tracks = {}, defaultdict(set), set()
        self.open, self.flows, self.flow_ends, self.stages, self.called = defaultdict(list), {}, {}, set(), set()

    def fault(self, text, *values):
        self.faults.append(text % values)

    def define(self, sequence, interned):
        for table, entries in interned.items():
            for entry in entries:
                self.texts[sequence, table].add(last(entry, "iid"))

    def known(self, sequence, table, iid):
        if iid not in self.texts[sequence, table]:
            self.fault("number %s of table %s is not defined", iid, table)

    def annotation(self, sequence, annotation):
        if annotation["name_iid"]:
            self.known(sequence, "key", last(annotation, "name_iid"))
        if annotation["text_iid"]:
            self.known(sequence, "string", last(annotation, "text_iid"))
        for nested in annotation["entry"] + annotation["item"]:
            self.annotation(sequence, nested)

    def links(self, event, time):
        for number in event["flow"]:
            if number in self.flows:
                self.fault("link %d starts twice", number)
            self.flows[number] = time
            self.counts["links"] += 1
        for number in event["flow_end"]:
            self.flow_ends[number] = time

    def event(self, sequence, event, time):
        kind, track = last(event, "type"), last(event, "track", 0)
        if track not in self.tracks and event["track"]:
            self.fault("track %d has no description", track)
        if event["name"]:
            self.known(sequence, "name", last(event, "name"))
        for category in event["category"]:
            self.known(sequence, "category", category)
        for annotation in event["annotation"]:
            self.annotation(sequence, annotation)
        self.links(event, time)
        for call in event["stages"]:
            self.called |= set(call["id"])
        if kind == 1:
            self.open[track].append(time)
            self.counts["slices"] += 1
        elif kind == 2:
            if not self.open[track]:
                self.fault("an end on track %d closes no slice", track)
            else:
                self.open[track].pop()
        elif kind == 4:
            self.counts["values"] += 1
            if not event["value"] and not event["real"]:
                self.fault("a counter on track %d has no value", track)

    def stage(self, sequence, stage):
        self.known(sequence, "kind", last(stage, "queue"))
        self.known(sequence, "kind", last(stage, "kind"))
        self.counts["stages"] += 1
        if last(stage, "id") in self.stages:
            self.fault("stage %d occurs twice", last(stage, "id"))
        self.stages.add(last(stage, "id"))

    def packet(self, packet):
        sequence = last(packet, "sequence")
        if packet["clocks"]:
            self.clock[sequence] = next(last(c, "time") for c in last(packet, "clocks")["clock"] if last(c, "id") == 6)
        for interned in packet["interned"]:
            self.define(sequence, interned)
        for track in packet["track"]:
            self.tracks.add(last(track, "uuid"))
        if packet["time"]:
            self.clock[sequence] += last(packet, "time")
        for event in packet["event"]:
            self.event(sequence, event, self.clock[sequence])
        for stage in packet["stage"]:
            self.stage(sequence, stage)
        for counters in packet["counters"]:
            self.known(sequence, "described", last(counters, "described"))

    def finish(self):
        for track, left in self.open.items():
            if left:
                self.fault("%d slices of track %d stay open", len(left), track)
        for number, time in self.flow_ends.items():
            if self.flows.get(number, time + 1) > time:
                self.fault("link %d ends without a start, or before it", number)
        if self.called - self.stages:
            self.fault("%d stages of calls are missing", len(self.called - self.stages))


def main(paths):
    bad = 0
    for path in [p for p in paths if not p.startswith("--")]:
        with open(path, "rb") as file:
            data = file.read()
        checker = Checker()
        try:
            for packet in decode(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, "trace")["packet"]:
                checker.packet(packet)
            checker.finish()
        except (ValueError, IndexError, KeyError) as error:
            checker.fault("%s: %s", type(error).__name__, error)
        for fault in checker.faults[:5]:
            print("%s: %s" % (path, fault))
        bad += bool(checker.faults)
        if "--print-counts" in paths:
            print(" ".join("%s=%d" % pair for pair in sorted(checker.counts.items())))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
