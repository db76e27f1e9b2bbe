"""Switches torch.profiler on inside a program that knows nothing of it. Runs in that program: see torch.c.

torch.c executes this text once torch is in sys.modules, with SETTINGS and FOLDER in its names, and then calls tick(),
which returns the milliseconds until it wants to be called again, or 0 for never. Nothing here may raise into the
program, print, or stay in its way: a program that uses the profiler itself gets it, and ours ends.

A step ends where the optimizer that stepped first steps again. Until the first step everything is recorded for a while;
if there is a step in that time, this is thrown away and the schedule begins, else it is the trace of a program without
steps. When steps come later the schedule begins all the same, and its first trace takes the place of that one: what a
program does before its first step is no training, and beside the steps it would be read as some. Processes in which
PyTorch loads data are left alone: forked ones, because Kineto does not survive a fork, and spawned ones.
"""
import os
import sys
import threading
import time

START_MS = 3000  # of a program without optimizer


class Recorder:
    def __init__(self, settings, folder):
        self.settings, self.folder = settings, folder
        self.profile = None  # ours, from its start to its stop
        self.thread = self.deadline = self.optimizer = None
        self.has_schedule = self.is_kept = self.is_over = False
        self.pid, self.cycles = os.getpid(), 0  # cycles: of the schedule, that are saved
        self.startup = None  # path of the trace of the first while
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

    def stop(self, is_kept):
        profile, self.profile = self.profile, None
        self.is_kept = is_kept
        if profile is not None and self.thread == threading.get_ident():  # another thread cannot end it
            profile.stop()

    def save(self, profile):
        if not self.is_kept or not profile.profiler.kineto_results.events():
            return
        path = os.path.join(self.folder, "torch.%d.%d.json" % (time.time_ns(), os.getpid()))
        profile.export_chrome_trace(path + ".tmp")
        os.rename(path + ".tmp", path)
        if self.has_schedule:
            self.cycles += 1
            self.drop_startup()
        elif not self.settings["duration_ms"]:
            self.startup = path

    def drop_startup(self):
        path, self.startup = self.startup, None
        if path is not None:
            os.unlink(path)

    def begin(self):
        """torch is there: everything from now on, for a while."""
        from torch.profiler import ProfilerAction

        self.hook()
        if self.settings["tell"]:
            return
        # a schedule makes ranges of the steps, which are not wanted where they end this
        self.start((lambda step: ProfilerAction.RECORD) if self.settings["duration_ms"] else None)
        self.deadline = time.monotonic() + (self.settings["duration_ms"] or START_MS) / 1000

    def begin_schedule(self):
        from torch.profiler import schedule

        s = self.settings
        given = schedule(
            skip_first=s["skip_first"], wait=s["wait"], warmup=s["warmup"], active=s["active"], repeat=s["repeat"]
        )
        # the step that has just ended was the program's first
        shift = 1 if s["skip_first"] + s["wait"] + s["warmup"] > 0 else 0
        self.has_schedule = True
        self.start(lambda step: given(step + shift))

    # ---- what makes it go on

    def on_step(self, optimizer, *rest):
        try:
            self.optimizer = self.optimizer or id(optimizer)
            if not self.is_over and self.pid == os.getpid() and self.optimizer == id(optimizer):
                self.step()
        except Exception:
            self.give_up()

    def step(self):
        if self.settings["tell"]:  # Kineto is asked from outside, and counts steps only once there are some
            self.is_over = True
            open(os.path.join(self.folder, "steps.%d.tmp" % os.getpid()), "w").close()
            return
        is_mine = self.thread == threading.get_ident()
        if self.has_schedule or self.settings["duration_ms"]:
            if self.profile is not None and is_mine:
                self.profile.step()
            if self.has_schedule and self.settings["repeat"] and self.cycles >= self.settings["repeat"]:
                self.finish()
        elif self.profile is None or is_mine:  # else the first while has to be over first
            self.stop(False)
            self.begin_schedule()

    def tick(self):
        """Ends the first while. Milliseconds until it has to be looked at again."""
        if self.is_over or self.has_schedule or self.profile is None or self.pid != os.getpid():
            return 0
        left = self.deadline - time.monotonic()
        if left > 0:
            return max(1, min(50, int(left * 1000)))
        self.is_over = bool(self.settings["duration_ms"])
        try:
            self.stop(True)
        except Exception:
            self.profile = None  # the program was amid something; its first step begins the schedule all the same
        return 0

    def before_fork(self):
        """Kineto does not survive a fork: children are left alone, and none inherits a profiler that is on for no more
        than the first while, which begins again."""
        self.is_restarted = self.is_first_while() and self.thread == threading.get_ident()
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

    def is_first_while(self):
        return not (self.is_over or self.has_schedule or self.settings["duration_ms"] or self.profile is None)

    def finish(self):
        if self.is_over or self.pid != os.getpid():
            return
        self.is_over = True
        try:
            self.stop(True)
        except Exception:
            self.profile = None

    def give_up(self):
        self.is_over = True
        try:
            self.stop(False)
        except Exception:
            self.profile = None

    # ---- its places in the program

    def hook(self):
        import atexit

        import torch
        from torch.optim import optimizer

        inner, ours = torch.autograd.profiler.profile, self
        prepare = inner._prepare_trace

        def _prepare_trace(self, *args, **kwargs):
            if ours.profile is not None and self is not ours.profile.profiler:
                ours.finish()  # the program's own profiler comes first
            return prepare(self, *args, **kwargs)

        inner._prepare_trace = _prepare_trace
        atexit.register(self.finish)
        os.register_at_fork(before=self.before_fork, after_in_parent=self.after_fork_in_parent)
        optimizer.register_optimizer_step_post_hook(self.on_step)


def is_inside(is_meant):
    """True when the main thread is in a function whose file is one that is meant."""
    frame = sys._getframe()
    while frame is not None:
        if is_meant(frame.f_code.co_filename):
            return True
        frame = frame.f_back
    return False


def is_importing():
    """True when the program is amid an import: its locks are held, and whoever imports now waits for ever."""
    return is_inside(lambda path: path.startswith("<frozen importlib"))


def is_beginning():
    """True in a process that multiprocessing has spawned, until it knows what it is for."""
    process = sys.modules.get("multiprocessing.process")
    if process is None or type(process.current_process()).__name__ != "_MainProcess":
        return False
    return is_inside(lambda path: path.endswith("multiprocessing/spawn.py"))


def is_loader():
    """True in a process that a DataLoader has started."""
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
        "duration_ms skip_first wait warmup active repeat shapes stack memory flops modules tell".split(), 0
    )
    settings.update((name, int(value)) for name, _, value in words if value.isdigit())
    settings["active"] = settings["active"] or 3
    return settings


recorder = None
misses = 0  # times that torch could not be looked at


def is_time():
    """False while the program imports, and, before we have begun, while torch is not whole."""
    global misses
    try:
        return not is_importing() and (recorder is not None or (is_ready() and not is_beginning()))
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
