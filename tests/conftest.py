"""Settings of all tests."""

from hypothesis import settings

# How long an example takes says more of the machine than of the code.
settings.register_profile("mines_dd", deadline=None)
settings.load_profile("mines_dd")
