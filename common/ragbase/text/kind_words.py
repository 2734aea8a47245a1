"""The words of each language that name a number, a date or time, and an amount of money; `*` stands for the rest of a
word, or for its beginning. There are rather too many: what is said to be missing has to be."""

from __future__ import annotations

import re
from functools import cache

_ENGLISH = """
number: zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred* thousand* million*
  billion* trillion* dozen* half twice once third* quarter* single double triple both pair several none few many
date: january february march april may june july august september october november december monday* tuesday*
  wednesday* thursday* friday* saturday* sunday* century centuries decade* year* month* week* day* daily yearly
  annual* nightly hour* minute* second* noon midnight morning* evening* night* afternoon* spring summer autumn winter
  today tomorrow yesterday immediately always never every during before after until while ago often since once when
  whenever if unless soon dusk dawn sunset sunrise
money: dollar* euro* eur usd gbp chf pound* cent cents yen yuan rupee* franc* peso* free *charge* cost* price* fee
  fees pay* paid worth nothing penny pence budget* salary wage* fare* bill* expens* cheap*
"""
_GERMAN = """
number: null ein eine einen einem einer eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf *zehn *zig
  *hundert* *tausend* million* milliarde* einmal zweimal dreimal *mal halb* hälfte drittel* viertel* dutzend* viele
  mehrere beide* keine keiner kein doppelt*
date: januar februar märz april mai juni juli august september oktober november dezember *tag* montag* dienstag*
  mittwoch* donnerstag* freitag* samstag* sonntag* *jahrhundert* *jahr* *monat* *woche* täglich* wöchentlich*
  monatlich* jährlich* *stunde* *minute* *sekunde* mittag* mitternacht morgen* abend* nacht* nächt* frühling sommer
  herbst winter heute gestern sofort immer jede* während vor nach bis seit sobald wenn nie uhr falls sobald dämmerung
  sonnenuntergang sonnenaufgang
money: dollar euro* eur usd chf pfund cent franken *kost* gratis *preis* *gebühr* *zahl* nichts *geld* frei umsonst
  wert teuer* günstig*
"""
_FRENCH = """
number: zéro un une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt*
  trente quarante cinquante soixante cent cents mille millier* million* milliard* moitié tiers quart* dizaine*
  douzaine* beaucoup plusieurs aucun* double deux-tiers quelques fois
date: janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi* mardi* mercredi*
  jeudi* vendredi* samedi* dimanche* siècle* année* ans an mois semaine* jour* journée* heure* minute* seconde* midi
  minuit matin* soir* nuit* printemps été automne hiver aujourd'hui demain hier chaque pendant avant après jusqu*
  depuis toujours jamais dès lorsque quand immédiatement quotidien* annuel* si aube crépuscule
money: dollar* euro* eur livre* franc* coût* prix gratuit* frais tarif* payer paye* payé* rien cher argent montant*
"""
_SPANISH = """
number: cero uno una un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veint* treinta
  cuarenta cincuenta sesenta setenta ochenta noventa cien ciento* *cientos *cientas mil miles millón millones mitad
  tercio* tercera cuarto* doble ambos ambas muchos muchas varios varias ningún ninguno ninguna docena* decena* vez
  veces
date: enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre lunes martes
  miércoles jueves viernes sábado* domingo* siglo* década* año* mes meses semana* día* diari* hora* minuto* segundo*
  mediodía medianoche mañana* tarde* noche* primavera verano otoño invierno hoy ayer cada durante antes después hasta
  cuando desde siempre nunca tras anual* si anochecer amanecer
money: dólar* euro* libra* peso* franco* precio* coste* costo* cuesta* costar* gratis gratuit* tarifa* pag* nada
  dinero valor* caro*
"""
_ITALIAN = """
number: zero uno una un due tre quattro cinque sei sette otto nove dieci undici dodici *dici venti* trenta quaranta
  cinquanta sessanta settanta ottanta novanta cento mille mila *mila milion* miliard* metà terzo terzi quarto doppio
  molti molte diversi diverse entrambi nessun* dozzin* decin* volta volte
date: gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre lunedì martedì
  mercoledì giovedì venerdì sabato domenica secolo secoli decennio anno anni mese mesi settiman* giorn* ora ore minut*
  second* mezzogiorno mezzanotte mattin* sera notte primavera estate autunno inverno oggi domani ieri ogni durante
  prima dopo fino dal quando sempre mai annual* se appena alba tramonto
money: dollar* euro* sterlin* franch* lir* prezz* cost* grat* tariff* pag* niente nulla denaro soldi valore
"""
_PORTUGUESE = """
number: zero um uma dois duas três quatro cinco seis sete oito nove dez onze doze treze quinze vinte trinta quarenta
  cinquenta sessenta setenta oitenta noventa cem cento* *centos mil milhão milhões bilh* metade terço quarto dobro
  ambos ambas muitos muitas vários várias nenhum* dúzia* dezena* vez vezes
date: janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro segunda* terça* quarta*
  quinta* sexta* sábado* domingo* século* década* ano anos mês meses semana* dia* hora* minuto* segundo* meio-dia
  meia-noite manhã tarde noite* primavera verão outono inverno hoje ontem amanhã cada durante antes depois até quando
  desde sempre nunca após anual* se anoitecer amanhecer
money: dólar* euro* libra* real reais preço* custo* custa* grátis gratuit* tarifa* taxa* pag* nada dinheiro valor*
"""
_DUTCH = """
number: nul een één twee drie vier vijf zes zeven acht negen tien elf twaalf *tien *tig honderd* duizend* miljoen*
  miljard* helft derde kwart veel meerdere beide geen dozijn dubbel* keer eenmaal
date: januari februari maart april mei juni juli augustus september oktober november december maandag* dinsdag*
  woensdag* donderdag* vrijdag* zaterdag* zondag* eeuw* decennium jaar jaren maand* week weken dag* dagelijks uur*
  uren minu* seconde* ochtend* middag* avond* nacht* lente zomer herfst winter vandaag gisteren elke voor na tot sinds
  tijdens wanneer altijd nooit jaarlijks als indien zodra
money: dollar* euro* eur pond cent kost* gratis *prijs* tarief* betaal* betalen niets geld waard duur
"""
_SWEDISH = """
number: noll en ett två tre fyra fem sex sju åtta nio tio elva tolv *ton *tio hundra* *hundra tusen* miljon* miljard*
  hälften halv* tredjedel* fjärdedel* många flera båda ingen inga dussin dubbel* gång gånger
date: januari februari mars april maj juni juli augusti september oktober november december måndag* tisdag* onsdag*
  torsdag* fredag* lördag* söndag* århundrade* *talet år* månad* veck* dag* timm* minut* sekund* morgon* kväll* natt*
  våren sommar* höst* vinter* idag igår varje efter före innan under till sedan när alltid aldrig om ifall
money: dollar* euro* kr kron* öre pund kost* gratis pris* avgift* betal* ingenting pengar värd* dyr*
"""
_DANISH = """
number: nul en et én ét to tre fire fem seks syv otte åtte ni ti elleve tolv *ten *ti hundred* hundre* tusind* tusen*
  million* milliard* halv* tredjedel* fjerdedel* kvart* mange flere begge ingen dusin dobbelt* gang gange ganger
date: januar februar marts mars april maj mai juni juli august september oktober november december desember mandag*
  tirsdag* onsdag* torsdag* fredag* lørdag* søndag* århundrede* århundre* år* måned* uge* uke* dag* time* minut*
  sekund* morgen* aften* kveld* nat* natt* forår* vår* sommer* efterår* høst* vinter* hver* efter etter før under til
  siden når altid alltid aldrig aldri hvis dersom om
money: dollar* euro* kr kron* øre pund kost* gratis pris* gebyr* avgift* betal* ingenting intet penge* penger værd*
"""
_POLISH = """
number: zero jeden jedna jedno jedn* dwa dwie dwóch dwoma trzy trzech cztery czterech pięć pięciu sześć siedem osiem
  dziewięć dziesięć *naście *dziesiąt sto stu *set tysi* milion* miliard* połow* pół trzecia ćwierć wiele wielu kilka
  oba obie żaden żadna tuzin podwójn* raz razy
date: styczni* lut* marzec marc* kwie* maj* czerw* lip* sierp* wrześ* wrzes* październik* listopad* grud* poniedział*
  wtor* środ* czwart* piąt* sobot* niedziel* wiek* rok* lat* miesi* tydzień tygod* dzień dni* codzien* godzin* minut*
  sekund* rano wieczor* noc* wiosn* jesie* zim* dziś wczoraj jutro po przed każd* do od podczas kiedy zawsze nigdy
  jeśli jeżeli gdy zmierzch* świt*
money: dolar* euro* złot* zł gr funt* cen* koszt* bezpłatn* darmo* opłat* płac* zapłac* nic pieni* wart* drog*
"""
_CZECH = """
number: nula jeden jedna jedno jedn* dva dvě dvou tři tří čtyři čtyř pět pěti šest sedm osm devět deset *náct *cet sto
  stě set tisíc* milion* milión* miliard* polovin* půl třetin* čtvrtin* mnoho několik oba obě žádn* tucet dvojnásob*
  *krát
date: led* únor* břez* dub* květ* červ* srp* září říj* listop* prosin* ponděl* úter* střed* čtvrt* pátek sobot* neděl*
  století rok* let* měsíc* týd* den* dne* denně hodin* minut* sekund* ráno večer* noc* jaro lét* podzim* zim* dnes
  včera po před každ* do od během když vždy nikdy pokud jestliže jakmile
money: dolar* euro* kč korun* libr* cen* stoj* stál* náklad* zdarma poplat* plat* zaplat* nic peněz* peníze hodnot*
  drah*
"""
_RUSSIAN = """
number: ноль нуль один одна одно одн* два две двух двум двумя двое три трёх трех тремя трое четыре четырёх четырех
  четырьмя пять пяти пятью шесть шести семь семи восемь восьми девять девяти десять десяти *надцать *надцати *дцать
  *десят сорок сто сотн* двест* *ста *сот тысяч* миллион* миллиард* половин* пол треть* трети четверт* дважды трижды
  однажды оба обе много многие несколько ни *кратн* вдвое раз раза пара дюжин*
date: январ* феврал* март* апрел* май мая мае июн* июл* август* сентябр* октябр* ноябр* декабр* понедельник* вторник*
  сред* четверг* пятниц* суббот* воскресень* век* столети* десятилети* год* лет месяц* недел* день дня дней дни*
  *дневно час* минут* секунд* полдень полноч* утр* вечер* ноч* весн* лето летом осен* зим* сегодня вчера завтра после
  перед до от во время каждый каждую каждые пока когда всегда никогда через с начала если сумерк* рассвет* закат*
money: доллар* евро руб* коп* фунт* цен* стои* стоимост* бесплат* плат* тариф* ничего деньг* денег даром дорог*
"""
_UKRAINIAN = """
number: нуль один одна одно одн* два дві двох двома три трьох чотири чотирьох п'ять п’ять шість сім вісім дев'ять
  дев’ять десять *надцять *дцять *десят сорок сто сотн* тисяч* мільйон* мільярд* половин* третин* чверт* двічі тричі
  обидва обидві багато кілька жодн* *кратн* раз рази пара
date: січ* лют* берез* квіт* трав* черв* лип* серп* верес* жовт* листопад* груд* понеділ* вівтор* серед* четвер*
  п'ятниц* п’ятниц* субот* неділ* століт* рік рок* місяц* тижн* день дня днів щод* годин* хвилин* секунд* ранок вранці
  вечор* ввечері ніч ноч* весн* літо осін* зим* сьогодні вчора після перед до від кожн* поки коли завжди ніколи через
  якщо щойно
money: долар* євро грив* грн коп* фунт* цін* кошту* вартіст* безкоштовн* плат* тариф* нічого грош* дорог*
"""
_ROMANIAN = """
number: zero un o unu una doi două trei patru cinci șase șapte opt nouă zece *sprezece *zeci sută sute mie mii milion*
  miliard* jumătate treime sfert dublu ambele ambii mulți multe câțiva câteva niciun nicio duzină dată ori
date: ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie luni marți
  miercuri joi vineri sâmbătă duminică secol* deceni* an ani anul lună luna luni săptămân* zi zile zilnic oră ore ora
  minut* secund* amiază dimineaț* seara noapte* primăvar* vara toamn* iarn* azi ieri mâine după înainte fiecare până
  din când mereu dacă îndată
money: dolar* euro* leu lei ban bani lir* preț* cost* gratuit* grat* tarif* taxă taxe plăt* nimic valor*
"""
_TURKISH = """
number: sıfır bir iki üç dört beş altı yedi sekiz dokuz on yirmi otuz kırk elli altmış yetmiş seksen doksan yüz bin
  milyon* milyar* yarı* çeyrek çift çok birçok birkaç hiçbir her kez kere kat
date: ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık pazartesi salı çarşamba perşembe cuma
  cumartesi pazar yüzyıl* yıl* ay ayda ayın ayı hafta* gün* saat* dakika* saniye* öğle* sabah* akşam* gece* ilkbahar
  yaz sonbahar kış* bugün dün yarın sonra önce her kadar beri zaman daima hiçbir eğer *dığında *diğinde *duğunda
  *düğünde
money: dolar* avro euro* lira* tl kuruş sterlin* fiyat* ücret* maliyet* bedava öde* para* hiçbir pahalı
"""
_GREEK = """
number: μηδέν ένα ένας μια μία δύο δυο τρεις τρία τέσσερις τέσσερα πέντε έξι επτά εφτά οκτώ οχτώ εννέα εννιά δέκα
  έντεκα δώδεκα είκοσι τριάντα σαράντα πενήντα εκατό *κόσι* χίλι* χιλιάδ* εκατομμύρι* δισεκατομμύρι* μισ* τρίτο
  τέταρτο διπλ* πολλοί πολλές πολλά αρκετ* κανέν* φορά φορές ντουζίνα
date: ιανουαρ* φεβρουαρ* μαρτ* απριλ* μάιο* μαΐο* ιούν* ιουν* ιούλ* ιουλ* αύγουστ* αυγούστ* σεπτ* σεπτέμ* οκτώβρ*
  οκτωβρ* νοέμβρ* νοεμβρ* δεκέμβρ* δεκεμβρ* δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή αιών* δεκαετ* έτος
  έτη χρόν* μήν* εβδομάδ* μέρ* ημέρ* ημερ* ώρα ώρες λεπτ* μεσημέρι πρωί βράδυ νύχτα άνοιξη καλοκαίρι φθινόπωρο χειμών*
  σήμερα χθες μετά πριν κάθε μέχρι από όταν πάντα ποτέ αν εάν μόλις
money: δολάρι* ευρώ λίρ* τιμ* κόστ* κοστίζ* δωρεάν τέλ* πληρ* τίποτα χρήμα* αξί* ακριβ*
"""
_VIETNAMESE = """
number: không một hai ba bốn năm sáu bảy tám chín mười mươi trăm nghìn ngàn vạn triệu tỷ tỉ nửa đôi cả nhiều vài mấy
  lần phần tá
date: năm tháng ngày tuần giờ phút giây thứ chủ sáng trưa chiều tối đêm kỷ xuân hạ thu đông sau trước khi mỗi hàng đến
  từ hôm nay mai qua luôn nếu ngay
money: giá phí đô đồng tiền euro bảng miễn trả tốn la usd vnđ chi
"""
_INDONESIAN = """
number: nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas belas puluh ratus* ribu* juta*
  miliar* setengah separuh seratus seribu sepertiga seperempat banyak beberapa kedua tidak kali ganda lusin
date: januari februari maret april mei juni juli agustus september oktober november desember senin selasa rabu kamis
  jumat sabtu minggu abad tahun bulan minggu hari jam menit detik pagi siang sore malam setelah sebelum setiap ketika
  sejak hingga sampai saat selalu jika kalau apabila
money: dolar* euro* rupiah rp pound harga* biaya* gratis tarif* bayar* membayar uang apa-apa mahal
"""
_HUNGARIAN = """
number: nulla egy két kettő három négy öt hat hét nyolc kilenc tíz tizen* húsz huszon* harminc* negyven* ötven* száz*
  ezer* millió* milliárd* fél* harmad* negyed* sok több mindkét mindkettő egyik tucat dupla *szor *szer *ször
date: január* február* március* április* május* június* július* augusztus* szeptember* október* november* december*
  hétfő* kedd* szerda* csütörtök* péntek* szombat* vasárnap* század* év* hónap* hét* nap* óra* órá* perc* másodperc*
  dél* reggel* este* éjszak* éjfél* tavasz* nyár* ősz* tél* ma tegnap után előtt minden -ig alatt amikor mindig soha
  ha amint
money: dollár* euró* font forint* ft ára* ár* költség* kerül* ingyen* díj* fizet* semmi* pénz* érték* drág*
"""
_FINNISH = """
number: nolla yksi yhden kaksi kahden kolme kolmen neljä viisi kuusi seitsemän kahdeksan yhdeksän kymmenen *toista
  sata* tuhat* tuhan* miljoona* miljardi* puolet puoli kolmannes neljännes monta useita molemmat ei kaksinkertai*
  kertaa
date: tammiku* helmiku* maalisku* huhtiku* toukoku* kesäku* heinäku* eloku* syysku* lokaku* marrasku* jouluku*
  maanantai* tiistai* keskiviikko* torstai* perjantai* lauantai* sunnuntai* vuosisa* vuosi* vuode* vuon* kuukau* viik*
  päiv* tunti* tunni* minuut* sekun* aamu* ilta* illa* yö* kevä* kesä* syks* talv* tänään eilen jälkeen ennen joka kun
  aina koskaan jos heti
money: dollari* euro* punta* hinta* hinna* maksu* maksa* ilmai* kustan* kulu* mitään raha* arvo*
"""
_CATALAN = """
number: zero un una dos dues tres quatre cinc sis set vuit nou deu onze dotze vint* trenta quaranta cinquanta cent
  cents mil milers milió milions meitat terç quart doble ambdós molts moltes diversos diverses cap dotzena vegada
  vegades
date: gener febrer març abril maig juny juliol agost setembre octubre novembre desembre dilluns dimarts dimecres
  dijous divendres dissabte diumenge segle* dècada any* mes mesos setman* dia dies hora hores minut* segon* migdia
  matí tarda nit primavera estiu tardor hivern avui ahir després abans cada fins des quan sempre mai durant si quan
money: dòlar* euro* lliur* preu* cost* gratuït* gratis tarif* pag* res diner* valor*
"""
_ARABIC = """
number: صفر واحد واحدة اثنان اثنين اثنتان اثنتين *ثلاث* *أربع* *خمس* *ست* *سبع* *ثمان* *تسع* *عشر* *مئة *مائة *مئت*
  *ألف *آلاف *مليون *ملايين *مليار نصف ثلث ربع ضعف كلا كثير* عدة لا مرة مرتين مرات
date: يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر *اثنين *ثلاثاء *أربعاء *خميس *جمعة
  *سبت *أحد *عام *سنة *سنوات *قرن *شهر *أشهر *أسبوع *يوم* *أيام *ساعة *ساعات *دقيق* صباح* مساء ليل* *ربيع *صيف *خريف
  *شتاء بعد قبل كل خلال عندما حتى منذ أثناء دائما أبدا إذا لما
money: *دولار* *يورو *جنيه* *ريال* *درهم* *سعر* *أسعار *ثمن* *تكلف* *تكاليف مجان* *رسوم *دفع* *مال *قيمة
"""
_HEBREW = """
number: אפס אחד אחת שני שתי שניים שתיים שלוש* ארבע* חמש* שש* שבע* שמונ* תשע* עשר* *מאה מאות אלף אלפים מיליון מיליוני
  מיליארד חצי שליש רבע כפול שניהם רבים רבות כמה פעם פעמיים פעמים
date: ינואר פברואר מרץ אפריל מאי יוני יולי אוגוסט ספטמבר אוקטובר נובמבר דצמבר *שנה *שנת *שנים *שנות *מאה *חודש* *שבוע*
  *יום *ימים *שעה *שעות *דקות *בוקר *ערב *לילה *צהריים *אביב *קיץ *סתיו *חורף היום אתמול אחרי לפני כל עד מאז כאשר תמיד
  אם כש*
money: *דולר* *שקל* *ש"ח *אירו *מחיר* *עלות* *עולה *חינם *תשלום* *כסף *תעריף* *שווי
"""
_HINDI = """
number: शून्य एक दो तीन चार पाँच पांच छह छः सात आठ नौ दस ग्यारह बारह पंद्रह बीस तीस चालीस पचास सौ हजार हज़ार लाख करोड़
  मिलियन बिलियन आधा आधे आधी तिहाई चौथाई दोनों कई कोई बार दोगुना
date: जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर नवंबर दिसंबर सोमवार मंगलवार बुधवार गुरुवार
  शुक्रवार शनिवार रविवार वर्ष वर्षों साल सालों महीने महीना माह सप्ताह दिन दिनों घंटे घंटा मिनट सुबह दोपहर शाम रात बाद
  पहले हर प्रति सदी शताब्दी दशक आज कल तक से जब हमेशा कभी अगर यदि
money: डॉलर यूरो रुपये रुपए रुपया पाउंड कीमत* मूल्य लागत* मुफ़्त मुफ्त शुल्क भुगतान पैसे धन
"""
_PERSIAN = """
number: صفر یک دو سه چهار پنج شش هفت هشت نه ده یازده دوازده پانزده بیست سی چهل پنجاه شصت هفتاد هشتاد نود صد *صد دویست
  هزار میلیون میلیارد نیم نصف ثلث ربع هر چند بسیاری هیچ بار برابر
date: ژانویه فوریه مارس آوریل مه ژوئن ژوئیه اوت سپتامبر اکتبر نوامبر دسامبر فروردین مهر دی شنبه *شنبه جمعه سال* قرن*
  دهه ماه* هفته* روز* ساعت* دقیقه صبح ظهر عصر شب* بهار تابستان پاییز زمستان امروز پس قبل پیش بعد هر تا از هنگام همیشه
  اگر وقتی
money: دلار یورو پوند تومان ریال قیمت* هزینه* رایگان بها* پرداخت* پول ارزش
"""

