"""Courses in the app `letustudy`, with an instructor and a student in a browser each."""

import re
import time
import uuid

import pytest

from files import picture
from letters import code_for
from looks import look
from staff import make_staff, sign_in_staff

WORDS = [("aqua", "water"), ("ignis", "fire"), ("terra", "earth"), ("ventus", "wind")]


@pytest.fixture
def instructor(quintet):
    return make_staff(quintet, "instructor", "Iris Instructor")


@pytest.fixture
def student(quintet):
    return quintet.sign_up("Stan Student", "letustudy")


@pytest.fixture
def teach(open_page, instructor):
    """Signs the instructor in at a page: `teach("/courses")`."""
    return lambda path, **options: sign_in_staff(open_page(f"/letustudy/sign-in?next={path}", **options), instructor)


@pytest.fixture
def course(instructor, student):
    """A course that the student has joined."""
    course = instructor.call("POST", "/v1/courses", {"title": "Latin I"})["id"]
    student.call("POST", "/v1/courses/join", instructor.call("POST", f"/v1/courses/{course}/code"))
    return course


def post(person, path, body):
    return person.call("POST", path, body, **{"Idempotency-Key": f'"{time.time_ns()}"'})


def make_set(person, title="Elements"):
    study_set = post(person, "/v1/study-sets", {"title": title})["id"]
    for front, back in WORDS:
        post(person, f"/v1/study-sets/{study_set}/cards", {"front": front, "back": back})
    return study_set


def eventually(check, seconds=15):
    end = time.monotonic() + seconds
    while not check() and time.monotonic() < end:
        time.sleep(0.1)
    assert check()


