"""Hostile label maps and annotations."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.hostile.whole import _zip

_IMAGE = {"id": 1, "height": 10, "width": 10}
_TRUTH: dict[str, Any] = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}
_FOUND: dict[str, Any] = {"image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "score": 0.5}

Content = bytes | Callable[[], bytes]
"""The bytes of a file; those that cost much are made when they are written."""


def _npy(header: str, data: bytes = b"", version: bytes = b"\x01\0") -> bytes:
    text = header.encode("latin-1")
    size = struct.pack("<H" if version == b"\x01\0" else "<I", len(text))
    return b"\x93NUMPY" + version + size + text + data


def _shape(shape: str, kind: str = "|u1", order: bool = False) -> str:
    return f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n"


def _map(content: Content, suffix: str) -> Any:
    """A good label map as ground truth, and these bytes as the prediction."""

    def write(path: Path) -> None:
        import numpy

        for side in (path, path.parent / "truth"):
            side.mkdir()
        good = io.BytesIO()
        numpy.save(good, numpy.ones((2, 2), dtype=numpy.uint8))
        (path.parent / "truth" / f"a{suffix}").write_bytes(good.getvalue() if suffix == ".npy" else png(2, 2, bytes(6)))
        (path / f"a{suffix}").write_bytes(content if isinstance(content, bytes) else content())

    return write


def png(width: int, height: int, raw: bytes, depth: int = 8, colour: int = 0) -> bytes:
    """A PNG image of such a header with such rows."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    packed = zlib.compress(raw, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def _documents(truth: Any, found: Any) -> Any:
    def write(path: Path) -> None:
        for place, held in ((path, truth), (path.parent / "found.json", found)):
            place.write_bytes(held if isinstance(held, bytes) else json.dumps(held).encode())

    return write


def _truth(image: Any = None, **annotation: Any) -> dict[str, Any]:
    return {
        "images": [image or _IMAGE],
        "categories": [{"id": 1, "name": "car"}],
        "annotations": [{**_TRUTH, **annotation}],
    }


def _maps(
    name: str, content: bytes | Callable[[], bytes], says: str, suffix: str = ".npy", **more: Any
) -> dict[str, Any]:
    return {"name": f"{suffix[1:]}: {name}", "file": "found", "make": _map(content, suffix), "says": says,
            "kind": "segmentation", **more}  # fmt: skip


def _coco(name: str, truth: Any, found: Any, says: str, **more: Any) -> dict[str, Any]:
    return {"name": f"annotations: {name}", "file": "truth.json", "make": _documents(truth, found), "says": says,
            "kind": "detection", **more}  # fmt: skip


_DEEP: Any = json.loads("[" * 900 + "]" * 900)
_NONE = "a label map is one array of whole numbers"
_ODD: list[Any] = ["a", "", [1], {"a": 1}]
_RINGS: list[Any] = [3, True, 10**400, "ab", [1], [[0]], [["a"] * 6], [[10**400] * 6], [[[1, 2, 3]] * 3], [[[[1, 2]]]]]
_RING, _SHAPE = [[0, 0, 5, 0, 5, 5]], "not a polygon: "
_OUTLINED = {**_FOUND, "segmentation": _RING}
# Values of a wrong kind, and what is said of them.
_WRONG: list[tuple[str, list[Any], str]] = [
    ("area", [*_ODD, True, 10**400, float("nan"), float("inf")], "`area` is not a finite number"),
    ("iscrowd", _ODD, "`iscrowd` is 0 or 1"),
    ("ignore", _ODD, "`ignore` is 0 or 1"),
    ("id", [[1], {"a": 1}, None, True, float("nan")], "an id is a text or a number"),
    ("category_id", [[1], {"a": 1}, True, 2, "1", 10**400, float("nan")], "unknown category"),
    ("segmentation", _RINGS, _SHAPE),
]
_WRONG_FOUND = [
    ("category_ids", ["a", 3, True, {"a": 1}, 10**400], "`category_ids` is a list"),
    ("score", [*_ODD, True, 10**400, float("nan")], "the score is not a finite number"),
    ("id", [[1], True], "an id is a text or a number"),
    ("segmentation", _RINGS, _SHAPE),
]
_RUN = {"size": [10**9, 10**9], "counts": [10**18]}