_WORDS = {
    "arabic": _ARABIC,
    "catalan": _CATALAN,
    "czech": _CZECH,
    "danish": _DANISH,
    "dutch": _DUTCH,
    "english": _ENGLISH,
    "finnish": _FINNISH,
    "french": _FRENCH,
    "german": _GERMAN,
    "greek": _GREEK,
    "hebrew": _HEBREW,
    "hindi": _HINDI,
    "hungarian": _HUNGARIAN,
    "indonesian": _INDONESIAN,
    "italian": _ITALIAN,
    "norwegian": _DANISH,
    "persian": _PERSIAN,
    "polish": _POLISH,
    "portuguese": _PORTUGUESE,
    "romanian": _ROMANIAN,
    "russian": _RUSSIAN,
    "spanish": _SPANISH,
    "swedish": _SWEDISH,
    "turkish": _TURKISH,
    "ukrainian": _UKRAINIAN,
    "vietnamese": _VIETNAMESE,
}
"""By language, as `language_of` names it."""

_UNSPACED = """
number: 零 〇 一 二 两 兩 三 四 五 六 七 八 九 十 百 千 万 萬 亿 億 半
  หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า สิบ ร้อย พัน หมื่น แสน ล้าน ครึ่ง
  하나 한 둘 두 세 네 다섯 여섯 일곱 여덟 아홉 열 백 천 만 억 절반
date: 年 月 日 时 時 周 週 星期 礼拜 禮拜 世纪 世紀 春 夏 秋 冬 前 后 後 毎 每 天 夜 晚 晩 早 朝 昼 午 分 秒 いつも
  ปี เดือน วัน ศตวรรษ สัปดาห์ โมง นาฬิกา หลัง ก่อน ทุก ชั่วโมง นาที เช้า เย็น ค่ำ คืน เที่ยง เสมอ ทันที
  년 월 일 세기 주 시 후 전 매 분 초 아침 저녁 밤 낮 봄 여름 가을 겨울 항상 즉시
money: 元 圆 圓 円 ￥ 美元 美金 欧元 价 價 费 費 料金 無料 免费 钱 錢 块 塊 付 有料
  บาท ดอลลาร์ ยูโร ราคา ค่า ฟรี เงิน จ่าย
  원 달러 유로 무료 가격 비용 요금 값 돈
"""
"""What is found inside of a run of characters, in Chinese, Japanese, Thai and Korean."""


@cache
def words_of_kind(kind: str, language: str | None) -> str:
    """A regular expression for the words of this kind: those of the language, or of all if it is not known here."""
    tables = [_WORDS[language]] if language in _WORDS else [*_WORDS.values()]
    words = dict.fromkeys(word for table in tables for word in _listed(table, kind))
    spaced = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in words)
    unspaced = "|".join(_listed(_UNSPACED, kind)) if language not in _WORDS else ""
    return rf"(?<![\w'’])(?:{spaced})(?!\w)" + (f"|{unspaced}" if unspaced else "")


def _listed(table: str, kind: str) -> list[str]:
    found = re.search(rf"^{kind}: (.*(?:\n  .*)*)", table, re.MULTILINE)
    return found[1].split() if found is not None else []
