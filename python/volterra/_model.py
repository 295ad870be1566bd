"""Models and streams of the library as Python objects that own them.

`Model` is what estimators keep. It never changes, and it pickles as the bytes of its safetensors file.
"""

from __future__ import annotations

import itertools
import json
import os
import tempfile
import threading
from ctypes import byref, c_int64, c_void_p
from pathlib import Path
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _native as c
from ._arguments import whole
from ._arrays import Array, address, as_row, empty, view
from ._errors import check
from ._handles import Owner
from ._progress import Watch

PathLike = Union[str, "os.PathLike[str]"]


class FitSettings(NamedTuple):
    """``volt_fit_options`` without the names and the progress."""

    alpha: float
    washout: int
    intercept: bool
    scale: bool
    ahead: int
    feedback: bool


class Kernel(Owner):
    """A kernel that was read from its text; the library says what is wrong with the text."""

    _FREE = "volt_kernel_free"

    def __init__(self, text: str) -> None:
        handle = c_void_p()
        check(c.lib.volt_kernel_parse(c.encode("the kernel", text), byref(handle)))
        self._own(handle)

    def __reduce__(self) -> Any:
        return Kernel, (self.text,)

    @property
    def text(self) -> str:
        """The text with every parameter."""
        return c.text(c.lib.volt_kernel_text(self))

    @property
    def name(self) -> str:
        return c.text(c.lib.volt_kernel_info_of(self).contents.name)

    def given(self) -> Dict[str, Union[int, float, str]]:
        """The parameters that the text it was read from gives, by the library's names."""
        names = (c.lib.volt_kernel_parameter_name(self, index) for index in itertools.count())
        found: Dict[str, Union[int, float, str]] = {}
        for name in itertools.takewhile(bool, names):
            value = c.KernelValue()
            check(c.lib.volt_kernel_get(self, name, byref(value)))
            if value.given:
                found[c.text(name)] = _plain_value(value)
        return found


def _plain_value(value: c.KernelValue) -> Union[int, float, str]:
    kind = value.info.contents.kind
    if kind == c.PARAMETER_KINDS["choice"]:
        return c.text(value.text)
    return int(value.number) if kind == c.PARAMETER_KINDS["integer"] else float(value.number)


def _facts(facts: c.KernelFacts) -> Dict[str, float]:
    return {name: float(getattr(facts, name)) for name, *_ in c.KernelFacts._fields_}


def kernel_facts(kernel: str, radius: float, d: int, eps: float = 2.0**-52) -> Dict[str, float]:
    """``volt_kernel_query``: what a kernel is on inputs of norm at most `radius`."""
    facts = c.KernelFacts()
    inputs = whole("the number of inputs", d, 1)
    check(c.lib.volt_kernel_query(Kernel(kernel), radius, inputs, eps, byref(facts)))
    return _facts(facts)


class Model(Owner):
    """A fitted model of the library."""

    _FREE = "volt_model_free"

    def __init__(self, handle: c_void_p) -> None:
        self._own(handle)
        self._info = c.ModelInfo()
        c.lib.volt_model_describe(self, byref(self._info))
        self.n, self.d, self.q = int(self._info.n), int(self._info.d), int(self._info.q)

    # ---- fit -----------------------------------------------------------------------------------------------

    @classmethod
    def fit(
        cls,
        kernel: str,
        X: Array,
        Y: Array,
        settings: FitSettings,
        watch: Watch,
        input_names: Optional[Array] = None,
        output_names: Optional[Array] = None,
    ) -> Tuple["Model", Array]:
        """The model and its fitted values, in the units of Y."""
        parsed = Kernel(kernel)
        options = c.FitOptions(
            *settings,
            c.names_array("the name of an input", input_names),
            c.names_array("the name of an output", output_names),
            watch.progress,
        )
        fitted = empty(*Y.shape)
        handle = c_void_p()
        status = c.lib.volt_model_fit(parsed, view(X), view(Y), byref(options), view(fitted), byref(handle))
        model = cls(handle) if handle else None
        watch.check(status)
        assert model is not None
        return model, fitted

    # ---- forecast ------------------------------------------------------------------------------------------

    def predict(self, X: Array, start: str, beyond: str, verbose: Any = False) -> Tuple[Array, int]:
        """Forecasts for the rows of X, and how many of them lay beyond the ball of training."""
        out = empty(X.shape[0], self.q)
        count = c_int64()

        def call(options: c.PredictOptions) -> int:
            return int(c.lib.volt_model_predict(self, view(X), byref(options), view(out), byref(count)))

        self._forecast(call, X.shape[0], start, beyond, verbose, "predict")
        return out, count.value

    def run_on(self, steps: int, beyond: str, verbose: Any = False) -> Tuple[Array, int]:
        """`steps` outputs in the closed loop, and how many of them lay beyond the ball of training."""
        out = empty(steps, self.q)
        count = c_int64()

        def call(options: c.PredictOptions) -> int:
            return int(c.lib.volt_model_continue(self, byref(options), view(out), byref(count)))

        self._forecast(call, steps, "continue", beyond, verbose, "continue")
        return out, count.value

    def _forecast(self, call: Any, rows: int, start: str, beyond: str, verbose: Any, title: str) -> None:
        with Watch(title, verbose, values=rows * self.n) as watch:
            options = c.PredictOptions(c.STARTS[start], c.BEYOND[beyond], watch.progress)
            watch.check(call(options))

    # ---- what it is ----------------------------------------------------------------------------------------

    def _array(self, pointer: Any, *shape: int) -> Array:
        return np.ctypeslib.as_array(pointer, shape).copy()

    def _names(self, pointer: Any, count: int) -> Optional[Array]:
        if not pointer:
            return None
        return np.array([c.text(pointer[i]) for i in range(count)], dtype=object)

    @property
    def kernel(self) -> str:
        return c.text(self._info.kernel)

    @property
    def facts(self) -> Dict[str, float]:
        return _facts(self._info.facts)

    @property
    def settings(self) -> FitSettings:
        i = self._info
        return FitSettings(i.alpha, i.washout, bool(i.intercept), bool(i.scaled), i.ahead, bool(i.feedback))

    @property
    def rcond(self) -> float:
        return float(self._info.rcond)

    @property
    def input_names(self) -> Optional[Array]:
        return self._names(self._info.input_names, self.d)

    @property
    def output_names(self) -> Optional[Array]:
        return self._names(self._info.output_names, self.q)

    @property
    def coefficients(self) -> Array:
        """n x q, of the scaled targets."""
        return self._array(self._info.coefficients, self.n, self.q)

    @property
    def intercepts(self) -> Array:
        """In the units of the targets: what is added to ``scale * (K A)``."""
        i = self._info
        mean = self._array(i.target_mean, self.q)
        return mean + self._array(i.target_scale, self.q) * self._array(i.intercepts, self.q)

    # ---- files ---------------------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        check(c.lib.volt_model_save(self, c.encode_path("the path", path)))

    @classmethod
    def load(cls, path: PathLike) -> "Model":
        handle = c_void_p()
        raw = c.encode_path("the path", path)
        try:
            check(c.lib.volt_model_load(raw, byref(handle)))
        except OSError as failure:
            if not os.path.exists(path):
                raise FileNotFoundError(str(failure)) from None
            raise
        return cls(handle)

    def to_bytes(self) -> bytes:
        """The safetensors file."""
        with tempfile.TemporaryDirectory(prefix="volterra-") as folder:
            path = Path(folder, "model.safetensors")
            self.save(path)
            return path.read_bytes()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Model":
        with tempfile.TemporaryDirectory(prefix="volterra-") as folder:
            path = Path(folder, "model.safetensors")
            path.write_bytes(content)
            return cls.load(path)

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def __copy__(self) -> "Model":
        return self  # it never changes

    def __deepcopy__(self, _memo: Any) -> "Model":
        return self


