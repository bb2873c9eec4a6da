"""Reads what MediaFiles makes with numpy and m3u8.

  peaks PCM CHANNELS ZOOM    the peaks of 16-bit samples, of the mean of the channels, 8 bits
  tones PCM RATE FREQUENCY   how loud a frequency is in each tenth of a second of mono samples
  playlist MASTER            the renditions of a multivariant playlist, with the peak bit rates of their segments
  segments PLAYLIST          writes each segment of a media playlist with its header to a file of its own
"""
import json
import os
import sys

import m3u8
import numpy


def samples(path, channels=1):
    return numpy.fromfile(path, dtype="<i2").astype(numpy.int64).reshape(-1, channels)


def peaks(path, channels, zoom):
    # Both divisions round towards zero, as those of C++ do.
    mean = numpy.trunc(samples(path, channels).sum(axis=1) / channels)
    pieces = [mean[start:start + zoom] for start in range(0, len(mean), zoom)]
    pairs = [(numpy.trunc(piece.min() / 256), numpy.trunc(piece.max() / 256)) for piece in pieces]
    return [int(value) for pair in pairs for value in pair]


def tones(path, rate, frequency):
    mono = samples(path)[:, 0]
    size = rate // 10
    wave = numpy.exp(-2j * numpy.pi * frequency * numpy.arange(size) / rate)
    return [float(abs(mono[start:start + size] @ wave) / size) for start in range(0, len(mono) - size + 1, size)]


def ranges(segment):
    length, _, start = segment.byterange.partition("@")
    return int(length), int(start)


def playlist(path):
    master = m3u8.load(path)
    variants = []
    for variant in master.playlists:
        media = m3u8.load(os.path.join(os.path.dirname(path), variant.uri))
        info = variant.stream_info
        variants.append({
            "uri": variant.uri,
            "bandwidth": info.bandwidth,
            "average": info.average_bandwidth,
            "codecs": info.codecs,
            "width": info.resolution[0],
            "height": info.resolution[1],
            "frameRate": info.frame_rate,
            "seconds": [segment.duration for segment in media.segments],
            "peak": max(8 * ranges(segment)[0] / segment.duration for segment in media.segments),
            "isIndependent": media.is_independent_segments and master.is_independent_segments,
            "target": media.target_duration,
            "isComplete": media.is_endlist,
        })
    return variants


def segments(path):
    folder = os.path.dirname(path)
    media = m3u8.load(path)
    with open(os.path.join(folder, media.segments[0].uri), "rb") as file:
        content = file.read()
    length, start = map(int, media.segment_map[0].byterange.split("@"))
    header = content[start:start + length]
    written = []
    for number, segment in enumerate(media.segments):
        length, start = ranges(segment)
        name = os.path.join(folder, f"segment-{number}.mp4")
        with open(name, "wb") as file:
            file.write(header + content[start:start + length])
        written.append(name)
    return written


command, path, *numbers = sys.argv[1:]
print(json.dumps(globals()[command](path, *map(int, numbers))))
