"""The app `roomi`: set-up, deck, match on both sides, chat, block, profile."""

import time

import pytest

from looks import look
from roommates import like, match, new_city, png, roommate, write


def next_step(page, heading):
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_role("heading", name=heading).wait_for()


def forget_missing_profile(page):
    """Who is new here has no profile: the platform says so by 404."""
    page.watch.faults = [it for it in page.watch.faults if not (it.startswith("404") and it.endswith("/roommates/profile"))]


def test_sign_up_leads_through_the_set_up_to_the_deck(open_page, quintet):
    city = new_city()
    roommate(quintet, "Ben", city)
    page = open_page("/roomi/sign-up", permissions=["geolocation"], geolocation={"latitude": 48.1, "longitude": 11.5})
    name = f"ada-{time.time_ns()}"
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Username").fill(name)
    page.get_by_label("E-mail").fill(f"{name}@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    with page.watch.expecting(404, 422):
        page.get_by_role("button", name="Create account").click()
        page.get_by_role("heading", name="Find someone you like to live with").wait_for()
        look(page)
        page.get_by_role("link", name="Set up my profile").click()
        page.get_by_label("Phone number").fill("12")
        page.get_by_role("button", name="Next", exact=True).click()
        page.get_by_text("Please enter the number with +").wait_for()
        look(page)
        page.get_by_label("Phone number").fill("+49 89 1234567")
        next_step(page, "Who are you?")
        page.get_by_label("Full name").fill("Ada Winter")
        page.get_by_label("Birthday").fill("2020-03-04")
        page.get_by_label("Gender").select_option("female")
        page.get_by_role("button", name="Next", exact=True).click()
        page.get_by_text("must be at least 18 years ago").wait_for()
    assert page.evaluate("document.activeElement.name") == "identity.birthday"
    look(page)
    page.get_by_label("Birthday").fill("2001-03-04")
    next_step(page, "Say something about yourself")
    page.get_by_label("Bio").fill("I paint.")
    look(page)
    next_step(page, "How do you want to live?")
    page.get_by_label("City").fill(city)
    page.get_by_label("Country").select_option("DE")
    page.get_by_role("group", name="Monthly rent").get_by_label("To").fill("900")
    smoking = page.get_by_role("group", name="Smoking", exact=True)
    smoking.get_by_label("How much it counts").select_option("must")
    look(page)
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_text("Choose what is fine for a roommate.").first.wait_for()
    smoking.get_by_role("group", name="Smoking: fine for a roommate").get_by_label("Non-smoker").check()
    next_step(page, "Show yourself")
    page.get_by_label("Add photos").set_input_files(
        [{"name": f"{n}.png", "mimeType": "image/png", "buffer": png(time.time_ns() + n)} for n in range(2)])
    for number in (1, 2):
        page.get_by_role("img", name=f"Photo {number}").wait_for(timeout=120_000)
    page.get_by_role("button", name="Make photo 2 the card picture").click()
    look(page)
    next_step(page, "This is your card")
    look(page)
    page.get_by_role("button", name="Create profile").click()
    page.get_by_role("article", name="Ben, 25").wait_for()
    assert page.title() == "Discover · Roomi"


def test_back_keeps_what_was_entered_and_cancel_drops_it(sign_in, quintet):
    ada = quintet.sign_up("Ada", app="roomi")
    page = sign_in(ada, "roomi", "/setup/contact")
    page.get_by_label("Phone number").fill("+49895551234")
    next_step(page, "Who are you?")
    page.get_by_label("Full name").fill("Ada Winter")
    page.get_by_role("link", name="Back").click()
    page.get_by_role("heading", name="What is your phone number?").wait_for()
    assert page.get_by_label("Phone number").input_value() == "+49895551234"
    next_step(page, "Who are you?")
    assert page.get_by_label("Full name").input_value() == "Ada Winter", "what was typed stays when one goes back"
    page.get_by_label("Birthday").fill("2001-03-04")
    page.get_by_label("Gender").select_option("undisclosed")
    next_step(page, "Say something about yourself")

    page.goto("/roomi/")
    page.get_by_role("link", name="Continue").click()
    page.get_by_role("heading", name="Say something about yourself").wait_for()
    page.get_by_role("button", name="Cancel").click()
    dialog = page.get_by_role("dialog", name="Cancel the set-up?")
    look(page)
    dialog.get_by_role("button", name="Cancel").click()
    assert page.get_by_role("heading", name="Say something about yourself").is_visible()
    page.get_by_role("button", name="Cancel").click()
    dialog.get_by_role("button", name="Discard everything").click()
    page.get_by_text("Your answers are deleted.").wait_for()
    with pytest.raises(AssertionError, match="roommate-profile-not-found"):
        ada.call("GET", "/v1/roommates/profile")
    page.get_by_role("link", name="Set up my profile").click()
    assert page.get_by_label("Phone number").input_value() == ""
    forget_missing_profile(page)


def test_a_cancelled_set_up_can_take_the_account_with_it(sign_in, quintet):
    ada = quintet.sign_up("Ada", app="roomi")
    page = sign_in(ada, "roomi", "/setup/contact")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_label("Also delete my account").check()
    page.get_by_role("button", name="Discard everything").click()
    page.get_by_role("heading", name="Welcome back").wait_for()
    forget_missing_profile(page)
    with pytest.raises(AssertionError, match="401"):
        quintet.call("POST", "/v1/auth/login", {"login": ada.username, "password": ada.password, "app": "roomi"})


@pytest.mark.hosting
def test_two_browsers_match_and_chat(sign_in, quintet):
    city = new_city()
    ada, ben = roommate(quintet, "Ada", city), roommate(quintet, "Ben", city)
    ada_page, ben_page = sign_in(ada, "roomi"), sign_in(ben, "roomi", "/likes")
    ada_page.get_by_role("article", name="Ben, 25").wait_for()
    ada_page.keyboard.press("ArrowRight")
    ada_page.get_by_text("You have seen everyone who fits").wait_for()
    ben_page.reload()
    ben_page.get_by_role("article", name="Ada, 25").get_by_role("button", name="Like").click()
    dialogs = [page.get_by_role("dialog", name="It’s a match!") for page in (ada_page, ben_page)]
    for dialog in dialogs:
        dialog.wait_for()
    look(ben_page)
    dialogs[0].get_by_role("button", name="Message Ben").click()
    ada_page.get_by_role("heading", name="Ben", level=1).wait_for()
    dialogs[1].get_by_role("button", name="Message Ada").click()
    ben_page.get_by_role("heading", name="Ada", level=1).wait_for()
    ben_page.get_by_text("Active now").wait_for()

    field = ada_page.get_by_label("Message Ben")
    field.press_sequentially("Is the room ")
    ben_page.get_by_text("Ada is typing…").wait_for()
    field.press_sequentially("still free?")
    field.press("Enter")
    ben_page.locator(".bubble", has_text="Is the room still free?").wait_for()
    ada_page.get_by_text("Read", exact=True).wait_for()
    assert field.input_value() == ""
    ben_page.get_by_label("Message Ada").fill("It is!")
    ben_page.get_by_role("button", name="Send").click()
    ada_page.locator(".bubble", has_text="It is!").wait_for()
    look(ada_page)

    ada_page.get_by_role("button", name="Delete: Is the room still free?").click()
    ada_page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    ben_page.locator(".bubble", has_text="Message deleted").wait_for()


def test_a_block_ends_match_and_conversation_on_both_sides(sign_in, quintet):
    city = new_city()
    ada, ben = roommate(quintet, "Ada", city), roommate(quintet, "Ben", city)
    match(ada, ben)
    conversation = write(ben, ada, "Hello Ada")
    ben_page = sign_in(ben, "roomi", f"/messages/{conversation}")
    ben_page.get_by_label("Message Ada").wait_for()
    ada_page = sign_in(ada, "roomi", "/matches")
    ada_page.get_by_role("link", name="Ben, 25").click()
    ada_page.get_by_role("heading", name="Ben Winter, 25").wait_for()
    look(ada_page)
    ada_page.get_by_role("button", name="Block").click()
    look(ada_page)
    ada_page.get_by_role("dialog").get_by_role("button", name="Block").click()
    ada_page.get_by_text("No matches yet").wait_for()
    ben_page.get_by_text("This conversation has ended. You cannot write to each other any more.").wait_for()
    assert ben_page.get_by_label("Message Ada").count() == 0
    assert ben.call("GET", "/v1/roommates/matches")["items"] == []
    ada_page.goto("/roomi/")
    ada_page.get_by_text("You have seen everyone who fits").wait_for()
    ada_page.goto("/roomi/blocked")
    ada_page.get_by_text("Ben").wait_for()
    look(ada_page)
    ada_page.get_by_role("button", name="Unblock").click()
    ada_page.get_by_role("dialog").get_by_role("button", name="Unblock").click()
    ada_page.get_by_text("You have blocked no one").wait_for()


def test_the_deck_is_decided_by_drag_buttons_and_keys(sign_in, quintet):
    city = new_city()
    ada = roommate(quintet, "Ada", city)
    people = {name: roommate(quintet, name, city) for name in ("Ben", "Cleo", "Dora", "Emil")}
    page = sign_in(ada, "roomi")
    top = page.locator(".swipe-card.is-top:not(.is-leaving)")
    seen = []

    def name():
        top.wait_for()
        return top.get_attribute("aria-label").split(",")[0]

    def gone(before):
        page.locator(f".swipe-card.is-top:not(.is-leaving):not([aria-label^={before}])").wait_for()

    seen.append(name())
    look(page)
    box = top.bounding_box()
    page.mouse.move(box["x"] + 150, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] + 200, steps=3)
    page.mouse.move(box["x"] + 330, box["y"] + 200, steps=3)
    page.mouse.up()
    gone(seen[0])
    seen.append(name())
    page.get_by_role("button", name="Pass", exact=True).click()
    gone(seen[1])
    page.keyboard.press("Backspace")
    page.locator(f".swipe-card.is-top[aria-label^={seen[1]}]:not(.is-leaving)").wait_for()
    page.keyboard.press("ArrowLeft")
    gone(seen[1])
    seen.append(name())
    page.get_by_role("button", name=f"More about {seen[2]}").click()
    sheet = page.get_by_role("dialog", name=f"{seen[2]}, 25")
    sheet.get_by_role("heading", name="Why you fit").wait_for()
    look(page)
    sheet.get_by_role("button", name="Like").click()
    gone(seen[2])
    page.get_by_role("button", name="Like", exact=True).click()
    page.get_by_text("You have seen everyone who fits").wait_for()
    look(page)
    liked = {it["card"]["userID"] for it in ada.call("GET", "/v1/roommates/likes?direction=given")["items"]}
    assert liked == {person.id for name, person in people.items() if name != seen[1]}


