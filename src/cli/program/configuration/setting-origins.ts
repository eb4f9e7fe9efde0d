/** Source of a setting as programs read it: words are added, not renamed. */
type SettingOrigin =
  | 'flag'
  | 'environment'
  | 'project_file'
  | 'selected_profile'
  | 'profile'
  | 'key_command'
  | 'data_folder'
  | 'built_in'
  | 'none'

/** Sources of settings other than flags, variables and files, as messages name them. */
export const settingSources = {
  builtIn: 'built-in',
  profileUse: 'profile use',
  dataFolder: 'the data folder',
  none: 'nowhere',
} as const

const exactly = (text: string): RegExp => new RegExp(`^${text}$`)

/**
 * Texts that settings.ts and doctor name as sources. Another text there needs an entry here, or is taken for a path. The
 * first entry that matches counts: `profile use` also begins as the text of a profile does.
 */
const origins: readonly (readonly [pattern: RegExp, origin: SettingOrigin])[] = [
  [/^--/, 'flag'],
  [/^PARLEY_/, 'environment'],
  [exactly(settingSources.builtIn), 'built_in'],
  [exactly(settingSources.dataFolder), 'data_folder'],
  [exactly(settingSources.none), 'none'],
  [exactly(settingSources.profileUse), 'selected_profile'],
  [/^api_key_command of /, 'key_command'],
  [/^profile /, 'profile'],
]

/** Returns the source of a setting as one word, from its text for messages. Other texts are paths of a project file. */
export const settingOrigin = (from: string): SettingOrigin =>
  origins.find(([pattern]) => pattern.test(from))?.[1] ?? 'project_file'

/** Returns the sources of several settings as words. */
export const settingOrigins = <Name extends string>(
  from: Readonly<Record<Name, string>>,
): Readonly<Record<Name, SettingOrigin>> =>
  Object.fromEntries(Object.entries<string>(from).map(([name, origin]) => [name, settingOrigin(origin)])) as Record<
    Name,
    SettingOrigin
  >
