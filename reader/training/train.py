"""Train the small reader: a cross-encoder of 12 layers with three outputs (entailment, neutral, contradiction).

`python train.py --teacher MPNET --base BASE --data DATA --out OUT` trains a large model on the labelled pairs, lets it
judge all pairs, trains the small one on labels and judgements, and writes to OUT: reader.safetensors (the weights in
whole numbers, for export.py) and metrics.json (AUROC on the validation sets). MPNET and BASE are folders with
config.json, model.safetensors and tokenizer.json; DATA is what prepare.py wrote.
"""

import argparse
import json
import lzma
import math
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from model import CrossEncoder, RoundedLinear, load_base, round_embeddings, round_weight
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import nn

LABELS = ("entailment", "neutral", "contradiction")
CODES = {label: number for number, label in enumerate(LABELS)} | {"compatible": 3, "unknown": 4, "partial": 5}
FREE = [CODES["contradiction"], CODES["compatible"], CODES["unknown"]]
"""Labels of pairs that may be turned: contradiction is symmetric, and of what is unknown a teacher knows both orders."""
LENGTH = 256
"""Tokens of a pair; of longer ones the longer text is cut."""
SMOOTH = 0.05
TURNED = 0.3
"""Share of the pairs that may be turned which are."""
AVERAGED, ROUNDED = 0.6, 0.5
"""Parts of the training after which weights are averaged, and rounded."""
AVERAGE = 0.998
"""How slowly the average of the weights follows them, step by step."""


@dataclass(frozen=True)
class Setting:
    """How a model is trained."""

    epochs: float
    rate: float
    decay: float
    """By what the rate of a layer is lower than that of the one above."""
    embedding: float
    """What the rate of the embeddings is of that of the lowest layer."""
    batch: int
    teach: float
    """Weight of what the teacher says, beside the labels."""
    shares: dict[str, float] = field(default_factory=dict)
    """How often each set is used in an epoch; default: once."""


TEACHER = Setting(
    epochs=2.5,
    rate=1e-4,
    decay=0.95,
    embedding=0.5,
    batch=384,
    teach=0.0,
    shares={
        "snli": 0.6, "conj": 1.2, "stance": 3, "technical": 0.3, "captions": 0.2, "edits": 0.4, "docs": 0.4,
        "handwritten": 4, "field": 2, "written": 1, "traps": 1.5, "evidence": 2, "astray": 0.8, "changes": 0.4,
        "unlabelled": 0, "kin": 0, "near": 0, "windows": 0, "crossed": 0,
    },
)  # fmt: skip
STUDENT = Setting(
    epochs=4,
    rate=5e-4,
    decay=0.95,
    embedding=0.15,
    batch=1024,
    teach=0.8,
    shares={
        "snli": 0.7, "technical": 0.5, "conj": 1.5, "stance": 3, "fever": 1.5, "captions": 0.3, "edits": 0.6, "docs": 0.5,
        "handwritten": 4, "field": 2, "unlabelled": 0.7, "kin": 0.6, "near": 0.7, "changes": 0.8, "written": 1.2,
        "traps": 1.5, "evidence": 2, "crossed": 2, "windows": 0.7,
    },
)  # fmt: skip


class PairSet(NamedTuple):
    """Pairs of texts, by the number of each text."""

    name: str
    first: np.ndarray
    second: np.ndarray
    labels: np.ndarray