def test_likes_are_answered_and_taken_back(sign_in, quintet):
    city = new_city()
    ada, ben, cleo = (roommate(quintet, name, city) for name in ("Ada", "Ben", "Cleo"))
    like(ben, ada)
    like(ada, cleo)
    page = sign_in(ada, "roomi", "/likes")
    page.get_by_role("article", name="Ben, 25").wait_for()
    look(page)
    page.get_by_role("tab", name="Like you").press("ArrowRight")
    page.get_by_role("article", name="Cleo, 25").get_by_role("button", name="Take back").click()
    page.get_by_text("You have no open likes").wait_for()
    look(page)
    page.get_by_role("tab", name="Like you").click()
    page.get_by_role("button", name="More about Ben").click()
    page.get_by_role("dialog").get_by_role("button", name="Like").click()
    page.get_by_role("dialog", name="It’s a match!").get_by_role("button", name="Keep looking").click()
    page.get_by_text("No open likes").wait_for()
    page.get_by_role("link", name="Matches").click()
    page.get_by_role("link", name="Ben, 25").wait_for()
    look(page)


def test_messages_can_be_reported(sign_in, quintet):
    city = new_city()
    ada, ben = roommate(quintet, "Ada", city), roommate(quintet, "Ben", city)
    match(ada, ben)
    write(ben, ada, "Send me money first")
    page = sign_in(ada, "roomi", "/messages")
    page.get_by_role("link", name="Send me money first").wait_for()
    look(page)
    page.get_by_role("link", name="Send me money first").click()
    page.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name="Report").click()
    dialog = page.get_by_role("dialog", name="Report messages")
    dialog.get_by_label("Reason").select_option("fraud")
    look(page)
    dialog.get_by_role("button", name="Send report").click()
    page.get_by_text("Thank you. Support looks at it.").wait_for()


