"""Pages in Chromium: what they say, what they ask of the network, what nobody could read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium")
ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Remembers the text written on every canvas; lets the tests read pixels without a warning.
SPY = """
const getContext = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind) {
  return getContext.call(this, kind, { willReadFrequently: true });
};
window.canvasText = [];
window.canvasFonts = new Set();
window.canvasCut = new Set();
const fillText = CanvasRenderingContext2D.prototype.fillText;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
  window.canvasText.push(String(text));
  // Of a canvas that is scaled to the screen's pixels.
  window.canvasFonts.add(parseFloat(/([\\d.]+)px/.exec(this.font)[1]));
  const [x, y] = rest, wide = this.measureText(text).width, all = this.getTransform();
  const shift = { left: 0, start: 0, center: 0.5, right: 1, end: 1 };
  const left = x - wide * shift[this.textAlign];
  for (const end of [left, left + wide]) {
    const at = all.transformPoint(new DOMPoint(end, y));
    const outside = Math.max(-at.x, at.x - this.canvas.width, -at.y, at.y - this.canvas.height);
    if (outside > 1 && String(text).trim()) window.canvasCut.add(`${text} by ${outside.toFixed(1)} px`);
  }
  return fillText.call(this, text, ...rest);
};
"""

# Text that is smaller than 9 pixels, of a contrast below AA (WCAG 2.2, 1.4.3), cut, or wider than the page.
AUDIT = """() => {
  const found = [];
  const parse = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = (colour) => {
    const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = colour.map((v) => linear(v / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length && (colour[3] === undefined || colour[3] > 0.5)) return colour;
    }
    return [255, 255, 255];
  };
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    const hidden = element.closest('.visually-hidden, .skip, script, style');
    if (!own || !element.checkVisibility() || hidden) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const name = `${element.tagName} ${element.textContent.trim().slice(0, 40)}`;
    if (size < 9) found.push(`${size} px: ${name}`);
    const [a, b] = [light(parse(style.color).slice(0, 3)), light(ground(element).slice(0, 3))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const pale = contrast < 4.5 && !element.closest(':disabled');
    if (pale) found.push(`contrast ${contrast.toFixed(2)}: ${name}`);
    const cut = element.scrollWidth > element.clientWidth + 1 && ['hidden', 'clip'].includes(style.overflowX);
    if (cut && element.clientWidth) found.push(`cut: ${name}`);
  }
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`${scrollWidth} px wide in a window of ${innerWidth}`);
  for (const text of window.canvasCut) found.push(`cut on a canvas: ${text}`);
  for (const size of window.canvasFonts) if (size < 9) found.push(`${size} px on a canvas`);
  return found;
}"""


@contextmanager
def chromium() -> Iterator[Any]:
    """Launch Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Visit:
    """A page, and what it did."""

    def __init__(self, browser: Any, at: Path | str, width: int = 1200, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        self.page = self.context.new_page()
        self.page.add_init_script(SPY)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(at if isinstance(at, str) else at.as_uri())

    def quiet(self, path: Path) -> bool:
        """Whether nothing was complained about, and nothing requested but the file."""
        fetched = [url for url in self.requests if not url.startswith(("data:", "blob:"))]
        return self.complaints == [] and fetched == [path.as_uri()]

    def unreadable(self) -> list[str]:
        """Return what of the page nobody could read."""
        found: list[str] = self.page.evaluate(AUDIT)
        return found
