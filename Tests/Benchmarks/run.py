#!/usr/bin/env python3
"""Runs every benchmark pair in one go on this machine and prints figures and ratios.

    swift build -c release && python3 Tests/Benchmarks/run.py [--quick] [SECTION...]

Needs apt-get install wrk caddy nginx-light haproxy redis-server prosody lua-dbi-sqlite3 ffmpeg libvips-tools. CPU figures are user + system time of the process
under test from /proc, divided by requests; load and upstream run beside it.
"""
import asyncio, atexit, base64, functools, gzip, hmac, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(ROOT, ".build/release")
QUICK = "--quick" in sys.argv
SECONDS = 3 if QUICK else 8
TICKS = os.sysconf("SC_CLK_TCK")
children = []

# All load comes from one address.
OPEN = {"LIMITS_GUESTS": "0/1", "LIMITS_SESSION": "0/1", "LIMITS_COSTLY": "0/1", "HTTP_CONNECTIONS_PER_ADDRESS": "0", "REALTIME_STREAMS_PER_ADDRESS": "0"}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(*command, env=None, wait=None):
    process = subprocess.Popen(command, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children.append(process)
    deadline = time.time() + 20
    while wait and time.time() < deadline:
        try:
            urllib.request.urlopen(wait, timeout=1).read()
            return process
        except Exception:
            time.sleep(0.01)
    if wait:
        sys.exit(f"{command[0]} did not start")
    return process


def tree(pid):
    """The process and its children: nginx works in one."""
    kids = open(f"/proc/{pid}/task/{pid}/children").read().split()
    return [pid] + [p for kid in kids for p in tree(int(kid))]


def cpu(pid):
    total = 0
    for p in tree(pid):
        fields = open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total * 1e6 / TICKS


def rss(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{pid}/status").read()).group(1))


def wrk(url, connections=64, headers=(), seconds=None):
    args = ["wrk", "-t1", f"-c{connections}", f"-d{seconds or SECONDS}s", "--latency"]
    for header in headers:
        args += ["-H", header]
    out = subprocess.run(args + [url], capture_output=True, text=True).stdout
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    if bad:
        sys.exit(f"{bad.group(1)} bad answers from {url}")

    def ms(label):
        value, unit = re.search(rf"{label}%\s+([\d.]+)(us|ms|s)", out).groups()
        return float(value) * {"us": 1, "ms": 1000, "s": 1e6}[unit]

    return requests, ms("50"), ms("99")


def loaded(process, url, **options):
    wrk(url, seconds=1, **options)
    before = cpu(process.pid)
    requests, p50, p99 = wrk(url, **options)
    return (cpu(process.pid) - before) / requests, p50, p99


def show(name, figures):
    print(f"  {name:<34} {figures[0]:7.1f} us CPU/request   p50 {figures[1]:7.0f} us   p99 {figures[2]:7.0f} us", flush=True)


def post(url, body, headers={}):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    return json.load(urllib.request.urlopen(request))


def nginx(folder, token_keys=None):
    port = free_port()
    os.chmod(folder, 0o755)  # its workers are another user when it is started by root
    body = '{"id":"01a1fc03-81c1-7332-ba94-846ed739fb08","username":"ada","displayName":"Ada Lovelace","createdAt":"2026-11-21T02:50:50.690Z"}'
    with open(f"{folder}/keys.json", "w") as file:
        file.write(token_keys or "{}")
    with open(f"{folder}/description.json", "w") as file:
        file.write(subprocess.run([f"{BIN}/Benchmarks", "description"], capture_output=True, text=True, check=True).stdout)
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log /dev/null;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2;
fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
server {{ listen 127.0.0.1:{port} backlog=4096; default_type application/json;
location = /.well-known/jwks.json {{ root {folder}; try_files /keys.json =404; }}
location = /internal/v1/description {{ root {folder}; try_files /description.json =404; }}
location /internal/ {{ return 200 '{{"items":[],"keys":[],"next":"2026-01-01T00:00:00.000Z"}}'; }}
location / {{ return 200 '{body}'; }} }} }}""")
    return start("nginx", "-c", f"{folder}/nginx.conf", wait=f"http://127.0.0.1:{port}/hello"), port


@functools.cache
def service_keys():
    """Settings by which the services know each other: a key for each, made here, and a folder of all public keys."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, True)
    for name in ("auth", "catalog", "gateway", "media-index"):
        shown = subprocess.run([f"{BIN}/{name}", "service-keys", "show", "--service-key-folder", folder],
                               capture_output=True, text=True, check=True)
        with open(f"{folder}/{name}.pem", "w") as file:
            file.write(shown.stdout)
    return {"SERVICE_KEY_FOLDER": folder, "SERVICE_PUBLIC_KEY_FOLDER": folder}


def gateway(upstream, folder, level="info", fast=False, **more):
    port = free_port()
    environment = {
        "LIMITS_READ": "1000000/1", "LIMITS_SEARCH": "0/1", **OPEN, "DATA": f"{folder}/gateway-{port}",
        "SERVICES_AUTH_URL": f"http://127.0.0.1:{upstream}", **service_keys(),
        "PORT": str(port), "METRICS_PORT": str(free_port()), "LOG_LEVEL": level,
        "EDGE_FAST": str(fast).lower(), **more,
    }
    return start(f"{BIN}/gateway", "serve", env=environment, wait=f"http://127.0.0.1:{port}/livez"), port


def caddy(upstream, folder):
    port = free_port()
    with open(f"{folder}/Caddyfile", "w") as file:
        file.write(f"{{\n admin off\n auto_https off\n}}\nhttp://127.0.0.1:{port} {{\n reverse_proxy 127.0.0.1:{upstream}\n}}\n")
    environment = {"HOME": folder, "XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
    return start("caddy", "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile", env=environment,
                 wait=f"http://127.0.0.1:{port}/hello"), port


def nginx_proxy(upstream, folder):
    port = free_port()
    with open(f"{folder}/proxy.conf", "w") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/proxy.pid; error_log /dev/null;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 100000000; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2;
fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
upstream services {{ server 127.0.0.1:{upstream}; keepalive 64; }}
server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ proxy_pass http://services; proxy_http_version 1.1;
proxy_set_header Connection ""; }} }} }}""")
    return start("nginx", "-c", f"{folder}/proxy.conf", wait=f"http://127.0.0.1:{port}/hello"), port


def haproxy(upstream, folder):
    port = free_port()
    with open(f"{folder}/haproxy.cfg", "w") as file:
        file.write(f"""global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
listen edge
  bind 127.0.0.1:{port}
  server services 127.0.0.1:{upstream}
