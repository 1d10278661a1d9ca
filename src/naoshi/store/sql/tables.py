"""The tables of the schema as SQLAlchemy sees them. The migrations make them; a test holds both together."""

from functools import cache

from sqlalchemy import BigInteger, Column, Identity, Integer, MetaData, Table, Text

from naoshi.store.nouns import NOUNS, Noun

_NUMBERS: tuple[object, ...] = (int, bool, int | None, bool | None)
_COUNTING = BigInteger().with_variant(Integer(), "sqlite")


@cache
def record_tables(schema: str | None) -> dict[str, Table]:
    """Return the table of each noun by the noun's name."""
    metadata = MetaData(schema=schema)
    return {noun.name: _record_table(noun, metadata) for noun in NOUNS}


@cache
def ledger_table(schema: str | None) -> Table:
    """Return the table of the ledger."""
    return Table(
        "ledger",
        MetaData(schema=schema),
        Column("sequence", BigInteger, primary_key=True, autoincrement=False),
        Column("key", Text, nullable=False, unique=True),
        Column("previous", Text, nullable=False, unique=True),
        Column("digest", Text, nullable=False, unique=True),
        Column("body", Text, nullable=False),
    )


@cache
def confirmation_table(schema: str | None) -> Table:
    """Return the table of the conversations' states."""
    return Table(
        "confirmations",
        MetaData(schema=schema),
        Column("conversation_key", Text, primary_key=True),
        Column("revision", BigInteger, nullable=False),
        Column("body", Text, nullable=False),
    )


def is_number(noun: Noun, field: str) -> bool:
    """Return whether the indexed *field* of *noun* is a number or a truth value, not text."""
    return noun.record.model_fields[field].annotation in _NUMBERS


def _record_table(noun: Noun, metadata: MetaData) -> Table:
    indexed = [Column(field, BigInteger if is_number(noun, field) else Text) for field in noun.indexed]
    return Table(
        noun.name,
        metadata,
        Column("sequence", _COUNTING, Identity(always=True), primary_key=True),
        Column(noun.identifier, Text, nullable=False, unique=True),
        *indexed,
        Column("body", Text, nullable=False),
    )
