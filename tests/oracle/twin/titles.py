"""Titles of findings with arguments (docs/definitions.md, section 15). "{line}" is the line of the first evidence."""
import re

from . import lines, names

PLACE_BYTES = 48
MARKS = re.compile("[\x01-\x04]")
PLACE = re.compile(r"(.+)\((-?\d+)\)", re.S)


def title(words, *values):
    """Returns the title with its values; None if a value is unknown, so that the rule's own title is used."""
    return None if "" in values else words % values


def with_line(words, line):
    """Inserts the line of the first evidence into a title. Returns None if the line is unknown."""
    if words is None or "{line}" not in words:
        return words
    return words.replace("{line}", place_text(line)) if line else None


def place_text(text, is_function=False):
    """Returns "train.py:88" for "src/train.py(88): step", or "step()" if a function is wanted and has a usable name.
    Returns "vllm/…/engine.py:7" for a file of a library."""
    text = MARKS.sub("", text)
    parsed = names.frame_parts(text)
    if parsed is None:
        bare = PLACE.fullmatch(text)
        parsed = bare and (bare.group(1), int(bare.group(2)), "")
    if not parsed:
        return cut(text)
    path, line, function = parsed
    origin, shown = lines.of_path(path.replace("\\", "/"))
    first, *between, last = ["", *shown.split("/")] if "/" not in shown else shown.split("/")
    if origin == "library":
        last = "/".join([first] * bool(first) + ["…"] * bool(first and between) + [last])
    elif is_function and function and function[0] != "<" and " " not in function:
        return cut(function + "()")
    return cut("%s:%d" % (last, line) if line > 0 else last)


def cut(text):
    """Returns at most 48 bytes of a text, without a part of a character, and an ellipsis if it is longer."""
    shown = text.encode()[:PLACE_BYTES].decode(errors="ignore")
    return shown if shown == text else shown + "\N{HORIZONTAL ELLIPSIS}"
