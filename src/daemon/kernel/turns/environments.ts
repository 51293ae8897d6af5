/** The callers' environments: in memory only, because they hold keys. After a restart the daemon's own stands in. */

export class Environments {
  readonly #ofWorkflow = new Map<string, Record<string, string>>();
  readonly #own: Record<string, string>;

  constructor(own: Record<string, string | undefined>) {
    this.#own = Object.fromEntries(
      Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }

  /** The environment that a workflow's turns and steps are given. */
  of(instance: string): Record<string, string> {
    return this.#ofWorkflow.get(instance) ?? this.#own;
  }

  set(instance: string, env: Record<string, string> | undefined): void {
    if (env) this.#ofWorkflow.set(instance, env);
  }

  forget(instance: string): void {
    this.#ofWorkflow.delete(instance);
  }
}
