import { openJournal } from '../../../src/client/journal/journal.ts'

/** Starts and settles operations in a separate process, and prints each id once it is safely stored: `node writer <file> <name> <count> [<outcome>]`. */
const [file = '', name = '', count = '0', outcome = 'done'] = process.argv.slice(2)
let ids = 0
const journal = openJournal({ file, now: Date.now, newId: () => `${name}-${++ids}` })
for (let i = 0; i < Number(count); i++) {
  const id = journal.recordIntent({
    endpoint: 'numbers.buy',
    input: { text: 'x'.repeat(500) },
    idempotencyKey: '',
    profile: '',
    baseUrl: '',
  })
  await new Promise((done) => process.stdout.write(`${id}!\n`, done))
  journal.recordOutcome(id, outcome as 'done' | 'unknown')
}
