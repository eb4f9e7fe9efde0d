import { numbers } from '../../../contract/numbers.ts'
import { command } from '../../command.ts'
import { deletion } from '../../deletion.ts'
import { argument, target } from './view.ts'

export const release = command({
  endpoint: numbers.release,
  argument,
  examples: ['1', '+14155550199 --yes'],
  notes: 'A number with a subscription stays until the end of the billing period; others go at once.',
  run: (context, invocation) =>
    deletion(context, invocation, {
      endpoint: numbers.release,
      target,
      ask: (id) => `Release number ${id}? It goes at the end of its billing period and may be gone for good; nothing is refunded.`,
    }),
})
