#!/usr/bin/env python3
"""Restores PostgreSQL to a moment under load, as docs/backup.md says: a base backup, the archived write-ahead log, and a
platform whose users write reminders, study sets and orders all the time.

    Tests/Failover/point_in_time.py [--products .build/debug]

Needs the Debian packages postgresql-15 and ffmpeg. Everything runs on free loopback ports in a temporary folder and is
stopped at the end. Exits with 1 unless the restored platform has everything that was acknowledged before the moment and
nothing that was begun after it, and its ledger, its audit trails and a backup of it are proved. PostgreSQL refuses to run
as root, so as root it runs as the user postgres.
"""
import argparse
import base64
import datetime
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import wave

from load import Load, free_port, request, until

WRITES = 100


class Server:
    """A PostgreSQL that archives its write-ahead log."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.archive = f"{folder}/archive"
        self.binaries = subprocess.check_output(
            "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1", shell=True, text=True).strip()

    def run(self, program, *arguments):
        user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        subprocess.run([*user, f"{self.binaries}/{program}", *arguments], check=True, stdout=subprocess.DEVNULL)

    def sql(self, statement):
        return subprocess.check_output(
            ["psql", "-AtX", "-h", "127.0.0.1", "-p", str(self.port), "-U", "quintet", "postgres", "-c", statement],
            text=True).strip()

    def start(self, data):
        self.run("pg_ctl", "-w", "-s", "-t", "300", "-D", data, "-l", f"{self.folder}/log", "start", "-o",
                 f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}")

    def stop(self, data):
        self.run("pg_ctl", "-w", "-s", "-m", "immediate", "-D", data, "stop")

    def create(self, data):
        self.run("initdb", "-D", data, "-U", "quintet", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8")
        self.configure(data, f"""
max_connections = 200
fsync = off
archive_mode = on
archive_command = 'test ! -f {self.archive}/%f && cp %p {self.archive}/%f'
""")

    def configure(self, data, text):
        with open(f"{data}/postgresql.conf", "a") as file:
            file.write(text)

    def archive_everything(self):
        """What has been written so far is in the archive."""
        last = self.sql("SELECT pg_walfile_name(pg_current_wal_lsn())")
        self.sql("SELECT pg_switch_wal()")
        until("the archiving", lambda: os.path.exists(f"{self.archive}/{last}"))

    def recover(self, data, moment):
        text = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).isoformat(" ")
        self.configure(data, f"""
restore_command = 'cp {self.archive}/%f %p'
recovery_target_time = '{text}'
recovery_target_action = 'promote'
""")
        open(f"{data}/recovery.signal", "w").close()
        self.start(data)
        until("the recovery", lambda: self.sql("SELECT pg_is_in_recovery()") == "f")


class Platform:
    def __init__(self, program, folder, server):
        port, self.private = free_port(), free_port()
        self.program, self.logs = program, f"{folder}/quintet.log"
        self.url = f"http://127.0.0.1:{port}"
        keys = ",".join(f"{name}:{base64.b64encode(os.urandom(32)).decode()}" for name in ("a", "lookup"))
        self.environment = {
            "PATH": os.environ["PATH"], "DATA": f"{folder}/data", "PORT": str(port), "METRICS_PORT": str(self.private),
            "DATABASE_URL": f"postgres://quintet@127.0.0.1:{server.port}/postgres", "DATABASE_CONNECTIONS": "4",
            "DATA_KEYS": keys, "LOG_LEVEL": "warning", "PAYMENTS_TEST": "true",
            "LIMITS_SIGN_IN": "0/1", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1"}
        self.process = None

    def start(self):
        with open(self.logs, "ab") as logs:
            self.process = subprocess.Popen([self.program, "serve"], env=self.environment, stdout=logs, stderr=logs)
        until("the platform's start", self.is_ready, 600)

    def is_ready(self):
        if self.process.poll() is not None:
            raise SystemExit("the platform did not start")
        return request(f"{self.url}/readyz")[0] == 200

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def command(self, *arguments):
        """Runs a command for operators, which fails by its exit status."""
        subprocess.run([self.program, *arguments], env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def discrepancies(self):
        """What the ledger's proof has found, in a list; empty while it has not run."""
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.private}/metrics").read().decode()
        return re.findall(r"^ledger_discrepancies (\d+)$", text, re.MULTILINE)


