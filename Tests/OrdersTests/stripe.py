"""localstripe, a server that behaves as Stripe does, on the port that is given. Prints `ready` when it listens."""

import asyncio
import sys

from aiohttp import web
from localstripe.server import app


async def main(port: int) -> None:
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    print("ready", flush=True)
    await asyncio.Event().wait()


asyncio.run(main(int(sys.argv[1])))
