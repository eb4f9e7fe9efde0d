/** The content of a row as 64 bits: what is sent to its number. Rows of two files with the same content and number are the same, whatever the files. */
export interface Content {
  readonly high: number
  readonly low: number
}

/** The content of a row: its fields but the number. The order in which fields are given does not count. */
export const contentOf = (fields: unknown): Content => hash(fields === undefined ? '' : written(fields))

function written(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(written).join()}]`
  const fields = value as Readonly<Record<string, unknown>>
  let text = '{'
  for (const name of Object.keys(fields).sort()) if (fields[name] !== undefined) text += `${JSON.stringify(name)}:${written(fields[name])},`
  return `${text}}`
}

/** Two 32-bit hashes that share no constants. Beside the number itself they need to tell apart only what one recipient was sent. */
function hash(text: string): Content {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let n = 0; n < text.length; n++) {
    const code = text.charCodeAt(n)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return { high: high >>> 0, low: low >>> 0 }
}

const hex = (it: number): string => it.toString(16).padStart(8, '0')

/** A row in another file, by the target it is for, its number and its content: `1f2e3d4c-14155550112-0123456789abcdef`. */
export interface RowKey extends Content {
  readonly phone: string
}

export const writeRowKey = (target: string, { phone, high, low }: RowKey): string => `${hex(contentOf(target).low)}-${phone.slice(1)}-${hex(high)}${hex(low)}`

/** The row that a key names, where it is of this target; undefined for anything else. */
export function readRowKey(target: string, text: unknown): RowKey | undefined {
  const [, own, digits, high = '', low = ''] = /^([0-9a-f]{8})-(\d{4,15})-([0-9a-f]{8})([0-9a-f]{8})$/.exec(String(text).trim()) ?? []
  if (own !== hex(contentOf(target).low)) return undefined
  return { phone: `+${digits}`, high: Number.parseInt(high, 16), low: Number.parseInt(low, 16) }
}
