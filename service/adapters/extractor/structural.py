"""The structural extractor: fields and calls, no model, no network."""

from service.domain.ledger import Entry, ExtractionInput
from service.domain.scan import scan


class StructuralExtractor:
    @property
    def name(self) -> str:
        return "structural"

    def extract(self, job: ExtractionInput) -> tuple[Entry, ...]:
        return scan(job)
