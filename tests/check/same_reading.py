"""same_reading.py ORIGINAL EXPORT: checks that HTA makes equal tables, cell by cell, from a trace and from its export
by `export --to chrome`. If tables differ, names them and exits with 1."""
import os
import sys
import warnings

warnings.filterwarnings("ignore")


def of_hta(path):
    """Returns the events that HTA's parser finds, and HTA's results about idle time, overlap, kernels and launches."""
    from hta.trace_analysis import TraceAnalysis
    analysis = TraceAnalysis(trace_files={0: os.path.abspath(path)}, trace_dir="/", include_last_profiler_step=True)
    symbols = analysis.t.symbol_table.get_sym_table()
    events = analysis.t.get_trace(0).reset_index(drop=True)
    for column in ("name", "cat"):
        events[column] = [symbols[i] for i in events[column]]
    events = events.drop(columns=[c for c in ("s_name", "s_cat") if c in events])
    tables = {"events": events}
    for name, ask in (("temporal", lambda: analysis.get_temporal_breakdown(visualize=False)),
                      ("kernels", lambda: analysis.get_gpu_kernel_breakdown(visualize=False)[1]),
                      ("overlap", lambda: analysis.get_comm_comp_overlap(visualize=False))):
        try:
            tables[name] = ask()
        except Exception as why: # HTA fails for some traces; then it must fail for the export, too
            tables[name] = type(why).__name__
    return tables


def same(name, left, right):
    if type(left) is not type(right):
        print(name, type(left), type(right))
        return False
    if isinstance(left, str):
        return left == right
    cells = [frame.astype(str).values.tolist() for frame in (left, right)]
    print(name, left.shape, right.shape)
    return list(left.columns) == list(right.columns) and cells[0] == cells[1] and len(left.columns) > 0


original, export = of_hta(sys.argv[1]), of_hta(sys.argv[2])
differ = [name for name in original if not same(name, original[name], export[name])]
print("differ:", differ)
sys.exit(bool(differ))
