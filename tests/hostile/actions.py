"""Hostile actions: Python statements that a backend executes at some moment.

The statements may use the modules `ctypes`, `gc`, `mmap`, `os`, `resource`, `signal`, `socket`,
`subprocess`, `sys`, `threading` and `time`.
"""

from typing import Final

RAISED: Final = {
    "a lone surrogate": 'raise ValueError("\\udcff")',
    "control characters": 'raise ValueError("\\x1b[2J\\x00\\x07\\r\\n" * 9)',
    "a long message": "raise ValueError('x' * 5_000_000)",
    "a message that raises": "\n".join(
        [
            "class Unprintable(Exception):",
            "    def __str__(self):",
            "        raise ValueError('no message')",
            "    __repr__ = __str__",
            "raise Unprintable",
        ]
    ),
    "a message that never ends": "\n".join(
        [
            "class Endless(Exception):",
            "    def __str__(self):",
            "        while True: pass",
            "raise Endless",
        ]
    ),
    "its own MemoryError": "raise type('MemoryError', (Exception,), {})",
    "its own Unsupported": "raise type('Unsupported', (Exception,), {})('not of the contract')",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "GeneratorExit": "raise GeneratorExit",
    "StopIteration": "raise StopIteration",
    "SystemExit 0": "raise SystemExit(0)",
    "SystemExit with text": "raise SystemExit('x' * 100_000)",
    "a deep recursion": "def deeper(): deeper()\ndeeper()",
    "a deep group": "\n".join(
        [
            "group = ValueError('innermost')",
            "for _ in range(3000): group = ExceptionGroup('group', [group])",
            "raise group",
        ]
    ),
}

ENDED: Final = {
    "exit 0": "os._exit(0)",
    "exit 137": "os._exit(137)",
    "abort": "os.abort()",
    "null pointer": "ctypes.string_at(0)",
    "SIGKILL to itself": "os.kill(os.getpid(), signal.SIGKILL)",
    "SIGSTOP to itself": "os.kill(os.getpid(), signal.SIGSTOP)",
    "SIGTERM to itself": "os.kill(os.getpid(), signal.SIGTERM)",
    "SIGINT to itself": "os.kill(os.getpid(), signal.SIGINT)",
    "another program": "os.execv('/bin/sleep', ['sleep', '1000'])",
}

HANGING: Final = {
    "a loop": "while True: pass",
    "a sleep": "time.sleep(1000)",
    "a loop that blocks signals": (
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))\nwhile True: pass"
    ),
    "a loop in C": "import re; re.match('(a+)+$', 'a' * 60 + 'b')",
    "a read that never returns": "os.read(os.pipe()[0], 1)",
    "a lock": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
}

PROCESSES: Final = {
    f"{name} to the {target}": f"os.kill({pid}, signal.{name})"
    for name in ("SIGKILL", "SIGSTOP", "SIGTERM")
    for target, pid in (("monitor", "os.getppid()"), ("server", "parent_of(os.getppid())"))
}

DESCRIPTORS: Final = {
    "closing": "os.closerange(0, 200)",
    "closing all but output": "os.closerange(3, 200)",
    "writing": "\n".join(
        [
            "for fd in range(100):",
            "    try: os.set_blocking(fd, False); os.write(fd, b'\\xff garbage \\n' * 99)",
            "    except OSError: pass",
        ]
    ),
    "reading": "\n".join(
        [
            "for fd in range(3, 100):",
            "    try: os.set_blocking(fd, False); os.read(fd, 99_999)",
            "    except OSError: pass",
        ]
    ),
    "null": "\n".join(
        [
            "null = os.open('/dev/null', os.O_RDWR)",
            "for fd in range(50):",
            "    if fd != null: os.dup2(null, fd)",
        ]
    ),
    "shutting down": "\n".join(
        [
            "for fd in range(3, 100):",
            "    try: socket.socket(fileno=os.dup(fd)).shutdown(socket.SHUT_RDWR)",
            "    except OSError: pass",
        ]
    ),
    "filling": "\n".join(
        [
            "for fd in range(3, 100):",
            "    try:",
            "        os.set_blocking(fd, False)",
            "        while True: os.write(fd, b'x' * 65536)",
            "    except OSError: pass",
        ]
    ),
}

