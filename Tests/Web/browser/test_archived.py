"""The app `archived`: listings, auctions between two browsers, offers, payment, licenses."""

import datetime
import time
import uuid

import pytest

from files import download, picture, recording, upload
from looks import look
from quintet import StartedQuintet
from shares import assert_previewed, copied


def usd(amount):
    return {"amount": amount, "currency": "USD"}


LICENSES = [
    {"kind": "lease", "price": usd(1900), "files": ["mp3"], "streams": 100_000, "days": 365, "territory": "worldwide", "ownerShare": 5000},
    {"kind": "exclusive", "price": usd(39900), "files": ["mp3", "wav"], "territory": "worldwide", "ownerShare": 5000},
]


class Shop:
    """A seller with a recording and a cover, from which each test makes listings of its own."""

    def __init__(self, quintet):
        self.seller = quintet.sign_up("Ada Lovelace", "archived")
        self.audio = upload(self.seller, recording(), "beat.wav", "audio")
        self.cover = upload(self.seller, picture(), "cover.png", "image")

    def listing(self, name="Glasshouse", **changes):
        body = {"kind": "beat", "name": name, "tags": ["lofi"], "description": "Late-night chords.", "audio": self.audio,
                "cover": self.cover, "licenses": LICENSES, "acceptsOffers": True} | changes
        return self.post("/v1/listings", body)

    def auction(self, listing, minutes=60, **changes):
        closes = datetime.datetime.now(datetime.UTC) + datetime.timedelta(minutes=minutes)
        body = {"listingID": listing["id"], "startPrice": usd(5000), "closesAt": closes.strftime("%Y-%m-%dT%H:%M:%SZ")}
        return self.post("/v1/auctions", body | changes)

    def post(self, path, body):
        return self.seller.call("POST", path, body, **key())


def key():
    return {"Idempotency-Key": f'"{uuid.uuid4()}"'}


@pytest.fixture(scope="session")
def shop(quintet):
    return Shop(quintet)


@pytest.fixture
def buyer(quintet):
    return quintet.sign_up("Ben Artist", "archived")


def bid(page, amount):
    page.get_by_label("Your maximum").fill(amount)
    page.get_by_role("button", name="Place bid").click()


def buy(person, listing, license, token="test_success"):
    person.call("POST", "/v1/cart/items", {"listingID": listing["id"], "license": license, "quantity": 1}, **key())
    body = {"region": "DE", "payment": {"provider": "test", "token": token}}
    return person.call("POST", "/v1/cart/checkout", body, **key())


def pay(page, price):
    """Pays on the page of a cart or an order. Once any country has a tax, as in other tests, the buyer's has to be known."""
    page.get_by_role("combobox", name="Country").select_option("DE")
    page.get_by_role("button", name=f"Pay {price}").click()


@pytest.mark.hosting
def test_sign_up_leads_to_the_feed_and_a_first_purchase(open_page, quintet, shop):
    name = f"Sea Glass {uuid.uuid4().hex[:6]}"
    shop.listing(name)
    page = open_page("/archived/sign-up")
    username = f"cleo-{uuid.uuid4().hex[:10]}"
    page.get_by_label("Your name").fill("Cleo Carter")
    page.get_by_label("Username").fill(username)
    page.get_by_label("E-mail").fill(f"{username}@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Beats", level=1).wait_for()
    page.get_by_role("link", name=name).click()
    page.get_by_role("heading", name=name, level=1).wait_for()
    page.get_by_role("button", name="Add to cart: Lease").click()
    page.get_by_role("link", name="Cart with 1 license").click()
    page.get_by_role("heading", name="Checkout").wait_for()
    look(page)
    pay(page, "$19.00")
    page.get_by_role("heading", name="Thank you").wait_for()
    look(page)
    page.get_by_role("link", name="License", exact=True).click()
    page.get_by_role("heading", name="Files").wait_for()
    look(page)


def test_feeds_are_searched_and_filtered_by_tag(sign_in, shop, buyer):
    word = uuid.uuid4().hex[:8]
    shop.listing(f"Night {word}", tags=[f"tag{word}"])
    shop.listing(f"Verse {word}", kind="open")
    page = sign_in(buyer, "archived")
    page.get_by_role("searchbox").fill(word)
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("link", name=f"Night {word}").wait_for()
    assert page.get_by_role("listitem").filter(has=page.locator(".track")).count() == 1
    page.get_by_role("link", name=f"Night {word}").click()
    page.get_by_role("link", name=f"tag{word}").click()
    page.get_by_role("button", name=f"Remove the tag tag{word}").wait_for()
    look(page)
    page.get_by_role("link", name="Opens", exact=True).click()
    page.get_by_role("link", name=f"Verse {word}").wait_for()
    look(page)


