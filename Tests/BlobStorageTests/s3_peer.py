"""A double of S3 (moto), and what another client (boto3) does with it.

  s3_peer.py serve checked|unchecked           prints `ready` and {"url", "accessKey", "secretKey"}; the bucket is `blobs`
  s3_peer.py put URL ID SECRET KEY FILE [PART] stores a file, in parts of a size
  s3_peer.py get URL ID SECRET KEY FILE        loads an object into a file
  s3_peer.py range URL ID SECRET KEY RANGE     prints the hexadecimal digits of a range
  s3_peer.py list URL ID SECRET                prints {"keys", "uploads"}
"""
import json
import sys
import threading

import boto3
from boto3.s3.transfer import TransferConfig

BUCKET = "blobs"


def client(service, url, key, secret):
    return boto3.client(service, endpoint_url=url, region_name="us-east-1",
                        aws_access_key_id=key, aws_secret_access_key=secret)


def serve(mode):
    import moto.settings
    from moto.server import ThreadedMotoServer
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    url = "http://127.0.0.1:%d" % server.get_host_and_port()[1]
    client("s3", url, "test", "test").create_bucket(Bucket=BUCKET)
    iam = client("iam", url, "test", "test")
    iam.create_user(UserName="media")
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
    iam.put_user_policy(UserName="media", PolicyName="media", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName="media")["AccessKey"]
    if mode == "checked":
        # From here on, each request must be signed with a key that exists.
        moto.settings.INITIAL_NO_AUTH_ACTION_COUNT = 0
    print("ready")
    print(json.dumps({"url": url, "accessKey": key["AccessKeyId"], "secretKey": key["SecretAccessKey"]}))
    threading.Event().wait()


def main():
    command, *arguments = sys.argv[1:]
    if command == "serve":
        return serve(*arguments)
    s3 = client("s3", *arguments[:3])
    rest = arguments[3:]
    if command == "put":
        part = int(rest[2]) if len(rest) > 2 else 1 << 40
        config = TransferConfig(multipart_threshold=part, multipart_chunksize=part)
        s3.upload_file(rest[1], BUCKET, rest[0], Config=config)
    elif command == "get":
        s3.download_file(BUCKET, rest[0], rest[1])
    elif command == "range":
        print(s3.get_object(Bucket=BUCKET, Key=rest[0], Range=rest[1])["Body"].read().hex())
    elif command == "list":
        objects = s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET).search("Contents[].Key")
        uploads = s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])
        print(json.dumps({"keys": [key for key in objects if key], "uploads": [one["UploadId"] for one in uploads]}))


main()
