/** The column of names in a log: aligned, and each agent in a colour that it keeps. */
import type { Style, StyleName } from "./style.ts";
import { clip, padEnd } from "../../text/terminal.ts";

export type Names = {
  /** Gives the agent its colour; in order, so that the same team always looks the same. */
  add(label: string): void;
  /** `shown` in the colour of `label`. */
  paint(label: string, shown: string): string;
  /** The name, padded to the column. */
  column(label: string): string;
  width(): number;
  /** `text` with the names of known agents after an @ in their colours. */
  mentions(text: string, labelOf: (name: string) => string): string;
};

/** Red and yellow are left for trouble. */
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
const leastWidth = 6;
const mostWidth = 24;

export function createNames(style: Style): Names {
  const colours = new Map<string, StyleName>();
  let width = leastWidth;

  const add = (label: string) => {
    width = Math.min(mostWidth, Math.max(width, Bun.stringWidth(label)));
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
      width = Math.min(mostWidth, Math.max(width, Bun.stringWidth(label)));
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
