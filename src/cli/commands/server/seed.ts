import { platform } from '../../../contract/control/platform.ts'
import { command } from '../../commandline/command.ts'
import { seedPlatform, view } from './seed-platform.ts'

export const seed = command({
  callsPlatform: true,
  summary: platform.seed.summary,
  risk: 'write',
  supportsPreview: true,
  startsEmpty: true,
  flags: [{ flags: '--seed <n>', describe: 'Number that makes the sample data and its secrets reproducible' }],
  examples: ['', '--seed 7'],
  view,
  run: (context, { flags }) => seedPlatform(context, platform.seed, flags.seed),
})
