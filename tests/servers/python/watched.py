"""A process to be watched: pools on PostgreSQL in a known state, and calls that take a known time, exported at /metrics the
way that users of these libraries export them.

    python watched.py PORT DATABASE_URL
"""

import asyncio
import sys
import threading
import time

import asyncpg
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.semconv._incubating.metrics.mcp_metrics import create_mcp_server_operation_duration
from prometheus_client import REGISTRY, Gauge, start_http_server
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from psycopg_pool import ConnectionPool
from sqlalchemy import create_engine
from sqlalchemy.pool import QueuePool


def watch_sqlalchemy(url: str) -> list:
    """3 of pool_size + max_overflow = 6 are out: one half."""
    engine = create_engine(url.replace("postgres:", "postgresql+psycopg:"), pool_size=2, max_overflow=4, poolclass=QueuePool)
    held = [engine.connect() for _ in range(3)]
    Gauge("sqlalchemy_pool_size", "pool_size").set_function(engine.pool.size)
    Gauge("sqlalchemy_pool_max_overflow", "max_overflow").set(4)
    Gauge("sqlalchemy_pool_checkedout", "Connections in use").set_function(engine.pool.checkedout)
    Gauge("sqlalchemy_pool_checkedin", "Idle connections").set_function(engine.pool.checkedin)
    Gauge("sqlalchemy_pool_overflow", "Connections beyond pool_size").set_function(engine.pool.overflow)
    return held


class PoolCollector(Collector):
    """As the package psycopg-pool-prometheus does it. Its only version gives no help text, which clients by now insist on."""

    def __init__(self, pool: ConnectionPool) -> None:
        self.pool = pool

    def collect(self):
        for key, value in self.pool.get_stats().items():
            yield GaugeMetricFamily(f"psycopg_pool_{key}", "One of psycopg_pool's statistics", value=value)


def watch_psycopg(url: str) -> list:
    """3 of 4 are out for good, for the fourth there are always 3 that wait while one has it for 50 ms."""
    pool = ConnectionPool(url, min_size=4, max_size=4, open=True)
    pool.wait()
    held = [pool.getconn() for _ in range(3)]
    REGISTRY.register(PoolCollector(pool))

    def borrow() -> None:
        while True:
            with pool.connection():
                time.sleep(0.05)

    for _ in range(4):
        threading.Thread(target=borrow, daemon=True).start()
    return [pool, held]


async def watch_asyncpg(url: str) -> list:
    """1 of 4 is out: a quarter."""
    pool = await asyncpg.create_pool(url, min_size=2, max_size=4)
    held = await pool.acquire()
    Gauge("app_asyncpg_pool_size", "Connections").set_function(pool.get_size)
    Gauge("app_asyncpg_pool_idle_size", "Idle connections").set_function(pool.get_idle_size)
    Gauge("app_asyncpg_pool_max_size", "The most that there may be").set_function(pool.get_max_size)
    return [pool, held]


async def record_operations() -> None:
    """20 tool calls of 30 ms a second, a quarter of them with an error, and 20 lists of 10 ms."""
    meter = MeterProvider(metric_readers=[PrometheusMetricReader()]).get_meter("watched")
    duration = create_mcp_server_operation_duration(meter)
    while True:
        for n in range(4):
            call = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "add"}
            duration.record(0.03, call if n else {**call, "error.type": "tool_error"})
            duration.record(0.01, {"mcp.method.name": "tools/list"})
        await asyncio.sleep(0.2)


async def main() -> None:
    port, url = int(sys.argv[1]), sys.argv[2]
    kept = [watch_sqlalchemy(url), watch_psycopg(url), await watch_asyncpg(url)]
    start_http_server(port, "127.0.0.1")
    await record_operations()
    del kept


asyncio.run(main())