class Texts:
    """The texts of all pairs, each with a number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def read(self, path: Path, limit: int = 0) -> PairSet:
        """Return the pairs of a file; with a limit, a random sample."""
        with lzma.open(path, "rt", encoding="utf-8") as file:
            pairs = [json.loads(line) for line in file]
        if limit:
            pairs = random.Random(1).sample(pairs, min(limit, len(pairs)))
        first, second = (
            np.array([self.numbers.setdefault(pair[side], len(self.numbers)) for pair in pairs]) for side in (0, 1)
        )
        return PairSet(path.name.partition(".")[0], first, second, np.array([CODES[pair[2]] for pair in pairs]))


class Tokens:
    """The tokens of all texts on the device; makes batches of pairs of them."""

    def __init__(self, tokenizer: Tokenizer, texts: Texts, device: str) -> None:
        tokenizer.enable_truncation(LENGTH)
        tokenizer.no_padding()
        known = list(texts.numbers)
        rows = [one.ids for one in tokenizer.encode_batch_fast(known, add_special_tokens=False)]
        self.sizes = np.array([len(row) for row in rows])
        self._sizes = torch.from_numpy(self.sizes).to(device)
        self._starts = torch.from_numpy(np.concatenate([[0], np.cumsum(self.sizes)[:-1]])).to(device)
        self._flat = torch.from_numpy(np.concatenate([np.array(row, dtype=np.int32) for row in rows])).to(device)
        pair = tokenizer.encode("a", "b")
        self._begin, self._end, self._pad = pair.ids[0], pair.ids[-1], tokenizer.token_to_id("<pad>") or 0
        self._between = len(pair.ids) - 4  # BERT puts one token between two texts, MPNet two
        self.device = device

    def lengths(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the tokens of each pair, with those around the texts, after longer texts are cut."""
        return np.minimum(self.sizes[first] + self.sizes[second] + 2 + self._between, LENGTH)

    def batch(self, first: np.ndarray, second: np.ndarray) -> tuple[torch.Tensor, torch.Tensor | None, torch.Tensor]:
        """Return padded ids, the mask (None if nothing is padded), and of which text each token is."""
        lengths = self.lengths(first, second)
        width, shortest = int(lengths.max()), int(lengths.min())
        if width > shortest:
            width = -(-width // 8) * 8  # the kernels for attention with a mask want that
        one, other = (torch.from_numpy(side).to(self.device) for side in (first, second))
        left, right = self._sizes[one], self._sizes[other]
        room = LENGTH - 2 - self._between
        excess = (left + right - room).clamp(min=0)
        # The longer text is cut until both are of the same length, then both.
        from_longer = torch.minimum(excess, (left - right).abs())
        rest = excess - from_longer
        left, right = (
            left - torch.where(left > right, from_longer, 0) - rest // 2,
            right - torch.where(right > left, from_longer, 0) - (rest - rest // 2),
        )
        places = torch.arange(width, device=self.device)[None]
        begin = (1 + left + self._between)[:, None]
        in_first = (places >= 1) & (places < 1 + left[:, None])
        in_second = (places >= begin) & (places < begin + right[:, None])
        source = torch.where(in_first, self._starts[one][:, None] + places - 1, 0)
        source = torch.where(in_second, self._starts[other][:, None] + places - begin, source)
        ids = torch.where(in_first | in_second, self._flat[source].long(), self._end)
        ids[:, 0] = self._begin
        mask = places < begin + right[:, None] + 1
        ids = torch.where(mask, ids, self._pad)
        return ids, None if width == shortest else mask, ((places >= begin) & mask).long()


def batches(lengths: np.ndarray, size: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield batches of places, of the same length as far as possible, in random order."""
    order = rng.permutation(len(lengths))
    order = order[np.argsort(lengths[order], kind="stable")]
    starts = np.arange(0, len(order), size)
    for start in rng.permutation(starts):
        yield order[start : start + size]


def losses_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return cross-entropies.

    For "compatible" that of not being a contradiction, for "partial" that of half entailment and half neutral, for
    "unknown" none.
    """
    logs = F.log_softmax(logits.float(), dim=-1)
    exact = -(1 - SMOOTH) * logs.gather(1, labels.clamp(max=2)[:, None])[:, 0] - SMOOTH * logs.mean(dim=-1)
    losses = torch.where(labels < len(LABELS), exact, 0.0)
    losses = torch.where(labels == CODES["compatible"], -torch.logsumexp(logs[:, :2], dim=-1), losses)
    return torch.where(labels == CODES["partial"], -logs[:, :2].mean(dim=-1), losses)


def auroc(scores: np.ndarray, truth: np.ndarray) -> float:
    """Return the area under the ROC curve, ties counted half."""
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    positives = int(truth.sum())
    return float((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives)))


def recall_at(scores: np.ndarray, truth: np.ndarray, precision: float) -> float:
    """Return the highest recall at which precision is at least this."""
    hits = np.cumsum(truth[np.argsort(-scores, kind="mergesort")])
    enough = hits / np.arange(1, len(hits) + 1) >= precision
    return float(hits[enough].max() / truth.sum()) if enough.any() else 0.0


@torch.no_grad()
def probabilities(model: CrossEncoder, tokens: Tokens, first: np.ndarray, second: np.ndarray) -> torch.Tensor:
    """Return the probabilities of the three labels, on the device."""
    model.eval()
    result = torch.zeros((len(first), 3), dtype=torch.float16, device=tokens.device)
    for places in batches(tokens.lengths(first, second), 1024, np.random.default_rng(1)):
        with torch.autocast(tokens.device, torch.bfloat16, enabled=tokens.device == "cuda"):
            logits = model(*tokens.batch(first[places], second[places]))
        result[torch.from_numpy(places).to(tokens.device)] = logits.float().softmax(-1).half()
    return result


def judge(model: CrossEncoder, tokens: Tokens, pairs: PairSet) -> torch.Tensor:
    """Return the probabilities of each pair, and turned, where it may be: pairs, orders and labels."""
    said = torch.zeros((len(pairs.first), 2, 3), dtype=torch.float16, device=tokens.device)
    said[:, 0] = probabilities(model, tokens, pairs.first, pairs.second)
    free = np.flatnonzero(np.isin(pairs.labels, FREE))
    if len(free):
        turned = probabilities(model, tokens, pairs.second[free], pairs.first[free])
        said[torch.from_numpy(free).to(tokens.device), 1] = turned
    return said


def measure(model: CrossEncoder, tokens: Tokens, sets: list[PairSet]) -> dict[str, Any]:
    """Return for each set the AUROC of contradiction in one order and in both, recalls, and the AUROC of support."""
    results: dict[str, Any] = {}
    for pairs in sets:
        one, other = (
            probabilities(model, tokens, *sides).float().cpu().numpy()
            for sides in ((pairs.first, pairs.second), (pairs.second, pairs.first))
        )
        truth, support = pairs.labels == CODES["contradiction"], pairs.labels == CODES["entailment"]
        both = (one[:, 2] + other[:, 2]) / 2
        results[pairs.name] = {
            "one": auroc(one[:, 2], truth),
            "both": auroc(both, truth),
            "recall90": recall_at(both, truth, 0.90),
            "recall95": recall_at(both, truth, 0.95),
        }
        if support.any():
            results[pairs.name]["support"] = auroc(one[:, 0], support)
    chosen = [max(one["one"], one["both"]) for name, one in results.items() if name != "stance"]
    chosen += [results[name]["support"] for name in ("fever", "stance")]
    return results | {"score": float(np.mean(chosen))}


def groups_of(model: CrossEncoder, setting: Setting) -> list[dict[str, Any]]:
    """Return parameter groups: lower layers learn more slowly, embeddings slowest; biases and norms do not decay."""
    groups: dict[tuple[float, float], list[torch.Tensor]] = {}
    for name, value in model.named_parameters():
        if not value.requires_grad:
            continue
        if name.startswith("embeddings"):
            rate = setting.embedding * setting.decay**model.depth
        elif name.startswith("layers."):
            rate = setting.decay ** (model.depth - 1 - int(name.split(".")[1]))
        else:
            rate = 2.0
        groups.setdefault((rate, 0.0 if value.ndim < 2 else 0.01), []).append(value)
    return [
        {"params": values, "lr": rate * setting.rate, "weight_decay": decay} for (rate, decay), values in groups.items()
    ]


def choose(sets: list[PairSet], setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return the pairs of an epoch: the number of the set and of the pair, and whether it is turned."""
    chosen = []
    for number, pairs in enumerate(sets):
        share, count = setting.shares.get(pairs.name, 1.0), len(pairs.first)
        rows = [np.arange(count)] * int(share) + [rng.choice(count, int(count * (share % 1)), replace=False)]
        rows = np.concatenate(rows)
        turned = np.isin(pairs.labels[rows], FREE) & (rng.random(len(rows)) < TURNED)
        chosen.append((np.full(len(rows), number), rows, turned))
    return tuple(np.concatenate(column) for column in zip(*chosen, strict=True))


def train(
    model: CrossEncoder,
    setting: Setting,
    sets: list[PairSet],
    tokens: Tokens,
    taught: list[torch.Tensor] | None,
    seconds: float,
) -> None:
    """Train a model: at a rate that rises for 6 % of the steps and then falls to 0.

    If the epochs would take more than these seconds, there are fewer steps. A model that is taught learns with rounded
    weights in the second half, and gets the average of its weights over the last part of the steps.
    """
    rng = np.random.default_rng(1)
    device = tokens.device
    optimizer = torch.optim.AdamW(groups_of(model, setting), betas=(0.9, 0.98), eps=1e-6, fused=device == "cuda")
    rates = [group["lr"] for group in optimizer.param_groups]
    parameters = [value for value in model.parameters() if value.requires_grad]
    average: list[torch.Tensor] = []
    teacher = torch.cat(taught) if taught else None
    offsets = np.cumsum([0, *(len(pairs.first) for pairs in sets)])
    first, second, labels = (
        np.concatenate([getattr(pairs, name) for pairs in sets]) for name in ("first", "second", "labels")
    )
    codes = torch.from_numpy(labels).to(device)
    begun, step = time.monotonic(), 0
    per_epoch = math.ceil(len(choose(sets, setting, rng)[0]) / setting.batch)
    total = planned = math.ceil(per_epoch * setting.epochs)
    while step < total:
        numbers, rows, turned = choose(sets, setting, rng)
        pairs = offsets[numbers] + rows
        left = np.where(turned, second[pairs], first[pairs])
        right = np.where(turned, first[pairs], second[pairs])
        for places in batches(tokens.lengths(left, right), setting.batch, rng):
            if step >= total:
                break
            done = step / total
            model.train()
            if taught and done >= ROUNDED and not model.embeddings.token.rounded:
                model.round_weights()
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                logits = model(*tokens.batch(left[places], right[places]))
            known = torch.from_numpy(pairs[places]).to(device)
            losses = losses_of(logits, codes[known])
            if teacher is not None:
                target = teacher[known, torch.from_numpy(turned[places].astype(np.int64)).to(device)].float()
                alike = -(target * F.log_softmax(logits.float(), dim=-1)).sum(-1)
                losses = (1 - setting.teach) * losses + setting.teach * alike
            loss = losses.mean()
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * min((done + 1e-4) / 0.06, (1 - done) / 0.94)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            if taught and done >= AVERAGED:
                if not average:
                    average = [value.detach().clone() for value in parameters]
                torch._foreach_lerp_(average, [value.detach() for value in parameters], 1 - AVERAGE)
            step += 1
            if step % 50 == 0:
                last = loss.item()  # waits for the device, so that the time is right
                spent = time.monotonic() - begun
                total = min(planned, max(step, int(step * seconds / spent)))
                if step % 200 == 0:
                    print(f"  step {step}/{total} loss {last:.3f} {spent:.0f} s", flush=True)
    print(f"  {step} steps of {planned} planned, {time.monotonic() - begun:.0f} s", flush=True)
    if average:
        with torch.no_grad():
            for value, mean in zip(parameters, average, strict=True):
                value.copy_(mean)


def load(base: Path, device: str) -> CrossEncoder:
    """Return a model with the weights of a base, and a new head."""
    torch.manual_seed(1)
    model = CrossEncoder.from_base(base)
    load_base(model, load_file(str(base / "model.safetensors")))
    return model.to(device)


def whole_numbers(model: CrossEncoder) -> dict[str, torch.Tensor]:
    """Return the weights as they are shipped: matrices and embeddings as whole numbers with their scales."""
    state = {name: value.float().cpu().contiguous() for name, value in model.state_dict().items()}
    for name, module in model.named_modules():
        if isinstance(module, RoundedLinear):
            whole, scale = round_weight(state[f"{name}.weight"])
            state |= {f"{name}.weight": whole.to(torch.int8), f"{name}.scale": scale}
    whole, scale = round_embeddings(state["embeddings.token.weight"])
    return state | {"embeddings.token.weight": whole.to(torch.int8), "embeddings.token.scale": scale}


def main() -> None:
    """Train both, evaluate, and write."""
    parser = argparse.ArgumentParser()
    for name in ("teacher", "base", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=0, help="use so many pairs of each set, to try the script")
    parser.add_argument("--teacher-seconds", type=float, default=3600, help="train the teacher for so long at most")
    parser.add_argument("--seconds", type=float, default=36000, help="be done after about so many seconds")
    asked = parser.parse_args()
    begun = time.monotonic()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    texts = Texts()
    sets, validation = (
        [texts.read(path, asked.limit) for path in sorted((asked.data / part).glob("*.jsonl.xz"))]
        for part in ("train", "val")
    )
    asked.out.mkdir(parents=True, exist_ok=True)
    metrics: dict[str, Any] = {}

    def finish(name: str, model: CrossEncoder, tokens: Tokens) -> None:
        metrics[name] = measure(model, tokens, validation)
        (asked.out / "metrics.json").write_text(json.dumps(metrics, indent=1))
        shown = {
            key: [round(one, 3) for one in value.values()]
            for key, value in metrics[name].items()
            if isinstance(value, dict)
        }
        print(f"{name}: score {metrics[name]['score']:.4f} {shown} {time.monotonic() - begun:.0f} s", flush=True)

    tokens = Tokens(Tokenizer.from_file(str(asked.teacher / "tokenizer.json")), texts, device)
    print(f"{len(texts.numbers)} texts read, {time.monotonic() - begun:.0f} s", flush=True)
    teacher = load(asked.teacher, device)
    labelled = [pairs for pairs in sets if TEACHER.shares.get(pairs.name, 1.0)]
    train(teacher, TEACHER, labelled, tokens, None, asked.teacher_seconds)
    finish("teacher", teacher, tokens)
    taught = [judge(teacher, tokens, pairs) for pairs in sets]
    print(f"all pairs judged, {time.monotonic() - begun:.0f} s", flush=True)
    del teacher
    tokens = Tokens(Tokenizer.from_file(str(asked.base / "tokenizer.json")), texts, device)
    student = load(asked.base, device)
    train(student, STUDENT, sets, tokens, taught, asked.seconds - (time.monotonic() - begun))
    save_file(whole_numbers(student), str(asked.out / "reader.safetensors"))
    finish("student", student, tokens)


if __name__ == "__main__":
    main()
