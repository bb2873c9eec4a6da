"""Makes and opens Anki packages with the real libraries.

  make FOLDER     writes latest.apkg, legacy.apkg and genanki.apkg, and prints what they contain
  open PACKAGE    imports the package into an empty collection and prints what arrived
  bomb PACKAGE    writes a package that decompresses to ten gigabytes
"""
import hashlib
import html.parser
import json
import os
import re
import struct
import sys
import tempfile
import zlib

os.environ["TZ"] = "UTC"

import genanki
from anki.collection import Collection, ExportAnkiPackageOptions, ImportAnkiPackageOptions, ImportAnkiPackageRequest


class Text(html.parser.HTMLParser):
    """The text of HTML, and the sources of its pictures."""

    def __init__(self, source):
        super().__init__()
        self.text, self.skipping = "", 0
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.skipping += tag in ("style", "script")
        self.text += " " if tag in ("br", "div", "p", "hr", "li") else ""

    def handle_endtag(self, tag):
        self.skipping -= tag in ("style", "script")
        self.text += " " if tag in ("div", "p", "li") else ""

    def handle_data(self, data):
        self.text += "" if self.skipping else data


def shown(source):
    """The words that a side of a card shows."""
    return " ".join(Text(source).text.replace("\xa0", " ").split())


def shown_sides(card):
    question, answer = card.question(), card.answer()
    sides = question, answer.split("<hr id=answer>", 1)[-1]
    return [shown(re.sub(r"\[anki:play:[^]]*\]", "", side)) for side in sides]


def contents(collection):
    cards = []
    for identifier in sorted(collection.find_cards("")):
        card = collection.get_card(identifier)
        note = card.note()
        front, back = shown_sides(card)
        data = json.loads(collection.db.scalar("select data from cards where id = ?", identifier) or "{}")
        due = None
        if card.type != 0:
            due = card.due if card.queue == 1 or card.due > 10**9 else collection.crt + card.due * 86400
        reviews = collection.db.all(
            "select id, ease, time, type, ivl, lastIvl from revlog where cid = ? order by id", identifier)
        cards.append({
            "id": note.guid, "ordinal": card.ord, "fields": note.fields, "tags": note.tags, "front": front,
            "back": back, "deck": collection.decks.name(card.did), "type": card.type, "queue": card.queue,
            "dueAt": due, "interval": card.ivl, "factor": card.factor, "repetitions": card.reps,
            "lapses": card.lapses, "stability": data.get("s"), "difficulty": data.get("d"),
            "reviews": reviews})
    folder = collection.media.dir()
    media = {name: hashlib.sha256(open(os.path.join(folder, name), "rb").read()).hexdigest()
             for name in os.listdir(folder)}
    return {"cards": cards, "media": media}


def add_media(collection, name, content):
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content)
    collection.media.add_file(path)


def add(collection, kind, deck, tags, *fields):
    note = collection.new_note(collection.models.by_name(kind))
    for index, field in enumerate(fields):
        note.fields[index] = field
    note.tags = tags
    collection.add_note(note, collection.decks.id(deck))


def make(folder):
    collection = Collection(os.path.join(folder, "collection.anki2"))
    collection.set_config("fsrs", True)
    models = collection.models
    custom = models.new("Vocabulary")
    for name in ("Word", "Meaning", "Example", "Note"):
        models.add_field(custom, models.new_field(name))
    template = models.new_template("Recognize")
    template["qfmt"] = ("<style>b { color: red }</style>{{Word}}{{#Example}}<p>{{Example}}</p>{{/Example}}"
                        "{{^Note}}!{{/Note}}")
    template["afmt"] = "{{FrontSide}}<hr id=answer>{{Meaning}} {{Tags}} ({{Deck}})"
    models.add_template(custom, template)
    models.add(custom)
    add_media(collection, "päris.png", b"\x89PNG" + bytes(range(256)) * 40)
    add_media(collection, "sound.mp3", b"ID3" + bytes(500))
    deck = "Languages::French"
    add(collection, "Basic", deck, ["city", "level::one"], "Q &amp; A <b>bold</b><br>second &lt;line&gt;",
        'answer<div>two</div><img src="päris.png"> [sound:sound.mp3]')
    add(collection, "Basic (and reversed card)", deck, [], "chien", "dog")
    add(collection, "Cloze", "Languages", ["cloze"],
        "{{c1::Paris::city}} is in {{c2::France}}, {{c1::not {{c2::Spain}}}}", "extra")
    add(collection, "Vocabulary", deck, ["v"], "mot", "word", "le mot juste", "")
    add(collection, "Vocabulary", deck, [], "rien", "nothing", "", "noted")
    for index in range(20):
        add(collection, "Basic", "Languages::Numbers", [], f"number {index}", f"&nbsp;{index}")
    collection.decks.set_current(collection.decks.id("Languages"))
    for index in range(14):
        card = collection.sched.getCard()
        card.start_timer()
        collection.sched.answerCard(card, 1 + index % 4)
    reviewed = collection.find_cards("-is:new")
    collection.sched.set_due_date(reviewed[:2], "3")
    collection.sched.suspend_cards(collection.find_cards("is:new")[:1])
    expected = contents(collection)
    for name, legacy in (("latest", False), ("legacy", True)):
        collection.export_anki_package(
            out_path=os.path.join(folder, f"{name}.apkg"), limit=None,
            options=ExportAnkiPackageOptions(with_scheduling=True, with_media=True, legacy=legacy))
    collection.close()
    model = genanki.Model(1607392319, "Simple", fields=[{"name": "Question"}, {"name": "Answer"}], templates=[
        {"name": "Card 1", "qfmt": "{{Question}}", "afmt": '{{FrontSide}}<hr id="answer">{{Answer}}'}])
    deck = genanki.Deck(2059400110, "Capitals")
    for index in range(30):
        deck.add_note(genanki.Note(model=model, fields=[f"Country {index}", f'City {index} <img src="map.png">'],
                                   tags=["geo"], guid=f"guid{index}"))
    picture = os.path.join(folder, "map.png")
    with open(picture, "wb") as file:
        file.write(b"\x89PNG" + b"map" * 1000)
    package = genanki.Package(deck)
    package.media_files = [picture]
    package.write_to_file(os.path.join(folder, "genanki.apkg"))
    print(json.dumps(expected))


def open_package(path):
    collection = Collection(os.path.join(tempfile.mkdtemp(), "collection.anki2"))
    collection.import_anki_package(ImportAnkiPackageRequest(
        package_path=path, options=ImportAnkiPackageOptions(with_scheduling=True, merge_notetypes=True)))
    print(json.dumps(contents(collection)))
    collection.close()


def bomb(path):
    """Ten gigabytes of zeros in ten megabytes, as an entry that claims to be small."""
    name, count, block = b"collection.anki2", 640, bytes(16 << 20)
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH)
    size = len(piece) * count
    fields = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, 0, size, 1000, len(name), 0)
    with open(path, "wb") as file:
        file.write(b"PK\x03\x04" + fields + name)
        for _ in range(count):
            file.write(piece)
        offset = file.tell()
        directory = b"PK\x01\x02" + struct.pack("<H", 20) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name
        file.write(directory)
        file.write(b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), offset, 0))


{"make": make, "open": open_package, "bomb": bomb}[sys.argv[1]](sys.argv[2])
