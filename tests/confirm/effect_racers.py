"""What the processes of the race for an effect do."""

from multiprocessing.synchronize import Barrier

from naoshi.confirm import Effects, FileStore
from naoshi.errors import OutcomeUnknownError


def race(folder: str, rounds: int, start: Barrier, done: str) -> None:
    """Do the effect of each round at the same moment as all others; each time that it is done, write a dot."""

    def effect() -> int:
        with open(done, "a") as file:
            return file.write(".")

    effects = Effects(FileStore(folder))
    for number in range(rounds):
        start.wait()
        try:
            effects.run(f"round-{number}", effect)
        except OutcomeUnknownError:
            continue
