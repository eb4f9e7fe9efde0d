import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parsePath, resolvePath } from '../../../src/engine/expressions/expression-path.ts'
import { type ResolvedValue, resolveExpressions } from '../../../src/engine/expressions/resolve-expressions.ts'
import { splitTokens } from '../../../src/engine/expressions/tokens.ts'
import { StepFailure } from '../../../src/engine/pieces/step-failure.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { shortestMs } from '../../support/timing.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

const outputs = {
  trigger: {
    body: {
      name: 'Ada',
      n: 5,
      zero: 0,
      off: false,
      tags: ['a', 'b'],
      nested: { 'odd key': 1, "it's": 2 },
      empty: null,
      text: '{{trigger.body.name}}',
    },
  },
  step_1: [{ id: 7 }, { id: 8 }],
  constructor: 'a step of that name',
  text: 'plain',
  own: { output: 'its own' },
  people: [{ name: 'Ada', age: 36 }, { name: 'Bob', age: 5 }, { name: 'Cy' }],
}
const secrets: Record<string, unknown> = { 'My CRM': { token: 't0p-secret' }, plain: 'k3y' }
const scope = {
  outputs,
  async connection(name: string) {
    if (Object.hasOwn(secrets, name)) return secrets[name]
    throw new StepFailure(`The connection ${name} is missing.`, { classification: 'missing_connection' })
  },
}
const fill = (value: unknown): Promise<ResolvedValue> => resolveExpressions(value, scope, sandbox)
const resultOf = async (value: unknown): Promise<unknown> => (await fill(value)).value

describe('an expression alone keeps the type of its value', () => {
  test.each<[string, unknown]>([
    ["{{trigger['body']['name']}}", 'Ada'],
    ['{{trigger.body.n}}', 5],
    ['{{ trigger.body.n }}', 5],
    ['{{trigger.body.zero}}', 0],
    ['{{trigger.body.off}}', false],
    ['{{trigger.body.tags}}', ['a', 'b']],
    ['{{trigger.body.tags[1]}}', 'b'],
    ['{{trigger.body.tags.length}}', 2],
    ['{{trigger.body.name.length}}', 3],
    ['{{trigger.body.name[0]}}', 'A'],
    ['{{step_1[0].id}}', 7],
    ["{{trigger?.body?.['n']}}", 5],
    ["{{trigger.body.nested['odd key']}}", 1],
    ["{{trigger.body.nested['it\\'s']}}", 2],
    ['{{trigger.body.nested}}', { 'odd key': 1, "it's": 2 }],
    ['{{constructor}}', 'a step of that name'],
    ['{{trigger.body.n > 3 ? "many" : "few"}}', 'many'],
    ['{{step_1.map((it) => it.id)}}', [7, 8]],
    ["{{flattenNestedKeys(step_1, ['id']);}}", [7, 8]],
    ['{{`${trigger.body.name}!`}}', 'Ada!'],
  ])('%s', async (given, expected) => {
    expect(await fill(given)).toMatchObject({ value: expected, unresolved: [] })
  })
})

describe('a step and its output have the same value', () => {
  test.each<[string, unknown]>([
    ['{{trigger.output.body.name}}', 'Ada'],
    ["{{step_1['output'][0].id}}", 7],
    ['{{step_1.output}}', [{ id: 7 }, { id: 8 }]],
    ['{{step_1.output.map((it) => it.id)}}', [7, 8]],
    ['{{step_1?.output?.[1]["id"] + 1}}', 9],
    ['{{`${trigger.output.body.name}!`}}', 'Ada!'],
    ["{{trigger.output.body.name + ' step_1.output'}}", 'Ada step_1.output'],
    ['{{text.output}}', 'plain'],
    ['{{text.output.toUpperCase()}}', 'PLAIN'],
    ['{{own.output}}', 'its own'],
    ['{{own.output.length + 0}}', 7],
    ["{{flattenNestedKeys(step_1.output, ['id'])}}", [7, 8]],
  ])('%s', async (given, expected) => {
    expect(await fill(given)).toMatchObject({ value: expected, unresolved: [] })
  })
})

