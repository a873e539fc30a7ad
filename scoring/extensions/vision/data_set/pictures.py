"""The images with the lowest scores as pictures of a page: with boxes, polygons or masks, and what became of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.extensions.pages.charts import MarkedPicture, Outline, ShapeOutline
from scoring.extensions.pages.drawing import path_of_points
from scoring.extensions.vision.arrays import Bools
from scoring.extensions.vision.data_set.table import DataSet, Images
from scoring.extensions.vision.detection.confusion import pair_up
from scoring.extensions.vision.detection.table import Detections
from scoring.extensions.vision.files.pictures import PictureFiles
from scoring.extensions.vision.files.task import VisionTask
from scoring.extensions.vision.geometry.polygon import Polygons
from scoring.extensions.vision.geometry.rle import Masks
from scoring.extensions.vision.geometry.shapes import Boxes, Shapes
from scoring.extensions.vision.segmentation.pixels import LabelMap
from scoring.report.document import DocumentBlock, Paragraph, Piece, Plot, Section

MOST_PICTURES, MOST_MARKS, MOST_CORNERS = 12, 60, 400
"""Pictures of a label key on a page, shapes of each side on a picture, and corners of a polygon."""
GRID = 128
"""The longer side of a mask as it is drawn, in cells."""
MOST_SIDE = 100_000.0
HOW = "Solid lines are ground truths, dashed ones predictions; orange is missed or invented, yellow has another label."
HOW_AREAS = "Blue is found, orange missed or invented, yellow has another label."
_SIZES = ("width", "height")


def picture_sections(
    task: VisionTask, data: DataSet, worst_of: Mapping[str, Sequence[Any]], folder: Path | None = None
) -> Iterator[Section]:
    """Yield a section for each label key, with the pictures of the images that have the lowest scores.

    Args:
        task: The settings of the data set.
        data: The data set.
        worst_of: For each label key the ids of its worst images, the worst first.
        folder: The folder of the image files; None if the spec names none.
    """
    files = PictureFiles(folder)
    for key in data.keyed:
        found = marked_pictures(task, data, key, list(worst_of.get(key, ()))[:MOST_PICTURES], files)
        if not found:
            continue
        blocks: list[DocumentBlock] = [Paragraph((Piece(picture_key(data, task), "dim"),))]
        blocks += [Plot(picture.title, picture) for picture in found]
        name = f"Lowest images by {key}" if len(data.keyed) > 1 else "Lowest images"
        yield Section(name, tuple(blocks))


def picture_key(data: DataSet, task: VisionTask) -> str:
    """Return what the lines and colours on pictures mean, and how the images below them are shown if they are not."""
    is_shapes = any(isinstance(images.data, Detections) for images in data.keyed.values())
    told = "" if task.pictures is not None else " `settings: {pictures: FOLDER}` shows the images below them."
    return f"{HOW if is_shapes else HOW_AREAS}{told}"


def marked_pictures(
    task: VisionTask, data: DataSet, key: str, wanted: Sequence[Any], files: PictureFiles
) -> list[MarkedPicture]:
    """Return the pictures of some images with what was found on them; none of data that are no images.

    Args:
        task: The settings of the data set.
        data: The data set.
        key: The label key.
        wanted: The ids of the images.
        files: The image files.
    """
    images = data.keyed[key]
    if isinstance(images.data, Detections):
        return [_of_boxes(images, uid, task, files) for uid in wanted]
    if data.maps is None or not wanted:
        return []
    maps = {image.id: image for image in data.maps(frozenset(wanted))}
    return [_of_areas(maps[uid], files) for uid in wanted if uid in maps]


def _of_boxes(images: Images, uid: Any, task: VisionTask, files: PictureFiles) -> MarkedPicture:
    """Return the picture of an image with its ground truths and detections."""
    place = list(images.ids).index(uid)
    assert isinstance(images.data, Detections)
    table = images.data.part(np.array([place], dtype=np.int64))
    marks = [*_truths_and_found(table, task.worst_iou, task.worst_score)]
    about = images.attributes[place]
    image, note = files.address(about.get("file_name"))
    width, height = _size(about, table)
    many = max(len(table.truth_ids), int(table.row_score.size)) > MOST_MARKS
    notes = [note, f"{MOST_MARKS} shapes of a side are drawn" if many else ""]
    return MarkedPicture(f"image {uid}", width, height, tuple(marks), image, "; ".join(filter(None, notes)))


def _truths_and_found(table: Detections, iou: float, score: float) -> Iterator[ShapeOutline]:
    pairs = pair_up(table, iou_threshold=iou, score_threshold=score, pairing="at_threshold")
    names = table.labels.names
    takes = dict(zip(pairs.rows.tolist(), pairs.truths.tolist(), strict=True))
    taken = {truth: row for row, truth in takes.items()}

    def same(row: int, truth: int) -> Outline:
        return "found" if table.row_label[row] == table.truth_label[truth] else "confused"

    for truth in range(min(len(table.truth_ids), MOST_MARKS)):
        row = taken.get(truth)
        became: Outline = "missed" if row is None else same(row, truth)
        yield _mark(table.truth_shapes, truth, names[int(table.truth_label[truth])], became, is_truth=True)
    for row in np.argsort(-table.row_score, kind="stable").tolist()[:MOST_MARKS]:
        of = takes.get(row)
        low = table.row_score[row] < score
        became = ("below the score" if low else "invented") if of is None else same(row, of)
        label = f"{names[int(table.row_label[row])]} {float(table.row_score[row]):.2f}"
        yield _mark(table.shapes, int(table.row_shape[row]), label, became, is_truth=False)


def _mark(shapes: Shapes, index: int, label: str, became: Outline, *, is_truth: bool) -> ShapeOutline:
    one = shapes.take(np.array([index], dtype=np.int64))
    if isinstance(one, Boxes):
        x, y, w, h = (float(side) for side in one.rows()[0])
        return ShapeOutline(
            path_of_points([(x, y), (x + w, y), (x + w, y + h), (x, y + h)]), label, became, is_truth, (x, y)
        )
    assert isinstance(one, Polygons | Masks)
    left, top = (float(side[0]) for side in (one.boxes().x, one.boxes().y))
    if isinstance(one, Polygons):
        path = "".join(path_of_points(_thinned(ring)) for ring in one.parts[0])
        return ShapeOutline(path, label, became, is_truth, (left, top))
    return ShapeOutline(path_of_pixels(one.bitmap(0)), label, became, is_truth, (left, top), is_area=True)


def _thinned(ring: NDArray[np.float64]) -> list[tuple[float, float]]:
    step = -(-len(ring) // MOST_CORNERS)
    return [(float(x), float(y)) for x, y in ring[::step]]


def path_of_pixels(pixels: Bools) -> str:
    """Return the path of the set pixels of a mask, drawn on a grid of at most `GRID` cells a side.

    Examples:
        >>> path_of_pixels(np.array([[True, True, False], [False, False, True]]))
        'M0 0h2v1h-2zM2 1h1v1h-1z'
    """
    if not pixels.size:
        return ""
    step = -(-max(pixels.shape) // GRID)
    cells = pixels[step // 2 :: step, step // 2 :: step]
    found = []
    for row, line in enumerate(cells):
        edges = np.flatnonzero(np.diff(line.astype(np.int8), prepend=0, append=0))
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            width = (end - start) * step
            found.append(f"M{start * step} {row * step}h{width}v{step}h-{width}z")
    return "".join(found)


def _size(about: Mapping[str, Any], table: Detections) -> tuple[float, float]:
    """Return the width and height of an image: as its record states, else the extent of all its shapes."""
    stated = [about.get(name) for name in _SIZES]
    if all(isinstance(side, int | float) and 0 < side <= MOST_SIDE for side in stated):
        return float(stated[0] or 0), float(stated[1] or 0)
    ends = [(1.0, 1.0)]
    for shapes in (table.truth_shapes, table.shapes):
        assert isinstance(shapes, Boxes | Polygons | Masks)
        boxes = shapes if isinstance(shapes, Boxes) else shapes.boxes()
        ends += [(float(x), float(y)) for x, y in zip(boxes.x + boxes.w, boxes.y + boxes.h, strict=True)]
    width, height = (min(max(sides) * 1.05, MOST_SIDE) for sides in zip(*ends, strict=True))
    return width, height


def _of_areas(image: LabelMap, files: PictureFiles) -> MarkedPicture:
    """Return the picture of an image with what became of its pixels."""
    truth, found = image.groundtruth, image.prediction
    both = (truth > 0) & (found > 0)
    areas: list[tuple[Outline, Bools]] = [
        ("found", both & (truth == found)),
        ("confused", both & (truth != found)),
        ("missed", (truth > 0) & (found <= 0)),
        ("invented", (truth <= 0) & (found > 0)),
    ]
    marks = [
        ShapeOutline(path_of_pixels(area), "", name, name in ("found", "missed"), (0.0, 0.0), is_area=True)
        for name, area in areas
        if area.any()
    ]
    address, note = files.address_of_stem(image.id)
    height, width = truth.shape
    return MarkedPicture(f"image {image.id}", float(width), float(height), tuple(marks), address, note)
