import { afterAll, describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { toFlow } from '../../../src/contract/automations/flow-form.ts'
import { diff } from '../../../src/engine/analysis/diff.ts'
import { findPrecedingSteps } from '../../../src/engine/analysis/execution-order.ts'
import { listExternalActions, listSideEffects } from '../../../src/engine/analysis/external-actions.ts'
import { lintDefinition } from '../../../src/engine/analysis/lint.ts'
import { alwaysResponds } from '../../../src/engine/analysis/lint-steps.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { code, http, loop, respond, webhook } from '../../support/automation-nodes.ts'
import { treeOf } from '../../support/validated-definition.ts'
import { runLocally } from './local-run.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

const goesOn = { continueOnFailure: { value: true }, retryOnFailure: { value: false } }
const say = (text: string): AutomationNode => code(`export const code = () => '${text}'`)
const risky = (
  fails: boolean,
  branches: AutomationNode['continueOnFailureBranches'],
  errorHandlingOptions: object = goesOn,
): AutomationNode => {
  const step = code(`export const code = () => { ${fails ? 'throw new Error("boom")' : 'return { n: 1 }'} }`)
  return {
    ...step,
    name: 'risky',
    settings: { ...step.settings, errorHandlingOptions },
    continueOnFailureBranches: branches,
  }
}
const ran = async (steps: AutomationNode[]) =>
  (await runLocally(sandbox, steps)).steps.map((it) => `${it.name} ${it.status} ${JSON.stringify(it.output)}`)

describe('the branches of a step that may fail', () => {
  test('run after it failed or succeeded, before the next step', async () => {
    const branches = { onSuccess: say('fine'), onFailure: { ...say('handled'), nextAction: say('then') } }
    expect(await ran([risky(true, branches), say('after')])).toEqual([
      'risky FAILED null',
      'step_2 SUCCEEDED "handled"',
      'step_3 SUCCEEDED "then"',
      'step_4 SUCCEEDED "after"',
    ])
    expect(await ran([risky(false, branches), say('after')])).toEqual([
      'risky SUCCEEDED {"n":1}',
      'step_1 SUCCEEDED "fine"',
      'step_4 SUCCEEDED "after"',
    ])
  })

  test('do not run if the step does not continue, is skipped, or has none', async () => {
    const branches = { onSuccess: say('fine'), onFailure: null }
    expect(await ran([risky(false, branches, {}), say('after')])).toEqual([
      'risky SUCCEEDED {"n":1}',
      'step_2 SUCCEEDED "after"',
    ])
    expect(await ran([{ ...risky(false, branches), skip: true }, say('after')])).toEqual(['step_2 SUCCEEDED "after"'])
    expect(await ran([risky(true, branches), say('after')])).toEqual(['risky FAILED null', 'step_2 SUCCEEDED "after"'])
  })

  test('see the error of the step, also later and in a loop', async () => {
    const why = () =>
      code(undefined, {
        path: "{{risky['error'].message}}",
        expression: '{{risky.error ? "because: " + risky.error.message : "fine"}}',
        output: '{{risky.output}}',
      })
    const { steps } = await runLocally(sandbox, [
      loop('{{[1]}}', { name: 'each', firstLoopAction: { ...risky(true, { onFailure: why() }), nextAction: why() } }),
    ])
    const expected = {
      path: 'Error: boom (line 1)',
      expression: 'because: Error: boom (line 1)',
      output: '',
    }
    expect(steps.filter((it) => it.name.startsWith('step_')).map((it) => it.output)).toEqual([expected, expected])
    expect(steps[0]?.output).toMatchObject({
      iterations: [{ risky: { output: null, error: { message: 'Error: boom (line 1)' } } }],
    })
  })

  test('a failing step in them fails the run', async () => {
    const { status } = await runLocally(sandbox, [
      risky(true, { onFailure: code('export const code = () => { throw new Error("again") }') }),
    ])
    expect(status).toBe('FAILED')
  })
})

describe('the steps in such branches', () => {
  const send = http({ method: 'POST' })
  const tree = (errorHandlingOptions: object = goesOn) =>
    treeOf({
      trigger: webhook(),
      steps: [risky(true, { onSuccess: say('fine'), onFailure: send }, errorHandlingOptions), respond()],
    })

  test('count as side effects, unless they never run', async () => {
    expect(listSideEffects(await tree()).map((it) => it.step)).toEqual(['step_2'])
    expect(listExternalActions(await tree(), {}).map((it) => it.step)).toEqual(['step_2'])
    expect(listSideEffects(await tree({}))).toEqual([])
    expect(listExternalActions(await tree({}), {})).toEqual([])
  })

  test('are in files in their place, and are read from them unchanged', async () => {
    const definition = await tree()
    const flow = toFlow(definition)
    expect(Object.keys(flow.steps[0] ?? {})).toEqual([
      'name',
      'displayName',
      'type',
      'settings',
      'continueOnFailureBranches',
    ])
    expect(JSON.stringify(flow)).not.toContain('"valid"')
    expect(await treeOf(flow)).toEqual(definition)
  })

  test('are compared by name, with their chain', async () => {
    const changed = await treeOf({
      trigger: webhook(),
      steps: [
        risky(true, { onSuccess: { ...send, name: 'step_2' }, onFailure: { ...say('other'), name: 'other' } }),
        { ...respond(), name: 'step_3' },
      ],
    })
    const { moved, added, removed } = diff(await tree(), changed)
    expect(moved.map((it) => `${it.step} ${it.from} -> ${it.place}`)).toEqual([
      'step_2 risky on failure -> risky on success',
    ])
    expect(added.map((it) => `${it.step} ${it.place}`)).toEqual(['other risky on failure'])
    expect(removed.map((it) => it.step)).toEqual(['step_1'])
  })

  test('may have run before the next step, and do not see each other', async () => {
    const before = findPrecedingSteps(await tree())
    expect([...(before.get('step_3')?.sometimes ?? [])]).toEqual(['step_1', 'step_2'])
    expect([...(before.get('step_2')?.always ?? [])]).toEqual(['trigger', 'risky'])
    expect(before.get('step_2')?.sometimes.has('step_1')).toBe(false)
  })

  test('answer an inbound call if both do', async () => {
    const of = (onSuccess: AutomationNode) =>
      treeOf({ trigger: webhook(), steps: [risky(true, { onSuccess, onFailure: respond() })] })
    expect(alwaysResponds(await of(respond()))).toBe(true)
    expect(alwaysResponds(await of(say('none')))).toBe(false)
  })

  test('are linted, also when they never run or are in a step that cannot have them', async () => {
    const findingsOf = async (step: AutomationNode) =>
      (await lintDefinition({ trigger: webhook(), steps: [step] }, sandbox)).map(
        (it) => `${it.rule} ${it.step} ${it.path}`,
      )
    const bad = code(undefined, { x: '{{nobody.x}}' })
    expect(await findingsOf(risky(true, { onFailure: bad }))).toEqual(['unknown-step step_1 settings.input.x'])
    expect(await findingsOf(risky(true, { onFailure: bad }, {}))).toEqual([
      'branches-off risky continueOnFailureBranches.onFailure',
    ])
    expect(await findingsOf(loop('{{[1]}}', { continueOnFailureBranches: { onFailure: bad } }))).toContain(
      'invalid step_1 continueOnFailureBranches.onFailure',
    )
    expect(await findingsOf({ ...code(), continueOnFailureBranches: 'x' as never })).toContain(
      'invalid step_1 continueOnFailureBranches',
    )
  })
})

describe('a loop', () => {
  test('hides its steps from those after it, and a step from an earlier turn', async () => {
    const { steps } = await runLocally(sandbox, [
      loop('{{[1, 2]}}', {
        name: 'each',
        firstLoopAction: {
          ...code(undefined, { later: '{{later.x}}', item: '{{each.item}}' }),
          name: 'first',
          nextAction: { ...code(undefined, { x: '{{first.item}}' }), name: 'later' },
        },
      }),
      { ...code(undefined, { inner: '{{first.item}}', last: '{{each.iterations[1].later.output.x}}' }), name: 'after' },
    ])
    expect(steps.map((it) => it.output).slice(1)).toEqual([
      { later: '', item: 1 },
      { x: 1 },
      { later: '', item: 2 },
      { x: 2 },
      { inner: '', last: 2 },
    ])
    expect(steps.at(-1)?.unresolved).toEqual(['first.item'])
  })

  test('in a loop shows its steps what ran before in each', async () => {
    const inner = loop('{{outer.item}}', {
      name: 'inner',
      firstLoopAction: { ...code(undefined, { all: '{{mark.x}} {{outer.index}}.{{inner.index}}' }), name: 'leaf' },
    })
    const { steps } = await runLocally(sandbox, [
      loop('{{[[1, 2], [3]]}}', {
        name: 'outer',
        firstLoopAction: { ...code(undefined, { x: 'm{{outer.index}}' }), name: 'mark', nextAction: inner },
      }),
    ])
    expect(steps.filter((it) => it.name === 'leaf').map((it) => it.output)).toEqual([
      { all: 'm1 1.1' },
      { all: 'm1 1.2' },
      { all: 'm2 2.1' },
    ])
  })

  test.each<[name: string, steps: AutomationNode[], findings: string[]]>([
    [
      'after the loop',
      [loop('{{[1]}}', { firstLoopAction: code() }), code(undefined, { x: '{{step_2.x}}' })],
      ['inside-loop step_3'],
    ],
    [
      'of an earlier turn',
      [
        loop('{{[1]}}', {
          firstLoopAction: { ...code(undefined, { x: '{{step_3.x}}' }), nextAction: code() },
        }),
      ],
      ['not-yet-run step_2'],
    ],
  ])('a reference to a step %s is linted as always empty', async (_, steps, findings) => {
    const found = await lintDefinition({ trigger: webhook(), steps }, sandbox)
    expect(found.map((it) => `${it.rule} ${it.step}`)).toEqual(findings)
    expect(found[0]?.message).toContain('is always empty')
  })
})

test('a reference to an unknown name inserts nothing and is noted', async () => {
  const { status, steps } = await runLocally(sandbox, [code(undefined, { a: 'x{{CHANNEL_ID}}', b: '{{step_9.x}}' })])
  expect(status).toBe('SUCCEEDED')
  expect(steps[0]).toMatchObject({ output: { a: 'x', b: '' }, unresolved: ['CHANNEL_ID', 'step_9.x'] })
})

test('steps can have any text as their name', async () => {
  const named = (name: string, more: object = {}): AutomationNode => ({
    ...say(name.replaceAll("'", '')),
    name,
    ...more,
  })
  const names = ['Send mail', 'Schritt-1', 'a[1]/b', 'größe', "it's", '100%']
  const { status, steps } = await runLocally(sandbox, [
    loop('{{[1, 2]}}', { name: 'a', firstLoopAction: named('b') }),
    ...names.map((it) => named(it)),
    { ...code(undefined, { x: '{{größe}} {{größe.length}}' }), name: 'last' },
  ])
  expect(status).toBe('SUCCEEDED')
  expect(steps.map((it) => it.name)).toEqual(['a', 'b', 'b', ...names, 'last'])
  expect(new Set(steps.map((it) => it.path)).size).toBe(steps.length)
  expect(steps.at(-1)?.output).toEqual({ x: 'größe 5' })
})
