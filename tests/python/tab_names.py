"""Names and files that the tests of the tab share."""

import os

HOSTILE = [
    "a b",
    'it\'s "quoted"',
    "new\nline",
    "<img src=x onerror=alert(1)>",
    "\u202egnp.exe",
    "-o",
    "--help",
    "$(touch gone)`x`;&|",
    "..hidden",
    "%2e%2e",
    "a:b,c",
    os.fsdecode(b"\xff\xfe not UTF-8"),
]
SECRET = "root:x:0:0 of outside"


def write(*names, text="{}"):
    path = os.path.join(*names)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path
