"""Switches torch.profiler on inside a PyTorch program that was not written for tracepress. torch.c runs it there.

torch.c executes this text when torch is in sys.modules, with the variables SETTINGS and FOLDER. Then it calls tick(),
which returns the milliseconds until the next call, or 0 for no further call. Nothing here may raise an exception into
the program, print, or disturb it. If the program uses the profiler itself, this recording ends.

A step ends when the optimizer that stepped first steps again. Before the first step, everything is recorded for a short
time. This is the startup recording. If a step occurs in that time, the recording is discarded and the schedule begins.
Otherwise the recording becomes the trace of a program without steps. If steps occur later, the schedule still begins,
and its first trace replaces the startup trace, because work before the first step would be mistaken for training. A
discarded recording stays in memory until a trace exists. If the program ends first (for example, after its only step),
the discarded recording becomes the trace.
Processes in which PyTorch loads data are not recorded: forked ones, because Kineto does not survive a fork, and spawned
ones.
"""
import os
import sys
import threading
import time

START_MS = 3000  # length of the startup recording


class Recorder:
    def __init__(self, settings, folder):
        self.settings, self.folder = settings, folder
        self.profile = None  # our own profiler while it runs
        self.thread = self.deadline = self.optimizer = None
        self.has_schedule = self.is_kept = self.is_over = False
        self.pid, self.cycles = os.getpid(), 0  # cycles: of the schedule, already saved
        self.startup = None  # path of the startup trace
        self.discarded = None  # profiler of the latest startup recording that ended early, until a trace exists
        self.is_restarted = False

    # ---- the profiler

    def start(self, schedule):
        import torch

        if torch.autograd._profiler_enabled():
            raise RuntimeError("the program uses the profiler itself")
        s = self.settings
        self.is_kept, self.thread = True, threading.get_ident()
        self.profile = torch.profiler.profile(
            schedule=schedule,
            on_trace_ready=self.save,
            record_shapes=bool(s["shapes"]),
            profile_memory=bool(s["memory"]),
            with_stack=bool(s["stack"]),
            with_flops=bool(s["flops"]),
            with_modules=bool(s["modules"]),
        )
        self.profile.start()

    def state_version(self, profile):
        """Writes the version of Python into the trace. Python 3.11 is slower while it is recorded, and the report takes
        this into account."""
        import torch

        if torch.autograd._profiler_enabled():
            profile.add_metadata("python_version", "%d.%d.%d" % sys.version_info[:3])

    def stop(self, is_kept):
        profile, self.profile = self.profile, None
        self.is_kept = is_kept
        if profile is None:
            return
        if is_kept or not self.has_schedule:
            self.state_version(profile)
        if self.thread == threading.get_ident():  # only the thread that started it can stop it
            profile.stop()

    def save(self, profile):
        """Writes the trace of a recording that has ended, or keeps the recording in memory if it is discarded."""
        if self.is_kept:
            self.write(profile)
        elif not self.has_schedule:
            self.discarded = profile

    def write(self, profile):
        if not profile.profiler.kineto_results.events():
            return
        path = os.path.join(self.folder, "torch.%d.%d.json" % (time.time_ns(), os.getpid()))
        profile.export_chrome_trace(path + ".tmp")
        os.rename(path + ".tmp", path)
        self.discarded = None
        if self.has_schedule:
            self.cycles += 1
            self.drop_startup()
        elif not self.settings["duration_ms"]:
            self.startup = path

    def write_discarded(self):
        """Writes the discarded startup recording, because the program has no other trace."""
        profile, self.discarded = self.discarded, None
        if profile is not None:
            self.write(profile)

    def drop_startup(self):
        path, self.startup = self.startup, None
        if path is not None:
            os.unlink(path)

    def begin(self):
        """Starts the startup recording, or the recording of a fixed duration."""
        from torch.profiler import ProfilerAction

        self.hook()
        if self.settings["steps_only"]:
            return
        # The profiler writes ranges of steps only if it has a schedule. Without a duration, the first step ends this
        # recording, so it needs no schedule.
        self.start((lambda step: ProfilerAction.RECORD) if self.settings["duration_ms"] else None)
        self.deadline = time.monotonic() + (self.settings["duration_ms"] or START_MS) / 1000

    def begin_schedule(self):
        from torch.profiler import schedule

        s = self.settings
        given = schedule(
            skip_first=s["skip_first"], wait=s["wait"], warmup=s["warmup"], active=s["active"], repeat=s["repeat"]
        )
        # the schedule treats the program's first step, which has just ended, as one of the steps before recording
        shift = 1 if s["skip_first"] + s["wait"] + s["warmup"] > 0 else 0
        self.has_schedule = True
        self.start(lambda step: given(step + shift))

    # ---- steps and time

    def on_step(self, optimizer, *rest):
        try:
            self.optimizer = self.optimizer or id(optimizer)
            if not self.is_over and self.pid == os.getpid() and self.optimizer == id(optimizer):
                self.step()
        except Exception:
            self.give_up()

    def step(self):
        if self.settings["steps_only"]:  # `record` controls Kineto from outside, and only counts steps if the program has some
            self.is_over = True
            open(os.path.join(self.folder, "steps.%d.tmp" % os.getpid()), "w").close()
            return
        is_mine = self.thread == threading.get_ident()
        if self.has_schedule or self.settings["duration_ms"]:
            if self.profile is not None and is_mine:
                self.state_version(self.profile)
                self.profile.step()
            if self.has_schedule and self.settings["repeat"] and self.cycles >= self.settings["repeat"]:
                self.finish()
        elif self.profile is None or is_mine:  # otherwise wait for the end of the startup recording
            self.stop(False)
            self.begin_schedule()

    def tick(self):
        """Ends the startup recording when its time is over. Returns the milliseconds until the next call, or 0."""
        if self.is_over or self.has_schedule or self.profile is None or self.pid != os.getpid():
            return 0
        left = self.deadline - time.monotonic()
        if left > 0:
            return max(1, min(50, int(left * 1000)))
        self.is_over = bool(self.settings["duration_ms"])
        try:
            self.stop(True)
        except Exception:
            self.profile = None  # the program was busy; its first step still begins the schedule
        return 0

    def before_fork(self):
        """Stops the startup recording before a fork, because Kineto does not survive a fork and no child should inherit
        it. Children are not recorded; the parent starts the recording again."""
        self.is_restarted = self.is_startup() and self.thread == threading.get_ident()
        if self.is_restarted:
            try:
                self.stop(False)
            except Exception:
                self.give_up()

    def after_fork_in_parent(self):
        if self.is_restarted and not self.is_over:
            try:
                self.start(None)
            except Exception:
                self.give_up()

    def is_startup(self):
        return not (self.is_over or self.has_schedule or self.settings["duration_ms"] or self.profile is None)

    def finish(self):
        if self.is_over or self.pid != os.getpid():
            return
        self.is_over = True
        self.end(True)

    def give_up(self):
        self.is_over = True
        self.end(False)

    def end(self, is_kept):
        try:
            self.stop(is_kept)
        except Exception:
            self.profile = None
        try:
            self.write_discarded()
        except Exception:
            self.discarded = None

    # ---- hooks in the program

    def hook(self):
        import atexit

        import torch
        from torch.optim import optimizer

        inner, ours = torch.autograd.profiler.profile, self
        prepare = inner._prepare_trace

        def _prepare_trace(self, *args, **kwargs):
            if ours.profile is not None and self is not ours.profile.profiler:
                ours.finish()  # the program's own profiler takes precedence
            return prepare(self, *args, **kwargs)

        inner._prepare_trace = _prepare_trace
        atexit.register(self.finish)
        os.register_at_fork(before=self.before_fork, after_in_parent=self.after_fork_in_parent)
        optimizer.register_optimizer_step_post_hook(self.on_step)


