"""Every error that a person can cause, in one tree.

    NaoshiError
    ├── UsageError                  exit status 2: the command or its input is wrong
    │   ├── ConfigError             naoshi.toml or the environment
    │   ├── InputError              a file or value handed in
    │   │   ├── MissingPathError
    │   │   └── SuiteError          an eval suite
    │   ├── RepositoryError         the user's git repository
    │   │   └── DirtyRepositoryError
    │   ├── NotFoundError           an identifier that stands for nothing
    │   ├── MissingProgramError     a program that is not on this machine
    │   │   └── MissingSandboxError bubblewrap, where the settings ask for it
    │   └── MissingExtraError       an optional dependency that is not installed
    ├── AgentError                  the agent under test did not do its part
    │   ├── AgentCrashError
    │   ├── AgentTimeoutError
    │   └── AgentProtocolError
    ├── StoreError                  the database or a state file
    │   ├── RecordConflictError
    │   └── LedgerError             the ledger's chain is broken
    ├── RefusedError                exit status 1: a check says no
    │   ├── MintRefusedError
    │   ├── ChangeRefusedError
    │   ├── JudgeKinError           the judge is of the judged model's family
    │   ├── GateUntrustedError      the gate failed its test of itself
    │   └── HoldoutBudgetError      the holdout was asked often enough
    ├── CodingAgentError            the program that was to make the change
    │   ├── CodingAgentCredentialsError   it may not ask its model
    │   ├── CodingAgentRateLimitError     exit status 3: its model's provider takes no more requests now
    │   ├── CodingAgentRefusalError       its model refused
    │   ├── CodingAgentLimitError         it used up its time, tokens or output
    │   ├── EmptyChangeError              it changed nothing
    │   └── UnusableChangeError           what it left cannot be taken as a diff on the base
    ├── ProposalError               a change could not be put before others
    │   ├── ProposalCredentialsError      exit status 2: nobody is logged in where it belongs
    │   └── ProposalPushError             the remote did not take its branch
    ├── ModelError                  exit status 3: a model gave no usable answer
    │   └── JudgeError              the judge of a rubric gave no usable grade
    ├── HaloError                   HALO gave no report that can be used
    ├── WaitingError                exit status 3: a person has to decide first
    │   └── NotPermittedError       a guarded action may not be done now
    └── EffectError                 something that is done once at most
        ├── EffectFailedError       it was done before, and failed
        └── OutcomeUnknownError     exit status 3: whether it happened is not known

Each class has a stable ``code``, a ``hint`` that says what to do next, and an ``exit_status``. The class
docstring's first line is the default message.
"""

from typing import Any, ClassVar


class NaoshiError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "error"
    hint: ClassVar[str] = "run again with --debug for the details"
    exit_status: ClassVar[int] = 2

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        self.message = message or (type(self).__doc__ or "").splitlines()[0]
        self.advice = hint or type(self).hint
        super().__init__(self.message)

    def line(self) -> str:
        """Return the one line that a person reads: ``naoshi: CODE: what happened; what to do``."""
        text = f"naoshi: {self.code}: {self.message.rstrip('.')}; {self.advice}"
        return " ".join(text.split())


class UsageError(NaoshiError):
    """The command was not used as it must be."""

    code = "usage"
    hint = "see `naoshi --help`"


class ConfigError(UsageError):
    """A setting is wrong."""

    code = "config-invalid"
    hint = "correct naoshi.toml, or write a fresh one with `naoshi init`"


class InputError(UsageError):
    """The input cannot be read."""

    code = "input-invalid"
    hint = "correct the file and run the command again"


class MissingPathError(InputError):
    """A file or folder is not there."""

    code = "path-missing"
    hint = "check the path"


class SuiteError(InputError):
    """An eval suite cannot be read."""

    code = "suite-invalid"
    hint = "correct the suite; `naoshi evals list` shows what can be read"


class RepositoryError(UsageError):
    """This is not a git repository that Naoshi can work in."""

    code = "repository-unusable"
    hint = "run the command inside a git repository with at least one commit"


class DirtyRepositoryError(RepositoryError):
    """The repository has uncommitted changes."""

    code = "repository-dirty"
    hint = "commit or stash them first"


class NotFoundError(UsageError):
    """There is no such record."""

    code = "not-found"
    hint = "`naoshi status` lists what there is"


class MissingProgramError(UsageError):
    """A program is missing on this machine."""

    code = "program-missing"
    hint = "`naoshi doctor` says how to get it"


class MissingSandboxError(MissingProgramError):
    """The sandbox that the settings ask for cannot be used."""

    code = "sandbox-missing"
    hint = 'install bubblewrap (`apt-get install bubblewrap`), or set `sandbox = "auto"` under [repair]'


class MissingExtraError(UsageError):
    """An optional dependency is not installed."""

    code = "extra-missing"
    hint = "install it with pip"


class AgentError(NaoshiError):
    """The agent did not do its part."""

    code = "agent-failed"
    hint = "run the [agent] command by hand with one JSON line on stdin"
    exit_status = 1


class AgentCrashError(AgentError):
    """The agent ended before it had answered."""

    code = "agent-crashed"


class AgentTimeoutError(AgentError):
    """The agent did not answer in time."""

    code = "agent-timeout"
    hint = "raise `timeout` under [agent], or make the agent faster"


class AgentProtocolError(AgentError):
    """The agent printed something other than one JSON object a line."""

    code = "agent-garbage"
    hint = "print only the answer on stdout and everything else on stderr"


