import type { ExitName } from '../../contract/errors/exit-codes.ts'
import type { HistoryEntry } from './entries.ts'

/** What an undo did, for programs. */
export interface UndoResult {
  readonly entry: number
  readonly noun: string
  readonly id: string
  readonly done: 'put back' | 'created' | 'deleted' | 'restored' | 'nothing'
  /** Fields that were put back. */
  readonly fields: readonly string[]
  /** The entry that takes this back; null where nothing was changed. */
  readonly undo: number | null
}

/** The id of the thing of an entry. */
export const entryResourceId = ({ ids }: HistoryEntry): string => Object.values(ids).join('/')

/** The same with what people are told. */
export interface UndoOutcome {
  readonly undone: Partial<UndoResult> & Pick<UndoResult, 'done'>
  readonly sentence: string
  readonly notes?: readonly string[]
  /** How the command ends where the thing is not as it was before. */
  readonly exit?: ExitName
}

export const nothingToUndo = (sentence: string): UndoOutcome => ({ undone: { done: 'nothing' }, sentence })
