/** Returns the message of an error and the code or message of its cause: `fetch failed: ECONNREFUSED`. */
export function describeCause(error: unknown): string {
  const { message, cause } = error as Error
  const { code, message: inner } = (cause ?? {}) as { code?: string; message?: string }
  return [message, code ?? inner].filter(Boolean).join(': ')
}
