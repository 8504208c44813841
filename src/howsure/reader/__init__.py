"""Read pairs of texts: does the second follow from the first, contradict it, or neither?"""

from howsure.reader.choose import default_reader, small_reader
from howsure.reader.combination import CombinedReader
from howsure.reader.combination_fit import CombinationFit, LabelledPair, PairLabel, learn_combination, load_fit
from howsure.reader.cross_encoder import CrossEncoderReader
from howsure.reader.embedder import Embedder, default_embedder, embed_texts
from howsure.reader.guarded_call import ReaderError
from howsure.reader.judge_reader import JudgeReader
from howsure.reader.pair import PairProbabilities, Reader, TextPair, read_pairs
from howsure.reader.rules import RulesReader
from howsure.reader.sentence_encoder import SentenceEncoder

__all__ = [
    "CombinationFit",
    "CombinedReader",
    "CrossEncoderReader",
    "Embedder",
    "JudgeReader",
    "LabelledPair",
    "PairLabel",
    "PairProbabilities",
    "Reader",
    "ReaderError",
    "RulesReader",
    "SentenceEncoder",
    "TextPair",
    "default_embedder",
    "default_reader",
    "embed_texts",
    "learn_combination",
    "load_fit",
    "read_pairs",
    "small_reader",
]