def choose(page, menu, item):
    page.get_by_role("button", name=menu, exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def dialog(page):
    return page.get_by_role("dialog")


def test_a_course_from_its_creation_to_a_grade(teach, sign_in, instructor, student):
    make_set(instructor)
    page = teach("/courses")
    page.get_by_text("No courses yet").wait_for()
    page.get_by_role("button", name="New course").click()
    page.get_by_label("Title").fill("Latin I")
    page.get_by_label("Term").fill("Fall")
    look(page)
    dialog(page).get_by_role("button", name="New course").click()
    page.get_by_role("heading", name="Latin I").wait_for()
    # materials: a set, a file, a link and a text
    for label, value in [("Study set", None), ("File", None), ("Web address", "https://example.org/"), ("Text", "Read *this*.")]:
        page.get_by_role("button", name="New material").click()
        dialog(page).get_by_label("Title").fill(f"A {label.lower()}")
        if label == "Study set":
            dialog(page).get_by_label(label).select_option("Elements")
        elif label == "File":
            dialog(page).get_by_label(label).set_input_files(
                {"name": "fox.png", "mimeType": "image/png", "buffer": picture()})
            dialog(page).get_by_text("Uploaded: fox.png").wait_for()
        else:
            dialog(page).get_by_label(label).fill(value)
        look(page)
        dialog(page).get_by_role("button", name="Add").click()
        page.get_by_text(f"A {label.lower()}", exact=True).wait_for()
    look(page)
    page.get_by_role("tab", name="Assignments").click()
    page.get_by_role("button", name="New assignment").click()
    dialog(page).get_by_label("Title").fill("An essay")
    dialog(page).get_by_label("Instructions").fill("One page")
    dialog(page).get_by_label("Points").fill("12.5")
    dialog(page).get_by_label("Due", exact=True).fill("2099-05-01T12:00")
    look(page)
    dialog(page).get_by_role("button", name="Add").click()
    page.get_by_role("link", name=re.compile("An essay.*12.5 points")).wait_for()
    look(page)
    page.get_by_role("tab", name="People").click()
    page.get_by_role("button", name="New code").click()
    page.get_by_role("button", name="Close joining").wait_for()
    look(page)
    code = page.locator(".course-code").text_content()
    # the student
    other = sign_in(student, "letustudy", "/courses")
    other.get_by_role("button", name="Join a course").click()
    other.get_by_label("Course code").fill(f"{code[:4]}-{code[4:].lower()}")
    look(other)
    other.get_by_role("button", name="Join", exact=True).click()
    other.get_by_role("heading", name="Latin I").wait_for()
    assert other.get_by_role("button", name="New material").count() == 0
    other.get_by_role("link", name="https://example.org/").wait_for()
    file = other.get_by_role("link", name="Open file").get_attribute("href")
    assert other.evaluate("address => fetch(address).then((it) => it.headers.get('Content-Type'))", file) == "image/png"
    other.get_by_role("link", name="Open set").click()
    other.get_by_role("heading", name="Elements").wait_for()
    other.go_back()
    other.get_by_role("tab", name="Assignments").click()
    other.get_by_role("link", name=re.compile("An essay")).click()
    other.get_by_label("Answer").fill("Gallia est omnis divisa")
    other.get_by_label("File").set_input_files({"name": "map.png", "mimeType": "image/png", "buffer": picture(9, 9, 9)})
    other.get_by_text("Uploaded: map.png").wait_for()
    look(other)
    other.get_by_role("button", name="Submit").click()
    other.get_by_role("button", name="Submit again").wait_for()
    look(other)
    # the grade
    page.get_by_role("tab", name="Assignments").click()
    page.get_by_role("link", name=re.compile("An essay")).click()
    page.get_by_role("button", name=re.compile("Stan Student.*To grade")).click()
    page.get_by_text("Gallia est omnis divisa").wait_for()
    dialog(page).get_by_role("link", name="File 1").wait_for()
    dialog(page).get_by_label("Points").fill("11.25")
    dialog(page).get_by_label("Feedback").fill("Well observed")
    look(page)
    dialog(page).get_by_role("button", name="Return with grade").click()
    page.get_by_role("button", name=re.compile("Stan Student.*11.25")).wait_for()
    look(page)
    other.reload()
    other.get_by_text("11.25 of 12.5").wait_for()
    other.get_by_text("Well observed").wait_for()
    # until it is graded, and no longer
    assert other.get_by_role("button", name="Submit again").count() == 0
    look(other)
    # in the gradebook too, with the progress
    for one in page, other:
        one.get_by_role("link", name="Latin I").click()
        one.get_by_role("tab", name="Grades").click()
        one.get_by_text("11.25 of 12.5").wait_for()
        one.get_by_text("1 graded").wait_for()
        one.get_by_text("1 of 1 submitted").wait_for()
        one.get_by_text("0% known").wait_for()
        look(one)


def test_a_set_that_the_device_does_not_have_yet_is_waited_for(sign_in, instructor, student, course):
    page = sign_in(student, "letustudy", f"/courses/{course}?tab=people")
    page.get_by_text("Iris Instructor").wait_for()
    held = []
    page.route("**/v1/sync", lambda route: held.append(route))
    post(instructor, f"/v1/courses/{course}/materials", {"title": "Words", "set": make_set(instructor)})
    page.get_by_role("tab", name="Materials").click()
    page.get_by_role("link", name="Open set").click()
    page.locator("main[aria-busy=true]").wait_for()
    # others go on as well
    page.route("**/v1/sync", lambda route: route.continue_())
    for route in held:
        route.continue_()
    page.get_by_role("heading", name="Elements").wait_for()


def test_a_test_is_taken_once_for_points(teach, sign_in, instructor, student, course):
    make_set(instructor)
    page = teach(f"/courses/{course}?tab=assignments")
    page.get_by_role("button", name="New test").click()
    dialog(page).get_by_label("Title").fill("Elements by heart")
    dialog(page).get_by_label("Points").fill("10")
    dialog(page).get_by_label("Study set").select_option("Elements")
    dialog(page).get_by_label("Number of questions").fill("4")
    dialog(page).get_by_label("Time limit in minutes").fill("20")
    dialog(page).get_by_label("Kind of questions").select_option("choice")
    look(page)
    dialog(page).get_by_role("button", name="Add").click()
    page.get_by_role("link", name=re.compile("Elements by heart")).wait_for()
    other = sign_in(student, "letustudy", f"/courses/{course}?tab=assignments")
    other.get_by_role("link", name=re.compile("Elements by heart")).click()
    other.get_by_text("0 of 1 attempts used").wait_for()
    look(other)
    other.get_by_role("button", name="Start test").click()
    other.get_by_text("0 of 4 answered").wait_for()
    other.get_by_text(re.compile("^(20:00|19:..) left$")).wait_for()
    look(other)
    questions = other.get_by_role("group")
    for number in range(4):
        question = questions.nth(number)
        right = dict(WORDS)[question.get_by_role("heading").text_content()]
        with other.expect_response("**/answers"):
            (question.get_by_label(right) if number else wrong_option(question, right)).check()
        other.get_by_text(f"{number + 1} of 4 answered").wait_for()
        if number == 1:
            # what was answered is there after an interruption
            other.reload()
            other.get_by_text("2 of 4 answered").wait_for()
            assert questions.nth(1).get_by_label(right).is_checked()
    other.get_by_role("button", name="Finish test").click()
    other.get_by_role("heading", name="75%").wait_for()
    other.get_by_text("3 of 4 correct").wait_for()
    assert other.get_by_text("Correct!").count() == 3
    other.get_by_text(re.compile("^Right answer")).wait_for()
    look(other)
    other.get_by_role("link", name="To the assignment").click()
    other.get_by_text("7.5 of 10").wait_for()
    other.get_by_text("1 of 1 attempts used").wait_for()
    assert other.get_by_role("button", name="Start test").count() == 0
    look(other)
    page.get_by_role("link", name=re.compile("Elements by heart")).click()
    page.get_by_role("button", name=re.compile("Stan Student.*7.5")).click()
    dialog(page).get_by_text("1 attempt", exact=True).wait_for()


def wrong_option(question, right):
    words = question.get_by_role("radio").evaluate_all("all => all.map((it) => it.closest('label').textContent)")
    return question.get_by_label(next(it for it in words if it != right))


def test_a_discussion_with_replies_is_led_and_closed(teach, sign_in, student, course):
    other = sign_in(student, "letustudy", f"/courses/{course}?tab=discussions")
    other.get_by_role("button", name="New discussion").click()
    dialog(other).get_by_label("Title").fill("Cases")
    dialog(other).get_by_label("Text").fill("How many are there?")
    look(other)
    dialog(other).get_by_role("button", name="New discussion").click()
    other.get_by_role("link", name=re.compile("Cases.*Stan Student")).wait_for()
    look(other)
    page = teach(f"/courses/{course}?tab=discussions")
    page.get_by_role("link", name=re.compile("Cases")).click()
    page.get_by_label("Your reply").fill("Five")
    page.get_by_role("button", name="Reply", exact=True).click()
    page.get_by_text("Five", exact=True).wait_for()
    assert page.get_by_label("Your reply").input_value() == ""
    choose(page, "Actions for Iris Instructor", "Edit")
    dialog(page).get_by_label("Text").fill("Six, with the vocative")
    look(page)
    dialog(page).get_by_role("button", name="Save").click()
    page.get_by_text("Six, with the vocative").wait_for()
    page.get_by_text("edited").wait_for()
    look(page)
    other.get_by_role("link", name=re.compile("Cases")).click()
    other.get_by_text("Six, with the vocative").wait_for()
    assert other.get_by_role("button", name="Actions for Iris Instructor").count() == 0
    other.get_by_label("Your reply").fill("Thank you")
    other.get_by_role("button", name="Reply", exact=True).click()
    other.get_by_text("Thank you").wait_for()
    choose(other, "More actions", "Edit")
    dialog(other).get_by_label("Title").fill("Latin cases")
    dialog(other).get_by_role("button", name="Save").click()
    other.get_by_role("heading", name="Latin cases").wait_for()
    look(other)
    # who teaches deletes what others have written, and closes the discussion
    page.reload()
    choose(page, "Actions for Stan Student", "Delete")
    look(page)
    dialog(page).get_by_role("button", name="Cancel").click()
    page.get_by_text("Thank you").wait_for()
    choose(page, "Actions for Stan Student", "Delete")
    dialog(page).get_by_role("button", name="Delete").click()
    page.get_by_text("Removed").wait_for()
    assert page.get_by_text("Thank you").count() == 0
    choose(page, "More actions", "Close discussion")
    page.get_by_text("This discussion is closed.").wait_for()
    page.get_by_label("Your reply").wait_for()
    other.reload()
    other.get_by_text("This discussion is closed.").wait_for()
    assert other.get_by_label("Your reply").count() == 0
    choose(other, "More actions", "Delete")
    dialog(other).get_by_role("button", name="Delete").click()
    other.get_by_role("heading", name="Removed").wait_for()
    assert other.get_by_text("Six, with the vocative").count() == 1


def test_materials_are_put_into_an_order(teach, sign_in, instructor, student, course):
    for title in ("First", "Second", "Third"):
        post(instructor, f"/v1/courses/{course}/materials", {"title": title, "text": "Salve"})
    page = teach(f"/courses/{course}")
    order = lambda person: [it["title"] for it in person.call("GET", f"/v1/courses/{course}/materials")["items"]]
    shown = lambda: page.get_by_role("list", name="Materials").locator("strong").all_text_contents()
    up = page.get_by_role("button", name="Move “Third” up")
    up.click()
    eventually(lambda: order(student) == ["First", "Third", "Second"])
    assert shown() == ["First", "Third", "Second"]
    # the button keeps the focus, so that it is pressed again
    eventually(lambda: up.evaluate("it => it === document.activeElement"))
    page.keyboard.press("Enter")
    eventually(lambda: order(student) == ["Third", "First", "Second"])
    # by keys, and back
    page.get_by_role("button", name="Actions for Third").focus()
    page.keyboard.press("Alt+ArrowDown")
    eventually(lambda: order(student) == ["First", "Third", "Second"])
    eventually(lambda: page.evaluate("document.activeElement.getAttribute('aria-label')") == "Actions for Third")
    look(page)
    # what is at the end stays there
    page.get_by_role("button", name="Move “Second” down").click()
    assert shown() == ["First", "Third", "Second"]
    other = sign_in(student, "letustudy", f"/courses/{course}")
    other.get_by_text("Third").wait_for()
    assert other.get_by_role("button", name="Move “Third” up").count() == 0


def test_an_instructor_changes_what_a_course_has(teach, sign_in, instructor, student, course):
    post(instructor, f"/v1/courses/{course}/materials", {"title": "Welcome", "text": "Salve"})
    post(instructor, f"/v1/courses/{course}/assignments", {"title": "An essay", "points": 1000, "state": "draft"})
    page = teach(f"/courses/{course}")
    choose(page, "More actions", "Edit course")
    dialog(page).get_by_label("Title").fill("Latin for beginners")
    dialog(page).get_by_label("Description").fill("From the first word")
    dialog(page).get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="Latin for beginners").wait_for()
    page.get_by_text("From the first word").wait_for()
    choose(page, "Actions for Welcome", "Edit")
    dialog(page).get_by_label("Text").fill("Salvete")
    dialog(page).get_by_role("button", name="Save").click()
    page.get_by_text("Salvete").wait_for()
    look(page)
    choose(page, "Actions for Welcome", "Delete")
    dialog(page).get_by_role("button", name="Delete").click()
    page.get_by_text("No materials yet").wait_for()
    page.get_by_role("tab", name="Assignments").click()
    page.get_by_role("link", name=re.compile("An essay.*Draft")).click()
    # the course has such a menu, too
    page.get_by_role("heading", name="An essay", level=1).wait_for()
    choose(page, "More actions", "Edit")
    assert dialog(page).get_by_label("Points").input_value() == "10"
    dialog(page).get_by_label("Due", exact=True).fill("2020-01-01T12:00")
    dialog(page).get_by_label("Students see it").check()
    look(page)
    dialog(page).get_by_role("button", name="Save").click()
    page.get_by_text("The time for this assignment is over.").wait_for()
    stored = student.call("GET", f"/v1/courses/{course}/assignments")["items"][0]
    assert stored["state"] == "published" and stored["dueAt"].startswith("2020-01-01")
    other = sign_in(student, "letustudy", f"/courses/{course}/assignments/{stored['id']}")
    other.get_by_text("The time for this assignment is over.").wait_for()
    assert other.get_by_role("button", name="Submit").count() == 0
    look(other)
    choose(page, "More actions", "Delete")
    dialog(page).get_by_role("button", name="Delete").click()
    page.get_by_text("No assignments yet").wait_for()
    # an archived course is there to read
    choose(page, "More actions", "Archive course")
    dialog(page).get_by_role("button", name="Archive course").click()
    page.get_by_text("This course is archived").wait_for()
    assert page.get_by_role("button", name="New assignment").count() == 0
    look(page)
    choose(page, "More actions", "Reopen course")
    page.get_by_role("button", name="New assignment").wait_for()
    page.get_by_role("tab", name="People").click()
    choose(page, "Actions for Stan Student", "Remove")
    dialog(page).get_by_role("button", name="Remove").click()
    page.get_by_role("button", name="Actions for Stan Student").wait_for(state="detached")
    assert student.call("GET", "/v1/courses")["items"] == []


