/** Tells failures of the file system apart by their code. */

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** For `catch`: null in place of one kind of failure. */
export function ignore(code: string): (error: unknown) => null {
  return (error) => {
    if (hasCode(error, code)) return null;
    throw error;
  };
}
