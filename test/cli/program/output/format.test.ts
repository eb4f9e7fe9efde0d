import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import type { Shape } from '../../../../src/cli/program/output/format.ts'
import { renderList, renderRecord } from '../../../../src/cli/program/output/render.ts'
import { settings } from '../../../support/memory-sink.ts'

interface Lead {
  id: number
  phone: string
  code: string
  created_at: string
  tags: string[]
  agent: { name: string | null }
}
const schema = z.object({
  id: z.int(),
  phone: z.string(),
  code: z.string(),
  created_at: z.string(),
  tags: z.array(z.string()),
  agent: z.object({ name: z.string().nullable() }),
})
const shape: Shape<Lead> = {
  schema,
  view: { id: (it) => it.id, empty: 'No leads.', columns: [{ key: 'phone', title: 'Phone', priority: 1 }] },
}
const ann: Lead = {
  id: 1,
  phone: '+14155550123',
  code: '0044',
  created_at: '2026-08-04 10:00:00',
  tags: ['a', 'b'],
  agent: { name: 'Ann' },
}
const bob: Lead = {
  id: 2,
  phone: '+48225550123',
  code: '12:30',
  created_at: '2026-08-03 10:00:00',
  tags: [],
  agent: { name: null },
}

const list = async (
  format: 'json' | 'ndjson' | 'yaml' | 'tsv' | 'id',
  items: readonly Lead[],
  fields?: string[],
): Promise<string> => (await renderList(items, settings({ format, ...(fields && { fields }) }), shape)).text
const one = (format: 'json' | 'ndjson' | 'yaml' | 'tsv' | 'id', fields?: string[]): Promise<string> =>
  renderRecord(ann, settings({ format, ...(fields && { fields }) }), shape)

describe('json', () => {
  test('of a list is one array, indented by two spaces', async () => {
    expect(await list('json', [ann, bob])).toBe(`${JSON.stringify([ann, bob], null, 2)}\n`)
  })
  test('of an empty list is []', async () => {
    expect(await list('json', [])).toBe('[]\n')
  })
  test('of one resource is one object', async () => {
    expect(JSON.parse(await one('json'))).toEqual(ann)
  })
  test('keeps hostile text and times unchanged', async () => {
    const text = await list('json', [{ ...ann, code: 'a\u001b[31mb\u202e' }])
    expect(JSON.parse(text)[0]).toMatchObject({ code: 'a\u001b[31mb\u202e', created_at: '2026-08-04 10:00:00' })
  })
})

describe('ndjson', () => {
  test('has one item per line', async () => {
    expect((await list('ndjson', [ann, bob])).split('\n').map((it) => it && JSON.parse(it))).toEqual([ann, bob, ''])
  })
  test('of an empty list is empty', async () => {
    expect(await list('ndjson', [])).toBe('')
  })
})

describe('yaml', () => {
  test('of a list is one document that reads back the same', async () => {
    expect(parse(await list('yaml', [ann, bob]))).toEqual([ann, bob])
    expect(await list('yaml', [])).toBe('[]\n')
  })
  test.each(['core', 'yaml-1.1'] as const)(
    'quotes strings that look like another type, for readers of %s',
    async (reader) => {
      const strings = [
        '+14155550123',
        '0044207',
        '12:30:45',
        '190:20:30',
        'yes',
        'on',
        'y',
        'null',
        '~',
        '1_000',
        '0x1F',
        '0o17',
        '0b1',
        '.5',
        '1e3',
        '2026-08-04',
        '2026-08-04T10:00:00.000000Z',
        '2026-08-04 10:00:00',
        '',
        ' x',
        '- a',
        '# b',
        'a: b',
        '<<',
        'a\nb\n',
        '\u001b[31m',
        '\u0085',
      ]
      const text = await renderRecord({ strings }, settings({ format: 'yaml' }))
      expect(parse(text, { schema: reader })).toEqual({ strings })
    },
  )
  test('keeps any text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), async (strings) => {
        expect(parse(await renderRecord({ strings }, settings({ format: 'yaml' })))).toEqual({ strings })
      }),
    )
  })
})

