"""The cross-encoder: BERT or MPNet with a head on the first token and the mean of all."""

import json
import math
from pathlib import Path
from typing import Any, Self

import torch
import torch.nn.functional as F
from torch import nn

BLOCK = 32
"""Numbers of an embedding that share a scale."""
LEVELS, EMBEDDING_LEVELS = 31, 7
"""Largest whole number of a weight of 6 bits, and of an embedding of 4 bits."""


def round_weight(weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a matrix as whole numbers of 6 bits, and the scale of each output."""
    scale = weight.abs().amax(dim=1, keepdim=True).clamp(min=1e-8) / LEVELS
    return (weight / scale).round(), scale


def round_embeddings(table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a table as whole numbers of 4 bits, and the scales of each `BLOCK` of a row as float16."""
    blocks = table.unflatten(1, (-1, BLOCK))
    scale = (blocks.abs().amax(dim=2) / EMBEDDING_LEVELS).clamp(min=1e-4).half()
    whole = (blocks / scale.float()[..., None]).round().clamp(-EMBEDDING_LEVELS, EMBEDDING_LEVELS)
    return whole.flatten(1), scale


def expand_embeddings(whole: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return what `round_embeddings` has rounded."""
    return (whole.unflatten(1, (-1, BLOCK)) * scale.float()[..., None]).flatten(1)


class RoundedLinear(nn.Linear):
    """A linear layer that can learn with rounded weights; gradients pass as if they were not rounded."""

    rounded = False

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Return the product."""
        weight = self.weight
        if self.rounded:
            with torch.no_grad():
                whole, scale = round_weight(weight)
                change = whole * scale - weight
            weight = weight + change
        return F.linear(states, weight, self.bias)


class RoundedEmbedding(nn.Embedding):
    """An embedding that can learn with rounded numbers; gradients pass as if they were not rounded."""

    rounded = False

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the rows."""
        table = self.weight
        if self.rounded:
            with torch.no_grad():
                change = expand_embeddings(*round_embeddings(table)) - table
            table = table + change
        return F.embedding(ids, table)


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, width: int, heads: int, inner: int, epsilon: float, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.attended = (RoundedLinear(width, width) for _ in range(4))
        self.attended_norm, self.output_norm = nn.LayerNorm(width, epsilon), nn.LayerNorm(width, epsilon)
        self.inner, self.output = RoundedLinear(width, inner), RoundedLinear(inner, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: torch.Tensor, bias: torch.Tensor | None, *, plain: bool) -> torch.Tensor:
        """Attend and transform; `plain` writes attention out, for the export."""
        rows, length, width = states.shape
        size = width // self.heads

        def split(one: torch.Tensor) -> torch.Tensor:
            return one.view(rows, length, self.heads, size).transpose(1, 2)

        query, key, value = split(self.query(states)), split(self.key(states)), split(self.value(states))
        if plain:
            scores = torch.matmul(query, key.transpose(-1, -2)) / size**0.5 + bias
            mixed = torch.matmul(scores.softmax(-1), value)
        else:
            dropped = 0.1 if self.training else 0.0
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias, dropout_p=dropped)
        mixed = mixed.transpose(1, 2).reshape(rows, length, width)
        states = self.attended_norm(states + self.dropout(self.attended(mixed)))
        return self.output_norm(states + self.dropout(self.output(F.gelu(self.inner(states)))))


class Embeddings(nn.Module):
    """Embeddings of tokens, positions and the two texts."""

    def __init__(
        self, vocabulary: int, positions: int, width: int, epsilon: float, dropout: float, first: int = 0
    ) -> None:
        super().__init__()
        self.first = first
        self.token = RoundedEmbedding(vocabulary, width)
        self.position, self.segment = nn.Embedding(positions, width), nn.Embedding(2, width)
        self.norm, self.dropout = nn.LayerNorm(width, epsilon), nn.Dropout(dropout)

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        """Return the sum of the three, normalised."""
        places = torch.arange(self.first, self.first + ids.shape[1], device=ids.device)[None]
        return self.dropout(self.norm(self.token(ids) + self.position(places) + self.segment(types)))


class RelativePositions(nn.Module):
    """What MPNet adds to attention for the distance between two tokens: one number for each bucket and head."""

    def __init__(self, buckets: int, heads: int) -> None:
        super().__init__()
        self.weight = nn.Embedding(buckets, heads)
        self.buckets = buckets

    def forward(self, length: int) -> torch.Tensor:
        """Return the bias of all pairs of tokens: exact for near ones, by logarithm up to 128 tokens for others."""
        places = torch.arange(length, device=self.weight.weight.device)
        distance = places[:, None] - places[None, :]
        half = self.buckets // 2
        exact = half // 2
        far = distance.abs().clamp(min=1)
        scale = (half - exact) / math.log(128 / exact)
        by_logarithm = (exact + (far.float() / exact).log() * scale).long().clamp(max=half - 1)
        bucket = torch.where(far < exact, distance.abs(), by_logarithm) + (distance < 0).long() * half
        return self.weight(bucket).permute(2, 0, 1)[None]


class CrossEncoder(nn.Module):
    """Reads two texts at once; returns logits of entailment, neutral, contradiction."""

    def __init__(
        self,
        vocabulary: int,
        positions: int,
        width: int,
        depth: int,
        heads: int,
        inner: int,
        epsilon: float,
        dropout: float = 0.1,
        relative: int = 0,
    ) -> None:
        super().__init__()
        self.depth, self.plain = depth, False
        # These stay as they are: their gradient would need memory for each row, head and pair of tokens.
        self.relative = RelativePositions(relative, heads).requires_grad_(requires_grad=False) if relative else None
        # MPNet counts positions from 2 and does not tell the two texts apart, which a zero does here.
        self.embeddings = Embeddings(vocabulary, positions, width, epsilon, dropout, first=2 if relative else 0)
        if relative:
            nn.init.zeros_(self.embeddings.segment.weight)
        self.layers = nn.ModuleList(Layer(width, heads, inner, epsilon, dropout) for _ in range(depth))
        self.dense, self.head, self.dropout = nn.Linear(2 * width, width), nn.Linear(width, 3), nn.Dropout(dropout)

    @classmethod
    def from_base(cls, base: Path) -> Self:
        """Return a model of the shape that the configuration of a BERT or MPNet in a folder says."""
        config: dict[str, Any] = json.loads((base / "config.json").read_text())
        return cls(
            config["vocab_size"],
            config["max_position_embeddings"],
            config["hidden_size"],
            config["num_hidden_layers"],
            config["num_attention_heads"],
            config["intermediate_size"],
            config["layer_norm_eps"],
            relative=config.get("relative_attention_num_buckets", 0),
        )

    def forward(self, ids: torch.Tensor, mask: torch.Tensor | None, types: torch.Tensor) -> torch.Tensor:
        """Return the logits; without a mask, no token is padding."""
        bias = None if mask is None else (1.0 - mask[:, None, None, :].float()) * -1e4
        if self.relative is not None:
            relative = self.relative(ids.shape[1])
            bias = relative if bias is None else bias + relative
        if bias is not None and torch.is_autocast_enabled(ids.device.type):
            bias = bias.to(torch.get_autocast_dtype(ids.device.type))
        states = self.embeddings(ids, types)
        for layer in self.layers:
            states = layer(states, bias, plain=self.plain)
        if mask is None:
            mean = states.mean(1)
        else:
            weight = mask[:, :, None].to(states.dtype)
            mean = (states * weight).sum(1) / weight.sum(1)
        return self.head(self.dropout(torch.tanh(self.dense(self.dropout(torch.cat([states[:, 0], mean], dim=-1))))))

    def round_weights(self) -> None:
        """Learn with rounded weights and embeddings from now on."""
        for module in self.modules():
            if isinstance(module, RoundedLinear | RoundedEmbedding):
                module.rounded = True


NAMES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attended",
    "attention.output.LayerNorm": "attended_norm",
    "intermediate.dense": "inner",
    "output.dense": "output",
    "output.LayerNorm": "output_norm",
    "attention.attn.q": "query",
    "attention.attn.k": "key",
    "attention.attn.v": "value",
    "attention.attn.o": "attended",
    "attention.LayerNorm": "attended_norm",
}
EMBEDDINGS = {
    "word_embeddings": "token",
    "position_embeddings": "position",
    "token_type_embeddings": "segment",
    "LayerNorm": "norm",
}


def load_base(model: CrossEncoder, state: dict[str, torch.Tensor]) -> None:
    """Load the weights of a BERT or MPNet of Hugging Face, in float32; the head stays as it is."""
    named = {}
    for name, value in state.items():
        parts = name.removeprefix("bert.").split(".")
        if parts[:2] == ["encoder", "relative_attention_bias"]:
            named["relative.weight.weight"] = value.float()
        elif parts[0] == "embeddings" and parts[1] in EMBEDDINGS:
            named[f"embeddings.{EMBEDDINGS[parts[1]]}.{parts[2]}"] = value.float()
        elif parts[0] == "encoder":
            named[f"layers.{parts[2]}.{NAMES['.'.join(parts[3:-1])]}.{parts[-1]}"] = value.float()
    missing, unexpected = model.load_state_dict(named, strict=False)
    if unexpected or any(not name.startswith(("dense", "head", "embeddings.segment")) for name in missing):
        raise ValueError(f"the base does not fit: missing {missing}, unexpected {unexpected}")
