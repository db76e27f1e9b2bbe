/* Classifies the origin of Python code by its path: see code_origin.h. */
#include "webreport/trace/code_origin.h"

#include <string.h>

/* ---- lists of names: sorted words with a space before and after each ---- */

/* Files and packages of Python's library. */
static const char STDLIB[] =
    " __future__ _abc _aix_support _ast _bootsubprocess _collections_abc _compat_pickle _compression _markupbase "
    "_osx_support _py_abc _pydatetime _pydecimal _pyio _pylong _sitebuiltins _strptime _sysconfigdata "
    "_threading_local _weakrefset abc aifc antigravity argparse ast asynchat asyncio asyncore base64 bdb binhex "
    "bisect bz2 cProfile calendar cgi cgitb chunk cmd code codecs codeop collections colorsys compileall "
    "concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime "
    "dbm decimal difflib dis distutils doctest email encodings ensurepip enum filecmp fileinput fnmatch "
    "formatter fractions ftplib functools genericpath getopt getpass gettext glob graphlib gzip hashlib heapq "
    "hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress json keyword lib2to3 linecache "
    "locale logging lzma mailbox mailcap mimetypes modulefinder multiprocessing netrc nntplib ntpath nturl2path "
    "numbers opcode operator optparse os pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib "
    "posixpath pprint profile pstats pty py_compile pyclbr pydoc pydoc_data queue quopri random re reprlib "
    "rlcompleter runpy sched secrets selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket "
    "socketserver sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct "
    "subprocess sunau symtable sysconfig tabnanny tarfile telnetlib tempfile textwrap this threading timeit "
    "token tokenize tomllib trace traceback tracemalloc tty types typing unittest urllib uu uuid venv warnings "
    "wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zoneinfo ";

/* Packages of torch's project. */
static const char TORCH[] =
    " functorch pytorch_triton torch torchaudio torchgen torchtext torchvision triton triton_kernels ";

/* Other packages that torch.profiler often cuts to a relative path. */
static const char LIBS[] =
    " IPython PIL _pytest absl accelerate aiohttp aiter anyio apex attr attrs av beartype bitblas bitsandbytes "
    "bs4 certifi click cloudpickle colab_kernel_launcher compressed_tensors coverage cuda cupy cute cutlass cv2 "
    "dask datasets debugpy decorator decord deep_ep deep_gemm deepspeed detectron2 dgl diffusers dill "
    "distributed einops evaluate fairscale fairseq fastapi fbgemm_gpu ffmpeg filelock fire flash_attn "
    "flash_attn_interface flashinfer flax fsspec gguf google gym gymnasium h5py habana_frameworks httpx "
    "huggingface_hub hydra hypothesis ignite imageio intel_extension_for_pytorch ipykernel ipywidgets jax jaxlib "
    "jaxtyping jinja2 joblib jupyter_client jupyter_core keras kornia librosa lightning lightning_fabric "
    "lightning_utilities llvmlite lm_format_enforcer loguru lxml markupsafe matplotlib megatron mlflow mmcv "
    "mmdet mmengine monai mpmath msgpack nemo nemo_toolkit networkx ninja nltk numba numpy omegaconf onnx "
    "onnxruntime opt_einsum optax optimum orjson outlines packaging pandas peft pip pkg_resources pluggy polars "
    "psutil pyarrow pybind11 pydantic pydantic_core pydantic_settings pydevd pynvml pytest pytorch_lightning ray "
    "regex requests rich rouge_score sacrebleu safetensors scipy seaborn sentencepiece setuptools sgl_kernel "
    "sglang six skimage sklearn soundfile spacy stable_baselines3 starlette sympy tensorboard tensorboardX "
    "tensorflow tensorrt tensorrt_llm tianshou tiktoken tilelang timm tokenizers torch_geometric torch_npu "
    "torch_scatter torch_sparse torch_xla torchmetrics torchrec torchtitan torchtune tornado tqdm traitlets "
    "transformer_engine transformers trl typer typing_extensions ujson urllib3 uvicorn uvloop vllm wandb wheel "
    "wrapt wurlitzer xformers xfuser xgrammar yaml yunchang zarr zmq ";

/* Packages whose functions are never the line of an event: packages that connect other code, and wrappers of kernels.
 * The caller of such a function describes the work better. */
