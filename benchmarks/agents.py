"""How long an agent waits for `prove`, on implications between equations, by standard input.

    THREESIL_DATA=… python benchmarks/agents.py [COUNT]

The first COUNT (default 200) problems of the dev set of the Equational Theories Project, one after
the other; prints one JSON object.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from threesil.problems.sets import data_home

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "threesil", "mcp"])
SECONDS = 10.0


async def measure(count: int) -> dict[str, object]:
    home = data_home() / "etp"
    laws = (home / "equations.txt").read_text().splitlines()
    pairs = [line.split("\t") for line in (home / "dev.tsv").read_text().splitlines()][:count]
    waited, wrong, uncertified, undecided = [], 0, 0, 0
    async with Client(stdio_client(SERVER)) as client:
        for one, other, truth in pairs:
            law, goal = laws[int(one) - 1], laws[int(other) - 1]
            text = f"Theory law: a law.\nAxiom law: {law}.\nTheorem goal: {goal}.\n"
            begin = time.perf_counter()
            reply = await client.call_tool("prove", {"goals": text, "seconds": SECONDS})
            found = reply.structured_content
            waited.append(time.perf_counter() - begin)
            assert found is not None, (text, reply.content)
            (answer,) = found["answers"]
            undecided += found["open"]
            uncertified += not answer["certified"] and not found["open"]
            wrong += not found["open"] and bool(found["proved"]) != (truth == "true")
    waited.sort()
    return {
        "problems": len(pairs),
        "undecided": undecided,
        "uncertified": uncertified,
        "wrong": wrong,
        "p50": round(waited[len(waited) // 2], 4),
        "p95": round(waited[len(waited) * 95 // 100], 4),
        "most": round(waited[-1], 4),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int((*sys.argv[1:], "200")[0])))))
