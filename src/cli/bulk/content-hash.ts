/** The content of a row as 64 bits: what is sent to its number. Rows of two files with the same content and number are the same, whatever the files. */
export interface ContentHash {
  readonly high: number
  readonly low: number
}

/** The content of a row: its fields but the number. The order in which fields are given does not count. */
export function hashContent(fields: unknown): ContentHash {
  const hash = new ContentHasher()
  if (fields !== undefined) hash.value(fields)
  return hash.end()
}

/** The same of the named fields of a body, without making an object of them. */
export function hashFields(body: Readonly<Record<string, unknown>>, names: readonly string[]): ContentHash {
  const hash = new ContentHasher()
  for (const name of names)
    if (body[name] !== undefined) {
      hash.text(name)
      hash.value(body[name])
    }
  return hash.end()
}

/** Two 32-bit hashes that share no constants. Beside the number itself they need to tell apart only what one recipient was sent. */
class ContentHasher {
  #high = 0xdeadbeef
  #low = 0x41c6ce57

  #code(code: number): void {
    this.#high = Math.imul(this.#high ^ code, 2654435761)
    this.#low = Math.imul(this.#low ^ code, 1597334677)
  }

  /** With its length in front, so that no two texts run into each other. */
  text(it: string): void {
    this.#code(it.length + 0x10000)
    for (let n = 0; n < it.length; n++) this.#code(it.charCodeAt(n))
  }

  value(it: unknown): void {
    if (typeof it === 'string') {
      this.#code(1)
      this.text(it)
    } else if (typeof it !== 'object' || it === null) {
      this.#code(2)
      this.text(String(it))
    } else if (Array.isArray(it)) {
      this.#code(3)
      for (const one of it) this.value(one)
      this.#code(4)
    } else {
      this.#code(5)
      for (const name of sorted(Object.keys(it))) {
        const one = (it as Readonly<Record<string, unknown>>)[name]
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

/** Most objects have few fields: sorted in place, without a comparison by the language's rules. */
function sorted(names: string[]): string[] {
  for (let n = 1; n < names.length; n++) if ((names[n - 1] as string) > (names[n] as string)) return names.sort()
  return names
}

const hex = (it: number): string => it.toString(16).padStart(8, '0')

/** A row in another file, by the target it is for, its number and its content: `1f2e3d4c-14155550112-0123456789abcdef`. */
export interface RowKey extends ContentHash {
  readonly phone: string
}

export const formatRowKey = (target: string, { phone, high, low }: RowKey): string =>
  `${hex(hashContent(target).low)}-${phone.slice(1)}-${hex(high)}${hex(low)}`

/** The row that a key names, where it is of this target; undefined for anything else. */
export function parseRowKey(target: string, text: unknown): RowKey | undefined {
  const [, targetHash, digits, high = '', low = ''] =
    /^([0-9a-f]{8})-(\d{4,15})-([0-9a-f]{8})([0-9a-f]{8})$/.exec(String(text).trim()) ?? []
  if (targetHash !== hex(hashContent(target).low)) return undefined
  return { phone: `+${digits}`, high: Number.parseInt(high, 16), low: Number.parseInt(low, 16) }
}
