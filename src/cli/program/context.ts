import type { Call, CallMore } from '../../client/create-client.ts'
import type { BillableOptions, Journal } from '../../client/journal/open-operations.ts'
import type { Endpoint, Input, Output as ResponseOf } from '../../contract/endpoint/endpoint.ts'
import type { ResourceKind } from '../../contract/references/resource-references.ts'
import type { Capability } from '../../contract/resources/index.ts'
import type { ResourceRecord } from '../../contract/values/json-object.ts'
import type { ApprovalAccess } from './approvals/approvals.ts'
import type { Command } from './commandline/command.ts'
import type { GlobalOptions } from './commandline/global-flags.ts'
import type { Settings } from './configuration/settings.ts'
import type { Connection } from './connection/connect.ts'
import type { Notes } from './output/notes.ts'
import type { Output } from './output/output.ts'
import type { PromptAnswer } from './prompts/equivalent-command.ts'
import type { Prompts } from './prompts/prompts.ts'
import type { System } from './system.ts'
import type { Progress } from './terminal/progress.ts'
import type { ConfirmedReply, WriteTracker } from './updates/write-tracker.ts'
import type { Waitable, WaitIds } from './waiting/waitable.ts'

/** The settings of a running command. */
export interface SettingsAccess {
  /** Resolves profile, address and key when they are first needed. @throws ClientFailure `usage` for an unknown profile */
  settings(): Promise<Settings>
}

/** How a running command reaches the platform. */
export interface ClientAccess {
  connection(): Promise<Connection>
  /**
   * Opens another client for other settings. The caller closes it. A damaged database is warned of once, unless the
   * caller reports the damage.
   */
  connectTo(settings: Settings, reportsDamage?: boolean): Promise<Connection>
  /** Calls the platform. Every failure is a ClientFailure. */
  readonly call: PlatformCall
  /**
   * Returns whether the platform advertises a capability. Sends one small read when nothing was answered yet. Every
   * failure is a ClientFailure, except that a refusal (403) of the read is a warning and false, unless `isRequired`.
   */
  supports(capability: Capability, isRequired?: boolean): Promise<boolean>
  /**
   * Returns the time of the platform in milliseconds since 1970, to which relative times of its records refer. Sends one
   * small read when nothing was answered yet. Every failure is a ClientFailure.
   */
  platformNow(): Promise<number>
  /** Returns by how many milliseconds the platform was ahead of this computer at the last response that had a date. */
  clockDifferenceMs(): number | undefined
  /**
   * Returns the time that the platform had at a time of this computer, such as that of a journal entry, if its clock was
   * not moved since.
   */
  platformTime(computerTime: string): Promise<number>
  journal(): Promise<Journal>
  /** What the command knows of the effect of its writes. Those that were not confirmed are reported when the command ends. */
  readonly writes: WriteTracker
  /**
   * The last response of each endpoint, to explain an unexpected error. It also tells whether anything was written (run.ts), and
   * which ids existed before a creation (find-created.ts). local-contacts.ts knows a command by this object.
   */
  readonly responses: ReadonlyMap<Endpoint, unknown>
  /**
   * Waits between two reads of something that changes, or until Ctrl-C. A local platform without a server then runs its
   * due jobs, because no other process does.
   */
  pause(ms: number): Promise<void>
  /** What the flags of the command say about all its writes. */
  readonly writeSettings: WriteSettings
}

/** What flags say about the writes of a command: those of billable operations, and these. */
export interface WriteSettings extends BillableOptions {
  /** The value of `--if-unchanged`. */
  readonly ifUnchanged?: string | undefined
  /** Whether values that look like masks of secrets are sent (--force). */
  readonly sendsMasks?: boolean
  /** Fields of the endpoint that flags set. The others come from a document, a prompt or the command. */
  readonly explicitFields?: ReadonlySet<string>
}

/** What a running command prints: results on stdout, notes and progress on stderr. */
export interface OutputAccess {
  readonly out: Output
  readonly notes: Notes
  readonly progress: Progress
}

/** The questions a running command may ask. */
export interface PromptAccess {
  /** Whether questions can be asked at all. */
  readonly interactive: boolean
  /** The answers so far, as flags and arguments of the equivalent command. */
  readonly promptAnswers: PromptAnswer[]
  /** Returns how often a person has answered a prompt. Whatever was read before the last answer may have changed. */
  pauses(): number
  prompts(): Promise<Prompts>
}

/** Settings of one call; `history` is what the recorder of a write needs. */
export interface PlatformCallOptions extends CallMore {
  readonly history?: WriteHistory
}

/** The client as commands use it: writes are recorded in the history. */
export interface PlatformCall extends Call {
  <E extends Endpoint>(endpoint: E, input: Input<E>, options?: PlatformCallOptions): Promise<ResponseOf<E>>
  raw<E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    options?: PlatformCallOptions,
  ): Promise<RecordedReply<ResponseOf<E>>>
}

/** What a command passes to the recorder of its write. */
export interface WriteHistory {
  /** The whole resource before the write (default: the recorder reads it). */
  readonly previous?: ResourceRecord | undefined
  /** Reads a list in which the command has looked for what references a deleted resource (default: the recorder reads it). */
  readonly list?: (resourceKind: ResourceKind) => Promise<readonly ResourceRecord[]>
  /** Makes no history entry: the write completes or reverts another one. */
  readonly isSkipped?: true
}

/** A reply to a write, with the number of its history entry. */
export interface RecordedReply<T> extends ConfirmedReply<T> {
  readonly historyEntry?: number
}

/** What a running command has: its settings, the platform, its output, its user. Everything that costs time is made when first used. */
export interface Context extends SettingsAccess, ClientAccess, OutputAccess, PromptAccess {
  readonly system: System
  readonly globals: GlobalOptions
  readonly command: Command
  /** The words of the command: `numbers buy`. */
  readonly commandName: string
  readonly approvals: ApprovalAccess
  /** Says what `--wait` waits for, if the record that is printed does not have the ids to read it. Without `--wait` it does nothing. */
  readonly nameStarted: (ids: WaitIds, waitable: Waitable) => void
  /** Closes what was opened, after the due jobs that a write has left. */
  close(): Promise<void>
}
