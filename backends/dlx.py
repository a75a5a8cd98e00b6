"""Exact cover by dancing links, in plain Python.

    item      a group of candidates, of which exactly one holds
    option    a candidate: it covers its items
    node      an option's place in an item's list
    header    the node that stands for an item itself, in the list of open items

Algorithm X covers the open item with the fewest options by each of them in
turn. A covered item leaves the list of items, and the options that would cover
it again leave all others; since a node that has left still knows its neighbours,
it comes back by itself, in the reverse order (Knuth, "Dancing Links", 2000).
"""

from collections.abc import Iterator, Sequence

from harness.contract.cover import Choices, CoverBackend, Question


class DancingLinks(CoverBackend):
    """Knuth's Algorithm X on dancing links."""

    name = "dlx"
    paradigm = "exact cover"

    def choices(self, question: Question) -> Choices:
        """Every cover that Algorithm X comes to."""
        links = Links(len(question.candidates.groups), question.candidates.members())
        question.search()
        for cover in links.covers():
            question.stats["nodes"] = links.nodes
            yield cover
        question.stats["nodes"] = links.nodes


class Links:
    """The items and their options, as lists whose nodes know both neighbours."""

    def __init__(self, items: int, options: Sequence[Sequence[int]]) -> None:
        self.nodes = 0
        """Options that were tried."""
        # The headers of the items are 1 to `items`; 0 is where the list of items begins.
        self.left = [items, *range(items)]
        self.right = [*range(1, items + 1), 0]
        self.up = list(range(items + 1))
        self.down = list(range(items + 1))
        self.item = list(range(items + 1))
        self.option = [-1] * (items + 1)
        self.size = [0] * (items + 1)
        self.row: list[Sequence[int]] = [()] * (items + 1)
        """Of each node the other nodes of its option."""
        for number, covered in enumerate(options):
            nodes = range(len(self.item), len(self.item) + len(covered))
            for node, of in zip(nodes, covered, strict=True):
                header = of + 1
                above = self.up[header]
                self.up.append(above)
                self.down.append(header)
                self.down[above] = self.up[header] = node
                self.item.append(header)
                self.option.append(number)
                self.size[header] += 1
                self.row.append([other for other in nodes if other != node])

    def covers(self) -> Iterator[list[int]]:
        """Every choice of options that covers each item once."""
        # A level holds the node whose option is tried there; the item's header comes first.
        tried: list[int] = []
        if (header := self.smallest()) < 0:
            yield []
            return
        self.cover(header)
        tried.append(header)
        while tried:
            node = tried[-1]
            if self.option[node] >= 0:
                for other in reversed(self.row[node]):
                    self.uncover(self.item[other])
            node = tried[-1] = self.down[node]
            if self.option[node] < 0:  # the header again: every option was tried
                self.uncover(node)
                tried.pop()
                continue
            self.nodes += 1
            for other in self.row[node]:
                self.cover(self.item[other])
            if (header := self.smallest()) < 0:
                yield [self.option[chosen] for chosen in tried]
            elif self.size[header]:
                self.cover(header)
                tried.append(header)

    def smallest(self) -> int:
        """The open item with the fewest options; -1 where none is open."""
        best, fewest = -1, len(self.item)
        header = self.right[0]
        while header:
            if self.size[header] < fewest:
                best, fewest = header, self.size[header]
                if fewest < 2:
                    break
            header = self.right[header]
        return best

    def cover(self, header: int) -> None:
        """Take an item and all its options out of the lists."""
        left, right, up, down = self.left, self.right, self.up, self.down
        right[left[header]], left[right[header]] = right[header], left[header]
        node = down[header]
        while node != header:
            for other in self.row[node]:
                down[up[other]], up[down[other]] = down[other], up[other]
                self.size[self.item[other]] -= 1
            node = down[node]

    def uncover(self, header: int) -> None:
        """Put an item back, with what its covering took out, the last first."""
        left, right, up, down = self.left, self.right, self.up, self.down
        node = up[header]
        while node != header:
            for other in reversed(self.row[node]):
                self.size[self.item[other]] += 1
                down[up[other]] = up[down[other]] = other
            node = up[node]
        right[left[header]] = left[right[header]] = header
