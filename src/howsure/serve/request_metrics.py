"""Measures: requests counted and timed for Prometheus, where that is installed; and the page it reads."""

import sys
from functools import lru_cache
from typing import Any

from starlette.responses import Response

from howsure.ledger.metrics import SECONDS
from howsure.serve.errors import WebError


@lru_cache(maxsize=1)
def _collectors() -> tuple[Any, Any]:
    """Make the collectors, once for the process."""
    import prometheus_client as prometheus

    labels = ("operation", "status")
    return (
        prometheus.Counter("howsure_http_requests_total", "Requests, by operation and status.", labels),
        prometheus.Histogram(
            "howsure_http_request_duration_seconds", "Time to answer a request.", ("operation",), buckets=SECONDS
        ),
    )


def start() -> None:
    """Let requests and decisions be measured from now on, if Prometheus's client is installed."""
    try:
        _collectors()
    except ImportError:
        return


def measure(operation: str, status: int, seconds: float) -> None:
    """Count a request."""
    if "prometheus_client" in sys.modules:
        counter, times = _collectors()
        counter.labels(operation, str(status)).inc()
        times.labels(operation).observe(seconds)


def page() -> Response:
    """Return everything that was measured, as Prometheus reads it."""
    try:
        import prometheus_client as prometheus
    except ImportError:
        hint = "pip install 'howsure[metrics]'"
        raise WebError(501, "missing_extra", "measuring needs the extra 'metrics'", hint=hint) from None
    return Response(prometheus.generate_latest(), media_type=prometheus.CONTENT_TYPE_LATEST)
