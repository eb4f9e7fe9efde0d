import { helpPages, sharedHelp } from '../../generated/help-pages.ts'
import type { System } from '../../system.ts'
import { type HelpPage, renderHelpPage } from './render-page.ts'

/** Parses a page of the generated table. A number refers to a part or row that several pages share. */
const parsePage = (text: string): HelpPage =>
  JSON.parse(text, (_, it: unknown) => (typeof it === 'number' ? JSON.parse(sharedHelp[it] as string) : it)) as HelpPage

/** Renders the help of a noun or command from the generated table. Undefined if it has none. */
export const pageText = (words: string, columns: number): string | undefined =>
  Object.hasOwn(helpPages, words) ? renderHelpPage(parsePage(helpPages[words] as string), columns) : undefined

/** Prints the help of a noun or command without loading it. Returns false if there is none. */
export async function printHelpPage({ streams: { stdout } }: System, words: string): Promise<boolean> {
  const text = pageText(words, stdout.columns)
  if (text === undefined) return false
  await stdout.write(text)
  return true
}
