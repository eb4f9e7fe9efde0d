import { openJournal } from '../../../src/client/journal/journal.ts'
import { purgeJournal } from '../../../src/client/journal/purge-journal.ts'

/** Settles and purges an operation, again and again: `node purger <file>`. */
const [file = ''] = process.argv.slice(2)
let ids = 0
const journal = openJournal({ file, now: () => 0, newId: () => `purged-${++ids}` })
for (;;) {
  const id = journal.recordIntent({ endpoint: 'numbers.buy', input: {}, idempotencyKey: '', profile: '', baseUrl: '' })
  journal.recordOutcome(id, 'done')
  purgeJournal(file, 1)
}
