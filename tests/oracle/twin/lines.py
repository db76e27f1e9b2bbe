"""The origin of Python code, the scripts of a trace, and the line of a stack (docs/definitions.md, section 6)."""
import functools
import re

from . import names

PYTHONS = frozenset("""__future__ _abc _aix_support _ast _bootsubprocess _collections_abc _compat_pickle _compression _markupbase
_osx_support _py_abc _pydatetime _pydecimal _pyio _pylong _sitebuiltins _strptime _sysconfigdata _threading_local
_weakrefset abc aifc antigravity argparse ast asynchat asyncio asyncore base64 bdb binhex bisect bz2 cProfile calendar
cgi cgitb chunk cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars
copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings
ensurepip enum filecmp fileinput fnmatch formatter fractions ftplib functools genericpath getopt getpass gettext glob
graphlib gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress json keyword
lib2to3 linecache locale logging lzma mailbox mailcap mimetypes modulefinder multiprocessing netrc nntplib ntpath
nturl2path numbers opcode operator optparse os pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib
posixpath pprint profile pstats pty py_compile pyclbr pydoc pydoc_data queue quopri random re reprlib rlcompleter
runpy sched secrets selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver sqlite3
sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sysconfig
tabnanny tarfile telnetlib tempfile textwrap this threading timeit token tokenize tomllib trace traceback tracemalloc
tty types typing unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref xdrlib xml xmlrpc zipapp
zipfile zipimport zoneinfo""".split())
TORCHS = frozenset("""functorch pytorch_triton torch torchaudio torchgen torchtext torchvision triton triton_kernels""".split())
LIBRARIES = frozenset("""IPython PIL _pytest absl accelerate aiohttp aiter anyio apex attr attrs av beartype bitblas bitsandbytes bs4 certifi
click cloudpickle colab_kernel_launcher compressed_tensors coverage cuda cupy cute cutlass cv2 dask datasets debugpy
decorator decord deep_ep deep_gemm deepspeed detectron2 dgl diffusers dill distributed einops evaluate fairscale
fairseq fastapi fbgemm_gpu ffmpeg filelock fire flash_attn flash_attn_interface flashinfer flax fsspec gguf google gym
gymnasium h5py habana_frameworks httpx huggingface_hub hydra hypothesis ignite imageio intel_extension_for_pytorch
ipykernel ipywidgets jax jaxlib jaxtyping jinja2 joblib jupyter_client jupyter_core keras kornia librosa lightning
lightning_fabric lightning_utilities llvmlite lm_format_enforcer loguru lxml markupsafe matplotlib megatron mlflow
mmcv mmdet mmengine monai mpmath msgpack nemo nemo_toolkit networkx ninja nltk numba numpy omegaconf onnx onnxruntime
opt_einsum optax optimum orjson outlines packaging pandas peft pip pkg_resources pluggy polars psutil pyarrow pybind11
pydantic pydantic_core pydantic_settings pydevd pynvml pytest pytorch_lightning ray regex requests rich rouge_score
sacrebleu safetensors scipy seaborn sentencepiece setuptools sgl_kernel sglang six skimage sklearn soundfile spacy
stable_baselines3 starlette sympy tensorboard tensorboardX tensorflow tensorrt tensorrt_llm tianshou tiktoken tilelang
timm tokenizers torch_geometric torch_npu torch_scatter torch_sparse torch_xla torchmetrics torchrec torchtitan
torchtune tornado tqdm traitlets transformer_engine transformers trl typer typing_extensions ujson urllib3 uvicorn
uvloop vllm wandb wheel wrapt wurlitzer xformers xfuser xgrammar yaml yunchang zarr zmq""".split())
NEVER_LINES = frozenset("""IPython PIL _pytest aiter anyio apex attr beartype bitsandbytes click colab_kernel_launcher csrc cupy cute cutlass
debugpy decorator deep_ep deep_gemm einops fastapi fbgemm_gpu filelock flash_attn flash_attn_interface flashinfer
fsspec intel_extension_for_pytorch ipykernel jaxtyping jit_kernel jupyter_client jupyter_core numba numpy opt_einsum
packaging pandas pluggy pydantic pydantic_core pydevd pytest rich scipy sgl_kernel six starlette tilelang torch_guard
tornado tqdm traitlets transformer_engine typing_extensions uvicorn uvloop wrapt wurlitzer xformers yaml zmq""".split())
SINGLE_FILES = frozenset("colab_kernel_launcher decorator six torch_guard typing_extensions wurlitzer".split())
IN_CHECKOUTS = frozenset("diffusers megatron sglang transformers vllm xfuser".split())
CHECKOUTS = {("xDiT", "xfuser"), ("pytorch", "torch")}
NOTEBOOK = re.compile(r"<ipython-input-[0-9]|<command-[0-9]|<stdin>|<cell |Cell In\[[0-9]+\]|/tmp/xpython_[0-9]+/|.*/ipykernel_[0-9]+/[0-9]+\.py\Z", re.S)
GENERATED = re.compile(r"<|.*(?:/torchinductor/|torchinductor_[^/]*/|\.triton/cache/|/triton_cache/|/tilelang/cache/|torch_compile_debug/|"
                       r"/__autograph_generated|/\.inductor_cache/|/compiled_autograd/|codegen\([^)]*\))|"
                       r"(?:.*/)?[a-z0-9]{2}/c[a-z2-7]{51}\.py\Z", re.S)
