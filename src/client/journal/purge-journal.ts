import { readFileSync } from 'node:fs'
import { parseJsonLine } from '../../node/ndjson.ts'
import { replaceFile } from '../../node/replace-file.ts'

/**
 * Forgets spends of a journal that were settled before a moment (milliseconds since 1970); answers how many. One whose outcome is not known stays, however
 * old it is: somebody may have paid for it.
 */
export function purgeJournal(file: string, before: number): number {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return 0
  }
  const settled = new Set<unknown>()
  const lines = text.split('\n').map((line) => ({ line, it: parseJsonLine(line) }))
  for (const { it } of lines) {
    if (it?.outcome === undefined) continue
    if (it.state !== 'unknown' && Date.parse(String(it.at)) < before) settled.add(it.outcome)
    else settled.delete(it.outcome)
  }
  if (settled.size === 0) return 0
  const left = lines.filter(({ line, it }) => line !== '' && !settled.has(it?.intent ?? it?.outcome))
  replaceFile(file, left.map(({ line }) => `${line}\n`).join(''))
  return settled.size
}
