/** Terminal colours, with a plain variant of the same shape. */

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  brightGreen: [92, 39],
  brightBlue: [94, 39],
  brightMagenta: [95, 39],
  brightCyan: [96, 39],
} as const;

export type StyleName = keyof typeof codes;
export type Style = Record<StyleName, (text: string) => string>;

export const plain: Style = makeStyle((text) => text);
export const coloured: Style = makeStyle((text, name) => {
  const [open, close] = codes[name];
  return `\x1b[${open}m${text}\x1b[${close}m`;
});

function makeStyle(paint: (text: string, name: StyleName) => string): Style {
  const painter = (name: StyleName) => (text: string) => paint(text, name);
  return {
    bold: painter("bold"),
    dim: painter("dim"),
    red: painter("red"),
    green: painter("green"),
    yellow: painter("yellow"),
    blue: painter("blue"),
    magenta: painter("magenta"),
    cyan: painter("cyan"),
    brightGreen: painter("brightGreen"),
    brightBlue: painter("brightBlue"),
    brightMagenta: painter("brightMagenta"),
    brightCyan: painter("brightCyan"),
  };
}
