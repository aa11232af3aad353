"""Stands in for the native Recorder: keeps what it is told, in order of the numbers."""


class FakeSink:
    def __init__(self, path, **header):
        self.path = path
        self.header = header
        self.launches = []
        self.threads = []
        self.sources = [None]
        self.copies = []
        self.names = {}
        self.told = []
        self.finished = None

    def launch(self, *row):
        self.launches.append(row)
        return len(self.launches) - 1

    def thread(self, launch, device, core):
        self.threads.append(("thread", launch, device, core))
        return len(self.threads) - 1

    def source(self, *row):
        self.sources.append(row)
        return len(self.sources) - 1

    def hash64(self, content):
        return hash(content) & (2**64 - 1)

    def name_semaphore(self, launch, number, dma, name):
        self.names[launch, number] = (dma, name)

    def issue_copy(self, stamp, agent, *operands):
        self.told.append((stamp, "issue_copy", agent, *operands))
        self.threads.append(("copy", agent))
        return len(self.threads) - 1

    def __getattr__(self, kind):
        def tell(stamp, *operands):
            self.told.append((stamp, kind, *operands))

        return tell

    def events(self):
        return len(self.told)

    def finish(self, kind, waits, barriers):
        self.finished = (kind, waits, barriers)
        return "0" * 32, 0

    def discard(self):
        self.finished = ("discarded", [], [])

    def in_order(self):
        """(kind, agent, ...) of each event, in the order in which they took effect."""
        return [event[1:] for event in sorted(self.told, key=lambda e: e[0])]
