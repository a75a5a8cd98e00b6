// Answers questions to Interactive Sudoku Solver: a JSON object a line, in and out.
//
//     node iss.mjs CHECKOUT
//     {"text": ".Cage~15~R1C1~R1C2", "limit": 2}
//     {"number": 1, "exhausted": true, "grid": [1, 2, ...], "guesses": 0, "backtracks": 0}

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const runner = `${process.argv[2]}/tools/lib/puzzle_runner.js`;
const { buildSolver } = await import(pathToFileURL(runner).href);

const answerTo = ({ text, limit }) => {
  const { internal } = buildSolver(text);
  let number = 0;
  let grid = null;
  internal.run({ maxSolutions: limit }, (found) => {
    number += 1;
    grid ??= Array.from(found);
  });
  const exhausted = internal.state === internal.constructor.STATE_EXHAUSTED;
  const { guesses, backtracks } = internal.counters;
  return { number, exhausted, grid, guesses, backtracks };
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = answerTo(JSON.parse(line));
  } catch (error) {
    answer = { error: `${error.message}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
