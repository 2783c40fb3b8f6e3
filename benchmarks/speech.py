"""Log-mel features against librosa's; one thread, CPU time."""

import time

import librosa
import torch

from benchmarks.pairs import one_thread, ratio
from unnerve.core.streams import Streams
from unnerve.subjects.sounds.mel import LogMel

_RATE, _CLIPS = 16_000, 64


def log_mel_speed_up() -> float:
    """How much faster 40 log-mel bands of 64 clips of a second are than librosa's, each as it is used.

    Ours in batches of 16, as networks are given them; librosa clip by clip, as its examples do. When this was written,
    ours clip by clip were 4.0 to 4.7 times as fast, and 1.9 times if librosa was given all clips in one call.
    """
    clips = Streams(0, map(str, range(_CLIPS))).uniform(0, 0, (_RATE,)).sub_(0.5)
    front, arrays = LogMel(_RATE, 40), clips.numpy()

    def ours() -> None:
        with torch.no_grad():
            for some in clips.split(16):
                front(some)

    def theirs() -> None:
        for clip in arrays:
            power = librosa.feature.melspectrogram(
                y=clip, sr=_RATE, n_fft=400, hop_length=160, pad_mode="constant", n_mels=40, norm=None
            )
            librosa.power_to_db(power, ref=1.0, amin=1e-10, top_db=None)

    with one_thread():
        return ratio(ours, theirs, rounds=5, clock=time.process_time)
