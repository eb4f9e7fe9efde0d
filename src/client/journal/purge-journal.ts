// Deletes settled entries. One without a known outcome is never deleted: it stops the same operation from being paid twice.

import { existsSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { dataFiles } from '../../node/data-files.ts'
import { unmarkFile } from '../../node/folder-marker.ts'
import { parseJsonLine } from '../../node/ndjson.ts'
import { replaceFile } from '../../node/replace-file.ts'
import { whileJournalLocked } from './journal.ts'

/**
 * Deletes journal entries that were settled before a time, and pending operations that expired before it (milliseconds
 * since 1970). Returns how many. Entries without a known outcome are retained at any age, because they may have cost money.
 * Those that were started at or after `budgetSince` are retained too, because they count against the budget of a profile.
 */
export function purgeJournal(file: string, before: number, budgetSince = Number.POSITIVE_INFINITY): number {
  return existsSync(file) ? whileJournalLocked(file, () => purge(file, before, budgetSince)) : 0
}

function purge(file: string, before: number, budgetSince: number): number {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return 0
  }
  const settled = new Set<unknown>()
  const lines = text.split('\n').map((line) => ({ line, entry: parseJsonLine(line) }))
  for (const { entry } of lines) {
    if (entry?.outcome === undefined) continue
    if (entry.state !== 'unknown' && Date.parse(String(entry.at)) < before) settled.add(entry.outcome)
    else settled.delete(entry.outcome)
  }
  for (const { entry } of lines)
    if (entry?.intent !== undefined && Date.parse(String(entry.at)) >= budgetSince) settled.delete(entry.intent)
  for (const { entry } of lines)
    if (entry?.approval !== undefined && Date.parse(String(entry.expiresAt)) < before) settled.add(entry.approval)
  if (settled.size === 0) return 0
  const left = lines.filter(
    ({ line, entry }) => line !== '' && !settled.has(entry?.intent ?? entry?.outcome ?? entry?.approval),
  )
  // Before the file is emptied: a data folder whose marker names an empty journal is refused as one that has lost it.
  if (left.length === 0) unmarkFile(dirname(file), dataFiles.journal)
  replaceFile(file, left.map(({ line }) => `${line}\n`).join(''))
  return settled.size
}
