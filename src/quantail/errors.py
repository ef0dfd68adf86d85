"""Named errors: each says what is wrong, where, and what to do next, and never quotes a confidential value.

Every error carries the exit code that the command line ends with.
"""

from quantail.visible import without_credentials


class QuantailError(Exception):
    """Base of every error that Quantail raises on purpose."""

    exit_code = 1

    def __str__(self) -> str:
        """Say what is wrong; a message may name an address, but never the user and password in it."""
        return without_credentials(super().__str__())


class SchemaError(QuantailError):
    """A schema is incomplete or contradicts itself."""

    exit_code = 3


class DataError(QuantailError):
    """A table does not fit its schema, or a file cannot be read or written."""

    exit_code = 4


class BudgetError(QuantailError):
    """A privacy budget is malformed or would be overspent."""

    exit_code = 5


class LedgerError(QuantailError):
    """A ledger is missing, locked, damaged or belongs to another data set."""

    exit_code = 6


class LostChargeError(LedgerError):
    """A charge that was made is no longer in its ledger; what it paid for must not be published."""


class NoLedgerWarning(UserWarning):
    """A release is paid for, and no ledger keeps count of it."""


class ModelError(QuantailError):
    """A saved model cannot be read, or is asked for something that it does not hold."""

    exit_code = 7


class EngineError(QuantailError):
    """Workers cannot be reached, or get lost again and again."""

    exit_code = 8


class OptionError(QuantailError):
    """An option has a value that is not allowed."""

    exit_code = 2
