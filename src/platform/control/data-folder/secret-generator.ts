import { crypto } from '../../../node/crypto.ts'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Converts bytes to letters and digits. Bytes above 247 are skipped, because they would favor the first letters. */
function toAlphanumeric(bytes: Iterable<number>, length: number): string {
  let text = ''
  for (const byte of bytes) {
    if (byte < 248) text += letters[byte % 62]
    if (text.length === length) break
  }
  return text
}

/** Random bytes that were not used yet. A call for a few bytes takes as long as one for thousands. */
let pool: Buffer | undefined
let poolPosition = 0
const poolSize = 4096

/** Returns random bytes, each of which is returned once. */
function takeRandomBytes(count: number): Buffer {
  if (pool === undefined || poolPosition + count > poolSize) {
    pool = crypto().randomBytes(poolSize)
    poolPosition = 0
  }
  poolPosition += count
  return pool.subarray(poolPosition - count, poolPosition)
}

/**
 * Creates a generator of secrets of letters and digits. They are random, or with a seed derived from it and the label. Tests of
 * users rely on the keys and the data of a seed, so the text for a seed and a label never changes.
 */
export function createSecretGenerator(seed: number | null): (label: string, length: number) => string {
  return (label, length) => {
    let text = ''
    for (let n = 0; text.length < length; n++) {
      const bytes =
        seed === null ? takeRandomBytes(length) : crypto().createHash('sha512').update(`${seed} ${label} ${n}`).digest()
      text += toAlphanumeric(bytes, length - text.length)
    }
    return text
  }
}

/** Creates a generator of request ids. They are random, or with a seed the same sequence each time. */
export function createRequestIdGenerator(seed: () => number | null): () => string {
  let n = 0
  return () => {
    const given = seed()
    if (given === null) return crypto().randomUUID()
    const hex = crypto().createHash('sha256').update(`${given} request ${n++}`).digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
}
