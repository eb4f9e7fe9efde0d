import { helpPages, sharedHelp } from '../../generated/help-pages.ts'
import type { System } from '../../system.ts'
import { type HelpPage, renderHelpPage } from './render-page.ts'

/** Reads a page of the table. A number stands for a part or a row that several pages share. */
const parsePage = (text: string): HelpPage =>
  JSON.parse(text, (_, it: unknown) => (typeof it === 'number' ? JSON.parse(sharedHelp[it] as string) : it)) as HelpPage

/** Returns the help of a noun or a command, as generated from all commands. Undefined where the table has none. */
export const pageText = (words: string, columns: number): string | undefined =>
  Object.hasOwn(helpPages, words) ? renderHelpPage(parsePage(helpPages[words] as string), columns) : undefined

/** Prints the help of a noun or a command without loading it. Resolves to false where there is none. */
export async function printHelpPage({ streams: { stdout } }: System, words: string): Promise<boolean> {
  const text = pageText(words, stdout.columns)
  if (text === undefined) return false
  await stdout.write(text)
  return true
}
