"""Builds the site of the documentation into build/site: ``make site``.

The pages are those of the repository, at their places: a link that works in a checkout works in the site.
What pages link to and is no page goes along: a file as it is, a folder as a page with the text of its files.
The gallery runs its commands and shows what they draw. The site needs no network and no server: it opens from
a file too, with its search. MkDocs is strict here, so a link that leads nowhere, or a page outside the menu,
ends the build; afterwards every link and picture of the HTML is followed, and the search index must know the
words of `SOUGHT`.
"""

from __future__ import annotations

import argparse
import html
import json
import logging
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tools import pages

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "build" / "site-source"
SITE = ROOT / "build" / "site"

PLAYGROUND = ROOT / "python" / "dumbbell" / "playground" / "playground.html"

PAGES = ("*.md", "docs/*.md", "docs/*/*.md", "python/dumbbell/papers/*/README.md")
"""The pages; a star stands for one part of a path."""

SOUGHT = ("bufferbloat", "codel", "significant", "mahimahi")

LONGEST_SHOWN = 40_000
"""Bytes of a file that the page of its folder shows."""

MENU: Mapping[str, tuple[str, ...]] = {
    "Start": ("README.md", "docs/install.md", "docs/tutorial.md", "docs/run.md", "docs/python.md",
        "docs/live-pages.md", "docs/playground.md",
    ),
    "Tasks": ("docs/tasks/*",),
    "Gallery": ("docs/gallery.md",),
    "Lessons": ("docs/lessons/*",),
    "Playground": ("docs/playground.md",),
    "Reference": ("docs/reference/*", "docs/glossary.md"),
    "Python": ("docs/api/*",),
    "Explanation": (
        "docs/studies.md", "docs/statistics.md", "docs/search.md", "docs/tcp.md", "docs/trace.md",
        "docs/steps.md", "docs/live.md", "docs/virtual.md", "docs/own-*.md", "docs/gym.md",
        "docs/reading-pages.md", "docs/judge.md", "docs/attack.md", "docs/incast.md",
        "docs/scale-or-sleep.md",
    ),
    "Algorithms": ("docs/algorithms/*",),
    "Validation": (
        "docs/why.md", "docs/published.md", "docs/speed.md", "docs/queues.md", "docs/kernel*.md",
        "docs/packetdrill.md", "docs/mutants.md",
        "python/dumbbell/papers/*",
    ),
    "Boards": ("docs/arena*.md", "docs/judged.md"),
    "Project": ("ARCHITECTURE.md", "docs/internals/*", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"),
}  # fmt: skip
"""Each page belongs to the first entry that it fits; within one, to the order of patterns, then of names."""

_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^()\s]+)\)")
_DRAWS = re.compile(r"^Draws `([\w./-]+\.png)`(.*)$", re.MULTILINE)


class SiteError(Exception):
    """Something that the site cannot be built with."""


def main() -> int:
    """Build the site; return the status of the process."""
    parser = argparse.ArgumentParser(description="Build the site of the documentation.")
    parser.add_argument(
        "--without-gallery", action="store_true", help="do not run the commands of the gallery"
    )
    arguments = parser.parse_args()
    try:
        listed = tracked()
        stage(listed, SOURCE)
        if not arguments.without_gallery:
            draw(SOURCE / "docs" / "gallery.md")
        build(menu(pages_of(listed)))
        check(SITE)
        # Where `make playground` has built it; no page links to what a checkout may lack.
        if PLAYGROUND.is_file():
            shutil.copyfile(PLAYGROUND, SITE / PLAYGROUND.name)
    except (SiteError, pages.PageError) as error:
        print(f"site: {error}", file=sys.stderr)
        return 1
    count, size = 0, 0
    for path in SITE.rglob("*"):
        count, size = count + path.name.endswith(".html"), size + path.lstat().st_size
    print(
        f"{SITE.relative_to(ROOT)}/index.html: {count} pages, {size / 1e6:.1f} MB, all links lead somewhere"
    )
    return 0


