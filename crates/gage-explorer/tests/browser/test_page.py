"""The page of `gage explore` in a real browser."""

import csv
import io
import json
from pathlib import Path

import pytest
from conftest import DATA, Explorer, at_rest, run
from pixels import image, inked
from webdriver import Browser

NEAR = """return [...document.querySelectorAll('#near button')].map(
  (item) => [item.querySelector('b').textContent, Number(item.dataset.value)])"""


def choose(browser, name):
    browser.run("document.getElementById('search').value = ''")
    browser.keys("#search", name)
    browser.wait("return !document.getElementById('found').hidden")
    browser.keys("#search", "\ue007")
    shown = "return document.getElementById('node-id')?.textContent === arguments[0]"
    browser.wait(shown + " && document.querySelectorAll('#near button').length === 15", name)


def similar(model, node, *shares):
    found = json.loads(run("similar", model, node, "-k", 15, "--json", *shares))
    near = found["nodes"][0]["neighbours"]
    return [(entry["id"], entry["value"], entry["by_view"]) for entry in near]


def test_the_map_is_drawn_with_webgl(page):
    assert page.run("return document.documentElement.dataset.renderer") == "webgl2"
    share, ground = inked(page)
    assert 0.03 < share < 0.9, share
    assert ground == (255, 255, 255)
    # Every node is somewhere on it, in the colours of many classes.
    assert page.run("return document.getElementById('moving').textContent").startswith("3")
    assert page.run("return document.querySelectorAll('#legend button').length") > 10
    errors = [line for line in page.log("browser") if line["level"] == "SEVERE"]
    assert not errors


def test_without_webgl_the_map_is_drawn_too(page, explorer):
    page.open(explorer.url.replace("/#", "/?canvas#"))
    at_rest(page)
    assert page.run("return document.documentElement.dataset.renderer") == "canvas2d"
    share, _ = inked(page)
    assert 0.03 < share < 0.9, share


def test_search_finds_a_node_and_its_neighbours_are_those_of_the_command(page, model):
    choose(page, "gimp")
    expected = similar(model, "gimp")
    found = page.run(NEAR)
    assert [name for name, _ in found] == [name for name, _, _ in expected]
    for (_, value), (_, wanted, _) in zip(found, expected):
        assert abs(value - wanted) < 1e-9
    # Attributes and links of the data.
    chips = page.run(
        "return [...document.querySelectorAll('#node .chips > *')].map((c) => c.textContent)"
    )
    assert "gimp-gmic" in chips


def test_the_slider_re_ranks_and_moves_the_map(page, model):
    choose(page, "emacs")
    frames = "return Number(document.documentElement.dataset.frames)"
    lists = []
    for share in ("0.1", "0.9"):
        before = page.run(frames)
        page.run(
            "const s = document.getElementById('lambda'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input', { bubbles: true }))",
            share,
        )
        expected = similar(model, "emacs", "--lambda", share)
        names = [name for name, _, _ in expected]
        page.wait(f"const near = (() => {{ {NEAR} }})();"
                  "return near.map((n) => n[0]).join() === arguments[0]", ",".join(names))
        for (_, value), (_, wanted, parts) in zip(page.run(NEAR), expected):
            assert abs(value - wanted) < 1e-9
            assert abs(sum(parts) - wanted) < 1e-9
        # The share of each view stands in words, too.
        told = page.run("return document.querySelector('#near button').getAttribute('aria-label')")
        assert all(f"{part:.3f}" in told for part in expected[0][2]), told
        page.wait(f"return ({frames.removeprefix('return ')}) > arguments[0] + 1", before)
        at_rest(page)
        lists.append(names)
    assert lists[0] != lists[1]
    assert "shares=" in page.run("return location.hash")


def select_middle(browser, shift=False):
    box = browser.run(
        "const b = document.getElementById('overlay').getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + b.height / 2, Math.min(b.width, b.height) / 4]"
    )
    x, y, r = box
    corners = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r), (x - r, y - r)]
    browser.drag(corners, shift)
    browser.wait("return document.getElementById('selected') !== null")


