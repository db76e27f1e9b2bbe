
# ---- the code below is the same in every script; it never runs text of the trace ----
import argparse
import platform
import re
import statistics
import sys
import time

import torch

DTYPES = {
    "float": torch.float32, "double": torch.float64, "c10::Half": torch.float16, "c10::BFloat16": torch.bfloat16,
    "long int": torch.int64, "long": torch.int64, "long long": torch.int64, "int": torch.int32, "short int": torch.int16,
    "short": torch.int16, "signed char": torch.int8, "unsigned char": torch.uint8, "bool": torch.bool,
    "c10::complex<float>": torch.complex64, "c10::complex<double>": torch.complex128,
    "unsigned int": getattr(torch, "uint32", None), "unsigned short": getattr(torch, "uint16", None),
    "unsigned long": getattr(torch, "uint64", None), "c10::Float8_e4m3fn": getattr(torch, "float8_e4m3fn", None),
    "c10::Float8_e5m2": getattr(torch, "float8_e5m2", None),
}
NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|inf|nan)\Z")
MOST_DIGITS = 40  # longer numbers are refused
MOST_BYTES = 1 << 34  # larger inputs are refused, because the sizes come from a file
assumed = []  # sentences about values that the trace does not have
taken_bytes = [0]  # bytes of the tensors that the script has made for a call


class Refused(Exception):
    """The call cannot be built; the text is the reason."""


def number(text):
    """Returns the value of a recorded number or truth value; None for another text."""
    if text in ("True", "False"):
        return text == "True"
    if len(text) > MOST_DIGITS or not NUMBER.match(text):
        return None
    return int(text) if re.match(r"[-+]?[0-9]+\Z", text) else float(text)


