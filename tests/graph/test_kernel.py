"""The kernel: source written by a formula, compiled once, kept under its hash."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from howsure.formulas.beta import Beta
from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.arrays import score_rows
from howsure.graph.compiler import compile_module
from howsure.graph.groups import Groups, group_rows
from howsure.graph.kernel import CodeWriter, FormulaKernel
from howsure.sql.expression import SYMBOLS, Expression
from tests.bulk.worlds import formulas

TEXT = "from numba import njit\n\n\n@njit(cache=True)\ndef double(x):\n    return x + x\n"


def test_parameters_are_arguments_and_need_no_other_kernel() -> None:
    texts = {FormulaKernel(NoisyOr(boost_factor=value), ["lower"]).text() for value in (0.1, 0.0, 0.5, 1.0)}
    assert len(texts) == 1
    assert FormulaKernel(Beta(), ["lower"]).text() not in texts


def test_a_step_is_computed_once() -> None:
    text = FormulaKernel(NoisyOr(), ["lower", "upper", "influence"]).text()
    assert text.count("exp2") == 2  # the import, and once for both functions


def test_an_operation_nobody_knows_is_refused() -> None:
    with pytest.raises(TypeError, match="unknown operator 'modulo'"):
        CodeWriter().write(Expression("modulo", Expression.column("a"), 2.0), 1)


@pytest.mark.parametrize("formula", formulas(), ids=lambda formula: formula.name)
def test_a_kernel_takes_the_steps_that_numpy_takes(formula: Any) -> None:
    dice = np.random.default_rng(1)
    size = 1000
    sources = group_rows(dice.integers(0, size, 3000), dice.integers(0, 50, 3000), dice.random(3000), size)
    wanted = [*formula.folds()._fields]
    kernel = FormulaKernel(formula, wanted)
    module = compile_module(kernel.text())
    handed = {name: np.empty(size) for name in (*kernel.age_arrays, *kernel.source_folds)}
    lends = np.empty(size)
    lives, stale, tiers = np.ones(4), np.full(size, -1.0), np.zeros(size, np.uint8)
    about = (0.0, stale, tiers, lives, np.ones(size, bool), sources.starts, sources.numbers, np.ones(size))
    module.lend(0, size, np.array(kernel.lending.constants), *about, lends, *handed.values())
    out = {name: np.empty(size) for name in wanted}
    none = Groups(np.zeros(size + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))
    given = (np.array(kernel.stepping.constants), 0, 1.0, *none, *none, lends, np.ones(size))
    module.step(0, size, *given, *handed.values(), *out.values())
    steps = score_rows(formula, formula.folds()._make(out[name] for name in wanted))
    assert np.allclose(steps.influence, lends, rtol=0, atol=1e-12)


def test_what_was_compiled_is_read_the_next_time(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from howsure.graph.compiler import compile_module; "
        f"module = compile_module({TEXT!r}, Path(sys.argv[1])); module.double(1.5); "
        "print(sum(module.double.stats.cache_hits.values()))"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    hits = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert hits == ["0\n", "1\n"]


def test_a_source_that_was_changed_is_written_anew(tmp_path: Path) -> None:
    module = compile_module(TEXT, tmp_path)
    assert module.double(2) == 4
    (file,) = tmp_path.glob("*.py")
    file.write_text(TEXT.replace("x + x", "x * 100"))
    compile_module.cache_clear()
    assert compile_module(TEXT, tmp_path).double(3.5) == 7.0
    assert file.read_text() == TEXT


def test_a_folder_that_cannot_be_written_to_holds_up_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert compile_module(TEXT, tmp_path / "file" / "folder").double(2) == 4


def test_a_choice_is_written_as_one() -> None:
    source = CodeWriter()
    name = source.write(SYMBOLS.where(Expression.column("a") < 0.5, 1.0, 2.0), 0)
    assert source.lines[-1] == f"{name} = k1 if v0 else k2"
    assert source.constants == [0.5, 1.0, 2.0]
