/**
 * Separate process that adds accounts, one per transaction, and prints the number of each acknowledged one.
 * Arguments: file, name, count (or `forever`), milliseconds of pause between them.
 */
import { openStore } from '../../../src/platform/store/database/open-store.ts'

async function main([file = '', name = '', count = '', pause = '0']: readonly string[]): Promise<void> {
  const connection = await openStore({ file })
  for (let number = 0; count === 'forever' || number < Number(count); number++) {
    await connection.write('rows', (query) =>
      query
        .insertInto('account')
        .values({
          name,
          email: String(number),
          kind: 'tenant',
          balance: 0,
          minute_rate: 0,
          payment_method: null,
          created_at: 1,
        })
        .execute(),
    )
    process.stdout.write(`${number}\n`)
    if (pause !== '0') await new Promise((resolve) => setTimeout(resolve, Number(pause)))
  }
  await connection.close()
}

main(process.argv.slice(2)).catch((error: Error & { reason?: string }) => {
  process.stderr.write(`${error.name}: ${error.reason}: ${error.message}\n`)
  process.exitCode = 1
})
