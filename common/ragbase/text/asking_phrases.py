"""The words that tell what a question asks for, in each language that we know well enough.

Each line is a kind and its phrases; `*` stands for the rest of a word. What asks for something else ("why", "how") is
there, too: the first phrase of a question decides, so that "What happens when it fails?" asks for no date.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from ragbase.text.function_words import WITHOUT_BLANKS

_ENGLISH = """
date: when, since when, until when, what time, what day, what date, what year, what month, what century, what decade,
  which day, which date, which year, which month, which century, which decade, what is the date, what was the date,
  what is the deadline, what was the year
money: how much does * cost, how much do * cost, how much did * cost, how much would * cost, how much money,
  how much must * pay, how much do * pay, how much does * pay, what does * cost, what do * cost, what did * cost,
  what is the price, what was the price, what is the cost, what is the fee, what price, what cost, what fee,
  at what price, how much is the fee, how expensive
duration: how long, how old, how many years, how many days, how many hours, how many minutes, how many months,
  how many weeks, how many seconds, for how long, what is the duration, what is the age, what age
number: how many, how much, how far, how large, how big, how high, how tall, how deep, how fast, how heavy,
  how wide, how hot, how cold, what number, what amount, what percent*, which number, what is the number,
  what was the number, what is the amount, what is the percentage, what is the population, what was the population,
  what is the size, what is the length, what is the height, what is the weight, what is the speed,
  what is the temperature, what fraction, what is the maximum, what is the minimum,
  what is the limit
name: who, whom, whose, which person, what person, by whom, what is the name, what was the name, what is the surname
place: where, what city, which city, what country, which country, what state, which state, what town, which town,
  what continent, which continent, what street, which street, what is the capital, what location, which location
other: how often, what, which, why, how
yes: is, are, was, were, am, do, does, did, can, could, will, would, shall, should, may, might, must, has, have, had
"""
_GERMAN = """
date: wann, seit wann, bis wann, ab wann, um wie viel uhr, um wieviel uhr,
  in welchem jahr, in welchem monat, in welchem jahrhundert,
  an welchem tag, welches jahr, welcher tag, wann genau
money: was kostet, was kosten, wie viel kostet, wieviel kostet, wie viel kosten, wie viel geld, wie teuer,
  was ist der preis, wie hoch ist der preis, wie hoch sind die kosten, wie hoch ist die gebühr
duration: wie lange, wie alt, wie viele jahre, wie viele tage, wie viele stunden, wie viele monate, wie viele wochen
number: wie viel, wie viele, wieviel, wieviele, wie weit, wie groß, wie hoch, wie tief, wie schnell, wie
  schwer,
  wie breit, wie heiß, welche anzahl, welcher anteil, wie lang
name: wer, wen, wem, wessen, von wem, mit wem, wie heißt, wie heißen
place: wo, woher, wohin, in welcher stadt, in welchem land, welche stadt, welches land, in welchem ort
other: wie oft, was, welche*, welch*, warum, wieso, weshalb, wie, wozu, womit, wodurch, worin
yes: ist, sind, war, waren, hat, haben, hatte, kann, können, könnte, darf, dürfen, muss, müssen, soll, sollen, wird,
  werden, wurde, wurden, gibt es, gilt, gelten
"""
_FRENCH = """
date: quand, depuis quand, jusqu'à quand, à quelle heure, en quelle année, quelle année, à quelle date, quelle date,
  quel jour, quel mois, quel siècle, quelle est la date
money: combien coûte*, combien ça coûte, quel est le prix, quel prix, quel est le coût, quel est le tarif,
  quel montant, combien d'argent, combien d'euros
duration: combien de temps, combien d'années, combien de jours, combien d'heures, combien de mois, quel âge,
  combien de semaines, combien de minutes, quelle est la durée
number: combien, quel nombre, quel pourcentage, quelle taille, quelle hauteur, quelle longueur, quelle quantité,
  quel est le nombre, quelle est la population, quelle proportion
name: qui, à qui, de qui, par qui, avec qui, comment s'appelle*, quel est le nom
place: où, d'où, dans quelle ville, dans quel pays, quelle ville, quel pays, dans quel état
other: que, quoi, quel*, pourquoi, comment, qu'est-ce, lequel, laquelle
yes: est-ce que, est-ce qu, y a-t-il, est-il, est-elle, sont-ils, sont-elles, peut-on, a-t-il, a-t-elle
"""
_SPANISH = """
date: cuándo, desde cuándo, hasta cuándo, a qué hora, en qué año, qué año, en qué fecha, qué fecha, qué día, en qué mes,
  qué mes, en qué siglo, qué siglo, qué década, cuál es la fecha, de qué año
