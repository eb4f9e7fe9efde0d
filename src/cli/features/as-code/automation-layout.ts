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

/** The command that shows the differences. */
export const automationDiffCommand = 'parley automate diff <id> --file <file>'

/**
 * Returns the layout for automations alone: files lie in the folder itself and reference other resources by id, as in
 * the other automation commands.
 */
export const automationLayout = async (): Promise<Layout> => [
  ['', (await import('../automations/file-kind.ts')).automationsById],
]
