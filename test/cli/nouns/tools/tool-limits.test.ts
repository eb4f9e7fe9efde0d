import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

const nameRule =
  'The name must start with a letter or underscore, contain only letters, digits and underscores, and not be longer than 64 characters.'
const longer = (field: string, max: number): string => `The ${field} field must not be greater than ${max} characters.`
const x = (length: number): string => 'x'.repeat(length)
const url = (length: number): string => `https://weather.example/${x(length - 24)}`
const header = (name: string, value: string): string => JSON.stringify([{ name, value }])
const parameter = (change: object): string =>
  JSON.stringify([{ name: 'town', type: 'string', description: 'Name of the town', ...change }])
/** One emoji is one character to people, two to UTF-16, four bytes. */
const emoji = (length: number): string => '🦷'.repeat(length)

interface Limit {
  readonly flag: string
  /** Values that are just inside. */
  readonly takes: readonly string[]
  /** Values that are just outside, each with the platform's words and the field it names. */
  readonly refuses: readonly (readonly [value: string, text: string, path?: string])[]
}

/** Every limit of a tool: sections 2.2 and 4.2 of the specification, and those its public references add. */
const limits: readonly Limit[] = [
  {
    flag: '--name',
    takes: ['_', 'a', 'A1_', x(63), x(64)],
    refuses: [
      [x(65), nameRule],
      [x(300), nameRule],
      ['1a', nameRule],
      ['a-b', nameRule],
      ['a b', nameRule],
      ['é', nameRule],
      [emoji(1), nameRule],
    ],
  },
  {
    flag: '--description',
    takes: ['x', x(254), x(255), emoji(255)],
    refuses: [
      [x(256), longer('description', 255)],
      [emoji(256), longer('description', 255)],
      ['', 'The description field is required.'],
    ],
  },
  {
    flag: '--endpoint',
    takes: [
      'http://a',
      'https://weather.example/{town}?key={{customer_phone}}',
      'https://{{host}}/x',
      url(2047),
      url(2048),
    ],
    refuses: [
      [url(2049), longer('endpoint', 2048)],
      ['weather.example', 'The endpoint field must be a valid URL.'],
      ['ftp://weather.example', 'The endpoint field must be a valid URL.'],
      ['https://', 'The endpoint field must be a valid URL.'],
      ['javascript:alert(1)', 'The endpoint field must be a valid URL.'],
    ],
  },
  {
    flag: '--method',
    takes: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    refuses: [
      ['HEAD', 'The selected method is invalid.'],
      ['FETCH', 'The selected method is invalid.'],
    ],
  },
  { flag: '--body-format', takes: ['json', 'form'], refuses: [['xml', 'The selected body format is invalid.']] },
  {
    flag: '--tool-timeout',
    takes: ['1', '2', '29', '30'],
    refuses: [
      ['0', 'The timeout field must be between 1 and 30.'],
      ['31', 'The timeout field must be between 1 and 30.'],
      ['-1', 'The timeout field must be between 1 and 30.'],
      ['1.5', 'The timeout field must be an integer.'],
      ['soon', 'The timeout field must be an integer.'],
    ],
  },
  {
    flag: '--headers',
    takes: [
      '[]',
      header('X-A', 'v'),
      header('X-A', x(2047)),
      header('X-A', x(2048)),
      header(x(255), 'v'),
      header('X-A', 'é'.repeat(2048)),
    ],
    refuses: [
      [header('X-A', x(2049)), longer('headers.0.value', 2048), 'headers.0.value'],
      [header(x(256), 'v'), longer('headers.0.name', 255), 'headers.0.name'],
      [header('', 'v'), 'The headers.0.name field is required.', 'headers.0.name'],
      [header('X-A', ''), 'The headers.0.value field is required.', 'headers.0.value'],
      ['{"X-A": "1"}', 'The headers field must be an array.'],
      [
        '[{"name":"X-A","value":"1","colour":"red"}]',
        'The headers.0.colour field is not recognized.',
        'headers.0.colour',
      ],
    ],
  },
  {
    flag: '--static-fields',
    takes: ['[]', '[{"key":"a"}]', '[{"key":"a","value":null}]', JSON.stringify([{ key: x(64), value: x(2048) }])],
    refuses: [
      [JSON.stringify([{ key: x(65) }]), longer('static fields.0.key', 64), 'static_fields.0.key'],
      [JSON.stringify([{ key: 'a', value: x(2049) }]), longer('static fields.0.value', 2048), 'static_fields.0.value'],
      ['[{"value":"a"}]', 'The static fields.0.key field is required.', 'static_fields.0.key'],
    ],
  },
  {
    flag: '--schema',
    takes: [
      '[]',
      parameter({ name: x(64) }),
      parameter({ description: 'abc' }),
      parameter({ description: x(255) }),
      parameter({ description: emoji(3) }),
      ...['string', 'number', 'float', 'boolean'].map((type) => parameter({ type })),
    ],
    refuses: [
      [parameter({ name: x(65) }), 'The schema.0.name field format is invalid.', 'schema.0.name'],
      [parameter({ name: '1' }), 'The schema.0.name field format is invalid.', 'schema.0.name'],
      [parameter({ type: 'integer' }), 'The selected schema.0.type is invalid.', 'schema.0.type'],
      [
        parameter({ description: 'ab' }),
        'The schema.0.description field must be at least 3 characters.',
        'schema.0.description',
      ],
      [
        parameter({ description: emoji(2) }),
        'The schema.0.description field must be at least 3 characters.',
        'schema.0.description',
      ],
      [parameter({ description: x(256) }), longer('schema.0.description', 255), 'schema.0.description'],
      [parameter({ required: 'yes' }), 'The schema.0.required field must be true or false.', 'schema.0.required'],
    ],
  },
]

