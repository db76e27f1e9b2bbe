"""Tables: rows from the program's JSON, as dictionaries or as pandas frames.

A table is a name and the place of its rows in the JSON, in a list below. A row has the members of its object,
without computation. An object in a row becomes columns with a dot ("idle.host_us"). A list of plain values stays
one value. A list of objects becomes a separate table. The first columns describe what the row belongs to (its run,
worker, device ..).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

if TYPE_CHECKING:
    import pandas

Json = Mapping[str, Any]
Row = Dict[str, Any]


@dataclass(frozen=True)
class Each:
    """A place: each object of a list. ``columns`` names the members that become columns."""

    columns: Tuple[str, ...]


@dataclass(frozen=True)
class Keyed:
    """A place: each member of an object. The member's name becomes this column."""

    column: str


@dataclass(frozen=True)
class Listed:
    """A place: rows that are lists of values. This member of the surrounding object contains the column names."""

    member: str
    ending: str = ""


@dataclass(frozen=True)
class Tree:
    """A place: an object, or several, with "children" of the same kind. This column gets the list of names from the
    root on."""

    column: str


Place = Tuple[Union[str, Each, Keyed, Listed, Tree], ...]


def _flat(row: Json, before: str = "") -> Iterator[Tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        elif not (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
            yield before + name, value


def _of_tree(roots: Sequence[Json], column: str) -> Iterator[Row]:
    stack: List[Tuple[Json, List[str]]] = [(node, []) for node in reversed(roots)]
    while stack:
        node, above = stack.pop()
        path = [*above, node["name"]]
        yield {column: path, **dict(_flat({name: value for name, value in node.items() if name != "children"}))}
        stack += [(child, path) for child in reversed(node.get("children") or ())]


def _of_lists(values: Sequence[Any], around: Json, how: Listed) -> Iterator[Row]:
    names = [name + how.ending for name in around[how.member]]
    for row in values if isinstance(values[0], list) else [values]:
        yield dict(zip(names, row))


def rows_at(at: Any, place: Place, around: Json) -> Iterator[Row]:
    """Yield the rows at this place of `at`. `around` is the object that contains `at`. If a member is missing, there
    are no rows."""
    if not at:
        return
    step, rest = (place[0], place[1:]) if place else (None, ())
    if step is None:
        yield from (dict(_flat(row)) for row in at)
    elif isinstance(step, str):
        yield from rows_at(at.get(step), rest, at)
    elif isinstance(step, Each):
        for item in at:
            yield from ({**{name: item.get(name) for name in step.columns}, **row} for row in rows_at(item, rest, item))
    elif isinstance(step, Keyed):
        for key, value in at.items():
            yield from ({step.column: key, **row} for row in rows_at(value, rest, around))
    elif isinstance(step, Tree):
        yield from _of_tree([at] if isinstance(at, dict) else at, step.column)
    else:
        yield from _of_lists(at, around, step)


# ---- where the tables of each schema are ----

Places = Mapping[str, Place]

_PROFILE: Places = {
    "findings": ("recommendations", "findings"),
    "findings_evidence": ("recommendations", "findings", Each(("id",)), "evidence"),
    "rules_not_evaluated": ("recommendations", "rules_not_evaluated"),
    "quality_flags": ("trace_quality", "flags"),
    "steps": ("overview", "steps"),
    "steps_left_out": ("verdict", "steps_left_out"),
    "gpus": ("overview", "gpu_summary"),
    "communication_overlap": ("overview", "communication_overlap"),
    "operators": ("operator_view", "by_name"),
    "operators_by_shape": ("operator_view", "by_name_and_input_shape"),
    "operator_stacks": ("operator_view", "call_stacks_by_name", Keyed("operator")),
    "operator_stacks_by_shape": ("operator_view", "call_stacks_by_name_and_input_shape", Keyed("operator_and_shape")),
    "kernels": ("kernel_view", "by_name"),
    "kernels_by_operator": ("kernel_view", "by_name_properties_and_operator"),
    "kernel_durations": ("kernel_view", "durations"),
    "copies": ("kernel_view", "copies_by_name"),
    "streams": ("stream_view", "streams"),
    "launch_delays": ("stream_view", "launch_delays"),
    "launch_delay_decades": ("stream_view", "launch_delay_decades"),
    "work": ("work_view", "devices"),
    "work_of_operators": ("work_view", "operators"),
    "modules": ("module_view", Tree("path")),
    "ranges": ("ranges",),
    "counters": ("counter_view", "counters"),
    "counter_steps": ("counter_view", "steps"),
    "idle": ("idle_view",),
    "idle_steps": ("idle_view", Each(("device",)), "steps"),
    "idle_lines": ("idle_view", Each(("device",)), "idle_by_line"),
    "idle_frames": ("idle_view", Each(("device",)), "idle_flame", "frames"),
    "idle_nodes": ("idle_view", Each(("device",)), "idle_flame", "nodes"),
    "serving_steps": ("serving", "steps"),
    "serving_classes": ("serving", "classes"),
    "serving_operators": ("serving", "operators"),
    "captures": ("capture_view", "captures"),
    "graph_launches": ("capture_view", "graph_launches"),
    "captured_operators": ("capture_view", "operators"),
    "critical_path": ("what_if_view", "critical", "rows"),
    "what_if": ("what_if_view", "what_if"),
    "time_devices": ("time_trees",),
    "time": ("time_trees", Each(("device",)), "tree", Tree("path")),
    "syncs": ("sync_table", "rows"),
    "memory": ("memory_view", "device_information"),
    "memory_curve": ("memory_view", "curve_points_up_to_10240", Keyed("device"), Listed("curve_point_columns")),
    "memory_events": ("memory_view", "events", Keyed("device"), Listed("event_columns")),
    "memory_operators": ("memory_view", "operator_stats", Keyed("device")),
    "memory_operators_folded": ("memory_view", "operator_stats_folded", Keyed("device")),
    "memory_peaks": ("memory_peak",),
    "memory_live": ("memory_peak", Each(("device_type", "device_id")), "live_by", Keyed("by")),
}
_RANKS: Places = {
    "communication_ops": ("communication_ops_by_worker", Keyed("worker")),
    "worker_overlap": (
        "overlap_by_step_and_worker",
        Keyed("step"),
        Keyed("worker"),
        Listed("overlap_columns_us", "_us"),
    ),
    "worker_waits": ("wait_by_step_and_worker", Keyed("step"), Keyed("worker"), Listed("wait_columns_us", "_us")),
}
_PROFILES, _DISTRIBUTED = Each(("worker", "span")), Each(("span",))
REPORT: Places = {
    **{name: ("runs", Each(("run_name",)), "profiles", _PROFILES, *place) for name, place in _PROFILE.items()},
    **{name: ("runs", Each(("run_name",)), "distributed", _DISTRIBUTED, *place) for name, place in _RANKS.items()},
}

_JOB_TABLES = (
    "findings",
    "groups",
    "ranks",
    "steps",
    "collectives",
    "links",
    "rank_findings",
    "differing_facts",
    "damaged_ranks",
)
JOB: Places = {
    **{name: ("jobs", Each(("job", "span")), name) for name in _JOB_TABLES},
    **{name: ("jobs", Each(("job", "span")), "distributed", *place) for name, place in _RANKS.items()},
    **{name: ("jobs", Each(("job", "span")), "replay", name) for name in ("causes", "coordinates")},
    "failed": ("failed",),
}

_DIFF_TABLES = (
    "changes",
    "rows",
    "step",
    "operators_device",
    "operators_host",
    "kernels",
    "copies",
    "syncs",
    "modules_device",
    "modules_host",
    "runtime",
    "memory",
    "memory_owners",
    "findings",
    "facts",
)
DIFF: Places = {
    **{name: (name,) for name in _DIFF_TABLES},
    "call_tree": ("call_tree", "calls"),
    "base_verdicts": ("base", "verdicts"),
    "new_verdicts": ("new", "verdicts"),
    "base_evidence": ("evidence", "base"),
    "new_evidence": ("evidence", "new"),
}

CHECK: Places = {
    "items": ("items",),
    "places": ("items", Each(("text", "subject")), "places"),
    "runs": ("run", "profiles"),
    "baseline": ("baseline", "profiles"),
}

_DEVICES: Place = ("snapshots", Each(("file",)), "devices", Each(("device",)))
MEMORY: Places = {
    "ranks": ("ranks",),
    "findings": (*_DEVICES, "findings"),
    "ooms": (*_DEVICES, "ooms"),
    "largest": (*_DEVICES, "peak", "largest"),
    **{f"live_by_{key}": (*_DEVICES, "peak", "live_by", key, "rows") for key in ("line", "site", "category")},
    "steps": (*_DEVICES, "growth", "boundaries"),
    "growing": (*_DEVICES, "growth", "growing"),
    "churn": (*_DEVICES, "churn", "rows"),
    "releases": (*_DEVICES, "churn", "releases"),
    "failed": ("failed",),
}

TABLE: Places = {"rows": ("profiles", Each(("profile",)), "rows")}


# ---- what users get ----


class Tables(Mapping[str, "pandas.DataFrame"]):
    """The tables of a result by name: ``tables["operators"]`` is a pandas.DataFrame, ``list(tables)`` has the names.

    The first ``[]`` imports pandas. Each call makes new frames and rows, which belong to the caller. A table
    without data is empty. The unit of a time is the end of its column name: us, ns, percent. docs/definitions.md
    of tracepress and the page of the report define the columns.

    >>> tables = report("runs/today").tables
    >>> tables.rows("operators")[0]["name"] == tables["operators"]["name"][0]
    True
    """

    def __init__(self, json: Json, places: Places) -> None:
        self._json = json
        self._places = places

    def rows(self, name: str) -> List[Row]:
        """Return the rows of a table as dictionaries, in the program's order. This does not need pandas."""
        return list(rows_at(self._json, self._places[name], {}))

    def __getitem__(self, name: str) -> "pandas.DataFrame":
        return frame(self.rows(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __repr__(self) -> str:
        return f"<tables: {', '.join(self)}>"


def frame(rows: Sequence[Row]) -> "pandas.DataFrame":
    """Return the rows as a pandas.DataFrame. Raises ImportError with instructions if pandas is not installed."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "a DataFrame needs pandas: pip install pandas. Rows as dictionaries need nothing: .rows"
        ) from error
    return pandas.DataFrame(list(rows))
