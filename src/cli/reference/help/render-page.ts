import { alignedRows, foldCommand, helpWidth, wrap } from '../../program/terminal/wrap-text.ts'

/**
 * A part of a page: paragraphs to wrap, aligned rows under a title, command lines under a title, or unchanged lines.
 */
export type HelpPart =
  | { readonly prose: string }
  | { readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly title: string; readonly commands: readonly string[] }
  | { readonly lines: string }

/** Help of one command, before it is wrapped to a width. */
export type HelpPage = readonly HelpPart[]

/** Preferred maximum width of an example in cells. */
const maxCommandWidth = 76

/** Renders a page for a terminal of `columns` cells; 0 if unknown. */
export function renderHelpPage(page: HelpPage, columns: number): string {
  const width = helpWidth(columns)
  const parts = page.map((part) => {
    if ('lines' in part) return part.lines
    if ('commands' in part)
      return `${part.title}\n${part.commands.map((it) => `  ${foldCommand(it, Math.min(width, maxCommandWidth), '  ')}`).join('\n')}`
    if ('rows' in part) return `${part.title}\n${alignedRows(part.rows, width)}`
    return wrap(part.prose, width, '')
  })
  return `${parts.join('\n\n')}\n`
}
