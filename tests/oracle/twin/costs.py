"""Operations and bytes of one operator call, computed from its shapes, types and values (docs/definitions.md, section
19).

A multiplication and an addition are two operations. `flops` ignores causal masks, `flops_exact` does not. bytes: every
tensor is read once, and every result is written once. hint: facts that the call itself does not record: {"out": shape
of the result, "wdims", "xdims": shapes of a weight and an input}."""
import json
import re

SIZE = {'float': 4, 'double': 8, 'c10::half': 2, 'half': 2, 'c10::bfloat16': 2, 'bfloat16': 2, 'long': 8, 'long int': 8, 'int': 4, 'short': 2, 'short int': 2, 'unsigned char': 1, 'signed char': 1, 'char': 1, 'bool': 1, 'c10::float8_e4m3fn': 1, 'c10::float8_e5m2': 1, 'c10::float8_e4m3fnuz': 1, 'c10::float8_e5m2fnuz': 1, 'c10::float8_e8m0fnu': 1, 'c10::float4_e2m1fn_x2': 1, 'c10::complex<float>': 8, 'c10::complex<double>': 16, 'unsigned int': 4, 'unsigned long': 8}
DT = {'float': 'fp32', 'double': 'fp64', 'c10::half': 'fp16', 'half': 'fp16', 'c10::bfloat16': 'bf16', 'bfloat16': 'bf16', 'c10::float8_e4m3fn': 'fp8', 'c10::float8_e5m2': 'fp8', 'c10::float8_e4m3fnuz': 'fp8', 'c10::float8_e5m2fnuz': 'fp8', 'c10::float4_e2m1fn_x2': 'fp4', 'signed char': 'int8', 'c10::complex<float>': 'fp32'}


def prod(d):
    n = 1
    for x in d:
        n *= x
    return n


def is_tensor(d):
    return isinstance(d, list) and all((isinstance(x, int) for x in d)) and (len(d) > 0)


def is_list(d):
    return isinstance(d, list) and len(d) > 0 and isinstance(d[0], list)


def bcast(ds):
    """Returns the shape that results from broadcasting the shapes `ds`."""
    r = []
    for d in ds:
        n = max(len(r), len(d))
        a = [1] * (n - len(r)) + r
        b = [1] * (n - len(d)) + list(d)
        r = [y if x == 1 else x for x, y in zip(a, b)]
    return r


class Call:
    """An operator call: its name, and the shapes, types and values of its arguments."""

    def __init__(s, name, dims, types, conc):
        s.name, s.dims = (name, dims or [])
        s.types = [str(x).lower() if not isinstance(x, list) else x for x in types or []]
        s.conc = conc or []

    def d(s, i):
        return s.dims[i] if i < len(s.dims) and is_tensor(s.dims[i]) else None

    def scalar0(s, i):
        return i < len(s.types) and s.types[i] in SIZE and (i < len(s.dims)) and (s.dims[i] == [])

    def t(s, i):
        x = s.types[i] if i < len(s.types) else ''
        if isinstance(x, list):
            x = str(x[0]).lower() if x else ''
        return x

    def sz(s, i):
        return SIZE.get(s.t(i), 4)

    def by(s, i):
        d = s.d(i)
        return prod(d) * s.sz(i) if d else 0

    def dt(s, i=0):
        return DT.get(s.t(i), 'other')

    def c(s, i):
        if i >= len(s.conc):
            return None
        v = s.conc[i]
        if not isinstance(v, str) or v == '':
            return None
        try:
            return json.loads(v.replace('True', 'true').replace('False', 'false'))
        except ValueError:
            return None

    def tensors(s):
        return [i for i in range(len(s.dims)) if is_tensor(s.dims[i])]

    def allbytes(s, lists=True):
        n = sum((s.by(i) for i in s.tensors()))
        for i, d in enumerate(s.dims):
            if is_list(d):
                ty = s.types[i] if i < len(s.types) else ''
                for j, x in enumerate(d):
                    if is_tensor(x):
                        w = ty[j] if isinstance(ty, list) and j < len(ty) else ty
                        n += prod(x) * SIZE.get(str(w).lower(), 4)
        return n


