"""The app `letustudy`: sets, study, quiz, offline, two devices, sharing, settings."""

import contextlib
import re
import subprocess
import time

import genanki
import pytest

from files import picture
from gate import Gate
from looks import look
from shares import assert_previewed, copied

WORDS = [("aqua", "water"), ("ignis", "fire"), ("terra", "earth"), ("ventus", "wind"), ("luna", "moon")]


@pytest.fixture
def student(quintet):
    return quintet.sign_up("Lena Learner", "letustudy")


@pytest.fixture
def gate(quintet):
    gate = Gate(quintet.url)
    yield gate
    with contextlib.suppress(OSError):
        gate.close()


def make_set(person, title="Latin", words=WORDS):
    study_set = person.call("POST", "/v1/study-sets", {"title": title, "description": "First words", "tags": ["latin"]},
                            **{"Idempotency-Key": f'"{time.time_ns()}"'})
    for front, back in words:
        person.call("POST", f"/v1/study-sets/{study_set['id']}/cards", {"front": front, "back": back},
                    **{"Idempotency-Key": f'"{time.time_ns()}"'})
    return study_set["id"]


def synced(page):
    page.get_by_role("link", name="Synchronized", exact=True).wait_for()


def answer(page, rating="Easy"):
    page.get_by_role("button", name="Show answer").click()
    page.get_by_role("button", name=re.compile(f"^{rating}")).click()


def eventually(check, seconds=15):
    end = time.monotonic() + seconds
    while not (value := check()) and time.monotonic() < end:
        time.sleep(0.1)
    assert value
    return value


@pytest.mark.hosting
def test_from_sign_up_to_the_first_studied_set(open_page, quintet):
    page = open_page("/letustudy/")
    page.get_by_role("heading", name="Learn it once. Keep it.").wait_for()
    look(page)
    page.get_by_role("link", name="Create account").first.click()
    name = f"grace-{time.time_ns()}"
    page.get_by_label("Your name").fill("Grace Hopper")
    page.get_by_label("Username").fill(name)
    page.get_by_label("E-mail").fill(f"{name}@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Hello, Grace Hopper").wait_for()
    page.get_by_role("link", name="New set").click()
    page.get_by_label("Title").fill("Latin")
    page.get_by_role("button", name="Create set").click()
    for number, (front, back) in enumerate(WORDS[:3], 1):
        page.get_by_role("button", name="Add card").click()
        page.get_by_label(f"Front of card {number}").fill(front)
        page.get_by_label(f"Back of card {number}").fill(back)
        page.get_by_label(f"Back of card {number}").blur()
    page.get_by_role("link", name="Back to the set").click()
    page.get_by_role("heading", name="Latin").wait_for()
    page.get_by_role("link", name="Study 3 to study").click()
    # by the keyboard alone
    for _ in range(3):
        page.get_by_role("button", name="Show answer").press("Enter")
        page.get_by_role("group", name="How well did you know it?").wait_for()
        page.keyboard.press("4")
    page.get_by_role("heading", name="Well done!").wait_for()
    look(page)
    synced(page)
    page.get_by_role("link", name="Statistics").first.click()
    page.get_by_role("heading", name="Time by day").wait_for()
    token = quintet.call("POST", "/v1/auth/login", {"login": name, "password": "correct horse battery", "app": "letustudy"})
    home = eventually(lambda: (home := quintet.call("GET", "/v1/home?utcOffsetMinutes=0", token=token["accessToken"]))
                      and home["streak"]["current"] == 1 and home)
    assert home["today"]["reviews"]["answers"] == 3


def test_a_guest_studies_without_an_account(open_page):
    page = open_page("/letustudy/")
    page.get_by_role("button", name="Try without an account").click()
    page.get_by_role("heading", name="Hello!").wait_for()
    page.get_by_role("link", name="New set").click()
    page.get_by_label("Title").fill("As a guest")
    page.get_by_role("button", name="Create set").click()
    page.get_by_role("heading", name="As a guest").wait_for()
    synced(page)


