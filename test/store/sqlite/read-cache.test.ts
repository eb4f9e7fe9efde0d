import { beforeEach, describe, expect, test } from 'vitest'
import { ReadCache } from '../../../src/store/sqlite/read-cache.ts'
import type { SqliteDatabase } from '../../../src/store/sqlite/sqlite-driver.ts'

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

describe('whether somebody has written', () => {
  test('is looked at once for one event, and again for the next', async () => {
    await recalled()
    await recalled()
    expect(looks).toBe(1)
    afterThis()
    written()
    expect(await recalled()).toBe(version)
    expect(looks).toBe(2)
  })

  test('is looked at once for requests that came in together', async () => {
    for (const socket of [{}, {}, {}]) {
      memory.onRequest(socket)
      await recalled()
    }
    expect(looks).toBe(1)
  })

  test('is looked at again once they are dealt with, whether a request comes or not', async () => {
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

  test('is looked at again for another request on the same connection: it may have been sent after that', async () => {
    const [socket, other] = [{}, {}]
    for (const from of [socket, other]) {
      memory.onRequest(from)
      await recalled()
    }
    written()
    memory.onRequest(socket)
    expect(await recalled()).toBe(version)
  })

  test('is looked at again after so many, more of which the system may have found meanwhile', async () => {
    for (let n = 0; n < 640; n++) {
      memory.onRequest({})
      await recalled()
    }
    expect(looks).toBe(10)
  })

  test('is looked at again after a write of our own', async () => {
    memory.onRequest({})
    await recalled()
    written()
    memory.invalidate()
    expect(await recalled()).toBe(version)
  })
})
