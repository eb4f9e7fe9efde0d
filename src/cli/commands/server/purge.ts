import { join } from 'node:path'
import { platform } from '../../../contract/control/accounts.ts'
import { command } from '../../commandline/command.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

export const purge = command({
  endpoint: platform.purge,
  examples: ['--yes', '--older-than 7d --yes', '--older-than 0s --yes --json'],
  notes:
    'Deliveries that have ended, events, logged requests, spends of the journal whose outcome is known, copies in the history, samples automations were tested with, the log of writes, and which rows of files are done: a file that is given again after that is sent again. Deliveries, events and requests older than 30 days go by themselves.',
  async run(context, { input }) {
    if (await previewRequest(context, platform.purge, input)) return
    const span = String(input.older_than ?? '30d')
    await requireConfirmation(context, {
      question: `Forget what is older than ${span}?`,
      refusalMessage: 'What is forgotten cannot be brought back: this needs consent.',
    })
    const answer = await context.call(platform.purge, input as never)
    const { purgeJournal } = await import('../../../client/journal/purge-journal.ts')
    const { purgeLedgers } = await import('../../bulk/purge-ledgers.ts')
    const { purgeEntries } = await import('../../history/entries.ts')
    const { purgeWriteLog } = await import('../../history/write-log.ts')
    const { world, out } = context
    const { purgeSamples } = await import('../../automations/test-samples.ts')
    const before = world.now() - Number(span.slice(0, -1)) * (units[span.at(-1) as string] ?? 0)
    purgeSamples(world, before)
    const result = {
      ...answer,
      spends: purgeJournal(join(dataDir(world), 'spends.ndjson'), before),
      copies: purgeEntries(world, before),
      writes: purgeWriteLog(world, before),
      ledgers: purgeLedgers(world, before),
    }
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(result, { view: { id: (it: typeof result) => it.deliveries, columns: [], empty: '' } } as never)
    else
      await out.line(
        `${answer.message.replace(/\.$/, '')}, spends ${result.spends}, copies ${result.copies}, lines of the log of writes ${result.writes}, files of rows ${result.ledgers}.`,
      )
  },
})
