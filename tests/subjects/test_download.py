import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused, UnknownName
from unnerve.subjects import download as module
from unnerve.subjects.datasets._official import SOURCES, OfficialFile, OfficialSource
from unnerve.subjects.download import download

CONTENT = bytes(range(256)) * 4000


@dataclass
class Site:
    """A server on this machine, and how it shall misbehave."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: list[int] = field(default_factory=list)  # one number of bytes for each of the next answers
    ranges: bool = True
    lengths: bool = True
    shift: int = 0
    asked: list[str | None] = field(default_factory=list)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _answer(self, site)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield site
    server.shutdown()
    thread.join()
    server.server_close()


def _answer(handler: BaseHTTPRequestHandler, site: Site) -> None:
    wanted = handler.headers.get("Range")
    site.asked.append(wanted)
    content = site.files.get(handler.path.lstrip("/"))
    start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and site.ranges else 0
    if content is None or start >= len(content):
        handler.send_error(404 if content is None else 416)
        return
    handler.send_response(206 if start else 200)
    if start:
        handler.send_header("Content-Range", f"bytes {start + site.shift}-{len(content) - 1}/{len(content)}")
    if site.lengths:
        handler.send_header("Content-Length", str(len(content) - start))
    handler.end_headers()
    stop = start + site.cut_after.pop(0) if site.cut_after else len(content)
    with suppress(ConnectionError):  # a client may hang up
        handler.wfile.write(content[start:stop])


def _offer(site: Site, monkeypatch: pytest.MonkeyPatch, content: bytes = CONTENT, **members: bytes) -> None:
    """Let the site offer one file under the name of MNIST."""
    file = OfficialFile("data.bin", "sha256", hashlib.sha256(content).hexdigest(), tuple(members))
    monkeypatch.setitem(SOURCES, "mnist", OfficialSource(site.url, (file,)))
    site.files["data.bin"] = content


def test_fetches_and_reports_progress(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    seen: list[tuple[str, int, int | None]] = []
    download("mnist", tmp_path / "new" / "folder", progress=lambda *step: seen.append(step))
    assert [file.name for file in (tmp_path / "new" / "folder").iterdir()] == ["data.bin"]
    assert (tmp_path / "new" / "folder" / "data.bin").read_bytes() == CONTENT
    assert seen[-1] == ("data.bin", len(CONTENT), len(CONTENT))
    assert [done for _, done, _ in seen] == sorted(done for _, done, _ in seen)


def test_leaves_whole_files_alone(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    (tmp_path / "data.bin").write_bytes(CONTENT)
    download("mnist", tmp_path)
    assert site.asked == []


def test_replaces_damaged_files(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    (tmp_path / "data.bin").write_bytes(CONTENT[:-1])
    download("mnist", tmp_path)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_goes_on_after_a_break(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    site.cut_after = [1000, 500_000]
    download("mnist", tmp_path)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert site.asked == [None, "bytes=1000-", "bytes=501000-"]


def test_resumes_in_another_run(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    site.cut_after = [1000, 0]
    with pytest.raises(InvalidData, match=r"data\.bin: cannot be fetched: the connection broke after 1000 of 1024000"):
        download("mnist", tmp_path)
    assert (tmp_path / "data.bin.part").stat().st_size == 1000
    assert not (tmp_path / "data.bin").exists()
    download("mnist", tmp_path)
    assert site.asked[-1] == "bytes=1000-"
    assert (tmp_path / "data.bin").read_bytes() == CONTENT
    assert not (tmp_path / "data.bin.part").exists()


def test_starts_anew_if_the_server_ignores_ranges(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    site.ranges = False
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:1000])
    download("mnist", tmp_path)
    assert site.asked == ["bytes=1000-"]
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_starts_anew_if_the_part_is_of_another_file(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _offer(site, monkeypatch)
    (tmp_path / "data.bin.part").write_bytes(b"x" * 1000)
    download("mnist", tmp_path)
    assert site.asked == ["bytes=1000-", None]
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


@pytest.mark.parametrize("content", [CONTENT, CONTENT + b"more"])
def test_a_part_with_nothing_missing(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes
) -> None:
    _offer(site, monkeypatch)
    (tmp_path / "data.bin.part").write_bytes(content)
    download("mnist", tmp_path)
    assert (tmp_path / "data.bin").read_bytes() == CONTENT


def test_a_server_that_gives_no_length(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    site.lengths = False
    totals: list[int | None] = []
    download("mnist", tmp_path, progress=lambda file, done, total: totals.append(total))
    assert set(totals) == {None}


@pytest.mark.parametrize("cut_after", [[], [1000]])
def test_refuses_a_wrong_checksum(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cut_after: list[int]
) -> None:
    _offer(site, monkeypatch)
    site.files["data.bin"] = CONTENT[::-1]
    site.cut_after = cut_after
    with pytest.raises(InvalidData, match=r"data\.bin: the file must have the sha256 [0-9a-f]{64}, got another"):
        download("mnist", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_refuses_another_range(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    site.shift = 5
    (tmp_path / "data.bin.part").write_bytes(CONTENT[:1000])
    with pytest.raises(InvalidData, match="sent another range than it was asked for"):
        download("mnist", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_reports_a_missing_file(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"train-images-idx3-ubyte\.gz: cannot be fetched: .* 404 Not Found"):
        download("fashion_mnist", tmp_path, base_url=site.url + "/")


def test_reports_a_server_that_is_not_there(site: Site, tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"cannot be fetched: .*refused"):
        download("mnist", tmp_path, base_url="http://127.0.0.1:9")


def _archive(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def test_unpacks_only_what_is_expected(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = _archive(**{"in/a": b"1", "in/b": b"2", "in/other": b"3", "../escaped": b"4"})
    _offer(site, monkeypatch, content, **{"in/a": b"", "in/b": b""})
    folder = tmp_path / "folder"
    download("mnist", folder)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()) == [
        "folder/data.bin",
        "folder/in/a",
        "folder/in/b",
    ]
    (folder / "in" / "a").unlink()
    download("mnist", folder)
    assert (folder / "in" / "a").read_bytes() == b"1"
    assert len(site.asked) == 1


def test_refuses_links_in_place_of_files(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        info = tarfile.TarInfo("in/a")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(info)
    _offer(site, monkeypatch, buffer.getvalue(), **{"in/a": b""})
    with pytest.raises(InvalidData, match=r"data\.bin: must hold in/a, found none"):
        download("mnist", tmp_path)


def test_refuses_what_is_no_archive(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch, b"garbage", **{"in/a": b""})
    with pytest.raises(InvalidData, match=r"data\.bin: must be an archive"):
        download("mnist", tmp_path)


def test_refuses_a_folder_that_cannot_be_written(site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _offer(site, monkeypatch)
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "inside"):
        with pytest.raises(OutputRefused, match=r"cannot write to '.*file.*': "):
            download("mnist", folder)
    (tmp_path / "data.bin.part").mkdir()
    with pytest.raises(OutputRefused, match="cannot write to"):
        download("mnist", tmp_path)


def test_refuses_other_names_and_addresses(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown data set to download 'minst'; did you mean mnist"):
        download("minst", tmp_path)
    with pytest.raises(InvalidSetting, match="base_url must begin with http:// or https://, got 'file:///etc'"):
        download("mnist", tmp_path, base_url="file:///etc")


def test_every_source_is_complete() -> None:
    assert sorted(SOURCES) == ["cifar10", "cifar100", "fashion-mnist", "mnist"]
    for source in SOURCES.values():
        for file in source.files:
            assert len(file.checksum) == 2 * hashlib.new(file.algorithm, usedforsecurity=False).digest_size
    assert len(SOURCES["cifar10"].files[0].members) == 7


@pytest.mark.data
@pytest.mark.parametrize("name", ["mnist", "fashion-mnist"])
def test_the_real_files_are_those_of_the_table(real_data: Path, name: str) -> None:
    for file in SOURCES[name].files:
        assert module._matches(real_data / name / file.name, file)
