"""Index sets while a program is being written: some have names, the others are found to be equal by how they are used.

Promises: two spaces become one only when nothing speaks against it (one name, one size); `final` gives every stage's axes
their names at the end. Does not promise: anything about values.
"""

from __future__ import annotations

from collections.abc import Sequence

from symattn.errors import Place, ShapeError
from symattn.program.spaces import Axis, Space

_LETTERS = ("i", "j", "k", "l", "p", "q", "r", "s", "t", "u", "v", "w")
_OPEN = "#"  # begins the working names of spaces that have no name yet


def is_open(space: Space) -> bool:
    """Has this space no name yet?"""
    return space.name.startswith(_OPEN)


class Spaces:
    """The spaces of one program. A space here is a `Space` of program/, those without a name under a working name; `find` gives
    the one that stands for all that were found equal. Axes carry a number as their name until `final`."""

    def __init__(self, labels: dict[str, tuple[str, ...]]) -> None:
        self._labels = labels
        self._named: dict[str, Space] = {}
        self._parent: dict[Space, Space] = {}
        self._count = 0
        self._final: dict[Space, Space] = {}
        self.version = 0  # grows when final names may change

    # -- making -------------------------------------------------------------------------------------------------------
    def open(self, size: int | str) -> Space:
        """A space of this size without a name. A symbol for a size is a name."""
        if isinstance(size, str):
            return self.named(size, size)
        self._count += 1
        return Space(f"{_OPEN}{self._count}", size)

    def named(self, name: str, size: int | str, place: Place | None = None) -> Space:
        """The space that a declared axis ranges over: one name, one size, one set of entry names. A size that is the axis's own name
        says nothing new. Raises ShapeError."""
        if not name:
            return self.open(size)
        known = self._named.get(name)
        labels = self._labels.get(name, ())
        if known is None:
            if labels and isinstance(size, int) and size != len(labels):
                raise ShapeError(
                    f'the axis "{name}" has {len(labels)} entry names but {size} entries here',
                    place=place,
                    next_move=f"give it {len(labels)} entries, or change its names: {', '.join(labels[:6])}",
                )
            known = self._named[name] = Space(name, size, labels=labels)
            self.version += 1
        elif size not in (known.size, name):
            raise ShapeError(
                f'the axis "{name}" has {known.size_text()} entries elsewhere but {size} here',
                place=place,
                next_move="an axis name stands for one index set; use another name",
            )
        return known

    def axis(self, space: Space) -> Axis:
        """A new axis over a space."""
        self._count += 1
        return Axis(str(self._count), space)

    # -- asking -------------------------------------------------------------------------------------------------------
    def is_name(self, name: str) -> bool:
        """Is this the name of a declared axis, or of its size symbol?"""
        return self.counted(name) is not None

    def names(self) -> tuple[str, ...]:
        """Names of declared axes and of their size symbols."""
        symbols = [s.size for s in self._named.values() if isinstance(s.size, str)]
        return tuple(dict.fromkeys([*self._named, *symbols]))

    def counted(self, name: str) -> str | None:
        """The size symbol that the number of entries of axis `name` goes by, None when there is no such axis."""
        space = self._named.get(name)
        if space is not None:
            return space.size if isinstance(space.size, str) else name
        return name if any(s.size == name for s in self._named.values()) else None

    def called(self, name: str) -> Space | None:
        """The space that a declared axis of this name ranges over, or the first whose size symbol it is; None when there is none."""
        found = self._named.get(name)
        return found if found is not None else next((s for s in self._named.values() if s.size == name), None)

    def find(self, space: Space) -> Space:
        """The space that stands for this one and all that were found equal to it."""
        while space in self._parent:
            space = self._parent[space]
        return space

    def labels(self, space: Space) -> tuple[str, ...]:
        """The entry names of a space."""
        return self.find(space).labels

    def size(self, space: Space) -> int | str:
        """The number of entries, or the symbol for it."""
        return self.find(space).size

    def same(self, a: Space, b: Space) -> bool:
        """Are the two known to be one?"""
        return self.find(a) == self.find(b)

    def can_join(self, a: Space, b: Space) -> bool:
        """Could the two be one?"""
        x, y = self.find(a), self.find(b)
        return x == y or ((is_open(x) or is_open(y)) and x.size == y.size)

    def is_one(self, space: Space) -> bool:
        """Is this a set of one entry without a name, which may be stretched along any axis?"""
        found = self.find(space)
        return is_open(found) and found.size == 1

    # -- joining ------------------------------------------------------------------------------------------------------
    def join(self, a: Space, b: Space) -> bool:
        """Make the two one; False when something speaks against it."""
        if not self.can_join(a, b):
            return False
        x, y = self.find(a), self.find(b)
        if x != y:
            lesser, greater = (x, y) if is_open(x) else (y, x)
            self._parent[lesser] = greater
            self.version += 1
        return True

    def snapshot(self) -> tuple[dict[str, Space], dict[Space, Space]]:
        """What `restore` takes to undo everything since."""
        return dict(self._named), dict(self._parent)

    def restore(self, saved: tuple[dict[str, Space], dict[Space, Space]]) -> None:
        """Undo."""
        if (self._named, self._parent) != saved:
            self.version += 1
        self._named, self._parent = saved

    # -- words --------------------------------------------------------------------------------------------------------
    def shape_text(self, axes: Sequence[Axis]) -> str:
        """`(token=3, 4)` for messages."""
        shown = []
        for axis in axes:
            space = self.find(axis.space)
            shown.append(space.size_text() if is_open(space) or space.name == space.size else f"{space.name}={space.size_text()}")
        return "(" + ", ".join(shown) + ")" if shown else "a number"

    def begin_final(self) -> None:
        """Forget the letters given to spaces without a name; `final` then gives them in the order in which it is asked."""
        self._final = {}

    def final(self, space: Space) -> Space:
        """The space as it stands in the program: one that never got a name is called i, j, k, …"""
        found = self.find(space)
        if not is_open(found):
            return found
        if found not in self._final:
            taken = {*self.names(), *(s.name for s in self._final.values())}
            letters = [*_LETTERS, *(f"{a}_{k}" for k in range(2, len(self._final) + 3) for a in _LETTERS)]
            name = next(letter for letter in letters if letter not in taken)
            self._final[found] = Space(name, found.size)
        return self._final[found]
