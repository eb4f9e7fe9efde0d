import { fileKinds } from './project-layout.ts'

export const folderArgument = {
  name: 'folder',
  describe: 'Folder of the files (default: parley), and files or names such as assistants/front-desk to limit it to',
  optional: true,
  isVariadic: true,
} as const

export const onlyFlag = {
  flags: '--only <kinds>',
  describe: `Comma-separated kinds: ${fileKinds.join(', ')}`,
} as const

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

export const checkFlag = {
  flags: '--check',
  describe: 'Change nothing; exit 20 when files and platform differ',
} as const
export const pushCheckFlag = {
  flags: '--check',
  describe: 'Change nothing; exit 20 when a push would change anything or fail',
} as const
