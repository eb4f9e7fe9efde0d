/**
 * Returns the message of an error and the code or message of its cause: `fetch failed: ECONNREFUSED`. Messages about a language
 * model end with it.
 */
export function describeCause(error: unknown): string {
  const { message, cause } = error as Error
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string }
  return [message, code ?? inner].filter(Boolean).join(': ')
}
