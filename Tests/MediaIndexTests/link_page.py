"""Parses an HTML page from standard input as browsers do (html5lib). Prints one JSON object."""

import json
import sys

import html5lib

XHTML = "{http://www.w3.org/1999/xhtml}"
parser = html5lib.HTMLParser()
page = parser.parse(sys.stdin.buffer.read())
elements = [element for element in page.iter() if isinstance(element.tag, str)]


def named(name):
    return [element for element in elements if element.tag == XHTML + name]


metas = {element.get("property") or element.get("name"): element.get("content") for element in named("meta")}
print(json.dumps({
    "title": named("title")[0].text,
    "metas": {key: value for key, value in metas.items() if key},
    "heading": "".join(named("h1")[0].itertext()),
    "text": "".join("".join(element.itertext()) for element in named("p")),
    "links": [element.get("href") for element in named("a")],
    "images": [element.get("src") for element in named("img")],
    "canonical": [element.get("href") for element in named("link") if element.get("rel") == "canonical"],
    "elements": sorted({element.tag.removeprefix(XHTML) for element in elements}),
    "handlers": [name for element in elements for name in element.attrib if name.startswith("on")],
    "errors": [code for _, code, _ in parser.errors],
}))
