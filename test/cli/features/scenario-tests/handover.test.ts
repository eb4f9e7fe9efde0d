import { expect, test } from 'vitest'
import { isEndedByAssistant } from '../../../../src/cli/features/scenario-tests/assistants/conversation-run.ts'
import { handoverIn } from '../../../../src/cli/nouns/conversations/scenario-from-transcript.ts'
import { functionNames } from '../../../../src/contract/assistants/function-names.ts'

const call = (name: string, result: object) => ({ name, arguments: {}, result }) as never

test('a reply hands over only by a transfer that succeeded, and the last one counts', () => {
  const transfer = `${functionNames.transfer}billing`
  expect(handoverIn({ calls: [call(transfer, { transferred_to: 'Billing' })] })).toBe('Billing')
  expect(handoverIn({ calls: [call(transfer, { error: 'The assistant is inactive.' })] })).toBeUndefined()
  expect(handoverIn({ calls: [call('lookup', { transferred_to: 'Billing' })] })).toBeUndefined()
  expect(
    handoverIn({ calls: [call(transfer, { transferred_to: 'A' }), call(transfer, { transferred_to: 'B' })] }),
  ).toBe('B')
})

test('a conversation is ended by the function for it, unless that failed', () => {
  expect(isEndedByAssistant({ calls: [call(functionNames.end, {})] })).toBe(true)
  expect(isEndedByAssistant({ calls: [call(functionNames.end, { error: 'no' })] })).toBe(false)
  expect(isEndedByAssistant({ calls: [call('lookup', {})] })).toBe(false)
})
