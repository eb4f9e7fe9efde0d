import { afterAll, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { runLocally } from './local-run.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

test('a loop of steps that compute for long lets other work of the process run in between', async () => {
  const items = [1, 2, 3, 4]
  const slow = {
    name: 'step_2',
    type: 'PIECE',
    displayName: 'Find',
    settings: {
      pieceName: '@engine/piece-text-helper',
      actionName: 'find',
      input: { text: `${'a'.repeat(40)}!`, expression: '(a+)+$' },
      errorHandlingOptions: { continueOnFailure: { value: true } },
    },
  }
  const loop = {
    name: 'step_1',
    type: 'LOOP_ON_ITEMS',
    displayName: 'Each',
    settings: { items: '{{trigger.body}}' },
    firstLoopAction: slow,
  }
  let turns = 0
  let isOver = false
  const count = (): void => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const { status } = await runLocally(sandbox, [loop as unknown as AutomationNode], items)
  isOver = true
  expect(status).toBe('SUCCEEDED')
  expect(turns).toBeGreaterThanOrEqual(items.length - 1)
})
