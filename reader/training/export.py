"""Export trained weights as a quantised ONNX model: `python export.py WEIGHTS BASE OUT.onnx`.

Weights of matrix products become 7-bit integers with a scale for each output (7 bits, because products of 8-bit numbers
overflow on processors without VNNI), embeddings 8-bit integers with a scale for each token. Activations are quantised
while the model runs.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from model import CrossEncoder
from onnx import numpy_helper
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
    model = CrossEncoder.from_base(base)
    model.load_state_dict({key: value.float() for key, value in load_file(str(weights)).items()})
    model.eval()
    return model


def load_quantised(file: Path, base: Path) -> CrossEncoder:
    """Return the model of a file that `export` wrote, to train it further."""
    model = CrossEncoder.from_base(base)
    graph = onnx.load(str(file)).graph
    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    state = {name: array for name, array in arrays.items() if name in model.state_dict()}
    for name in ("dense.weight", "head.weight"):
        state[name] = arrays[name].T
    kinds = ("query", "key", "value", "attended", "inner", "output")
    products = [f"layers.{layer}.{kind}.weight" for layer in range(model.depth) for kind in kinds]
    nodes = [node for node in graph.node if node.op_type == "MatMulInteger"]
    for name, node in zip(products, nodes, strict=True):
        (quantised,) = (one for one in node.input if one.endswith("_quantized") and one in arrays)
        state[name] = (arrays[quantised].astype(np.float32) * arrays[quantised.replace("_quantized", "_scale")]).T
    (table,) = (one for one in arrays.values() if one.dtype == np.int8 and one.ndim == 2 and len(one) > 20_000)
    (scale,) = (one for one in arrays.values() if one.shape == (len(table), 1))
    state["embeddings.token.weight"] = table * scale
    model.load_state_dict({name: torch.from_numpy(np.array(array, dtype=np.float32)) for name, array in state.items()})
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
