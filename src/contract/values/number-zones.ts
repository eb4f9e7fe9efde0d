/** Returns the IANA names of the time zones in which the owner of a number (E.164) may be; none if nothing is known of them. */
export type ZonesOfNumber = (phone: string) => readonly string[]

/**
 * Calling codes whose mobile numbers have area codes, as their fixed lines have: Mexico, Argentina, Brazil, Indonesia and
 * China. Those of +1 cannot be distinguished from fixed lines.
 */
const codesWithMobileAreas: ReadonlySet<string> = new Set(['52', '54', '55', '62', '86'])

let cached: Promise<ZonesOfNumber> | undefined
let loaded: ZonesOfNumber | undefined

/** The time zones of numbers are needed where nothing can be loaded: in a transaction, which others wait for. */
class ZonesNotLoadedError extends Error {}

/**
 * Loads the time zones of phone numbers, which few processes need. A number that tells a place, such as a fixed line, may be
 * in the zones of its longest known prefix. Any other, such as a mobile or a toll-free number, may be in every zone of its
 * calling code, and so may one that no numbering plan has.
 */
export function loadZonesOfNumbers(): Promise<ZonesOfNumber> {
  cached ??= readTable()
  return cached
}

/** Returns the time zones of phone numbers in a transaction, whose caller is `withZonesOfNumbers`. @throws ZonesNotLoadedError */
export function zonesOfNumbers(): ZonesOfNumber {
  if (!loaded) throw new ZonesNotLoadedError('The time zones of phone numbers are not loaded.')
  return loaded
}

/** Executes a transaction. The first one of a process that needs the time zones of phone numbers is repeated after they are loaded. */
export async function withZonesOfNumbers<T>(transaction: () => Promise<T>): Promise<T> {
  try {
    return await transaction()
  } catch (error) {
    if (!(error instanceof ZonesNotLoadedError)) throw error
    await loadZonesOfNumbers()
    return transaction()
  }
}

async function readTable(): Promise<ZonesOfNumber> {
  const [{ numberZoneTable }, { parsePhoneNumberFromString }] = await Promise.all([
    import('./number-zone-table.ts'),
    import('libphonenumber-js/max'),
  ])
  const table = new Map<string, readonly string[]>()
  for (const line of numberZoneTable.trim().split('\n')) {
    const [zones = '', ...prefixes] = line.split(' ')
    for (const prefix of prefixes) table.set(prefix, zones.split('&'))
  }

  /** Returns whether a number belongs to a place. */
  function hasPlace(phone: string): boolean {
    const parsed = parsePhoneNumberFromString(phone)
    const type = parsed?.getType()
    if (type === 'FIXED_LINE' || type === 'FIXED_LINE_OR_MOBILE') return true
    return type === 'MOBILE' && codesWithMobileAreas.has(parsed?.countryCallingCode ?? '')
  }

  loaded = (phone) => {
    const digits = phone.replace(/^\+/, '')
    const prefixes = Array.from(digits, (_, n) => digits.slice(0, n + 1)).filter((it) => table.has(it))
    const [code, longest] = [prefixes[0], prefixes.at(-1)]
    if (code === undefined || longest === undefined) return []
    return table.get(longest !== code && hasPlace(phone) ? longest : code) ?? []
  }
  return loaded
}
