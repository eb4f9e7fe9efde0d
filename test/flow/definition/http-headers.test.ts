import { describe, expect, test } from 'vitest'
import { lintDefinition } from '../../../src/flow/analysis/lint.ts'
import { http, respond, webhook } from '../../support/automation-nodes.ts'
import { operator } from '../../support/operator.ts'
import { problemsOf } from '../../support/validated-definition.ts'

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

  test('has a note about spaces and line breaks around it, which are not sent', async () => {
    const found = await lintDefinition(flowWith({ 'X-Y': ' padded\r\n', 'X-Z': 'plain' }), undefined)
    expect(found.filter((it) => it.rule === 'spaced-header')).toMatchObject([
      { level: 'warning', path: 'settings.input.headers', message: expect.stringContaining('"X-Y"') },
    ])
  })
})
