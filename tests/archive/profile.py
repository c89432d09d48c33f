"""What RO-Crate 1.1 demands of a crate with files (https://w3id.org/ro/crate/1.1).

Every MUST of its pages on structure, root, data entities, contextual entities and JSON-LD that can apply to
an archive. The published validator, `roc-validator`, is no dependency: it fetches the context from the
network at each run, and one of its packages is under the LGPL. Fed with the context it finds nothing more.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any
from urllib.parse import quote, unquote, urlsplit

METADATA = "ro-crate-metadata.json"
PROFILE = "https://w3id.org/ro/crate/1.1"


def violations(metadata: bytes, names: Collection[str]) -> list[str]:
    """Return what the description of an archive with files of these names breaks, in words."""
    crate = json.loads(metadata)
    broken = []

    def must(holds: bool, rule: str) -> None:
        if not holds:
            broken.append(rule)

    must(METADATA in names, "the metadata file is in the root")
    must(crate.get("@context") == f"{PROFILE}/context", "the context is that of the profile")
    graph: list[dict[str, Any]] = crate.get("@graph", [])
    # Flattened: every entity stands in the graph, once, and others refer to it.
    entities = {entity.get("@id"): entity for entity in graph}
    must(None not in entities and all("@type" in entity for entity in graph), "entities have @id and @type")
    must(len(entities) == len(graph), "no two entities have one @id")
    for entity in graph:
        for key, value in entity.items():
            values = value if isinstance(value, list) else [value]
            must(len(values) != 1 or value is not values, f"{key} is compacted")
            for inner in values:
                is_reference = isinstance(inner, dict) and set(inner) == {"@id"}
                must(not isinstance(inner, dict | list) or is_reference, f"{key} is flattened")
                if is_reference and key != "conformsTo":
                    must(inner["@id"] in entities, f"{key} refers to an entity")

    about = entities.get(METADATA, {})
    must(about.get("@type") == "CreativeWork", "the descriptor is a CreativeWork")
    must(about.get("conformsTo") == {"@id": PROFILE}, "the descriptor names the profile")
    root = entities.get(about.get("about", {}).get("@id"), {})
    must(root.get("@type") == "Dataset", "the root is a Dataset")
    must(str(root.get("@id")).endswith("/"), "the @id of the root ends with a slash")
    for key in ("name", "description", "license"):
        must(bool(root.get(key)), f"the root has {key}")
    try:
        datetime.fromisoformat(root.get("datePublished", ""))
    except ValueError:
        must(False, "the root has datePublished in ISO 8601")

    parts = {part["@id"] for part in _values(root.get("hasPart", []))}
    for entity in graph:
        if "File" in _values(entity.get("@type", [])):
            must(entity["@id"] in parts, "the root has every file as part")
            must(quote(unquote(entity["@id"])) == entity["@id"], "the @id of a file is a path of a URI")
            must(unquote(entity["@id"]) in names, "a file that is described is there")
    for cited in _values(root.get("citation", [])):
        if isinstance(cited, dict):
            must(bool(urlsplit(cited["@id"]).scheme), "a publication is named by a URL")
    for entity in graph:
        if entity.get("@type") == "CreateAction":
            must(bool(entity.get("object")), "an action has an object")
    return broken


def _values(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
