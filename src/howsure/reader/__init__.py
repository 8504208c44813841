"""Read pairs of texts: does the second follow from the first, contradict it, or neither?"""

from howsure.reader.pair import PairProbabilities, Reader, ReaderError, TextPair, read_pairs
from howsure.reader.rules import RulesReader

__all__ = ["PairProbabilities", "Reader", "ReaderError", "RulesReader", "TextPair", "read_pairs"]
