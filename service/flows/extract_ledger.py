"""From records to a ledger: extract, verify, merge. No I/O of its own."""

from dataclasses import dataclass

from service.domain.cut import legal_cuts
from service.domain.ledger import ExtractionInput, Ledger
from service.domain.merge import merge
from service.domain.verify import Refused, verify
from service.ports import Extractor


@dataclass(frozen=True, slots=True)
class ExtractedLedger:
    """The ledger brought up to date, and the entries that did not pass, each with its reason."""

    ledger: Ledger
    refused: tuple[Refused, ...] = ()


def extract_ledger(extractor: Extractor, job: ExtractionInput) -> ExtractedLedger:
    """Raises what the extractor raises; nothing an extractor returns can raise here.

    The new watermark lies right before the last legal cut, so that calls still open, and their whole batch,
    are always left to the kept tail.
    """
    verified = verify(extractor.extract(job), job)
    cuts = legal_cuts(job.transcript.records)
    covered = cuts[-1] - 1 if cuts else job.ledger.watermark
    return ExtractedLedger(merge(job.ledger, verified.kept, covered, job.session_id), verified.refused)