money: cuánto cuesta*, cuánto costó, cuánto costaba, cuánto dinero, cuál es el precio, qué precio, cuál es el coste,
  cuál es el costo, cuál fue el coste, cuánto vale, cuánto pagó, a cuánto asciende
duration: cuánto tiempo, cuánto dura*, cuántos años, cuántos días, cuántas horas, cuántos meses, cuántas semanas,
  qué edad, cuántos minutos
number: cuánto, cuánta, cuántos, cuántas, qué número, qué cantidad, qué porcentaje, cuál es el número, cuál es la
  población,
  cuál era la población, qué tamaño, qué altura, a qué distancia, a qué velocidad, qué proporción
name: quién, quiénes, a quién, de quién, por quién, con quién, cómo se llama*, cuál es el nombre, cómo se llamaba
place: dónde, adónde, de dónde, en qué ciudad, en qué país, qué ciudad, qué país, en qué estado, qué estado, en qué
  lugar
other: con qué frecuencia, qué, cuál, cuáles, cómo, por qué
"""
_ITALIAN = """
date: quando, da quando, fino a quando, a che ora, in che anno, in quale anno, quale anno, che anno, che giorno,
  in che data, in quale mese, in quale secolo
money: quanto costa*, quanto costano, qual è il prezzo, qual è il costo, quanti soldi, quanto denaro
duration: quanto tempo, quanto dura*, quanti anni, quanti giorni, quante ore, quanti mesi, quante settimane, che età
number: quanto, quanta, quanti, quante, che percentuale, quale percentuale, qual è il numero, che numero
name: chi, a chi, di chi, da chi, con chi, come si chiama*, qual è il nome
place: dove, da dove, dov'è, in che città, in quale città, in quale paese, quale città, quale paese
other: che, cosa, qual, quale, quali, come, perché
"""
_PORTUGUESE = """
date: quando, desde quando, até quando, a que horas, em que ano, que ano, em qual ano, em que data, qual a data,
  que dia, em que mês, em que século
