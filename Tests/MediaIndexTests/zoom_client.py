"""Uses the stand-in of Zoom's API at the given origin with zoomus, a client of the real one. Prints one JSON object."""

import datetime
import json
import sys

from zoomus import ZoomClient

origin = sys.argv[1]
client = ZoomClient("client", "secret", "account", base_uri=origin + "/v2", oauth_uri=origin + "/oauth/token")
form = {"user_id": "me", "type": 2, "start_time": datetime.datetime(2026, 1, 1), "duration": 30}
created = client.meeting.create(topic="Yoga", **form)
meeting = created.json()
listed = client.meeting.list(user_id="me", page_size=300).json()
got = client.meeting.get(id=meeting["id"]).json()
invalid = client.meeting.create(topic="", **form)
deleted = client.meeting.delete(id=meeting["id"])
again = client.meeting.delete(id=meeting["id"])
print(json.dumps({
    "created": created.status_code, "isListed": [row["id"] for row in listed["meetings"]] == [meeting["id"]],
    "topic": got["topic"], "hasStartURL": "start_url" in got, "invalid": invalid.json()["code"],
    "deleted": deleted.status_code, "again": again.json()["code"],
}))
