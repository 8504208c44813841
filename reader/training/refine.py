"""Train the small reader further, on two cores: `python refine.py --start MODEL.onnx --base BASE --data DATA --out OUT`.

New pairs (`written/`) are learned from their labels. Beside them, pairs of all other sets are read as the model read
them before, so that it forgets nothing.
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
from train import DEFAULTS, Encoded, Pair, Validation, batches, losses_of, parameters, read_pairs, run_onnx, turn

NEW = {"written": 0.65, "evidence": 1.0, "handwritten": 1.0}
"""Sets that are learned from their labels, and the share of each in an epoch."""
KNOWN = {
    "snli": 3000,
    "conj": 1500,
    "fever": 700,
    "fever_neutral": 150,
    "stance": 700,
    "technical": 700,
    "edits": 600,
    "docs": 800,
    "seen": 400,
    "field": 162,
    "unlabelled": 1500,
}
"""Sets that the model has learned from before, and how many pairs of each are read again in an epoch."""
LENGTH = 200


def choose(sets: dict[str, list[Pair]], rng: random.Random, swap: float = 0.4) -> tuple[list[Pair], list[Pair]]:
    """Return the new and the known pairs of an epoch; of those that may be turned, some are."""
    symmetric = {"contradiction", "compatible", "unknown"}

    def some(name: str, count: int) -> list[Pair]:
        chosen = rng.sample(sets[name], min(count, len(sets[name])))
        return [turn(pair) if pair[2] in symmetric and rng.random() < swap else pair for pair in chosen]

    new = [pair for name, share in NEW.items() for pair in some(name, int(share * len(sets[name])))]
    return new, [pair for name, count in KNOWN.items() for pair in some(name, count)]


def main() -> None:
    """Train, evaluate after each epoch, and write the quantised model."""
    parser = argparse.ArgumentParser()
    for name in ("start", "base", "data", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
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
    optimizer = torch.optim.AdamW(parameters(model, setting), betas=(0.9, 0.98), eps=1e-6)
    pairs = sum(int(share * len(sets[name])) for name, share in NEW.items())
    pairs += sum(min(count, len(sets[name])) for name, count in KNOWN.items())
    total = asked.epochs * math.ceil(pairs / asked.batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (0.06 * total + 1), max(0.0, (total - step) / (0.94 * total)))
    )
    begun, step = time.time(), 0
    for epoch in range(asked.epochs):
        new, known = choose(sets, rng)
        said = run_onnx(asked.start, Encoded(tokenizer, known, LENGTH))
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
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 100 == 0:
                print(f"  step {step}/{total} loss {loss.item():.3f} {time.time() - begun:.0f} s", flush=True)
        print(f"epoch {epoch + 1}", validation.measure(model), flush=True)
    model.eval()
    export(model, asked.out)


if __name__ == "__main__":
    main()
