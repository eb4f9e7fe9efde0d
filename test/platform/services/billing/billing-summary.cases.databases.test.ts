import { describe, expect, test } from 'vitest'
import { monthOf } from '../../../../src/contract/values/calendar-periods.ts'
import { billingService } from '../../../../src/platform/services/billing/billing-service.ts'
import { listLedger } from '../../../../src/platform/store/billing/ledger.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import { createRandom } from '../../../soak/cluster/seeded-random.ts'
import { caseCount } from '../../../support/case-count.ts'
import { databases } from '../../../support/databases.ts'
import { billingWorld, paidBy } from './billing-histories.ts'

const sum = (amounts: readonly number[]): number => amounts.reduce((all, it) => all + it, 0)

describe.each(databases)('billing on $name', (database) => {
  const count = database.name === 'sqlite' ? caseCount(1000, 50) : caseCount(100, 20)
  const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

  test(`of ${count} random histories equals the ledger and the subscription records (seed ${seed})`, async () => {
    const connection = await database.fresh()
    const world = billingWorld(connection, createRandom(seed))
    const service = billingService(world.deps)
    let [cards, renewals, refunds] = [0, 0, 0]
    for (let n = 0; n < count; n++) {
      const history = await world.history()
      const { account } = history
      const shown = await service.summary(account)
      const now = world.now()
      const start = monthOf(now / 1000).start * 1000
      const inMonth = <T extends { readonly at: number }>(list: readonly T[]): T[] =>
        list.filter(({ at }) => at >= start)
      const ledger = await listLedger(accountQuery(connection.read, account.id))
      const label = `history ${n} of seed ${seed}`

      // The balance is the sum of the ledger, and what its newest entry says.
      const lines = ledger.filter(({ unit }) => unit !== 'usd')
      expect(shown.balance, label).toBe(sum(lines.map(({ amount }) => amount)))
      if (lines.length > 0) expect(shown.balance, label).toBe(lines.at(-1)?.balance_after)

      // The month is what was done in it.
      expect(shown.charged, label).toBe(sum(inMonth(history.spent).map(({ amount }) => amount)))
      expect(shown.toppedUp, label).toBe(sum(inMonth(history.toppedUp).map(({ amount }) => amount)))
      for (const [word, kind] of [
        ['call', 'calls'],
        ['chat', 'conversations'],
        ['message', 'messages'],
        ['sms', 'sms'],
        ['misc', 'other'],
      ] as const)
        expect(shown.kinds.find(({ key }) => key === kind)?.amount ?? 0, `${label}: ${kind}`).toBe(
          sum(inMonth(history.spent.filter((one) => one.word === word)).map(({ amount }) => amount)),
        )

      // Card charges are those of the payment processor, and what the subscription records say was paid.
      expect(shown.card, label).toBe(sum(inMonth(history.cards).map(({ amount }) => amount)))
      const records = [...history.subscriptions.values()]
      const paid = sum(history.cards.map(({ amount }) => amount))
      expect(sum(records.map(paidBy)), label).toBe(paid)
      const usage = await service.usage(account, 'kind', { since: 0 })
      expect(sum(usage.filter(({ paid_from }) => paid_from === 'card').map(({ amount }) => amount)), label).toBe(paid)
      for (const by of ['day', 'assistant', 'campaign'] as const) {
        const rows = await service.usage(account, by, { since: 0 })
        expect(sum(rows.map(({ amount }) => amount)), `${label} by ${by}`).toBe(sum(usage.map(({ amount }) => amount)))
      }
      const renewing = shown.numbers.flatMap(({ subscription: own }) =>
        own?.status === 'active' || own?.status === 'past_due' ? [own.price] : [],
      )
      expect(shown.monthly, label).toBe(sum(renewing))
      cards += history.cards.length
      refunds += history.cards.filter(({ amount }) => amount < 0).length
      renewals += records.filter(({ row, startedAt }) => row.period_start > startedAt).length
    }
    // The histories have what the figures are about.
    expect(cards).toBeGreaterThan(count / 5)
    expect(renewals).toBeGreaterThan(0)
    if (count >= 50) expect(refunds).toBeGreaterThan(0)
  })
})
