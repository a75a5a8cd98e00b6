"""Exact cover by dancing links, in plain Python.

    item      a group of candidates; exactly one of them holds
    option    a candidate, which covers its items
    node      an option in the list of an item
    header    the node of an item itself, in the list of open items

Algorithm X takes the open item with the fewest options and tries each of them. Covering
an item removes it from the list of items, and its options from all other lists. A
removed node keeps the links to its neighbours, so uncovering restores all nodes in
reverse order (Knuth, "Dancing Links", 2000).
"""

from collections.abc import Iterator, Sequence

from harness.contract import Choices, CoverBackend, CoverQuestion, Restriction


class DancingLinks(CoverBackend):
    """Knuth's Algorithm X on dancing links."""

    name = "dlx"
    paradigm = "exact cover"
    takes = CoverBackend.takes | {Restriction.RELATIONS}

    def choices(self, question: CoverQuestion) -> Choices:
        """The covers that Algorithm X finds."""
        links = Links(len(question.candidates.groups), question.candidates.members())
        question.search()
        for cover in links.covers():
            question.stats["nodes"] = links.nodes
            yield cover
        question.stats["nodes"] = links.nodes


class Links:
    """The items and their options as doubly linked lists."""

    def __init__(self, items: int, options: Sequence[Sequence[int]]) -> None:
        self.nodes = 0
        """The number of options tried."""
        # The headers of the items are 1 to `items`; 0 is the head of the list of items.
        self.left = [items, *range(items)]
        self.right = [*range(1, items + 1), 0]
        self.up = list(range(items + 1))
        self.down = list(range(items + 1))
        self.item = list(range(items + 1))
        self.option = [-1] * (items + 1)
        self.size = [0] * (items + 1)
        self.row: list[Sequence[int]] = [()] * (items + 1)
        """For each node the other nodes of its option."""
        for number, option in enumerate(options):
            nodes = range(len(self.item), len(self.item) + len(option))
            for node, item in zip(nodes, option, strict=True):
                header = item + 1
                above = self.up[header]
                self.up.append(above)
                self.down.append(header)
                self.down[above] = self.up[header] = node
                self.item.append(header)
                self.option.append(number)
                self.size[header] += 1
                self.row.append([other for other in nodes if other != node])

    def covers(self) -> Iterator[list[int]]:
        """Every set of options that covers each item exactly once."""
        # Each level holds the node of the current option; it begins with the item's header.
        path: list[int] = []
        if (header := self.smallest()) < 0:
            yield []
            return
        self.cover(header)
        path.append(header)
        while path:
            node = path[-1]
            if self.option[node] >= 0:
                for other in reversed(self.row[node]):
                    self.uncover(self.item[other])
            node = path[-1] = self.down[node]
            if self.option[node] < 0:  # back at the header: all options tried
                self.uncover(node)
                path.pop()
                continue
            self.nodes += 1
            for other in self.row[node]:
                self.cover(self.item[other])
            if (header := self.smallest()) < 0:
                yield [self.option[node] for node in path]
            elif self.size[header]:
                self.cover(header)
                path.append(header)

    def smallest(self) -> int:
        """The open item with the fewest options, -1 if no item is open."""
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
        """Remove an item and all its options from the lists."""
        left, right, up, down = self.left, self.right, self.up, self.down
        right[left[header]], left[right[header]] = right[header], left[header]
        node = down[header]
        while node != header:
            for other in self.row[node]:
                down[up[other]], up[down[other]] = down[other], up[other]
                self.size[self.item[other]] -= 1
            node = down[node]

    def uncover(self, header: int) -> None:
        """Undo `cover`, in reverse order."""
        left, right, up, down = self.left, self.right, self.up, self.down
        node = up[header]
        while node != header:
            for other in reversed(self.row[node]):
                self.size[self.item[other]] += 1
                down[up[other]] = up[down[other]] = other
            node = up[node]
        right[left[header]] = left[right[header]] = header
