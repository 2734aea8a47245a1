"""The modules of others that the console uses are those that scripts/vendor names, and nobody has changed them."""

from __future__ import annotations

import hashlib
import json

import pytest

from scripts.vendor_modules import FOLDER, MANIFEST, PACKAGES, Package, WrongPackage, licence_file, module

PACKAGE = Package("a", "1.0.0", "MIT", "sha512-", {})


def test_what_is_vendored_has_its_hash_and_its_licence() -> None:
    described = json.loads((FOLDER / MANIFEST).read_text(encoding="utf-8"))
    said = [(one["package"], one["version"], one["licence"], one["integrity"]) for one in described]
    assert said == [(one.name, one.version, one.licence, one.integrity) for one in PACKAGES]
    for package, one in zip(PACKAGES, described, strict=True):
        assert one["sha256"].keys() == {*package.files.values(), licence_file(package)}
    hashes = {name: digest for one in described for name, digest in one["sha256"].items()}
    assert hashes.keys() | {MANIFEST} == {path.name for path in FOLDER.iterdir()}
    for name, digest in hashes.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == digest, name


def test_a_module_imports_files_and_says_whose_it_is() -> None:
    source = 'import{h}from"preact";import{x}from"./x.js";\n//# sourceMappingURL=a.js.map\n'
    assert module(PACKAGE, source) == (
        '/* a 1.0.0, MIT: see a.LICENSE */\nimport{h}from"./preact.js";import{x}from"./x.js";\n'
    )


def test_a_module_that_imports_what_is_not_there_is_refused() -> None:
    with pytest.raises(WrongPackage, match="left-pad"):
        module(PACKAGE, 'import pad from"left-pad"')
