"""The first page of every app, signed out and signed in: what it weighs, and how it looks."""

import uuid

import pytest

from files import picture, recording, upload
from looks import look
from quintet import ROOT
from roommates import like, new_city, roommate
from staff import make_staff, sign_in_staff

CLIENT = ROOT / "Services/Web/Client"
APPS = sorted(it.parent.name for it in CLIENT.glob("*/page.json"))
# Those of the apps, and of folders in them.
PAGES = sorted(str(it.parent.relative_to(CLIENT)) for it in CLIENT.glob("*/**/page.json"))
LANGUAGES = ["de", "en"]
MOST_BYTES = 60_000


def weigh(page, path):
    """Opens a page as a browser does that has nothing of it yet; returns how many bytes each file takes."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    devtools.send("Network.setBypassServiceWorker", {"bypass": True})
    sizes, pending = {}, set()

    def begin(request):
        # the stream of events does not end
        if not request.url.split("?")[0].endswith("/v1/events"):
            pending.add(request)

    def end(request):
        if request.resource_type in ("document", "script", "stylesheet", "manifest"):
            sizes[request.url] = request.sizes()["responseBodySize"]
        # last, because the size has to be waited for
        pending.discard(request)

    page.on("request", begin)
    page.on("requestfinished", end)
    page.on("requestfailed", lambda request: pending.discard(request))
    page.goto(path)
    page.get_by_role("heading", level=1).wait_for()
    page.locator("[aria-busy=true], .skeleton").first.wait_for(state="detached")
    while pending:
        page.wait_for_timeout(50)
    return sizes


def assert_light(sizes, most=MOST_BYTES):
    total = sum(sizes.values())
    assert 0 < total <= most, f"{total} bytes: {sorted(sizes.items(), key=lambda it: -it[1])[:10]}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_a_first_page_is_light_and_accessible(open_page, path, language):
    page = open_page("about:blank", locale=language)
    assert_light(weigh(page, f"/{path}/"))
    look(page)


def post(person, path, body):
    return person.call("POST", path, body, **{"Idempotency-Key": f'"{uuid.uuid4()}"'})


def artist(quintet):
    """Someone who sees listings."""
    seller = quintet.sign_up("Ada Lovelace", "archived")
    media = {"audio": upload(seller, recording(), "beat.wav", "audio"), "cover": upload(seller, picture(), "cover.png", "image")}
    price = {"amount": 1900, "currency": "USD"}
    lease = {"kind": "lease", "price": price, "files": ["mp3"], "territory": "worldwide", "ownerShare": 5000}
    post(seller, "/v1/listings", {"kind": "beat", "name": "Glasshouse", "tags": ["lofi"], "licenses": [lease]} | media)
    return quintet.sign_up("Ben Artist", "archived")


def athlete(quintet):
    """Someone who trains, and sees what others do."""
    ada, ben = quintet.sign_up("Ada Lovelace", "keepfit"), quintet.sign_up("Ben Coach", "keepfit")
    for person in (ada, ben):
        person.call("PUT", "/v1/users/me/consents", {
            "decisions": [{"purpose": "healthData", "textVersion": "2026-11", "isGiven": True}]})
        person.call("PATCH", "/v1/users/me", {"details": {"weightGrams": 70_000, "heightMillimetres": 1750}})
    ada.call("PUT", f"/v1/follows/{ben.id}")
    for person in (ada, ben):
        workout = person.call("POST", "/v1/workouts", {"type": "yoga", "intensity": "light"})
        person.call("POST", f"/v1/workouts/{workout['id']}/finish", {})
    ben.call("PUT", f"/v1/workouts/{workout['id']}/sharing", {"includesKilocalories": True})
    return ada


def seeker(quintet):
    """Someone with cards in the deck, and a like."""
    city = new_city()
    ada, ben, _ = (roommate(quintet, name, city) for name in ("Ada", "Ben", "Cleo"))
    like(ben, ada)
    return ada


def student(quintet):
    """Someone with a set of cards."""
    ada = quintet.sign_up("Ada Lovelace", "letustudy")
    study_set = post(ada, "/v1/study-sets", {"title": "Capitals"})
    post(ada, f"/v1/study-sets/{study_set['id']}/cards", {"front": "France", "back": "Paris"})
    return ada


STARTS = {"archived": artist, "keepfit": athlete, "roomi": seeker, "letustudy": student}


@pytest.mark.parametrize("app", [it for it in APPS if it != "admin"])
def test_a_signed_in_start_is_light_and_accessible(sign_in, quintet, app):
    person = STARTS.get(app, lambda it: it.sign_up())(quintet)
    page = sign_in(person, app)
    for language in LANGUAGES:
        assert_light(weigh(page, f"/{app}/?language={language}"))
    page.get_by_role("button", name=person.name, exact=True).wait_for()
    look(page)


@pytest.mark.parametrize("path, role", [("/admin/", "administrator"), ("/admin/shop/", "owner")])
def test_a_start_of_staff_is_light_and_accessible(open_page, quintet, path, role):
    person = make_staff(quintet, role, "Amira Staff")
    page = sign_in_staff(open_page(path), person)
    for language in LANGUAGES:
        assert_light(weigh(page, f"{path}?language={language}"))
    page.get_by_role("button", name=person.name, exact=True).wait_for()
    look(page)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_without_its_script_says_so(open_page, path):
    page = open_page("about:blank", java_script_enabled=False)
    # the browser loads no modules that it will not run
    with page.watch.expecting(0):
        page.goto(f"/{path}/", wait_until="networkidle")
    # Not `get_by_text`, which leaves out what is in a `noscript`.
    for language, words in {"en": "needs JavaScript", "de": "braucht JavaScript"}.items():
        sentence = page.locator(f"noscript p:lang({language})")
        sentence.wait_for()
        assert words in sentence.inner_text()
