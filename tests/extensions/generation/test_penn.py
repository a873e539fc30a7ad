"""Words as the Penn Treebank cuts them, against what Stanford's PTBTokenizer gave by the released tool."""

from __future__ import annotations

import time

import pytest

from scoring.extensions.generation.penn import MOST_CHARACTERS, penn_words
from scoring.result import Unparsed

# Of `PTBTokenizer().tokenize` of pycocoevalcap 1.2 (stanford-corenlp 3.4.1), each text as a caption.
CUT = [
    ("A man's dog isn't running.", "a man 's dog is n't running"),
    ("It's a T-shirt, black/white (very old) & $5.00!", "it 's a t-shirt black/white -lrb- very old -rrb- & $ 5.00"),
    ('He said "hello" to the U.S. team at 5 p.m.', "he said hello to the u.s. team at 5 p.m."),
    (
        "Don't you'll they've I'd I'm we're can't cannot gonna wanna",
        "do n't you 'll they 've i 'd i 'm we 're ca n't can not gon na wan na",
    ),
    ("two-year-old boy... with 1,000 balls", "two-year-old boy with 1,000 balls"),
    ("A dog — running – fast… now", "a dog running fast now"),
    ("“Quoted” ‘text’ it’s", "quoted text it 's"),
    ("naïve café 日本語 text", "naïve café 日本語 text"),
    ("emoji 😀 here", "emoji here"),
    ("a 1/2 cup ½ cup 50% of #1", "a 1/2 cup 1/2 cup 50 % of # 1"),
    ("Mr. Smith and Dr. Jones vs. Mrs. X.", "mr. smith and dr. jones vs. mrs. x."),
    ("e-mail me@x.com or http://a.b/c?d", "e-mail me@x.com or http://a.b/c?d"),
    ("[brackets] {curly} <angle>", "-lsb- brackets -rsb- -lcb- curly -rcb- <angle>"),
    ("rock 'n' roll in the '90s", "rock 'n' roll in the '90s"),
    ("dogs' toys", "dogs toys"),
    ("A man , riding .", "a man riding"),
    ("  double  spaces  ", "double spaces"),
    ("", ""),
    ("UPPER CASE", "upper case"),
    ("x-ray o'clock ma'am", "x-ray o'clock ma'am"),
    ("3.5 2-3 10:30 1990s 1st", "3.5 2-3 10:30 1990s 1st"),
    ("semi;colon:colon", "semi colon colon"),
    ("under_score @handle *star* ~ ^ = +", "under_score @handle * star * ~ ^ = +"),
    ("St. Louis Ave. Blvd. etc. end", "st. louis ave. blvd. etc. end"),
    ("end etc.", "end etc."),
    ("a.b.c. i.e. e.g. that", "a.b.c. i.e. e.g. that"),
    ("Wow!!! What??", "wow !!! what ??"),
    ("a--b c---d", "a b c d"),
    ("tennis player's racquet's", "tennis player 's racquet 's"),
    ("let's go", "let 's go"),
    ("'s", "'s"),
    ("What's that?", "what 's that"),
    ("I'm", "i 'm"),
    ("shouldn't've", "should n't 've"),
    ("c++ C# .net", "c++ c# net"),
    ("he'S", "he 's"),
    ("10am 5'10\" tall", "10am 5 10 tall"),
    ("Photo taken in N.Y. City", "photo taken in n.y. city"),
    ("Yahoo! Inc.", "yahoo inc."),
    ("and/or", "and/or"),
    ("A man in a red shirt is riding a wave on a surfboard.", "a man in a red shirt is riding a wave on a surfboard"),
    ("It's 12:30 a.m. on Main St. near 5th Ave.", "it 's 12:30 a.m. on main st. near 5th ave."),
    ("A cat sitting next to a T.V.", "a cat sitting next to a t.v."),
    ("$3 and 20% off", "$ 3 and 20 % off"),
    ("a man.A dog", "a man.a dog"),
    ("Mt. Fuji, Japan", "mt. fuji japan"),
    ("B&W photo AT&T", "b&w photo at&t"),
    ("Ph.D. student", "ph.d. student"),
    ("'tis the season, y'all", "'t is the season y' all"),
    ("No. 5 is alive", "no. 5 is alive"),
    ("£5 €5", "# 5 $ 5"),
    ("A dog in the sun.", "a dog in the sun"),
    ("the cat sat.", "the cat sat"),
    ("Sat. and Sun., 5 p.m.", "sat and sun. 5 p.m."),
    ("It is -5 or +5, at .5 inch, ,5", "it is -5 or +5 at .5 inch ,5"),
    ("at 10:30am", "at 10:30 am"),
    ("US$5 and C$ 2", "us$ 5 and c$ 2"),
    ("costs 5¢", "costs 5 cents"),
    ("a dog :) and a cat ;-)", "a dog :-rrb- and a cat ;--rrb-"),
    ("salt&pepper at R&B bar", "salt & pepper at r&b bar"),
    ("rock'n'roll", "rock 'n' roll"),
    ("the letter A. The end", "the letter a the end"),
    ("the x. and y", "the x. and y"),
    ("a man., then", "a man. then"),
    ("x.com/y a.b/c", "x.com / y a.b / c"),
    ("wow!then", "wow!then"),
    ("a **bold** tag ##", "a ** bold ** tag ##"),
    ("AT&amp;T &lt;b&gt;", "at&t < b >"),
    ("1½ cups 10½ in.", "1 1/2 cups 10 1/2 in"),
    ("see Fig. 5, pp. 5", "see fig. 5 pp. 5"),
    ("Miss. Mass. mass. miss.", "miss. mass. mass miss"),
    ("Qur'an al-Qa'ida Hawai'i", "qur an al-qa ida hawai'i"),
    ("y'all j'ai l'a d'Or", "y' all j' ai l' a d'or"),
    ("'12 and '90s", "'12 and '90s"),
    ("U.S.-based x.y.z", "u.s.-based x.y.z"),
    ("a­b a‐b non‑stop", "ab a‐b non‑stop"),
    ("@a-b #tag-a", "@a b #tag a"),
    ("5-6.5 5.5-6 -2-3", "5-6 .5 5.5-6 -2 -3"),
    ("men´s «a» ‹b›", "men ´ s a b"),
    ("g++ A+B M&Ms", "g + + a+b m&m s"),
]


@pytest.mark.parametrize(("text", "words"), CUT)
def test_texts_are_cut_as_the_released_tool_cuts_them(text: str, words: str) -> None:
    assert " ".join(penn_words(text, punctuation="dropped")) == words


def test_letters_and_marks_may_be_kept() -> None:
    assert penn_words("He can't (yet).", lowercase=False) == ["He", "ca", "n't", "-LRB-", "yet", "-RRB-", "."]
    assert penn_words("He can't (yet).", lowercase=False, punctuation="dropped") == ["He", "ca", "n't", "yet"]


@pytest.mark.parametrize(
    "part", ["a+", "http://.", "<a", "ab.", "a'", "n't", "'s", "@a.", "x", "a@b.", ".", "-", "a.b-c/d'", " ", "é\u0301"]
)
def test_hostile_texts_take_no_long_time(part: str) -> None:
    started = time.process_time()
    penn_words((part * MOST_CHARACTERS)[:MOST_CHARACTERS])
    assert time.process_time() - started < 10


def test_a_text_that_is_too_long_is_told() -> None:
    with pytest.raises(Unparsed, match="more than"):
        penn_words("a" * (MOST_CHARACTERS + 1))
