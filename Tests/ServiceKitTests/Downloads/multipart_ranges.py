"""multipart_ranges.py URL FILE SEED COUNT: requests several ranges at once and compares their parts with the file."""
import email.parser
import email.policy
import random
import sys
import urllib.request

url, path, seed, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
content = open(path, "rb").read()
dice = random.Random(seed)
for number in range(count):
    ranges = []
    for _ in range(dice.randint(2, 8)):
        first = dice.randrange(len(content))
        last = min(len(content) - 1, first + dice.choice([0, 1, 100, 60_000, 120_000]))
        ranges.append((first, last))
    header = ",".join(f"{first}-{last}" for first, last in ranges)
    request = urllib.request.Request(url, headers={"Range": f"bytes={header}"})
    with urllib.request.urlopen(request, timeout=120) as response:
        assert response.status == 206, (header, response.status)
        head = f"Content-Type: {response.headers['Content-Type']}\r\n\r\n".encode()
        body = response.read()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
    parts = message.get_payload()
    assert not message.defects and len(parts) == len(ranges), (header, message.defects)
    for part, (first, last) in zip(parts, ranges):
        assert part["Content-Range"] == f"bytes {first}-{last}/{len(content)}", (header, part["Content-Range"])
        assert part["Content-Type"] == "application/octet-stream", header
        assert part.get_payload(decode=True) == content[first : last + 1], header
print(f"{count} responses")
