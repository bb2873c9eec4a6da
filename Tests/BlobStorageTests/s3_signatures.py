"""Prints how botocore signs random requests: one JSON object a line.

  s3_signatures.py SEED COUNT
"""
import datetime
import json
import random
import sys
from urllib.parse import urlsplit

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.utils import percent_encode, percent_encode_sequence

# Printable characters that a key, a parameter or a field may have: plain ones, what is often encoded wrongly, and others.
PLAIN = "abcxyzABCXYZ019"
SPECIAL = " +~%-_.!*'()=&?#/@:;,$[]\"<>|\\^`{}"
OTHERS = "äßéñŁжя中文字日本🎵👩‍🚀\u0301"
ENDPOINTS = ["https://s3.eu-central-1.amazonaws.com", "HTTPS://Storage.Example.com:443", "http://127.0.0.1:9000",
             "http://minio:80", "https://minio.example.com:8443"]


def text(source, alphabet, least, most):
    return "".join(source.choice(alphabet) for _ in range(source.randint(least, most)))


def case(source):
    anything = PLAIN + SPECIAL + OTHERS
    fields = {}
    for _ in range(source.randint(0, 4)):
        name = source.choice(["x-amz-meta-", "X-Amz-Meta-", "x-amz-"]) + text(source, PLAIN, 1, 6)
        fields[name] = text(source, PLAIN + "  \t" + "+~%=,;\"/é", 0, 20)
    if source.random() < 0.3:
        fields["Range"] = f"bytes={source.randint(0, 99)}-{source.randint(100, 999)}"
    if source.random() < 0.3:
        fields["Content-Type"] = "text/plain;  charset=utf-8"
    query = {text(source, anything, 1, 8): text(source, anything, 0, 12) for _ in range(source.randint(0, 4))}
    if source.random() < 0.3:
        query["uploads"] = ""
    return {
        "method": source.choice(["GET", "PUT", "POST", "HEAD", "DELETE"]),
        "endpoint": source.choice(ENDPOINTS),
        "key": text(source, PLAIN + "/", 1, 1) + text(source, anything, 0, 40),
        "query": list(query.items()),
        "fields": list(fields.items()),
        "body": text(source, anything, 0, 50),
        "seconds": source.randint(946_684_800, 4_102_444_800),
        "duration": source.randint(1, 604_800),
        "region": source.choice(["us-east-1", "eu-central-1", "auto"]),
        "accessKey": text(source, PLAIN, 16, 20),
        "secretKey": text(source, PLAIN + "+/", 40, 40),
        "token": text(source, PLAIN + "+/=", 20, 200) if source.random() < 0.5 else None,
    }


def sign(signer, given, with_body):
    url = given["endpoint"] + "/" + percent_encode(given["key"], safe="/~")
    if given["query"]:
        url += "?" + percent_encode_sequence(given["query"])
    request = AWSRequest(given["method"], url, data=given["body"].encode() if with_body else None)
    for name, value in given["fields"]:
        request.headers[name] = value
    moment = datetime.datetime.fromtimestamp(given["seconds"], datetime.timezone.utc)
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True: moment
    signer.add_auth(request)
    return request


def main():
    source = random.Random(int(sys.argv[1]))
    for _ in range(int(sys.argv[2])):
        given = case(source)
        credentials = Credentials(given["accessKey"], given["secretKey"], given["token"])
        signed = sign(botocore.auth.S3SigV4Auth(credentials, "s3", given["region"]), given, True)
        presigner = botocore.auth.S3SigV4QueryAuth(credentials, "s3", given["region"], given["duration"])
        given["payloadHash"] = signed.headers["X-Amz-Content-SHA256"]
        given["date"] = signed.headers["X-Amz-Date"]
        given["authorization"] = signed.headers["Authorization"]
        given["path"] = urlsplit(signed.url).path
        given["presignedQuery"] = urlsplit(sign(presigner, given, False).url).query
        print(json.dumps(given))


main()
