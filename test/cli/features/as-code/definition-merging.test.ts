import { expect, test } from 'vitest'
import { definitionMerging } from '../../../../src/cli/features/automations/files.ts'
import { code, hook } from '../../../support/flow-definitions.ts'

test('steps after success and failure are separate parts, and are joined unchanged', () => {
  const flow = {
    trigger: hook,
    steps: [
      {
        name: 'step_1',
        ...code('1'),
        continueOnFailureBranches: {
          onFailure: { name: 'step_2', ...code('2'), nextAction: { name: 'step_3', ...code('3') } },
        },
      },
      { name: 'step_4', ...code('4') },
    ],
  }
  const parts = definitionMerging.split({ flow }) as { flow: { steps: object } }
  expect(Object.keys(parts.flow.steps)).toEqual(['trigger', 'step_1', 'step_2', 'step_3', 'step_4'])
  expect(JSON.stringify((parts.flow.steps as Record<string, unknown>).step_1)).not.toContain('step_2')
  expect(definitionMerging.join(parts, parts)).toEqual({ flow })
})
