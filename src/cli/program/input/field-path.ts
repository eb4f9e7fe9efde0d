import { usageError } from '../errors/usage-error.ts'

const reserved = new Set(['', '__proto__', 'constructor', 'prototype'])

/** Returns whether `a.b.0.c` names a field: no part is empty or reserved. */
export const isFieldPath = (path: string): boolean => path.split('.').every((key) => !reserved.has(key))

/** Sets `a.b.0.c` inside an object and creates missing parents. */
export function setFieldPath(root: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.')
  if (!isFieldPath(path))
    throw usageError(`Invalid field path "${path}". Use dot-separated names, for example a.b.0.c.`)
  let at: Record<string, unknown> = root
  for (const [n, key] of keys.entries()) {
    if (Array.isArray(at) && !/^\d+$/.test(key))
      throw usageError(
        `Invalid field path "${path}": "${keys.slice(0, n).join('.')}" is a list. Its entries have numbers, such as ${[...keys.slice(0, n), 0].join('.')}.`,
      )
    if (Array.isArray(at) && Number(key) > at.length)
      throw usageError(
        `Invalid field path "${path}": "${keys.slice(0, n).join('.')}" has no entry ${at.length}.`,
        'A list is sent as a whole: pass all of its entries.',
      )
    if (n === keys.length - 1) {
      at[key] = value
      return
    }
    const below = at[key]
    if (below === undefined || below === null) at[key] = /^\d+$/.test(keys[n + 1] as string) ? [] : {}
    else if (typeof below !== 'object')
      throw usageError(`Invalid field path "${path}": "${keys.slice(0, n + 1).join('.')}" is not an object or a list.`)
    at = at[key] as Record<string, unknown>
  }
}
