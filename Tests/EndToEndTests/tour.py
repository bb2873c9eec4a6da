"""Runs the commands of a document word for word, and compares what they print with what the document shows.

    tour.py DOCUMENT ADDRESS    in the current folder; the platform at ADDRESS takes the place of http://127.0.0.1:8080

In a block of code, a command is a line that begins with "$ ", with the lines that continue it: those that are indented, and
those after a line that ends in a backslash. What follows is its output, of which ids, times, traces and signatures may differ,
and "…" stands for anything.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# What differs from run to run.
VARYING = [
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z",
    r'(?<="trace":")[0-9a-f]{32}',
    r"(?<=expires=)\d+",
    r"(?<=signature=)[\w-]+",
    r'(?<="cursor":")[\w-]+',
    r'(?<="version":")[0-9a-f]{12}-[0-9a-f]{4}-[0-9a-f]{16}',
]
# Any of them.
VALUE = r"[\w.:-]+"


def commands(text):
    """The commands of a document, each with its documented output."""
    found = []
    for block in re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        if not block.startswith("$ "):
            continue
        continues = False
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(([line[2:]], []))
            elif not found[-1][1] and (continues or line.startswith("    ")):
                found[-1][0].append(line)
            else:
                found[-1][1].append(line)
            continues = line.endswith("\\")
    return [("\n".join(command), "\n".join(output)) for command, output in found]


def pattern(output):
    """The expression that a documented output stands for."""
    parts, end = [], 0
    for match in re.finditer("|".join([*VARYING, "…"]), output):
        parts.append(re.escape(output[end:match.start()]))
        parts.append(".*?" if match.group() == "…" else VALUE)
        end = match.end()
    return "".join(parts) + re.escape(output[end:])


def run(document, address):
    steps = commands(pathlib.Path(document).read_text())
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for index, (command, _) in enumerate(steps):
            lines.append(f"{{ {command.replace('http://127.0.0.1:8080', address)}\n}} >{folder}/{index} 2>&1")
        # Streams in the background end with it.
        lines.append("kill $(jobs -p) 2>/dev/null")
        # Not by standard input, which ffmpeg reads.
        script = pathlib.Path(folder, "script")
        script.write_text("\n".join(lines))
        subprocess.run(["bash", str(script)], stdin=subprocess.DEVNULL, timeout=600)
        wrong = []
        for index, (command, output) in enumerate(steps):
            path = pathlib.Path(folder, str(index))
            printed = path.read_text(errors="replace").replace(address, "http://127.0.0.1:8080").strip() if path.exists() else ""
            if output and not re.fullmatch(pattern(output.strip()), printed, re.DOTALL):
                wrong.append(f"$ {command}\nprinted:\n{printed}\ninstead of:\n{output}")
    if wrong:
        sys.exit(f"{document} does not tell the truth.\n" + "\n\n".join(wrong))
    print(f"{len(steps)} commands of {document}")


if __name__ == "__main__":
    run(*sys.argv[1:])
