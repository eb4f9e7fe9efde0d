// The format of sealed texts is stored in databases, snapshots and backups: texts that an earlier version sealed must open.

import { crypto } from '../../../node/crypto.ts'

/**
 * Seals secrets that must be readable again, such as passwords of external servers, with a key that is not in the
 * database.
 */
export interface Vault {
  /**
   * Seals a text. `context` says what it is and which account it belongs to. Opening requires the same context, so that
   * a sealed text is useless in another place.
   */
  seal(text: string, context: string): string
  /**
   * Opens a sealed text. @throws VaultError when it was sealed with another key, for another context, or was modified
   */
  open(sealed: string, context: string): string
}

/**
 * A sealed secret cannot be read, or the key cannot be used. The message says what to do and contains nothing of the
 * secret.
 */
export class VaultError extends Error {
  override readonly name = 'VaultError'
}

/** Returns a mark of a key, which sealed texts contain: it never changes. It does not reveal the key. */
export const keyMark = (key: Buffer): string =>
  crypto().createHash('sha256').update('mark').update(key).digest('hex').slice(0, 8)

/** Returns the mark of the key that sealed a text. */
export const sealedWith = (sealed: string): string | undefined => sealed.split('.')[1]

/**
 * Creates a vault that uses AES-256-GCM. `keyOf` returns the 32 bytes of the key on first use. Format: `v1.<mark of the
 * key>.<nonce, tag and text>`. It is stored and never changes: another format gets another version. Where a column may hold plain
 * text, too, `v1.` tells a sealed one (meta.ts, assistant-fields.ts, sealed-tool-fields.ts, idempotency.ts, data-transfer.ts).
 */
export function createVault(keyOf: () => Buffer): Vault {
  let loadedKey: { readonly key: Buffer; readonly mark: string } | undefined
  const getKey = (): { readonly key: Buffer; readonly mark: string } => {
    if (!loadedKey) {
      const key = keyOf()
      loadedKey = { key, mark: keyMark(key) }
    }
    return loadedKey
  }
  return {
    seal(text, context) {
      const { key, mark } = getKey()
      const nonce = crypto().randomBytes(12)
      const cipher = crypto().createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `v1.${mark}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    open(sealed, context) {
      const { key, mark } = getKey()
      const [version, sealedWith, bytes = ''] = sealed.split('.')
      if (version !== 'v1')
        throw new VaultError('A secret in the database was encrypted by a newer version of Parley. Upgrade Parley.')
      if (sealedWith !== mark)
        throw new VaultError(
          'A secret in the database was encrypted with a different key than the one in secret.key. Restore the original secret.key, or enter the secret again.',
        )
      const all = Buffer.from(bytes, 'base64url')
      try {
        const cipher = crypto()
          .createDecipheriv('aes-256-gcm', key, all.subarray(0, 12), { authTagLength: 16 })
          .setAAD(Buffer.from(context))
          .setAuthTag(all.subarray(12, 28))
        return Buffer.concat([cipher.update(all.subarray(28)), cipher.final()]).toString('utf8')
      } catch {
        throw new VaultError('A secret in the database is damaged. Enter it again.')
      }
    },
  }
}

/** Returns whether two secrets are equal, in time that reveals nothing about either. */
export function isEqualSecret(actual: string, expected: string): boolean {
  const digest = (text: string) => crypto().createHash('sha256').update(text).digest()
  return expected !== '' && crypto().timingSafeEqual(digest(actual), digest(expected))
}
