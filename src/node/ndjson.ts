/**
 * Parses a line of an append-only file as an object. Returns undefined for an empty line, an incomplete one after a
 * crash, and other content; callers recover what such a line would have said.
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
