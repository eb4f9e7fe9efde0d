import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { mapSteps, walkSteps } from '../../contract/automations/walk-steps.ts'
import { getOwn, nodeSettings } from './node.ts'

/**
 * Returns code without TypeScript types, with the same lines: errors of runs name lines of the code that the user wrote.
 * @throws Error with the position of a syntax error
 */
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
