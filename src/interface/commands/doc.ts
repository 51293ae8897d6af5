/** `doc`: reads and writes a team's shared documents. */
import type { DocumentInfo, DocumentVersion } from "../../protocol/document.ts";
import { AppError } from "../../protocol/error.ts";
import { documentBytes } from "../../protocol/limits.ts";
import { formatTarget } from "../../protocol/target.ts";
import { didYouMean } from "../../text/suggest.ts";
import type { Client } from "../client/client.ts";
import { defineCommand, required, rest } from "../command-line/command.ts";
import { unifiedDiff } from "../render/diff.ts";
import { count, to } from "../command-line/options.ts";
import type { Output, Stream } from "../render/output.ts";
import { readStdin } from "../command-line/stdin.ts";
import { renderTable } from "../render/table.ts";
import { chooseTarget } from "../command-line/target.ts";
import { plural, printable } from "../../text/terminal.ts";
import { formatAge } from "../render/time.ts";

/** What a subcommand works on; `words` are the arguments after the file name. */
type Call = {
  client: Client;
  output: Output;
  target: string;
  file: string | undefined;
  words: string[];
  options: { at: number | undefined; base: number | undefined };
};

const subcommands: Record<string, (call: Call) => Promise<void>> = {
  read: readDocument,
  write: (call) => writeDocument(call, false),
  append: (call) => writeDocument(call, true),
  list: listDocuments,
  history: showHistory,
  diff: showDiff,
};

export const command = defineCommand({
  arguments: {
    subcommand: required("read, write, append, list, history or diff"),
    words: rest("[target] [file] [text or versions]; default file: the entry point, notes.md"),
  },
  options: {
    to,
    at: count("--at <version>", "read: the version to read"),
    base: count("--base <version>", "write: fail unless this is the latest version"),
  },
  details:
    "Text comes from the arguments after the file name, otherwise from stdin. Every write creates a version; nothing is " +
    "lost. Documents are also plain files: `doc list` shows where, and editing a file also creates a version.",
  examples: [
    ["agent-worker doc read @review", "read the team's notes"],
    ['agent-worker doc append @review goals.md "Keep it small."', "add a line"],
    ["agent-worker doc write @review notes.md < notes.md", "replace it with the text on stdin"],
    ["agent-worker doc diff @review notes.md 2 4", "show the changes from version 2 to 4"],
  ],
  async run({ args, options, session }) {
    const act = Object.hasOwn(subcommands, args.subcommand) ? subcommands[args.subcommand] : undefined;
    if (!act) {
      const known = Object.keys(subcommands);
      throw new AppError(
        "usage",
        `unknown subcommand '${args.subcommand}' for doc${didYouMean(args.subcommand, known)}`,
        {
          hint: `one of ${known.join(", ")}`,
        },
      );
    }
    const named = options.to === undefined ? args.words[0] : undefined;
    const [file, ...words] = args.words.slice(named === undefined ? 0 : 1);
    const target = formatTarget(await chooseTarget(session, named, options.to));
    const client = await session.connect();
    await act({ client, output: session.output, target, file, words, options });
  },
});

async function readDocument({ client, output, target, file, words, options }: Call): Promise<void> {
  expectNoMore(words);
  const document = await client.document(target, file, options.at);
  if (output.json) return output.printJson(document);
  if (document.version === 0) return output.note(`${document.file} is empty: nothing has been written yet`);
  output.printText(document.content);
}

async function writeDocument(call: Call, append: boolean): Promise<void> {
  const { client, output, target, file, words, options } = call;
  const isStdin = words.length === 0 || (words.length === 1 && words[0] === "-");
  const content = isStdin
    ? await readStdin(documentBytes, "a document", "split it into several documents")
    : words.join(" ");
  const written = await client.writeDocument(target, file, {
    content,
    append,
    base: append ? undefined : options.base,
  });
  if (output.json) return output.printJson(written);
  const { file: name, version, changed } = written;
  output.print(
    changed ? `wrote ${printable(name)}, version ${version}` : `unchanged: ${printable(name)}, version ${version}`,
  );
  if (version > 1) output.next(`agent-worker doc diff ${target} ${printable(name)}`, "see what changed");
}

async function listDocuments({ client, output, target, file, words }: Call): Promise<void> {
  expectNoMore(file === undefined ? words : [file, ...words]);
  const list = await client.call("GET /workflows/:target/documents", { target });
  if (output.json) return output.printJson(list);
  if (list.documents.length > 0) output.print(renderInfos(list.documents, output.stdout, ({ file: name }) => name));
  else output.note("no documents yet");
  if (list.folder !== null) output.note(`in ${printable(list.folder)}`);
  if (list.owner !== null) output.note(`only ${printable(list.owner)} and you can write them`);
}

async function showHistory({ client, output, target, file, words }: Call): Promise<void> {
  expectNoMore(words);
  const { versions } = await client.documentHistory(target, file);
  if (output.json) return output.printJson({ versions });
  if (versions.length === 0) return output.note("nothing has been written yet");
  output.print(renderInfos(versions, output.stdout, ({ deleted }) => (deleted ? "deleted" : "")));
}

/** Compares the latest version with the one before, unless versions are given. */
async function showDiff({ client, output, target, file, words }: Call): Promise<void> {
  const [from, until, ...more] = words.map(toVersion);
  if (more.length > 0)
    throw new AppError("usage", "diff takes at most two versions", {
      hint: "agent-worker doc diff <target> <file> 2 4",
    });
  const { versions } = await client.documentHistory(target, file);
  const latest = versions[0];
  if (!latest) return output.note("nothing has been written yet");
  const last = until ?? latest.version;
  const first = from ?? last - 1;
  const [before, after] = [await contentOf(first), await contentOf(last)];
  const diff = unifiedDiff(before, after, [`${latest.file} version ${first}`, `${latest.file} version ${last}`]);
  if (output.json) return output.printJson({ file: latest.file, from: first, to: last, diff });
  if (diff === "") return output.note("no difference");
  output.print(colour(diff, output.stdout));

  /** Version 0 and deleted versions are empty. */
  async function contentOf(version: number): Promise<string> {
    const isEmpty = version === 0 || versions.some((known) => known.version === version && known.deleted);
    const document: Pick<DocumentVersion, "content"> = isEmpty
      ? { content: "" }
      : await client.document(target, file, version);
    return document.content;
  }
}

function toVersion(word: string): number {
  if (/^\d{1,9}$/.test(word)) return Number(word);
  throw new AppError("usage", `'${word}' is not a version`, {
    hint: "agent-worker doc history <target> <file> lists them",
  });
}

function expectNoMore(words: string[]): void {
  const [word] = words;
  if (word !== undefined)
    throw new AppError("usage", `unexpected argument '${word}'`, { hint: "agent-worker doc --help" });
}

function renderInfos(infos: DocumentInfo[], { style, width }: Stream, title: (info: DocumentInfo) => string): string {
  const rows = infos.map((info) => [
    `v${info.version}`,
    style.dim(formatAge(info.createdAt, Date.now())),
    printable(info.author),
    style.dim(plural(info.bytes, "byte")),
    printable(title(info)),
  ]);
  return renderTable(rows, { width });
}

function colour(diff: string, { style, terminal }: Stream): string {
  const paint = (line: string) => {
    if (line.startsWith("@@")) return style.cyan(line);
    if (line.startsWith("+")) return style.green(line);
    return line.startsWith("-") ? style.red(line) : line;
  };
  return diff
    .split("\n")
    .map((line) => paint(terminal ? printable(line) : line))
    .join("\n");
}
