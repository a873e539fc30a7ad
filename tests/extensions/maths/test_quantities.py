"""Numbers as models write them, and formulas that are equal."""

from __future__ import annotations

import math
from typing import Any

import pytest

import scoring
from scoring.extensions.maths.formulas import boxed
from scoring.extensions.maths.quantity import NotANumber, evaluate_number_text, number_with_unit
from scoring.packs.megabench.odd_tasks import quantities_close
from scoring.result import Unparsed, Unscored

READ = {
    "12": 12, "-0.5": -0.5, "+3": 3, ".25": 0.25, "1,299.00": 1299, "161,000": 161000, "3e5": 3e5, "3E-2": 0.03,
    "3 x 10^5": 3e5, "3 × 10⁵": 3e5, r"3 \times 10^{-2}": 0.03, r"10^{3}": 1000, "2.5*10**2": 250,
    "1/4": 0.25, r"\frac{1}{4}": 0.25, r"\dfrac12": 0.5, "2 1/2": 2.5, r"2\frac{1}{2}": 2.5, "-1 1/2": -1.5, "½": 0.5,
    r"\sqrt{16}": 4, r"\sqrt[3]{27}": 3, "√16": 4, "5!": 120, "|-8|": 8, "2^3^2": 512, "-2^2": -4, "(2)(3)": 6,
    r"\pi": math.pi, "2π": 2 * math.pi, r"\frac{\pi}{2}": math.pi / 2, "e": math.e, r"\ln(e)": 1, r"\log_{2} 8": 3,
    r"\log 100": 2, r"\sin(0)": 0, "12.5%": 0.125, r"12.5\%": 0.125, "50 %": 0.5,
    "$5": 5, "$1,299.00": 1299, "€ 3.50": 3.5, r"\$4": 4, "5 cm": 5, "5 C": 5, "20°C": 20, "30°": 30, r"30^\circ": 30,
    "3 m/s": 3, "9.8 m/s^2": 9.8, r"37\text{ cm}": 37, r"82.09 \mathrm{kg}": 82.09, "10 kg m": 10,
    "x = 5": 5, "a = b = 5": 5, r"\theta \approx 2.5": 2.5, "≈ 6": 6, "The answer is 42.": 42, "Answer: 7": 7,
    "about 365": 365, r"\(20\)": 20, r"\[331\]": 331, "$$0.5$$": 0.5, "**3**": 3, "`7`": 7, "```\n8\n```": 8,
    "'0.9'": 0.9,
    "−3": -3, "４２": 42, " 5 ": 5, "5.": 5, "10,": 10, "{0}": 0, r"\infty": math.inf, r"\left(3\right)": 3,
}  # fmt: skip
LISTS = {
    "[1, 2]": [1, 2], "(3, 4)": [3, 4], r"\{1, 2\}": [1, 2], "{1,2}": [1, 2], "1, 2": [1, 2], "1 and 2": [1, 2],
    "x=1, y=2": [1, 2], "[0.5]": [0.5], "1/2; 3": [0.5, 3], "[1/2, 50%]": [0.5, 0.5],
}  # fmt: skip
REFUSED = [
    "", " ", "abc", "C", "cm", "1/0", "0/0", r"\sqrt{-1}", "3:4", "2i", "1+2i", "3j", "0x1F", "2x", "3>2", "1..2",
    "((2",
    r"\frac{1}{", "{", "nan", "math.pi", "5 ± 0.1", "10:30", "1 2", "2)", "171!", "(" * 300, "-" * 5000 + "1",
    "9" * 1500,
    "10^10^10", "__import__('os')", "五",
]  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_a_number_is_read(text: str) -> None:
    assert number_with_unit(text) == pytest.approx(READ[text], rel=1e-12)


@pytest.mark.parametrize("text", LISTS)
def test_a_list_is_read(text: str) -> None:
    assert number_with_unit(text) == LISTS[text]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(Unparsed):
        number_with_unit(text)


@pytest.mark.parametrize("value", [None, True, {}, [None], [[1]], object()])
def test_a_value_that_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(Unparsed):
        number_with_unit(value)


def test_numbers_and_lists_stay_what_they_are() -> None:
    assert number_with_unit(3) == 3.0
    assert number_with_unit([1, "1/2"]) == [1.0, 0.5]


def test_number_of_takes_no_units() -> None:
    with pytest.raises(NotANumber):
        evaluate_number_text("5 cm")


@pytest.mark.parametrize(("prediction", "wanted", "score"), [
    (101.0, 100.0, 1), (99.0, 100.0, 1), (101.1, 100.0, 0), (-5.04, -5.0, 1), (0.0, 0.0, 1), (1e-12, 0.0, 1), (0.1,
    0.0, 0),
    ([2.0, 1.0], [1.0, 2.01], 1), ([1.0], [1.0, 1.0], 0), ([1.0], 1.0, 0), (math.inf, math.inf, 1),
])  # fmt: skip
def test_numbers_are_close(prediction: float, wanted: float, score: float) -> None:
    assert quantities_close(prediction, wanted) == score


