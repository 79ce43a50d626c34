"""Settings of all tests, and what several need."""

import signal

import pytest
from hypothesis import settings

# How long an example takes says more of the machine than of the code.
settings.register_profile("mines_dd", deadline=None)
settings.load_profile("mines_dd")


@pytest.fixture
def interrupts():
    """Processes started meanwhile heed Ctrl-C, which those of a shell's background job inherit to ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
