"""The store in a database: SQLite on one machine, PostgreSQL by URL. Importing this loads SQLAlchemy."""

from naoshi.store.sql.sql_confirmation_store import SqlConfirmationStore
from naoshi.store.sql.sql_store import SqlStore

__all__ = ["SqlConfirmationStore", "SqlStore"]