money: quanto custa*, quanto custou, qual é o preço, qual o preço, qual o custo, qual é o custo, quanto dinheiro
duration: quanto tempo, quanto dura*, quantos anos, quantos dias, quantas horas, quantos meses, quantas semanas
number: quanto, quanta, quantos, quantas, que percentagem, qual porcentagem, qual a porcentagem, qual o número
name: quem, de quem, por quem, com quem, a quem, como se chama*, qual é o nome, qual o nome
place: onde, aonde, de onde, em que cidade, em que país, que cidade, que país, em qual cidade, em qual país
other: que, o que, qual, quais, como, por que, porquê, porque
"""
_DUTCH = """
date: wanneer, sinds wanneer, tot wanneer, hoe laat, in welk jaar, welk jaar, op welke dag, op welke datum, welke maand
money: hoeveel kost, hoeveel kosten, wat kost, wat kosten, wat is de prijs, hoe duur, hoeveel geld
duration: hoe lang, hoelang, hoe oud, hoeveel jaar, hoeveel dagen, hoeveel uur, hoeveel maanden, hoeveel weken
number: hoeveel, hoe ver, hoe groot, hoe hoog, hoe diep, hoe snel, hoe zwaar, welk percentage, welk aantal
name: wie, van wie, door wie, met wie, wiens, hoe heet, hoe heten
place: waar, waarheen, waarvandaan, in welke stad, in welk land, welke stad, welk land
other: hoe vaak, wat, welke, welk, waarom, hoe, waarmee, waardoor
yes: is, zijn, was, waren, heeft, hebben, kan, kunnen, mag, mogen, moet, moeten, zal, wordt, worden, bestaat
"""
_SWEDISH = """
date: när, sedan när, vilket år, vilken dag, vilket datum, hur dags, vilket århundrade
money: vad kostar, hur mycket kostar, vad är priset, hur dyr*
duration: hur länge, hur gammal, hur många år, hur många dagar, hur många timmar, hur många månader
number: hur många, hur mycket, hur långt, hur stor*, hur hög*, hur djup*, hur snabb*, hur lång
name: vem, vems, vilka personer, av vem, vad heter
place: var ligger, var finns, var är, var kan, var bor, vart, varifrån, vilken stad, vilket land, i vilken stad
other: hur ofta, vad, vilken, vilket, vilka, varför, hur
yes: är, har, kan, ska, får, finns, måste, blir, gäller
"""
_DANISH = """
date: hvornår, siden hvornår, hvilket år, hvilken dag, hvilken dato, hvad tid, hva tid, når, hvilket århundrede
money: hvad koster, hva koster, hvor meget koster, hvor mye koster, hvad er prisen, hva er prisen, hvor dyr*
duration: hvor længe, hvor lenge, hvor gammel, hvor mange år, hvor mange dage, hvor mange dager, hvor mange timer
number: hvor mange, hvor meget, hvor mye, hvor langt, hvor stor*, hvor høj*, hvor høy*, hvor dyb*, hvor lang
name: hvem, hvis, af hvem, av hvem, hvad hedder, hva heter
place: hvor, hvorhen, hvorfra, hvilken by, hvilket land, i hvilken by
other: hvor ofte, hvad, hva, hvilken, hvilket, hvilke, hvorfor, hvordan, hvorledes
yes: er, har, kan, skal, må, findes, finnes, bliver, blir
"""
_POLISH = """
date: kiedy, od kiedy, do kiedy, o której godzinie, w którym roku, którego dnia, jakiego dnia, w jakim roku, który rok
money: ile kosztuj*, ile kosztował*, jaka jest cena, jaki jest koszt, ile pieniędzy, za ile
duration: jak długo, ile lat, ile dni, ile godzin, ile miesięcy, ile tygodni, ile czasu
number: ile, ilu, iloma, jak daleko, jak duż*, jak wysok*, jak głębok*, jaki procent, jaka liczba
name: kto, kogo, komu, kim, przez kogo, czyj*, jak się nazywa, jak nazywa się
place: gdzie, skąd, dokąd, w jakim mieście, w którym mieście, w jakim kraju, w którym kraju, jakie miasto
other: jak często, co, czego, czemu, jak*, któr*, dlaczego
yes: czy
"""
_CZECH = """
date: kdy, od kdy, do kdy, v kolik hodin, ve kterém roce, v kterém roce, v jakém roce, který rok, který den
money: kolik stojí, kolik stál*, jaká je cena, kolik peněz
duration: jak dlouho, kolik let, kolik dní, kolik hodin, kolik měsíců, jak starý
number: kolik, kolika, jak daleko, jak velk*, jak vysok*, jaké procento, jaký počet
name: kdo, koho, komu, kým, čí, jak se jmenuje
place: kde, odkud, kam, ve kterém městě, v jaké zemi, ve které zemi
other: jak často, co, čeho, jak*, kter*, proč
"""
_RUSSIAN = """
date: когда, с какого года, до какого года, с какого времени, во сколько, в каком году, какой год, в каком месяце,
  какого числа, в какой день, в каком веке, какая дата, с каких пор, в какое время, какой день
money: сколько стоит, сколько стоил*, сколько стоят, какова цена, какая цена, какова стоимость, какая стоимость,
  сколько денег, сколько составляет стоимость
duration: сколько времени, как долго, сколько лет, сколько дней, сколько часов, сколько месяцев, какой возраст,
  сколько недель
number: сколько, скольки*, как далеко, какое количество, какой процент, каков процент, какая доля, какова
  высота,
  какой высоты, какова длина, какова численность, какое число, каково население
name: кто, кого, кому, кем, с кем, чей, чья, чьё, чьи, чью, как зовут, как звали, как его звали
place: где, откуда, куда, в каком городе, в какой стране, какой город, какая страна, в каком штате, какой штат, в
  каком месте
