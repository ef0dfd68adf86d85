"""Property tests try the same cases every time; `--hypothesis-profile default` goes exploring."""

from hypothesis import settings

from postgres_server import postgres  # noqa: F401  (a fixture for tests of several rooms)

settings.register_profile("steady", derandomize=True)
settings.load_profile("steady")