_UNLINKED: Final = "output = os.readlink('/proc/self/fd/1'); os.unlink(output)"

FILES: Final = {
    "output as a FIFO": f"{_UNLINKED}; os.mkfifo(output)",
    "output as /dev/zero": f"{_UNLINKED}; os.symlink('/dev/zero', output)",
    "output as a folder": f"{_UNLINKED}; os.mkdir(output)",
    "much output": "os.write(1, b'x\\x1b[31m\\xff' * 20_000_000)",
    "deep folders": "\n".join(
        [
            "here = os.open('.', os.O_RDONLY)",
            "for _ in range(1500): os.mkdir('d'); os.chdir('d')",
            "os.fchdir(here)",
        ]
    ),
    "locked folders": "os.makedirs('a/b/c'); os.chmod('a/b', 0)",
    "many files": "for n in range(3000): open(f'f{n}', 'w').close()",
    "a removed folder": "import shutil; shutil.rmtree(os.getcwd(), ignore_errors=True)",
    "a name in Latin-1": "open(b'caf\\xe9', 'w').close()",
}

MEMORY: Final = {
    "much memory": "held.append(bytearray(900 << 20))",
    "leaking memory": "while True: held.append(bytearray(16 << 20))",
    "shared memory": "\n".join(
        [
            "area = mmap.mmap(-1, 900 << 20)",
            "for page in range(0, len(area), 4096): area[page] = 1",
            "held.append(area)",
        ]
    ),
    "memory without a mapping": "\n".join(
        [
            "fd = os.memfd_create('held')",
            "for _ in range(900): os.write(fd, bytes(1 << 20))",
        ]
    ),
    "memory of children": "\n".join(
        [
            "for _ in range(6):",
            "    if not os.fork():",
            "        block = bytearray(b'x') * (150 << 20); time.sleep(1000)",
        ]
    ),
}

CHILDREN: Final = {
    "a daemon": "\n".join(
        [
            "if not os.fork():",
            "    os.setsid()",
            "    if os.fork(): os._exit(0)",
            "    ctypes.CDLL(None).prctl(1, 0)",
            "    for n in set(range(1, 64)) - {9, 19, 32, 33}: signal.signal(n, signal.SIG_IGN)",
            "    while True: pass",
        ]
    ),
    "sleeping children": "\n".join(
        ["for _ in range(40):", "    if not os.fork(): time.sleep(1000)"]
    ),
    "a fork that returns twice": "os.fork()",
    "a program in another session": (
        "subprocess.Popen(['sleep', '1000'], start_new_session=True, stdout=subprocess.DEVNULL)"
    ),
    "no death signal": "ctypes.CDLL(None).prctl(1, 0)",
    "no death signal, no monitor": (
        "ctypes.CDLL(None).prctl(1, 0); os.kill(os.getppid(), signal.SIGKILL); time.sleep(1000)"
    ),
    "threads": "\n".join(
        [
            "for _ in range(30):",
            "    threading.Thread(target=lambda: [x for x in iter(int, 1)]).start()",
        ]
    ),
}

