"""What the coded checks expect of a run. An empty section of naoshi.toml gives settings that work."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from naoshi.records.text_comparison import Comparison


class ArtifactKind(StrEnum):
    """What an artifact has to be.

    ``record``: a JSON object or list. ``text``: text with something besides white space. ``table``: a header
    and at least one row (CSV text, or a list of rows). ``file``: a file below the outputs root.
    """

    record = "record"
    text = "text"
    table = "table"
    file = "file"


class ArtifactContract(BaseModel):
    """What one named artifact has to be.

    ``json_schema`` is a JSON schema or the path of one, relative to the schemas root. ``files`` are the fields of
    a record whose values (text or a list of texts) name files below the outputs root. ``binary`` allows bytes that
    are not UTF-8 text. ``required`` false checks the artifact only where a run has it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: ArtifactKind = ArtifactKind.record
    required: bool = True
    json_schema: dict[str, JsonValue] | str | None = None
    files: tuple[str, ...] = ()
    binary: bool = False


class ContractSettings(BaseModel):
    """The output contract. Without ``artifacts`` a run must give an output or any artifact that is not empty.

    ``largest_file`` is in bytes; a larger file is a signal and is not read.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    artifacts: dict[str, ArtifactContract] = {}
    largest_file: int = Field(default=64_000_000, gt=0)


class EvidenceSettings(BaseModel):
    """Evidence coverage: ``claims`` names the artifact that holds the claims.

    ``covers`` names the record whose every filled field needs a claim (empty text: none does). With ``required`` a
    run whose record has filled fields must have the claims artifact. ``quote_comparison`` says when a quote stands on
    its line. ``largest_file`` is in bytes; a citation of a larger file is one without source.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    claims: str = "claims"
    covers: str = "fields"
    required: bool = False
    quote_comparison: Comparison = Comparison.spacing
    largest_file: int = Field(default=16_000_000, gt=0)
