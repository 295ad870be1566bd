"""Objects of the library and the Python objects that own them."""

from __future__ import annotations

from typing import Any, Callable, NoReturn

from . import _native as c


class Handle:
    """The address of an object of the library, which is freed when the last reference to this is dropped.

    Freeing is done here and not by the owner, so that two owners of one address cannot free it twice.
    """

    __slots__ = ("_free", "_keeps", "pointer")

    def __init__(self, pointer: Any, free: Callable[[Any], None], keeps: Any = None) -> None:
        self.pointer = pointer
        self._free = free
        self._keeps = keeps  # objects that must outlive this one

    def __del__(self) -> None:
        pointer, self.pointer = self.pointer, None
        if pointer:
            self._free(pointer)

    def __reduce__(self) -> NoReturn:
        raise TypeError("the address of an object of the library cannot be copied or pickled")


class Owner:
    """Base of the classes that own an object of the library; they can be passed to its functions directly.

    `_FREE` is the function that frees the object. Copying and pickling raise an error unless a class implements them.
    """

    _FREE: str
    _handle: Handle

    def _own(self, pointer: Any, keeps: Any = None) -> None:
        """Take ownership of an object returned by the library; it must not outlive `keeps`."""
        self._handle = Handle(pointer, getattr(c.lib, self._FREE), keeps)

    @property
    def _as_parameter_(self) -> Any:  # used by ctypes; the call holds `self`, so the object outlives it
        handle = getattr(self, "_handle", None)
        if handle is None or not handle.pointer:
            raise ValueError(f"this {type(self).__name__} is empty: it was not created, or its memory was freed")
        return handle.pointer

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")
