import type { Layout } from './compare-folder.ts'

export const folderFlag = {
  flags: '--folder <path>',
  describe: 'Folder of the files; "automations" unless given',
} as const
export const forceRemoteFlag = {
  flags: '--force-remote',
  describe: 'Where both sides changed, take what the platform has',
} as const
export const forceLocalFlag = {
  flags: '--force-local',
  describe: 'Where both sides changed, take what the files have',
} as const

/** The command that shows the differences. */
export const automationDiffCommand = 'parley automate diff <id> --file <file>'

/**
 * Returns the layout for automations alone: files lie in the folder itself and reference other resources by id, as in
 * the other automation commands.
 */
export const automationLayout = async (): Promise<Layout> => [
  ['', (await import('./kinds/automations.ts')).automationsById],
]
