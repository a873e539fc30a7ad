"""Images on pages: small, without what is hidden in their files, and bounded before they are decoded."""

from __future__ import annotations

import io
import shutil
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import scoring
from scoring.extensions.pages.charts import MarkedPicture
from scoring.extensions.pages.run_page import run_document
from scoring.extensions.vision.files.pictures import MOST_BYTES, PictureFiles, small_picture
from scoring.report.document import DocumentBlock, Plot, Section
from tests.extensions.vision.pictures import street


def picture(width: int = 1200, height: int = 800, form: str = "JPEG") -> bytes:
    stream = io.BytesIO()
    exif = Image.Exif()
    exif[0x010E] = "a secret place"
    Image.new("RGB", (width, height), "red").save(stream, form, exif=exif)
    return stream.getvalue()


def png(width: int, height: int, data: bytes = b"") -> bytes:
    """A PNG of stated size, whatever its data are."""

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(data)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_a_picture_is_small_and_tells_nothing_but_its_pixels(form: str) -> None:
    data = picture(form=form)
    assert b"a secret place" in data
    small = small_picture(data)
    assert b"a secret place" not in small
    with Image.open(io.BytesIO(small)) as image:
        assert image.size == (640, 427)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (png(60_000, 60_000), "DecompressionBombError"),
        (png(8_000, 8_000), "8,000 × 8,000 pixels, more than 40,000,000"),
        (png(100, 100, b"\0" * 9), "damaged"),
        (b"<svg onload=alert(1)>", "damaged, or no JPEG or PNG or WEBP"),
        (b"GIF89a" + bytes(50), "damaged"),
        (b"", "damaged"),
        (picture()[:200], "damaged"),
        (b"\xff\xd8" + b"\xff\xda\x00" * 101, "more than 100 scans"),
        (bytes(MOST_BYTES + 1), "more than 32,000,000 bytes"),
    ],
)
def test_a_hostile_file_is_refused_before_it_is_decoded(data: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        small_picture(data)


def test_a_name_never_leads_out_of_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (tmp_path / "secret.jpg").write_bytes(picture())
    (folder / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    (folder / "a.jpg").write_bytes(picture())
    files = PictureFiles(folder)
    for name in ("../secret.jpg", str(tmp_path / "secret.jpg"), "link.jpg", "images/../../secret.jpg"):
        assert files.address(name) == ("", "its file is outside of the folder of pictures"), name
    for bad in (None, 3, "", "a\0b", "missing.jpg", ".", "x" * 5_000):
        assert files.address(bad)[0] == ""
    assert files.address("a.jpg")[0].startswith("data:image/jpeg;base64,")


def test_the_pictures_of_a_page_are_bounded_together(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (640, 640, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.png")
    files = PictureFiles(tmp_path)
    found = [files.address("a.png") for _ in range(40)]
    assert sum(len(address) for address, _ in found) < 4_100_000
    assert found[-1] == ("", "the pictures above it fill what a page holds")


def test_boxes_are_drawn_with_what_became_of_them(tmp_path: Path) -> None:
    run = scoring.evaluate(street(tmp_path / "street", ["cat", "dog", "cow"]))
    found = pictures(run_document(run).blocks)
    assert [one.title for one in found] == ["image 1 dog", "image 2 cow"]
    assert [(mark.label, mark.became, mark.is_truth) for mark in found[0].marks] == [
        ("dog", "confused", True),
        ("cat 0.90", "confused", False),
    ]
    assert found[0].image.startswith("data:image/jpeg;base64,")
    assert found[1].note == "its file is not in the folder of pictures"


def test_without_the_folder_of_pictures_scores_are_the_same_and_the_page_says_so(tmp_path: Path) -> None:
    task = street(tmp_path / "street", ["cat", "dog"])
    before = scoring.evaluate(task)
    shutil.rmtree(tmp_path / "street" / "images")
    after = scoring.evaluate(task)
    assert after.summary["metrics"] == before.summary["metrics"]
    assert [one.note for one in pictures(run_document(after).blocks)] == ["the folder of pictures is not there"]


def test_masks_are_drawn_by_what_became_of_their_pixels(tmp_path: Path) -> None:
    for name, values in (("t", [[1, 1, 0, 2]]), ("p", [[1, 2, 1, 0]])):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", np.array(values, dtype=np.uint8))
    spec = "kind: task\nname: t\nrecords: segmentation\nlabels: [road, sky]\ngroundtruth: t\npredictions: p\n"
    (tmp_path / "task.yaml").write_text(f"{spec}metrics: [pixel_report]\n")
    (found,) = pictures(run_document(scoring.evaluate(tmp_path / "task.yaml")).blocks)
    assert {mark.became: mark.path for mark in found.marks} == {
        "found": "M0 0h1v1h-1z",
        "confused": "M1 0h1v1h-1z",
        "invented": "M2 0h1v1h-1z",
        "missed": "M3 0h1v1h-1z",
    }


def pictures(blocks: tuple[DocumentBlock, ...]) -> list[MarkedPicture]:
    """The pictures of a document, in order."""
    found: list[MarkedPicture] = []
    for block in blocks:
        if isinstance(block, Plot) and isinstance(block.chart, MarkedPicture):
            found.append(block.chart)
        found += pictures(block.blocks) if isinstance(block, Section) else []
    return found
