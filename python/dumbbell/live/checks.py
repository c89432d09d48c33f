"""Check what live emulation needs of a machine."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from dumbbell import _native
from dumbbell.errors import DumbbellError
from dumbbell.live import virtual


@dataclass(frozen=True)
class Check:
    """One thing that live emulation uses."""

    name: str
    """A word for it."""
    works: bool
    """Whether it can be used."""
    detail: str
    """What it is, or why it does not work."""


def checks() -> list[Check]:
    """Return what of this machine emulation can use, live and in virtual time, and why not the rest."""
    tun = Path("/dev/net/tun")
    tunnels = os.access(tun, os.R_OK | os.W_OK)
    refused = _native.probe()
    rows = [
        Check("linux", sys.platform == "linux", sys.platform),
        Check("tun", tunnels, "TUN devices" if tunnels else f"{tun} cannot be opened"),
        Check("namespaces", refused is None, refused or "a namespace with a device was made and taken down"),
    ]
    realtime = os.geteuid() == 0
    rows.append(
        Check(
            "priority",
            realtime,
            "packets go before other work"
            if realtime
            else "only root may go before all other work; expect more lateness on a busy machine",
        )
    )
    rows += [_kernel_controller(name) for name in ("cubic", "reno", "bbr")]
    rows += [
        Check(tool, (found := shutil.which(tool)) is not None, found or f"not on the PATH; install {package}")
        for tool, package in (("iperf3", "iperf3"), ("ping", "iputils-ping"))
    ]
    rows += _laws()
    rows += [_virtual_kernel(version) for version in virtual.VERSIONS]
    return rows


def _laws() -> list[Check]:
    from dumbbell.own import kernel, native

    native_lacks, kernel_lacks = native.lacks(), kernel.lacks()
    return [
        Check("native laws", native_lacks is None, native_lacks or "laws of one's own run as machine code"),
        Check(
            "kernel laws",
            kernel_lacks is None,
            "; ".join(kernel_lacks) if kernel_lacks else "`shell --kernel-controller` puts a law in",
        ),
    ]


def _virtual_kernel(version: str) -> Check:
    name = f"virtual {version}"
    try:
        kernel = virtual.find(version)
    except DumbbellError as error:
        return Check(name, False, str(error))
    return Check(name, True, f"Linux {kernel.release} in virtual time, {kernel.hz} ticks a second")


def _kernel_controller(name: str) -> Check:
    def among(which: str) -> bool:
        file = Path(f"/proc/sys/net/ipv4/tcp_{which}_congestion_control")
        return file.exists() and name in file.read_text(encoding="ascii").split()

    if not among("available"):
        return Check(f"kernel {name}", False, f"the kernel's TCP lacks it; try `modprobe tcp_{name}`")
    detail = "for all commands" if among("allowed") else "for commands with --network-administration"
    return Check(f"kernel {name}", True, detail)
