"""Units, number words and the words around numbers and dates."""

UNITS = {
    "time": """
        ns 1e-9, nanosecond 1e-9, nanoseconds 1e-9, us 1e-6, \u00b5s 1e-6, microsecond 1e-6, microseconds 1e-6,
        ms 1e-3, msec 1e-3, millisecond 1e-3, milliseconds 1e-3, millis 1e-3,
        s 1, sec 1, secs 1, second 1, seconds 1, min 60, mins 60, minute 60, minutes 60,
        h 3600, hr 3600, hrs 3600, hour 3600, hours 3600, day 86400, days 86400, week 604800, weeks 604800,
        month 2629800, months 2629800, year 31557600, years 31557600, decade 315576000, decades 315576000,
        century 3155760000, centuries 3155760000
    """,
    "length": """
        nm 1e-9, nanometers 1e-9, nanometres 1e-9, \u00b5m 1e-6, micron 1e-6, microns 1e-6,
        mm 1e-3, millimeter 1e-3, millimeters 1e-3, millimetre 1e-3, millimetres 1e-3,
        cm 1e-2, centimeter 1e-2, centimeters 1e-2, centimetre 1e-2, centimetres 1e-2,
        m 1, meter 1, meters 1, metre 1, metres 1, km 1000, kilometer 1000, kilometers 1000, kilometre 1000,
        kilometres 1000, inch 0.0254, inches 0.0254, ft 0.3048, foot 0.3048, feet 0.3048, yd 0.9144, yard 0.9144,
        yards 0.9144, mi 1609.344, mile 1609.344, miles 1609.344, lightyear 9.4607e15, lightyears 9.4607e15
    """,
    "mass": """
        mg 1e-6, milligram 1e-6, milligrams 1e-6, g 1e-3, gram 1e-3, grams 1e-3, kg 1, kilo 1, kilos 1, kilogram 1,
        kilograms 1, t 1000, ton 1000, tons 1000, tonne 1000, tonnes 1000, oz 0.0283495, ounce 0.0283495,
        ounces 0.0283495, lb 0.453592, lbs 0.453592, pound 0.453592, pounds 0.453592
    """,
    "data": """
        bit 0.125, bits 0.125, b 1, byte 1, bytes 1, kb 1e3, kilobyte 1e3, kilobytes 1e3, kib 1024, mb 1e6,
        megabyte 1e6, megabytes 1e6, mib 1048576, gb 1e9, gigabyte 1e9, gigabytes 1e9, gib 1073741824, tb 1e12,
        terabyte 1e12, terabytes 1e12, tib 1099511627776, pb 1e15, petabyte 1e15, petabytes 1e15
    """,
    "data rate": "bps 0.125, kbps 125, mbps 125000, gbps 125e6, b/s 1, kb/s 1e3, mb/s 1e6, gb/s 1e9, mib/s 1048576",
    "speed": "m/s 1, km/h 0.2777778, kmh 0.2777778, kph 0.2777778, mph 0.44704, knot 0.514444, knots 0.514444",
    "frequency": "hz 1, khz 1e3, mhz 1e6, ghz 1e9, hertz 1, rpm 0.0166667, fps 1, qps 1, rps 1",
    "volume": """
        ml 1e-3, milliliter 1e-3, milliliters 1e-3, millilitre 1e-3, millilitres 1e-3, cl 1e-2, l 1, liter 1, liters 1,
        litre 1, litres 1, gallon 3.78541, gallons 3.78541, pint 0.473176, pints 0.473176
    """,
    "area": "hectare 10000, hectares 10000, ha 10000, acre 4046.86, acres 4046.86, m\u00b2 1, km\u00b2 1e6",
    "power": "mw 1e-3, w 1, watt 1, watts 1, kw 1e3, kilowatt 1e3, kilowatts 1e3, megawatt 1e6, megawatts 1e6, gw 1e9",
    "energy": "j 1, joule 1, joules 1, kj 1e3, wh 3600, kwh 3.6e6, cal 4.184, kcal 4184, calories 4184",
    "voltage": "mv 1e-3, v 1, volt 1, volts 1, kv 1e3",
    "current": "ma 1e-3, a 1, amp 1, amps 1, ampere 1, amperes 1, mah 3.6",
    "pressure": "pa 1, kpa 1e3, mpa 1e6, bar 1e5, mbar 100, atm 101325, psi 6894.76",
    "percent": "% 1, percent 1, pct 1, \u2030 0.1",
    "angle": "deg 1, rad 57.29578",
    "temperature": """
        \u00b0c 1, \u00b0 1, c 1, celsius 1, degrees 1, degree 1, centigrade 1, \u00b0f 0.5555556, fahrenheit 0.5555556,
        k 1, kelvin 1
    """,
    "usd": "$ 1, usd 1, dollar 1, dollars 1, cent 0.01, cents 0.01",
    "eur": "\u20ac 1, eur 1, euro 1, euros 1",
    "gbp": "\u00a3 1, gbp 1",
    "yen": "\u00a5 1, jpy 1, yen 1",
}
"""Units and their size in the base unit, by dimension."""

