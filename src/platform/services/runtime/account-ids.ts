// Clients have these ids, and they are stored: the forms never change, and another one must differ from them.

import type { Cipher } from 'node:crypto'
import type { Micros } from '../../../contract/values/micros.ts'
import { crypto } from '../../../node/crypto.ts'
import { requireValue } from '../../../node/require-value.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery, Connection, PlatformQuery } from '../../store/database/connection.ts'

/**
 * Creates ids that carry their account, so that what has only the id knows which account to read. They have 80 random
 * bits, and the account is enciphered beside them: an id shows neither its account nor whether two ids have the same one.
 * An id alone proves nothing: what it names must be found under it.
 */
export interface AccountIds {
  /** Returns a new version 8 UUID. */
  newUuid(account: number): string
  /**
   * Returns a new id of a run, 21 letters and digits. It begins with the minute, so that runs of the same moment are close
   * to each other in every index, which makes commits of many runs small.
   */
  newRunId(account: number, now: Micros): string
  /**
   * Returns the account of an id; undefined for an id of another form. For an id that was created in another way, or with
   * another key, the result is undefined or wrong: `findById` finds these, too.
   */
  accountOf(id: string): number | undefined
}

const nonceBytes = 10
const nonceBits = 80
const accountBits = 36
/** Bits of a UUID that are zero before they are enciphered: 63 of 64 UUIDs of other keys are recognized by them. */
const checkBits = 6
/** Bits of a run id with the minute: those of about eight hours. */
const minuteBits = 9

/** Label that derives the key of these ids. It never changes, or the ids could not be read any more. */
const purpose = 'ids that carry their account'

/** Nonces that are drawn and enciphered at once, because a single one takes almost as long. */
const drawnNonces = 256
const blockBytes = 16

/** Random bits, and the bits that encipher an account beside them. */
interface Nonce {
  readonly nonce: bigint
  readonly stream: bigint
}

/**
 * Creates ids with a key derived from the encryption key of the platform, which all servers of a database share. `keyOf` is
 * called on first use. `random` returns random bytes.
 */
export function createAccountIds(
  keyOf: () => Buffer,
  random: (count: number) => Buffer = (count) => crypto().randomBytes(count),
): AccountIds {
  let cipher: Cipher | undefined
  function createCipher(): Cipher {
    const key = Buffer.from(crypto().hkdfSync('sha256', keyOf(), '', purpose, 32))
    return crypto().createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  }
  /** Enciphers nonces, each of which begins a block of its own. A nonce is never used twice, so that no block is. */
  const encipherBlocks = (blocks: Buffer): Buffer => (cipher ??= createCipher()).update(blocks)

  const drawn: Nonce[] = []
  function draw(): void {
    const blocks = Buffer.alloc(drawnNonces * blockBytes)
    const bytes = random(drawnNonces * nonceBytes)
    for (let n = 0; n < drawnNonces; n++) bytes.copy(blocks, n * blockBytes, n * nonceBytes, (n + 1) * nonceBytes)
    const streams = encipherBlocks(blocks)
    for (let at = 0; at < blocks.length; at += blockBytes)
      drawn.push({
        nonce: (blocks.readBigUInt64BE(at) << 16n) | BigInt(blocks.readUInt16BE(at + 8)),
        stream: streams.readBigUInt64BE(at),
      })
  }

  /** Returns a nonce and after it the enciphered account, followed by zero bits. */
  function encipher(account: number, zeroBits: number): bigint {
    if (!Number.isInteger(account) || account < 1 || account >= 2 ** accountBits)
      throw new RangeError(`The id ${account} of an account is not between 1 and 2^36 - 1.`)
    if (drawn.length === 0) draw()
    const { nonce, stream } = requireValue(drawn.pop())
    const bits = accountBits + zeroBits
    return (nonce << BigInt(bits)) | ((BigInt(account) << BigInt(zeroBits)) ^ (stream >> BigInt(64 - bits)))
  }

  function decipher(value: bigint, zeroBits: number): number | undefined {
    const bits = accountBits + zeroBits
    const nonce = lowBits(value >> BigInt(bits), nonceBits)
    const block = Buffer.alloc(blockBytes)
    block.writeBigUInt64BE(nonce >> 16n)
    block.writeUInt16BE(Number(lowBits(nonce, 16)), 8)
    const plain = lowBits(value, bits) ^ (encipherBlocks(block).readBigUInt64BE() >> BigInt(64 - bits))
    return lowBits(plain, zeroBits) === 0n ? Number(plain >> BigInt(zeroBits)) || undefined : undefined
  }

  return {
    newUuid: (account) => toUuid(encipher(account, checkBits)),
    newRunId: (account, now) =>
      toRunId(
        (lowBits(BigInt(Math.floor(now / 60_000_000)), minuteBits) << BigInt(nonceBits + accountBits)) |
          encipher(account, 0),
      ),
    accountOf(id) {
      const uuid = fromUuid(id)
      if (uuid !== undefined) return decipher(uuid, checkBits)
      const run = fromRunId(id)
      return run === undefined ? undefined : decipher(run, 0)
    },
  }
}