other: как часто, что, чего, чему, чем, о чем, о чём, как*, какой, какая, какие, каким, почему, зачем, который
"""
_UKRAINIAN = """
date: коли, з якого часу, о котрій, у якому році, в якому році, який рік, якого числа, у якому столітті
money: скільки коштує, скільки коштують, скільки коштував*, яка ціна, скільки грошей
duration: як довго, скільки часу, скільки років, скільки днів, скільки годин, скільки місяців
number: скільки, як далеко, яка кількість, який відсоток
name: хто, кого, кому, ким, чий, чия, чиє, як звати, як звали
place: де, звідки, куди, у якому місті, в якому місті, у якій країні, в якій країні
other: як часто, що, чого, чому, як*, який, яка, яке, котрий
yes: чи
"""
_ROMANIAN = """
date: când, de când, până când, la ce oră, în ce an, ce an, în ce zi, ce dată, în ce lună, în ce secol
money: cât costă, cât a costat, care este prețul, ce preț, câți bani, care este costul
duration: cât timp, cât durează, câți ani, câte zile, câte ore, câte luni, câte săptămâni, ce vârstă
number: cât, câtă, câți, câte, ce procent, ce număr, care este numărul, cât de mare
name: cine, cui, pe cine, de cine, cu cine, al cui, cum se numește, care este numele
place: unde, de unde, în ce oraș, în ce țară, ce oraș, ce țară
other: cât de des, ce, care, cum, de ce
"""
_TURKISH = """
date: ne zaman, ne zamandan, saat kaçta, hangi yıl*, hangi gün*, hangi tarih*, hangi ay*, hangi yüzyıl*
money: kaça, ne kadar tutar, fiyatı ne*, kaç para, kaç lira, ücreti ne*, maliyeti ne*
duration: ne kadar süre*, kaç yıl*, kaç gün*, kaç saat*, kaç ay*, kaç yaş*, kaç hafta*
number: kaç*, ne kadar, yüzde kaç*, hangi oran*
name: kim*, kimin, kime, kimi, kimler, adı ne*, ismi ne*
place: nerede*, nereye, nereden, neresi*, hangi şehir*, hangi ülke*, hangi kent*
other: ne sıklıkta, ne, neden, niçin, niye, nasıl, hangi*, nedir, nelerdir
yes: mı, mi, mu, mü, mıdır, midir, mudur, müdür, mıyım, miyim, mısın, misin, mıyız, miyiz
"""
_GREEK = """
date: πότε, από πότε, μέχρι πότε, τι ώρα, ποια χρονιά, ποιο έτος, σε ποιο έτος, ποια ημερομηνία, ποια μέρα, ποιον αιώνα
money: πόσο κοστίζ*, πόσο κόστισε, ποια είναι η τιμή, πόσα χρήματα, ποιο είναι το κόστος
duration: πόσο χρόνο, πόσα χρόνια, πόσες μέρες, πόσες ημέρες, πόσες ώρες, πόσους μήνες, πόσο καιρό, πόσο διαρκ*
number: πόσο*, πόσα, πόσες, πόση, πόσοι, πόσων, πόσους, τι ποσοστό, ποιο ποσοστό, ποιος αριθμός
name: ποιος, ποιοι, ποιον, ποιου, ποιων, πώς λέγεται, από ποιον
place: πού, από πού, σε ποια πόλη, σε ποια χώρα, ποια πόλη, ποια χώρα
other: τι, ποια, ποιο, ποιες, γιατί, πώς
"""
_VIETNAMESE = """
date: khi nào, lúc nào, bao giờ, năm nào, ngày nào, tháng nào, thế kỷ nào, mấy giờ, từ khi nào, năm bao nhiêu, thời
  gian nào
money: giá bao nhiêu, bao nhiêu tiền, chi phí là bao nhiêu, giá của * là bao nhiêu, bao nhiêu đô la, bao nhiêu đồng
duration: bao lâu, bao nhiêu năm, bao nhiêu ngày, bao nhiêu giờ, bao nhiêu tháng, bao nhiêu tuổi, bao nhiêu tuần, mấy
  năm
