"""Datasets: the catalogue, imports, facts about puzzles, and conditions that choose them."""

from typing import TYPE_CHECKING

from harness.base.plugins import lazily

if TYPE_CHECKING:
    from harness.puzzles.datasets.catalogue import (
        Address,
        Dataset,
        Listing,
        PublicSet,
        address_of,
        digest_of,
        find,
        imported_listings,
        listings,
        load_dataset,
        load_datasets,
        public_sets,
        read_instances,
        shipped_listings,
        user_folder,
    )
    from harness.puzzles.datasets.collection import (
        MOST_CANONICAL,
        NODES,
        Imported,
        ImportRequest,
        ImportSummary,
        OnDuplicate,
        import_file,
        remembering,
        remove_dataset,
    )
    from harness.puzzles.datasets.facts import (
        Distribution,
        Facts,
        Statistics,
        facts_of,
        features_of,
        is_minimal,
    )
    from harness.puzzles.datasets.features import (
        FEATURES,
        Described,
        Feature,
        FeatureType,
        search_feature,
    )
    from harness.puzzles.datasets.where import Where

__all__ = [
    "FEATURES",
    "MOST_CANONICAL",
    "NODES",
    "Address",
    "Dataset",
    "Described",
    "Distribution",
    "Facts",
    "Feature",
    "FeatureType",
    "ImportRequest",
    "ImportSummary",
    "Imported",
    "Listing",
    "OnDuplicate",
    "PublicSet",
    "Statistics",
    "Where",
    "address_of",
    "digest_of",
    "facts_of",
    "features_of",
    "find",
    "import_file",
    "imported_listings",
    "is_minimal",
    "listings",
    "load_dataset",
    "load_datasets",
    "public_sets",
    "read_instances",
    "remembering",
    "remove_dataset",
    "search_feature",
    "shipped_listings",
    "user_folder",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazily(__name__, __file__)
