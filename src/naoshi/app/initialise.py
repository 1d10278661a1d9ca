"""Making a repository ready for the loop: naoshi.toml and the folders."""

from codecs import BOM_UTF8
from dataclasses import dataclass
from pathlib import Path

from naoshi.app.settings import CONFIG_NAME
from naoshi.errors import UsageError
from naoshi.repair.agents_md import agents_section, with_section
from naoshi.repair.settings import DEFAULT_PROTECTED
from naoshi.system.files import inside, read_text, write_durably
from naoshi.system.git import Git

STATE_NAME = ".naoshi"
_AGENTS = "AGENTS.md"

_CONFIG = """\
# naoshi.toml: how Naoshi runs this agent and judges its changes. Every setting is in docs/settings.md.
# A variable of the environment wins over this file: NAOSHI_LANGUAGE=ja, NAOSHI_AGENT__TIMEOUT=30.

# The language of questions, handoffs and explanations: "en" or "ja".
language = "{language}"

[agent]
# The agent, started in a checkout of the version under test. It reads one JSON object a line on stdin,
#   {{"case_id": "...", "vars": {{...}}}}
# and answers with one a line on stdout, all else on stderr:
#   {{"case_id": "...", "output": ..., "artifacts": {{...}}, "spans": [...]}}
command = {command}
# Seconds for one answer.
timeout = 60
# The agent's model, so that a judge of its own family is refused; "none" if it uses none.
# model = "the-name-of-a-model"
# Where the documents lie that answers cite, relative to this folder. The agent finds it in NAOSHI_DATA_ROOT.
data_root = "."

# One table for each field that people correct, so that two ways to write one value count as the same:
# comparison: "exact", "spacing" or "letters_and_digits"; kind: "text", "amount" or "date".
# [fields.artifacts.fields.total]
# comparison = "letters_and_digits"
# kind = "amount"

[evals]
folder = "evals"
# A case passes at or above this score.
threshold = 0.7

# The model that grades rubrics (llm-rubric), of another family than the agent's. Measure it against people's labels
# before it decides: naoshi judge calibrate labels.csv. `naoshi doctor --ask-judge` tries it.
# [judge]
# provider = "openai"  # the protocol: "openai" (any such endpoint), "anthropic" or "google"
# model = "the-name-of-another-model"
# base_url = ""  # empty: the provider's own
# key_variable = "OPENAI_API_KEY"  # the variable of the environment that holds the key

# Tolerances of a category of cases: the share of failures that is allowed, and the one that blocks.
# [gate.categories.safety]
# allow = 0.0
# block = 0.0

[repair]
# The coding agent. It is started in a checkout of its own that holds codex_handoff.md and task.md, and edits files.
# command = ["codex", "exec", "-s", "workspace-write", "Do what task.md says."]
command = []
# The only paths that a change may touch.
editable = {editable}
timeout = 600

# Personal data that is masked in all that is handed to coding agents and models; every kind unless you say otherwise.
# [privacy]
# handed_out = ["email", "iban", "card", "my_number", "postal_code", "phone"]
"""


@dataclass(frozen=True, kw_only=True)
class Initialised:
    """What was written, and what to do next, one line each."""

    written: tuple[Path, ...]
    next_steps: tuple[str, ...]


def initialise(folder: Path, *, language: str = "en") -> Initialised:
    """Write a commented naoshi.toml and the folders into the repository that *folder* lies in.

    `AGENTS.md` gets a section of ours for coding agents. All else that is there already is left as it is.

    Raises:
        RepositoryError: *folder* lies in no git repository.
        UsageError: there is a naoshi.toml already.
        InputError: `AGENTS.md` is not text, or our section in it has been torn apart.
    """
    git = Git.at(folder)
    config = git.folder / CONFIG_NAME
    if config.exists():
        raise UsageError(f"there is a {CONFIG_NAME} in {git.folder} already", hint="edit it; `naoshi doctor` checks it")
    command, editable = _guess(git.folder)
    # The file may be a link to another of the user's, which stays one.
    agents_file = inside(git.folder, _AGENTS)
    agents = _with_our_section(agents_file, editable)
    text = _CONFIG.format(language=language, command=_toml_list(command), editable=_toml_list(editable))
    write_durably(config, text)
    write_durably(agents_file, agents)
    (git.folder / "evals").mkdir(exist_ok=True)
    ignore = git.folder / STATE_NAME / ".gitignore"
    write_durably(ignore, "*\n")
    steps = [
        f"write the coding agent's command under [repair] in {CONFIG_NAME}",
        f"commit them: git add {CONFIG_NAME} {_AGENTS} && git commit -m 'naoshi'",
        "check this machine: naoshi doctor",
        "bring in traces: naoshi ingest TRACES.jsonl, then corrections: naoshi correct CORRECTIONS.csv",
        "go round once: naoshi cycle",
    ]
    if not command:
        steps.insert(0, f"write the agent's command under [agent] in {CONFIG_NAME}")
    written = (config, git.folder / _AGENTS, git.folder / "evals", ignore.parent)
    return Initialised(written=written, next_steps=tuple(steps))


def _with_our_section(path: Path, editable: list[str]) -> str:
    text = read_text(path) if path.is_file() else ""
    if path.is_file() and path.read_bytes().startswith(BOM_UTF8):
        text = f"\ufeff{text}"
    return with_section(text, agents_section(editable=tuple(editable), protected=DEFAULT_PROTECTED))


def _guess(folder: Path) -> tuple[list[str], list[str]]:
    """Return a command and editable paths from what usually starts an agent; empty where nothing is found."""
    starters = {
        "agent.py": "python3",
        "runner.py": "python3",
        "main.py": "python3",
        "agent.js": "node",
        "agent.mjs": "node",
    }
    found = [[program, name] for name, program in starters.items() if (folder / name).is_file()]
    command = found[0] if found else list[str]()
    folders = [f"{name}/" for name in ("harness", "prompts", "src") if (folder / name).is_dir()]
    return command, folders[:1] or command[1:] or ["harness/"]


def _toml_list(words: list[str]) -> str:
    return "[" + ", ".join(f'"{word}"' for word in words) + "]"
