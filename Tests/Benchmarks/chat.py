"""Messages of many pairs of people, through Quintet's API and through XMPP to a server with its message archive on.

Imported by run.py. The load is asyncio in one process; what is measured is the CPU time of the server.
"""
import asyncio, base64, json, os, re, sqlite3, time, uuid

BODY = "Shall we look at the flat on Saturday at eleven? The landlord has the keys. "
WINDOW = 8  # messages of a sender under way


# MARK: XMPP

async def xmpp_log_in(port, name, password):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    opening = (b"<?xml version='1.0'?><stream:stream to='localhost' version='1.0' xmlns='jabber:client' "
               b"xmlns:stream='http://etherx.jabber.org/streams'>")
    writer.write(opening)
    await reader.readuntil(b"</stream:features>")
    secret = base64.b64encode(f"\0{name}\0{password}".encode()).decode()
    writer.write(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{secret}</auth>".encode())
    answer = await reader.readuntil(b">")
    if b"<success" not in answer:
        raise RuntimeError(answer.decode())
    writer.write(opening)
    await reader.readuntil(b"</stream:features>")
    writer.write(b"<iq type='set' id='b'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><resource>app</resource></bind></iq>")
    await reader.readuntil(b"</iq>")
    writer.write(b"<presence/>")
    await reader.readuntil(b"presence")
    return reader, writer


async def xmpp_messages(port, pairs, each):
    """Returns the seconds in which all messages reached their recipients."""
    people = []
    for index in range(2 * pairs):
        people.append(await xmpp_log_in(port, f"u{index}", "secret"))
    began = time.perf_counter()

    async def talk(pair):
        (_, sender), (reader, _) = people[2 * pair], people[2 * pair + 1]
        under_way, received, rest = 0, 0, b""
        sent = 0
        while received < each:
            while sent < each and under_way < WINDOW:
                sender.write(f"<message to='u{2 * pair + 1}@localhost/app' type='chat' id='{uuid.uuid4()}'>"
                             f"<body>{BODY}{sent}</body></message>".encode())
                sent, under_way = sent + 1, under_way + 1
            chunk = await reader.read(65536)
            if not chunk:
                raise RuntimeError("the XMPP server closed a connection")
            rest += chunk
            count = rest.count(b"</message>")
            if count:
                rest = rest.rsplit(b"</message>", 1)[1]
                received, under_way = received + count, under_way - count

    await asyncio.gather(*(talk(pair) for pair in range(pairs)))
    seconds = time.perf_counter() - began
    for _, writer in people:
        writer.close()
    return seconds


def prosody_config(folder, port):
    """Writes the configuration and the accounts of a Prosody that archives messages in SQLite."""
    accounts = f"{folder}/data/localhost/accounts"
    os.makedirs(accounts)
    for index in range(200):
        with open(f"{accounts}/u{index}.dat", "w") as file:
            file.write('return {\n\t["password"] = "secret";\n};\n')
    path = f"{folder}/prosody.cfg.lua"
    with open(path, "w") as file:
        file.write(f'''
daemonize = false
run_as_root = true
pidfile = "{folder}/prosody.pid"
data_path = "{folder}/data"
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {port} }}
s2s_ports = {{ }}
http_ports = {{ }}
https_ports = {{ }}
modules_enabled = {{ "roster"; "saslauth"; "mam"; "carbons"; "posix" }}
modules_disabled = {{ "s2s"; "tls"; "admin_shell" }}
allow_unencrypted_plain_auth = true
c2s_require_encryption = false
authentication = "internal_plain"
storage = {{ archive = "sql"; accounts = "internal"; roster = "internal" }}
sql = {{ driver = "SQLite3"; database = "{folder}/archive.sqlite" }}
default_archive_policy = true
log = {{ {{ levels = {{ min = "error" }}, to = "console" }} }}
VirtualHost "localhost"
''')
    return path


def archived(folder):
    with sqlite3.connect(f"{folder}/archive.sqlite") as db:
        return db.execute("SELECT COUNT(*) FROM prosodyarchive").fetchone()[0]


# MARK: Quintet

class Connection:
    """A keep-alive connection to the API."""

    def __init__(self, port, index=0):
        # More than one source address: one has only so many ports.
        self.port, self.address = port, (f"127.0.0.{2 + index // 5000}", 0)
        self.lock = asyncio.Lock()

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=self.address)
        return self

    async def call(self, method, path, body=None, token=None):
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(content)}\r\n"
        if body is not None:
            head += "Content-Type: application/json\r\n"
        if token:
            head += f"Authorization: Bearer {token}\r\n"
        async with self.lock:
            self.writer.write(head.encode() + b"\r\n" + content)
            answer = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: (\d+)", answer)
            content = await self.reader.readexactly(int(length.group(1))) if length else b""
        status = int(answer[9:12])
        if status >= 300:
            raise RuntimeError(f"{method} {path} {status} {content.decode()}")
        return json.loads(content) if content else None