def read_tensor(path: PathLike, name: str) -> Array:
    """A float64 tensor of a safetensors file that the library has accepted."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        begin, end = header[name]["data_offsets"]
        file.seek(8 + length + begin)
        return np.frombuffer(file.read(end - begin), dtype="<f8").reshape(header[name]["shape"]).copy()


class Stream(Owner):
    """A model that takes one row at a time; made by the method ``stream`` of an estimator.

    ``copy.copy(stream)`` is another stream at the same moment, which goes on by itself. A stream cannot be
    pickled: pickle the estimator, and push the rows again. One thread at a time may push: rows have an order.

    Examples
    --------
    >>> import numpy as np, volterra
    >>> x = np.sin(0.3 * np.arange(200.0)).reshape(-1, 1)
    >>> model = volterra.VolterraRidge(alpha=1e-6).fit(x[:150], x[:150, 0] ** 2)
    >>> stream = model.stream()
    >>> live = [stream.push(row) for row in x[150:]]
    >>> bool(np.allclose(live, model.predict(x[150:])))
    True
    """

    _FREE = "volt_stream_free"

    def __init__(self, model: Model, start: str, beyond: str, flat: bool) -> None:
        options = c.PredictOptions(c.STARTS[start], c.BEYOND[beyond])
        handle = c_void_p()
        check(c.lib.volt_stream_create(model, byref(options), byref(handle)))
        self._begin(handle, model, flat)

    def _begin(self, handle: c_void_p, model: Model, flat: bool) -> None:
        self._own(handle)
        self._model = model  # must outlive the stream
        self._flat = flat
        self._busy = threading.Lock()

    def _call(self, function: Any, *arguments: Any) -> None:
        """While no other thread uses the stream. It does not wait: the order of rows would be chance."""
        if not self._busy.acquire(blocking=False):
            raise RuntimeError(
                "another thread is in a call of this stream: push from one thread at a time, or give each "
                "thread a stream of its own (copy.copy)"
            )
        try:
            check(function(self, *arguments))
        finally:
            self._busy.release()

    def __copy__(self) -> "Stream":
        handle = c_void_p()
        self._call(c.lib.volt_stream_copy, byref(handle))
        other = Stream.__new__(type(self))
        other._begin(handle, self._model, self._flat)
        return other

    def __deepcopy__(self, _memo: Any) -> "Stream":
        return self.__copy__()

    def __reduce__(self) -> Any:
        raise TypeError("a Stream cannot be pickled: pickle the estimator and push the rows again")

    def push(self, x: Any) -> Any:
        """The forecast for the next row of inputs.

        Parameters
        ----------
        x : array-like of shape (n_features,)
            A row that is refused (not finite, or beyond the ball with ``beyond="error"``) leaves the stream as
            it was.

        Returns
        -------
        float, or ndarray of shape (n_outputs,)
            A float when the estimator was fitted on a 1-D ``y``.
        """
        row = as_row(x)
        if row.ndim == 0 and self._model.d == 1:
            row = row.reshape(1)
        if row.shape != (self._model.d,):
            raise ValueError(f"the row has shape {row.shape}, and ({self._model.d},) is needed")
        out = np.empty(self._model.q)
        self._call(c.lib.volt_stream_push, address(row), address(out))
        return float(out[0]) if self._flat else out

    @property
    def beyond(self) -> int:
        """Rows so far that lay beyond the ball of the training inputs."""
        return int(c.lib.volt_stream_beyond(self))
