import { expect, test } from 'vitest'
import { listExternalActions } from '../../../src/engine/analysis/external-actions.ts'
import { http, webhook } from '../../support/automation-nodes.ts'

// What a person agrees to before a test run: the targets must be those that the run uses.
test.each([
  [{ body: { url: 'https://a.test' } }, 'https://a.test'],
  [{ body: { url: '', other: 'https://b.test' } }, 'https://b.test'],
  [{ body: { url: null, other: 'https://b.test' } }, 'https://b.test'],
  [{ body: { other: 'https://b.test' } }, 'https://b.test'],
  [{ body: {} }, '{{trigger.body.url || trigger.body.other}}'],
])('with %j, the target of a step is %s', (payload, target) => {
  const trigger = webhook({
    nextAction: http({ method: 'POST', url: '{{trigger.body.url || trigger.body.other}}' }, { name: 'step_1' }),
  })
  expect(listExternalActions(trigger, payload).map((it) => it.text)).toEqual([expect.stringContaining(`url ${target}`)])
})
