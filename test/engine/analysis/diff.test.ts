import { describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { diff } from '../../../src/engine/analysis/diff.ts'
import { listSideEffects } from '../../../src/engine/analysis/external-actions.ts'
import { findRequiredConnections } from '../../../src/engine/analysis/required-connections.ts'
import { compileDefinition } from '../../../src/engine/definition/compile-definition.ts'
import { validateDefinition } from '../../../src/engine/definition/validate-definition.ts'
import { canonicalJson, hashJson } from '../../../src/node/canonical-json.ts'
import { branch, code, exists, http, loop, piece, respond, webhook } from '../../support/automation-nodes.ts'

async function treeOf(...steps: AutomationNode[]): Promise<AutomationNode> {
  const examined = await validateDefinition({ trigger: webhook(), steps })
  if (!examined.ok) throw new Error(JSON.stringify(examined.problems))
  return examined.definition
}
const named = (name: string, step: AutomationNode): AutomationNode => ({ ...step, name })

describe('the difference of two definitions', () => {
  test('is empty for equal definitions, whatever the order of keys', async () => {
    const tree = await treeOf(http({ a: 1, b: 2 }))
    const other = await treeOf(http({ b: 2, a: 1 }))
    expect(diff(tree, other)).toEqual({ added: [], removed: [], moved: [], changed: [] })
    expect(hashJson(tree)).toBe(hashJson(other))
    expect(canonicalJson(tree)).toBe(canonicalJson(other))
  })

  test('names steps added, removed and changed, field by field', async () => {
    const before = await treeOf(named('a', http({ timeout: 5, headers: { Accept: 'x' } })), named('b', code()))
    const after = await treeOf(named('c', respond()), named('a', http({ timeout: 9, queryParams: { q: '1' } })))
    expect(diff(before, after)).toEqual({
      added: [{ step: 'c', displayName: 'c', place: 'main', type: 'PIECE' }],
      removed: [{ step: 'b', displayName: 'b', place: 'main', type: 'CODE' }],
      moved: [],
      changed: [
        {
          step: 'a',
          displayName: 'a',
          fields: [
            { path: 'settings.input.timeout', before: 5, after: 9, hidden: false },
            { path: 'settings.input.headers', before: { Accept: 'x' }, after: undefined, hidden: false },
            { path: 'settings.input.queryParams', before: undefined, after: { q: '1' }, hidden: false },
          ],
        },
      ],
    })
  })

  test('distinguishes a moved step from those that were shifted', async () => {
    const [a, b, c] = [named('a', code()), named('b', code()), named('c', code())]
    expect(diff(await treeOf(a, b, c), await treeOf(c, a, b)).moved.map((it) => it.step)).toEqual(['c'])
    const inside = named('if', branch([[exists('1')]], { onSuccessAction: b }))
    expect(diff(await treeOf(a, b, named('if', branch([[exists('1')]]))), await treeOf(a, inside)).moved).toEqual([
      { step: 'b', displayName: 'b', place: 'if on success', from: 'main' },
    ])
  })

  test('reports a changed secret without showing it', async () => {
    const [before, after] = [
      await treeOf(http({ headers: { Authorization: 'Bearer one' } })),
      await treeOf(http({ headers: { Authorization: 'Bearer two' } })),
    ]
    const found = diff(before, after)
    expect(found.changed[0]?.fields).toEqual([
      { path: 'settings.input.headers.Authorization', before: '••• hidden', after: '••• hidden', hidden: true },
    ])
    expect(JSON.stringify(found)).not.toMatch(/one|two/)
  })
})

test('steps that send real messages are named, also in branches and loops, without skipped ones', async () => {
  const sms = (more: object = {}) =>
    piece('@platform/piece-platform', 'sendSms', { from: 1, to: '+15550100', body: 'x' }, more)
  const tree = await treeOf(
    http(),
    http({ method: 'POST' }, { displayName: 'Tell the CRM' }),
    http({ method: '{{trigger.body.m}}' }),
    branch([[exists('1')]], {
      onFailureAction: loop('{{trigger.body.list}}', { firstLoopAction: sms({ displayName: 'Text them' }) }),
    }),
    sms({ skip: true }),
    piece('@engine/piece-spreadsheet', 'insert_row', { spreadsheet_id: 's', values: {} }),
    piece('@engine/piece-crm-b', 'create_booking', { event: 'e', start: '2031-01-01T10:00:00Z', name: 'x' }),
    piece('@engine/piece-calendar-a', 'cancel_booking', { id: '1' }),
  )
  expect(listSideEffects(tree).map((it) => it.displayName)).toEqual(['Tell the CRM', 'step_3', 'Text them', 'step_10'])
  expect(findRequiredConnections(tree)).toEqual({ kinds: ['spreadsheet', 'crm-b'], names: [] })
  expect(
    findRequiredConnections(
      await treeOf(http({ headers: { Authorization: "Bearer {{connections['My CRM'].token}}" } })),
    ).names,
  ).toEqual(['My CRM'])
})

test('TypeScript types of code are removed to run it, and stay in the definition', async () => {
  const source =
    'export const code = async (inputs: { n: number }): Promise<number> => {\n  const x = inputs.n as number\n  return x!\n}'
  const tree = await treeOf(branch([[exists('1')]], { onSuccessAction: code(source) }))
  const runnable = await compileDefinition(tree)
  const sourceOf = (node: AutomationNode) =>
    (node.nextAction?.onSuccessAction?.settings?.sourceCode as { code: string } | undefined)?.code ?? ''
  expect(sourceOf(tree)).toBe(source)
  expect(sourceOf(runnable)).not.toMatch(/number|Promise<| as /)
  expect(sourceOf(runnable).split('\n')).toHaveLength(4)
})
