import { platform } from '../../../contract/control.ts'
import { command } from '../../command.ts'
import { consent } from '../../consent.ts'
import { ownFolder } from '../../own-platform.ts'
import { fill, view } from './fill.ts'

export const reset = command({
  asks: true,
  summary: platform.reset.summary,
  risk: 'destructive',
  shows: true,
  onEmpty: true,
  flags: [{ flags: '--seed <n>', describe: 'Make the world, and its secrets, the same every time' }],
  examples: ['', '--seed 7 --yes'],
  view,
  async run(context, { flags }) {
    const folder = await ownFolder(context)
    const { dryRun, printCurl } = context.globals
    if (!dryRun && !printCurl) {
      await consent(context, {
        ask: `Forget everything the platform in ${folder} holds?`,
        without: `Resetting loses everything the platform in ${folder} holds and needs consent.`,
      })
    }
    await fill(context, platform.reset, flags.seed)
    if (!dryRun && !printCurl) (await import('../../bulk/forget.ts')).forgetLocalProgress(context.world)
  },
})