IMAGES: list[dict[str, Any]] = [
    _maps("nothing", b"", "not a NumPy file"),
    _maps("another file", b"abc", "not a NumPy file"),
    _maps("a header that is cut off", _npy(_shape("(2, 2)"))[:30], "its header is damaged"),
    _maps("a header that is none", _npy("{'descr': "), "its header is damaged"),
    _maps("a header that would be evaluated", _npy("__import__('os').abort()"), "its header is damaged"),
    _maps("a header of a version of tomorrow", _npy(_shape("(2, 2)"), bytes(4), b"\x09\0"), "not a NumPy file"),
    _maps("a pickle", pickle.dumps([1]), "not a NumPy file"),
    _maps("objects, which are pickles", _npy(_shape("(2, 2)", "|O"), pickle.dumps([1, 2, 3, 4])),
          "pickles, which are never read"),
    _maps("texts", _npy(_shape("(2, 2)", "<U3"), bytes(48)), _NONE),
    _maps("fractions", _npy(_shape("(2, 2)", "<f8"), bytes(32)), _NONE),
    _maps("a shape of three", _npy(_shape("(2, 2, 2)"), bytes(8)), _NONE),
    _maps("a negative shape", _npy(_shape("(-2, -2)"), bytes(4)), "an array of -2 × -2 pixels"),
    _maps("a shape of 10^18 pixels", _npy(_shape("(1000000000, 1000000000)"), bytes(4)), "`pixels` allows 134,217,728"),
    _maps("a shape of 10^80 pixels", _npy(_shape(f"({10**40}, {10**40})"), bytes(4)), "`pixels` allows 134,217,728"),
    _maps("fewer values than it says", _npy(_shape("(10000, 10000)"), bytes(4)),
          "4 bytes of values, expected 100000000"),
    _maps("more values than it says", _npy(_shape("(2, 2)"), bytes(5)), "5 bytes of values, expected 4"),
    _maps("columns before rows", _npy(_shape("(2, 2)", order=True), b"\1\1\1\1"), "", scored=1),
    _maps("an archive of arrays that leads elsewhere", _zip({"../../a.npy": _npy(_shape("(2, 2)"), bytes(4))}),
          "not a NumPy file"),
    _maps("nothing", b"", "not a PNG file", ".png"),
    _maps("cut off", png(2, 2, bytes(6))[:40], "0 bytes of pixel data, expected 6", ".png"),
    _maps("10^18 pixels", png(10**9, 10**9, b""), "`pixels` allows 134,217,728", ".png"),
    _maps("100,000 × 100,000 pixels", png(10**5, 10**5, bytes(10**6)), "`pixels` allows 134,217,728", ".png"),
    _maps("no pixels", png(0, 0, b""), "an image of 0 × 0 pixels", ".png"),
    _maps("a bomb behind its pixels", lambda: png(2, 2, bytes(300 << 20)), "bytes of pixel data, expected 6", ".png"),
    _maps("fewer rows than it says", png(2, 2, bytes(3)), "3 bytes of pixel data, expected 6", ".png"),
    _maps("a filter that there is not", png(2, 2, b"\x09aa\x09aa"), "unknown filter type 9", ".png"),
    _maps("colours", png(2, 2, bytes(14), colour=2), "a colour image", ".png"),
    _maps("a depth that there is not", png(2, 2, bytes(6), depth=3), "depth", ".png"),
    _maps("an array of NumPy", _npy(_shape("(2, 2)"), bytes(4)), "not a PNG file", ".png"),
    _coco("no JSON", b"{", [_FOUND], "truth.json"),
    _coco("900 lists in each other", _truth(segmentation=_DEEP), [{**_FOUND, "segmentation": _DEEP}], "not a polygon"),
    _coco("a run-length mask of 10^18 pixels", _truth(segmentation=_RUN, image={"id": 1}),
          [{**_FOUND, "segmentation": _RUN}], "sides of up to 65536 pixels"),
    _coco("a box that is no number", _truth(bbox=[0, 0, "a", 1]), [_FOUND], "not a finite number"),
    _coco("an endless box", _truth(bbox=[0, 0, 1, 1]),
          b'[{"image_id": 1, "category_id": 1, "bbox": [0, 0, 1e999, 1], "score": 1}]',
          "not a finite number"),
    _coco("a box of 400 digits", _truth(bbox=[0, 0, 10**400, 1]), [_FOUND], "not a finite number"),
    _coco("ids that are lists", _truth(image={"id": [1]}), [_FOUND], "an id is a text or a number, not [1]"),
    *(_coco(f"a truth whose `{key}` is {value!r:.20}", _truth(**{key: value}), [_OUTLINED], says)
      for key, values, says in _WRONG for value in values),
    *(_coco(f"a result whose `{key}` is {value!r:.20}", _truth(segmentation=_RING), [{**_FOUND, key: value}], says)
      for key, values, says in _WRONG_FOUND for value in values),
    _coco("scores that are a number", _truth(), [{**_FOUND, "category_ids": [1], "scores": 1}], "`scores` is a list"),
    _coco("true as the id of an image", _truth(image={"id": True}), [_FOUND], "an id is a text or a number, not True"),
    _coco("true as the id of the image meant", _truth(image_id=True), [_FOUND], "unknown image True"),
    _coco("images that are a number", {**_truth(), "images": 3}, [_FOUND], "truth.json"),
    _coco("annotations that are texts", {**_truth(), "annotations": ["a"]}, [_FOUND], "truth.json"),
    _coco("results that are no list", _truth(), {"a": 1}, "found.json"),
    _coco("sizes that are texts",
          _truth(image={"id": 1, "height": "a", "width": []}, segmentation=[[0, 0, 1, 0, 1, 1]]),
          [{**_FOUND, "segmentation": {"size": [1, 1], "counts": [1]}}], "can't"),
]  # fmt: skip
