/* Classifies the origin of a Python file: see code_origin.h. */
#include "webreport/trace/code_origin.h"

#include <stdlib.h>
#include <string.h>

/* Files of Python's library, as paths without the folders of sys.path, sorted. The list omits names that are common
 * for scripts (code.py, profile.py, test.py, trace.py), because only the folder shows the origin of such a file. */
static const char *const FILES[] = {"_bootlocale.py",
                                    "_collections_abc.py",
                                    "_compat_pickle.py",
                                    "_compression.py",
                                    "_osx_support.py",
                                    "_py_abc.py",
                                    "_pydatetime.py",
                                    "_pydecimal.py",
                                    "_pyio.py",
                                    "_sitebuiltins.py",
                                    "_strptime.py",
                                    "_threading_local.py",
                                    "_weakrefset.py",
                                    "abc.py",
                                    "argparse.py",
                                    "ast.py",
                                    "asynchat.py",
                                    "asyncore.py",
                                    "base64.py",
                                    "bdb.py",
                                    "binhex.py",
                                    "bisect.py",
                                    "bz2.py",
                                    "cProfile.py",
                                    "calendar.py",
                                    "cgi.py",
                                    "cmd.py",
                                    "codecs.py",
                                    "codeop.py",
                                    "colorsys.py",
                                    "compileall.py",
                                    "configparser.py",
                                    "contextlib.py",
                                    "contextvars.py",
                                    "copy.py",
                                    "copyreg.py",
                                    "csv.py",
                                    "dataclasses.py",
                                    "datetime.py",
                                    "decimal.py",
                                    "difflib.py",
                                    "dis.py",
                                    "doctest.py",
                                    "enum.py",
                                    "filecmp.py",
                                    "fileinput.py",
                                    "fnmatch.py",
                                    "fractions.py",
                                    "ftplib.py",
                                    "functools.py",
                                    "genericpath.py",
                                    "getopt.py",
                                    "getpass.py",
                                    "gettext.py",
                                    "glob.py",
                                    "graphlib.py",
                                    "gzip.py",
                                    "hashlib.py",
                                    "heapq.py",
                                    "hmac.py",
                                    "imaplib.py",
                                    "imghdr.py",
                                    "imp.py",
                                    "inspect.py",
                                    "io.py",
                                    "ipaddress.py",
                                    "keyword.py",
                                    "linecache.py",
                                    "locale.py",
                                    "lzma.py",
                                    "mailbox.py",
                                    "mimetypes.py",
                                    "modulefinder.py",
                                    "netrc.py",
                                    "ntpath.py",
                                    "nturl2path.py",
                                    "numbers.py",
                                    "opcode.py",
                                    "operator.py",
                                    "optparse.py",
                                    "os.py",
                                    "pathlib.py",
                                    "pdb.py",
                                    "pickle.py",
                                    "pickletools.py",
                                    "pkgutil.py",
                                    "platform.py",
                                    "plistlib.py",
                                    "poplib.py",
                                    "posixpath.py",
                                    "pprint.py",
                                    "pty.py",
                                    "py_compile.py",
                                    "pyclbr.py",
                                    "pydoc.py",
                                    "queue.py",
                                    "quopri.py",
                                    "random.py",
                                    "reprlib.py",
                                    "rlcompleter.py",
                                    "runpy.py",
                                    "sched.py",
                                    "secrets.py",
                                    "selectors.py",
                                    "shelve.py",
                                    "shlex.py",
                                    "shutil.py",
                                    "signal.py",
                                    "smtplib.py",
                                    "socket.py",
                                    "socketserver.py",
                                    "sre_compile.py",
                                    "sre_constants.py",
                                    "sre_parse.py",
                                    "ssl.py",
                                    "stat.py",
                                    "statistics.py",
                                    "string.py",
                                    "stringprep.py",
                                    "struct.py",
                                    "subprocess.py",
                                    "symtable.py",
                                    "sysconfig.py",
                                    "tarfile.py",
                                    "tempfile.py",
                                    "textwrap.py",
                                    "threading.py",
                                    "timeit.py",
                                    "token.py",
                                    "tokenize.py",
                                    "traceback.py",
                                    "tracemalloc.py",
                                    "tty.py",
                                    "types.py",
                                    "typing.py",
                                    "uuid.py",
                                    "warnings.py",
                                    "wave.py",
                                    "weakref.py",
                                    "webbrowser.py",
                                    "zipapp.py",
                                    "zipfile.py",
                                    "zipimport.py"};

/* Packages of Python's library, sorted by name. */
static const char *const FOLDERS[] = {
    "asyncio",         "collections", "concurrent", "ctypes",  "curses",    "dbm",       "distutils", "email",
    "encodings",       "ensurepip",   "html",       "http",    "importlib", "json",      "lib2to3",   "logging",
    "multiprocessing", "pathlib",     "pydoc_data", "re",      "sqlite3",   "sysconfig", "tkinter",   "tomllib",
    "unittest",        "urllib",      "venv",       "wsgiref", "xml",       "xmlrpc",    "zipfile",   "zoneinfo"};

/* Files and folders of torch's own source tree. A folder "torch" alone does not prove the origin, because it may
 * belong to a user. */
