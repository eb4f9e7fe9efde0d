import { describe, expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

describe('the limit of five messages per second', () => {
  test('is respected by waiting, also across processes: twelve messages from two processes are all sent once', async () => {
    const by = operator({ clock: 'real' })
    const send = (n: number) => by.run(`messaging send --sender 1 --template 2 --to +1415555${2000 + n}`)
    const sender = async (from: number) => {
      const runs = []
      for (let n = from; n < from + 6; n++) runs.push(await send(n))
      return runs
    }
    await by.run('keys list')
    const runs = (await Promise.all([sender(0), sender(6)])).flat()
    expect(runs.map((it) => it.exitCode)).toEqual(Array(12).fill(0))
    const shown = (await by.json('server accounts ledger 1')).filter((entry: { reason: string }) =>
      entry.reason.startsWith('Message'),
    )
    expect(new Set(shown.map((it: { reason: string }) => it.reason)).size).toBe(12)
    expect(shown).toHaveLength(12)
  })
})
