/** The pages that are written from the code. */
import { renderHttp } from "./http.ts";
import { renderMcp } from "./mcp.ts";

export const pages = [
  { path: "docs/reference/http.md", render: renderHttp },
  { path: "docs/reference/mcp.md", render: renderMcp },
];