static const char *const OF_TORCH[] = {"_compile.py",
                                       "_dynamo/",
                                       "_functorch/",
                                       "_higher_order_ops/",
                                       "_inductor/",
                                       "_jit_internal.py",
                                       "_ops.py",
                                       "_prims/",
                                       "_refs/",
                                       "_subclasses/",
                                       "_tensor.py",
                                       "ao/",
                                       "autograd/",
                                       "cuda/",
                                       "distributed/",
                                       "functional.py",
                                       "fx/",
                                       "jit/",
                                       "nn/",
                                       "optim/",
                                       "profiler/",
                                       "random.py",
                                       "serialization.py",
                                       "storage.py",
                                       "utils/"};

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Returns true if the path contains the text `words` at byte position `at`. A "/" in `words` also matches a
 * backslash. */
static bool matches_path_at(struct tp_str path, size_t at, const char *words)
{
    for (; *words && at < path.len; words++, at++)
        if (*words == '/' ? !is_slash(path.ptr[at]) : *words != path.ptr[at])
            return false;
    return !*words;
}

/* Returns the position after the last occurrence of `words` at the start of a part of the path; 0 if none exists. */
static size_t end_of_last_match(struct tp_str path, const char *words)
{
    size_t found = 0;
    for (size_t at = 0; at < path.len; at++)
        if ((!at || is_slash(path.ptr[at - 1])) && matches_path_at(path, at, words))
            found = at + strlen(words);
    return found;
}

static int compare_text_to_item(const void *key, const void *item)
{
    const struct tp_str *text = key;
    const char *name = *(const char *const *)item;
    return tp_str_compare(*text, tp_str_of(name));
}

static bool is_in_list(struct tp_str text, const char *const *items, size_t count)
{
    return bsearch(&text, items, count, sizeof *items, compare_text_to_item);
}

/* Returns the part of the path before its first slash, or the whole path if it has no slash. */
static struct tp_str first_path_part(struct tp_str path)
{
    size_t len = 0;
    while (len < path.len && !is_slash(path.ptr[len]))
        len++;
    return (struct tp_str){path.ptr, len};
}

static bool is_in_library(struct tp_str path)
{
    struct tp_str part = first_path_part(path);
    if (part.len == path.len)
        return is_in_list(part, FILES, sizeof FILES / sizeof *FILES);
    return is_in_list(part, FOLDERS, sizeof FOLDERS / sizeof *FOLDERS);
}

static bool is_framework(struct tp_str path)
{
    return matches_path_at(path, 0, "torch/") || matches_path_at(path, 0, "functorch/") ||
           matches_path_at(path, 0, "torchgen/") || matches_path_at(path, 0, "triton/");
}

/* Returns true for a path in a source tree of torch: ".../pytorch/torch/nn/modules/module.py". */
static bool is_source_of_torch(struct tp_str path)
{
    size_t at = end_of_last_match(path, "torch/");
    bool is_any = false;
    for (size_t i = 0; at && i < sizeof OF_TORCH / sizeof *OF_TORCH; i++)
        is_any |= matches_path_at(path, at, OF_TORCH[i]);
    return is_any;
}

/* Returns true for a file that Inductor generated: "ab/cab7..(50 characters).py". The name of its folder is the second
 * and third character of the file name. */
static bool is_inductor_file(struct tp_str path)
{
    enum { HASH = 32 };
    size_t base = path.len;
    while (base && !is_slash(path.ptr[base - 1]))
        base--;
    if (path.len - base < HASH || base < 3 || (base > 3 && !is_slash(path.ptr[base - 4])))
        return false;
    return memcmp(path.ptr + base - 3, path.ptr + base + 1, 2) == 0;
}

static bool is_generated(struct tp_str path)
{
    static const char *const places[] = {"torchinductor_",
                                         "torchinductor/",
                                         ".triton/",
                                         "triton/cache/",
                                         "triton_cache",
                                         "__autograph_generated_file",
                                         "torch_compile_debug/",
                                         "<"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (end_of_last_match(path, places[i]))
            return true;
    return is_inductor_file(path);
}

/* Returns true if the path contains a folder "lib/python3.11/" or "lib/python3/", or "Lib\" on Windows. */
static bool is_inside_library_folder(struct tp_str path)
{
    static const char folder[] = "lib/python";
    for (size_t at = 0; at < path.len; at++) {
        size_t end = at + sizeof folder - 1;
        if ((at && !is_slash(path.ptr[at - 1])) || !matches_path_at(path, at, folder))
            continue;
        while (end < path.len && (tp_is_digit(path.ptr[end]) || path.ptr[end] == '.'))
            end++;
        if (end > at + sizeof folder - 1 && end < path.len && is_slash(path.ptr[end]))
            return true;
    }
    size_t at = end_of_last_match(path, "Lib/");
    return at && path.ptr[at - 1] == '\\';
}

enum tp_code_origin tp_code_origin_of_path(struct tp_str path)
{
    if (matches_path_at(path, 0, "<ipython-input-"))
        return TP_CODE_USER;
    if (is_generated(path))
        return TP_CODE_GENERATED;
    size_t site = end_of_last_match(path, "site-packages/"), dist = end_of_last_match(path, "dist-packages/");
    size_t at = site > dist ? site : dist;
    if (at)
        return is_framework((struct tp_str){path.ptr + at, path.len - at}) ? TP_CODE_FRAMEWORK : TP_CODE_PACKAGE;
    if (is_inside_library_folder(path) || is_in_library(path))
        return TP_CODE_PYTHON;
    return is_framework(path) || is_source_of_torch(path) ? TP_CODE_FRAMEWORK : TP_CODE_USER;
}
