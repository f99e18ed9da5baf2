# ruff: noqa: RUF001
"""Words that make a sentence a standing rule, by language. A sentence with one is a candidate and is kept whole.

Two strengths: `FORBIDS_OR_STANDS` is a prohibition, or says itself that it holds from now on; `RESTRICTS` narrows how
something is to be done. When space is short, the second kind gives way first.
"""

import re

_NOT_ABOUT_OTHERS = r"(?<!\bI\s)(?<!\bwe\s)(?<!\bthey\s)(?<!\bit\s)(?<!\bwho\s)(?<!\bthat\s)(?<!\bwhich\s)(?<!\byou\s)"
_ANSWERS = r"(?:conversation|chat|session|discussion|responses?|repl(?:y|ies)|answers?|messages?)"

_ENGLISH_STRONG = (
    rf"{_NOT_ABOUT_OTHERS}\b(?:do\s+not|don['’]t)\s+(?!know\b|remember\b|have\b|worry\b|see\b|think\b)\w+",
    r"\b(?:I|we)\s+(?:(?:really|also|definitely|actually|absolutely|just)\s+)*(?:do\s+not|don['’]t)\s+(?:\w+\s+)?(?:want|wish)\b",
    r"(?<!\bI\s)\bnever\b(?!\s+mind|\s*theless)",
    r"\bmust\b|\b(?:may|shall|should)\s+not\b|\b(?:mustn|shouldn)['’]t\b|\bare\s+not\s+(?:allowed|permitted)\b",
    r"\bno\s+need\s+(?:to|for)\b|\b(?:do|does)\s+not\s+need\s+to\b",
    r"\b(?:leave|leaving|keep|keeping|kept|stays?|remains?)\b[^.!?\n]{0,80}?\b(?:as[\s-]is|unchanged|alone|untouched|intact)\b",
    r"\bas[\s-]is\b",
    r"\b(?:avoid|refrain\s+from)\b|\bno\s+(?:exceptions?|longer\s+than|more\s+than)\b",
    r"(?<!\bI\s)(?<!['’]ve\s)(?<!\bcan\s)\balways\b",
    r"\bwithout\s+(?:asking|telling|checking\s+with)\s+me\b",
    r"\bfrom\s+now\s+on\b|\bgoing\s+forward\b|\bin\s+(?:the\s+)?future\b",
    rf"\b(?:throughout|for|during|in)\s+(?:this|the|our|your|all|every|each|any)\s+(?:\w+\s+){{0,3}}?{_ANSWERS}\b",
    rf"\b(?:every|each|all)\s+(?:of\s+)?(?:(?:your|the)\s+)?(?:\w+\s+)?(?:{_ANSWERS}|sentence|commit|number|time\s+you)\b",
    r"^\W*(?:before|after|when|whenever|if)\s+you\s+(?!can|could|have|need|would|do\b|are|don|think|find|prefer|want)"
    r"[^?]*,\s*(?:please\s+)?(?:\w+\s+){1,2}",
    r"\b(?:wait\s+for|ask|check\s+with)\s+(?:me|my)\b[^?]{0,60}\b(?:before|first|approv\w*|go-ahead)",
    r"^\W*(?:reply|respond|answer|write|speak|format)\b[^?]*\bonly\b",
)
_ENGLISH_MILD = (
    r"\b(?:I|we)(?:\s+would|['’]d)\s+(?:really\s+)?(?:rather|prefer)\b|\b(?:I|we)\s+prefer\b|\bpreferably\b",
    r"\bonly\b(?!\s+(?:has|have|had|got|remember|one\b|\$))",
    r"(?<!\bto\s)(?<!['’]ll\s)\b(?:make|be)\s+sure\b|(?<!\bto\s)\bensure\b|\bstrictly\b",
    r"\b(?:at\s+(?:most|least)|no\s+(?:fewer|less)\s+than)\b|\bunless\b|\brather\s+than\b",
    r"\b(?:private|secret|confidential)\b",
)
_OTHER_LANGUAGES = (
    # German, Dutch
    r"\b(?:niemals|nie|keinesfalls|auf\s+keinen\s+Fall|bitte\s+nicht|nur|immer|ausschließlich|ab\s+(?:jetzt|sofort))\b",
    r"\b(?:darf|dürfen|soll|sollen|sollst)\s+(?:\w+\s+){0,3}?nicht\b|\bnicht\s+(?:ändern|löschen|anfassen|senden|verwenden)\b",
    r"\b(?:nooit|altijd|alleen|uitsluitend|mag\s+niet|mogen\s+niet|niet\s+(?:wijzigen|verwijderen|versturen)|vanaf\s+nu)\b",
    # French, Spanish, Italian, Portuguese
    r"\b(?:ne|n['’])\s*\w+\s+(?:pas|jamais)\b|\b(?:jamais|toujours|uniquement|seulement|interdit|désormais|dorénavant)\b",
    r"\b(?:nunca|siempre|jamás|solamente|únicamente|sólo|prohibido|a\s+partir\s+de\s+ahora)\b",
    r"\bno\s+(?:debes?|cambies?|borres?|envíes?|modifiques?|toques?|hagas?|uses?|cambie|modifique|envíe|borre)\b",
    r"\b(?:mai|sempre|soltanto|vietato|d['’]ora\s+in\s+poi)\b|\bnon\s+(?:devi|deve|modificare|cancellare|inviare|usare)\b",
    r"\b(?:nunca|sempre|somente|apenas|proibido|a\s+partir\s+de\s+agora)\b|\bnão\s+(?:deve|altere|mude|apague|envie|faça|use)\b",
    # Scandinavian, Polish, Turkish, Vietnamese, Indonesian
    r"\b(?:aldrig|alltid|altid|endast|får\s+inte|må\s+ikke|från\s+och\s+med\s+nu)\b",
    r"\b(?:nigdy|zawsze|tylko|nie\s+(?:wolno|zmieniaj|usuwaj|wysyłaj)|odtąd)\b",
    r"\b(?:asla|her\s+zaman|sadece|yalnızca|bundan\s+sonra)\b|\b(?:không\s+được|đừng|luôn\s+luôn)\b",
    r"\b(?:jangan|selalu|hanya)\b",
    # Russian, Ukrainian
    r"\b(?:никогда|всегда|только|нельзя|обязательно|впредь|ніколи|завжди|тільки|не\s+можна)\b",
    r"\bне\s+(?:меняй|изменяй|удаляй|отправляй|делай|трогай)\w*",
    # Chinese, Japanese, Korean
    "不要|不得|不能|不准|不许|请勿|切勿|禁止|严禁|必须|务必|始终|总是|永远|从现在起|一律|只(?:能|可|用|在)|仅(?:限|用|在)",
    "請勿|嚴禁|必須|務必|始終|總是|永遠|從現在起|僅(?:限|用|在)",
    "しないで|ないでください|してはいけ|してはなら|必ず|常に|決して|のみ|今後は",
    r"하지\s*마|하지\s*말|마세요|금지|반드시|항상|절대|앞으로는",
    # Arabic, Hebrew, Hindi, Thai
    r"(?<!\w)لا\s+ت\w+|ممنوع|دائم[اًا]|أبد[اًا]|فقط|من\s+الآن\s+فصاعدا",
    r"(?<!\w)(?:אסור|אל\s+ת\w+|תמיד|לעולם\s+לא|מעכשיו)",
    r"कभी\s+नहीं|हमेशा|केवल|ห้าม|เสมอ|เท่านั้น",
)


def _any(*groups: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(pattern for group in groups for pattern in group), re.IGNORECASE)


FORBIDS_OR_STANDS = _any(_ENGLISH_STRONG, _OTHER_LANGUAGES)
RESTRICTS = _any(_ENGLISH_MILD)

LIFTS = _any(
    (
        r"\b(?:you\s+(?:may|can)\s+(?:now|again)|now\s+you\s+(?:may|can))\b",
        r"\bit['’]?s\s+(?:now\s+)?(?:ok|okay|fine|alright)\s+(?:now\s+)?to\b",
        r"\b(?:no\s+longer|don['’]t|do\s+not)\s+(?:need|have)\s+to\b[^.!?]{0,60}\b(?:any\s*more|anymore|any\s+longer)\b",
        r"\b(?:forget|ignore|drop|lift|scrap)\s+(?:my|the|that|what)\b[^.!?]{0,40}\b(?:rule|instruction|restriction|said|earlier)\b",
    )
)
"""A later permission: it lifts the rule whose words it repeats."""
