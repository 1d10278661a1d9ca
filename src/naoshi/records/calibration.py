"""How far a judge agrees with people: measured once for each judge, and kept."""

from pydantic import AwareDatetime

from naoshi.records.base import Record


class Estimate(Record):
    """A figure with its 95 % interval, from ``count`` observations; all None where nothing could be measured.

    ``method`` names how the interval was made.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    count: int = 0
    method: str = ""


class Probe(Record):
    """One test of a judge for a bias.

    ``name`` is ``repeat`` (the same question again), ``position`` (the output before the rule), ``length`` (neutral
    words added to the output), ``long_outputs`` (longer outputs against shorter ones) or ``self_preference`` (outputs
    of the judge's own family against others). ``flips`` is the share of grades that change from pass to fail or back;
    ``shift`` is the effect, above 0 in favour of what the bias would favour: of the mean score (0–1) where the same
    output was graded twice, of the share of passes less people's elsewhere. ``skipped`` says why nothing was measured.
    """

    name: str
    flips: Estimate | None = None
    shift: Estimate | None = None
    skipped: str = ""


class Calibration(Record):
    """How the grades of one judge (by its ``pin``) agree with people's labels.

    ``labels`` counts the labelled outputs; of them ``disputed`` had two people who disagree and no truth, and
    ``errors`` no grade. ``true_passes`` is the share of outputs that people passed and the judge too, ``false_passes``
    that of those that people failed and the judge passed. ``kappa`` is Cohen's, judge against people;
    ``people_kappa`` one person against the other. ``labels_hash`` is the SHA-256 of the file of labels.
    """

    calibration_id: str
    pin: str
    model: str
    provider: str
    rubric_version: str
    families: tuple[str, ...] = ()
    measured_at: AwareDatetime
    labels_hash: str
    labels: int
    disputed: int = 0
    errors: int = 0
    passed_by_people: int = 0
    passed_by_judge: int = 0
    true_passes: Estimate
    false_passes: Estimate
    kappa: Estimate
    people_kappa: Estimate | None = None
    probes: tuple[Probe, ...] = ()
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
