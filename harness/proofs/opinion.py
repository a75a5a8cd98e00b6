"""Whether a second checker is consulted."""

from enum import StrEnum


class SecondOpinion(StrEnum):
    """Whether a proof is also checked by dratify."""

    NONE = "none"
    AVAILABLE = "available"
    """If dratify is installed and takes at most half a minute."""
    REQUIRED = "required"
