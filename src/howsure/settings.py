"""The settings, from the environment and from howsure.toml. Nothing else reads the environment.

An environment variable wins over `howsure.toml` in the working folder or the nearest folder above it, that over the
user's own `howsure.toml`, and that over the default.

Whoever can write to the working folder can write its `howsure.toml`: a repository's author, or the judged agent. So
guarded settings (they send secrets, run a command, delete decisions or loosen a gate) are ignored there unless the
user has trusted the file: see `howsure.trust`.
"""

import os
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from howsure.errors import InputError, nearest
from howsure.files import find_upwards, load_toml
from howsure.shapes import Amount, Unit, Within, decode_as

FILE = "howsure.toml"
MODELS_TABLE = "models"
"""The table of the file with the parameters of models: `[models.noisy_or]`. `howsure.parameters` reads it."""
MODELS_VARIABLE = "HOWSURE_MODELS_"
"""How variables begin that set a parameter of a model."""
OPTION = "--set"
OVERRIDDEN: dict[str, str] = {}
"""The setting of each variable that the option --set of the command line has set."""
LARGEST_FILE = 1_000_000
"""Bytes of a file that are read."""
_FLAGS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
"""How a variable says yes or no."""


class Setting(NamedTuple):
    """One setting."""

    name: str
    """Its name in the file, with a dot after its table: `ledger.keep`."""
    help: str
    default: Callable[[Mapping[str, str]], Any]
    """Returns the default; it may depend on the environment."""
    shape: Any = str
    guarded: str = ""
    """What it could do to the user if anybody could set it, in a few words; empty if nothing."""

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"HOWSURE_{self.name.replace('.', '_').upper()}"

    def value(self) -> Any:
        """Return its current value."""
        return current().value(self)


def user_folder(kind: Literal["data", "config", "cache"], environment: Mapping[str, str] | None = None) -> str:
    """Return the user's folder for our files of a kind. Every default place of a file is below one of these.

    platformdirs is not used, because importing it takes longer than starting Python: see decision 0014.
    """
    environment = os.environ if environment is None else environment
    home = os.path.expanduser("~")  # noqa: PTH111 - pathlib would slow down every start
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "howsure")  # noqa: PTH118
    if sys.platform == "win32":
        local = environment.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")  # noqa: PTH118
        return os.path.join(local, "howsure")  # noqa: PTH118
    variable, usual = {
        "data": ("XDG_DATA_HOME", ".local/share"),
        "config": ("XDG_CONFIG_HOME", ".config"),
        "cache": ("XDG_CACHE_HOME", ".cache"),
    }[kind]
    return os.path.join(environment.get(variable) or os.path.join(home, usual), "howsure")  # noqa: PTH118


def _default_store(environment: Mapping[str, str]) -> str:
    return os.path.join(user_folder("data", environment), "howsure.db")  # noqa: PTH118


def _user(environment: Mapping[str, str]) -> str:
    name = environment.get("USER") or environment.get("USERNAME")
    if name:
        return name
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError):  # Windows; a container whose user has no entry
        return "unknown"


Keep = Literal["nothing", "start", "all"]
"""How much of a judged text is stored: nothing, a hash and its start, or all of it."""

Policy = Literal["evidence", "nlnh"]
"""How the gate decides: by what supports a response, or by the source document's four factors."""
POLICIES: tuple[Policy, ...] = get_args(Policy)

GroundingReader = Literal["words", "installed"]
"""What compares a response with its context."""

Measure = Literal["auto", "on", "off"]
"""When to measure: only if the process has loaded prometheus_client itself, always, or never."""

SENDS, LOOSENS, RUNS, DELETES = "sends secrets", "loosens a gate", "runs a command", "deletes or reveals"
"""Why a setting is guarded."""