number: bao nhiêu, mấy, bao xa, bao lớn, tỷ lệ nào, phần trăm
name: ai, của ai, bởi ai, người nào, tên là gì
place: ở đâu, đâu, nơi nào, thành phố nào, nước nào, quốc gia nào, tiểu bang nào, bang nào
other: gì, nào, tại sao, vì sao, như thế nào, thế nào, làm sao
yes: có phải, không?, hay không, phải không
"""
_INDONESIAN = """
date: kapan, sejak kapan, sampai kapan, jam berapa, pukul berapa, tahun berapa, tanggal berapa, hari apa, bulan apa
money: berapa harga*, berapa biaya*, berapa uang
duration: berapa lama, berapa tahun, berapa hari, berapa jam, berapa bulan, berapa minggu, berapa usia
number: berapa*, seberapa
name: siapa*, oleh siapa, siapa nama
place: di mana, dimana, ke mana, dari mana, kota mana, negara mana
other: apa, mana, mengapa, kenapa, bagaimana
yes: apakah
"""
_HUNGARIAN = """
date: mikor, mióta, meddig, hány órakor, melyik évben, melyik napon, hányadikán, melyik században
money: mennyibe kerül*, mi az ára, mennyi az ára, mennyi pénz*
duration: mennyi ideig, mennyi idő*, hány évig, hány éve*, hány nap*, hány órá*, hány hónap*
number: hány*, mennyi*, milyen messze, milyen magas, milyen nagy, hány százalék*
name: ki, kik, kit, kinek, kivel, kié, hogy hívják
place: hol, honnan, hová, hova, melyik város*, melyik ország*
other: milyen gyakran, mi, mit, mik, milyen, melyik, miért, hogyan, hogy, mivel
"""
_FINNISH = """
date: milloin, mistä lähtien, mihin asti, mihin aikaan, minä vuonna, minä päivänä, millä vuosisadalla
money: paljonko maksaa, mitä maksaa, kuinka paljon maksaa, mikä on hinta, mikä on * hinta
duration: kuinka kauan, kuinka vanha, kuinka monta vuotta, kuinka monta päivää, montako vuotta, montako päivää
number: kuinka monta, kuinka moni*, kuinka paljon, montako, paljonko, kuinka kaukana, kuinka suuri,
  kuinka korkea, kuinka pitkä
name: kuka, ketkä, kenen, kenelle, ketä, kenet, mikä on nimi
place: missä, mistä, mihin, minne, missä kaupungissa, missä maassa
other: kuinka usein, mikä, mitä, mitkä, miksi, miten, kuinka, minkä, millä, millainen
"""
_CATALAN = """
date: quan, des de quan, fins quan, a quina hora, en quin any, quin any, quin dia, quina data, en quin segle
money: quant costa, quant costen, quant va costar, quin és el preu, quants diners, quin és el cost
duration: quant de temps, quant temps, quants anys, quants dies, quantes hores, quants mesos, quina edat
number: quant, quanta, quants, quantes, quin percentatge, quin nombre, quin número
name: qui, de qui, per qui, amb qui, com es diu, quin és el nom
place: on, d'on, cap a on, en quina ciutat, en quin país, quina ciutat, quin país
other: què, que, quin, quina, quins, quines, com, per què
"""
_ARABIC = """
date: متى, منذ متى, حتى متى, في أي عام, في أي سنة, أي عام, أي سنة, في أي يوم, أي يوم, في أي تاريخ, في أي شهر, في أي قرن
money: كم يكلف, كم تكلف, كم سعر, كم ثمن, ما سعر, ما هو سعر, ما تكلفة, ما هي تكلفة, كم تكلفة
duration: كم من الوقت, كم عمر, كم سنة, كم عاما, كم يوما, كم ساعة, كم شهرا, ما مدة, ما هي مدة, كم مدة
number: كم, كم عدد, ما عدد, ما هو عدد, ما نسبة, ما هي نسبة, بكم
name: من هو, من هي, من الذي, من كان, من هم, لمن, من قام, ما اسم, ما هو اسم
place: أين, من أين, إلى أين, في أي مدينة, في أي بلد, في أي دولة, أي مدينة, أي دولة
other: ما, ماذا, لماذا, كيف, أي, بماذا, عم
yes: هل
"""
_HEBREW = """
date: מתי, ממתי, עד מתי, באיזו שנה, באיזה תאריך, באיזה יום, באיזו שעה, באיזה חודש, באיזו מאה
money: כמה עולה, כמה עולים, כמה עלה, מה המחיר, מה העלות, כמה כסף
duration: כמה זמן, כמה שנים, כמה ימים, כמה שעות, כמה חודשים, בן כמה
number: כמה, איזה אחוז, מה מספר, מה המספר
name: מי, את מי, של מי, עם מי, על ידי מי, מה שם, מה שמו
place: איפה, היכן, מאיפה, לאן, באיזו עיר, באיזו מדינה, באיזו ארץ
other: באיזו תדירות, מה, למה, מדוע, איך, כיצד, איזה, איזו, אילו
yes: האם
"""
_HINDI = """
date: कब, कब से, कब तक, किस वर्ष, किस साल, किस दिन, किस तारीख, किस महीने, किस सदी, कितने बजे
money: कितने का, कितने रुपये, कितने पैसे, क्या कीमत, कीमत क्या, कितना खर्च, कितनी लागत, कीमत कितनी
duration: कितने समय, कितनी देर, कितने वर्ष, कितने साल, कितने दिन, कितने घंटे, कितने महीने, कितनी उम्र
number: कितना, कितने, कितनी, कितनों, कितने प्रतिशत
name: कौन, किसने, किसका, किसकी, किसके, किसे, किसको, किसके द्वारा, क्या नाम, नाम क्या
place: कहाँ, कहां, किस शहर, किस देश, किस राज्य, किस स्थान
other: क्यों, कैसे, कौन सा, कौन सी, कौन से, कौनसा, किस, किन, क्या है
"""
_PERSIAN = """
date: کی, چه زمانی, چه وقت, از چه زمانی, در چه سالی, چه سالی, کدام سال, در چه تاریخی, چه روزی, چه ساعتی
money: قیمت چند, چقدر هزینه, قیمت چقدر, چند تومان, هزینه چقدر
duration: چه مدت, چند سال, چند روز, چند ساعت, چند ماه
number: چند, چقدر, چه تعداد, چند درصد
name: چه کسی, چه کسانی, نام چه
place: کجا, در کجا, از کجا, کدام شهر, کدام کشور, چه کشوری, چه شهری
other: چه, چرا, چگونه, چطور, کدام
yes: آیا
"""
_CHINESE = """
date: 星期几, 星期幾, 周几, 週幾, 幾號,
  什么时候, 什麼時候, 何时, 何時, 哪一年, 哪年, 哪一天, 哪天, 几点, 幾點, 几月, 哪个世纪, 什么时间, 何年,
  几号, 哪个月
