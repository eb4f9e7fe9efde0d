import { expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { listMeaningChanges } from '../../../src/engine/analysis/meaning-changes.ts'
import { code, loop, webhook } from '../../support/automation-nodes.ts'
import { treeOf } from '../../support/validated-definition.ts'

const changesOf = async (steps: AutomationNode[]) => listMeaningChanges(await treeOf({ trigger: webhook(), steps }))
const risky = (value: boolean): AutomationNode => ({
  ...code(),
  settings: { ...code().settings, errorHandlingOptions: { continueOnFailure: { value } } },
  continueOnFailureBranches: { onFailure: code() },
})

test.each<[name: string, steps: AutomationNode[], changes: string[]]>([
  ['branches that run now', [risky(true)], ['step_1: its steps for success and failure run.']],
  ['branches that are off', [risky(false)], []],
  [
    'braces in an expression',
    [code(undefined, { x: '{{JSON.stringify({a: {b: 1}})}}' })],
    ['step_1: {{JSON.stringify({a: {b: 1}})}} is read with the braces inside it.'],
  ],
  [
    'other expressions',
    [code(undefined, { x: "{{trigger['body']['x']}} and {{trigger.body.y.map((it) => it)}}" })],
    [],
  ],
  [
    'the error of a step',
    [{ ...risky(true), continueOnFailureBranches: null }, code(undefined, { x: '{{step_1.error.message}}' })],
    ['step_2: {{step_1.error.message}} has the error of step_1.'],
  ],
  [
    'a step of a loop that is used after it',
    [loop('{{[1]}}', { firstLoopAction: code() }), code(undefined, { x: '{{step_2.x}}' })],
    [
      'step_3: {{step_2.x}} is always empty: step_2 is in the loop step_1, and its output is visible only there. Use step_1.iterations.',
    ],
  ],
  [
    'a step of an earlier iteration',
    [loop('{{[1]}}', { firstLoopAction: { ...code(undefined, { x: '{{step_3.x}}' }), nextAction: code() } })],
    ['step_2: {{step_3.x}} is always empty: step_3 runs after this step.'],
  ],
  ['a step that was always later', [code(undefined, { x: '{{step_2.x}}' }), code()], []],
  [
    'code with a language',
    [code('export const code = () => (1).toLocaleString("de")')],
    ['step_1: its code gets the language and time zone that it names.'],
  ],
  [
    'code that compares the message of an error',
    [code('export const code = () => { try { null.x() } catch (e) { return e.message.includes("function") } }')],
    ['step_1: errors have other messages.'],
  ],
  [
    'code that returns the message of an error',
    [code('export const code = () => { try { x() } catch (e) { return e.message } }')],
    [],
  ],
  [
    'code that does not wait for its own function',
    [code('async function send() { throw 1 }\nexport const code = async () => { send(); return 1 }')],
    ['step_1: a rejected promise that its code does not handle fails the step.'],
  ],
  [
    'code that rejects',
    [code('export const code = () => { Promise.reject(new Error("lost")); return 1 }')],
    ['step_1: a rejected promise that its code does not handle fails the step.'],
  ],
  [
    'code that waits for its own function',
    [code('const send = async () => 1\nexport const code = async () => { await send(); return send() }')],
    [],
  ],
  [
    'a step that is tried again',
    [{ ...code(), settings: { ...code().settings, errorHandlingOptions: { retryOnFailure: { value: true } } } }],
    ['step_1: every failure is tried again, not only those that may pass.'],
  ],
])('%s', async (_, steps, changes) => {
  expect(await changesOf(steps)).toEqual(changes)
})