const lowBits = (value: bigint, bits: number): bigint => BigInt.asUintN(bits, value)

const uuidForm = /^([0-9a-f]{8})-([0-9a-f]{4})-8([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/i
/** Bits of a UUID after its variant, which is 2 in the two bits before them. */
const variantBits = 62

function toUuid(bits: bigint): string {
  const start = (bits >> BigInt(variantBits)).toString(16).padStart(15, '0')
  const end = ((2n << BigInt(variantBits)) | lowBits(bits, variantBits)).toString(16)
  return `${start.slice(0, 8)}-${start.slice(8, 12)}-8${start.slice(12)}-${end.slice(0, 4)}-${end.slice(4)}`
}

function fromUuid(id: string): bigint | undefined {
  const [, a, b, c, d, e] = uuidForm.exec(id) ?? []
  if (a === undefined) return undefined
  return (BigInt(`0x${a}${b}${c}`) << BigInt(variantBits)) | lowBits(BigInt(`0x${d}${e}`), variantBits)
}

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits of a run id, which suffice for 125 bits. */
const runIdLength = 21
const runIdForm = new RegExp(`^[0-9A-Za-z]{${runIdLength}}$`)

/** Digits that fit into a number, which is divided faster than a bigint. */
const numberDigits = 7

function toRunId(bits: bigint): string {
  let text = ''
  for (let rest = bits; text.length < runIdLength; rest /= 62n ** BigInt(numberDigits)) {
    let digits = Number(rest % 62n ** BigInt(numberDigits))
    for (let n = 0; n < numberDigits; n++) {
      text = `${base62Digits[digits % 62]}${text}`
      digits = Math.floor(digits / 62)
    }
  }
  return text
}

function fromRunId(id: string): bigint | undefined {
  if (!runIdForm.test(id)) return undefined
  let bits = 0n
  for (const digit of id) bits = bits * 62n + BigInt(base62Digits.indexOf(digit))
  return bits
}

/** How a row is found by an id: in the account that the id carries, or in any. */
export interface FindById<T> {
  readonly own: (query: AccountQuery) => Promise<T | undefined>
  readonly any: (query: PlatformQuery) => Promise<T | undefined>
}

/**
 * Returns the row of an id: that of the account it carries, or one of any account. Ids of earlier versions, of platforms
 * with a seed, of data that was loaded, and of an encryption key that was replaced are found only across accounts.
 */
export async function findById<T>(
  {
    connection: { read },
    accountIds,
  }: { readonly connection: Pick<Connection, 'read'>; readonly accountIds: AccountIds },
  id: string,
  find: FindById<T>,
): Promise<T | undefined> {
  const account = accountIds.accountOf(id)
  const own = account === undefined ? undefined : await find.own(accountQuery(read, account))
  return own ?? find.any(read)
}