@pytest.mark.hosting
def test_two_browsers_bid_against_each_other(sign_in, quintet, shop, buyer):
    rival = quintet.sign_up("Cleo Carter", "archived")
    auction = shop.auction(shop.listing(f"Duel {uuid.uuid4().hex[:6]}"))
    path = f"/auctions/{auction['id']}"
    one, other = sign_in(buyer, "archived", path), sign_in(rival, "archived", path)
    for page in (one, other):
        page.get_by_text("No one has bid yet.").wait_for()
    look(one)
    bid(one, "60")
    one.get_by_text("You lead. Your maximum is $60.00.").wait_for()
    # the start price, whatever the maximum is
    other.locator("[data-price='5000']").wait_for()
    other.get_by_role("heading", name="1 bid").wait_for()

    bid(other, "100")
    other.get_by_text("You lead. Your maximum is $100.00.").wait_for()
    one.get_by_text("You have been outbid.").wait_for()
    one.locator("[data-price='6100']").wait_for()
    look(one)

    with one.watch.expecting(409):
        bid(one, "61")
        one.get_by_role("alert").filter(has_text="below the minimum").wait_for()
    bid(one, "200")
    one.get_by_text("You lead. Your maximum is $200.00.").wait_for()
    other.get_by_text("You have been outbid.").wait_for()
    shows_price(auction, buyer, one, other)

    # who is elsewhere in the app gets a notice that leads back
    bid(other, "300")
    other.get_by_text("You lead. Your maximum is $300.00.").wait_for()
    other.get_by_role("link", name="Library").click()
    other.get_by_role("heading", name="Library").wait_for()
    bid(one, "400")
    other.get_by_text("You have been outbid.").wait_for()
    other.get_by_role("button", name="Show").click()
    shows_price(auction, buyer, one, other)


def shows_price(auction, person, *pages):
    price = person.call("GET", f"/v1/auctions/{auction['id']}")["price"]["amount"]
    for page in pages:
        page.locator(f"[data-price='{price}']").wait_for()


def test_an_auction_ends_on_the_clock_of_the_platform_and_is_paid(sign_in, quintet, shop, buyer):
    listing = shop.listing(f"Sprint {uuid.uuid4().hex[:6]}")
    # the device's clock is an hour ahead, which must not matter
    page = sign_in(buyer, "archived")
    page.clock.set_system_time(datetime.datetime.now() + datetime.timedelta(hours=1))
    auction = shop.auction(listing, buyNow=usd(20_000))
    page.goto(f"/archived/auctions/{auction['id']}")
    page.get_by_text("59:").first.wait_for()
    page.get_by_role("button", name="Buy now for $200.00").click()
    page.get_by_role("dialog").get_by_role("button", name="Buy now").click()
    page.get_by_role("heading", name="Order", exact=True).wait_for()
    pay(page, "$200.00")
    page.get_by_role("heading", name="Thank you").wait_for()
    page.goto(f"/archived/auctions/{auction['id']}")
    page.get_by_text("Sold", exact=True).wait_for()


def test_the_bank_confirms_a_payment(sign_in, quintet, shop, buyer):
    listing = shop.listing()
    buyer.call("POST", "/v1/cart/items", {"listingID": listing["id"], "license": "lease", "quantity": 1}, **key())
    page = sign_in(buyer, "archived", "/cart")
    page.get_by_text("Test card that is declined").click()
    pay(page, "$19.00")
    page.get_by_role("heading", name="The payment has failed").wait_for()
    look(page)
    page.get_by_text("Test card that asks the bank").click()
    pay(page, "$19.00")
    page.get_by_role("heading", name="Waiting for your bank").wait_for()
    look(page)
    order = buyer.call("GET", f"/v1/orders/{page.url.rsplit('/', 1)[1]}")
    quintet.bank_confirms(order["payment"])
    # without a reload: the event of the order shows it
    page.get_by_role("heading", name="Thank you").wait_for()


