/**
 * The object a line of a file holds that is only added to. Undefined for a line a crash tore off, an empty one, and anything else: what it would have said
 * is found out again.
 */
export function parseJsonLine(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line === '') return undefined
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
