import { describe, expect, test } from 'vitest'
import { createReplyStreams } from '../../../src/services/conversations/reply-streams.ts'

const run = { name: 'look', arguments: {}, result: { found: true } }

describe('a reply on its way', () => {
  test('is told to whoever waits as soon as there is more, in order, and then that it is made', async () => {
    const turns = createReplyStreams()
    const first = turns.readEvents('a', 0, 5000)
    const reporting = turns.start('a')
    reporting.onText('Let me ')
    expect(await first).toEqual({ events: [{ type: 'text', text: 'Let me ' }], done: false })
    reporting.onText('look.')
    reporting.onRun(run)
    expect(await turns.readEvents('a', 1, 5000)).toEqual({
      events: [
        { type: 'text', text: 'look.' },
        { type: 'function', ...run },
      ],
      done: false,
    })
    const last = turns.readEvents('a', 3, 5000)
    reporting.done()
    expect(await last).toEqual({ events: [], done: true })
  })

  test('is told whole to who comes late, also after its end to who looked on before', async () => {
    const turns = createReplyStreams()
    const reporting = turns.start('a')
    reporting.onText('Hello')
    await turns.readEvents('a', 0, 0)
    reporting.onText(' there')
    reporting.done()
    expect(await turns.readEvents('a', 1, 5000)).toEqual({ events: [{ type: 'text', text: ' there' }], done: true })
    expect(await turns.readEvents('a', 0, 0)).toEqual({ events: [], done: false })
  })

  test('that nobody follows leaves nothing, nor does one that never begins', async () => {
    const turns = createReplyStreams()
    const reporting = turns.start('a')
    reporting.onText('Hello')
    reporting.done()
    expect(await turns.readEvents('a', 0, 0)).toEqual({ events: [], done: false })
    expect(await turns.readEvents('never', 0, 20)).toEqual({ events: [], done: false })
  })
})