static const char GLUE_OR_WRAPPER[] =
    " IPython PIL _pytest aiter anyio apex attr beartype bitsandbytes click colab_kernel_launcher csrc cupy cute "
    "cutlass debugpy decorator deep_ep deep_gemm einops fastapi fbgemm_gpu filelock flash_attn "
    "flash_attn_interface flashinfer fsspec intel_extension_for_pytorch ipykernel jaxtyping jit_kernel "
    "jupyter_client jupyter_core numba numpy opt_einsum packaging pandas pluggy pydantic pydantic_core pydevd "
    "pytest rich scipy sgl_kernel six starlette tilelang torch_guard tornado tqdm traitlets transformer_engine "
    "typing_extensions uvicorn uvloop wrapt wurlitzer xformers yaml zmq ";

/* Libraries that are a single file. */
static const char SINGLE_FILES[] = " colab_kernel_launcher decorator six torch_guard typing_extensions wurlitzer ";

/* Packages that are recognized inside the folder of a checkout at the start of a relative path. */
static const char IN_CHECKOUTS[] = " diffusers megatron sglang transformers vllm xfuser ";

/* Returns whether a sorted list contains a word. */
static bool contains_word(const char *list, size_t size, struct tp_str word)
{
    size_t low = 0, high = size - 1; /* indexes of spaces; the word can only be between them */
    while (low < high) {
        size_t begin = low + (high - low) / 2, end;
        while (list[begin] != ' ')
            begin--;
        for (end = begin + 1; list[end] != ' ';)
            end++;
        int order = tp_str_compare(word, (struct tp_str){list + begin + 1, end - begin - 1});
        if (!order)
            return true;
        if (order < 0)
            high = begin;
        else
            low = end;
    }
    return false;
}

#define IS_IN(list, word) contains_word(list, sizeof(list) - 1, word)

/* ---- patterns ---- */

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* Returns the end of the match if the path matches a pattern at position `at`, otherwise 0. In a pattern, "#" means one
 * or more digits, and "/" also matches a backslash. */
static size_t match_at(struct tp_str path, size_t at, const char *pattern)
{
    for (; *pattern; pattern++, at++) {
        if (at >= path.len)
            return 0;
        char c = path.ptr[at];
        if (*pattern == '#' ? !tp_is_digit(c) : *pattern == '/' ? !is_slash(c) : c != *pattern)
            return 0;
        while (*pattern == '#' && at + 1 < path.len && tp_is_digit(path.ptr[at + 1]))
            at++;
    }
    return at;
}

/* Returns the end of the first match of a pattern in the path from position `at` on; 0 without a match. */
static size_t find_pattern(struct tp_str path, size_t at, const char *pattern)
{
    size_t end = 0;
    for (; at < path.len && !end; at++)
        end = match_at(path, at, pattern);
    return end;
}

/* Returns the end of the last match of a pattern in the path; 0 without a match. */
static size_t find_last_pattern(struct tp_str path, const char *pattern)
{
    size_t end = 0;
    for (size_t at = path.len; at-- > 0 && !end;)
        end = match_at(path, at, pattern);
    return end;
}

static struct tp_str path_from(struct tp_str path, size_t at)
{
    return (struct tp_str){path.ptr + at, path.len - at};
}

/* Returns the part of the path from position `at` to the next slash, or to the end of the path. */
static struct tp_str path_part(struct tp_str path, size_t at)
{
    size_t end = at;
    while (end < path.len && !is_slash(path.ptr[end]))
        end++;
    return (struct tp_str){path.ptr + at, end - at};
}

static struct tp_str without_py(struct tp_str name)
{
    return tp_str_ends(name, ".py") ? (struct tp_str){name.ptr, name.len - 3} : name;
}

/* ---- the rows of the table in docs/definitions.md ---- */

