"""Where the official files of well-known data sets are, and their checksums."""

from dataclasses import dataclass

__all__ = ["SOURCES", "OfficialFile", "OfficialSource"]


@dataclass(frozen=True)
class OfficialFile:
    """A file, its checksum, and what is unpacked from it if it is an archive."""

    name: str
    algorithm: str
    checksum: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True)
class OfficialSource:
    """A place with files."""

    url: str
    files: tuple[OfficialFile, ...]


# Checksums of the official files, so that a mirror or a proxy that answers with something else is noticed.
def _idx_files(*checksums: str) -> tuple[OfficialFile, ...]:
    names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
    return tuple(
        OfficialFile(f"{name}-ubyte.gz", "sha256", checksum) for name, checksum in zip(names, checksums, strict=True)
    )


def _archive(name: str, md5: str, folder: str, *members: str) -> tuple[OfficialFile, ...]:
    return (OfficialFile(name, "md5", md5, tuple(f"{folder}/{member}" for member in members)),)


SOURCES = {
    "mnist": OfficialSource(
        "https://ossci-datasets.s3.amazonaws.com/mnist",
        _idx_files(
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
        ),
    ),
    "fashion-mnist": OfficialSource(
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com",
        _idx_files(
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
        ),
    ),
    "cifar10": OfficialSource(
        "https://www.cs.toronto.edu/~kriz",
        _archive(
            "cifar-10-python.tar.gz",
            "c58f30108f718f92721af3b95e74349a",
            "cifar-10-batches-py",
            *(f"data_batch_{number}" for number in range(1, 6)),
            "test_batch",
            "batches.meta",
        ),
    ),
    "cifar100": OfficialSource(
        "https://www.cs.toronto.edu/~kriz",
        _archive(
            "cifar-100-python.tar.gz",
            "eb9058c3a382ffc7106e4002c42a8d85",
            "cifar-100-python",
            "train",
            "test",
            "meta",
        ),
    ),
}
