# ruff: noqa: RUF001
"""Words that put a question to a person, or ask for a yes, by language."""

import re

_VERBS = (
    r"(?:confirm|provide|reply|respond|share|choose|specify|select|tell|let|send|answer|review|approve|verify|indicate"
    r"|type|advise|give|pick|enter|state|list)"
)
_ASKING = (
    r"[?？؟]",
    rf"\b(?:please|kindly)\s+(?:\w+\s+){{0,2}}?{_VERBS}\b",
    r"\blet\s+(?:me|us)\s+know\b",
    r"\b(?:reply|respond|answer|type|say)\s+(?:with\s+)?[\\\"“'‘(]*(?:yes|y/n|ok|confirm|proceed)\b",
    r"\b(?:waiting|wait)\s+for\s+your\b",
    r"\bonce\s+you\s+(?:confirm|reply|approve|provide|have\s+(?:confirmed|provided))",
    r"\b(?:do|would|could|can|shall|should|may|which|what|how)\s+(?:you|I|we)\b[^.!\n]*\b(?:like|want|prefer|proceed|confirm)\b",
    r"\bI(?:['’]ll|\s+will)?\s+need\s+(?:you|your)\b",
    r"\byour\s+(?:confirmation|approval|go-ahead|decision|choice|answer|permission|consent)\b",
    r"\bconfirm\b[^.!\n]{0,60}\b(?:before|to\s+proceed|if)\b|\b(?:yes|no)\s+(?:or|/)\s+(?:no|yes)\b",
    # German, French, Dutch
    r"\bbitte\s+(?:\w+\s+){0,3}?(?:bestätig|antwort|wähl|teil|gib|geben|sag)\w*|\bSoll\s+ich\b",
    r"\blassen\s+Sie\s+(?:mich|uns)\s+wissen\b|\bgraag\s+(?:bevestig|laat)\w*",
    r"\bveuillez\b|\bconfirmez\b|\bdites-moi\b|\bmerci\s+de\s+(?:confirmer|répondre|préciser)\b",
    # Spanish, Portuguese, Italian
    r"\bpor\s+favor\b[^.!\n]*\b(?:confirm|respond|indi|eli|dig|inform)\w*",
    r"\bconfirm[ae]\w*\b[^.!\n]*\bpara\s+(?:continuar|proceder|prosseguir)\b",
    r"\bper\s+favore\b|\bconferm(?:a|i|ate)\b",
    # Russian, Chinese, Japanese, Korean, Arabic, Hebrew, Hindi
    r"\b(?:подтвердите|сообщите|ответьте)\b",
    r"请(?:您)?(?:确认|回复|选择|告诉|提供)|請(?:您)?(?:確認|回覆|選擇|告訴|提供)",
    r"ください(?:ませ)?。?\s*$|教えて|ご確認|확인해|알려\s*주|선택해\s*주",
    r"يرجى|الرجاء|אנא|कृपया",
)
ASKS = re.compile("|".join(_ASKING), re.IGNORECASE)