STORE = Setting(
    "store",
    "The store of claims and decisions: a file, sqlite:///FILE or a postgresql:// address.",
    _default_store,
    guarded=SENDS,  # a password to another host; and a store brings its own history and fits to the gate
)
FORMULA = Setting("formula", "The formula of claims.", lambda _: "noisy_or", guarded=LOOSENS)
ACTOR = Setting("actor", "The name that changes are recorded under.", _user)
PROJECT = Setting("project", "The project that decisions are recorded under.", lambda _: "")
THRESHOLD = Setting(
    "thresholds.default",
    "Threshold of all responses, unless one for the agent, its type or project is set.",
    lambda _: None,
    Unit | None,
    guarded=LOOSENS,
)
THRESHOLD_AGENTS = Setting(
    "thresholds.agents", "Thresholds by agent name.", lambda _: {}, dict[str, Unit], guarded=LOOSENS
)
THRESHOLD_TYPES = Setting(
    "thresholds.types", "Thresholds by agent type.", lambda _: {}, dict[str, Unit], guarded=LOOSENS
)
THRESHOLD_PROJECTS = Setting(
    "thresholds.projects", "Thresholds by project.", lambda _: {}, dict[str, Unit], guarded=LOOSENS
)
POLICY = Setting(
    "gate.policy",
    "How the gate decides: evidence (what supports a response), or nlnh (the source document to the letter).",
    lambda _: "evidence",
    Policy,
    guarded=LOOSENS,
)
READER = Setting(
    "gate.reader",
    "What compares a response with its context: words, or installed (words and the reader that is installed).",
    lambda _: "words",
    GroundingReader,
    guarded=LOOSENS,
)
SHADOW = Setting(
    "gate.shadow",
    "Decide and record, but let every response through: to see what would be blocked.",
    lambda _: False,
    bool,
    guarded=LOOSENS,
)
Risk = Annotated[float, Within(1e-6, 0.999999)]
"""A share of wrong responses that is neither none nor all."""
PROMISE = Setting(
    "gate.promise",
    "Promise that at most this share of what passes is wrong, like 0.05, once outcomes allow it; until then review.",
    lambda _: None,
    Risk | None,
    guarded=LOOSENS,
)
RELEVANT_CENTRE = Setting(
    "gate.relevant_centre",
    "Similarity of a retrieved document at which knowledge is one half, for the policy evidence.",
    lambda _: 0.70,
    Annotated[float, Within(-1.0, 1.0)],
    guarded=LOOSENS,
)
RELEVANT_WIDTH = Setting(
    "gate.relevant_width",
    "Width of the ramp around that: knowledge is 0.73 one width above, 0.88 two widths above.",
    lambda _: 0.06,
    Unit,
    guarded=LOOSENS,
)
LOOKBACK = Setting(
    "responses.lookback_hours",
    "How far back an agent's history counts.",
    lambda _: 24.0,
    Annotated[float, Within(0.0, 1e6)],
    guarded=LOOSENS,
)
OUTCOMES = Setting(
    "responses.outcomes",
    "Compute an agent's history from outcomes: with nlnh once 20 are known. If false, evidence has no history.",
    lambda _: True,
    bool,
    guarded=LOOSENS,
)
AUTO = Setting(
    "learn.auto",
    "Learn again when enough new outcomes were reported, and apply the fit if it is better beyond noise.",
    lambda _: False,
    bool,
    guarded=LOOSENS,
)
MEANING = Setting(
    "claims.meaning",
    "Keep a vector of each claim, and compare new claims by meaning. Needs an embedder.",
    lambda _: False,
    bool,
)
KEEP = Setting(
    "ledger.keep",
    "How much of a response is stored: nothing, start (a hash and 200 characters) or all.",
    lambda _: "start",
    Keep,
)
REDACT = Setting(
    "ledger.redact",
    "Regular expressions of texts that are never stored, besides keys and passwords.",
    lambda _: (),
    tuple[str, ...],
    guarded=DELETES,
)
RETENTION = Setting(
    "ledger.retention_days",
    "Days after which decisions are deleted.",
    lambda _: 90.0,
    Annotated[float, Within(1.0, 1e5)],
    guarded=DELETES,
)
TYPE_CHECKER = Setting(
    "code.types", "Command that checks types, like mypy or pyright; empty for none.", lambda _: "", str, guarded=RUNS
)
TIME_LIMIT = Setting("code.time_limit", "Seconds that a type checker or a test run may take.", lambda _: 300.0, Amount)
TOOLS = Setting(
    "investigations.tools",
    "Categories of an agent's own tools: search, read, discovery, git, ci, verification.build or verification.test.",
    lambda _: {},
    dict[str, str],
    guarded=LOOSENS,
)
PACK = Setting(
    "documents.pack", "The pattern pack for documents: a name, or a file.", lambda _: "default", guarded=LOOSENS
)
CACHE = Setting(
    "documents.cache",
    "The cache folder of scans; empty for the user's cache folder.",
    lambda _: "",
    guarded=LOOSENS,
)
METRICS = Setting(
    "metrics",
    "Collect metrics: auto (if prometheus_client is loaded already), on or off.",
    lambda _: "auto",
    Measure,
)
JUDGE_URL = Setting(
    "judge.base_url", "Address of an OpenAI-compatible endpoint; empty for none.", lambda _: "", guarded=SENDS
)
JUDGE_MODEL = Setting("judge.model", "Name of the language model there.", lambda _: "", guarded=SENDS)
JUDGE_KEY = Setting(
    "judge.key", "Key of the endpoint; better set in the environment than in a file.", lambda _: "", guarded=SENDS
)
JUDGE_TIME = Setting("judge.time_limit", "Seconds for one question.", lambda _: 60.0, Amount)

