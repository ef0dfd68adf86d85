"""`python -m tools.mutants`: try all mutants, print what became of each, and fail if one survives."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from tools.mutants.catalogue import TREE, Mutant, catalogue
from tools.mutants.run import Outcome, copied, run_tests, try_mutant


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; exit code 0 if every mutant was killed."""
    options = _options(arguments)
    chosen = [m for m in catalogue() if all(word in f"{m.room} {m.name} {m.file}" for word in options.words)]
    if options.list:
        for mutant in chosen:
            print(f"{mutant.room:<12} {mutant.name}: {mutant.why}")
        return 0
    if not _sound(chosen):
        return 1
    outcomes = list(_tried(chosen, options.jobs))
    counted = Counter(outcome.fate for outcome in outcomes)
    print(f"{len(outcomes)} mutants: " + ", ".join(f"{number} {fate}" for fate, number in counted.items()))
    return 0 if set(counted) <= {"killed"} else 1


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("words", nargs="*", help="only mutants whose room, name or file has all these words")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="how many to try at once")
    parser.add_argument("--list", action="store_true", help="say what there is, and try nothing")
    return parser.parse_args(arguments)


def _sound(chosen: Sequence[Mutant]) -> bool:
    """Run the tests of all mutants without any: a test that fails anyway kills nothing."""
    tests = sorted({test for mutant in chosen for test in mutant.tests})
    code, output = run_tests(tests, TREE)
    if code:
        print("the tests must pass before mutants are tried:\n" + output[-2000:], file=sys.stderr)
    return code == 0


def _tried(chosen: Sequence[Mutant], jobs: int) -> Sequence[Outcome]:
    outcomes, waiting = [], SimpleQueue[Mutant]()
    for mutant in chosen:
        waiting.put(mutant)

    def work(_: int) -> None:
        with copied() as copy:
            while not waiting.empty():
                outcome = try_mutant(waiting.get(), copy)
                outcomes.append(outcome)
                place = f"{outcome.mutant.room}: {outcome.mutant.name}"
                print(f"{outcome.fate:<9} {outcome.seconds:5.0f} s  {place}  ({outcome.by})", flush=True)

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(work, range(jobs)))
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