async def people(port, count):
    """Connected pairs with a conversation each: (sender's token, recipient's token, conversation)."""
    connection = await Connection(port).open()
    found = []
    for index in range(count):
        pair = []
        for side in "ab":
            name = f"{side}{index}"
            account = await connection.call("POST", "/v1/auth/signup", {
                "email": f"{name}@example.com", "username": f"chat_{name}", "displayName": name,
                "password": "correct horse battery"})
            pair.append((account["user"]["id"], account["accessToken"]))
        (_, sender), (other, recipient) = pair
        request = await connection.call("POST", "/v1/connections", {"userID": other}, sender)
        await connection.call("POST", f"/v1/connections/{request['id']}/accept", None, recipient)
        conversation = await connection.call("POST", "/v1/conversations", {"userID": other}, sender)
        found.append((sender, recipient, conversation["id"]))
    return found


async def send(connection, token, conversation, number):
    path = f"/v1/conversations/{conversation}/messages/{uuid.uuid4()}"
    await connection.call("PUT", path, {"text": f"{BODY}{number}"}, token)


async def quintet_messages(port, pairs, each):
    """Returns the seconds in which all messages were accepted, each of them durable."""
    connections = [[await Connection(port).open() for _ in range(WINDOW)] for _ in pairs]
    began = time.perf_counter()

    async def talk(pair, connection, share):
        sender, _, conversation = pair
        for number in range(share):
            await send(connection, sender, conversation, number)

    await asyncio.gather(*(talk(pair, connection, each // WINDOW)
                           for pair, own in zip(pairs, connections) for connection in own))
    return time.perf_counter() - began


async def delivery_times(port, pairs, streams, rate, seconds):
    """Milliseconds from the acceptance of messages to their events on their recipients' streams, while `streams` other
    streams are open; sorted."""
    accepted, times = {}, []
    readers = []

    async def open_stream(index, token, topics=""):
        connection = Connection(port, index)
        await connection.open()
        connection.writer.write(f"GET /v1/events{topics} HTTP/1.1\r\nHost: localhost\r\n"
                                f"Authorization: Bearer {token}\r\n\r\n".encode())
        await connection.reader.readuntil(b"retry:")
        return connection

    async def listen(connection):
        rest = b""
        while chunk := await connection.reader.read(65536):
            rest += chunk
            for match in re.finditer(rb'event: message\.sent\ndata: (\{.*\})\n', rest):
                message = json.loads(match.group(1))["message"]
                if message in accepted:
                    times.append((time.perf_counter() - accepted.pop(message)) * 1000)
            rest = rest[max(0, rest.rfind(b"\n\n")):]

    crowd = []
    for start in range(0, streams, 100):
        crowd += await asyncio.gather(*(open_stream(start + i, pairs[(start + i) % len(pairs)][0])
                                        for i in range(min(100, streams - start))))
    for index, (_, recipient, conversation) in enumerate(pairs):
        connection = await open_stream(streams + index, recipient, f"?topics=conversation:{conversation}")
        readers.append(asyncio.ensure_future(listen(connection)))
    senders = [await Connection(port).open() for _ in pairs]
    began = time.perf_counter()

    async def one(number):
        sender, _, conversation = pairs[number % len(pairs)]
        message = str(uuid.uuid4())
        accepted[message] = time.perf_counter()
        await senders[number % len(pairs)].call(
            "PUT", f"/v1/conversations/{conversation}/messages/{message}", {"text": f"{BODY}{number}"}, sender)

    tasks = []
    for number in range(rate * seconds):
        await asyncio.sleep(max(0, began + number / rate - time.perf_counter()))
        tasks.append(asyncio.ensure_future(one(number)))
    await asyncio.gather(*tasks)
    for _ in range(100):
        if not accepted:
            break
        await asyncio.sleep(0.1)
    for reader in readers:
        reader.cancel()
    return sorted(times), len(accepted)
