"""The app `keepfit`: set-up, workouts and who sees them, videos, live workouts, exercises, people."""

import datetime
import re
import subprocess
import time

import pytest

from looks import look

HEALTH = {"purpose": "healthData", "textVersion": "2026-11", "isGiven": True}


@pytest.fixture
def person(quintet):
    """Someone who has done the set-up: `person("Ada Lovelace")`."""

    def make(name="Ada Lovelace", **details):
        made = quintet.sign_up(name, "keepfit")
        made.call("PUT", "/v1/users/me/consents", {"decisions": [HEALTH]})
        body = {"gender": "female", "birthday": "1990-05-05", "weightGrams": 70000, "heightMillimetres": 1750,
                "fitnessLevel": "advanced"}
        made.call("PATCH", "/v1/users/me", {"details": body | details})
        return made

    return make


def past_workout(of, minutes=40, days=1, **more):
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=days, hours=1)
    end = start + datetime.timedelta(minutes=minutes)
    return of.call("POST", "/v1/workouts", {
        "type": "running", "intensity": "vigorous", "weight": 70000, "startedAt": start.isoformat(timespec="seconds"),
        "finishedAt": end.isoformat(timespec="seconds"), **more})


def live_workout(of, title):
    return of.call("POST", "/v1/livestreams", {"title": title, "joinURL": "https://meet.example.com/x", "workoutType": "yoga"})


@pytest.fixture
def world(person):
    """Someone with workouts, who follows someone with a live workout; and the ids of these."""
    ada, ben = person(), person("Ben Coach", bio="Strong is a habit.")
    ada.call("PUT", f"/v1/follows/{ben.id}")
    shared = past_workout(ben)
    ben.call("PUT", f"/v1/workouts/{shared['id']}/sharing", {"includesKilocalories": True})
    past_workout(ada, minutes=25, days=3)
    return ada, {"ben": ben.id, "cleo": person("Cleo Coach").id, "workout": past_workout(ada)["id"],
                 "stream": live_workout(ben, "Stretch")["id"]}


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    """A video of three seconds, with sound."""
    path = tmp_path_factory.mktemp("video") / "squats.mp4"
    subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=15:d=3", "-f", "lavfi", "-i",
         "sine=f=330:d=3", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "aac", str(path)], check=True)
    return path


def publish(page, recording, title):
    """Uploads a video and waits until it can be played; returns its id."""
    page.goto("/keepfit/create/video")
    page.get_by_label("Choose a video").set_input_files(recording)
    page.get_by_label("Title").fill(title)
    page.get_by_label("Tags").fill("legs, #Home")
    page.get_by_label("Type of workout").select_option(label="Squats and deadlifts")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("heading", name=title, level=1).wait_for()
    page.locator("video").wait_for(timeout=120_000)
    return page.url.rsplit("/", 1)[1]


