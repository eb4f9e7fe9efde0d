import { join } from 'node:path'
import { platform } from '../../../contract/control.ts'
import { command } from '../../command.ts'
import { consent } from '../../consent.ts'
import { dataDir } from '../../folders.ts'
import { showOnly } from '../../requests.ts'

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

export const purge = command({
  endpoint: platform.purge,
  examples: ['--yes', '--older-than 7d --yes', '--older-than 0s --yes --json'],
  notes:
    'Deliveries that have ended, events, logged requests, spends of the journal whose outcome is known, copies in the history, samples automations were tested with, the log of writes, and which rows of files are done: a file that is given again after that is sent again. Deliveries, events and requests older than 30 days go by themselves.',
  async run(context, { input }) {
    if (await showOnly(context, platform.purge, input)) return
    const span = String(input.older_than ?? '30d')
    await consent(context, { ask: `Forget what is older than ${span}?`, without: 'What is forgotten cannot be brought back: this needs consent.' })
    const answer = await context.call(platform.purge, input as never)
    const { forgetSpends } = await import('../../../client/journal-purge.ts')
    const { forgetLedgers } = await import('../../bulk/forget.ts')
    const { forgetCopies } = await import('../../history/copies.ts')
    const { forgetWrites } = await import('../../history/writes.ts')
    const { world, out } = context
    const { forgetSamples } = await import('../../automations/samples.ts')
    const before = world.now() - Number(span.slice(0, -1)) * (units[span.at(-1) as string] ?? 0)
    forgetSamples(world, before)
    const told = {
      ...answer,
      spends: forgetSpends(join(dataDir(world), 'spends.ndjson'), before),
      copies: forgetCopies(world, before),
      writes: forgetWrites(world, before),
      ledgers: forgetLedgers(world, before),
    }
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(told, { view: { id: (it: typeof told) => it.deliveries, columns: [], empty: '' } } as never)
    else
      await out.line(
        `${answer.message.replace(/\.$/, '')}, spends ${told.spends}, copies ${told.copies}, lines of the log of writes ${told.writes}, files of rows ${told.ledgers}.`,
      )
  },
})