@pytest.mark.hosting
def test_the_file_of_a_license_downloads_and_only_then(sign_in, quintet, shop, buyer):
    listing = shop.listing(f"Vault {uuid.uuid4().hex[:6]}")
    page = sign_in(buyer, "archived", f"/listings/{listing['id']}")
    page.get_by_text("This is a preview with a tag.").wait_for()
    assert page.get_by_role("link", name="You have a license").count() == 0
    with page.watch.expecting(403, 404):
        for file in ("mp3", "wav"):
            status = page.evaluate(FETCH, f"/web/archived/v1/media/{listing['audio']}/content?file={file}")
            assert status in (403, 404)
    buy(buyer, listing, "exclusive")
    page.reload()
    page.get_by_role("link", name="You have a license").click()
    for name, start in (("MP3", None), ("WAV", b"RIFF")):
        with page.expect_download() as saved:
            page.get_by_role("button", name=f"Download {name}").click()
        content = saved.value.path().read_bytes()
        assert len(content) > 1000
        assert start is None or content.startswith(start)
    # the address is of no use to another person
    stranger = sign_in(quintet.sign_up("Eve Other", "archived"), "archived")
    with stranger.watch.expecting(403, 404):
        assert stranger.evaluate(FETCH, f"/web/archived/v1/media/{listing['audio']}/content?file=wav") in (403, 404)
        stranger.goto(page.url)
        stranger.get_by_role("heading", name="Page not found").wait_for()


FETCH = "(path) => fetch(path).then((it) => it.status)"


