import { describe, expect, test } from 'vitest'
import type { View } from '../../../../src/cli/program/output/format.ts'
import { renderList } from '../../../../src/cli/program/output/render.ts'
import { drawLines, drawTable, fitColumns } from '../../../../src/cli/program/output/tables/table.ts'
import { textWidth, truncateText } from '../../../../src/cli/program/terminal/text-width.ts'
import { settings } from '../../../support/memory-sink.ts'

interface Item {
  id: number
  name: string
  status: string
  price: number
  sms: boolean
  note: string | null
  created_at: string
}
const view: View<Item> = {
  id: (it) => it.id,
  empty: 'No items yet.',
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1, flexible: true },
    { key: 'status', title: 'Status', priority: 2, kind: 'status' },
    { key: 'price', title: 'Price', priority: 3, kind: 'money' },
    { key: 'sms', title: 'SMS', priority: 5, kind: 'bool' },
    { key: 'note', title: 'Note', priority: 6, flexible: true },
    { key: (it) => it.created_at, title: 'Created', priority: 4, kind: 'time' },
  ],
}
/** With more than has room beside the rest. */
const wide: View<Item> = {
  ...view,
  columns: [...view.columns, { key: (it) => it.note ?? it.name, title: 'Again', priority: 7, flexible: true }],
}
const first: Item = {
  id: 7,
  name: 'Front desk',
  status: 'active',
  price: 1.15,
  sms: true,
  note: null,
  created_at: '2026-08-04T11:58:00.000000Z',
}
const second: Item = {
  id: 12,
  name: '日本語 🙂',
  status: 'failed',
  price: 3,
  sms: false,
  note: 'a\tb\nc\u001b[2J',
  created_at: '2026-07-01 08:00:00',
}
const items = [first, second]

