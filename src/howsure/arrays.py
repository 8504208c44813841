"""Import numpy for the modules that need it, or say which extra installs it."""

from typing import TYPE_CHECKING

from howsure.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
else:
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtraError("arrays", "measuring and learning") from error

__all__ = ["np"]
