import type { Layout } from './compare-folder.ts'

export const folderFlag = {
  flags: '--folder <path>',
  describe: 'Folder of the files (default: automations)',
} as const
export const forceRemoteFlag = {
  flags: '--force-remote',
  describe: 'Resolve conflicts with the platform version',
} as const
export const forceLocalFlag = {
  flags: '--force-local',
  describe: 'Resolve conflicts with the local files',
} as const

/** The command that shows what differs. */
export const automationDiffCommand = 'parley automate diff <id> --file <file>'

/** Automations alone, in the folder itself, pointing to others by their ids: as the other commands about automations read files. */
export const automationLayout = async (): Promise<Layout> => [
  ['', (await import('./kinds/automations.ts')).automationsById],
]
