import type { ContentHash } from '../content-hash.ts'

/** Numbers, contents and lines of all rows in 32 bytes each, so that a million rows fit in memory. */
export interface PhoneIndex {
  /**
   * Adds the next row and returns the first row with the same number, if there is one. `number` is undefined for a row
   * without one.
   */
  add(number: string | undefined, line: number, content?: ContentHash): number | undefined
  /** Returns the content hash of a row. */
  contentOf(row: number): ContentHash
  /** Returns the first row with the number of this row, which may be the row itself. */
  firstRowWith(row: number): number
  /** Returns the number of a row, E.164. */
  numberOf(row: number): string | undefined
  /** Returns whether a row has this number. */
  has(number: string): boolean
  /** Returns the line on which a row starts. */
  lineOf(row: number): number
  readonly rows: number
  /** Count of different numbers. */
  readonly distinct: number
}

/**
 * Creates the index. An E.164 number has at most 15 digits and serves as its own key, so different numbers never
 * collide.
 */
export function createPhoneIndex(): PhoneIndex {
  let numbers = new Float64Array(1024)
  let lines = new Uint32Array(1024)
  let contents = new Uint32Array(2048)
  /** Rows by hash of their number, counted from 1; 0 is empty. */
  let table = new Uint32Array(4096)
  let rows = 0
  let different = 0

  const placeOf = (key: number, size: number): number => {
    const high = Math.floor(key / 2 ** 32)
    const mixed = Math.imul((key >>> 0) ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b)
    return ((mixed ^ (mixed >>> 15)) >>> 0) & (size - 1)
  }

  function grow(): void {
    const wider = new Float64Array(numbers.length * 2)
    wider.set(numbers)
    numbers = wider
    const longer = new Uint32Array(lines.length * 2)
    longer.set(lines)
    lines = longer
    const more = new Uint32Array(contents.length * 2)
    more.set(contents)
    contents = more
  }

  function rehash(): void {
    table = new Uint32Array(table.length * 2)
    for (let row = 0; row < rows; row++) {
      const key = numbers[row] as number
      if (key > 0) put(key, row)
    }
  }

  /** Returns the row that already has the number, or undefined after adding this one. */
  function put(key: number, row: number): number | undefined {
    for (let at = placeOf(key, table.length); ; at = (at + 1) & (table.length - 1)) {
      const held = table[at] as number
      if (held === 0) {
        table[at] = row + 1
        return undefined
      }
      if (numbers[held - 1] === key) return held - 1
    }
  }

  return {
    get rows() {
      return rows
    },
    get distinct() {
      return different
    },
    add(number, line, content) {
      if (rows === numbers.length) grow()
      const key = number === undefined ? 0 : Number(number.slice(1))
      const row = rows
      numbers[row] = key
      lines[row] = line
      if (content) {
        contents[row * 2] = content.high
        contents[row * 2 + 1] = content.low
      }
      rows += 1
      if (key === 0) return undefined
      const before = put(key, row)
      if (before !== undefined) return before
      different += 1
      if (different * 2 > table.length) rehash()
      return undefined
    },
    firstRowWith: (row) => ((numbers[row] as number) > 0 ? (put(numbers[row] as number, row) ?? row) : row),
    numberOf: (row) => (row < rows && (numbers[row] as number) > 0 ? `+${numbers[row]}` : undefined),
    contentOf: (row) => ({ high: contents[row * 2] ?? 0, low: contents[row * 2 + 1] ?? 0 }),
    has(number) {
      const key = Number(number.slice(1))
      for (let at = placeOf(key, table.length); ; at = (at + 1) & (table.length - 1)) {
        const held = table[at] as number
        if (held === 0 || numbers[held - 1] === key) return held > 0
      }
    },
    lineOf: (row) => lines[row] ?? 0,
  }
}
