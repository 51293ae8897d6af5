/** The pages that are written from the code. */
import { renderCli } from "./cli.ts";
import { renderHttp } from "./http.ts";
import { renderMcp } from "./mcp.ts";

export const pages = [
  { path: "docs/reference/cli.md", render: renderCli },
  { path: "docs/reference/http.md", render: renderHttp },
  { path: "docs/reference/mcp.md", render: renderMcp },
];