""")
    return start("haproxy", "-db", "-f", f"{folder}/haproxy.cfg", wait=f"http://127.0.0.1:{port}/hello"), port


def stop(process):
    process.terminate()
    process.wait()
    children.remove(process)


@functools.cache
def real_token(folder):
    """An access token of a real auth service and the keys that verify it."""
    port = free_port()
    process = start(f"{BIN}/quintet", "serve", "--port", str(port), "--metrics-port", "0", "--data", f"{folder}/data",
                    "--auth-access-token-seconds", "3600", wait=f"http://127.0.0.1:{port}/readyz")
    base = f"http://127.0.0.1:{port}"
    signed = post(f"{base}/v1/auth/signup", {"email": "ada@example.com", "username": "ada", "displayName": "Ada", "password": "correct horse"})
    keys = urllib.request.urlopen(f"{base}/.well-known/jwks.json").read().decode()
    stop(process)
    return signed["accessToken"], signed["user"]["id"], keys


def hop(folder):
    print("gateway hop, about 130 bytes of JSON, 64 connections, the same nginx behind all")
    token, user, keys = real_token(folder)
    upstream, upstream_port = nginx(folder, keys)
    peers = {"caddy": caddy(upstream_port, folder), "nginx": nginx_proxy(upstream_port, folder),
             "haproxy": haproxy(upstream_port, folder)}
    ours = {"gateway": gateway(upstream_port, folder), "byte path": gateway(upstream_port, folder, fast=True)}
    plain, signed = "/.well-known/jwks.json", f"/v1/users/{user}"
    bearer = [f"Authorization: Bearer {token}"]

    def ratios(kind, figures, costs):
        print(f"  {kind}: {', '.join(f'{figures[0] / cost:.2f} x {peer}' for peer, cost in costs.items())}", flush=True)

    for _ in range(1 if QUICK else 2):
        costs = {}
        for name, (process, port) in peers.items():
            figures = loaded(process, f"http://127.0.0.1:{port}{signed}")
            show(f"{name} as a reverse proxy", figures)
            costs[name] = figures[0]
        for name, (process, port) in ours.items():
            figures = loaded(process, f"http://127.0.0.1:{port}{plain}")
            show(f"{name}, no token", figures)
            ratios(f"{name}, no token (byte path's target 0.3 x caddy)", figures, costs)
            figures = loaded(process, f"http://127.0.0.1:{port}{signed}", headers=bearer)
            show(f"{name}, JWT + limits + metrics + log", figures)
            ratios(f"{name}, JWT and all (byte path's targets 0.45 x caddy, 2.5 x nginx)", figures, costs)
    direct = wrk(f"http://127.0.0.1:{upstream_port}{signed}", connections=1)[1]
    alone = {name: wrk(f"http://127.0.0.1:{port}{signed}", connections=1, headers=bearer)[1]
             for name, (_, port) in {**ours, **peers}.items()}
    print(f"  unloaded p50: direct {direct:.0f} us, "
          + ", ".join(f"{name} +{value - direct:.0f} us" for name, value in alone.items()) + " (target: byte path below caddy)")
    for process, _ in (*ours.values(), *peers.values(), (upstream, 0)):
        stop(process)


def clients(folder):
    print("CurlClient and async-http-client against the same nginx")
    upstream, port = nginx(folder)
    for in_flight, requests in ((1, 5000), (64, 60000), (1000, 60000)):
        figures = {}
        for library in ("curl", "ahc"):
            out = subprocess.run([f"{BIN}/Benchmarks", "client", library, f"http://127.0.0.1:{port}", str(in_flight), str(requests)],
                                 capture_output=True, text=True).stdout
            print("  " + out.strip().replace("\n", "\n  "), flush=True)
            match = re.search(rf"{library}-{in_flight} ([\d.]+) us-cpu", out)
            figures[library] = float(match.group(1)) if match else float("nan")
        print(f"  ratio at {in_flight}: {figures['curl'] / figures['ahc']:.2f}")
    stop(upstream)


def memory(folder):
    print("memory and start")
    port = free_port()
    environment = {**service_keys(), "LOG_LEVEL": "warning",
                   "PORT": str(port), "METRICS_PORT": str(free_port()), "DATA": f"{folder}/auth"}
    begin = time.time()
    auth = start(f"{BIN}/auth", "serve", env=environment, wait=f"http://127.0.0.1:{port}/readyz")
    print(f"  auth ready after {(time.time() - begin) * 1000:.0f} ms (target 500), new data folder")
    time.sleep(2)
    idle = rss(auth.pid)
    print(f"  auth idle {idle / 1024:.1f} MB (target 40)")
    count = 2000
    sockets = []
    for _ in range(count):
        s = socket.create_connection(("127.0.0.1", port))
        s.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        s.recv(4096)
        sockets.append(s)
    time.sleep(0.5)
    print(f"  idle keep-alive connection {(rss(auth.pid) - idle) * 1024 / count:.0f} bytes (target 20480), {count} open")
    for s in sockets:
        s.close()
    stop(auth)


def micro(scenario):
    print(scenario)
    out = subprocess.run([f"{BIN}/Benchmarks", scenario], capture_output=True, text=True, cwd=ROOT)
    print("  " + out.stdout.strip().replace("\n", "\n  "), flush=True)
    if out.returncode:
        sys.exit(out.stderr)


def identity():
    print("sign-in, refresh and search, durable, in one process (targets: 20 logins and 1,000 refreshes per second and core; 20 ms)")
    out = subprocess.run([f"{BIN}/Benchmarks", "auth"], capture_output=True, text=True, cwd=ROOT)
    print("  " + out.stdout.strip().replace("\n", "\n  "), flush=True)
    for name in ("password-login", "refresh-with-rotation"):
        cost = float(re.search(rf"{name} ([\d.]+) us-cpu", out.stdout).group(1))
        print(f"  {name}: {1e6 / cost:.0f} per second and core")


def edge(folder, name):
    """Auth, and a gateway with the byte path before it; both, and the gateway's port."""
    port = free_port()
    environment = {**service_keys(), **OPEN, "DATA": f"{folder}/{name}", "LOG_LEVEL": "warning", "METRICS_PORT": "0",
                   "AUTH_ACCESS_TOKEN_SECONDS": "3600", "PORT": str(port)}
    auth = start(f"{BIN}/auth", "serve", env=environment, wait=f"http://127.0.0.1:{port}/readyz")
    front, front_port = gateway(port, folder, level="warning", fast=True, LIMITS_SIGN_IN="0/1", LIMITS_READ="0/1")
    return auth, front, front_port


def guests(port, count):
    return [post(f"http://127.0.0.1:{port}/v1/auth/guest", {})["accessToken"] for _ in range(count)]


