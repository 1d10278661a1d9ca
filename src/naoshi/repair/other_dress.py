"""The same questions in another dress: inputs under other names and in other bytes, which mean the same."""

import hashlib
import json
import shutil
import struct
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from pydantic import JsonValue

from naoshi.errors import InputError
from naoshi.records import EvalCase, content_id, loosened
from naoshi.system.files import inside

_SHORTEST_TEXT = 24
_LONGEST_PATH = 1024
_LARGEST = 64 * 1024 * 1024
_LINKED = 1000
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_PDF = b"%PDF-"


class Dress(StrEnum):
    """What is other: the names of inputs alone, or their bytes too."""

    renamed = "renamed"
    respaced = "respaced"


@dataclass(frozen=True, kw_only=True)
class Dressed:
    """Cases in another dress, the data root that they are asked with, and what each of their names stood for."""

    cases: tuple[EvalCase, ...]
    data_root: Path | None
    names: Mapping[str, str]

    def undressed(self, value: JsonValue) -> str:
        """Return *value* (an output) as text, in which every other name is the first one again."""
        text = json.dumps(value, ensure_ascii=False, sort_keys=True)
        for fresh, name in self.names.items():
            text = text.replace(fresh, name)
        return text


def dress(cases: Sequence[EvalCase], how: Dress, *, data_root: Path | None, target: Path, seed: str) -> Dressed:
    """Return *cases* under other identifiers, their documents under other names in *target*.

    A document is a text of ``vars`` that is the path of a file in *data_root*. Its new name has the same shape, so that
    what a name is made of stays; files beside it with the same stem come along. Respaced documents have one line break
    more at the end (images: a comment), and so have long texts in ``vars``. *seed* decides which names come out.

    Raises:
        OSError: a document cannot be copied.
    """
    wardrobe = _Wardrobe(how=how, data_root=data_root, target=target, seed=seed, names={})
    made = tuple(
        case.model_copy(
            update={
                "case_id": wardrobe.identifier(case.case_id),
                "vars": {name: wardrobe.value(value) for name, value in case.vars.items()},
            }
        )
        for case in cases
    )
    if data_root is not None:
        _link_the_rest(data_root, target)
    return Dressed(cases=made, data_root=target if data_root is not None else None, names=wardrobe.names)


@dataclass(frozen=True, kw_only=True)
class _Wardrobe:
    how: Dress
    data_root: Path | None
    target: Path
    seed: str
    names: dict[str, str]

    def identifier(self, case_id: str) -> str:
        fresh = content_id("case", self.seed, case_id)
        self.names[fresh] = case_id
        return fresh

    def value(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {name: self.value(item) for name, item in value.items()}
        return value

    def _text(self, value: str) -> str:
        source = self._document(value)
        if source is not None:
            return self._renamed(value, source)
        long = len(value) >= _SHORTEST_TEXT and len(loosened(value)) >= _SHORTEST_TEXT and len(value.split()) > 1
        return f"{value}\n" if long and self.how is Dress.respaced else value

    def _document(self, value: str) -> Path | None:
        if self.data_root is None or not value or len(value) > _LONGEST_PATH:
            return None
        try:
            place = inside(self.data_root, value)
            return place if place.is_file() and place.stat().st_size <= _LARGEST else None
        except (InputError, OSError, ValueError):
            return None

    def _renamed(self, value: str, source: Path) -> str:
        path = PurePosixPath(value)
        stem = path.name.partition(".")[0] or path.name
        for number in range(100):
            fresh = str(path.with_name(_of_same_shape(stem, f"{self.seed}:{value}:{number}") + path.name[len(stem) :]))
            known = self.names.get(fresh)
            if known == value:
                return fresh
            if known is None and fresh != value and not (self.target / fresh).exists():
                self.names[fresh] = value
                self._copy(source, stem, PurePosixPath(fresh))
                return fresh
        return value

    def _copy(self, source: Path, stem: str, fresh: PurePosixPath) -> None:
        new_stem = fresh.name[: len(stem)]
        folder = self.target / fresh.parent
        folder.mkdir(parents=True, exist_ok=True)
        for beside in sorted(source.parent.glob(f"{_literal(stem)}.*")):
            if beside.is_file() and beside != source:
                shutil.copyfile(beside, folder / f"{new_stem}{beside.name[len(stem) :]}")
        content = source.read_bytes()
        (self.target / fresh).write_bytes(_respaced(content) if self.how is Dress.respaced else content)


def _of_same_shape(stem: str, seed: str) -> str:
    """Return *stem* with other letters and digits, in the places where it has some; what is neither stays."""
    dice = hashlib.shake_256(seed.encode("utf-8", "surrogatepass")).digest(len(stem))
    return "".join(_other(mark, throw) for mark, throw in zip(stem, dice, strict=True))


def _other(mark: str, throw: int) -> str:
    if not mark.isascii() or not mark.isalnum():
        return mark
    alphabet = "0123456789" if mark.isdigit() else "abcdefghijklmnopqrstuvwxyz"
    found = alphabet[throw % len(alphabet)]
    return found.upper() if mark.isupper() else found


def _literal(text: str) -> str:
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in text)


def _respaced(content: bytes) -> bytes:
    """Return *content* in other bytes that mean the same; what is of no known kind stays as it is."""
    if content.startswith(_PNG) and len(content) > len(_PNG) + 25:
        # A text chunk after the header, which has 13 bytes between a length, a name and a checksum.
        end = len(_PNG) + 25
        body = b"tEXtComment\0 "
        return (
            content[:end]
            + struct.pack(">I", len(body) - 4)
            + body
            + struct.pack(">I", zlib.crc32(body))
            + content[end:]
        )
    if content.startswith(_JPEG):
        return content[:2] + b"\xff\xfe\x00\x03 " + content[2:]
    if content.startswith(_PDF) or _is_text(content):
        return content + b"\n"
    return content


def _is_text(content: bytes) -> bool:
    try:
        return "\0" not in content.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _link_the_rest(data_root: Path, target: Path) -> None:
    """Put links to what else lies in *data_root* into *target*, the folders that documents came from aside."""
    target.mkdir(parents=True, exist_ok=True)
    for place in sorted(data_root.iterdir())[:_LINKED]:
        with suppress(FileExistsError):
            if not place.name.startswith("."):
                (target / place.name).symlink_to(place)
