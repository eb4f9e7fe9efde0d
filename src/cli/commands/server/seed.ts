import { platform } from '../../../contract/control.ts'
import { command } from '../../command.ts'
import { fill, view } from './fill.ts'

export const seed = command({
  asks: true,
  summary: platform.seed.summary,
  risk: 'write',
  shows: true,
  onEmpty: true,
  flags: [{ flags: '--seed <n>', describe: 'Make the world, and its secrets, the same every time' }],
  examples: ['', '--seed 7'],
  view,
  run: (context, { flags }) => fill(context, platform.seed, flags.seed),
})
