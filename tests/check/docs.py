"""docs.py links|names|commands|options: checks the documentation against the repository. Prints each fault and exits with 1.

links     every relative link of every *.md resolves: files, folders and #anchors (as GitHub makes them of headings)
names     every source file and folder that a *.md names in `backticks` exists
commands  every `tracepress COMMAND --option` of a *.md is in the help text of the command, and every `make TARGET` in the Makefile
options   every option in the table of a command is in its help text, and every option of a help text is in the table

docs.py blocks FILE FOLDER: writes each fenced block of FILE to a file (01.sh, 02.c ..). The comments in front of a block
("<!-- file: x -->", "not run: why", "needs: module", "given: path") go to 01.facts, with a line each: key, tab, value."""
import glob
import os
import re
import sys

HELP = "templates/help"
LANGUAGES = ("c", "cpp", "sh", "python")
OTHER_TOOLS = {"--logdir", "--no-python", "--rdzv-id", "--warnings", "--shard=", "--cflags", "--libs", "--suite", "--name", "--option"}
FILES_ELSEWHERE = {"train.py", "train.c", "recipe.py", "digest.md", "out.md", "threading.py", "contextlib.py", "functools.py",
                  "queue.py", "selectors.py", "runpy.py", "output_code.py", "fx_graph_transformed.py", "fx_graph_readable.py"}
PATTERN_NAME = re.compile(r"(.*[/_])?x\.[a-z]+")  # recipes use x as a placeholder
SOURCE = re.compile(r"[A-Za-z0-9_./*{},-]+\.(?:c|h|cu|cc|py|sh|mjs|proto|txt|md|map)")
FOLDER = re.compile(r"(?:writer|collector|webreport|templates|tests|docs|\.github)(?:/[A-Za-z0-9_.{},*-]+)*/?")


def documents():
    found = []
    for folder, below, files in os.walk("."):
        below[:] = sorted(d for d in below if d not in ("build", ".git"))
        found += [os.path.normpath(os.path.join(folder, f)) for f in sorted(files) if f.endswith(".md")]
    return found


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def without_fences(text):
    return re.sub(r"^ *```.*?^ *```[^\n]*$", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M | re.S)


