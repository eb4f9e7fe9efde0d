import { expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { newPlace, openAt } from '../../../support/platform/test-platforms.ts'

test.each([true, false])(
  'a full disk is answered with 503 that does not name the file; the log names it (in process: %s)',
  async (inProcess) => {
    if (!sqlite) return
    const place = await newPlace(sqlite)
    await (await openAt(place)).platform.close()
    const logged: (string | undefined)[] = []
    const { ask } = await openAt(place, { inProcess, maxPages: 1, log: (_, fields) => logged.push(fields?.reason) })
    const full = await ask('PUT', '/api/user/assistant/1', { body: { system_prompt: 'x'.repeat(60_000) } })
    expect(full.body).toEqual({ message: 'The disk of the database is full. Nothing was saved.' })
    expect(logged.join()).toContain(place.dataDir)
  },
)
