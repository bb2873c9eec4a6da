"""Synchronization of many devices: Quintet beside Anki's own server, with the same reviews.

study.py quintet URL PID USERS SECONDS     incremental syncs of 50 reviews, one request each
study.py anki FOLDER USERS SECONDS         the same with `python -m anki.syncserver`, seven requests each
study.py first URL CARDS                   a new device reads a set of many cards
study.py crowd URL USERS SECONDS PACE      many users, each synchronizes every PACE seconds

Run by run.py, with the Python that has `anki` and `zstandard`. Requests are made before the clock starts as far as
possible; what a sync costs is the CPU time of the server.
"""
import asyncio, collections, json, os, subprocess, sys, time, urllib.request, uuid

REVIEWS = 50
ANKI_CARDS = 5000


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(name, latencies, seconds, spent):
    latencies.sort()
    count = len(latencies)
    print(json.dumps({"name": name, "syncs": count, "per second": count / seconds, "server us": spent / count * 1e6,
                      "p50 ms": latencies[count // 2] * 1e3, "p99 ms": latencies[int(count * 0.99)] * 1e3,
                      "average ms": sum(latencies) / count * 1e3}))


class Connection:
    """One keep-alive connection; requests are written as bytes."""

    async def open(self, port):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        return self

    async def post(self, path, headers, body):
        self.writer.write(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
                          .encode() + body)
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        if b"content-length:" in head:
            data = await self.reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        else:
            data = b""
            while size := int(await self.reader.readuntil(b"\r\n"), 16):
                data += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        if head[9:12] != b"200":
            raise RuntimeError(f"{path}: {head[:40]} {data[:300]}")
        return data


# MARK: Anki

def anki_collection(folder):
    from anki.collection import Collection
    collection = Collection(f"{folder}/collection.anki2")
    model = collection.models.by_name("Basic")
    for number in range(ANKI_CARDS):
        note = collection.new_note(model)
        note["Front"], note["Back"] = f"front of card {number}", f"back of card {number}"
        collection.add_note(note, 1)
    rows = collection.db.all(
        "select id,nid,did,ord,mod,usn,type,queue,due,ivl,factor,reps,lapses,left,odue,odid,flags,data from cards")
    # As after a first sync, which is an upload of the file.
    for table in ("cards", "notes", "notetypes", "decks", "deck_config", "tags"):
        collection.db.execute(f"update {table} set usn = 0")
    collection.db.execute("delete from graves")
    models = len(collection.models.all())
    collection.close()
    return rows, models


class AnkiDevice:
    def __init__(self, rows, models):
        import zstandard
        self.rows, self.models, self.count, self.key = rows, models, 0, ""
        self.compress, self.decompress = zstandard.ZstdCompressor(level=1), zstandard.ZstdDecompressor()

    async def post(self, step, body):
        header = json.dumps({"v": 11, "k": self.key, "c": "26.09.3,x,linux", "s": f"s{self.count % 90000 + 10000}"})
        data = await self.connection.post(
            f"/sync/{step}", f"Content-Type: application/octet-stream\r\nanki-sync: {header}\r\n",
            self.compress.compress(body if isinstance(body, bytes) else json.dumps(body).encode()))
        return self.decompress.decompressobj().decompress(data)

    async def start(self, port, number, file):
        self.connection = await Connection().open(port)
        self.key = json.loads(await self.post("hostKey", {"u": f"u{number}", "p": "secret"}))["key"]
        await self.post("upload", file)

    async def sync(self):
        """Sends 50 reviews and the 50 cards that they change, as Anki does."""
        usn = json.loads(await self.post("meta", {"v": 11, "cv": "anki,26.09.3 (x),linux"}))["usn"]
        await self.post("start", {"minUsn": usn, "lnewer": True, "graves": None})
        await self.post("applyChanges", {"changes": {"models": [], "decks": [[], []], "tags": []}})
        await self.post("chunk", {"_pad": None})
        first, now, reviews, cards = self.count * REVIEWS, int(time.time()), [], []
        for index in range(first, first + REVIEWS):
            row = list(self.rows[index % ANKI_CARDS])
            reviews.append([1_700_000_000_000 + index, row[0], usn, 3, 4, 1, 2500, 4000, 1])
            row[4:13] = [now + self.count, usn, 2, 2, 5 + self.count, 4, 2500, self.count + 1, 0]
            cards.append(row)
        await self.post("applyChunk", {"chunk": {"done": True, "revlog": reviews, "cards": cards, "notes": []}})
        counts = [[0, 0, 0], ANKI_CARDS, ANKI_CARDS, REVIEWS * (self.count + 1), 0, self.models, 1, 1]
        check = json.loads(await self.post("sanityCheck2", {"client": counts}))
        if check["status"] != "ok":
            raise RuntimeError(check)
        await self.post("finish", {})
        self.count += 1


async def anki(folder, users, seconds):
    rows, models = anki_collection(folder)
    port = 27000 + os.getpid() % 1000
    environment = dict(os.environ, SYNC_BASE=f"{folder}/server", SYNC_PORT=str(port), SYNC_HOST="127.0.0.1",
                       RUST_LOG="error", **{f"SYNC_USER{n + 1}": f"u{n}:secret" for n in range(users)})
    server = subprocess.Popen([sys.executable, "-m", "anki.syncserver"], env=environment)
    try:
        await asyncio.sleep(2 + users * 0.1)  # it makes the users' keys slowly
        file = open(f"{folder}/collection.anki2", "rb").read()
        devices = [AnkiDevice(rows, models) for _ in range(users)]
        for number, device in enumerate(devices):
            await device.start(port, number, file)
        await asyncio.gather(*(device.sync() for device in devices))
        await measure("anki", devices, seconds, server.pid)
    finally:
        server.kill()


# MARK: Quintet

class Ids:
    """Version 7 UUIDs and versions of a hybrid logical clock."""
    count = 0

    @classmethod
    def uuid(cls):
        value = bytearray(int(time.time() * 1000).to_bytes(6, "big") + os.urandom(10))
        value[6], value[8] = 0x70 | value[6] & 15, 0x80 | value[8] & 63
        return str(uuid.UUID(bytes=bytes(value)))

    @classmethod
    def version(cls, device):
        cls.count += 1
        return f"{int(time.time() * 1000):012x}-{cls.count % 65536:04x}-{device:016x}"


def timestamp():
    now = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"


class Device:
    def __init__(self, url, number, reviews=REVIEWS):
        self.url, self.number, self.reviews, self.id = url, number + 1, reviews, Ids.uuid()
        self.cursor, self.batches, self.studied = None, collections.deque(), 0

    async def start(self, cards):
        request = urllib.request.Request(self.url + "/v1/auth/guest", b'{"app":"letustudy"}',
                                         {"Content-Type": "application/json"})
        self.token = json.load(urllib.request.urlopen(request))["accessToken"]
        await self.connect()
        self.set, self.cards = Ids.uuid(), [Ids.uuid() for _ in range(cards)]
        operations = [self.operation("sets", self.set, {"title": "Latin"})] + [
            self.operation("cards", card, {"front": f"front of card {n}", "back": f"back of card {n}",
                                           "position": f"{n:06d}"}, set=self.set)
            for n, card in enumerate(self.cards)]
        for first in range(0, len(operations), 500):
            await self.send(json.dumps(operations[first:first + 500]).encode())

    async def connect(self):
        self.connection = await Connection().open(int(self.url.rsplit(":", 1)[1]))
        self.headers = f"Content-Type: application/json\r\nAuthorization: Bearer {self.token}\r\n"

    def operation(self, collection, record, fields, **more):
        return {"id": Ids.uuid(), "collection": collection, "record": record, "action": "put",
                "version": Ids.version(self.number), "fields": fields, **more}

    def prepare(self, batches):
        for _ in range(batches):
            operations = []
            for _ in range(self.reviews):
                self.studied += 1
                operations.append(self.operation("reviews", Ids.uuid(), {
                    "at": timestamp(), "milliseconds": 4000, "utcOffsetMinutes": 60, "set": self.set,
                    "card": self.cards[self.studied % len(self.cards)], "rating": 3}))
            self.batches.append(json.dumps(operations).encode())

    async def send(self, operations=b"[]"):
        cursor = f',"cursor":"{self.cursor}"' if self.cursor else ""
        body = f'{{"device":"{self.id}","deviceTime":"{timestamp()}"{cursor},"operations":'.encode() + operations + b"}"
        data = await self.connection.post("/v1/sync", self.headers, body)
        response = json.loads(data)
        if any(result["status"] != "applied" for result in response["results"]):
            raise RuntimeError(data[:500])
        self.cursor = response["cursor"]
        return response

    async def sync(self):
        if not self.batches:
            self.prepare(1)
        await self.send(self.batches.popleft())


async def measure(name, devices, seconds, pid):
    latencies, began, before = [], time.perf_counter(), cpu(pid)

    async def run(device):
        while time.perf_counter() - began < seconds:
            start = time.perf_counter()
            await device.sync()
            latencies.append(time.perf_counter() - start)

    await asyncio.gather(*(run(device) for device in devices))
    report(name, latencies, time.perf_counter() - began, cpu(pid) - before)


async def quintet(url, pid, users, seconds):
    devices = [Device(url, number) for number in range(users)]
    for device in devices:
        await device.start(500)
    for device in devices:
        device.prepare(min(400, int(3000 * seconds / users)))
    await measure("quintet", devices, seconds, pid)


async def first(url, cards):
    device = Device(url, 0)
    await device.start(cards)
    other = Device(url, 1)
    other.token = device.token
    await other.connect()
    began, count = time.perf_counter(), 0
    while True:
        response = await other.send()
        count += len(response["changes"])
        if not response["hasMore"]:
            break
    print(json.dumps({"name": "first", "records": count, "seconds": time.perf_counter() - began}))


async def crowd(url, users, seconds, pace):
    devices = [Device(url, number, reviews=5) for number in range(users)]
    for some in range(0, users, 50):
        await asyncio.gather(*(device.start(20) for device in devices[some:some + 50]))
    for device in devices:
        device.prepare(int(seconds / pace) + 1)
    latencies, began = [], time.perf_counter()

    async def run(number, device):
        due = began + pace * number / users
        while due - began < seconds:
            await asyncio.sleep(max(0, due - time.perf_counter()))
            start = time.perf_counter()
            await device.sync()
            latencies.append(time.perf_counter() - start)
            due += pace

    await asyncio.gather(*(run(number, device) for number, device in enumerate(devices)))
    report("crowd", latencies, time.perf_counter() - began, 0)


if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    numbers = [int(argument) if argument.isdigit() else argument for argument in arguments]
    asyncio.run({"anki": anki, "quintet": quintet, "first": first, "crowd": crowd}[kind](*numbers))