def R(c, flops, by, dtype, form, **kw):
    """Returns a cost as a dictionary."""
    r = {'flops': int(flops), 'bytes': int(by), 'dtype': dtype, 'form': form}
    r.update(kw)
    return r


def mm(c, a, b, form='gemm', out_sz=None, batch=1):
    """Returns the cost of a matrix product of [.., M, K] and [.., K, N]. a, b: indexes of the arguments."""
    A, B = (c.d(a), c.d(b))
    if not A or not B:
        return None
    if len(A) == 1:
        A = [1] + A
    if len(B) == 1:
        B = B + [1]
    if A[-1] != B[-2]:
        return None
    bt = bcast([A[:-2], B[:-2]])
    m, k, n = (A[-2], A[-1], B[-1])
    nb = prod(bt)
    return R(c, 2 * nb * m * n * k, c.by(a) + c.by(b) + nb * m * n * (out_sz or c.sz(a)), c.dt(a), form, M=m, N=n, K=k, batch=nb)


def linear(c, x=0, w=1, form='gemm', out_sz=None):
    """Returns the cost of a product of [.., K] and the transposed [N, K]. x, w: indexes of the arguments."""
    X, W = (c.d(x), c.d(w))
    if not X or not W or len(W) != 2 or (X[-1] != W[1]):
        return None
    m = prod(X[:-1])
    n, k = W
    return R(c, 2 * m * n * k, c.by(x) + c.by(w) + m * n * (out_sz or c.sz(x)), c.dt(x), form, M=m, N=n, K=k, batch=1)


