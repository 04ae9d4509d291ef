"""Headless Chromium with real keys: its debugging protocol over a pipe, which needs no library."""

import base64
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
# How long a page may take to do what is waited for.
PATIENCE_S = 60
FIRST_FREE = 10  # numbers of files: those that the protocol wants, 3 and 4, are below
KEYS = {
    " ": ("Space", 32, " "),
    "Enter": ("Enter", 13, "\r"),
    "Tab": ("Tab", 9, ""),
    "Home": ("Home", 36, ""),
    "End": ("End", 35, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
}


def moved_up(file: int) -> int:
    """The same open file under a higher number, which the child may put to 3 and 4."""
    high = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, FIRST_FREE)
    os.close(file)
    return high


class Browser:
    """One Chromium with one page. Use it in a `with`."""

    def __init__(self, folder: Path):
        assert CHROMIUM, "REQUIRE_CHROMIUM=1, but there is no chromium in PATH"
        theirs_in, self.out = map(moved_up, os.pipe())
        self.into, theirs_out = map(moved_up, os.pipe())

        def at_3_and_4():
            os.dup2(theirs_in, 3)
            os.dup2(theirs_out, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-extensions", f"--user-data-dir={folder / 'profile'}",
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(3, 4), preexec_fn=at_3_and_4, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self.number = 0
        self.rest = b""
        self.session = None
        self.errors = []

    def __enter__(self):
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        attached = self.ask("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self.session = attached["sessionId"]
        self.ask("Page.enable")
        self.ask("Runtime.enable")
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.send("Browser.close")
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)

    def send(self, method: str, **parameters) -> int:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return self.number

    def received(self) -> dict:
        """The next message; what a page threw is kept in `errors`."""
        while b"\0" not in self.rest:
            part = os.read(self.into, 1 << 16)
            assert part, "Chromium has ended"
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(message["params"]["exceptionDetails"])
        return message

    def ask(self, method: str, **parameters) -> dict:
        number = self.send(method, **parameters)
        while (message := self.received()).get("id") != number:
            pass
        assert "error" not in message, message
        return message["result"]

    def open(self, page: Path, width: int, height: int, dark: bool) -> None:
        self.errors = []
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Page.navigate", url=page.as_uri())
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'")

    def value(self, script: str):
        """What an expression of the page is, as JSON."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, condition: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not self.value(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def press(self, key: str, times: int = 1) -> None:
        code, number, text = KEYS[key]
        for _ in range(times):
            for kind in ("keyDown" if text else "rawKeyDown", "keyUp"):
                self.ask(
                    "Input.dispatchKeyEvent",
                    type=kind, key=key, code=code, windowsVirtualKeyCode=number,
                    **({"text": text} if text and kind == "keyDown" else {}),
                )  # fmt: skip

    def picture(self, file: Path) -> None:
        """Of the whole page, as far as it can be scrolled."""
        taken = self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(taken["data"]))