SETTINGS = tuple(value for value in list(globals().values()) if isinstance(value, Setting))
"""Every setting above, in the order in which `howsure settings` shows them."""


class Settings(NamedTuple):
    """The sources of settings: the environment, and the files, the most specific first."""

    environment: Mapping[str, str]
    files: tuple[tuple[str, Mapping[str, Any]], ...]
    """Path and content of each file."""
    ignored: tuple[str, ...] = ()
    """Guarded settings that the file of the working folder sets without being trusted."""
    untrusted: str = ""
    """The path of that file; empty if nothing was ignored."""

    def value(self, setting: Setting) -> Any:
        """Return the value of a setting.

        Raises:
            InputError: if it is set to an invalid value.
        """
        return self.find(setting)[0]

    def find(self, setting: Setting) -> tuple[Any, str]:
        """Return the value of a setting, and where it comes from: a variable, "--set", a file or "default"."""
        text = self.environment.get(setting.variable)
        if text:
            value, origin = _read_variable(setting, text)
            return os.path.expanduser(value) if setting is STORE else value, origin  # noqa: PTH111
        for path, content in self.files:
            if setting.name in content:
                value = _read(setting, content[setting.name], path)
                return _resolve_store(value, path) if setting is STORE else value, path
        return setting.default(self.environment), "default"

    @property
    def sets_parameters(self) -> bool:
        """Whether any parameter of a model is set. The gate looks at nothing else about them if not."""
        return any(name.startswith(MODELS_VARIABLE) for name in self.environment) or any(
            name.startswith(f"{MODELS_TABLE}.") for _, content in self.files for name in content
        )

    @property
    def cache(self) -> str:
        """The cache folder of scans."""
        folder: str = self.value(CACHE) or user_folder("cache", self.environment)
        return os.path.expanduser(folder)  # noqa: PTH111


def _resolve_store(store: str, path: str) -> str:
    """Return the store that a file names; a path in it is relative to the folder of the file."""
    if store.lower().startswith("sqlite:///"):
        return "sqlite:///" + _resolve_store(store[len("sqlite:///") :], path)
    if "://" in store:
        return store
    return os.path.join(os.path.dirname(path), os.path.expanduser(store))  # noqa: PTH111, PTH118, PTH120


def _read_variable(setting: Setting, text: str) -> tuple[Any, str]:
    """Return the value of a variable, and its origin. An error names the setting and --set if the option has set it."""
    try:
        value = decode_as(setting.shape, _from_text(setting, text), setting.variable)
    except InputError as error:
        if setting.variable not in OVERRIDDEN:
            raise
        field = setting.name + (error.field or "").removeprefix(setting.variable)
        raise InputError(f"{error.problem}, in {OPTION}", field=field, hint=error.hint) from None
    return value, OPTION if setting.variable in OVERRIDDEN else setting.variable


def _from_text(setting: Setting, text: str) -> Any:
    """Return the value of a variable: a text or one of several words as it is, everything else read as JSON."""
    if setting.shape is str or get_origin(setting.shape) is Literal:
        return text
    if setting.shape is bool and text.lower() in _FLAGS:
        return _FLAGS[text.lower()]
    import json

    try:
        return json.loads(text)
    except ValueError:
        raise InputError(f"{text!r} is not JSON", field=setting.variable) from None


def _read(setting: Setting, value: Any, path: str) -> Any:
    try:
        return decode_as(setting.shape, value, setting.name)
    except InputError as error:
        raise InputError(f"{error.problem}, in {path}", field=error.field, hint=error.hint) from None


