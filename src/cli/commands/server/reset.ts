import { platform } from '../../../contract/control/accounts.ts'
import { command } from '../../commandline/command.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'
import { seedPlatform, view } from './seed-platform.ts'

export const reset = command({
  callsPlatform: true,
  summary: platform.reset.summary,
  risk: 'destructive',
  supportsPreview: true,
  startsEmpty: true,
  flags: [{ flags: '--seed <n>', describe: 'Make the world, and its secrets, the same every time' }],
  examples: ['', '--seed 7 --yes'],
  view,
  async run(context, { flags }) {
    const folder = await requireControlAccess(context)
    const { dryRun, printCurl } = context.globals
    if (!dryRun && !printCurl) {
      await requireConfirmation(context, {
        question: `Forget everything the platform in ${folder} holds?`,
        refusalMessage: `Resetting loses everything the platform in ${folder} holds and needs consent.`,
      })
    }
    await seedPlatform(context, platform.reset, flags.seed)
    if (!dryRun && !printCurl) (await import('../../bulk/purge-ledgers.ts')).deleteLocalProgress(context.world)
  },
})
