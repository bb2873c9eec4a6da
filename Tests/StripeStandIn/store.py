"""Objects, clock and jobs in SQLite: everything a request did is there after `kill -9`, or nothing of it."""

import copy
import json
import secrets
import sqlite3
import string
import time

from errors import no_such

LETTERS = string.ascii_letters + string.digits
SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, seq INTEGER NOT NULL, created INTEGER NOT NULL, body TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS objects_in_order ON objects (kind, seq);
CREATE TABLE IF NOT EXISTS jobs (
  seq INTEGER PRIMARY KEY, due INTEGER NOT NULL, name TEXT NOT NULL, object TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS jobs_due ON jobs (due, seq);
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS idempotency (
  key TEXT PRIMARY KEY, created INTEGER NOT NULL, endpoint TEXT NOT NULL, params TEXT NOT NULL,
  status INTEGER NOT NULL, body TEXT NOT NULL, request TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS deliveries (
  id INTEGER PRIMARY KEY, event TEXT NOT NULL, endpoint TEXT NOT NULL, created INTEGER NOT NULL,
  attempts INTEGER NOT NULL, next INTEGER, state TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (state, next, id);
CREATE INDEX IF NOT EXISTS deliveries_of_event ON deliveries (event);
CREATE TABLE IF NOT EXISTS faults (
  id INTEGER PRIMARY KEY, left INTEGER NOT NULL, skip INTEGER NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS requests (
  id INTEGER PRIMARY KEY, method TEXT NOT NULL, path TEXT NOT NULL, key TEXT, status INTEGER NOT NULL, fault TEXT);
"""


def token(length=24):
    return "".join(secrets.choice(LETTERS) for _ in range(length))


def public(value):
    """A value without the fields that only the stand-in knows, which begin with `_`."""
    if isinstance(value, dict):
        return {name: public(part) for name, part in value.items() if not name.startswith("_")}
    if isinstance(value, list):
        return [public(part) for part in value]
    return value


class Store:
    """One request or job is one `with store.transaction():`; objects that it changes are written at its end."""

    def __init__(self, path, clock=None):
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + SCHEMA)
        self.loaded, self.written = {}, {}
        # What a control request or a fault wants of the request that runs now.
        self.request, self.key, self.forced = None, None, None
        self.sequence = self.db.execute("SELECT coalesce(max(seq), 0) FROM objects").fetchone()[0]
        if clock is not None and self.setting("clock") is None:
            self.set("clock", {"fixed": clock})

    # Transactions

    def __enter__(self):
        self.db.execute("BEGIN IMMEDIATE")
        self.db.execute("SAVEPOINT beginning")

    def __exit__(self, kind, error, trace):
        try:
            if kind is None or getattr(error, "commits", False):
                self.flush()
                self.db.execute("COMMIT")
            else:
                self.db.execute("ROLLBACK")
        finally:
            self.loaded, self.written = {}, {}

    def transaction(self):
        return self

    def undo(self):
        """Forgets what the running transaction did."""
        self.db.execute("ROLLBACK TO beginning")
        self.loaded, self.written = {}, {}

    def flush(self):
        for id, body in self.loaded.items():
            encoded = json.dumps(body)
            if self.written.get(id) != encoded:
                self.db.execute("UPDATE objects SET body = ? WHERE id = ?", (encoded, id))
                self.written[id] = encoded

    # Objects

    def new(self, prefix, kind, id=None, **fields):
        id = id or f"{prefix}_{token()}"
        self.sequence += 1
        body = {"id": id, "object": kind, **fields, "livemode": False}
        body.setdefault("created", self.now())
        self.db.execute(
            "INSERT INTO objects VALUES (?, ?, ?, ?, '')", (id, kind, self.sequence, body["created"])
        )
        self.loaded[id] = body
        return body

    def find(self, id, kind=None):
        if id in self.loaded:
            body = self.loaded[id]
        else:
            row = self.db.execute("SELECT body FROM objects WHERE id = ?", (id,)).fetchone()
            if row is None:
                return None
            body = self.loaded[id] = json.loads(row["body"])
            self.written[id] = row["body"]
        return body if kind in (None, body["object"]) else None

    def get(self, id, kind, param=None):
        body = self.find(id, kind)
        if body is None:
            raise no_such(kind, id, param)
        return body

    def select(self, kind, where="1", values=(), limit=-1, newest=True):
        """Objects of a kind; `where` may use `seq`, `created` and `json_extract(body, …)`."""
        self.flush()
        rows = self.db.execute(
            f"SELECT id FROM objects WHERE kind = ? AND {where} ORDER BY seq {'DESC' if newest else 'ASC'} LIMIT ?",
            (kind, *values, limit),
        ).fetchall()
        return [self.find(row["id"]) for row in rows]

    def sequence_of(self, id, kind, param):
        row = self.db.execute("SELECT seq FROM objects WHERE id = ? AND kind = ?", (id, kind)).fetchone()
        if row is None:
            raise no_such(kind, id, param)
        return row["seq"]

    def snapshot(self, body):
        return copy.deepcopy(public(body))

    # Clock and settings

    def now(self):
        clock = self.setting("clock") or {}
        return clock["fixed"] if "fixed" in clock else int(time.time()) + clock.get("offset", 0)

    def move_clock(self, to):
        """The clock only moves forward."""
        clock = self.setting("clock") or {}
        if to <= self.now():
            return
        if "fixed" in clock:
            self.set("clock", {"fixed": to})
        else:
            self.set("clock", {"offset": to - int(time.time())})

    def setting(self, name, default=None):
        row = self.db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
        return json.loads(row["value"]) if row else default

    def set(self, name, value):
        self.db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, json.dumps(value)))

    # Jobs

    def later(self, seconds, name, object):
        self.at(self.now() + seconds, name, object)

    def at(self, due, name, object):
        self.db.execute("INSERT INTO jobs (due, name, object) VALUES (?, ?, ?)", (due, name, object))

    def next_job(self, until):
        return self.db.execute("SELECT * FROM jobs WHERE due <= ? ORDER BY due, seq LIMIT 1", (until,)).fetchone()