INTERPRETER: Final = {
    "no modules": "sys.modules.clear()",
    "no open": "import builtins; builtins.open = builtins.print = None",
    "isinstance that lies": "import builtins; builtins.isinstance = lambda *_: True",
    "len that raises": "import builtins; builtins.len = None",
    "no environment": "os.environ.clear()",
    "no descriptors left": "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
    "a CPU limit": "resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
    "an address limit": "resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))",
    "a file size limit": "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))",
    "a umask": "os.umask(0o777)",
    "no recursion": "sys.setrecursionlimit(60)",
    "no standard output": "sys.stdout = sys.stderr = sys.__stderr__ = None",
    "a trace": "sys.settrace(lambda *_: 1 / 0)",
    "a profile": "sys.setprofile(lambda *_: 1 / 0)",
    "signals of a timer": (
        "signal.signal(signal.SIGALRM, lambda *_: 1 / 0)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)"
    ),
    "no garbage collection": "gc.disable(); gc.callbacks.append(lambda *_: 1 / 0)",
    "a slow switch": "sys.setswitchinterval(100)",
    "a clock that runs backwards": (
        "start = time.perf_counter()\n"
        "time.perf_counter = lambda: start - (real_clock() - start) * 100\n"
        "for module in list(sys.modules.values()):\n"
        "    for name in ('perf_counter', 'process_time', 'monotonic'):\n"
        "        if hasattr(module, name):\n"
        "            try: setattr(module, name, time.perf_counter)\n"
        "            except Exception: pass"
    ),
    "a clock that stands": (
        "for module in list(sys.modules.values()):\n"
        "    for name in ('perf_counter', 'process_time', 'monotonic', 'perf_counter_ns'):\n"
        "        if hasattr(module, name):\n"
        "            try: setattr(module, name, lambda: 0)\n"
        "            except Exception: pass"
    ),
}

ACTIONS: Final = {
    f"{group}: {name}": statements
    for group, actions in {
        "raised": RAISED,
        "ended": ENDED,
        "hanging": HANGING,
        "processes": PROCESSES,
        "descriptors": DESCRIPTORS,
        "files": FILES,
        "memory": MEMORY,
        "children": CHILDREN,
        "interpreter": INTERPRETER,
    }.items()
    for name, statements in actions.items()
}
"""Statements by name."""

ANSWERS: Final = {
    "a grid that lies": "Answer.solved(Everything(grid))",
    "a grid that never ends": "Answer.solved(iter(int, 1))",
    "a grid of texts": "Answer.solved(tuple(map(str, grid)))",
    "a grid of floats": "Answer.solved(tuple(map(float, grid)))",
    "a grid of huge values": "Answer.solved(tuple(v + 10**4000 for v in grid))",
    "a deep grid": "Answer.solved(deep(100_000))",
    "a long grid": "Answer.solved(grid * 1_000_000)",
    "a status of another kind": "Answer('solved', grid)",
    "a status that lies": "Answer(Everything('solved'), grid)",
    "no answer": "None",
    "a class": "Answer",
    "an answer without fields": "object.__new__(Answer)",
    "statistics that never end": "Answer.solved(grid, Endless())",
    "statistics that raise": "Answer.solved(grid, Raising())",
    "a huge statistic": "Answer.solved(grid, {'nodes': 10**4000})",
    "a statistic that is no number": "Answer.solved(grid, {'nodes': float('nan'), 'x': 1j})",
    "strange names of statistics": (
        "Answer.solved(grid, {'\\udcff': 1, '': 2, None: 3, 'a' * 99999: 4})"
    ),
    "many statistics": "Answer.solved(grid, {str(n): n for n in range(100_000)})",
    "negative phases": "Answer.solved(grid, phases=Phases(-1e9, float('nan'), float('inf')))",
    "phases of texts": "Answer.solved(grid, phases=Phases('1', '2', '3'))",
    "a slow destructor": "Answer.solved(Slow(grid))",
}
"""Expressions for the answer to `solve`; `grid` is a solution."""

COUNTS: Final = {
    "the number of all grids": "Count(6670903752021072936960, True)",
    "a huge number": "Count(10**6000, True)",
    "a negative number": "Count(-1, True)",
    "a fraction": "Count(1.5, True)",
    "no number": "Count(float('nan'), True)",
    "a flag": "Count(True, 'yes')",
    "a number that lies": "Count(Everything(1), Everything(1))",
    "a witness that never ends": "Count(1, False, iter(int, 1))",
    "a text": "Count('1', True)",
}
"""Expressions for the answer to `count`."""
