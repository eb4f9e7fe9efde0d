import { isSecretName } from '../../src/contract/values/secret-names.ts'

/** How four deployments show a credential. */
export const foreignMasks = ['********', '••••1234', '[redacted]', '<secret>'] as const

/** Returns a copy in which a deployment has hidden every credential behind its own mask. */
export function hide(value: unknown, mask: string, name = ''): unknown {
  if (typeof value === 'string') return isSecretName(name) && value !== '' ? mask : value
  if (Array.isArray(value)) return value.map((it) => hide(it, mask, name))
  if (typeof value !== 'object' || value === null) return value
  const { name: pair } = value as { readonly name?: unknown }
  return Object.fromEntries(
    Object.entries(value).map(([field, child]) => [
      field,
      hide(child, mask, field === 'value' && typeof pair === 'string' ? pair : field),
    ]),
  )
}
