import { platform } from '../../../contract/control/platform.ts'
import { markDamage } from '../../../node/folder-marker.ts'
import { command } from '../../commandline/command.ts'
import { requireControlAccess } from '../../connection/control-access.ts'
import { confirmPlan, requireConfirmation } from '../../consent/require-confirmation.ts'
import { describeDataChanges, lostDataText, readLostData } from './lost-data.ts'
import { seedFlags, seedPlatform, view } from './seed-platform.ts'

export const reset = command({
  callsPlatform: true,
  summary: platform.reset.summary,
  risk: 'destructive',
  supportsPreview: true,
  startsEmpty: true,
  acceptsMissingData: true,
  flags: [
    ...seedFlags,
    {
      flags: '--clock <time>',
      describe: 'Time to freeze the clock at, ISO 8601 (default: the one of server start --clock, or real time)',
    },
  ],
  examples: ['', '--seed 7 --yes', '--clock 2027-03-01T09:00:00Z --yes', '--file sample-data.yaml --yes'],
  view,
  async run(context, { flags }) {
    const folder = await requireControlAccess(context)
    const { dryRun, printCurl } = context.globals
    if (!dryRun && !printCurl) {
      const isAsked = context.interactive && !context.globals.yes
      await confirmPlan(context, {
        plan: isAsked ? await readLostData(context) : undefined,
        ask: (lost, isAskedAgain) =>
          requireConfirmation(
            context,
            {
              question: `Delete all data of the platform in ${folder}${lostDataText(lost)}?`,
              refusalMessage: `Resetting deletes all data of the platform in ${folder} and requires confirmation.`,
            },
            { isAskedAgain },
          ),
        read: () => readLostData(context),
        describeChanges: describeDataChanges,
      })
    }
    await seedPlatform(context, platform.reset, flags)
    if (dryRun || printCurl) return
    markDamage(folder, undefined)
    ;(await import('../../bulk/purge-ledgers.ts')).deleteLocalProgress(context.system)
  },
})
