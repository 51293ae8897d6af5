/** Renders rows as aligned columns; the last column takes the remaining width. */
import { clip, padEnd } from "../../text/terminal.ts";

const gap = "  ";
/** Limit for all columns but the last, so that none pushes the others off the screen. */
const maxColumnWidth = 40;

export function renderTable(rows: string[][], options: { width: number; indent?: string }): string {
  const { width, indent = "" } = options;
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(maxColumnWidth, Math.max(0, ...rows.map((row) => Bun.stringWidth(row[column] ?? "")))),
  );
  return rows.map((row) => renderRow(row, widths, indent, width)).join("");
}

function renderRow(row: string[], widths: number[], indent: string, width: number): string {
  const cells = row.map((cell, column) =>
    column === row.length - 1 ? cell : padEnd(clip(cell, maxColumnWidth), widths[column] ?? 0),
  );
  return `${clip(indent + cells.join(gap).trimEnd(), width)}\n`;
}
