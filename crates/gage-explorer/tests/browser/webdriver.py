"""A small client of chromedriver, over the protocol every browser driver speaks (W3C WebDriver).

It needs nothing but Python's own library, so that browser tests install no further package.
"""

import base64
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# Longest time for anything on the page to happen on a busy machine, in seconds.
LONGEST = 120

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # WebGL without a graphics card.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--window-size=1280,860",
]


class Browser:
    """One Chromium with an empty profile, and the page that is open in it."""

    def __init__(self, *flags):
        self.profile = tempfile.mkdtemp(prefix="gage-browser-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = ["chromedriver", f"--port={port}", "--log-level=SEVERE"]
        self.driver = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.session = None
        args = [*FLAGS, f"--user-data-dir={self.profile}", *flags]
        options = {
            "args": args,
            "prefs": {"download.default_directory": os.path.join(self.profile, "saved")},
        }
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        }
        begun = time.monotonic()
        while True:
            try:
                answer = self.call(
                    "POST", "/session", {"capabilities": {"alwaysMatch": wanted}}
                )
                break
            except (ConnectionError, urllib.error.URLError):
                if time.monotonic() - begun > LONGEST or self.driver.poll() is not None:
                    raise
                time.sleep(0.05)
        self.session = answer["sessionId"]

    def call(self, method, path, body=None):
        """Sends a command; an error of the driver is an exception with its words."""
        url = self.base + (f"/session/{self.session}" if self.session else "") + path
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, method=method)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=2 * LONGEST) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def close(self):
        """Ends browser and driver, and removes the profile."""
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, url):
        """Opens a page anew, even if only its fragment differs."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": url})

    def run(self, script, *args):
        """Runs a function body in the page."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, *args):
        """Runs a function body until its value is true, and returns that value."""
        begun = time.monotonic()
        while True:
            value = self.run(script, *args)
            if value:
                return value
            if time.monotonic() - begun > LONGEST:
                raise TimeoutError(f"{script}\nconsole: {self.log('browser')}")
            time.sleep(0.03)

    def find(self, selector):
        """The element of a CSS selector."""
        how = {"using": "css selector", "value": selector}
        return self.call("POST", "/element", how)[ELEMENT]

    def enter(self, selector):
        """Goes into a frame, to run and click there; into the whole window for None."""
        frame = None if selector is None else {ELEMENT: self.find(selector)}
        self.call("POST", "/frame", {"id": frame})

    def click(self, selector):
        """Clicks an element."""
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def keys(self, selector, text):
        """Types into an element."""
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def drag(self, points, shift=False):
        """Draws with the mouse through points of the window."""
        (x, y), rest = points[0], points[1:]
        move = {"type": "pointerMove", "duration": 0}
        moves = [{**move, "x": int(x), "y": int(y)}, {"type": "pointerDown", "button": 0}]
        moves += [{**move, "duration": 20, "x": int(x), "y": int(y)} for x, y in rest]
        mouse = {
            "type": "pointer",
            "id": "mouse",
            "actions": [*moves, {"type": "pointerUp", "button": 0}],
        }
        actions = [mouse]
        if shift:
            pauses = [{"type": "pause"}] * len(moves)
            down, up = [{"type": kind, "value": "\ue008"} for kind in ("keyDown", "keyUp")]
            mouse["actions"] = [{"type": "pause"}, *mouse["actions"]]
            actions.append({"type": "key", "id": "keys", "actions": [down, *pauses, up]})
        self.call("POST", "/actions", {"actions": actions})

    def screenshot(self):
        """What the window shows, as PNG."""
        return base64.b64decode(self.call("GET", "/screenshot"))

    def tools(self, command, **params):
        """A command of Chromium's own protocol."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": params})

    def log(self, kind):
        """What was logged since the last time."""
        return self.call("POST", "/se/log", {"type": kind})