def conv_out(I, W, st, pa, di, tr, op):
    """Returns the spatial sizes of a convolution's result."""
    nd = len(I) - 2
    g = lambda v: list(v) * nd if len(v) == 1 else list(v)
    st, pa, di, op = (g(st), g(pa), g(di), g(op or [0]))
    if tr:
        return [(I[2 + i] - 1) * st[i] - 2 * pa[i] + di[i] * (W[2 + i] - 1) + op[i] + 1 for i in range(nd)]
    return [(I[2 + i] + 2 * pa[i] - di[i] * (W[2 + i] - 1) - 1) // st[i] + 1 for i in range(nd)]


def conv(c, x, w, st, pa, di, tr, gr, op, hint, form='convolution'):
    """Returns the cost of a convolution, or None."""
    I, W = (c.d(x), c.d(w))
    o = None
    if not I or not W or len(I) != len(W):
        return None
    if st and pa and di:
        o = conv_out(I, W, st, pa, di, tr, op)
    elif hint and is_tensor(hint.get('out')) and (len(hint['out']) == len(I)):
        o = hint['out'][2:]
    if not o:
        return None
    cout = W[1] * (gr or 1) if tr else W[0]
    fl = 2 * I[0] * prod(W) * prod(I[2:] if tr else o)
    return R(c, fl, c.by(x) + c.by(w) + I[0] * cout * prod(o) * c.sz(x), c.dt(x), form, out=[I[0], cout] + list(o))


def conv_bwd(c, g, x, w, mask, tr, form, hint=None):
    """Returns the cost of a convolution's backward call, or None."""
    G, I = (c.d(g), c.d(x) if x is not None else None)
    W = c.d(w) if w is not None else (hint or {}).get('wdims')
    if not G or not W:
        return None
    fl = 2 * G[0] * prod(W) * prod(I[2:] if tr and I else G[2:])
    n = sum((1 for m in mask[:2] if m))
    i = prod(I) if I else prod((hint or {}).get('xdims') or []) if (hint or {}).get('xdims') else 0
    s = c.sz(g)
    by = c.by(g) + prod(W) * s * ((1 if mask[0] else 0) + (1 if mask[1] else 0)) + i * s * ((1 if mask[0] else 0) + (1 if mask[1] else 0))
    return R(c, fl * n, by, c.dt(g), form)


def sdpa(c, q, k, v, layout, causal, bwd=0, form='attention', sk=None, extra=0):
    """Returns the cost of attention, or None. layout: order of the dimensions, "bhsd" or "bshd". The number of query
    heads may be a multiple of the number of key heads."""
    Q, K, V = (c.d(q), c.d(k), c.d(v))
    if not Q or not K or (not V) or (len(Q) < 3):
        return None
    if len(Q) == 3 and layout == 'bshd':
        Q, K, V = ([1] + Q, [1] + K, [1] + V)
    if len(Q) == 3:
        Q, K, V = ([1] + Q, [1] + K, [1] + V)
    b = prod(Q[:-3])
    h, sq = (Q[-3], Q[-2]) if layout == 'bhsd' else (Q[-2], Q[-3])
    s_k = K[-2] if layout == 'bhsd' else K[-3]
    d, dv = (Q[-1], V[-1])
    one = 2 * b * h * sq * s_k
    f = one * (d + dv) if not bwd else one * (3 * d + 2 * dv)
    e = f
    if causal:
        n = sq
        e = int(f * (s_k * sq - sq * (sq - 1) / 2 - 0) / (sq * s_k)) if s_k >= sq else f // 2
    by = c.by(q) * (1 + (2 if bwd else 0)) + (c.by(k) + c.by(v)) * (2 if bwd else 1) + b * h * sq * dv * c.sz(q) * (2 if bwd else 1) + extra
    return R(c, f, by, c.dt(q), form, flops_exact=e, causal=bool(causal), heads=h, sq=sq, sk=s_k, d=d)

EW_NO = re.compile('^(aten::)?(empty|view|reshape|as_strided|t|transpose|permute|expand|select|slice|detach|alias|unsqueeze|squeeze|to|contiguous|result_type|resize_|set_|resolve_|is_|size|stride|lift|item|_local_scalar|unbind|narrow|split|chunk|_unsafe_view|zeros|ones|full|arange|zeros_like|ones_like|empty_like|new_|broadcast|unflatten|flatten|movedim|diagonal|numpy_T|linear|matmul)$')
UN = re.compile('^aten::(fill_|zero_)$')


def cost(name, dims, types=None, concrete=None, hint=None):
    """Returns the minimum cost of a call, {"flops", "bytes", "dtype", "form"}, or None if it is unknown."""
    if not is_typed(dims, types):
        return None
    c = Call(name, dims, types, concrete)
    n = name
    if n.startswith('aten::'):
        return aten(c, n[6:], hint)
    if n.startswith('triton_'):
        if not c.tensors():
            return None
        return R(c, 0, c.allbytes(), c.dt(c.tensors()[0]), 'fused')
    for pat, f in CUSTOM:
        if pat.search(n):
            return f(c)
    return None


def aten(c, n, hint):
    """Returns the cost of an ATen operator, or None. n: name without "aten::"."""
    b = n[:-4] if n.endswith('_out') else n
    if b in ('mm',):
        return mm(c, 0, 1)
    if b in ('bmm',):
        return mm(c, 0, 1, 'bgemm')
    if b in ('addmm', '_addmm_activation', 'sparse_sampled_addmm', 'addmv'):
        r = mm(c, 1, 2)
        if r:
            r['bytes'] += c.by(0)
        return r
    if b in ('baddbmm', 'addbmm'):
        r = mm(c, 1, 2, 'bgemm')
        if r:
            r['bytes'] += c.by(0)
        return r
    if b in ('mv', 'dot', 'vdot'):
        if b == 'mv':
            return mm(c, 0, 1)
        return R(c, 2 * prod(c.d(0) or [0]), c.by(0) + c.by(1), c.dt(0), 'gemm') if c.d(0) else None
    if b in ('_scaled_mm', '_int_mm', '_scaled_mm_v2'):
        return mm(c, 0, 1, 'gemm', out_sz=4 if b == '_int_mm' else 2)
    if b in ('_grouped_mm', '_scaled_grouped_mm', '_scaled_grouped_mm_v2'):
        A, B = (c.d(0), c.d(1))
        if not A or not B:
            return None
        if len(A) == 2 and len(B) == 3:
            fl, o = (2 * A[0] * A[1] * B[2], A[0] * B[2])
        elif len(A) == 3 and len(B) == 2:
            fl, o = (2 * A[1] * A[2] * B[1], A[1] * B[1])
        elif len(A) == 3:
            return mm(c, 0, 1, 'grouped')
        else:
            fl, o = (2 * A[0] * A[1] * B[1], 0)
        return R(c, fl, c.by(0) + c.by(1) + o * 2, c.dt(0), 'grouped')
    if b in ('mkldnn_linear', '_mkl_linear'):
        return linear(c)
    if b == 'mkldnn_rnn_layer' or b.startswith('_cudnn_rnn'):
        return None
    T = {'convolution': (3, 4, 5, 6, 8, 7), '_convolution': (3, 4, 5, 6, 8, 7), 'convolution_overrideable': (3, 4, 5, 6, 8, 7)}
    if b in T:
        st, pa, di, tr, gr, op = T[b]
        return conv(c, 0, 1, c.c(st), c.c(pa), c.c(di), c.c(tr) or (hint or {}).get('transposed'), c.c(gr), c.c(op), hint)
    if b in ('cudnn_convolution',):
        return conv(c, 0, 1, c.c(3), c.c(2), c.c(4), False, c.c(5), None, hint)
    if b in ('miopen_convolution', 'mkldnn_convolution', 'miopen_depthwise_convolution'):
        return conv(c, 0, 1, c.c(4), c.c(3), c.c(5), False, c.c(6), None, hint)
    if b in ('cudnn_convolution_relu', 'miopen_convolution_relu'):
        return conv(c, 0, 1, c.c(3), c.c(4), c.c(5), False, c.c(6), None, hint)
    if b in ('cudnn_convolution_transpose',):
        return conv(c, 0, 1, c.c(4), c.c(2), c.c(5), True, c.c(6), c.c(3), hint)
    if b in ('conv1d', 'conv2d', 'conv3d'):
        return None
    if b in ('slow_conv2d_forward', '_slow_conv2d_forward', 'thnn_conv2d', '_conv_depthwise2d', 'conv_depthwise3d', 'slow_conv3d_forward'):
        return conv(c, 0, 1, c.c(4), c.c(5), c.c(6) or [1], False, None, None, hint)
    if b == 'convolution_backward':
        return conv_bwd(c, 0, 1, 2, c.c(10) or [True, True, False], c.c(7), 'convolution')
    if b == 'convolution_backward_overrideable':
        return conv_bwd(c, 0, 1, 2, c.c(9) or [True, True, False], c.c(6), 'convolution')
    if b in ('cudnn_convolution_backward', 'miopen_convolution_backward', 'mkldnn_convolution_backward'):
        return conv_bwd(c, 1, 0, 2, [True, True, False], False, 'convolution')
    if b in ('cudnn_convolution_backward_weight', 'miopen_convolution_backward_weight'):
        return conv_bwd(c, 1, 2, None, [False, True], False, 'convolution', hint)
    if b in ('cudnn_convolution_backward_input', 'miopen_convolution_backward_input'):
        return conv_bwd(c, 1, None, 2, [True, False], False, 'convolution', hint)
    if b.startswith('_scaled_dot_product'):
        if b.endswith('_backward') or '_backward' in b:
            return sdpa(c, 1, 2, 3, 'bhsd', causal_of(c, bwd=True), 1)
        if b == '_scaled_dot_product_attention_math' or 'fused_attention_math' in b:
            return None
        ci = {'_scaled_dot_product_flash_attention': 4, '_scaled_dot_product_flash_attention_for_cpu': 4, '_scaled_dot_product_efficient_attention': 6, '_scaled_dot_product_cudnn_attention': 6, '_scaled_dot_product_fused_attention_overrideable': 5}.get(b)
        return sdpa(c, 0, 1, 2, 'bhsd', bool(c.c(ci)) if ci is not None else False)
    if b == '_flash_attention_forward':
        if c.d(3):
            return varlen(c, 0, 1, 2, c.c(5), c.c(6))
        return sdpa(c, 0, 1, 2, 'bshd', bool(c.c(8)))
    if b == '_efficient_attention_forward':
        return sdpa(c, 0, 1, 2, 'bshd', (c.c(9) or 0) == 1)
    if b == '_cudnn_attention_forward':
        return sdpa(c, 0, 1, 2, 'bhsd', bool(c.c(9)))
    if b in ('_flash_attention_backward',):
        return sdpa(c, 1, 2, 3, 'bshd', bool(c.c(11)), 1) if not c.d(6) else varlen(c, 1, 2, 3, c.c(8), c.c(9), 1)
    if b in ('_efficient_attention_backward',):
        return sdpa(c, 1, 2, 3, 'bshd', (c.c(12) or 0) == 1, 1)
    dt = c.dt(0)
    if b in ('native_layer_norm', '_fused_rms_norm', 'rms_norm', 'native_group_norm', 'native_batch_norm', 'cudnn_batch_norm', 'miopen_batch_norm', 'batch_norm_elemt', '_native_batch_norm_legit', '_batch_norm_impl_index', 'instance_norm'):
        if b == '_batch_norm_impl_index':
            return None
        return R(c, 0, c.allbytes() + c.by(0), dt, 'norm') if c.d(0) else None
    if re.search('(layer|group|batch|rms)_norm_backward', b):
        x = max(c.tensors(), key=c.by, default=None)
        return R(c, 0, c.allbytes() + c.by(x), c.dt(x), 'norm') if x is not None else None
    if b in ('_softmax', '_log_softmax', 'softmax', '_safe_softmax', '_masked_softmax'):
        return R(c, 0, 2 * c.by(0), dt, 'softmax') if c.d(0) and b[0] == '_' else None
    if b in ('_softmax_backward_data', '_log_softmax_backward_data'):
        return R(c, 0, 3 * c.by(0), dt, 'softmax') if c.d(0) else None
    if b in ('fill_', 'zero_', 'normal_', 'uniform_', 'random_', 'bernoulli_'):
        return R(c, 0, c.by(0) or c.sz(0), dt, 'fill')
    if b == 'copy_':
        if not c.d(0):
            return R(c, 0, c.sz(0) + c.sz(1), dt, 'copy') if c.dims else None
        src = c.d(1)
        return R(c, 0, c.by(0) + (c.by(1) if src else c.sz(1)), dt, 'copy')
    if b in ('cat', '_cat', 'stack', '_chunk_cat'):
        x = c.allbytes()
        return R(c, 0, 2 * x, dt, 'cat') if x else None
    if b in ('embedding',):
        w, i = (c.d(0), c.d(1))
        return R(c, 0, c.by(1) + 2 * prod(i) * w[-1] * c.sz(0), dt, 'gather') if w and i else None
    if b in ('index_select', 'gather', 'take', 'index'):
        x, i = (c.d(0), c.d(2) if b != 'take' else c.d(1))
        if b == 'gather' and i:
            return R(c, 0, c.by(2) + 2 * prod(i) * c.sz(0), dt, 'gather')
        if b == 'index_select' and x and i:
            dm = c.c(1) or 0
            o = prod(x) // max(1, x[dm if dm < len(x) else 0]) * prod(i)
            return R(c, 0, c.by(2) + 2 * o * c.sz(0), dt, 'gather')
        return None
    if b in ('embedding_dense_backward',):
        g = c.d(0)
        return R(c, 0, 2 * c.by(0) + c.by(1), dt, 'scatter') if g else None
    if b in ('index_add_', 'index_add', 'scatter_add_', 'scatter_add', 'scatter_', '_index_put_impl_', 'index_put_'):
        ts = c.tensors()
        return R(c, 0, sum((c.by(i) for i in ts[1:])) + 2 * (c.by(ts[-1]) if len(ts) > 1 else 0), dt, 'scatter') if ts else None
    m = re.match('_fused_(adamw?|sgd|adagrad)_?$', b)
    if m:
        tot = [allist(c, i) for i in range(min(6, len(c.dims)))]
        if not tot or not tot[0]:
            return None
        rd = sum(tot)
        wr = rd - (tot[1] if len(tot) > 1 else 0)
        return R(c, 0, rd + wr, 'fp32', 'optimizer')
    if b.startswith('_foreach_'):
        lists = [allist(c, i) for i, d in enumerate(c.dims) if is_list(d)]
        if not lists:
            return None
        if b in ('_foreach_zero_',):
            return R(c, 0, lists[0], dt, 'foreach')
        if b in ('_foreach_norm',):
            return R(c, 0, lists[0], dt, 'foreach')
        return R(c, 0, sum(lists) + lists[0], dt, 'foreach')
    if b in ('sum', 'mean', 'amax', 'amin', 'max', 'min', 'argmax', 'argmin', 'linalg_vector_norm', 'linalg_norm', 'norm', 'std', 'var', 'prod', 'all', 'any', 'std_mean', 'var_mean', 'topk', 'sort', 'nll_loss_forward', 'nll_loss2d_forward', 'max_pool2d_with_indices', 'avg_pool2d', '_adaptive_avg_pool2d', 'mse_loss', 'l1_loss', 'binary_cross_entropy', 'binary_cross_entropy_with_logits', 'count_nonzero', 'nonzero', 'aminmax', 'logsumexp', 'isin', 'equal'):
        x = sum((c.by(i) for i in c.tensors()))
        return R(c, 0, x or c.sz(0), dt, 'reduction') if c.dims else None
    if b in ('cumsum', 'cumprod', 'flip', 'roll', 'tril', 'triu', 'tril_', 'triu_'):
        return R(c, 0, 2 * c.by(0), dt, 'scan') if c.d(0) else None
    if b in ('max_pool2d_with_indices_backward', 'avg_pool2d_backward', '_adaptive_avg_pool2d_backward', 'upsample_nearest2d', 'upsample_bilinear2d', 'upsample_bicubic2d', 'upsample_nearest2d_backward', 'reflection_pad2d', 'constant_pad_nd', 'repeat'):
        x = sum((c.by(i) for i in c.tensors()))
        return R(c, 0, x, dt, 'lower') if x else None
    if EW_NO.match('aten::' + b) or EW_NO.match(b):
        return None
    if ELEM.match(b):
        ts = [i for i in c.tensors()]
        if not ts:
            return R(c, 0, 2 * c.sz(0), dt, 'elementwise') if c.dims and c.scalar0(0) else None
        out = bcast([c.dims[i] for i in ts])
        big = max(ts, key=lambda i: (prod(c.dims[i]), c.sz(i)))
        fl = [i for i in ts if c.t(i) in ('float', 'double', 'c10::half', 'half', 'c10::bfloat16', 'bfloat16') or 'complex' in c.t(i)]
        osz = c.sz(0) if b.endswith('_') and c.d(0) else 1 if CMP.match(b) else max((c.sz(i) for i in fl or ts))
        rd = sum((c.by(i) for i in ts))
        return R(c, 0, rd + prod(out) * osz, c.dt(big), 'elementwise')
    return None

ELEM = re.compile('^(add|sub|rsub|mul|div|pow|sqrt|rsqrt|exp|exp2|log|log2|log10|log1p|expm1|neg|abs|sign|sgn|cos|sin|tan|erf|erfinv|reciprocal|eq|ne|lt|le|gt|ge|logical_\\w+|bitwise_\\w+|lerp|addcmul|addcdiv|floor|ceil|round|trunc|remainder|fmod|maximum|minimum|fmax|fmin|isnan|isinf|isfinite|nan_to_num|where|masked_fill|clamp|clamp_min|clamp_max|threshold|relu|relu6|gelu|silu|sigmoid|tanh|hardtanh|hardswish|hardsigmoid|leaky_relu|elu|softplus|mish|glu|prelu|logit|atan|atan2|square|_conj|native_dropout|dropout_|_fused_dropout|__(and|or|xor)__|__i(and|or|xor)__|floor_divide|true_divide|(threshold|gelu|silu|sigmoid|tanh|relu|hardtanh|hardswish|hardsigmoid|leaky_relu|elu|softplus|mish|glu|logit|native_dropout|mse_loss|smooth_l1_loss|binary_cross_entropy|prelu|nll_loss)_backward)_?$')
CMP = re.compile('^((eq|ne|lt|le|gt|ge)_?|logical_\\w+|isnan|isinf|isfinite)$')


def allist(c, i):
    """Returns the bytes of all tensors in the list at argument `i`."""
    d = c.dims[i] if i < len(c.dims) else None
    if not is_list(d):
        return 0
    ty = c.types[i] if i < len(c.types) else ''
    s = 0
    for j, x in enumerate(d):
        w = ty[j] if isinstance(ty, list) and j < len(ty) else ty
        if is_tensor(x):
            s += prod(x) * SIZE.get(str(w).lower(), 4)
    return s


def causal_of(c, bwd):
    """Returns whether an argument says that the attention is causal."""
    for v in c.conc:
        if v == 'True':
            return True
    return False


def varlen(c, q, k, v, mq, mk, bwd=0):
    """Returns the cost of attention over packed sequences. Their lengths are not in the trace, so only bytes are
    known."""
    by = (c.by(q) * 2 + c.by(k) + c.by(v)) * (2 if bwd else 1)
    return R(c, 0, by, c.dt(q), 'attention varlen')


def ewall(c):
    """Returns a cost in which every tensor is moved once, or None without tensors."""
    ts = c.tensors()
    return R(c, 0, c.allbytes(), c.dt(ts[0]), 'custom') if ts else None


def gem(c):
    """Returns the cost of a product that a library computes, or None."""
    return linear(c) or mm(c, 0, 1)


def paged(c):
    return None


def rms_inplace(c):
    """Returns the cost of a norm that reads and writes its input and the residual."""
    return R(c, 0, 2 * (c.by(0) + c.by(1)) + c.by(2), c.dt(0), 'norm') if c.d(0) else None

CUSTOM = [(re.compile('fmha_v3_fwd|flash_attn::_flash_attn_forward|flash_attn_func', re.I), lambda c: sdpa(c, 0, 1, 2, 'bshd', any((v == 'True' for v in c.conc[4:7])))), (re.compile('unquantized_gemm|gemm_a16w16|tgemm|skinny|wvSplitK|hipb_mm|tuned_gemm', re.I), gem), (re.compile('scaled_mm|gemm_a8w8|fp8_gemm', re.I), gem), (re.compile('fused_add_rms_?norm', re.I), rms_inplace), (re.compile('rms_?norm|layer_?norm', re.I), lambda c: R(c, 0, c.allbytes() + (c.by(0) if len(c.tensors()) == 2 else 0), c.dt(0), 'norm') if c.d(0) else None), (re.compile('(silu|gelu|swiglu).*(mul|quant)?$|act_and_mul', re.I), ewall), (re.compile('rotary', re.I), lambda c: R(c, 0, 2 * (c.by(1) + c.by(2)) + c.by(0), c.dt(1), 'custom') if c.d(1) else None), (re.compile('reshape_and_cache', re.I), lambda c: R(c, 0, 2 * (c.by(0) + c.by(1)), c.dt(0), 'custom') if c.d(0) else None), (re.compile('FloatToFP8|FloatToHFP8|FP8Rowwise|HFP8Quantized', re.I), lambda c: R(c, 0, c.by(0) + prod(c.d(0)), c.dt(0), 'quantise') if c.d(0) else None)]


def of_op(o, hint=None):
    """Returns the cost of an operator of the trace, or None."""
    a = o.args
    return cost(o.name, a.get('Input Dims', a.get('Input dims')), a.get('Input type', a.get('Input Type')), a.get('Concrete Inputs'), hint)



def is_known(kind):
    return isinstance(kind, str) and kind.lower() in SIZE


def is_typed(dims, types):
    """Returns whether at least one type is known, and the type of every tensor is known."""
    types, is_any = types or [], False
    for place, sizes in enumerate(dims or []):
        kind = types[place] if place < len(types) else ""
        if is_list(sizes):
            kinds = kind if isinstance(kind, list) else [kind] * len(sizes)
            if any(is_tensor(one) and not (at < len(kinds) and is_known(kinds[at])) for at, one in enumerate(sizes)):
                return False
            is_any = True
        elif is_tensor(sizes) and not is_known(kind):
            return False
        is_any |= is_known(kind)
    return is_any
