"""The most frequent words of some languages, by which a text in another language than English is recognized."""

ENGLISH = """
the of and to in is that it for was on are as with his they at be this from have or by one had not but what all were
when we there can an your which their said if do will each about how up out them then she many some so these would
other into has more her two like him see time could no make than first been its who now people my made over did down
only way find use may after should could also must using used any does only every per
"""

OTHERS = """
der die und den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach
wird bei einer um am sind noch wie einem über einen so zum haben nur oder aber vor zur bis mehr durch wurde
le la les des du et en un une que qui dans pour pas sur ce au avec ne se sont est plus par il elle nous vous mais où son
el los las y del se que con por para una es lo como más pero sus su al este ha no está son
il di che e la per non una sono del si con le della dei nel alla ma più questo anche gli
o os as de que e do da em um uma para com não uma por mais dos como mas foi ao ele das tem à seu sua ou
het een van en de dat die niet zijn op te voor met als aan er maar om door nog wordt ook
och att det som en på är av för med den till inte har de om ett men var
"""
"""German, French, Spanish, Italian, Portuguese, Dutch and Swedish."""

PARTICLES = "de la el le di da du del des der den van von y e o os as al"
"""Words of other languages that are parts of names in English texts, too: "Oscar de la Hoya"."""