class StoreError(NaoshiError):
    """The stored state cannot be read or written."""

    code = "store-failed"
    hint = "check the disk and the rights of .naoshi/, or NAOSHI_DATABASE_URL"


class RecordConflictError(StoreError):
    """Another record already has this identifier."""

    code = "record-conflict"
    hint = "nothing was changed; look at the stored record first"


class LedgerError(StoreError):
    """The ledger's chain of hashes does not hold."""

    code = "ledger-broken"
    hint = "restore .naoshi from a backup; the first broken entry is named"
    exit_status = 1


class RefusedError(NaoshiError):
    """A check says no."""

    code = "refused"
    hint = "the reasons are listed above"
    exit_status = 1


class MintRefusedError(RefusedError):
    """The correction cannot become an eval case."""

    code = "mint-refused"
    hint = "a case must fail on the recorded output and pass on the corrected one"


class ChangeRefusedError(RefusedError):
    """The change breaks a rule that every change must keep."""

    code = "change-refused"
    hint = "the change is kept; `naoshi status` names it"


class GateUntrustedError(RefusedError):
    """The gate did not pass its test of itself on this suite, so that it may not judge."""

    code = "gate-untrusted"
    hint = "`naoshi gate self-test` shows what it got wrong; correct [gate] in naoshi.toml, or the suite"


class JudgeKinError(RefusedError):
    """The judge may be of the judged model's own family."""

    code = "judge-kin"
    hint = "take a judge of another family, or allow it with --allow-same-family, which the run then says"


class HoldoutBudgetError(RefusedError):
    """The holdout was asked as often as it may be."""

    code = "holdout-budget"
    hint = "wait for the next month, or let a person raise `holdout_per_month` under [evals] in naoshi.toml"


class CodingAgentError(NaoshiError):
    """The coding agent made no usable change."""

    code = "coding-agent-failed"
    hint = "run the [repair] command by hand in a checkout"
    exit_status = 1


class CodingAgentCredentialsError(CodingAgentError):
    """The coding agent may not ask its model."""

    code = "coding-agent-credentials"
    hint = "set the variable with the key that is good for this model, and run the same command again"
    exit_status = 2


class CodingAgentRateLimitError(CodingAgentError):
    """The provider of the coding agent's model takes no more requests now."""

    code = "coding-agent-rate-limit"
    hint = "nothing is lost; run the same command again later"
    exit_status = 3


class CodingAgentRefusalError(CodingAgentError):
    """The coding agent's model refused the task."""

    code = "coding-agent-refusal"
    hint = "read its answer in the log of the attempt; another model may do it"


class CodingAgentLimitError(CodingAgentError):
    """The coding agent used up what it was allowed."""

    code = "coding-agent-limit"
    hint = "raise `timeout`, `token_limit` or `output_limit` under [repair]"


class EmptyChangeError(CodingAgentError):
    """The coding agent changed nothing."""

    code = "coding-agent-empty"
    hint = "read its answer in the log of the attempt"


class UnusableChangeError(CodingAgentError):
    """What the coding agent left does not apply to the base."""

    code = "coding-agent-unusable"
    hint = "read the log of the attempt; the next attempt starts from the base again"


class ProposalError(NaoshiError):
    """The proposal was not opened."""

    code = "proposal-failed"
    hint = "nothing is lost; run `naoshi propose` again"
    exit_status = 1


class ProposalCredentialsError(ProposalError):
    """Nobody is logged in at the code host."""

    code = "proposal-credentials"
    hint = "log in with `gh auth login`, or set GH_TOKEN, and run `naoshi propose` again"
    exit_status = 2


class ProposalPushError(ProposalError):
    """The remote did not take the proposal's branch."""

    code = "proposal-push-refused"
    hint = "see that you may push there, and run `naoshi propose` again"


class ModelError(NaoshiError):
    """A model gave no usable answer."""

    code = "model-failed"
    hint = "look at the settings of the model, and try again"
    exit_status = 3


class JudgeError(ModelError):
    """The judge gave no usable grade; the agent is not to blame."""

    code = "judge-failed"
    hint = "look at the judge's own answer, and run the case again"


class HaloError(NaoshiError):
    """HALO gave no report that can be used."""

    code = "halo-failed"
    hint = "its report and log are kept; look at them, and run the command again"
    exit_status = 3


class WaitingError(NaoshiError):
    """A person has to decide first."""

    code = "waiting"
    hint = "answer with `naoshi triage` or `naoshi review`, then run `naoshi cycle` again"
    exit_status = 3


class NotPermittedError(WaitingError):
    """The action may not be done now.

    ``permit`` is the guard's `naoshi.confirm.Permit`, which says why: its ``confirmation`` is the question to show,
    its ``context`` the text for the model.
    """

    code = "not-permitted"
    hint = "show the question to a person, take the reply in with `receive`, and call again"

    def __init__(self, message: str | None = None, *, hint: str | None = None, permit: Any = None) -> None:
        super().__init__(message, hint=hint)
        self.permit = permit


class EffectError(NaoshiError):
    """An effect that is done once at most cannot give a result."""

    code = "effect"
    hint = "it is not done again by itself"
    exit_status = 1


class EffectFailedError(EffectError):
    """The effect was done before, and failed."""

    code = "effect-failed"


class OutcomeUnknownError(EffectError):
    """The effect was begun, and whether it happened is not known.

    ``conversation_id`` is where a person is asked whether it happened; None while a program is still at it.
    """

    code = "outcome-unknown"
    hint = "see whether it happened, and answer the question about it"
    exit_status = 3

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, conversation_id: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.conversation_id = conversation_id
