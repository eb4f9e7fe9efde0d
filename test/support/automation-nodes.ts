import type { AutomationNode } from '../../src/contract/automations/automation-node.ts'

type Given = Partial<AutomationNode>

export const webhook = (more: Given = {}): AutomationNode => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  displayName: 'Incoming',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: {} },
  ...more,
})

export const piece = (pieceName: string, actionName: string, input: object, more: Given = {}): AutomationNode => ({
  type: 'PIECE',
  settings: { pieceName, actionName, input: { ...input } },
  ...more,
})

export const http = (input: object = {}, more: Given = {}): AutomationNode =>
  piece('@engine/piece-http', 'send_request', { method: 'GET', url: 'https://crm.test/people', ...input }, more)

export const code = (
  source = 'export const code = async (inputs) => inputs',
  input: object = {},
  more: Given = {},
): AutomationNode => ({
  type: 'CODE',
  settings: { sourceCode: { code: source, packageJson: '{}' }, input: { ...input } },
  ...more,
})

export const branch = (conditions: unknown, more: Given = {}): AutomationNode => ({
  type: 'BRANCH',
  settings: { conditions },
  ...more,
})
export const loop = (items: unknown, more: Given = {}): AutomationNode => ({
  type: 'LOOP_ON_ITEMS',
  settings: { items },
  ...more,
})
export const respond = (fields: object = {}, more: Given = {}): AutomationNode =>
  piece(
    '@engine/piece-webhook',
    'return_response',
    { responseType: 'json', fields: { status: 200, headers: {}, body: {}, ...fields } },
    more,
  )
export const exists = (firstValue: unknown) => ({ firstValue, operator: 'EXISTS' })