@pytest.mark.hosting
def test_from_sign_up_to_a_workout_that_a_follower_sees_and_likes(open_page, sign_in, person, quintet):
    page = open_page("/keepfit/")
    page.get_by_role("link", name="New here? Create an account").click()
    username = f"grace-{time.time_ns()}"
    page.get_by_label("Your name").fill("Grace Hopper")
    page.get_by_label("Username").fill(username)
    page.get_by_label("E-mail").fill(f"{username}@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.get_by_role("button", name="Create account").click()

    page.get_by_role("heading", name="Tell us about yourself").wait_for()
    page.get_by_label("Gender").select_option("female")
    page.get_by_label("Birthday", exact=True).fill("1986-12-09")
    page.get_by_label("Weight in kg").fill("64.5")
    page.get_by_label("Height in cm").fill("168")
    page.get_by_label("Fitness level").select_option(label="Train regularly")
    page.get_by_role("button", name="Get started").click()
    page.get_by_text("Please agree, or leave").first.wait_for()
    page.get_by_label("KeepFit may keep").check()
    page.get_by_role("button", name="Get started").click()
    page.get_by_role("heading", name=re.compile("Grace")).wait_for()
    look(page)

    ben = person("Ben Coach")
    grace = ben.call("GET", f"/v1/users?query={username}")["items"][0]["id"]
    ben.call("PUT", f"/v1/follows/{grace}")
    other = sign_in(ben, "keepfit")
    other.get_by_role("heading", name="From people you follow").wait_for()
    other.get_by_text("Nothing new yet").wait_for()

    page.get_by_role("link", name="Start a workout").click()
    page.get_by_role("radio", name="Running", exact=True).check()
    page.get_by_role("radio", name="Vigorous").check()
    look(page)
    page.get_by_role("button", name="Start timer").click()
    page.get_by_role("heading", name="Running, Vigorous").wait_for()
    page.get_by_role("timer").get_by_text("0:02").wait_for()
    look(page)
    page.get_by_role("button", name="Pause").press("Enter")
    page.get_by_role("button", name="Resume").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Resume"
    # it is the platform that measures: the page may be closed meanwhile
    page.reload()
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Finish").click()
    page.get_by_text("Well done!").wait_for()
    assert page.locator(".result dd").nth(1).text_content().isdigit()
    look(page)
    page.get_by_role("button", name="Share with followers").click()
    page.get_by_label("Show calories").check()
    look(page)
    page.locator("dialog").get_by_role("button", name="Share", exact=True).click()
    page.get_by_text("Your followers see this workout and its calories.").wait_for()

    post = other.get_by_role("article").filter(has_text="finished a workout")
    post.get_by_text("Running").wait_for()
    assert "kcal" in post.text_content()
    post.get_by_role("button", name=re.compile("Fire")).click()
    page.get_by_role("img", name="Fire: 1").wait_for()
    look(other)


def test_set_up_can_wait_and_workouts_have_no_calories_without_a_weight(sign_in, quintet):
    ada = quintet.sign_up("Ada Lovelace", "keepfit")
    page = sign_in(ada, "keepfit")
    page.get_by_role("heading", name="Tell us about yourself").wait_for()
    look(page)
    page.get_by_role("button", name="Not now").click()
    page.get_by_role("heading", name=re.compile("Ada")).wait_for()
    workout = ada.call("POST", "/v1/workouts", {"type": "yoga", "intensity": "light"})
    ada.call("POST", f"/v1/workouts/{workout['id']}/finish", {})
    page.goto(f"/keepfit/workouts/{workout['id']}")
    page.get_by_role("heading", name="How many calories?").wait_for()
    page.get_by_label("Weight in kg").fill("70")
    page.get_by_label("KeepFit may keep").check()
    page.get_by_role("button", name="Compute").click()
    page.get_by_role("heading", name="How many calories?").wait_for(state="detached")
    assert page.locator(".result dd").nth(1).text_content().isdigit()


@pytest.mark.hosting
def test_an_uploaded_video_plays_is_found_and_saved(sign_in, person, recording):
    ada, ben = person(), person("Ben Coach")
    page = sign_in(ada, "keepfit")
    title = f"Squats {time.time_ns()}"
    video = publish(page, recording, title)
    look(page)
    assert "/hls/" in play(page)

    other = sign_in(ben, "keepfit", "/explore/videos")
    other.get_by_label("Search videos").fill(title)
    other.get_by_role("link", name=re.compile(title)).click()
    other.get_by_role("heading", name=title, level=1).wait_for()
    assert other.get_by_role("link", name="#home").is_visible()
    other.get_by_role("button", name="Save", exact=True).click()
    other.get_by_role("button", name="Saved").wait_for()
    other.goto("/keepfit/profile?tab=saved")
    other.get_by_role("link", name=re.compile(title)).wait_for()

    page.get_by_role("button", name="Actions for this video").click()
    page.get_by_role("menuitem", name="Edit").click()
    page.locator("dialog").get_by_label("Title").fill(f"{title} again")
    look(page)
    page.locator("dialog").get_by_role("button", name="Save").click()
    page.get_by_role("heading", name=f"{title} again").wait_for()
    page.get_by_role("button", name="Actions for this video").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("The video was deleted").wait_for()
    with other.watch.expecting(404):
        other.goto(f"/keepfit/explore/videos/{video}")
        other.get_by_role("heading", name="Page not found").wait_for()


def play(page):
    """Plays the video of a page until something was seen; returns the address of what was played."""
    video, end = page.locator("video"), time.monotonic() + 30
    while video.evaluate("(it) => { it.muted = true; it.play().catch(() => {}); return it.currentTime; }") < 0.5:
        assert time.monotonic() < end, "the video does not play"
        page.wait_for_timeout(100)
    return video.evaluate("(it) => it.currentSrc")


@pytest.mark.parametrize("fault", ["the browser plays no streams", "the stream cannot be loaded"])
def test_a_video_plays_as_a_file_when_it_cannot_as_a_stream(sign_in, person, recording, fault):
    ada = person()
    video = publish(sign_in(ada, "keepfit"), recording, f"Lunges {time.time_ns()}")
    page = sign_in(ada, "keepfit")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    if fault == "the browser plays no streams":
        page.add_init_script("HTMLMediaElement.prototype.canPlayType = () => ''")
        page.goto(f"/keepfit/explore/videos/{video}")
        assert play(page).endswith(f"/v1/media/{video}/content")
        assert not [it for it in asked if "/hls/" in it]
    else:
        page.route("**/hls/**", lambda route: route.abort("connectionreset"))
        with page.watch.expecting(0):
            page.goto(f"/keepfit/explore/videos/{video}")
            assert play(page).endswith(f"/v1/media/{video}/content")
            assert [it for it in asked if "/hls/" in it]


def test_an_upload_goes_on_after_the_connection_was_lost(sign_in, person, recording):
    page = sign_in(person(), "keepfit", "/create/video")
    lost = []

    def lose(route):
        if route.request.method == "PATCH" and len(lost) < 2:
            lost.append(route.request.url)
            return route.abort("connectionreset")
        route.continue_()

    page.route("**/v1/uploads/*", lose)
    with page.watch.expecting(0):
        page.get_by_label("Choose a video").set_input_files(recording)
        page.get_by_text("All of it is uploaded.").wait_for(timeout=30_000)
    assert len(lost) == 2


def test_a_file_that_is_no_video_is_refused(sign_in, person, tmp_path):
    fake = tmp_path / "notes.mp4"
    fake.write_text("This is no video. " * 100)
    page = sign_in(person(), "keepfit", "/create/video")
    with page.watch.expecting(415):
        page.get_by_label("Choose a video").set_input_files(fake)
        page.get_by_role("alert").locator("p, svg").first.wait_for()
    assert page.get_by_text("Choose a video").is_visible()


def test_a_video_is_shown_before_it_is_known_whether_it_is_saved(sign_in, person, recording):
    ada = person()
    video = publish(sign_in(ada, "keepfit"), recording, f"Planks {time.time_ns()}")
    ada.call("PUT", f"/v1/media/{video}/save")
    page = sign_in(ada, "keepfit")
    waiting = []
    page.route("**/v1/media/saved*", lambda route: waiting.append(route))
    page.goto(f"/keepfit/explore/videos/{video}")
    page.locator("video").wait_for()
    while not waiting:
        page.wait_for_timeout(50)
    assert not page.get_by_role("button", name="Save").is_visible()
    waiting.pop().continue_()
    page.get_by_role("button", name="Saved").wait_for()


def test_a_live_workout_is_planned_started_joined_and_ended(sign_in, person):
    cleo, ada = person("Cleo Coach"), person()
    ada.call("PUT", f"/v1/follows/{cleo.id}")
    title = f"Yoga {time.time_ns()}"
    viewer = sign_in(ada, "keepfit")
    viewer.get_by_role("heading", name="From people you follow").wait_for()
    host = sign_in(cleo, "keepfit", "/create/live")
    host.get_by_role("button", name="Schedule live workout").click()
    assert host.get_by_label("Title").get_attribute("aria-invalid") == "true"
    host.get_by_label("Title").fill(title)
    host.get_by_label("Type of workout").select_option(label="Yoga")
    host.get_by_label("Link of the meeting").fill("https://meet.example.com/yoga")
    host.get_by_role("button", name="Schedule live workout").click()
    host.get_by_role("heading", name=title).wait_for()
    look(host)
    # followers see it at once
    viewer.get_by_role("article").filter(has_text=title).get_by_role("link", name=re.compile(title)).click()
    viewer.get_by_role("heading", name=title).wait_for()
    assert viewer.get_by_role("link", name="Join").get_attribute("href") == "https://meet.example.com/yoga"
    stream = viewer.url.rsplit("/", 1)[1]
    cleo.call("POST", f"/v1/livestreams/{stream}/start", {})
    viewer.get_by_text("Live", exact=True).last.wait_for()
    viewer.goto("/keepfit/explore/live")
    viewer.get_by_label("Search live workouts").fill(title)
    viewer.get_by_role("link", name=re.compile(title)).wait_for()
    look(viewer)
    host.get_by_role("button", name="End").click()
    host.locator("dialog").get_by_role("button", name="End").click()
    host.locator("main").get_by_text("This live workout is over.").wait_for()


def test_an_exercise_is_found_saved_and_shared(sign_in, person):
    ada, ben = person(), person("Ben Coach")
    ben.call("PUT", f"/v1/follows/{ada.id}")
    page = sign_in(ada, "keepfit", "/explore/exercises")
    page.get_by_label("Search exercises").fill("goblet")
    page.get_by_role("link", name=re.compile("Goblet Squat")).click()
    page.get_by_role("heading", name="Goblet Squat").wait_for()
    page.get_by_role("button", name="Save exercise").click()
    page.get_by_role("button", name="Share with followers").click()
    page.get_by_text("No reactions yet").wait_for()
    look(page)
    other = sign_in(ben, "keepfit", f"/explore/people/{ada.id}")
    other.get_by_role("tab", name="Exercises").click()
    shared = other.get_by_role("article").filter(has_text="Goblet Squat")
    shared.get_by_role("button", name=re.compile("Heart")).click()
    page.get_by_role("img", name="Heart: 1").wait_for()
    page.go_back()
    page.get_by_label("Search exercises").wait_for()
    assert page.get_by_label("Search exercises").input_value() == "goblet"
    page.goto("/keepfit/profile?tab=exercises")
    page.get_by_role("link", name=re.compile("Goblet Squat")).wait_for()


def test_people_are_found_followed_and_blocked(sign_in, person):
    ada, ben = person(), person("Ben Coach")
    past_workout(ben)
    page = sign_in(ada, "keepfit", "/explore/people")
    page.get_by_label("Search people").fill(ben.username)
    found = page.get_by_role("listitem").filter(has_text=ben.username)
    found.get_by_role("button", name="Follow Ben Coach", exact=True).press("Enter")
    found.get_by_role("button", name="Unfollow Ben Coach").wait_for()
    assert page.evaluate("document.activeElement.ariaLabel") == "Unfollow Ben Coach"
    found.get_by_role("link", name="Ben Coach").click()
    page.get_by_role("heading", name="Ben Coach").wait_for()
    page.get_by_role("link", name="1 follower").click()
    page.get_by_role("heading", name="Followers").wait_for()
    page.get_by_role("link", name="Ada Lovelace").wait_for()
    look(page)
    page.goto(f"/keepfit/explore/people/{ben.id}")
    page.get_by_role("button", name="Unfollow Ben Coach").click()
    page.get_by_role("button", name="Follow Ben Coach", exact=True).wait_for()
    page.get_by_text("Follow Ben Coach to see").wait_for()
    page.get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Block").click()
    page.locator("dialog").get_by_role("button", name="Block").click()
    page.get_by_text("Blocked", exact=True).wait_for()
    assert [it["userID"] for it in ada.call("GET", "/v1/blocks")["items"]] == [ben.id]


def test_health_data_goes_with_the_consent(sign_in, person):
    ada = person()
    page = sign_in(ada, "keepfit", "/profile/edit")
    page.get_by_label("Weight in kg").fill("71.5")
    page.get_by_label("About me").fill("Lifts things.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("71.5 kg").wait_for()
    page.goto("/keepfit/settings")
    page.get_by_role("button", name="Withdraw consent").click()
    look(page)
    page.locator("dialog").get_by_role("button", name="Withdraw consent").click()
    page.get_by_role("button", name="Give consent").wait_for()
    assert "weightGrams" not in ada.call("GET", "/v1/users/me")["details"]
    page.goto("/keepfit/profile/edit")
    page.get_by_text("when you have agreed in the settings").wait_for()
    assert page.get_by_label("Weight in kg").count() == 0
    look(page)


def test_notifications_are_chosen(sign_in, person):
    ada = person()
    page = sign_in(ada, "keepfit", "/settings")
    page.get_by_label("Live workouts of people I follow").uncheck()
    page.get_by_label("Quiet from").fill("22:00")
    page.get_by_label("Quiet until").fill("06:30")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved", exact=True).wait_for()
    settings = ada.call("GET", "/v1/users/me/settings")
    assert settings["mutedNotifications"] == ["liveWorkouts"]
    assert (settings["quietHours"]["from"], settings["quietHours"]["until"]) == ("22:00", "06:30")


def test_a_past_workout_is_added_changed_and_deleted(sign_in, person):
    page = sign_in(person(), "keepfit", "/workouts")
    page.get_by_role("button", name="Add a past workout").click()
    dialog = page.locator("dialog")
    dialog.get_by_label("Type of workout").select_option("swimming")
    dialog.get_by_label("Start").fill("2026-01-05T07:30")
    dialog.get_by_label("Minutes").fill("45")
    look(page)
    dialog.get_by_role("button", name="Add").click()
    page.get_by_role("heading", name=re.compile("Swimming")).wait_for()
    assert page.locator(".result dd").first.text_content() == "45:00"
    assert int(page.locator(".result dd").nth(1).text_content()) > 100
    page.get_by_label("How was it?").fill("Cold.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved", exact=True).wait_for()
    page.get_by_role("button", name="Delete workout").click()
    page.locator("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("No workouts yet").wait_for()


def test_a_workout_is_started_and_finished_by_keys(sign_in, person):
    page = sign_in(person(), "keepfit")
    page.get_by_role("link", name="Start a workout").press("Enter")
    page.get_by_role("heading", name="Start a workout").wait_for()
    page.get_by_role("radio", name="Running").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.value") == "walking"
    page.get_by_role("button", name="Start timer").press("Enter")
    page.get_by_role("heading", name="Walking, Moderate").wait_for()
    page.get_by_role("button", name="Finish").press("Enter")
    page.get_by_text("Well done!").wait_for()


@pytest.mark.parametrize("path, heading", [
    ("/", "Ada"), ("/explore/videos", "Videos"), ("/explore/videos?saved=1", "Videos"), ("/explore/videos?owner={ben}", "Videos"), ("/explore/live", "Live"),
    ("/explore/exercises", "Exercises"), ("/explore/exercises?saved=1", "Exercises"), ("/explore/people", "People"),
    ("/explore/people/{ben}", "Ben Coach"), ("/explore/people/{cleo}", "Cleo"), ("/explore/people/{ben}/followers", "Followers"),
    ("/explore/people/{ben}/following", "Following"), ("/explore/live/{stream}", "Stretch"), ("/create", "What do you want"),
    ("/create/video", "Upload a video"), ("/create/live", "Go live"), ("/workouts", "Workouts"), ("/workouts?days=30", "Workouts"),
    ("/workouts/timer", "Start a workout"), ("/workouts/{workout}", "Running"), ("/profile", "Ada"),
    ("/profile?tab=videos", "Ada"), ("/profile?tab=saved", "Ada"), ("/profile?tab=data", "Ada"), ("/profile/edit", "Edit profile"),
    ("/settings", "Settings"), ("/setup", "Tell us"), ("/nowhere", "Page not found")])
def test_every_page_is_accessible_in_light_and_dark(sign_in, world, path, heading):
    ada, ids = world
    page = sign_in(ada, "keepfit", path.format(**ids))
    page.get_by_role("heading", name=re.compile(heading), level=1).wait_for()
    page.locator("[aria-busy=true]").first.wait_for(state="detached")
    look(page)


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
@pytest.mark.parametrize("path", ["/", "/explore/exercises", "/workouts", "/workouts/timer", "/settings"])
def test_pages_hold_other_languages(sign_in, world, language, path):
    ada, _ = world
    page = sign_in(ada, "keepfit", "/create")
    page.goto(f"/keepfit{path}?language={language}")
    page.get_by_role("heading", level=1).wait_for()
    assert page.evaluate("document.documentElement.lang") == language
    look(page)
