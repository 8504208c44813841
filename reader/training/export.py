"""Export trained weights as a quantised ONNX model: `python export.py WEIGHTS BASE OUT.onnx`.

Weights of matrix products become 7-bit integers with a scale for each output (7 bits, because products of 8-bit numbers
overflow on processors without VNNI), embeddings 8-bit integers with a scale for each token. Activations are quantised
while the model runs.
"""

import json
import sys
import tempfile
import warnings
from pathlib import Path

import onnx
import torch
from model import CrossEncoder
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import load_file
from torch import nn


class SmallEmbedding(nn.Module):
    """An embedding table of 8-bit integers with one scale for each row."""

    def __init__(self, table: torch.Tensor) -> None:
        super().__init__()
        scale = table.abs().amax(dim=1, keepdim=True).clamp(min=1e-8) / 127
        self.register_buffer("scale", scale)
        self.register_buffer("table", (table / scale).round().to(torch.int8))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the rows as floats."""
        return self.table[ids].float() * self.scale[ids]


def load_weights(weights: Path, base: Path) -> CrossEncoder:
    """Return the trained model, ready to be exported."""
    model = CrossEncoder.from_config(json.loads((base / "config.json").read_text()))
    model.load_state_dict({key: value.float() for key, value in load_file(str(weights)).items()})
    model.eval()
    return model


def export(model: CrossEncoder, out: Path, *, reduce_range: bool = True) -> None:
    """Write the quantised model; its output is the logits."""
    model.plain = True
    model.embeddings.token = SmallEmbedding(model.embeddings.token.weight.detach())
    ids = torch.randint(1000, 20000, (2, 12))
    sample = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    names = ["input_ids", "attention_mask", "token_type_ids"]
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                model,
                sample,
                str(plain),
                input_names=names,
                output_names=["logits"],
                opset_version=17,
                dynamo=False,
                dynamic_axes={name: {0: "rows", 1: "length"} for name in names} | {"logits": {0: "rows"}},
            )
        graph = onnx.load(str(plain))
        constant = {one.name for one in graph.graph.initializer}
        products = [
            node.name for node in graph.graph.node if node.op_type in {"MatMul", "Gemm"} and constant & set(node.input)
        ]
        quantize_dynamic(
            str(plain),
            str(out),
            op_types_to_quantize=["MatMul"],
            nodes_to_quantize=products,
            per_channel=True,
            reduce_range=reduce_range,
            weight_type=QuantType.QInt8,
        )


if __name__ == "__main__":
    export(load_weights(Path(sys.argv[1]), Path(sys.argv[2])), Path(sys.argv[3]))