def test_a_student_and_an_instructor_write_to_each_other(teach, sign_in, instructor, student, course):
    page = teach("/messages")
    page.get_by_text("No messages yet").wait_for()
    look(page)
    other = sign_in(student, "letustudy", f"/courses/{course}?tab=people")
    other.get_by_role("button", name="Message Iris Instructor").wait_for()
    assert other.get_by_role("button", name="Message Stan Student").count() == 0
    look(other)
    other.get_by_role("button", name="Message Iris Instructor").click()
    other.get_by_role("heading", name="Iris Instructor").wait_for()
    look(other)
    other.get_by_label("Message Iris Instructor").fill("When is the test?")
    other.get_by_label("Message Iris Instructor").press("Enter")
    # live: the list, the badge, and then the conversation
    page.get_by_role("link", name="1 unread message", exact=True).wait_for()
    page.get_by_role("link", name=re.compile("Stan Student.*When is the test.*1 unread message")).wait_for()
    look(page)
    page.get_by_role("link", name=re.compile("Stan Student")).click()
    page.locator(".bubble", has_text="When is the test?").wait_for()
    other.get_by_text("Read", exact=True).wait_for()
    page.get_by_role("link", name="Messages", exact=True).first.wait_for()
    page.get_by_label("Message Stan Student").press_sequentially("On Fri")
    other.get_by_text("Iris Instructor is typing…").wait_for()
    page.get_by_label("Message Stan Student").fill("On Friday")
    page.get_by_label("Message Stan Student").press("Enter")
    other.locator(".bubble", has_text="On Friday").wait_for()
    page.get_by_text("Read", exact=True).wait_for()
    look(page)
    conversation = student.call("GET", "/v1/conversations")["items"][0]
    stored = student.call("GET", f"/v1/conversations/{conversation['id']}/messages")["items"]
    assert [(it["text"], it["authorID"]) for it in stored] == [
        ("On Friday", instructor.id), ("When is the test?", student.id)]
    assert instructor.call("GET", f"/v1/conversations/{conversation['id']}")["folder"] == "inbox"
    # a block ends it on both sides
    choose(page, "Actions", "Block")
    dialog(page).get_by_role("button", name="Block").click()
    page.get_by_text("This conversation has ended").first.wait_for()
    other.get_by_text("This conversation has ended").first.wait_for()
    look(other)
    page.goto("/letustudy/messages/privacy")
    page.get_by_role("button", name="Unblock").wait_for()
    page.get_by_label("Show what I have read").uncheck()
    page.get_by_text("Saved").wait_for()
    look(page)
    assert not instructor.call("GET", "/v1/conversations/settings")["showRead"]
    page.get_by_role("button", name="Unblock").click()
    dialog(page).get_by_role("button", name="Unblock").click()
    page.get_by_text("You have blocked no one").wait_for()


