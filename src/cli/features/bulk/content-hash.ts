/**
 * 64-bit hash of the content that a row sends to its number. Rows with the same content and number are duplicates, in
 * any file. Hashes are saved in the index of earlier sends and in the `parley_row` column of failed rows: with another
 * algorithm, rows that an earlier version has sent would be sent again.
 */
export interface ContentHash {
  readonly high: number
  readonly low: number
}

/** Hashes the content of a row: all fields except the number. The order of the fields does not matter. */
export function hashContent(fields: unknown): ContentHash {
  const hash = new ContentHasher()
  if (fields !== undefined) hash.value(fields)
  return hash.end()
}

/** Hashes the named fields of a body without building an object of them. */
export function hashFields(body: Readonly<Record<string, unknown>>, names: readonly string[]): ContentHash {
  const hash = new ContentHasher()
  for (const name of names)
    if (body[name] !== undefined) {
      hash.text(name)
      hash.value(body[name])
    }
  return hash.end()
}

/**
 * Computes two 32-bit hashes with different constants. They are combined with the phone number, so they only have to
 * distinguish the contents sent to one recipient.
 */
class ContentHasher {
  #high = 0xdeadbeef
  #low = 0x41c6ce57

  #code(code: number): void {
    this.#high = Math.imul(this.#high ^ code, 2654435761)
    this.#low = Math.imul(this.#low ^ code, 1597334677)
  }

  /** Hashes the length first, so that adjacent texts cannot be confused. */
  text(text: string): void {
    this.#code(text.length + 0x10000)
    for (let n = 0; n < text.length; n++) this.#code(text.charCodeAt(n))
  }

  value(value: unknown): void {
    if (typeof value === 'string') {
      this.#code(1)
      this.text(value)
    } else if (typeof value !== 'object' || value === null) {
      this.#code(2)
      this.text(String(value))
    } else if (Array.isArray(value)) {
      this.#code(3)
      for (const one of value) this.value(one)
      this.#code(4)
    } else {
      this.#code(5)
      for (const name of sorted(Object.keys(value))) {
        const one = (value as Readonly<Record<string, unknown>>)[name]
        if (one === undefined) continue
        this.text(name)
        this.value(one)
      }
      this.#code(6)
    }
  }

  end(): ContentHash {
    let high =
      Math.imul(this.#high ^ (this.#high >>> 16), 2246822507) ^ Math.imul(this.#low ^ (this.#low >>> 13), 3266489909)
    const low = Math.imul(this.#low ^ (this.#low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
    high ^= low >>> 15
    return { high: high >>> 0, low: low >>> 0 }
  }
}

/** Sorts the names in place. Most objects have few fields that are already sorted; these need no call of `sort`. */
function sorted(names: string[]): string[] {
  for (let n = 1; n < names.length; n++) if ((names[n - 1] as string) > (names[n] as string)) return names.sort()
  return names
}

const hex = (it: number): string => it.toString(16).padStart(8, '0')

/** Identifies a row in another file by target, number and content: `1f2e3d4c-14155550112-0123456789abcdef`. */
export interface RowKey extends ContentHash {
  readonly phone: string
}

/** Formats the key of a row for the `parley_row` column. Users have it in files of failed rows, so it never changes. */
export const formatRowKey = (target: string, { phone, high, low }: RowKey): string =>
  `${hex(hashContent(target).low)}-${phone.slice(1)}-${hex(high)}${hex(low)}`

/** Parses a row key. Returns undefined if the text is not a row key or belongs to another target. */
export function parseRowKey(target: string, text: unknown): RowKey | undefined {
  const [, targetHash, digits, high = '', low = ''] =
    /^([0-9a-f]{8})-(\d{4,15})-([0-9a-f]{8})([0-9a-f]{8})$/.exec(String(text).trim()) ?? []
  if (targetHash !== hex(hashContent(target).low)) return undefined
  return { phone: `+${digits}`, high: Number.parseInt(high, 16), low: Number.parseInt(low, 16) }
}
