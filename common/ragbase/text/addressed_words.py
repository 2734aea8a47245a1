"""How texts speak to a language model that reads them, in the languages that we know.

`STRONG` turns the model from what it was told, or plays another side of the conversation. `WEAK` tells it what to say.
`SAYING` has the words for that alone, which texts for people have, too.
"""

from __future__ import annotations

import re

_OVERRIDES = (
    # English names what is to be ignored more closely: manuals say "ignore the rules of …", too.
    (
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|do not (?:follow|obey|trust)|don't (?:follow|obey|trust)|pay no attention|stop (?:following|obeying))\b",
        r"\b(?:all|any|every|your|my|our|these|those|previous|prior|preceding|above|earlier|foregoing|initial|original|"
        r"system|other|given|existing|current)\b.{0,40}?\b(?:instruction|rule|prompt|guideline|direction|directive|"
        r"command|constraint|order|guidance|polic(?:y|ie))s?\b|\brules? you\b|\beverything (?:above|before|you)|\b(?:what|all) (?:you were told|"
        r"of the above|the above|that came before)|\binstructions? (?:above|before|so far|given|of your|you)",
    ),
    (
        r"\b(?:ignoriere?|ignorieren sie|vergiss|vergessen sie|missachten?)\b",
        r"anweisung|regeln\b|instruktion|vorgaben|prompt|was oben|alles (?:bisherige|vorherige|obige)",
    ),
    (
        r"\b(?:ignore[rz]?|oublie[rz]?|fai(?:s|tes) abstraction)\b|pas compte d",
        r"\b(?:les|ces|tes|vos|toutes?|des|aux)\b.{0,25}?(?:instructions|consignes|règles|directives)|tout ce qui précède",
    ),
    (
        r"\b(?:ignor[ae]n?|olvid[ae]n?|descart[ae]|haz caso omiso|no sigas)\b",
        r"instrucci[oó]n|reglas|indicaciones|órdenes|todo lo anterior",
    ),
    (
        r"\b(?:ignor[ea]m?|esqueç[ae]m?|desconsider[ea]m?)\b",
        r"instruções|regras|orientações|ordens|tudo (?:o que|acima)",
    ),
    (
        r"\b(?:ignora(?:te)?|dimentica(?:te)?|trascura(?:te)?)\b",
        r"istruzioni|regole|indicazioni|direttive|tutto (?:quello|ciò)",
    ),
    (r"\b(?:negeer|vergeet)\b", r"instructies|regels|aanwijzingen|opdrachten"),
    (r"\b(?:ignorera|ignorer|ignorér|glöm|glem|bortse från|se bort fra)\b", r"instru[kc]|anvisning|regler|regel"),
    (r"\b(?:ohita|unohda|sivuuta)\b", r"ohje|sään|käsky"),
    (r"\b(?:z?ignoruj|zapomnij|pomiń)", r"instrukcj|polece[nń]|zasad|wytyczn"),
    (r"\b(?:ignoruj|zapome[nň]|pomiň|nedbej)", r"pokyn|instrukc|pravid"),
    (r"\b(?:ignor[aă]|ignorați|uit[aă]|uitați)\b", r"instruc[tțţ]iuni|regul|indica[tțţ]ii"),
    (r"hagyd figyelmen kívül|felejtsd el|mellőzd", r"utasítás|szabály|instrukci"),
    (r"yok say|görmezden gel|dikkate alma|göz ardı et|\bunut\b|\bunutun\b", r"talimat|kural|yönerge|komut"),
    (r"αγνό[ηε]σ|αγνοήσ|ξέχασ|ξεχάσ|παράβλεψ", r"οδηγί|κανόν|εντολ"),
    (r"игнориру|забудь|не обращай|пренебрег", r"инструкци|указани|правил|команд"),
    (r"ігнору|забудь|знехту", r"інструкці|вказів|правил|команд"),
    (r"تجاهل|انس[َى]?\b|لا تتبع|أهمل", r"تعليمات|الأوامر|القواعد|إرشادات|التوجيهات"),
    (r"התעלמ?[םי]|שכחי?\b", r"הוראות|הנחיות|כללים"),
    (r"نادیده بگیر|فراموش کن", r"دستور|قوانین|قواعد"),
    (r"अनदेखा|नज़रअंदाज़|नजरअंदाज|भूल जा|उपेक्षा", r"निर्देश|नियम|आदेश"),
    (
        r"忽略|无视|無視|忘记|忘記|忘掉|不要理会|忽视|忽視",
        r"指令|指示|提示|规则|規則|命令|指引|之前的|以上|上述|上文|上面",
    ),
    (r"無視|忘れ|従わな", r"指示|命令|ルール|プロンプト|規則|以前の内容|これまでの"),
    (r"무시|잊어|잊고", r"지시|명령|규칙|프롬프트|지침|이전 내용|위의 내용"),
    (r"bỏ qua|phớt lờ|\bquên\b", r"hướng dẫn|chỉ dẫn|chỉ thị|quy tắc|mệnh lệnh|mọi thứ ở trên"),
    (r"เพิกเฉย|ไม่ต้องสนใจ|ลืม|ละเว้น|มองข้าม", r"คำสั่ง|คำแนะนำ|กฎ"),
    (r"\b(?:abaikan|lupakan)\b", r"instruksi|perintah|aturan|petunjuk"),
)
"""The word for it, and what is to be ignored, in one sentence."""

