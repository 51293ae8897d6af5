/** The pages that are generated from the code. */
import { renderBackends } from "./backends.ts";
import { renderCli } from "./cli.ts";
import { renderHttp } from "./http.ts";
import { renderMcp } from "./mcp.ts";

export const pages = [
  { path: "docs/reference/backends.md", render: renderBackends },
  { path: "docs/reference/cli.md", render: renderCli },
  { path: "docs/reference/http.md", render: renderHttp },
  { path: "docs/reference/mcp.md", render: renderMcp },
];