money: 多少钱, 多少錢, 价格是多少, 费用是多少, 價格是多少, 費用是多少, 多少美元, 多少元
duration: 多久, 多长时间, 多長時間, 多少年, 多少天, 多少小时, 几年, 几天, 几个月, 多大年纪, 几岁, 多少个月
number: 多少, 几, 幾, 多大, 多高, 多远, 多長, 多长, 多快, 多重, 百分之几
name: 谁, 誰, 哪位, 何人, 叫什么名字
place: 哪里, 哪裡, 哪儿, 何处, 何處, 哪个城市, 哪个国家, 什么地方, 在哪, 哪座城市, 哪國
other: 什么, 什麼, 哪, 为什么, 為什麼, 为何, 怎么, 怎麼, 如何, 怎样, 哪些
yes: 吗, 嗎, 是否, 有没有, 能不能, 是不是
"""
_JAPANESE = """
date: いつ, 何年, 何月, 何日, 何時に, 何世紀, 何曜日
money: いくら, 何円, 何ドル, 価格は, 費用は, 料金は
duration: 何時間, 何年間, 何日間, 何か月, 何ヶ月, 何歳, どのくらいの期間, どれくらいの期間, 何分, 何週間
number: 何人, 何個, 何回, 何パーセント, 何%, いくつ, どのくらい, どれくらい, 何本, 何台, 何件
name: だれ, 誰, どなた
place: どこ, どちら, 何県, どの国, どの都市, どの街
other: 何, なに, なん, なぜ, どう, どの, どれ, どんな
"""
_KOREAN = """
date: 언제, 몇 년도, 몇 년에, 몇년, 몇 월, 며칠, 몇 시에, 몇 세기, 어느 해
money: 료는 얼마, 료가 얼마, 료 얼마, 가격은, 가격이, 비용은, 비용이, 요금은, 요금이, 값은, 값이, 얼마의 비용
duration: 얼마나 오래, 몇 년 동안, 몇 년간, 몇 시간, 며칠 동안, 몇 개월, 몇 살, 몇 주
number: 몇, 얼마나, 얼마, 몇 명, 몇 개, 몇 번, 몇 퍼센트
name: 누구, 누가
place: 어디, 어느 나라, 어느 도시, 어느 곳
other: 무엇, 뭐, 왜, 어떻게, 어떤, 어느, 무슨
"""
_THAI = """
date: เมื่อไร, เมื่อไหร่, เมื่อใด, ปีใด, ปีไหน, วันที่เท่าไร, วันไหน, วันใด, เดือนใด, กี่โมง, ศตวรรษใด, ปีอะไร
money: ราคาเท่าไร, ราคาเท่าไหร่, กี่บาท, ค่าใช้จ่ายเท่าไร, กี่ดอลลาร์
duration: นานเท่าไร, นานเท่าใด, นานแค่ไหน, กี่ปี, กี่วัน, กี่ชั่วโมง, กี่เดือน, อายุเท่าไร
number: เท่าไร, เท่าไหร่, เท่าใด, กี่, จำนวนเท่าใด
name: ใคร, ผู้ใด
place: ที่ไหน, ที่ใด, ประเทศใด, เมืองใด, ประเทศไหน, เมืองไหน, จากไหน
other: อะไร, ทำไม, อย่างไร, ไหน, ใด
yes: หรือไม่, ใช่ไหม, ไหม, หรือเปล่า
"""

ASKING_PHRASES: Mapping[str, str] = {
    "arabic": _ARABIC,
    "catalan": _CATALAN,
    "chinese": _CHINESE,
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
    "japanese": _JAPANESE,
    "korean": _KOREAN,
    "norwegian": _DANISH,
    "persian": _PERSIAN,
    "polish": _POLISH,
    "portuguese": _PORTUGUESE,
    "romanian": _ROMANIAN,
    "russian": _RUSSIAN,
    "spanish": _SPANISH,
    "swedish": _SWEDISH,
    "thai": _THAI,
    "turkish": _TURKISH,
    "ukrainian": _UKRAINIAN,
    "vietnamese": _VIETNAMESE,
}
"""By language, as `language_of` names it."""

_WITHOUT_BORDERS = {*WITHOUT_BLANKS, "korean"}
"""Languages in whose texts a question word is found inside of a run of characters."""


@dataclass(frozen=True, slots=True)
class AskingPhrases:
    """What finds the first phrase of a question that asks for something. `phrases` has the kind and the words of each
    group of `pattern`, which is for a text in small letters and composed form."""

    pattern: re.Pattern[str]
    phrases: Sequence[tuple[str, str]]

    def first(self, question: str) -> tuple[int, str, str] | None:
        """Where the phrase begins, its kind, and its own words."""
        found = self.pattern.search(question)
        if found is None or found.lastindex is None:
            return None
        return (found.start(), *self.phrases[found.lastindex - 1])


@cache
def asking(language: str) -> AskingPhrases:
    phrases = [
        (kind, phrase.strip())
        for kind, listed in _kinds(language).items()
        if kind != "yes"
        for phrase in listed.split(",")
    ]
    longest_first = sorted(phrases, key=lambda one: -len(one[1]))
    border, end = ("", "") if language in _WITHOUT_BORDERS else (r"(?<![\w'’])", r"(?!\w)")
    alternatives = "|".join(f"({_expression(phrase)})" for _, phrase in longest_first)
    pattern = re.compile(f"{border}(?:{alternatives}){end}")
    return AskingPhrases(pattern, [(kind, phrase.replace("*", " ")) for kind, phrase in longest_first])


@cache
def deciding(language: str) -> re.Pattern[str] | None:
    """What a question that is answered with yes or no has; None if the language shows it in no word that we know."""
    listed = _kinds(language).get("yes")
    if listed is None:
        return None
    words = "|".join(_expression(phrase.strip()) for phrase in listed.split(","))
    if language in _WITHOUT_BORDERS:
        return re.compile(f"(?:{words})")
    anywhere = language in _ANYWHERE
    return re.compile(rf"(?<![\w'’])(?:{words})(?!\w)" if anywhere else rf"\A\W*(?:{words})(?!\w)")


_ANYWHERE = {"turkish", "vietnamese", "polish", "arabic", "hebrew", "persian", "ukrainian", "indonesian", "french"}
"""Languages whose word for it may stand anywhere; that of others begins the question."""


@cache
def _kinds(language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    kind = ""
    for line in ASKING_PHRASES[language].strip().splitlines():
        begun, colon, phrases = line.partition(": ")
        if colon:
            kind = begun
        found[kind] = f"{found.get(kind, '')} {(phrases if colon else line).strip()}"
    return {kind: listed.rstrip(",") for kind, listed in found.items()}


def _expression(phrase: str) -> str:
    """`*` at the end of a word is its ending, and between two words one to ten words."""
    parts = (re.escape(part).replace(r"\ ", r"\s+") for part in phrase.split(" * "))
    return r"\s+(?:\S+\s+){1,10}?".join(part.replace(r"\*", r"\w*") for part in parts)
