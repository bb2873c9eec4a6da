"""People of Roomi with complete profiles, made through the public API. Those of one city see each other."""

import base64
import struct
import time
import urllib.request
import uuid
import zlib

FIELDS = {
    "budget": {"from": 50_000, "to": 90_000, "currency": "EUR", "weight": "prefer"},
    "moveIn": {"from": "2027-01-01", "to": "2027-03-01"},
    "stay": {"from": 6, "to": 24},
    "smoking": {"own": "never"},
    "languages": {"own": ["en", "de"]},
}


def new_city():
    """A city of which no one else has heard."""
    return f"Testville {uuid.uuid4().hex[:8]}"


def png(hue, width=240, height=320):
    """A picture with a gradient; each hue gives other bytes."""
    rows = b"".join(
        b"\0" + bytes(value for _ in range(width) for value in (hue % 256, row * 255 // height, 160)) for row in range(height))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks)


def upload(person, data):
    """Uploads a picture by tus, and returns the id of the media item when it is ready."""
    def send(method, url, body, headers):
        request = urllib.request.Request(person.platform.url + url, body, {
            "Authorization": f"Bearer {person.token}", "Tus-Resumable": "1.0.0", **headers}, method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.headers
    kind = base64.b64encode(b"image").decode()
    answer = send("POST", "/v1/uploads", b"", {"Upload-Length": str(len(data)), "Upload-Metadata": f"kind {kind}"})
    location = "/v1/uploads/" + answer["Location"].split("/")[-1]
    content = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
    medium = send("PATCH", location, data, content)["Upload-Media"]
    end = time.monotonic() + 60
    while person.call("GET", f"/v1/media/{medium}")["state"] != "ready":
        assert time.monotonic() < end, "the picture is not ready within a minute"
        time.sleep(0.2)
    return medium


def roommate(quintet, name, city, photos=1, **preferences):
    """Someone who looks for a home in the city."""
    person = quintet.sign_up(name, app="roomi")
    media = [upload(person, png(uuid.uuid4().int + index)) for index in range(photos)]
    person.call("PUT", "/v1/roommates/profile", {
        "contact": {"phone": "+498912345678"},
        "identity": {"fullName": f"{name} Winter", "birthday": "2001-05-06", "gender": "undisclosed"},
        "about": {"school": "Night School", "bio": f"{name} writes notes."},
        "preferences": {"place": {"city": {"name": city, "country": "DE"}}, **FIELDS, **preferences},
        "photos": {"card": media[0], "others": media[1:]},
        "isComplete": True,
    })
    return person


def like(person, other):
    key = {"Idempotency-Key": f'"{uuid.uuid4()}"'}
    return person.call("POST", "/v1/roommates/swipes", {"userID": other.id, "decision": "like"}, **key)


def match(one, other):
    like(one, other)
    assert like(other, one)["isMatch"]


def write(person, other, text):
    """Sends a message, and returns the conversation's id."""
    key = {"Idempotency-Key": f'"{uuid.uuid4()}"'}
    conversation = person.call("POST", "/v1/conversations", {"userID": other.id}, **key)["id"]
    person.call("PUT", f"/v1/conversations/{conversation}/messages/{uuid.uuid4()}", {"text": text})
    return conversation
