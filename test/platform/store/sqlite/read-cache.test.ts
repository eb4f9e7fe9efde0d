import { beforeEach, describe, expect, test } from 'vitest'
import type { SqliteDatabase } from '../../../../src/platform/store/sqlite/libsql-driver.ts'
import { ReadCache } from '../../../../src/platform/store/sqlite/open-sqlite.ts'

let version = 1
let looks = 0
let afterThis: () => void
let afterAll: () => void
let memory: ReadCache

beforeEach(() => {
  looks = 0
  const get = (): { data_version: number } => {
    looks++
    return { data_version: version }
  }
  memory = new ReadCache({ prepare: () => ({ get }) } as unknown as SqliteDatabase, {
    afterThisEvent: (work) => {
      afterThis = work
    },
    afterPendingEvents: (work) => {
      afterAll = work
    },
  })
})

/** Somebody else writes. */
const written = (): number => ++version
const recalled = (): Promise<number> => memory.cachedRead('it', async () => version)

describe('the check for writes of other processes', () => {
  test('runs once for one event, and again for the next', async () => {
    await recalled()
    await recalled()
    expect(looks).toBe(1)
    afterThis()
    written()
    expect(await recalled()).toBe(version)
    expect(looks).toBe(2)
  })

  test('runs once for requests that arrived together', async () => {
    for (const socket of [{}, {}, {}]) {
      memory.onRequest(socket)
      await recalled()
    }
    expect(looks).toBe(1)
  })

  test('runs again after they are answered, whether a request arrives or not', async () => {
    memory.onRequest({})
    await recalled()
    written()
    afterAll()
    expect(await recalled()).toBe(version)
    afterThis()
    written()
    memory.onRequest({})
    expect(await recalled()).toBe(version)
  })

  test('runs again for another request on the same connection, which may have been sent later', async () => {
    const [socket, other] = [{}, {}]
    for (const from of [socket, other]) {
      memory.onRequest(from)
      await recalled()
    }
    written()
    memory.onRequest(socket)
    expect(await recalled()).toBe(version)
  })

  test('runs again after a limit, because the system may have received more', async () => {
    for (let n = 0; n < 640; n++) {
      memory.onRequest({})
      await recalled()
    }
    expect(looks).toBe(10)
  })

  test('runs again after a write of this process', async () => {
    memory.onRequest({})
    await recalled()
    written()
    memory.invalidate()
    expect(await recalled()).toBe(version)
  })
})
