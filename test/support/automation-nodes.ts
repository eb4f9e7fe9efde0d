import type { AutomationNode } from '../../src/contract/automations/automation-node.ts'

type Given = Partial<AutomationNode>

/** Returns a webhook trigger. */
export const webhook = (more: Given = {}): AutomationNode => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  displayName: 'Incoming',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: {} },
  ...more,
})

/** Returns a step of a piece. */
export const piece = (pieceName: string, actionName: string, input: object, more: Given = {}): AutomationNode => ({
  type: 'PIECE',
  settings: { pieceName, actionName, input: { ...input } },
  ...more,
})

/** Returns an HTTP step. */
export const http = (input: object = {}, more: Given = {}): AutomationNode =>
  piece('@engine/piece-http', 'send_request', { method: 'GET', url: 'https://crm.test/people', ...input }, more)

/** Returns a code step. */
export const code = (
  source = 'export const code = async (inputs) => inputs',
  input: object = {},
  more: Given = {},
): AutomationNode => ({
  type: 'CODE',
  settings: { sourceCode: { code: source, packageJson: '{}' }, input: { ...input } },
  ...more,
})

/** Returns a branch step. */
export const branch = (conditions: unknown, more: Given = {}): AutomationNode => ({
  type: 'BRANCH',
  settings: { conditions },
  ...more,
})
/** Returns a loop step. */
export const loop = (items: unknown, more: Given = {}): AutomationNode => ({
  type: 'LOOP_ON_ITEMS',
  settings: { items },
  ...more,
})
/** Returns a response step. */
export const respond = (fields: object = {}, more: Given = {}): AutomationNode =>
  piece(
    '@engine/piece-webhook',
    'return_response',
    { responseType: 'json', fields: { status: 200, headers: {}, body: {}, ...fields } },
    more,
  )
/** Returns the condition that a value exists. */
export const exists = (firstValue: unknown) => ({ firstValue, operator: 'EXISTS' })
