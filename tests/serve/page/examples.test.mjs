import assert from "node:assert/strict";
import test from "node:test";

import { EXAMPLES, LESSONS } from "../../../mines_dd/serve/page/examples.js";
import { fromFragment, isClosed, toFragment } from "../../../mines_dd/serve/page/position.js";

test("all examples and lessons are boards, and lessons ask about closed cells", () => {
  for (const { position } of [...EXAMPLES, ...LESSONS]) assert.deepEqual(fromFragment(toFragment(position)), position);
  for (const { position, ask: [r, c], text } of LESSONS) assert.ok(isClosed(position.grid[r][c]) && text.length > 1);
});
