import type { Command } from '../commandline/command.ts'
import type { GlobalOptions } from '../commandline/global-flags.ts'
import type { SettingsAccess } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { type Format, formats } from '../output/format.ts'
import type { System } from '../system.ts'
import { findProjectFile, outputOverride, resolveSettings, type Settings, unknownProfileCode } from './settings.ts'

/** A profile that does not exist yet must not stop the commands that create or list profiles. Commands that need it fail later. */
function ignoreUnknownProfile(error: unknown): undefined {
  if ((error as { code?: string }).code !== unknownProfileCode) throw error
}

/** An unreadable configuration must not stop the command that diagnoses it. */
const ignoreSettingsError = (): undefined => undefined

/** The settings, read lazily, and the output format, which is needed at once. */
export async function createSettingsAccess(
  system: System,
  globals: GlobalOptions,
  { worksWithoutSettings }: Pick<Command, 'worksWithoutSettings'>,
): Promise<{ readonly access: SettingsAccess; readonly format: Format }> {
  const project = await findProjectFile(system)
  let resolved: Promise<Settings> | undefined
  const settings = (): Promise<Settings> => (resolved ??= resolveSettings(system, globals, project))
  // The format of a profile needs the configuration, which is one small file; a flag or the environment saves even that.
  const given =
    outputOverride(system, globals, project) ??
    (await settings().then((it) => it.output, worksWithoutSettings ? ignoreSettingsError : ignoreUnknownProfile))
  return { access: { settings }, format: parseFormat(given?.value ?? 'table') }
}

function parseFormat(format: string): Format {
  if (!(formats as readonly string[]).includes(format))
    throw usageError(`Unknown output format "${format}".`, `Formats: ${formats.join(', ')}. See: parley help output.`)
  return format as Format
}
