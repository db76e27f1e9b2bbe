"""The profiler that records: at most one runs at a time, as in torch."""
import json


class Results:
    def __init__(self, names):
        self.names = names

    def events(self):
        return list(self.names)


class profiler:
    running = None

    class profile:
        def __init__(self):
            self.names, self.kineto_results = [], None

        def _prepare_trace(self):
            pass

        def start(self):
            if profiler.running is not None:
                raise RuntimeError("Profiler is already enabled on this thread")
            profiler.running = self

        def stop(self):
            profiler.running = None
            self.kineto_results = Results(self.names)

        def export_chrome_trace(self, path):
            events = [
                {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5}
                for i, name in enumerate(self.names)
            ]
            with open(path, "w") as file:
                json.dump({"schemaVersion": 1, "traceEvents": events}, file)


def _profiler_enabled():
    return profiler.running is not None
