"""Tables of the documentation are written anew between their marks."""

from __future__ import annotations

from scoring.extensions.reference.tables import update_key_tables


def test_the_documentation_holds_its_tables() -> None:
    page = update_key_tables("before\n<!-- keys: pack -->\nwhat stood here\n<!-- /keys -->\nafter\n")
    assert page.startswith("before\n<!-- keys: pack -->\n| key | meaning |\n")
    assert page.endswith("\n<!-- /keys -->\nafter\n")
    assert "| `judges` |" in page
    assert "what stood here" not in page
    assert update_key_tables(page) == page
