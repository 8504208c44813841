"""Train the small reader: a MiniLM-L6 cross-encoder with three outputs (entailment, neutral, contradiction).

`python train.py --base BASE --data DATA --out OUT --teacher NAME:key=value,... --teacher-base MPNET` trains a large
model and keeps its probabilities of all training pairs.
`python train.py --base BASE --data DATA --out OUT --variant NAME:key=value,...=>TEACHER,... [--soup NAME=A,B]` trains
the variants one after the other, with or without teachers, averages the weights of those named by --soup, evaluates
each on the validation sets, and writes to OUT: metrics.json, the best one as a quantised ONNX model (in parts), and its
probabilities of the validation pairs in both orders (validation.npz).
"""

import argparse
import json
import lzma
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
import torch
import torch.nn.functional as F
from export import export, load_quantised, load_weights
from model import CrossEncoder, load_base
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

LABELS = ("entailment", "neutral", "contradiction")
CODES = {label: number for number, label in enumerate(LABELS)} | {"compatible": 3, "unknown": 4, "partial": 5}
PART = 15 * 2**20
DEFAULTS: dict[str, float] = {
    "seed": 1,
    "epochs": 2,
    "lr": 1e-4,
    "embedding": 0.1,
    "decay": 0.9,
    "batch": 256,
    "smooth": 0.05,
    "swap": 0.3,
    "length": 256,
    "snli": 1.0,
    "conj": 1.0,
    "fever": 1.0,
    "fever_neutral": 1.0,
    "stance": 2.0,
    "technical": 0.6,
    "edits": 0.8,
    "captions": 0.6,
    "seen": 1.0,
    "field": 2.0,
    "handwritten": 4.0,
    "docs": 1.0,
    "written": 0.0,
    "traps": 0.0,
    "evidence": 0.0,
    "astray": 0.0,
    "kin": 0.0,
    "changes": 0.0,
    "near": 0.0,
    "unlabelled": 0.0,
    "teach": 0.6,
}
"""Settings of a variant: of training, and how often each set is used in an epoch."""
UNLABELLED = ("unlabelled", "kin", "near")
"""Sets of which only a teacher has something to say."""

Pair = tuple[str, str, str]


def read_pairs(path: Path, limit: int = 0) -> list[Pair]:
    """Return the pairs of a file; with a limit, a random sample."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        pairs = [tuple(json.loads(line)) for line in file]
    return random.Random(1).sample(pairs, min(limit, len(pairs))) if limit else pairs


class Encoded:
    """Token ids of pairs, as numpy arrays of their own lengths; what teachers say of them, if there are any."""

    def __init__(self, tokenizer: Tokenizer, pairs: list[Pair], length: int, taught: np.ndarray | None = None) -> None:
        self.taught = taught
        tokenizer.enable_truncation(length, strategy="longest_first")
        tokenizer.no_padding()
        encodings = tokenizer.encode_batch([(first, second) for first, second, _ in pairs])
        self.ids = [np.array(one.ids, dtype=np.int32) for one in encodings]
        self.types = [np.array(one.type_ids, dtype=np.int32) for one in encodings]
        self.labels = np.array([CODES[label] for _, _, label in pairs])

    def batch(self, rows: list[int], device: str) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return padded ids, mask, types and labels."""
        width = -(-max(len(self.ids[row]) for row in rows) // 8) * 8
        ids, types, mask = (np.zeros((len(rows), width), dtype=np.int64) for _ in range(3))
        for place, row in enumerate(rows):
            size = len(self.ids[row])
            ids[place, :size], types[place, :size], mask[place, :size] = self.ids[row], self.types[row], 1
        return *(torch.from_numpy(one).to(device, non_blocking=True) for one in (ids, mask, types)), torch.from_numpy(
            self.labels[rows]
        ).to(device)


def batches(sizes: list[int], order: list[int], batch: int, rng: random.Random) -> Iterator[list[int]]:
    """Yield batches of rows of similar length, in random order."""
    chunk = batch * 50
    made = []
    for start in range(0, len(order), chunk):
        rows = sorted(order[start : start + chunk], key=lambda row: sizes[row])
        made += [rows[at : at + batch] for at in range(0, len(rows), batch)]
    rng.shuffle(made)
    yield from made


def losses_of(logits: torch.Tensor, labels: torch.Tensor, smooth: float) -> torch.Tensor:
    """Return cross-entropies.

    For "compatible" that of not being a contradiction, for "partial" that of half entailment and half neutral, for
    "unknown" none.
    """
    logs = F.log_softmax(logits.float(), dim=-1)
    known = labels < 3
    exact = -(1 - smooth) * logs.gather(1, labels.clamp(max=2)[:, None])[:, 0] - smooth * logs.mean(dim=-1)
    compatible = -torch.logsumexp(logs[:, :2], dim=-1)
    others = {"compatible": compatible, "partial": -logs[:, :2].mean(dim=-1)}
    losses = torch.where(known, exact, 0.0 * exact)
    for label, loss in others.items():
        losses = torch.where(labels == CODES[label], loss, losses)
    return losses


def turn(pair: Pair) -> Pair:
    """Return the pair in the other order."""
    return pair[1], pair[0], pair[2]


def auroc(scores: np.ndarray, truth: np.ndarray) -> float:
    """Return the area under the ROC curve, ties counted half."""
    order = np.argsort(scores, kind="mergesort")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    sums = np.bincount(inverse, ranks)
    ranks = (sums / counts)[inverse]
    positives = int(truth.sum())
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives)))


