"""The judge of rubrics, measured and shown to people."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from naoshi.app.build import utc_now
from naoshi.app.settings import CONFIG_NAME, read_settings
from naoshi.errors import ConfigError
from naoshi.evals.judging.calibrate import calibrate
from naoshi.evals.judging.calibrations import below_mark, calibration_of, keep_calibration
from naoshi.evals.judging.labels import read_labels
from naoshi.evals.judging.model_judge import ModelJudge, judge_pin
from naoshi.evals.judging.open_judge import require_libraries
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.judging.told import in_japanese
from naoshi.flow.loop import Loop
from naoshi.records.calibration import Calibration, Estimate, Probe
from naoshi.records.language import Language
from naoshi.system.git import Git
from naoshi.ui.cli.output import Output

_WORDS: Final[Mapping[Language, Mapping[str, str]]] = {
    "en": {
        "judge": "judge",
        "labels": "labels",
        "counted": "{labels} ({disputed} in dispute between people, {errors} without a grade)",
        "figure": "figure",
        "value": "value",
        "interval": "95 % interval",
        "count": "outputs",
        "true_passes": "true passes (people pass, judge passes)",
        "false_passes": "false passes (people fail, judge passes)",
        "kappa": "kappa, judge and people",
        "people_kappa": "kappa, people among themselves",
        "probe": "probe for bias",
        "flips": "grades that flip",
        "shift": "shift",
        "repeat": "the same question again",
        "position": "output before the rule",
        "length": "words added that say nothing",
        "long_outputs": "longer outputs against shorter ones",
        "self_preference": "own family against others",
        "decides": "The judge decides.",
        "advises": "The judge advises and does not decide: {why}",
        "unmeasured": "not measured",
        "cost": "{requests} requests, {tokens} tokens, {cost}",
        "no_price": "price not known",
        "kept": "kept in {path}",
    },
    "ja": {
        "judge": "審査役",
        "labels": "ラベル",
        "counted": "{labels} 件（人の間で意見が分かれたもの {disputed}、採点のないもの {errors}）",
        "figure": "指標",
        "value": "値",
        "interval": "95 % 区間",
        "count": "件数",
        "true_passes": "真の合格（人が合格、審査役も合格）",
        "false_passes": "偽の合格（人が不合格、審査役は合格）",
        "kappa": "κ（審査役と人）",
        "people_kappa": "κ（人どうし）",
        "probe": "偏りの検査",
        "flips": "判定が変わる割合",
        "shift": "ずれ",
        "repeat": "同じ質問をもう一度",
        "position": "規則より先に出力を置く",
        "length": "意味のない言葉を足す",
        "long_outputs": "長い出力と短い出力",
        "self_preference": "同じ系列と他の系列",
        "decides": "審査役は判定します。",
        "advises": "審査役は助言のみで、判定しません: {why}",
        "unmeasured": "未測定",
        "cost": "要求 {requests} 回、トークン {tokens}、{cost}",
        "no_price": "価格不明",
        "kept": "保存先: {path}",
    },
}


@dataclass(frozen=True, kw_only=True)
class _Place:
    """The repository, its judge, and the language of its people."""

    repository: Path
    judge: JudgeSettings
    language: Language

    @classmethod
    def at(cls, folder: Path, language: str | None) -> "_Place":
        repository = Git.at(folder).folder
        settings = read_settings(repository / CONFIG_NAME)
        if not settings.judge.model.strip():
            raise ConfigError("no judge is configured", hint="write `model` under [judge] in naoshi.toml")
        chosen: Language = "ja" if (language or settings.language) == "ja" else "en"
        return cls(repository=repository, judge=settings.judge, language=chosen)

    @property
    def calibrations(self) -> Path:
        return self.repository / self.judge.calibrations


def calibrate_and_show(labels: Path, folder: Path, out: Output, *, probes: bool, language: str | None) -> int:
    """Measure the judge of the repository of *folder* on *labels*, keep and show it; return the exit status.

    Raises:
        ConfigError: naoshi.toml is missing or wrong, or names no judge.
        InputError: the labels cannot be read.
        JudgeError: the judge gave no grade at all.
        MissingExtraError: what asks the judge is not installed.
    """
    place = _Place.at(folder, language)
    read = read_labels(labels)
    require_libraries(place.judge)
    with ModelJudge(settings=place.judge, environment=os.environ) as judge:
        measured = calibrate(
            judge,
            read,
            now=utc_now(),
            probes=probes,
            tell=lambda done, total: out.passing(f"{place.judge.model}: {done}/{total}"),
        )
    path = keep_calibration(place.calibrations, measured)
    why = below_mark(measured, place.judge)
    _show(measured, why, place, out)
    out.say(_WORDS[place.language]["kept"].format(path=_relative(path, place.repository)))
    out.result({"decides": not why, "advice": why, "calibration": measured})
    return 1 if why else 0


def show_judge(folder: Path, out: Output, *, language: str | None) -> int:
    """Show what is known of the judge of the repository of *folder*; return the exit status.

    Raises:
        ConfigError: naoshi.toml is missing or wrong, or names no judge.
        InputError: the file of its calibration was spoilt.
    """
    place = _Place.at(folder, language)
    pin = judge_pin(place.judge)
    measured = calibration_of(place.calibrations, pin)
    why = below_mark(measured, place.judge)
    if measured is not None:
        _show(measured, why, place, out)
    else:
        words = _WORDS[place.language]
        out.say(f"{words['judge']}: {place.judge.model} ({place.judge.provider.value})")
        out.say(words["advises"].format(why=_in(place.language, why)))
    out.result({"pin": pin, "model": place.judge.model, "decides": not why, "advice": why, "calibration": measured})
    return 1 if why else 0


def allowing_same_family(loop: Loop) -> Loop:
    """Return *loop* with a judge that may grade its own kin, which its runs will say."""
    judge = loop.settings.judge.model_copy(update={"allow_same_family": True})
    return replace(loop, settings=loop.settings.model_copy(update={"judge": judge}))


def _show(measured: Calibration, why: str, place: _Place, out: Output) -> None:
    words = _WORDS[place.language]
    counted = words["counted"].format(labels=measured.labels, disputed=measured.disputed, errors=measured.errors)
    out.say(
        f"{words['judge']}: {measured.model} ({measured.provider})",
        f"{words['labels']}: {counted}",
    )
    figures = [
        ("true_passes", measured.true_passes),
        ("false_passes", measured.false_passes),
        ("kappa", measured.kappa),
    ]
    if measured.people_kappa is not None:
        figures.append(("people_kappa", measured.people_kappa))
    out.table(
        (words["figure"], words["value"], words["interval"], words["count"]),
        [(words[name], _value(found), _interval(found, words), found.count) for name, found in figures],
    )
    if measured.probes:
        out.table(
            (words["probe"], words["flips"], words["shift"]),
            [_probe_row(probe, place.language) for probe in measured.probes],
        )
    tokens = measured.input_tokens + measured.output_tokens
    cost = words["no_price"] if measured.cost is None else f"${measured.cost:.4f}"
    out.say(words["cost"].format(requests=measured.requests, tokens=tokens, cost=cost))
    out.say(words["advises"].format(why=_in(place.language, why)) if why else words["decides"])


def _in(language: Language, text: str) -> str:
    return in_japanese(text) if language == "ja" else text


def _probe_row(probe: Probe, language: Language) -> tuple[str, str, str]:
    words = _WORDS[language]
    if probe.skipped:
        return words[probe.name], words["unmeasured"], _in(language, probe.skipped)
    flips = _with_interval(probe.flips, words) if probe.flips else "-"
    return words[probe.name], flips, _with_interval(probe.shift, words) if probe.shift else "-"


def _with_interval(found: Estimate, words: Mapping[str, str]) -> str:
    return f"{_value(found)} {_interval(found, words)}"


def _value(found: Estimate) -> str:
    return "-" if found.value is None else f"{found.value:.2f}"


def _interval(found: Estimate, words: Mapping[str, str]) -> str:
    if found.low is None or found.high is None:
        return words["unmeasured"]
    return f"[{found.low:.2f}, {found.high:.2f}]"


def _relative(path: Path, repository: Path) -> Path:
    return path.relative_to(repository) if path.is_relative_to(repository) else path
