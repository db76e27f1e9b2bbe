#!/usr/bin/env python3
"""Prints a line for each kernel of NVIDIA traces that has an occupancy. tests/check/occupancy_check.c reads the
lines."""
import gzip
import json
import sys

PROPERTIES = ("computeMajor", "computeMinor", "warpSize", "numSms", "maxThreadsPerBlock")

for path in sys.argv[1:]:
    try:
        with (gzip.open(path, "rt") if path.endswith("gz") else open(path)) as file:
            trace = json.load(file)
    except (OSError, ValueError, EOFError):
        continue
    if not isinstance(trace, dict):
        continue
    devices = {p.get("id"): p for p in trace.get("deviceProperties") or []}
    for event in trace.get("traceEvents") or []:
        args = event.get("args") or {}
        device = devices.get(args.get("device"))
        if event.get("ph") != "X" or event.get("cat", "").lower() != "kernel" or not device:
            continue
        if "est. achieved occupancy %" not in args or "sharedMemPerMultiprocessor" not in device:
            continue
        threads = device.get("maxThreadsPerMultiprocessor") or device.get("maxThreadsPerMultiProcessor")
        limits = [device[key] for key in PROPERTIES]
        limits += [threads, device["regsPerBlock"], device.get("regsPerMultiprocessor", device["regsPerBlock"])]
        limits += [device["sharedMemPerMultiprocessor"], device["sharedMemPerBlock"]]
        launch = args["grid"] + args["block"] + [args["registers per thread"], args["shared memory"]]
        said = [args["blocks per SM"], args["warps per SM"], args["est. achieved occupancy %"]]
        print(*limits, *launch, *said)
