import { openJournal } from '../../../src/client/journal/journal.ts'
import { createBudgetCheck } from '../../../src/client/journal/profile-budget.ts'

/** Starts operations of 0.30 USD in a separate process until its budget refuses one, and prints how many: `node writer <file> <name> <micro-USD>`. */
const [file = '', name = '', amount = '0'] = process.argv.slice(2)
let count = 0
const journal = openJournal({
  file,
  now: () => Date.parse('2026-01-31T09:00:00Z'),
  newId: () => `${name}-${count}`,
})
const requireBudget = createBudgetCheck(file, { amount: Number(amount), period: 'month', profile: 'live' })
try {
  for (;;) {
    journal.recordIntent(
      {
        endpoint: 'numbers.buy',
        input: {},
        idempotencyKey: '',
        profile: 'live',
        baseUrl: 'https://platform.test',
        priceUsd: 0.3,
      },
      undefined,
      requireBudget,
    )
    count++
  }
} catch (error) {
  process.stdout.write(`${count} ${(error as { code?: string }).code}`)
}
