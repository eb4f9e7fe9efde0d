import { createApprovals } from './approvals/approval-access.ts'
import type { ApprovalOrigin } from './approvals/approvals.ts'
import { type Command, riskOf } from './commandline/command.ts'
import type { GlobalOptions } from './commandline/global-flags.ts'
import { profileSuffix } from './configuration/active-profile.ts'
import { createSettingsAccess } from './configuration/settings-access.ts'
import { createClientAccess } from './connection/client-access.ts'
import { createPlatformCall } from './connection/platform-call.ts'
import type { Context, WriteSettings } from './context.ts'
import { isDocument, type ListCut } from './output/format.ts'
import { createOutputAccess } from './output/output-access.ts'
import { createPromptAccess } from './prompts/prompt-access.ts'
import type { System } from './system.ts'

interface ContextOptions {
  readonly system: System
  readonly globals: GlobalOptions
  readonly command: Command
  readonly commandName: string
  readonly writeSettings?: WriteSettings
  readonly cut?: ListCut | undefined
  /** The command line, for the approval of what it sends (default: its words). */
  readonly approval?: ApprovalOrigin
}

/**
 * Creates the context of a command. It is complete last, so its parts that need it get a function that returns it, and call that only
 * when the command runs. @throws ClientFailure `usage` for an unknown output format
 */
export async function createContext({
  system,
  globals,
  command,
  commandName,
  writeSettings = {},
  cut,
  approval = { words: commandName.split(' '), readInput: () => '' },
}: ContextOptions): Promise<Context> {
  const { access: settings, format } = await createSettingsAccess(system, globals, command)
  const output = createOutputAccess(system, globals, format, command.isList, {
    profileSuffix: async () => (client.responses.size > 0 ? profileSuffix(await settings.settings()) : ''),
    hasLostUndo: () => client.writes.lostUndos > 0,
    cut,
  })
  const { approvals, gate } = createApprovals(() => context, { system, command, origin: approval })
  const { closeConnection, ...client } = createClientAccess({
    system,
    globals,
    command,
    writeSettings,
    settings: settings.settings,
    call: createPlatformCall(() => context),
    gate,
    reportsJson: isDocument(format),
    observeTime: command.hasComputerTimes ? () => undefined : output.observeTime,
    now: () => output.out.settings.now,
    warn: (text) => output.notes.warn(text),
  })
  const context: Context = {
    system,
    globals,
    command,
    commandName,
    approvals,
    nameStarted: () => {},
    ...settings,
    ...client,
    ...createPromptAccess(system, globals, format),
    out: output.out,
    notes: output.notes,
    get progress() {
      return output.progress
    },
    close: () => closeConnection(riskOf(command) !== 'read'),
  }
  return context
}