def test_the_request_of_a_stranger_is_accepted(sign_in, quintet, student):
    stranger = quintet.sign_up("Sara Stranger", "letustudy")
    conversation = stranger.call("POST", "/v1/conversations", {"userID": student.id})["id"]
    stranger.call("PUT", f"/v1/conversations/{conversation}/messages/{uuid.uuid4()}", {"text": "Do you have notes?"})
    page = sign_in(student, "letustudy", "/messages?tab=requests")
    page.get_by_role("link", name=re.compile("Sara Stranger.*Do you have notes")).click()
    page.get_by_text("You do not know Sara Stranger yet").wait_for()
    look(page)
    page.get_by_role("button", name="Accept").click()
    page.get_by_label("Message Sara Stranger").wait_for()
    assert student.call("GET", f"/v1/conversations/{conversation}")["folder"] == "inbox"


def test_an_invitation_by_e_mail_is_accepted_and_the_course_left(teach, sign_in, quintet, student, course):
    page = teach(f"/courses/{course}?tab=people")
    friend = quintet.sign_up("Finn Friend", "letustudy")
    address = f"{friend.username}@example.com"
    page.get_by_label("E-mail").fill(address)
    page.get_by_role("button", name="Invite").click()
    page.get_by_text(f"{address} is invited").wait_for()
    other = sign_in(friend, "letustudy", "/courses")
    other.get_by_role("button", name="Join a course").click()
    other.get_by_label("Course code").fill(code_for(quintet, address))
    other.get_by_role("button", name="Join", exact=True).click()
    other.get_by_role("heading", name="Latin I").wait_for()
    choose(other, "More actions", "Leave course")
    look(other)
    dialog(other).get_by_role("button", name="Leave course").click()
    other.get_by_text("No courses yet").wait_for()