def crowd(folder):
    """On the gateway alone, with the byte path; auth is behind it."""
    print("10,000 open connections with 500 requests per second, and 10,000 idle event streams, byte path")
    script = [sys.executable, os.path.join(ROOT, "Tests/Benchmarks/crowd.py")]
    auth, front, port = edge(folder, "crowd")
    token = guests(port, 1)[0]
    idle = rss(front.pid)
    load = subprocess.Popen(script + ["requests", str(port), token, "10000", "500", "5" if QUICK else "30"],
                            stdout=subprocess.PIPE, text=True)
    children.append(load)
    load.stdout.readline()
    print(f"  idle keep-alive connection {(rss(front.pid) - idle) * 1024 / 10000:.0f} bytes (target 6144)")
    before, begin = cpu(front.pid), time.time()
    print(f"  {load.stdout.readline().strip()} (targets 50 and 500 ms)")
    busy = (cpu(front.pid) - before) / 1e6 / (time.time() - begin)
    print(f"  {busy * 100:.0f} % of a core, {rss(front.pid) / 1024:.0f} MB with 10,000 connections (target 120), "
          f"{idle / 1024:.0f} MB before")
    load.wait()
    children.remove(load)
    for process in (front, auth):
        stop(process)
    auth, front, port = edge(folder, "streams")
    tokens = guests(port, 600)
    idle = rss(front.pid)
    streams = subprocess.Popen(script + ["streams", str(port), "10000"] + tokens, stdout=subprocess.PIPE, text=True)
    children.append(streams)
    print(f"  {streams.stdout.readline().strip()}", end="")
    time.sleep(1)
    fresh = rss(front.pid)
    time.sleep(25)
    print(f": {(fresh - idle) * 1024 / 10000:.0f} bytes each (target 6144), "
          f"{(rss(front.pid) - idle) * 1024 / 10000:.0f} after every one has shown that it lives")
    for process in (streams, front, auth):
        stop(process)


def limits(folder):
    """By a gateway's client of Redis alone, and by a whole gateway."""
    print("limits that gateways share in Redis, of a user and a network at once (target 20,000 checks per second)")
    redis_port = free_port()
    redis = start("redis-server", "--port", str(redis_port), "--bind", "127.0.0.1", "--save", "")
    await_port(redis_port)
    url = f"redis://127.0.0.1:{redis_port}"
    out = subprocess.run([f"{BIN}/Benchmarks", "limits", url], capture_output=True, text=True, check=True)
    print("  " + out.stdout.strip(), flush=True)

    def checks():
        stats = subprocess.run(["redis-cli", "-p", str(redis_port), "info", "commandstats"], capture_output=True, text=True).stdout
        found = re.search(r"cmdstat_evalsha:calls=(\d+)", stats)
        return int(found.group(1)) if found else 0

    token, user, keys = real_token(folder)
    upstream, upstream_port = nginx(folder, keys)
    bearer, costs = [f"Authorization: Bearer {token}"], {}
    for name, more in (("limits of its own", {}), ("shared limits", {"REDIS_URL": url})):
        process, port = gateway(upstream_port, folder, fast=True, **more)
        address = f"http://127.0.0.1:{port}/v1/users/{user}"
        costs[name] = loaded(process, address, headers=bearer)
        show(f"gateway, {name}", costs[name])
        if more:
            before, begin = checks(), time.time()
            wrk(address, headers=bearer)
            print(f"  {(checks() - before) / (time.time() - begin):.0f} checks per second through the gateway, "
                  f"{costs[name][0] / costs['limits of its own'][0]:.2f} x the CPU")
        stop(process)
    for process in (upstream, redis):
        stop(process)


def flood(folder):
    """With the limits as they are set by default, but for the making of guests."""
    print("100 requests per second from 200 hosts, while ten others attack")
    port, seconds = free_port(), 5 if QUICK else 20
    platform = start(f"{BIN}/quintet", "serve", wait=f"http://127.0.0.1:{port}/readyz", env={
        "PORT": str(port), "METRICS_PORT": str(free_port()), "DATA": f"{folder}/flood", "LOG_LEVEL": "warning",
        "LIMITS_GUESTS": "0/1", "AUTH_ACCESS_TOKEN_SECONDS": "3600"})
    guests = [post(f"http://127.0.0.1:{port}/v1/auth/guest", {})["accessToken"] for _ in range(100)]
    script = [sys.executable, os.path.join(ROOT, "Tests/Benchmarks/flood.py")]
    for kind in ("", "anonymous", "forged", "heads", "bodies"):
        attack = kind and subprocess.Popen(script + ["attack", str(port), str(seconds + 4), kind], stdout=subprocess.PIPE, text=True)
        if attack:
            children.append(attack)
            time.sleep(3)
        before, begin = cpu(platform.pid), time.time()
        users = subprocess.run(script + ["users", str(port), str(seconds), *guests], capture_output=True, text=True, check=True)
        busy = (cpu(platform.pid) - before) / 1e4 / (time.time() - begin)
        print(f"  {kind or 'no attack':<10} {users.stdout.strip()}; {busy:.0f} % of a core, {rss(platform.pid) / 1024:.0f} MB", flush=True)
        if attack:
            print(f"  {'':<10} the attackers met {attack.communicate()[0].strip()}", flush=True)
            children.remove(attack)
    stop(platform)


def page(folder):
    print("a page of 20 listings over HTTP, 64 connections")
    process = subprocess.Popen([f"{BIN}/Benchmarks", "serve"], stdout=subprocess.PIPE, text=True)
    children.append(process)
    url = process.stdout.readline().strip()
    show("small answer", loaded(process, url + "/hello/ada"))
    show("page of 20 (target 45 us)", loaded(process, url + "/page"))
    stop(process)


def shop(folder):
    print("bids on one lot, and search among 100,000 listings (targets 5,000 per second, p99 50 ms; search 20 ms)")
    out = subprocess.run([f"{BIN}/Benchmarks", "shop"], capture_output=True, text=True, cwd=ROOT)
    print("  " + out.stdout.strip().replace("\n", "\n  "), flush=True)
    if out.returncode:
        sys.exit(out.stderr)


def ledger(folder):
    """Ten transfers for each order. With PostgreSQL, too, when QUINTET_TEST_POSTGRES names a server."""
    orders = 100000 if QUICK else 1000000
    print(f"proof of the ledger and pages of lists among {orders} orders (targets 50 ms, p99 10 ms)")
    server = os.environ.get("QUINTET_TEST_POSTGRES")
    name = f"ledger_{os.getpid()}"
    for arguments in ([], [server.replace("/postgres", f"/{name}")]) if server else ([],):
        if arguments:
            subprocess.run(["psql", "-q", server, "-c", f"CREATE DATABASE {name}"], check=True)
        out = subprocess.run([f"{BIN}/Benchmarks", "ledger", str(orders)] + arguments, capture_output=True, text=True, cwd=ROOT)
        print("  " + out.stdout.strip().replace("\n", "\n  "), flush=True)
        if out.returncode:
            sys.exit(out.stderr)
    if server:
        subprocess.run(["psql", "-q", server, "-c", f"DROP DATABASE {name}"], check=True)


