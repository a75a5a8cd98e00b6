"""The number of examples of property tests that are expensive."""

from hypothesis import settings


def examples(few: int, many: int) -> settings:
    """`few` examples of a property, or `many` in a run with the long tests."""
    return settings(max_examples=many if settings.get_current_profile_name() == "long" else few)
