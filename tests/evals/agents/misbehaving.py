"""An agent that follows the contract, or breaks it in the way that `vars.do` (else its first argument) names.

It answers `{"said": vars.say}`, so that tests can see which answer belongs to which request.
"""

import json
import os
import signal
import subprocess
import sys
import time


def main() -> None:
    default = sys.argv[1] if len(sys.argv) > 1 else "answer"
    for line in sys.stdin:
        request = json.loads(line)
        what = request["vars"].get("do", default)
        ACTS.get(what, answer)(request)


def answer(request: dict, **more: object) -> None:
    tell({"case_id": request["case_id"], "output": {"said": request["vars"].get("say")}, **more})


def tell(value: object) -> None:
    print(json.dumps(value), flush=True)


def crash(request: dict) -> None:
    print("some line before", file=sys.stderr)
    print("I cannot go on \x1b[31mred", file=sys.stderr, flush=True)
    sys.exit(7)


def killed(request: dict) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang(request: dict) -> None:
    time.sleep(600)


def slow(request: dict) -> None:
    time.sleep(request["vars"]["seconds"])
    answer(request)


def garbage(request: dict) -> None:
    print("Loading the model...", flush=True)


def not_utf8(request: dict) -> None:
    sys.stdout.buffer.write(b'{"output": "\xff\xfe"}\n')
    sys.stdout.buffer.flush()


def flood(request: dict) -> None:
    while True:
        sys.stdout.write("x" * 65536)


def flood_stderr(request: dict) -> None:
    for _ in range(200):
        sys.stderr.write("noise " * 10000 + "\n")
    answer(request)


def wrong_id(request: dict) -> None:
    tell({"case_id": "another", "output": {"said": "for another"}})


def twice(request: dict) -> None:
    answer(request)
    answer(request)


def partial_line(request: dict) -> None:
    sys.stdout.write('{"case_id": "' + request["case_id"] + '", "output": {"sa')
    sys.stdout.flush()
    sys.exit(0)


def without_line_break(request: dict) -> None:
    sys.stdout.write(json.dumps({"case_id": request["case_id"], "output": {"said": request["vars"].get("say")}}))
    sys.stdout.flush()
    os._exit(0)


def one_shot(request: dict) -> None:
    answer(request)
    sys.exit(0)


def closes_output(request: dict) -> None:
    os.close(1)
    time.sleep(600)


def ignores_sigterm(request: dict) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write_pid(request, os.getpid())
    time.sleep(600)


def ignores_end_of_input(request: dict) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write_pid(request, os.getpid())
    answer(request)
    time.sleep(600)


def leaves_child(request: dict) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    write_pid(request, child.pid)
    answer(request)


def leaves_escaped_child(request: dict) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    write_pid(request, child.pid)
    answer(request)


def child_holds_output(request: dict) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    write_pid(request, child.pid)
    os._exit(3)


def write_pid(request: dict, pid: int) -> None:
    with open(request["vars"]["pid_file"], "w") as stream:
        stream.write(str(pid))


def says_error(request: dict) -> None:
    tell({"case_id": request["case_id"], "output": {"said": "half"}, "error": "the document is unreadable"})


def no_output(request: dict) -> None:
    tell({"case_id": request["case_id"], "artifacts": {}})


def a_list(request: dict) -> None:
    tell([request["case_id"], "output"])


def nan(request: dict) -> None:
    answer({**request, "vars": {"say": float("nan")}})


def deep(request: dict) -> None:
    depth = request["vars"].get("depth", 5000)
    text = "[" * depth + "]" * depth
    print(f'{{"case_id": "{request["case_id"]}", "output": {text}}}', flush=True)


def half_character(request: dict) -> None:
    answer({**request, "vars": {"say": "a\ud83d"}})


def environment(request: dict) -> None:
    tell({"case_id": request["case_id"], "output": {"said": dict(os.environ)}})


def full(request: dict) -> None:
    answer(request, artifacts={"fields": {"total": "1"}}, spans=[{"span_id": "s1"}])


def spans_as_text(request: dict) -> None:
    answer(request, spans="oops")


def count_requests(request: dict) -> None:
    with open(request["vars"]["count_file"], "a") as stream:
        stream.write(request["case_id"] + "\n")
    answer(request)


def big_integer(request: dict) -> None:
    answer(request, cost=10**400)


def big_float(request: dict) -> None:
    print(f'{{"case_id": "{request["case_id"]}", "output": {{"said": [-1e400]}}}}', flush=True)


ACTS = {name: act for name, act in list(globals().items()) if callable(act) and name not in ("main", "tell")}

if __name__ == "__main__":
    main()
