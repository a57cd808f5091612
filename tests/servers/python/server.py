"""An MCP server on the official Python SDK, as a test subject: tools with schemas of many shapes, a resource, a
template, prompts, completion; one tool that writes and one that destroys.

    python server.py PORT [--stateless] [--json]
"""

import argparse
import uuid
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import Completion, ToolAnnotations
from pydantic import BaseModel, Field

READ = ToolAnnotations(read_only_hint=True)

server = MCPServer("python-test-subject", version="1.0.0", log_level="WARNING")
notes: list[str] = []


class Currency(str, Enum):
    EUR = "EUR"
    USD = "USD"
    JPY = "JPY"


class Customer(BaseModel):
    name: str = Field(min_length=1, max_length=80)
    email: str | None = Field(default=None, pattern=r"^[a-z0-9._-]+@[a-z0-9-]+\.[a-z]{2,}$")


class Line(BaseModel):
    sku: str = Field(pattern=r"^[A-Z]{3}-\d{4}$")
    quantity: int = Field(gt=0, le=99)
    unit_price: float = Field(ge=0, lt=1000)


class Order(BaseModel):
    customer: Customer
    lines: list[Line] = Field(min_length=1, max_length=5)
    ship_by: date | None = None


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float = Field(gt=0, le=1000)


class Rectangle(BaseModel):
    kind: Literal["rectangle"]
    width: float = Field(gt=0, le=1000)
    height: float = Field(gt=0, le=1000)


class Folder(BaseModel):
    name: str = Field(min_length=1, max_length=20)
    children: list["Folder"] = []


@server.tool(annotations=READ)
def status() -> str:
    """No arguments at all."""
    return "ready"


@server.tool(annotations=READ)
def search(
    text: Annotated[str, Field(min_length=2, max_length=40)],
    limit: Annotated[int, Field(ge=1, le=50)] = 10,
    sort: Literal["relevance", "newest"] = "relevance",
    tags: Annotated[list[str], Field(max_length=3)] = [],
) -> list[str]:
    """Lengths, bounds, an enum, defaults."""
    return [f"{sort} {n}: {text} {' '.join(tags)}" for n in range(min(limit, 5))]


@server.tool(annotations=READ)
def quote(order: Order) -> float:
    """Models in models, patterns, a list of objects."""
    return sum(line.quantity * line.unit_price for line in order.lines)


@server.tool(annotations=READ)
def area(shape: Annotated[Circle | Rectangle, Field(discriminator="kind")]) -> float:
    """A union distinguished by a constant."""
    return 3.1416 * shape.radius**2 if isinstance(shape, Circle) else shape.width * shape.height


@server.tool(annotations=READ)
def convert(
    amount: Annotated[float, Field(gt=0, multiple_of=0.5)], source: Currency, target: Currency = Currency.EUR
) -> str:
    """An enum by reference, a multiple."""
    return f"{amount} {source.value} in {target.value}"


@server.tool(annotations=READ)
def lookup(key: int | str, strict: bool = False) -> str:
    """A union of plain types."""
    return f"{type(key).__name__} {key} {strict}"


@server.tool(annotations=READ)
def schedule(start: datetime, job: uuid.UUID, weights: dict[str, float] | None = None) -> str:
    """Formats, a map."""
    return f"{job} at {start.isoformat()}, {len(weights or {})} weights"


@server.tool(annotations=READ)
def count_folders(root: Folder) -> int:
    """A model that refers to itself."""
    return 1 + sum(count_folders(child) for child in root.children)


@server.tool(annotations=READ)
async def slow_count(steps: Annotated[int, Field(ge=1, le=3)], ctx: Context) -> int:
    """Progress notifications before the reply."""
    for step in range(steps):
        await ctx.report_progress(step, steps)
    return steps


@server.tool()
def add_note(text: Annotated[str, Field(max_length=200)]) -> int:
    """Not said to be read-only."""
    notes.append(text)
    return len(notes)


@server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True))
def delete_notes() -> int:
    """Destructive."""
    deleted = len(notes)
    notes.clear()
    return deleted


@server.resource("notes://count")
def count() -> str:
    return str(len(notes))


@server.resource("users://{name}/greeting")
def greeting(name: str) -> str:
    return f"Hello, {name}"


@server.prompt()
def summarise() -> str:
    """No arguments."""
    return "Summarise the notes."


@server.prompt()
def review(topic: str, tone: str = "plain") -> str:
    """One argument that is required, one that is not."""
    return f"Review {topic} in a {tone} tone."


@server.completion()
async def complete(_ref, argument, _context) -> Completion:
    return Completion(values=[f"{argument.value}{n}" for n in range(3)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--stateless", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    server.run("streamable-http", port=options.port, stateless_http=options.stateless, json_response=options.json)
