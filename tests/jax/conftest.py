"""Four simulated devices, before anything imports JAX; and the installed `replait` command."""

from __future__ import annotations

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
os.environ["JAX_PLATFORMS"] = "cpu"
# Enough workers also where another test starts the backend before a recorder could ask for them.
os.environ["NPROC"] = os.environ["PJRT_NPROC"] = "64"