class Shop(Load):
    """Buys licenses, too: each order is of a listing of its own."""

    kinds = {**Load.kinds, "orders": ("/v1/orders", None)}

    def __init__(self, url):
        super().__init__(url)
        self.seller = self.sign_up("seller")
        self.audio = self.upload()

    def upload(self):
        sound = io.BytesIO()
        with wave.open(sound, "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", None))
            file.writeframes(b"\0\1" * 8000)
        headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(len(sound.getvalue())),
                   "Content-Type": "application/offset+octet-stream"}
        with urllib.request.urlopen(urllib.request.Request(
                f"{self.url}/v1/uploads", sound.getvalue(), {**headers, **self.seller})) as response:
            medium = response.headers["Upload-Media"]
        until("the sound", lambda: (request(
            f"{self.url}/v1/media/{medium}", headers=self.seller)[1] or {}).get("state") == "ready")
        return medium

    def create(self, kind, user, name):
        if kind != "orders":
            return super().create(kind, user, name)
        listing = self.insist("/v1/listings", {
            "kind": "beat", "name": name, "audio": self.audio, "price": {"amount": 1000, "currency": "USD"}},
            self.seller)
        self.insist("/v1/cart/items", {"listingID": listing["id"], "license": "lease"}, user)
        payment = {"provider": "test", "token": "test_success"}
        return self.insist("/v1/cart/checkout", {"payment": payment}, user)["id"]

    def await_writes(self):
        counts = {kind: self.count(kind) for kind in self.kinds}
        until("the load", lambda: all(self.count(kind) >= counts[kind] + WRITES for kind in self.kinds), 600)


def compare(load, moment):
    """What is wrong with what the restored platform has."""
    wrong = []
    for kind in load.kinds:
        stored = load.stored(kind)
        before = {id for id, _, acknowledged in load.acknowledged[kind] if acknowledged < moment}
        after = {id for id, begun, _ in load.acknowledged[kind] if begun > moment}
        lost, late = before - set(stored), after & set(stored)
        print(f"{kind}: {len(before)} acknowledged before the moment, of which {len(lost)} are lost; "
              f"{len(after)} begun after it, of which {len(late)} are there", flush=True)
        if lost or late or not before or not after or len(stored) != len(set(stored)):
            wrong.append(kind)
    return wrong


def drill(program, folder, server, platform):
    primary, base = f"{folder}/primary", f"{folder}/base"
    os.mkdir(server.archive)
    if os.getuid() == 0:
        for path in (folder, server.archive):
            shutil.chown(path, "postgres")
    server.create(primary)
    server.start(primary)
    platform.start()
    load = Shop(platform.url)
    for thread in load.threads:
        thread.start()
    load.await_writes()
    server.run("pg_basebackup", "-h", "127.0.0.1", "-p", str(server.port), "-U", "quintet", "-D", base, "-c", "fast")
    server.run("pg_verifybackup", base)
    load.await_writes()
    moment = time.time()
    load.await_writes()
    load.is_over = True
    for thread in load.threads:
        thread.join(120)
    server.archive_everything()
    platform.stop()
    server.stop(primary)
    shutil.rmtree(primary)

    begun = time.monotonic()
    server.recover(base, moment)
    print(f"recovered in {time.monotonic() - begun:.1f} s", flush=True)
    platform.start()
    wrong = compare(load, moment)
    found = until("the ledger's proof", platform.discrepancies)
    print(f"ledger: {found[0]} discrepancies")
    if found != ["0"]:
        wrong.append("ledger")
    platform.command("audit", "verify")
    platform.command("backup", "--to", f"{folder}/backups")
    backup = next(name for name in sorted(os.listdir(f"{folder}/backups")) if name[:2] == "20")
    platform.command("verify", f"{folder}/backups/{backup}")
    platform.stop()
    server.stop(base)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", default=".build/debug")
    program = os.path.abspath(f"{parser.parse_args().products}/quintet")
    folder = tempfile.mkdtemp(prefix="quintet-recovery-")
    os.chmod(folder, 0o755)
    server = Server(folder)
    platform = Platform(program, folder, server)
    try:
        wrong = drill(program, folder, server, platform)
    except BaseException:
        subprocess.run(["tail", "-n", "40", f"{folder}/log", platform.logs], stdout=sys.stderr)
        raise
    finally:
        platform.stop()
        for name in ("primary", "base"):
            if os.path.exists(f"{folder}/{name}/postmaster.pid"):
                server.stop(f"{folder}/{name}")
        shutil.rmtree(folder, ignore_errors=True)
    if wrong:
        raise SystemExit(f"wrong after the recovery: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
