"""Parameters of models from the settings: `[models.noisy_or] boost_factor = 0.2`.

Every parameter of every model is a setting. Its name, limits, default and meaning are those of the model's field.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from functools import lru_cache
from typing import Any, TypeVar

from howsure.errors import InputError, UnknownNameError, nearest
from howsure.formulas import MODELS
from howsure.formulas.model import Model
from howsure.settings import MODELS_TABLE, MODELS_VARIABLE, OPTION, OVERRIDDEN, Setting, Settings

M = TypeVar("M", bound=Model[Any])


def configured(model: type[M], settings: Settings | None, **defaults: Any) -> M:
    """Return a model with the parameters of the settings.

    Args:
        model: The class of the model.
        settings: The settings; without them, or if they set no parameter, only `defaults` apply.
        defaults: Parameters that the settings may replace.

    Raises:
        InputError: if the settings name an unknown parameter, or a value is out of range.
    """
    if settings is None or not settings.sets_parameters:
        return model(**defaults)
    values = {name: value for name, (value, _) in find_parameters(model, settings).items()}
    try:
        return model(**defaults | values)
    except InputError as error:
        raise error.under(f"{MODELS_TABLE}.{model.name}") from None


def find_parameters(model: type[Model[Any]], settings: Settings) -> dict[str, tuple[Any, str]]:
    """Return the parameters of a model that are set, each with where it is set. Parts of a table keep their defaults.

    Raises:
        InputError: if an unknown parameter is set, or a value is out of range.
    """
    own = {field.name for field in fields(model)}  # type: ignore[arg-type]
    start = f"{MODELS_TABLE}.{model.name}."
    for path, content in settings.files:
        for name in content:
            if name.startswith(start) and name.removeprefix(start) not in own:
                raise _unknown_parameter(model, name.removeprefix(start), own, path)
    prefix = f"{MODELS_VARIABLE}{model.name.upper()}_"
    for variable in settings.environment:
        if variable.startswith(prefix) and variable.removeprefix(prefix).lower() not in own:
            raise _unknown_parameter(model, variable.removeprefix(prefix).lower(), own, _origin(variable))
    found: dict[str, tuple[Any, str]] = {}
    for setting in parameter_settings(model):
        value, origin = settings.find(setting)
        if origin != "default":
            default = setting.default({})
            merged = {**default, **value} if isinstance(default, Mapping) and isinstance(value, Mapping) else value
            found[setting.name.removeprefix(start)] = merged, origin
    return found


def _unknown_parameter(model: type[Model[Any]], name: str, own: set[str], where: str) -> InputError:
    hint = nearest(name, own) if own else f"{model.name} has no parameters"
    return InputError(
        f"unknown parameter {name!r} of the model {model.name}, in {where}", field=MODELS_TABLE, hint=hint
    )


@lru_cache(maxsize=64)
def parameter_settings(model: type[Model[Any]]) -> tuple[Setting, ...]:
    """Return the parameters of a model as settings.

    >>> from howsure.formulas.noisy_or import NoisyOr
    >>> setting = parameter_settings(NoisyOr)[0]
    >>> setting.name, setting.variable, setting.default({}).task
    ('models.noisy_or.half_life', 'HOWSURE_MODELS_NOISY_OR_HALF_LIFE', 259200.0)
    """
    from howsure.shapes.node import Object, node
    from howsure.shapes.schema import field_docs

    shape = node(model)
    assert isinstance(shape, Object)  # noqa: S101 - every model is a dataclass
    docs = field_docs(model)
    return tuple(
        Setting(
            f"{MODELS_TABLE}.{model.name}.{name}",
            docs.get(name, ""),
            lambda _, default=field.default: default,  # type: ignore[misc]
            field.annotation,
        )
        for name, field in shape.fields.items()
    )


def all_parameter_settings() -> Iterator[Setting]:
    """Yield every parameter of every model, built in or from a plug-in."""
    for name in MODELS:
        yield from parameter_settings(MODELS.find(name))


def check_parameters(settings: Settings) -> None:
    """Check the parameters that are set: the names of models and parameters, and the values.

    Raises:
        InputError: if one is unknown or out of range.
    """
    if not settings.sets_parameters:
        return
    names: dict[str, str] = {}
    for path, content in settings.files:
        names |= {name.split(".")[1]: path for name in content if name.startswith(f"{MODELS_TABLE}.")}
    for variable in settings.environment:
        if variable.startswith(MODELS_VARIABLE):
            names |= {_model_of(variable): _origin(variable)}
    for name, where in names.items():
        try:
            model = MODELS.find(name)
        except UnknownNameError as error:
            raise InputError(f"{error.problem}, in {where}", field=MODELS_TABLE, hint=error.hint) from None
        configured(model, settings)


def _origin(variable: str) -> str:
    """Return what an error calls a variable: the option with its setting if that has set it, else its name."""
    return f"{OPTION} {OVERRIDDEN[variable]}" if variable in OVERRIDDEN else variable


def _model_of(variable: str) -> str:
    """Return the model that a variable sets a parameter of."""
    if variable in OVERRIDDEN:
        return OVERRIDDEN[variable].split(".")[1]
    rest = variable.removeprefix(MODELS_VARIABLE).lower()
    known = [name for name in MODELS.builtin if rest.startswith(f"{name}_")]
    known = known or [name for name in MODELS.plugins() if rest.startswith(f"{name.lower()}_")]
    return max(known, key=len, default=rest)
