"""A way to a platform that can be closed, so that for a browser the server is stopped."""

import socket
import threading
from urllib.parse import urlsplit


class Gate:
    """Forwards connections from a port of its own; `close` ends them all, `open` begins again at the same port."""

    def __init__(self, url):
        address = urlsplit(url)
        self.target = (address.hostname, address.port)
        self.listener, self.port, self.connections = None, 0, set()
        self.open()
        self.url = f"http://localhost:{self.port}"

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, args=[self.listener], daemon=True).start()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.connections):
            self._end(connection)

    def _accept(self, listener):
        while True:
            try:
                browser, _ = listener.accept()
                server = socket.create_connection(self.target)
            except OSError:
                return
            self.connections |= {browser, server}
            for one, other in ((browser, server), (server, browser)):
                threading.Thread(target=self._copy, args=[one, other], daemon=True).start()

    def _copy(self, source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        self._end(source)
        self._end(target)

    def _end(self, connection):
        self.connections.discard(connection)
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()