def test_the_last_box_counts() -> None:
    assert boxed(r"first \boxed{1}, then \boxed{\frac{1}{\sqrt{2}}}") == r"\frac{1}{\sqrt{2}}"
    assert boxed(r"\boxed {7}") == "7"
    assert boxed(r"\boxed{unclosed") == r"\boxed{unclosed"


EQUAL = [
    ("$x+1$", "x+1"), (r"\[x+1\]", "x+1"), ("```latex\nx+1\n```", "x+1"), (r"\dfrac{x}{2}", r"\frac{x}{2}"),
    ("(x+1)^2", "x^2+2x+1"), (r"\sin^2 x + \cos^2 x", "1"), ("a < b", "b > a"), ("y = 2x", "2x = y"), ("x - 2 = y",
    "x = y + 2"),
    ("(1, 2)", "(1,2)"), (r"\{1, 2\}", r"\{2, 1\}"), ("4%", r"4\%"), ("0.04", r"4\%"), ("θ+1", r"\theta + 1"),
    ("ȳ", r"\overline{y}"), (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}"),
    (r"\begin{align*}x &= 2\end{align*}", "x = 2"), ("x+1.", "x + 1"), ("Toronto", "Toronto"),
    (r"\dot{x}\dot{x}", r"\dot x^2"), (r"\vec{F} \cdot \vec{r}", r"\vec r \vec F"), (r"\mathrm{e}^{-x}", "e^{-x}"),
    (r"2 \hat{\mathbf{x}}_0", r"\hat{\mathbf x}_{0} + \hat{\mathbf{x}}_0"), (r"\dot{x_0}", r"\dot{x_{0}} + 0"),
    (r"m \frac{dv}{dt}", r"\frac{dv}{dt} m"), (r"\frac{d}{dx} x^2", "2x"), (r"\frac{d}{dx} 5", "0"),
]  # fmt: skip
DIFFERENT = [
    ("hello", "olleh"), ("(1, 2)", "(2, 1)"), ("(1, 2)", "[1, 2]"), ("x", "y"), ("x+1", "x+2"), ("", "x"), ("x}", "x"),
    (r"\overline{y}_", r"\overline{y}_2"), ("x", r"\overline{x}"), ("1, 2", "1"), (r"\frac{1}{", "1"), ("x = 2", "2"),
    (r"\sqrt[3]{x}", r"\sqrt{x}"), (r"\begin{pmatrix}1&2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
    (r"\dot{x} y", r"x \dot{y}"), (r"\mathbf{a} b", r"a \mathbf{b}"), (r"\mathbf a b", r"a \mathbf b"),
    (r"\frac{\partial U}{\partial m}", r"\frac{\partial U}{\partial x}"), (r"\frac{dU}{dx}", "0"), (r"\hat{x}", "x"),
    ("x) + y", "x"), ("2)", "2"), ("x]", "x"), ("3, 4)", "3, 4"),
]  # fmt: skip


@pytest.fixture
def formulas() -> object:
    pytest.importorskip("antlr4", reason="the extra `math` is not installed")
    from scoring.extensions.maths import formulas

    return formulas


@pytest.mark.parametrize("pair", EQUAL, ids=str)
def test_equal_formulas(pair: tuple[str, str], formulas: object) -> None:
    assert formulas.equal_formulas(*pair, seconds=30) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("pair", DIFFERENT, ids=str)
def test_different_formulas(pair: tuple[str, str], formulas: object) -> None:
    assert formulas.equal_formulas(*pair, seconds=30) == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("reference", [r"\frac{1}{", "", "x + 1)", "q(t_1, t_2 | t_0)"])
def test_an_unreadable_reference_is_no_zero(reference: str, formulas: object) -> None:
    with pytest.raises(Unscored):
        formulas.equal_formulas("x+1", reference, seconds=30)  # type: ignore[attr-defined]


def test_a_comparison_that_takes_too_long_is_unscored(formulas: object) -> None:
    with pytest.raises(Unscored, match="calls of SymPy"):
        formulas.equal_formulas("99999991!", "99999992!", seconds=0.3)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("expression", "value", "status"),
    [("number_with_unit", 10**400, "unparsed"), ("number_with_unit", [1, 10**400], "unparsed")],
)
def test_what_is_no_quantity_is_told_so(expression: str, value: Any, status: str) -> None:
    found = scoring.scorer(f"{expression} | equal").score(value, 1)
    assert found.status == status
    assert found.reason is not None
    assert "can't be computed" not in found.reason


def test_a_tolerance_of_quantities_says_what_rounding_adds() -> None:
    assert scoring.scorer("megabench/quantities_close(relative=0.05)").score(1.05, 1).value == 1.0
    assert scoring.scorer("megabench/quantities_close(relative=0.05, rounding=0)").score(1.05, 1).value == 0.0
