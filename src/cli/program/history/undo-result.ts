import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { HistoryEntry } from './entries.ts'

/** Result of an undo in machine output. Scripts read it as JSON: fields and words are added, not renamed. */
export interface UndoResult {
  readonly entry: number
  readonly noun: string
  readonly id: string
  readonly done: 'restored' | 'created' | 'deleted' | 'nothing'
  /** Fields that were restored. */
  readonly fields: readonly string[]
  /** The entry that undoes this undo; null if nothing was changed. */
  readonly undo: number | null
}

/** Returns the id of the resource of an entry. */
export const entryResourceId = ({ ids }: HistoryEntry): string => Object.values(ids).join('/')

/** The result with its sentences for the terminal. */
export interface UndoOutcome {
  readonly undone: Partial<UndoResult> & Pick<UndoResult, 'done'>
  readonly sentence: string
  readonly notes?: readonly string[]
  /** The entry that undoes this. */
  readonly historyEntry?: number | undefined
  /** Exit code when the resource is not as it was before. */
  readonly exit?: ExitName
}

/** Returns the outcome of an undo that changed nothing. */
export const nothingToUndo = (sentence: string): UndoOutcome => ({ undone: { done: 'nothing' }, sentence })
