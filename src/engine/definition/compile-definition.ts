import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { mapSteps, walkSteps } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { crypto } from '../../node/crypto.ts'
import { stringifyJson } from '../../node/json.ts'
import { getOwn, nodeSettings } from './node.ts'

/** Returns code without TypeScript types, with the same lines. @throws Error with the position of a syntax error */
export async function stripTypes(code: string): Promise<string> {
  const { transform } = await import('sucrase')
  return transform(code, { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: false }).code
}

/**
 * Returns a copy of the tree in which code is converted for the sandbox. Code with syntax errors stays unchanged: only
 * steps that never run may have it.
 */
export async function compileDefinition(trigger: AutomationNode): Promise<AutomationNode> {
  const compiled = new Map<AutomationNode, string>()
  for (const { node } of walkSteps(trigger)) {
    const code = node.type === 'CODE' ? getOwn(getOwn(nodeSettings(node), 'sourceCode'), 'code') : undefined
    if (typeof code === 'string') compiled.set(node, await stripTypes(code).catch(() => code))
  }
  return mapSteps(trigger, (fields, node) => {
    const code = compiled.get(node)
    if (code === undefined) return fields
    return {
      ...fields,
      settings: { ...fields.settings, sourceCode: { ...(fields.settings?.sourceCode as object), code } },
    }
  })
}

/** Returns JSON with sorted keys, so that equal definitions have equal texts. */
export function canonicalJson(value: unknown): string {
  return stringifyJson(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  )
}

/** Returns the SHA-256 hash of the canonical JSON in hexadecimal. Versions with the same content have the same hash. */
export const contentHash = (trigger: AutomationNode): string =>
  crypto().createHash('sha256').update(canonicalJson(trigger)).digest('hex')
