"""The composition root: the one module that names concrete adapters."""

from collections.abc import Mapping

from models.kinds import TranscriptFormat
from service.ports import Extractor, TranscriptReader


def transcript_readers() -> Mapping[TranscriptFormat, TranscriptReader]:
    """Every transcript format we read. A third one is one file in adapters/transcripts and one line here."""
    from service.adapters.transcripts.anthropic_messages import AnthropicMessagesReader
    from service.adapters.transcripts.claude_code import ClaudeCodeReader

    readers: tuple[TranscriptReader, ...] = (ClaudeCodeReader(), AnthropicMessagesReader())
    return {reader.format: reader for reader in readers}


def structural_extractor() -> Extractor:
    from service.adapters.extractor.structural import StructuralExtractor

    return StructuralExtractor()
