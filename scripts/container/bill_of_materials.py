"""Read packages as JSON, and write a software bill of materials in CycloneDX's JSON. The Python of the environment that
requirements/sbom.txt locks runs this: it has the library."""

from __future__ import annotations

import json
import sys

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL


def main() -> int:
    given = json.load(sys.stdin)
    bill = Bom()
    bill.metadata.component = Component(name="ragbase", version=given["version"], type=ComponentType.CONTAINER)
    for package in given["packages"]:
        debian = package["kind"] == "deb"
        qualifiers = {"arch": package["architecture"], "distro": given["distribution"]} if debian else None
        url = PackageURL(package["kind"], "debian" if debian else None, package["name"], package["version"], qualifiers)
        bill.components.add(Component(name=package["name"], version=package["version"], purl=url, bom_ref=str(url)))
    written = JsonV1Dot6(bill).output_as_string(indent=2)
    wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(written)
    if wrong is not None:
        sys.stderr.write(f"{wrong}\n")
        return 1
    sys.stdout.write(f"{written}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
