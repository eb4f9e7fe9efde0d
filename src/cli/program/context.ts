import type { BillableOptions } from '../../client/journal/open-operations.ts'
import { type Command, riskOf } from './commandline/command.ts'
import type { GlobalOptions } from './commandline/global-flags.ts'
import { profileSuffix } from './configuration/active-profile.ts'
import { createSettingsAccess, type SettingsAccess } from './configuration/settings-access.ts'
import { type ClientAccess, createClientAccess } from './connection/client-access.ts'
import { createPlatformCall } from './connection/platform-call.ts'
import { createOutputAccess, isDocument, type OutputAccess } from './output/output-access.ts'
import { createPromptAccess, type PromptAccess } from './prompts/prompt-access.ts'
import type { System } from './system.ts'

/** What a running command has: its settings, the platform, its output, its user. Everything that costs time is made when first used. */
export interface Context extends SettingsAccess, ClientAccess, OutputAccess, PromptAccess {
  readonly system: System
  readonly globals: GlobalOptions
  readonly command: Command
  /** The words of the command: `numbers buy`. */
  readonly commandName: string
  /** Fields of the endpoint that flags set. The others come from a document, a prompt or the command. */
  readonly explicitFields: ReadonlySet<string>
  /** The history entry that the entries of all writes are parts of: that of a promotion. */
  historyGroup?: number
  /** Whether the output selects records, so that the number of printed records says nothing about pages. */
  readonly selectsRecords?: true
  /** Closes what was opened, after the due jobs that a write has left. */
  close(): Promise<void>
}

export interface ContextOptions {
  readonly system: System
  readonly globals: GlobalOptions
  readonly command: Command
  readonly commandName: string
  /** The value of `--if-unchanged`. */
  readonly ifUnchanged?: string | undefined
  /** Whether --force was passed. */
  readonly sendsMasks?: boolean
  readonly spending?: BillableOptions
  readonly explicitFields?: ReadonlySet<string>
}

/** Creates the context of a command. @throws ClientFailure `usage` for an unknown output format */
export async function createContext({
  system,
  globals,
  command,
  commandName,
  ifUnchanged,
  sendsMasks = false,
  spending = {},
  explicitFields = new Set(),
}: ContextOptions): Promise<Context> {
  const { access: settings, form } = await createSettingsAccess(system, globals, command)
  const output = createOutputAccess(system, globals, form, command.isList, async () =>
    client.responses.size > 0 ? profileSuffix(await settings.settings()) : '',
  )
  const { closeConnection, ...client } = createClientAccess({
    system,
    globals,
    command,
    ifUnchanged,
    sendsMasks,
    spending,
    settings: settings.settings,
    call: createPlatformCall(() => context),
    reportsJson: isDocument(form),
    observeTime: command.hasComputerTimes ? () => undefined : output.observeTime,
    now: () => output.out.settings.now,
    warn: (text) => output.notes.warn(text),
  })
  const context: Context = {
    system,
    globals,
    command,
    commandName,
    explicitFields,
    ...settings,
    ...client,
    ...createPromptAccess(system, globals, form),
    out: output.out,
    notes: output.notes,
    undo: output.undo,
    get progress() {
      return output.progress
    },
    close: () => closeConnection(riskOf(command) !== 'read'),
  }
  return context
}