_ROLES = (
    r"<\|? ?(?:im_start|im_end|system|assistant|user|endoftext|start_header_id|eot_id)\|?>|\[/?INST\]|<</?SYS>>"
    r"|<(?:start|end)_of_turn>|</?(?:system|assistant|instructions?|human|passages?|documents?|context|question)>",
    r"[\"']role[\"']\s*:\s*[\"'](?:system|assistant|developer)|^[ \t>-]{0,20}role: *[\"']?(?:system|assistant|developer)[\"']? *$",
    r"</?(?:function|tool)_(?:results?|calls?|response|use)>|[\"'](?:tool|function)_calls?[\"']\s*:",
    r"^[^\S\n]*#{1,6}\s{0,40}(?:system|assistant|instructions?|new (?:task|instructions?))(?: (?:prompt|message|override))?\b\s*:?\s*$",
    r"[\[(](?:system|assistant|admin|developer)(?: (?:message|prompt|override|note|instructions?))?[\])]",
    r"^=== ?.{0,60}(?:passage|question|instruction).{0,20}===|\bend of (?:the )?(?:passages?|documents?|context|prompt)\b",
    r"\b(?:begin|end) (?:of )?(?:the )?(?:system|hidden|secret|new) (?:prompt|instructions?|message)",
)
_MACHINES = (
    r"^[^\w\n]*override\s{0,40}[:!]|\bhighest priority\b.{0,60}\b(?:output|answer|sentence|instruction|follow)|\b(?:any|all) (?:contradicting|"
    r"conflicting|other) (?:passage|document|source|text|statement)s?\b|\{\{[#/~]?\s*(?:system|assistant|user)",
    r"\b(?:anyone|anybody|whoever|everyone|everybody|readers?|models?|systems?) (?:who |that )?(?:is |are )?(?:summari[sz]|answer|"
    r"quot|process|read)(?:es|e|ing|ers?|s)?\b.{0,60}\b(?:must|should|shall|has to|have to|is to|are to|will)\b",
    r"\b(?:AI|LLM|machine|automated|language model)[ -]?(?:readers?|systems?|agents?|tools?|parsers?|models?|assistants?)?\b.{0,40}"
    r"\b(?:must|should|shall|have to|has to|are required|is required|are to|are instructed)\b.{0,30}\b(?:say|state|answer|reply|"
    r"respond|report|replace|treat|use|ignore|claim|tell|cite|output|write|follow)\b",
    r"\bwhen (?:generating|writing|composing|producing|giving|forming|drafting) (?:a|an|your|the|any) (?:answer|response|reply|"
    r"summary)\b|\b(?:as|being) an (?:AI|LLM|artificial)\b|\b(?:orders?|instructs?|tells?|commands?|requires?|wants?) (?:the|this|any|"
    r"every) (?:chat ?bot|assistant|AI|language model|LLM|bot)\b",
    r"\b(?:if|since|as|because) you(?: are|'re) (?:an? )?(?:AI|LLM|language model|chat ?bot|assistant|bot|GPT|machine)\b",
    r"\byou are (?:now|no longer)\b.{0,60}\b(?:AI|assistant|model|bot|mode|DAN|restrict|bound|unfiltered|free)\b",
    r"\b(?:note|message|attention|instructions?|notice|warning|hint|reminder|order|request)s?\b.{0,12}\b(?:to|for) "
    r"(?:the |any |all |every )?(?:AI|LLM|language model|assistant|chat ?bot|model|bot|agent|machine)s?\b",
    r"^[\W_]{0,40}(?:(?:dear|hey|hello|attention|ok|okay|to|note)[\W_]{0,40})?(?:AI|LLM|assistant|chat ?bot|ChatGPT|GPT|Claude|Gemini|"
    r"Copilot)(?: (?:model|assistant|agent|system)s?)?\s*[,:!]",
    r"\b(?:system prompt|jailbreak|developer mode|prompt injection payload)\b.{0,80}\b(?:reveal|print|enabled|is now|show|"
    r"repeat)|\b(?:reveal|print|show|repeat|leak|output|disclose)\b.{0,30}\b(?:your|the) (?:system |hidden |initial )?"
    r"(?:prompt|instructions)\b",
    r"\bfrom now on\b.{0,30}\b(?:you (?:must|will|are|shall|only)|answer|respond|reply|act|say|ignore)\b|\b(?:your|the) new (?:instructions?|task|role|"
    r"goal|objective)s? (?:is|are)\b|\bnew instructions?\s*:",
    r"\b(?:KI|IA|ИИ|ШІ|AI)[- ]?(?:assist|asist|model|sistem|ассист|модел|систем)\w*\s*[,:!]",
    r"\b(?:KI-Assistent|assistant IA|asistente de IA|assistente (?:de )?IA|ИИ-ассистент|trợ lý AI|yapay zeka)\b",
    r"(?:人工智能|智能|AI)助手|大(?:语言)?模型[，,:：]|AI(?:アシスタント|への|モデル)|アシスタントへ|인공지능|AI ?(?:어시스턴트|모델)",
    r"المساعد الذكي|الذكاء الاصطناعي\s*[:،]|एआई|AI सहायक|ผู้ช่วย ?(?:AI|เอไอ)",
)
_ONLY = r"(?:only|exactly|just|verbatim|nothing but|that|the (?:words|sentence|phrase|following))\b|[\"“„«「『]"
_BEGIN = r"(?:^|[.!?:;,\n\"“(]\s{0,40}|\b(?:then|please|now|instead|must|always|simply|just)\s+)"
_SAYS = (
    rf"{_BEGIN}(?:say|claim|declare|pretend|recite|chant)\b(?:.{{0,20}}?(?:{_ONLY})|(?: (?:this|it|so|instead|as|follows|loudly|always|back|to|the|user)){{0,3}} ?:)",
    rf"(?:^|[.!?:;\n]\s{0, 40}|\bplease\s+)(?:state|assert|insist)\b.{{0,20}}?(?:{_ONLY}|:)",
    rf"{_BEGIN}(?:answer|reply|respond)\b(?: that\b|.{{0,40}}?(?:\bonly\b|\bexactly\b|\bverbatim\b|\bnothing but\b|"
    r"\bwith (?:the )?(?:words?|sentence|phrase|single)\b|[\"“„«]))",
    rf"{_BEGIN}(?:output|print|write|repeat)\b.{{0,20}}?\b(?:only|exactly|verbatim|nothing but|after me|"
    r"the (?:words|sentence|phrase))\b",
    r"\btell (?:the user|them|him|her|everyone|anyone|every user|users?|all users|the reader|readers|the customer)\b.{0,20}?"
    r"(?:\bthat\b|:|[\"“„«])",
    r"\b(?:in|into|to|with|of|for|begin|end|start|prefix|finish) (?:your|every|each|all|any) (?:final |next )?"
    r"(?:answer|response|reply|replies|summary)s?\b",
    r"\b(?:when|whenever|if) (?:a|the|any|some|every)?\s?(?:user|reader|one|body|person|customer)?s? ?(?:is |are )?ask(?:s|ed)?"
    r" (?:about|for|when|what|how|whether|who|where|why|which|this|you|anything)\b.{0,80}?\b(?:say|answer|reply|respond|tell|"
    r"state|claim|write)\b",
    r"\byour (?:only |final |next )?(?:answer|response|reply) (?:is|must|should|shall|has to|will|may)\b",
    r"\bthe (?:only |single )?(?:correct|right|true|expected|approved|official) (?:answer|response|reply)\b.{0,40}?\b(?:is|to)\b",
    r"\b(?:do not|don't|never) (?:mention|reveal|disclose|cite|quote|tell|use|answer|say)\b.{0,30}\b(?:this|these|the (?:user|"
    r"question|documents?|passages?|other)|any|it|from)\b",
    r"\b(?:include|append|insert|embed|add|render|show|put|attach|place)\b.{0,40}\b(?:link|url|image|picture|markdown|pixel|"
    r"html)\b.{0,80}(?:\b(?:answer|response|reply|user|reader|conversation|question)\b|https?:|\]\()",
    r"\b(?:send|post|forward|upload|leak|exfiltrate|transmit)\b.{0,40}\b(?:conversation|chat|history|question|prompt|answer|"
    r"secrets?|passwords?|documents?)\b.{0,30}\b(?:to|at|via)\b",
    r"\b(?:call|invoke|run|use) (?:the |a )?(?:tool|plugin)\b.{0,40}\b(?:delete|send|now)\b",
    r"\b(?:cite|quote|mark|reference) (?:this|only|passage|document|source|it)\b.{0,40}?\b(?:as|for|only|instead|everything|"
    r"every|all)\b",
    r"\b(?:you|model|assistant|AI) (?:must|shall|will|have to|should|are to)(?: now| always| only)? (?:say|answer|reply|"
    r"respond|state|claim|repeat|act|behave|pretend|obey|comply|output)\b",
    # Other languages: the imperative of a verb of saying, with what makes it an order to somebody who answers.
    r"\b(?:antworte|sag|sage|schreib|schreibe|wiederhole|behaupte|antworten sie|sagen sie|schreiben sie)\b.{0,30}?"
    r"(?:\b(?:nur|ausschließlich|genau|dass|folgendes)\b|:|[„\"»])",
    r"\b(?:réponds|répondez|dis|dites|écris|écrivez|répète|répétez|affirme|affirmez)\b.{0,30}?(?:\b(?:seulement|uniquement|"
    r"exactement|simplement|que)\b|:|[«\"])",
    r"\b(?:responde|responda|contesta|conteste|di|diga|escribe|escriba|repite|repita|afirma)\b.{0,30}?(?:\b(?:solo|sólo|"
    r"únicamente|exactamente|simplemente|que)\b|:|[«\"“])",
    r"\b(?:responda|responde|diga|escreva|repita|afirme)\b.{0,30}?(?:\b(?:apenas|somente|só|exatamente|que)\b|:|[\"“])",
    r"\b(?:rispondi|rispondete|di'|dì|dite|dici|scrivi|scrivete|ripeti|afferma)\b.{0,30}?(?:\b(?:solo|soltanto|esattamente|"
    r"unicamente|che)\b|:|[«\"“])",
    r"\b(?:antwoord|zeg|schrijf|herhaal|beweer)\b.{0,30}?(?:\b(?:alleen|uitsluitend|precies|enkel|dat)\b|:|[\"“])",
    r"\b(?:svara|säg|skriv|upprepa|svar|sig|si|gjenta|gentag)\b.{0,30}?(?:\b(?:endast|bara|kun|exakt|bare|nøjagtigt|att|at)\b|"
    r":|[\"“”])",
    r"\b(?:odpowiedz|odpowiadaj|powiedz|napisz|powtórz|stwierdź)\b.{0,30}?(?:\b(?:tylko|wyłącznie|dokładnie|że)\b|:|[„\"])",
    r"\b(?:odpověz|odpovídej|řekni|napiš|zopakuj|tvrď)\b.{0,30}?(?:\b(?:jen|pouze|přesně|že)\b|:|[„\"])",
    r"\b(?:răspunde|raspunde|spune|scrie|repet[aă]|afirm[aă])\b.{0,30}?(?:\b(?:doar|numai|exact|că|ca)\b|:|[„\"])",
    r"\b(?:válaszold|válaszolj|mondd|írd|ismételd)\b.{0,30}?(?:\b(?:csak|kizárólag|pontosan|hogy)\b|:|[„\"])",
    r"\b(?:sadece|yalnızca|tam olarak|yalnız)\b.{0,80}(?:yaz|söyle|cevap|yanıt|\bde\b)|[\"”'] (?:yaz|söyle)\b",
    r"(?:απάντησε|απαντήστε|πες|πείτε|γράψε|γράψτε|επανάλαβε)\b.{0,30}?(?:μόνο|ακριβώς|ότι|πως|:|[«\"])",
    r"\b(?:ответь|ответьте|отвечай|отвечайте|скажи|скажите|напиши|напишите|повтори|повторите|утверждай)\b.{0,30}?"
    r"(?:\b(?:только|лишь|точно|дословно|что)\b|:|[«\"])",
    r"\b(?:відповідай|відповідайте|скажи|скажіть|напиши|напишіть|повтори)\b.{0,30}?(?:\b(?:лише|тільки|точно|що)\b|:|[«\"])",
    r"(?:أجب|قل|اكتب|كرر|أخبر)\b.{0,30}?(?:فقط|\bأن\b|\bإن\b|:|[\"«])",
    r"(?:ענה|אמור|כתוב|השב)\b.{0,30}?(?:רק|:|\")",
    r"(?:پاسخ بده|بگو|بنویس)\b.{0,30}?(?:فقط|که|:|[«\"])|فقط .{0,60}(?:بگو|بنویس|پاسخ)",
    r"(?:केवल|सिर्फ|बस).{0,80}(?:कह|लिख|उत्तर|जवाब|बता)|(?:कहो|कहें|बताओ|बताएं|लिखो)\s*(?:कि|:)",
    r"(?:只|仅|僅|必须|必須|直接|一律).{0,6}(?:回答|回复|回覆|说|說|输出|輸出|告诉|告訴)|(?:回答|回复|回覆|说|說|告诉用户|输出)[^。]{0,6}"
    r"[：:\"“「]",
    r"(?:とだけ|のみ|だけ|必ず).{0,16}(?:答え|回答|言[いっ]|出力|返[しせ]|述べ)|[」』\"]?と(?:答え|言っ|回答し|返し|述べ|伝え)(?:て|ろ|なさい)",
    r"(?:라고만?|만|반드시).{0,12}(?:답하|답변하|대답하|말하|출력하|응답하)(?:세요|라|십시오|여라|시오)",
    r"\b(?:chỉ|hãy|luôn|phải).{0,12}(?:trả lời|nói|viết|khẳng định).{0,20}?(?:\brằng\b|\blà\b|:|[\"“])",
    r"(?:ตอบ|พูด|เขียน|บอก).{0,12}(?:เท่านั้น|เพียง|ว่า)",
    r"\b(?:jawab|jawablah|katakan|tulis|balas)\b.{0,30}?(?:\b(?:hanya|saja|bahwa|persis)\b|:|[\"“])",
)

