import { describe, expect, test } from 'vitest'
import { IdempotencyKeyReused } from '../../../../src/platform/providers/local/idempotent-request.ts'
import { localTelephony } from '../../../../src/platform/providers/telephony/local-telephony.ts'
import { databases } from '../../../support/databases.ts'

describe.each(databases)('the local telephone provider on $name', (database) => {
  const opened = async () => {
    const connection = await database.fresh()
    const telephony = localTelephony({ connection, seed: 'one' })
    const [first, second] = await telephony.search({ country: 'GB', limit: 2 })
    return { connection, telephony, number: first!.phoneNumber, other: second!.phoneNumber }
  }

  test('describes in one sentence that it is local', async () => {
    const { telephony } = await opened()
    expect(telephony.name).toBe('local')
    expect(telephony.description).toMatch(/^[A-Z].*\.$/)
  })

  test('sells a number once: ordered, it is neither found nor searched; released, it is for sale again', async () => {
    const { telephony, number } = await opened()
    expect(await telephony.find(number)).toMatchObject({ phoneNumber: number, country: 'GB' })

    expect(await telephony.order('first', number)).toMatchObject({
      ok: true,
      sid: expect.stringMatching(/^PN[0-9a-f]{32}$/),
    })
    expect(await telephony.find(number)).toBe(null)
    expect((await telephony.search({ country: 'GB', limit: 400 })).map((it) => it.phoneNumber)).not.toContain(number)
    expect(await telephony.order('second', number)).toMatchObject({
      ok: false,
      reason: 'The number is already ordered.',
    })

    expect(await telephony.release('third', number)).toEqual({ ok: true })
    expect((await telephony.search({ country: 'GB', limit: 1 }))[0]?.phoneNumber).toBe(number)
    expect(await telephony.order('fourth', number)).toMatchObject({ ok: true })
  })

  test('creates one order for twenty concurrent requests with the same key, and returns it to all', async () => {
    const { connection, telephony, number } = await opened()
    const answers = await Promise.all([...Array(20)].map(() => telephony.order('again', number)))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({ ok: true })
    expect(await connection.read.selectFrom('local_order').selectAll().execute()).toHaveLength(1)
  })

  test('exactly one of many buyers gets a number, and repeated requests get the same answer', async () => {
    const { telephony, number } = await opened()
    const keys = [...Array(12).keys()].map((at) => `buyer ${at}`)
    const answers = await Promise.all(keys.map((key) => telephony.order(key, number)))
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1)
    expect(await Promise.all(keys.map((key) => telephony.order(key, number)))).toEqual(answers)
  })

  test('remembers a refusal by its key even when the number becomes free', async () => {
    const { telephony, number } = await opened()
    await telephony.order('winner', number)
    const refused = await telephony.order('loser', number)
    await telephony.release('done', number)
    expect(await telephony.order('loser', number)).toEqual(refused)
  })

  test('releases once per key: repeating an old release does not take the number from its next holder', async () => {
    const { telephony, number } = await opened()
    await telephony.order('mine', number)
    const answers = await Promise.all([...Array(5)].map(() => telephony.release('leave', number)))
    expect(answers).toEqual(Array(5).fill({ ok: true }))
    await telephony.order('theirs', number)
    expect(await telephony.release('leave', number)).toEqual({ ok: true })
    expect(await telephony.find(number)).toBe(null)
  })

  test('refuses repeatedly to release a number that is not ordered', async () => {
    const { telephony, number } = await opened()
    const refused = { ok: false, reason: 'The number is not on order.' }
    expect(await telephony.release('early', number)).toEqual(refused)
    await telephony.order('mine', number)
    expect(await telephony.release('early', number)).toEqual(refused)
  })

  test('rejects the same key with another number or for another operation, and changes nothing', async () => {
    const { telephony, number, other } = await opened()
    await telephony.order('order', number)
    await telephony.release('release', number)
    await expect(telephony.order('order', other)).rejects.toThrow(IdempotencyKeyReused)
    await expect(telephony.order('release', number)).rejects.toThrow(IdempotencyKeyReused)
    await expect(telephony.release('order', number)).rejects.toThrow(IdempotencyKeyReused)
    await expect(telephony.release('release', other)).rejects.toThrow(IdempotencyKeyReused)
    expect(await telephony.find(number)).not.toBe(null)
    expect(await telephony.find(other)).not.toBe(null)
  })

  test('does not sell an unknown number', async () => {
    const { telephony } = await opened()
    expect(await telephony.find('+14155550123')).toBe(null)
    expect(await telephony.order('made up', '+14155550123')).toEqual({
      ok: false,
      reason: 'The number is not for sale.',
    })
    expect(await telephony.find('+14155550123')).toBe(null)
  })

  test('has the same state after a restart', async () => {
    const { connection, telephony, number } = await opened()
    const answer = await telephony.order('before', number)
    const restarted = localTelephony({ connection, seed: 'one' })
    expect(await restarted.find(number)).toBe(null)
    expect(await restarted.order('before', number)).toEqual(answer)
  })

  test('numbers of Canada and the United States, which share a calling code, are distinguished', async () => {
    const { telephony } = await opened()
    const [canadian] = await telephony.search({ country: 'CA', limit: 1 })
    await telephony.order('north', canadian!.phoneNumber)
    expect((await telephony.search({ country: 'CA', limit: 400 })).length).toBe(383)
    expect((await telephony.search({ country: 'US', limit: 400 })).length).toBe(384)
  })
})
