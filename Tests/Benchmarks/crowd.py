#!/usr/bin/env python3
"""A crowd at the gateway: many open connections that ask now and then, or many open event streams.

    crowd.py requests PORT TOKEN CONNECTIONS PER_SECOND SECONDS
    crowd.py streams PORT CONNECTIONS TOKEN...
"""
import asyncio, resource, sys, time

resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


async def connect(port, index):
    # More than one source address: one has only so many ports.
    return await asyncio.open_connection("127.0.0.1", port, local_addr=(f"127.0.0.{2 + index // 5000}", 0))


async def requests(port, token, connections, rate, seconds):
    pairs = []
    message = f"GET /v1/users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode()
    times, errors = [], 0

    async def ask(reader, writer):
        nonlocal errors
        begin = time.perf_counter()
        try:
            writer.write(message)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            if not head.startswith(b"HTTP/1.1 200"):
                errors += 1
            times.append(time.perf_counter() - begin)
        except Exception:
            errors += 1

    for start in range(0, connections, 100):
        pairs += await asyncio.gather(*(connect(port, start + i) for i in range(min(100, connections - start))))
        # A connection that says nothing is cut off.
        await asyncio.gather(*(ask(*pair) for pair in pairs[start:]))
    times.clear()
    print(f"open {errors}", flush=True)
    begin, tasks = time.perf_counter(), []
    for number in range(rate * seconds):
        delay = begin + number / rate - time.perf_counter()
        if delay > 0:
            await asyncio.sleep(delay)
        tasks.append(asyncio.ensure_future(ask(*pairs[number * 7919 % len(pairs)])))
    await asyncio.gather(*tasks)
    times.sort()
    print(f"{len(times)} answers, {errors} errors, median {times[len(times) // 2] * 1000:.1f} ms, "
          f"p99 {times[len(times) * 99 // 100] * 1000:.1f} ms", flush=True)


async def streams(port, connections, tokens):
    async def open_one(index):
        reader, writer = await connect(port, index)
        token = tokens[index % len(tokens)]
        writer.write(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        return reader, writer, head.startswith(b"HTTP/1.1 200")

    pairs = []
    for start in range(0, connections, 100):
        pairs += await asyncio.gather(*(open_one(start + i) for i in range(min(100, connections - start))))
    print(f"{sum(is_open for _, _, is_open in pairs)} streams", flush=True)
    await asyncio.sleep(3600)


if sys.argv[1] == "requests":
    port, token, connections, rate, seconds = sys.argv[2:]
    asyncio.run(requests(int(port), token, int(connections), int(rate), int(seconds)))
else:
    asyncio.run(streams(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
