"""Kinds of wrong input: one clear line, exit code 2, nothing half-written. A new form of input adds its rows here."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.wrong_files import make_wrong_files
from unnerve.cli.main import main

LONG = "a" * 252
DEEP = "lineage:" + "transform=patch(" * 30 + ")" * 30

# In a folder with the files of wrong_files.py; the message may go on, and `...` stands for anything.
ROWS = """
$ unnerve hunt zoo:lenet5 mnist5k --method "guided:search=pso(particles=50"
parentheses must come in pairs, got 'guided:search=pso
$ unnerve hunt zoo:lenet5 mnist5k --method "guided:search=pso)particles=50("
parentheses must come in pairs
$ unnerve hunt zoo:lenet5 mnist5k --method "guided:search=pso(particles=pso())"
pso: particles must be int, got 'pso()'
$ unnerve hunt zoo:lenet5 mnist5k --method "guided:search=pso(wings=2)"
pso has no setting 'wings'; it has particles,
$ unnerve hunt zoo:lenet5 mnist5k --method pgd:step=nan
pgd: step must be a number of at most 1e+15, got 'nan'
$ unnerve hunt zoo:lenet5 mnist5k --method pgd:step=inf
pgd: step must be a number of at most 1e+15, got 'inf'
$ unnerve hunt zoo:lenet5 mnist5k --method pgd:steps=99999999999999999999999
pgd: steps must be a number of at most 1e+15
$ unnerve hunt zoo:lenet5 mnist5k --method pgd,pgd
'pgd' is named twice
$ unnerve hunt zoo:lenet5 mnist5k --method pgd --method=square
--method must be given once, got it 2 times; if it takes several values, put commas between
$ unnerve hunt zoo:lenet5 mnist5k --method ,
methods must name at least one
$ unnerve hunt zoo:lenet5 mnist5k --region linf:1/0
linf: radius must be float, got '1/0'
$ unnerve hunt zoo:lenet5 mnist5k --region linf:-1
radius must be
$ unnerve hunt zoo:lenet5 mnist5k --region DEEP
methods must be nested <= 20 deep, got 30
$ unnerve hunt zoo:lenet5 mnist5k --workers 100000
workers must be <= ... on this machine, got 100000
$ unnerve hunt zoo:lenet5 mnist5k --engine ray --workers 100000
workers must be <= ... on this machine, got 100000
$ unnerve hunt zoo:lenet5 mnist5k --seconds nan
seconds must be > 0, got nan
$ unnerve hunt zoo:lenet5 mnist5k --out s4://x
s4://x:
$ unnerve hunt zoo:lenet5 mnist5k --out file/x
cannot write to file/x: Not a directory
$ unnerve rank zoo:lenet5 mnist5k --workers 100000
workers must be <= ... on this machine, got 100000
$ unnerve rank zoo:lenet5 mnist5k --out LONG.csv
cannot write ...: its name must be <= 255 bytes, got 256
$ unnerve rank zoo:lenet5 mnist5k --weights nowhere.safetensors
no such weights file: nowhere.safetensors
$ unnerve rank zoo:lenet5 mnist5k --weights net.safetensors
net.safetensors: not a readable safetensors file
$ unnerve rank zoo:lenet5 mnist5k --weights weights.pt
weights.pt: not a readable weights file
$ unnerve rank net.safetensors mnist5k
net.safetensors: holds weights without the model; name the code that builds it: FILE.py:build --weights net.safetensors
$ unnerve rank nets.py mnist5k
nets.py: must be followed by what builds the model in it, as in nets.py:build
$ unnerve rank zoo:lenet5 npz:splits.npz
splits.npz: must hold an array 'x', found: x_train, x_test; --split test reads 'x_test'
$ unnerve rank people.joblib people.csv --trust
people.csv: must have the columns that people.joblib knows, and lacks 'income'; it has age, size
$ unnerve rank people.joblib people.csv
people.joblib: loading it runs code stored in it; if you made it yourself, or trust who did, add --trust
$ unnerve rank net.onnx mnist5k
...net.onnx: onnxruntime cannot open it
$ unnerve rank net.pt2 mnist5k
net.pt2:
$ unnerve rank net.skops mnist5k
net.skops: not a readable skops file
$ unnerve rank whole.pt mnist5k
whole.pt: refused: it holds a pickled object (torch.nn.modules.linear.Linear), a whole model or settings of its training
$ unnerve rank hf:nowhere mnist5k
hf:nowhere: must be a directory with a config.json, as save_pretrained writes it
$ unnerve rank http://127.0.0.1:9/,retries=0 mnist5k --limit 5
http://127.0.0.1:9/
$ unnerve rank zoo:lenet5 people.csv,categories=town
unknown column of people.csv 'town'
$ unnerve rank zoo:lenet5 people.csv --label town
unknown column of people.csv 'town'; known: age, label, size
$ unnerve rank zoo:lenet5 mnist5k --limit 5 --stored-range 3,1
--stored-range must be two numbers, low < high, got
$ unnerve rank zoo:lenet5 mnist5k --limit 5 --outputs foo
--outputs must be one of auto, logits, probabilities
$ unnerve rank zoo:net1:classes=-1?random mnist5k
zoo:net1:classes=-1: classes must be >= 2, got -1
$ unnerve rank zoo:net1:classes=100000000000?random mnist5k
zoo:net1:classes=100000000000 must have <= 2,000,000,000 parameters
$ unnerve rank zoo:resnet20:depth=6000002?random mnist5k
resnet20: depth must be 6n + 2, from 8 to 1,202, got 6000002
$ unnerve rank broken.py:build mnist5k
importing broken.py raised SyntaxError
$ unnerve rank nets.py:absent mnist5k
nets.py has no 'absent'; it has
$ unnerve rank nets.py:raises mnist5k
nets.py:raises raised ValueError: no weights today
$ unnerve rank nets.py:Needy mnist5k
nets.py:Needy needs width; write a function without arguments
$ unnerve rank nets.py:nan mnist5k
nets.py:nan: output has NaN or infinite values
$ unnerve rank nets.py:three mnist5k
nets.py:three: output must have shape
$ unnerve rank nets.py:halves mnist5k
nets.py:halves: outputs lie in [0, 1] but rows do not sum to one
$ unnerve rank zoo:lenet5 npz:pipe.npz
npz: the file must exist, got 'pipe.npz', no regular file
$ unnerve rank zoo:lenet5 npz:cut.npz
cut.npz: must be an npz file, and not damaged
$ unnerve rank zoo:lenet5 npz:nan.npz
nan.npz: inputs must be finite numbers, got NaN or infinity in input 2
$ unnerve rank zoo:lenet5 npz:huge.npz
huge.npz: labels must be < 1,000,000, got 10000000000
$ unnerve rank zoo:lenet5 npz:five.npz
five.npz: 4 inputs but 5 labels
$ unnerve rank zoo:lenet5 npz:words.npz
words.npz: inputs must be uint8 or floating point
$ unnerve rank zoo:lenet5 npz:empty.npz
empty.npz: the data set is empty
$ unnerve rank zoo:lenet5 npz:bomb.npz
bomb.npz: x must unpack to <= 4,294,967,296 bytes, got 5,0
$ unnerve rank zoo:lenet5 npz:bomb.npz --limit 1
bomb.npz: x must unpack to <= 4,294,967,296 bytes, got 5,0
$ unnerve rank zoo:lenet5 imagefolder:pipe
pipe/a/x.png: must be a file
$ unnerve rank zoo:lenet5 imagefolder:giant
giant/a/x.png: an image must have <= 89,478,485 pixels
$ unnerve rank zoo:lenet5 imagefolder:text
text/a/x.png: must be an image, whole and undamaged
$ unnerve rank zoo:lenet5 imagefolder:table
table/labels.csv: labels must be < 1,000,000, got 10000000000
$ unnerve inspect zoo:lenet5 --shape 100000,100000
shape must have <= 16,777,216 numbers in all, got 10,000,000,000
$ unnerve inspect zoo:lenet5 --shape 0,28,28
shape must be positive numbers
$ unnerve cover zoo:lenet5 mnist5k --limit 20 --profile mnist5k --profile-limit 9 --criteria kmnc:sections=1000000000
KMNC(sections=1000000000) of 268 neurons must unpack to <= 4,294,967,296
$ unnerve react zoo:lenet5 mnist5k --threshold nan
threshold must be a finite number, got nan
$ unnerve rank nets.py:four mnist5k --limit 20
mnist5k: labels must be in [0, 3], the 4 classes of nets.py:four, got
$ unnerve hunt zoo:lenet5 mnist5k --target cat
unknown class of mnist5k 'cat'; known: 0, 1, 2
$ unnerve rank zoo:lenet5 hf:nowhere
hf: must be a folder that save_to_disk wrote, got 'nowhere'; nothing is downloaded by name
$ unnerve rank zoo:lenet5 saved
saved/data-0.arrow: must be an Arrow file, and not damaged
$ unnerve inspect zoo:lenet5 --limit 5
--limit is for data, and none is named
$ unnerve inspect zoo:lenet5 mnist5k --shape 1,8,8 --limit 5
--shape must be that of the data, (1, 28, 28) of mnist5k, or left away, got (1, 8, 8)
$ unnerve rank zoo:lenet5 mnist5k --limit 5 --normalise 0.1,0.2/0.3,0.4
...normalis
$ unnerve report no-json
no-json: campaign.json is damaged
$ unnerve report no-number
no-number: campaign.json is damaged: seeds cannot be NaN
$ unnerve report long-number
long-number: campaign.json is damaged: must be a finite number, got 1000000000000000000000000000000000000000
$ unnerve report large-number
large-number: campaign.json is damaged: queries cannot be Infinity
$ unnerve report large-format
large-format was written in format Infinity, and this version reads format
$ unnerve report nowhere
nowhere: there is no campaign
$ unnerve report zip://x
zip://x: a path within an archive must name it
$ unnerve verify nowhere
nowhere: there is no campaign
$ unnerve hunt zoo:lenet5 mnist5k --step-seconds 0
step_seconds must be > 0, got 0
$ unnerve hunt zoo:lenet5 mnist5k --proofs 1
proofs must be in [2, 1000], got 1
$ unnerve corrupt zoo:lenet5 mnist5k --report page.pdf
a report is written as .html, got 'page.pdf'
$ unnerve corrupt zoo:lenet5 mnist5k --severities 7
severities must be some of 1,2,3,4,5, each once, got '7'
$ unnerve score zoo:lenet5 mnist5k --out page
a report is written as .html, got 'page'
$ unnerve score zoo:lenet5 mnist5k --measure attack_sucess
unknown measure 'attack_sucess'; did you mean attack_success?
$ unnerve react zoo:lenet5 mnist5k --reaction owl
unknown reaction 'owl'
$ unnerve react zoo:lenet5 mnist5k --out page.txt
a report is written as .html, got 'page.txt'
$ unnerve rank zoo:lenet5 mnist5k --evaluate --report page.txt
a report is written as .html, got 'page.txt'
$ unnerve defend zoo:lenet5 mnist5k --defences nonsense
unknown defence 'nonsense'
$ unnerve harden zoo:lenet5 mnist5k --from nowhere
nowhere: there is no campaign
$ unnerve diagnose zoo:lenet5 mnist5k --level 2
level must be in (0, 1), got 2.0
$ unnerve map zoo:lenet5 mnist5k --thresholds 1,2
--thresholds must be four numbers, such as 0.3,0.7,0.4,0.6, got '1,2'
$ unnerve hunt zoo:lenet5 mnist5k --fail-if broken
a limit must be like 'broken > 5%', got 'broken'
$ unnerve hunt zoo:lenet5 mnist5k --fail-if "broken > 500%"
a limit in % must be <= 100 %, got 'broken > 500%'
$ unnerve hunt zoo:lenet5 mnist5k --limit 20 --method kuk --pattern LL --dropout 0.2 --dropout-places nonsense
zoo:lenet5 calls no layer 'nonsense'; it calls: conv1,
$ unnerve hunt zoo:lenet5 mnist5k --limit 20 --inputs 2 --engine spark
engine must be local or ray, got 'spark'
$ unnerve rank zoo:lenet5 mnist5k --limit 5 --normalise nan/1
--normalise must give as many means as positive deviations, all finite, got [nan] and [1.0]
$ unnerve rank zoo:lenet5 mnist5k --limit 5 --normalise 0/inf
--normalise must give as many means as positive deviations, all finite, got [0.0] and [inf]
$ unnerve rank nets.py:halves mnist5k --limit 5 --normalise 0/1e-50
--normalise must give as many means as positive deviations, all finite, got [0.0] and [1e-50]
$ unnerve rank zoo:lenet5 mnist5k --limit 5 --classes a,b
--classes must name every class: unknown class of mnist5k '0'; known: a, b
$ unnerve rank nets.py:nothing mnist5k
nets.py:nothing must be an nn.Module, a callable or an estimator, got NoneType
$ unnerve rank zoo:lenet5 mnist5k --classes a,a
--classes must differ from each other, got 'a' twice
$ unnerve rank http://127.0.0.1:9/,nonsense=1 mnist5k
http has no setting 'nonsense'; it has send,
$ unnerve inspect zoo:lenet5 --neurons nonsense*
no layer matches 'nonsense*'; layers are: conv1
$ unnerve export nowhere --to x
nowhere: there is no campaign
"""


@pytest.fixture(scope="module")
def wrong_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    make_wrong_files(folder)
    return folder


def pairs() -> list[list[str]]:
    return [block.split("\n", 1) for block in ROWS.strip().removeprefix("$ unnerve ").split("\n$ unnerve ")]


@pytest.mark.tried("wrong input")
@pytest.mark.parametrize(("typed", "message"), pairs())
def test_wrong_input_is_one_line_and_leaves_nothing(
    typed: str, message: str, wrong_files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(wrong_files)
    before = state(wrong_files)
    assert main(shlex.split(typed.replace("LONG", LONG).replace("DEEP", DEEP))) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.match(re.escape(f"unnerve: {message.strip()}").replace(re.escape("..."), ".+"), shown.err), shown.err
    assert shown.err.count("\n") == 1
    assert state(wrong_files) == before


def state(folder: Path) -> dict[Path, int]:
    """Return all that is in a folder, and when it was changed last."""
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*") if "__pycache__" not in path.parts}


def test_there_are_forty_kinds() -> None:
    assert len({message for _, message in pairs()}) >= 40
