import { join } from 'node:path'
import { platform } from '../../../contract/control/platform.ts'
import { parseDuration } from '../../../contract/values/duration.ts'
import { hasContent, unmarkFile } from '../../../node/folder-marker.ts'
import { command } from '../../commandline/command.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { requireConfirmation } from '../../consent/require-confirmation.ts'

export const purge = command({
  endpoint: platform.purge,
  examples: ['--yes', '--older-than 7d --yes', '--older-than 0s --yes --json'],
  notes:
    'Deletes completed deliveries, events, logged requests, journal entries with a known outcome, history entries, test samples of automations, the write log and the progress of bulk operations. Without that progress, a file that is imported again is sent again. Deliveries, events and requests older than 30 days are deleted automatically.\nThe age of records of the platform counts from its clock, and that of files and requests from the clock of this computer.',
  async run(context, { input }) {
    if (await previewRequest(context, platform.purge, input)) return
    const span = String(input.older_than ?? '30d')
    await requireConfirmation(context, {
      question: `Delete data older than ${span}?`,
      refusalMessage: 'Purging cannot be undone and requires confirmation.',
    })
    const answer = await context.call(platform.purge, input as never)
    const { journalName } = await import('../../../client/journal/journal.ts')
    const { purgeJournal } = await import('../../../client/journal/purge-journal.ts')
    const { purgeLedgers } = await import('../../bulk/purge-ledgers.ts')
    const { purgeEntries } = await import('../../history/entries.ts')
    const { purgeWriteLog } = await import('../../history/write-log.ts')
    const { system, out } = context
    const { purgeSamples } = await import('../../automations/test-samples.ts')
    const before = system.now() - (parseDuration(span) ?? 0)
    purgeSamples(system, before)
    const result = {
      ...answer,
      spends: purgeJournal(join(dataDir(system), journalName), before),
      copies: purgeEntries(system, before),
      writes: purgeWriteLog(system, before),
      ledgers: purgeLedgers(system, before),
    }
    if (!hasContent(dataDir(system), 'history')) unmarkFile(dataDir(system), 'history')
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(result, { view: { id: (it: typeof result) => it.deliveries, columns: [], empty: '' } } as never)
    else
      await out.done(
        `${answer.message.replace(/\.$/, '')}, journal entries ${result.spends}, history entries ${result.copies}, write log lines ${result.writes}, bulk progress files ${result.ledgers}.`,
      )
  },
})