def test_a_listing_is_published_and_its_upload_survives_lost_connections(sign_in, quintet):
    seller = quintet.sign_up("Dora Producer", "archived")
    page = sign_in(seller, "archived", "/listings/new")
    page.get_by_role("heading", name="New listing").wait_for()
    look(page)
    sent = []

    def interrupt(route):
        sent.append(route.request.method)
        # the first piece of the recording gets lost, and then the first try to continue
        if len(sent) <= 2:
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/v1/uploads/*", interrupt)
    with page.watch.expecting(0):
        page.get_by_label("Audio file").set_input_files({"name": "tide.wav", "mimeType": "audio/wav", "buffer": recording(4)})
        page.get_by_text("Uploaded: tide.wav").wait_for(timeout=120_000)
    assert sent.count("HEAD") >= 2
    page.unroute("**/v1/uploads/*")
    page.get_by_label("Cover").set_input_files({"name": "c.png", "mimeType": "image/png", "buffer": picture(20)})
    page.get_by_text("Uploaded: c.png").wait_for(timeout=120_000)
    page.get_by_label("Title").fill("Low Tide")
    page.get_by_label("Tags").fill("Ambient, #sea")
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("Please fill in this field.").first.wait_for()
    page.get_by_label("Price: Lease").fill("24.50")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("heading", name="Low Tide", level=1).wait_for()
    listing = seller.call("GET", f"/v1/listings/{page.url.rsplit('/', 1)[1]}")
    assert (listing["price"], listing["tags"]) == (usd(2450), ["ambient", "sea"])
    look(page)
    page.get_by_role("button", name="Manage listing").click()
    page.get_by_role("menuitem", name="Edit listing").click()
    page.get_by_label("Title").fill("High Tide")
    page.get_by_role("button", name="Save changes").click()
    page.get_by_role("heading", name="High Tide", level=1).wait_for()


def test_an_upload_goes_on_after_a_reload(sign_in, quintet, tmp_path):
    seller = quintet.sign_up("Dora Producer", "archived")
    page = sign_in(seller, "archived", "/listings/new")
    # more than one piece of 4 MiB, of which only the first arrives
    file = tmp_path / "long.wav"
    file.write_bytes(recording(120))
    offsets = []

    def stop(route):
        if route.request.method != "PATCH":
            return route.continue_()
        offsets.append(int(route.request.headers["upload-offset"]))
        return route.continue_() if offsets[-1] == 0 else route.abort("connectionreset")

    page.route("**/v1/uploads/*", stop)
    with page.watch.expecting(0):
        page.get_by_label("Audio file").set_input_files(file)
        page.get_by_role("progressbar").wait_for()
        wait_until(lambda: len(offsets) > 1, page)
        page.unroute("**/v1/uploads/*")
        page.on("dialog", lambda dialog: dialog.accept())
        page.reload()
    page.route("**/v1/uploads/*", lambda route: (
        route.request.method == "PATCH" and offsets.append(int(route.request.headers["upload-offset"])), route.continue_()))
    resumed = len(offsets)
    page.get_by_label("Audio file").set_input_files(file)
    page.get_by_text("Uploaded: long.wav").wait_for(timeout=120_000)
    assert 0 not in offsets[resumed:]


@pytest.mark.hosting
def test_an_upload_survives_a_killed_gateway(sign_in, quintet, tmp_path):
    if not isinstance(quintet, StartedQuintet):
        pytest.skip("kills the platform, so it has to be one that was started for the tests")
    seller = quintet.sign_up("Dora Producer", "archived")
    page = sign_in(seller, "archived", "/listings/new")
    file = tmp_path / "long.wav"
    file.write_bytes(recording(150))
    offsets = []
    page.on("request", lambda it: it.method == "PATCH" and offsets.append(int(it.headers["upload-offset"])))
    # so slow that the second piece is on its way for two seconds
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 1 << 20})
    with page.watch.expecting(0):
        page.get_by_label("Audio file").set_input_files(file)
        wait_until(lambda: len(offsets) > 1, page)
        quintet.kill_edge()
        page.get_by_role("progressbar").wait_for()
        quintet.start(quintet.edge)
        page.get_by_text("Uploaded: long.wav").wait_for(timeout=120_000)
    assert offsets[0] == 0 and len(offsets) > 2
    assert 0 not in offsets[1:]
    [medium] = seller.call("GET", f"/v1/media?owner={seller.id}")["items"]
    assert download(seller, f"/v1/media/{medium['id']}/content") == file.read_bytes()


def wait_until(condition, page):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        page.wait_for_timeout(50)


def test_comments_likes_and_the_archive(sign_in, shop, buyer):
    listing = shop.listing(f"Talked {uuid.uuid4().hex[:6]}")
    path = f"/listings/{listing['id']}"
    fan, owner = sign_in(buyer, "archived", path), sign_in(shop.seller, "archived", path)
    fan.get_by_label("Write a comment").fill("That bass!")
    fan.get_by_role("button", name="Comment", exact=True).click()
    fan.get_by_role("heading", name="1 comment").wait_for()
    # the owner sees it without a reload, and answers
    owner.get_by_text("That bass!").wait_for()
    owner.get_by_role("button", name="Reply").click()
    owner.get_by_label("Write a reply").fill("Thank you.")
    owner.locator("form").filter(has=owner.get_by_label("Write a reply")).get_by_role("button", name="Reply").click()
    owner.get_by_text("Thank you.").wait_for()
    look(owner)
    fan.get_by_role("button", name="Like (0 people do)").first.click()
    fan.get_by_role("button", name="Save (0 people have)").click()
    fan.get_by_role("button", name="Save (1 person has)").wait_for()
    fan.goto("/archived/library?tab=saved")
    fan.get_by_role("link", name=listing["name"]).wait_for()
    assert buyer.call("GET", f"/v1/listings/{listing['id']}")["likeCount"] == 1
    look(fan)


def test_a_listing_is_shared(sign_in, open_page, quintet, shop, buyer):
    listing = shop.listing(f"Shared {uuid.uuid4().hex[:6]}")
    page = sign_in(buyer, "archived", f"/listings/{listing['id']}")
    address = copied(page, page.get_by_role("button", name="Share", exact=True))
    assert address == f"{quintet.url}/s/listing/{listing['id']}"
    assert_previewed(open_page("about:blank"), address, listing["name"])


@pytest.mark.hosting
def test_an_offer_is_negotiated_in_the_conversation_and_paid(sign_in, shop, buyer):
    listing = shop.listing(f"Deal {uuid.uuid4().hex[:6]}")
    page = sign_in(buyer, "archived", f"/listings/{listing['id']}")
    page.get_by_role("button", name="Make an offer").click()
    look(page)
    page.get_by_label("License", exact=True).select_option("exclusive")
    page.get_by_label("Your offer").fill("300")
    page.get_by_role("button", name="Send offer").click()
    page.get_by_role("region", name="Offer of $300.00").wait_for()
    path = "/messages/" + page.url.rsplit("/", 1)[1]

    seller = sign_in(shop.seller, "archived", path)
    if seller.get_by_role("button", name="Accept request").count():
        seller.get_by_role("button", name="Accept request").click()
    seller.get_by_role("button", name="Counteroffer").click()
    seller.get_by_label("Your offer").fill("350")
    seller.get_by_role("button", name="Send offer").click()
    look(page)
    page.get_by_role("region", name="Offer of $350.00").get_by_role("button", name="Accept").click()
    page.get_by_role("link", name="Pay now").click()
    pay(page, "$350.00")
    page.get_by_role("heading", name="Thank you").wait_for()
    # catalog hears of it by an event
    end = time.monotonic() + 15
    while not shop.seller.call("GET", f"/v1/listings/{listing['id']}")["purchased"]:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_messages_arrive_at_once_with_typing_and_read(sign_in, quintet, shop, buyer):
    connect(buyer, shop.seller)
    shop.listing()
    page = sign_in(buyer, "archived", f"/people/{shop.seller.id}")
    page.get_by_role("heading", name=shop.seller.name, level=1).wait_for()
    page.locator(".track").first.wait_for()
    look(page)
    page.get_by_role("button", name="Message").click()
    field = page.get_by_label(f"Message {shop.seller.name}")
    field.wait_for()
    other = sign_in(shop.seller, "archived", "/messages/" + page.url.rsplit("/", 1)[1])
    other.get_by_label(f"Message {buyer.name}").wait_for()
    field.press_sequentially("Hi Ada")
    other.get_by_text(f"{buyer.name} is typing…").wait_for()
    field.press("Enter")
    other.locator(".bubble", has_text="Hi Ada").wait_for()
    page.get_by_text("Read", exact=True).wait_for()
    look(page)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Send a picture").click()
    chooser.value.set_files({"name": "hall.png", "mimeType": "image/png", "buffer": picture(30)})
    other.get_by_role("img", name="Photo", exact=True).wait_for(timeout=60_000)
    look(other)
    other.get_by_role("button", name="Actions").click()
    other.get_by_role("menuitem", name="Report").click()
    look(other)
    other.get_by_role("dialog").get_by_role("button", name="Send report").click()
    other.get_by_text("Support looks at it.").wait_for()
    inbox = sign_in(shop.seller, "archived", "/messages")
    inbox.get_by_role("link", name=buyer.name).first.wait_for()
    look(inbox)


def connect(one, other):
    request = one.call("POST", "/v1/connections", {"userID": other.id})
    other.call("POST", f"/v1/connections/{request['id']}/accept")


def test_people_connect(sign_in, quintet):
    ada, ben = quintet.sign_up(f"Ada {uuid.uuid4().hex[:6]}", "archived"), quintet.sign_up("Ben Artist", "archived")
    page = sign_in(ben, "archived", "/explore")
    page.get_by_role("searchbox").fill(ada.username)
    page.get_by_role("button", name="Search", exact=True).click()
    row = page.get_by_role("article").filter(has_text=ada.username)
    row.get_by_role("button", name="Connect").click()
    row.get_by_role("button", name="Withdraw request").wait_for()
    look(page)
    other = sign_in(ada, "archived", "/connections?tab=incoming")
    look(other)
    other.get_by_role("button", name="Accept").click()
    other.get_by_text("No requests").wait_for()
    other.get_by_role("tab", name="Connections").click()
    other.get_by_role("link", name=ben.name).wait_for()
    look(other)


def test_the_profile_photo_is_cropped(sign_in, quintet):
    ada = quintet.sign_up("Ada Lovelace", "archived")
    page = sign_in(ada, "archived", "/profile")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose a photo").click()
    chooser.value.set_files({"name": "me.png", "mimeType": "image/png", "buffer": picture(side=200)})
    page.get_by_label("Zoom").fill("2")
    page.get_by_role("button", name="Turn").click()
    look(page)
    page.get_by_role("button", name="Use photo").click()
    page.get_by_text("Saved").wait_for(timeout=120_000)
    photo = ada.call("GET", "/v1/users/me")["details"]["photo"]
    crop = ada.call("GET", f"/v1/media/{photo}/crop")["crop"]
    assert crop["quarterTurns"] == 1
    assert crop["rectangle"] == {"left": 50, "top": 50, "width": 100, "height": 100}
    look(page)


def test_earnings_are_paid_out(sign_in, quintet, shop):
    seller = Shop(quintet)
    buy(quintet.sign_up("Ben Artist", "archived"), seller.listing("Sold Once"), "exclusive")
    page = sign_in(seller.seller, "archived", "/earnings")
    page.get_by_role("link", name="Sold Once").wait_for()
    look(page)
    with page.watch.expecting(404):
        page.get_by_role("button", name="Pay out").click()
        page.get_by_label("Account holder").fill("Ada Lovelace")
        page.get_by_label("IBAN").fill("DE89370400440532013000")
        look(page)
        page.get_by_role("button", name="Save changes").click()
    page.get_by_label("Amount").fill("20")
    page.get_by_role("dialog").get_by_role("button", name="Pay out").click()
    page.get_by_text("$20.00 is on its way to your bank.").wait_for()
    page.get_by_role("tab", name="Pay-outs").click()
    page.get_by_text("DE****3000").wait_for()
    look(page)
    page.get_by_role("tab", name="Account").click()
    page.get_by_text("Sale").first.wait_for()


def test_settings_are_kept(sign_in, buyer):
    page = sign_in(buyer, "archived", "/settings")
    page.get_by_label("Connection requests").uncheck()
    page.locator("section", has=page.get_by_role("heading", name="Notifications")).get_by_role("button", name="Save").click()
    page.get_by_text("Saved").first.wait_for()
    assert buyer.call("GET", "/v1/users/me/settings")["mutedNotifications"] == ["connections"]
    page.get_by_role("button", name="Add a card").click()
    page.get_by_role("dialog").get_by_role("button", name="Add a card").click()
    page.get_by_role("button", name="Remove the card “Test card”").wait_for()
    look(page)


PAGES = [
    "/", "/opens", "/auctions", "/auctions?tab=bids", "/auctions?tab=watched", "/auctions?tab=own", "/messages",
    "/messages?tab=requests", "/cart", "/library", "/library?tab=saved", "/library?tab=orders", "/library?tab=offers",
    "/listings/new", "/earnings", "/explore", "/connections", "/connections?tab=incoming", "/connections?tab=outgoing",
    "/profile", "/settings",
]


def test_every_page_is_accessible_when_it_is_empty(sign_in, buyer):
    page = sign_in(buyer, "archived")
    for path in PAGES:
        page.goto(f"/archived{path}")
        page.get_by_role("heading", level=1).wait_for()
        page.locator(".skeleton").first.wait_for(state="hidden")
        look(page)


def test_the_forms_of_the_owner(sign_in, shop):
    listing = shop.listing()
    page = sign_in(shop.seller, "archived", f"/listings/{listing['id']}/edit")
    page.get_by_role("heading", name="Edit listing").wait_for()
    look(page)
    page.goto(f"/archived/listings/{listing['id']}/auction")
    page.get_by_label("Starting price").fill("50")
    page.get_by_label("Reserve").fill("10")
    with page.watch.expecting(422):
        page.get_by_role("button", name="Start an auction").click()
        page.locator("[aria-invalid=true], .field-error:visible").first.wait_for()
    look(page)
    page.get_by_label("Reserve").fill("80")
    page.get_by_role("button", name="Start an auction").click()
    page.get_by_text("This is your auction.").wait_for()
    page.get_by_text("Reserve not met").wait_for()
    look(page)


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_pages_hold_other_languages(sign_in, shop, language):
    listing = shop.listing()
    auction = shop.auction(listing)
    page = sign_in(shop.seller, "archived")
    for path in ("/", f"/listings/{listing['id']}", f"/auctions/{auction['id']}", "/settings", "/earnings", "/listings/new"):
        page.goto(f"/archived{path}?language={language}")
        page.get_by_role("heading", level=1).wait_for()
        page.locator(".skeleton").first.wait_for(state="hidden")
        assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar-XB" else "ltr")
        look(page)


def test_a_bid_is_placed_by_keys(sign_in, shop, buyer):
    auction = shop.auction(shop.listing())
    page = sign_in(buyer, "archived", "/auctions")
    page.locator(f"a[href$='{auction['id']}']").focus()
    page.keyboard.press("Enter")
    page.get_by_label("Your maximum").wait_for()
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.get_by_label("Your maximum").focus()
    page.keyboard.type("75")
    page.keyboard.press("Enter")
    page.get_by_text("You lead. Your maximum is $75.00.").wait_for()