static bool is_notebook(struct tp_str path)
{
    static const char *const starts[] = {"<ipython-input-#", "<command-#", "<stdin>",
                                         "<cell ",           "Cell In[#]", "/tmp/xpython_#/"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (match_at(path, 0, starts[i]))
            return true;
    size_t folder = find_last_pattern(path, "/ipykernel_#/");
    return folder && match_at(path, folder, "#.py") == path.len;
}

/* Returns true for a file that Inductor generated: "od/codw..(52 characters).py". */
static bool is_inductor_file(struct tp_str path)
{
    enum { FOLDER = 2, NAME = 52, ALL = FOLDER + 1 + NAME + 3 };
    size_t at = path.len - ALL;
    if (path.len < ALL || (at && !is_slash(path.ptr[at - 1])) || !match_at(path, path.len - 3, ".py") ||
        !match_at(path, at + FOLDER, "/c"))
        return false;
    for (size_t i = 0; i < FOLDER; i++)
        if (!tp_is_digit(path.ptr[at + i]) && !(path.ptr[at + i] >= 'a' && path.ptr[at + i] <= 'z'))
            return false;
    for (size_t i = at + FOLDER + 2; i < path.len - 3; i++)
        if (!(path.ptr[i] >= '2' && path.ptr[i] <= '7') && !(path.ptr[i] >= 'a' && path.ptr[i] <= 'z'))
            return false;
    return true;
}

static bool is_generated(struct tp_str path)
{
    static const char *const places[] = {"/torchinductor/",   ".triton/cache/",       "/triton_cache/",
                                         "/tilelang/cache/",  "torch_compile_debug/", "/__autograph_generated",
                                         "/.inductor_cache/", "/compiled_autograd/"};
    if (path.ptr[0] == '<' || is_inductor_file(path))
        return true;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (find_pattern(path, 0, places[i]))
            return true;
    size_t end = find_pattern(path, 0, "torchinductor_");
    if (end && find_pattern(path, end, "/"))
        return true;
    end = find_pattern(path, 0, "codegen(");
    return end && find_pattern(path, end, ")");
}

/* Returns the position after a folder "lib/python3.11/" or "lib64/python3/" at the start of a part of the path, or
 * after "python311.zip/"; 0 without such a folder. */
static size_t end_of_python_folder(struct tp_str path)
{
    for (size_t at = 0; at < path.len; at++) {
        size_t end = at && !is_slash(path.ptr[at - 1]) ? 0 : match_at(path, at, "lib/python#");
        if (!end && (!at || is_slash(path.ptr[at - 1])))
            end = match_at(path, at, "lib64/python#");
        if (!end)
            continue;
        size_t minor = match_at(path, end, ".#");
        end = minor ? minor : end;
        end += end < path.len && path.ptr[end] == 't';
        if (end < path.len && is_slash(path.ptr[end]))
            return end + 1;
    }
    return find_pattern(path, 0, "python#.zip/");
}

static bool is_of_drive(struct tp_str path)
{
    return path.len > 2 && ((path.ptr[0] >= 'A' && path.ptr[0] <= 'Z') || (path.ptr[0] >= 'a' && path.ptr[0] <= 'z')) &&
           path.ptr[1] == ':' && is_slash(path.ptr[2]);
}

/* Returns the length of a name of letters, digits and "_" at position `at`, which ".py" or a slash must follow; 0
 * for other text. */
static size_t module_name_length(struct tp_str path, size_t at)
{
    size_t end = at;
    while (end < path.len && tp_is_word_character(path.ptr[end]))
        end++;
    return match_at(path, end, "/") || match_at(path, end, ".py") ? end - at : 0;
}

/* Returns the position after the folder "Lib\" of an installation of Python on Windows; 0 without such a folder. */
static size_t end_of_windows_folder(struct tp_str path)
{
    for (size_t at = is_of_drive(path) ? path.len : 0; at-- > 3;) {
        size_t end = match_at(path, at, "/Lib/");
        end = end ? end : match_at(path, at, "/lib/");
        size_t size = end ? module_name_length(path, end) : 0;
        if (size)
            return IS_IN(STDLIB, ((struct tp_str){path.ptr + end, size})) ? end : 0;
    }
    return 0;
}

static struct tp_code make_code(enum tp_code_origin origin, size_t skip)
{
    return (struct tp_code){origin, false, (uint32_t)skip};
}

static struct tp_code code_of_relative_path(struct tp_str path)
{
    size_t at = 0;
    struct tp_str first = path_part(path, 0);
    while ((tp_str_equal(first, TP_STR(".")) || tp_str_equal(first, TP_STR(".."))) && at + first.len < path.len) {
        at += first.len + 1;
        first = path_part(path, at);
    }
    size_t second = at + first.len + 1; /* position of the second part, if there is one */
    bool is_folder = second <= path.len;
    struct tp_str name = without_py(first);
    if (is_folder && IS_IN(TORCH, name))
        return make_code(TP_ORIGIN_TORCH, 0);
    if (IS_IN(STDLIB, name))
        return make_code(TP_ORIGIN_STDLIB, 0);
    if (is_folder ? IS_IN(LIBS, name) : IS_IN(SINGLE_FILES, name))
        return make_code(TP_ORIGIN_LIBRARY, 0);
    struct tp_str package = path_part(path, is_folder ? second : path.len);
    if (package.ptr + package.len < path.ptr + path.len && IS_IN(IN_CHECKOUTS, package))
        return make_code(TP_ORIGIN_LIBRARY, second);
    return make_code(TP_ORIGIN_USER, 0);
}

static bool is_equal_ignoring_case(struct tp_str a, struct tp_str b)
{
    bool is_equal = a.len == b.len;
    for (size_t i = 0; is_equal && i < a.len; i++)
        is_equal = (a.ptr[i] >= 'A' && a.ptr[i] <= 'Z' ? a.ptr[i] | 32 : a.ptr[i]) ==
                   (b.ptr[i] >= 'A' && b.ptr[i] <= 'Z' ? b.ptr[i] | 32 : b.ptr[i]);
    return is_equal;
}

/* Returns whether a folder with this name usually contains the source of a package, so that `package` in the folder is
 * no folder of the user. */
static bool is_folder_of_checkout(struct tp_str folder, struct tp_str package)
{
    if (tp_str_equal(package, TP_STR("xfuser")) && tp_str_equal(folder, TP_STR("xDiT")))
        return true;
    if (tp_str_equal(package, TP_STR("torch")) && tp_str_equal(folder, TP_STR("pytorch")))
        return true;
    return is_equal_ignoring_case(folder, package) || is_equal_ignoring_case(folder, TP_STR("python")) ||
           is_equal_ignoring_case(folder, TP_STR("src"));
}

/* Searches an absolute path for the innermost folder of a known package in a folder that contains its source. */
static struct tp_code code_of_absolute_path(struct tp_str path)
{
    size_t end = path.len; /* end of the part that the loop examines */
    while (end && !is_slash(path.ptr[end - 1]))
        end--;
    for (size_t begin; end > 1; end = begin) {
        begin = --end; /* `end` is now the position of the slash after the part */
        while (begin && !is_slash(path.ptr[begin - 1]))
            begin--;
        if (!begin)
            break;
        struct tp_str part = {path.ptr + begin, end - begin};
        size_t outer = begin - 1;
        while (outer && !is_slash(path.ptr[outer - 1]))
            outer--;
        bool is_torch = IS_IN(TORCH, part);
        if ((is_torch || IS_IN(LIBS, part)) &&
            is_folder_of_checkout((struct tp_str){path.ptr + outer, begin - 1 - outer}, part))
            return make_code(is_torch ? TP_ORIGIN_TORCH : TP_ORIGIN_LIBRARY, begin);
    }
    return make_code(TP_ORIGIN_USER, 0);
}

static struct tp_code classify_path(struct tp_str path)
{
    size_t at;
    if (is_notebook(path))
        return make_code(TP_ORIGIN_USER, 0);
    if (match_at(path, 0, "<frozen"))
        return make_code(TP_ORIGIN_STDLIB, 0);
    if (is_generated(path))
        return make_code(TP_ORIGIN_GENERATED, 0);
    if (match_at(path, 0, "csrc/") || match_at(path, 0, "/csrc/"))
        return make_code(TP_ORIGIN_LIBRARY, 0);
    if ((at = find_last_pattern(path, "/site-packages/")) || (at = find_last_pattern(path, "/dist-packages/")))
        return make_code(IS_IN(TORCH, without_py(path_part(path, at))) ? TP_ORIGIN_TORCH : TP_ORIGIN_LIBRARY, at);
    if ((at = end_of_python_folder(path)) || (at = end_of_windows_folder(path)))
        return make_code(TP_ORIGIN_STDLIB, at);
    return is_slash(path.ptr[0]) || is_of_drive(path) ? code_of_absolute_path(path) : code_of_relative_path(path);
}

struct tp_code tp_code_of_path(struct tp_str path)
{
    struct tp_code code = path.len ? classify_path(path) : make_code(TP_ORIGIN_BUILTIN, 0);
    struct tp_str package = path_part(path_from(path, code.skip), 0);
    const char *dot = package.len ? memchr(package.ptr, '.', package.len) : NULL;
    package.len = dot ? (size_t)(dot - package.ptr) : package.len;
    code.is_line =
        code.origin == TP_ORIGIN_USER || (code.origin == TP_ORIGIN_LIBRARY && !IS_IN(GLUE_OR_WRAPPER, package));
    return code;
}