_FLAGS = re.MULTILINE | re.DOTALL
_SHOUTED = (
    r"^[\W_]{0,40}(?:SYSTEM|ASSISTANT|DEVELOPER|HUMAN)(?: (?:MESSAGE|PROMPT|OVERRIDE|NOTE|INSTRUCTIONS?))?[\W_]{0,4}:"
)


def _lower(pattern: str) -> re.Pattern[str]:
    """Of a text in small letters: that is three times as fast as a pattern that takes both."""
    return re.compile(
        re.sub(r"\\.|.", lambda found: found[0] if found[0][0] == "\\" else found[0].lower(), pattern), _FLAGS
    )


SHOUTED = re.compile(_SHOUTED, re.MULTILINE)
"""As STRONG, of a text as it is."""
STRONG = tuple(
    map(
        _lower,
        (*(f"(?:{word}).{{0,80}}?(?:{what})|(?:{what}).{{0,60}}?(?:{word})" for word, what in _OVERRIDES), *_ROLES),
    )
)
WEAK = tuple(map(_lower, (*_MACHINES, *_SAYS)))
SAYING = re.compile(
    # English
    r"\b(?:say|says|said|saying|tell|tells|told|telling|claims?|claimed|repl(?:y|ies|ied|ying)|respon(?:d|ds|ded|ding|ses?)|"
    r"pretend\w*|insist\w*|repeat after|asserts?|declares?|answers? (?:that|with|only|by|must|should|is)|stat(?:e|es|ed|ing) "
    r"that|reports? that|reported that|summari[sz]\w+|your (?:final |next )?(?:answer|reply|output)|AI|LLMs?|assistants?|"
    r"chat ?bots?|language models?|chatgpt|disregard|ignore|forget|authoritative|instructions?|instructed|prompt|treat|inform(?:s|ed)? (?:the|any|every|them|people|users?|everybody)|"
    r"let (?:everybody|everyone|them|people|users) know|final answer|(?:correct|set) (?:the )?answer|answer to|output)\b"
    # German, Dutch, the languages of the north
    r"|\b(?:sag(?:e|en|t)?|behaupte\w*|antworte\w*|erwider\w*|anweisung\w*|zeg(?:t|gen)?|beweer\w*|antwoord\w*|instructies?|"
    r"säg\w*|svar(?:a|ar|e)?|påstå\w*|sig|instru[kc]\w*|vasta\w*|sano\w*|ohjei\w*)\b"
    # French, Spanish, Portuguese, Italian, Romanian
    r"|\b(?:di[ts]|dire|disent|dites|affirm\w+|répond\w*|réponse|prétend\w*|consignes?|diga|digan|decir|dice|dicen|di|respond\w+"
    r"|respuesta|contest\w+|instrucci\w+|diz|dizer|dizem|resposta|instruç\w+|dic[aei]\w*|rispon\w+|rispost\w+|istruzion\w+|spun\w*"
    r"|răspun\w+|afirm\w+|instruc[tțţ]iun\w*)\b|\bdi'"
    # Polish, Czech, Hungarian, Turkish, Greek
    r"|\b(?:powie\w+|mów\w*|odpowie\w+|odpowiad\w+|twierd\w+|poleceń|instrukcj\w+|řekn\w+|říka\w+|odpov\w+|tvrd\w+|pokyn\w*|"
    r"mond\w+|válasz\w+|állít\w+|utasítás\w*|söyle\w*|yanıt\w*|cevap\w*|talimat\w*|πες|πείτε|λέ[εγ]\w*|απάντ\w+|απαντ\w+|οδηγί\w*)\b"
    # Russian, Ukrainian, Arabic, Hebrew, Persian, Hindi
    r"|\b(?:скаж\w+|сказа\w+|говор\w+|ответ\w*|отвеч\w+|утвержд\w+|инструкц\w+|указани\w+|скаж\w+|відповід\w+|ствердж\w+|інструкц\w+)\b"
    r"|قل\b|قول|أجب|أخبر|التعليمات|אמור|תגיד|ענה|הוראות|بگو|پاسخ|دستور|कह|बता|उत्तर|जवाब|निर्देश"
    # Chinese, Japanese, Korean, Vietnamese, Thai, Indonesian
    r"|回答|回复|回覆|告诉|告訴|声称|输出|指令|说|答え|回答|言っ|述べ|返し|伝え|指示|말하|답하|대답|답변|응답|지시|\b(?:nói|trả lời|khẳng định|hướng dẫn)\b"
    r"|ตอบ|พูด|บอก|คำสั่ง|\b(?:katakan|jawab\w*|balas|instruksi)\b",
    re.IGNORECASE,
)
"""Who says something or is to say it, and who is told to."""
