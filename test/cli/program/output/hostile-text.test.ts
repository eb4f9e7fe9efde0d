import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createNotes } from '../../../../src/cli/program/output/notes.ts'
import { createOutput } from '../../../../src/cli/program/output/output.ts'
import { renderList, renderRecord } from '../../../../src/cli/program/output/render.ts'
import { memorySink, settings } from '../../../support/memory-sink.ts'

/** Escape sequences of both kinds, DEL, and a change of direction. */
const hostile = 'a\u001b[31mb\u009b2Jc\u007fd\u202ee\u2066f\u0085g'
const controls =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/
const items = [{ id: 1, name: hostile, nested: { [hostile]: hostile } }]

describe('text of a server on a terminal', () => {
  test.each(['json', 'ndjson', 'yaml', 'tsv', 'csv', 'id'] as const)('is escaped in %s', async (format) => {
    const on = settings({ format, terminal: true, ...(format === 'id' && { fields: ['name'] }) })
    expect((await renderList(items, on)).text).not.toMatch(controls)
    expect(await renderRecord(items[0] as object, on)).not.toMatch(controls)
  })

  test.each(['ndjson', 'tsv', 'csv', 'id'] as const)('is escaped in pages of %s', async (format) => {
    const stdout = memorySink({ isTTY: true })
    const notes = createNotes(memorySink(), { json: false, quiet: true, color: false })
    const fields = format === 'id' ? { fields: ['name'] } : {}
    const out = createOutput(stdout, notes, settings({ format, terminal: true, ...fields }))
    await out.pages(
      (async function* () {
        yield items
      })(),
    )
    expect(stdout.all).not.toMatch(controls)
  })

  test('reads back the same from json, ndjson and yaml', async () => {
    const on = (format: 'json' | 'ndjson' | 'yaml') =>
      renderRecord(items[0] as object, settings({ format, terminal: true }))
    expect(JSON.parse(await on('json'))).toEqual(items[0])
    expect(JSON.parse(await on('ndjson'))).toEqual(items[0])
    expect(parse(await on('yaml'))).toEqual(items[0])
  })

  test('shows control characters in tsv as escapes', async () => {
    const { text } = await renderList(items, settings({ format: 'tsv', terminal: true, fields: ['name'] }))
    expect(text).toBe('name\na\\u001b[31mb\\u009b2Jc\\u007fd\\u202ee\\u2066f\\u0085g\n')
  })
})

describe('text of a server in a file', () => {
  test('is unchanged in tsv and csv', async () => {
    for (const format of ['tsv', 'csv'] as const)
      expect((await renderList(items, settings({ format, fields: ['name'] }))).text).toBe(`name\n${hostile}\n`)
  })

  test('has no control characters in json, because a pager may show it', async () => {
    for (const format of ['json', 'ndjson'] as const)
      expect((await renderList(items, settings({ format }))).text).not.toMatch(controls)
  })
})

describe('csv', () => {
  test('quotes separators, quotes and line breaks', async () => {
    const rows = [{ id: 1, text: 'a,"b"\nc', list: [1, 2], none: null }]
    expect((await renderList(rows, settings({ format: 'csv' }))).text).toBe(
      'id,text,list,none\n1,"a,""b""\nc","[1,2]",\n',
    )
    expect((await renderList(rows, settings({ format: 'csv', header: false, fields: ['id'] }))).text).toBe('1\n')
  })
})

describe('--safe', () => {
  const formulas = ['=1+1', '+cmd|x', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '＝1', ' =1']
  const plain = ['+14155550123', '-5', '-0.5', 'a=b', '']

  test.each(['tsv', 'csv'] as const)('stops a spreadsheet from reading a cell of %s as a formula', async (format) => {
    for (const name of formulas) {
      const text = await renderRecord({ name }, settings({ format, safe: true, header: false, fields: ['name'] }))
      expect(text.replace(/^"/, ''), JSON.stringify(name)).toMatch(/^'/)
    }
    for (const name of plain) {
      const text = await renderRecord({ name }, settings({ format, safe: true, header: false, fields: ['name'] }))
      expect(text, JSON.stringify(name)).toBe(`${name}\n`)
    }
  })

  test('is off unless it is passed', async () => {
    expect(await renderRecord({ name: '=1' }, settings({ format: 'csv', header: false }))).toBe('=1\n')
  })
})
