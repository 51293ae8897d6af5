/** `doc`: what a team has written down, read and changed by people. */
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

/** What a verb works on; `further` are the words behind the file's name. */
type Call = {
  client: Client;
  output: Output;
  target: string;
  file: string | undefined;
  further: string[];
  options: { at: number | undefined; base: number | undefined };
};

const verbs: Record<string, (call: Call) => Promise<void>> = {
  read: readDocument,
  write: (call) => writeDocument(call, false),
  append: (call) => writeDocument(call, true),
  list: listDocuments,
  history: showHistory,
  diff: showDiff,
};

export const command = defineCommand({
  arguments: {
    verb: required("read, write, append, list, history or diff"),
    words: rest("[target] [file] [text or versions]; without a file: the entry point, notes.md"),
  },
  options: {
    to,
    at: count("--at <version>", "read: an earlier version"),
    base: count("--base <version>", "write: only if this is still the latest version"),
  },
  details:
    "Text is taken from the words behind the file's name, else from stdin. Every write makes a version; nothing is " +
    "lost. Documents are also plain files: `doc list` says where, and an edit there is a version too.",
  examples: [
    ["agent-worker doc read @review", "the notes of the team"],
    ['agent-worker doc append @review goals.md "Keep it small."', "adds a line"],
    ["agent-worker doc write @review notes.md < notes.md", "replaces it by what stdin holds"],
    ["agent-worker doc diff @review notes.md 2 4", "what changed from version 2 to 4"],
  ],
  async run({ args, options, session }) {
    const act = Object.hasOwn(verbs, args.verb) ? verbs[args.verb] : undefined;
    if (!act) {
      const known = Object.keys(verbs);
      throw new AppError("usage", `doc does not know '${args.verb}'${didYouMean(args.verb, known)}`, {
        hint: `one of ${known.join(", ")}`,
      });
    }
    const named = options.to === undefined ? args.words[0] : undefined;
    const [file, ...further] = args.words.slice(named === undefined ? 0 : 1);
    const target = formatTarget(await chooseTarget(session, named, options.to));
    const client = await session.connect();
    await act({ client, output: session.output, target, file, further, options });
  },
});

async function readDocument({ client, output, target, file, further, options }: Call): Promise<void> {
  expectNoMore(further);
  const document = await client.document(target, file, options.at);
  if (output.json) return output.printJson(document);
  if (document.version === 0) return output.note(`${document.file} is empty: nobody has written it yet`);
  output.printText(document.content);
}

async function writeDocument(call: Call, append: boolean): Promise<void> {
  const { client, output, target, file, further, options } = call;
  const isStdin = further.length === 0 || (further.length === 1 && further[0] === "-");
  const content = isStdin
    ? await readStdin(documentBytes, "a document", "divide it among several documents")
    : further.join(" ");
  const written = await client.writeDocument(target, file, {
    content,
    append,
    base: append ? undefined : options.base,
  });
  if (output.json) return output.printJson(written);
  const { file: name, version, changed } = written;
  output.print(
    changed ? `written ${printable(name)}, version ${version}` : `unchanged: ${printable(name)}, version ${version}`,
  );
  if (version > 1) output.next(`agent-worker doc diff ${target} ${printable(name)}`, "what changed");
}

async function listDocuments({ client, output, target, file, further }: Call): Promise<void> {
  expectNoMore(file === undefined ? further : [file, ...further]);
  const list = await client.call("GET /workflows/:target/documents", { target });
  if (output.json) return output.printJson(list);
  if (list.documents.length > 0) output.print(renderInfos(list.documents, output.stdout, ({ file: name }) => name));
  else output.note("no documents yet");
  if (list.folder !== null) output.note(`in ${printable(list.folder)}`);
  if (list.owner !== null) output.note(`only ${printable(list.owner)} writes them, besides you`);
}

async function showHistory({ client, output, target, file, further }: Call): Promise<void> {
  expectNoMore(further);
  const { versions } = await client.documentHistory(target, file);
  if (output.json) return output.printJson({ versions });
  if (versions.length === 0) return output.note("nobody has written it yet");
  output.print(renderInfos(versions, output.stdout, ({ deleted }) => (deleted ? "deleted" : "")));
}

/** From the version before the latest to the latest, unless one or both are named. */
async function showDiff({ client, output, target, file, further }: Call): Promise<void> {
  const [from, until, ...more] = further.map(toVersion);
  if (more.length > 0)
    throw new AppError("usage", "a difference is between two versions", { hint: "name two at most" });
  const { versions } = await client.documentHistory(target, file);
  const latest = versions[0];
  if (!latest) return output.note("nobody has written it yet");
  const last = until ?? latest.version;
  const first = from ?? last - 1;
  const [before, after] = [await contentOf(first), await contentOf(last)];
  const diff = unifiedDiff(before, after, [`${latest.file} version ${first}`, `${latest.file} version ${last}`]);
  if (output.json) return output.printJson({ file: latest.file, from: first, to: last, diff });
  if (diff === "") return output.note("no difference");
  output.print(colour(diff, output.stdout));

  /** Before the first version, and after a deletion, there is nothing. */
  async function contentOf(version: number): Promise<string> {
    const isNothing = version === 0 || versions.some((known) => known.version === version && known.deleted);
    const document: Pick<DocumentVersion, "content"> = isNothing
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
    throw new AppError("usage", `'${word}' is one word too many`, { hint: "agent-worker doc --help" });
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
