"""Words that make a sentence a standing rule, by language. A sentence with one is a candidate, kept whole."""

import re

_ENGLISH = r"""
    (?<!\bI\s)(?<!\bwe\s)(?<!\bthey\s)(?<!\bit\s)(?<!\bwho\s)(?<!\bthat\s)(?<!\bwhich\s)(?<!\byou\s)\b(?:do\s+not|don['’]t)\s+\w+
  | \b(?:I|we)\s+(?:really\s+|also\s+|definitely\s+|actually\s+|absolutely\s+)*(?:do\s+not|don['’]t)\s+(?:\w+\s+)?(?:want|wish|need\s+you|like)\b
  | \b(?:I|we)\s*(?:['’]d|would)\s+(?:really\s+)?(?:rather|prefer)\b | \b(?:I|we)\s+prefer\b | \bpreferably\b | \bprefer\s+\w+
  | \bnever\b(?!\s+mind)(?!theless)
  | \balways\b | \bmust(?:\s+not|n['’]t)?\b | \bmay\s+not\b | \bshall\s+not\b | \bare\s+not\s+(?:allowed|permitted|to)\b
  | \b(?:should\s+not|shouldn['’]t|cannot\s+be|can['’]t\s+be)\b
  | \bno\s+need\s+(?:to|for)\b | \bneed\s+not\b | \b(?:do|does)\s+not\s+need\s+to\b
  | \b(?:leave|keep|kept|keeping|stays?|remains?|leaving)\b[^.!?\n]{0,80}?\b(?:as[\s-]is|unchanged|alone|untouched|intact|the\s+same|private|secret|confidential)\b
  | \bas[\s-]is\b
  | \b(?:avoid|refrain\s+from|stop|without)\s+\w+ing\b | \bno\s+(?:more|other|longer|paragraphs|exceptions?)\b | \bnot\s+(?:more|less)\s+than\b
  | \b(?:please\s+|just\s+)?only\s+(?:if|when|after|once|use|do|add|change|include|the|for|in|with|from|want|to|reply|answer|update|modify|cancel|return)\b | \bonly\b[^.?!\n]*[.!]?\s*$
  | \bunless\b | \bregardless\s+of\b | \bat\s+(?:most|least)\b | \bno\s+(?:more|fewer|less)\s+than\b
  | \b(?:make|be)\s+sure\b | \bensure\b | \bstrictly\b | \bexactly\s+as\b | \brather\s+than\b | \binstead\s+of\b
  | \bfrom\s+now\s+on\b | \bgoing\s+forward\b | \bin\s+(?:the\s+)?future\b
  | \b(?:for|throughout|during|in)\s+(?:this|the|our|your|all|every|each|any)\s+(?:\w+\s+){0,3}?(?:conversation|chat|session|response|reply|replies|responses|answers?|messages?|discussion)\b
  | \b(?:every|each|all)\s+(?:of\s+)?(?:your\s+|the\s+)?(?:repl|response|answer|message|sentence|commit|file|number|time)\w*
  | ^\W*(?:before|after|when(?:ever)?|if|once)\s+you\b[^?]*$
  | \b(?:wait\s+for|ask|confirm\s+with|check\s+with|show)\s+me\b[^?]{0,60}\b(?:before|first|approv|go-ahead)
  | ^\W*(?:reply|respond|answer|write|speak|use|format|cite|end|start|begin)\b[^?]*\b(?:only|every|always|in|with|as)\b[^?]*$
"""
_OTHERS = r"""
    \b(?:niemals|nie|keinesfalls|auf\s+keinen\s+Fall|bitte\s+nicht|nicht\s+(?:ändern|löschen|anfassen|senden)|nur|immer|ausschließlich|darf\s+nicht|dürfen\s+nicht|muss|müssen|soll(?:en|st)?\s+nicht|ab\s+(?:jetzt|sofort))\b
  | \b(?:ne\s+\w+\s+(?:pas|jamais)|n['’]\w+\s+(?:pas|jamais)|jamais|toujours|uniquement|seulement|interdit|il\s+(?:ne\s+)?faut|désormais|doit|doivent|évite[zr]?)\b
  | \b(?:nunca|siempre|solamente|únicamente|sólo|prohibido|no\s+(?:debes?|debe|cambies?|borres?|envíes?|modifiques?|toques?|hagas?|uses?)|debes?|a\s+partir\s+de\s+ahora|jamás)\b
  | \b(?:mai|sempre|soltanto|solo\s+(?:se|quando|dopo)|non\s+(?:devi|deve|modificare|cancellare|inviare|toccare|cambiare|usare)|devi|vietato|d['’]ora\s+in\s+poi)\b
  | \b(?:nunca|sempre|somente|apenas|não\s+(?:deve|devem|altere|mude|apague|envie|faça|use|toque|modifique)|proibido|a\s+partir\s+de\s+agora)\b
  | \b(?:nooit|altijd|alleen|uitsluitend|mag\s+niet|mogen\s+niet|niet\s+(?:wijzigen|veranderen|verwijderen|versturen)|moet(?:en)?|vanaf\s+nu)\b
  | \b(?:aldrig|alltid|altid|endast|bara|kun|måste|får\s+inte|må\s+ikke|inte\s+ändra)\b
  | \b(?:nigdy|zawsze|tylko|nie\s+(?:wolno|zmieniaj|usuwaj|wysyłaj|rób)|musisz|odtąd)\b
  | \b(?:никогда|всегда|только|нельзя|не\s+(?:меняй\w*|изменяй\w*|удаляй\w*|отправляй\w*|делай\w*|трогай\w*|надо|нужно)|обязательно|должн\w+|впредь)\b
  | \b(?:ніколи|завжди|тільки|не\s+можна)\b
  | \b(?:asla|her\s+zaman|sadece|yalnızca|hiçbir\s+zaman)\b
  | 不要|不得|不能|不准|不许|请勿|切勿|禁止|严禁|别(?!的|人)|必须|务必|始终|总是|永远|只(?:能|可|用|在|有|要)|仅(?:限|用|在)|从现在起|一律
  | 不要|不得|請勿|嚴禁|必須|務必|始終|總是|永遠|僅(?:限|用|在)
  | しないで|ないでください|してはいけ|してはなら|禁止|必ず|常に|決して|だけ(?:を|に|で)|のみ|今後は
  | 하지\s*마|하지\s*말|마세요|말아|금지|반드시|항상|절대|만\s+(?:사용|하)|앞으로는
  | لا\s+ت\w+|ممنوع|دائم[اًا]|أبد[اًا]|فقط|يجب|من\s+الآن\s+فصاعدا
  | אסור|אל\s+ת\w+|תמיד|לעולם\s+לא|רק|חייב\w*|מעכשיו
  | कभी\s+नहीं|मत\b|हमेशा|केवल|सिर्फ|ज़रूर
  | ห้าม|เสมอ|เท่านั้น|ต้อง
  | không\s+được|đừng|luôn|chỉ\s+được|phải
"""

STANDING = re.compile(f"{_ENGLISH}|{_OTHERS}", re.IGNORECASE | re.VERBOSE)

LIFTED = re.compile(
    r"""
    \b(?:you\s+(?:may|can)\s+(?:now|again)|now\s+you\s+(?:may|can)|it['’]?s\s+(?:now\s+)?(?:ok|okay|fine|alright)\s+(?:now\s+)?to
      |no\s+longer\s+(?:need|have)\s+to|(?:forget|ignore|drop|lift|cancel|scrap)\s+(?:my|the|that|what)\b[^.!?]{0,40}\b(?:rule|instruction|restriction|said|earlier|request)
      |that\s+(?:rule|restriction)\s+(?:no\s+longer|does\s+not|doesn['’]t))
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A later permission: it lifts the rule whose words it repeats."""
