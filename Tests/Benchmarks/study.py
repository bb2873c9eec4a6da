"""Synchronization of many devices: Quintet beside Anki's own server, with the same reviews.

study.py quintet URL PID USERS SECONDS     incremental syncs of 50 reviews, one request each
study.py anki FOLDER USERS SECONDS         the same with `python -m anki.syncserver`, seven requests each
study.py first URL CARDS                   a new device reads a set of many cards
study.py crowd URL USERS SECONDS PACE      many users, each synchronizes every PACE seconds

Run by run.py, with the Python that has `anki` and `zstandard`. Devices are spread over as many processes as there are
cores, and what they send is made, and compressed, before the clock starts; what a sync costs is the CPU time of the
server.
"""
import asyncio, collections, json, multiprocessing, os, subprocess, sys, time, urllib.request, uuid

REVIEWS = 50
ANKI_CARDS = 5000
PROCESSES = os.cpu_count()


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


META = {"v": 11, "cv": "anki,26.09.3 (x),linux"}


class AnkiDevice:
    def __init__(self, rows, models):
        import zstandard
        self.rows, self.models, self.count, self.key = rows, models, 0, ""
        self.compress, self.decompress = zstandard.ZstdCompressor(level=1), zstandard.ZstdDecompressor()

    async def post(self, step, body):
        """Sends JSON or a file."""
        return await self.send(
            step, self.compress.compress(body if isinstance(body, bytes) else json.dumps(body).encode()))

    async def send(self, step, compressed):
        header = json.dumps({"v": 11, "k": self.key, "c": "26.09.3,x,linux", "s": f"s{self.count % 90000 + 10000}"})
        data = await self.connection.post(
            f"/sync/{step}", f"Content-Type: application/octet-stream\r\nanki-sync: {header}\r\n",
            compressed)
        return self.decompress.decompressobj().decompress(data)

    async def start(self, port, number, file):
        self.connection = await Connection().open(port)
        self.key = json.loads(await self.post("hostKey", {"u": f"u{number}", "p": "secret"}))["key"]
        await self.post("upload", file)
        self.usn = json.loads(await self.post("meta", META))["usn"]

    def prepare(self, batches):
        self.batches = collections.deque(self.batch(number) for number in range(batches))

    def batch(self, number):
        """The messages with 50 reviews and the 50 cards that they change; every sync takes one number."""
        usn, first, now, reviews, cards = self.usn + number, number * REVIEWS, int(time.time()), [], []
        for index in range(first, first + REVIEWS):
            row = list(self.rows[index % ANKI_CARDS])
            reviews.append([1_700_000_000_000 + index, row[0], usn, 3, 4, 1, 2500, 4000, 1])
            row[4:13] = [now + number, usn, 2, 2, 5 + number, 4, 2500, number + 1, 0]
            cards.append(row)
        counts = [[0, 0, 0], ANKI_CARDS, ANKI_CARDS, REVIEWS * (number + 1), 0, self.models, 1, 1]
        messages = [
            ("meta", META), ("start", {"minUsn": usn, "lnewer": True, "graves": None}),
            ("applyChanges", {"changes": {"models": [], "decks": [[], []], "tags": []}}), ("chunk", {"_pad": None}),
            ("applyChunk", {"chunk": {"done": True, "revlog": reviews, "cards": cards, "notes": []}}),
            ("sanityCheck2", {"client": counts}), ("finish", {})]
        return [(step, self.compress.compress(json.dumps(body).encode())) for step, body in messages]

    async def sync(self):
        if not self.batches:
            self.batches.append(self.batch(self.count))
        for step, body in self.batches.popleft():
            answer = await self.send(step, body)
            if step == "meta" and json.loads(answer)["usn"] != self.usn + self.count:
                raise RuntimeError(answer)
            if step == "sanityCheck2" and json.loads(answer)["status"] != "ok":
                raise RuntimeError(answer)
        self.count += 1


def anki(folder, users, seconds):
    rows, models = anki_collection(folder)
    port = 27000 + os.getpid() % 1000
    environment = dict(os.environ, SYNC_BASE=f"{folder}/server", SYNC_PORT=str(port), SYNC_HOST="127.0.0.1",
                       RUST_LOG="error", **{f"SYNC_USER{n + 1}": f"u{n}:secret" for n in range(users)})
    server = subprocess.Popen([sys.executable, "-m", "anki.syncserver"], env=environment)

    async def start(numbers):
        file = open(f"{folder}/collection.anki2", "rb").read()
        devices = [AnkiDevice(rows, models) for _ in numbers]
        for number, device in zip(numbers, devices):
            await device.start(port, number, file)
            device.prepare(min(400, int(1500 * seconds / users)))
        await asyncio.gather(*(device.sync() for device in devices))
        return devices

    try:
        time.sleep(2 + users * 0.1)  # it makes the users' keys slowly
        measure("anki", start, users, seconds, server.pid)
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
        if data.count(b'"status":') != data.count(b'"status":"applied"'):
            raise RuntimeError(data[:500])
        self.cursor = data.rsplit(b'"cursor":"', 1)[1].split(b'"', 1)[0].decode()
        return data

    async def sync(self):
        if not self.batches:
            self.prepare(1)
        if (await self.send(self.batches.popleft())).count(b'"status"') != self.reviews:
            raise RuntimeError("a result is missing")


def measure(name, start, users, seconds, pid):
    """Has devices synchronize without a pause, in several processes.

    `start` makes the devices of some of the users' numbers.
    """
    fork = multiprocessing.get_context("fork")
    processes = min(PROCESSES, users)
    ready, results = fork.Barrier(processes + 1), fork.Queue()

    async def work(numbers):
        devices, latencies = await start(numbers), []
        ready.wait()
        began = time.perf_counter()

        async def run(device):
            while time.perf_counter() - began < seconds:
                sent = time.perf_counter()
                await device.sync()
                latencies.append(time.perf_counter() - sent)

        await asyncio.gather(*(run(device) for device in devices))
        return latencies

    def main(first):
        try:
            results.put(asyncio.run(work(range(first, users, processes))))
        except BaseException as error:
            ready.abort()
            results.put(repr(error))

    workers = [fork.Process(target=main, args=(first,)) for first in range(processes)]
    for worker in workers:
        worker.start()
    try:
        ready.wait()
    except Exception:
        sys.exit(f"a device failed: {results.get()}")
    began, before, latencies = time.perf_counter(), cpu(pid), []
    for _ in workers:
        found = results.get()
        if isinstance(found, str):
            sys.exit(f"a device failed: {found}")
        latencies += found
    report(name, latencies, time.perf_counter() - began, cpu(pid) - before)


def quintet(url, pid, users, seconds):
    async def start(numbers):
        devices = [Device(url, number) for number in numbers]
        for device in devices:
            await device.start(500)
        for device in devices:
            device.prepare(min(400, int(3000 * seconds / users)))
        return devices

    measure("quintet", start, users, seconds, pid)


async def first(url, cards):
    device = Device(url, 0)
    await device.start(cards)
    other = Device(url, 1)
    other.token = device.token
    await other.connect()
    began, count = time.perf_counter(), 0
    while True:
        response = json.loads(await other.send())
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
    if kind in ("anki", "quintet"):
        {"anki": anki, "quintet": quintet}[kind](*numbers)
    else:
        asyncio.run({"first": first, "crowd": crowd}[kind](*numbers))
