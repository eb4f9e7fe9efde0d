import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import type { Format, View } from '../../../../src/cli/program/output/format.ts'
import { createNotes } from '../../../../src/cli/program/output/notes.ts'
import { createOutput } from '../../../../src/cli/program/output/output.ts'
import { memorySink, settings } from '../../../support/memory-sink.ts'

interface Item {
  id: number
  name: string
}
const view: View<Item> = {
  id: (it) => it.id,
  empty: 'No items yet. Make one with parley items create.',
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'name', title: 'Name', priority: 2 },
  ],
}
const shape = { view, schema: z.object({ id: z.int(), name: z.string() }) }

function setup(some: Parameters<typeof settings>[0]) {
  const stdout = memorySink()
  const stderr = memorySink()
  return {
    stdout,
    stderr,
    output: createOutput(stdout, createNotes(stderr, { json: false, quiet: false }), settings(some)),
  }
}

async function* pages(fail = false): AsyncIterable<Item[]> {
  yield [
    { id: 1, name: 'a' },
    { id: 2, name: 'b' },
  ]
  if (fail) throw new Error('cut')
  yield [{ id: 3, name: 'c' }]
}

describe('pages', () => {
  test.each([
    ['ndjson', ['{"id":1,"name":"a"}\n{"id":2,"name":"b"}\n', '{"id":3,"name":"c"}\n']],
    ['tsv', ['id\tname\n1\ta\n2\tb\n', '3\tc\n']],
    ['id', ['1\n2\n', '3\n']],
  ] as const)('are printed as they arrive in %s', async (format, pieces) => {
    const { output, stdout } = setup({ format })
    expect(await output.pages(pages(), shape)).toBe(3)
    expect(stdout.pieces).toEqual(pieces)
  })

  test.each(['json', 'yaml', 'table'] as const)('are one document in %s', async (format: Format) => {
    const { output, stdout } = setup({ format })
    expect(await output.pages(pages(), shape)).toBe(3)
    const whole = setup({ format })
    await whole.output.list(
      [
        { id: 1, name: 'a' },
        { id: 2, name: 'b' },
        { id: 3, name: 'c' },
      ],
      shape,
    )
    expect(stdout.pieces).toEqual(whole.stdout.pieces)
  })

  test.each(['json', 'yaml', 'table'] as const)(
    'that fail in the middle leave stdout empty in %s',
    async (format: Format) => {
      const { output, stdout } = setup({ format })
      await expect(output.pages(pages(true), shape)).rejects.toThrow('cut')
      expect(stdout.all).toBe('')
    },
  )

  test('have the columns of the first page in tsv', async () => {
    const { output, stdout } = setup({ format: 'tsv' })
    async function* changing(): AsyncIterable<object[]> {
      yield [{ id: 1, name: 'a' }]
      yield [{ extra: true, name: 'b', id: 2 }]
    }
    await output.pages(changing())
    expect(stdout.all).toBe('id\tname\n1\ta\n2\tb\n')
  })

  test('with an unknown field print nothing', async () => {
    const { output, stdout } = setup({ format: 'ndjson', fields: ['nam'] })
    await expect(output.pages(pages(), shape)).rejects.toThrow('Unknown field "nam".')
    expect(stdout.all).toBe('')
  })
})

test('an empty list is a note on stderr for people, and [] for programs', async () => {
  const people = setup({ format: 'table' })
  await people.output.list([], shape)
  expect([people.stdout.all, people.stderr.all]).toEqual(['', 'No items yet. Make one with parley items create.\n'])
  const program = setup({ format: 'json' })
  await program.output.list([], shape)
  expect([program.stdout.all, program.stderr.all]).toEqual(['[]\n', ''])
})

test('columns hidden for lack of space are named on stderr', async () => {
  const { output, stdout, stderr } = setup({ format: 'table', terminal: true, columns: 60 })
  const wide: View<Item & { more: string }> = {
    ...view,
    columns: [...view.columns, { key: 'more', title: 'More', priority: 3 }],
  }
  await output.list([{ id: 1, name: 'a', more: 'x'.repeat(60) }], { view: wide })
  expect(stdout.all).toBe('ID  Name\n1   a\n')
  expect(stderr.all).toBe('Hidden columns: More. Show them with -o json, or choose fields with --fields.\n')
})

test('--fields help lists the paths', async () => {
  const { output, stdout } = setup({ format: 'table', fields: ['help'] })
  await output.fields(shape)
  expect(stdout.all).toBe('id\nname\n')
})

test('a sentence is printed without terminal control characters', async () => {
  const { output, stdout } = setup({ format: 'table' })
  await output.line('Deleted key "a\u001b[2Jb".')
  expect(stdout.all).toBe('Deleted key "ab".\n')
})
