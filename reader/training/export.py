"""Export trained weights as an ONNX model: `python export.py READER.safetensors BASE OUT.onnx`.

Matrices are kept in 6 bits with a scale for each output, four numbers in three bytes, and become 8-bit integers when
the model is loaded. Embeddings are kept in 4 bits with a scale for each 32, and are unpacked row by row. Activations
are quantised while the model runs.
"""

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from model import BLOCK, LEVELS, CrossEncoder, RoundedLinear, expand_embeddings
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.torch import load_file
from torch import nn

POSITIONS = 256
"""Positions that are kept: the longest input that the reader is given."""
OPSET = 18
"""The first one with operators on bits."""


class PackedEmbedding(nn.Module):
    """An embedding table of 4-bit integers, two in a byte: the halves of a row."""

    def __init__(self, whole: torch.Tensor, scale: torch.Tensor) -> None:
        super().__init__()
        low, high = (whole.int() + 8).to(torch.uint8).chunk(2, dim=1)
        self.register_buffer("packed", low + 16 * high)
        self.register_buffer("scale", scale)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the rows as floats."""
        packed = self.packed[ids].float()
        high = torch.floor(packed / 16)
        values = torch.cat([packed - 16 * high, high], dim=-1) - 8
        return (values.unflatten(-1, (-1, BLOCK)) * self.scale[ids].float()[..., None]).flatten(-2)


def load_reader(weights: Path, base: Path) -> CrossEncoder:
    """Return the trained model with its rounded weights."""
    state = load_file(str(weights))
    model = CrossEncoder.from_base(base)
    whole, scale = state["embeddings.token.weight"], state.pop("embeddings.token.scale")
    for name, module in model.named_modules():
        if isinstance(module, RoundedLinear):
            state[f"{name}.weight"] = state[f"{name}.weight"] * state.pop(f"{name}.scale")
    model.load_state_dict(state | {"embeddings.token.weight": expand_embeddings(whole.float(), scale)})
    model.embeddings.token = PackedEmbedding(whole, scale)
    model.embeddings.position = nn.Embedding.from_pretrained(model.embeddings.position.weight[:POSITIONS])
    return model.eval()


def pack(whole: np.ndarray) -> np.ndarray:
    """Return whole numbers of 6 bits as bytes, three rows for four numbers each.

    >>> unpack(pack(np.array([-31, 0, 5, 31]))).tolist()
    [-31, 0, 5, 31]
    """
    first, second, third, fourth = (whole.reshape(4, -1) + LEVELS).astype(np.uint8)
    return np.stack([first | fourth << 6, second | fourth >> 2 << 6, third | fourth >> 4 << 6])


def unpack(packed: np.ndarray) -> np.ndarray:
    """Return the whole numbers, by the steps of `unpacking`."""
    low, high = packed & 63, packed >> 6
    rows = np.concatenate([low, high[:1] | high[1:2] << 2 | high[2:] << 4])
    return rows.astype(np.int8).reshape(-1) - LEVELS


def unpacking(name: str) -> list[onnx.NodeProto]:
    """Return the nodes that unpack a matrix to 8-bit integers; they run once, when the model is loaded.

    The integers are from 0 on, and `LEVELS` is their zero point: subtracting it here takes twice as long to load.
    """

    def node(kind: str, inputs: str, outputs: str, **attributes: object) -> onnx.NodeProto:
        # "_x" is a value of this matrix alone, "x" one that all share.
        places = [
            [f"{name}{one}" if one.startswith("_") else one for one in some.split()] for some in (inputs, outputs)
        ]
        return helper.make_node(kind, *places, name=f"{places[1][0]}_node", **attributes)

    return [
        node("BitwiseAnd", "_packed bits_63", "_low"),
        node("BitShift", "_packed bits_6", "_high", direction="RIGHT"),
        node("Split", "_high", "_first _second _third", axis=0, num_outputs=3),
        node("BitShift", "_second bits_2", "_second_moved", direction="LEFT"),
        node("BitShift", "_third bits_4", "_third_moved", direction="LEFT"),
        node("BitwiseOr", "_first _second_moved", "_two"),
        node("BitwiseOr", "_two _third_moved", "_fourth"),
        node("Concat", "_low _fourth", "_rows", axis=0),
        node("Cast", "_rows", "_small", to=onnx.TensorProto.INT8),
        helper.make_node("Reshape", [f"{name}_small", f"{name}_shape"], [name], name=f"{name}_node"),
    ]


def pack_matrices(model: onnx.ModelProto) -> None:
    """Replace the 8-bit matrices of a quantised model by packed ones."""
    graph = model.graph
    zero_points = {node.input[1]: node.input[3] for node in graph.node if node.op_type == "MatMulInteger"}
    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    arrays |= {f"bits_{number}": np.array([number], dtype=np.uint8) for number in (2, 4, 6, 63)}
    nodes = []
    for name, zero_point in sorted(zero_points.items()):
        array, scale = arrays.pop(name), name.replace("_quantized", "_scale")
        # quantize_dynamic has stretched our whole numbers to more levels, so that only the scale has to change back.
        stretched = np.abs(array).max(axis=0).astype(np.float32) / LEVELS
        arrays[scale] = (arrays[scale] * stretched).astype(np.float32)
        arrays[f"{name}_packed"] = pack(np.rint(array / stretched).astype(int))
        arrays[f"{name}_shape"] = np.array(array.shape, dtype=np.int64)
        arrays[zero_point] = np.full_like(arrays[zero_point], LEVELS)
        nodes += unpacking(name)
    nodes += graph.node
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in arrays.items())
    graph.node.extend(nodes)


def export(model: CrossEncoder, out: Path) -> None:
    """Write the quantised model; its output is the logits."""
    model.plain = True
    ids = torch.randint(1000, 20000, (2, 12))
    sample = (ids, torch.ones_like(ids), torch.zeros_like(ids))
    names = ["input_ids", "attention_mask", "token_type_ids"]
    with tempfile.TemporaryDirectory() as folder:
        plain, quantised = Path(folder) / "plain.onnx", Path(folder) / "quantised.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                model,
                sample,
                str(plain),
                input_names=names,
                output_names=["logits"],
                opset_version=OPSET,
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
            str(quantised),
            op_types_to_quantize=["MatMul"],
            nodes_to_quantize=products,
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        packed = onnx.load(str(quantised))
        pack_matrices(packed)
        onnx.save(packed, str(out))


if __name__ == "__main__":
    export(load_reader(Path(sys.argv[1]), Path(sys.argv[2])), Path(sys.argv[3]))