@pytest.mark.parametrize("language", ["de", "ar-XB"])
def test_other_languages_fit(sign_in, teach, instructor, student, course, language):
    quiz = post(instructor, "/v1/quizzes", {"title": "Elements", "sets": [make_set(instructor)]})["id"]
    test = post(instructor, f"/v1/courses/{course}/assignments", {
        "title": "Elements", "points": 1000, "state": "published",
        "test": {"quiz": quiz, "attempts": 2, "solutions": "afterAttempt"}})["id"]
    work = post(instructor, f"/v1/courses/{course}/assignments", {"title": "Essay", "points": 1000, "state": "published"})["id"]
    topic = post(instructor, f"/v1/courses/{course}/discussions", {"title": "Cases", "text": "Six"})["id"]
    conversation = post(student, "/v1/conversations", {"userID": instructor.id})["id"]
    attempts = [post(student, f"/v1/quizzes/{quiz}/attempts", {})["summary"]["id"] for _ in range(2)]
    assert attempts[0] == attempts[1]
    other = sign_in(student, "letustudy")
    page = teach("/courses")
    taken = f"/courses/{course}/assignments/{test}/attempts/{attempts[0]}"
    tabs = [f"/courses/{course}?tab={it}" for it in ("materials", "assignments", "discussions", "people", "grades")]
    for path in ["/courses", *tabs, f"/courses/{course}/assignments/{work}", f"/courses/{course}/assignments/{test}",
                 f"/courses/{course}/discussions/{topic}", "/messages", f"/messages/{conversation}", "/messages/privacy", taken]:
        for one in (other,) if path == taken else (other, page):
            one.goto(f"/letustudy{path}{'&' if '?' in path else '?'}language={language}")
            one.get_by_role("heading", level=1).wait_for()
            look(one)
    student.call("POST", f"/v1/attempts/{attempts[0]}/finish", {})
    other.goto(f"/letustudy{taken}?language={language}")
    other.get_by_role("heading", name="0").wait_for()
    look(other)
