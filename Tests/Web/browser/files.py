"""Files to upload: a recording and a picture, made here; and uploads and downloads without a browser."""

import base64
import io
import math
import struct
import time
import urllib.request
import wave
import zlib


def recording(seconds=2, pitch=220):
    """A WAV file with a tone that fades again and again."""
    rate = 22_050
    samples = (
        int(20_000 * math.sin(2 * math.pi * pitch * at / rate) * (1 - at % 5_000 / 5_000)) for at in range(seconds * rate))
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(b"".join(struct.pack("<h", it) for it in samples))
    return file.getvalue()


def picture(red=120, green=40, blue=140, side=320):
    """A PNG file whose colors run from the top to the bottom."""
    rows = b"".join(
        b"\0" + bytes((red, (green + row) % 256, blue)) * side for row in range(side))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def upload(person, data, name, kind):
    """Uploads a file as any client does, and returns its media item once it is ready."""
    def send(method, path, body, **headers):
        request = urllib.request.Request(person.platform.url + path, body, method=method, headers={
            "Authorization": f"Bearer {person.token}", "Tus-Resumable": "1.0.0",
            "Content-Type": "application/offset+octet-stream", **headers})
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.headers

    metadata = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in
                        {"filename": name, "kind": kind}.items())
    location = send("POST", "/v1/uploads", b"", **{"Upload-Length": str(len(data)), "Upload-Metadata": metadata})["Location"]
    path = "/v1/uploads/" + location.rsplit("/", 1)[-1]
    medium = send("PATCH", path, data, **{"Upload-Offset": "0"})["Upload-Media"]
    end = time.monotonic() + 120
    while time.monotonic() < end:
        state = person.call("GET", f"/v1/media/{medium}")["state"]
        if state == "ready":
            return medium
        assert state != "failed", f"{name} could not be processed"
        time.sleep(0.2)
    raise AssertionError(f"{name} is not ready after two minutes")


def download(person, path):
    """The bytes at a path of the API."""
    request = urllib.request.Request(person.platform.url + path, headers={"Authorization": f"Bearer {person.token}"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read()
