#!/usr/bin/env python3
"""timeline_texts.py PAGE: prints the details that the timeline of a page shows for its slices, one line per slice: the text
of the slice's arguments (templates/README.md, sections 8 to 10), with " | " in place of line feeds."""
import base64
import gzip
import json
import re
import struct
import sys


def numbers(data):
    """Returns the LEB128 numbers of a section."""
    found, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(value)
            value = shift = 0
    return found


def texts(page):
    data = re.search(r'application/octet-stream"[^>]*>([A-Za-z0-9+/=\s]+)<', page)
    data = gzip.decompress(base64.b64decode(data.group(1)))
    at = 4 + struct.unpack("<I", data[:4])[0]
    sections = []
    for size in json.loads(data[4:at])["sections"]:
        sections.append(data[at:at + size])
        at += size
    known, end = [""], 0
    for size in numbers(sections[9]):
        known.append(sections[10][end:end + size].decode())
        end += size
    return [known[number] for number in numbers(sections[8])[1::3]]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as page:
        for text in texts(page.read()):
            print(text.replace("\n", " | "))
