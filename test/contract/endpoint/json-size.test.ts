import { expect, test } from 'vitest'
import { measureJson } from '../../../src/contract/endpoint/json-size.ts'
import { validate } from '../../../src/contract/endpoint/validation.ts'
import { automate } from '../../../src/contract/resources/automate.ts'

const nested = (n: number, open: string, close: string): unknown =>
  JSON.parse(`${open.repeat(n)}null${close.repeat(n)}`)
const body = automate.create.body

test('a definition of any depth reaches the engine, which reports its problems', () => {
  const flow = {
    trigger: nested(10_000, '{"type":"CODE","nextAction":', '}'),
    steps: [nested(10_000, '{"type":"BRANCH","onSuccessAction":', '}')],
  }
  expect(validate(body, { name: 'Deep', flow })).toMatchObject({ ok: true })
  expect(validate(body, { name: 'Deep', flow: { steps: nested(100_000, '[', ']') } })).toMatchObject({ ok: true })
})

test('a definition of any depth is measured', () => {
  const flow = { trigger: nested(40_000, '{"nextAction":', '}'), steps: ['x'.repeat(600_000)] }
  expect(validate(body, { name: 'Heavy', flow })).toMatchObject({
    ok: false,
    errors: { flow: ['The flow field must not be greater than 1024 kilobytes.'] },
  })
})

test('a sample that cannot be serialized is refused', () => {
  const given = { name: 'Deep', flow: {}, sample: { a: nested(10_000, '[', ']') } }
  expect(validate(body, given)).toMatchObject({
    ok: false,
    errors: { sample: ['The sample field is nested too deeply.'] },
  })
})

test.each([null, 1, 'é"\n', true, [], {}, [[], {}], { a: [1, { b: null }], é: 'x' }, { gone: undefined, saved: 1 }])(
  '%j is measured as it is serialized',
  (value) => {
    expect(measureJson(value).bytes).toBe(Buffer.byteLength(JSON.stringify(value)))
  },
)