def test_a_lasso_is_summed_up_and_exported(page):
    page.click("[data-mode=lasso]")
    select_middle(page)
    heading = page.run("return document.getElementById('selected').textContent")
    count = int("".join(filter(str.isdigit, heading)))
    assert 10 < count < 3800
    tables = page.run(
        "return [...document.querySelectorAll('#selection [role=region]')].map(t => t.ariaLabel)"
    )
    assert tables[0] == "Classes" and tables[-1] == "Selected nodes"
    shown = page.run(
        "return [...document.querySelectorAll('[aria-label=\"Selected nodes\"] tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    saved = Path(page.profile) / "saved"
    page.tools("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(saved))
    page.click("#export-csv")
    wait_for_file(saved / "selection.csv")
    rows = list(csv.reader(io.StringIO((saved / "selection.csv").read_text())))
    assert rows[0] == ["id", "class", "degree"]
    assert len(rows) == count + 1
    assert [row[:2] for row in rows[1 : len(shown) + 1]] == shown
    page.click("#export-parquet")
    wait_for_file(saved / "selection.parquet")
    import pyarrow.parquet

    ids = pyarrow.parquet.read_table(saved / "selection.parquet").to_pydict()
    assert ids == {"id": [row[0] for row in rows[1:]]}


def wait_for_file(path):
    import time

    for _ in range(1000):
        if path.exists():
            return
        time.sleep(0.02)
    raise TimeoutError(path)


def test_dragging_with_shift_selects_and_escape_clears(page):
    select_middle(page, shift=True)
    page.keys("#overlay", "\ue00c")
    page.wait("return document.getElementById('selected') === null")


def test_the_keyboard_reaches_everything(page):
    view = "return location.hash.match(/view=([^&]*)/)?.[1] ?? ''"
    page.run("document.body.focus()")
    page.keys("body", "/")
    assert page.run("return document.activeElement.id") == "search"
    page.keys("#overlay", "+")
    zoomed = page.wait(view)
    page.keys("#overlay", "\ue014")
    page.wait("return (location.hash.match(/view=([^&]*)/)?.[1] ?? '') !== arguments[0]", zoomed)
    page.keys("#overlay", "0")
    assert page.run(view) == ""
    page.keys("#overlay", "\ue007")
    page.wait("return document.querySelectorAll('#near button').length === 15")
    before = page.run("return document.getElementById('lambda-value').value")
    page.keys("#overlay", "]")
    page.wait("return document.getElementById('lambda-value').value !== arguments[0]", before)
    page.keys("#tab-node", "\ue014")
    assert page.run("return document.activeElement.id") == "tab-selection"
    # Whatever can be used says what it is.
    nameless = page.run(
        "return [...document.querySelectorAll('button, input, select, [tabindex=\"0\"]')].filter("
        "(item) => !item.hidden && !item.ariaLabel && !item.textContent.trim()"
        " && !item.labels?.length).map((item) => item.outerHTML)"
    )
    assert not nameless


def test_a_link_brings_back_what_was_shown(page, explorer):
    choose(page, "vim")
    page.run(
        "const s = document.getElementById('lambda'); s.value = 0.25;"
        "s.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    page.wait("return document.getElementById('lambda-value').value === '0.25'")
    at_rest(page)
    link, near = page.run("return location.href"), page.run(NEAR)
    page.open(link)
    at_rest(page)
    page.wait("return document.querySelectorAll('#near button').length === 15")
    assert page.run("return document.getElementById('node-id').textContent") == "vim"
    again = page.run(NEAR)
    assert [name for name, _ in again] == [name for name, _ in near]
    # Shares are kept with five digits.
    assert all(abs(value - before) < 1e-4 for (_, value), (_, before) in zip(again, near))


def test_colours_by_column_degree_and_what_moved(page):
    def colour(by):
        page.run(
            "const s = document.getElementById('colour'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('change'))",
            by,
        )

    colour("degree")
    page.wait("return document.querySelector('#legend .ramp') !== null")
    colour("column")
    page.keys("#column", "game")
    page.wait("return !document.getElementById('columns').hidden")
    page.keys("#column", "\ue007")
    page.wait("return document.getElementById('legend').firstChild.textContent === 'game'")
    colour("loss")
    page.wait("return document.getElementById('legend').firstChild.textContent === 'loss'")
    page.wait("return document.querySelector('#legend .ramp') !== null")
    page.click("#tab-compare")
    page.click("#moved")
    page.wait("return document.querySelectorAll('#compare tbody tr').length === 25")
    page.wait("return document.getElementById('legend').textContent.startsWith('what moved')")
    page.click("#tab-model")
    page.wait("return document.querySelector('#sweep svg') !== null")


def test_two_lambdas_stand_side_by_side(page, model):
    choose(page, "gimp")
    page.click("#tab-compare")
    page.run("document.getElementById('from').value = 0.1; document.getElementById('to').value = 1")
    page.click("#moved")
    shown = page.wait(
        "const rows = [...document.querySelectorAll('[aria-label=\"Near gimp\"] tbody tr')];"
        "return rows.length === 15 && rows.map((row) => [...row.cells].map("
        "(cell) => cell.querySelector('button').textContent))"
    )
    for side, share in enumerate(("0.1", "1")):
        expected = [name for name, _, _ in similar(model, "gimp", "--lambda", share)]
        assert [row[side] for row in shown] == expected


def test_dark_narrow_and_calm(page, explorer):
    page.tools("Emulation.setEmulatedMedia", features=[
        {"name": "prefers-color-scheme", "value": "dark"},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ])
    page.tools("Emulation.setDeviceMetricsOverride", width=390, height=800,
               deviceScaleFactor=1, mobile=True)
    page.open(explorer.url)
    at_rest(page)
    share, ground = inked(page)
    assert ground == (0x11, 0x15, 0x1C)
    assert share > 0.03
    # Nothing sticks out to the side, and the map is as wide as the screen.
    wide = page.run("return [document.documentElement.scrollWidth,"
                    " document.getElementById('view').getBoundingClientRect().width]")
    assert wide[0] <= 390 and wide[1] > 380, wide
    choose(page, "gimp")


def test_nothing_is_requested_from_anywhere_else(page, explorer):
    page.log("performance")
    page.open(explorer.url)
    at_rest(page)
    choose(page, "gimp")
    urls = set()
    for entry in page.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            urls.add(message["params"]["request"]["url"])
    own = [url for url in urls if url.startswith(explorer.origin + "/")]
    assert len(own) > 10
    others = urls - set(own)
    assert all(url.startswith(("data:", "blob:", "about:")) for url in others), others
    # The secret never travels in an address.
    token = explorer.url.split("token=")[1]
    assert not any(token in url.split("#")[0] for url in urls)


def test_without_the_token_nothing_is_shown(page, explorer):
    page.open(explorer.origin + "/")
    page.wait("return !document.getElementById('notice').hidden")
    page.open(explorer.origin + "/#token=0123")
    page.wait("return document.getElementById('notice').textContent.includes('token')")


@pytest.fixture(scope="module")
def other_site(explorer):
    """A page of another origin on the same machine."""
    import http.server
    import threading

    text = f"""<!DOCTYPE html><script type="module">
      const said = [];
      const token = "{explorer.url.split('token=')[1]}";
      const ways = [{{}}, {{ headers: {{ "X-Gage-Token": token }} }}, {{ mode: "no-cors" }}];
      for (const way of ways) {{
        try {{ const got = await fetch("{explorer.origin}/api/about", way);
          said.push(got.type + got.status);
        }} catch (error) {{ said.push("refused"); }}
      }}
      document.title = said.join();
    </script>""".encode()

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def test_other_pages_learn_nothing(page, other_site):
    page.open(other_site)
    said = page.wait("return document.title").split(",")
    # Neither without nor with the token, nor when it is sent without caring for an answer.
    assert said == ["refused", "refused", "refused"]


def test_a_frozen_page_needs_no_server(window, model, tmp_path):
    file = tmp_path / "page.html"
    run("explore", model, DATA, "--directed", "no", "-o", file, "--quiet")
    window.log("performance")
    window.log("browser")
    window.open(file.as_uri())
    at_rest(window)
    share, _ = inked(window)
    assert share > 0.03
    choose(window, "gimp")
    for share in ("0.2", "0.8"):
        window.run(
            "const s = document.getElementById('lambda'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input', { bubbles: true }))",
            share,
        )
        expected = similar(model, "gimp", "--lambda", share)[:5]
        names = [name for name, _, _ in expected]
        window.wait(f"const near = (() => {{ {NEAR} }})();"
                    "return near.slice(0, 5).map((n) => n[0]).join() === arguments[0]",
                    ",".join(names))
        for (_, value), (_, wanted, _) in zip(window.run(NEAR), expected):
            assert abs(value - wanted) < 1e-5
    window.click("[data-mode=lasso]")
    select_middle(window)
    requests = [json.loads(entry["message"])["message"] for entry in window.log("performance")]
    urls = {
        message["params"]["request"]["url"]
        for message in requests
        if message["method"] == "Network.requestWillBeSent"
    }
    assert {url.split(":")[0] for url in urls} <= {"file", "about", "data", "blob"}, urls
    assert not [line for line in window.log("browser") if line["level"] == "SEVERE"]


def test_plots_are_the_same_page(window, model, tmp_path):
    file = tmp_path / "map.html"
    run("plot", model, "-o", file, "--labels", DATA, "--lambda", "0.3", "--quiet")
    window.open(file.as_uri())
    at_rest(window)
    share, _ = inked(window)
    assert share > 0.03
    choose(window, "gimp")
    expected = similar(model, "gimp", "--lambda", "0.3")
    assert [name for name, _ in window.run(NEAR)] == [name for name, _, _ in expected]
    assert not window.run("return document.querySelector('#shares input')")
    assert not [line for line in window.log("browser") if line["level"] == "SEVERE"]


def test_a_model_alone_has_a_map_with_clusters(window, model):
    running = Explorer(model, "--no-cache")
    try:
        window.open(running.url)
        at_rest(window)
        options = window.run(
            "return [...document.getElementById('colour').options].map((o) => o.value)"
        )
        assert options == ["cluster", "moved"]
        share, _ = inked(window)
        assert share > 0.03
        choose(window, "gimp")
    finally:
        assert running.close() == 130