describe('a text around flattened lists', () => {
  const people = "{{flattenNestedKeys(people, ['name'])}}"
  test.each<[string, string, unknown]>([
    ['of one list is a list of texts', `Hello ${people}!`, ['Hello Ada!', 'Hello Bob!', 'Hello Cy!']],
    [
      'of two lists combines their items',
      `${people} (${"{{flattenNestedKeys(people, ['age'])}}"})`,
      ['Ada (36)', 'Bob (5)', 'Cy ()'],
    ],
    [
      'repeats a value that is not a list',
      `{{trigger.body.name}} asks ${people}`,
      ['Ada asks Ada', 'Ada asks Bob', 'Ada asks Cy'],
    ],
    ['that are empty is an empty list', "x {{flattenNestedKeys(people, ['none'])}}", []],
    ['elsewhere stays one text', '{{step_1}} {{trigger.body.tags}}', '[{"id":7},{"id":8}] ["a","b"]'],
  ])('%s', async (_, given, expected) => {
    expect(await resultOf(given)).toEqual(expected)
  })
})

describe('in a text', () => {
  test.each([
    ['Hello {{trigger.body.name}}!', 'Hello Ada!'],
    [' {{trigger.body.n}}', ' 5'],
    ['{{trigger.body.n}}{{trigger.body.off}}', '5false'],
    ['{{trigger.body.tags}} and {{trigger.body.nested}}', '["a","b"] and {"odd key":1,"it\'s":2}'],
    ['a\n{{trigger.body.name}}\nb', 'a\nAda\nb'],
    ['{{trigger.body.name', '{{trigger.body.name'],
    ['}} {{', '}} {{'],
    ['{{trigger.\nbody.name}}', 'Ada'],
    ['{not} {{trigger.body.name}} {{', '{not} Ada {{'],
  ])('%j is %j', async (given, expected) => {
    expect(await resultOf(given)).toBe(expected)
  })
})

describe('braces inside an expression', () => {
  test.each<[given: string, expected: unknown]>([
    ['{{JSON.stringify({a: {x: 1}})}}', '{"a":{"x":1}}'],
    ['{{ {"k": {"z": 2}} }}', { k: { z: 2 } }],
    ['{{trigger.body.tags.map(i => ({n: {v: i}}))}}', [{ n: { v: 'a' } }, { n: { v: 'b' } }]],
    ['{{trigger.body.n}} of {{ ({a:{b:1}}).a.b }}', '5 of 1'],
    ['{{ "}}" }} and {{ `}}{` }}', '}} and }}{'],
    ["{{ '{{' + trigger.body.n }}", '{{5'],
    ['{{ {\n  "k": {\n "z": trigger.body.n }}\n }}', { k: { z: 5 } }],
    ["{{trigger.body.name.replace(/'/g, '')}} and {{trigger.body['n']}}", 'Ada and 5'],
    ["it's {{trigger.body.name}}'s, {{trigger.body.n}}", "it's Ada's, 5"],
    ["{{nobody's}} and {{somebody's}}", ' and '],
    ['{"x": {{trigger.body.n}}}', '{"x": 5}'],
    ['{{ trigger.body.n { }} rest', ' rest'],
    ['{{#if x}} {{trigger.body.n}} {{/if}}', ' 5 '],
  ])('%j is %j', async (given, expected) => {
    expect(await resultOf(given)).toEqual(expected)
  })

  test('of many expressions that are not balanced take time proportional to the text', async () => {
    const texts = ['{{{ }}', "{{'\\'", '{{`}}{{', '{{"{', "{{ '}}{{' "].map((it) => it.repeat(20_000))
    expect(await shortestMs(() => texts.forEach((it) => void splitTokens(it)), 2000)).toBeLessThan(2000)
  })
})