const fieldOf = (flag: string): string => flag.replace('--tool-', '--').slice(2).replaceAll('-', '_')
const base = {
  '--name': 'weather',
  '--description': 'Tell the weather',
  '--endpoint': 'https://weather.example',
  '--method': 'GET',
}

describe.each(limits)('$flag', ({ flag, takes, refuses }) => {
  test('accepts values up to its limit, on update and on create', async () => {
    const { run } = operator()
    for (const value of takes) {
      const { exitCode, stderr, stdout } = await run(['tools', 'update', '2', flag, value, '--json'])
      expect({ value, exitCode, stderr }).toMatchObject({ exitCode: 0 })
      const saved = JSON.parse(stdout)[fieldOf(flag)]
      if (typeof saved === 'string') expect(saved).toBe(value)
      const words = Object.entries({ ...base, [flag]: value }).flat()
      expect((await run(['tools', 'create', ...words])).exitCode, value).toBe(0)
    }
  })

  test('refuses values beyond it with the message of the platform, names the flag, and changes nothing', async () => {
    const { run, json } = operator()
    const before = await json('tools list')
    for (const [value, text, path = fieldOf(flag)] of refuses) {
      const choices = /^The selected/.test(text) && !path.includes('.') ? ` Allowed values: ${takes.join(', ')}.` : ''
      const people = await run(['tools', 'update', '2', flag, value])
      expect({ value, exitCode: people.exitCode, stdout: people.stdout }).toEqual({ value, exitCode: 6, stdout: '' })
      expect(people.stderr).toContain(
        `error: Validation failed\n  ${path.includes('.') ? `${flag} (${path})` : flag}: ${text}${choices}\n`,
      )
      const { error } = JSON.parse((await run(['tools', 'update', '2', flag, value, '--json'])).stderr)
      expect(error).toMatchObject({
        code: 'invalid',
        status: 422,
        message: 'Validation failed',
        details: [{ path, message: text }],
      })
      // Creating repeats the first refusal as its message.
      const words = Object.entries({ ...base, [flag]: value }).flat()
      const created = await run(['tools', 'create', ...words, '--json'])
      expect({ value, exitCode: created.exitCode }).toEqual({ value, exitCode: 6 })
      expect(JSON.parse(created.stderr).error).toMatchObject({ message: text, details: [{ path, message: text }] })
    }
    expect(await json('tools list')).toEqual(before)
  })
})

test('an empty name is invalid on update, and missing on create', async () => {
  const { run } = operator()
  expect((await run(['tools', 'update', '2', '--name', ''])).stderr).toContain(`--name: ${nameRule}\n`)
  expect((await run(['tools', 'create', ...Object.entries({ ...base, '--name': '' }).flat()])).stderr).toContain(
    '--name: The name field is required.\n',
  )
})

test('several problems are reported together, each with its flag', async () => {
  const { run } = operator()
  const { stderr } = await run(`tools update 2 --name 1 --tool-timeout 31 --method HEAD --schema '[{name: a}]'`)
  expect(stderr).toContain(
    [
      'error: Validation failed',
      `  --name: ${nameRule}`,
      '  --method: The selected method is invalid. Allowed values: GET, POST, PUT, PATCH, DELETE.',
      '  --tool-timeout: The timeout field must be between 1 and 30.',
      '  --schema (schema.0.type): The schema.0.type field is required.',
      '  --schema (schema.0.description): The schema.0.description field is required.',
    ].join('\n'),
  )
})
