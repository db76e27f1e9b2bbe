"""The parts of torch.profiler that trace_handler uses: the handler of torch 2.13, and a profile that "exports" a
file."""

import os
import shutil
import socket
import time


class Profile:
    def __init__(self, trace):
        self.trace = trace

    def export_chrome_trace(self, path):
        shutil.copyfile(self.trace, path)


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    def handler(profile):
        nonlocal worker_name
        if not os.path.isdir(dir_name):
            try:
                os.makedirs(dir_name, exist_ok=True)
            except Exception as e:
                raise RuntimeError("Can't create directory: " + dir_name) from e
        if not worker_name:
            worker_name = f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker_name}.{time.time_ns()}.pt.trace.json"
        profile.export_chrome_trace(os.path.join(dir_name, name + ".gz" if use_gzip else name))

    return handler
