import { textWidth } from '../../terminal/text-width.ts'
import { gap } from './column-layout.ts'

/** A grid ready to draw: texts are already truncated and colored. */
export interface Grid {
  readonly head: readonly string[] | undefined
  readonly rows: readonly (readonly string[])[]
  /** Widths of the texts of `rows` in cells, if they are known. */
  readonly cellWidths?: readonly (readonly number[])[]
  readonly widths: readonly number[]
  readonly right: readonly boolean[]
}

const edges = [
  'top',
  'top-mid',
  'top-left',
  'top-right',
  'bottom',
  'bottom-mid',
  'bottom-left',
  'bottom-right',
  'left',
  'left-mid',
  'mid',
  'mid-mid',
  'right',
  'right-mid',
  'middle',
] as const
const noEdges = Object.fromEntries(edges.map((edge) => [edge, '']))
/** Above this number of rows cli-table3 is too slow: it takes seconds for 10 000 rows. */
const maxTableRows = 100

const trimLines = (text: string): string => (text === '' ? '' : `${text.replaceAll(/[ ]+$/gm, '')}\n`)

/** Draws the grid with cli-table3. */
export async function drawTable(grid: Grid): Promise<string> {
  const { default: Table } = await import('cli-table3')
  const table = new Table({
    chars: noEdges,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap },
    colAligns: grid.right.map((right) => (right ? 'right' : 'left')),
    colWidths: grid.widths.map((it) => it + gap),
    ...(grid.head && { head: [...grid.head] }),
  })
  for (const row of grid.rows) table.push([...row])
  return trimLines(table.toString())
}

/** Draws the same lines directly, for long lists. */
export function drawLines(grid: Grid): string {
  const last = grid.widths.length - 1
  const line = (cells: readonly string[], cellWidths: readonly number[] | undefined): string => {
    let text = ''
    for (const [index, cell] of cells.entries()) {
      const pad = ' '.repeat(Math.max(0, (grid.widths[index] ?? 0) - (cellWidths?.[index] ?? textWidth(cell))))
      text += grid.right[index] ? pad + cell : cell + pad
      if (index < last) text += '  '
    }
    return `${text.trimEnd()}\n`
  }
  const head = grid.head ? line(grid.head, undefined) : ''
  return head + grid.rows.map((cells, n) => line(cells, grid.cellWidths?.[n])).join('')
}

/** Draws the grid with cli-table3, or directly if it is too long. */
export const draw = (grid: Grid): string | Promise<string> =>
  grid.rows.length > maxTableRows ? drawLines(grid) : drawTable(grid)
