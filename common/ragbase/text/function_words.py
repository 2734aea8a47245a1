"""The function words of each language: articles, prepositions, pronouns and the like, and the words that only help to
ask a question. They are about a third of any text, in every subject, so they say nothing about one.
"""

from __future__ import annotations

# Function words of Snowball's English stop list (BSD, snowballstem.org/algorithms/english/stop.txt) without the
# contractions, which `terms.py` splits, and with the words that only help to ask a question.
_ENGLISH = """
i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom whose this that these those am is are was were
be been being have has had having do does did doing would should could will shall can may might must ought a an the
and but if or because as until while of at by for with about against between into through during before after above
below to from up down in out on off over under again further then once here there when where why how all any both
each few more most other some such no nor not only own same so than too very s t d ll m re ve don isn aren wasn
weren hasn haven hadn doesn didn won wouldn shouldn couldn cannot
"""
_DANISH = """
jeg du han hun den det vi de mig dig ham hende os jer dem min din sin en et der som hvad hvem hvor hvornår hvordan
hvorfor er var været har havde blive bliver blev kan kunne skal skulle vil ville må i på til af for med om fra ved
under over efter mellem og eller men hvis når at ikke også denne dette disse noget nogle alle
"""
_DUTCH = """
ik jij je hij zij ze wij we u mij jou hem haar ons hun hen mijn jouw zijn de het een wie wat welke waar wanneer hoe
waarom is was waren ben bent heeft heb hebben had hadden wordt worden werd werden kan kunnen kon zal zullen zou moet
moeten in op te van voor met aan bij naar uit over onder door tegen tussen tot om en of maar als dat die dit deze er
niet ook nog geen
"""
_FRENCH = """
je tu il elle on nous vous ils elles me te se lui leur mon ton son ma ta sa mes tes ses notre votre nos vos leurs
le la les un une des du de au aux ce cet cette ces qui que quoi dont où quel quelle quels quelles quand comment
pourquoi combien est sont était étaient être été a ont avait avoir fait peut à dans en par pour sur sous avec sans
entre vers chez et ou mais donc si ne pas plus qu d l c n s j m t
"""
_GERMAN = """
ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein dein sein unser euer der die das den dem des
ein eine einen einem einer eines wer was welche welcher welches wo wann wie warum wieso ist sind war waren bin wird
werden wurde wurden worden hat haben hatte hatten kann können konnte soll sollen muss müssen darf in im an am auf
aus bei beim mit nach seit von vom zu zum zur für durch gegen ohne um über unter vor zwischen und oder aber wenn
dass weil ob als nicht auch noch nur kein keine keinen dieser diese dieses sich man
"""
_ITALIAN = """
io tu lui lei noi voi loro mi ti si ci vi mio tuo suo nostro vostro il lo la i gli le un uno una di a da in con su
per tra fra del dello della dei degli delle al allo alla ai agli alle dal dalla dai nel nello nella nei nelle sul
sulla chi che cosa quale quali dove quando come perché quanto è sono era erano essere stato stata ha hanno aveva può
e o ma se non anche più questo questa questi queste l d c
"""
_NORWEGIAN = """
jeg du han hun den det vi dere de meg deg ham henne oss dem min din sin en ei et som hva hvem hvor når hvordan
hvorfor hvilken er var vært har hadde bli blir ble kan kunne skal skulle vil ville må i på til av for med om fra ved
under over etter mellom og eller men hvis at ikke også denne dette disse noe noen alle
"""
_PORTUGUESE = """
eu tu ele ela nós vós eles elas me te se lhe nos meu teu seu minha sua nosso nossa o a os as um uma uns umas de do
da dos das em no na nos nas por pelo pela pelos pelas para com sem sob sobre entre até ao à aos às quem que qual
quais onde quando como porque quanto é são era eram foi foram ser sido está estão tem têm tinha pode e ou mas não
também mais este esta estes isso isto
"""
_RUSSIAN = """
я ты он она оно мы вы они меня тебя его её нас вас их мне тебе ему ей нам вам им мой твой свой наш ваш кто что
какой какая какие где когда как почему сколько который которая которые это этот эта эти тот быть был была было были
есть будет может в во на с со к ко из от до по о об за под над при для без между через и или но а если не ни же ли
бы также
"""
_SPANISH = """
yo tú él ella nosotros vosotros ellos ellas me te se nos os lo le les mi tu su nuestro nuestra el la los las un una
unos unas de del a al en con sin por para sobre entre hasta desde quién qué cuál cuáles dónde cuándo cómo cuánto
cuántos que quien donde cuando como es son era eran fue fueron ser sido está están ha han había tiene puede y e o u
pero si no también más este esta estos estas esto
"""
_SWEDISH = """
jag du han hon den det vi ni de mig dig honom henne oss er dem min din sin en ett som vad vem var när hur varför
vilken är var varit har hade bli blir blev kan kunde ska skulle vill ville måste i på till av för med om från vid
under över efter mellan och eller men att inte också denna detta dessa något några alla
"""
_ARABIC = """
أنا أنت هو هي نحن هم هذا هذه ذلك تلك الذي التي الذين ما ماذا من متى أين كيف لماذا كم أي هل في على إلى عن مع بين قبل
بعد عند حتى منذ خلال و أو ثم لكن إذا أن إن لا لم لن ليس قد كان كانت يكون تكون هناك كل بعض غير مثل تم يتم يمكن اسم
"""
_CATALAN = """
jo tu ell ella nosaltres vosaltres ells elles em et es se li ens us els les el la lo un una uns unes de del dels a
al als amb en per sense sobre entre fins des cap sota qui què quin quina quins quines on quan com quant per és són
era eren fou ser estat està estan ha han havia té pot i o però si no també més aquest aquesta aquests aquestes això
aquell aquella
"""
_CHINESE = """
的 是 了 吗 呢 哪 谁 们 您 你 我 在 和 与 及 被 这 那 什么 怎么 怎样 如何 为何 为什么 多少 几个 几种 多久 多长 多大
何时 何处 何种 是否 可以 需要 应该 以及 或者 但是 因为 所以 如果 有没有 嗎 誰 們 這 什麼 怎麼 怎樣 為何 為什麼 幾個
何時 應該 還是
"""
_CZECH = """
já ty on ona ono my vy oni mě tě ho ji jí nás vás je mi ti mu nám vám jim můj tvůj svůj náš váš jejich kdo co jaký
jaká jaké který která které kteří kde kdy jak proč kolik jsem jsi jsou jsme byl byla bylo byli být bude může má v ve
na s se do z ze od po o u za pod před při pro bez mezi a i nebo ale když že ne ani také tento tato toto ten ta to
"""
_FINNISH = """
minä sinä hän me te he minun sinun hänen meidän teidän heidän se ne tämä nämä tuo nuo joka jotka jonka joita mikä
mitä mitkä kuka ketkä kenen missä mistä mihin milloin miten miksi kuinka montako on ovat oli olivat olla ollut ole
ei eivät voi voivat ja tai mutta jos kun että kuin sekä myös vain vielä niin siitä sen sitä niiden niitä
"""
_GREEK = """
εγώ εσύ αυτός αυτή αυτό εμείς εσείς αυτοί αυτές αυτά μου σου του της τους μας σας ο η το οι τα τον την τις των στο
στη στην στον στα στις στους ένα ένας μια μία από με για σε προς χωρίς μέχρι μετά πριν κατά μεταξύ ποιος ποια ποιο
ποιοι ποιες ποιον τι πού πότε πώς γιατί πόσο πόσα πόσοι πόσες πόση που πως είναι ήταν είμαι είσαι είμαστε έχει έχουν
είχε μπορεί μπορώ μπορείτε πρέπει να θα δεν μη μην και ή αλλά αν όταν ότι όπως επίσης πιο πολύ λέγεται ονομάζεται
"""
_HEBREW = """
אני אתה את הוא היא אנחנו אתם הם הן זה זאת זו אלה אלו של על אל עם בין לפני אחרי עד מה מי מתי איפה היכן איך כיצד למה
מדוע כמה איזה איזו אילו האם יש אין היה הייתה היו להיות יכול אפשר צריך לא או אבל אם כי כאשר גם רק יותר מאוד כל שם
"""
_HINDI = """
मैं तुम आप वह वे हम यह ये इस उस इन उन का की के को से में पर ने तक साथ लिए बाद पहले और या लेकिन अगर कि जो जब तो भी
ही नहीं न क्या कौन कब कहाँ कहां कैसे क्यों कितना कितने कितनी किस किसने किसका किसके किसकी किसे कौनसा है हैं था थी थे
हो होता होती होते होना कर करना किया गया जा जाता सकता सकते सकती एक कोई कुछ नाम
"""
_HUNGARIAN = """
én te ő mi ti ők az a egy ez azt ezt ennek annak ezek azok aki akik ami amely amelyek ki kik mit melyik hol mikor
hogyan miért mennyi hány van vannak volt voltak lesz lenne lehet és vagy de ha hogy mint nem sem is csak még már meg
el fel után előtt között alatt által szerint minden volna való kell
"""
_INDONESIAN = """
saya aku kamu anda dia ia kami kita mereka yang ini itu dan atau tetapi tapi jika bila karena dengan untuk dari
pada dalam di ke oleh sebagai adalah ialah akan telah sudah sedang tidak bukan belum juga hanya apa siapa mana kapan
bagaimana mengapa berapa dapat bisa harus ada seperti antara tersebut para sebuah apakah
"""
_JAPANESE = """
は の を が に で と も です ます でしょうか ですか ますか ました でした という から まで ため こと もの する した
して される された ある いる なる なった できる これ それ あれ この その どの どれ どこ いつ なぜ どう どうやって
どのように どんな いくつ いくら だれ なに 何 誰
"""
_KOREAN = """
무엇 누구 언제 어디 어떻게 왜 얼마나 얼마 몇 어느 어떤 무슨 입니까 인가요 나요 습니까 하나요 합니까 있나요 있습니까
됩니까 되나요 했나요 했습니까 이것 그것 저것 그리고 그러나 또는 하지만 에서 에게 으로 부터 까지 이다 하는 있는 것은
"""
_PERSIAN = """
من تو او ما شما آنها این آن که چه چی کی کجا کدام چگونه چطور چرا چند چقدر آیا است هست بود بودند شد شده می را در به
از با برای تا بر و یا اما اگر هم نیز هر یک نه نیست کرد کند کنند باید دارد دارند های ها نام
"""
_POLISH = """
ja ty on ona ono my wy oni one mnie ciebie jego jej nas was ich mi ci mu nam wam im mój twój swój nasz wasz kto co
jaki jaka jakie który która które którzy gdzie kiedy jak dlaczego ile jest są był była było byli być będzie może ma
w we na z ze do od po o u za pod przed przy dla bez między i oraz lub ale jeśli że nie ani także się ten ta to te
tego tej czy
"""
_ROMANIAN = """
eu tu el ea noi voi ei ele mă te se ne vă îi îl le lui lor meu tău său nostru un o unei unui unor de la în din pe
cu pentru prin fără despre între până după sub spre către cine ce care când unde cum cât câți câte este sunt era
erau fost fi are au avea a al ai ale poate și sau dar dacă că nu nici mai foarte acest această acești aceste acel
acea aceasta
"""
_THAI = """
อะไร ใคร ที่ไหน เมื่อไร เมื่อใด อย่างไร ทำไม เท่าไร เท่าใด กี่ ไหน ใด คือ เป็น มี ได้ ให้ ของ ใน จาก ที่ ซึ่ง และ
หรือ แต่ ถ้า ไม่ นี้ นั้น
"""
_TURKISH = """
ben sen o biz siz onlar benim senin onun bizim sizin onların bu şu bunlar şunlar bir ve veya ya da de ile için gibi
kadar göre sonra önce daha en çok ne kim kimin kime hangi nerede nereye nereden zaman nasıl neden niçin niye kaç mı
mi mu mü mıdır midir olan olarak olduğu olduğunu idi ise değil var yok ama fakat ancak çünkü eğer hem ki her
"""
_UKRAINIAN = """
я ти він вона воно ми ви вони мене тебе його її нас вас їх мені тобі йому їй нам вам їм мій твій свій наш ваш хто
що який яка яке які де коли як чому скільки котрий котра котре це цей ця ці той бути є був була було були буде може
можна треба в у на з із зі до від по о об за під над при для без між через і й та або але а якщо не ні чи також
"""
_VIETNAMESE = """
và của là có được cho các những một không với này trong người đã đến từ khi như để ra ở vào nào gì đó cũng theo về
bị tại nhiều nhất năm sau trên rằng thì mà sẽ đang hay hoặc bởi vì sao ai đâu bao nhiêu thế tôi chúng họ ông bà
"""

