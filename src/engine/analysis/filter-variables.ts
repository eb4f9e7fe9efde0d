import { defaultExtraction } from '../../contract/assistants/default-extraction.ts'
import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { nodeInput, nodeSettings } from '../definition/node.ts'
import { findTokens } from '../expressions/tokens.ts'
import { findSkippedSteps } from './execution-order.ts'

/** Variable of calls or conversations that a condition or delay of an automation depends on. */
export interface FilterVariable {
  readonly name: string
  /** Type the automation expects: `bool` in a condition, `string` in a delay. */
  readonly type: 'bool' | 'string'
}

const extractedVariablePattern =
  /\btrigger(?:\??\.output)?(?:\??\.body|\[\s*['"]body['"]\s*\])?(?:\??\.extracted_variables|\[\s*['"]extracted_variables['"]\s*\])(?:\??\.([A-Za-z_$][\w$]*)|\[\s*['"]([^'"\]]+)['"]\s*\])/g

/** Returns the variables of conditions and delays. Without them, later steps never run or run at the wrong time. */
export function listFilterVariables(trigger: AutomationNode): FilterVariable[] {
  const found = new Map<string, FilterVariable>()
  const skipped = findSkippedSteps(trigger)
  for (const { node } of walkSteps(trigger)) {
    const isDelay = node.type === 'PIECE' && /\/piece-delay$/.test(String(nodeSettings(node).pieceName))
    if (skipped.has(String(node.name)) || (node.type !== 'BRANCH' && !isDelay)) continue
    for (const { token } of findTokens(nodeInput(node)))
      for (const [, plain, quoted] of token.matchAll(extractedVariablePattern)) {
        const name = plain ?? quoted ?? ''
        if (!found.has(name)) found.set(name, { name, type: isDelay ? 'string' : 'bool' })
      }
  }
  return [...found.values()]
}

/** Value that an assistant extracts. */
interface ExtractionField {
  readonly name: string
  readonly type: string
  readonly description: string
}

/** Returns the values that an assistant extracts: its own list, or the default list if it has none. */
export function listExtractionFields(schema: unknown): readonly ExtractionField[] {
  return Array.isArray(schema) && schema.length > 0 ? (schema as ExtractionField[]) : defaultExtraction
}

/** Returns the variables that an automation depends on and the assistant does not extract. */
export function listMissingVariables(trigger: AutomationNode, schema: unknown): FilterVariable[] {
  const names = new Set(listExtractionFields(schema).map((it) => it?.name))
  return listFilterVariables(trigger).filter((it) => !names.has(it.name))
}

/** Returns the extraction list of an assistant (`post_call_schema`) with the missing variables added. Existing entries stay. */
export function addVariables(schema: unknown, missing: readonly FilterVariable[]): ExtractionField[] {
  const added = missing.map(({ name, type }): ExtractionField => {
    const words = name.replaceAll('_', ' ')
    return {
      name,
      type,
      description:
        type === 'bool' ? `Whether this is true for the caller: ${words}` : `What the caller said about this: ${words}`,
    }
  })
  return [...listExtractionFields(schema), ...added]
}