def recall_at(scores: np.ndarray, truth: np.ndarray, precision: float) -> float:
    """Return the highest recall at which precision is at least this."""
    order = np.argsort(-scores, kind="mergesort")
    hits = np.cumsum(truth[order])
    enough = hits / np.arange(1, len(hits) + 1) >= precision
    return float(hits[enough].max() / truth.sum()) if enough.any() else 0.0


@torch.no_grad()
def probabilities(model: CrossEncoder, encoded: Encoded, device: str) -> np.ndarray:
    """Return the probabilities of the three labels."""
    model.eval()
    order = sorted(range(len(encoded.ids)), key=lambda row: len(encoded.ids[row]))
    result = np.zeros((len(order), 3), dtype=np.float32)
    for start in range(0, len(order), 512):
        rows = order[start : start + 512]
        ids, mask, types, _ = encoded.batch(rows, device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            logits = model(ids, mask, types)
        result[rows] = logits.float().softmax(-1).cpu().numpy()
    return result


FREE = {"contradiction", "compatible", "unknown"}
"""Labels of pairs that may be turned: contradiction is symmetric, and of what is unknown a teacher knows both orders."""


def judge(model: CrossEncoder, tokenizer: Tokenizer, pairs: list[Pair], device: str) -> np.ndarray:
    """Return the probabilities of each pair, and turned, where it may be: an array of pairs, orders and labels."""
    said = np.zeros((len(pairs), 2, 3), dtype=np.float16)
    said[:, 0] = probabilities(model, Encoded(tokenizer, pairs, 256), device)
    free = [place for place, pair in enumerate(pairs) if pair[2] in FREE]
    if free:
        said[free, 1] = probabilities(model, Encoded(tokenizer, [turn(pairs[place]) for place in free], 256), device)
    return said


class Validation:
    """The validation sets, encoded in both orders."""

    def __init__(self, tokenizer: Tokenizer, folder: Path, device: str, limit: int) -> None:
        self.device = device
        self.sets = {}
        for path in sorted(folder.glob("*.jsonl.xz")):
            pairs = read_pairs(path, limit)
            turned = [turn(pair) for pair in pairs]
            self.sets[path.name.partition(".")[0]] = (Encoded(tokenizer, pairs, 256), Encoded(tokenizer, turned, 256))

    def measure(self, model: CrossEncoder) -> dict[str, Any]:
        """Return for each set the AUROC of contradiction in one order and in both, and of support."""
        results: dict[str, Any] = {}
        for name, (encoded, turned) in self.sets.items():
            one, other = probabilities(model, encoded, self.device), probabilities(model, turned, self.device)
            truth, support = encoded.labels == 2, encoded.labels == 0
            both = (one[:, 2] + other[:, 2]) / 2
            results[name] = {
                "one": auroc(one[:, 2], truth),
                "both": auroc(both, truth),
                "recall90": recall_at(both, truth, 0.90),
                "recall95": recall_at(both, truth, 0.95),
            }
            if support.any():
                results[name]["support"] = auroc(one[:, 0], support)
        chosen = [
            max(results[name]["one"], results[name]["both"])
            for name in ("snli", "fever", "sick", "conj", "technical", "development", "field", "unseen", "climate")
            if name in results
        ]
        chosen += [results[name]["support"] for name in ("fever", "stance") if name in results]
        results["score"] = float(np.mean(chosen))
        return results


def parameters(model: CrossEncoder, setting: dict[str, float]) -> list[dict[str, Any]]:
    """Return parameter groups: lower layers learn more slowly, embeddings slowest; biases and norms do not decay."""
    groups: dict[tuple[float, float], list[torch.Tensor]] = {}
    for name, value in model.named_parameters():
        if name.startswith("embeddings"):
            rate = setting["embedding"] * setting["decay"] ** model.depth
        elif name.startswith("layers."):
            rate = setting["decay"] ** (model.depth - 1 - int(name.split(".")[1]))
        else:
            rate = 2.0
        if rate == 0:
            value.requires_grad_(requires_grad=False)
            continue
        groups.setdefault((rate, 0.0 if value.ndim < 2 else 0.01), []).append(value)
    return [
        {"params": values, "lr": rate * setting["lr"], "weight_decay": decay}
        for (rate, decay), values in groups.items()
    ]


class Descent:
    """Changes the weights of a model step by step, at a rate that rises for 6 % of the steps and then falls to 0."""

    def __init__(self, model: CrossEncoder, setting: dict[str, float], total: int, device: str) -> None:
        self._model = model
        self._optimizer = torch.optim.AdamW(
            parameters(model, setting), betas=(0.9, 0.98), eps=1e-6, fused=device == "cuda"
        )
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer,
            lambda step: min((step + 1) / (0.06 * total + 1), max(0.0, (total - step) / (0.94 * total))),
        )

    def step(self, loss: torch.Tensor) -> None:
        """Take one step down."""
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        self._optimizer.step()
        self._schedule.step()


