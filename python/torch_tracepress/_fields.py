"""Findings in the report's JSON and their events, with one attribute for each member.

Generated from the tables that write the JSON. After a change of a table:
`make BUILD/json_fields && BUILD/json_fields python >python/torch_tracepress/_fields.py`. A member has
the value None if it is null or absent in the JSON.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple


@dataclass(frozen=True)
class Replay:
    """Price of a fix by replay.

    removed_low_percent: least share that a fix removes of the time it is about, percent
    removed_high_percent: greatest share that a fix removes of the time it is about, percent
    gain_low_ns: least gain of this fix alone, ns per step
    gain_high_ns: greatest gain of this fix alone, ns per step
    step_ns: length of a step after this fix and the fixes of all earlier findings, ns
    then: what limits the step then
    then_percent: its part of the critical path, percent
    """

    removed_low_percent: Optional[float]
    removed_high_percent: Optional[float]
    gain_low_ns: int
    gain_high_ns: int
    step_ns: int
    then: str
    then_percent: Optional[float]

    @staticmethod
    def _members(row: Mapping[str, Any]) -> Dict[str, Any]:
        return {
            "removed_low_percent": row.get("removed_low_percent"),
            "removed_high_percent": row.get("removed_high_percent"),
            "gain_low_ns": row.get("gain_low_ns") or 0,
            "gain_high_ns": row.get("gain_high_ns") or 0,
            "step_ns": row.get("step_ns") or 0,
            "then": row.get("then") or "",
            "then_percent": row.get("then_percent"),
        }


@dataclass(frozen=True)
class Evidence:
    """An event that a finding is about.

    event_ordinal: position of the event in the array traceEvents of the file
    ts_us: start of the event, from the start of the trace
    name: name of the event
    file_line: project line of the event or its launch: the innermost line of the user's code, otherwise of a library; empty if unknown
    """

    event_ordinal: int
    ts_us: Optional[float]
    name: str
    file_line: str

    @staticmethod
    def _members(row: Mapping[str, Any]) -> Dict[str, Any]:
        return {
            "event_ordinal": row.get("event_ordinal") or 0,
            "ts_us": row.get("ts_us"),
            "name": row.get("name") or "",
            "file_line": row.get("file_line") or "",
        }


@dataclass(frozen=True)
class FindingFields:
    """A finding.

    id: id of the rule; it does not change between versions
    cause: name of the cause; null if several causes have the same effect
    title: what to do, in at most 14 words; code is between backticks
    severity: severity of the finding: high, medium, low or info
    confidence: confidence in the finding: high, medium or low
    right: number of test programs in which the rule reported a finding and named the right cause
    known: number of test programs with a known cause in which the rule reported a finding
    weakened_by: ids of the quality checks that lower the confidence
    ceiling_us_per_step: time per step that the finding affects; null if unknown
    share_of_step_percent: share of the step time that the finding affects; null if unknown
    low_percent: lower end of the estimated saving after a fix of all earlier findings in the list, in percent of the step time
    high_percent: upper end of the estimated saving after a fix of all earlier findings in the list, in percent of the step time
    counted_percent: percentage that the sum total_gain_percent includes for this finding instead of high_percent; absent if the sum includes high_percent
    replay: price of a fix by replay, from which low_percent and high_percent follow; absent if these follow from the time of the finding
    gone_with: position in the list, from 1, of the finding whose fix, with those before it, leaves no effect for this one; absent without such a finding
    evidence: first events that show the problem
    evidence_total: number of events that show the problem
    detail: evidence for the finding, in words
    advice: advice on what to do
    doc_url: address of a page that explains the problem; empty without a page
    shown_title: title for this kind of program; absent if it equals the title
    shown_advice: advice for this kind of program; absent if it equals the advice
    """

    id: str
    cause: Optional[str]
    title: str
    severity: str
    confidence: str
    right: int
    known: int
    weakened_by: Tuple[str, ...]
    ceiling_us_per_step: Optional[float]
    share_of_step_percent: Optional[float]
    low_percent: Optional[float]
    high_percent: Optional[float]
    counted_percent: Optional[float]
    replay: Optional[Replay]
    gone_with: int
    evidence: Tuple[Evidence, ...]
    evidence_total: int
    detail: str
    advice: str
    doc_url: str
    shown_title: Optional[str]
    shown_advice: Optional[str]

    @staticmethod
    def _members(row: Mapping[str, Any]) -> Dict[str, Any]:
        return {
            "id": row.get("id") or "",
            "cause": row.get("cause"),
            "title": row.get("title") or "",
            "severity": row.get("severity") or "",
            "confidence": row.get("confidence") or "",
            "right": row.get("right") or 0,
            "known": row.get("known") or 0,
            "weakened_by": tuple(row.get("weakened_by") or ()),
            "ceiling_us_per_step": row.get("ceiling_us_per_step"),
            "share_of_step_percent": row.get("share_of_step_percent"),
            "low_percent": row.get("low_percent"),
            "high_percent": row.get("high_percent"),
            "counted_percent": row.get("counted_percent"),
            "replay": Replay(**Replay._members(row["replay"])) if row.get("replay") else None,
            "gone_with": row.get("gone_with") or 0,
            "evidence": tuple(Evidence(**Evidence._members(item)) for item in row.get("evidence") or ()),
            "evidence_total": row.get("evidence_total") or 0,
            "detail": row.get("detail") or "",
            "advice": row.get("advice") or "",
            "doc_url": row.get("doc_url") or "",
            "shown_title": row.get("shown_title"),
            "shown_advice": row.get("shown_advice"),
        }
