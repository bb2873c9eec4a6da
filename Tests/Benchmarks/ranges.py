"""Downloads random ranges of one file on a few connections, without looking at the bytes: the server is what costs."""
import random, socket, threading, time

MEBIBYTE = 1 << 20


class Reader(threading.Thread):
    """One keep-alive connection that requests one range after another until it is stopped."""

    def __init__(self, port, path, headers, length, seed):
        super().__init__(daemon=True)
        self.request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Range: bytes=%d-%d\r\n\r\n"
        self.length, self.dice = length, random.Random(seed)
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.bytes, self.isStopped, self.failure = 0, False, None

    def run(self):
        try:
            while not self.isStopped:
                self.download()
        except Exception as error:
            self.failure = self.failure or (None if self.isStopped else error)

    def download(self):
        count = self.dice.randint(8 * MEBIBYTE, self.length)
        first = self.dice.randint(0, self.length - count)
        self.socket.sendall((self.request % (first, first + count - 1)).encode())
        received = b""
        while b"\r\n\r\n" not in received:
            more = self.socket.recv(4096)
            if not more:
                raise RuntimeError("closed before the response")
            received += more
        head, body = received.split(b"\r\n\r\n", 1)
        expected = f"content-range: bytes {first}-{first + count - 1}/{self.length}"
        if b" 206 " not in head.split(b"\r\n")[0] or expected.encode() not in head.lower():
            raise RuntimeError(head.decode())
        self.bytes += len(body)
        left, scratch = count - len(body), bytearray(MEBIBYTE)
        while left > 0:
            # Of TCP, MSG_TRUNC takes bytes without copying them.
            got = self.socket.recv_into(scratch, min(left, MEBIBYTE), socket.MSG_TRUNC)
            if got == 0:
                raise RuntimeError(f"closed {left} bytes early")
            self.bytes += got
            left -= got


def measure(port, path, length, seconds, spent, headers="", connections=4):
    """Bytes per microsecond of CPU, and per second.

    spent: returns the server's CPU time so far, in microseconds.
    """
    readers = [Reader(port, path, headers, length, seed) for seed in range(connections)]
    for reader in readers:
        reader.start()
    time.sleep(1)
    begin, before, bytes = time.time(), spent(), sum(reader.bytes for reader in readers)
    time.sleep(seconds)
    bytes = sum(reader.bytes for reader in readers) - bytes
    used, elapsed = spent() - before, time.time() - begin
    for reader in readers:
        reader.isStopped = True
        reader.socket.shutdown(socket.SHUT_RDWR)
        reader.join()
        if reader.failure:
            raise reader.failure
    return bytes / used, bytes / elapsed
