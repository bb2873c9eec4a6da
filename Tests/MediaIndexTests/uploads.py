"""Uploads a file with tuspy and aiotus: uploads.py ORIGIN TOKEN FILE; prints the uploads' URLs as JSON."""

import asyncio
import io
import json
import sys

import aiotus
from tusclient import client

origin, token, path = sys.argv[1:]
endpoint = f"{origin}/v1/uploads"
headers = {"Authorization": f"Bearer {token}"}
metadata = {"filename": "träume.wav", "kind": "audio"}


def tuspy_whole():
    uploader = client.TusClient(endpoint, headers=headers).uploader(path, metadata=metadata)
    uploader.upload()
    return uploader.url


def tuspy_resumed():
    first = client.TusClient(endpoint, headers=headers).uploader(
        path, chunk_size=700_000, metadata=metadata, upload_checksum=True)
    first.upload(stop_at=1_400_000)
    second = client.TusClient(endpoint, headers=headers).uploader(
        path, chunk_size=1_000_000, url=first.url, upload_checksum=True)
    assert second.offset == 1_400_000, second.offset
    second.upload()
    return second.url


async def aiotus_all():
    with open(path, "rb") as file:
        content = file.read()
    given = {"filename": "träume.wav".encode(), "is_secret": None}
    whole = await aiotus.upload(endpoint, io.BytesIO(content), given, headers=headers, chunksize=1_000_000)
    found = await aiotus.metadata(whole, headers=headers)
    assert found == given, found
    third = len(content) // 3
    parts = [io.BytesIO(content[:third]), io.BytesIO(content[third:2 * third]), io.BytesIO(content[2 * third:])]
    joined = await aiotus.upload_multiple(endpoint, parts, given, headers=headers)
    return [str(whole), str(joined)]


print(json.dumps([tuspy_whole(), tuspy_resumed(), *asyncio.run(aiotus_all())]))