def number_list(text):
    """Returns the values of a recorded list of numbers; None for another text."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    inner = text[1:-1].strip()
    values = [number(part.strip()) for part in inner.split(",")] if inner else []
    return None if None in values else values


def count_of(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def make_tensor(where, shape, strides, type_text, device):
    """Returns a tensor with this shape and these strides. Its values are not recorded."""
    dtype = DTYPES.get(type_text)
    if type_text and dtype is None:
        raise Refused("%s has the type %r, which this script or this torch does not know" % (where, type_text))
    if dtype is None:
        dtype = torch.float32
        assumed.append("%s: the type is not recorded; float32 is used" % where)
    if shape is None or any(isinstance(size, list) or size < 0 for size in shape):
        raise Refused("%s has %s" % (where, "no recorded shape" if shape is None else "the shape %s, which is no shape of a tensor" % shape))
    if strides is None or len(strides) != len(shape) or any(step < 0 for step in strides):
        strides, step = [], 1
        for size in reversed(shape):
            strides.insert(0, step)
            step *= max(size, 1)
        if shape:
            assumed.append("%s: the strides are not recorded; the tensor is contiguous" % where)
    length = 1 + sum((size - 1) * step for size, step in zip(shape, strides)) if count_of(shape) else 0
    taken_bytes[0] += max(length, count_of(shape)) * max(dtype.itemsize, 4)
    if taken_bytes[0] > MOST_BYTES:
        raise Refused("the arguments up to %s need %d bytes, more than %d" % (where, taken_bytes[0], MOST_BYTES))
    if dtype.is_floating_point or dtype.is_complex:
        data = torch.rand(length, dtype=torch.float32 if dtype.itemsize < 4 else dtype, device=device).to(dtype)
    else:
        data = torch.zeros(length, dtype=dtype, device=device)
    try:
        return data.as_strided(shape, strides)
    except (RuntimeError, OverflowError, TypeError) as error:
        raise Refused("%s has the shape %s: %s" % (where, shape, str(error).splitlines()[0]))


def kind_of(argument):
    """Returns "tensor", "tensors", "number", "numbers" or "" (None, or not recorded)."""
    type_text, shape, value = argument["type"], argument["shape"], argument["value"]
    if type_text == "TensorList" or (shape and isinstance(shape[0], list)):
        return "tensors"
    if type_text == "Scalar":
        return "number"
    if type_text == "ScalarList":
        return "numbers"
    if type_text in DTYPES or shape:
        return "tensor"
    if value is not None and number(value) is not None:
        return "number"
    return "numbers" if value and number_list(value) is not None else ""


def base_of(schema_argument):
    """Returns the type of a parameter without Optional, and whether it is optional."""
    text = str(schema_argument.type)
    optional = text.startswith("Optional[")
    return (text[9:-1], True) if optional else (text, False)


def fits(schema_argument, argument):
    """Returns whether a recorded argument can belong to a parameter."""
    base, optional = base_of(schema_argument)
    kind = kind_of(argument)
    if kind == "":
        return optional or schema_argument.has_default_value() or base not in ("Tensor", "List[Tensor]")
    if kind == "tensor":
        return base == "Tensor"
    if kind == "tensors":
        return base in ("List[Tensor]", "List[Optional[Tensor]]")
    if kind == "number":
        value = argument["value"]
        is_real = value is not None and isinstance(number(value), float)
        return base in ("number", "float", "Scalar") or (base in ("int", "bool", "SymInt", "Device", "Layout") and not is_real)
    return base.startswith("List[") and "Tensor" not in base


def find_schema():
    """Returns the schema of the operator that fits the recorded arguments."""
    schemas = torch._C._jit_get_schemas_for_operator(OPERATOR)
    if not schemas:
        raise Refused("torch %s has no operator %r; import the library that registers it" % (torch.__version__, OPERATOR))
    found = [s for s in schemas if len(s.arguments) == len(ARGUMENTS) and all(map(fits, s.arguments, ARGUMENTS))]
    if not found:
        raise Refused("no form of %s fits the recorded arguments:\n    %s" % (OPERATOR, "\n    ".join(map(str, schemas))))
    return min(found, key=lambda s: any(a.is_out for a in s.arguments))


def placeholder(where, schema_argument):
    """Returns a value for an argument that the trace does not have."""
    base, optional = base_of(schema_argument)
    if schema_argument.has_default_value():
        assumed.append("%s: not recorded; the default %r is used" % (where, schema_argument.default_value))
        return schema_argument.default_value
    if optional:
        assumed.append("%s: not recorded; None is used" % where)
        return None
    simple = {"float": 1.0, "number": 1, "bool": False}  # these do not change the shape of the result
    if base not in simple:
        raise Refused("%s of the type %s is not recorded" % (where, base))
    assumed.append("%s: not recorded; %r is used" % (where, simple[base]))
    return simple[base]


def make_list(where, argument, device):
    shapes = argument["shape"] or []
    if not shapes and any(other["shape"] and isinstance(other["shape"][0], list) for other in ARGUMENTS):
        assumed.append("%s: no shapes are recorded, unlike those of other lists; the list is empty" % where)
        return []
    if not all(isinstance(shape, list) for shape in shapes) or not shapes:
        raise Refused("%s is a list of tensors, and the trace does not have their shapes" % where)
    strides = argument["strides"] or []
    tensors = []
    for i, shape in enumerate(shapes):
        step = strides[i] if i < len(strides) and isinstance(strides[i], list) else None
        tensors.append(make_tensor("%s[%d]" % (where, i), shape, step, "", device))
    return tensors


def make_value(position, schema_argument, argument, device):
    where = "argument %d (%s)" % (position, schema_argument.name)
    base, optional = base_of(schema_argument)
    kind, text = kind_of(argument), argument["value"]
    if kind == "tensor":
        return make_tensor(where, argument["shape"], argument["strides"], argument["type"], device)
    if kind == "tensors":
        return make_list(where, argument, device)
    if base == "str" and text:
        return text
    if base == "Device" or (kind == "" and text and text.split(":")[0] in ("cpu", "cuda", "xpu", "hip", "mps")):
        assumed.append("%s: %s is used in place of the recorded device" % (where, device))
        return torch.device(device)
    value = (number_list if kind == "numbers" else number)(text) if text else None
    if value is None:
        return placeholder(where, schema_argument)
    if base == "bool":
        return bool(value)
    if base in ("List[float]", "List[bool]"):
        return [float(x) if base == "List[float]" else bool(x) for x in value]
    return float(value) if base == "float" else value


def make_arguments(schema, device):
    """Returns the positional and the named arguments of the call."""
    assumed.clear()
    taken_bytes[0] = 0
    torch.manual_seed(0)
    by_position, by_name = [], {}
    for i, (parameter, argument) in enumerate(zip(schema.arguments, ARGUMENTS)):
        value = make_value(i, parameter, argument, device)
        if parameter.kwarg_only:
            by_name[parameter.name] = value
        else:
            by_position.append(value)
    return by_position, by_name


def shown(value):
    """Returns an argument or a result as a short text."""
    if isinstance(value, torch.Tensor):
        return "tensor %s, strides %s, %s, %s" % (list(value.shape), list(value.stride()), str(value.dtype)[6:], value.device)
    if isinstance(value, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in value):
        return "[%s]" % "; ".join(map(shown, value))
    return repr(value)


def wait_function(device):
    """Returns a function that waits until the device has ended its work."""
    kind = torch.device(device).type
    if kind == "cpu":
        return lambda: None
    if not hasattr(getattr(torch, kind, None), "synchronize"):
        raise Refused("torch has no function that waits for the device %s" % device)
    wait = getattr(torch, kind).synchronize
    return wait if kind == "mps" else (lambda: wait(device))


def times_of_calls(call, schema, options, by_position, by_name):
    """Returns the time of each measured call, s, and the last result. Arguments that the operator changes are made
    again before each call, outside of the measured time."""
    changes = any(a.alias_info is not None and a.alias_info.is_write for a in schema.arguments)
    finish = wait_function(options.device)
    times, result = [], None
    with torch.no_grad():
        for i in range(options.warmup + options.repeat):
            if changes and i:
                by_position = by_name = result = None  # their memory may be needed for the new ones
                by_position, by_name = make_arguments(schema, options.device)
            finish()
            begin = time.perf_counter()
            result = call(*by_position, **by_name)
            finish()
            if i >= options.warmup:
                times.append(time.perf_counter() - begin)
    return times, result


def read_options():
    parser = argparse.ArgumentParser(description="Calls one recorded operator and measures the call.")
    parser.add_argument("--device", default="cuda" if RECORDED_ON_DEVICE and torch.cuda.is_available() else "cpu")
    parser.add_argument("--repeat", type=int, default=20, help="measured calls (default 20)")
    parser.add_argument("--warmup", type=int, default=3, help="calls before the measured calls (default 3)")
    options = parser.parse_args()
    if options.repeat < 1 or options.warmup < 0:
        parser.error("--repeat is at least 1, --warmup at least 0")
    return options


def main():
    options = read_options()
    schema = find_schema()
    namespace, name = OPERATOR.split("::")
    call = getattr(getattr(getattr(torch.ops, namespace), name), schema.overload_name or "default")
    by_position, by_name = make_arguments(schema, options.device)
    device = torch.cuda.get_device_name(options.device) if options.device.startswith("cuda") else platform.processor() or "CPU"
    print("torch %s, Python %s, device %s (%s)" % (torch.__version__, platform.python_version(), options.device, device))
    print("operator %s" % schema)
    for parameter, value in zip(schema.arguments, by_position + list(by_name.values())):
        print("  %s = %s" % (parameter.name, shown(value)))
    print("recorded: the operator and all arguments, except for the values assumed below")
    print("assumed: values of tensors (random from 0 to 1; 0 for integers and truth values)")
    for sentence in assumed:
        print("assumed: " + sentence)
    times, result = times_of_calls(call, schema, options, by_position, by_name)
    print("result: %s" % shown(result))
    print("time per call: median %.3f us, fastest %.3f us, slowest %.3f us (%d calls after %d)" % (
        statistics.median(times) * 1e6, min(times) * 1e6, max(times) * 1e6, options.repeat, options.warmup))
    print("time in the trace: %s" % RECORDED_TIME)


if __name__ == "__main__":
    try:
        main()
    except Refused as reason:
        sys.exit("this call cannot be built: %s" % reason)
