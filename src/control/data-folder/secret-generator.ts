import { crypto } from '../../node/crypto.ts'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Bytes to letters and digits. A byte above 247 would favour the first letters, so it is skipped. */
function toAlphanumeric(bytes: Iterable<number>, length: number): string {
  let text = ''
  for (const byte of bytes) {
    if (byte < 248) text += letters[byte % 62]
    if (text.length === length) break
  }
  return text
}

/** Secrets of letters and digits: random, or the same for the same label where a seed is given. */
export function createSecretGenerator(seed: number | null): (label: string, length: number) => string {
  return (label, length) => {
    const { createHash, randomBytes } = crypto()
    let text = ''
    for (let n = 0; text.length < length; n++) {
      const bytes = seed === null ? randomBytes(64) : createHash('sha512').update(`${seed} ${label} ${n}`).digest()
      text += toAlphanumeric(bytes, length - text.length)
    }
    return text
  }
}

/** Ids of answers: random, or where a seed is given the same in the same order. */
export function createRequestIdGenerator(seed: () => number | null): () => string {
  let n = 0
  return () => {
    const given = seed()
    if (given === null) return crypto().randomUUID()
    const hex = crypto().createHash('sha256').update(`${given} request ${n++}`).digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
}
