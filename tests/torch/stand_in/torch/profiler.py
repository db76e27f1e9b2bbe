"""torch.profiler: a profiler that follows a schedule."""
import enum

from .autograd import profiler

ProfilerAction = enum.Enum("ProfilerAction", "NONE WARMUP RECORD RECORD_AND_SAVE")
IS_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0):
    def action(step):
        step -= skip_first
        if step < 0 or (repeat and step >= repeat * (wait + warmup + active)):
            return ProfilerAction.NONE
        at = step % (wait + warmup + active)
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if at == wait + warmup + active - 1 else ProfilerAction.RECORD

    return action


class profile:
    def __init__(self, *, schedule, on_trace_ready, **options):
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.on_trace_ready = on_trace_ready
        self.profiler, self.step_num = None, 0
        self.action = self.schedule(0)

    def start(self):
        self.enter()

    def enter(self):
        if self.action is not ProfilerAction.NONE and (self.profiler is None or self.profiler.kineto_results):
            self.profiler = profiler.profile()
            self.profiler._prepare_trace()
        if self.action in IS_RECORDING and profiler.running is None:
            self.profiler.start()

    def step(self):
        before, self.step_num = self.action, self.step_num + 1
        self.action = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self.save()
        self.enter()

    def stop(self):
        if self.action in IS_RECORDING:
            self.save()

    def save(self):
        self.profiler.stop()
        self.on_trace_ready(self)

    def add_metadata(self, key, value):
        pass

    def export_chrome_trace(self, path):
        self.profiler.export_chrome_trace(path)
