import type { ExitName } from '../../../contract/exits.ts'
import type { Copy } from '../../history/copies.ts'

/** What an undo did, for programs. */
export interface Undone {
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
export const idOf = ({ ids }: Copy): string => Object.values(ids).join('/')

/** The same with what people are told. */
export interface Done {
  readonly undone: Partial<Undone> & Pick<Undone, 'done'>
  readonly sentence: string
  readonly notes?: readonly string[]
  /** How the command ends where the thing is not as it was before. */
  readonly exit?: ExitName
}

export const nothing = (sentence: string): Done => ({ undone: { done: 'nothing' }, sentence })
