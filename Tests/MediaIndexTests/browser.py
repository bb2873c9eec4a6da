"""Plays videos in Chromium: browser.py ORIGIN CONTENT PLAYLIST, where the last two are paths of an MP4 file and of a
multivariant playlist. Prints as JSON what the browser has played: the file, the stream by itself, and the stream by a
script."""

import fcntl
import json
import os
import select
import subprocess
import sys
import tempfile

SCRIPT = """
const played = async (video, prepare, middle) => {
  const when = (name, isTrue) => new Promise((done, fail) => {
    video.addEventListener('error', () => fail(new Error(video.error?.message ?? 'error')), {once: true});
    video.addEventListener(name, function check() {
      if (!isTrue()) return;
      video.removeEventListener(name, check);
      done();
    });
  });
  document.body.replaceChildren(video);
  video.muted = true;
  const isLoaded = when('loadedmetadata', () => true);
  await prepare(video);
  await isLoaded;
  let isReached = when('timeupdate', () => video.currentTime > 0.5);
  await video.play();
  await isReached;
  const start = video.currentTime;
  const isThere = when('seeked', () => true);
  video.currentTime = middle;
  await isThere;
  isReached = when('timeupdate', () => video.currentTime > middle + 0.5);
  await isReached;
  return {duration: video.duration, width: video.videoWidth, height: video.videoHeight, start, end: video.currentTime,
          frames: video.getVideoPlaybackQuality().totalVideoFrames};
};

const fetched = async (url, headers, status) => {
  const response = await fetch(url, {headers});
  if (response.status != status) throw new Error(`${response.status} from ${url}`);
  return response;
};

// What players such as hls.js do: the playlists name ranges of a file, which are appended to a buffer.
const streaming = master => async video => {
  const lines = async url => (await (await fetched(url, {}, 200)).text()).split('\\n');
  const top = await lines(master);
  const line = top.findLastIndex(line => line.startsWith('#EXT-X-STREAM-INF'));
  const list = new URL(top[line + 1], master);
  const codecs = /CODECS="([^"]+)"/.exec(top[line])[1];
  const parts = [];
  let range = null, next = 0;
  const add = (uri, [length, start]) => {
    const first = start === undefined ? next : Number(start);
    next = first + Number(length);
    parts.push({url: new URL(uri, list), range: `bytes=${first}-${next - 1}`});
  };
  for (const line of await lines(list)) {
    const map = /^#EXT-X-MAP:URI="([^"]+)",BYTERANGE="([^"]+)"/.exec(line);
    if (map) add(map[1], map[2].split('@'));
    else if (line.startsWith('#EXT-X-BYTERANGE:')) range = line.slice(17).split('@');
    else if (range && line && !line.startsWith('#')) { add(line, range); range = null; }
  }
  const source = new MediaSource();
  const isOpen = new Promise(done => source.addEventListener('sourceopen', done, {once: true}));
  video.src = URL.createObjectURL(source);
  await isOpen;
  const buffer = source.addSourceBuffer(`video/mp4; codecs="${codecs}"`);
  for (const part of parts) {
    const bytes = await (await fetched(part.url, {Range: part.range}, 206)).arrayBuffer();
    const isAppended = new Promise(done => buffer.addEventListener('updateend', done, {once: true}));
    buffer.appendBuffer(bytes);
    await isAppended;
  }
  source.endOfStream();
};
"""


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


origin, content, playlist = sys.argv[1:]
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    browser = Browser(folder)
    try:
        # Any page of the platform: scripts of other origins may not read what they load.
        browser.open(f"{origin}/livez")
        browser.evaluate(SCRIPT + "undefined")
        ways = [f"async video => {{ video.src = {json.dumps(origin + path)} }}" for path in (content, playlist)]
        ways.append(f"streaming({json.dumps(origin + playlist)})")
        print(json.dumps([browser.evaluate(f"played(document.createElement('video'), {way}, 9)") for way in ways]))
    finally:
        browser.process.kill()
        browser.process.wait()
