/** Separate process with two hundred callers that write continuously until it is killed. Argument: file. */
import { openStore } from '../../../src/platform/store/database/open-store.ts'

async function main(file = ''): Promise<void> {
  const connection = await openStore({ file })
  const caller = async (): Promise<never> => {
    for (;;)
      await connection.write('rows', (query) =>
        query
          .insertInto('meta')
          .values({ key: crypto.randomUUID(), value: 'x'.repeat(500) })
          .execute(),
      )
  }
  process.stdout.write('writing\n')
  await Promise.all(Array.from({ length: 200 }, caller))
}

void main(process.argv[2])