def is_inside(is_meant):
    """Returns whether the main thread is in a function whose file is_meant accepts."""
    frame = sys._getframe()
    while frame is not None:
        if is_meant(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def is_importing():
    """Returns whether the program is importing a module. In this case, an import by tracepress would wait forever for
    the program's import locks."""
    return is_inside(lambda path: path.startswith("<frozen importlib"))


def is_waiting_for_its_task():
    """Returns whether this process was spawned by multiprocessing and has not received its task yet."""
    process = sys.modules.get("multiprocessing.process")
    if process is None or type(process.current_process()).__name__ != "_MainProcess":
        return False
    return is_inside(lambda path: path.endswith("multiprocessing/spawn.py"))


def is_loader():
    """Returns whether a DataLoader has started this process."""
    process = sys.modules.get("multiprocessing.process")
    target = getattr(process.current_process(), "_target", None) if process is not None else None
    return getattr(target, "__module__", "").startswith("torch.utils.data.")


def is_ready():
    torch = sys.modules.get("torch")
    spec = getattr(torch, "__spec__", None)
    if torch is None or getattr(spec, "_initializing", False):
        return False
    return hasattr(torch, "profiler") and hasattr(torch, "autograd") and hasattr(torch, "optim")


def read_settings(text):
    words = (word.partition("=") for word in text.split())
    settings = dict.fromkeys(
        "duration_ms skip_first wait warmup active repeat shapes stack memory flops modules steps_only".split(), 0
    )
    settings.update((name, int(value)) for name, _, value in words if value.isdigit())
    settings["active"] = settings["active"] or 3
    return settings


recorder = None
misses = 0  # failed attempts to inspect torch


def is_time():
    """Returns whether tick() can run: the program is not importing a module, and the recording has started or torch is
    imported completely."""
    global misses
    try:
        return not is_importing() and (recorder is not None or (is_ready() and not is_waiting_for_its_task()))
    except Exception:
        misses += 1
        if misses > 100:
            raise
        return False


def tick():
    global recorder
    if not is_time():
        return 5
    if recorder is None and is_loader():
        return 0
    if recorder is None:
        recorder = Recorder(read_settings(SETTINGS), FOLDER)
        try:
            recorder.begin()
        except Exception:
            recorder.give_up()
            raise
    return recorder.tick()
