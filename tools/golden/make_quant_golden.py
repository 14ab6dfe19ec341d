#!/usr/bin/env python3
"""Writes tests/data/quant_golden.bin: blocks and the numbers that gguf-py makes of them, and back.

    pip install gguf
    python3 tools/golden/make_quant_golden.py tests/data/quant_golden.bin

The file: "RKQG", then entries until its end, each of
    u32 direction (0: blocks -> numbers, 1: numbers -> blocks), u32 type, u32 n numbers, u32 n bytes of blocks,
    f32 numbers[n], u8 blocks[...]
"""
import struct
import sys

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

N = 768  # three super-blocks
# type: offsets of the f16 fields in a block
SCALES = {
    T.F32: [], T.F16: [], T.BF16: [], T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0],
    T.Q2_K: [80, 82], T.Q3_K: [108], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208], T.IQ4_NL: [0], T.IQ4_XS: [0],
}
ENCODED = [T.F16, T.BF16, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0]


def random_blocks(rng, kind):
    """Random bytes, with scales that are finite halves: both signs, subnormals, zero."""
    n_elements, n_bytes = gguf.GGML_QUANT_SIZES[kind]
    if kind == T.F32:
        return rng.normal(size=N).astype(np.float32).view(np.uint8).reshape(-1, 4)
    if kind == T.F16:
        halves = rng.integers(0, 0x7C00, N, dtype=np.uint16) | rng.integers(0, 2, N, dtype=np.uint16) << 15
        return halves.astype(np.uint16).view(np.uint8).reshape(-1, 2)
    if kind == T.BF16:
        return (rng.normal(size=N).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).view(np.uint8).reshape(-1, 2)
    blocks = rng.integers(0, 256, (N // n_elements, n_bytes), dtype=np.uint8)
    for offset in SCALES[kind]:
        scales = rng.normal(scale=0.05, size=len(blocks)).astype(np.float16)
        scales[0] = np.float16(3e-7)  # subnormal
        if len(blocks) > 3:
            scales[1] = 0
        blocks[:, offset:offset + 2] = scales.view(np.uint8).reshape(-1, 2)
    return blocks


def entry(direction, kind, numbers, blocks):
    numbers = np.ascontiguousarray(numbers, dtype=np.float32).reshape(-1)
    blocks = np.ascontiguousarray(blocks, dtype=np.uint8).reshape(-1)
    return struct.pack("<4I", direction, int(kind), numbers.size, blocks.size) + numbers.tobytes() + blocks.tobytes()


def main():
    rng = np.random.default_rng(20240229)
    out = b"RKQG"
    for kind in SCALES:
        blocks = random_blocks(rng, kind)
        out += entry(0, kind, gguf.dequantize(blocks, kind), blocks)
    for kind in ENCODED:
        numbers = rng.normal(scale=0.3, size=N // 2).astype(np.float32)
        numbers[32:64] = 0  # a block of zeros: no division by its scale
        numbers[64:96] = np.abs(numbers[64:96]) * np.float32(1e-4)
        out += entry(1, kind, numbers, gguf.quantize(numbers, kind).view(np.uint8))
    with open(sys.argv[1], "wb") as file:
        file.write(out)
    print(f"{sys.argv[1]}: {len(out)} bytes, gguf-py and numpy {np.__version__}")


if __name__ == "__main__":
    main()
