import { describe, expect, test } from 'vitest'
import { lintDefinition } from '../../../src/engine/analysis/lint.ts'
import { http, piece, respond, webhook } from '../../support/automation-nodes.ts'
import { operator } from '../../support/operator.ts'
import { problemsOf } from '../../support/validated-definition.ts'
import { runStep } from '../pieces/fake-ports.ts'

const flowWith = (headers: unknown) => ({ trigger: webhook(), steps: [http({ headers }), respond()] })

describe('a header of an HTTP step that HTTP cannot send', () => {
  test.each([
    [{ 'X Y': '1' }, 'settings.input.headers', 'invalid header name "X Y"'],
    [{ 'X:Y': '' }, 'settings.input.headers', 'invalid header name "X:Y"'],
    [{ 'X-Ä': '1' }, 'settings.input.headers', 'invalid header name "X-Ä"'],
    [{ 'X\nY': '1' }, 'settings.input.headers', 'invalid header name "X\\nY"'],
    [{ 'X-Y': 'one\ntwo' }, 'settings.input.headers.X-Y', 'not allowed in a header'],
    [{ 'X-Y': 'one\rtwo' }, 'settings.input.headers.X-Y', 'not allowed in a header'],
    [{ 'X-Y': 'zł' }, 'settings.input.headers.X-Y', 'not allowed in a header'],
    ['{"X-Y":"one\\ntwo"}', 'settings.input.headers.X-Y', 'not allowed in a header'],
  ])('%j is refused on its field, by lint and by create alike', async (headers, path, message) => {
    const flow = flowWith(headers)
    const problems = await problemsOf(flow)
    expect(problems).toEqual([expect.stringContaining(message)])
    expect(problems[0]).toContain(`step_1 ${path}: `)
    expect(await lintDefinition(flow, undefined)).toContainEqual(
      expect.objectContaining({ level: 'error', step: 'step_1', path, message: expect.stringContaining(message) }),
    )
    const created = await operator().run([
      ...['api', 'automate.create', '--yes', '--data', JSON.stringify({ name: 'H', flow, confirm_side_effects: true })],
    ])
    expect(created.exitCode, created.stderr).toBe(6)
    expect(created.stderr).toContain(path)
  })

  test.each([
    { 'X-Y': 'one {{trigger.body.two}}\n' },
    { 'X-{{trigger.body.name}}': '1' },
    { 'X-Y': 'café\ttab' },
    { 'X-Y': ' padded\r\n', ' X-Z ': '1' },
    { Authorization: '••• hidden' },
    { '': 'x' },
  ])('is another than %j, which is saved', async (headers) => {
    expect(await problemsOf(flowWith(headers))).toEqual([])
  })

  test('may be a bearer token, which is refused on its field', async () => {
    const withToken = (token: string) => ({
      trigger: webhook(),
      steps: [http({ authType: 'BEARER_TOKEN', authFields: { token } }), respond()],
    })
    expect(await problemsOf(withToken('one\ntwo'))).toEqual([
      expect.stringContaining('settings.input.authFields.token: Contains characters that are not allowed in a header'),
    ])
    for (const token of ['plain', 'plain\n', "{{connections['crm'].token}}", '••• hidden'])
      expect(await problemsOf(withToken(token))).toEqual([])
  })

  test('has a note about spaces and line breaks around it, which are not sent', async () => {
    const found = await lintDefinition(flowWith({ 'X-Y': ' padded\r\n', 'X-Z': 'plain' }), undefined)
    expect(found.filter((it) => it.rule === 'spaced-header')).toMatchObject([
      { level: 'warning', path: 'settings.input.headers', message: expect.stringContaining('"X-Y"') },
    ])
  })
})

describe('a header of a response that HTTP cannot send', () => {
  test.each([
    [{ 'X Y': '1' }, 'settings.input.fields.headers', 'invalid header name "X Y"'],
    [{ 'X-Y': 'one\ntwo' }, 'settings.input.fields.headers.X-Y', 'not allowed in a header'],
    [{ 'X-Y': 'zł' }, 'settings.input.fields.headers.X-Y', 'not allowed in a header'],
  ])('%j is refused on its field when the automation is saved', async (headers, path, message) => {
    const problems = await problemsOf({ trigger: webhook(), steps: [respond({ headers })] })
    expect(problems).toEqual([expect.stringContaining(message)])
    expect(problems[0]).toContain(`step_1 ${path}: `)
  })

  test.each([
    ['nested', { fields: { status: 200, headers: { 'X-Y': 'one\ntwo' }, body: {} } }],
    ['side by side', { status: 200, headers: { 'X-Y': 'one\ntwo' }, body: {} }],
  ])('fails the step if an expression inserts it, %s', async (_, input) => {
    await expect(runStep(piece('@engine/piece-webhook', 'return_response', input))).rejects.toThrow(
      /headers\.X-Y contains characters that are not allowed in a header/,
    )
  })

  test.each([{ 'X-Y': 'one {{trigger.body.two}}\n' }, { 'X-Y': 'café' }, { 'X-{{trigger.body.name}}': '1' }])(
    'is another than %j, which is saved',
    async (headers) => {
      expect(await problemsOf({ trigger: webhook(), steps: [respond({ headers })] })).toEqual([])
    },
  )
})