def current(folder: str | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings that apply in a folder; default: the working folder."""
    environment = os.environ if environment is None else environment
    own = _own(environment)
    near = find_upwards(folder or _working_folder(), FILE)
    if not near or (own and near == own[0][0]):
        return Settings(environment, own)
    content = read_file(near)
    values = parse_file(near, content)
    ignored = list_guarded(values)
    if ignored:
        from howsure.trust import is_trusted

        if is_trusted(near, content, user_folder("config", environment)):
            ignored = ()
        else:
            values = {name: value for name, value in values.items() if name not in ignored}
            _say_ignored(near, ignored)
    return Settings(environment, ((near, values), *own), ignored, near if ignored else "")


def current_or_own(folder: str | None = None, environment: Mapping[str, str] | None = None) -> tuple[Settings, str]:
    """Return the settings that apply in a folder, and what is wrong with the folder's file; empty if nothing is.

    A file that cannot be read is left out, for hooks: they let an agent go on if anything fails, so an agent could
    otherwise switch its gate off with a broken file.

    Raises:
        InputError: if the user's own file or the environment is wrong.
    """
    environment = os.environ if environment is None else environment
    folder = folder or _working_folder()
    try:
        chosen = current(folder, environment)
        for path, content in chosen.files[:1]:
            for setting in SETTINGS:
                if setting.name in content:
                    _read(setting, content[setting.name], path)
    except InputError as error:
        return Settings(environment, _own(environment)), str(error)
    return chosen, ""


def list_guarded(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return which of these settings are guarded. All parameters of models are: they can loosen a gate."""
    guarded = {setting.name for setting in SETTINGS if setting.guarded}
    return tuple(name for name in values if name in guarded or name.startswith(f"{MODELS_TABLE}."))


_said: set[tuple[str, tuple[str, ...]]] = set()
"""What was said to be ignored already. Settings are read often, and it is said once."""


def _say_ignored(path: str, ignored: tuple[str, ...]) -> None:
    if (path, ignored) in _said:
        return
    _said.add((path, ignored))
    import logging

    from howsure.wording import escape_invisible

    names = escape_invisible(", ".join(ignored[:8]) + (f" and {len(ignored) - 8} more" if len(ignored) > 8 else ""))  # noqa: PLR2004
    folder = escape_invisible(os.path.dirname(path))  # noqa: PTH120
    logging.getLogger(__name__).warning(
        "ignored %s of %s, which is not trusted (look at the file, then: howsure trust %s)",
        names,
        escape_invisible(path),
        folder,
    )


def override(name: str, text: str) -> None:
    """Set a setting for the rest of this process, as its environment variable would; errors name the option --set.

    Raises:
        InputError: if there is no such setting.
    """
    names = {setting.name for setting in SETTINGS}
    if name not in names and not name.startswith(f"{MODELS_TABLE}."):
        raise InputError(f"unknown setting {name!r}", field="set", hint=nearest(name, {*names, MODELS_TABLE}))
    variable = Setting(name, "", lambda _: None).variable
    os.environ[variable], OVERRIDDEN[variable] = text, name


def _working_folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:  # the working folder was deleted
        return os.sep


def _own(environment: Mapping[str, str]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the path and content of the user's own file, if there is one."""
    path = os.path.join(user_folder("config", environment), FILE)  # noqa: PTH118
    return ((path, parse_file(path, read_file(path))),) if os.path.isfile(path) else ()  # noqa: PTH113


def read_file(path: str) -> bytes:
    """Return the content of a file of settings.

    Raises:
        InputError: if it cannot be read or is too large.
    """
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot read it: {error}") from error
    if len(content) > LARGEST_FILE:
        raise InputError(f"{path}: cannot read it: it is larger than {LARGEST_FILE:,} bytes")
    return content


def parse_file(path: str, content: bytes) -> dict[str, Any]:
    """Return what the content of a file sets, by dotted name.

    Raises:
        InputError: if it is not TOML, or sets something unknown: the name may be misspelt.
    """
    try:
        tables = load_toml(content.decode())
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot read it: {error}") from error
    names = {setting.name for setting in SETTINGS}
    values: dict[str, Any] = {}
    for name, value in tables.items():
        if name == MODELS_TABLE:
            values |= _parameters(value, path)
            continue
        inner = any(known.startswith(f"{name}.") for known in names)
        for key, item in value.items() if inner and isinstance(value, dict) else [("", value)]:
            dotted = f"{name}.{key}" if key else name
            if dotted not in names:
                raise InputError(f"{path}: unknown setting {dotted!r}", hint=nearest(dotted, {*names, MODELS_TABLE}))
            values[dotted] = item
    return values


def _parameters(models: Any, path: str) -> dict[str, Any]:
    """Return the parameters of models that a file sets, by dotted name."""
    values: dict[str, Any] = {}
    if not isinstance(models, dict):
        raise InputError(f"{path}: {MODELS_TABLE!r} is not a table", hint=f"write [{MODELS_TABLE}.noisy_or]")
    for model, parameters in models.items():
        if not isinstance(parameters, dict):
            hint = f"write [{MODELS_TABLE}.MODEL], and its parameters below"
            raise InputError(f"{path}: '{MODELS_TABLE}.{model}' is not a table", hint=hint)
        values |= {f"{MODELS_TABLE}.{model}.{name}": value for name, value in parameters.items()}
    return values