def train(
    setting: dict[str, float],
    base: Path,
    sets: dict[str, list[Pair]],
    tokenizer: Tokenizer,
    device: str,
    taught: dict[str, np.ndarray] | None = None,
    start: Path | None = None,
) -> CrossEncoder:
    """Train one variant, from the weights of the base or of a quantised model.

    With teachers, it learns from the mean of their probabilities as well, which are given by set, pair and order.
    """
    seed = int(setting["seed"])
    torch.manual_seed(seed)
    rng = random.Random(seed)
    if start is None:
        model = CrossEncoder.from_base(base)
        load_base(model, load_file(str(base / "model.safetensors")))
    else:
        model = load_quantised(start, base)
    model.to(device)
    epochs: list[list[tuple[str, int, int]]] = []
    for _ in range(math.ceil(setting["epochs"])):
        chosen: list[tuple[str, int]] = []
        for name, known in sets.items():
            share = setting.get(name, 0.0) if taught or name not in UNLABELLED else 0.0
            rows = range(len(known))
            chosen += [(name, row) for row in [*rows] * int(share) + rng.sample(rows, int(len(known) * (share % 1)))]
        rng.shuffle(chosen)
        epochs.append(
            [(name, row, int(sets[name][row][2] in FREE and rng.random() < setting["swap"])) for name, row in chosen]
        )
    last = setting["epochs"] % 1
    if last:
        epochs[-1] = epochs[-1][: int(len(epochs[-1]) * last)]
    size = int(setting["batch"])
    total = sum(math.ceil(len(places) / size) for places in epochs)
    descent = Descent(model, setting, total, device)
    begun, step = time.time(), 0
    for places in epochs:
        pairs = [sets[name][row] if not turned else turn(sets[name][row]) for name, row, turned in places]
        said = np.stack([taught[name][row, turned] for name, row, turned in places]) if taught else None
        encoded = Encoded(tokenizer, pairs, int(setting["length"]), said)
        model.train()
        for rows in batches([len(ids) for ids in encoded.ids], list(range(len(pairs))), size, rng):
            ids, mask, types, labels = encoded.batch(rows, device)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                logits = model(ids, mask, types)
            losses = losses_of(logits, labels, setting["smooth"])
            if encoded.taught is not None:
                target = torch.from_numpy(encoded.taught[rows].astype(np.float32)).to(device)
                alike = -(target * F.log_softmax(logits.float(), dim=-1)).sum(-1)
                losses = (1 - setting["teach"]) * losses + setting["teach"] * alike
            loss = losses.mean()
            descent.step(loss)
            step += 1
            if step % 100 == 0 or step == total:
                print(f"  step {step}/{total} loss {loss.item():.3f} {time.time() - begun:.0f} s", flush=True)
    return model


