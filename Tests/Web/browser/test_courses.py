"""Courses in the app `letustudy`, with an instructor and a student in a browser each."""

import re
import time

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