def test_study_with_the_server_stopped_and_a_new_tab(chromium, student, gate):
    study_set = make_set(student)
    context = chromium.new_context(base_url=gate.url, locale="en-US")
    context.set_default_timeout(15_000)
    page = context.new_page()
    page.goto("/letustudy/sign-in")
    page.get_by_label("E-mail or username").fill(student.username)
    page.get_by_label("Password", exact=True).fill(student.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", name="Latin").wait_for()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    gate.close()
    page.close()
    page = context.new_page()
    page.goto(f"/letustudy/sets/{study_set}/study")
    for _ in WORDS:
        answer(page)
    page.get_by_role("heading", name="Well done!").wait_for()
    page.get_by_role("link", name=re.compile("Offline, 5 changes wait")).wait_for()
    # with the styles that come with the screen
    assert page.evaluate("[...document.styleSheets].some((it) => it.href.endsWith('/letustudy/screens.css'))")
    # an edit, too, in another new tab
    page.close()
    page = context.new_page()
    page.goto(f"/letustudy/sets/{study_set}/edit")
    page.get_by_label("Back of card 1").fill("the water")
    page.get_by_label("Back of card 1").blur()
    page.get_by_role("link", name=re.compile("Offline, 6 changes wait")).wait_for()
    gate.open()
    page.goto("/letustudy/")
    synced(page)
    assert student.call("GET", "/v1/due?utcOffsetMinutes=0")["total"]["new"] == 0
    assert student.call("GET", f"/v1/study-sets/{study_set}/cards")["items"][0]["back"] == "the water"
    context.close()


def test_edits_on_two_devices_converge(chromium, sign_in, student, gate):
    study_set = make_set(student, words=[("the quick fox", "one")])
    here = sign_in(student, "letustudy", f"/sets/{study_set}/edit")
    front = here.get_by_label("Front of card 1")
    front.wait_for()
    context = chromium.new_context(base_url=gate.url, locale="en-US")
    there = context.new_page()
    there.goto(f"/letustudy/sign-in?next=/sets/{study_set}/edit")
    there.get_by_label("E-mail or username").fill(student.username)
    there.get_by_label("Password", exact=True).fill(student.password)
    there.get_by_role("button", name="Sign in", exact=True).click()
    there.get_by_label("Front of card 1").wait_for()
    synced(there)
    gate.close()
    # words apart are merged; two texts in one place are kept for the person to choose
    there.get_by_label("Front of card 1").fill("the very quick fox")
    there.get_by_label("Back of card 1").fill("two")
    there.get_by_label("Back of card 1").blur()
    front.fill("the quick fox jumps")
    here.get_by_label("Back of card 1").fill("three")
    here.get_by_label("Back of card 1").blur()
    eventually(lambda: student.call("GET", f"/v1/study-sets/{study_set}/cards")["items"][0]["back"] == "three")
    gate.open()
    there.goto("/letustudy/sync")
    there.get_by_role("heading", name="Changed on two devices").wait_for()
    here.get_by_role("link", name=re.compile("Two devices have changed this card")).wait_for()
    assert front.input_value() == "the very quick fox jumps"
    there.get_by_role("button", name="Take this").click()
    there.get_by_role("heading", name="Changed on two devices").wait_for(state="detached")
    card = eventually(lambda: (card := student.call("GET", f"/v1/study-sets/{study_set}/cards")["items"][0])
                      and not card.get("variants") and card)
    eventually(lambda: here.get_by_label("Back of card 1").input_value() == card["back"])
    assert card["front"] == "the very quick fox jumps" and card["back"] in ("two", "three")
    context.close()


def test_signing_out_asks_while_something_is_not_sent(sign_in, student):
    study_set = make_set(student)
    page = sign_in(student, "letustudy", f"/sets/{study_set}/study")
    page.get_by_role("button", name="Show answer").wait_for()
    synced(page)
    with page.watch.expecting(0):
        page.route("**/v1/sync", lambda route: route.abort("connectionrefused"))
        answer(page)
        page.get_by_role("link", name=re.compile("Offline, 1 change waits")).wait_for()
        page.get_by_role("button", name=student.name).click()
        page.get_by_role("menuitem", name="Sign out").click()
        page.get_by_role("dialog", name="Not everything is synchronized").wait_for()
        look(page)
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("heading", name="Latin").wait_for()
        page.unroute("**/v1/sync")
    page.get_by_role("button", name=student.name).click()
    page.get_by_role("menuitem", name="Sign out").click()
    # with a connection, it is sent first, and no one is asked
    page.get_by_role("heading", name="Welcome back").wait_for()
    assert student.call("GET", "/v1/home?utcOffsetMinutes=0")["today"]["reviews"]["answers"] == 1
    assert page.evaluate("indexedDB.databases().then((all) => all.length)") == 0


def test_a_quiz_is_taken_and_its_result_counts(sign_in, student):
    study_set = make_set(student)
    page = sign_in(student, "letustudy", f"/sets/{study_set}/quiz")
    page.get_by_label("Number of questions").fill("4")
    page.get_by_label("Kind of questions").select_option("choice")
    look(page)
    page.get_by_role("button", name="Start quiz").click()
    for number in range(1, 5):
        page.get_by_text(f"Question {number} of 4").wait_for()
        prompt = page.locator(".face-text").text_content()
        right = dict(WORDS)[prompt]
        wrong = page.locator(".option").filter(has_not_text=right).first.text_content()
        page.get_by_role("button", name=wrong if number == 1 else right, exact=True).click()
        page.get_by_role("button", name="Next").click()
    page.get_by_role("heading", name="75%").wait_for()
    look(page)
    page.get_by_role("button", name="Repeat mistakes").click()
    page.get_by_text("Question 1 of 1").wait_for()
    eventually(lambda: any(it["function"] == "quiz" and it["score"]["correct"] == 3
                           for it in student.call("GET", "/v1/stats?utcOffsetMinutes=0")["functions"]))


def test_settings_act_and_are_the_same_on_every_device(sign_in, student):
    page = sign_in(student, "letustudy", "/settings")
    page.get_by_role("switch", name="Dark mode").check()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("switch", name="Reverse colors").check()
    assert "invert(1)" in page.evaluate("getComputedStyle(document.body).filter")
    page.get_by_role("slider", name="Brightness").fill("30")
    assert "brightness(0.84)" in page.evaluate("getComputedStyle(document.querySelector('main')).filter")
    page.get_by_label("New cards a day").fill("3")
    page.get_by_label("New cards a day").blur()
    stored = eventually(lambda: (it := student.call("GET", "/v1/users/me/settings"))["brightness"] == 30 and it)
    assert stored["darkMode"] and stored["reverseColor"]
    eventually(lambda: student.call("GET", "/v1/scheduler")["newCardsPerDay"] == 3)
    other = sign_in(student, "letustudy", "/settings")
    eventually(lambda: other.evaluate("document.documentElement.classList.contains('is-reversed')"))
    assert other.get_by_label("New cards a day").input_value() == "3"


def test_a_picture_and_a_document_belong_to_a_card(sign_in, student):
    study_set = make_set(student, words=WORDS[:1])
    page = sign_in(student, "letustudy", f"/sets/{study_set}/edit")
    page.get_by_label("Add a file to the front").set_input_files(
        {"name": "aqua.png", "mimeType": "image/png", "buffer": picture()})
    page.get_by_role("button", name="Remove picture").wait_for()
    page.get_by_label("Add a file to the back").set_input_files(
        {"name": "water.pdf", "mimeType": "application/pdf", "buffer": DOCUMENT})
    page.get_by_role("button", name="Remove water.pdf").wait_for()
    look(page)
    synced(page)
    stored = eventually(lambda: (it := student.call("GET", f"/v1/study-sets/{study_set}/cards")["items"][0]["attachments"])
                        and len(it) == 2 and it)
    assert [(it["side"], it.get("name")) for it in stored] == [("front", None), ("back", "water.pdf")]
    page.goto(f"/letustudy/sets/{study_set}/study")
    page.get_by_role("img", name="Picture of “aqua”").wait_for()
    page.get_by_role("button", name="Show answer").click()
    address = page.get_by_role("link", name="water.pdf").get_attribute("href")
    look(page)
    assert page.evaluate("address => fetch(address).then((it) => it.headers.get('Content-Type'))", address) == "application/pdf"


def document(*lines):
    """A PDF file with a line of text each."""
    content = "BT /F1 18 Tf 72 720 Td " + " 0 -36 Td ".join(f"({it}) Tj" for it in lines) + " ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    body = "".join(f"{number} 0 obj{it}endobj\n" for number, it in enumerate(objects, 1))
    return f"%PDF-1.4\n{body}trailer<</Root 1 0 R>>\n%%EOF\n".encode()


def photograph(folder, text):
    """A picture of a text."""
    target = folder / "notes.png"
    subprocess.run(["vips", "text", f"{target}[compression=6]", text, "--font", "DejaVu Sans 40", "--dpi", "100"], check=True)
    subprocess.run(["vips", "invert", target, folder / "white.png"], check=True)
    return (folder / "white.png").read_bytes()


def own_media(person):
    """Without an owner, the list also has what is for everyone."""
    return person.call("GET", f"/v1/media?owner={person.id}")["items"]


def test_notes_are_scanned_into_cards(sign_in, student, tmp_path):
    study_set = make_set(student, words=WORDS[:1])
    page = sign_in(student, "letustudy", "/scan")
    page.get_by_label("Into").select_option("Latin")
    look(page)
    page.get_by_role("button", name="Next").click()
    page.get_by_role("heading", name="Scan into “Latin”").wait_for()
    look(page)
    with page.watch.expecting(415):
        page.get_by_label("Choose pictures or PDF files").set_input_files([
            {"name": "notes.png", "mimeType": "image/png", "buffer": photograph(tmp_path, "mare\nthe sea")},
            {"name": "broken.png", "mimeType": "image/png", "buffer": b"no picture at all"},
            {"name": "words.pdf", "mimeType": "application/pdf",
             "buffer": document("aqua - water", "luna - moon", "stella - star")},
        ])
        page.get_by_text("Only pictures and PDF files can be read.").wait_for()
        page.get_by_role("button", name="Add all 4 cards").wait_for(timeout=120_000)
    look(page)
    # one bad file harms no other
    page.get_by_role("button", name="Remove broken.png").click()
    drafts = page.get_by_role("list", name="Drafts of words.pdf")
    drafts.get_by_label("Back of card 3").fill("the star")
    drafts.get_by_role("button", name="Delete card 2").click()
    # a text that is put right makes other drafts
    notes = page.get_by_role("listitem").filter(has=page.get_by_role("heading", name="notes.png")).first
    notes.get_by_text("Text", exact=True).first.click()
    notes.get_by_role("textbox", name="Text").fill("sol\nthe sun\nmare\nthe sea\nnox\nnight")
    notes.get_by_label("How the text becomes cards").select_option("parity")
    notes.get_by_role("button", name="Make drafts again").click()
    notes.get_by_label("Front of card 3").wait_for()
    look(page)
    # each draft is taken once, also by two buttons
    own = notes.get_by_role("button", name="Add 3 cards").element_handle()
    page.get_by_role("button", name="Add all 5 cards").evaluate("(all, own) => { own.click(); all.click(); }", own)
    page.get_by_text("3 cards imported").wait_for()
    page.get_by_text("1 card imported").wait_for()
    synced(page)
    page.get_by_role("link", name="Back to the set").click()
    page.get_by_text("the star").wait_for()
    cards = eventually(lambda: (it := student.call("GET", f"/v1/study-sets/{study_set}/cards")["items"]) and len(it) == 5 and it)
    assert {(it["front"], it["back"]) for it in cards} == {
        ("aqua", "water"), ("stella", "the star"), ("sol", "the sun"), ("mare", "the sea"), ("nox", "night")}
    # what was only there to be read is gone, also when the page is left
    eventually(lambda: own_media(student) == [])
    page.goto(f"/letustudy/sets/{study_set}/scan")
    page.get_by_label("Choose pictures or PDF files").set_input_files(
        [{"name": "words.pdf", "mimeType": "application/pdf", "buffer": document("aqua - water", "nix - snow")}])
    page.get_by_role("button", name="Add 2 cards").wait_for(timeout=120_000)
    assert len(own_media(student)) == 1
    page.once("dialog", lambda it: it.accept())
    page.get_by_role("link", name="Back to the set").click()
    eventually(lambda: own_media(student) == [])


# The smallest document that readers open: one empty page.
DOCUMENT = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
%%EOF
"""


def test_sounds_and_voice_are_heard_when_they_are_on(sign_in, student):
    study_set = make_set(student)
    page = sign_in(student, "letustudy", "/settings")
    page.add_init_script(HEARD)
    page.reload()
    heard = lambda kind: page.evaluate(f"heard.{kind}.splice(0)")
    page.get_by_role("switch", name="Sounds").uncheck()
    page.get_by_role("switch", name="Read cards aloud").check()
    assert heard("spoken") == ["Read cards aloud"] and heard("notes") == []
    stored = eventually(lambda: (it := student.call("GET", "/v1/users/me/settings"))["voiceOver"] and it)
    assert not stored["sound"]
    page.goto(f"/letustudy/sets/{study_set}/study")
    page.get_by_role("button", name="Show answer").click()
    page.locator(".face-text", has_text="water").wait_for()
    assert heard("spoken") == ["aqua", "water"]
    page.get_by_role("button", name=re.compile("^Good")).click()
    page.get_by_text("ignis").wait_for()
    assert heard("spoken") == ["ignis"] and heard("notes") == []
    page.goto("/letustudy/settings")
    page.get_by_role("switch", name="Read cards aloud").uncheck()
    page.get_by_role("switch", name="Sounds").check()
    assert heard("notes") == [660, 880]
    eventually(lambda: student.call("GET", "/v1/users/me/settings")["sound"])
    page.goto(f"/letustudy/sets/{study_set}/study")
    answer(page, "Again")
    eventually(lambda: heard("notes") == [260, 200])
    assert heard("spoken") == []


# What a page would be heard with: the notes of its sounds, and what is read aloud.
HEARD = """
globalThis.heard = { notes: [], spoken: [] };
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...at) {
  heard.notes.push(this.frequency.value);
  return start.apply(this, at);
};
SpeechSynthesis.prototype.speak = (utterance) => heard.spoken.push(utterance.text);
"""


def test_larger_text_fits_every_page(sign_in, student):
    study_set = make_set(student)
    page = sign_in(student, "letustudy", "/settings")
    size = lambda: page.evaluate("parseFloat(getComputedStyle(document.querySelector('h1')).fontSize)")
    before = size()
    page.get_by_role("switch", name="Easier to see").check()
    assert size() > 1.15 * before
    eventually(lambda: student.call("GET", "/v1/users/me/settings")["accessibility"])
    for path in ["/", "/sets", f"/sets/{study_set}", f"/sets/{study_set}/study", f"/sets/{study_set}/quiz", "/settings"]:
        page.goto(f"/letustudy{path}")
        page.get_by_role("heading", level=1).wait_for()
        look(page)


def test_who_does_nothing_is_signed_out(sign_in, student):
    page = sign_in(student, "letustudy", "/settings")
    page.clock.install()
    page.reload()
    page.get_by_label("Sign out after").select_option("5 minutes")
    eventually(lambda: student.call("GET", "/v1/users/me/settings").get("logOutAfterMinutes") == 5)
    page.clock.fast_forward("04:30")
    page.keyboard.press("Shift")
    page.clock.fast_forward("04:30")
    page.get_by_role("heading", name="Settings").wait_for()
    # what the page is asking for just then is refused
    with page.watch.expecting(401):
        page.clock.fast_forward("01:00")
        page.get_by_role("heading", name="Welcome back").wait_for()
    eventually(lambda: page.evaluate("indexedDB.databases().then((all) => all.length)") == 0)


def test_no_one_keeps_who_does_nothing_signed_in(sign_in, student):
    study_set = make_set(student)
    page = sign_in(student, "letustudy", "/settings")
    page.get_by_label("Sign out after").select_option("5 minutes")
    eventually(lambda: student.call("GET", "/v1/users/me/settings").get("logOutAfterMinutes") == 5)
    page.clock.install()
    page.goto(f"/letustudy/sets/{study_set}/study")
    page.get_by_role("button", name="Show answer").wait_for()
    synced(page)
    is_signed_in = "fetch('/web/letustudy/session').then((it) => it.json()).then((it) => it.isSignedIn)"
    with page.watch.expecting(0, 401):
        page.route("**/v1/sync", lambda route: route.abort("connectionrefused"))
        page.route("**/web/letustudy/session", lambda route: route.abort("connectionrefused"))
        answer(page)
        page.get_by_role("link", name=re.compile("Offline, 1 change waits")).wait_for()
        page.clock.fast_forward("05:30")
        # no one is asked, and nothing is shown, although the platform does not know yet
        page.get_by_role("heading", name="Welcome back").wait_for()
        page.keyboard.press("Shift")
        page.unroute("**/web/letustudy/session")
        assert page.evaluate(is_signed_in)
        page.reload()
        page.get_by_role("heading", name="Welcome back").wait_for()
        eventually(lambda: not page.evaluate(is_signed_in))
        page.unroute("**/v1/sync")
    page.get_by_label("E-mail or username").fill(student.username)
    page.get_by_label("Password", exact=True).fill(student.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    # what was not sent is sent by its owner
    eventually(lambda: student.call("GET", "/v1/home?utcOffsetMinutes=0")["today"]["reviews"]["answers"] == 1)


def test_who_returns_too_late_is_signed_out(sign_in, student):
    page = sign_in(student, "letustudy", "/settings")
    page.get_by_label("Sign out after").select_option("15 minutes")
    eventually(lambda: student.call("GET", "/v1/users/me/settings").get("logOutAfterMinutes") == 15)
    page.goto("about:blank")
    page.clock.install(time=time.time() + 14 * 60)
    page.goto("/letustudy/settings")
    page.get_by_role("heading", name="Settings").wait_for()
    page.goto("about:blank")
    page.clock.set_system_time(time.time() + 30 * 60)
    # the first synchronization may be under way
    with page.watch.expecting(401):
        page.goto("/letustudy/settings")
        page.get_by_role("heading", name="Welcome back").wait_for()


def test_text_is_imported_and_exported_on_the_device(sign_in, student):
    page = sign_in(student, "letustudy", "/import")
    page.get_by_label("Or paste a text").fill("canis\ndog\nfelis\ncat\nbos\n")
    page.get_by_label("Title of the new set").fill("Animals")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("heading", name="2 cards imported").wait_for()
    look(page)
    page.get_by_role("link", name="Show the set").click()
    page.get_by_role("heading", name="Animals").wait_for()
    page.get_by_role("button", name="More actions").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Export as text").click()
    assert download.value.path().read_text() == "canis\ndog\nfelis\ncat\n"
    synced(page)


def test_a_table_is_imported_by_the_platform(sign_in, student):
    page = sign_in(student, "letustudy", "/import")
    page.get_by_label("File").set_input_files({"name": "birds.csv", "mimeType": "text/csv", "buffer": b"front,back\ncorvus,raven\n"})
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("heading", name="1 card imported").wait_for()
    page.get_by_role("link", name="Show the set").click()
    page.get_by_text("raven").wait_for()


def import_package(page, data, title=""):
    """Imports an Anki package, and returns the cards of the set as they are shown."""
    page.get_by_label("File").set_input_files({"name": "deck.apkg", "mimeType": "application/octet-stream", "buffer": data})
    page.get_by_label("Title of the new set").fill(title)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("heading", name=re.compile("imported$")).wait_for()
    page.get_by_role("link", name="Show the set").click()
    rows = page.locator(".card-row")
    rows.first.wait_for()
    return {tuple(row.locator("p").all_text_contents()): row.locator(".chip").text_content() for row in rows.all()}


def test_a_set_goes_to_anki_and_back_with_its_schedule(sign_in, student):
    study_set = make_set(student)
    page = sign_in(student, "letustudy", f"/sets/{study_set}/study")
    answer(page, "Easy")
    page.get_by_text("ignis").wait_for()
    eventually(lambda: student.call("GET", "/v1/home?utcOffsetMinutes=0")["today"]["reviews"]["answers"] == 1)
    page.goto(f"/letustudy/sets/{study_set}")
    page.get_by_role("button", name="More actions").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name="Export for Anki").click()
    assert download.value.suggested_filename.endswith(".apkg")
    page.goto("/letustudy/import")
    cards = import_package(page, download.value.path().read_bytes(), "From Anki")
    page.get_by_role("heading", name="From Anki").wait_for()
    assert set(cards) == set(WORDS)
    assert "New" not in cards["aqua", "water"] and all("New" in cards[it] for it in WORDS[1:])


def test_a_package_of_anki_is_imported(sign_in, student, tmp_path):
    model = genanki.Model(1_607_392_319, "Vocabulary", fields=[{"name": "Word"}, {"name": "Meaning"}], templates=[
        {"name": "Recognize", "qfmt": "{{Word}}", "afmt": "{{FrontSide}}<hr id=answer>{{Meaning}}"}])
    deck = genanki.Deck(2_059_400_110, "Birds")
    for word, meaning in [("corvus", "raven"), ("aquila", "eagle")]:
        deck.add_note(genanki.Note(model, [word, f"<b>{meaning}</b>"]))
    genanki.Package(deck).write_to_file(tmp_path / "birds.apkg")
    page = sign_in(student, "letustudy", "/import")
    cards = import_package(page, (tmp_path / "birds.apkg").read_bytes())
    page.get_by_role("heading", name="deck").wait_for()
    assert set(cards) == {("corvus", "raven"), ("aquila", "eagle")}


def test_a_set_is_shared_by_a_link_and_published(sign_in, open_page, quintet, student):
    study_set = make_set(student, f"Latin {time.time_ns()}")
    title = student.call("GET", f"/v1/study-sets/{study_set}")["title"]
    page = sign_in(student, "letustudy", f"/sets/{study_set}/share")
    page.get_by_role("button", name="Make link").click()
    address = page.get_by_label("Link", exact=True).input_value()
    look(page)
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    friend = quintet.sign_up("Finn Friend", "letustudy")
    other = sign_in(friend, "letustudy", "/")
    other.goto(address)
    other.get_by_role("button", name="Join set").click()
    other.get_by_role("heading", name=title).wait_for()
    assert other.get_by_role("link", name="Edit cards").count() == 0
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    page.get_by_role("link", name="Show in the library").wait_for()
    address = copied(page, page.get_by_role("button", name="Share"))
    assert address == f"{quintet.url}/s/set/{study_set}"
    assert_previewed(open_page("about:blank"), address, title)
    page.get_by_role("link", name="Show in the library").click()
    page.get_by_role("heading", name=title).wait_for()
    other.goto("/letustudy/library")
    other.get_by_role("searchbox").fill(title)
    other.get_by_role("link", name=title).click()
    look(other)
    other.get_by_role("button", name="Copy to my sets").click()
    other.get_by_role("link", name="Edit cards").wait_for()


def test_every_page_looks_well(sign_in, student):
    study_set = make_set(student)
    page = sign_in(student, "letustudy")
    synced(page)
    for path in ["/", "/sets", "/sets/new", f"/sets/{study_set}", f"/sets/{study_set}/edit", f"/sets/{study_set}/cards",
                 f"/sets/{study_set}/study", f"/sets/{study_set}/quiz", f"/sets/{study_set}/share", "/study", "/join?token=x",
                 "/scan", f"/sets/{study_set}/scan", "/import", "/statistics", "/calendar", "/library", "/courses",
                 "/settings", "/sync", "/messages", "/messages/privacy"]:
        page.goto(f"/letustudy{path}")
        page.get_by_role("heading", level=1).wait_for()
        look(page)
    page.goto("/letustudy/study")
    answer(page, "Good")
    page.get_by_role("button", name="Show answer").click()
    look(page)
    page.goto("/letustudy/statistics")
    page.get_by_role("heading", name="Time by day").wait_for()
    look(page)


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_other_languages_fit(sign_in, student, language):
    study_set = make_set(student)
    page = sign_in(student, "letustudy")
    for path in ["/", f"/sets/{study_set}", f"/sets/{study_set}/study", f"/sets/{study_set}/scan", "/statistics", "/calendar",
                 "/settings"]:
        page.goto(f"/letustudy{path}?language={language}")
        page.get_by_role("heading", level=1).wait_for()
        look(page)
