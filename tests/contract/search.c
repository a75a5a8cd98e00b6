/* A search on 4x4 and 9x9, and what libraries do wrong: `configuration` names a fault. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { NONE, CRASHES, WRITES_NO_SOLUTION, IGNORES_LIMIT, HANGS, COUNTS_NO_GUESSES };

static char cells[82];
static char *first;
static int size, box;
static size_t found, most, tried;

static int fits(int cell, char value) {
    int row = cell / size, column = cell % size;
    for (int other = 0; other < size * size; other++) {
        int r = other / size, c = other % size;
        int is_peer = r == row || c == column || (r / box == row / box && c / box == column / box);
        if (is_peer && other != cell && cells[other] == value) return 0;
    }
    return 1;
}

static void fill(int cell) {
    while (cell < size * size && cells[cell] != '.') cell++;
    if (cell == size * size) {
        if (!found++) memcpy(first, cells, size * size);
        return;
    }
    for (char value = '1'; value < '1' + size && found < most; value++) {
        if (!fits(cell, value)) continue;
        tried++;
        cells[cell] = value;
        fill(cell + 1);
    }
    cells[cell] = '.';
}

size_t search(const char *puzzle, size_t limit, uint32_t configuration,
              char *solution, size_t *guesses) {
    char unread[82];
    if (configuration == CRASHES && puzzle[0] == '4') *(volatile char *)0 = 0;
    while (configuration == HANGS) pause();
    size = strlen(puzzle) == 16 ? 4 : 9;
    box = size == 4 ? 2 : 3;
    strcpy(cells, puzzle);
    first = configuration == WRITES_NO_SOLUTION ? unread : solution;
    most = configuration == IGNORES_LIMIT ? 1000 : limit;
    found = tried = 0;
    for (int cell = 0; cell < size * size; cell++)
        if (cells[cell] != '.' && !fits(cell, cells[cell])) most = 0;
    if (most) fill(0);
    memcpy(solution + size * size, "\n", 2); /* an end, as some programs write */
    if (configuration != COUNTS_NO_GUESSES) *guesses = tried;
    return found;
}
