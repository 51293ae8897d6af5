/** Generates the reference pages from the code: `npm run reference`. */
import { join } from "node:path";
import { pages } from "./reference/pages.ts";

for (const { path, render } of pages) await Bun.write(join(import.meta.dir, "..", path), render());
