/** Distinguishes file system errors by their code. */

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** For `catch`: turns an error with this code into null. */
export function ignore(code: string): (error: unknown) => null {
  return (error) => {
    if (hasCode(error, code)) return null;
    throw error;
  };
}
