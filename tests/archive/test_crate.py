"""The description of an archive for machines keeps the published profile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dumbbell.archive.citations import Citation
from dumbbell.archive.crate import metadata
from tests.archive.profile import METADATA, violations

FILES: dict[str, Path | bytes] = {
    "scenario.toml": b"[topology]",
    "inputs/my flows 50%.csv": b"0,1",
    "summary.json": b"{}",
}
CITED = (
    Citation("jurkiewicz2018", "Jurkiewicz 2018", "https://arxiv.org/abs/1809.03486", ()),
    Citation("smith1997", "Smith & Jones, ToN 5(6), 1997", "", ()),
)
NAMES = {*FILES, METADATA}


def described(license_url: str = "", cited: tuple[Citation, ...] = CITED) -> bytes:
    return metadata(
        FILES,
        name="A run",
        description="A run of dumbbell",
        published=1.7e9,
        code="0.1.0",
        cited=cited,
        inputs=["scenario.toml"],
        license_url=license_url,
    )


@pytest.mark.parametrize("license_url", ["", "https://spdx.org/licenses/CC0-1.0"])
@pytest.mark.parametrize("cited", [(), CITED[:1], CITED[1:], CITED])
def test_a_crate_keeps_the_profile(license_url: str, cited: tuple[Citation, ...]) -> None:
    assert violations(described(license_url, cited), NAMES) == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"./": {"license": None}}, "the root has license"),
        ({"./": {"datePublished": "yesterday"}}, "the root has datePublished in ISO 8601"),
        ({"./": {"@type": "Thing"}}, "the root is a Dataset"),
        ({"./": {"hasPart": {"@id": "summary.json"}}}, "the root has every file as part"),
        ({"./": {"citation": {"@id": "#smith1997"}}}, "a publication is named by a URL"),
        ({"./": {"citation": {"@id": "#smith1997"}}}, "citation refers to an entity"),
        ({"./": {"author": {"@id": "#me", "name": "Me"}}}, "author is flattened"),
        ({"./": {"mentions": [{"@id": "#run"}]}}, "mentions is compacted"),
        (
            {METADATA: {"conformsTo": {"@id": "https://w3id.org/ro"}}},
            "the descriptor names the profile",
        ),
        ({"summary.json": {"@id": "summary json"}}, "the @id of a file is a path of a URI"),
        ({"summary.json": {"@id": "other.json"}}, "a file that is described is there"),
        ({"summary.json": {"@id": "scenario.toml"}}, "no two entities have one @id"),
        ({"#run": {"object": None}}, "an action has an object"),
    ],
)
def test_what_breaks_the_profile_is_found(change: dict[str, dict[str, Any]], rule: str) -> None:
    crate = json.loads(described())
    for entity in crate["@graph"]:
        entity.update(change.get(entity["@id"], {}))
    assert rule in violations(json.dumps(crate).encode(), NAMES)
