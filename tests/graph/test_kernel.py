"""The kernel: source written by a formula, compiled once, kept under its hash."""

from typing import Any

import numpy as np
import pytest

from howsure.formulas.beta import Beta
from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.arrays import score_rows
from howsure.graph.compiler import compile_module
from howsure.graph.groups import Groups, SourceGroups, group_rows
from howsure.graph.kernel import CodeWriter, FormulaKernel
from howsure.sql.expression import SYMBOLS, Expression
from tests.bulk.worlds import formulas


def test_parameters_are_arguments_and_need_no_other_kernel() -> None:
    texts = {FormulaKernel(NoisyOr(boost_factor=value), ["lower"]).text() for value in (0.1, 0.0, 0.5, 1.0)}
    assert len(texts) == 1
    assert FormulaKernel(Beta(), ["lower"]).text() not in texts


def test_a_step_is_computed_once() -> None:
    text = FormulaKernel(NoisyOr(), ["lower", "upper", "influence"]).text()
    assert text.count("exp2") == 2  # the import, and once for both functions


def test_an_unknown_operation_is_refused() -> None:
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
    learned = SourceGroups(sources, None, None, None).learned() if kernel.learned else ()
    rows = (sources.starts, sources.numbers, *learned)
    about = (0.0, stale, tiers, lives, np.ones(size, bool), *rows, np.ones(size))
    module.lend(0, size, np.array(kernel.lending.constants), *about, lends, *handed.values())
    out = {name: np.empty(size) for name in wanted}
    none = Groups(np.zeros(size + 1, np.int64), np.zeros(0, np.int32), np.zeros(0))
    given = (np.array(kernel.stepping.constants), 0, 1.0, *none, *none, lends, np.ones(size))
    module.step(0, size, *given, *handed.values(), *out.values())
    steps = score_rows(formula, formula.folds()._make(out[name] for name in wanted))
    assert np.allclose(steps.influence, lends, rtol=0, atol=1e-12)


def test_a_choice_is_written_as_one_expression() -> None:
    source = CodeWriter()
    name = source.write(SYMBOLS.where(Expression.column("a") < 0.5, 1.0, 2.0), 0)
    assert source.lines[-1] == f"{name} = k1 if v0 else k2"
    assert source.constants == [0.5, 1.0, 2.0]
