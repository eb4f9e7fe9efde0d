import { describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { maskDefinition } from '../../../src/engine/definition/mask.ts'
import { validateDefinition } from '../../../src/engine/definition/validate-definition.ts'
import { code, exists, http, respond, webhook } from '../../support/automation-nodes.ts'
import { namesIn, problemsOf, treeOf } from '../../support/validated-definition.ts'

describe('ROUTER', () => {
  const router = (
    branches: object[],
    children: unknown[],
    executionType = 'EXECUTE_FIRST_MATCH',
    more: object = {},
  ): AutomationNode => ({
    name: 'choose',
    type: 'ROUTER',
    displayName: 'Choose',
    settings: { branches, executionType, inputUiInfo: {} },
    children,
    ...more,
  })
  const way = (value: string, branchName = value) => ({
    branchType: 'CONDITION',
    branchName,
    conditions: [[exists(value)]],
  })
  const fallback = { branchType: 'FALLBACK', branchName: 'Otherwise' }

  test('of one condition and a fallback is a BRANCH', async () => {
    const tree = await treeOf({
      trigger: webhook(),
      steps: [router([way('a'), fallback], [http(), code()]), respond()],
    })
    expect(tree.nextAction).toMatchObject({
      name: 'choose',
      type: 'BRANCH',
      displayName: 'Choose',
      settings: { conditions: [[exists('a')]], inputUiInfo: {} },
    })
    expect([
      tree.nextAction?.onSuccessAction?.type,
      tree.nextAction?.onFailureAction?.type,
      tree.nextAction?.nextAction?.type,
    ]).toEqual(['PIECE', 'CODE', 'PIECE'])
    expect(tree.nextAction).not.toHaveProperty('children')
  })

  test('of several conditions becomes nested branches', async () => {
    const tree = await treeOf({
      trigger: webhook(),
      steps: [router([way('a'), way('b'), fallback], [http(), null, code()])],
    })
    const inner = tree.nextAction?.onFailureAction
    expect(inner).toMatchObject({
      type: 'BRANCH',
      displayName: 'b',
      settings: { conditions: [[exists('b')]] },
      onFailureAction: { type: 'CODE' },
    })
  })

  test('that runs all matches evaluates one after the other, and the fallback if none matched', async () => {
    const tree = await treeOf({
      trigger: webhook(),
      steps: [router([way('a'), way('b'), fallback], [http(), code(), respond()], 'EXECUTE_ALL_MATCH'), code()],
    })
    expect(namesIn(tree)).toEqual([
      'trigger',
      'choose',
      'step_1',
      'choose_2',
      'step_2',
      'choose_otherwise',
      'step_3',
      'step_4',
    ])
    const last = tree.nextAction?.nextAction?.nextAction
    expect(last?.settings?.conditions).toEqual([
      [{ firstValue: "{{choose['branches'][2]['evaluation']}}", operator: 'BOOLEAN_IS_TRUE' }],
    ])
  })

  test('with more steps than branches gets a warning, and no step is lost', async () => {
    const unused = http({ headers: { Authorization: 'Bearer sk_unused_1' } })
    const steps = [router([way('a'), fallback], [null, code(), unused, null]), respond()]
    const examined = await validateDefinition({ trigger: webhook(), steps })
    expect(examined).toMatchObject({
      ok: true,
      remarks: [
        { step: 'choose', path: 'children[2]', message: 'No branch runs this step: the ROUTER has 2 of them.' },
      ],
    })
    const tree = await treeOf({ trigger: webhook(), steps })
    expect(tree.nextAction?.children).toEqual([unused])
    expect(JSON.stringify(maskDefinition(tree))).not.toContain('sk_unused_1')
  })

  test('with a name that is not an identifier runs all of its matches', async () => {
    const tree = await treeOf({
      trigger: webhook(),
      steps: [
        { ...router([way('a'), way('b'), fallback], [code(), code(), code()], 'EXECUTE_ALL_MATCH'), name: 'Wohin?' },
      ],
    })
    expect(tree.nextAction?.nextAction?.settings?.decided).toEqual({ step: 'Wohin?', branch: 1 })
  })

  test('that is invalid is refused by its name', async () => {
    expect(await problemsOf({ trigger: webhook(), steps: [router([{ branchType: 'X' }], [], 'ALL')] })).toEqual([
      'choose settings.branches[0].branchType: Must be CONDITION or FALLBACK.',
      'choose settings.executionType: Must be EXECUTE_FIRST_MATCH or EXECUTE_ALL_MATCH.',
    ])
  })
})
