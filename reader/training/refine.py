"""Train the small reader further, on two cores: `python refine.py --start MODEL.onnx --base BASE --data DATA --out OUT`.

New pairs (`written/`) are learned from their labels. Beside them, pairs of all other sets are read as the model read
them before (`--judge`, default: the start), so that it forgets little. What is written is the mean of the weights of
--origin (default: the start) and the new ones, weighted by --mix: it keeps more of what was known than the new ones.
"""

import argparse
import math
import random
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from export import export, load_quantised
from tokenizers import Tokenizer
from train import DEFAULTS, FREE, Descent, Encoded, Pair, Validation, batches, losses_of, read_pairs, run_onnx, turn

NEW = ("written", "evidence", "handwritten")
"""Sets that are learned from their labels."""
KNOWN = {
    "snli": 3500,
    "conj": 4000,
    "fever": 1300,
    "fever_neutral": 150,
    "stance": 500,
    "technical": 500,
    "edits": 500,
    "docs": 500,
    "seen": 400,
    "field": 162,
    "unlabelled": 2500,
}
"""Sets that the model has learned from before, and how many pairs of each are read again in an epoch."""
LENGTH = 200


def choose(
    sets: dict[str, list[Pair]], written: float, rng: random.Random, swap: float = 0.4
) -> tuple[list[Pair], list[Pair]]:
    """Return the new and the known pairs of an epoch; of those that may be turned, some are."""

    def some(name: str, count: int) -> list[Pair]:
        chosen = rng.sample(sets[name], min(count, len(sets[name])))
        return [turn(pair) if pair[2] in FREE and rng.random() < swap else pair for pair in chosen]

    new = [pair for name in NEW for pair in some(name, int(len(sets[name]) * (written if name == "written" else 1)))]
    return new, [pair for name, count in KNOWN.items() for pair in some(name, count)]


def main() -> None:
    """Train, evaluate after each epoch, and write the quantised model."""
    parser = argparse.ArgumentParser()
    for name in ("start", "base", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    for name in ("judge", "origin"):
        parser.add_argument(f"--{name}", type=Path, help="default: --start")
    parser.add_argument("--mix", type=float, default=0.5, help="share of the new weights in the result")
    parser.add_argument("--written", type=float, default=0.65, help="share of the technical statements in an epoch")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=0, help="use so many pairs of each set, to try the script")
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    torch.manual_seed(asked.seed)
    rng = random.Random(asked.seed)
    tokenizer = Tokenizer.from_file(str(asked.base / "tokenizer.json"))
    sets = {name: read_pairs(asked.data / "train" / f"{name}.jsonl.xz", asked.limit) for name in (*NEW, *KNOWN)}
    validation = Validation(tokenizer, asked.data / "val", "cpu", asked.limit or 500)
    model = load_quantised(asked.start, asked.base)
    setting = DEFAULTS | {"lr": asked.lr, "embedding": 0.0}
    pairs = sum(map(len, choose(sets, asked.written, random.Random())))
    total = asked.epochs * math.ceil(pairs / asked.batch)
    descent = Descent(model, setting, total, "cpu")
    begun, step = time.time(), 0
    for epoch in range(asked.epochs):
        new, known = choose(sets, asked.written, rng)
        said = run_onnx(asked.judge or asked.start, Encoded(tokenizer, known, LENGTH))
        taught = np.concatenate([np.zeros((len(new), 3), dtype=np.float32), said])
        encoded = Encoded(tokenizer, [*new, *known], LENGTH, taught)
        order = rng.sample(range(len(taught)), len(taught))
        model.train()
        for rows in batches([len(ids) for ids in encoded.ids], order, asked.batch, rng):
            ids, mask, types, labels = encoded.batch(rows, "cpu")
            with torch.autocast("cpu", torch.bfloat16):
                logits = model(ids, mask, types)
            target = torch.from_numpy(taught[rows])
            alike = -(target * F.log_softmax(logits.float(), dim=-1)).sum(-1)
            by_label = losses_of(logits, labels, setting["smooth"])
            loss = torch.where(target.sum(-1) > 0, 0.1 * by_label + 0.9 * alike, by_label).mean()
            descent.step(loss)
            step += 1
            if step % 100 == 0:
                print(f"  step {step}/{total} loss {loss.item():.3f} {time.time() - begun:.0f} s", flush=True)
        print(f"epoch {epoch + 1}", validation.measure(model), flush=True)
    state = load_quantised(asked.origin or asked.start, asked.base).state_dict()
    new_state = model.state_dict()
    model.load_state_dict({name: torch.lerp(old, new_state[name], asked.mix) for name, old in state.items()})
    print("result", validation.measure(model), flush=True)
    model.eval()
    export(model, asked.out)


if __name__ == "__main__":
    main()
