import { helpPages, sharedHelp } from '../../../generated/help-pages.ts'
import type { System } from '../../program/system.ts'
import { type HelpPage, renderHelpPage } from './render-page.ts'

/** Parses a page of the table that reference-files.ts generates. A number refers to a part or row that several pages share. */
const parsePage = (text: string): HelpPage =>
  JSON.parse(text, (_, it: unknown) => (typeof it === 'number' ? JSON.parse(sharedHelp[it] as string) : it)) as HelpPage

/** Renders the help of a noun or command from the generated table of its noun. Undefined if it has none. */
export async function pageText(words: string, columns: number): Promise<string | undefined> {
  const noun = words.split(' ')[0] as string
  const load = Object.hasOwn(helpPages, noun) ? helpPages[noun] : undefined
  const pages = (await load?.())?.pages ?? {}
  return Object.hasOwn(pages, words) ? renderHelpPage(parsePage(pages[words] as string), columns) : undefined
}

/** Prints the help of a noun or command without loading it. Returns false if there is none. */
export async function printHelpPage({ streams: { stdout } }: System, words: string): Promise<boolean> {
  const text = await pageText(words, stdout.columns)
  if (text === undefined) return false
  await stdout.write(text)
  return true
}