def tracked() -> list[str]:
    """Return the files of the project."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True,
    ).stdout.splitlines()  # fmt: skip
    return sorted(path for path in set(listed) if (ROOT / path).is_file())


def pages_of(listed: Iterable[str]) -> list[str]:
    """Return those of the files that are pages of the site."""
    return [
        path
        for path in listed
        if any(path.count("/") == of.count("/") and fnmatchcase(path, of) for of in PAGES)
    ]


def menu(names: Iterable[str]) -> list[dict[str, list[str]]]:
    """Return the menu: every page once.

    Raises
    ------
    SiteError
        If a page has no place in it.
    """
    left = list(names)
    entries = []
    for title, patterns in MENU.items():
        chosen: list[str] = []
        for pattern in patterns:
            found = [path for path in left if fnmatchcase(path, pattern)]
            # The page of a folder comes before its others.
            chosen += sorted(found, key=lambda path: (not path.endswith("/README.md"), path))
            left = [path for path in left if path not in found]
        if chosen:
            entries.append({title: chosen})
    if left:
        raise SiteError(f"{', '.join(left)}: no entry of the menu has this page; add it to MENU")
    return entries


@dataclass
class _Staged:
    """What is written while pages are staged."""

    listed: list[str]
    target: Path
    folders: set[str]

    def link(self, page: str, link: str) -> str:
        """Return a link of a page as it is in the site, and stage what it leads to."""
        path, mark, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return link
        place = (ROOT / page).parent.joinpath(path).resolve()
        if not place.is_relative_to(ROOT) or not place.exists():
            raise SiteError(f"{page}: {link}: there is no such file")
        name = place.relative_to(ROOT).as_posix()
        if place.is_dir():
            home = f"{name}/README.md"
            if home not in self.listed:
                self.folders.add(name)
            return f"{path.rstrip('/')}/README.md"
        if name not in pages_of([name]):
            _copy(name, self.target)
        return f"{path}{mark}{anchor}"


def stage(listed: list[str], target: Path) -> None:
    """Write the pages, and what they link to, into a folder."""
    shutil.rmtree(target, ignore_errors=True)
    staged = _Staged(listed, target, set())
    for page in pages_of(listed):
        text = (ROOT / page).read_text(encoding="utf-8")
        parts, begun = [], 0
        for block in _FENCED.finditer(text):
            parts += [_relinked(text[begun : block.start()], page, staged), block[0]]
            begun = block.end()
        parts.append(_relinked(text[begun:], page, staged))
        path = target / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(parts), encoding="utf-8")
    for folder in staged.folders:
        (target / folder).mkdir(parents=True, exist_ok=True)
        (target / folder / "README.md").write_text(folder_page(folder, listed, target), encoding="utf-8")


def _relinked(text: str, page: str, staged: _Staged) -> str:
    return _LINK.sub(lambda found: f"]({staged.link(page, found[1])})", text)


def _copy(name: str, target: Path) -> None:
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, target / name)


def folder_page(folder: str, listed: Iterable[str], target: Path) -> str:
    """Return a page with the texts of the files of a folder; what is no short text is linked to."""
    # The pages of the documentation come first in a search.
    lines = ["---", "search:", "  boost: 0.2", "---", "", f"# {folder}", ""]
    inside = [path for path in listed if path.startswith(f"{folder}/")]
    if not inside:
        raise SiteError(f"{folder}: a page links to it, and it has no files")
    for path in inside:
        name = path.removeprefix(f"{folder}/")
        suffix = Path(path).suffix.removeprefix(".")
        content = (ROOT / path).read_bytes()
        if suffix in {"toml", "rs", "py", "md", "tcl", "txt"} and len(content) <= LONGEST_SHOWN:
            fence = "`````"
            lines += [f"## {name}", "", f"{fence}{suffix}", content.decode().rstrip("\n"), fence, ""]
        else:
            _copy(path, target)
            lines += [f"[{name}]({name})", ""]
    return "\n".join(lines)


def draw(gallery: Path) -> None:
    """Run the commands of the gallery, and show below each what it draws."""
    with_pictures = gallery.with_name("gallery")
    work = SOURCE.with_name("gallery")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    pages.run(gallery, work)

    def shown(found: re.Match[str]) -> str:
        picture = work / found[1]
        if not picture.is_file():
            raise SiteError(f"gallery.md: {found[1]}: the commands above do not draw it")
        name = found[1].replace("/", "-")
        with_pictures.mkdir(exist_ok=True)
        shutil.copyfile(picture, with_pictures / name)
        return f"{found[0]}\n\n![{Path(name).stem}](gallery/{name})"

    gallery.write_text(_DRAWS.sub(shown, gallery.read_text(encoding="utf-8")), encoding="utf-8")


def slug(heading: str, separator: str) -> str:
    """Return the anchor of a heading, as a host of repositories makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def settings(nav: list[dict[str, list[str]]]) -> dict[str, Any]:
    """Return the configuration of MkDocs."""
    shutil.copyfile(Path(__file__).with_name("iframe-worker.js"), SOURCE / "iframe-worker.js")
    return {
        "site_name": "dumbbell",
        "site_description": "A congestion-control laboratory",
        "docs_dir": str(SOURCE),
        "site_dir": str(SITE),
        "nav": nav,
        "strict": True,
        "theme": {
            "name": "material",
            # Those of the reader's system: nothing comes from a network.
            "font": False,
            "icon": {"logo": "material/dumbbell"},
            "features": ["navigation.tabs", "navigation.indexes", "search.highlight", "content.code.copy"],
            "palette": [
                {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "blue grey"},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "blue grey"},
            ],
        },
        "plugins": ["search", "offline"],
        "extra": {"generator": False, "homepage": "index.html", "polyfills": ["iframe-worker.js"]},
        "markdown_extensions": [
            "tables", "attr_list", "sane_lists", "toc", "pymdownx.highlight", "pymdownx.superfences",
            "pymdownx.magiclink",
        ],
        "mdx_configs": {"toc": {"slugify": slug, "permalink": True, "toc_depth": 3}},
        "validation": {
            "nav": {"omitted_files": "info", "not_found": "warn"},
            "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"},
        },
    }  # fmt: skip


