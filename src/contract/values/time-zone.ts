/** Returns the names of time zones to choose from: UTC, then the canonical names of the IANA database of this Node. */
export const timeZoneNames = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone')]

/** Names that were checked before. A list takes a tenth of the time of the first formatter, which also knows aliases. */
let knownNames: Set<string> | undefined
const maxKnownNames = 2000

/** Returns whether a name is an IANA time zone, also an alias. UTC offsets such as +01:00 are not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  knownNames ??= new Set(timeZoneNames())
  if (knownNames.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    return false
  }
  if (knownNames.size < maxKnownNames) knownNames.add(name)
  return true
}
