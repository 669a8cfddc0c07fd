"""The page in a real browser: prove, error, cancel, files, links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from waiting import wait_until
from web.serving import ENDLESS, Server

FORMATS = {
    "Text": "= by",
    "LaTeX": "\\begin{",
    "JSON": '"format"',
    "TSTP": "fof(",
    "Lean": "theorem",
    "Rocq": "End groups.",
    "Prover9": "formulas(goals).",
}


# (contrast, text) of every text on the page, but for what is disabled (WCAG asks for 4.5).
CONTRASTS = """() => {
    const numbers = (colour) => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        return { rgb: [r, g, b], a };
    };
    const over = (top, ground) => top.rgb.map((c, i) => c * top.a + ground[i] * (1 - top.a));
    const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) =>
        0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const one = texts.currentNode.parentElement;
        if (!texts.currentNode.textContent.trim() || !one.checkVisibility()) continue;
        if (one.closest("[disabled], option")) continue;
        const around = [];
        for (let e = one; e; e = e.parentElement)
            around.unshift(numbers(getComputedStyle(e).backgroundColor));
        const ground = around.reduce((below, top) => over(top, below), [255, 255, 255]);
        const ink = over(numbers(getComputedStyle(one).color), ground);
        const [dark, bright] = [light(ink), light(ground)].sort((a, b) => a - b);
        found.push([(bright + 0.05) / (dark + 0.05), texts.currentNode.textContent]);
    }
    return found;
}"""


def write(page: Any, text: str, theory: str = "groups") -> None:
    page.select_option("#theory", theory)
    page.fill("#text", text)


def place(page: Any, what: str) -> dict[str, float]:
    """Where something is in the window: left, top, right, bottom."""
    found: dict[str, float] = page.locator(what).first.evaluate(
        "one => one.getBoundingClientRect().toJSON()"
    )
    return found


def is_in_sight(page: Any, what: str) -> bool:
    """Whether the head of something is in the window."""
    return 0 <= place(page, what)["top"] <= page.viewport_size["height"] - 100


def test_it_opens_with_a_theorem_that_enter_proves(page: Any) -> None:
    page.wait_for_selector("text=Understood as")
    page.focus("#text")
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer.proved")
    assert page.inner_text(".now").startswith("Done: 1 of 1 goal proved")
    assert "1 of 1 goal proved" in page.inner_text("#said")
    marks = page.locator(".answer .old").count()
    assert marks and page.locator(".answer .reason").count() == page.locator(".why").count()


def test_lemmas_fold_and_trees_are_drawn(page: Any) -> None:
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    lemmas = page.locator("details.lemma")
    assert lemmas.count() and not lemmas.first.evaluate("one => one.open")
    page.click("text=Unfold all lemmas")
    assert lemmas.first.evaluate("one => one.open")
    page.check("text=as trees")
    trees = page.locator("svg.tree")
    assert trees.count() == page.locator(".chain > li").count()
    assert page.locator("svg.tree .old rect").count()
    assert trees.first.get_attribute("aria-label").startswith("The tree of")


def test_a_reason_says_more_by_hover_and_by_key(page: Any) -> None:
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    why = page.locator(".chains > div .why").first
    more = page.locator(".chains > div .more").first
    assert not more.is_visible()
    why.hover()
    assert more.is_visible() and "=" in more.inner_text()
    page.mouse.move(0, 0)
    why.focus()
    page.keyboard.press("Enter")
    assert why.get_attribute("aria-expanded") == "true" and more.is_visible()


def test_an_error_has_a_caret_while_typing(page: Any) -> None:
    write(page, "x * = y")
    page.wait_for_selector(".read .error")
    shown = page.inner_text(".read .error pre")
    text, caret = shown.split("\n")[:2]
    assert text[caret.index("^")] == "="
    page.fill("#text", "x * e = x")
    page.wait_for_selector("text=for all x: x * e = x")
    assert not page.locator(".read .error").count()


@pytest.mark.parametrize(
    ("text", "marked"),
    [("x * = y", "="), ("x * e = x\nx * foo(y) = y", "foo"), ("x * (y", "("), ("x * y", "y")],
)
def test_the_place_of_an_error_is_marked_in_the_text(page: Any, text: str, marked: str) -> None:
    write(page, text)
    page.wait_for_selector(".read .error")
    assert page.inner_text(".editor .wrong, .editor .wrong-end") == marked
    assert page.locator(".editor .wrong-line").count() == 1
    assert page.get_attribute("#text", "aria-invalid") == "true"
    page.fill("#text", "x * e = x")
    page.wait_for_selector("text=for all x: x * e = x")
    assert not page.locator(".editor .wrong-line").count()
    assert page.get_attribute("#text", "aria-invalid") is None


def test_enter_writes_on_in_a_text_of_several_lines(page: Any) -> None:
    write(page, "x * e = x\ne * x = x")
    page.keyboard.press("Control+End")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("x * i(x) = e")
    assert page.inner_text("#text").split("\n") == ["x * e = x", "e * x = x", "x * i(x) = e"]
    assert not page.locator(".answer").count()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=Done:")
    assert page.locator(".answer.proved").count() in (2, 3)


def test_six_examples_stand_where_the_answer_will_be(page: Any) -> None:
    cards = page.locator(".card")
    assert cards.count() == 6
    for number in range(6):
        page.locator(".card").nth(number).click()
        page.wait_for_selector("text=Done: ")
        assert page.locator(".answer.proved, .answer.refuted").count() == 1
        page.click("button:text('Examples')")
        assert not page.locator(".answer").count() and page.inner_text(".progress") == ""


def test_input_and_answer_stand_side_by_side_or_below_each_other(page: Any) -> None:
    page.set_viewport_size({"width": 1000, "height": 800})
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    asked, told = place(page, ".asked"), place(page, ".told")
    assert told["left"] > asked["right"] and abs(told["top"] - asked["top"]) < 30
    page.set_viewport_size({"width": 390, "height": 844})
    last, told = place(page, "button:text('Learn this theory')"), place(page, ".told")
    assert 0 < told["top"] - last["bottom"] < 60 and told["left"] < 30


@pytest.mark.parametrize("size", [(1400, 900), (390, 844)])
def test_the_answer_is_in_sight_after_prove(page: Any, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for text, kind in (("x * i(x) = e", "proved"), ("x * y = y * x", "refuted")):
        write(page, text)
        page.keyboard.press("Enter")
        page.wait_for_selector(f".answer.{kind}")
        assert is_in_sight(page, ".answer")
        page.evaluate("scrollTo(0, document.body.scrollHeight)")


def test_an_answer_goes_when_what_is_asked_now_is_wrong(page: Any) -> None:
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    page.fill("#text", "x * = y")
    page.wait_for_selector(".read .error")
    assert not page.locator(".answer").count() and page.inner_text(".progress") == ""
    assert page.locator(".card").count() == 6


def test_progress_counts_the_seconds(page: Any) -> None:
    write(page, ENDLESS, "")
    page.click("button.main")
    for second in (1, 2, 3):
        page.wait_for_selector(f".now >> text=/· {second} s/")
    page.click("text=Cancel")
    page.wait_for_selector("text=/Cancelled · [0-9.]+ s/")


def test_colours_say_what_they_mean(page: Any) -> None:
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    assert page.locator(".legend .old").count() and page.locator(".legend .new").count()
    write(page, "x * y = y * x")
    page.click("button.main")
    page.wait_for_selector(".answer.refuted")
    assert page.locator(".legend .hit").count()


def test_no_frame_is_drawn_around_the_whole_page(page: Any) -> None:
    page.keyboard.press("Tab")  # the keyboard is used, so that frames are shown
    page.focus("nav >> text=Theories")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:text('Theories')")
    page.wait_for_function("document.activeElement.id === 'main'")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"


def test_more_settings_restrict_the_search_and_are_in_the_link(page: Any, server: Server) -> None:
    assert not page.is_visible("#look")
    page.click("text=More settings")
    page.select_option("#look", "model")
    page.fill("#size", "2")
    page.fill("#assume", "x * x = e\nx * y = y * x")
    page.click("text=from the axioms alone")
    assert "4 set" in page.inner_text(".more-settings summary")
    write(page, "x = y")
    page.click("button.main")
    page.wait_for_selector(".answer.refuted")
    assert "A model with 2 elements" in page.inner_text(".answer")
    link = page.locator("text=Link to this result").get_attribute("href")
    assert page.url.endswith(link)
    page.goto("about:blank")
    page.goto(server.url + link)
    page.wait_for_selector(".answer.refuted")
    assert page.input_value("#look") == "model" and page.input_value("#size") == "2"
    assert page.input_value("#assume") == "x * x = e\nx * y = y * x"
    write(page, "x * i(x) = e")  # follows: there is no counter-model
    page.click("button.main")
    page.wait_for_selector(".answer.open")


def test_the_graph_of_lemmas_leads_to_each_of_them(page: Any) -> None:
    write(page, "n(x + y) = n(x) * n(y)", "boolean")
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    nodes, lemmas = page.locator(".graph .node"), page.locator("details.lemma")
    assert nodes.count() == lemmas.count() + 1 > 4
    assert page.locator(".graph .edge").count() >= lemmas.count()  # each is cited
    assert place(page, ".graph")["left"] > place(page, ".chains")["right"]
    cited = place(page, ".graph .node")["top"]
    assert cited < place(page, ".graph .goal")["top"]
    nodes.nth(1).click()
    assert lemmas.nth(1).evaluate("one => one.open") and not lemmas.nth(0).evaluate("o => o.open")
    nodes.nth(2).press("Enter")
    assert lemmas.nth(2).evaluate("one => one.open && one.contains(document.activeElement)")
    statement = lemmas.nth(2).locator("summary code").inner_text()
    assert statement in nodes.nth(2).get_attribute("aria-label")


def test_a_term_under_the_pointer_is_drawn_as_a_tree(page: Any) -> None:
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    page.hover(".chains > div .term code >> nth=0")
    page.wait_for_selector(".peek svg.tree")
    page.mouse.move(0, 0)
    page.wait_for_selector(".peek", state="detached")


def test_cancel_works_at_once(page: Any, server: Server) -> None:
    write(page, ENDLESS, "")
    page.fill("#seconds", "100")
    page.click("button.main")
    page.wait_for_selector("text=is searching")
    used = server.workers()
    page.click("text=Cancel")
    page.wait_for_selector("text=Cancelled")
    wait_until(lambda: used - server.workers(), "the search goes on")


def test_normal_forms_refute_where_no_finite_model_does(page: Any) -> None:
    lines = ENDLESS.splitlines()
    write(page, "\n".join([*lines[:3], "Theorem t: l(x) = r(x)."]), "")
    page.click("button.main")
    page.wait_for_selector(".answer.refuted")
    assert "It does not follow" in page.inner_text(".answer")
    assert "normal forms of its sides differ" in page.inner_text(".answer")


def test_a_counter_model_has_its_failing_cells_marked(page: Any) -> None:
    write(page, "x * y = y * x", "moufang")
    page.click("button.main")
    page.wait_for_selector(".answer.refuted")
    assert "but y * x =" in page.inner_text(".failure")
    first, second = page.locator("td.hit").all_inner_texts()
    assert first != second
    with page.expect_download():
        page.click("[aria-label='Download as Mace4']")


def test_a_file_without_a_goal_has_a_model(page: Any) -> None:
    write(page, "Axiom a: x * y = y * x.\nAxiom i: x * x = x.", "")
    page.click("button.main")
    page.wait_for_selector("text=has a model")
    assert page.locator("table.cayley").count() == 1 and not page.locator("td.hit").count()


@pytest.mark.parametrize("title", FORMATS)
def test_every_format_can_be_copied_and_saved(page: Any, title: str, tmp_path: Path) -> None:
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    with page.expect_download() as saved:
        page.click(f"[aria-label='Download as {title}']")
    saved.value.save_as(tmp_path / "proof")
    text = (tmp_path / "proof").read_text()
    assert FORMATS[title] in text
    page.click(f"[aria-label='Copy as {title}']")
    page.wait_for_selector("text=copied")
    assert page.evaluate("navigator.clipboard.readText()") == text


def test_a_link_reproduces_the_result(page: Any, server: Server) -> None:
    write(page, "(x * y) * i(y) = x")
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    link = page.locator("text=Link to this result").get_attribute("href")
    page.goto("about:blank")
    page.goto(server.url + link)
    page.wait_for_selector(".answer.proved")
    assert page.inner_text("#text") == "(x * y) * i(y) = x"
    assert page.input_value("#theory") == "groups"


def test_names_of_a_file_do_nothing_on_the_page(page: Any) -> None:
    name = "<img src=x onerror=alert(1)>"
    write(page, f'Axiom a: "{name}"(x) = x.\nTheorem t: "{name}"("{name}"(y)) = y.', "")
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    assert name in page.inner_text(".answer h2")
    assert page.locator("img").count() == 0


def test_too_much_that_is_pasted_leaves_the_text_as_it_was(page: Any) -> None:
    page.wait_for_selector("text=Understood as")
    before = page.inner_text("#text")
    page.focus("#text")
    page.evaluate("navigator.clipboard.writeText('x * e = x\\n'.repeat(1_000_000))")
    page.keyboard.press("Control+v")
    page.wait_for_selector("text=this is too long")
    assert page.inner_text("#text") == before


def test_a_search_that_the_browser_holds_back_says_why(page: Any) -> None:
    """As it does where other tabs have all of its connections."""
    page.route("**/api/prove", lambda route: None)
    page.click("button.main")
    page.wait_for_selector("text=six connections")
    page.click("button:text('Cancel')")
    page.wait_for_selector("text=Cancelled")
    page.unroute("**/api/prove")
    page.click("button.main")
    page.wait_for_selector(".answer.proved")


def test_it_fits_a_phone_and_has_names_for_all_controls(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.click("button.main")
    page.wait_for_selector(".answer.proved")
    page.check("text=as trees")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('input, select, textarea, button, a')].filter(
            one => !(one.labels?.length || one.getAttribute('aria-label') || one.textContent.trim())
        ).map(one => one.outerHTML)"""
    )
    assert nameless == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(page: Any, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    for text, answer in (("x * i(x) = e", "proved"), ("x * y = y * x", "refuted"), ("x *", "")):
        write(page, text)
        page.click("button.main")
        page.wait_for_selector(f".answer.{answer}" if answer else ".results .error")
        found = sorted(page.evaluate(CONTRASTS))
        assert len(found) > 20 and found[0][0] >= 4.5, found[:3]


def test_the_interface_is_described_on_a_page(page: Any) -> None:
    page.click("nav >> text=API")
    page.wait_for_selector("text=POST /api/prove")
    assert page.get_attribute("nav a[aria-current]", "href") == "#/api"


def test_all_of_it_can_be_reached_by_keys(page: Any) -> None:
    page.wait_for_selector("text=Understood as")
    reached = []
    for _ in range(25):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.textContent")
        )
        framed = "(document.activeElement.closest('.editor') ?? document.activeElement)"
        style = f"getComputedStyle({framed}).outlineStyle"
        assert page.evaluate(style) != "none", reached[-1]
        if reached[-1] == "Prove" and "text" in reached:
            break
    order = ["Skip to the content", "Theories", "text", "theory", "seconds", "More settings "]
    assert [one for one in reached if one in order] == order
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer.proved")
