"""Cross-encoders: real ONNX models, made here, and what happens if they are missing, damaged, slow or wrong."""

import math
from pathlib import Path

import pytest

from howsure.reader import CrossEncoderReader, ReaderError, TextPair, read_pairs
from tests.reader.tiny import make_model

PAIR = TextPair("the cat sleeps", "the cat not sleeps")
PLAIN = TextPair("the cat sleeps", "the cat")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return make_model(
        tmp_path / "tiny", ["CONTRADICTION", "ENTAILMENT", "NEUTRAL"], {"not": [4.0, 0.0, 0.0], "cat": [0.0, 1.0, 0.0]}
    )


def test_the_order_of_the_labels_is_read_from_the_configuration(model: Path) -> None:
    first, second = read_pairs(CrossEncoderReader(model), [PAIR, PLAIN])
    powers = [math.exp(4), math.exp(2), 1.0]
    assert first.contradiction == pytest.approx(powers[0] / sum(powers), abs=1e-6)
    assert first.entailment == pytest.approx(powers[1] / sum(powers), abs=1e-6)
    assert second.entailment > 0.5 > second.contradiction
    assert first.reader == "tiny"
    assert len(first.version) == 12


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_results_keep_their_places_whatever_reads_at_the_same_time(model: Path, threads: int) -> None:
    pairs = [PAIR, PLAIN, TextPair("not not", "the"), *(TextPair("cat", "dog " * length) for length in range(1, 80))]
    alone = [read_pairs(CrossEncoderReader(model), [pair])[0] for pair in pairs]
    assert read_pairs(CrossEncoderReader(model, threads=threads), pairs) == alone


def test_both_orders_average_the_contradiction(model: Path) -> None:
    one = read_pairs(CrossEncoderReader(model, both_orders=True), [PAIR])[0]
    other = read_pairs(CrossEncoderReader(model, both_orders=True), [TextPair(*reversed(PAIR))])[0]
    assert one.contradiction == pytest.approx(other.contradiction)
    assert one.contradiction + one.entailment + one.neutral == pytest.approx(1)


@pytest.mark.parametrize("labels", [["LABEL_0"], ["LABEL_0", "LABEL_1"], ["not_entailment", "entailment"]])
def test_a_model_of_support_gives_entailment(tmp_path: Path, labels: list[str]) -> None:
    folder = make_model(tmp_path, labels, {"cat": [3.0] if len(labels) == 1 else [0.0, 3.0]})
    result = read_pairs(CrossEncoderReader(folder), [PLAIN])[0]
    assert result.entailment > 0.99
    assert result.contradiction == 0


def test_labels_without_a_meaning_are_an_error_unless_they_are_given(tmp_path: Path) -> None:
    folder = make_model(tmp_path, ["LABEL_0", "LABEL_1", "LABEL_2"], {"not": [3.0, 0.0, 0.0]})
    with pytest.raises(ReaderError, match="do not say which output means entailment"):
        read_pairs(CrossEncoderReader(folder), [PAIR])
    named = CrossEncoderReader(folder, labels=["contradiction", "neutral", "entailment"])
    assert read_pairs(named, [PAIR])[0].contradiction > 0.8


def test_a_model_is_loaded_when_it_is_first_used(tmp_path: Path) -> None:
    reader = CrossEncoderReader(tmp_path / "nothing.onnx")
    assert reader.name == "nothing.onnx"
    with pytest.raises(ReaderError, match="there is no file .*nothing.onnx"):
        read_pairs(reader, [PAIR])


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match="there is no model in"):
        read_pairs(CrossEncoderReader(tmp_path / "empty"), [PAIR])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("kept", [0.0, 0.6])
def test_a_damaged_file_is_named(model: Path, name: str, kept: float) -> None:
    content = (model / name).read_bytes()
    (model / name).write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(ReaderError, match=f"cannot load .*{name}.*download or install it again"):
        read_pairs(CrossEncoderReader(model), [PAIR])


@pytest.mark.parametrize("name", ["tokenizer.json", "config.json"])
def test_a_missing_file_is_named(model: Path, name: str) -> None:
    (model / name).unlink()
    with pytest.raises(ReaderError, match=f"there is no .*{name}"):
        read_pairs(CrossEncoderReader(model), [PAIR])


def test_a_model_of_another_shape_is_an_error(model: Path) -> None:
    (model / "config.json").write_text('{"id2label": {"0": "entailment", "1": "not_entailment"}}')
    with pytest.raises(ReaderError, match="has 3 outputs, but its labels say 2"):
        read_pairs(CrossEncoderReader(model), [PAIR])


def test_a_number_that_is_not_finite_is_an_error(tmp_path: Path) -> None:
    folder = make_model(tmp_path, ["entailment", "neutral", "contradiction"], {"nan": [math.nan, 0.0, 0.0]})
    with pytest.raises(ReaderError, match="not finite"):
        read_pairs(CrossEncoderReader(folder), [TextPair("nan", "cat")])


def test_a_slow_model_is_an_error(model: Path) -> None:
    with pytest.raises(ReaderError, match="read 0 of 1 pairs in -1 seconds"):
        read_pairs(CrossEncoderReader(model, seconds=-1), [PAIR])


def test_a_model_that_is_not_in_onnx_form_needs_another_package(model: Path) -> None:
    (model / "model.onnx").unlink()
    with pytest.raises(ReaderError, match="sentence-transformers"):
        read_pairs(CrossEncoderReader(model), [PAIR])
