"""Count what a service does, and write it in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
_HELP = {
    "scoring_requests_total": ("counter", "Requests by endpoint and HTTP status."),
    "scoring_rows_total": ("counter", "Scored rows by task and status of the result."),
    "scoring_request_seconds": ("histogram", "Seconds from the first byte of a request to its reply."),
    "scoring_workers_lost_total": ("counter", "Processes that were ended since a row took too long, or that died."),
    "scoring_waiting_rows": ("gauge", "Rows that wait or are being scored."),
    "scoring_held_bytes": ("gauge", "Bytes of requests in memory."),
    "scoring_connections": ("gauge", "Open connections."),
    "scoring_workers": ("gauge", "Rows that can be scored at the same time."),
}


class ServiceMetrics:
    """Counters of a service; only its event loop changes them."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._rows: Counter[tuple[str, str]] = Counter()
        self._within: dict[str, list[int]] = {}
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def count_request(self, endpoint: str, status: int, seconds: float) -> None:
        """Count a request to an endpoint, which took some seconds."""
        self._requests[endpoint, status] += 1
        within = self._within.setdefault(endpoint, [0] * (len(_BOUNDS) + 1))
        within[next((at for at, bound in enumerate(_BOUNDS) if seconds <= bound), len(_BOUNDS))] += 1
        self._seconds[endpoint] += seconds

    def count_rows(self, task: str, statuses: list[str]) -> None:
        """Count the statuses of scored rows of a task."""
        for status in statuses:
            self._rows[task, status] += 1

    def exposition(self, now: Mapping[str, float]) -> str:
        """Return all counters, and the gauges and totals of this moment, as the text that Prometheus reads."""
        lines: dict[str, list[str]] = {name: [] for name in _HELP}
        for (endpoint, code), count in sorted(self._requests.items()):
            lines["scoring_requests_total"].append(_line("", {"endpoint": endpoint, "code": str(code)}, count))
        for (task, status), count in sorted(self._rows.items()):
            lines["scoring_rows_total"].append(_line("", {"task": task, "status": status}, count))
        for endpoint, within in sorted(self._within.items()):
            total, seconds = 0, lines["scoring_request_seconds"]
            for bound, count in zip((*map(str, _BOUNDS), "+Inf"), within, strict=True):
                total += count
                seconds.append(_line("_bucket", {"endpoint": endpoint, "le": bound}, total))
            seconds.append(_line("_sum", {"endpoint": endpoint}, self._seconds[endpoint]))
            seconds.append(_line("_count", {"endpoint": endpoint}, total))
        for name, value in now.items():
            lines[name].append(_line("", {}, value))
        written = []
        for name, (kind, about) in _HELP.items():
            written += [f"# HELP {name} {about}", f"# TYPE {name} {kind}", *(f"{name}{line}" for line in lines[name])]
        return "\n".join(written) + "\n"


def _line(suffix: str, labels: Mapping[str, str], value: float) -> str:
    shown = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
    return f"{suffix}{{{shown}}} {value:.10g}" if shown else f"{suffix} {value:.10g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
