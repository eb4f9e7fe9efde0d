import { describe, expect, test } from 'vitest'
import { findCommand } from '../../../../src/cli/program/commandline/find-command.ts'
import { listedFields } from '../../../../src/cli/program/lists/list-query.ts'
import { recordField } from '../../../../src/cli/program/lists/record-fields.ts'
import { printedSchema } from '../../../../src/cli/reference/command-reference/printed-schema.ts'
import { everyNth, runsAll } from '../../../support/case-count.ts'
import { lines, linesOf, runsOf } from '../../reference/command-reference/command-lines.ts'
import { type Condition, isSorted, isText, meets, operatorsOf, parseCsv, type Row } from './list-oracle.ts'

// Filters, sorts and csv of every list are compared with the ndjson of the same list. What is expected comes from
// list-oracle.ts, which shares no code with the program.

/** A line of every command that prints a list. */
const lists = (
  await Promise.all(
    lines.map(async (list) => {
      const { path, node } = findCommand(list.line.split(' '))
      const command = await node?.load?.()
      return command?.isList && list.prints === 'list' ? [{ ...list, words: path.join(' '), command }] : []
    }),
  )
).flat()

test('every list command is covered', async () => {
  expect(lists.length).toBeGreaterThan(38)
  const missed = lines.filter(
    ({ line, prints }) => prints === 'list' && / list\b/.test(line) && !lists.some((it) => it.line === line),
  )
  expect(missed.map((it) => it.line)).toEqual([])
})

/** The values of a record by the columns of csv, which has a column for each column of a spreadsheet. */
const inCsv = (words: string, record: Row): Row =>
  words === 'server sheets rows' ? { row: record.number, ...(record.values as Row) } : record

describe.each(everyNth(3, lists))('parley $line', (list) => {
  const { perform } = runsOf(list)
  const rows = async (more: string): Promise<Row[]> => {
    const ran = await perform(`${more} -o ndjson`)
    expect(ran, more).toMatchObject({ exitCode: 0 })
    return linesOf(ran.stdout).map((line) => JSON.parse(line))
  }
  /** The fields of the records that have one value, with their kinds. */
  const fields = async () => {
    const { item, known } = listedFields(list.command, printedSchema(list.words, list.command))
    return known
      .filter((path) => !path.includes('.'))
      .map((path) => recordField(item, path))
      .filter(({ kind }) => kind !== 'object')
  }

  test('csv has the values of ndjson', async () => {
    const records = (await rows('--all')).map((record) => inCsv(list.words, record))
    const [header = [], ...cells] = parseCsv((await perform('--all -o csv')).stdout)
    expect(cells).toHaveLength(records.length)
    expect(cells).toEqual(records.map((record) => header.map((name) => isText(record[name]))))
    expect(header).toEqual(expect.arrayContaining([...new Set(records.flatMap((record) => Object.keys(record)))]))
  })

  test('filters and sorts by each field', async () => {
    const records = await rows('--all')
    const all = await fields()
    for (const [n, { path, kind }] of all.entries()) {
      const values = [...new Set(records.map((record) => record[path]))].filter(
        (value) => value !== null && typeof value !== 'object' && value !== undefined && !/[",]/.test(String(value)),
      )
      const value = values[Math.floor(values.length / 2)]
      const operators = operatorsOf(kind)
      const tried = runsAll ? operators : [operators[n % operators.length] as Condition['operator']]
      for (const operator of value === undefined ? [] : tried) {
        const condition: Condition = { path, operator, value: value as Condition['value'], kind }
        const filter = `--filter '${path}${operator}${value}'`
        const found = await rows(filter)
        expect(found, filter).toEqual(records.filter((record) => meets(record, condition)))
      }
      const sort = `--sort ${n % 2 === 0 ? '' : '-'}${path}`
      const sorted = await rows(sort)
      expect(isSorted(sorted, path, kind, n % 2 === 1), sort).toBe(true)
      expect(new Set(sorted.map((record) => JSON.stringify(record)))).toEqual(
        new Set(records.map((record) => JSON.stringify(record))),
      )
    }
  })

  test('every heading is accepted by --fields, --sort and --filter, and every shown word by --filter', async () => {
    const table = async (more: string): Promise<string[][]> => {
      const { exitCode, stdout, stderr } = await perform(`${more} -o table`)
      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }, more).toEqual({ exitCode: 0, stderr: '' })
      return linesOf(stdout).map((line) => line.split('\t'))
    }
    const [headings = [], ...cells] = await table('--all')
    for (const [n, heading] of headings.entries()) {
      // The columns of a spreadsheet are data: its help names them `values.<column>`.
      if (list.words === 'server sheets rows' && heading !== 'Row') continue
      const column = cells.map((row) => row[n] ?? '')
      const [header = [], ...shown] = await table(`--all --fields '${heading}'`)
      expect(header).toEqual([heading])
      expect(shown.map((row) => row[0])).toEqual(column)
      await table(`--sort '-${heading}'`)
      const words = [...new Set(column)]
        .filter((it) => /^([a-z][a-z ]*|\d+(\.\d+)? USD|\d+:\d\d)$/i.test(it))
        .slice(0, runsAll ? 20 : 3)
      for (const word of words)
        expect((await table(`--filter '${heading}=${word}' --fields '${heading}'`)).slice(1), word).not.toEqual([])
      await table(`--filter '${heading}~e'`)
    }
  })

  test('combines a filter, an order and a limit', async () => {
    const records = await rows('--all')
    const [first] = await fields()
    if (!first || records.length < 2) return
    const csv = await perform(`--sort ${first.path} --limit 1 -o csv`)
    const [header = [], ...cells] = parseCsv(csv.stdout)
    expect(cells).toEqual(
      (await rows(`--sort ${first.path}`)).slice(0, 1).map((record) => header.map((name) => isText(record[name]))),
    )
  })
})
