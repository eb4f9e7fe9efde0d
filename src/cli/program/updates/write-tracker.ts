import type { Reply } from '../../../client/create-client.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Notes } from '../output/notes.ts'

/** A field whose value on the platform is not the one that was sent. Secrets inside the values are redacted. */
export interface DifferingField {
  readonly field: string
  readonly sent: unknown
  readonly read: unknown
}

/** What is known of the effect of a write. */
export interface Confirmation {
  readonly singular: string
  readonly id: number | string | undefined
  /** Fields that the response shows with the value that was sent. */
  readonly answered: readonly string[]
  /** Fields that a read after the write shows with the value that was sent. */
  readonly readBack: readonly string[]
  /** Fields that were accepted and that the platform does not show, such as secrets. */
  readonly hidden: readonly string[]
  /** Whether the write created the resource. */
  readonly isCreated?: boolean
  /** Fields that still have another value: the platform has ignored them. */
  readonly differing: readonly DifferingField[]
  /** The resource as it was read after the write. Undefined if it was not read. */
  readonly record?: ResourceRecord
  /** Why the write could not be read back, as a sentence. */
  readonly problem?: string
}

/** What a run has read to find creations, and which resources belong to a creation already. */
interface CreatedReads {
  readonly claimed: Set<string>
  readonly reads: Map<string, { readonly startedAt: number; readonly items: Promise<readonly ResourceRecord[]> }>
}

/** What a run knows of its writes. */
export interface WriteTracker {
  /** The confirmation of every write, in order. */
  readonly confirmations: Confirmation[]
  readonly created: CreatedReads
  /** The history entry that the entries of the writes are parts of: that of a promotion, or of a change of many resources. */
  historyGroup?: number
  /** Number of writes that cannot be undone. JSON output then has `undo: false`. */
  lostUndos: number
}

/** Creates the tracker of one command. */
export const createWriteTracker = (): WriteTracker => ({
  confirmations: [],
  created: { claimed: new Set(), reads: new Map() },
  lostUndos: 0,
})

/** Returns the fields of a written resource that the platform ignored. */
export const ignoredFields = ({ writes }: { readonly writes: WriteTracker }, id: unknown): string[] => [
  ...new Set(
    writes.confirmations
      .filter((it) => it.id !== undefined && String(it.id) === String(id))
      .flatMap(({ differing }) => differing.map(({ field }) => field)),
  ),
]

/** Returns the fields that differ, each with the sent and the read value: `nickname is "a", sent "b"`. */
export const describeDifferences = (fields: readonly DifferingField[]): string =>
  fields.map(({ field, sent, read }) => `${field} is ${brief(read)}, sent ${brief(sent)}`).join('; ')

function brief(value: unknown): string {
  const text = stringifyJson(value ?? null)
  return text.length > 120 ? `${text.slice(0, 117)}…` : text
}

/**
 * Reports writes that the platform accepted and that a read does not show, and fields that it never shows. Returns the
 * exit code: 20 if a field differs, 12 if the result could not be read; undefined if all writes are confirmed.
 */
export async function reportUnconfirmed({
  writes,
  notes,
}: {
  readonly writes: WriteTracker
  readonly notes: Pick<Notes, 'warn' | 'note'>
}): Promise<ExitName | undefined> {
  let exit: ExitName | undefined
  for (const { singular, id, differing, hidden, record, problem, isCreated } of writes.confirmations) {
    const called = `The ${singular}${id === undefined ? '' : ` ${id}`}`
    if (differing.length > 0) {
      const outcome = isCreated ? 'was created, but differs' : 'still differs'
      const advice = isCreated ? ' Do not repeat the command.' : ''
      await notes.warn(`${called} ${outcome} from what was sent: ${describeDifferences(differing)}.${advice}`)
      exit ??= 'finding'
    } else if (problem !== undefined) {
      await notes.warn(`${called} was accepted, but the result is unknown. ${problem}`)
      exit = 'unknown'
    } else if (record && hidden.length > 0) await notes.note(`Accepted, cannot be shown: ${hidden.join(', ')}.`)
  }
  return exit
}

/** A reply to a write, with what is known of its effect. Absent for writes whose command reads the result itself. */
export interface ConfirmedReply<T> extends Reply<T> {
  readonly confirmation?: Confirmation
}