OFFSETS = {"\u00b0f": -17.7777778, "fahrenheit": -17.7777778, "kelvin": -273.15, "k": -273.15}
"""Zero point of temperature scales in degrees Celsius."""

ONLY_AFTER_DIGITS = "b m s h t g l v w a c k j us min sec cal bar rad"
"""Units that are recognized only after digits, because they are also other words."""

AFTER_YEARS = "a us c l v w k j t cal bar rad sec degree degrees kilo atm pa ha mi"
"""Units that may follow a year as other words: "in 2003 us troops"."""

NUMBERS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "dozen": 12, "once": 1, "twice": 2, "thrice": 3,
}  # fmt: skip

MULTIPLIERS = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "mn": 1e6, "bn": 1e9,
    "dozen": 12, "hundreds": 1e2, "thousands": 1e3, "millions": 1e6, "billions": 1e9,
}  # fmt: skip

LOWER = [
    "at least", "no less than", "no fewer than", "not less than", "not fewer than", "a minimum of", "minimum of",
    "minimum", "starting at", ">=", "\u2265", "=>", "upwards of", "from",
]  # fmt: skip
"""Phrases before a lower limit that is included."""

UPPER = [
    "at most", "up to", "no more than", "not more than", "a maximum of", "maximum of", "maximum", "<=", "\u2264", "max",
    "not exceeding", "no later than", "by at most", "within",
]  # fmt: skip
"""Phrases before an upper limit that is included."""

ABOVE = [
    "more than",
    "greater than",
    "larger than",
    "bigger than",
    "over",
    "above",
    "exceeding",
    "exceeds",
    "exceeded",
    "exceed",
    "beyond",
    ">",
    "later than",
    "better than",
]
"""Phrases before a lower limit that is excluded."""

BELOW = ["less than", "fewer than", "under", "below", "smaller than", "lower than", "<", "shy of", "short of"]
"""Phrases before an upper limit that is excluded."""

ABOUT = [
    "about", "around", "roughly", "approximately", "approx", "approx.", "circa", "ca.", "nearly", "almost", "some", "~",
    "\u2248", "close to", "an estimated", "estimated", "or so", "on the order of", "somewhere around",
]  # fmt: skip
"""Phrases before an approximate value."""

TIMES_BEFORE = ["before", "until", "till", "up to", "prior to", "by"]
TIMES_AFTER = ["after", "since", "from", "as of", "starting"]
"""Phrases before a date that make it the end, or the beginning, of a period."""

MONTHS = """
january february march april may june july august september october november december
"""
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"

ZONES = """
cet 60, cest 120, eet 120, eest 180, msk 180, est -300, edt -240, mst -420, mdt -360, pst -480, pdt -420, jst 540,
kst 540, hkt 480, sgt 480, aest 600, aedt 660
"""
"""Time zones besides UTC and GMT with one meaning, in minutes from UTC; CST, IST and BST have several."""

PERIODS = """
second 1, minute 60, hour 3600, day 86400, night 86400, morning 86400, evening 86400, week 604800, fortnight 1209600,
month 2629800, quarter 7889400, year 31557600
"""
"""Periods of recurring events, in seconds."""

PERIOD_FORMS = """
second: second seconds sec rps hz
minute: minute minutes min rpm bpm
hour: hour hours hourly hr kwh
day: day days daily diem night nights nightly
week: week weeks weekly
fortnight: fortnight fortnights fortnightly
month: month months monthly pcm mo
quarter: quarter quarters quarterly
year: year years yearly annual annually annum p.a. pa yr
"""
"""Forms of the names of periods: "the monthly fee is $10" says that it is $10 per month."""

SHORT_PERIODS = "s second, sec second, min minute, h hour, hr hour, d day, mo month, yr year"
"""Abbreviated periods after a slash."""

RECURRING = """
hourly hour, daily day, nightly night, weekly week, fortnightly fortnight, monthly month, quarterly quarter,
yearly year, annually year
"""
"""Adverbs by the period they stand for; before a noun ("the weekly report") they are read as adjectives."""

AFTER_ONCE = "at in on during per and or for by from before after when with"
"""Words after "once" if it means one time; before other words it begins a condition."""
