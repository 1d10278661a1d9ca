"""The demonstration's documents: seeded, invented receipts in English and Japanese, with their truths."""

from naoshi.demo.generator.write_receipts import write_receipts

__all__ = ["write_receipts"]
