"""Find settings that make the gate let more through than by default. Decisions and `howsure doctor` name them."""

from typing import TYPE_CHECKING

from howsure.formulas.response_case import DEFAULT_THRESHOLD, THRESHOLDS, agent_kind
from howsure.settings import (
    MODELS_TABLE,
    MODELS_VARIABLE,
    OUTCOMES,
    POLICY,
    PROMISE,
    RELEVANT_CENTRE,
    SHADOW,
    THRESHOLD,
    THRESHOLD_AGENTS,
    THRESHOLD_PROJECTS,
    THRESHOLD_TYPES,
    Setting,
    Settings,
)

if TYPE_CHECKING:  # each policy loads its model when it is used
    from howsure.formulas.evidence import Evidence
    from howsure.formulas.response import Response
    from howsure.responses.threshold import ResponseThreshold

GATE_MODELS = ("evidence", "response")
"""The models of the gate, whose parameters can loosen it."""


def list_loosened(settings: Settings) -> list[str]:
    """Return what loosens every decision of the gate, in words, with where it is set.

    A parameter of a model is named whatever its value: whether it loosens depends on the response.
    """
    loosened = []
    centre, origin = settings.find(RELEVANT_CENTRE)
    if centre < RELEVANT_CENTRE.default(settings.environment):
        loosened.append(f"less similar documents count as knowledge: {_setting(RELEVANT_CENTRE, centre, origin)}")
    if settings.sets_parameters:
        changed = _changed_parameters(settings)
        if changed:
            loosened.append(f"parameters of the gate's models are changed: {', '.join(changed)}")
    return loosened


def describe_lowered(needed: "ResponseThreshold", model: "Response | Evidence", agent_type: str) -> list[str]:
    """Return in words that the settings lowered a threshold; empty if they did not."""
    if not needed.threshold_from.startswith("set for"):
        return []
    default = model.threshold_of(agent_type)
    if needed.threshold >= default:
        return []
    return [f"the threshold {needed.threshold:g}, {needed.threshold_from}, is below the default {default:g}"]


def describe_shadow(settings: Settings) -> list[str]:
    """Return in words that the settings let every response through; empty if they do not."""
    value, origin = settings.find(SHADOW)
    return [f"every response is let through: {_setting(SHADOW, value, origin)}"] if value else []


def list_loosened_by_settings(settings: Settings) -> list[str]:
    """Return everything by which the settings loosen the gate, also what shows in each decision itself."""
    loosened = describe_shadow(settings)
    for setting, words in (
        (POLICY, "responses that nothing supports may pass"),
        (PROMISE, "a share of what passes may be wrong"),
        (OUTCOMES, "an agent's history does not count"),
    ):
        value, origin = settings.find(setting)
        if value != setting.default(settings.environment):
            loosened.append(f"{words}: {_setting(setting, value, origin)}")
    value, origin = settings.find(THRESHOLD)
    if value is not None and value < DEFAULT_THRESHOLD:
        loosened.append(f"below the default {DEFAULT_THRESHOLD:g}: {_setting(THRESHOLD, value, origin)}")
    for setting in (THRESHOLD_AGENTS, THRESHOLD_TYPES, THRESHOLD_PROJECTS):
        values, origin = settings.find(setting)
        low = {}
        for name, value in values.items():
            default = DEFAULT_THRESHOLD
            if setting is THRESHOLD_TYPES:
                default = THRESHOLDS.get(agent_kind(name), DEFAULT_THRESHOLD)
            if value < default:
                low[name] = value
        if low:
            loosened.append(f"below the default: {_setting(setting, low, origin)}")
    return loosened + list_loosened(settings)


def _setting(setting: Setting, value: object, origin: str) -> str:
    return f"{setting.name} = {value} ({origin})"


def _changed_parameters(settings: Settings) -> list[str]:
    names = [
        name.removeprefix(MODELS_VARIABLE).lower().replace("_", ".", 1)
        for name in settings.environment
        if name.startswith(tuple(f"{MODELS_VARIABLE}{model.upper()}_" for model in GATE_MODELS))
    ]
    names += [
        name.removeprefix(f"{MODELS_TABLE}.")
        for _, content in settings.files
        for name in content
        if name.startswith(tuple(f"{MODELS_TABLE}.{model}." for model in GATE_MODELS))
    ]
    return sorted(set(names))