def deck(folder):
    print("20 cards for a user with 5,000 swipes, durable, in one process (target p99 30 ms)")
    for people, cities in ((100000, 1),) if QUICK else ((100000, 1), (1000000, 50)):
        out = subprocess.run([f"{BIN}/Benchmarks", "deck", str(people), str(cities)], capture_output=True, text=True, cwd=ROOT)
        print("  " + out.stdout.strip().replace("\n", "\n  "), flush=True)
        if out.returncode:
            sys.exit(out.stderr)


def search(folder):
    print("search by words, beginnings and misspellings with filters (targets p99 20 ms of 100,000 documents, 60 ms of 1,000,000)")
    for documents in (100000,) if QUICK else (100000, 1000000):
        out = subprocess.run([f"{BIN}/Benchmarks", "search", str(documents)], capture_output=True, text=True, cwd=ROOT)
        print(f"  {documents} documents\n  " + out.stdout.strip().replace("\n", "\n  "), flush=True)
        if out.returncode:
            sys.exit(out.stderr)


def messages(folder):
    """With PostgreSQL, too, when QUINTET_TEST_POSTGRES names a server."""
    print("durable messages of 64 senders into 256 conversations (target 5,000 per second and core on SQLite)")
    server = os.environ.get("QUINTET_TEST_POSTGRES")
    name = f"messages_{os.getpid()}"
    for arguments in ([], [server and server.replace("/postgres", f"/{name}")]):
        if arguments == [None]:
            continue
        if arguments:
            subprocess.run(["psql", "-q", server, "-c", f"CREATE DATABASE {name}"], check=True)
        out = subprocess.run([f"{BIN}/Benchmarks", "messages"] + arguments, capture_output=True, text=True, cwd=ROOT)
        print("  " + out.stdout.strip().replace("\n", "\n  "), flush=True)
        if out.returncode:
            sys.exit(out.stderr)
        cost = float(re.search(r"messages-\w+ ([\d.]+) us-cpu", out.stdout).group(1))
        print(f"  {1e6 / cost:.0f} per second and core, without the database server's share on PostgreSQL")
    if server:
        subprocess.run(["psql", "-q", server, "-c", f"DROP DATABASE {name}"], check=True)


def owner(folder, environment):
    """The shop's owner, by the operator's command; an access token."""
    made = subprocess.run([f"{BIN}/quintet", "accounts", "create", "--email", "boss@example.com", "--username", "boss",
                           "--role", "owner", "--data", environment["DATA"], "--log-level", "critical"],
                          capture_output=True, text=True, check=True)
    return made.stdout.split()[-1]


