import { describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { Failure, toEnvelope } from '../../../src/contract/errors/failures.ts'
import {
  readDefinition,
  type ValidationResult,
  validateDefinition,
} from '../../../src/engine/definition/validate-definition.ts'
import { branch, code, exists, http, loop, piece, respond, webhook } from '../../support/automation-nodes.ts'
import { namesIn, problemsOf, treeOf } from '../../support/validated-definition.ts'

const refusalOf = (examined: ValidationResult): string => (examined.ok ? 'ok' : examined.refusal)

describe('the two forms of a definition', () => {
  test('steps in a list are chained in order', async () => {
    const tree = await treeOf({ trigger: webhook(), steps: [http(), code(), respond()] })
    expect(namesIn(tree)).toEqual(['trigger', 'step_1', 'step_2', 'step_3'])
    expect(tree.nextAction?.nextAction?.nextAction?.type).toBe('PIECE')
  })

  test('a nested tree results in the same definition, and so does a mixture', async () => {
    const listed = await treeOf({ trigger: webhook(), steps: [http(), code(), respond()] })
    const nested = await treeOf({
      trigger: webhook({ nextAction: { ...http(), nextAction: { ...code(), nextAction: respond() } } }),
    })
    const mixed = await treeOf({
      trigger: webhook({ nextAction: { ...http(), nextAction: code() } }),
      steps: [respond()],
    })
    const bare = await treeOf(webhook({ nextAction: { ...http(), nextAction: { ...code(), nextAction: respond() } } }))
    expect([nested, mixed, bare]).toEqual([listed, listed, listed])
  })

  test('steps without a name take the smallest free number, whatever others are named', async () => {
    const tree = await treeOf({
      trigger: webhook(),
      steps: [http({}, { name: 'step_2' }), code(), branch([[exists('1')]], { onSuccessAction: code() }), code()],
    })
    expect(namesIn(tree)).toEqual(['trigger', 'step_2', 'step_1', 'step_3', 'step_4', 'step_5'])
  })

  test('a list in place of one step is a chain, and causes a warning', async () => {
    const examined = await validateDefinition({
      trigger: webhook(),
      steps: [branch([[exists('1')]], { onSuccessAction: [http(), code()] as never, onFailureAction: null })],
    })
    expect(examined.ok && namesIn(examined.definition)).toEqual(['trigger', 'step_1', 'step_2', 'step_3'])
    expect(examined.remarks).toMatchObject([{ path: 'onSuccessAction' }])
  })

  test('unknown fields are preserved, and the given definition is not changed', async () => {
    const flow = {
      trigger: webhook({ future: { a: [1] } }),
      steps: [http({ odd: { b: 2 } }, { settings: { ...http().settings, inputUiInfo: { x: 1 } }, note: 'keep' })],
    }
    const before = JSON.stringify(flow)
    const tree = await treeOf(flow)
    expect(tree.future).toEqual({ a: [1] })
    expect(tree.nextAction).toMatchObject({ note: 'keep', valid: true, settings: { inputUiInfo: { x: 1 } } })
    expect(JSON.stringify(flow)).toBe(before)
  })

  test('both scopes of pieces are known, and each only with its own pieces', async () => {
    for (const name of ['@engine/piece-http', '@activepieces/piece-http'])
      expect(
        await problemsOf({
          trigger: webhook(),
          steps: [piece(name, 'send_request', { method: 'GET', url: 'https://a.test' })],
        }),
      ).toEqual([])
    for (const name of ['@platform/piece-platform', '@integration-tools/piece-voice'])
      expect(
        await problemsOf({
          trigger: webhook(),
          steps: [piece(name, 'sendSms', { from: 1, to: '+15550100', body: 'x' })],
        }),
      ).toEqual([])
    for (const name of [
      '@platform/piece-http',
      '@engine/piece-platform',
      '@other/piece-http',
      'http',
      '@engine/piece-__proto__',
    ])
      expect((await problemsOf({ trigger: webhook(), steps: [piece(name, 'send_request', {})] }))[0]).toContain(
        'Unknown piece',
      )
    const ofOther = (actionName: string) =>
      problemsOf({ trigger: webhook(), steps: [piece('@other/block-http', actionName, {})] })
    expect((await ofOther('send_request'))[0]).toContain('Use @engine/piece-http send_request instead.')
    expect((await ofOther('fetch'))[0]).toContain(
      'Use @engine/piece-http instead. Available: send_request, return_response.',
    )
    expect(await problemsOf({ trigger: webhook(), steps: [piece('@engine/piece-http', 'toString', {})] })).toEqual([
      'step_1 settings.actionName: @engine/piece-http has no action "toString". Available: send_request, return_response.',
    ])
  })
})

describe('errors', () => {
  test.each<[string, unknown, string]>([
    ['nothing at all', undefined, 'automate.invalid_definition'],
    ['a text', 'flow', 'automate.invalid_definition'],
    ['no trigger', { steps: [http()] }, 'automate.invalid_definition'],
    ['no steps', { trigger: webhook(), steps: [] }, 'automate.no_steps'],
    [
      'no trigger chosen yet',
      { trigger: { name: 'trigger', type: 'EMPTY', settings: {} }, steps: [http()] },
      'automate.unsupported_trigger',
    ],
    [
      'a trigger of an unknown piece',
      { trigger: webhook({ settings: { pieceName: '@engine/piece-other', triggerName: 'x' } }), steps: [http()] },
      'automate.unsupported_trigger',
    ],
    [
      'a trigger its piece has not',
      {
        trigger: webhook({ settings: { pieceName: '@engine/piece-webhook', triggerName: 'constructor' } }),
        steps: [http()],
      },
      'automate.unsupported_trigger',
    ],
    [
      'an unknown action',
      { trigger: webhook(), steps: [piece('@engine/piece-http', 'x', {})] },
      'automate.invalid_definition',
    ],
  ])('%s', async (_, flow, refusal) => {
    expect(refusalOf(await validateDefinition(flow))).toBe(refusal)
  })

  test('report all problems at once, with step and place', async () => {
    const flow = {
      trigger: webhook(),
      steps: [
        http({ method: 'FETCH', url: 'ftp://a', timeout: 1000 }),
        code('return 1', {}, { name: 'step 2' }),
        branch(
          [
            [{ firstValue: 'a', operator: 'TEXT_STARTS_WITH', secondValue: 'b' }],
            'x',
            [{ operator: 'EXISTS' }, { firstValue: '1', operator: 'NUMBER_IS_LESS_THAN' }],
          ],
          {
            name: 'same',
            onSuccessAction: loop('plain', { name: 'same' }),
          },
        ),
        {
          name: 'trigger',
          type: 'PIECE',
          settings: {
            pieceName: '@engine/piece-delay',
            actionName: 'delayFor',
            input: { unit: 'years', delayFor: '{{trigger.body.n}}' },
          },
        },
        { type: 'WAIT' },
        5,
        code(
          'export const code = () => 1',
          {},
          {
            settings: {
              sourceCode: { code: 'export const code = 1', packageJson: '{"dependencies":{"lodash":"4"}}' },
              errorHandlingOptions: { retryOnFailure: { value: 'yes' }, continueOnFailure: true },
            },
          },
        ),
      ],
    }
    expect((await problemsOf(flow)).sort()).toEqual(
      [
        'step_1 settings.input.method: Must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.',
        'step_1 settings.input.url: Must be an http or https address.',
        'step_1 settings.input.timeout: Must be at most 300.',
        'step 2 settings.sourceCode.code: Must export a function named code.',
        'same settings.conditions[0][0].operator: Unknown operator "TEXT_STARTS_WITH". Did you mean START_WITH?',
        'same settings.conditions[1]: Must be a list of conditions.',
        'same settings.conditions[2][0].firstValue: Is required.',
        'same settings.conditions[2][1].secondValue: Is required for NUMBER_IS_LESS_THAN.',
        'same name: More than one step is named same.',
        'same settings.items: Must be a list, or an expression that returns a list.',
        'trigger name: A step cannot be named trigger.',
        'trigger settings.input.unit: Must be one of seconds, minutes, hours, days.',
        'step_2 type: Unknown type "WAIT". Use PIECE, CODE, BRANCH, LOOP_ON_ITEMS or ROUTER.',
        '- steps[5]: A step must be an object.',
        'step_3 settings.sourceCode.packageJson: Packages are not available in code steps. Remove the dependencies.',
        'step_3 settings.errorHandlingOptions.continueOnFailure: Must be an object with value: true or false.',
        'step_3 settings.errorHandlingOptions.retryOnFailure.value: Must be true or false.',
      ].sort(),
    )
  })

  test('are raised with a code, all problems and the message of the first', async () => {
    const error = await readDefinition({ trigger: webhook(), steps: [http({ url: '' }), code('')] }).catch(
      (it: unknown) => it as Failure,
    )
    expect(error).toBeInstanceOf(Failure)
    expect(toEnvelope(error as Failure, true)).toEqual({
      message: 'The definition is not valid. step_1: settings.input.url: Is required. (and 1 more)',
      error: 'invalid_definition',
      problems: [
        { step: 'step_1', path: 'settings.input.url', message: 'Is required.' },
        { step: 'step_2', path: 'settings.sourceCode.code', message: 'Is required.' },
      ],
    })
  })

  test('the value of an expression is left to the run', async () => {
    expect(
      await problemsOf({
        trigger: webhook(),
        steps: [
          http({ method: '{{trigger.body.m}}', url: 'https://{{trigger.body.host}}/x', timeout: '{{trigger.body.t}}' }),
        ],
      }),
    ).toEqual([])
  })

  test.each([
    ['every_day', { hour_of_the_day: 24 }, 'hour_of_the_day'],
    ['every_day', { timezone: 'Europe/Atlantis' }, 'timezone'],
    ['every_x_minutes', { minutes: 0 }, 'minutes'],
    ['cron_expression', { cronExpression: '61 * * * *' }, 'cronExpression'],
    ['cron_expression', { cronExpression: 'every day' }, 'cronExpression'],
    ['cron_expression', { cronExpression: '0 0 31 2 *' }, 'cronExpression'],
  ])('a schedule %s of %j is refused', async (triggerName, input, field) => {
    const trigger = webhook({ settings: { pieceName: '@engine/piece-schedule', triggerName, input } })
    expect((await problemsOf({ trigger, steps: [http()] })).map((it) => it.split(':')[0])).toEqual([
      `trigger settings.input.${field}`,
    ])
  })

  test('the default cron expression of the engine is understood', async () => {
    const trigger = webhook({
      settings: {
        pieceName: '@engine/piece-schedule',
        triggerName: 'cron_expression',
        input: { cronExpression: '0/5 * * * *' },
      },
    })
    expect(await problemsOf({ trigger, steps: [http()] })).toEqual([])
  })
})

describe('hostile definitions', () => {
  const deep = (n: number): unknown =>
    JSON.parse(`${'{"type":"CODE","settings":{},"nextAction":'.repeat(n)}null${'}'.repeat(n)}`)

  test('ten thousand nested steps are counted and refused', async () => {
    expect(await problemsOf({ trigger: webhook({ nextAction: deep(10_000) as AutomationNode }) })).toContain(
      '- steps: A definition can have at most 500 steps.',
    )
    const branches = JSON.parse(
      `${'{"type":"BRANCH","settings":{"conditions":[]},"onSuccessAction":'.repeat(10_000)}null${'}'.repeat(10_000)}`,
    ) as AutomationNode
    expect(
      (await problemsOf({ trigger: webhook({ nextAction: branches }) })).some((it) => it.includes('at most 500 steps')),
    ).toBe(true)
    const lists = JSON.parse(
      `${'{"type":"BRANCH","onSuccessAction":['.repeat(9000)}${']}'.repeat(9000)}`,
    ) as AutomationNode
    expect(
      (await problemsOf({ trigger: webhook(), steps: [lists] })).some((it) => it.includes('at most 500 steps')),
    ).toBe(true)
  })

  test('branches that are nested too deeply are refused', async () => {
    let node: AutomationNode = http()
    for (let n = 0; n < 40; n++) node = branch([[exists('1')]], { onSuccessAction: node })
    expect((await problemsOf({ trigger: webhook(), steps: [node] })).some((it) => it.includes('at most 30 deep'))).toBe(
      true,
    )
  })

  test('endlessly nested settings, lists of lists and cyclic values are refused', async () => {
    const lists = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown
    expect((await problemsOf({ trigger: webhook(), steps: [http({ body: lists })] }))[0]).toContain(
      'Must be nested at most 64 levels deep',
    )
    const own: Record<string, unknown> = {}
    own.own = own
    expect(
      (await problemsOf({ trigger: webhook(), steps: [http({ body: own })] })).some((problem) =>
        problem.includes('Must be nested at most 64 levels deep'),
      ),
    ).toBe(true)
  })

  test('a step that follows itself, or is in two places, is refused', async () => {
    const step = http({}, { name: 'again' })
    step.nextAction = step
    expect(await problemsOf({ trigger: webhook({ nextAction: step }) })).toContain(
      'again : The step is used in more than one place.',
    )
    const shared = code()
    expect(
      (
        await problemsOf({
          trigger: webhook(),
          steps: [branch([], { onSuccessAction: shared, onFailureAction: shared })],
        })
      ).some((it) => it.includes('more than one place')),
    ).toBe(true)
  })

  test('keys and names that look like prototypes are plain data', async () => {
    const flow = JSON.parse(
      '{"trigger":{"type":"PIECE_TRIGGER","settings":{"pieceName":"@engine/piece-webhook","triggerName":"catch_webhook"},"__proto__":{"polluted":1}},"steps":[{"type":"CODE","settings":{"sourceCode":{"code":"export const code = 1"},"input":{"__proto__":{"polluted":1},"constructor":"x"}}}]}',
    ) as object
    const tree = await treeOf(flow)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(JSON.stringify(tree)).toContain('"input":{"__proto__":{"polluted":1},"constructor":"x"}')
    expect(await problemsOf({ trigger: webhook(), steps: [code(undefined, {}, { name: '__proto__' })] })).toContain(
      '__proto__ name: A step cannot be named __proto__.',
    )
    expect(await problemsOf({ trigger: webhook(), steps: [code(undefined, {}, { name: 'constructor' })] })).toEqual([])
  })

  test('more than a megabyte', async () => {
    expect(await problemsOf({ trigger: webhook(), steps: [http({ body: 'x'.repeat(1024 * 1024) })] })).toContain(
      '- : A definition can be at most 1 MB.',
    )
  })

  test('at most a hundred problems are reported', async () => {
    expect(
      await problemsOf({ trigger: webhook(), steps: Array.from({ length: 300 }, () => ({ type: 'X' })) }),
    ).toHaveLength(100)
  })

  test('names that are too long are refused', async () => {
    expect(
      await problemsOf({
        trigger: webhook(),
        steps: [code(undefined, {}, { name: 'a'.repeat(256), displayName: 'b'.repeat(256) })],
      }),
    ).toHaveLength(2)
  })
})
