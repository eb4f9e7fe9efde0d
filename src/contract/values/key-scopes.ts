/**
 * Scopes of API keys. `write` includes `read`, and `spend` includes `write`. `approve` includes no other. Rows of keys
 * have them.
 */
export const keyScopes = ['read', 'write', 'spend', 'approve'] as const
export type KeyScope = (typeof keyScopes)[number]

const included: Readonly<Record<KeyScope, readonly KeyScope[]>> = {
  read: ['read'],
  write: ['read', 'write'],
  spend: ['read', 'write', 'spend'],
  approve: ['approve'],
}

/** Returns whether a key may do what a scope permits. A key without a scope (null) has every right but `approve`. */
export const includesScope = (scope: KeyScope | null, needed: KeyScope): boolean =>
  included[scope ?? 'spend'].includes(needed)
