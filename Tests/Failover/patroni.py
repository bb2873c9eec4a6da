#!/usr/bin/env python3
"""Kills the primary of a PostgreSQL cluster under load: three servers with Patroni (synchronous mode), etcd and HAProxy,
and a platform that writes to it.

    Tests/Failover/patroni.py [--products .build/debug] [--through haproxy|hosts] [--failures 3]

Needs the Debian packages postgresql-15, patroni, etcd-server and haproxy. Everything runs on free loopback ports in a
temporary folder and is stopped at the end. Exits with 1 when something acknowledged was lost, when something was written
twice, or when writes did not resume within 5 seconds of a promotion. PostgreSQL refuses to run as root, so as root it
runs as the user postgres.
"""
import argparse
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from load import Load, free_port, request, until

NODES = 3


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        self.as_postgres = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        self.running = {}
        self.etcd = (free_port(), free_port())
        self.balancer = free_port()
        self.postgres = [free_port() for _ in range(NODES)]
        self.rest = [free_port() for _ in range(NODES)]
        self.logs = open(f"{folder}/log", "ab")

    def start(self, name, command, environment=None):
        # Each in a group of its own, so that it can be killed with its children.
        self.running[name] = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.logs, stderr=self.logs, env=environment,
            start_new_session=True)

    def __enter__(self):
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        client, peer = (f"http://127.0.0.1:{port}" for port in self.etcd)
        self.start("etcd", [
            "etcd", "--name", "etcd", "--data-dir", f"{self.folder}/etcd", "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"etcd={peer}", "--enable-v2"])
        until("etcd's start", lambda: request(f"{client}/health")[0] == 200)
        for number in range(NODES):
            self.start_node(number)
        self.start_balancer()
        until("the election", self.leader)
        until("the synchronous standby", lambda: any(request(f"{self.api(n)}/sync")[0] == 200 for n in range(NODES)))
        return self

    def api(self, number):
        return f"http://127.0.0.1:{self.rest[number]}"

    def start_node(self, number):
        binaries = subprocess.check_output(
            "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1", shell=True, text=True).strip()
        login = {"username": "quintet", "password": "quintet"}
        configuration = {
            "scope": "quintet", "name": f"node{number}",
            "restapi": {
                "listen": f"127.0.0.1:{self.rest[number]}", "connect_address": f"127.0.0.1:{self.rest[number]}"},
            "etcd3": {"host": f"127.0.0.1:{self.etcd[0]}"},
            "bootstrap": {
                "dcs": {
                    # The shortest that Patroni allows.
                    "ttl": 20, "loop_wait": 1, "retry_timeout": 3, "maximum_lag_on_failover": 0,
                    "primary_start_timeout": 0, "synchronous_mode": True, "synchronous_mode_strict": True,
                    "postgresql": {"parameters": {
                        "max_connections": 200, "fsync": "off",
                        # Commits wait for a standby, which otherwise asks the new primary after five seconds.
                        "wal_retrieve_retry_interval": "500ms"}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.postgres[number]}", "connect_address": f"127.0.0.1:{self.postgres[number]}",
                "data_dir": f"{self.folder}/node{number}", "bin_dir": binaries, "pgpass": f"{self.folder}/pgpass{number}",
                "authentication": {"superuser": login, "replication": login, "rewind": login},
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"],
                "parameters": {"unix_socket_directories": self.folder}}}
        path = f"{self.folder}/node{number}.yml"
        with open(path, "w") as file:
            json.dump(configuration, file)  # JSON is YAML
        os.chmod(path, 0o644)
        self.start(f"node{number}", [*self.as_postgres, "patroni", path])

    def start_balancer(self):
        servers = "\n".join(
            f"  server node{n} 127.0.0.1:{self.postgres[n]} check port {self.rest[n]}" for n in range(NODES))
        with open(f"{self.folder}/haproxy.cfg", "w") as file:
            file.write(f"""
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen primary
  bind 127.0.0.1:{self.balancer}
  option httpchk GET /primary
  default-server inter 500 fall 2 rise 1 on-marked-down shutdown-sessions
{servers}
""")
        self.start("haproxy", ["haproxy", "-db", "-f", f"{self.folder}/haproxy.cfg"])

    def is_ready(self, url):
        if self.running["quintet"].poll() is not None:
            raise SystemExit("the platform did not start")
        return request(f"{url}/readyz")[0] == 200

    def leader(self):
        """The number of the primary, in a list; empty while there is none."""
        return [n for n in range(NODES) if request(f"{self.api(n)}/primary", timeout=2)[0] == 200]

    def kill(self, number):
        """As if the machine had lost its power."""
        process = self.running.pop(f"node{number}")
        main = int(open(f"{self.folder}/node{number}/postmaster.pid").readline())
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(main)], capture_output=True, text=True)
        # Patroni first: it would restart its server.
        os.killpg(process.pid, signal.SIGKILL)
        for pid in [main, *map(int, children.stdout.split())]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()

    def __exit__(self, *_):
        for name, process in reversed(self.running.items()):
            try:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(30)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        for number in range(NODES):
            try:
                os.kill(int(open(f"{self.folder}/node{number}/postmaster.pid").readline()), signal.SIGQUIT)
            except (OSError, ValueError):
                pass
        for process in self.running.values():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.logs.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", default=".build/debug")
    parser.add_argument("--through", choices=["haproxy", "hosts"], default="haproxy")
    parser.add_argument("--failures", type=int, default=3)
    arguments = parser.parse_args()
    program = os.path.abspath(f"{arguments.products}/quintet")
    folder = tempfile.mkdtemp(prefix="quintet-failover-")
    failures = []
    try:
        with Cluster(folder) as cluster:
            hosts = f"127.0.0.1:{cluster.balancer}"
            if arguments.through == "hosts":
                hosts = ",".join(f"127.0.0.1:{port}" for port in cluster.postgres)
            port, private = free_port(), free_port()
            keys = ",".join(f"{name}:{base64.b64encode(os.urandom(32)).decode()}" for name in ("a", "lookup"))
            cluster.start("quintet", [program, "serve"], {
                "PATH": os.environ["PATH"], "DATA": f"{folder}/data", "PORT": str(port), "METRICS_PORT": str(private),
                "DATABASE_URL": f"postgres://quintet@{hosts}/postgres", "DATABASE_CONNECTIONS": "4", "DATA_KEYS": keys,
                "LOG_LEVEL": "warning", "LIMITS_SIGN_IN": "0/1", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1"})
            url = f"http://127.0.0.1:{port}"
            until("the platform's start", lambda: cluster.is_ready(url), 600)
            load = Load(url)
            for thread in load.threads:
                thread.start()
            for failure in range(arguments.failures):
                counts = {kind: load.count(kind) for kind in load.kinds}
                until("the load", lambda: all(load.count(kind) > counts[kind] + 100 for kind in load.kinds))
                victim = until("a primary", cluster.leader)[0]
                until("a synchronous standby", lambda: any(
                    request(f"{cluster.api(n)}/sync")[0] == 200 for n in range(NODES) if n != victim))
                killed = time.time()
                cluster.kill(victim)
                until("the promotion", lambda: [n for n in cluster.leader() if n != victim])
                promoted = time.time()
                for kind in load.kinds:
                    first = until(f"{kind} after the promotion", lambda: load.first_after(kind, promoted))
                    print(f"failure {failure + 1}: promoted after {promoted - killed:.1f} s; "
                          f"{kind} {first - promoted:.2f} s later", flush=True)
                    if first - promoted > 5:
                        failures.append(f"{kind} were not written within 5 s of the promotion")
                cluster.start_node(victim)
            load.is_over = True
            for thread in load.threads:
                thread.join(120)
            for kind in load.kinds:
                acknowledged, stored = {id for id, _, _ in load.acknowledged[kind]}, load.stored(kind)
                lost, twice = acknowledged - set(stored), len(stored) - len(acknowledged)
                print(f"{kind}: {len(acknowledged)} acknowledged, {len(lost)} lost, {twice} written twice")
                if lost or twice:
                    failures.append(f"{kind}: {len(lost)} lost, {twice} written twice")
    except BaseException:
        subprocess.run(["tail", "-40", f"{folder}/log"], stdout=sys.stderr)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if failures:
        raise SystemExit("\n".join(failures))


if __name__ == "__main__":
    main()
