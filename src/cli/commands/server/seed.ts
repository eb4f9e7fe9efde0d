import { platform } from '../../../contract/control/platform.ts'
import { command } from '../../commandline/command.ts'
import { seedFlags, seedPlatform, view } from './seed-platform.ts'

export const seed = command({
  callsPlatform: true,
  summary: platform.seed.summary,
  risk: 'write',
  supportsPreview: true,
  startsEmpty: true,
  flags: seedFlags,
  examples: ['', '--seed 7', '--file sample-data.yaml'],
  view,
  run: (context, { flags }) => seedPlatform(context, platform.seed, flags),
})
