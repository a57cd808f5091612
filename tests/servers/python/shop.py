"""A FastMCP server as many are written: tools that compute, ask a database through SQLAlchemy's pool, a cache and a service behind it. It
exports no metrics.

    DATABASE_URL=... POOL_SIZE=5 REDIS_URL=... UPSTREAM_URL=... BACKLOG=2048 python shop.py PORT

What is not set has no tool.
"""

import asyncio
import os
import sys
import time

import anyio
from fastmcp import FastMCP

server = FastMCP("shop")
kept: list[bytes] = []


def compute(ms: float) -> float:
    end = time.thread_time() + ms / 1000
    while time.thread_time() < end:
        pass
    return ms


@server.tool(annotations={"readOnlyHint": True})
async def echo(text: str) -> str:
    """Answers at once."""
    return text


@server.tool(annotations={"readOnlyHint": True})
async def price(ms: float) -> float:
    """Computes for so long, in the thread that serves all requests."""
    return compute(ms)


@server.tool(annotations={"readOnlyHint": True})
async def report(ms: float) -> float:
    """Waits for so long with a synchronous call, as code does that uses a synchronous client."""
    time.sleep(ms / 1000)
    return ms


threads = anyio.CapacityLimiter(40)
workers = asyncio.Semaphore(10)
lock = asyncio.Lock()


@server.tool(annotations={"readOnlyHint": True})
async def render(ms: float) -> float:
    """Computes for so long, in one of many threads: the interpreter's lock lets one of them run."""
    return await anyio.to_thread.run_sync(compute, ms, limiter=threads)


@server.tool(annotations={"readOnlyHint": True})
async def convert(ms: float) -> float:
    """Waits for so long in one of ten workers."""
    async with workers:
        await asyncio.sleep(ms / 1000)
    return ms


@server.tool(annotations={"readOnlyHint": True})
async def book(ms: float) -> float:
    """Waits for so long while it holds the only lock."""
    async with lock:
        await asyncio.sleep(ms / 1000)
    return ms


@server.tool(annotations={"readOnlyHint": True})
async def thumbnail() -> int:
    """Starts a program and waits for it, as tools do that call a command."""
    program = await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")
    return await program.wait()


@server.tool(annotations={"readOnlyHint": True})
async def remember(kb: int) -> int:
    """Keeps so much for good."""
    kept.append(os.urandom(1024) * kb)
    return len(kept)


if url := os.environ.get("DATABASE_URL"):
    from sqlalchemy import text as sql
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine(url, pool_size=int(os.environ.get("POOL_SIZE", "5")), max_overflow=0)

    @server.tool(annotations={"readOnlyHint": True})
    async def order(ms: float) -> int:
        """One statement that takes so long."""
        async with engine.connect() as connection:
            await connection.execute(sql("SELECT pg_sleep(:seconds)"), {"seconds": ms / 1000})
        return 1

    @server.tool(annotations={"readOnlyHint": True})
    async def audit(rows: int) -> int:
        """One statement that computes on so many rows."""
        async with engine.connect() as connection:
            statement = sql("SELECT sum(i) FROM generate_series(1, CAST(:rows AS integer)) i")
            return int((await connection.execute(statement, {"rows": rows})).scalar_one())


if url := os.environ.get("REDIS_URL"):
    from redis.asyncio import Redis

    cache = Redis.from_url(url)

    @server.tool(annotations={"readOnlyHint": True})
    async def stock(key: str) -> str:
        """One look-up in the cache."""
        return str(await cache.get(key))


if url := os.environ.get("UPSTREAM_URL"):
    import httpx2

    client = httpx2.AsyncClient(limits=httpx2.Limits(max_connections=1000, max_keepalive_connections=100))

    @server.tool(annotations={"readOnlyHint": True})
    async def weather(city: str) -> str:
        """One call of the service behind the server."""
        return (await client.get(url, params={"city": city})).text[:100]


if __name__ == "__main__":
    server.run(
        "http",
        port=int(sys.argv[1]),
        show_banner=False,
        log_level="ERROR",
        stateless_http=True,
        json_response=True,
        uvicorn_config={"backlog": int(os.environ.get("BACKLOG", "2048"))},
    )
