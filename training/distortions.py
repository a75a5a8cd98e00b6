"""What a camera or a scanner does to an image of a board."""

import io
from dataclasses import dataclass
from math import cos, pi, radians, sin

import cv2
import numpy as np
from numpy.random import Generator
from PIL import Image

from harness.extensions.images.board import Floats, Grey
from training.boards import Rendered


@dataclass(frozen=True, slots=True)
class Distortion:
    """How much of what; the defaults change nothing."""

    angle: float = 0.0
    """Rotation in degrees."""
    tilt: float = 0.0
    """Angle between the page and the plane of the image, in degrees."""
    towards: float = 0.0
    """Direction of the tilt, in degrees."""
    scale: float = 1.0
    light: float = 0.0
    """Difference of brightness between two sides of the image, as a share."""
    shadow: float = 0.0
    """Share of the light that a shadow takes from a part of the image."""
    blur: float = 0.0
    """Standard deviation, in pixels."""
    noise: float = 0.0
    """Standard deviation, in grey values."""
    quality: int | None = None
    """Of JPEG."""
    surroundings: int = 128
    """The grey value of what lies around the page."""


def distorted(rendered: Rendered, how: Distortion, random: Generator) -> Rendered:
    """The image as a camera sees it."""
    image, corners = _turned(rendered, how)
    values = image.astype(np.float32)
    if how.light or how.shadow:
        values *= _lighting(values.shape, how, random)
    if how.blur:
        values = np.asarray(cv2.GaussianBlur(values, (0, 0), how.blur), dtype=np.float32)
    if how.noise:
        values += random.normal(0, how.noise, values.shape).astype(np.float32)
    grey = np.clip(np.round(values), 0, 255).astype(np.uint8)
    if how.quality is not None:
        file = io.BytesIO()
        Image.fromarray(grey).save(file, "JPEG", quality=how.quality)
        grey = np.asarray(Image.open(file))
    return Rendered(grey, corners)


def _turned(rendered: Rendered, how: Distortion) -> tuple[Grey, Floats]:
    if not (how.angle or how.tilt) and how.scale == 1.0:
        return rendered.image, rendered.corners
    height, width = rendered.image.shape
    page = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
    seen = _projected(page, how, width, height)
    low, high = seen.min(axis=0), seen.max(axis=0)
    to_image = cv2.getPerspectiveTransform(page, (seen - low).astype(np.float32))
    size = tuple(int(length) + 1 for length in high - low)
    source = rendered.image
    if how.scale < 0.7:
        source = np.asarray(cv2.GaussianBlur(source, (0, 0), 0.4 / how.scale))
    image = cv2.warpPerspective(
        source, to_image, size, flags=cv2.INTER_LINEAR, borderValue=how.surroundings
    )
    corners = cv2.perspectiveTransform(rendered.corners.reshape(-1, 1, 2), to_image)
    return np.asarray(image), corners.reshape(4, 2).astype(np.float32)


def _projected(points: Floats, how: Distortion, width: int, height: int) -> Floats:
    """The points of a page, turned and tilted in front of a camera."""
    turn, tilt, towards = radians(how.angle), radians(how.tilt), radians(how.towards)
    flat = (points - np.array([width / 2, height / 2])) / max(width, height)
    x = flat[:, 0] * cos(turn) - flat[:, 1] * sin(turn)
    y = flat[:, 0] * sin(turn) + flat[:, 1] * cos(turn)
    along = x * cos(towards) + y * sin(towards)
    across = -x * sin(towards) + y * cos(towards)
    distance = 1.8
    depth = distance + along * sin(tilt)
    along, across = distance * along * cos(tilt) / depth, distance * across / depth
    x = along * cos(towards) - across * sin(towards)
    y = along * sin(towards) + across * cos(towards)
    scaled = np.stack([x, y], axis=1) * max(width, height) * how.scale
    return np.asarray(scaled, dtype=np.float32)


def _lighting(shape: tuple[int, ...], how: Distortion, random: Generator) -> Floats:
    """The share of the light that reaches each pixel."""
    height, width = shape
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    direction = random.uniform(0, 2 * pi)
    position = (x / width - 0.5) * cos(direction) + (y / height - 0.5) * sin(direction)
    light = 1 - how.light * (position + 0.5).clip(0, 1)
    if how.shadow:
        direction = random.uniform(0, 2 * pi)
        offset = random.uniform(-0.25, 0.25)
        edge = random.uniform(0.01, 0.06)
        position = (x / width - 0.5) * cos(direction) + (y / height - 0.5) * sin(direction)
        covered = 1 / (1 + np.exp(np.clip((position - offset) / edge, -30, 30)))
        light = light * (1 - how.shadow * covered)
    return np.asarray(light, dtype=np.float32)


def camera(random: Generator) -> Distortion:
    """What a photograph may have: any direction, up to 30 degrees of tilt, light and noise."""
    return Distortion(
        angle=float(random.uniform(-20, 20)),
        tilt=float(random.uniform(0, 30)),
        towards=float(random.uniform(0, 360)),
        scale=float(random.uniform(0.8, 1.5)),
        light=float(random.uniform(0, 0.5)),
        shadow=float(random.uniform(0, 0.5)) * (random.random() < 0.6),
        blur=float(random.uniform(0, 1.4)),
        noise=float(random.uniform(0, 9)),
        quality=int(random.integers(40, 95)),
        surroundings=int(random.integers(30, 230)),
    )
