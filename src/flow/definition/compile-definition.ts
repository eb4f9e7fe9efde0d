import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { crypto } from '../../node/crypto.ts'
import { getOwn, isObject, nodeSettings } from './node.ts'
import { walk } from './walk.ts'

/** Code without the types of TypeScript, line for line. @throws Error saying where it cannot be read */
export async function stripTypes(code: string): Promise<string> {
  const { transform } = await import('sucrase')
  return transform(code, { transforms: ['typescript'], disableESTransforms: true, keepUnusedImports: false }).code
}

/** What a version runs: the same tree with code as the sandbox takes it. Code that cannot be read stays as it is: only steps that are not run may have some. */
export async function compileDefinition(trigger: AutomationNode): Promise<AutomationNode> {
  const copies = new Map<AutomationNode, AutomationNode>()
  for (const { node, parent, field } of walk(trigger)) {
    const copy: AutomationNode = { ...node }
    const sourceCode = node.type === 'CODE' ? getOwn(nodeSettings(node), 'sourceCode') : undefined
    const code = getOwn(sourceCode, 'code')
    if (isObject(sourceCode) && typeof code === 'string')
      copy.settings = {
        ...node.settings,
        sourceCode: { ...sourceCode, code: await stripTypes(code).catch(() => code) },
      }
    copies.set(node, copy)
    if (parent && field) (copies.get(parent) as AutomationNode)[field] = copy
  }
  return copies.get(trigger) as AutomationNode
}

/** JSON with the keys of every object in order, so that the same definition is the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, it: unknown) =>
    isObject(it) ? Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) : it,
  )
}

/** SHA-256 of the canonical text, in hexadecimal: what two versions with the same content share. */
export const contentHash = (trigger: AutomationNode): string =>
  crypto().createHash('sha256').update(canonicalJson(trigger)).digest('hex')
