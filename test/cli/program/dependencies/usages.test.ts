import { expect, test } from 'vitest'
import type { AccountReader } from '../../../../src/cli/program/dependencies/account-reader.ts'
import { findLinkTarget, findUsages } from '../../../../src/cli/program/dependencies/usages.ts'
import type { Link } from '../../../../src/contract/references/resource-links.ts'
import type { ResourceKind } from '../../../../src/contract/references/resource-references.ts'

/** An account with one automation, whose only step has this input. */
function accountWith(actionName: string, input: object): AccountReader {
  const definition = {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: {},
    nextAction: { name: 'step_1', type: 'PIECE', settings: { actionName, input } },
  }
  const automations = async () => [{ id: 'caller', name: 'Caller', status: 'enabled', definition }]
  const list = async () => []
  return { list, automations, listReferring: list, read: list, isComplete: () => true, failures: [] }
}

const rota = { id: 'abc', name: 'Rota' }
test.each<[string, ResourceKind, object, object, string, number]>([
  ['an automation by its id', 'automate', rota, { flow: 'abc' }, 'callFlow', 1],
  ['an automation by its name', 'automate', rota, { flow: 'Rota' }, 'callFlow', 1],
  ['another automation', 'automate', rota, { flow: 'Other' }, 'callFlow', 0],
  ['a number by its id', 'numbers', { id: 4, name: 'Rota' }, { from: 4 }, 'sendSms', 1],
  ['a number by its id as text', 'numbers', { id: 4, name: 'Rota' }, { from: '4' }, 'sendSms', 1],
  ['a number, which has no name in a step', 'numbers', { id: 4, name: 'Rota' }, { from: 'Rota' }, 'sendSms', 0],
  ['a campaign, which has no name in a step', 'campaigns', { id: 4, name: 'Rota' }, { campaign: 'Rota' }, 'addLead', 0],
  [
    'a template by its name',
    'templates',
    { id: 7, name: 'hello', sender_id: 1 },
    { sender: 1, template: 'hello' },
    'sendTemplate',
    1,
  ],
  [
    'a template of that name of another sender',
    'templates',
    { id: 7, name: 'hello', sender_id: 2 },
    { sender: 1, template: 'hello' },
    'sendTemplate',
    0,
  ],
  [
    'a template by its name, of an unknown sender',
    'templates',
    { id: 7, name: 'hello', sender_id: 2 },
    { template: 'hello' },
    'sendTemplate',
    1,
  ],
  [
    'a template by its name, which does not show its sender',
    'templates',
    { id: 7, name: 'hello' },
    { sender: 1, template: 'hello' },
    'sendTemplate',
    1,
  ],
])('a step uses %s', async (_, kind, target, input, action, count) => {
  const { certain, possible } = await findUsages(accountWith(action, input), kind, target as never)
  expect(certain.map(({ link }) => link.item.name)).toEqual(Array.from({ length: count }, () => 'Caller'))
  expect(possible).toEqual([])
})

test('a step with an expression may use every resource of the kind', async () => {
  const { certain, possible } = await findUsages(accountWith('callFlow', { flow: '{{trigger.x}}' }), 'automate', rota)
  expect([certain.length, possible.length]).toEqual([0, 1])
})

test('what a reference names is missing only if its list was read completely', async () => {
  const link = { from: 'automate', item: {}, path: 'step_1.flow', by: 'step', to: 'automate', id: 'Rota' } as Link
  const account = (items: readonly object[], isComplete = true) =>
    ({ ...accountWith('callFlow', {}), list: async () => items, isComplete: () => isComplete }) as AccountReader
  expect(await findLinkTarget(account([{ id: 1, name: 'Other' }, rota]), link)).toBe(rota)
  expect(await findLinkTarget(account([]), link)).toBe('missing')
  expect(await findLinkTarget(account([], false), link)).toBe('unknown')
  expect(await findLinkTarget(account([rota]), { ...link, id: undefined })).toBe('unknown')
})
