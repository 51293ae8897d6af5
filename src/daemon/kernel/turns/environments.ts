/** The callers' environments: only in memory, because they contain keys. After a restart the daemon's own is used. */

export class Environments {
  readonly #ofInstance = new Map<string, Record<string, string>>();
  readonly #own: Record<string, string>;

  constructor(own: Record<string, string | undefined>) {
    this.#own = Object.fromEntries(
      Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }

  /** The environment for an instance's turns and steps. */
  of(instance: string): Record<string, string> {
    return this.#ofInstance.get(instance) ?? this.#own;
  }

  set(instance: string, env: Record<string, string> | undefined): void {
    if (env) this.#ofInstance.set(instance, env);
  }

  forget(instance: string): void {
    this.#ofInstance.delete(instance);
  }
}