const shown = async (some: Parameters<typeof settings>[0], list: readonly Item[] = items): Promise<string> =>
  (await renderList(list, settings(some), { view })).text
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is what is looked for
const bare = (text: string): string => text.replaceAll(/\x1b\[\d+m/g, '')

describe('on a terminal', () => {
  test('a list is an aligned table without boxes, with readable values', async () => {
    expect(await shown({ terminal: true, columns: 100 })).toBe(
      [
        'ID  Name        Status     Price  SMS  Note   Created',
        ' 7  Front desk  active  1.15 USD  yes  -      2 min ago',
        '12  日本語 🙂   failed  3.00 USD  no   a b c  2026-07-01 10:00',
        '',
      ].join('\n'),
    )
  })
  test('--no-header prints only rows', async () => {
    expect((await shown({ terminal: true, columns: 100, header: false })).split('\n')[0]).toBe(
      ' 7  Front desk  active  1.15 USD  yes  -      2 min ago',
    )
  })
  test('--utc prints times as the platform sent them', async () => {
    expect(await shown({ terminal: true, columns: 110, utc: true })).toContain('2026-08-04T11:58:00.000000Z')
  })
  test('color is never the only information', async () => {
    const colored = await shown({ terminal: true, columns: 100, color: true })
    expect(colored).toContain('\u001b[32mactive\u001b[39m')
    expect(colored).toContain('\u001b[31mfailed\u001b[39m')
    expect(bare(colored)).toBe(await shown({ terminal: true, columns: 100 }))
  })
  test('less important columns are dropped first on a narrow terminal, and named', async () => {
    const { text, hidden } = await renderList(items, settings({ terminal: true, columns: 60 }), { view: wide })
    expect(text.split('\n')[0]).toBe('ID  Name        Status     Price  SMS  Created')
    expect(hidden).toEqual(['Note', 'Again'])
  })
  test('on a narrow terminal no value is dropped: all columns fit, or every item is a card', async () => {
    for (let columns = 10; columns < 60; columns++) {
      const { text, hidden } = await renderList(items, settings({ terminal: true, columns }), { view: wide })
      expect(hidden).toEqual([])
      expect(text).toContain('Note')
      expect(text).toMatch(/2 min\s+ago/)
    }
  })
  test('flexible columns are cut, never in the middle of a character', async () => {
    const text = await shown({ terminal: true, columns: 18, fields: ['id', 'name'] }, [
      { ...first, name: '日本語日本語日本語日本語' },
    ])
    expect(text).toBe('ID  Name\n 7  日本語日本語…\n')
  })
  test('no line is ever wider than the terminal', async () => {
    for (let columns = 10; columns < 120; columns++) {
      const text = await shown({ terminal: true, columns }, [{ ...first, name: 'x'.repeat(70) }, second])
      if (text.trimStart().startsWith('ID  Name'))
        for (const line of text.split('\n')) expect(textWidth(line)).toBeLessThanOrEqual(columns)
    }
  })
  test('a very narrow terminal gets a card for each item, with all values', async () => {
    expect(await shown({ terminal: true, columns: 12 })).toBe(
      [
        'ID       7',
        'Name',
        '  Front desk',
        'Status',
        '  active',
        'Price',
        '  1.15 USD',
        'SMS      yes',
        'Note     -',
        'Created',
        '  2 min ago',
        '',
        'ID       12',
        'Name',
        '  日本語 🙂',
        'Status',
        '  failed',
        'Price',
        '  3.00 USD',
        'SMS      no',
        'Note',
        '  a b c',
        'Created',
        '  2026-07-01',
        '  10:00',
        '',
      ].join('\n'),
    )
  })
  test('a terminal of unknown width counts as 80 columns', async () => {
    expect(await shown({ terminal: true, columns: 0 })).toBe(await shown({ terminal: true, columns: 80 }))
  })
  test('requested fields are never dropped', async () => {
    const { text, hidden } = await renderList(
      items,
      settings({ terminal: true, columns: 24, fields: ['sms', 'note', 'price'] }),
      { view },
    )
    expect(text.split('\n')[0]).toBe('SMS  Note      Price')
    expect(hidden).toEqual([])
  })
  test('items without a view are printed as a table too', async () => {
    const { text } = await renderList(
      [{ id: 1, sms_capable: true, made_at: null, deep: { x: 1 } }],
      settings({ terminal: true }),
    )
    expect(text).toBe('ID  SMS capable  Made\n 1  yes          -\n')
  })
})

describe('elsewhere', () => {
  test('a list has plain lines with tabs and complete values', async () => {
    expect(await shown({})).toBe(
      [
        'ID\tName\tStatus\tPrice\tSMS\tNote\tCreated',
        '7\tFront desk\tactive\t1.15 USD\tyes\t-\t2026-08-04 13:58:00 +02:00',
        '12\t日本語 🙂\tfailed\t3.00 USD\tno\ta b c\t2026-07-01 10:00:00 +02:00',
        '',
      ].join('\n'),
    )
  })
  test('values have no line breaks, cuts or escapes, however long and hostile the text', async () => {
    const text = await shown({ color: false }, [{ ...first, name: `${'x'.repeat(500)}\n\u001b]0;t\u0007\ty` }])
    expect(text.split('\n')).toHaveLength(3)
    expect(text).toContain(`${'x'.repeat(500)} y`)
    expect(text).not.toContain('\u001b')
  })
  test('an empty list prints nothing on stdout', async () => {
    expect(await shown({}, [])).toBe('')
  })
})

describe('drawing', () => {
  test('a long list looks exactly like a short one', async () => {
    const grid = {
      head: ['\u001b[1mID\u001b[22m', 'Name', 'Status'],
      rows: [
        ['7', '日本語 🙂', '\u001b[32mactive\u001b[39m'],
        ['12', 'Front desk', ''],
      ],
      widths: [2, 10, 6],
      right: [true, false, false],
    }
    expect(drawLines(grid)).toBe(await drawTable(grid))
    expect(drawLines({ ...grid, head: undefined })).toBe(await drawTable({ ...grid, head: undefined }))
  })
  test.each([true, false])(
    'rows of a long list have the texts of a short one, cut and colored (color %s)',
    async (color) => {
      const wide = { ...second, name: '日本語 🙂 '.repeat(8), created_at: second.created_at }
      const many = Array.from({ length: 150 }, (_, i) => [first, second, wide][i % 3] as typeof first)
      const how = { terminal: true, columns: 70, color } as const
      const short = (await shown(how, many.slice(0, 3))).split('\n')
      const long = (await shown(how, many)).split('\n')
      expect(long.slice(0, 4)).toEqual(short.slice(0, 4))
      expect(long.slice(-4, -1)).toEqual(short.slice(1, 4))
    },
  )
  test('drawing time grows linearly with the rows', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...(i % 2 ? first : second), id: i }))
    const show = (count: number): Promise<string> =>
      shown({ terminal: true, columns: 100, color: true }, many.slice(0, count))
    expect((await show(10_000)).split('\n')).toHaveLength(10_002)
    // The shortest of several tries, since a busy machine only ever makes them longer.
    const shortest = { 1000: Number.POSITIVE_INFINITY, 10000: Number.POSITIVE_INFINITY }
    for (let tries = 0; tries < 20 && !(shortest[10_000] < 40 * shortest[1000]); tries++)
      for (const count of [1000, 10_000] as const) {
        const started = performance.now()
        await show(count)
        shortest[count] = Math.min(shortest[count], performance.now() - started)
      }
    expect(shortest[10_000] / shortest[1000]).toBeLessThan(40)
  })
})

test('remaining width goes to the columns that were cut', () => {
  const room = (natural: number, priority: number, flexible = false) => ({ natural, title: 2, priority, flexible })
  expect(fitColumns([room(5, 1), room(40, 1, true), room(40, 1, true)], 50)).toEqual(
    new Map([
      [0, 5],
      [1, 21],
      [2, 20],
    ]),
  )
  expect(fitColumns([room(5, 1), room(14, 1, true), room(40, 1, true)], 50)).toEqual(
    new Map([
      [0, 5],
      [1, 14],
      [2, 27],
    ]),
  )
  expect(fitColumns([room(5, 1), room(60, 1)], 50)).toBeUndefined()
})

test('widths are counted as a terminal shows them', () => {
  expect(['abc', '日本', '🙂', 'é', '\u001b[31mred\u001b[39m'].map(textWidth)).toEqual([3, 4, 2, 1, 3])
  expect([truncateText('abcdef', 4), truncateText('日本語', 4), truncateText('ab', 4)]).toEqual(['abc…', '日…', 'ab'])
})