describe('a step that failed and after which the run continued', () => {
  const failed = {
    outputs: { step_1: null, step_2: { status: 503 }, ok: { error: 'own' } },
    errors: { step_1: 'boom', step_2: 'down' },
  }
  const fillFailed = (given: unknown) => resolveExpressions(given, { ...failed, connection: scope.connection }, sandbox)

  test.each<[given: string, expected: unknown]>([
    ['{{step_1.error.message}}', 'boom'],
    ["{{step_1['error'].message}}", 'boom'],
    ["{{step_1['error']['message']}}!", 'boom!'],
    ['{{step_1.error}}', { message: 'boom' }],
    ['{{step_1.output}}', ''],
    ['{{step_1}}', ''],
    ['{{step_2.error.message}} {{step_2.status}} {{step_2.output.status}}', 'down 503 503'],
    ['{{step_2.error ? "failed: " + step_2.error.message : "fine"}}', 'failed: down'],
    ['{{step_1.error?.message.toUpperCase()}}', 'BOOM'],
    ['{{step_1 ? "fine" : "failed"}}', 'failed'],
    ['{{ok.error}} {{ok.error.message}}', 'own '],
  ])('%s is %j', async (given, expected) => {
    expect((await fillFailed(given)).value).toEqual(expected)
  })
})

describe('expressions without a value', () => {
  test('resolves to an empty text, and is reported', async () => {
    const given = {
      a: '{{step_9.x}}',
      b: ['{{trigger.body.nobody}}', 'x{{trigger.body.empty}}y'],
      c: '{{trigger.body.name.first.x}}',
      d: '{{nobody(}}',
      e: '{{(() => { throw 1 })()}}',
      f: '{{}}',
    }
    const { value, unresolved } = await fill(given)
    expect(value).toEqual({ a: '', b: ['', 'xy'], c: '', d: '', e: '', f: '' })
    expect([...unresolved].sort()).toEqual([
      '',
      '(() => { throw 1 })()',
      'nobody(',
      'step_9.x',
      'trigger.body.empty',
      'trigger.body.name.first.x',
      'trigger.body.nobody',
    ])
  })

  test.each(['__proto__', 'constructor', 'toString', 'constructor.constructor', "__proto__['x']", 'hasOwnProperty'])(
    'prototypes are not accessible with .%s',
    async (path) => {
      for (const root of [
        'trigger',
        'trigger.body',
        'trigger.body.tags',
        'trigger.body.name',
        'trigger.body.n',
        'step_1[0]',
      ])
        expect(await resultOf(`{{${root}.${path}}}`)).toBe('')
    },
  )

  test('names of JavaScript objects are not steps', async () => {
    for (const token of [
      '__proto__',
      'toString',
      'process',
      'globalThis.process',
      'require',
      'this.constructor.constructor("return process")()',
    ])
      expect(await resultOf(`{{${token}}}`)).toBe('')
  })
})

test('inserted text is not resolved again', async () => {
  expect(await resultOf('{{trigger.body.text}}')).toBe('{{trigger.body.name}}')
  expect(await resultOf('x {{trigger.body.text}}')).toBe('x {{trigger.body.name}}')
  expect(await resultOf(['{{trigger.body.text}}'])).toEqual(['{{trigger.body.name}}'])
})

test('keys and other types are unchanged, and so is the input value', async () => {
  const given = JSON.parse(
    '{"{{trigger.body.n}}": "{{trigger.body.n}}", "n": 1, "b": true, "z": null, "__proto__": {"x": "{{trigger.body.n}}"}}',
  ) as object
  const before = JSON.stringify(given)
  expect(JSON.stringify(await resultOf(given))).toBe(
    '{"{{trigger.body.n}}":5,"n":1,"b":true,"z":null,"__proto__":{"x":5}}',
  )
  expect(JSON.stringify(given)).toBe(before)
})

describe('connections', () => {
  test('resolve to their secret, which is not shown', async () => {
    const { value, shown } = await fill({
      a: "{{connections['My CRM'].token}}",
      b: 'Bearer {{connections.plain}}',
      c: '{{trigger.body.n}}',
    })
    expect(value).toEqual({ a: 't0p-secret', b: 'Bearer k3y', c: 5 })
    expect(shown).toEqual({ a: '••• hidden', b: 'Bearer ••• hidden', c: 5 })
  })

  test('that are missing fail the step', async () => {
    await expect(fill('{{connections.gone}}')).rejects.toMatchObject({ classification: 'missing_connection' })
    await expect(fill('{{connections}}')).rejects.toBeInstanceOf(StepFailure)
  })

  test('are not available in longer expressions', async () => {
    expect(await resultOf('{{connections.plain + ""}}')).toBe('')
  })
})