describe('tsv', () => {
  test('has the field names of the platform as header, and nested values as JSON', async () => {
    expect(await list('tsv', [ann, bob])).toBe(
      'id\tphone\tcode\tcreated_at\ttags\tagent\n' +
        '1\t+14155550123\t0044\t2026-08-04 10:00:00\t["a","b"]\t{"name":"Ann"}\n' +
        '2\t+48225550123\t12:30\t2026-08-03 10:00:00\t[]\t{"name":null}\n',
    )
  })
  test('without a header has only rows', async () => {
    const { text } = await renderList([ann], settings({ format: 'tsv', header: false, fields: ['id', 'phone'] }), shape)
    expect(text).toBe('1\t+14155550123\n')
  })
  test('is not broken by the content of a cell', async () => {
    expect(await list('tsv', [{ ...ann, code: 'a\tb\nc\\d\r' }], ['code', 'id'])).toBe(
      'code\tid\na\\tb\\nc\\\\d\\r\t1\n',
    )
  })
  test('of an empty list is its header', async () => {
    expect(await list('tsv', [])).toBe('id\tphone\tcode\tcreated_at\ttags\tagent\n')
  })
  test('has an empty cell for null', async () => {
    expect(await list('tsv', [bob], ['id', 'agent.name'])).toBe('id\tagent.name\n2\t\n')
  })
})

describe('id', () => {
  test('has one id per line', async () => {
    expect(await list('id', [ann, bob])).toBe('1\n2\n')
    expect(await one('id')).toBe('1\n')
  })
  test('is the identifier of the view', async () => {
    const { text } = await renderList([ann], settings({ format: 'id' }), {
      view: { id: (it: Lead) => it.phone, columns: [], empty: '' },
    })
    expect(text).toBe('+14155550123\n')
  })
  test('with --fields prints those instead', async () => {
    expect(await list('id', [ann, bob], ['code'])).toBe('0044\n12:30\n')
  })
  test('of a resource without an id is refused with a fix', async () => {
    await expect(renderRecord({ total: 3 }, settings({ format: 'id' }))).rejects.toMatchObject({
      message: 'The result has no id to print.',
      exit: 'usage',
      hint: 'Use -o json, or choose a field with --fields.',
    })
  })
})

describe('--fields', () => {
  test('keeps the requested order and the nesting of the platform', async () => {
    expect(await list('json', [ann], ['agent.name', 'id'])).toBe(
      `${JSON.stringify([{ agent: { name: 'Ann' }, id: 1 }], null, 2)}\n`,
    )
    expect(await list('ndjson', [ann], ['tags', 'id'])).toBe('{"tags":["a","b"],"id":1}\n')
    expect(parse(await one('yaml', ['agent.name']))).toEqual({ agent: { name: 'Ann' } })
    expect(await one('tsv', ['agent.name', 'id'])).toBe('agent.name\tid\nAnn\t1\n')
  })
  test('selects fields in every item of a nested list', async () => {
    const text = await renderRecord(
      { steps: [{ name: 'a', n: 1 }, { name: 'b' }] },
      settings({ format: 'json', fields: ['steps.name', 'steps.n'] }),
    )
    expect(JSON.parse(text)).toEqual({
      steps: [
        { name: 'a', n: 1 },
        { name: 'b', n: null },
      ],
    })
  })
  test('accepts an unknown field that the platform sent', async () => {
    const items = [{ ...ann, brand_new: true }]
    expect((await renderList(items, settings({ format: 'ndjson', fields: ['brand_new'] }), { schema })).text).toBe(
      '{"brand_new":true}\n',
    )
  })
  test('names the closest field for an unknown one, even for an empty list', async () => {
    for (const items of [[ann], []])
      await expect(list('json', items, ['id', 'phnoe'])).rejects.toMatchObject({
        exit: 'usage',
        field: 'phnoe',
        message: 'Unknown field "phnoe".',
        hint: 'Did you mean "phone"? List fields: --fields help.',
      })
  })
  test('treats inherited names such as "constructor" as unknown', async () => {
    await expect(list('json', [ann], ['constructor'])).rejects.toThrow('Unknown field "constructor".')
    await expect(list('json', [ann], ['__proto__'])).rejects.toThrow('Unknown field "__proto__".')
  })
})