OF_PYTHON = re.compile(r"(?:.*?/)??lib(?:64)?/python[0-9]+(?:\.[0-9]+)?t?/|.*?python[0-9]+\.zip/", re.S)
ON_WINDOWS = re.compile(r"[A-Za-z]:/.*/[Ll]ib/(?=([A-Za-z0-9_]+)(?:/|\.py))", re.S)


def package(path):
    """Returns the first part of a path without ".py"."""
    first = path.split("/")[0]
    return first[:-3] if first.endswith(".py") else first


def of_relative_path(path):
    parts = path.split("/")
    while len(parts) > 1 and parts[0] in (".", ".."):
        del parts[0]
    name, is_folder = package(parts[0]), len(parts) > 1
    if is_folder and name in TORCHS:
        return "torch", path
    if name in PYTHONS:
        return "stdlib", path
    if name in (LIBRARIES if is_folder else SINGLE_FILES):
        return "library", path
    if len(parts) > 2 and parts[1] in IN_CHECKOUTS:
        return "library", "/".join(parts[1:])
    return "user", path


def of_absolute_path(path):
    parts = path.split("/")
    for i in reversed(range(1, len(parts) - 1)):
        folder, name = parts[i - 1], parts[i]
        if name in TORCHS | LIBRARIES and (folder.lower() in (name.lower(), "python", "src") or (folder, name) in CHECKOUTS):
            return "torch" if name in TORCHS else "library", "/".join(parts[i:])
    return "user", path


@functools.lru_cache(None)
def of_path(path):
    """Returns (origin, shown path) of a path with slashes."""
    if NOTEBOOK.match(path):
        return "user", path
    if path.startswith("<frozen"):
        return "stdlib", path
    if GENERATED.match(path):
        return "generated", path
    if path.startswith(("csrc/", "/csrc/")):
        return "library", path
    for mark in ("/site-packages/", "/dist-packages/"):
        if mark in path:
            path = path.rpartition(mark)[2]
            return "torch" if package(path) in TORCHS else "library", path
    found = OF_PYTHON.match(path)
    if found:
        return "stdlib", path[found.end():]
    found = ON_WINDOWS.match(path)
    if found and found.group(1) in PYTHONS:
        return "stdlib", path[found.end():]
    return of_absolute_path(path) if re.match("/|[A-Za-z]:/", path) else of_relative_path(path)


@functools.lru_cache(None)
def of_frame(text, scripts=frozenset()):
    """Returns (origin, line) of the text of a frame. line: None if the frame can be no line."""
    if text.startswith("nn.Module: "):
        return "module", None
    parts = names.frame_match(text)
    if parts is None or parts.group(2).startswith("-") or text.startswith("<built-in"):
        return "builtin", None
    path = parts.group(1).replace("\\", "/")
    origin, shown = ("user", path) if parts.group(1) in scripts else of_path(path)
    is_line = origin == "user" or origin == "library" and re.split("[/.]", shown)[0] not in NEVER_LINES
    return origin, "%s(%s): %s" % (shown, parts.group(2), parts.group(3)) if is_line else None


def find_scripts(threads):
    """Returns the paths whose frame <module> is the outermost frame of a thread. threads: events of each thread in the
    order of the tree."""
    found = set()
    for events in threads:
        last = float("-inf")
        for e in events:
            if e.kind != "frame":
                continue
            if last <= e.start and e.name.endswith(": <module>") and names.frame_match(e.name):
                found.add(names.frame_match(e.name).group(1))
            last = max(last, e.end)
    return frozenset(path for path in found if not path.startswith("<") and "importlib" not in path)


def innermost_line(events):
    """Returns the line of a stack whose frames are innermost first: the first line of the user's code; else the first
    line of a library; else None."""
    found = [e for e in events if e.line]
    return next((e.line for e in found if e.origin == "user"), found[0].line if found else None)