def slugs(text):
    """Returns the anchors of all headings, in GitHub's form."""
    seen, out = {}, set()
    for heading in re.findall(r"^#{1,6} +(.*?)#*$", without_fences(text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip())
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        n = seen[slug] = seen.get(slug, -1) + 1
        out.add(slug if n == 0 else "%s-%d" % (slug, n))
    out.update(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    return out


def links():
    count = 0
    for path in documents():
        text = re.sub(r"`[^`\n]*`", "", without_fences(read(path)))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
            if not os.path.exists(full):
                yield "%s: no file %s" % (path, target)
            elif anchor and not (full.endswith(".md") and anchor in slugs(read(full))):
                yield "%s: no anchor %s" % (path, target)
    if count < 20:
        yield "only %d links were found: the check itself is broken" % count


def alternatives(name):
    """Returns ["abd", "acd"] for "a{b,c}d". glob expands the asterisks."""
    m = re.match(r"(.*?)\{([^{}]*)\}(.*)$", name)
    return [x for part in m.group(2).split(",") for x in alternatives(m.group(1) + part + m.group(3))] if m else [name]


def exists(name, document, bases):
    if any(glob.glob(os.path.join(folder, name)) for folder in (".", os.path.dirname(document) or ".")):
        return True
    return "/" not in name and ("*" in name or name in bases)


def names():
    bases = {f for _, _, files in os.walk(".") for f in files}
    count = 0
    for path in documents():
        for code in re.findall(r"`([^`\n]+)`", without_fences(read(path))):
            if not (SOURCE.fullmatch(code) or FOLDER.fullmatch(code)) or code.split("/")[-1] in FILES_ELSEWHERE or PATTERN_NAME.fullmatch(code):
                continue
            count += 1
            for name in alternatives(code):
                if not exists(name, path, bases):
                    yield "%s: `%s` does not exist" % (path, code)
                    break
    if count < 50:
        yield "only %d names were found: the check itself is broken" % count


def help_texts():
    return {f[:-4]: read(os.path.join(HELP, f)) for f in os.listdir(HELP) if f.endswith(".txt")}


def has_option(text, option):
    return re.search(r"(?<![\w-])%s(?![\w-])" % re.escape(option), text) is not None


def lines_of_code(text):
    """Returns a pair (whether the line is in a block, line) for each line of code. Lines that end in a backslash are
    joined with the next."""
    for block in re.findall(r"^ *```[a-z]*\n(.*?)^ *```", text, re.M | re.S):
        for line in re.sub(r"\\\n", " ", block).split("\n"):
            yield True, line
    for code in re.findall(r"`([^`\n]+)`", without_fences(text)):
        yield False, code


def options_in(words):
    words = re.split(r"\s(?:--|\||&&|&|;|#)(?:\s|$)|[;)]", words + " ")[0]
    return re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", words)


def faults_of_call(helps, command, words):
    if command not in helps:
        yield "no command %s" % command
        return
    for option in options_in(words):
        if not has_option(helps[command], option):
            yield "%s has no option %s" % (command, option)


def commands():
    helps, count = help_texts(), 0
    every, makefile = "\n".join(helps.values()), read("Makefile")
    for path in documents():
        for is_block, line in lines_of_code(read(path)):
            calls = re.findall(r"(?<![\w/.-])tracepress(-mpi)? +([a-z]+)((?:(?!tracepress ).)*)", line)
            if not is_block and not calls:
                m = re.match(r"([a-z]+)( --.*)", line)
                calls = [("", m.group(1), m.group(2))] if m and m.group(1) in helps else []
            for suffix, command, words in calls:
                if suffix or not is_block and command not in helps and not re.match(r" *--", words):
                    continue
                count += 1
                for fault in faults_of_call(helps, command, words):
                    yield "%s: %s: %s" % (path, line.strip()[:80], fault)
            for target in re.findall(r"(?:^|[;&(] *)make ([a-z_-]+)(?=[ ;&)]|$)", line.strip()):
                count += 1
                if not re.search(r"^%s:" % target, makefile, re.M):
                    yield "%s: make %s is no target" % (path, target)
            if not is_block and re.fullmatch(r"--[a-z][a-z0-9-]*([ =].*)?", line):
                option = re.match(r"--[a-z0-9-]*", line).group(0)
                if not has_option(every, option) and option not in OTHER_TOOLS:
                    yield "%s: `%s` is no option of any command" % (path, line)
    if count < 50:
        yield "only %d calls were found: the check itself is broken" % count


TABLE_ROW = re.compile(r'\{[\s\\]*"([a-z0-9-]+)",\s*(0|\'.\'),\s*TP_OPT_')
TABLES = {"record": "webreport/cli/record_options.c", "tracepress-mpi": "webreport/mpi/mpi_main.c"}
WITHOUT_TABLE = ("tracepress", "help")


def rows_of(source):
    """Returns the rows of a table of options: its own rows, and rows that several tables share."""
    shared = dict(re.findall(r"#define (TP_OPT_\w+)\(options\)((?:.*\\\n)+.*)", read("webreport/session/opt.h")))
    used = [shared[macro] for macro in re.findall(r"^ +(TP_OPT_\w+)\(struct ", source, re.M)]
    return TABLE_ROW.findall("".join([source] + used))


def commands_without_help(helps):
    table = set(re.findall(r'\{"([a-z]+)", (?:tp_cmd_\w+|print_help)\}', read("webreport/cli/main.c")))
    told = set(re.findall(r"^  ([a-z]+)  ", helps["tracepress"], re.M))
    texts = set(helps) - {"tracepress", "tracepress-mpi"} | {"help"}
    if not table or table != told or table != texts:
        yield "commands of main.c, of %s/tracepress.txt and help texts differ: %s" % (HELP, sorted(table ^ told | table ^ texts))


def options():
    yield from commands_without_help(help_texts())
    for command, text in sorted(help_texts().items()):
        if command in WITHOUT_TABLE:
            continue
        source = TABLES.get(command, "webreport/cli/cmd_%s.c" % command)
        rows = rows_of(read(source))
        if not rows:
            yield "%s: no table of options" % source
        for name, letter in rows:
            shown = "--" + name if letter == "0" else "-%s, --%s" % (letter[1], name)
            if not has_option(text, shown):
                yield "%s/%s.txt does not explain %s" % (HELP, command, shown)
        known = {"--" + name for name, _ in rows}
        for line in re.findall(r"^ {2,6}-.*$", text, re.M):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", re.split(r" {2,}", line.strip())[0]):
                if option not in known:
                    yield "%s/%s.txt: %s is not in %s" % (HELP, command, option, source)


def blocks(path, folder):
    facts, number = [], 0
    lines = iter(read(path).split("\n"))
    for line in lines:
        m = re.fullmatch(r"<!-- ([a-z ]+): (.*) -->", line)
        fence = re.fullmatch(r"```([a-z]*)", line)
        if m:
            facts.append(m.groups())
        elif fence:
            body = []
            for inner in lines:
                if inner == "```":
                    break
                body.append(inner)
            number += 1
            language = fence.group(1) if fence.group(1) in LANGUAGES else "text"
            name = os.path.join(folder, "%02d" % number)
            with open(name + "." + language, "w", encoding="utf-8") as f:
                f.write("\n".join(body) + "\n")
            with open(name + ".facts", "w", encoding="utf-8") as f:
                f.writelines("%s\t%s\n" % fact for fact in facts)
            facts = []
        elif line.strip():
            facts = []


if __name__ == "__main__":
    if sys.argv[1] == "blocks":
        blocks(sys.argv[2], sys.argv[3])
        sys.exit(0)
    faults = list({"links": links, "names": names, "commands": commands, "options": options}[sys.argv[1]]())
    print("\n".join(faults))
    sys.exit(bool(faults))
