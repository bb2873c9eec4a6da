"""Events of auth that catalog receives: users who change their names, and a backlog that no one waits for."""
import asyncio, json, sqlite3, subprocess, time

TYPE = "app.quintet.auth.user-changed"
COLUMNS = "id, type, subject, sequence, lane, data, recorded_at"


def lane(subject):
    """That of `EventLane`."""
    value = 0xcbf29ce484222325
    for byte in subject.encode():
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return value % 16


def backlog(count):
    """Rows of the outbox, each about another user."""
    now = int(time.time() * 1e6)
    for number in range(count):
        user = f"01890000-0000-7000-8000-{number:012x}"
        event = f"01890000-0000-7000-9000-{number:012x}"
        yield event, TYPE, user, 1, lane(user), json.dumps({"userID": user, "version": 1}), now


class SQLite:
    name = "SQLite"

    def __init__(self, folder):
        self.folder, self.settings = folder, {}

    def query(self, service, statement):
        with sqlite3.connect(f"file:{self.folder}/{service}.sqlite?mode=ro", uri=True, timeout=60) as file:
            return file.execute(statement).fetchone()

    def fill(self, count):
        with sqlite3.connect(f"{self.folder}/auth.sqlite", timeout=60) as file:
            file.executemany(f"INSERT INTO outbox ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", backlog(count))


class PostgreSQL:
    name = "PostgreSQL"

    def __init__(self, url, settings):
        self.url, self.settings = url, {"DATABASE_URL": url, **settings}

    def psql(self, statement, text=None):
        return subprocess.run(["psql", "-qAtX", "-F", "\t", self.url, "-c", statement], input=text, text=True,
                              capture_output=True, check=True).stdout

    def query(self, service, statement):
        return [float(value) for value in self.psql(f"SET search_path = {service}; {statement}").split("\t")]

    def fill(self, count):
        lines = ("\t".join(map(str, row)) + "\n" for row in backlog(count))
        self.psql(f"COPY auth.outbox ({COLUMNS}) FROM STDIN", "".join(lines))

    def lag(self, since):
        """Milliseconds from the commit's transaction to the consumer's, p50 and p99; events in all, and received ones."""
        return self.query("auth", f"""
            SELECT COALESCE(percentile_cont(0.5) WITHIN GROUP (ORDER BY i.received_at - o.recorded_at) / 1000, 0),
              COALESCE(percentile_cont(0.99) WITHIN GROUP (ORDER BY i.received_at - o.recorded_at) / 1000, 0),
              COUNT(*), COUNT(i.id)
            FROM outbox o LEFT JOIN catalog.inbox i ON i.id = o.id
            WHERE o.type = '{TYPE}' AND o.recorded_at >= {int(since * 1e6)}""")


def received(database):
    return int(database.query("catalog", "SELECT COUNT(*) FROM inbox")[0])


async def _write(port, token, every, until, times):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    due = time.perf_counter()
    number = 0
    while (now := time.perf_counter()) < until:
        if every and due > now:
            await asyncio.sleep(due - now)
        due += every
        number += 1
        body = json.dumps({"displayName": f"Ada {number}"})
        begin = time.perf_counter()
        writer.write((f"PATCH /v1/users/me HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
                      f"Content-Type: application/merge-patch+json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
        if head.startswith(b"HTTP/1.1 200"):
            times.append(time.perf_counter() - begin)
        elif not head.startswith(b"HTTP/1.1 503"):  # too many at once
            raise SystemExit(f"a change was answered by {head.splitlines()[0]}")
    writer.close()


def write(ports, tokens, seconds, rate=0):
    """Each user changes their name again and again: as fast as it goes, or together at a rate.

    Returns changes per second, and the p50 and p99 of their milliseconds."""
    async def run():
        times, until = [], time.perf_counter() + seconds
        await asyncio.gather(*(_write(ports[index % len(ports)], token, rate and len(tokens) / rate, until, times)
                               for index, token in enumerate(tokens)))
        return sorted(times)
    times = asyncio.run(run())
    return len(times) / seconds, times[len(times) // 2] * 1000, times[len(times) * 99 // 100] * 1000