def test_a_changed_profile_shows_at_once_for_others(sign_in, quintet):
    city = new_city()
    ada, ben = roommate(quintet, "Ada", city, photos=2), roommate(quintet, "Ben", city)
    first = ada.call("GET", "/v1/roommates/profile")["photos"]
    page = sign_in(ada, "roomi", "/profile")
    page.get_by_role("heading", name="Ada, 25").wait_for()
    look(page)
    page.get_by_role("link", name="Edit").click()
    page.get_by_label("Bio").fill("Now I play the cello.")
    page.get_by_role("button", name="Make photo 2 the card picture").click()
    page.get_by_role("group", name="Sleep: me").get_by_label("Night owl").check()
    look(page)
    page.get_by_role("button", name="Update profile").click()
    page.get_by_text("Now I play the cello.").wait_for()
    [card] = ben.call("GET", "/v1/roommates/deck")["items"]
    assert (card["bio"], card["photo"]) == ("Now I play the cello.", first["others"][0])
    assert card["preferences"]["sleep"]["own"] == "late"
    assert card["preferences"]["budget"]["to"] == 90_000, "what was not changed stays"


def test_settings_hide_typing_and_delete_the_profile(sign_in, quintet):
    ada = roommate(quintet, "Ada", new_city())
    page = sign_in(ada, "roomi", "/settings")
    look(page)
    page.get_by_label("Show when I am typing").uncheck()
    page.get_by_text("Saved").wait_for()
    assert ada.call("GET", "/v1/conversations/settings") == {"showTyping": False, "showPresence": True, "showRead": True}
    page.get_by_role("button", name="Delete my Roomi profile").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete my Roomi profile").click()
    page.get_by_role("heading", name="Find someone you like to live with").wait_for()


def test_empty_pages_say_what_to_do(sign_in, quintet):
    page = sign_in(roommate(quintet, "Ada", new_city()), "roomi")
    for path, title in {
        "/": "You have seen everyone who fits", "/likes": "No open likes", "/matches": "No matches yet",
        "/messages": "No messages yet", "/blocked": "You have blocked no one",
    }.items():
        page.goto(f"/roomi{path}")
        page.get_by_text(title).wait_for()
        look(page)


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_pages_hold_other_languages(sign_in, quintet, language):
    city = new_city()
    ada, ben = roommate(quintet, "Ada", city), roommate(quintet, "Ben", city)
    roommate(quintet, "Cleo", city)
    match(ada, ben)
    conversation = write(ben, ada, "Hello Ada")
    page = sign_in(ada, "roomi")
    for path in ("/", "/matches", f"/matches/{ben.id}", f"/messages/{conversation}", "/profile", "/profile/edit"):
        page.goto(f"/roomi{path}?language={language}")
        page.locator("h1").wait_for(state="attached")
        look(page)