STOP_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "danish": _DANISH,
        "dutch": _DUTCH,
        "english": _ENGLISH,
        "french": _FRENCH,
        "german": _GERMAN,
        "italian": _ITALIAN,
        "norwegian": _NORWEGIAN,
        "portuguese": _PORTUGUESE,
        "russian": _RUSSIAN,
        "spanish": _SPANISH,
        "swedish": _SWEDISH,
    }.items()
}
"""By language, with Snowball's names."""

FUNCTION_WORDS = STOP_WORDS | {
    language: frozenset(words.split())
    for language, words in {
        "arabic": _ARABIC,
        "catalan": _CATALAN,
        "chinese": _CHINESE,
        "czech": _CZECH,
        "finnish": _FINNISH,
        "greek": _GREEK,
        "hebrew": _HEBREW,
        "hindi": _HINDI,
        "hungarian": _HUNGARIAN,
        "indonesian": _INDONESIAN,
        "japanese": _JAPANESE,
        "korean": _KOREAN,
        "persian": _PERSIAN,
        "polish": _POLISH,
        "romanian": _ROMANIAN,
        "thai": _THAI,
        "turkish": _TURKISH,
        "ukrainian": _UKRAINIAN,
        "vietnamese": _VIETNAMESE,
    }.items()
}
"""By language, as `language_of` names it."""

WITHOUT_BLANKS = ("chinese", "japanese", "thai")
"""Languages whose words no blank parts, so that a function word is found inside of a run of characters."""
