"""The device of each operation, and the name that the trace gives the device (docs/definitions.md, section 2)."""
from .numbers import integer

DEVICE_NUMBERS = 1024           # a number from here on is a device only if deviceProperties has it as an id
HIGHEST_PID = 1 << 22
LONGEST_NAME = 64
WORDS = (("npu", "NPU"), ("mlu", "MLU"), ("xpu", "XPU"), ("hpu", "HPU"), ("gcu", "GCU"), ("musa", "MUSA"), ("mtia", "MTIA"), ("tpu", "TPU"),
         ("dcu", "DCU"), ("ascend hardware", "NPU"), ("gpu", "GPU"), ("cuda", "GPU"), ("hip", "GPU"), ("privateuse1", "Device"))
CALLS = (("aclrt", "NPU"), ("cnrt", "MLU"), ("musa", "MUSA"), ("zeCommand", "XPU"), ("urEnqueue", "XPU"))


class Process:
    """Metadata of the process with one pid."""

    def __init__(self):
        self.name, self.labels, self.sort_index = "", "", None

    def take(self, d):
        args = d.get("args") if isinstance(d.get("args"), dict) else {}
        if d["name"] == "process_name":
            self.name = text_of(args.get("name"))
        elif d["name"] == "process_labels":
            self.labels = text_of(args.get("labels"))
        elif d["name"] == "process_sort_index" and "sort_index" in args:
            self.sort_index = integer(args["sort_index"])


class Row:
    """A process row and its operations. number: number of the device; None: not known yet."""

    def __init__(self, pid, process):
        self.pid, self.process, self.operations, self.number, self.word = pid, process, [], None, None
        self.has_host_events = self.is_foreign = False


def text_of(value):
    return value if isinstance(value, str) else ""


def read_title(text):
    """Returns the word for a device in a text, such as "GPU", and the number after the word. Either may be None."""
    lower = text.lower()
    for plain, word in WORDS:
        at = find_word(lower, plain)
        if at is None:
            continue
        rest = lower[at + len(plain):].lstrip(" :_#-")
        digits = rest[:len(rest) - len(rest.lstrip("0123456789"))][:5]
        return word, int(digits) if digits and int(digits) < DEVICE_NUMBERS else None
    return None, None


def find_word(lower, word):
    """Returns the position of a word that has no letter directly before or after it, or None."""
    at = lower.find(word)
    while at >= 0:
        around = lower[max(at - 1, 0):at] + lower[at + len(word):at + len(word) + 1]
        if not any("a" <= c <= "z" for c in around):
            return at
        at = lower.find(word, at + 1)
    return None


def own_number(k, properties):
    number = integer(k.args.get("device"))
    if number is None or 0 <= number < DEVICE_NUMBERS or number in properties:
        return number
    return None


def number_of_row(row):
    """Returns the device number of a row, from its labels, its name or a text as pid. Otherwise returns a small pid if
    metadata calls the process a device."""
    number = None
    for text in (row.process.labels, "" if row.has_host_events else row.process.name, row.pid if isinstance(row.pid, str) else ""):
        if number is None:
            word, number = read_title(text)
            row.word = row.word or word
    is_called_device = row.word or (row.process.sort_index or 0) > HIGHEST_PID
    is_small = isinstance(row.pid, int) and 0 <= row.pid < DEVICE_NUMBERS
    return row.pid if number is None and is_called_device and is_small else number


def assign(events, processes, properties):
    """Sets the device of each operation. Returns the rows that are devices."""
    hosts, rows = {e.pid for e in events.host}, {}
    for k in events.operations:
        row = rows.setdefault(k.pid, Row(k.pid, processes[k.pid] if k.pid in processes else Process()))
        row.has_host_events = k.pid in hosts
        k.device = own_number(k, properties)
        row.number = k.device if row.number is None else row.number
        row.operations.append(k)
    used = {k.device for k in events.operations}
    for row in rows.values():
        number = number_of_row(row)
        row.number = number if row.number is None else row.number
        used.add(row.number)
    foreign = sorted((r for r in rows.values() if r.number is None), key=lambda r: (r.operations[0].start, r.operations[0].pos))
    free = (n for n in range(len(used) + len(foreign) + 1) if n not in used)
    for row in foreign:
        row.number, row.is_foreign = next(free), True
    for row in rows.values():
        for k in row.operations:
            k.device = row.number if k.device is None else k.device
    return list(rows.values())


def word_of_calls(events, cats):
    """Returns the word for devices in the categories of other runtimes' calls, else in the first call that launches an
    operation."""
    for category in cats:
        word, _ = read_title(category.split("_")[0])
        if word:
            return word
    launch = next((k.launch for k in events.operations if k.launch is not None), None)
    return next((word for part, word in CALLS if launch is not None and part in launch.name), "GPU")


def titles(events, rows, cats):
    """Returns {device number: (word, title)}."""
    common, out = word_of_calls(events, cats), {}
    for number in sorted({k.device for k in events.operations}):
        word, name = common, ""
        for row in rows:
            if row.number != number:
                continue
            word = row.word if row.word and row.word != "GPU" else word
            is_shared = any(o is not row and o.process.name == row.process.name for o in rows)
            if row.is_foreign and not row.word and not row.has_host_events and not is_shared and len(row.process.name.encode()) <= LONGEST_NAME:
                name = row.process.name
        out[number] = (word, name or "%s %d" % (word, number))
    return out


def common_word(named):
    words = {word for word, _ in named.values()} or {"GPU"}
    return words.pop() if len(words) == 1 else "Device"
