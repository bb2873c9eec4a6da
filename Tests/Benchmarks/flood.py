#!/usr/bin/env python3
"""Ten hosts attack the gateway while others use it: each host has a loopback address of its own.

    flood.py users PORT SECONDS TOKEN...      100 requests per second from 200 hosts; prints what they met
    flood.py attack PORT SECONDS KIND         KIND: anonymous, forged, heads, bodies
"""
import asyncio, collections, resource, sys, time

resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
HOSTS, ATTACKERS, RATE = 200, 10, 100


def connect(port, address):
    return asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))


async def answer(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:-2])
    await reader.readexactly(int(fields.get(b"content-length", b"0")))
    return int(head.split(b" ")[1])


async def users(port, seconds, tokens):
    times, failures, idle = [], collections.Counter(), collections.defaultdict(list)

    async def ask(number):
        host = number % HOSTS
        begin = time.perf_counter()
        try:
            pair = idle[host].pop() if idle[host] else await connect(port, f"127.1.0.{host + 1}")
            pair[1].write(b"GET /v1/users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                          + tokens[host % len(tokens)].encode() + b"\r\n\r\n")
            status = await answer(pair[0])
            idle[host].append(pair)
            if status != 200:
                failures[status] += 1
        except (OSError, asyncio.IncompleteReadError) as error:
            failures[type(error).__name__] += 1
        times.append(time.perf_counter() - begin)

    begin, tasks = time.perf_counter(), []
    for number in range(RATE * seconds):
        await asyncio.sleep(max(0, begin + number / RATE - time.perf_counter()))
        tasks.append(asyncio.ensure_future(ask(number)))
    await asyncio.wait_for(asyncio.gather(*tasks), 120)
    times.sort()
    print(f"{len(times)} requests, not answered with 200: {dict(failures) or 'none'}, "
          f"median {times[len(times) // 2] * 1000:.1f} ms, p99 {times[len(times) * 99 // 100] * 1000:.1f} ms")


async def attack(port, seconds, kind):
    """Each attacker opens a connection again as soon as it is closed."""
    end, met = time.perf_counter() + seconds, collections.Counter()
    forged = "Authorization: Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIwIn0.AAAA\r\n" if kind == "forged" else ""
    request = f"GET /v1/catalog/listings HTTP/1.1\r\nHost: localhost\r\n{forged}\r\n".encode()

    async def flood(reader, writer):
        while time.perf_counter() < end:
            writer.write(request)
            met[await answer(reader)] += 1

    async def trickle(reader, writer):
        """A byte each second, and never the last one."""
        start = b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " if kind == "heads" else (
            b"PUT /v1/users/me HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n")
        writer.write(start)
        while time.perf_counter() < end and not reader.at_eof():
            writer.write(b"x")
            await writer.drain()
            try:
                met[await asyncio.wait_for(answer(reader), 1)] += 1
            except asyncio.TimeoutError:
                pass

    async def attacker(number):
        while time.perf_counter() < end:
            try:
                reader, writer = await connect(port, f"127.9.0.{number % ATTACKERS + 1}")
                met["connections"] += 1
                try:
                    await (flood if kind in ("anonymous", "forged") else trickle)(reader, writer)
                finally:
                    writer.transport.abort()
            except (OSError, asyncio.IncompleteReadError):
                await asyncio.sleep(0.01)

    count = ATTACKERS * (20 if kind in ("anonymous", "forged") else 500)
    await asyncio.wait([asyncio.ensure_future(attacker(number)) for number in range(count)], timeout=seconds + 5)
    print(", ".join(f"{key}: {value}" for key, value in sorted(met.items(), key=str)))


mode, port, seconds, *rest = sys.argv[1:]
asyncio.run(users(int(port), int(seconds), rest) if mode == "users" else attack(int(port), int(seconds), rest[0]))
