"""Plays videos in Chromium: browser.py ORIGIN CONTENT PLAYLIST, where the last two are paths of an MP4 file and of a
multivariant playlist. Prints as JSON what the browser has played: the file, the stream by itself, and the stream by a
script."""

import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

from chromium import Browser  # noqa: E402

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
