"""The registry of models, built in or from plug-ins."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from howsure.errors import HowsureError, UnknownNameError
from howsure.formulas.model import Model


class Registry:
    """Models by name, each imported when it is first used.

    Entry points are read only for names that are not built in, because reading them takes longer than scoring.
    """

    def __init__(self, builtin: Mapping[str, str], group: str) -> None:
        """Take 'module:Class' for each built-in name, and the entry-point group of plug-ins."""
        self.builtin: dict[str, str] = dict(builtin)
        self.group = group

    def plugins(self) -> dict[str, str]:
        """Return 'module:Class' for each name that an installed plug-in registers."""
        from importlib.metadata import entry_points

        return {point.name: point.value for point in entry_points(group=self.group)}

    def names(self) -> list[str]:
        """Return every name, built-in ones first."""
        return [*self.builtin, *sorted(self.plugins().keys() - self.builtin.keys())]

    def find(self, name: str) -> type[Model[Any]]:
        """Return the model class of that name. A plug-in cannot replace a built-in model.

        Raises:
            UnknownNameError: if there is no such model.
            HowsureError: if a plug-in cannot be loaded, or is not a model.
        """
        where = self.builtin.get(name) or self.plugins().get(name)
        if where is None:
            raise UnknownNameError("model", name, self.names())
        module, _, attribute = where.partition(":")
        try:
            model = getattr(import_module(module), attribute)
        except Exception as error:  # a plug-in may raise anything
            raise HowsureError(
                f"the model {name} could not be loaded from {where}: {type(error).__name__}: {error}",
                hint="reinstall or remove the package that registers it",
            ) from error
        if not (isinstance(model, type) and issubclass(model, Model)):
            raise HowsureError(f"{where}, registered as the model {name}, is not a subclass of howsure.Model")
        return model

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.names())