def parse(text: str) -> tuple[str, dict[str, float]]:
    """Return the name and the settings of a variant."""
    name, _, rest = text.partition(":")
    given = {key: float(value) for key, _, value in (one.partition("=") for one in rest.split(",") if one)}
    if unknown := set(given) - set(DEFAULTS):
        raise SystemExit(f"unknown settings {sorted(unknown)}; known: {sorted(DEFAULTS)}")
    return name, DEFAULTS | given


def main() -> None:
    """Train, evaluate, choose and write."""
    parser = argparse.ArgumentParser()
    for name in ("base", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="folder that keeps the weights of every variant"
    )
    parser.add_argument("--teacher", action="append", default=[], help="train a large model: NAME:key=value")
    parser.add_argument("--teacher-base", type=Path, help="folder of the large model to start from")
    parser.add_argument("--variant", action="append", default=[], help="train a small one: NAME:key=value=>TEACHER,...")
    parser.add_argument("--start", type=Path, help="quantised model that variants begin with, instead of the base")
    parser.add_argument("--soup", action="append", default=[], help="average these variants, or start: NAME=A,A,start")
    parser.add_argument("--send", help="write the weights of this one instead of the best one")
    parser.add_argument("--weights", action="store_true", help="write the float16 weights instead of the ONNX model")
    parser.add_argument("--keep", action="store_true", help="only keep the weights in --runs, export none")
    parser.add_argument("--limit", type=int, default=0, help="use so many pairs of each set, to try the script")
    parser.add_argument("--seconds", type=float, default=520, help="start no variant after so many seconds")
    asked = parser.parse_args()
    begun = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    tokenizer = Tokenizer.from_file(str(asked.base / "tokenizer.json"))
    sets = {
        path.name.partition(".")[0]: read_pairs(path, asked.limit)
        for path in sorted((asked.data / "train").glob("*.jsonl.xz"))
    }
    validation = Validation(tokenizer, asked.data / "val", device, asked.limit)
    asked.out.mkdir(parents=True, exist_ok=True)
    asked.runs.mkdir(parents=True, exist_ok=True)
    metrics: dict[str, Any] = {}

    def finish(name: str, model: CrossEncoder, setting: object, validation: Validation) -> None:
        metrics[name] = {"setting": setting, **validation.measure(model), "seconds": round(time.time() - begun)}
        save_file(
            {key: value.to(torch.float16).contiguous().cpu() for key, value in model.state_dict().items()},
            str(asked.runs / f"{name}.safetensors"),
        )
        (asked.out / "metrics.json").write_text(json.dumps(metrics, indent=1))
        shown = {
            key: [round(number, 3) for number in value.values()]
            for key, value in metrics[name].items()
            if isinstance(value, dict) and key != "setting"
        }
        print(name, f"score {metrics[name]['score']:.4f}", shown, f"{time.time() - begun:.0f} s", flush=True)

    for name, setting in map(parse, asked.teacher):
        words = Tokenizer.from_file(str(asked.teacher_base / "tokenizer.json"))
        print(name, setting, flush=True)
        model = train(setting, asked.teacher_base, sets, words, device)
        finish(name, model, setting, Validation(words, asked.data / "val", device, asked.limit))
        said = {one: judge(model, words, pairs, device) for one, pairs in sets.items()}
        np.savez(asked.runs / f"{name}.npz", **said)
        print(f"{name} has read all pairs, {time.time() - begun:.0f} s", flush=True)
    for text in asked.variant:
        (name, setting), teachers = parse(text.partition("=>")[0]), text.partition("=>")[2]
        if time.time() - begun > asked.seconds:
            print(f"no time left for {name}")
            continue
        print(name, setting, teachers, flush=True)
        known = [np.load(asked.runs / f"{one}.npz") for one in teachers.split(",") if one]
        taught = (
            {one: np.mean([said[one] for said in known], axis=0, dtype=np.float32) for one in sets} if known else None
        )
        finish(name, train(setting, asked.base, sets, tokenizer, device, taught, asked.start), setting, validation)
    for soup in asked.soup:
        name, _, parts = soup.partition("=")
        files = [asked.runs / f"{part}.safetensors" for part in parts.split(",") if part != "start"]
        states = [load_file(str(file)) for file in files if file.exists()]
        if asked.start:
            states += [load_quantised(asked.start, asked.base).state_dict()] * parts.split(",").count("start")
        if not states:
            continue
        model = CrossEncoder.from_base(asked.base)
        model.load_state_dict({key: sum(state[key].float() for state in states) / len(states) for key in states[0]})
        finish(name, model.to(device), parts, validation)
    if asked.keep:
        return
    best = asked.send or max(metrics, key=lambda name: metrics[name]["score"])
    place = asked.runs / f"{best}.onnx"
    export(load_weights(asked.runs / f"{best}.safetensors", asked.base), place)
    predictions = {}
    for name, (encoded, turned) in validation.sets.items():
        predictions[name] = np.concatenate(
            [run_onnx(place, encoded), run_onnx(place, turned), encoded.labels[:, None]], axis=1
        )
        truth = encoded.labels == CODES["contradiction"]
        one, both = predictions[name][:, 2], predictions[name][:, 2] + predictions[name][:, 5]
        metrics.setdefault("quantised", {"of": best})[name] = {
            "one": auroc(one, truth),
            "both": auroc(both, truth),
            "support": auroc(predictions[name][:, 0], encoded.labels == 0),
        }
    print("quantised", metrics["quantised"], f"{time.time() - begun:.0f} s")
    (asked.out / "metrics.json").write_text(json.dumps(metrics, indent=1))
    np.savez_compressed(asked.out / "validation.npz", **predictions)
    send(place if not asked.weights else asked.runs / f"{best}.safetensors", asked.out)
    print(f"best: {best}, {time.time() - begun:.0f} s")


def run_onnx(model: Path, encoded: Encoded) -> np.ndarray:
    """Return the probabilities by the quantised model."""
    session = ort.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    order = sorted(range(len(encoded.ids)), key=lambda row: len(encoded.ids[row]))
    result = np.zeros((len(order), 3), dtype=np.float32)
    for start in range(0, len(order), 64):
        rows = order[start : start + 64]
        ids, mask, types, _ = (one.numpy() for one in encoded.batch(rows, "cpu"))
        logits = session.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": types})[0]
        result[rows] = torch.from_numpy(logits).softmax(-1).numpy()
    return result


def send(file: Path, out: Path) -> None:
    """Write a file in parts."""
    content = file.read_bytes()
    for number in range(0, len(content), PART):
        (out / f"{file.name}.{number // PART}").write_bytes(content[number : number + PART])


if __name__ == "__main__":
    main()
