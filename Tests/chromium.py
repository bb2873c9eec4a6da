"""Chromium, as tests drive it."""

import fcntl
import json
import os
import select
import subprocess
import sys


class Browser:
    """Chromium without a window, controlled by its DevTools protocol over two pipes."""

    def __init__(self, folder):
        # Its ends are the descriptors 3 and 4 of the browser.
        (commands, self.input), (self.output, answers) = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (commands, answers)]

        def place():
            for descriptor, end in zip((3, 4), ends):
                os.dup2(end, descriptor)

        flags = ["headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run", "mute-audio",
                 "disable-background-networking", "disable-extensions", "disable-component-update",
                 "autoplay-policy=no-user-gesture-required", "remote-debugging-pipe", f"user-data-dir={folder}"]
        self.process = subprocess.Popen(["chromium"] + [f"--{flag}" for flag in flags] + ["about:blank"],
                                        preexec_fn=place, pass_fds=(3, 4, *ends), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (commands, answers, *ends):
            os.close(end)
        self.count, self.rest, self.session = 0, b"", None

    def receive(self, seconds=600):
        while b"\0" not in self.rest:
            if not select.select([self.output], [], [], seconds)[0]:
                sys.exit("the browser does not respond")
            more = os.read(self.output, 65_536)
            if not more:
                sys.exit("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.count:
            pass
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")
        self.send("Page.setBypassCSP", enabled=True)
        self.send("Page.navigate", url=url)
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def evaluate(self, script):
        result = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            sys.exit(json.dumps(result["exceptionDetails"]))
        return result["result"].get("value")
