/** The names in a log: an aligned column, and a fixed colour for each agent. */
import type { Style, StyleName } from "./style.ts";
import { clip, padEnd } from "../../text/terminal.ts";

export type Names = {
  /** Assigns the next colour to the agent; in order, so that the same team always looks the same. */
  add(label: string): void;
  /** `shown` in the colour of `label`. */
  paint(label: string, shown: string): string;
  /** The name, padded to the column. */
  column(label: string): string;
  width(): number;
  /** `text` with the mentions of known agents in their colours. */
  mentions(text: string, labelOf: (name: string) => string): string;
};

/** Red and yellow are reserved for problems. */
const palette: StyleName[] = [
  "cyan",
  "magenta",
  "green",
  "blue",
  "brightCyan",
  "brightMagenta",
  "brightGreen",
  "brightBlue",
];
const minWidth = 6;
const maxWidth = 24;

export function createNames(style: Style): Names {
  const colours = new Map<string, StyleName>();
  let width = minWidth;

  const add = (label: string) => {
    width = Math.min(maxWidth, Math.max(width, Bun.stringWidth(label)));
    const key = label.toLowerCase();
    if (!colours.has(key)) colours.set(key, palette[colours.size % palette.length] ?? "cyan");
  };
  const paint = (label: string, shown: string) => {
    if (/^(user|all)(@|$)/i.test(label)) return style.bold(shown);
    if (/^system(@|$)/i.test(label)) return style.yellow(shown);
    if (/^setup(@|$)/i.test(label)) return style.dim(shown);
    const colour = colours.get(label.toLowerCase());
    return style.bold(colour === undefined ? shown : style[colour](shown));
  };
  return {
    add,
    paint,
    column(label) {
      width = Math.min(maxWidth, Math.max(width, Bun.stringWidth(label)));
      return padEnd(paint(label, clip(label, width)), width);
    },
    width: () => width,
    mentions: (text, labelOf) =>
      text.replaceAll(/(?<![\w\\])@"?([a-zA-Z][\w-]*)"?/g, (mention: string, name: string) => {
        const label = labelOf(name);
        return colours.has(label.toLowerCase()) || /^(user|all)$/i.test(name) ? paint(label, mention) : mention;
      }),
  };
}