def second_factor(base, session):
    """Sets up an authenticator app (RFC 6238); an access token that allows administration."""
    headers = {"Authorization": "Bearer " + session["accessToken"]}
    secret = base64.b32decode(post(f"{base}/v1/auth/factors/totp", {}, headers)["secret"])
    mac = hmac.digest(secret, (int(time.time()) // 30).to_bytes(8, "big"), "sha1")
    number = int.from_bytes(mac[mac[19] & 15:][:4], "big") & 0x7FFFFFFF
    confirmed = post(f"{base}/v1/auth/factors/totp/confirm", {"code": f"{number % 1000000:06}"}, headers)
    return confirmed["session"]["accessToken"]


def checkouts(folder):
    """Full checkouts through the gateway against a shop in FastAPI and SQLAlchemy with the same work and settings."""
    print("checkouts, durable, 64 connections (target 3 x as many per CPU second as FastAPI with SQLAlchemy)")
    peer = os.path.join(folder, "peer")
    subprocess.run([sys.executable, "-m", "venv", peer], check=True)
    requirements = os.path.join(ROOT, "Tests/Benchmarks/peers/requirements.txt")
    subprocess.run([f"{peer}/bin/pip", "install", "-q", "-r", requirements], check=True)
    users = 512
    port = free_port()
    environment = {"PORT": str(port), "METRICS_PORT": str(free_port()), "DATA": f"{folder}/shop", "LOG_LEVEL": "warning",
                   "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1", "LIMITS_SIGN_IN": "0/1", **OPEN, "AUTH_ACCESS_TOKEN_SECONDS": "3600",
                   "PAYMENTS_TEST": "true"}
    base = f"http://127.0.0.1:{port}"
    os.makedirs(environment["DATA"])
    password = owner(folder, environment)
    platform = start(f"{BIN}/quintet", "serve", env=environment, wait=f"{base}/readyz")
    boss = {"Authorization": "Bearer " + second_factor(base, post(f"{base}/v1/auth/login", {"login": "boss", "password": password}))}
    post(f"{base}/v1/product-types", {"slug": "things", "name": "Things"}, boss)
    product = post(f"{base}/v1/products", {"type": "things", "title": "Thing", "price": {"amount": 1999, "currency": "USD"},
                                           "onHand": 1000000, "isShipped": False}, boss)["id"]
    tokens = [post(f"{base}/v1/auth/signup", {"email": f"u{n}@example.com", "username": f"user{n}", "displayName": "U",
                                              "password": "correct horse battery"})["accessToken"] for n in range(users)]
    ours = checkout_load(folder, platform, base, "quintet", tokens, product)
    count = json.load(urllib.request.urlopen(urllib.request.Request(f"{base}/v1/products/{product}")))["available"]
    show_checkouts("quintet", ours, 1000000 - count)
    stop(platform)
    port = free_port()
    data = {"SHOP_DATA": f"{folder}/peer-shop"}
    script = os.path.join(ROOT, "Tests/Benchmarks/peers/shop.py")
    tokens = [subprocess.run([f"{peer}/bin/python", script, "token", f"user{n}"], env={**os.environ, **data},
                             capture_output=True, text=True, check=True).stdout.strip() for n in range(64)]
    process = start(f"{peer}/bin/python", script, "serve", str(port), env=data)
    while True:
        try:
            request = urllib.request.Request(f"http://127.0.0.1:{port}/products", headers={"Authorization": f"Bearer {tokens[0]}"})
            urllib.request.urlopen(request, timeout=1).read()
            break
        except OSError:
            time.sleep(0.1)
    theirs = checkout_load(folder, process, f"http://127.0.0.1:{port}", "peer", tokens, 7)
    import sqlite3
    file = next(os.path.join(data["SHOP_DATA"], name) for name in os.listdir(data["SHOP_DATA"]) if name.endswith((".db", ".sqlite")))
    orders = sqlite3.connect(file).execute("SELECT COUNT(*) FROM orders").fetchone()[0]
    show_checkouts("FastAPI + SQLAlchemy", theirs, orders)
    stop(process)
    print(f"  per CPU second: {(1000000 - count) / ours[0] / (orders / theirs[0]):.1f} x")


def checkout_load(folder, process, base, kind, tokens, product):
    """CPU seconds of the process and what wrk says."""
    file = os.path.join(folder, f"tokens-{kind}")
    with open(file, "w") as out:
        out.write("\n".join(tokens) + "\n")
    before = cpu(process.pid)
    text = subprocess.run(["wrk", "-t1", "-c32" if kind == "peer" else "-c64", f"-d{SECONDS}s", "--latency", "-s",
                           os.path.join(ROOT, "Tests/Benchmarks/checkout.lua"), base, "--", kind, file, str(product)],
                          capture_output=True, text=True).stdout
    return (cpu(process.pid) - before) / 1e6, re.search(r"requests .*", text).group(0)


def show_checkouts(name, load, count):
    print(f"  {name}: {count} checkouts, {count / load[0]:.0f} per CPU second ({load[1]})", flush=True)


def listings(folder):
    """A list page of the catalog service alone, against a bare Hummingbird route on the same rows."""
    print("a list page of 20 listings, 64 connections (target 1.5 x a bare Hummingbird route that reads the same rows)")
    data = f"{folder}/listings"
    auth, port = free_port(), free_port()
    keys = {**service_keys(), "DATA": data, "LOG_LEVEL": "warning",
            "AUTH_ACCESS_TOKEN_SECONDS": "3600"}
    signer = start(f"{BIN}/auth", "serve", env={**keys, "PORT": str(auth)}, wait=f"http://127.0.0.1:{auth}/readyz")
    service = start(f"{BIN}/catalog", "serve", env={**keys, "PORT": str(port), "SERVICES_AUTH_URL": f"http://127.0.0.1:{auth}"},
                    wait=f"http://127.0.0.1:{port}/readyz")
    signed = post(f"http://127.0.0.1:{auth}/v1/auth/signup", {"email": "ada@example.com", "username": "ada",
                                                              "displayName": "Ada", "password": "correct horse"})
    token = {"Authorization": f"Bearer {signed['accessToken']}"}
    for number in range(200):
        post(f"http://127.0.0.1:{port}/v1/listings", {"kind": "beat", "name": f"Night drive {number}", "tags": ["lo-fi", "jazz"],
                                                      "audio": signed["user"]["id"], "price": {"amount": 1999, "currency": "USD"}}, token)
    full = loaded(service, f"http://127.0.0.1:{port}/v1/listings", headers=[f"Authorization: Bearer {signed['accessToken']}"])
    bare = subprocess.Popen([f"{BIN}/Benchmarks", "bare-listings", f"{data}/catalog.sqlite"], stdout=subprocess.PIPE, text=True)
    children.append(bare)
    least = loaded(bare, bare.stdout.readline().strip() + "/")
    show("bare route", least)
    show("catalog", full)
    print(f"  ratio {full[0] / least[0]:.2f}")
    for process in (bare, service, signer):
        stop(process)


def chat(folder):
    """Durable messages against a Prosody that archives them, and how soon they reach a stream among 10,000."""
    import chat as load
    print("messages of 64 pairs of people (target 2 x as many durable ones per CPU second as Prosody with its archive)")
    count = 2000 if QUICK else 20000
    port = free_port()
    data = f"{folder}/prosody"
    peer = start("prlimit", "--nofile=1024", "prosody", "-F", "--config", load.prosody_config(data, port))
    await_port(port)
    before = cpu(peer.pid)
    seconds = asyncio.run(load.xmpp_messages(port, 64, count // 64))
    theirs = (cpu(peer.pid) - before) / (load.archived(data) / 2)
    print(f"  prosody: {theirs:.0f} us CPU per message, {count / seconds:.0f} per second", flush=True)
    stop(peer)
    port = free_port()
    environment = {"PORT": str(port), "METRICS_PORT": str(free_port()), "DATA": f"{folder}/chat", "LOG_LEVEL": "warning",
                   "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1", "LIMITS_SIGN_IN": "0/1", **OPEN, "AUTH_ACCESS_TOKEN_SECONDS": "3600",
                   "MATCHING_MESSAGES": "0/1"}
    platform = start(f"{BIN}/quintet", "serve", env=environment, wait=f"http://127.0.0.1:{port}/readyz")
    pairs = asyncio.run(load.people(port, 600))
    before = cpu(platform.pid)
    each = count // 64 // load.WINDOW * load.WINDOW
    seconds = asyncio.run(load.quintet_messages(port, pairs[:64], each))
    # The CPU of the events that follow the messages belongs to them.
    time.sleep(5)
    ours = (cpu(platform.pid) - before) / (each * 64)
    print(f"  quintet, everything in one process: {ours:.0f} us CPU per message, {each * 64 / seconds:.0f} per second")
    print(f"  per CPU second: {theirs / ours:.1f} x", flush=True)
    times, missing = asyncio.run(load.delivery_times(port, pairs, 10000, 100, 5 if QUICK else 30))
    print(f"  from the sender to the recipient's stream, 10,000 other streams, 100 messages per second: "
          f"p50 {times[len(times) // 2]:.1f} ms, p99 {times[len(times) * 99 // 100]:.1f} ms (target 100), {missing} missing")
    stop(platform)


def events(folder):
    """From auth to catalog. With PostgreSQL, and by NATS, when QUINTET_TEST_POSTGRES names a server and there is one."""
    import events as load
    print("events (targets: lag p99 1 s at 1,000 a second with 4 relays; a backlog of 200,000 at 2,000 a second, writers 10 % slower)")
    keys = ",".join(f"{name}:{base64.b64encode(os.urandom(32)).decode()}" for name in ("a", "lookup"))
    server = os.environ.get("QUINTET_TEST_POSTGRES")
    buses = (False, True) if shutil.which("nats-server") else (False,)
    for by_bus in buses:
        for kind in ("sqlite", "postgres") if server else ("sqlite",):
            data, name = tempfile.mkdtemp(dir=folder), f"events_{os.getpid()}_{by_bus}".lower()
            if kind == "sqlite":
                database = load.SQLite(data)
            else:
                subprocess.run(["psql", "-q", server, "-c", f"CREATE DATABASE {name}"], check=True)
                database = load.PostgreSQL(server.replace("/postgres", f"/{name}"), {"DATA_KEYS": keys})
            environment = {**service_keys(), **OPEN, "DATA": data, "LOG_LEVEL": "error", "METRICS_PORT": "0",
                           "LIMITS_WRITE": "0/1", "LIMITS_SIGN_IN": "0/1", "AUTH_ACCESS_TOKEN_SECONDS": "1h",
                           **database.settings}
            nats = by_bus and nats_server(data)
            if nats:
                environment["BUS_URL"] = f"nats://127.0.0.1:{nats[1]}"
            relays(load, database, environment, f"{database.name}, {'NATS' if by_bus else 'HTTP'}")
            if nats:
                stop(nats[0])
            if kind == "postgres":
                subprocess.run(["psql", "-q", server, "-c", f"DROP DATABASE {name} WITH (FORCE)"], check=True)


def nats_server(folder):
    port = free_port()
    with open(f"{folder}/nats.conf", "w") as file:
        file.write(f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{folder}/jetstream" }}\n')
    process = start("nats-server", "-c", f"{folder}/nats.conf")
    await_port(port)
    return process, port


def await_port(port):
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)


def relays(load, database, environment, name):
    """Several instances of auth on PostgreSQL, then one with a backlog."""
    def auth(port):
        return start(f"{BIN}/auth", "serve", env={**environment, "PORT": str(port)}, wait=f"http://127.0.0.1:{port}/readyz")

    ports = [free_port() for _ in range(4 if database.name == "PostgreSQL" else 1)]
    instances = [auth(port) for port in ports]
    port = free_port()
    urls = ",".join(f"http://127.0.0.1:{port}" for port in ports)
    catalog = start(f"{BIN}/catalog", "serve", env={**environment, "PORT": str(port), "SERVICES_AUTH_URL": urls},
                    wait=f"http://127.0.0.1:{port}/readyz")
    tokens = [post(f"http://127.0.0.1:{ports[0]}/v1/auth/signup", {
        "email": f"u{n}@example.com", "username": f"user{n}", "displayName": "U", "password": "correct horse"})["accessToken"]
        for n in range(64)]
    load.write(ports, tokens, 2)
    for count in (4, 1) if len(ports) > 1 else ():
        while len(instances) > count:
            stop(instances.pop())
        since = time.time()
        rate, _, _ = load.write(ports[:count], tokens, SECONDS * 2, 1000)
        time.sleep(2)
        p50, p99, sent, received = database.lag(since)
        print(f"  {name}, {count} relays: {rate:.0f} events a second, lag p50 {p50:.0f} ms, p99 {p99:.0f} ms, "
              f"{sent - received:.0f} missing", flush=True)
    size = 20000 if QUICK else 200000
    before = load.write(ports[:1], tokens, SECONDS)
    stop(instances.pop())
    database.fill(size)
    until = load.received(database) + size
    instances.append(auth(ports[0]))
    begin = time.time()
    during = load.write(ports[:1], tokens, SECONDS)
    while load.received(database) < until:
        time.sleep(0.5)
    print(f"  {name}: a backlog of {size} drains at {size / (time.time() - begin):.0f} a second; writers {before[0]:.0f} a second "
          f"before (p99 {before[2]:.0f} ms), {during[0]:.0f} meanwhile (p99 {during[2]:.0f} ms): {during[0] / before[0]:.2f} x", flush=True)
    for process in (catalog, *instances):
        stop(process)


def study(folder):
    """Synchronization beside Anki's own server; needs its Python package."""
    print("incremental syncs of 50 reviews (targets 3 x Anki's server with 8 and 64 users, 10 x with 200)")
    seconds = 3 if QUICK else 15
    python = os.path.join(ROOT, ".build/python/bin/python3")
    if subprocess.run([python, "-c", "import anki, zstandard"], capture_output=True).returncode:
        sys.exit(f"{python} -m pip install anki zstandard")

    def load(*arguments):
        out = subprocess.run([python, os.path.join(ROOT, "Tests/Benchmarks/study.py"), *map(str, arguments)],
                             capture_output=True, text=True)
        if out.returncode:
            sys.exit(out.stderr)
        return json.loads(out.stdout.splitlines()[-1])

    def platform(name):
        port = free_port()
        environment = {"PORT": str(port), "METRICS_PORT": str(free_port()), "DATA": f"{folder}/{name}",
                       "LOG_LEVEL": "warning", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1", "LIMITS_SIGN_IN": "0/1", **OPEN,
                       "AUTH_ACCESS_TOKEN_SECONDS": "1h"}
        return start(f"{BIN}/quintet", "serve", env=environment, wait=f"http://127.0.0.1:{port}/readyz"), port

    def line(figures):
        return (f"{figures['per second']:.0f} per second, {figures['server us']:.0f} us CPU, "
                f"p50 {figures['p50 ms']:.1f} ms, p99 {figures['p99 ms']:.1f} ms")

    for users in (8, 64, 200):
        os.makedirs(f"{folder}/anki{users}")
        theirs = load("anki", f"{folder}/anki{users}", users, seconds)
        process, port = platform(f"study{users}")
        ours = load("quintet", f"http://127.0.0.1:{port}", process.pid, users, seconds)
        stop(process)
        print(f"  {users} users: anki {line(theirs)}; quintet {line(ours)} ({ours['per second'] * 50:.0f} reviews); "
              f"{ours['per second'] / theirs['per second']:.1f} x", flush=True)
    process, port = platform("first")
    figures = load("first", f"http://127.0.0.1:{port}", 20000)
    print(f"  first sync of {figures['records']} records: {figures['seconds']:.2f} s (target 2)")
    stop(process)
    process, port = platform("pace")
    figures = load("crowd", f"http://127.0.0.1:{port}", 1000 if QUICK else 10000, 60 if QUICK else 120, 30)
    print(f"  10,000 users, each every 30 seconds: {figures['per second']:.0f} syncs per second, average "
          f"{figures['average ms']:.1f} ms (target 100), p99 {figures['p99 ms']:.1f} ms (target 500)", flush=True)
    stop(process)


def upload(base, path, token, metadata=""):
    """Uploads a file in one request; the ID of its media item."""
    out = subprocess.run(["curl", "-sS", "-f", "-D", "-", "-o", "/dev/null", "-X", "POST", "--data-binary", f"@{path}",
                          "-H", "Tus-Resumable: 1.0.0", "-H", f"Upload-Length: {os.path.getsize(path)}", "-H", "Expect:",
                          "-H", "Content-Type: application/offset+octet-stream", "-H", f"Authorization: Bearer {token}",
                          "-H", f"Upload-Metadata: {metadata}", f"{base}/v1/uploads"],
                         capture_output=True, text=True, check=True).stdout
    return re.search(r"(?i)upload-media: (\S+)", out).group(1)


def media_service(folder):
    """Runs auth and media-index; the two processes, media-index's URL, the settings of a gateway, and a token."""
    environment = {**service_keys(), "DATA": tempfile.mkdtemp(dir=folder),
                   "LOG_LEVEL": "warning", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1", "LIMITS_SIGN_IN": "0/1", **OPEN,
                   "AUTH_ACCESS_TOKEN_SECONDS": "1h", "METRICS_PORT": "0", "UPLOADS_QUOTA_BYTES": str(1 << 40)}
    urls = {}
    processes = []
    for name in ("auth", "media-index"):
        port = free_port()
        processes.append(start(f"{BIN}/{name}", "serve", env={**environment, **urls, "PORT": str(port)},
                               wait=f"http://127.0.0.1:{port}/readyz"))
        urls[f"SERVICES_{name.upper().replace('-', '_')}_URL"] = f"http://127.0.0.1:{port}"
    token = post(f"{urls['SERVICES_AUTH_URL']}/v1/auth/signup", {
        "email": "ada@example.com", "username": "ada", "displayName": "Ada", "password": "correct horse"})["accessToken"]
    return processes, urls["SERVICES_MEDIA_INDEX_URL"], {**environment, **urls}, token


def tus(url, path, *headers):
    """Uploads a file in two requests: its creation, and all bytes."""
    common = ["curl", "-sS", "-f", "-D", "-", "-o", "/dev/null", "-H", "Tus-Resumable: 1.0.0", "-H", "Expect:"]
    for header in headers:
        common += ["-H", header]
    made = subprocess.run(common + ["-X", "POST", "-H", f"Upload-Length: {os.path.getsize(path)}", url],
                          capture_output=True, text=True, check=True).stdout
    location = re.search(r"(?i)^location: (\S+)", made, re.MULTILINE).group(1)
    subprocess.run(common + ["-X", "PATCH", "-T", path, "-H", "Upload-Offset: 0",
                             "-H", "Content-Type: application/offset+octet-stream", location],
                   capture_output=True, check=True)


def uploads(folder):
    """Uploads of 200 MB through gateway and media-index, durable and hashed, beside servers that only write them."""
    print("uploads of 200 MB (targets 2 x the CPU of nginx's DAV PUT, 2 x tuspyserver's bytes per CPU second)")
    length = 200_000_000
    path = f"{folder}/file.pdf"
    with open(path, "wb") as file:
        file.write(b"%PDF-1.7\n")
        for _ in range(20):
            file.write(os.urandom(length // 20))
    length = os.path.getsize(path)
    venv, stored, port = f"{folder}/peer", f"{folder}/put", free_port()
    os.makedirs(stored)
    with open(f"{folder}/put.conf", "w") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/put.pid; error_log /dev/null; user root;
events {{ worker_connections 4096; }}
http {{ access_log off; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5; client_max_body_size 0;
server {{ listen 127.0.0.1:{port}; root {stored}; location / {{ dav_methods PUT; }} location = /hello {{ return 200 ''; }} }} }}""")
    dav = start("nginx", "-c", f"{folder}/put.conf", wait=f"http://127.0.0.1:{port}/hello")
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([f"{venv}/bin/pip", "install", "-q", "-r", os.path.join(ROOT, "Tests/Benchmarks/peers/requirements.txt")],
                   check=True)
    peer_port = free_port()
    os.makedirs(f"{folder}/tuspyserver")
    peer = start(f"{venv}/bin/python", os.path.join(ROOT, "Tests/Benchmarks/peers/uploads.py"), str(peer_port),
                 f"{folder}/tuspyserver", wait=f"http://127.0.0.1:{peer_port}/openapi.json")
    (auth, media), _, environment, token = media_service(folder)
    edge_port = free_port()
    edge = start(f"{BIN}/gateway", "serve", env={**environment, "PORT": str(edge_port)},
                 wait=f"http://127.0.0.1:{edge_port}/readyz")
    put = ["curl", "-sS", "-f", "-H", "Expect:", "-T", path, f"http://127.0.0.1:{port}/file"]
    bearer = f"Authorization: Bearer {token}"
    servers = [("nginx, PUT", [dav], lambda: subprocess.run(put, check=True, capture_output=True)),
               ("tuspyserver", [peer], lambda: tus(f"http://127.0.0.1:{peer_port}/files", path)),
               ("gateway and media-index", [edge, media],
                lambda: tus(f"http://127.0.0.1:{edge_port}/v1/uploads", path, bearer))]
    costs = {name: [] for name, _, _ in servers}
    for _ in range(1 if QUICK else 5):
        # Content that is stored already would not be stored again.
        with open(path, "r+b") as file:
            file.seek(9)
            file.write(os.urandom(16))
        for name, processes, send in servers:
            before, begin = [cpu(process.pid) for process in processes], time.time()
            send()
            elapsed = time.time() - begin
            used = [cpu(process.pid) - start for process, start in zip(processes, before)]
            costs[name].append((sum(used) / 1e6, elapsed, " + ".join(f"{value / 1e6:.2f}" for value in used)))
            # What an upload sets off, and what the disk still writes, is not part of the next one.
            os.sync()
            time.sleep(1)
    middle = {name: sorted(list)[len(list) // 2] for name, list in costs.items()}
    for name, processes, _ in servers:
        seconds, elapsed, parts = middle[name]
        print(f"  {name:<24} {parts:>12} s CPU   {length / seconds / 1e6:6.0f} MB per CPU second   {elapsed:5.2f} s   "
              f"{', '.join(f'{rss(process.pid) / 1024:.0f}' for process in processes)} MB resident", flush=True)
    ours = middle["gateway and media-index"][0]
    print(f"  CPU {ours / middle['nginx, PUT'][0]:.2f} x nginx's, bytes per CPU second "
          f"{middle['tuspyserver'][0] / ours:.1f} x tuspyserver's")
    for process in (edge, media, auth, peer, dav):
        stop(process)


def thumbnails(folder):
    """Small pictures that everyone may load, from the cache of media-index alone, beside a bare Hummingbird route."""
    print("a cached thumbnail, 64 connections (target 2 x a bare Hummingbird route with the same body)")
    picture = f"{folder}/picture.png"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=1280x720", "-frames:v", "1", picture],
                   check=True)
    (auth, media), base, _, token = media_service(folder)
    everyone = "visibility ZXZlcnlvbmU="
    medium = upload(base, picture, token, everyone)
    bearer = {"Authorization": f"Bearer {token}"}
    while json.load(urllib.request.urlopen(urllib.request.Request(f"{base}/v1/media/{medium}", headers=bearer)))["state"] != "ready":
        time.sleep(0.1)
    url = f"{base}/v1/media/{medium}/thumbnail?width=320&format=webp"
    body = f"{folder}/thumbnail.webp"
    with open(body, "wb") as file:
        file.write(urllib.request.urlopen(url).read())
    bare = subprocess.Popen([f"{BIN}/Benchmarks", "bare-file", body, "image/webp"], stdout=subprocess.PIPE, text=True)
    children.append(bare)
    least = loaded(bare, bare.stdout.readline().strip() + "/")
    full = loaded(media, url)
    show(f"bare route, {os.path.getsize(body)} bytes", least)
    show("media-index", full)
    print(f"  ratio {full[0] / least[0]:.2f}")
    for process in (bare, media, auth):
        stop(process)


def files(folder):
    """A module and a page of the web client against nginx with the same compressed file."""
    print("files of the web client, compressed, 64 connections (target 2 x nginx's CPU per request)")
    root = f"{folder}/client"
    os.makedirs(f"{root}/archived")
    text = "".join(f"export const value{i} = {{ id: '{os.urandom(6).hex()}' }}\n" for i in range(400))
    manifest = {"title": "", "description": "", "icon": "archived/main.js", "styles": []}
    for name, content in (("index.html", "<p>{{assets}}"), ("page.html", "{{assets}}/{{script}}"),
                          ("archived/page.json", json.dumps(manifest)), ("archived/main.js", text)):
        with open(f"{root}/{name}", "w") as file:
            file.write(content)
    with gzip.open(f"{root}/archived/main.js.gz", "wb") as file:
        file.write(text.encode())
    upstream, upstream_port = nginx(folder)
    port = free_port()
    with open(f"{folder}/static.conf", "w") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/static.pid; error_log /dev/null; user root;
events {{ worker_connections 4096; }}
http {{ access_log off; sendfile on; tcp_nopush on; gzip_static on; open_file_cache max=100; types {{ text/javascript js; }}
keepalive_requests 100000000; client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2;
fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
server {{ listen 127.0.0.1:{port} backlog=4096; root {root}; expires max; }} }}""")
    peer = start("nginx", "-c", f"{folder}/static.conf", wait=f"http://127.0.0.1:{port}/archived/main.js")
    packed = ["Accept-Encoding: gzip"]
    base = loaded(peer, f"http://127.0.0.1:{port}/archived/main.js", headers=packed)
    show("nginx", base)
    for name, fast in (("gateway", False), ("gateway's byte path", True)):
        process, own = gateway(upstream_port, folder, fast=fast, WEB_ROOT=root)
        asset = urllib.request.urlopen(f"http://127.0.0.1:{own}/archived/").read().decode()
        figures = loaded(process, f"http://127.0.0.1:{own}{asset}", headers=packed)
        show(name, figures)
        show(f"{name}, page", loaded(process, f"http://127.0.0.1:{own}/archived/", headers=packed))
        print(f"  ratio {figures[0] / base[0]:.2f}")
        stop(process)
    stop(peer)
    stop(upstream)


def download(folder):
    """Ranges of a file of 100 MB; nginx sends them by sendfile, too."""
    import ranges
    print("ranges of 8 to 100 MB of a file, 4 connections (target 0.5 x nginx's bytes per CPU second without a proxy)")
    length = 100_000_000
    os.makedirs(f"{folder}/www")
    path = f"{folder}/www/file.pdf"
    with open(path, "wb") as file:
        file.write(b"%PDF-1.7\n")
        file.write(os.urandom(length - 9))
    port = free_port()
    with open(f"{folder}/files.conf", "w") as file:
        file.write(f"""daemon off; worker_processes 1; pid {folder}/files.pid; error_log /dev/null; user root;
events {{ worker_connections 4096; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; client_body_temp_path {folder}/t1;
proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}""")
    peer = start("nginx", "-c", f"{folder}/files.conf", wait=f"http://127.0.0.1:{port}/file.pdf")
    environment = {**service_keys(), "DATA": f"{folder}/media",
                   "LOG_LEVEL": "warning", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1", "LIMITS_SIGN_IN": "0/1", **OPEN,
                   "AUTH_ACCESS_TOKEN_SECONDS": "1h", "METRICS_PORT": "0"}

    def run(name, **more):
        port = free_port()
        process = start(f"{BIN}/{name}", "serve", env={**environment, **more, "PORT": str(port)},
                        wait=f"http://127.0.0.1:{port}/readyz")
        return process, port, f"http://127.0.0.1:{port}"

    def signup(base):
        return post(f"{base}/v1/auth/signup", {"email": "ada@example.com", "username": "ada", "displayName": "Ada",
                                               "password": "correct horse"})["accessToken"]

    auth, _, auth_url = run("auth")
    media, media_port, media_url = run("media-index", SERVICES_AUTH_URL=auth_url)
    gateway, gateway_port, _ = run("gateway", SERVICES_AUTH_URL=auth_url, SERVICES_MEDIA_INDEX_URL=media_url)
    whole, whole_port, whole_url = run("quintet", DATA=f"{folder}/whole")
    token, whole_token = signup(auth_url), signup(whole_url)
    medium, whole_medium = upload(media_url, path, token), upload(whole_url, path, whole_token)
    # What an upload sets off is not measured.
    time.sleep(2 if QUICK else 10)

    def content(medium, token):
        return f"/v1/media/{medium}/content", f"Authorization: Bearer {token}\r\n"

    servers = [("nginx", peer, port, ("/file.pdf", "")), ("media-index", media, media_port, content(medium, token)),
               ("gateway within the process", whole, whole_port, content(whole_medium, whole_token)),
               ("gateway before media-index", gateway, gateway_port, content(medium, token))]
    rates = {}
    for _ in range(1 if QUICK else 3):
        for name, process, port, (target, headers) in servers:
            rate = ranges.measure(port, target, length, SECONDS, lambda: cpu(process.pid), headers)
            rates.setdefault(name, []).append(rate)
    best = sorted(rates["nginx"])[len(rates["nginx"]) // 2][0]
    for name, process, _, _ in servers:
        per_cpu, per_second = sorted(rates[name])[len(rates[name]) // 2]
        print(f"  {name:<34} {per_cpu:7.0f} MB per CPU second   {per_second / 1e6:6.0f} MB per second   "
              f"{rss(process.pid) / 1024:4.0f} MB resident   {per_cpu / best:.2f} x", flush=True)
    for _, process, _, _ in servers:
        stop(process)
    stop(auth)


if __name__ == "__main__":
    import resource
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    missing = [tool for tool in ("wrk", "caddy", "nginx", "haproxy", "redis-server", "prosody", "ffmpeg", "vips") if not shutil.which(tool)]
    if missing:
        sys.exit(f"missing: {' '.join(missing)}; apt-get install wrk caddy nginx-light haproxy redis-server prosody lua-dbi-sqlite3 ffmpeg libvips-tools")
    folder = tempfile.mkdtemp(prefix="quintet-bench-")
    os.chmod(folder, 0o755)
    try:
        wanted = [name for name in sys.argv[1:] if not name.startswith("--")]
        for scenario in ("json", "call", "sqlite"):
            if not wanted or scenario in wanted:
                micro(scenario)
        for section in (page, clients, hop, memory, identity, crowd, limits, flood, shop, ledger, deck, search, messages, events, listings, checkouts, chat,
                        study, files, download, uploads, thumbnails):
            if not wanted or section.__name__ in wanted:
                section(*([] if section is identity else [folder]))
    finally:
        for child in children:
            child.send_signal(signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
