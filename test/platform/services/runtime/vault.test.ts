import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createVault } from '../../../../src/platform/services/runtime/vault.ts'

const key = randomBytes(32)
const vault = createVault(() => key)

test.each(['secret', '', 'ünïcödé 🦷', 'x'.repeat(10_000)])('an encrypted text is decrypted: %.20s', (text) => {
  const sealed = vault.seal(text, 'a password')
  expect(vault.open(sealed, 'a password')).toBe(text)
  if (text) expect(sealed).not.toContain(text)
})

test('the same text is encrypted differently each time', () => {
  expect(vault.seal('secret', 'a password')).not.toBe(vault.seal('secret', 'a password'))
})

test('can be decrypted only for its purpose', () => {
  expect(() => vault.open(vault.seal('secret', 'of account 1'), 'of account 2')).toThrow('damaged')
})

test('is not decrypted after one bit changed', () => {
  const sealed = vault.seal('secret', 'a password')
  const [version, mark, text = ''] = sealed.split('.')
  const bytes = Buffer.from(text, 'base64url')
  for (const [at, byte] of bytes.entries()) {
    const turned = Buffer.from(bytes)
    turned[at] = byte ^ 1
    expect(() => vault.open(`${version}.${mark}.${turned.toString('base64url')}`, 'a password')).toThrow('damaged')
  }
  expect(() => vault.open(`${version}.${mark}.`, 'a password')).toThrow('damaged')
})

test('reports another key, and reads the key at first use', () => {
  const other = createVault(() => randomBytes(32))
  expect(() => other.open(vault.seal('secret', 'a password'), 'a password')).toThrow(
    'a different key than the one in secret.key',
  )
  expect(() => vault.open('v2.x.y', 'a password')).toThrow('newer version')
  createVault(() => {
    throw new Error('asked for')
  })
})