def build(nav: list[dict[str, list[str]]]) -> None:
    """Build the site by MkDocs.

    Raises
    ------
    SiteError
        If it has a warning, or MkDocs is not installed.
    """
    try:
        from mkdocs.commands.build import build as make
        from mkdocs.config.defaults import MkDocsConfig
        from mkdocs.exceptions import MkDocsException
    except ImportError:
        raise SiteError("MkDocs is not installed; `make site` installs it") from None

    logging.basicConfig(format="site: %(message)s", level=logging.WARNING)
    config = MkDocsConfig()
    chosen = settings(nav)
    extensions = chosen.pop("mdx_configs")
    chosen["markdown_extensions"] = [
        {name: extensions[name]} if name in extensions else name for name in chosen["markdown_extensions"]
    ]
    config.load_dict(chosen)
    errors, warnings = config.validate()
    if errors or warnings:
        raise SiteError(f"{(errors or warnings)[0]}")
    try:
        config.plugins.on_startup(command="build", dirty=False)
        make(config)
        config.plugins.on_shutdown()
    except MkDocsException as error:
        raise SiteError(str(error)) from error


class _Links(HTMLParser):
    """What a page of HTML links to and shows, and the names of its places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.links.append(value)
            elif name in {"id", "name"} and value:
                self.places.add(value)


def broken(site: Path) -> Iterator[str]:
    """Yield the links of a site that lead nowhere, and what it takes from elsewhere."""
    read = {
        path.resolve(): _Links(path.read_text(encoding="utf-8", errors="replace"))
        for path in site.rglob("*.html")
    }
    for path, page in read.items():
        for link in page.links:
            address, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:|//", link):
                continue
            target = (path.parent / unquote(address)).resolve() if address else path
            there = target.is_file() and target.is_relative_to(site.resolve())
            if not there or (anchor and target in read and unquote(anchor) not in read[target].places):
                yield f"{path.relative_to(site.resolve())}: {html.unescape(link)}"


def check(site: Path) -> None:
    """Follow the links, and look for words.

    Raises
    ------
    SiteError
        If a link leads nowhere, or the index of the search does not know a word.
    """
    # A page for addresses that are not there has absolute links, and stands for none.
    (site / "404.html").unlink(missing_ok=True)
    if wrong := list(broken(site)):
        raise SiteError(f"{len(wrong)} links lead nowhere: {', '.join(wrong[:5])}")
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    texts = " ".join(f"{entry['title']} {entry['text']}" for entry in index["docs"]).lower()
    if missing := [word for word in SOUGHT if word not in texts]:
        raise SiteError(f"the search does not find {', '.join(missing)}")


if __name__ == "__main__":
    sys.exit(main())
