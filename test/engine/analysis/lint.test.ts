import { afterAll, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { lintDefinition } from '../../../src/engine/analysis/lint.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { branch, code, exists, http, loop, piece, respond, webhook } from '../../support/automation-nodes.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

const quiet = (input: object = {}, more: object = {}): AutomationNode => http({ timeout: 5, ...input }, more)
async function found(steps: AutomationNode[], trigger: AutomationNode = webhook()): Promise<string[]> {
  return (await lintDefinition({ trigger, steps }, sandbox)).map(
    ({ level, rule, step, path }) => `${level === 'error' ? '! ' : ''}${rule} ${step} ${path}`,
  )
}
const schedule = (triggerName: string, input: object): AutomationNode =>
  webhook({ settings: { pieceName: '@engine/piece-schedule', triggerName, input: { ...input } } })

test('a ROUTER whose fallback always runs has no findings, and a branch without conditions is named', async () => {
  const router = (branches: object[], children: unknown[]) =>
    ({
      type: 'ROUTER',
      displayName: 'Choose',
      settings: { branches, executionType: 'EXECUTE_FIRST_MATCH' },
      children,
    }) as unknown as AutomationNode
  const fallback = { branchType: 'FALLBACK', branchName: 'Otherwise' }
  const empty = { branchType: 'CONDITION', branchName: 'VIP', conditions: [] }
  expect(await found([router([fallback], [code()]), respond()])).toEqual([])
  const [finding] = await lintDefinition(
    { trigger: webhook(), steps: [router([empty, fallback], [null, code()]), respond()] },
    sandbox,
  )
  expect(finding).toMatchObject({
    rule: 'never-true',
    message: 'The branch "VIP" has no conditions, so it is never true.',
  })
})

test('a definition without problems has no findings', async () => {
  expect(
    await found([
      quiet({ url: "https://a.test/{{trigger['body']['id']}}" }),
      respond({ body: { x: '{{step_1.body.name}}' } }),
    ]),
  ).toEqual([])
})

test.each<[string, AutomationNode[], string[]]>([
  ['a missing step', [code(undefined, { x: '{{step_9.body}}' })], ['unknown-step step_1 settings.input.x']],
  ['a step that is misspelled', [code(undefined, { x: '{{triger.body}}' })], ['unknown-step step_1 settings.input.x']],
  ['a step that runs later', [code(undefined, { x: '{{step_2.a}}' }), code()], ['not-yet-run step_1 settings.input.x']],
  ['its own output', [code(undefined, { x: '{{step_1.a}}' })], ['own-output step_1 settings.input.x']],
  [
    'a step of a branch that may not run',
    [branch([[exists('1')]], { onSuccessAction: code() }), code(undefined, { x: '{{step_2.a}}' })],
    ['maybe-not-run step_3 settings.input.x'],
  ],
  [
    'the other side of a branch',
    [branch([[exists('1')]], { onSuccessAction: code(), onFailureAction: code(undefined, { x: '{{step_2.a}}' }) })],
    ['not-yet-run step_3 settings.input.x'],
  ],
  [
    'a step that is stepped over',
    [code(undefined, {}, { skip: true }), code(undefined, { x: '{{step_1.a}}' })],
    ['skipped step_1 skip', 'skipped-step step_2 settings.input.x'],
  ],
  [
    'a step inside a branch that is stepped over',
    [
      branch([[exists('1')]], { skip: true, onSuccessAction: code() }),
      code(undefined, { x: "{{step_2['a']}} {{step_1.condition ? 1 : 2}}" }),
    ],
    ['skipped step_1 skip', 'skipped-step step_3 settings.input.x', 'skipped-step step_3 settings.input.x'],
  ],
  [
    'a loop seen from inside',
    [loop('{{trigger.body.list}}', { firstLoopAction: code(undefined, { x: "{{step_1['item']}}" }) })],
    [],
  ],
  [
    'an expression that cannot be read',
    [code(undefined, { x: "{{step_0['a'}}" })],
    ['unknown-step step_1 settings.input.x', 'expression-syntax step_1 settings.input.x'],
  ],
  [
    'a longer expression of a known step',
    [code(), code(undefined, { x: "{{step_1.list.map((it) => it['step_7'])}}" })],
    [],
  ],
  [
    'a secret in the definition',
    [quiet({ headers: { Authorization: 'Bearer abc' } })],
    ['inline-secret step_1 settings.input.headers.Authorization'],
  ],
  [
    'a name that expressions cannot have',
    [code('export const code = () => new Date().toLocaleString("de-DE")', {}, { name: 'Format the date' })],
    ['unusable-name Format the date name'],
  ],
  ['no timeout', [http()], ['no-timeout step_1 settings.input.timeout']],
  [
    'a number that may be nothing',
    [branch([[{ firstValue: '{{trigger.body.n}}', operator: 'NUMBER_IS_LESS_THAN', secondValue: '5' }]])],
    ['empty-is-zero step_1 settings.conditions[0][0].firstValue'],
  ],
  [
    'an invalid number',
    [branch([[{ firstValue: '{{trigger.body.n}}', operator: 'NUMBER_IS_LESS_THAN', secondValue: 'five' }]])],
    ['not-a-number step_1 settings.conditions[0][0].secondValue'],
  ],
  [
    'a text that is true',
    [branch([[{ firstValue: 'is {{trigger.body.n}}', operator: 'BOOLEAN_IS_TRUE' }]])],
    ['text-is-true step_1 settings.conditions[0][0].firstValue'],
  ],
  [
    'conditions that never or always hold',
    [branch([]), branch([[]])],
    ['never-true step_1 settings.conditions', 'always-true step_2 settings.conditions[0]'],
  ],
  ['a step that is stepped over', [code(undefined, {}, { skip: true })], ['skipped step_1 skip']],
])('%s', async (_, steps, expected) => {
  expect(await found(steps)).toEqual(expected)
})

test.each<[AutomationNode, string[]]>([
  [
    schedule('every_day', { hour_of_the_day: 9 }),
    ['weekdays-only trigger settings.input.run_on_weekends', 'no-time-zone trigger settings.input.timezone'],
  ],
  [schedule('every_day', { hour_of_the_day: 9, timezone: 'Europe/Paris', run_on_weekends: false }), []],
  [schedule('every_x_minutes', { minutes: 25 }), ['uneven-minutes trigger settings.input.minutes']],
  [schedule('every_x_minutes', { minutes: 20 }), []],
  [
    schedule('every_month', { day_of_the_month: 31, timezone: 'UTC' }),
    ['short-months trigger settings.input.day_of_the_month'],
  ],
])('a schedule %j', async (trigger, expected) => {
  expect(await found([code()], trigger)).toEqual(expected)
})

test('an inbound call must be answered on every path', async () => {
  const inbound = webhook({
    settings: { pieceName: '@platform/piece-platform', triggerName: 'inboundCall', input: { assistant: 1 } },
  })
  const answer = piece('@platform/piece-platform', 'respondToCall', { variables: { a: 'b' } })
  expect(await found([code()], inbound)).toEqual(['no-answer trigger '])
  expect(await found([branch([[exists('1')]], { onSuccessAction: answer })], inbound)).toEqual(['no-answer trigger '])
  expect(
    await found([branch([[exists('1')]], { onSuccessAction: answer, onFailureAction: respond() })], inbound),
  ).toEqual([])
  expect(await found([branch([[exists('1')]], { onSuccessAction: code() }), respond()], inbound)).toEqual([])
})

test('errors that the platform would refuse come first, with errors in code', async () => {
  expect(await found([quiet({ url: '' }), code('export const code = (=> 1')])).toEqual([
    '! invalid step_1 settings.input.url',
    '! invalid step_2 settings.sourceCode.code',
  ])
  const deep = JSON.parse(`${'{"type":"CODE","nextAction":'.repeat(10_000)}null${'}'.repeat(10_000)}`) as AutomationNode
  expect(
    (await lintDefinition({ trigger: webhook({ nextAction: deep }) }, sandbox)).every((it) => it.level === 'error'),
  ).toBe(true)
})

test.each<[string, string[]]>([
  ["const crypto = require('crypto'); exports.code = () => 1", ['require']],
  ['export const code = async () => process.env.KEY', ['process']],
  ['export const code = async () => new Intl.DateTimeFormat("de")', []],
  ['export const code = async ({ document }) => document.title', []],
  ['export const code = async (inputs) => inputs.process + "process.env" // require', []],
  ['export const code = async () => (typeof process === "undefined" ? 1 : 2)', []],
  ['const Blob = 1\nexport const code = async () => ({ window: Blob })', []],
  [
    'export const code = async () => { await fetch("https://a.test"); setTimeout(() => {}, 1); return Buffer.from("a").toString("hex") }',
    [],
  ],
])('globals that code lacks are named: %s', async (source, missing) => {
  const findings = await lintDefinition({ trigger: webhook(), steps: [code(source)] }, sandbox)
  const named = findings
    .filter((it) => it.level === 'error')
    .map((it) => /^(\w+) is not available/.exec(it.message)?.[1])
  expect(named).toEqual(missing)
})

test.each<[string, object, boolean]>([
  ['batchSize', { batchSize: 10 }, true],
  ['batching', { batching: { enabled: true, mode: 'ITEMS_PER_BATCH', size: 5 } }, true],
  ['batching that is off', { batching: { enabled: false, size: 5 } }, false],
  ['a batch of one item', { batchSize: 1, batchMode: null }, false],
])('a loop over batches is refused by name: %s', async (_, settings, isRefused) => {
  const step = loop('{{trigger.body.list}}', {
    settings: { items: '{{trigger.body.list}}', ...settings },
    firstLoopAction: code(),
  })
  const errors = (await lintDefinition({ trigger: webhook(), steps: [step] }, sandbox)).filter(
    (one) => one.level === 'error',
  )
  expect(errors.map((one) => one.path)).toEqual(isRefused ? [`settings.${Object.keys(settings)[0]}`] : [])
})