describe('hostile values', () => {
  test.each([
    ["{{step_1['item']['name'].toUpperCase()}}", 'ADA'],
    ['{{step_1.item.name.length + step_1?.index}}', 6],
    ["{{step_1?.['index'] + 1}}", 4],
  ])(
    'the item of a loop is available to %s however large the outputs of earlier iterations are',
    async (text, value) => {
      const step_1 = { item: { name: 'Ada' }, index: 3, iterations: [{ step_2: 'x'.repeat(5_000_000) }] }
      expect((await resolveExpressions(text, { ...scope, outputs: { step_1 } }, sandbox)).value).toEqual(value)
    },
  )

  test.each([
    ['{{step_1.iterations.length + 1}}', 2],
    ['{{Object.keys(step_1).length + step_1.index}}', 6],
  ])('%s has the iterations of a loop', async (text, value) => {
    const step_1 = { item: 'a', index: 3, iterations: [{ step_2: 'x' }] }
    expect((await resolveExpressions(text, { ...scope, outputs: { step_1 } }, sandbox)).value).toEqual(value)
  })

  test('a text that would grow endlessly fails the step', async () => {
    const big = { outputs: { trigger: 'x'.repeat(1024 * 1024) }, connection: scope.connection }
    await expect(resolveExpressions('{{trigger}}'.repeat(20), big, sandbox)).rejects.toThrow('16 MB')
  })

  test('an expression that never ends fails the step', async () => {
    await expect(
      resolveExpressions('{{(() => { for (;;) {} })()}}', scope, sandbox, { timeout: 100 }),
    ).rejects.toBeInstanceOf(StepFailure)
  })

  test('endless braces are resolved quickly', async () => {
    const read = (): void => {
      for (const text of [
        '{{'.repeat(500_000),
        '{{\n'.repeat(300_000),
        `${'{{'.repeat(300_000)}}}`,
        '{{a}}'.repeat(100_000),
      ])
        splitTokens(text)
      for (const text of [`a${'.b'.repeat(200_000)}`, `a${'['.repeat(200_000)}`, `a['${'\\\\'.repeat(200_000)}`])
        parsePath(text)
    }
    expect(await shortestMs(read, 2000)).toBeLessThan(2000)
  })
})

describe('any values', () => {
  const seed = 20_310_102
  const json = fc.jsonValue({ maxDepth: 4 })

  test('a path finds only own properties', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json, { maxKeys: 6 }), fc.string(), (object, key) => {
        const path = parsePath(`x[${`'${key.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`}]`)
        if (path === null) return
        expect(path.keys).toEqual([key])
        expect(resolvePath(object, path.keys)).toEqual(Object.hasOwn(object, key) ? object[key] : undefined)
      }),
      { seed, numRuns: 500 },
    )
  })

  test('the parts of a text joined are the text', () => {
    const pieces = fc.constantFrom('{{', '}}', '{', '}', 'a', '\n', ' ', 'step_1.x')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (list) => {
        const text = list.join('')
        const together = splitTokens(text)
          .map((it) => ('text' in it ? it.text : it.token))
          .join('')
        expect(together.replace(/[{}\s]/g, '')).toBe(text.replace(/[{}\s]/g, ''))
        for (const part of splitTokens(text))
          if ('token' in part && part.token.includes('}}')) expect(part.token).toContain('{')
      }),
      { seed, numRuns: 1000 },
    )
  })

  test('a value without expressions is returned unchanged, and any payload is inert', async () => {
    await fc.assert(
      fc.asyncProperty(json, async (payload) => {
        const { value } = await resolveExpressions(
          { a: ['{{trigger}}'] },
          { outputs: { trigger: payload }, connection: scope.connection },
          sandbox,
        )
        expect(JSON.stringify(value)).toBe(JSON.stringify({ a: [payload ?? ''] }))
      }),
      { seed, numRuns: 300 },
    )
  })
})
