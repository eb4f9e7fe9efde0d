import type * as z from 'zod'
import { schemaDefinition } from '../../contract/mechanics/coerce.ts'

const maxDepth = 6

function walk(schema: z.ZodType, path: string, depth: number, into: Set<string>): void {
  const def = schemaDefinition(schema)
  const on = (next: z.ZodType | undefined): void => {
    if (next) walk(next, path, depth, into)
  }
  if (def.shape) {
    if (depth >= maxDepth) return
    for (const [key, value] of Object.entries(def.shape)) {
      const below = path === '' ? key : `${path}.${key}`
      into.add(below)
      walk(value, below, depth + 1, into)
    }
  } else if (def.type === 'record' || def.type === 'unknown' || def.type === 'any') {
    if (path !== '') into.add(`${path}.*`)
  } else if (def.type === 'pipe') on(def.out && schemaDefinition(def.out).type === 'transform' ? def.in : def.out)
  else if (def.type === 'union') def.options?.forEach(on)
  else if (def.type === 'lazy') {
    if (depth < maxDepth) walk(def.getter?.() ?? schema, path, depth + 1, into)
  } else on(def.element ?? def.innerType)
}

/**
 * Returns dot paths of all fields of a schema, parents before children. Lists add no level; `x.*` means arbitrary keys
 * below `x`.
 */
export function schemaFields(schema: z.ZodType): string[] {
  const into = new Set<string>()
  walk(schema, '', 0, into)
  return [...into]
}
