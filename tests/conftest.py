"""Property tests try the same cases every time; `--hypothesis-profile default` goes exploring."""

from hypothesis import settings

settings.register_profile("steady", derandomize=True)
settings.load_profile("steady")
