"""Turn a quantised ONNX model of a BERT into weights to train: `python dequantise.py MODEL_FOLDER OUT`.

MODEL_FOLDER holds model.onnx, whose matrices are 8-bit integers (`MatMulInteger`), and tokenizer.json. OUT gets
config.json, model.safetensors with the names of Hugging Face in float32, and tokenizer.json.
"""

import json
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file


def read_weights(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Return the weights of the encoder by their names, as floats."""
    arrays = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}

    def expand(name: str) -> np.ndarray:
        zero, scale = (arrays[f"{name}_{part}"].astype(np.float32) for part in ("zero_point", "scale"))
        return (arrays[f"{name}_quantized"].astype(np.float32) - zero) * scale

    weights = {name: array for name, array in arrays.items() if re.search(r"(LayerNorm\.(weight|bias)|\.bias)$", name)}
    for name in arrays:
        plain = name.removesuffix("_quantized")
        if plain != name and "embeddings" in plain:
            weights[plain] = expand(plain)
    for node in model.graph.node:
        place = re.search(r"(encoder/layer\.\d+/[\w/]+?)/MatMul", node.name)
        matrices = [name for name in node.input if name in arrays and name.endswith("_quantized")]
        if node.op_type == "MatMulInteger" and place and matrices:
            weights[place[1].replace("/", ".") + ".weight"] = expand(matrices[0].removesuffix("_quantized")).T
    found = {name.removeprefix("bert."): array for name, array in weights.items()}
    return {
        name: np.ascontiguousarray(array, dtype=np.float32)
        for name, array in found.items()
        if name.startswith(("embeddings.", "encoder."))
    }


def main(source: Path, out: Path) -> None:
    """Write the weights and what belongs to them."""
    weights = read_weights(onnx.load(str(source / "model.onnx")))
    vocabulary, width = weights["embeddings.word_embeddings.weight"].shape
    config = {
        "vocab_size": vocabulary,
        "hidden_size": width,
        "max_position_embeddings": len(weights["embeddings.position_embeddings.weight"]),
        "num_hidden_layers": 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.")),
        "num_attention_heads": width // 32,  # as in all MiniLM
        "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.weight"]),
        "layer_norm_eps": 1e-12,
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.json").write_text(json.dumps(config, indent=1))
    save_file(weights, str(out / "model.safetensors"))
    shutil.copy(source / "tokenizer.json", out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
