import { afterAll, describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { code } from '../../support/automation-nodes.ts'
import { runLocally } from './local-run.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

const way = (branchName: string, firstValue: string) => ({
  branchType: 'CONDITION',
  branchName,
  conditions: [[{ firstValue, operator: 'TEXT_EXACTLY_MATCHES', secondValue: 'yes' }]],
})
const fallback = { branchType: 'FALLBACK', branchName: 'Otherwise' }
const say = (text: string): AutomationNode => code(`export const code = () => '${text}'`)
const router = (executionType: string, branches: object[], children: (AutomationNode | null)[]): AutomationNode => ({
  name: 'choose',
  type: 'ROUTER',
  settings: { branches, executionType },
  children,
})
const [a, b] = [way('Big', "{{trigger['body']['a']}}"), way('Small', "{{trigger['body']['b']}}")]
const seen: AutomationNode = code('export const code = (inputs) => inputs', {
  names: '{{choose.branches.map((it) => it.branchName + it.branchIndex + it.evaluation)}}',
})

describe('a ROUTER returns the evaluation of all its branches', () => {
  test.each<[string, object, boolean[], string[]]>([
    ['EXECUTE_FIRST_MATCH', { a: 'yes', b: 'yes' }, [true, true, false], ['one']],
    ['EXECUTE_FIRST_MATCH', { b: 'yes' }, [false, true, false], ['two']],
    ['EXECUTE_FIRST_MATCH', {}, [false, false, true], ['three']],
    ['EXECUTE_ALL_MATCH', { a: 'yes', b: 'yes' }, [true, true, false], ['one', 'two']],
    ['EXECUTE_ALL_MATCH', {}, [false, false, true], ['three']],
  ])('%s of %j', async (type, body, evaluations, ran) => {
    const { steps } = await runLocally(
      sandbox,
      [router(type, [a, b, fallback], [say('one'), say('two'), say('three')]), seen],
      body,
    )
    const branches = ['Big', 'Small', 'Otherwise'].map((branchName, at) => ({
      branchName,
      branchIndex: at + 1,
      evaluation: evaluations[at],
    }))
    expect(steps[0]).toMatchObject({ name: 'choose', output: { branches } })
    expect(steps[0]?.output).toEqual({ branches })
    expect(steps.map((it) => it.output).filter((it) => typeof it === 'string')).toEqual(ran)
    expect(steps.at(-1)?.output).toEqual({
      names: branches.map((it) => `${it.branchName}${it.branchIndex}${it.evaluation}`),
    })
  })
})

test('a ROUTER evaluates all branches before it runs the first one', async () => {
  const flag: AutomationNode = { ...say('yes'), name: 'flag' }
  const late = way('Late', '{{flag}}')
  const { steps } = await runLocally(sandbox, [router('EXECUTE_ALL_MATCH', [a, late], [flag, say('late')])], {
    a: 'yes',
  })
  expect(steps.map((it) => it.output).filter((it) => typeof it === 'string')).toEqual(['yes'])
})

test('a fallback in first position keeps that position among the branches', async () => {
  const { steps } = await runLocally(
    sandbox,
    [router('EXECUTE_FIRST_MATCH', [fallback, b], [say('other'), say('two')])],
    { b: 'yes' },
  )
  expect(steps[0]?.output).toEqual({
    branches: [
      { branchName: 'Otherwise', branchIndex: 1, evaluation: false },
      { branchName: 'Small', branchIndex: 2, evaluation: true },
    ],
  })
  expect(steps.at(-1)?.output).toBe('two')
})
