"""One process of the provider for all tests. The tests need a fifth less time with it.

Without it, Terraform starts the provider several times for each command and for each run of `terraform test`. If
TF_REATTACH_PROVIDERS names a process, Terraform uses that one. The variable exists to debug providers.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ADDRESS = "registry.terraform.io/hashicorp/google"
HANDSHAKE = {
    "TF_PLUGIN_MAGIC_COOKIE": "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
    "PLUGIN_PROTOCOL_VERSIONS": "5,6",
}
"""A provider does not start without these. They are the same for every provider."""


@contextmanager
def shared_provider(initialised: Path) -> Iterator[None]:
    """Terraform uses one process of the provider that `terraform init` installed in the folder `initialised`."""
    (program,) = (initialised / ".terraform" / "providers" / ADDRESS).glob("*/*/terraform-provider-*")
    with subprocess.Popen(
        [program],
        env=os.environ | HANDSHAKE,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout
            _, version, network, address, protocol = process.stdout.readline().strip().split("|")[:5]
            attach = {
                "Protocol": protocol,
                "ProtocolVersion": int(version),
                "Pid": process.pid,
                "Test": True,  # Terraform does not stop the process
                "Addr": {"Network": network, "String": address},
            }
            os.environ["TF_REATTACH_PROVIDERS"] = json.dumps({ADDRESS: attach})
            yield
        finally:
            os.environ.pop("TF_REATTACH_PROVIDERS", None)
            process.terminate()
