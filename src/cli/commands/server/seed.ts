import { platform } from '../../../contract/control.ts'
import { command } from '../../command.ts'
import { fill } from './fill.ts'

export const seed = command({
  summary: platform.seed.summary,
  risk: 'write',
  flags: [{ flags: '--seed <n>', describe: 'Make the world, and its secrets, the same every time' }],
  examples: ['', '--seed 7'],
  run: (context, { flags }) => fill(context, platform.seed, flags.seed),
})
