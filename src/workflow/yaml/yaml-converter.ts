/** Converts YAML nodes to plain JSON. Rejects what JSON cannot represent, cycles, alias bombs and `__proto__`. */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from "yaml";
import { workflowFileBytes } from "../../protocol/limits.ts";

export type YamlProblem = { offset: number; message: string; hint?: string };

/** A node's value, and its size with all aliases expanded. */
type Converted = { value: unknown; size: number };
type Anchor = { node: Node; converted?: Converted };

const maxDepth = 100;
const refused: Converted = { value: undefined, size: 0 };

export class YamlConverter {
  readonly problems: YamlProblem[] = [];
  /** The node that each alias refers to. */
  readonly targets = new Map<Alias, Node>();
  readonly #anchors = new Map<string, Anchor>();
  #expanded = 0;

  convert(root: Node | null): unknown {
    return this.#convert(root, 0).value;
  }

  #convert(node: unknown, depth: number): Converted {
    if (isAlias(node)) return this.#convertAlias(node);
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return { value: null, size: 1 };
    if (depth > maxDepth) return this.#refuse(node, "this is nested too deeply");
    const anchor: Anchor = { node };
    // Registered before its content is converted, so that an alias inside it finds it unfinished.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, anchor);
    if (isScalar(node)) anchor.converted = this.#convertScalar(node);
    else if (isMap(node)) anchor.converted = this.#convertMap(node, depth);
    else anchor.converted = this.#convertItems(node.items, depth);
    return anchor.converted;
  }

  /** The value is shared, not copied; its size counts each time, because readers traverse it each time. */
  #convertAlias(alias: Alias): Converted {
    const anchor = this.#anchors.get(alias.source);
    if (!anchor) return this.#refuse(alias, `there is no anchor &${alias.source} before this alias`);
    if (!anchor.converted) return this.#refuse(alias, `the alias *${alias.source} refers to a value that contains it`);
    this.targets.set(alias, anchor.node);
    const wasTooLarge = this.#expanded > workflowFileBytes;
    this.#expanded += anchor.converted.size;
    // Reported once: every alias after this one is too large as well.
    if (wasTooLarge) return refused;
    if (this.#expanded > workflowFileBytes) {
      return this.#refuse(alias, "the aliases of this file expand to more than 1 MiB", "use fewer aliases");
    }
    return anchor.converted;
  }

  #convertScalar(scalar: Scalar): Converted {
    const { value, source = "" } = scalar;
    if (typeof value === "string") return { value, size: value.length + 1 };
    if (typeof value === "number") {
      if (!Number.isFinite(value)) return this.#refuse(scalar, `${source} is not a valid number in JSON`);
      if (/^[-+]?\d+$/.test(source) && !Number.isSafeInteger(value)) {
        return this.#refuse(scalar, `the number ${clip(source)} is too large to be stored exactly`, "quote it");
      }
      return { value, size: 1 };
    }
    if (typeof value === "boolean" || value === null) return { value, size: 1 };
    return this.#refuse(scalar, "this is not text, a number, true, false or null");
  }

  #convertItems(items: readonly unknown[], depth: number): Converted {
    let size = 1;
    const value = items.map((item) => {
      const converted = this.#convert(item, depth + 1);
      size += converted.size;
      return converted.value;
    });
    return { value, size };
  }

  #convertMap(map: YAMLMap, depth: number): Converted {
    const value: Record<string, unknown> = {};
    let size = 1;
    for (const pair of map.items) {
      const key = this.#readKey(pair, value);
      // The value of a refused key is still converted: it can define anchors and contain further errors.
      const converted = this.#convert(pair.value, depth + 1);
      if (key === undefined) continue;
      value[key] = converted.value;
      size += converted.size + key.length;
    }
    return { value, size };
  }

  #readKey({ key }: Pair, siblings: Record<string, unknown>): string | undefined {
    if (!isScalar(key) || typeof key.value !== "string") {
      this.problems.push({ offset: 0, message: "a key must be plain text" });
      return undefined;
    }
    const name = key.value;
    if (name === "__proto__") this.#refuse(key, "'__proto__' is not allowed as a key");
    else if (name === "<<" && key.type === Scalar.PLAIN) this.#refuse(key, "merge keys (<<) are not part of YAML 1.2");
    else if (Object.hasOwn(siblings, name)) this.#refuse(key, `duplicate key '${clip(name)}'`);
    else return name;
    return undefined;
  }

  #refuse(node: Node, message: string, hint?: string): Converted {
    this.problems.push({ offset: node.range?.[0] ?? 0, message, ...(hint !== undefined && { hint }) });
    return refused;
  }
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
