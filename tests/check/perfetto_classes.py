#!/usr/bin/env python3
"""perfetto_classes.py FILE...: decodes traces with Perfetto's own protobuf classes, and checks that all slices end."""
import collections
import sys

from perfetto.protos.perfetto.trace import perfetto_trace_pb2


def main(paths):
    for path in paths:
        trace = perfetto_trace_pb2.Trace()
        with open(path, "rb") as file:
            data = file.read()
        trace.ParseFromString(data)
        open_slices = collections.Counter()
        kinds = collections.Counter()
        for packet in trace.packet:
            event = packet.track_event
            kinds[event.type if packet.HasField("track_event") else packet.WhichOneof("data")] += 1
            if packet.HasField("track_event") and event.type in (event.TYPE_SLICE_BEGIN, event.TYPE_SLICE_END):
                open_slices[event.track_uuid] += 1 if event.type == event.TYPE_SLICE_BEGIN else -1
        if any(open_slices.values()) or not kinds:
            print("%s: open slices, or no packet" % path)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
