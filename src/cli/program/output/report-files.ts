import { appendFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describeWriteError } from '../../../node/file-error.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import type { Invocation } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'
import type { System } from '../system.ts'

/** Flags of a command that also writes its result for CI. */
export const reportFlags = [
  { flags: '--markdown <file>', describe: 'Append the result to a file as Markdown, such as $GITHUB_STEP_SUMMARY' },
  { flags: '--junit <file>', describe: 'Write the result to a file as JUnit XML' },
] as const

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes a text for XML. Characters that XML does not allow are removed. */
export const escapeXml = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (it) => (it === '\n' || it === '\t' ? it : ''))
    .replaceAll(/[&<>"]/g, (it) => escapes[it] as string)

/** Escapes a text for a cell of a table in Markdown. */
export const escapeCell = (text: string): string =>
  text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`|<>*_[\]]/g, (it) => `\\${it}`)

/** The texts of the reports, made when they are wanted. */
interface Reports {
  readonly markdown: () => string | Promise<string>
  readonly junit: () => string
}

/** Writes the files of `reportFlags`. @throws ClientFailure `usage` for a file that cannot be written */
export async function writeReports(
  { cwd }: Pick<System, 'cwd'>,
  { markdown, junit }: Invocation['flags'],
  reports: Reports,
): Promise<void> {
  const write = (flag: string, file: unknown, work: (path: string) => void): void => {
    if (typeof file !== 'string') return
    try {
      work(resolve(cwd, file))
    } catch (error) {
      throw usageError(`${flag}: Could not write ${file}: ${describeWriteError(error)}.`)
    }
  }
  if (markdown !== undefined) {
    const text = await reports.markdown()
    write('--markdown', markdown, (path) => appendFileSync(path, text))
  }
  write('--junit', junit, (path) => replaceFile(path, reports.junit(), { mode: 'keep' }))
}
